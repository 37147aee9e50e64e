/* Eigenvalues and eigenvectors of small symmetric tridiagonal matrices. */
#ifndef ACTIO_LINALG_TRIDIAGONAL_H
#define ACTIO_LINALG_TRIDIAGONAL_H

#include <stdbool.h>

/* T = V diag(values) V^T for the matrix with this diagonal in `values` and next[k] beside it in rows k and k + 1.
 * next: n entries, the last one is workspace, all are overwritten. V: n x n, row by row, eigenvectors in its columns.
 * False: not converged, for numbers that are not finite. */
bool ac_tridiagonal_eigen(int n, double *values, double *next, double *V);

#endif
