/* Beams of a problem file, as they were drawn. */
#ifndef ACTIO_IO_PROBLEM_BEAMS_H
#define ACTIO_IO_PROBLEM_BEAMS_H

#include "actio/json.h"
#include "io/beam_section.h"
#include "io/problem_build.h"

typedef struct ac_drawn_beam {
    const char *name;
    ac_beam_model model;
    int first_node, elements; /* elements as the user counts them: edges between vertices */
    int nodes;
    ac_beam_section section;
    double stiffness[6];     /* GA_1, GA_2, EA, EI_1, EI_2, GJ */
    double mass, inertia[2]; /* per length */
} ac_drawn_beam;

ac_status ac_build_beams(ac_builder *builder);
/* A node of a beam: "arm.start", "arm.end", "arm.middle", "arm[3]". `*found` stays false when the text has
 * not that form. */
ac_status ac_find_beam_node(ac_builder *builder, const char *text, ac_place place, bool *found, int *node);
/* Adds the beams to the scene. */
void ac_beams_write(ac_json *json, const ac_builder *builder);

#endif
