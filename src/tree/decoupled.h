/* Joint motions that are counted from the ground instead of from the body that carries the joint: the decoupled convention
 * of actuated pairs (Leyendecker 2011, (5.33)-(5.36)).
 *
 *   following   twist of the child = that of the parent, carried to it, + S u
 *   decoupled   the same with u - C (twist of the parent) in place of u,
 *
 * where C takes the angular velocity along the axis of a turn, n . w, and the velocity of the reference point along the
 * axis of a shift, m . v: a turn of the parent about n, or a shift along m, does not move the child, w2 = (I - n n^T) w1 +
 * u n. A ball joint has the angular velocity of the child itself. Both bases span the same motions. In the decoupled one a
 * motor acts on the joint and, with opposite sign, on the freedoms of the parent (5.36). A distance joint has no
 * coordinates and is left as it is.
 */
#ifndef ACTIO_TREE_DECOUPLED_H
#define ACTIO_TREE_DECOUPLED_H

#include "tree/kinematics.h"

/* out: decoupled rates of the tree velocities u at q, with the joint twists there; twists (6 per node) is workspace. */
void ac_decoupled_rates(const ac_system *system, const double *columns, const double *q, const double *u,
                        double *twists, double *out);
/* r = P^T f with the decoupled null space matrix P; `wrenches` (6 per node) is workspace. */
void ac_decoupled_project(const ac_system *system, const double *columns, const double *q, const double *f,
                          double *wrenches, double *r);
/* state, q <- `from` (configuration q_from, joint twists `columns`) moved by decoupled increments. Axes of turns are those
 * before the motion, axes of shifts those after it, so that the joints hold whatever the increment. */
void ac_decoupled_move(const ac_system *system, const double *columns, const double *increment,
                       const ac_joint_state *from, const double *q_from, ac_joint_state *state, double *q);

#endif
