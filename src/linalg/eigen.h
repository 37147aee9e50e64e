/* Eigenvalues of small dense matrices, stored row by row. */
#ifndef ACTIO_LINALG_EIGEN_H
#define ACTIO_LINALG_EIGEN_H

#include <stdbool.h>

/* A = V diag(values) V^T for a symmetric matrix, ascending. A (n x n) becomes V, eigenvectors in its columns;
 * work: n (n + 3) numbers. False: not converged, for numbers that are not finite. */
bool ac_symmetric_eigen(int n, double *A, double *values, double *work);

/* The eigenvalues re + i im of a real matrix, which is overwritten; conjugate pairs stand together, the one with the
 * positive imaginary part first. False: not converged. */
bool ac_real_eigenvalues(int n, double *A, double *re, double *im);

#endif
