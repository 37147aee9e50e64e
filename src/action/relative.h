/* Inertia of nodes of unit dual quaternions on an interval: a function of the pose of q_b seen from q_a,
 *
 *   L_d = h/2 sum m_i (2 y_i / h)^2 = 2/h sum m_i y_i^2,   y = conj(q~_a) q~_b - (+-1, 0, 0, 0, 0, 0, 0, 0)
 *
 * the trapezoidal rule for the velocity 2 conj(q~) q~', the same at both ends. m holds the inertia about the body axes and the
 * mass, and the two free numbers alpha_1 and alpha_2 of the scalar parts, whose limit is zero. The sign
 * of the scalar part is that of conj(q~_a) q~_b. y is bilinear, so all derivatives are short.
 */
#ifndef ACTIO_ACTION_RELATIVE_H
#define ACTIO_ACTION_RELATIVE_H

#include "action/describe/discrete.h"
#include "model/system.h"

/* The masses m of the header. */
void ac_relative_masses(const ac_node *node, double m[8]);
/* The derivative by an entry (i, j) of the node's mass matrix of what has the derivatives `by` by these eight, all entries of a block
 * being changed alike; the scalar parts by the entries at AC_DUAL_AT and AC_DUAL_AT + 4, which the mass matrix does not have. */
double ac_relative_by_mass(const ac_node *node, int i, int j, const double by[8]);

/* y of the header. */
void ac_relative_between(const double *a, const double *b, double y[8]);

/* out += D1 L_d (side 0) or D2 L_d (side 1) of all such nodes */
void ac_relative_add(const ac_system *system, const double *qa, const double *qb, double h, int side,
                     double *out);
/* out -= (d D1 L_d / d q_b) x */
void ac_relative_add_slope(const ac_system *system, const double *qa, const double *qb, double h,
                           const double *x, double *out);
/* Their kinetic energy on the interval, by part: of the place (translation) and of the turn. */
double ac_relative_energy(const ac_system *system, const double *qa, const double *qb, double h,
                          double *translation);
/* Sets those entries of a momentum M v to zero whose node has its inertia here. */
void ac_relative_clear(const ac_system *system, double *momentum);
/* The momentum of the coordinates of such nodes as one of place and directors with the same wrench, M v of a velocity v at q:
 * what energies at one time are computed from. */
void ac_relative_lift(const ac_system *system, const double *q, double *p);

/* Before q is filled: signs of dual quaternions will continue those of the time node before. */
void ac_relative_follow(const ac_system *system, const double *before, double *q);

/* wl . left + wr . right by each of the eight masses of such a node. */
void ac_relative_by_masses(const ac_node *node, const ac_discrete_point *p, const double *wl,
                           const double *wr, double by[8]);
/* Changes along those of the ends (NULL: none) and of the masses: `by` gets that of ac_relative_by_masses, and out what the masses
 * change by the ends, left and right. */
void ac_relative_bend_masses(const ac_node *node, const ac_discrete_point *p, const double *wl,
                             const double *wr, const ac_interval_change *change, const double masses[8],
                             const ac_bent *out, double by[8]);
/* The transposed product (wl, wr)^T d(left, right)/d(a, b), added to out_a and out_b; each may be NULL. */
void ac_relative_pull(const ac_system *system, const ac_discrete_point *p, const double *wl, const double *wr,
                      double *out_a, double *out_b);
/* relative_vary.c: by free parameters, through the masses. */
void ac_relative_parameter_slopes(const ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink,
                                  void *user);
void ac_relative_parameter_curvature(const ac_discrete *d, const ac_discrete_point *p, bool by_h,
                                     const double *wl, const double *wr, ac_curvature_sink sink, void *user);
/* First derivatives of left and right, and second ones of wl . left + wr . right. */
void ac_relative_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                        void *user);
void ac_relative_curvature(const ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user);

#endif
