/* Derivatives of the data of a system by one parameter: of masses, places, lengths, stiffness, of whatever a
 * description sets. They stand beside the system, which is as it is; what follows from data (rows of constraints, measures, the
 * start) has its derivative by the rules of the product and of the implicit function, never by differences.
 *
 * A slope of a slope has the same members: how those of the slope `of` change along `along`. Turns are then second derivatives of the
 * rotation vector t of exp(t) R, so that R'' = ([t''] + ([a][b] + [b][a]) / 2) R with the turns a and b of both.
 */
#ifndef ACTIO_MODEL_SLOPE_H
#define ACTIO_MODEL_SLOPE_H

#include "model/system.h"

typedef struct ac_node_slope {
    double mass, euler[9], ambient[2];
    double centre[3];            /* in the user's frame */
    double place[3], turn[3];    /* of the initial pose: its reference point, and the turn in world axes */
    double velocity[3], spin[3]; /* given ones, as in ac_node */
    /* of a beam: the pose as given, seen from that of the beam's first node, in its axes */
    double within_place[3], within_turn[3];
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

typedef struct ac_contact_slope {
    double place[2][3]; /* of the point that strikes, and of that of the surface */
    double radius, other_radius, limit, restitution, loss;
} ac_contact_slope;

typedef struct ac_beam_slope {
    double damping, relaxation[2];
    double rest;                        /* of the rest length */
    double ambient[4];                  /* inertia and stiffness of scalar parts of dual quaternions */
    double named[2][AC_FUNCTION_NAMES]; /* parameters in energy and potential */
} ac_beam_slope;

/* Where strains are taken (ac_strain_point). */
typedef struct ac_strain_slope {
    double stretch, bend; /* of the lengths over which positions and frames differ, by their values */
    double stiffness[6], reference[6];
    double share[2]; /* of the beam's length: where stiffness against stretch and bending is taken */
} ac_strain_slope;

/* Where mass and inertia per length are taken (ac_mass_point). */
typedef struct ac_mass_point_slope {
    double density, inertia[2];
    double stretch, bend, share; /* as above */
} ac_mass_point_slope;

typedef struct ac_pair_slope {
    double mass, euler[3];
} ac_pair_slope;

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
    const struct ac_system_slope *of, *along; /* NULL: it is a first derivative */
    double gravity[3];
    ac_node_slope *nodes;
    ac_joint_slope *joints;
    ac_spring_slope *springs;
    double (*loads)[3]; /* places */
    ac_contact_slope *contacts;
    int control_count;
    ac_control_slope *controls; /* forces of controls, which are inputs before the loads */
    ac_beam_slope *beams;
    ac_strain_slope *strains;
    ac_mass_point_slope *mass_points;
    ac_pair_slope *pairs;
    double *q, *v; /* of the assembled start (assembly/start_slopes.c), n each */
} ac_system_slope;

ac_status ac_system_slope_new(ac_context *ctx, const ac_system *system, ac_system_slope **slope);
void ac_system_slope_free(ac_system_slope *slope);

/* beam/slope.c: lengths, strains without stress and shares of a beam, from its nodes (within_place, within_turn) as far as they
 * give them; `rest`: by its value, of a beam with a rest length of its own. */
void ac_beam_slope_geometry(ac_system_slope *slope, int beam, bool has_rest, double rest);
/* A function of a beam (mesh.functions): the length that it stands for and its place along the beam. */
void ac_beam_function_slope(const ac_system_slope *slope, int function, double *weight, double *at);
/* Masses of its nodes and pairs of nodes from those at its mass points. */
void ac_beam_slope_masses(ac_system_slope *slope, int beam);

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
