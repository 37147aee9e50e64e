/* What a problem file describes, kept in numbers: the same pieces can be added to a system again after some of
 * the numbers have changed (values.c).
 *
 * Names, curves and profiles belong to the builder that read them, signals of loads to the system that took them.
 */
#ifndef ACTIO_PROBLEM_BUILD_DESCRIPTION_H
#define ACTIO_PROBLEM_BUILD_DESCRIPTION_H

#include "actio/contact.h"
#include "actio/beam.h"
#include "actio/model.h"

typedef enum ac_piece_kind {
    AC_PIECE_BODY,
    AC_PIECE_PLANAR,
    AC_PIECE_POINT,
    AC_PIECE_BEAM,
    AC_PIECE_JOINT,
    AC_PIECE_SPRING,
    AC_PIECE_JOINT_SPRING,
    AC_PIECE_LOAD,
    AC_PIECE_CONTACT,
    AC_PIECE_ENERGY
} ac_piece_kind;

/* An energy that the beam before it has; it outlives the description. */
typedef struct ac_energy_piece {
    int beam;
    ac_beam_energy kind;
    const struct ac_named_energy *energy;
} ac_energy_piece;

typedef struct ac_piece {
    ac_piece_kind kind;
    int first_node, nodes; /* of the system, bodies, points and beams */
    union {
        ac_body body;
        ac_planar_body planar;
        ac_point_mass point;
        ac_beam beam;
        ac_joint joint;
        ac_spring spring;
        ac_joint_spring joint_spring;
        ac_load load;
        ac_contact contact;
        ac_energy_piece energy;
    } as;
    ac_pose *frames; /* of a beam: copies that may change, owned */
    double *point_masses;
    double length;       /* of a straight beam as it was read */
    bool inertia_varies; /* of a body: parameters change it */
} ac_piece;

typedef struct ac_description {
    ac_context *ctx;
    int count, capacity, node_count;
    ac_piece *pieces;
    double gravity[3];
} ac_description;

void ac_description_end(ac_description *description);
/* Adds a piece to a system. */
ac_status ac_piece_add(const ac_piece *piece, ac_system *system);
/* Keeps a copy of a piece that a system took. NULL: nothing is kept. */
ac_status ac_description_keep(ac_description *description, const ac_piece *piece);
/* Adds all pieces to a new system and finishes it. Signals are lent: such a system is never freed piece by
 * piece. */
ac_status ac_description_build(const ac_description *description, ac_context *ctx, ac_system **system);
/* The piece with a node; the n-th joint, spring (of both kinds) or load, from 0 on. NULL: there is none. */
ac_piece *ac_description_node(const ac_description *description, int node);
ac_piece *ac_description_joint(const ac_description *description, int number);
ac_piece *ac_description_spring(const ac_description *description, int number);
ac_piece *ac_description_load(const ac_description *description, int number);
ac_piece *ac_description_contact(const ac_description *description, int number);
ac_piece *ac_description_beam(const ac_description *description, int number);

#endif
