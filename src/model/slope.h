/* Derivatives of the data of a system by one parameter: of masses, places, lengths, stiffness, of whatever a
 * description sets. They stand beside the system, which is as it is; what follows from data (rows of constraints, measures, the
 * start) has its derivative by the rules of the product and of the implicit function, never by differences.
 */
#ifndef ACTIO_MODEL_SLOPE_H
#define ACTIO_MODEL_SLOPE_H

#include "model/system.h"

typedef struct ac_node_slope {
    double mass, euler[9], ambient[2];
    double centre[3];            /* in the user's frame */
    double place[3], turn[3];    /* of the initial pose: its reference point, and the turn in world axes */
    double velocity[3], spin[3]; /* given ones, as in ac_node */
} ac_node_slope;

typedef struct ac_joint_slope {
    double place[2][3]; /* of sides a and b, relative to the reference points */
    double turn[2][3];  /* of their frames, in the axes of the nodes */
    double length;
    double coordinates[3], rates[3];
} ac_joint_slope;

typedef struct ac_spring_slope {
    double stiffness, damping, rest;
    double place[2][3];
} ac_spring_slope;

typedef struct ac_beam_slope {
    double stiffness[6], damping;
    double mass, inertia[2]; /* of mass and inertia per length, by their values */
    double initial, stretch; /* of the given length and of the length without stress, by their values */
} ac_beam_slope;

/* A control that is a force at a place: a component in world axes, or in axes of the node. */
typedef struct ac_control_slope {
    int node; /* -1: it is no force */
    int component;
    bool follows;
    double place[3];
} ac_control_slope;

typedef struct ac_system_slope {
    ac_context *ctx;
    const ac_system *system;
    double gravity[3];
    ac_node_slope *nodes;
    ac_joint_slope *joints;
    ac_spring_slope *springs;
    double (*loads)[3]; /* places */
    int control_count;
    ac_control_slope *controls; /* forces of controls, which are inputs before the loads */
    ac_beam_slope *beams;
    double *q, *v; /* of the assembled start (assembly/start_slopes.c), n each */
} ac_system_slope;

ac_status ac_system_slope_new(ac_context *ctx, const ac_system *system, ac_system_slope **slope);
void ac_system_slope_free(ac_system_slope *slope);

/* Adds derivatives of the constraint rows of a joint to `forms`, one map for each row, with coordinates of q as indices. */
ac_status ac_joint_row_slopes(const ac_system_slope *slope, int joint, ac_context *ctx, ac_forms *forms);
/* Do the rows of a joint depend on the parameter? Do its frames turn? */
bool ac_joint_varies(const ac_system_slope *slope, int joint);
bool ac_frames_turn(const ac_system_slope *slope, int joint);
/* Adds the derivatives of the maps of a measure (cosine and sine of an angle, a value, the square of a length), with its own
 * coordinates as indices; `varies`: false, and nothing is added, where they are zero. */
ac_status ac_measure_slope(const ac_system_slope *slope, int measure, ac_context *ctx, ac_forms *forms,
                           bool *varies);

#endif
