/* The schema of problem files: one table of sections and keys.
 *
 * The same entries check a file, say into which member of an input struct a value goes, and make the
 * reference page. A new key is one line in schema.c and one member here. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "actio/model.h"
#include "model/joint_rows.h"
#include "problem/keys/task_list.h"
#include "problem/text/reader.h"

/* What a key was given; `at` is NULL when it is absent. */
typedef struct ac_given_number {
    const ac_value *at;
    double value;
} ac_given_number;

typedef struct ac_given_count {
    const ac_value *at;
    long value;
} ac_given_count;

typedef struct ac_given_vector {
    const ac_value *at;
    int count;
    double x[3];
} ac_given_vector;

typedef struct ac_given_flag {
    const ac_value *at;
    bool on;
} ac_given_flag;

typedef struct ac_given_word {
    const ac_value *at;
    const char *text;
    int choice; /* its number in the list of choices */
} ac_given_word;

typedef enum ac_field_type {
    AC_FIELD_NUMBER,  /* ac_given_number */
    AC_FIELD_COUNT,   /* ac_given_count */
    AC_FIELD_VECTOR,  /* ac_given_vector */
    AC_FIELD_FLAG,    /* ac_given_flag */
    AC_FIELD_TEXT,    /* ac_given_word */
    AC_FIELD_CHOICE,  /* ac_given_word */
    AC_FIELD_VALUE,   /* const ac_value *: a form of its own, read by the builder */
    AC_FIELD_SECTION, /* const ac_value *: a map with the keys of a section */
    AC_FIELD_NAMED,   /* const ac_value *: a map from names to sections */
    AC_FIELD_ENTRIES  /* const ac_value *: a list of sections */
} ac_field_type;

typedef enum ac_bound { AC_BOUND_NONE, AC_BOUND_POSITIVE, AC_BOUND_NOT_NEGATIVE } ac_bound;

typedef struct ac_section ac_section;

typedef struct ac_field {
    const char *key;
    ac_field_type type;
    size_t offset; /* in the input struct */
    ac_dimension dimension;
    ac_bound bound;
    int least, most; /* vector: number of components; count: least value */
    bool required;
    const ac_section *section;
    const char *const *(*choices)(void);
    const char *form;                /* what may stand there, when the type does not say it */
    const char *unit;                /* when the dimension does not say it */
    const char *standard;            /* what an absent key means */
    double (*standard_number)(void); /* the same, as a number that the library decides */
    const double *standard_value;    /* the same, as a number of the schema (BY_DEFAULT) */
    const char *about;
} ac_field;

struct ac_section {
    const char *title; /* of its part of the reference page */
    const char *about;
    const char *example; /* a complete problem file, or NULL */
    const ac_field *fields;
    int count;
};

typedef struct ac_root_input {
    ac_given_word title, description;
    ac_given_vector gravity;
    const ac_value *parameters, *ground, *bodies, *planar_bodies, *points, *beams;
    const ac_value *joints, *springs, *dampers, *loads, *couplings, *contacts;
    const ac_value *task[AC_TASK_COUNT];
} ac_root_input;

typedef struct ac_ground_input {
    const ac_value *points;
} ac_ground_input;

typedef struct ac_body_input { /* of rigid and planar bodies */
    ac_given_number mass;
    const ac_value *inertia;        /* rigid */
    ac_given_number planar_inertia; /* planar */
    ac_given_vector centre;
    const ac_value *points, *solid, *solids;
    ac_given_vector position;
    const ac_value *rotation, *directors; /* rigid */
    ac_given_number angle;                /* planar */
    ac_given_vector velocity;
    ac_given_vector angular_velocity; /* rigid */
    ac_given_number spin;             /* planar */
    ac_given_word axes;
    ac_given_count repeat;
} ac_body_input;

typedef struct ac_point_input {
    ac_given_number mass;
    ac_given_vector position, velocity;
    ac_given_count repeat;
} ac_point_input;

typedef struct ac_solid_input {
    ac_given_word name;
    ac_given_vector position;
    const ac_value *rotation;
    const ac_value *shape[16]; /* in the order of the table of shapes */
} ac_solid_input;

typedef struct ac_rotation_input {
    ac_given_vector axis;
    ac_given_number angle;
} ac_rotation_input;

typedef struct ac_shape_input {
    ac_given_number mass, density, radius, inner_radius, length, edge, height;
    ac_given_vector size;
    const ac_value *corners;
    ac_given_word along;
} ac_shape_input;

/* Names of joint coordinates that are numbers (model/joint_rows.h). */
#define AC_COORDINATES "angle", "slide", "x", "y", "second_angle"
#define AC_ONE_JOINT(...) +1
enum { AC_JOINT_TYPE_COUNT = 0 AC_JOINT_ROWS(AC_ONE_JOINT), AC_COORDINATE_WORDS = 5 };

typedef struct ac_joint_input {
    const ac_value *type[AC_JOINT_TYPE_COUNT]; /* in the order of ac_joint_type */
    ac_given_word name;
    const ac_value *at, *axis;
    ac_given_vector x_axis;
    ac_given_number length;
    ac_given_number coordinate[AC_COORDINATE_WORDS], rate[AC_COORDINATE_WORDS]; /* as ac_coordinate_words */
    const ac_value *coordinates, *rates;
    ac_given_flag hint;
    const ac_value *prescribed, *screw;
    ac_given_number pitch;
    ac_given_count repeat;
} ac_joint_input;

typedef struct ac_spring_input { /* of springs and dampers */
    const ac_value *between, *at;
    ac_given_word joint, coordinate;
    const ac_value *stiffness, *damping, *rest;
    ac_given_number length;
    ac_given_word name;
    ac_given_count repeat;
} ac_spring_input;

typedef struct ac_load_input {
    const ac_value *force, *torque, *value;
    ac_given_word on, joint, coordinate, frame;
    const ac_value *at;
    ac_given_word name;
    ac_given_flag constant;
    ac_given_word sampled;
    ac_given_count repeat;
} ac_load_input;

typedef struct ac_simulate_input {
    ac_given_number step, duration;
    ac_given_count steps;
    ac_given_word scheme, formulation;
    ac_given_number tolerance;
    ac_given_count max_iterations;
    ac_given_flag condition, multipliers, momenta, energies, unscaled, decoupled, forces, reactions,
        free_step;
    ac_given_count record_every;
    ac_given_vector momentum_about;
    const ac_value *momentum_points, *quantities, *functional;
    ac_given_number turn_limit;
    ac_given_count replay_steps;
    const ac_value *events;
} ac_simulate_input;

extern const ac_section ac_section_root, ac_section_ground, ac_section_body, ac_section_planar_body,
    ac_section_point;
extern const ac_section ac_section_solid, ac_section_joint, ac_section_spring, ac_section_damper,
    ac_section_load;
extern const ac_section ac_section_rotation, ac_section_simulate;

/* The shapes: key and section of each, in the order of ac_shape. */
enum { AC_SHAPE_COUNT = 9, AC_LONGEST_RUN = 1000000000 };
extern const char *const ac_shape_names[AC_SHAPE_COUNT];
extern const ac_section *const ac_shape_sections[AC_SHAPE_COUNT];
extern const char *const ac_joint_type_names[AC_JOINT_TYPE_COUNT];
const char *const *ac_coordinate_words(void); /* names of joint coordinates that are numbers */

/* All sections but the shapes, in the order of the reference page; NULL after the last. */
extern const ac_section *const ac_all_sections[];

/* Checks the keys of a map and reads their values into `input` (its size in bytes is needed to clear it). */
ac_status ac_section_read(ac_reader *reader, const ac_section *section, const ac_value *map, void *input,
                          size_t size);
/* The field of a key, NULL when the section has none. */
const ac_field *ac_section_field(const ac_section *section, const char *key);

#endif
