/* An interval of the trapezoidal rule for the coordinates of the chart, of an open tree:
 *
 *   L_d = h/2 [L(a, v) + L(b, v)],  v = (b - a) / h,   L(theta, v) = 1/2 v^T m(theta) v - V(theta)
 *   left = D1 L_d = h/2 F_a - (p_a + p_b)/2,           right = D2 L_d = h/2 F_b + (p_a + p_b)/2
 *
 * with momentum p and force F of action/chart/minimal.h. The stepper of joint coordinates and its adjoint stand on it. */
#ifndef ACTIO_ACTION_CHART_CHART_INTERVAL_H
#define ACTIO_ACTION_CHART_CHART_INTERVAL_H

#include "action/chart/minimal.h"

/* An end of the interval: its Lagrangian, and momentum and force for the present v with their slopes by theta and v. */
typedef struct ac_chart_end {
    ac_minimal at;
    double *theta, *p, *f, *p_t, *p_v, *f_t, *f_v;
} ac_chart_end;

typedef struct ac_chart_interval {
    ac_context *ctx;
    int T;
    ac_chart chart;
    ac_chart_end end[2];
    double *v, *left, *right;
} ac_chart_interval;

/* `discrete`: the springs; it stays where it is. The coordinates are counted from the start of the system. */
ac_status ac_chart_interval_create(ac_context *ctx, const ac_system *system, const ac_discrete *discrete,
                                   ac_chart_interval *interval);
void ac_chart_interval_destroy(ac_chart_interval *interval);
/* The start of the system has changed. */
void ac_chart_interval_restart(ac_chart_interval *interval);
/* Momenta and forces of both ends, left and right; the ends stand at their theta (ac_minimal_at). */
void ac_chart_interval_evaluate(ac_chart_interval *interval, double h);
/* Derivatives of left and right by the coordinates of both ends, T squared each; NULL: not wanted. */
void ac_chart_interval_slopes(const ac_chart_interval *interval, double h, double *left_a, double *left_b,
                              double *right_a, double *right_b);

#endif
