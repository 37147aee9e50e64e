/* Block matrices of coupled trees: factorisation A = L U with unit blocks on the diagonal of L, and solution.
 *
 *   U(j, i) = A(j, i) - sum L(j, k) U(k, i),   L(i, j) = [A(i, j) - sum L(i, k) U(k, j)] D(j)^{-1},
 *   D(i) = A(i, i) - sum L(i, k) U(k, i),      the inverse of D(i) is kept in its place,
 * and D(j)^{-1} U(j, i) in that of U(j, i).
 */
#include <math.h>
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "tree/blocks.h"

/* C -= A B, (rows x inner) (inner x columns) */
static void subtract_product(int rows, int inner, int columns, const double *restrict A,
                             const double *restrict B, double *restrict C)
{
    if (rows == 6 && inner == 6 && columns == 6) { /* written out for the compiler */
        for (int i = 0; i < 6; ++i) {
            double c[6];
            for (int j = 0; j < 6; ++j) c[j] = C[6 * i + j];
            for (int k = 0; k < 6; ++k) {
                double a = A[6 * i + k];
                for (int j = 0; j < 6; ++j) c[j] -= a * B[6 * k + j];
            }
            for (int j = 0; j < 6; ++j) C[6 * i + j] = c[j];
        }
        return;
    }
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k) {
            double a = A[i * inner + k];
            for (int j = 0; j < columns; ++j) C[i * columns + j] -= a * B[k * columns + j];
        }
}

/* y -= A x, rows x columns, A stored by columns: numbers side by side become neighbours in y */
static inline void subtract_vector(int rows, int columns, const double *restrict A, const double *restrict x,
                                   double *restrict y)
{
    for (int k = 0; k < columns; ++k)
        for (int i = 0; i < rows; ++i) y[i] -= A[k * rows + i] * x[k];
}

/* Six numbers in pairs: those of a free body. Written and read in pairs, they need not wait for memory. */
typedef struct six {
    ac_pair part[3];
} six;

static inline six six_of(const double *p)
{
    return (six){{ac_pair_of(p), ac_pair_of(p + 2), ac_pair_of(p + 4)}};
}

static inline void six_put(const six *a, double *p)
{
    for (int i = 0; i < 3; ++i) ac_pair_put(a->part[i], p + 2 * i);
}

/* A x, A stored by columns; two sums for each pair, so that the way through them is short */
static inline six six_product(const double *restrict A, const six *x)
{
    six y;
    for (int i = 0; i < 3; ++i) {
        const double *a = A + 2 * i;
        ac_pair early = ac_pair_of(a) * x->part[0][0] + ac_pair_of(a + 6) * x->part[0][1] +
                        ac_pair_of(a + 12) * x->part[1][0];
        ac_pair late = ac_pair_of(a + 18) * x->part[1][1] + ac_pair_of(a + 24) * x->part[2][0] +
                       ac_pair_of(a + 30) * x->part[2][1];
        y.part[i] = early + late;
    }
    return y;
}

static inline void six_subtract(const double *restrict A, const six *x, six *y)
{
    six product = six_product(A, x);
    for (int i = 0; i < 3; ++i) y->part[i] -= product.part[i];
}

/* A <- A^{-1} by Gauss and Jordan with row pivots; false if singular. */
static inline bool invert_sized(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        double p = A[best * n + k];
        if (p == 0.0 || !isfinite(p)) return false;
        pivot[k] = best;
        if (best != k)
            for (int j = 0; j < n; ++j) {
                double swap = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = swap;
            }
        A[k * n + k] = 1.0;
        for (int j = 0; j < n; ++j) A[k * n + j] /= p;
        for (int i = 0; i < n; ++i) {
            double f = A[i * n + k];
            if (i == k || f == 0.0) continue;
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        if (pivot[k] == k) continue;
        for (int i = 0; i < n; ++i) {
            double swap = A[i * n + k];
            A[i * n + k] = A[i * n + pivot[k]];
            A[i * n + pivot[k]] = swap;
        }
    }
    return true;
}

static bool invert(int n, double *A, int *pivot)
{
    return n == 6 ? invert_sized(6, A, pivot) /* written out by the compiler */
                  : invert_sized(n, A, pivot);
}

/* A <- its columns one after another */
static inline void store_by_columns(int rows, int columns, double *A, double *work)
{
    if (rows == 6 && columns == 6) { /* written out for the compiler */
        for (int i = 0; i < 6; ++i)
            for (int k = 0; k < i; ++k) {
                double swap = A[6 * i + k];
                A[6 * i + k] = A[6 * k + i];
                A[6 * k + i] = swap;
            }
        return;
    }
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < columns; ++k) work[k * rows + i] = A[i * columns + k];
    memcpy(A, work, (size_t)(rows * columns) * sizeof *A);
}

/* The first tree before i that it meets; i itself if there is none, as where a scheme is explicit. */
static int first_of(const ac_tree_blocks *b, int i)
{
    return b->alone[i] ? i : b->first[i];
}

static void store_factors(ac_tree_blocks *b)
{
    for (int i = 0; i < b->count; ++i) {
        for (int j = first_of(b, i); j < i; ++j) {
            store_by_columns(b->size[i], b->size[j], ac_tree_block(b, i, j), b->work);
            store_by_columns(b->size[j], b->size[i], ac_tree_block(b, j, i), b->work);
        }
        store_by_columns(b->size[i], b->size[i], b->value + b->diagonal[i], b->work);
    }
}

/* A <- A with rows and columns in the axes of bodies: directors at `left` and `right`, NULL: unchanged */
static void turn_block(const double *left, const double *right, int rows, int columns, double *restrict A)
{
    for (int r = 0; left && r < rows; r += 3) { /* each row of directors mixes three rows */
        double *a = A + r * columns, *b = a + columns, *c = b + columns;
        for (int k = 0; k < columns; ++k) {
            double x = a[k], y = b[k], z = c[k];
            a[k] = left[0] * x + left[1] * y + left[2] * z;
            b[k] = left[3] * x + left[4] * y + left[5] * z;
            c[k] = left[6] * x + left[7] * y + left[8] * z;
        }
    }
    for (int k = 0; right && k < rows * columns; k += 3) {
        double *a = A + k, x = a[0], y = a[1], z = a[2];
        a[0] = right[0] * x + right[1] * y + right[2] * z;
        a[1] = right[3] * x + right[4] * y + right[5] * z;
        a[2] = right[6] * x + right[7] * y + right[8] * z;
    }
}

/* Directors of the body of a tree. */
static const double *axes_of(const ac_tree_blocks *b, int tree, const double *q)
{
    return b->body[tree] < 0 ? NULL : q + b->system->nodes[b->body[tree]].q + 3;
}

static void turn_all(ac_tree_blocks *b, const ac_tree_pair *seen)
{
    for (int i = 0; i < b->count; ++i) {
        int n = b->size[i];
        const double *row = axes_of(b, i, seen->qa), *column = axes_of(b, i, seen->qb);
        turn_block(row, column, n, n, b->value + b->diagonal[i]);
        for (int j = b->first[i]; j < i; ++j) {
            turn_block(row, axes_of(b, j, seen->qb), n, b->size[j], ac_tree_block(b, i, j));
            turn_block(axes_of(b, j, seen->qa), column, b->size[j], n, ac_tree_block(b, j, i));
        }
    }
}

/* U(j, i) <- D(j)^{-1} U(j, i): the way back needs one product after the other then, not two */
static void scale_upper(ac_tree_blocks *b)
{
    for (int i = 0; i < b->count; ++i)
        for (int j = first_of(b, i); j < i; ++j) {
            int ni = b->size[i], nj = b->size[j];
            double *U = ac_tree_block(b, j, i);
            memset(b->work, 0, (size_t)(ni * nj) * sizeof *b->work);
            subtract_product(nj, nj, ni, b->value + b->diagonal[j], U, b->work);
            for (int k = 0; k < ni * nj; ++k) U[k] = -b->work[k];
        }
}

static bool all_zero(const double *from, const double *end)
{
    while (from < end && *from == 0.0) ++from;
    return from == end;
}

bool ac_tree_blocks_factor(ac_tree_blocks *b, const ac_tree_pair *seen)
{
    if (seen) turn_all(b, seen);
    for (int i = 0; i < b->count; ++i) {
        int ni = b->size[i];
        double *D = b->value + b->diagonal[i];
        b->alone[i] = all_zero(b->value + b->lower[i], D);
        for (int j = first_of(b, i); j < i; ++j) {
            int nj = b->size[j], from = b->first[i] > b->first[j] ? b->first[i] : b->first[j];
            double *L = ac_tree_block(b, i, j), *U = ac_tree_block(b, j, i);
            for (int k = from; k < j; ++k) {
                subtract_product(ni, b->size[k], nj, ac_tree_block(b, i, k), ac_tree_block(b, k, j), L);
                subtract_product(nj, b->size[k], ni, ac_tree_block(b, j, k), ac_tree_block(b, k, i), U);
            }
            memset(b->work, 0, (size_t)(ni * nj) * sizeof *b->work);
            subtract_product(ni, nj, nj, L, b->value + b->diagonal[j], b->work);
            for (int k = 0; k < ni * nj; ++k) L[k] = -b->work[k];
            subtract_product(ni, nj, ni, L, U, D);
        }
        if (!invert(ni, D, b->pivot)) return false;
    }
    scale_upper(b);
    store_factors(b);
    return true;
}

/* --- solution --- */

/* r in the axes of a body */
static inline six six_seen(const double *axes, const double *r)
{
    const ac_triple f = ac_triple_of(r), t = ac_triple_of(r + 3);
    const ac_triple d1 = ac_triple_of(axes), d2 = ac_triple_of(axes + 3), d3 = ac_triple_of(axes + 6);
    return (six){{{ac_triple_dot(d1, f), ac_triple_dot(d2, f)},
                  {ac_triple_dot(d3, f), ac_triple_dot(d1, t)},
                  {ac_triple_dot(d2, t), ac_triple_dot(d3, t)}}};
}

/* and back */
static inline void six_unseen(const double *axes, const six *y, double *x)
{
    const ac_triple d1 = ac_triple_of(axes), d2 = ac_triple_of(axes + 3), d3 = ac_triple_of(axes + 6);
    ac_triple_put(ac_triple_mix3(y->part[0][0], d1, y->part[0][1], d2, y->part[1][0], d3), x);
    ac_triple_put(ac_triple_mix3(y->part[1][1], d1, y->part[2][0], d2, y->part[2][1], d3), x + 3);
}

/* y = r - L y and x = D^{-1} y of a tree, those before it being done */
static void sweep_forth(ac_tree_blocks *b, int i, const double *axes, const double *r)
{
    int n = b->size[i];
    const int *freedom = b->freedom + b->start[i];
    double *y = b->y + b->start[i], *x = b->x + b->start[i];
    const double *L = b->value + b->lower[i], *D = b->value + b->diagonal[i];
    for (int k = 0; k < n; ++k) y[k] = r[freedom[k]];
    if (axes) {
        const six own = six_seen(axes, r + freedom[0]);
        six_put(&own, y);
    }
    for (int j = first_of(b, i); j < i; ++j) {
        subtract_vector(n, b->size[j], L, b->y + b->start[j], y);
        L += n * b->size[j];
    }
    for (int k = 0; k < n; ++k) x[k] = 0.0;
    for (int k = 0; k < n; ++k)
        for (int c = 0; c < n; ++c) x[c] += D[k * n + c] * y[k];
}

/* The same for a free body that meets trees of six freedoms only. */
static inline void sweep_six_forth(ac_tree_blocks *b, int i, const double *axes, const double *r)
{
    const double *L = b->value + b->lower[i];
    r += b->freedom[b->start[i]];
    six y = axes ? six_seen(axes, r) : six_of(r);
    for (int j = first_of(b, i); j < i; ++j, L += 36) {
        const six before = six_of(b->y + b->start[j]);
        six_subtract(L, &before, &y);
    }
    six_put(&y, b->y + b->start[i]);
    y = six_product(b->value + b->diagonal[i], &y);
    six_put(&y, b->x + b->start[i]);
}

/* x(j) -= D^{-1} U x(i) of the trees before it */
static void sweep_back(ac_tree_blocks *b, int i, const double *axes, double *x)
{
    int n = b->size[i];
    const int *freedom = b->freedom + b->start[i];
    const double *own = b->x + b->start[i], *U = b->value + b->upper[i];
    for (int j = first_of(b, i); j < i; ++j) {
        subtract_vector(b->size[j], n, U, own, b->x + b->start[j]);
        U += b->size[j] * n;
    }
    for (int k = 0; k < n; ++k) x[freedom[k]] = own[k];
    if (axes) {
        const six body = six_of(own);
        six_unseen(axes, &body, x + freedom[0]);
    }
}

static inline void sweep_six_back(ac_tree_blocks *b, int i, const double *axes, double *x)
{
    const six own = six_of(b->x + b->start[i]);
    const double *U = b->value + b->upper[i];
    for (int j = first_of(b, i); j < i; ++j, U += 36) {
        six before = six_of(b->x + b->start[j]);
        six_subtract(U, &own, &before);
        six_put(&before, b->x + b->start[j]);
    }
    x += b->freedom[b->start[i]];
    if (axes) {
        six_unseen(axes, &own, x);
    } else {
        six_put(&own, x);
    }
}

/* The sums that follow one upon the other are L y and U x only: D^{-1} y is found on the side. */
void ac_tree_blocks_solve(ac_tree_blocks *b, const ac_tree_pair *seen, const double *r, double *x)
{
    for (int i = 0; i < b->count; ++i) {
        const double *axes = seen ? axes_of(b, i, seen->qa) : NULL;
        if (b->of_sixes[i]) {
            sweep_six_forth(b, i, axes, r);
        } else {
            sweep_forth(b, i, axes, r);
        }
    }
    for (int i = b->count - 1; i >= 0; --i) {
        const double *axes = seen ? axes_of(b, i, seen->qb) : NULL;
        if (b->of_sixes[i]) {
            sweep_six_back(b, i, axes, x);
        } else {
            sweep_back(b, i, axes, x);
        }
    }
}
