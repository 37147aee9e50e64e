/* Condition number in the 2-norm, from singular values. */
#ifndef ACTIO_LINALG_CONDITION_H
#define ACTIO_LINALG_CONDITION_H

#include "base/base.h"

/* sigma_max / sigma_min of the n x n matrix, which is overwritten; 1 for n = 0. Allocates its workspace. */
ac_status ac_condition_number(ac_context *ctx, int n, double *matrix, double *condition);

#endif
