/* Distances that change sides between two time nodes.
 *
 * A distance is kept at the nodes. Where the direction between its points turns by more than a right angle from one node to the next, the
 * motion between them passes near the other point instead of around it: the equation has another branch there, and no finer mesh has
 * such a motion. The direction is the part of the gradient g that acts on places,
 *
 *   g(q_n) . g(q_n+1) < 0,
 *
 * and for components of axes, which have no such part, the torques that they put on their nodes. What is only bounded may change sides as
 * far as the straight way between both configurations keeps the bound.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "optimize/judge/doubts.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"
#include "tree/kinematics.h"

enum { PLACES = 16 };             /* on the straight way */
static const double CLEAR = 1e-6; /* violations by more, in parts of the bound, count */

/* A gradient on its coordinates, at both ends of an interval. */
typedef struct side_pair {
    int count;
    const int *at;
    double g[2][AC_SCALAR_MAX];
    const double *q[2];
} side_pair;

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
        const ac_node *node = node_of(system, s->at[i]);
        if (s->at[i] - node->q >= node->dimension) continue;
        placed = placed || s->g[0][i] != 0.0 || s->g[1][i] != 0.0;
        places += s->g[0][i] * s->g[1][i];
    }
    if (placed) return places < 0.0;
    for (int i = 0; i < s->count;) {
        const ac_node *node = node_of(system, s->at[i]);
        double torque[2][3] = {{0.0}};
        for (; i < s->count && node_of(system, s->at[i]) == node; ++i)
            for (int e = 0; e < 2; ++e) add_torque(node, s->q[e], s->at[i], s->g[e][i], torque[e]);
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
    side_pair s = {.count = own->plain,
                   .at = ac_scalar_coordinates(scalars, scalar),
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
    side_pair s = {.count = c->start[row + 1] - c->start[row],
                   .at = c->coordinate + c->start[row],
                   .q = {ac_q(o, interval), ac_q(o, interval + 1)}};
    for (int e = 0; e < 2; ++e) ac_constraint_gradient(o->system, row, s.q[e], s.g[e]);
    return changes_side(o->system, &s);
}

/* --- bounds --- */

static bool is_distance_term(const ac_term *term)
{
    for (int l = 0; l < term->leaf_count; ++l)
        if (term->leaves[l].kind != AC_LEAF_VALUE) return false;
    return term->leaf_count > 0 && !term->interval;
}

/* What a bound is about: a term, or the clearance of two shapes (term NULL). */
typedef struct bounded {
    const ac_term *term;
    int scalar;
    double low, high;
    ac_condition_place place;
} bounded;

static bool may_change(const ac_optimization *o, const bounded *b, int interval)
{
    if (!b->term) return scalar_changes(o, b->scalar, interval);
    for (int l = 0; l < b->term->leaf_count; ++l)
        if (scalar_changes(o, b->term->leaves[l].index, interval)) return true;
    return false;
}

/* Is the bound violated on the straight way from node to node? `q`: room for a configuration. */
static bool is_crossed(const ac_optimization *o, const bounded *b, int interval, double *q)
{
    const double *a = ac_q(o, interval), *end = ac_q(o, interval + 1);
    for (int k = 1; k < PLACES; ++k) {
        double s = (double)k / PLACES, value;
        for (int i = 0; i < o->layout.extended; ++i) q[i] = (1.0 - s) * a[i] + s * end[i];
        if (b->term) {
            ac_term_point p = ac_term_place(o, b->term, interval);
            p.a = q;
            value = ac_term_evaluate(b->term, &o->description.scalars, &p, 0);
        } else {
            value = ac_scalar_evaluate(&o->description.scalars, b->scalar, q, 0.0, NULL, NULL);
        }
        if (b->low - value > CLEAR * fmax(1.0, fabs(b->low)) ||
            value - b->high > CLEAR * fmax(1.0, fabs(b->high)))
            return true;
    }
    return false;
}

static int first_crossed(const ac_optimization *o, const bounded *b, double *q)
{
    int from = b->place == AC_AT_INNER_NODES, to = o->layout.N - from;
    if (b->place != AC_AT_NODES && b->place != AC_AT_INNER_NODES) return -1;
    for (int k = from; k < to; ++k)
        if (may_change(o, b, k) && is_crossed(o, b, k, q)) return k;
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

static bool find_bound(const ac_optimization *o, const char *phase, double *q, char *text, size_t size)
{
    const ac_optimization_description *d = &o->description;
    for (int k = 0; k < d->condition_count; ++k) {
        const ac_condition_data *c = &d->conditions[k];
        const ac_apart *apart = c->apart >= 0 ? &d->shapes.aparts[c->apart] : NULL;
        if (c->conserved || (!apart && (c->hidden || !is_distance_term(&c->term)))) continue;
        bounded b = {&c->term, -1, c->low, c->high, c->place};
        if (apart) b = (bounded){NULL, apart->scalar, apart->low, INFINITY, apart->place};
        int interval = first_crossed(o, &b, q);
        if (interval >= 0) return say("the condition", c->name, phase, interval, text, size);
    }
    return false;
}

static ac_status find_in_motion(const ac_optimization *o, const char *phase, char *text, size_t size)
{
    double *q = ac_allocate(o->ctx, (size_t)o->layout.extended + 1, sizeof *q);
    if (!q) return ac_out_of_memory(o->ctx);
    if (!find_held(o, phase, text, size) && !find_joint(o, phase, text, size))
        find_bound(o, phase, q, text, size);
    ac_release(o->ctx, q);
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
