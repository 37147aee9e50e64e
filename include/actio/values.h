/* Values of named parameters, set on a finished system: for ensembles, certification and design.
 *
 * An object of values is made from a problem for some of its parameters. It has a system of its own. Setting the
 * parameters computes all numbers of that system that depend on them (masses, inertias, solids, places, lengths,
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

/* AC_BAD_INPUT when there is no such parameter, or when it changes something that cannot be followed: the message
 * names parameter and place. Each parameter is checked once against the problem read again. */
AC_API ac_status ac_values_new(ac_context *ctx, const ac_problem *problem, const char *const *names,
                               int count, ac_values **values);
AC_API void ac_values_free(ac_values *values);

AC_API int ac_values_count(const ac_values *values);
AC_API const char *ac_values_name(const ac_values *values, int parameter);
/* The present values, one per parameter; those of the file at first. */
AC_API const double *ac_values_numbers(const ac_values *values);
/* The system at the present values. It stays at the same place; simulations of it must be restarted after each
 * change. */
AC_API const ac_system *ac_values_system(const ac_values *values);

/* Sets all parameters. On failure (a mass that is not positive, loops that cannot be closed, another rank or tree)
 * the message names the parameters that changed, and the system is as it was. */
AC_API ac_status ac_values_set(ac_values *values, const double *numbers);

#ifdef __cplusplus
}
#endif
#endif
