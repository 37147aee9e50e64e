/* Symmetric eigenvalues: Householder's reflections make the matrix tridiagonal, the implicit QL method does the rest. */
#include <math.h>
#include <string.h>

#include "linalg/eigen.h"
#include "linalg/tridiagonal.h"
#include "math/math.h"

/* Row i of A left of the diagonal is reflected onto its last entry; the reflection I - u u^T / half leaves u there. */
static void reflect_row(int n, int i, double *A, double *next, double *half, double *p)
{
    double *u = A + (size_t)i * (size_t)n, scale = 0.0, square = 0.0;
    half[i] = 0.0;
    next[i - 1] = u[i - 1];
    for (int k = 0; k < i - 1; ++k) scale = ac_max(scale, fabs(u[k]));
    if (scale == 0.0) return;
    for (int k = 0; k < i; ++k) square += u[k] * u[k];
    double length = copysign(sqrt(square), u[i - 1]);
    next[i - 1] = -length;
    u[i - 1] += length;
    half[i] = square + length * (u[i - 1] - length);

    /* A <- A - u w^T - w u^T with p = A u / half, w = p - (u . p / 2 half) u, lower half */
    double inner = 0.0;
    for (int r = 0; r < i; ++r) {
        double sum = 0.0;
        for (int k = 0; k <= r; ++k) sum += A[(size_t)r * (size_t)n + (size_t)k] * u[k];
        for (int k = r + 1; k < i; ++k) sum += A[(size_t)k * (size_t)n + (size_t)r] * u[k];
        p[r] = sum / half[i];
        inner += u[r] * p[r];
    }
    for (int r = 0; r < i; ++r) p[r] -= inner / (2.0 * half[i]) * u[r];
    for (int r = 0; r < i; ++r)
        for (int k = 0; k <= r; ++k) A[(size_t)r * (size_t)n + (size_t)k] -= u[r] * p[k] + p[r] * u[k];
}

/* V <- H_2 ... H_n-1 V, the reflections stand in the rows of A. */
static void reflect_back(int n, const double *A, const double *half, double *p, double *V)
{
    for (int i = 2; i < n; ++i) {
        if (half[i] == 0.0) continue;
        const double *u = A + (size_t)i * (size_t)n;
        memset(p, 0, (size_t)n * sizeof *p);
        for (int r = 0; r < i; ++r)
            for (int k = 0; k < n; ++k) p[k] += u[r] * V[(size_t)r * (size_t)n + (size_t)k];
        for (int r = 0; r < i; ++r)
            for (int k = 0; k < n; ++k) V[(size_t)r * (size_t)n + (size_t)k] -= u[r] / half[i] * p[k];
    }
}

/* Ascending order, by straight selection of columns. */
static void sort_columns(int n, double *values, double *V)
{
    for (int i = 0; i < n; ++i) {
        int least = i;
        for (int k = i + 1; k < n; ++k)
            if (values[k] < values[least]) least = k;
        if (least == i) continue;
        double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (int r = 0; r < n; ++r) {
            double *row = V + (size_t)r * (size_t)n, entry = row[i];
            row[i] = row[least];
            row[least] = entry;
        }
    }
}

bool ac_symmetric_eigen(int n, double *A, double *values, double *work)
{
    double *V = work, *next = V + (size_t)n * (size_t)n, *half = next + n, *p = half + n;
    if (n == 0) return true;
    for (int i = n - 1; i > 0; --i) reflect_row(n, i, A, next, half, p);
    for (int i = 0; i < n; ++i) values[i] = A[(size_t)i * (size_t)(n + 1)];
    if (!ac_tridiagonal_eigen(n, values, next, V)) return false;
    reflect_back(n, A, half, p, V);
    sort_columns(n, values, V);
    memcpy(A, V, (size_t)n * (size_t)n * sizeof *A);
    return true;
}
