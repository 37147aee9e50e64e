/* Reduced formulation: the unknowns are the increments of the tree freedoms, nothing else.
 *
 *   r = P(q_a)^T (p + left(q_a, q_b)) = 0,    q_b = F(u, q_a),    K = P(q_a)^T B P(q_b),   B = -d left / d q_b
 *
 * The update is multiplicative, q_b <- F(delta, q_b), so that K is exact without the tangent of the
 * exponential map. Trees are solved by recursion at linear cost. Loops take the dense matrix of the tree
 * and P_closure, the null space of J = G_closure P_tree, from a rank-revealing factorisation, at both ends
 * of the interval:
 *
 *   delta = particular(J_b delta = -g) + N_b z,    N_a^T K N_b z = N_a^T (r - K particular)
 *
 * so that redundant constraints and changes of rank need no attention.
 *
 * Increments of joints are relative to the body that carries the joint, or counted from the ground where that is asked for
 * (tree/decoupled.h): other coordinates of the same step.
 *
 * Schemes whose constraint forces act at the mean take P there instead of at q_a; what the change of P
 * with q_b adds to K is found in reaction.c.
 */
#include <math.h>
#include <string.h>

#include "base/triple.h"
#include "action/load.h"
#include "base/vector.h"
#include "integrate/reduced.h"
#include "math/math.h"

/* A first correction below this, in rad or lengths, is a good guess. */
static const double NEAR_MISS = 1e-3;

static void copy_states(const ac_stepper *s, const ac_joint_state *from, ac_joint_state *to)
{
    memcpy(to, from, (size_t)s->system->node_count * sizeof *to);
}

/* --- making and freeing --- */

/* The next matrix is factorised without a look at earlier ones. */
static void forget_factors(ac_reduced *d)
{
    d->kept.factored = false;
    if (d->sparse && !d->in_blocks) ac_sparse_forget(d->projected.matrix);
}

/* A freedom turns or shifts, in every configuration. */
static void find_units(const ac_stepper *s, ac_reduced *d)
{
    const ac_system *system = s->system;
    ac_tree_columns(system, d->state_a, s->qa, d->columns_a);
    ac_tree_columns(system, d->state_b, s->qb, d->columns_b);
    for (int j = 0; j < d->freedoms; ++j) {
        const double *turn = d->columns_a + 6 * j + 3;
        bool turning = turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0;
        d->unit[j] = turning ? 1.0 : 1.0 / system->length_scale;
    }
}

static ac_status restart(ac_stepper *s)
{
    ac_reduced *d = s->data;
    size_t bytes = (size_t)d->freedoms * sizeof(double);
    copy_states(s, s->system->initial.state, d->state_a);
    copy_states(s, s->system->initial.state, d->state_b);
    find_units(s, d);
    memset(d->carried, 0, bytes);
    for (int k = 0; k < 4; ++k) memset(d->increment[k], 0, bytes);
    d->trend = AC_TREND_PARABOLA;
    d->weighted = false;
    forget_factors(d);
    return AC_OK;
}

static ac_status create(ac_stepper *s)
{
    const ac_system *system = s->system;
    ac_reduced *d;
    AC_NEW(s->ctx, d, 1);
    s->data = d;
    size_t nodes = (size_t)system->node_count, n = (size_t)system->tree.freedoms;
    d->freedoms = system->tree.freedoms;
    d->loop_rows = d->closures = system->constraints.count - system->constraints.closure;
    d->may_recur = d->recursive = d->closures == 0 && system->coupling.along_tree;
    d->sparse = d->closures == 0 && !d->recursive && s->more.most == 0 && ac_tree_sparse_pays(system);
    d->coupled = s->scheme->at_mean || ac_is_loaded(system) ||
                 system->described.elements + system->beam_count > 0;
    if (s->scheme->at_mean) AC_TRY(ac_reaction_create(s->ctx, system, s->more.most, &d->reaction));
    AC_NEW(s->ctx, d->state_a, nodes);
    AC_NEW(s->ctx, d->state_b, nodes);
    AC_NEW(s->ctx, d->base, nodes);
    AC_NEW(s->ctx, d->columns_a, 6 * n);
    AC_NEW(s->ctx, d->columns_b, 6 * n);
    AC_NEW(s->ctx, d->own, 6 * nodes);
    AC_NEW(s->ctx, d->sum, 6 * nodes);
    AC_NEW(s->ctx, d->r, n);
    AC_NEW(s->ctx, d->weight, n);
    AC_NEW(s->ctx, d->delta, n);
    AC_NEW(s->ctx, d->scaled, n);
    AC_NEW(s->ctx, d->carried, n);
    AC_NEW(s->ctx, d->unit, n);
    for (int k = 0; k < 4; ++k) AC_NEW(s->ctx, d->increment[k], n);
    if (s->decoupled) {
        AC_NEW(s->ctx, d->from_q, system->n);
        AC_NEW(s->ctx, d->from_columns, 6 * n);
        AC_NEW(s->ctx, d->free_twists, 6 * nodes);
        AC_NEW(s->ctx, d->decoupled, n);
    }
    AC_TRY(ac_tree_solver_create(s->ctx, system, d->coupled && d->recursive, &d->solver));
    copy_states(s, system->initial.state, d->state_a);
    copy_states(s, system->initial.state, d->state_b);
    find_units(s, d);
    if (d->sparse) {
        AC_TRY(ac_tree_blocks_create(s->ctx, system, &d->blocks, &d->in_blocks));
        if (!d->in_blocks) AC_TRY(ac_tree_sparse_create(s->ctx, system, true, &d->projected));
        return AC_OK;
    }
    if (!d->recursive || s->more.most > 0) AC_TRY(ac_reduced_create_dense(s, d));
    return AC_OK;
}

static void destroy(ac_stepper *s)
{
    ac_reduced *d = s->data;
    void *blocks[] = {d->state_a,
                      d->state_b,
                      d->base,
                      d->columns_a,
                      d->columns_b,
                      d->own,
                      d->sum,
                      d->r,
                      d->weight,
                      d->delta,
                      d->scaled,
                      d->carried,
                      d->unit,
                      d->increment[0],
                      d->increment[1],
                      d->increment[2],
                      d->increment[3],
                      d->from_q,
                      d->from_columns,
                      d->free_twists,
                      d->decoupled,
                      d->dense.K,
                      d->dense.pivot,
                      d->dense.J,
                      d->dense.g,
                      d->dense.N_a,
                      d->dense.N_b,
                      d->dense.KN,
                      d->dense.NKN,
                      d->dense.z,
                      d->dense.rhs,
                      d->dense.space_block,
                      d->dense.space_ints,
                      d->dense.fit_block,
                      d->dense.fit_ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_reaction_destroy(s->ctx, &d->reaction);
    ac_tree_solver_destroy(s->ctx, &d->solver);
    ac_tree_sparse_destroy(&d->projected);
    ac_tree_blocks_destroy(s->ctx, &d->blocks);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static int unknowns(const ac_stepper *s)
{
    const ac_reduced *d = s->data;
    return d->freedoms - s->system->initial.closure_rank - s->system->initial.relation_rank;
}

static void enter(ac_stepper *s)
{
    ac_reduced *d = s->data;
    for (int i = 0; i < s->system->node_count; ++i)
        ac_joint_read_state(s->system, &s->system->nodes[i], s->qa, &d->state_a[i]);
    memset(d->carried, 0, (size_t)d->freedoms * sizeof *d->carried);
}

/* --- one step --- */

static void prepare(ac_stepper *s)
{
    ac_reduced *d = s->data;
    if (s->more.most > 0) ac_reduced_count_rows(s, d);
    ac_tree_joint_columns(s->system, d->state_a, s->qa, d->columns_a);
    if (d->closures > 0) ac_reduced_open(s, d, s->qa, false, d->closures);
}

/* The increments u, of small motions from the state `from`, as those of the convention in use. */
static const double *in_convention(const ac_stepper *s, ac_reduced *d, const ac_joint_state *from,
                                   const double *u)
{
    if (!s->decoupled) return u;
    ac_tree_forward(s->system, from, d->from_q);
    ac_tree_columns(s->system, from, d->from_q, d->from_columns);
    ac_decoupled_rates(s->system, d->from_columns, d->from_q, u, d->free_twists, d->decoupled);
    return d->decoupled;
}

/* q_b <- the state `from` moved by increments of the convention in use. */
static void move_from(ac_stepper *s, ac_reduced *d, const ac_joint_state *from, const double *increment)
{
    if (!s->decoupled) {
        ac_tree_move(s->system, increment, from, d->state_b, s->qb);
        return;
    }
    ac_tree_forward(s->system, from, d->from_q);
    ac_tree_columns(s->system, from, d->from_q, d->from_columns);
    ac_decoupled_move(s->system, d->from_columns, increment, from, d->from_q, d->state_b, s->qb);
}

/* The increment of the interval, before any correction. */
static void foretell(const ac_stepper *s, ac_reduced *d, ac_guess kind)
{
    ac_trend trend = d->trend;
    if (kind == AC_GUESS_RESTING) {
        trend = AC_TREND_RESTING;
    } else if (kind == AC_GUESS_REPEATED || s->past == 1) {
        trend = AC_TREND_REPEATED;
    } else if (s->past == 2) {
        trend = AC_TREND_LINE;
    }
    ac_trend_continue(trend, d->freedoms, d->increment);
    if (s->past > 0 || kind == AC_GUESS_RESTING) return;
    const double *rates = s->rates ? s->rates : s->step == 0 ? s->system->initial.u : NULL;
    if (rates) rates = in_convention(s, d, d->state_a, rates);
    for (int j = 0; j < d->freedoms; ++j) d->increment[0][j] = rates ? s->h * rates[j] : 0.0;
}

static void guess(ac_stepper *s, ac_guess kind)
{
    ac_reduced *d = s->data;
    d->kept.corrections = 0;
    d->miss = -1.0;
    if (kind != AC_GUESS_EXTRAPOLATED) d->kept.factored = false;
    foretell(s, d, kind);
    /* off the constraints a redundant equation looks independent: the rank of q_a holds at q_b, too. The
     * last attempt takes every equation that is not redundant to the last digit, for nodes that lie almost
     * in a singular configuration. */
    if (kind == AC_GUESS_RESTING && d->closures > 0) {
        ac_tree_joint_columns(s->system, d->state_a, s->qa, d->columns_a);
        ac_reduced_open(s, d, s->qa, true, d->closures);
    }
    d->dense.rank_limit = d->closures > 0 ? d->dense.space_a.rank : 0;
    move_from(s, d, d->state_a, d->increment[0]);
}

/* The wrench of p + left on a body, directors d. */
static inline void body_residual(const double *restrict d, const double *restrict p,
                                 const double *restrict left, double *restrict wrench)
{
    double t0 = 0.0, t1 = 0.0, t2 = 0.0;
    ac_triple_put(ac_triple_sum(ac_triple_of(p), ac_triple_of(left)), wrench);
    for (int I = 0; I < 9; I += 3) {
        double f0 = p[3 + I] + left[3 + I], f1 = p[4 + I] + left[4 + I], f2 = p[5 + I] + left[5 + I];
        t0 += d[I + 1] * f2 - d[I + 2] * f1;
        t1 += d[I + 2] * f0 - d[I] * f2;
        t2 += d[I] * f1 - d[I + 1] * f0;
    }
    ac_triple_put((ac_triple){{t0, t1}, t2}, wrench + 3);
}

/* Wrenches of the residual p + left on every node, their sums over subtrees, and the projection r. */
static void project(const ac_stepper *s, ac_reduced *d)
{
    const ac_system *system = s->system;
    const double *q = ac_reduced_force_configuration(s);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const double *p = s->p + node->q, *left = s->left + node->q;
        double f[AC_NODE_MAX];
        if (node->kind == AC_NODE_BODY) {
            body_residual(q + node->q + 3, p, left, d->sum + 6 * i);
            continue;
        }
        for (int c = 0; c < node->size; ++c) f[c] = p[c] + left[c];
        ac_node_wrench(node, q + node->q, f, d->sum + 6 * i);
    }
    if (d->recursive) memcpy(d->own, d->sum, 6 * (size_t)system->node_count * sizeof *d->own);
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const double *w = d->sum + 6 * i;
        if (ac_node_is_free(node)) {
            for (int j = 0; j < 6; j += 2)
                ac_pair_put(ac_pair_of(w + j) + ac_pair_of(d->carried + node->u + j), d->r + node->u + j);
            continue;
        }
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            d->r[j] = dot6(d->columns_a + 6 * j, w) + d->carried[j];
        if (node->parent == AC_GROUND) continue;
        double here[3], there[3], arm[3], *carrier = d->sum + 6 * node->parent;
        ac_reference(node, q, here);
        ac_reference(&system->nodes[node->parent], q, there);
        sub3(here, there, arm);
        for (int j = 0; j < 6; ++j) carrier[j] += w[j];
        add_cross3(arm, w, carrier + 3);
    }
}

double ac_reduced_largest(int n, const double *restrict x, const double *restrict weight, int *where)
{
    enum { CHUNK = 32, LANES = 4 }; /* of each chunk only the largest is compared */
    double most = 0.0;
    int at = 0, i = 0;
    for (int first = 0; first < n && !isnan(most); first += CHUNK) {
        double own[LANES] = {0}, sum[LANES] = {0}; /* the sum keeps what is not a number */
        int last = first + CHUNK < n ? first + CHUNK : n;
        for (i = first; i + LANES <= last; i += LANES)
            for (int l = 0; l < LANES; ++l) {
                double a = fabs(x[i + l]) * weight[i + l];
                own[l] = a > own[l] ? a : own[l];
                sum[l] += a;
            }
        for (; i < last; ++i) {
            own[0] = ac_max(own[0], fabs(x[i]) * weight[i]);
            sum[0] += fabs(x[i]) * weight[i];
        }
        double all = isnan(sum[0] + sum[1] + sum[2] + sum[3])
                         ? NAN
                         : ac_max(ac_max(own[0], own[1]), ac_max(own[2], own[3]));
        if (all <= most) continue;
        most = all;
        at = first;
    }
    for (i = at; where && i < n; ++i) {
        double own = fabs(x[i]) * weight[i];
        if (!(own < most)) break;
    }
    if (where && n > 0) *where = i < n ? i : at;
    return most;
}

/* Size of the projected residual: for loops only the part along N_a counts. */
static double dynamic_size(ac_stepper *s, ac_reduced *d)
{
    const double *r = d->r;
    if (d->closures > 0) {
        int k = d->freedoms - d->dense.space_a.rank;
        for (int c = 0; c < k; ++c) {
            d->dense.z[c] = 0.0;
            for (int j = 0; j < d->freedoms; ++j) d->dense.z[c] += d->dense.N_a[j * k + c] * d->r[j];
        }
        for (int j = 0; j < d->freedoms; ++j) {
            d->scaled[j] = 0.0;
            for (int c = 0; c < k; ++c) d->scaled[j] += d->dense.N_a[j * k + c] * d->dense.z[c];
        }
        r = d->scaled;
    }
    s->last.worst_is_constraint = false;
    return ac_reduced_largest(d->freedoms, r, d->weight, &s->last.worst_row);
}

/* The first factorisation gives the scale of the residual. */
static ac_status find_weights(ac_stepper *s, ac_reduced *d)
{
    ac_tree_joint_columns(s->system, d->state_b, s->qb, d->columns_b);
    if (d->recursive) {
        AC_TRY(ac_reduced_solve_tree(s, d));
    } else {
        if (d->sparse) {
            ac_reduced_sparse_matrix(s, d);
        } else {
            ac_reduced_dense_matrix(s, d, d->dense.K);
        }
        ac_reduced_weigh(d);
    }
    d->weighted = true;
    return AC_OK;
}

/* The projection belongs to the present mean; its rank is that of q_a. */
static void follow_mean(ac_stepper *s, ac_reduced *d)
{
    ac_tree_joint_columns(s->system, d->state_a, s->interval.mean, d->columns_a);
    if (d->closures > 0) ac_reduced_open(s, d, s->interval.mean, true, d->dense.rank_limit);
}

/* Size of the residual, with the weights of the last matrix. */
static double measure(ac_stepper *s)
{
    ac_reduced *d = s->data;
    double most = dynamic_size(s, d);
    s->last.gap = 0.0;
    for (int k = 0; k < d->closures; ++k) {
        double size = fabs(d->dense.g[k]) / s->system->length_scale;
        s->last.gap = ac_max(s->last.gap, size);
        if (size > most || isnan(size)) {
            most = size;
            s->last.worst_row = k < d->loop_rows ? s->system->constraints.closure + k : -1;
            s->last.worst_is_constraint = true;
        }
    }
    return most;
}

static double residual(ac_stepper *s)
{
    ac_reduced *d = s->data;
    ac_stepper_evaluate(s);
    if (s->scheme->at_mean) follow_mean(s, d);
    project(s, d);
    if (!d->weighted && find_weights(s, d) != AC_OK) {
        for (int j = 0; j < d->freedoms; ++j)
            if (isnan(d->r[j])) return NAN;
        s->last.singular = true; /* no inertia */
        return INFINITY;
    }
    if (d->closures > 0) ac_reduced_closure(s, d, s->qb, d->dense.g);
    return measure(s);
}

static ac_status correct_sparse(ac_stepper *s, ac_reduced *d)
{
    if (d->in_blocks) return ac_reduced_correct_kept(s, d);
    ac_reduced_sparse_matrix(s, d);
    ac_reduced_weigh(d);
    memcpy(d->delta, d->r, (size_t)d->freedoms * sizeof *d->delta);
    AC_TRY(ac_sparse_factor(d->projected.matrix));
    return ac_sparse_solve(d->projected.matrix, d->delta);
}

static ac_status correct(ac_stepper *s, double *size)
{
    ac_reduced *d = s->data;
    if (!d->in_blocks) ac_tree_joint_columns(s->system, d->state_b, s->qb, d->columns_b);
    if (d->recursive) {
        AC_TRY(ac_reduced_solve_tree(s, d));
    } else if (d->sparse) {
        AC_TRY(correct_sparse(s, d));
    } else {
        AC_TRY(ac_reduced_correct_dense(s, d));
    }
    ac_joint_state *swap = d->base;
    d->base = d->state_b;
    d->state_b = swap;
    d->applied = 0.0;
    *size = d->in_blocks ? d->kept.last : ac_reduced_largest(d->freedoms, d->delta, d->unit, NULL);
    if (d->miss < 0.0) d->miss = *size;
    *size = ac_reduced_judged(d, *size);
    return AC_OK;
}

/* The size of the residual changes with its weights, which old factors keep. */
static double measure_again(ac_stepper *s)
{
    const ac_reduced *d = s->data;
    return d->in_blocks && d->kept.ratio > 0.0 ? s->last.residual : measure(s);
}

static void apply(ac_stepper *s, double factor)
{
    ac_reduced *d = s->data;
    const double more = factor - d->applied, *delta = in_convention(s, d, d->base, d->delta), *move = delta;
    double *restrict increment = d->increment[0];
    if (factor != 1.0) {
        d->kept.factored = false;
        for (int j = 0; j < d->freedoms; ++j) d->scaled[j] = factor * delta[j];
        move = d->scaled;
    }
    for (int j = 0; j < d->freedoms; ++j) increment[j] += more * delta[j];
    d->applied = factor;
    move_from(s, d, d->base, move);
}

static double foresee(ac_stepper *s)
{
    ac_reduced *d = s->data;
    if (!d->sparse) return INFINITY;
    if (d->in_blocks) {
        const ac_tree_pair ends = {.system = s->system, .qa = s->qa, .qb = s->qb};
        ac_tree_blocks_solve(&d->blocks, &ends, d->r, d->scaled);
    } else {
        memcpy(d->scaled, d->r, (size_t)d->freedoms * sizeof *d->scaled);
        if (ac_sparse_solve(d->projected.matrix, d->scaled) != AC_OK) return INFINITY;
    }
    return ac_reduced_largest(d->freedoms, d->scaled, d->unit, NULL);
}

/* The residual in tree coordinates, without what the closed loops carry; at the mean, as forces on the
 * nodes. */
static void carry(ac_stepper *s)
{
    ac_reduced *d = s->data;
    if (s->scheme->at_mean) {
        if (!ac_stepper_carries(s)) return;
        if (ac_stepper_carries_totals(s)) { /* reactions of joints do not count in them */
            ac_reduced_forces_left(s, d);
        } else {
            ac_reduced_split_forces(s, d);
        }
        ac_stepper_carry_over(s, s->scheme->published_factor, d->reaction.rest);
        return;
    }
    if (d->closures > 0) dynamic_size(s, d);
    memcpy(d->carried, d->closures > 0 ? d->scaled : d->r, (size_t)d->freedoms * sizeof *d->carried);
}

static double *carried(ac_stepper *s)
{
    ac_reduced *d = s->data;
    return s->scheme->at_mean ? NULL : d->carried;
}

static void impulses(ac_stepper *s, double *lambda)
{
    const ac_reduced *d = s->data;
    if (d->closures > 0) ac_row_space_solve_transposed(&d->dense.space_a, d->r, lambda);
}

/* Parabolas that are near the solution need no check. */
static ac_trend next_trend(const ac_stepper *s, const ac_reduced *d)
{
    bool good = d->trend == AC_TREND_PARABOLA && d->miss <= NEAR_MISS;
    if (s->system->beam_count == 0 || s->past < 3 || good) return d->trend;
    return ac_trend_of(d->freedoms, d->unit, d->increment);
}

static void accept(ac_stepper *s)
{
    ac_reduced *d = s->data;
    d->trend = next_trend(s, d);
    if (d->in_blocks) ac_reduced_grow_older(d);
    double *oldest = d->increment[3];
    for (int k = 3; k > 0; --k) d->increment[k] = d->increment[k - 1];
    d->increment[0] = oldest;
    ac_joint_state *swap = d->state_a;
    d->state_a = d->state_b;
    d->state_b = swap;
}

/* --- the past --- */

enum { VECTORS = 5, SCALARS = 2 }; /* carried, weights, three increments; the trend, and are there weights? */

static size_t history(const ac_stepper *s)
{
    const ac_reduced *d = s->data;
    size_t states = (size_t)s->system->node_count * sizeof(ac_joint_state) / sizeof(double);
    return states + VECTORS * (size_t)d->freedoms + SCALARS;
}

static double *put_numbers(const void *from, size_t count, double *at)
{
    memcpy(at, from, count * sizeof *at);
    return at + count;
}

static const double *take_numbers(const double *at, size_t count, void *to)
{
    memcpy(to, at, count * sizeof *at);
    return at + count;
}

static void save(ac_stepper *s, bool solved, double *at)
{
    ac_reduced *d = s->data;
    size_t states = (size_t)s->system->node_count * sizeof(ac_joint_state) / sizeof(double);
    size_t n = (size_t)d->freedoms;
    forget_factors(d);
    at = put_numbers(solved ? d->state_b : d->state_a, states, at);
    at = put_numbers(d->carried, n, at);
    at = put_numbers(d->weight, n, at);
    for (int k = 0; k < 3; ++k) at = put_numbers(d->increment[solved ? k : k + 1], n, at);
    *at++ = solved ? next_trend(s, d) : d->trend;
    *at++ = d->weighted;
}

static void load(ac_stepper *s, const double *at)
{
    ac_reduced *d = s->data;
    size_t states = (size_t)s->system->node_count * sizeof(ac_joint_state) / sizeof(double);
    size_t n = (size_t)d->freedoms;
    forget_factors(d);
    at = take_numbers(at, states, d->state_a);
    at = take_numbers(at, n, d->carried);
    at = take_numbers(at, n, d->weight);
    for (int k = 1; k < 4; ++k) at = take_numbers(at, n, d->increment[k]);
    d->trend = (ac_trend)*at++;
    d->weighted = *at++ != 0.0;
}

extern const ac_formulation ac_formulation_reduced;
const ac_formulation ac_formulation_reduced = {
    .name = "reduced",
    AC_FORMULATION_FUNCTIONS,
    .measure = measure_again,
    .foresee = foresee,
    .matrix = ac_reduced_matrix,
};
