/* Solves with the matrix of a step and with its transpose, for tangents and adjoints.
 *
 * K = P(q_a)^T B P(q_b) gives K^T = P(q_b)^T B^T P(q_a): the matrix of an interval whose ends have changed places
 * and whose blocks are transposed. So recursion, blocks, sparse and dense matrix serve as they are.
 */
#include <string.h>

#include "action/interval.h"
#include "base/vector.h"
#include "integrate/reduced.h"
#include "tree/pullback.h"

static const double RANK_TOLERANCE = 1e-9;

void ac_reduced_place(ac_stepper *s, long step, double t, const double *qa, const double *qb, const double *p,
                      const double *winding)
{
    ac_reduced *d = s->data;
    const ac_system *system = s->system;
    size_t bytes = (size_t)system->n * sizeof(double);
    memcpy(s->qa, qa, bytes);
    memcpy(s->qb, qb, bytes);
    memcpy(s->p, p, bytes);
    memcpy(s->winding, winding, (size_t)system->measure_count * sizeof(double));
    s->step = step;
    s->t = s->interval.t = t;
    s->interval.qa = s->qa;
    s->interval.qb = s->qb;
    for (int i = 0; i < system->node_count; ++i) {
        ac_joint_read_state(system, &system->nodes[i], s->qa, &d->state_a[i]);
        ac_joint_read_state(system, &system->nodes[i], s->qb, &d->state_b[i]);
    }
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    ac_tree_columns(system, d->state_a, ac_reduced_force_configuration(s), d->columns_a);
    ac_tree_columns(system, d->state_b, s->qb, d->columns_b);
    if (s->more.most > 0) ac_reduced_count_rows(s, d);
    if (d->closures == 0) return;
    d->dense.rank_limit = d->closures;
    ac_reduced_open(s, d, ac_reduced_force_configuration(s), false, d->closures);
    if (s->scheme->at_mean) ac_tree_project(system, d->columns_a, s->interval.mean, s->left, d->sum, d->r);
    if (s->scheme->at_mean) { /* r of p + left, from which the multipliers of closed loops are found */
        for (int i = 0; i < system->n; ++i) d->reaction.rest[i] = s->p[i] + s->left[i];
        ac_tree_project(system, d->columns_a, s->interval.mean, d->reaction.rest, d->sum, d->r);
    }
}

/* y = N_a z with N_b^T K^T N_a z = N_b^T rhs, K^T being in d->K; not transposed: a and b change places. */
static ac_status solve_loops(ac_stepper *s, ac_reduced *d, const double *rhs, double *y)
{
    int n = d->freedoms;
    const double *inner = d->transposed ? d->dense.N_a : d->dense.N_b,
                 *outer = d->transposed ? d->dense.N_b : d->dense.N_a;
    ac_reduced_jacobian(s, d, d->columns_b, s->qb);
    ac_row_space_factor(&d->dense.space_b, d->dense.J, RANK_TOLERANCE, d->dense.space_a.rank);
    ac_row_space_null(&d->dense.space_b, d->dense.N_b);
    int ka = n - d->dense.space_a.rank, kb = n - d->dense.space_b.rank;
    if (ka != kb)
        return ac_fail(
            s->ctx, AC_SINGULAR,
            "step %ld, t = %.9g s: the rank of the closed loops changes, so the motion has no derivative",
            s->step + 1, s->t);
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < ka; ++c) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += d->dense.K[i * n + j] * inner[j * ka + c];
            d->dense.KN[i * ka + c] = sum;
        }
    for (int b = 0; b < kb; ++b) {
        d->dense.rhs[b] = 0.0;
        for (int i = 0; i < n; ++i) d->dense.rhs[b] += outer[i * kb + b] * rhs[i];
        for (int c = 0; c < ka; ++c) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += outer[i * kb + b] * d->dense.KN[i * ka + c];
            d->dense.NKN[b * ka + c] = sum;
        }
    }
    if (!ac_lu_factor(ka, d->dense.NKN, d->dense.pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "step %ld, t = %.9g s: the matrix of the step is singular",
                       s->step + 1, s->t);
    ac_lu_solve(ka, d->dense.NKN, d->dense.pivot, d->dense.rhs);
    for (int j = 0; j < n; ++j) {
        y[j] = 0.0;
        for (int c = 0; c < ka; ++c) y[j] += inner[j * ka + c] * d->dense.rhs[c];
    }
    return AC_OK;
}

static ac_status solve_dense(ac_stepper *s, ac_reduced *d, const double *rhs, double *y)
{
    int n = d->freedoms;
    ac_reduced_dense_matrix(s, d, d->dense.K);
    if (d->closures > 0) return solve_loops(s, d, rhs, y);
    if (!ac_lu_factor(n, d->dense.K, d->dense.pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "step %ld, t = %.9g s: the matrix of the step is singular",
                       s->step + 1, s->t);
    memcpy(y, rhs, (size_t)n * sizeof *y);
    ac_lu_solve(n, d->dense.K, d->dense.pivot, y);
    return AC_OK;
}

static ac_status solve_sparse(ac_stepper *s, ac_reduced *d, const double *rhs, double *y)
{
    ac_reduced_sparse_matrix(s, d);
    if (d->in_blocks) {
        if (!ac_tree_blocks_factor(&d->blocks, NULL))
            return ac_fail(s->ctx, AC_SINGULAR, "step %ld, t = %.9g s: the matrix of the step is singular",
                           s->step + 1, s->t);
        ac_tree_blocks_solve(&d->blocks, NULL, rhs, y);
        return AC_OK;
    }
    memcpy(y, rhs, (size_t)d->freedoms * sizeof *y);
    AC_TRY(ac_sparse_factor(d->projected.matrix));
    return ac_sparse_solve(d->projected.matrix, y);
}

static ac_status solve(ac_stepper *s, bool transposed, const double *rhs, double *y)
{
    ac_reduced *d = s->data;
    ac_status status;
    d->transposed = transposed;
    if (d->recursive) {
        memset(d->own, 0, 6 * (size_t)s->system->node_count * sizeof *d->own);
        status = ac_reduced_solve_recursive(s, d, d->own, rhs, y);
    } else {
        status = d->sparse ? solve_sparse(s, d, rhs, y) : solve_dense(s, d, rhs, y);
    }
    d->transposed = false;
    return status;
}

ac_status ac_reduced_solve_transposed(ac_stepper *s, const double *rhs, double *y)
{
    return solve(s, true, rhs, y);
}

ac_status ac_reduced_solve_tangent(ac_stepper *s, const double *rhs, double *x)
{
    return solve(s, false, rhs, x);
}

void ac_reduced_spread(ac_stepper *s, const double *y, double *w)
{
    ac_reduced *d = s->data;
    const double *q = ac_reduced_force_configuration(s);
    ac_tree_twists(s->system, d->columns_a, q, y, d->sum);
    ac_tree_velocity(s->system, q, d->sum, w);
}

void ac_reduced_spread_end(ac_stepper *s, const double *x, double *w)
{
    ac_reduced *d = s->data;
    ac_tree_twists(s->system, d->columns_b, s->qb, x, d->sum);
    ac_tree_velocity(s->system, s->qb, d->sum, w);
}

void ac_reduced_project_forces(ac_stepper *s, const double *f, double *r)
{
    ac_reduced *d = s->data;
    ac_tree_project(s->system, d->columns_a, ac_reduced_force_configuration(s), f, d->sum, r);
}

void ac_reduced_project(ac_stepper *s, const double *f, double *r)
{
    ac_reduced *d = s->data;
    ac_tree_project(s->system, d->columns_b, s->qb, f, d->sum, r);
}

void ac_reduced_pull(ac_stepper *s, const double *y, const double *b, double *work, double *r)
{
    ac_reduced *d = s->data;
    ac_tree_pullback(s->system, d->state_a, s->qa, d->columns_a, y, b, 1.0, work, r);
}

/* out += (d/dq) (P y) . f of a node that stands alone, whose P has its directors and nothing else: (w x d) . f */
static void turn_alone(const ac_node *node, const double *y, const double *f, double factor, double *out)
{
    const double *w = y + node->u + 3;
    for (int I = 3; I < 12; I += 3) {
        double across[3];
        cross3(f + node->q + I, w, across);
        for (int c = 0; c < 3; ++c) out[node->q + I + c] += factor * across[c];
    }
}

void ac_reduced_turn_mean(ac_stepper *s, const double *y, const double *w, const double *f, double *lambda,
                          double *out)
{
    const ac_reduced *d = s->data;
    const ac_reaction *reaction = &d->reaction;
    memcpy(lambda, reaction->mu, (size_t)s->system->constraints.count * sizeof *lambda);
    for (int i = 0; i < s->system->node_count; ++i) {
        if (!reaction->alone[i]) continue;
        for (int row = reaction->first[i]; row < reaction->first[i + 1]; ++row) lambda[row] = 0.0;
        turn_alone(&s->system->nodes[i], y, f, 0.5, out);
    }
    ac_constraints_pull(s->system, lambda, w, -0.5, out);
}

bool ac_reduced_knows_loops(const ac_stepper *s)
{
    const ac_reduced *d = s->data;
    return d->closures == d->loop_rows && (d->closures == 0 || !d->sparse);
}

void ac_reduced_closure_forces(ac_stepper *s, const double *f, double *mu)
{
    ac_reduced *d = s->data;
    ac_tree_project(s->system, d->columns_a, s->qa, f, d->sum, d->r);
    ac_row_space_solve_transposed(&d->dense.space_a, d->r, mu);
}

void ac_reduced_closure_rows(ac_stepper *s, const double *r, double *eta)
{
    ac_reduced *d = s->data;
    ac_row_space_solve_transposed(&d->dense.space_b, r, eta);
}

const double *ac_reduced_columns(const ac_stepper *s)
{
    const ac_reduced *d = s->data;
    return d->columns_a;
}
