/* Lagrangians in minimal coordinates, for comparison: L(theta, v) = 1/2 v^T m(theta) v - V(theta) of an
 * open tree, with theta the coordinates of the chart about the initial configuration. Small systems only:
 * tensors to the third derivative are formed.
 *
 *   DMOC               L_d = h L((a + b)/2, (b - a)/h)
 *   collocation (q, v) m (v_b - v_a) + h (dm[v] v - 1/2 v dm v + dV - tau) = 0 at the mean, b - a = h v
 */
#ifndef ACTIO_ACTION_CHART_MINIMAL_H
#define ACTIO_ACTION_CHART_MINIMAL_H

#include "action/chart/chart.h"
#include "action/describe/discrete.h"

enum { AC_MINIMAL_MAX = 6 };

typedef struct ac_minimal {
    ac_context *ctx;
    const ac_chart *chart;
    const ac_discrete *discrete; /* its springs; NULL: none */
    int T;
    ac_joint_state *reference, *state;
    ac_chart_point point;
    double *theta;
    double *q1, *q2, *q3, *q4; /* derivatives of q: n per multi-index, all index orders */
    double *Mq1, *Mq2;         /* M times them */
    double *m, *m1, *m2, *m3;  /* m[jk], m1[l][jk], m2[l o][jk], m3[l o p][jk] */
    double *V1, *V2, *V3;
} ac_minimal;

ac_status ac_minimal_create(ac_context *ctx, const ac_chart *chart, const ac_joint_state *reference,
                            ac_minimal *minimal);
void ac_minimal_destroy(ac_minimal *minimal);

/* minimal_springs.c: adds the springs to the tensors of the potential. */
void ac_minimal_add_springs(ac_minimal *minimal, int order);

/* All tensors at theta, to the given order of derivatives of m and V (1 to 3). */
void ac_minimal_at(ac_minimal *minimal, const double *theta, int order);

/* With the tensors at the mean: momentum m v, force F = dL/dtheta, and their derivatives by theta and v. */
void ac_minimal_momentum(const ac_minimal *minimal, const double *v, double *p, double *by_theta,
                         double *by_v);
void ac_minimal_force(const ac_minimal *minimal, const double *v, double *f, double *by_theta, double *by_v);
/* Second derivatives of w . p (H_tt, H_tv: theta rows; H_vv is zero) and of w . F; each is added with a
 * factor. */
void ac_minimal_momentum_second(const ac_minimal *minimal, const double *v, const double *w, double factor,
                                double *tt, double *tv);
void ac_minimal_force_second(const ac_minimal *minimal, const double *v, const double *w, double factor,
                             double *tt, double *tv, double *vv);
/* Turning force C = dm[v] v: value, derivatives, second derivatives of w . C. */
void ac_minimal_turning(const ac_minimal *minimal, const double *v, double *f, double *by_theta,
                        double *by_v);
void ac_minimal_turning_second(const ac_minimal *minimal, const double *v, const double *w, double factor,
                               double *tt, double *tv, double *vv);

#endif
