/* Numbers for tests: random ones with a fixed seed, derivatives by differences, orders of convergence, drift.
 */
#ifndef ACTIO_TESTS_SUPPORT_NUMERIC_H
#define ACTIO_TESTS_SUPPORT_NUMERIC_H

#include <stdint.h>

/* Random numbers that are the same on every machine. */
typedef struct dice {
    uint64_t state;
} dice;

double dice_between(dice *d, double low, double high);
void dice_vector(dice *d, int n, double size, double *x);
/* A rotation by up to about pi, row by row. */
void dice_rotation(dice *d, double R[9]);

/* n zeros, at least one; never NULL. */
double *numbers(int n);

typedef void (*vector_function)(void *user, const double *x, double *y);

/* J (m x n, row by row) of f at x by central differences with two Richardson steps; exact to about 1e-12. */
void difference_jacobian(vector_function f, void *user, int n, int m, const double *x, double *J);
/* Largest difference between J and the differences of f, relative to the largest entry. Infinite if all
 * differences vanish, so that a comparison of nothing with nothing cannot pass. */
double jacobian_error(vector_function f, void *user, int n, int m, const double *x, const double *J);

double largest_entry(int n, const double *x);
double largest_difference(int n, const double *x, const double *y);

/* Order of convergence from the errors at h and h/2. */
double order_of(double error, double error_of_half);

/* Straight line through equidistant samples: rise over the whole range, and the spread (largest - smallest)
 * of the samples. */
typedef struct trend {
    long count;
    double sum, moment, low, high;
} trend;

void trend_add(trend *t, double value);
double trend_rise(const trend *t);
double trend_spread(const trend *t);

/* Number of singular values of the m x n matrix above tolerance times the largest. */
int numerical_rank(int m, int n, const double *matrix, double tolerance);

#endif
