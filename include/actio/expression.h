/* Arithmetic expressions with exact first and second derivatives.
 *
 * Language: numbers, names, + - * / ^ (right associative, binds stronger than a sign in front),
 * parentheses, `pi`, and the functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs
 * min max step (0 for negative, 1 otherwise).
 */
#ifndef ACTIO_EXPRESSION_H
#define ACTIO_EXPRESSION_H

#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_expression ac_expression;

/* Looks up the value of a named constant; returns nonzero when there is one. */
typedef int (*ac_constant_lookup)(void *user, const char *name, double *value);

/* Compiles `text`. A name is one of the `variables`, or a constant that `lookup` (may be NULL) knows.
 * On failure the message says what is wrong and `*column` (may be NULL) gets the place, from 1. */
AC_API ac_status ac_expression_parse(ac_context *ctx, const char *text, const char *const *variables,
                                     int variable_count, ac_constant_lookup lookup, void *user, int *column,
                                     ac_expression **expression);
AC_API void ac_expression_free(ac_expression *expression);

/* An expression of its own with the same text; the caller frees it. */
AC_API ac_status ac_expression_copy(ac_context *ctx, const ac_expression *expression, ac_expression **copy);

/* The value at x (one number per variable). Allocates nothing. */
AC_API double ac_expression_value(const ac_expression *expression, const double *x);

/* Value, gradient (variable_count) and Hessian (variable_count squared, may be NULL), exact. Allocates
 * nothing. */
AC_API double ac_expression_derivatives(const ac_expression *expression, const double *x, double *gradient,
                                        double *hessian);

#ifdef __cplusplus
}
#endif
#endif
