/* The section optimize of problem files: what its keys are read into. */
#ifndef ACTIO_IO_SCHEMA_OPTIMIZE_H
#define ACTIO_IO_SCHEMA_OPTIMIZE_H

#include "io/schema.h"

typedef struct ac_optimize_input {
    ac_given_count intervals;
    ac_given_number duration, least_duration, most_duration;
    ac_given_flag free_duration, periodic;
    ac_given_word formulation, hessian, start, start_velocity, end_velocity;
    const ac_value *controls, *quantities, *conditions, *objective, *guess, *refine, *continuation;
    ac_given_number tolerance, turn_limit, disturbance;
    ac_given_count max_iterations, rounds, starts, seed, print;
} ac_optimize_input;

typedef struct ac_control_input {
    ac_given_word name, joint, coordinate, force, torque, component, frame;
    const ac_value *at, *low, *high, *limit, *rate, *guess;
} ac_control_input;

typedef struct ac_quantity_input {
    ac_given_word joint, coordinate, of;
    const ac_value *point, *distance, *at, *axis, *along, *from, *to, *turn_from;
} ac_quantity_input;

typedef struct ac_condition_input {
    ac_given_word name, expression, joint, coordinate, orientation, of, where;
    const ac_value *rotation, *point, *place, *equals, *at_least, *at_most;
} ac_condition_input;

typedef struct ac_objective_input {
    ac_given_number effort, duration, energy, work, absolute_work, weight;
    ac_given_word start, end, running, absolute;
    ac_given_flag maximise;
} ac_objective_input;

typedef struct ac_continuation_input {
    ac_given_word parameter;
    const ac_value *values;
} ac_continuation_input;

typedef struct ac_guess_input {
    const ac_value *joints, *turns;
    ac_given_word file;
    ac_given_flag simulate, reduced, inverse_dynamics;
} ac_guess_input;

extern const ac_section ac_section_optimize, ac_section_control, ac_section_quantity, ac_section_condition,
    ac_section_objective, ac_section_guess, ac_section_continuation;

#endif
