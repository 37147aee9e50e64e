/* Lagrangians in joint coordinates: L(theta, v) = 1/2 v^T m(theta) v - V(theta) of an open tree, with theta
 * the coordinates of the chart about the initial configuration.
 *
 *   DMOC               L_d = h L((a + b)/2, (b - a)/h)
 *   collocation (q, v) m (v_b - v_a) + h (B - tau) = 0 at the mean, b - a = h v
 *
 * m = D^T M D and its derivatives are never formed: with u = D v and derivatives q_j, q_jk of q by theta,
 * summed along directions in brackets,
 *
 *   p_j = q_j . M u,   F_j = q_j[v] . M u - V_j,   B_j = q_j . M q[v, v] + V_j                            */
#ifndef ACTIO_ACTION_CHART_MINIMAL_H
#define ACTIO_ACTION_CHART_MINIMAL_H

#include "action/chart/chart.h"
#include "action/describe/discrete.h"

enum { AC_MINIMAL_VECTORS = 4, AC_MINIMAL_MATRICES = 4, AC_MINIMAL_SQUARES = 1 };

typedef struct ac_minimal {
    ac_context *ctx;
    const ac_chart *chart;
    const ac_discrete *discrete; /* its springs; NULL: none */
    int T;
    ac_joint_state *reference, *state;
    ac_chart_point point;
    double *MD;  /* n x T */
    double *row; /* workspace: T */
    double *vector[AC_MINIMAL_VECTORS], *matrix[AC_MINIMAL_MATRICES],
        *square[AC_MINIMAL_SQUARES]; /* workspace */
} ac_minimal;

ac_status ac_minimal_create(ac_context *ctx, const ac_chart *chart, const ac_joint_state *reference,
                            ac_minimal *minimal);
void ac_minimal_destroy(ac_minimal *minimal);

/* Takes over theta; the functions below are those of this configuration. */
void ac_minimal_at(ac_minimal *minimal, const double *theta);

/* Momentum m v, force F = dL/dtheta, bias B = dm[v] v - F, and their derivatives by theta and v (T squared; both
 * may be NULL). */
void ac_minimal_momentum(ac_minimal *minimal, const double *v, double *p, double *by_theta, double *by_v);
void ac_minimal_force(ac_minimal *minimal, const double *v, double *f, double *by_theta, double *by_v);
void ac_minimal_bias(ac_minimal *minimal, const double *v, double *b, double *by_theta, double *by_v);
/* Second derivatives of w . p, w . F, w . B by theta and theta, theta (rows) and v, v and v; each is added with a
 * factor. Those of w . p by v and v are zero. */
void ac_minimal_momentum_second(ac_minimal *minimal, const double *v, const double *w, double factor,
                                double *tt, double *tv);
void ac_minimal_force_second(ac_minimal *minimal, const double *v, const double *w, double factor, double *tt,
                             double *tv, double *vv);
void ac_minimal_bias_second(ac_minimal *minimal, const double *v, const double *w, double factor, double *tt,
                            double *tv, double *vv);

/* minimal_springs.c: adds the springs, with a factor, to the gradient and the second derivatives (or NULL) of
 * the potential, and to its third derivatives along w. */
void ac_minimal_add_springs(ac_minimal *minimal, double factor, double *first, double *second);
void ac_minimal_add_springs_third(ac_minimal *minimal, const double *w, double factor, double *tt);

/* out (T squared) += factor X^T Y, matrices n x T */
void ac_minimal_product(const ac_minimal *minimal, double factor, const double *X, const double *Y,
                        double *out);

#endif
