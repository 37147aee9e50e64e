/* Stability: the signs of the Hessian on the motions that the constraints allow.
 *
 * With W the `grain` (weights.c) and H = W^{-1/2} K W^{-1/2} restricted to the null space of J W^{-1/2}, the
 * number of eigenvalues below -small and below +small follows from the inertia of H + small and H - small.
 * `small` is what rounding makes of a zero. Small systems use a dense factorisation with pivoting on the null
 * space. Large ones use L D L^T within the envelope; loops border it. With A = H + rho J^T J - shift (J
 * scaled, independent rows; rho does not matter on the null space, but keeps A regular where the open chain
 * could move freely), Sylvester's law of inertia says
 *
 *   below(H on the null space) = negative(A) + negative(-J A^{-1} J^T) - rows(J).
 *
 * The extended form of the tangent (tree/extended.h) is eliminated as it is, shifted in its twists, so that nothing is summed up
 * along chains: its inertia is that of K on the motions that are allowed, and one negative eigenvalue more for each row of J
 * and for each component of a twist. */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "linalg/inertia.h"
#include "math/math.h"
#include "tree/extended.h"

static const double ROUNDING = 2e-14; /* of an eigenvalue, beside the largest */
static const double RANK_TOLERANCE = 1e-9;
enum { DENSE = 200 };

/* --- dense --------------------------------------------------------------------------------------------- */

typedef struct projection {
    int all, left;                /* freedoms of the tree, and those that the loops leave */
    double *H, *N, *product, *JW; /* H: all x all, then left x left */
    double *doubles;
    int *ints;
} projection;

static void fill_dense(ac_equilibrium *e, projection *p)
{
    size_t n = (size_t)p->all;
    for (int j = 0; j < p->all; ++j) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(e->tangent.matrix, j, &count, &rows, &values);
        for (int k = 0; k < count && rows[k] < p->all; ++k) {
            size_t i = (size_t)rows[k];
            double half = 0.5 * values[k] / sqrt(e->metric.grain[i] * e->metric.grain[j]);
            p->H[i * n + (size_t)j] += half;
            p->H[(size_t)j * n + i] += half;
        }
    }
}

/* H <- N^T H N */
static ac_status project(ac_equilibrium *e, projection *p)
{
    size_t n = (size_t)p->all, m = (size_t)e->closures;
    ac_row_space space;
    AC_NEW(e->ctx, p->JW, m * n);
    AC_NEW(e->ctx, p->doubles, ac_row_space_doubles(e->closures, p->all));
    AC_NEW(e->ctx, p->ints, ac_row_space_ints(e->closures, p->all));
    ac_row_space_place(&space, e->closures, p->all, p->doubles, p->ints);
    for (size_t c = 0; c < m; ++c)
        for (size_t j = 0; j < n; ++j) p->JW[c * n + j] = e->balance.J[c * n + j] / sqrt(e->metric.grain[j]);
    ac_row_space_factor(&space, p->JW, RANK_TOLERANCE, e->closures);
    size_t left = n - (size_t)space.rank;
    p->left = (int)left;
    AC_NEW(e->ctx, p->N, n * left);
    AC_NEW(e->ctx, p->product, n * left);
    ac_row_space_null(&space, p->N);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k) {
            double value = p->H[i * n + k];
            for (size_t j = 0; j < left && value != 0.0; ++j)
                p->product[i * left + j] += value * p->N[k * left + j];
        }
    memset(p->H, 0, n * n * sizeof *p->H);
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i < left; ++i) {
            double value = p->N[k * left + i];
            for (size_t j = 0; j < left && value != 0.0; ++j)
                p->H[i * left + j] += value * p->product[k * left + j];
        }
    return AC_OK;
}

static ac_status count_dense(ac_equilibrium *e, projection *p, const double shift[2], int below[2])
{
    size_t n = (size_t)p->all;
    double *copy;
    AC_NEW(e->ctx, p->H, n * n);
    fill_dense(e, p);
    if (e->closures > 0) AC_TRY(project(e, p));
    size_t left = (size_t)p->left;
    AC_NEW(e->ctx, copy, left * left);
    for (int k = 0; k < 2; ++k) {
        memcpy(copy, p->H, left * left * sizeof *copy);
        for (size_t i = 0; i < left; ++i) copy[i * left + i] -= shift[k];
        below[k] = ac_negative_eigenvalues(p->left, copy);
    }
    ac_release(e->ctx, copy);
    return AC_OK;
}

/* --- envelope ------------------------------------------------------------------------------------------ */

typedef struct envelope {
    int n, border; /* border: independent closure equations */
    int *first;    /* of each row: its first column */
    size_t *start; /* place of each row */
    double *value;
    double *J, *Y; /* border x n: the equations, scaled to length one; L^{-1} J^T, row by row */
    double *S;     /* border x border */
} envelope;

/* The independent closure equations, and where they widen the envelope. */
static ac_status take_border(ac_equilibrium *e, envelope *v)
{
    size_t n = (size_t)v->n;
    int row = 0;
    AC_NEW(e->ctx, v->J, (size_t)v->border * n);
    AC_NEW(e->ctx, v->Y, (size_t)v->border * n);
    AC_NEW(e->ctx, v->S, (size_t)v->border * (size_t)v->border);
    for (int c = 0; c < e->closures; ++c) {
        if (e->newton.omitted[c]) continue;
        double *to = v->J + (size_t)row++ * n, square = 0.0;
        int first = -1;
        for (int j = 0; j < v->n; ++j) {
            to[j] = e->balance.J[(size_t)c * n + (size_t)j] / sqrt(e->metric.grain[j]);
            square += to[j] * to[j];
            if (to[j] == 0.0) continue;
            if (first < 0) first = j;
            if (first < v->first[j]) v->first[j] = first;
        }
        for (int j = 0; j < v->n && square > 0.0; ++j) to[j] /= sqrt(square);
    }
    return AC_OK;
}

static ac_status allocate(ac_equilibrium *e, envelope *v)
{
    AC_NEW(e->ctx, v->first, v->n);
    AC_NEW(e->ctx, v->start, v->n + 1);
    size_t total = 0;
    for (int i = 0; i < v->n; ++i) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(e->tangent.matrix, i, &count, &rows, &values);
        v->first[i] = count > 0 && rows[0] < i ? rows[0] : i;
    }
    if (v->border > 0) AC_TRY(take_border(e, v));
    for (int i = 0; i < v->n; ++i) {
        v->start[i] = total;
        total += (size_t)(i - v->first[i] + 1);
    }
    v->start[v->n] = total;
    AC_NEW(e->ctx, v->value, total);
    return AC_OK;
}

static double *at(envelope *v, int row, int column)
{
    return v->value + v->start[row] + (column - v->first[row]);
}

/* rho J^T J */
static void add_border(envelope *v, double rho)
{
    for (int c = 0; c < v->border; ++c) {
        const double *J = v->J + (size_t)c * (size_t)v->n;
        for (int i = 0; i < v->n; ++i)
            for (int j = v->first[i]; j <= i && J[i] != 0.0; ++j) *at(v, i, j) += rho * J[i] * J[j];
    }
}

/* The symmetric part of the matrix. */
static void fill(ac_equilibrium *e, envelope *v, double shift)
{
    memset(v->value, 0, v->start[v->n] * sizeof *v->value);
    for (int j = 0; j < v->n; ++j) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(e->tangent.matrix, j, &count, &rows, &values);
        for (int k = 0; k < count && rows[k] < v->n; ++k) {
            int high = rows[k] > j ? rows[k] : j, low = rows[k] > j ? j : rows[k];
            double value = values[k] / sqrt(e->metric.grain[high] * e->metric.grain[low]);
            if (low >= v->first[high]) *at(v, high, low) += high == low ? value : 0.5 * value;
        }
        *at(v, j, j) -= shift;
    }
}

static int count_envelope(envelope *v, double least)
{
    int negative = 0;
    for (int i = 0; i < v->n; ++i) {
        for (int j = v->first[i]; j < i; ++j) {
            int from = v->first[i] > v->first[j] ? v->first[i] : v->first[j];
            double sum = *at(v, i, j);
            for (int k = from; k < j; ++k) sum -= *at(v, i, k) * *at(v, j, k);
            *at(v, i, j) = sum; /* L D so far */
        }
        double pivot = *at(v, i, i);
        for (int j = v->first[i]; j < i; ++j) {
            double *entry = at(v, i, j), scaled = *entry / *at(v, j, j);
            pivot -= *entry * scaled;
            *entry = scaled;
        }
        if (fabs(pivot) < least) pivot = pivot < 0.0 ? -least : least;
        if (pivot < 0.0) ++negative;
        *at(v, i, i) = pivot;
    }
    return negative;
}

/* negative(-J A^{-1} J^T) - rows(J), with the factors of A. */
static int count_border(envelope *v)
{
    size_t n = (size_t)v->n, m = (size_t)v->border;
    memcpy(v->Y, v->J, m * n * sizeof *v->Y);
    for (int c = 0; c < v->border; ++c) {
        double *y = v->Y + (size_t)c * n;
        for (int i = 0; i < v->n; ++i)
            for (int j = v->first[i]; j < i; ++j) y[i] -= *at(v, i, j) * y[j];
        for (int d = 0; d <= c; ++d) {
            const double *other = v->Y + (size_t)d * n;
            double sum = 0.0;
            for (int i = 0; i < v->n; ++i) sum += y[i] * other[i] / *at(v, i, i);
            v->S[(size_t)c * m + (size_t)d] = v->S[(size_t)d * m + (size_t)c] = -sum;
        }
    }
    return ac_negative_eigenvalues(v->border, v->S) - v->border;
}

static ac_status count_within(ac_equilibrium *e, envelope *v, const double shift[2], int below[2])
{
    AC_TRY(allocate(e, v));
    double rho = v->border > 0 ? ac_equilibrium_stiffness(e) : 0.0;
    for (int k = 0; k < 2; ++k) {
        fill(e, v, shift[k]);
        add_border(v, rho);
        below[k] = count_envelope(v, 1e-3 * fabs(shift[k]));
        if (v->border > 0) below[k] += count_border(v);
    }
    return AC_OK;
}

/* --- extended form --- */

/* The symmetric part of the tangent by columns, as large as it is. */
typedef struct symmetric {
    int n;
    int *start, *row, *diagonal; /* diagonal: the places of the twists */
    double *value;
} symmetric;

static ac_status take_symmetric(ac_equilibrium *e, symmetric *a)
{
    ac_sparse *matrix = e->tangent.matrix;
    int used = 0, entries = ac_sparse_entries(matrix);
    AC_NEW(e->ctx, a->start, a->n + 1);
    AC_NEW(e->ctx, a->row, entries);
    AC_NEW(e->ctx, a->value, entries);
    AC_NEW(e->ctx, a->diagonal, a->n);
    const double *all = ac_sparse_values(matrix);
    for (int j = 0; j < a->n; ++j) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(matrix, j, &count, &rows, &values);
        a->start[j] = used;
        for (int k = 0; k < count; ++k) {
            if (rows[k] == j) a->diagonal[j] = used;
            a->row[used] = rows[k];
            a->value[used++] = 0.5 * (values[k] + all[ac_sparse_find(matrix, j, rows[k])]);
        }
    }
    a->start[a->n] = used;
    return AC_OK;
}

/* Displacements of nodes are the measure here, m, turns with their arms: rounding is a matter of a node and its neighbours.
 * weight: one number for each twist, in the order of the matrix. */
static void weigh_twists(const ac_equilibrium *e, double *weight)
{
    for (int k = 0; k < 6 * e->system->node_count; ++k) {
        double arm = k % 6 < 3 ? 1.0 : e->metric.arm[k / 6];
        weight[ac_tree_extended_twist(&e->tangent, k / 6, k % 6) - e->tangent.twists] = arm * arm;
    }
}

static double local_stiffness(const ac_equilibrium *e, const symmetric *a, const double *weight)
{
    double most = e->largest_term;
    for (int j = e->tangent.twists; j < a->n; ++j) {
        double sum = 0.0;
        for (int p = a->start[j]; p < a->start[j + 1]; ++p) {
            int other = a->row[p] - e->tangent.twists;
            if (other >= 0) sum += fabs(a->value[p]) / sqrt(weight[j - e->tangent.twists] * weight[other]);
        }
        most = ac_max(most, sum);
    }
    return most > 0.0 ? most : 1.0;
}

static ac_status count_extended(ac_equilibrium *e, symmetric *a, int border, int below[2])
{
    double *weight = e->whole;
    AC_TRY(take_symmetric(e, a));
    weigh_twists(e, weight);
    double small = ROUNDING * local_stiffness(e, a, weight);
    for (int side = 0; side < 2; ++side) {
        for (int j = e->tangent.twists; j < a->n; ++j) /* + small, then - small */
            a->value[a->diagonal[j]] += (side == 0 ? small : -2.0 * small) * weight[j - e->tangent.twists];
        AC_TRY(ac_negative_eigenvalues_sparse(e->ctx, a->n, a->start, a->row, a->value, &below[side]));
        below[side] -= border + 6 * e->system->node_count;
    }
    return AC_OK;
}

/* The largest eigenvalue of K in the metric of `grain`, from below: rows of K are not at hand. */
static double power_iteration(ac_equilibrium *e)
{
    enum { PASSES = 12 };
    double *x = e->whole + 2 * ((size_t)e->size + 12 * (size_t)e->system->node_count), *y = x + e->freedoms;
    double largest = 0.0;
    for (int j = 0; j < e->freedoms; ++j) x[j] = ac_cos(1.0 + 3.0 * j) / sqrt(e->metric.grain[j]);
    for (int pass = 0; pass < PASSES; ++pass) {
        double length = sqrt(ac_equilibrium_dot(e, e->metric.grain, x, x));
        if (!(length > 0.0)) return 0.0;
        for (int j = 0; j < e->freedoms; ++j) x[j] /= length;
        ac_equilibrium_apply(e, x, y);
        for (int j = 0; j < e->freedoms; ++j) x[j] = y[j] / e->metric.grain[j];
        largest = sqrt(ac_equilibrium_dot(e, e->metric.grain, x, x));
    }
    return largest;
}

/* --- all of them ---------------------------------------------------------------------------------------------- */

double ac_equilibrium_stiffness(ac_equilibrium *e)
{
    double most = e->largest_term;
    if (e->tangent.twists > 0) most = ac_max(most, power_iteration(e));
    for (int j = 0; j < e->freedoms && e->tangent.twists == 0; ++j) {
        int count;
        const int *rows;
        const double *values;
        double sum = 0.0;
        ac_sparse_column(e->tangent.matrix, j, &count, &rows, &values);
        for (int k = 0; k < count && rows[k] < e->freedoms; ++k)
            sum += fabs(values[k]) / sqrt(e->metric.grain[rows[k]] * e->metric.grain[j]);
        most = ac_max(most, sum);
    }
    return most > 0.0 ? most : 1.0; /* nothing is stiff: all motions are neutral */
}

/* How many eigenvalues are below -small and below small. */
static ac_status count_below(ac_equilibrium *e, int below[2])
{
    ac_status status;
    int border = 0;
    for (int c = 0; c < e->closures; ++c) border += !e->newton.omitted[c];
    if (e->tangent.twists > 0) {
        symmetric a = {.n = e->size + 12 * e->system->node_count};
        status = count_extended(e, &a, border, below);
        void *blocks[] = {a.start, a.row, a.diagonal, a.value};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
        return status;
    }
    double small = ROUNDING * ac_equilibrium_stiffness(e);
    const double shift[2] = {-small, small};
    if (e->freedoms <= DENSE || border > e->freedoms / 8) {
        projection p = {.all = e->freedoms, .left = e->freedoms};
        status = count_dense(e, &p, shift, below);
        void *blocks[] = {p.H, p.N, p.product, p.JW, p.doubles, p.ints};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
        return status;
    }
    envelope v = {.n = e->freedoms, .border = border};
    status = count_within(e, &v, shift, below);
    void *blocks[] = {v.first, v.start, v.value, v.J, v.Y, v.S};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
    return status;
}

ac_status ac_equilibrium_signs(ac_equilibrium *e, int *negative, int *neutral)
{
    int below[2] = {0, 0};
    AC_TRY(count_below(e, below));
    *negative = below[0];
    *neutral = below[1] > below[0] ? below[1] - below[0] : 0;
    return AC_OK;
}

ac_status ac_equilibrium_stability(ac_equilibrium *e, int *negative, int *neutral)
{
    bool judged;
    AC_TRY(ac_equilibrium_has_potential(e, &judged));
    *negative = *neutral = AC_NOT_JUDGED;
    return judged ? ac_equilibrium_signs(e, negative, neutral) : AC_OK;
}
