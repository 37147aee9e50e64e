/* The longest stable step of the trapezoidal scheme: 2 / omega_max, omega_max^2 the largest eigenvalue of the
 * linearised grid in the initial configuration. */
#ifndef ACTIO_INTEGRATE_STEP_LIMIT_H
#define ACTIO_INTEGRATE_STEP_LIMIT_H

#include "model/system.h"

/* limit: infinite where there is no stiffness. */
ac_status ac_step_limit(ac_context *ctx, const ac_system *system, double *limit);

#endif
