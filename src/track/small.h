/* Cholesky factors of matrices of at most six rows, stored with six numbers per row.
 *
 * A pivot that is lost in rounding is replaced by infinity: the unknown that belongs to it becomes zero, which
 * is what a redundant equation deserves. */
#ifndef ACTIO_TRACK_SMALL_H
#define ACTIO_TRACK_SMALL_H

#include <math.h>

enum { AC_SIX = 6 };

/* A row of six numbers as three pairs, which every processor has instructions for. */
typedef double ac_pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* y -= a x */
static inline void ac_six_subtract(double a, const double *x, ac_pair y[3])
{
    const ac_pair *pairs = (const ac_pair *)x;
    for (int k = 0; k < 3; ++k) y[k] -= a * pairs[k];
}

static inline void ac_six_add(double a, const double *x, ac_pair y[3])
{
    const ac_pair *pairs = (const ac_pair *)x;
    for (int k = 0; k < 3; ++k) y[k] += a * pairs[k];
}

static inline void ac_six_load(const double *x, ac_pair y[3])
{
    for (int k = 0; k < 3; ++k) y[k] = ((const ac_pair *)x)[k];
}

static inline void ac_six_store(double factor, const ac_pair y[3], double *x)
{
    for (int k = 0; k < 3; ++k) ((ac_pair *)x)[k] = factor * y[k];
}

/* A = L L^T, in place; the diagonal holds 1/L_ii. A is given whole, and its upper half is then L^T: row by row, so that
 * the numbers of a row are computed side by side. */
static inline void ac_small_factor(int n, double *A)
{
    static const double LOST = 1e-13;
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) {
        ac_pair row[3];
        double whole = A[AC_SIX * i + i];
        ac_six_load(A + AC_SIX * i, row);
#pragma GCC unroll 6
        for (int k = 0; k < i; ++k) ac_six_subtract(A[AC_SIX * k + i], A + AC_SIX * k, row);
        double d = row[i / 2][i % 2], inverse = d > LOST * whole ? 1.0 / sqrt(d) : 0.0;
        ac_six_store(inverse, row, A + AC_SIX * i);
        A[AC_SIX * i + i] = inverse;
    }
    for (int i = 1; i < n; ++i)
        for (int k = 0; k < i; ++k) A[AC_SIX * i + k] = A[AC_SIX * k + i];
}

/* x <- L^-1 x */
static inline void ac_small_forward(int n, const double *L, double *x)
{
    for (int i = 0; i < n; ++i) {
        const double *row = L + AC_SIX * i;
        double sum = x[i];
        for (int k = 0; k < i; ++k) sum -= row[k] * x[k];
        x[i] = sum * row[i];
    }
}

/* x <- L^-T x */
static inline void ac_small_backward(int n, const double *L, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int k = i + 1; k < n; ++k) sum -= L[AC_SIX * k + i] * x[k];
        x[i] = sum * L[AC_SIX * i + i];
    }
}

#endif
