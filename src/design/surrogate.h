/* The two surrogates. Samples lie in the unit cube; values are any numbers. */
#ifndef ACTIO_DESIGN_SURROGATE_H
#define ACTIO_DESIGN_SURROGATE_H

#include "actio/design.h"
#include "base/base.h"

/* ---- spline.c: interpolates the sorted samples of one variable ---- */

typedef struct ac_spline {
    int count;
    double *x, *y, *curvature; /* at the knots; one block, owned */
} ac_spline;

/* `omitted`: a sample that is left out; -1: none. */
ac_status ac_spline_fit(ac_context *ctx, ac_spline_ends ends, int count, const double *x, const double *y,
                        int omitted, ac_spline *spline);
void ac_spline_clear(ac_context *ctx, ac_spline *spline);
/* Beyond the end knots the end pieces go on. */
double ac_spline_value(const ac_spline *spline, double x);
/* Where it is least in [0, 1]. */
double ac_spline_minimum(const ac_spline *spline);

/* ---- gaussian.c: a Gaussian process with constant mean, Matern 5/2 ---- */

typedef struct ac_gaussian {
    int count, variables;
    const double *x; /* count x variables, not owned */
    double length[AC_DESIGN_VARIABLES_MAX];
    double nugget; /* noise, in parts of the variance */
    double mean, variance, scale, offset;
    double one_weight;          /* 1^T R^-1 1 */
    double *factor;             /* Cholesky factor of R, row by row; one block, owned */
    double *weights, *ones, *y; /* R^-1 (y - mean), R^-1 1, standardised values */
    double *work;
} ac_gaussian;

/* Fits length scales and noise by maximum likelihood. */
ac_status ac_gaussian_fit(ac_context *ctx, int count, int variables, const double *x, const double *y,
                          ac_gaussian *process);
void ac_gaussian_clear(ac_context *ctx, ac_gaussian *process);
void ac_gaussian_predict(const ac_gaussian *process, const double *x, double *mean, double *deviation);
/* The improvement below `best` that can be expected at x. */
double ac_gaussian_improvement(const ac_gaussian *process, double best, const double *x);

/* ---- climb.c ---- */

/* The k-th point of a Halton sequence in the unit cube, shifted by the seed. */
void ac_halton(long k, unsigned long seed, int variables, double *x);
/* Maximises f over the unit cube by compass search from x, with steps from `step` down to `least`; returns its value. */
double ac_climb(double (*f)(void *user, const double *x), void *user, int variables, double step,
                double least, double *x);

#endif
