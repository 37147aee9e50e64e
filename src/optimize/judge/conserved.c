/* Conditions at the end on momentum that nothing changes. Where nothing outside acts on a row of nodes,
 * momentum and angular momentum at the end are those at the start, whatever the controls do. A condition
 * on them is either satisfied already, and then left out of the programme, where it would have no
 * multiplier of its own, or can never be: that is reported before the solve. The rank of the conditions at a
 * guess does not show it, because a guess need not satisfy the dynamics. */
#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "action/describe/actor.h"
#include "action/describe/balance.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

static const double PARALLEL = 1e-12; /* sine of the angle between directions that are the same */

static bool inside(const ac_balance_source *s, int node)
{
    return node >= s->first && node <= s->last;
}

/* Of several nodes: all or none of them. */
static bool all_or_none(const ac_balance_source *s, const int *nodes, int count)
{
    for (int k = 1; k < count; ++k)
        if (inside(s, nodes[k]) != inside(s, nodes[0])) return false;
    return true;
}

static bool parallel(const double a[3], const double b[3])
{
    double c[3];
    cross3(a, b, c);
    return norm3(c) <= PARALLEL * norm3(a) * norm3(b);
}

/* Is the axis of a motion of a row fixed in side a, or in side b? Other turns on the way to it would move it. */
static bool fixed_axis(const ac_joint_row *row, const ac_motion *motion, bool in_a)
{
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m) {
        bool between = in_a ? m < motion : m > motion;
        if (between && m->kind != AC_MOTION_SHIFT && m->axis != motion->axis) return false;
    }
    return true;
}

/* Do all shifts of a row go along the axis? Then the line of a turn about it stays where it is. */
static bool slides_along(const ac_joint_row *row, int axis)
{
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m)
        if (m->kind == AC_MOTION_SHIFT && m->axis != axis) return false;
    return true;
}

/* Whether a joint to the ground lets the component be: what it may push along, or turn about. */
static bool joint_spares(const ac_optimization *o, const ac_joint_data *joint, const ac_balance_source *s)
{
    const bool in_a = joint->a.node == AC_GROUND, in_b = joint->b.node == AC_GROUND;
    const ac_side *ground = in_a ? &joint->a : &joint->b;
    double arm[3], across[3];
    sub3(s->about, ground->place, arm);
    double close = 1e-9 * o->system->length_scale;
    if (!in_a && !in_b) return false;
    if (o->description.variation.count > 0) return false; /* its place may move */
    bool momentum = s->kind == AC_BALANCE_MOMENTUM;
    if (!momentum && s->about_centre) return false;
    if (!momentum && ac_row_is_ball(joint->row)) return norm3(arm) <= close;
    for (const ac_motion *m = joint->row->motion; m->kind != AC_MOTION_NONE; ++m) {
        const double axis[3] = {ground->axes[m->axis], ground->axes[3 + m->axis], ground->axes[6 + m->axis]};
        if (m->kind != (momentum ? AC_MOTION_SHIFT : AC_MOTION_TURN)) continue;
        if (!fixed_axis(joint->row, m, in_a) || !parallel(s->along, axis)) continue;
        cross3(arm, axis, across);
        if (momentum || (slides_along(joint->row, m->axis) && norm3(across) <= close)) return true;
    }
    return false;
}

static bool joints_spare(const ac_optimization *o, const ac_balance_source *s)
{
    const ac_system *system = o->system;
    for (int k = 0; k < system->joint_count; ++k) {
        const int nodes[2] = {system->joints[k].a.node, system->joints[k].b.node};
        if (!all_or_none(s, nodes, 2) && !joint_spares(o, &system->joints[k], s)) return false;
    }
    return true;
}

typedef struct sparing {
    const ac_balance_source *source;
    bool spared;
} sparing;

static void spare(void *user, const ac_actor *actor)
{
    sparing *s = user;
    bool any = false;
    for (int k = 0; k < actor->count; ++k) any = any || inside(s->source, actor->nodes[k]);
    if (actor->outside ? any : !all_or_none(s->source, actor->nodes, actor->count)) s->spared = false;
}

static bool actions_spare(const ac_optimization *o, const ac_balance_source *s)
{
    const ac_system *system = o->system;
    sparing all = {s, true};
    ac_each_actor(system, spare, &all);
    if (!all.spared) return false;
    for (int k = 0; k < o->description.control_count; ++k) {
        const ac_control *control = &o->description.controls[k].given;
        const ac_joint_data *joint = control->type == AC_LOAD_JOINT ? &system->joints[control->joint] : NULL;
        const int nodes[2] = {joint ? joint->a.node : control->point.node, joint ? joint->b.node : AC_GROUND};
        if (!all_or_none(s, nodes, 2)) return false;
    }
    return true;
}

/* Coupled masses hold their nodes together, and nodes that move in fewer directions are held by the ground. */
static bool nodes_stand_alone(const ac_optimization *o, const ac_balance_source *s)
{
    const ac_system *system = o->system;
    for (int k = 0; k < system->mesh.mass_pair_count; ++k) {
        const int nodes[2] = {system->mesh.mass_pairs[k].a, system->mesh.mass_pairs[k].b};
        if (!all_or_none(s, nodes, 2)) return false;
    }
    for (int n = s->first; n <= s->last; ++n)
        if (system->nodes[n].dimension != system->nodes[s->first].dimension) return false;
    return true;
}

/* Gravity leaves the momentum across it, the angular momentum along it, and that of a body about its own
 * centre. */
static bool gravity_spares(const ac_optimization *o, const ac_balance_source *s)
{
    const double *g = o->system->gravity;
    bool own = s->kind == AC_BALANCE_ANGULAR && s->about_centre;
    for (int i = 0; i < 3; ++i)
        if (o->description.variation.count > 0 && o->description.variation.of.gravity[i] >= 0 && !own)
            return false;
    if (norm3(g) == 0.0 || own) return true;
    if (s->kind == AC_BALANCE_ANGULAR) return parallel(g, s->along);
    return fabs(dot3(g, s->along)) <= PARALLEL * norm3(g) * norm3(s->along);
}

static bool is_conserved(const ac_optimization *o, const ac_balance_source *s)
{
    if (s->kind != AC_BALANCE_MOMENTUM && s->kind != AC_BALANCE_ANGULAR) return false;
    return gravity_spares(o, s) && nodes_stand_alone(o, s) && joints_spare(o, s) && actions_spare(o, s);
}

/* Whether the momentum at the start is known: it starts at rest, or as it is given. */
static bool start_is_known(const ac_optimization *o)
{
    bool rest = true;
    if (!o->settings.start_velocity || o->settings.periodic) return false;
    for (int i = 0; i < o->system->n; ++i) rest = rest && o->system->initial.v[i] == 0.0;
    return rest || (o->settings.start_fixed && o->description.variation.count == 0);
}

static bool condition_conserved(const ac_optimization *o, const ac_condition_data *c)
{
    if (c->place != AC_AT_END || c->term.interval || c->term.leaf_count == 0) return false;
    for (int k = 0; k < c->term.leaf_count; ++k) {
        const ac_leaf *leaf = &c->term.leaves[k];
        if (leaf->kind != AC_LEAF_MOTION || !is_conserved(o, o->description.scalars.list[leaf->index].motion))
            return false;
    }
    return true;
}

/* What is conserved, in words. */
static void describe(const ac_optimization *o, const ac_condition_data *c, char *text, size_t size)
{
    static const char *const names[] = {"x", "y", "z"};
    const ac_balance_source *s = o->description.scalars.list[c->term.leaves[0].index].motion;
    bool angular = s->kind == AC_BALANCE_ANGULAR;
    const char *what = angular ? "angular momentum" : "momentum", *between = angular ? "about" : "along";
    const double *e = s->along;
    int axis = -1, used = 0;
    for (int i = 0; i < 3; ++i)
        if (e[i] != 0.0) axis = i, ++used;
    if (c->term.leaf_count > 1) {
        snprintf(text, size, "momentum");
    } else if (used == 1) {
        snprintf(text, size, "%s %s %s", what, between, names[axis]);
    } else {
        snprintf(text, size, "%s %s [%.3g, %.3g, %.3g]", what, between, e[0], e[1], e[2]);
    }
}

void ac_conserved_name(const ac_optimization *o, int condition, char *text, size_t size)
{
    const ac_condition_data *c = &o->description.conditions[condition];
    char what[80];
    describe(o, c, what, sizeof what);
    snprintf(text, size, "condition '%.40s' at the end: %s is conserved, it holds anyway", c->name, what);
}

static ac_status refuse(const ac_optimization *o, const ac_condition_data *c, double value)
{
    char what[80];
    describe(o, c, what, sizeof what);
    bool above = value > c->high;
    const char *bound = c->low == c->high ? "" : above ? "at most " : "at least ";
    return ac_fail(o->ctx, AC_NOT_CONVERGED,
                   "%s%scondition '%s' cannot be satisfied: %s is conserved, for nothing outside changes it; "
                   "%s is %.10g from the start to the end and cannot become %s%.10g",
                   c->where ? c->where : "", c->where ? ": " : "", c->name, what, c->term.text,
                   fabs(value) > 0.0 ? value : 0.0, bound, above ? c->high : c->low);
}

static ac_status note_place(ac_optimization *o, const char *where, char **place)
{
    if (!*place) *place = ac_copy_text(o->ctx, where);
    return *place ? AC_OK : ac_out_of_memory(o->ctx);
}

ac_status ac_optimization_terms_from(ac_optimization *o, const char *where)
{
    for (int k = 0; k < o->description.condition_count; ++k)
        AC_TRY(note_place(o, where, &o->description.conditions[k].where));
    for (int k = 0; k < o->description.objective_count; ++k)
        AC_TRY(note_place(o, where, &o->description.objectives[k].where));
    return AC_OK;
}

ac_status ac_find_conserved(ac_optimization *o)
{
    bool known = start_is_known(o) && o->description.phase.hold_count == 0 &&
                 !o->description.phase.meets[0] && ac_wanted_transcription(o) < AC_MINIMAL;
    for (int k = 0; k < o->description.condition_count; ++k) {
        ac_condition_data *c = &o->description.conditions[k];
        c->conserved = known && condition_conserved(o, c);
        if (!c->conserved) continue;
        const ac_term_point start = {
            .a = o->system->initial.q, .velocity = o->system->initial.v, .h = 1.0, .count = 1.0};
        double value = ac_term_evaluate(&c->term, &o->description.scalars, &start, 0);
        double near = o->settings.tolerance * ac_max(1.0, fabs(value));
        if (value < c->low - near || value > c->high + near) return refuse(o, c, value);
    }
    return AC_OK;
}
