/* What the keys of the task "track" are read into. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_TRACK_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_TRACK_H

#include "problem/keys/schema.h"
#include "track/study.h"

typedef struct ac_track_input {
    ac_given_number step, duration;
    ac_given_count steps, record_every, target_capacity, replay_steps;
    ac_given_word method, yukawa, cancel, chart;
    ac_given_number rho0, rho1, running, velocity_weight;
    ac_given_flag mass_weighted;
    ac_given_number joint_stabilisation, servo_stabilisation, acceleration_level;
    ac_given_number joint_tolerance, turn_limit, move_limit;
    const ac_value *targets, *events, *study, *gradient, *reserve;
} ac_track_input;

typedef struct ac_study_input {
    const ac_value *values[AC_STUDY_AXES]; /* lists */
} ac_study_input;

typedef struct ac_track_gradient_input {
    const ac_value *force, *direction;
    ac_given_count steps;
} ac_track_gradient_input;

typedef struct ac_target_input {
    ac_given_word name, on, course, differences, file, shift;
    const ac_value *at, *components, *position, *rotation, *samples;
    ac_given_number every;
    ac_given_vector start_velocity;
    ac_given_number max_force, max_torque, max_speed;
} ac_target_input;

extern const ac_section ac_section_track, ac_section_target, ac_section_study, ac_section_track_gradient;

#endif
