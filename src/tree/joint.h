/* Motion of one tree joint: tangent, retractions, poses and states, all from the walk of the child (its row of
 * elementary motions as seen from the parent).
 *
 * There are two retractions with the same tangent. A step of a simulation moves a ball by the exponential of
 * its increments and a swing about one axis, so that repeating an increment repeats the rotation; it folds full
 * turns away. A chart of the optimiser moves them in single turns, one after another: then derivatives of any
 * order are brackets (action/chart), and angles keep their full turns. Shifts and turns are the same in both.
 */
#ifndef ACTIO_TREE_JOINT_H
#define ACTIO_TREE_JOINT_H

#include "model/system.h"

/* World position and axes (row by row, columns are axes) of a joint frame. */
void ac_side_frame(const ac_system *system, const ac_side *side, const double *q, double x[3],
                   double axes[9]);
/* Columns of the child's twist relative to the parent (6 numbers each), at any q (also averaged ones). */
void ac_joint_tangent(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                      const double *q, double *columns);
/* state <- `from` moved by the increments of the child's freedoms. */
void ac_joint_move(const ac_node *child, const double *increment, const ac_joint_state *from,
                   ac_joint_state *state);
/* state <- state moved in single turns; axis (3 per freedom) receives their axes and the directions of
 * shifts, in the parent's joint frame. */
void ac_joint_move_in_turns(const ac_node *child, const double *increment, ac_joint_state *state,
                            double *axis);
/* How far a state is shifted along an axis of the frame in which its joint slides. */
double ac_joint_slide(const ac_node *child, const ac_joint_state *state, int axis);
/* Pose of the child from that of its parent, written into q. */
void ac_joint_forward(const ac_system *system, const ac_node *child, const ac_joint_state *state, double *q);
/* The state nearest to the poses in q. */
void ac_joint_read_state(const ac_system *system, const ac_node *child, const double *q,
                         ac_joint_state *state);
/* The state that the given coordinates stand for, and tree velocities from the rates of coordinates. */
void ac_joint_from_coordinates(const ac_system *system, const ac_node *child, const double coordinates[3],
                               ac_joint_state *state);
void ac_joint_from_rates(const ac_system *system, const ac_node *child, const double rates[3],
                         const ac_joint_state *state, double *u);

#endif
