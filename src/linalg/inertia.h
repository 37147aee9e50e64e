/* How many eigenvalues of a symmetric matrix are negative, without computing them (Sylvester's law). */
#ifndef ACTIO_LINALG_INERTIA_H
#define ACTIO_LINALG_INERTIA_H

#include "base/base.h"

/* The matrix is n x n and dense; its lower half (row by row) is used, and it is overwritten. */
int ac_negative_eigenvalues(int n, double *matrix);
/* The same of a sparse matrix, which is kept: all its entries by columns, column j in start[j] to start[j + 1]. */
ac_status ac_negative_eigenvalues_sparse(ac_context *ctx, int n, const int *start, const int *row,
                                         const double *value, int *negative);

#endif
