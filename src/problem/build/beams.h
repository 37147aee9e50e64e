/* Beams of a problem file, as they were given. */
#ifndef ACTIO_PROBLEM_BUILD_BEAMS_H
#define ACTIO_PROBLEM_BUILD_BEAMS_H

#include "problem/shape/beam_curve.h"
#include "problem/shape/beam_profile.h"
#include "problem/build/build.h"

typedef struct ac_built_beam {
    const char *name;
    ac_beam_model model;
    int first_node;
    int nodes; /* of the system */
    ac_curve *curve;
    ac_drawn_curve *drawn;               /* what it is made of; kept by the builder */
    ac_profile *profile;                 /* kept by the builder */
    ac_named_energy *energy, *potential; /* NULL: none */
} ac_built_beam;

ac_status ac_build_beams(ac_builder *builder);
void ac_free_beams(ac_builder *builder);
/* A node of a beam: "arm.start", "arm.end", "arm.middle", "arm[3]". `*found` stays false when the text has
 * not that form. */
ac_status ac_find_beam_node(ac_builder *builder, const char *text, ac_place place, bool *found, int *node);
/* The node that a point mass is on. */
ac_status ac_beam_mass_node(ac_builder *builder, const ac_beam_mass_input *input, const ac_built_beam *beam,
                            int *node);
/* problem_beam_numbers.c: what of the beam that was added last depends on free parameters. */
ac_status ac_depend_beam(ac_builder *builder, const ac_value *entry, const ac_beam_input *input);
/* What `actio check` shows: sections and values at the stations of all beams, in the order of the beams. */
ac_status ac_beams_describe(const ac_builder *builder, ac_beam_station **stations, int **first);
/* The number that a node has in scene and results, where the first two nodes of the edge model are
 * one. */
int ac_recorded_node(const ac_builder *builder, int node);
/* Pieces between the nodes of a beam, as the user counts them. */
int ac_beam_pieces(const ac_built_beam *beam);
extern const char *const ac_beam_shape_names[];

#endif
