/* Quantities of the motion: momentum, angular momentum and kinetic energy of one body or point. Each is a
 * quadratic map of a configuration and its velocity, z = (q, w), so all its derivatives are short. */
#ifndef ACTIO_CONTROL_MOTION_H
#define ACTIO_CONTROL_MOTION_H

#include "control/scalar.h"

/* Coordinates of a scalar of the motion from here on are velocities: AC_MOTION_VELOCITY + i is w_i. */
enum { AC_MOTION_VELOCITY = 1 << 28 };

typedef enum ac_motion_kind {
    AC_MOTION_MOMENTUM, /* e . sum (M w) of the places */
    AC_MOTION_ANGULAR,  /* e . sum x X (M w) over places and directors */
    AC_MOTION_KINETIC   /* w . M w / 2 */
} ac_motion_kind;

typedef struct ac_motion_source {
    ac_motion_kind kind;
    int node;
    double along[3];
    const double *about; /* of an angular momentum: a place of the world; NULL: the body's own centre */
} ac_motion_source;

/* AC_BAD_INPUT when the mass of the node is coupled to that of others (inside a beam). */
ac_status ac_scalars_add_motion(ac_scalars *set, const ac_system *system, const ac_motion_source *source,
                                int *number);

/* At a node, by its slots; gradient (count) and hessian (rows `stride` apart) may be NULL. */
double ac_motion_at_node(const ac_scalars *set, int k, const double *q, const double *w, double *gradient,
                         double *hessian, int stride);
/* On an interval: q is the mean of both ends, w their difference quotient. By the slots of a, of b, and h. */
double ac_motion_on_interval(const ac_scalars *set, int k, const double *a, const double *b, double h,
                             double *gradient, double *hessian, int stride);

#endif
