/* Describing a mechanical system: nodes, joints, springs, loads.
 *
 * A system is described piece by piece, then finished (`ac_system_finish`): the tree of joints is
 * found, loops are closed, the configuration and velocity nearest to the initial ones that satisfy all
 * constraints are computed. After that the system is constant and may be shared by any number of
 * simulations.
 *
 * Units are SI throughout: m, kg, s, rad, N, N m. Names are copied. Rotations are 3 x 3, row by row in
 * memory, columns are the body axes (directors) in world coordinates.
 */
#ifndef ACTIO_MODEL_H
#define ACTIO_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "actio/context.h"
#include "actio/signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_system ac_system;

/* The node number of the ground. */
#define AC_GROUND (-1)

/* Place and orientation of a frame. */
typedef struct ac_pose {
    double position[3];
    double rotation[9];
} ac_pose;

AC_API ac_pose ac_pose_identity(void);

/* A rigid body: twelve coordinates, the centre of mass and three directors (the body axes). */
typedef struct ac_body {
    const char *name;
    double mass;
    double inertia[6];          /* about the centre of mass, body axes: xx, yy, zz, xy, yz, zx; the entries of
                                   the inertia tensor itself (products of inertia with a minus sign) */
    double centre[3];           /* centre of mass in the body frame */
    bool placed;                /* the pose below is given; otherwise it follows from the joints */
    ac_pose pose;               /* of the body frame */
    bool moving;                /* the velocities below are given; otherwise they follow from the joints */
    double velocity[3];         /* of the origin of the body frame, world axes */
    double angular_velocity[3]; /* world axes */
    /* moving: this one of the two is not given, it follows from the joints */
    bool velocity_follows, spin_follows;
} ac_body;

/* A planar body: four coordinates, the centre of mass and one director, in the plane z = 0. */
typedef struct ac_planar_body {
    const char *name;
    double mass;
    double inertia;   /* about the centre of mass */
    double centre[2]; /* centre of mass in the body frame */
    bool placed;
    double position[2];
    double angle;
    bool moving;
    double velocity[2];
    double angular_velocity;
    bool velocity_follows, spin_follows; /* as in ac_body */
} ac_planar_body;

/* A mass point with 1, 2 or 3 coordinates. */
typedef struct ac_point_mass {
    const char *name;
    double mass;
    int dimension;
    bool placed;
    double position[3];
    bool moving;
    double velocity[3];
} ac_point_mass;

typedef enum ac_joint_type {
    AC_SPHERICAL,
    AC_CYLINDRICAL,
    AC_REVOLUTE,
    AC_PRISMATIC,
    AC_PLANAR,
    AC_FIXED,
    AC_DISTANCE,
    AC_UNIVERSAL
} ac_joint_type;

/* A joint between two nodes, or a node and the ground. Each side has a joint frame, given in the frame
 * of its node; z is the axis (of rotation, sliding, or normal of the plane). All joint coordinates are
 * zero when the two joint frames coincide:
 *   spherical    rotation vector (3)     cylindrical  slide along z, angle about z (2)
 *   revolute     angle about z (1)       prismatic    slide along z (1)
 *   planar       x, y, angle (3)         fixed        none
 *   distance     none; the two origins stay `length` apart (the initial distance if length is 0)
 *   universal    angle about z of the first frame, angle about x of the second (2); these stay perpendicular
 */
typedef struct ac_joint {
    const char *name;
    ac_joint_type type;
    int a, b; /* node numbers; AC_GROUND for the ground */
    ac_pose frame_a, frame_b;
    double length;        /* distance joints only */
    bool has_coordinates; /* the initial coordinates are given: they hold exactly ... */
    bool hint;            /* ... or only choose the branch on which loops close */
    double coordinates[3];
    bool has_rates;
    double rates[3];
} ac_joint;

/* A point of a node, in the frame of that node (of the world for the ground). */
typedef struct ac_point {
    int node;
    double place[3];
} ac_point;

/* Spring and damper between two points: force = stiffness (l - length) + damping dl/dt. */
typedef struct ac_spring {
    const char *name;
    ac_point a, b;
    double stiffness, damping;
    double length; /* rest length; negative: the initial distance */
} ac_spring;

/* Spring and damper on one joint coordinate (revolute, prismatic, cylindrical, planar). */
typedef struct ac_joint_spring {
    const char *name;
    int joint;
    int coordinate;
    double stiffness, damping;
    double rest;
} ac_joint_spring;

typedef enum ac_load_type {
    AC_LOAD_FORCE,  /* at a point of a node */
    AC_LOAD_TORQUE, /* on a body */
    AC_LOAD_JOINT   /* generalised force on one joint coordinate, action = reaction */
} ac_load_type;

/* A load over time. The value has three components; AC_LOAD_JOINT takes the first only, a torque on a
 * planar body the third. */
typedef struct ac_load {
    const char *name;
    ac_load_type type;
    ac_point point; /* force: where; torque: which node */
    bool follows;   /* components in body axes instead of world axes */
    int joint;      /* AC_LOAD_JOINT */
    int coordinate;
    bool constant;       /* equilibria: acts in full at any load factor */
    ac_signal *value[3]; /* each may be NULL (zero); the system takes them over, also when adding fails */
} ac_load;

/* What a sum of multiples of joint coordinates is held at, at every time node. */
typedef enum ac_relation_kind {
    AC_RELATION_CONSTANT, /* a number: coordinates are coupled */
    AC_RELATION_VALUE,    /* the signal: the motion is prescribed */
    AC_RELATION_RATE      /* the sum at the start and the integral of the signal */
} ac_relation_kind;

typedef struct ac_relation_term {
    int joint, coordinate;
    double factor;
} ac_relation_term;

/* The most terms of a relation, and the most nodes that they may act on. */
#define AC_RELATION_TERMS 6

typedef struct ac_relation {
    const char *name;
    ac_relation_kind kind;
    int term_count;
    ac_relation_term terms[AC_RELATION_TERMS];
    bool equals_given; /* AC_RELATION_CONSTANT: the number; else that of the start */
    double equals;
    ac_signal *signal; /* the system takes it over, also when adding fails */
} ac_relation;

/* How strains follow from the nodes. The director model (finite elements) is the one for dynamics; the
 * others are Cosserat rods whose curvature comes from the Cayley transform, (2/l) tan(angle/2): with
 * frames at the vertices, or staggered on the edges between them (lumped mass). In the edge model the
 * system has one node more than the rod has vertices: the first two share the place of vertex 0 and carry
 * the frame of the end and of edge 0, node k + 1 is at vertex k and carries the frame of edge k, the last
 * node the frame at the end. ac_system_beam_node returns the node of a vertex. A torque on an inner vertex
 * acts on the frames of both its edges, half on each; a joint, or a force beside the axis, on the frame of
 * the edge that follows.
 * Dual quaternions: nodes are unit dual quaternions, strains the relative pose of two nodes, 2 sin(angle/2)/l for
 * bending, with lumped masses; for the trapezoidal scheme, whose step has a limit. Such beams are alone in a system. */
typedef enum ac_beam_model {
    AC_BEAM_DIRECTOR,
    AC_BEAM_VERTEX,
    AC_BEAM_EDGE,
    AC_BEAM_DUAL_QUATERNION
} ac_beam_model;

/* Stiffness and inertia of a beam at one place. */
typedef struct ac_beam_values {
    double stiffness[6]; /* GA_1, GA_2, EA, EI_1 (about d1), EI_2 (about d2), GJ */
    double mass;         /* per length, kg/m */
    double inertia[2];   /* per length, of d1 and d2: integrals of density x_1^2 and x_2^2, kg m */
} ac_beam_values;

/* The values at the share s of the length, 0 at the start and 1 at the end. */
typedef void (*ac_beam_profile)(const void *data, double s, ac_beam_values *values);

/* A geometrically exact beam: nodes with position and directors, d3 along the axis, elements between them
 * that interpolate both by polynomials of degree `order`, strains at `order` Gauss points of each. Strains
 * in the director frame: Gamma_i = d_i . x' (shear, shear, stretch), K_i (bending about d1 and d2,
 * torsion); the initial frames are free of stress unless `precurvature` says otherwise. Every node can be
 * joined, loaded and held as a body can; its frame is at the axis. */
typedef struct ac_beam {
    const char *name;
    ac_beam_model model;
    int order;    /* 1 or 2; 0 means 1; rods (vertex and edge model) have 1 */
    int elements; /* at least 1; edge model: edges, at least 2 */
    /* of the nodes, from start to end: elements x order + 1 + corner_count, edge model one more */
    const ac_pose *frames;
    /* Sharp corners, not in the edge model: rising numbers of nodes. The next node is at the same
     * place, begins the next element and keeps its rotation against this one. */
    const int *corners;
    int corner_count;
    double rest_length;     /* of the straight beam without stress; 0: the initial shape is without stress */
    double shear[2], axial; /* stiffness GA_1, GA_2, EA, N */
    double bending[2], torsion; /* stiffness EI_1 (about d1), EI_2 (about d2), GJ, N m^2 */
    double mass;                /* per length, kg/m */
    double inertia[2];          /* per length, of d1 and d2: integrals of density x_1^2 and x_2^2, kg m */
    /* Stiffness and inertia that change along the beam, instead of those above; may be NULL. It is asked at
     * quadrature points, only while the beam is added. */
    ac_beam_profile profile;
    const void *profile_data;
    /* curvature K_1, K_2, K_3 of the beam without stress, beyond the initial one, 1/m */
    double precurvature[3];
    double damping; /* Kelvin-Voigt: stress = stiffness (strain + damping d strain/dt), s */
    /* The same beside it for shear and torsion, and for stretch and bending, s (viscosity over modulus). Dual quaternions:
     * the free numbers alpha_1 to alpha_4 of the scalar parts of velocities (kg m, kg/m) and strains (N m^2, N), which the
     * limit does not depend on. */
    double relaxation[2], ambient[4];
    const double *point_masses; /* carried by the nodes, kg; may be NULL */
    bool moving;                /* it starts with the rigid motion below */
    double velocity[3];         /* of the first node, world axes */
    double angular_velocity[3];
} ac_beam;

AC_API ac_status ac_system_new(ac_context *ctx, ac_system **system);
AC_API void ac_system_free(ac_system *system);

AC_API ac_status ac_system_set_gravity(ac_system *system, const double gravity[3]);

/* Each adds a copy and returns its number through the last argument (which may be NULL). */
AC_API ac_status ac_system_add_body(ac_system *system, const ac_body *body, int *node);
AC_API ac_status ac_system_add_planar_body(ac_system *system, const ac_planar_body *body, int *node);
AC_API ac_status ac_system_add_point_mass(ac_system *system, const ac_point_mass *point, int *node);
/* Returns the number of the first node; the others follow it. */
AC_API ac_status ac_system_add_beam(ac_system *system, const ac_beam *beam, int *first_node);
AC_API ac_status ac_system_add_joint(ac_system *system, const ac_joint *joint, int *number);
AC_API ac_status ac_system_add_spring(ac_system *system, const ac_spring *spring);
AC_API ac_status ac_system_add_joint_spring(ac_system *system, const ac_joint_spring *spring);
AC_API ac_status ac_system_add_load(ac_system *system, const ac_load *load);
AC_API ac_status ac_system_add_relation(ac_system *system, const ac_relation *relation);

/* How the initial state was made consistent. */
typedef struct ac_assembly {
    double moved;   /* largest displacement of a body's position, m */
    int moved_node; /* the node it happened to, AC_GROUND if none */
    double turned;  /* largest rotation of a body, rad */
    int turned_node;
    double velocity_change; /* largest change of a given velocity, m/s or rad/s */
    int velocity_node;      /* its node, AC_GROUND if none */
    int velocity_joint;     /* the joint whose rate it is, -1: it is the velocity of the node */
    double velocity_given;  /* the rate that was given, or the size of the velocity */
    double velocity_start;  /* the rate at the start */
    double residual;        /* of all constraints, after assembly */
    int iterations;
    double strained;          /* largest shift of a beam's node against its neighbour, over their distance */
    int strained_node;        /* the first of the two, AC_GROUND if none */
    double sheared;           /* largest strain of a beam's element, also where a node was only turned */
    int sheared_node;         /* the first of its nodes, AC_GROUND if none */
    double coordinate_change; /* of a given joint coordinate: of a hint, or of one that cannot be reached */
    double coordinate_given;  /* its value as it was given */
    int coordinate_joint;     /* its joint, -1 if none */
    int extra_motions; /* of the start beyond those of its neighbours: the motion from here is not unique */
    bool
        alone; /* the loops close at the start, with dependent equations, and at no neighbour that was tried */
    int held_node; /* first node that spins freely about itself without inertia, AC_GROUND if none */
    int held_count;
} ac_assembly;

/* What assembly did to the given start, in words, number k from 0 on: bodies moved or turned, hints and velocities
 * changed, spins without inertia, a start whose motion is not unique. Given values that the start does not have are
 * warnings (ac_system_warning). False: there is no more. */
AC_API bool ac_system_assembly_text(const ac_system *system, int k, char *text, size_t size);

/* Closes the description and assembles the initial state. `assembly` may be NULL. */
AC_API ac_status ac_system_finish(ac_system *system, ac_assembly *assembly);

/* Sizes of a finished system. */
typedef struct ac_system_size {
    int nodes, joints, loops; /* loops: independent ones, also through beams */
    int coordinates;          /* n, redundant */
    int constraints;          /* m, all equations */
    int independent;          /* rank of the constraints in the assembled configuration */
    int freedoms;             /* n - rank */
    int tree_freedoms;        /* of the tree without its loops closed */
} ac_system_size;

AC_API ac_system_size ac_system_sizes(const ac_system *system);
AC_API const char *ac_system_node_name(const ac_system *system, int node);
AC_API const char *ac_system_joint_name(const ac_system *system, int joint);
/* Sizes and data of a beam. */
typedef struct ac_beam_info {
    const char *name;
    ac_beam_model model;
    int order, elements;
    int first_node, nodes;     /* of the system */
    int places;                /* nodes as results count them: in the edge model vertices, one less */
    double length, mass;       /* of the whole beam, carried masses not counted */
    ac_beam_values start, end; /* at its ends */
} ac_beam_info;

AC_API int ac_system_beams(const ac_system *system);
AC_API ac_beam_info ac_system_beam(const ac_system *system, int beam);
/* The node of the system at place k of a beam, counted as in results, from 0 on. */
AC_API int ac_system_beam_node(const ac_system *system, int beam, int k);
/* Where the mesh of a beam takes its values, k = 0, 1, .., as shares of its length: stiffness against stretch and shear (0)
 * and against bending and twist (1); mass and inertia. False: there are no more places. */
AC_API bool ac_system_beam_stiffness_shares(const ac_system *system, int beam, int k, double share[2]);
AC_API bool ac_system_beam_mass_share(const ac_system *system, int beam, int k, double *share);
/* What is doubtful about the start of a finished system, number k from 0 on: given coordinates, rates and velocities
 * that the lengths and joints do not allow, with the value given and that of the start; the beam that is strained, sheared or folded most by the assembly, or initially under a tension for which its elements are too long.
 * False: there are no more. */
AC_API bool ac_system_warning(const ac_system *system, int k, char *text, size_t size);
/* Number of coordinates of a joint (0 to 3). */
AC_API int ac_system_joint_coordinates(const ac_system *system, int joint);

#ifdef __cplusplus
}
#endif
#endif
