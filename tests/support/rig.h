/* Building small mechanisms for tests with few words.
 *
 * Bodies are drawn in the world; joints are given by a point and an axis in the world and, if wanted, by the
 * coordinates that they have in the initial configuration. The first failure stays in `status` and turns all
 * further calls into nothing.
 */
#ifndef ACTIO_TESTS_SUPPORT_RIG_H
#define ACTIO_TESTS_SUPPORT_RIG_H

#include <stdbool.h>

#include "actio/model.h"
#include "model/system.h"
#include "support/numeric.h"

typedef struct rig {
    ac_context *ctx;
    ac_system *system;
    ac_status status;
    ac_assembly assembly;
    bool own_context;
    bool posed; /* draw bodies, but let joint coordinates decide (set before rig_joint) */
} rig;

/* ctx NULL: a context of its own. */
void rig_open(rig *r, ac_context *ctx);
void rig_close(rig *r);
void rig_gravity(rig *r, double x, double y, double z);
/* A body with principal moments, centre of mass in its origin; rotation NULL: as the world. */
int rig_body(rig *r, const char *name, double mass, const double inertia[3], const double position[3],
             const double rotation[9]);
/* A body with full inertia, its centre away from its origin, and its own velocity. */
int rig_odd_body(rig *r, const char *name, dice *d, const double position[3], const double rotation[9],
                 bool moving);
/* A straight rod from a to b (1 kg per metre times `density`), thin. */
int rig_rod(rig *r, const char *name, const double a[3], const double b[3], double density);
int rig_planar(rig *r, const char *name, double mass, double inertia, double x, double y, double angle);
/* A planar rod from a to b. */
int rig_planar_rod(rig *r, const char *name, const double a[2], const double b[2], double density);
int rig_point(rig *r, const char *name, double mass, int dimension, double x, double y, double z);
/* Velocity of the node drawn last. */
void rig_moving(rig *r, int node, const double velocity[3], const double spin[3]);

/* coordinates NULL: all zero as drawn. Returns the number of the joint. */
int rig_joint(rig *r, const char *name, ac_joint_type type, int a, int b, const double point[3],
              const double axis[3], const double *coordinates);
/* Distance between two points of the world, one on each node. */
int rig_distance(rig *r, const char *name, int a, int b, const double on_a[3], const double on_b[3]);
void rig_rates(rig *r, int joint, double first, double second, double third);
void rig_given(rig *r, int joint, double first, double second, double third);
/* Spring between two points of the world, one on each node. */
void rig_spring(rig *r, int a, int b, const double on_a[3], const double on_b[3], double stiffness,
                double damping, double length);
void rig_joint_spring(rig *r, int joint, int coordinate, double stiffness, double damping, double rest);
/* Loads; each text is an expression of t, NULL for zero. */
void rig_force(rig *r, int node, const double world_point[3], bool follows, const char *x, const char *y,
               const char *z);
void rig_torque(rig *r, int node, bool follows, const char *x, const char *y, const char *z);
void rig_joint_load(rig *r, int joint, int coordinate, const char *value);

/* A configuration near the initial one that the joints of the tree allow. */
void rig_moved(dice *d, const ac_system *system, double *q);

/* Finishes; returns the status. */
ac_status rig_finish(rig *r);

#endif
