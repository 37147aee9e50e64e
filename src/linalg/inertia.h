/* How many eigenvalues of a symmetric matrix are negative, without computing them (Sylvester's law). */
#ifndef ACTIO_LINALG_INERTIA_H
#define ACTIO_LINALG_INERTIA_H

#include "base/base.h"

/* The matrix is n x n and dense; its lower half (row by row) is used, and it is overwritten. */
ac_status ac_negative_eigenvalues(ac_context *ctx, int n, double *matrix, int *negative);

#endif
