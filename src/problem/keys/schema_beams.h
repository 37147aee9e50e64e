/* What the keys of a beam are read into; the sections are in schema_beams.c. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_BEAMS_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_BEAMS_H

#include "problem/keys/schema.h"

typedef struct ac_beam_input {
    const ac_value *straight, *polyline, *arc, *spline, *frames; /* the curve: exactly one */
    ac_given_word corners, model;
    ac_given_number rest_length;
    ac_given_count elements, order;
    ac_given_vector d1;
    const ac_value *section, *material, *stiffness, *inertia;
    ac_given_word energy, potential;
    ac_given_vector precurvature;
    ac_given_number damping;
    ac_given_vector ambient_inertia, ambient_stiffness;
    const ac_value *masses;
    ac_given_vector velocity, angular_velocity;
    ac_given_count repeat;
} ac_beam_input;

typedef struct ac_straight_input {
    ac_given_vector from, to;
} ac_straight_input;

typedef struct ac_arc_input {
    ac_given_vector from, centre, axis;
    ac_given_number angle;
} ac_arc_input;

typedef struct ac_spline_input {
    const ac_value *from, *to;
} ac_spline_input;

typedef struct ac_frame_input {
    ac_given_vector position;
    const ac_value *rotation, *directors;
} ac_frame_input;

typedef struct ac_section_input { /* of all shapes */
    ac_given_number at;
    const ac_value *rectangle, *circle, *tube, *i_section;
} ac_section_input;

typedef struct ac_section_shape_input {
    ac_given_number width, height, radius, inner_radius, web, flange;
    ac_given_vector shear_factors;
} ac_section_shape_input;

typedef struct ac_material_input {
    ac_given_number young, poisson, shear, density;
    ac_given_number shear_viscosity, bulk_viscosity, extensional_viscosity;
} ac_material_input;

typedef struct ac_beam_stiffness_input {
    ac_given_number at;
    ac_given_vector shear, bending;
    ac_given_number axial, torsion;
} ac_beam_stiffness_input;

typedef struct ac_beam_inertia_input {
    ac_given_number at, mass;
    ac_given_vector rotary;
} ac_beam_inertia_input;

typedef struct ac_beam_mass_input {
    ac_given_word at;
    ac_given_number mass;
} ac_beam_mass_input;

extern const ac_section ac_section_beam, ac_section_straight, ac_section_arc, ac_section_spline,
    ac_section_frame, ac_section_cross_section, ac_section_rectangle, ac_section_circle, ac_section_tube,
    ac_section_i_section, ac_section_material, ac_section_beam_stiffness, ac_section_beam_inertia,
    ac_section_beam_mass;

#endif
