/* A torque T on a node as a force on its coordinates, f = B(q) T, and its derivatives.
 *
 *   body     f_I = 1/2 T x d^I    (d^I reciprocal to d_I, so that sum d_I x f_I = T for any directors, also averaged ones)
 *   planar   f_d = T perpendicular(d) / |d|^2
 *
 * The only convention for torques: loads, controls and joints use it.
 */
#ifndef ACTIO_ACTION_TORQUE_H
#define ACTIO_ACTION_TORQUE_H

#include "model/system.h"

/* f += factor B(x) T on the coordinates x of the node; points take no torque. */
void ac_torque_add(const ac_node *node, const double *x, const double T[3], double factor, double *f);
/* Derivatives of f by x (size x size) and by T (size x 3); both are overwritten. */
void ac_torque_slopes(const ac_node *node, const double *x, const double T[3], double *by_x, double *by_T);
/* Second derivatives of w . f: by x twice (size x size), by x and T (size x 3); both are overwritten. */
void ac_torque_curvature(const ac_node *node, const double *x, const double T[3], const double *w, double *xx,
                         double *xT);

#endif
