/* What the keys of the task "equilibrium" are read into. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_EQUILIBRIUM_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_EQUILIBRIUM_H

#include "problem/keys/schema.h"

typedef struct ac_equilibrium_input {
    ac_given_count steps, max_iterations;
    ac_given_number time, tolerance;
    const ac_value *path;
    ac_given_flag forces, constant_gravity;
    ac_given_word formulation;
} ac_equilibrium_input;

typedef struct ac_path_input {
    ac_given_number step;
    ac_given_count points, branch;
    ac_given_flag other_side;
    const ac_value *levels;
} ac_path_input;

extern const ac_section ac_section_equilibrium, ac_section_path, ac_section_about, ac_section_spin;

#endif
