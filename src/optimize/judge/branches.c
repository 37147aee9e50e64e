/* Distances and bounds that change sides between two time nodes.
 *
 * A distance is kept at the nodes. Where the direction between its points turns by more than a right angle from one node to the next, the
 * motion between them passes near the other point instead of around it: the equation has another branch there, and no finer mesh has
 * such a motion. The direction is the part of the gradient g that acts on places,
 *
 *   g(q_n) . g(q_n+1) < 0,
 *
 * and for components of axes, which have no such part, the torques that they put on their nodes. What is only bounded may change sides as
 * far as the straight way between both configurations keeps the bound; of an expression the direction is that of the whole, too:
 * abs(x) >= 0.05 is satisfied at both sides of the wall, and so is x^2 >= 0.0025.
 *
 * A bound with a kink may also be left by less, where the straight way cuts a corner of what is allowed, as max(x, y) >= 0 does between
 * (1, 0) and (0, 1). The nodes keep it, and finer meshes cut off less: a remark.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/vector.h"
#include "math/math.h"
#include "optimize/judge/doubts.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"
#include "tree/kinematics.h"

enum { PLACES = 16, SECTIONS = 40 }; /* on the straight way, and between three of them */
static const double CLEAR = 1e-6;    /* violations by more, in parts of the bound, count */

/* A gradient on its coordinates (at NULL: on the first ones of all), at both ends of an interval. */
typedef struct side_pair {
    int count;
    const int *at;
    double *g[2];
    const double *q[2];
} side_pair;

static int coordinate_of(const side_pair *s, int i)
{
    return s->at ? s->at[i] : i;
}

static const ac_node *node_of(const ac_system *system, int coordinate)
{
    int low = 0, high = system->node_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (system->nodes[middle].q <= coordinate)
            low = middle;
        else
            high = middle - 1;
    }
    return &system->nodes[low];
}

/* The torques about the centre that the gradient puts on directors, sum_I d_I x g_I, at one end. */
static void add_torque(const ac_node *node, const double *q, int coordinate, double g, double torque[3])
{
    int c = coordinate - node->q - node->dimension;
    const double *d = q + node->q + node->dimension;
    if (node->kind == AC_NODE_PLANAR) torque[2] += (c == 0 ? -d[1] : d[0]) * g;
    if (node->kind != AC_NODE_BODY) return;
    double force[3] = {0.0}, moment[3];
    force[c % 3] = g;
    cross3(d + c - c % 3, force, moment);
    for (int k = 0; k < 3; ++k) torque[k] += moment[k];
}

static bool changes_side(const ac_system *system, const side_pair *s)
{
    double places = 0.0, torques = 0.0;
    bool placed = false;
    for (int i = 0; i < s->count; ++i) {
        const ac_node *node = node_of(system, coordinate_of(s, i));
        if (coordinate_of(s, i) - node->q >= node->dimension) continue;
        placed = placed || s->g[0][i] != 0.0 || s->g[1][i] != 0.0;
        places += s->g[0][i] * s->g[1][i];
    }
    if (placed) return places < 0.0;
    for (int i = 0; i < s->count;) {
        const ac_node *node = node_of(system, coordinate_of(s, i));
        double torque[2][3] = {{0.0}};
        for (; i < s->count && node_of(system, coordinate_of(s, i)) == node; ++i)
            for (int e = 0; e < 2; ++e) {
                int at = coordinate_of(s, i);
                if (at >= node->q + node->dimension) add_torque(node, s->q[e], at, s->g[e][i], torque[e]);
            }
        torques += dot3(torque[0], torque[1]);
    }
    return torques < 0.0;
}

/* Angles of joints and of axes have no other branch: they go on from node to node. */
static bool scalar_changes(const ac_optimization *o, int scalar, int interval)
{
    const ac_scalars *scalars = &o->description.scalars;
    const ac_scalar *own = &scalars->list[scalar];
    if (own->motion || own->outer.kind == AC_OUTER_ANGLE || own->outer.kind == AC_OUTER_LOG) return false;
    double g[2][AC_SCALAR_MAX];
    side_pair s = {.count = own->plain,
                   .at = ac_scalar_coordinates(scalars, scalar),
                   .g = {g[0], g[1]},
                   .q = {ac_q(o, interval), ac_q(o, interval + 1)}};
    for (int e = 0; e < 2; ++e) {
        size_t at = (size_t)(interval + e) * (size_t)scalars->count + (size_t)scalar;
        ac_scalar_evaluate(scalars, scalar, s.q[e], o->point.scalar_windings[at], s.g[e], NULL);
    }
    return changes_side(o->system, &s);
}

static bool row_changes(const ac_optimization *o, int row, int interval)
{
    const ac_constraints *c = &o->system->constraints;
    double g[2][AC_SCALAR_MAX];
    side_pair s = {.count = c->start[row + 1] - c->start[row],
                   .at = c->coordinate + c->start[row],
                   .g = {g[0], g[1]},
                   .q = {ac_q(o, interval), ac_q(o, interval + 1)}};
    for (int e = 0; e < 2; ++e) ac_constraint_gradient(o->system, row, s.q[e], s.g[e]);
    return changes_side(o->system, &s);
}

/* --- bounds --- */

/* Is it a function of configurations, parameters and the time alone? */
static bool is_place_term(const ac_term *term)
{
    int values = 0;
    for (int l = 0; l < term->leaf_count; ++l) {
        ac_leaf_kind kind = term->leaves[l].kind;
        values += kind == AC_LEAF_VALUE;
        if (kind != AC_LEAF_VALUE && kind != AC_LEAF_TIME && kind != AC_LEAF_SIGNAL &&
            kind != AC_LEAF_DURATION && kind != AC_LEAF_PARAMETER)
            return false;
    }
    return values > 0 && !term->interval;
}

/* What a bound is about: a term, or the clearance of two shapes (term NULL). */
typedef struct bounded {
    const ac_term *term;
    int scalar;
    double low, high;
    ac_condition_place place;
} bounded;

/* Room for a configuration, and for gradients at both ends. */
typedef struct room {
    double *q, *g[2];
} room;

static bool term_changes(const ac_optimization *o, const ac_term *term, int interval, const room *w)
{
    int n = o->system->n;
    side_pair s = {.count = n, .g = {w->g[0], w->g[1]}, .q = {ac_q(o, interval), ac_q(o, interval + 1)}};
    for (int e = 0; e < 2; ++e) {
        ac_term_point p = ac_term_place(o, term, interval + e);
        ac_term_evaluate(term, &o->description.scalars, &p, 1);
        memset(s.g[e], 0, (size_t)n * sizeof *s.g[e]);
        for (int i = 0; i < term->ref_count; ++i)
            if (term->refs[i].kind == AC_REF_A && term->refs[i].index < n)
                s.g[e][term->refs[i].index] = term->gradient[i];
    }
    return changes_side(o->system, &s);
}

static bool may_change(const ac_optimization *o, const bounded *b, int interval, const room *w)
{
    if (!b->term) return scalar_changes(o, b->scalar, interval);
    for (int l = 0; l < b->term->leaf_count; ++l)
        if (b->term->leaves[l].kind == AC_LEAF_VALUE && scalar_changes(o, b->term->leaves[l].index, interval))
            return true;
    return term_changes(o, b->term, interval, w);
}

static double value_between(const ac_optimization *o, const bounded *b, int interval, double s, double *q)
{
    const double *a = ac_q(o, interval), *end = ac_q(o, interval + 1);
    for (int i = 0; i < o->layout.extended; ++i) q[i] = (1.0 - s) * a[i] + s * end[i];
    if (!b->term) return ac_scalar_evaluate(&o->description.scalars, b->scalar, q, 0.0, NULL, NULL);
    ac_term_point p = ac_term_place(o, b->term, interval);
    p.a = q;
    p.steps += s;
    return ac_term_evaluate(b->term, &o->description.scalars, &p, 0);
}

/* By how much a value violates the bound, in parts of it; negative: not at all. */
static double excess_of(const bounded *b, double value)
{
    return ac_max((b->low - value) / ac_max(1.0, fabs(b->low)),
                  (value - b->high) / ac_max(1.0, fabs(b->high)));
}

/* The largest excess on the straight way from node to node, and the value there: at one of some places, and by golden section between
 * its neighbours, for what is bounded may be thin. */
static double crossing(const ac_optimization *o, const bounded *b, int interval, double *q, double *worst)
{
    static const double GOLDEN = 0.61803398874989485;
    double most = -INFINITY, best = 0.0, step = 1.0 / PLACES;
    for (int k = 1; k < PLACES; ++k) {
        double excess = excess_of(b, value_between(o, b, interval, k * step, q));
        if (!(excess > most)) continue;
        most = excess;
        best = k * step;
    }
    double low = best - step, high = best + step;
    for (int k = 0; k < SECTIONS; ++k) {
        double s[2] = {high - GOLDEN * (high - low), low + GOLDEN * (high - low)}, e[2];
        for (int i = 0; i < 2; ++i) e[i] = excess_of(b, value_between(o, b, interval, s[i], q));
        if (e[0] > e[1])
            high = s[1];
        else
            low = s[0];
    }
    double value = value_between(o, b, interval, 0.5 * (low + high), q),
           before = value_between(o, b, interval, best, q);
    *worst = excess_of(b, value) > most ? value : before;
    return excess_of(b, *worst);
}

/* The nodes between which the bound holds; false: it holds at one of them only. */
static bool holds_between(const ac_optimization *o, const bounded *b, int *from, int *to)
{
    *from = b->place == AC_AT_INNER_NODES;
    *to = o->layout.N - *from;
    return b->place == AC_AT_NODES || b->place == AC_AT_INNER_NODES;
}

static int first_crossed(const ac_optimization *o, const bounded *b, const room *w)
{
    int from, to;
    double worst;
    if (!holds_between(o, b, &from, &to)) return -1;
    for (int k = from; k < to; ++k)
        if (may_change(o, b, k, w) && crossing(o, b, k, w->q, &worst) > CLEAR) return k;
    return -1;
}

/* --- one motion --- */

static const char ADVICE[] = "give a guess that stays on one side, or use more intervals";

static bool say(const char *what, const char *name, const char *phase, int interval, char *text, size_t size)
{
    snprintf(text, size,
             "%s '%.100s' changes sides within interval %d%s%.60s%s: its direction turns by more than a "
             "right angle from one "
             "node to the next, so the motion between them is another one; %s",
             what, name, interval + 1, phase ? " of phase '" : "", phase ? phase : "", phase ? "'" : "",
             ADVICE);
    return true;
}

static bool find_held(const ac_optimization *o, const char *phase, char *text, size_t size)
{
    for (int h = 0; h < o->description.phase.hold_count; ++h)
        for (int k = 0; k < o->layout.N; ++k)
            if (scalar_changes(o, o->description.phase.holds[h], k))
                return say("the held quantity", ac_optimization_hold_name(o, h), phase, k, text, size);
    return false;
}

static bool find_joint(const ac_optimization *o, const char *phase, char *text, size_t size)
{
    const ac_constraints *c = &o->system->constraints;
    for (int row = 0; row < c->count; ++row) {
        if (c->owner[row] < 0 || o->system->joints[c->owner[row]].type != AC_DISTANCE) continue;
        for (int k = 0; k < o->layout.N; ++k)
            if (row_changes(o, row, k))
                return say("the distance joint", o->system->joints[c->owner[row]].name, phase, k, text, size);
    }
    return false;
}

/* What condition k bounds along the way; false: nothing that can be crossed between nodes. */
static bool bounded_by(const ac_optimization *o, int k, bounded *b)
{
    const ac_condition_data *c = &o->description.conditions[k];
    const ac_apart *apart = c->apart >= 0 ? &o->description.shapes.aparts[c->apart] : NULL;
    if (c->conserved || (!apart && (c->hidden || !is_place_term(&c->term)))) return false;
    *b = (bounded){&c->term, -1, c->low, c->high, c->place};
    if (apart) *b = (bounded){NULL, apart->scalar, apart->low, INFINITY, apart->place};
    return true;
}

static bool find_bound(const ac_optimization *o, const char *phase, const room *w, char *text, size_t size)
{
    for (int k = 0; k < o->description.condition_count; ++k) {
        bounded b;
        if (!bounded_by(o, k, &b)) continue;
        int interval = first_crossed(o, &b, w);
        if (interval >= 0)
            return say("the condition", o->description.conditions[k].name, phase, interval, text, size);
    }
    return false;
}

static ac_status make_room(const ac_optimization *o, room *w)
{
    size_t n = (size_t)o->layout.extended, coordinates = (size_t)o->system->n;
    w->q = ac_allocate(o->ctx, n + 2 * coordinates + 1, sizeof *w->q);
    if (!w->q) return ac_out_of_memory(o->ctx);
    w->g[0] = w->q + n;
    w->g[1] = w->g[0] + coordinates;
    return AC_OK;
}

static ac_status find_in_motion(const ac_optimization *o, const char *phase, char *text, size_t size)
{
    room w;
    AC_TRY(make_room(o, &w));
    if (!find_held(o, phase, text, size) && !find_joint(o, phase, text, size))
        find_bound(o, phase, &w, text, size);
    ac_release(o->ctx, w.q);
    return AC_OK;
}

ac_status ac_name_changed_side(const ac_optimization *o, char *text, size_t size)
{
    text[0] = '\0';
    if (!o->description.phases) return find_in_motion(o, NULL, text, size);
    for (int k = 0; k < ac_optimization_phases(o) && !text[0]; ++k)
        AC_TRY(find_in_motion(o->description.phases->list[k], ac_optimization_phase_name(o, k), text, size));
    return AC_OK;
}

/* --- corners --- */

/* The interval in which a bound with a kink is left furthest. */
static bool find_corner(const ac_optimization *o, int condition, const room *w, ac_cut_corner *corner)
{
    bounded b;
    int from, to;
    double most = CLEAR;
    if (!bounded_by(o, condition, &b) || !b.term || ac_expression_is_smooth(b.term->expression)) return false;
    if (!holds_between(o, &b, &from, &to)) return false;
    for (int k = from; k < to; ++k) {
        double worst, excess = crossing(o, &b, k, w->q, &worst);
        if (!(excess > most)) continue;
        most = excess;
        corner->interval = k;
        corner->value = worst;
        corner->bound = worst < b.low ? b.low : b.high;
    }
    corner->name = o->description.conditions[condition].name;
    return most > CLEAR;
}

static bool find_corners(const ac_optimization *o, int *number, ac_cut_corner *corner)
{
    bool found = false;
    room w;
    if (make_room(o, &w) != AC_OK) return false;
    for (int k = 0; k < o->description.condition_count && !found; ++k)
        found = find_corner(o, k, &w, corner) && (*number)-- == 0;
    ac_release(o->ctx, w.q);
    return found;
}

bool ac_optimization_cut_corner(const ac_optimization *o, int number, ac_cut_corner *corner)
{
    *corner = (ac_cut_corner){0};
    if (!o->description.phases) return find_corners(o, &number, corner);
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        if (find_corners(ac_optimization_phase(o, k), &number, corner)) {
            corner->phase = ac_optimization_phase_name(o, k);
            return true;
        }
    return false;
}
