/* The section design of problem files: what its keys are read into. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_DESIGN_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_DESIGN_H

#include "problem/keys/schema.h"

typedef struct ac_design_input {
    const ac_value *parameters, *optimize, *simulate, *quantities, *channels;
    ac_given_word cost, take, surrogate, ends;
    ac_given_flag maximise, poll, warm_start, in_turn;
    ac_given_count samples, evaluations, batch, starts, seed;
    ac_given_number tolerance, mesh, least_mesh, disturbance;
} ac_design_input;

typedef struct ac_design_parameter_input {
    ac_given_number from, to;
    const ac_value *first;
} ac_design_parameter_input;

extern const ac_section ac_section_design, ac_section_design_parameter;

#endif
