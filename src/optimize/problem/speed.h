/* The speed of a control: what multiplied with the control gives its power. On an interval with ends a and
 * b it is the mean of the directions in which the control pushes at a and at b, times the way: (B(a) +
 * B(b))/2 . (b - a)/h; for a control in a joint coordinate the difference quotient of that coordinate. */
#ifndef ACTIO_OPTIMIZE_PROBLEM_SPEED_H
#define ACTIO_OPTIMIZE_PROBLEM_SPEED_H

#include "action/describe/numbers.h"

/* Coordinates on which it depends (at most AC_SCALAR_MAX are stored); returns how many. */
int ac_speed_coordinates(const ac_discrete *discrete, int control, int *at);

/* Value; gradient by a, b (count each) and h; hessian with rows of `stride` numbers. */
double ac_speed_evaluate(const ac_discrete *discrete, int control, const int *at, int count, const double *a,
                         const double *b, double h, double *gradient, double *hessian, int stride);

/* The speed times h alone: the way of the control from a to b. */
double ac_speed_way(const ac_discrete *discrete, int control, const double *a, const double *b);
/* Derivative of the speed along changes of the numbers that vary (one slope per key). */
double ac_speed_by_numbers(const ac_discrete *discrete, int control, const double *a, const double *b,
                           double h, const ac_varying *varying, const double *slopes);

#endif
