/* The start of the motion as a function of free parameters.
 *
 * Given coordinates of joints depend on parameters, places and lengths move the nodes of the tree, and loops follow: freedoms of given coordinates
 * are held, and the closure decides the others. The same holds for rates. A loop whose freedoms are not all decided in this way is refused, because
 * its first state then depends on how assembly found it.
 *
 * In the programme the freedoms of the start, xi, and their rates, u, are unknowns with rows (transcribe/start_rows.c):
 *   xi_f = c_f(p), u_f = r_f(p) for what is held,   g(F(xi, p), p) = 0,  G D u = 0 for loops,
 * so that all derivatives are those of the chart and of the constraints.
 */
#ifndef ACTIO_OPTIMIZE_PROBLEM_START_H
#define ACTIO_OPTIMIZE_PROBLEM_START_H

#include "action/chart/chart.h"

typedef struct ac_start {
    ac_context *ctx;
    const ac_variation *vary;
    ac_chart chart;
    bool closes; /* loops follow parameters */
    bool moves;  /* it has a velocity */
    bool *held;  /* per freedom; then per rate; all, unless loops close */
    double *u;   /* per freedom: its rate at the given values */
    /* an evaluation; V: derivative of D u */
    ac_chart_point point;
    double *V;
    ac_joint_state *state;
} ac_start;

/* `velocity`: that of the start is given. */
ac_status ac_start_create(ac_context *ctx, const ac_variation *variation, bool velocity, ac_start *start);
void ac_start_destroy(ac_start *start);
/* Loops follow parameters: finds what is held; fails when that does not decide the others. */
ac_status ac_start_close(ac_start *start);
/* Evaluates the chart. */
void ac_start_at(ac_start *start, const double *xi);
/* Freedoms and rates at the present values of the parameters; false: the loops cannot be closed. */
ac_status ac_start_find(ac_start *start, double *xi, double *u, bool *found);
/* How far the loops are open in the last evaluation. */
double ac_start_gap(const ac_start *start);
/* The velocity D u of the last evaluation. */
void ac_start_velocity(const ac_start *start, const double *u, double *v);

#endif
