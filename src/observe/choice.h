/* The scheme that a simulation takes by default. */
#ifndef ACTIO_OBSERVE_CHOICE_H
#define ACTIO_OBSERVE_CHOICE_H

#include "actio/simulate.h"
#include "model/system.h"

/* Largest product of the step and the fastest oscillation by joint forces at which midpoint is taken. */
extern const double ac_most_swing;

/* Replaces the scheme "auto" by energy-momentum where midpoint would be unstable; then *joints is the frequency of the
 * oscillation, rad/s, otherwise 0. */
ac_status ac_choose_scheme(ac_context *ctx, const ac_system *system, ac_simulation_settings *settings,
                           double *joints);

#endif
