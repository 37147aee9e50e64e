/* Elimination of the velocity-level equations, from the leaves of the tree to its root.
 *
 * A node and the joint to its parent form [D G^T; G 0] with the coupling [C; H] to the parent. With D = L L^T, Y = L^-1 G^T,
 * S S^T = Y^T Y, c = L^-1 C and U = S^-1 (H - Y^T c) the parent's block becomes D_p - c^T c + U^T U: it stays positive
 * definite, and nothing fills in. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "track/small.h"
#include "track/track.h"

/* rows <- L^-1 rows for a matrix with `n` rows of six numbers. */
static inline void forward_rows(int n, const double *L, double *rows)
{
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) {
        ac_pair row[3];
        ac_six_load(rows + 6 * i, row);
#pragma GCC unroll 6
        for (int k = 0; k < i; ++k) ac_six_subtract(L[6 * i + k], rows + 6 * k, row);
        ac_six_store(L[6 * i + i], row, rows + 6 * i);
    }
}

/* block += sign A^T A */
static inline void add_square(int rows, const double *A, double sign, double *block)
{
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
        ac_pair sum[3];
        ac_six_load(block + 6 * i, sum);
#pragma GCC unroll 6
        for (int k = 0; k < rows; ++k) ac_six_add(sign * A[6 * k + i], A + 6 * k, sum);
        ac_six_store(1.0, sum, block + 6 * i);
    }
}

/* The other way round: six columns and six rows, zeros beyond `rows`. */
static inline void transpose_rows(int rows, const double *A, double *T)
{
    for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) T[6 * j + k] = k < rows ? A[6 * k + j] : 0.0;
}

/* G <- G L^-T and S = G G^T, all rows at once: their substitutions do not wait for one another. Then the parent's share. */
static inline void factor_rows(ac_track_link *l, int rows, double *parent)
{
    double T[36];
    transpose_rows(rows, l->G, T);
    forward_rows(6, l->D, T);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
        ac_pair sum[3] = {{0.0}, {0.0}, {0.0}};
#pragma GCC unroll 6
        for (int m = 0; m < 6; ++m) ac_six_add(T[6 * m + i], T + 6 * m, sum);
        ac_six_store(1.0, sum, l->S + 6 * i);
    }
    for (int k = 0; k < rows; ++k)
        for (int j = 0; j < 6; ++j) l->G[6 * k + j] = T[6 * j + k];
    ac_small_factor(rows, l->S);
    if (!parent) return;
    if (l->coupled)
        for (int k = 0; k < rows; ++k) {
            ac_pair row[3];
            ac_six_load(l->H + 6 * k, row);
            for (int i = 0; i < 6; ++i) ac_six_subtract(l->G[6 * k + i], l->C + 6 * i, row);
            ac_six_store(1.0, row, l->H + 6 * k);
        }
    forward_rows(rows, l->S, l->H);
    add_square(rows, l->H, 1.0, parent);
}

static void factor_link(ac_track *t, ac_track_link *l)
{
    double *parent = l->parent == AC_GROUND ? NULL : t->links[l->parent].D;
    ac_small_factor(6, l->D);
    if (l->coupled) forward_rows(6, l->D, l->C);
    if (l->rows == 5) /* the most frequent joints, with loops of known length */
        factor_rows(l, 5, parent);
    else if (l->rows == 3)
        factor_rows(l, 3, parent);
    else if (l->rows > 0)
        factor_rows(l, l->rows, parent);
    if (l->coupled && parent) add_square(6, l->C, -1.0, parent);
}

/* --- the tree: several right-hand sides at a time, side by side --- */

enum { LANES = AC_TRACK_LANES };

/* y <- L^-1 y */
static inline void forward_lanes(int n, const double *restrict L, ac_lanes *restrict y)
{
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) {
        ac_lanes sum = y[i];
#pragma GCC unroll 6
        for (int k = 0; k < i; ++k) sum -= L[6 * i + k] * y[k];
        y[i] = sum * L[6 * i + i];
    }
}

/* y <- L^-T y */
static inline void backward_lanes(int n, const double *restrict L, ac_lanes *restrict y)
{
#pragma GCC unroll 6
    for (int i = n - 1; i >= 0; --i) {
        ac_lanes sum = y[i];
#pragma GCC unroll 6
        for (int k = i + 1; k < n; ++k) sum -= L[6 * k + i] * y[k];
        y[i] = sum * L[6 * i + i];
    }
}

/* y_j += sum over k of A_kj z_k */
static inline void add_transposed(int rows, const double *restrict A, const ac_lanes *restrict z,
                                  ac_lanes *restrict y)
{
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
        ac_lanes sum = y[j];
#pragma GCC unroll 6
        for (int k = 0; k < rows; ++k) sum += A[6 * k + j] * z[k];
        y[j] = sum;
    }
}

static inline void subtract_transposed(int rows, const double *restrict A, const ac_lanes *restrict z,
                                       ac_lanes *restrict y)
{
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
        ac_lanes sum = y[j];
#pragma GCC unroll 6
        for (int k = 0; k < rows; ++k) sum -= A[6 * k + j] * z[k];
        y[j] = sum;
    }
}

/* z_k -= sum over j of A_kj y_j */
static inline void subtract_product(int rows, const double *restrict A, const ac_lanes *restrict y,
                                    ac_lanes *restrict z)
{
#pragma GCC unroll 6
    for (int k = 0; k < rows; ++k) {
        ac_lanes sum = z[k];
#pragma GCC unroll 6
        for (int j = 0; j < 6; ++j) sum -= A[6 * k + j] * y[j];
        z[k] = sum;
    }
}

/* One node on the way to the root, and back; p: the parent's numbers, NULL: the ground. */
static inline void node_to_root(const ac_track_link *l, int rows, ac_lanes *restrict y, ac_lanes *restrict z,
                                ac_lanes *restrict p)
{
    forward_lanes(6, l->D, y);
    if (rows > 0) {
        subtract_product(rows, l->G, y, z);
        forward_lanes(rows, l->S, z);
    }
    if (!p) return;
    add_transposed(rows, l->H, z, p);
    if (l->coupled) subtract_transposed(6, l->C, y, p);
}

static inline void node_from_root(const ac_track_link *l, int rows, ac_lanes *restrict y,
                                  ac_lanes *restrict z, const ac_lanes *restrict p)
{
    if (p) {
        subtract_product(rows, l->H, p, z);
        if (l->coupled) subtract_product(6, l->C, p, y);
    }
    if (rows > 0) {
        for (int k = 0; k < rows; ++k) z[k] = -z[k];
        backward_lanes(rows, l->S, z);
        subtract_transposed(rows, l->G, z, y);
    }
    backward_lanes(6, l->D, y);
}

static void to_root(const ac_track *t, ac_lanes *x, ac_lanes *sigma)
{
    for (int n = t->nodes - 1; n >= 0; --n) {
        int i = t->system->tree.order[n];
        const ac_track_link *l = &t->links[i];
        ac_lanes *y = x + 6 * i, *z = sigma + l->first_row,
                 *p = l->parent == AC_GROUND ? NULL : x + 6 * l->parent;
        if (l->rows == 5) /* as in factor_link */
            node_to_root(l, 5, y, z, p);
        else if (l->rows == 3)
            node_to_root(l, 3, y, z, p);
        else
            node_to_root(l, l->rows, y, z, p);
    }
}

static void from_root(const ac_track *t, ac_lanes *x, ac_lanes *sigma)
{
    for (int n = 0; n < t->nodes; ++n) {
        int i = t->system->tree.order[n];
        const ac_track_link *l = &t->links[i];
        ac_lanes *y = x + 6 * i, *z = sigma + l->first_row,
                 *p = l->parent == AC_GROUND ? NULL : x + 6 * l->parent;
        if (l->rows == 5)
            node_from_root(l, 5, y, z, p);
        else if (l->rows == 3)
            node_from_root(l, 3, y, z, p);
        else
            node_from_root(l, l->rows, y, z, p);
    }
}

/* One right-hand side and where its solution goes. */
typedef struct side {
    const ac_track_row *row; /* the forces of a row, or */
    const double *b, *g;     /* these; g may be NULL */
    double *x, *sigma;       /* 6 per node, per joint row */
} side;

static void load_sides(const ac_track *t, int count, const side *sides)
{
    ac_lanes *x = t->sides.lane_twists, *sigma = t->sides.lane_rows;
    memset(x, 0, 6 * (size_t)t->nodes * sizeof *x);
    memset(sigma, 0, (size_t)t->rows * sizeof *sigma);
    for (int r = 0; r < count; ++r) {
        const side *s = &sides[r];
        for (int e = 0; s->row && e < 2; ++e)
            if (s->row->node[e] != AC_GROUND)
                for (int j = 0; j < 6; ++j) x[6 * s->row->node[e] + j][r] += s->row->by[e][j];
        for (int j = 0; s->b && j < 6 * t->nodes; ++j) x[j][r] = s->b[j];
        for (int k = 0; s->g && k < t->rows; ++k) sigma[k][r] = s->g[k];
    }
}

/* The tree alone, at most LANES right-hand sides. Rows of joints that are open keep zero. */
static void solve_tree(const ac_track *t, int count, const side *sides)
{
    load_sides(t, count, sides);
    to_root(t, t->sides.lane_twists, t->sides.lane_rows);
    from_root(t, t->sides.lane_twists, t->sides.lane_rows);
    for (int r = 0; r < count; ++r) {
        for (int j = 0; j < 6 * t->nodes; ++j) sides[r].x[j] = t->sides.lane_twists[j][r];
        for (int k = 0; k < t->rows; ++k) sides[r].sigma[k] = t->sides.lane_rows[k][r];
    }
}

/* --- the border --- */

int ac_track_cholesky(int n, double *A, int stride, int *order, double tolerance)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        order[i] = i;
        largest = ac_max(largest, A[i * stride + i]);
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (A[i * stride + i] > A[best * stride + best]) best = i;
        if (!(A[best * stride + best] > tolerance * largest)) return k;
        if (best != k) { /* rows and columns of the symmetric matrix, lower and upper half */
            for (int j = 0; j < n; ++j) {
                double swap = A[k * stride + j];
                A[k * stride + j] = A[best * stride + j];
                A[best * stride + j] = swap;
            }
            for (int i = 0; i < n; ++i) {
                double swap = A[i * stride + k];
                A[i * stride + k] = A[i * stride + best];
                A[i * stride + best] = swap;
            }
            int swap = order[k];
            order[k] = order[best];
            order[best] = swap;
        }
        double root = sqrt(A[k * stride + k]);
        A[k * stride + k] = root;
        for (int i = k + 1; i < n; ++i) A[i * stride + k] /= root;
        for (int i = k + 1; i < n; ++i)
            for (int j = k + 1; j <= i; ++j) {
                A[i * stride + j] -= A[i * stride + k] * A[j * stride + k];
                A[j * stride + i] = A[i * stride + j];
            }
    }
    return n;
}

void ac_track_cholesky_solve(int n, const double *A, int stride, const int *order, int rank, double *x,
                             double *work)
{
    for (int i = 0; i < rank; ++i) {
        double sum = x[order[i]];
        for (int k = 0; k < i; ++k) sum -= A[i * stride + k] * work[k];
        work[i] = sum / A[i * stride + i];
    }
    for (int i = rank - 1; i >= 0; --i) {
        double sum = work[i];
        for (int k = i + 1; k < rank; ++k) sum -= A[k * stride + i] * work[k];
        work[i] = sum / A[i * stride + i];
    }
    for (int i = 0; i < n; ++i) x[order[i]] = i < rank ? work[i] : 0.0;
}

static double *column_of(const ac_track *t, double *columns, int k)
{
    return columns + (size_t)k * 6 * (size_t)t->nodes;
}

static double *rows_of(const ac_track *t, double *rows, int k)
{
    return rows + (size_t)k * (size_t)t->rows;
}

void ac_track_factor(ac_track *t)
{
    static const double REDUNDANT = 1e-9;
    for (int n = t->nodes - 1; n >= 0; --n) factor_link(t, &t->links[t->system->tree.order[n]]);
    int n = t->border.count;
    side sides[LANES];
    for (int k = 0, used = 0; k < n; ++k) {
        sides[used++] = (side){.row = &t->border.rows[k],
                               .x = column_of(t, t->border.columns, k),
                               .sigma = rows_of(t, t->border.multipliers, k)};
        if (used < LANES && k + 1 < n) continue;
        solve_tree(t, used, sides);
        used = 0;
    }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            t->border.matrix[i * n + k] = ac_track_row_rate(&t->border.rows[i],
                                                            column_of(t, t->border.columns, k)) +
                                          (i == k ? t->border.rows[i].soft : 0.0);
    t->border.rank = ac_track_cholesky(n, t->border.matrix, n, t->border.order, REDUNDANT);
}

/* x and sigma less what the border does: s = S^-1 (B x - value) */
static void correct(ac_track *t, bool with_value, double *x, double *sigma, double *s)
{
    int n = t->border.count;
    for (int k = 0; k < n; ++k)
        s[k] = ac_track_row_rate(&t->border.rows[k], x) - (with_value ? t->border.rows[k].value : 0.0);
    ac_track_cholesky_solve(n, t->border.matrix, n, t->border.order, t->border.rank, s, t->border.work);
    for (int k = 0; k < n; ++k) {
        const double *column = column_of(t, t->border.columns, k),
                     *rows = rows_of(t, t->border.multipliers, k);
        for (int j = 0; j < 6 * t->nodes; ++j) x[j] -= column[j] * s[k];
        for (int j = 0; j < t->rows; ++j) sigma[j] -= rows[j] * s[k];
    }
}

void ac_track_solve_control(ac_track *t, const double *b, const double *g, double *x, double *sigma)
{
    int n = t->control.count;
    double *s = t->border.work + t->border.capacity;
    side sides[LANES];
    for (int k = 0, used = 0; k <= n; ++k) {
        sides[used++] = k < n ? (side){.row = &t->control.rows[k],
                                       .x = column_of(t, t->control.columns, k),
                                       .sigma = rows_of(t, t->control.multipliers, k)}
                              : (side){.b = b, .g = g, .x = x, .sigma = sigma};
        if (used < LANES && k < n) continue;
        solve_tree(t, used, sides);
        used = 0;
    }
    for (int k = 0; k < n; ++k) {
        double *column = column_of(t, t->control.columns, k);
        if (t->border.count > 0) correct(t, false, column, rows_of(t, t->control.multipliers, k), s);
        for (int i = 0; i < n; ++i) t->control.W[i * n + k] = ac_track_row_rate(&t->control.rows[i], column);
    }
    if (t->border.count > 0) correct(t, true, x, sigma, s);
}

void ac_track_solve(ac_track *t, const double *b, const double *g, double *x, double *sigma, double *s)
{
    const side only = {.b = b, .g = g, .x = x, .sigma = sigma ? sigma : t->sides.sigma};
    double *own = t->border.work + t->border.capacity;
    solve_tree(t, 1, &only);
    if (t->border.count == 0) return;
    correct(t, true, x, only.sigma, own);
    if (s) memcpy(s, own, (size_t)t->border.count * sizeof *s);
}
