/* Dense LU and rank-revealing QR. */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "linalg/row.h"

/* --- LU ------------------------------------------------------------------------------------------------------------ */

enum {
    PANEL = 4, /* so many pivots are taken before the columns behind them change */
    SHORT = 16 /* rows of fewer entries are summed one by one */
};

static void swap_rows(int n, double *restrict a, double *restrict b)
{
    for (int j = 0; j < n; ++j) {
        double swap = a[j];
        a[j] = b[j];
        b[j] = swap;
    }
}

/* Takes the pivots k to end - 1 and eliminates with them in these columns only. */
static bool factor_panel(int n, int k, int end, double *A, int *pivot)
{
    const size_t N = (size_t)n;
    for (int c = k; c < end; ++c) {
        int best = c;
        for (int i = c + 1; i < n; ++i)
            if (fabs(A[(size_t)i * N + (size_t)c]) > fabs(A[(size_t)best * N + (size_t)c])) best = i;
        pivot[c] = best;
        double *row = A + (size_t)c * N;
        const double p = A[(size_t)best * N + (size_t)c];
        if (!(fabs(p) > 0.0) || !isfinite(p)) return false;
        if (best != c) swap_rows(n, row, A + (size_t)best * N);
        for (int i = c + 1; i < n; ++i) {
            double *below = A + (size_t)i * N, factor = below[c] / p;
            below[c] = factor;
            for (int j = c + 1; j < end; ++j) below[j] -= factor * row[j];
        }
    }
    return true;
}

/* row -= sum factor[c] pivot rows[c], one after the other, in the columns from `from` on */
static void subtract_rows(int n, int from, int count, const double *factor, const double *rows,
                          double *restrict row)
{
    if (count == PANEL) {
        const double *restrict u0 = rows, *restrict u1 = u0 + n, *restrict u2 = u1 + n, *restrict u3 = u2 + n;
        const double f0 = factor[0], f1 = factor[1], f2 = factor[2], f3 = factor[3];
        if (f0 == 0.0 && f1 == 0.0 && f2 == 0.0 && f3 == 0.0) return;
        for (int j = from; j < n; ++j) row[j] = row[j] - f0 * u0[j] - f1 * u1[j] - f2 * u2[j] - f3 * u3[j];
        return;
    }
    for (int c = 0; c < count; ++c) {
        const double f = factor[c], *restrict u = rows + (size_t)c * (size_t)n;
        for (int j = from; j < n; ++j) row[j] -= f * u[j];
    }
}

/* Every entry sees the pivots in their order, so that the factors have the bits of elimination column by column. */
bool ac_lu_factor(int n, double *A, int *pivot)
{
    const size_t N = (size_t)n;
    for (int k = 0; k < n; k += PANEL) {
        const int end = k + PANEL < n ? k + PANEL : n;
        double *rows = A + (size_t)k * N;
        if (!factor_panel(n, k, end, A, pivot)) return false;
        for (int i = k + 1; i < n; ++i) {
            double *row = A + (size_t)i * N;
            subtract_rows(n, end, i < end ? i - k : end - k, row + k, rows, row);
        }
    }
    return true;
}

void ac_lu_solve(int n, const double *A, const int *pivot, double *x)
{
    const size_t N = (size_t)n;
    for (int k = 0; k < n; ++k) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    if (n < SHORT) {
        for (int i = 1; i < n; ++i)
            for (int j = 0; j < i; ++j) x[i] -= A[i * n + j] * x[j];
        for (int i = n - 1; i >= 0; --i) {
            for (int j = i + 1; j < n; ++j) x[i] -= A[i * n + j] * x[j];
            x[i] /= A[i * n + i];
        }
        return;
    }
    for (int i = 1; i < n; ++i) x[i] -= ac_row_dot(i, A + (size_t)i * N, x);
    for (int i = n - 1; i >= 0; --i) {
        const double *row = A + (size_t)i * N;
        x[i] = (x[i] - ac_row_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

void ac_lu_solve_transposed(int n, const double *A, const int *pivot, double *x)
{
    const size_t N = (size_t)n;
    for (int i = 0; i < n; ++i) {
        const double *row = A + (size_t)i * N;
        x[i] /= row[i];
        ac_row_add(n - 1 - i, -x[i], row + i + 1, x + i + 1);
    }
    for (int i = n - 1; i > 0; --i) ac_row_add(i, -x[i], A + (size_t)i * N, x);
    for (int k = n - 1; k >= 0; --k) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
}

/* --- row spaces ---------------------------------------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

size_t ac_row_space_doubles(int rows, int columns)
{
    return (size_t)rows * (size_t)columns + (size_t)smaller(rows, columns) + (size_t)larger(rows, columns);
}

size_t ac_row_space_ints(int rows, int columns)
{
    (void)columns;
    return (size_t)rows;
}

void ac_row_space_place(ac_row_space *space, int rows, int columns, double *doubles, int *ints)
{
    space->rows = rows;
    space->columns = columns;
    space->rank = 0;
    space->order = ints;
    space->R = doubles;
    space->beta = space->R + (size_t)rows * (size_t)columns;
    space->work = space->beta + smaller(rows, columns);
}

/* work[j]: squared length of column j of R from row k down, for j >= k; row by row, as R lies in memory. */
static void column_squares(const ac_row_space *s, int k)
{
    int m = s->rows;
    double *restrict sum = s->work;
    memset(sum + k, 0, (size_t)(m - k) * sizeof *sum);
    for (int i = k; i < s->columns; ++i) {
        const double *restrict row = s->R + (size_t)i * (size_t)m;
        for (int j = k; j < m; ++j) sum[j] += row[j] * row[j];
    }
}

static void swap_columns(ac_row_space *s, int a, int b)
{
    if (a == b) return;
    for (int i = 0; i < s->columns; ++i) {
        double swap = s->R[i * s->rows + a];
        s->R[i * s->rows + a] = s->R[i * s->rows + b];
        s->R[i * s->rows + b] = swap;
    }
    int swap = s->order[a];
    s->order[a] = s->order[b];
    s->order[b] = swap;
}

/* Householder reflection that clears column k below the diagonal, applied to the columns behind it. */
static void reflect(ac_row_space *s, int k, double square)
{
    int m = s->rows, n = s->columns;
    double *R = s->R;
    double head = R[k * m + k], length = sqrt(square);
    double alpha = head > 0.0 ? -length : length;
    double v0 = head - alpha;
    s->beta[k] = -v0 / alpha; /* with v scaled so that v[k] = 1: H = I - beta v v^T */
    for (int i = k + 1; i < n; ++i) R[i * m + k] /= v0;
    R[k * m + k] = alpha;
    double *restrict sum = s->work;
    memcpy(sum + k + 1, R + k * m + k + 1, (size_t)(m - k - 1) * sizeof *sum);
    for (int i = k + 1; i < n; ++i) {
        const double *restrict row = R + (size_t)i * (size_t)m, v = row[k];
        if (v == 0.0) continue;
        for (int j = k + 1; j < m; ++j) sum[j] += v * row[j];
    }
    for (int j = k + 1; j < m; ++j) {
        sum[j] *= s->beta[k];
        R[k * m + j] -= sum[j];
    }
    for (int i = k + 1; i < n; ++i) {
        double *restrict row = R + (size_t)i * (size_t)m;
        const double v = row[k];
        if (v == 0.0) continue;
        for (int j = k + 1; j < m; ++j) row[j] -= sum[j] * v;
    }
}

/* x (stride s) <- H_k x */
static void apply_reflection(const ac_row_space *s, int k, double *x, int stride)
{
    int m = s->rows, n = s->columns;
    double sum = x[k * stride];
    for (int i = k + 1; i < n; ++i) sum += s->R[i * m + k] * x[i * stride];
    sum *= s->beta[k];
    x[k * stride] -= sum;
    for (int i = k + 1; i < n; ++i) x[i * stride] -= sum * s->R[i * m + k];
}

/* X (n x width, row by row) <- H_k X */
static void reflect_rows(const ac_row_space *s, int k, double *X, int width)
{
    size_t m = (size_t)s->rows, w = (size_t)width;
    double *restrict sum = s->work;
    memcpy(sum, X + (size_t)k * w, w * sizeof *sum);
    for (int i = k + 1; i < s->columns; ++i) {
        const double *restrict row = X + (size_t)i * w, v = s->R[(size_t)i * m + (size_t)k];
        if (v == 0.0) continue;
        for (size_t j = 0; j < w; ++j) sum[j] += v * row[j];
    }
    for (size_t j = 0; j < w; ++j) {
        sum[j] *= s->beta[k];
        X[(size_t)k * w + j] -= sum[j];
    }
    for (int i = k + 1; i < s->columns; ++i) {
        double *restrict row = X + (size_t)i * w;
        const double v = s->R[(size_t)i * m + (size_t)k];
        if (v == 0.0) continue;
        for (size_t j = 0; j < w; ++j) row[j] -= sum[j] * v;
    }
}

/* Pivoted reflections on the matrix that stands in R. */
static void decompose(ac_row_space *s, double tolerance, int limit)
{
    int m = s->rows, n = s->columns;
    for (int j = 0; j < m; ++j) s->order[j] = j;
    s->rank = 0;
    double first = 0.0;
    for (int k = 0; k < smaller(limit, smaller(m, n)); ++k) {
        int best = k;
        double largest = -1.0;
        column_squares(s, k);
        for (int j = k; j < m; ++j) {
            if (!(s->work[j] > largest)) continue;
            largest = s->work[j];
            best = j;
        }
        double pivot = sqrt(largest);
        if (k == 0) first = pivot;
        if (!(pivot > tolerance * first) || pivot == 0.0) break;
        swap_columns(s, k, best);
        reflect(s, k, largest);
        s->rank = k + 1;
    }
}

void ac_row_space_factor(ac_row_space *s, const double *J, double tolerance, int limit)
{
    int m = s->rows, n = s->columns;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) s->R[i * m + j] = J[j * n + i];
    decompose(s, tolerance, limit);
}

void ac_row_space_null(const ac_row_space *s, double *N)
{
    int n = s->columns, k = n - s->rank;
    memset(N, 0, (size_t)n * (size_t)k * sizeof *N);
    for (int j = 0; j < k; ++j) N[(size_t)(s->rank + j) * (size_t)k + (size_t)j] = 1.0;
    for (int r = s->rank - 1; r >= 0; --r) reflect_rows(s, r, N, k);
}

void ac_row_space_solve(const ac_row_space *s, const double *b, double *x)
{
    int m = s->rows, n = s->columns;
    /* R^T y = b on the independent rows, then x = Q (y, 0) */
    for (int i = 0; i < s->rank; ++i) {
        double y = b[s->order[i]];
        for (int j = 0; j < i; ++j) y -= s->R[j * m + i] * x[j];
        x[i] = y / s->R[i * m + i];
    }
    for (int i = s->rank; i < n; ++i) x[i] = 0.0;
    for (int k = s->rank - 1; k >= 0; --k) apply_reflection(s, k, x, 1);
}

void ac_row_space_solve_transposed(const ac_row_space *s, const double *c, double *y)
{
    int m = s->rows, n = s->columns;
    double *work = s->work;
    memcpy(work, c, (size_t)n * sizeof *c);
    for (int k = 0; k < s->rank; ++k) apply_reflection(s, k, work, 1);
    for (int i = s->rank - 1; i >= 0; --i) {
        for (int j = i + 1; j < s->rank; ++j) work[i] -= s->R[i * m + j] * work[j];
        work[i] /= s->R[i * m + i];
    }
    memset(y, 0, (size_t)m * sizeof *y);
    for (int i = 0; i < s->rank; ++i) y[s->order[i]] = work[i];
}

/* The columns of A are the rows of J = A^T, so that A Pi = Q R and R x = Q^T b on the independent columns. */
void ac_least_squares(ac_row_space *s, const double *A, const double *b, double tolerance, double *x)
{
    memcpy(s->R, A, (size_t)s->rows * (size_t)s->columns * sizeof *A);
    decompose(s, tolerance, s->rows);
    ac_row_space_solve_transposed(s, b, x);
}
