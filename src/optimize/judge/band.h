/* Rank of the equations of a large problem: elimination along time. */
#ifndef ACTIO_OPTIMIZE_JUDGE_BAND_H
#define ACTIO_OPTIMIZE_JUDGE_BAND_H

#include "optimize/problem/optimization.h"

/* Of the rows taken: how many have gradients (entries of the Jacobian) that depend on those of the others;
 * they are noted for the names of ac_optimization_dependent_name. */
ac_status ac_band_dependent(ac_optimization *o, const double *entries, double tolerance, const bool *taken,
                            int *count);
/* Where an unknown stands along time: its node or interval; what many times share comes last. */
double ac_unknown_time(const ac_optimization *o, int unknown);

#endif
