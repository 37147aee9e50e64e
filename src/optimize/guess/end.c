/* Both ends of a first guess: configurations that satisfy the conditions there, and the way between them.
 *
 * Where the guess leaves conditions at the end, or at a start that is free, open, Gauss-Newton steps of
 * the freedoms, the shortest ones, assemble an end that satisfies them, the loops and, if possible, what
 * is asked of every node. All nodes then move their share of the way. What the problem guesses itself is
 * kept. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "linalg/dense.h"

enum { ITERATIONS = 100, STARTS = 10 };
static const double REACHED = 1e-8, OPEN = 1e-6, RANK_TOLERANCE = 1e-7, LONGEST = 0.3;
static const double DAMPING = 1e-6; /* of least-squares steps, in parts of the largest diagonal entry */
static const double HALF = 0.5;     /* cosine: orientations further away are met by angles instead of sines */

typedef struct reaching {
    ac_optimization *o;
    int loops, rows, columns; /* rows of loops, then one per condition */
    int node;                 /* of time: the first or the last */
    bool with_nodes;          /* conditions of all nodes count too */
    bool compromise;          /* equations that depend on each other are met in the least-squares sense */
    double *block, *winding, *start_winding, *total, *xi, *zero, *J, *g, *gradient;
    double *normal, *force; /* J J^T + damping, and what it is solved for */
    ac_chart_point point;
    ac_joint_state *state, *moved;
    int *ints;
    bool *held;
    ac_row_space space;
} reaching;

/* Freedoms that the problem guesses itself. */
static void hold_guessed(const reaching *r)
{
    const ac_optimization *o = r->o;
    for (int k = o->description.guess.of_conditions; k < o->description.guess.count; ++k) {
        const ac_guess_data *g = &o->description.guess.list[k];
        const ac_node *node = &o->system->nodes[g->node];
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            bool shift = o->description.chart.motion[f] == AC_MOTION_SHIFT ||
                         o->description.chart.motion[f] == AC_MOTION_SWING;
            r->held[f] = r->held[f] || g->kind == AC_GUESS_JOINT || shift == (g->kind == AC_GUESS_PLACE);
        }
    }
}

static ac_status create(ac_optimization *o, reaching *r)
{
    const ac_constraints *g = &o->system->constraints;
    size_t states = (size_t)o->system->node_count;
    r->o = o;
    r->loops = g->count - g->closure;
    r->rows = r->loops + o->description.condition_count;
    r->columns = o->layout.freedoms;
    size_t space = ac_row_space_doubles(r->rows, r->columns), width = (size_t)r->columns;
    size_t scalars = (size_t)o->description.scalars.count, rows = (size_t)r->rows,
           size = (size_t)o->layout.extended;
    AC_NEW(o->ctx, r->block,
           space + 2 * scalars + 6 * width + rows * (width + rows + 2) +
               size * ((size_t)o->description.chart.span + 2));
    AC_NEW(o->ctx, r->ints, ac_row_space_ints(r->rows, r->columns) + rows);
    AC_NEW(o->ctx, r->held, width);
    AC_NEW(o->ctx, r->state, 2 * states);
    r->moved = r->state + states;
    double *next = r->block + space;
    struct {
        double **at;
        size_t count;
    } parts[] = {{&r->winding, scalars},
                 {&r->start_winding, scalars},
                 {&r->total, width},
                 {&r->xi, width},
                 {&r->zero, width},
                 {&r->point.axis, 3 * width},
                 {&r->J, rows * width},
                 {&r->g, rows},
                 {&r->normal, rows * rows},
                 {&r->force, rows},
                 {&r->gradient, size},
                 {&r->point.q, size},
                 {&r->point.D, size * (size_t)o->description.chart.span}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        *parts[k].at = next;
        next += parts[k].count;
    }
    ac_parameters_extend(o, r->point.q, NULL);
    ac_row_space_place(&r->space, r->rows, r->columns, r->block, r->ints);
    hold_guessed(r);
    return AC_OK;
}

static void destroy(reaching *r)
{
    ac_context *ctx = r->o->ctx;
    ac_release(ctx, r->block);
    ac_release(ctx, r->ints);
    ac_release(ctx, r->held);
    ac_release(ctx, r->state);
}

/* --- rows --- */

/* Row of the Jacobian from the gradient by the coordinates, which is cleared. */
static void project(const reaching *r, int row)
{
    double *J = r->J + (size_t)row * (size_t)r->columns;
    for (int i = 0; i < r->o->layout.n; ++i) {
        double value = r->gradient[i];
        if (value == 0.0) continue;
        const double *D = r->point.D + (size_t)i * (size_t)r->o->description.chart.span;
        for (int f = 0; f < r->columns; ++f)
            if (!r->held[f]) J[f] += value * D[f];
    }
    memset(r->gradient, 0, (size_t)r->o->layout.extended * sizeof *r->gradient);
}

static void loop_rows(const reaching *r)
{
    const ac_system *system = r->o->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    ac_constraints_value(system, r->point.q, c->closure, r->g);
    for (int k = 0; k < r->loops; ++k) {
        int row = c->closure + k;
        ac_constraint_gradient(system, row, r->point.q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            r->gradient[c->coordinate[e]] += gradient[e - c->start[row]];
        project(r, k);
    }
}

static bool counts(const reaching *r, const ac_condition_data *c)
{
    bool round = r->o->settings.periodic; /* both ends are one */
    bool here = (c->place == AC_AT_END && (r->node > 0 || round)) ||
                (c->place == AC_AT_START && r->node == 0) || (r->with_nodes && c->place == AC_AT_NODES);
    return here && !c->term.interval && !c->term.velocities && !c->hidden;
}

/* The orientation that a condition asks for alone, NULL: it is another condition. */
static const ac_turn_target *target_of(const ac_optimization *o, const ac_condition_data *c)
{
    const ac_term *term = &c->term;
    if (term->leaf_count != 1 || term->leaves[0].kind != AC_LEAF_VALUE || c->low != 0.0 || c->high != 0.0)
        return NULL;
    for (int k = 0; k < o->description.guess.turn_target_count; ++k)
        if (o->description.guess.turn_targets[k].scalar == term->leaves[0].index)
            return &o->description.guess.turn_targets[k];
    return NULL;
}

/* A turn that is far from its target: component of the rotation vector; false: it is near. */
static bool far_turn(const reaching *r, const ac_turn_target *target, double *value)
{
    const ac_node *node = &r->o->system->nodes[target->node];
    double position[3], R[9], relative[9], theta[3];
    ac_node_get_pose(node, r->point.q + node->q, position, R);
    multiply_transposed3(R, target->rotation, relative);
    if (0.5 * (relative[0] + relative[4] + relative[8] - 1.0) > HALF) return false;
    ac_rotation_log(relative, theta);
    *value = dot3(target->direction, theta);
    for (int I = 0; I < 3; ++I) {
        double lever[3];
        cross3(target->direction, r->point.q + node->q + 3 + 3 * I, lever);
        for (int i = 0; i < 3; ++i) r->gradient[node->q + 3 + 3 * I + i] += 0.5 * lever[i];
    }
    return true;
}

/* Shapes are kept apart by a plane, which is not known here: their distance instead. */
static double clearance_value(const reaching *r, const ac_apart *apart)
{
    const ac_optimization *o = r->o;
    double gradient[AC_SCALAR_MAX];
    const int *at = ac_scalar_coordinates(&o->description.scalars, apart->scalar);
    double value = ac_scalar_evaluate(&o->description.scalars, apart->scalar, r->point.q, 0.0, gradient,
                                      NULL);
    for (int i = 0; i < o->description.scalars.list[apart->scalar].plain; ++i)
        r->gradient[at[i]] += gradient[i];
    return value;
}

static double condition_value(const reaching *r, const ac_condition_data *c)
{
    const ac_optimization *o = r->o;
    const ac_turn_target *target = target_of(o, c);
    double value;
    if (c->apart >= 0) return clearance_value(r, &o->description.shapes.aparts[c->apart]);
    if (target && far_turn(r, target, &value)) return value;
    ac_term_point p = {.a = r->point.q,
                       .winding_a = r->winding,
                       .measure_windings = o->point.measure_windings +
                                           (size_t)r->node * (size_t)o->system->measure_count,
                       .velocity = o->point.velocity[1],
                       .h = o->settings.duration / o->layout.N,
                       .steps = r->node,
                       .count = o->layout.N,
                       .parameters = o->point.x + o->layout.first.parameter};
    value = ac_term_evaluate(&c->term, &o->description.scalars, &p, 1);
    for (int i = 0; i < c->term.ref_count; ++i)
        if (c->term.refs[i].kind == AC_REF_A) r->gradient[c->term.refs[i].index] += c->term.gradient[i];
    return value;
}

/* What is open at the present state, and its derivatives; the largest of it. */
static double evaluate(const reaching *r)
{
    const ac_optimization *o = r->o;
    ac_chart_point point = r->point;
    ac_chart_evaluate(&o->description.chart, r->state, r->zero, r->moved, &point);
    for (int k = 0; k < o->description.quantities.count; ++k) {
        if (o->description.quantities.scalar[k] < 0) continue; /* a signal */
        double *value = &r->winding[o->description.quantities.scalar[k]];
        *value = ac_scalar_evaluate(&o->description.scalars, o->description.quantities.scalar[k], r->point.q,
                                    *value, NULL, NULL);
    }
    memset(r->J, 0, (size_t)r->rows * (size_t)r->columns * sizeof *r->J);
    memset(r->gradient, 0, (size_t)o->layout.extended * sizeof *r->gradient);
    loop_rows(r);
    for (int k = 0; k < o->description.condition_count; ++k) {
        const ac_condition_data *c = &o->description.conditions[k];
        double *g = &r->g[r->loops + k];
        *g = 0.0;
        if (!counts(r, c)) continue;
        double value = condition_value(r, c);
        *g = value > c->high ? value - c->high : value < c->low ? value - c->low : isnan(value) ? NAN : 0.0;
        if (*g != 0.0) project(r, r->loops + k);
        memset(r->gradient, 0, (size_t)o->layout.extended * sizeof *r->gradient);
    }
    double size = 0.0;
    for (int k = 0; k < r->rows; ++k) size = isfinite(r->g[k]) ? ac_max(size, fabs(r->g[k])) : INFINITY;
    return size;
}

/* --- assembling an end --- */

static double signed_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return 2.0 * ((double)(*state >> 11) / 9007199254740992.0) - 1.0;
}

/* The first start is the guess itself; the others lie around it, further and further away. */
static void begin(const reaching *r, int start)
{
    const ac_optimization *o = r->o;
    size_t states = (size_t)o->system->node_count;
    uint64_t random = (uint64_t)start;
    memcpy(r->state, o->point.reference + (size_t)r->node * states, states * sizeof *r->state);
    memcpy(r->winding, r->start_winding, (size_t)o->description.scalars.count * sizeof *r->winding);
    for (int f = 0; f < r->columns; ++f) {
        double size = 0.15 * start * start / STARTS *
                      (o->description.chart.motion[f] == AC_MOTION_SHIFT ? 0.1 : 1.0);
        r->total[f] = r->held[f] ? 0.0 : size * signed_random(&random);
    }
    ac_chart_move(&o->description.chart, r->total, r->state);
}

/* xi = J^T (J J^T + damping)^-1 g: where equations depend on each other and disagree, as those for a place
 * beside a circle do, a step that solves some of them exactly may lead away from the others. */
static void step_between(const reaching *r)
{
    size_t m = (size_t)r->rows, n = (size_t)r->columns;
    int *pivot = r->ints + ac_row_space_ints(r->rows, r->columns);
    double size = 0.0;
    for (size_t i = 0; i < m; ++i)
        for (size_t k = 0; k < m; ++k) {
            double sum = 0.0;
            for (size_t f = 0; f < n; ++f) sum += r->J[i * n + f] * r->J[k * n + f];
            r->normal[i * m + k] = sum;
            if (i == k) size = ac_max(size, sum);
        }
    for (size_t i = 0; i < m; ++i) r->normal[i * m + i] += size > 0.0 ? DAMPING * size : 1.0;
    memcpy(r->force, r->g, m * sizeof *r->g);
    memset(r->xi, 0, n * sizeof *r->xi);
    if (!ac_lu_factor(r->rows, r->normal, pivot)) return;
    ac_lu_solve(r->rows, r->normal, pivot, r->force);
    for (size_t i = 0; i < m; ++i)
        for (size_t f = 0; f < n; ++f) r->xi[f] += r->J[i * n + f] * r->force[i];
}

static bool reach_from(reaching *r, int start)
{
    const ac_optimization *o = r->o;
    begin(r, start);
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        double size = evaluate(r), most = 0.0;
        if (size < REACHED) return true;
        if (!isfinite(size)) return false;
        if (r->compromise) {
            step_between(r);
        } else {
            ac_row_space_factor(&r->space, r->J, RANK_TOLERANCE, r->rows);
            ac_row_space_solve(&r->space, r->g, r->xi);
        }
        for (int f = 0; f < r->columns; ++f)
            if (o->description.chart.motion[f] != AC_MOTION_SHIFT) most = ac_max(most, fabs(r->xi[f]));
        double scale = most > LONGEST ? LONGEST / most : 1.0;
        for (int f = 0; f < r->columns; ++f) {
            r->xi[f] *= r->held[f] ? 0.0 : -scale;
            r->total[f] += r->xi[f];
        }
        ac_chart_move(&o->description.chart, r->xi, r->state);
    }
    return false;
}

static bool reach(reaching *r)
{
    for (int pass = 0; pass < 4; ++pass) {
        r->with_nodes = pass % 2 == 0;
        r->compromise = pass >= 2;
        for (int start = 0; start < STARTS; ++start)
            if (reach_from(r, start)) return true;
    }
    return false;
}

/* --- the way --- */

/* Rotation vector from a to b, by as many turns as the steps made. */
static void turn_between(const ac_joint_state *a, const ac_joint_state *b, const double steps[3],
                         double theta[3])
{
    double R[9];
    multiply_transposed3(b->turn, a->turn, R);
    ac_rotation_log(R, theta);
    double angle = norm3(theta), full = 2.0 * ac_acos(-1.0);
    if (angle < OPEN) return;
    double turns = round((dot3(steps, theta) / angle - angle) / full);
    for (int i = 0; i < 3; ++i) theta[i] *= 1.0 + full * turns / angle;
}

/* Increments of a share of the way from the guessed end to the one reached. */
static void share_of_way(const reaching *r, const ac_joint_state *end, double share, double *xi)
{
    const ac_optimization *o = r->o;
    for (int f = 0; f < r->columns; ++f) xi[f] = share * r->total[f];
    for (int i = 0; i < o->system->node_count; ++i) {
        const ac_node *node = &o->system->nodes[i];
        for (int s = 0; s < node->walk.count; ++s) {
            const ac_walk_step *step = &node->walk.step[s];
            int f = node->u + step->freedom;
            if (step->kind == AC_MOTION_SWING && step->freedoms == 2) {
                ac_swings_between(node, &end[i], &r->state[i], xi + f);
                for (int k = 0; k < 2; ++k) xi[f + k] *= share;
            }
            if (step->kind != AC_MOTION_BALL || step->freedoms < 3) continue;
            double theta[3], R[9];
            turn_between(&end[i], &r->state[i], r->total + f, theta);
            for (int k = 0; k < 3; ++k) theta[k] *= share;
            ac_rotation_exp(theta, R);
            ac_three_angles(R, xi + f);
        }
    }
}

static void go(const reaching *r)
{
    ac_optimization *o = r->o;
    size_t states = (size_t)o->system->node_count;
    const ac_joint_state *end = r->moved; /* the guessed one, kept while the nodes move */
    memcpy(r->moved, o->point.reference + (size_t)r->node * states, states * sizeof *r->moved);
    for (int n = 0; n <= o->layout.N; ++n) {
        double share = (double)n / o->layout.N;
        if (r->node == 0) share = o->settings.periodic ? 1.0 : 1.0 - share;
        if (share == 0.0) continue;
        share_of_way(r, end, share, r->xi);
        ac_chart_move(&o->description.chart, r->xi, o->point.reference + (size_t)n * states);
    }
}

/* Angles of the guess at its end are continued along it. */
static void follow_guess(const reaching *r)
{
    ac_optimization *o = r->o;
    size_t states = (size_t)o->system->node_count, scalars = (size_t)o->description.scalars.count;
    for (int n = 0; n <= o->layout.N; ++n)
        ac_chart_forward(&o->description.chart, o->point.reference + (size_t)n * states, ac_q(o, n));
    ac_update_near(o);
    memcpy(r->start_winding, o->point.scalar_windings + (size_t)r->node * scalars,
           scalars * sizeof *r->start_winding);
}

static ac_status reach_end(ac_optimization *o, int node, bool *moved)
{
    reaching r = {.o = o, .node = node};
    bool any = false;
    *moved = false;
    for (int k = 0; k < o->description.condition_count; ++k)
        any = any || counts(&r, &o->description.conditions[k]);
    if (!any) return AC_OK;
    ac_status status = create(o, &r);
    if (status == AC_OK) {
        follow_guess(&r);
        begin(&r, 0);
        *moved = evaluate(&r) > OPEN && reach(&r);
        if (*moved) go(&r);
    }
    destroy(&r);
    return status;
}

ac_status ac_guess_reach(ac_optimization *o)
{
    bool start = false, end = false;
    if (o->description.guess.motion) return AC_OK;
    if (!o->settings.start_fixed) AC_TRY(reach_end(o, 0, &start));
    if (!o->settings.periodic) AC_TRY(reach_end(o, o->layout.N, &end));
    return start || end ? ac_guess_close_each(o) : AC_OK;
}
