/* What the library knows of an expression beyond its public face. */
#ifndef ACTIO_BASE_EXPRESSION_H
#define ACTIO_BASE_EXPRESSION_H

#include <stdbool.h>

#include "actio/expression.h"

/* Whether the second derivative by variables i and j can be anything but zero, judged by the form alone. */
bool ac_expression_bends(const ac_expression *expression, int i, int j);
/* Does variable i stand in it? */
bool ac_expression_has(const ac_expression *expression, int i);
/* The value at x, its derivative by variable i, and the one by variables i and j. */
double ac_expression_along(const ac_expression *expression, const double *x, int i, int j, double *first,
                           double *second);
/* Where the value (0), the slope (1) or the curvature (2) is not finite at x: the order, and the operation that fails in words, such as
 * "sqrt(x) at x = 0". -1: all are finite. */
int ac_expression_edge(const ac_expression *expression, const double *x, char *text, size_t size);
int ac_expression_variables(const ac_expression *expression);
/* third (variables squared) = sum over k of s_k times the third derivatives by variables i, j and k. Allocates nothing. */
void ac_expression_third(const ac_expression *expression, const double *x, const double *s, double *third);
/* The same expression with numbers in the place of its variables from `kept` on; the caller frees it. */
ac_status ac_expression_bind(ac_context *ctx, const ac_expression *expression, int kept, const double *values,
                             ac_expression **bound);
/* Has it smooth functions only (neither step, abs, min nor max)? */
bool ac_expression_is_smooth(const ac_expression *expression);
/* The integral over a stretch of time that is as short as rounding leaves it, of the derivative by variable i: it is zero but
 * for jumps there whose time depends on it. x[time] is changed. */
double ac_expression_impulse(const ac_expression *expression, double *x, int i, int time, double from,
                             double to);
/* Whether step, abs, min or max may switch while a variable goes from one value to another, the others being x. False is
 * certain. */
bool ac_expression_switches(const ac_expression *expression, const double *x, int variable, double from,
                            double to);

#endif
