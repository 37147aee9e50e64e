/* Values of named parameters, set on a finished system: for ensembles, certification and design.
 *
 * An object of values is made from a problem for some of its parameters. It has a system of its own. Setting the
 * parameters computes all numbers of that system that depend on them (masses, inertias, solids, places, rotations, axes, lengths,
 * springs, sections, loads, gravity, coordinates and velocities at the start) and assembles its start again. No
 * file is read, nothing is parsed, and no memory is allocated:
 *
 *    const char *names[] = {"mass", "stiffness"};
 *    ac_values_new(ctx, problem, names, 2, &values);
 *    ac_simulation_new(ctx, ac_values_system(values), ac_problem_simulation(problem), &simulation);
 *    for (...) {
 *        ac_values_set(values, numbers);
 *        ac_simulation_restart(simulation);
 *        while (...) ac_simulation_step(simulation);
 *    }
 *
 * The system is that of the problem file read again with `--set parameters.NAME=...`. Objects of different threads
 * share nothing; each needs a context of its own.
 */
#ifndef ACTIO_VALUES_H
#define ACTIO_VALUES_H

#include "actio/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_values ac_values;

/* Data beyond those of ac_datum that parameters can set. */
enum {
    AC_START_VELOCITY = AC_DATUM_START_RATE + 1, /* node, or beam with side 1; component */
    AC_START_SPIN,
    AC_LOAD_TIME, /* load, its component (side), point of the table (component) */
    AC_LOAD_POINT,
    AC_START_ROTATION,    /* node; entry of the initial rotation, row by row */
    AC_START_ANGLE,       /* planar body */
    AC_JOINT_AXES,        /* joint, side; entry of the rotation of its frame there, row by row */
    AC_BEAM_PROFILE,      /* a number of what a beam is made of along its length; not among slopes */
    AC_BEAM_CURVE,        /* beam; a number of its curve (component); neither */
    AC_BEAM_REST,         /* beam: its rest length */
    AC_BEAM_PRECURVATURE, /* beam, component */
    AC_BEAM_AMBIENT,      /* beam; ambient inertia (0, 1) or stiffness (2, 3) */
    AC_BEAM_ENERGY,       /* beam; its energy (side 0) or potential (1), a parameter in it */
    AC_CONTACT_PLACE,     /* contact; the point that strikes (side 0) or that of the surface (1), component */
    AC_CONTACT_NUMBER     /* contact; one of ac_contact_number (component) */
};

/* Numbers of a contact. */
typedef enum ac_contact_number {
    AC_CONTACT_RADIUS,
    AC_CONTACT_OTHER_RADIUS,
    AC_CONTACT_LIMIT,
    AC_CONTACT_RESTITUTION,
    AC_CONTACT_LOSS,
    AC_CONTACT_NUMBERS
} ac_contact_number;

/* A datum of the description (an ac_datum, or one of those above) and its derivative by one parameter. */
typedef struct ac_data_slope {
    int datum, object, side, component;
    int parameter;
    double value, slope;
} ac_data_slope;

/* AC_BAD_INPUT when there is no such parameter, or when it changes something that cannot be followed: the message
 * names parameter and place. All parameters are checked once against the problem built again. */
AC_API ac_status ac_values_new(ac_context *ctx, const ac_problem *problem, const char *const *names,
                               int count, ac_values **values);
AC_API void ac_values_free(ac_values *values);

AC_API int ac_values_count(const ac_values *values);
AC_API const char *ac_values_name(const ac_values *values, int parameter);
/* The present values, one per parameter; those of the file at first. */
AC_API const double *ac_values_numbers(const ac_values *values);
/* The system at the present values. It stays at the same place; simulations of it must be restarted after each
 * change, and adjoints (actio/adjoint.h) made anew. */
AC_API const ac_system *ac_values_system(const ac_values *values);

/* Sets all parameters. On failure (a mass that is not positive, loops that cannot be closed, another rank or tree)
 * the message names the parameters that changed, and the system is as it was. */
AC_API ac_status ac_values_set(ac_values *values, const double *numbers);

/* The Jacobian of all data by the parameters at the present values, exact: one entry for each datum and each parameter
 * that it depends on, those of a datum one after another. Loads over time are not among them. The list belongs to
 * the values and is filled anew by every call; allocates nothing. NULL where principal axes turn with a parameter. */
AC_API const ac_data_slope *ac_values_slopes(ac_values *values, int *count);
/* A component of a load at a time, and its derivatives by the parameters (one each). */
AC_API double ac_values_load_slopes(const ac_values *values, int load, int component, double t,
                                    double *slopes);

#ifdef __cplusplus
}
#endif
#endif
