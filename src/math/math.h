/* Mathematics with the same bits everywhere: functions that C libraries compute differently, and choices that C leaves open.
 *
 * Results depend on IEEE arithmetic alone (+ - * / sqrt, in the order written), so they are equal for every compiler, processor
 * and C library. Errors are below one unit in the last place, measured against MPFR (README.md). */
#ifndef ACTIO_MATH_MATH_H
#define ACTIO_MATH_MATH_H

#include <stddef.h>
#include <stdint.h>

double ac_sin(double x);
double ac_cos(double x);
double ac_tan(double x);
/* Both, for the price of one. */
void ac_sincos(double x, double *sine, double *cosine);

double ac_asin(double x);
double ac_acos(double x);
double ac_atan(double x);
double ac_atan2(double y, double x);

double ac_exp(double x);
double ac_sinh(double x);
double ac_cosh(double x);
double ac_tanh(double x);

double ac_log(double x);
double ac_log1p(double x);
double ac_log10(double x);
double ac_pow(double x, double y);

double ac_hypot(double x, double y);
double ac_erfc(double x);
/* log Gamma(x) for x > 0; not a number else */
double ac_lgamma(double x);

/* Four numbers side by side; each has the bits that the function above gives. */
typedef double ac_four __attribute__((vector_size(4 * sizeof(double)), aligned(16)));
void ac_four_sincos(const ac_four *x, ac_four *sine, ac_four *cosine);
void ac_four_exp(const ac_four *x, ac_four *out);
void ac_four_atan2(const ac_four *y, const ac_four *x, ac_four *out);

/* The larger and the smaller number; the other one if one is not a number, the first one if both are equal (0 and -0). */
static inline double ac_max(double a, double b)
{
    return a >= b || b != b ? a : b;
}

static inline double ac_min(double a, double b)
{
    return a <= b || b != b ? a : b;
}

/* qsort that leaves equal elements in their order. Allocates nothing. */
void ac_sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
