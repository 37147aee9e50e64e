/* Cholesky factors of matrices of at most six rows, stored with six numbers per row.
 *
 * A pivot that is lost in rounding is replaced by infinity: the unknown that belongs to it becomes zero, which
 * is what a redundant equation deserves. */
#ifndef ACTIO_TRACK_SMALL_H
#define ACTIO_TRACK_SMALL_H

#include <math.h>

enum { AC_SIX = 6 };

/* A = L L^T, in place; the diagonal holds 1/L_ii. */
static inline void ac_small_factor(int n, double *A)
{
    static const double LOST = 1e-13;
    for (int j = 0; j < n; ++j) {
        double *row = A + AC_SIX * j, whole = row[j], d = whole;
        for (int k = 0; k < j; ++k) d -= row[k] * row[k];
        double inverse = d > LOST * whole ? 1.0 / sqrt(d) : 0.0;
        for (int i = j + 1; i < n; ++i) {
            double *other = A + AC_SIX * i, sum = other[j];
            for (int k = 0; k < j; ++k) sum -= other[k] * row[k];
            other[j] = sum * inverse;
        }
        row[j] = inverse;
    }
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
