/* What the library knows of a signal beyond its public face. */
#ifndef ACTIO_BASE_SIGNAL_H
#define ACTIO_BASE_SIGNAL_H

#include <stdbool.h>

#include "actio/signal.h"

/* An expression of `count` numbers and of t, its last variable. The numbers stand in x, which stays the caller's and
 * has room for one more: the signal puts t there. So one thread at a time may ask. The signal takes the expression
 * over, also when this fails. */
ac_status ac_signal_of_numbers(ac_context *ctx, ac_expression *expression, int count, double *x,
                               ac_signal **signal);
/* Is it sampled in the middle of intervals? */
bool ac_signal_is_sampled(const ac_signal *signal);
/* The points of a table, which may be changed as long as their times increase; 0: it is none. */
int ac_signal_points(ac_signal *signal, double **time, double **value);
/* Does the value jump between two times? `at`: where. A kink is no jump. */
bool ac_signal_jumps(const ac_signal *signal, double from, double to, double *at);
/* Derivatives of the mean over [t, t + h] by t and by h > 0. */
void ac_signal_mean_by_times(const ac_signal *signal, double t, double h, double *by_t, double *by_h);
/* Derivative of the mean of a table over [t, t + h] (ac_signal_mean) by the value or the time of one of its points. */
double ac_signal_mean_by_point(const ac_signal *signal, int point, bool by_time, double t, double h);

#endif
