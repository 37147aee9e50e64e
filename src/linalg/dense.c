/* Dense LU and rank-revealing QR for small systems; large ones go to LAPACK. */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Larger systems are left to LAPACK. Rows here are columns there, so it factorises the transpose. */
enum { SMALL = 50 };
extern void dgetrf_(const int *rows, const int *columns, double *a, const int *stride, int *pivot, int *info);
extern void dgetrs_(const char *transposed, const int *n, const int *count, const double *a,
                    const int *stride, const int *pivot, double *b, const int *b_stride, int *info);

static bool large_factor(int n, double *A, int *pivot)
{
    int info;
    dgetrf_(&n, &n, A, &n, pivot, &info);
    if (info != 0) return false;
    for (int i = 0; i < n; ++i)
        if (!isfinite(A[(size_t)i * (size_t)n + (size_t)i])) return false;
    return true;
}

static void large_solve(char transposed, int n, const double *A, const int *pivot, double *x)
{
    int info, one = 1;
    dgetrs_(&transposed, &n, &one, A, &n, pivot, x, &n, &info);
}

bool ac_lu_factor(int n, double *A, int *pivot)
{
    if (n > SMALL) return large_factor(n, A, pivot);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        pivot[k] = best;
        double p = A[best * n + k];
        if (!(fabs(p) > 0.0) || !isfinite(p)) return false;
        if (best != k) {
            for (int j = 0; j < n; ++j) {
                double swap = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = swap;
            }
        }
        for (int i = k + 1; i < n; ++i) {
            double factor = A[i * n + k] / p;
            A[i * n + k] = factor;
            if (factor == 0.0) continue;
            for (int j = k + 1; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return true;
}

void ac_lu_solve(int n, const double *A, const int *pivot, double *x)
{
    if (n > SMALL) {
        large_solve('T', n, A, pivot, x);
        return;
    }
    for (int k = 0; k < n; ++k) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) x[i] -= A[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

void ac_lu_solve_transposed(int n, const double *A, const int *pivot, double *x)
{
    if (n > SMALL) {
        large_solve('N', n, A, pivot, x);
        return;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) x[i] -= A[j * n + i] * x[j];
        x[i] /= A[i * n + i];
    }
    for (int i = n - 2; i >= 0; --i)
        for (int j = i + 1; j < n; ++j) x[i] -= A[j * n + i] * x[j];
    for (int k = n - 1; k >= 0; --k) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
}

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
