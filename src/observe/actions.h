/* Actions: loads, springs, dampers and joints as forces and torques that can be seen, at places of the
 * world.
 *
 * Inside, every force is one on coordinates; here it is taken back to the node that it acts on. Each kind is
 * a group of channels GROUP/NAME/place with GROUP/NAME/force or GROUP/NAME/torque. What acts between two
 * nodes is shown where it acts on the second one (on the first, if the second is the ground).
 */
#ifndef ACTIO_OBSERVE_ACTIONS_H
#define ACTIO_OBSERVE_ACTIONS_H

#include "model/system.h"

typedef struct ac_action { /* world axes */
    double place[3], force[3], torque[3];
} ac_action;

/* The place of a point of a node in the world; `place` relative to its reference point, in node axes. */
void ac_node_world(const ac_system *system, int node, const double *q, const double place[3],
                   double world[3]);
/* A force f on the coordinates of a node (its own only), seen at a place of it. */
void ac_action_of(const ac_system *system, int node, const double *q, const double place[3], const double *f,
                  ac_action *action);
/* The force `value` on a measure. */
void ac_measure_action(const ac_system *system, int measure, const double *q, const double *winding,
                       double value, ac_action *action);

/* Is it a torque that the measure, load or spring exerts? A force otherwise. */
bool ac_measure_turns(const ac_system *system, int measure);
bool ac_load_turns(const ac_system *system, int load);
/* Can the joint exert a torque beside its force? */
bool ac_joint_turns(const ac_joint_data *joint);

void ac_load_action(const ac_system *system, int load, double t, const double *q, const double *winding,
                    double factor, ac_action *action);
/* Spring and damper together; v: velocity of the coordinates, NULL at rest. */
void ac_spring_action(const ac_system *system, int spring, const double *q, const double *v,
                      const double *winding, ac_action *action);
/* What the joint exerts, -G^T lambda, at its frame on that node. */
void ac_joint_action(const ac_system *system, int joint, const double *q, const double *lambda,
                     ac_action *action);

#endif
