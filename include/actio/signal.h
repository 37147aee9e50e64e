/* Numbers that depend on time: constant, piecewise linear or constant table, or an expression of t. */
#ifndef ACTIO_SIGNAL_H
#define ACTIO_SIGNAL_H

#include "actio/context.h"
#include "actio/expression.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_signal ac_signal;

AC_API ac_status ac_signal_constant(ac_context *ctx, double value, ac_signal **signal);
/* Linear between the points, constant outside; times must increase strictly. */
AC_API ac_status ac_signal_table(ac_context *ctx, int count, const double *time, const double *value,
                                 ac_signal **signal);
/* Each value holds from its time to the next one, the first also before, the last also behind. */
AC_API ac_status ac_signal_steps(ac_context *ctx, int count, const double *time, const double *value,
                                 ac_signal **signal);
/* An expression of `t`, such as "2*sin(3*t)"; see actio/expression.h for its language. */
AC_API ac_status ac_signal_expression(ac_context *ctx, const char *text, ac_signal **signal);
/* An expression whose only variable is t; the signal takes it over, also when this fails. */
AC_API ac_status ac_signal_from_expression(ac_context *ctx, ac_expression *expression, ac_signal **signal);
AC_API double ac_signal_value(const ac_signal *signal, double t);
/* Value, first and second derivative by t; of a table those of one side at its points. */
AC_API double ac_signal_derivatives(const ac_signal *signal, double t, double *first, double *second);
/* Mean value over [t, t + h], so that h times it is the impulse: exact for tables; expressions are integrated between
 * their jumps and kinks. h = 0: the value at t. */
AC_API double ac_signal_mean(const ac_signal *signal, double t, double h);
/* The mean over [n h, (n + 1) h] and its first two derivatives by h. */
AC_API double ac_signal_mean_slopes(const ac_signal *signal, double n, double h, double *first,
                                    double *second);
/* What acts on an interval is the value in its middle, as publications sample loads, instead of the mean. */
AC_API void ac_signal_sample_middle(ac_signal *signal);
AC_API void ac_signal_free(ac_signal *signal);

#ifdef __cplusplus
}
#endif
#endif
