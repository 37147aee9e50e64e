/* Energies of beams that are given as functions, with the parameters of the file that stand in them. */
#ifndef ACTIO_PROBLEM_SHAPE_BEAM_ENERGY_H
#define ACTIO_PROBLEM_SHAPE_BEAM_ENERGY_H

#include "actio/beam.h"
#include "problem/build/build.h"

typedef struct ac_named_energy {
    ac_expression *whole; /* of the variables of its kind, then of the parameters; owned */
    int names;
    const char **words;
    double *values;
} ac_named_energy;

/* NULL in *energy: the beam has none. It is of the arena of the reader, but for the expression. */
ac_status ac_read_beam_energy(ac_builder *builder, const ac_given_word *word, ac_beam_energy kind,
                              ac_named_energy **energy);
void ac_free_beam_energy(ac_named_energy *energy);
/* Adds it to the beam that was added last, and says what depends on parameters whose values are set. */
ac_status ac_add_beam_energy(ac_builder *builder, const ac_given_word *word, ac_beam_energy kind,
                             const ac_named_energy *energy);

#endif
