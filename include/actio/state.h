/* The state of a simulation as a value: taken, set, copied, written, read.
 *
 * The motion depends on the configuration q, the momentum p that arrives at it, the time, and how
 * often angles have turned (`winding`: one continued value for each coordinate of a joint and each spring).
 * From these a run goes on to round-off, with any step, scheme or formulation; with contacts also from which of them are
 * closed, and where, which is part of the state. A state that was taken from a simulation also holds its past: increments from which the next one is predicted, and what rounding left of
 * the last step equation. Set into a simulation of the same system with the same settings it gives the same
 * bits as the run that it was taken from:
 *
 *    ac_state_new(ctx, simulation, &state);
 *    ac_simulation_get_state(simulation, state);
 *    ac_state_write(state, "half-way.state");
 *    ...
 *    ac_state_read(ctx, "half-way.state", &state);
 *    ac_simulation_set_state(simulation, state);
 */
#ifndef ACTIO_STATE_H
#define ACTIO_STATE_H

#include "actio/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_state ac_state;

/* A state of the size that the simulation needs, filled with its present one. */
AC_API ac_status ac_state_new(ac_context *ctx, ac_simulation *simulation, ac_state **state);
AC_API void ac_state_free(ac_state *state);

/* Takes the state at the newest time. Factors that the simulation keeps from step to step are dropped, so that
 * a run which goes on and one which is set to this state take the same steps, bit by bit. Allocates
 * nothing. */
AC_API ac_status ac_simulation_get_state(ac_simulation *simulation, ac_state *state);
/* Goes on from that state. Its past is used if it is of the same scheme, formulation and step; otherwise the
 * first step is found without it. AC_BAD_INPUT if the system has other nodes or joints. Allocates nothing. */
AC_API ac_status ac_simulation_set_state(ac_simulation *simulation, const ac_state *state);
/* Back to the initial state of the system, whose values may have changed meanwhile (actio/values.h): the same bits as
 * a new simulation. Allocates nothing, but with multipliers if zeros of the system have become numbers. */
AC_API ac_status ac_simulation_restart(ac_simulation *simulation);

/* Copies between two states of equal size. */
AC_API ac_status ac_state_copy(const ac_state *from, ac_state *to);

AC_API double ac_state_time(const ac_state *state);
/* Configuration and momentum, `ac_state_size` numbers each, in the order of ac_simulation_configuration. */
AC_API int ac_state_size(const ac_state *state);
AC_API const double *ac_state_configuration(const ac_state *state);
AC_API const double *ac_state_momentum(const ac_state *state);
/* Lengths, slides and angles with their full turns. */
AC_API const double *ac_state_winding(const ac_state *state, int *count);
/* Puts time, configuration (which must satisfy the constraints), momentum and winding, and drops the past.
 * Each of the three may be NULL: it stays. Winding that stays is continued to the new configuration by the
 * next simulation. With another configuration or momentum contacts are open, except those that stay closed also when they
 * pull (latches) and whose place is still there. */
AC_API ac_status ac_state_put(ac_state *state, double time, const double *configuration,
                              const double *momentum, const double *winding);

/* As bytes: how many, and the two ways. They are those of this kind of machine; damage is found. */
AC_API size_t ac_state_bytes(const ac_state *state);
AC_API void ac_state_pack(const ac_state *state, void *bytes);
AC_API ac_status ac_state_unpack(ac_context *ctx, const void *bytes, size_t size, ac_state **state);
/* As a file, which appears under its name only when it is complete. */
AC_API ac_status ac_state_write(const ac_state *state, const char *path);
AC_API ac_status ac_state_read(ac_context *ctx, const char *path, ac_state **state);

#ifdef __cplusplus
}
#endif
#endif
