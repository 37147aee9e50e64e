/* Units: "1 ms", "30 deg", "2 kg m^2" become SI numbers, and a unit that does not fit is refused. */
#ifndef ACTIO_PROBLEM_TEXT_UNITS_H
#define ACTIO_PROBLEM_TEXT_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* What a number measures. */
typedef enum ac_dimension {
    AC_DIM_NUMBER, /* no unit */
    AC_DIM_ANY,    /* any unit: parameters */
    AC_DIM_TIME,
    AC_DIM_LENGTH,
    AC_DIM_MASS,
    AC_DIM_ANGLE,
    AC_DIM_VELOCITY,
    AC_DIM_ANGULAR_VELOCITY,
    AC_DIM_ACCELERATION,
    AC_DIM_FORCE,
    AC_DIM_TORQUE,
    AC_DIM_STIFFNESS,
    AC_DIM_DAMPING,
    AC_DIM_ANGULAR_STIFFNESS,
    AC_DIM_ANGULAR_DAMPING,
    AC_DIM_INERTIA,
    AC_DIM_DENSITY,
    AC_DIM_PRESSURE,
    AC_DIM_BENDING_STIFFNESS,
    AC_DIM_LINE_MASS,
    AC_DIM_LINE_INERTIA,
    AC_DIM_CURVATURE,
    AC_DIM_VISCOSITY,
    AC_DIM_COUNT
} ac_dimension;

/* "length", and its SI unit "m" ("" for plain numbers), and units to offer in messages. */
const char *ac_dimension_name(ac_dimension dimension);
const char *ac_dimension_unit(ac_dimension dimension);
const char *ac_dimension_choices(ac_dimension dimension);

enum { AC_REASON_SIZE = 256 };

/* Reads a number with an optional unit. On failure false, and `reason` (AC_REASON_SIZE bytes) says why. */
bool ac_quantity_read(const char *text, ac_dimension dimension, double *value, char *reason);

/* The unit words there are, with their value in SI units: for the reference page. NULL after the last. */
const char *ac_unit_word(int index, double *scale, const char **si);

#endif
