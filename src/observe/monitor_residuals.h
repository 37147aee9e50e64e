/* How far the constraints are violated, on the level of positions and of velocities. */
#ifndef ACTIO_OBSERVE_MONITOR_RESIDUALS_H
#define ACTIO_OBSERVE_MONITOR_RESIDUALS_H

#include "model/system.h"

/* max |g(q)|; `g` has room for all constraints. */
double ac_largest_violation(const ac_system *system, const double *q, double *g);
/* max |G(q) v|, but for the rows that touch a coordinate to be skipped (skip may be NULL). */
double ac_largest_rate(const ac_system *system, const double *q, const double *v, const bool *skip);

#endif
