/* The section optimize of problem files: what its keys are read into. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_OPTIMIZE_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_OPTIMIZE_H

#include "problem/keys/schema.h"

/* What is recorded beside the motion. */
typedef struct ac_recorded_input {
    ac_given_flag forces, reactions, energies, resimulated, adjoint;
    ac_given_count unroll;
} ac_recorded_input;

typedef struct ac_optimize_input {
    ac_given_count intervals;
    ac_given_number duration, least_duration, most_duration;
    ac_given_flag free_duration, periodic;
    ac_given_word method, update;
    ac_given_number first_step;
    ac_given_word formulation, hessian, stresses, scheme, start, start_velocity, end_velocity;
    const ac_value *parameters, *controls, *quantities, *conditions, *objective, *guess, *refine,
        *continuation, *approach, *phases, *cycle;
    ac_given_count segments;
    ac_given_number tolerance, turn_limit, disturbance;
    ac_given_count max_iterations, rounds, starts, seed, print;
    ac_recorded_input recorded;
} ac_optimize_input;

typedef struct ac_approach_input {
    ac_given_word quantity;
    ac_given_number target, weight, part, tolerance;
} ac_approach_input;

typedef struct ac_phase_input {
    ac_given_word name;
    ac_given_count intervals;
    ac_given_number duration, least_duration, most_duration;
    ac_given_flag free_duration;
    const ac_value *hold, *push, *friction, *impact, *without, *conditions, *objective, *guess;
} ac_phase_input;

typedef struct ac_friction_input {
    ac_given_word normal;
    const ac_value *along;
    ac_given_number coefficient;
} ac_friction_input;

/* How one quantity bounces. */
typedef struct ac_impact_input {
    const ac_value *restitution, *along;
    ac_given_number loss, tangential;
} ac_impact_input;

typedef struct ac_cycle_input {
    ac_given_word mirror;
    ac_given_flag per_length;
    const ac_value *swap, *along, *length, *from, *to, *impact;
} ac_cycle_input;

typedef struct ac_control_input {
    ac_given_word name, joint, coordinate, force, torque, component, frame;
    const ac_value *at, *low, *high, *limit, *rate, *guess;
} ac_control_input;

typedef struct ac_quantity_input {
    ac_given_word joint, coordinate, of, momentum, angular_momentum, kinetic_energy, potential_energy, energy,
        unit;
    const ac_value *point, *distance, *at, *axis, *along, *from, *to, *turn_from, *clearance, *about, *signal,
        *pose;
} ac_quantity_input;

typedef struct ac_condition_input {
    ac_given_word name, expression, joint, coordinate, orientation, of, where;
    const ac_value *rotation, *point, *place, *equals, *at_least, *at_most, *clearance, *axis, *total;
    ac_given_number energy_balance;
} ac_condition_input;

typedef struct ac_objective_input {
    ac_given_number effort, duration, energy, work, absolute_work, positive_work, weight;
    ac_given_word start, end, running, absolute;
    ac_given_flag maximise;
} ac_objective_input;

typedef struct ac_continuation_input {
    ac_given_word parameter;
    const ac_value *values;
} ac_continuation_input;

typedef struct ac_parameter_input {
    const ac_value *from, *to;
} ac_parameter_input;

typedef struct ac_guess_input {
    const ac_value *joints, *turns, *positions;
    ac_given_word file;
    ac_given_flag simulate, reduced, inverse_dynamics, near;
} ac_guess_input;

/* Units that a given function of time may name. */
const char *const *ac_signal_units(void);

extern const ac_section ac_section_optimize, ac_section_phase, ac_section_friction, ac_section_impact,
    ac_section_cycle, ac_section_control, ac_section_quantity, ac_section_condition, ac_section_objective,
    ac_section_guess, ac_section_continuation, ac_section_approach, ac_section_parameter;

#endif
