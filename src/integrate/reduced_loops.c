/* The reduced formulation with a dense matrix: closed loops by the null space of their equations at both ends
 * of the interval, see the head of reduced.c, and the matrix that condition numbers are taken of.
 */
#include <string.h>

#include "integrate/reduced.h"

static const double RANK_TOLERANCE = 1e-9, LAST_TOLERANCE = 1e-14;

ac_status ac_reduced_create_dense(ac_stepper *s, ac_reduced *d)
{
    ac_context *ctx = s->ctx;
    int m = d->loop_rows + s->more.most, n = d->freedoms;
    size_t square = (size_t)n * (size_t)n;
    AC_NEW(ctx, d->dense.K, square);
    AC_NEW(ctx, d->dense.pivot, n);
    if (m == 0) return AC_OK;
    AC_NEW(ctx, d->dense.J, (size_t)m * (size_t)n);
    AC_NEW(ctx, d->dense.g, m);
    AC_NEW(ctx, d->dense.N_a, square);
    AC_NEW(ctx, d->dense.N_b, square);
    AC_NEW(ctx, d->dense.KN, square);
    AC_NEW(ctx, d->dense.NKN, square);
    AC_NEW(ctx, d->dense.z, n);
    AC_NEW(ctx, d->dense.rhs, n);
    AC_NEW(ctx, d->dense.space_block, 2 * ac_row_space_doubles(m, n));
    AC_NEW(ctx, d->dense.space_ints, 2 * ac_row_space_ints(m, n));
    ac_reduced_count_rows(s, d);
    AC_NEW(ctx, d->dense.fit_block, ac_row_space_doubles(n, n));
    AC_NEW(ctx, d->dense.fit_ints, ac_row_space_ints(n, n));
    return AC_OK;
}

void ac_reduced_count_rows(ac_stepper *s, ac_reduced *d)
{
    int most = d->loop_rows + s->more.most, n = d->freedoms;
    d->closures = d->loop_rows + s->more.count;
    d->recursive = d->may_recur && d->closures == 0;
    if (most == 0) return;
    ac_row_space_place(&d->dense.space_a, d->closures, n, d->dense.space_block, d->dense.space_ints);
    ac_row_space_place(&d->dense.space_b, d->closures, n,
                       d->dense.space_block + ac_row_space_doubles(most, n),
                       d->dense.space_ints + ac_row_space_ints(most, n));
}

void ac_reduced_closure(ac_stepper *s, const ac_reduced *d, const double *q, double *g)
{
    ac_constraints_value(s->system, q, s->system->constraints.closure, g);
    if (s->more.count > 0) s->more.values(s->more.user, q, g + d->loop_rows);
}

void ac_reduced_jacobian(ac_stepper *s, ac_reduced *d, const double *columns, const double *q)
{
    ac_closure_jacobian(s->system, columns, q, d->dense.J);
    if (s->more.count > 0)
        s->more.jacobian(s->more.user, columns, q, d->dense.J + (size_t)d->loop_rows * (size_t)d->freedoms);
}

/* The null space of the closure at q, columns_a being those of q. */
void ac_reduced_open(ac_stepper *s, ac_reduced *d, const double *q, bool known, int rank_limit)
{
    ac_reduced_jacobian(s, d, d->columns_a, q);
    ac_row_space_factor(&d->dense.space_a, d->dense.J, known ? LAST_TOLERANCE : RANK_TOLERANCE, rank_limit);
    ac_row_space_null(&d->dense.space_a, d->dense.N_a);
}

/* delta for closed loops, see the head of the file. */
static ac_status correct_loops(ac_stepper *s, ac_reduced *d)
{
    int n = d->freedoms;
    ac_reduced_jacobian(s, d, d->columns_b, s->qb);
    ac_row_space_factor(&d->dense.space_b, d->dense.J, RANK_TOLERANCE, d->dense.rank_limit);
    ac_row_space_null(&d->dense.space_b, d->dense.N_b);
    for (int k = 0; k < d->closures; ++k) d->dense.g[k] = -d->dense.g[k];
    ac_row_space_solve(&d->dense.space_b, d->dense.g, d->delta);
    for (int k = 0; k < d->closures; ++k) d->dense.g[k] = -d->dense.g[k];

    int ka = n - d->dense.space_a.rank, kb = n - d->dense.space_b.rank;
    for (int i = 0; i < n; ++i) {
        d->scaled[i] = d->r[i];
        for (int j = 0; j < n; ++j) d->scaled[i] -= d->dense.K[i * n + j] * d->delta[j];
        for (int c = 0; c < kb; ++c) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += d->dense.K[i * n + j] * d->dense.N_b[j * kb + c];
            d->dense.KN[i * kb + c] = sum;
        }
    }
    for (int a = 0; a < ka; ++a) {
        d->dense.rhs[a] = 0.0;
        for (int i = 0; i < n; ++i) d->dense.rhs[a] += d->dense.N_a[i * ka + a] * d->scaled[i];
        for (int c = 0; c < kb; ++c) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += d->dense.N_a[i * ka + a] * d->dense.KN[i * kb + c];
            d->dense.NKN[a * kb + c] = sum;
        }
    }
    if (ka == kb && ac_lu_factor(ka, d->dense.NKN, d->dense.pivot)) {
        ac_lu_solve(ka, d->dense.NKN, d->dense.pivot, d->dense.rhs);
        memcpy(d->dense.z, d->dense.rhs, (size_t)ka * sizeof *d->dense.z);
    } else if (ka != kb) { /* the rank differs at the two ends */
        ac_row_space fit;
        ac_row_space_place(&fit, kb, ka, d->dense.fit_block, d->dense.fit_ints);
        ac_least_squares(&fit, d->dense.NKN, d->dense.rhs, RANK_TOLERANCE, d->dense.z);
    } else {
        return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    }
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < kb; ++c) d->delta[j] += d->dense.N_b[j * kb + c] * d->dense.z[c];
    return AC_OK;
}

ac_status ac_reduced_correct_dense(ac_stepper *s, ac_reduced *d)
{
    int n = d->freedoms;
    ac_reduced_dense_matrix(s, d, d->dense.K);
    ac_reduced_weigh(d);
    if (d->closures > 0) return correct_loops(s, d);
    if (!ac_lu_factor(n, d->dense.K, d->dense.pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    memcpy(d->delta, d->r, (size_t)n * sizeof *d->delta);
    ac_lu_solve(n, d->dense.K, d->dense.pivot, d->delta);
    return AC_OK;
}

ac_status ac_reduced_matrix(ac_stepper *s, double **matrix_out, int *size)
{
    ac_reduced *d = s->data;
    int n = d->freedoms;
    double *K;
    AC_NEW(s->ctx, K, (size_t)n * (size_t)n);
    ac_tree_joint_columns(s->system, d->state_b, s->qb, d->columns_b);
    ac_reduced_dense_matrix(s, d, K);
    *size = n;
    if (d->closures > 0) {
        ac_reduced_jacobian(s, d, d->columns_b, s->qb);
        ac_row_space_factor(&d->dense.space_b, d->dense.J, RANK_TOLERANCE, d->dense.rank_limit);
        ac_row_space_null(&d->dense.space_b, d->dense.N_b);
        int ka = n - d->dense.space_a.rank, kb = n - d->dense.space_b.rank;
        for (int i = 0; i < n; ++i)
            for (int c = 0; c < kb; ++c) {
                double sum = 0.0;
                for (int j = 0; j < n; ++j) sum += K[i * n + j] * d->dense.N_b[j * kb + c];
                d->dense.KN[i * kb + c] = sum;
            }
        for (int a = 0; a < ka; ++a)
            for (int c = 0; c < kb; ++c) {
                double sum = 0.0;
                for (int i = 0; i < n; ++i) sum += d->dense.N_a[i * ka + a] * d->dense.KN[i * kb + c];
                K[a * kb + c] = sum;
            }
        *size = ka < kb ? ka : kb;
    }
    *matrix_out = K;
    return AC_OK;
}
