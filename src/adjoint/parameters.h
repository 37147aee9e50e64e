/* Gradients by named parameters: how a parameter acts on a system, and what the sweep gathers; see parameters.c. */
#ifndef ACTIO_ADJOINT_PARAMETERS_H
#define ACTIO_ADJOINT_PARAMETERS_H

#include "actio/adjoint.h"
#include "action/describe/numbers.h"
#include "action/interval.h"
#include "adjoint/number_groups.h"

/* How a parameter acts: by derivatives of the data of the system and of its start, and of loads over time. */
typedef struct ac_parameter_action {
    const char *name;
    const ac_system_slope *slope;
    void *user;
    /* Does a component of a load depend on it, and the derivative of its mean over [t, t + h]; NULL: none does. */
    bool (*load_varies)(void *user, int load, int component);
    double (*load)(void *user, int load, int component, double t, double h);
} ac_parameter_action;

typedef struct ac_number_change { /* of a number by a parameter; more than one add up */
    ac_number_key key;
    int parameter;
    double share;
} ac_number_change;

typedef struct ac_number_changes {
    ac_context *ctx;
    int count, capacity;
    ac_number_change *list;
} ac_number_changes;

ac_status ac_number_changes_add(ac_number_changes *to, const ac_number_key *key, int parameter, double share);

/* Places and length of a tree joint by a parameter, and how its frames turn. Places and length act on the motion without multipliers
 * (tree/places.h); turns do so where the equations are those of joint coordinates (tree/frames.h). */
typedef struct ac_moved_joint {
    int child, parameter;
    double a[3], b[3], length; /* a: the parent's side */
    double turn[2][3];         /* of the parent's frame, of the child's */
} ac_moved_joint;

typedef struct ac_driven_input { /* a load that depends on a parameter */
    int parameter, input;
} ac_driven_input;

/* Second derivatives by the parameters along a direction of them: of numbers, by a parameter each; of the start (q, v of each
 * parameter, added to); then, for this direction, of the mean of a load over [t, t + h]. */
typedef struct ac_parameter_curvature {
    void *user;
    ac_status (*bend)(void *user, const double *direction, ac_number_changes *numbers, double *start);
    double (*load)(void *user, int parameter, int load, int component, double t, double h);
} ac_parameter_curvature;

struct ac_second_parameters;

typedef struct ac_adjoint_parameters {
    int count;
    const ac_parameter_action *actions; /* of the caller */
    ac_varying varying;
    int slope_count;
    ac_number_slope *slopes;
    ac_number_groups groups;
    double *by;    /* per number: gathered on the way */
    double *start; /* per parameter and coordinate: derivatives of q, then of v at the start */
    int driven_count;
    ac_driven_input *driven;
    double *total;     /* per parameter */
    double *over_time; /* per stretch and parameter */
    bool by_rows;      /* what varies in the rows of the tree is known by their numbers only */
    int joint_count;
    ac_moved_joint *joints; /* by ascending children */
    double *residual, *eta, *turned, *forces;
    const ac_parameter_curvature *curvature; /* NULL: none is known */
    bool idle;                               /* a sweep for second derivatives gathers nothing here */
    struct ac_second_parameters *along;      /* the direction of a product that is being found; NULL: none */
} ac_adjoint_parameters;

#endif
