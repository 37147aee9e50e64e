/* Dense factorisations, in place and without allocation. Matrices are stored row by row. */
#ifndef ACTIO_LINALG_DENSE_H
#define ACTIO_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* LU with partial pivoting of the n x n matrix A, in place. False if a pivot is zero or not
 * finite. Factors and pivots are read by the two functions below only. */
bool ac_lu_factor(int n, double *A, int *pivot);
/* x <- A^{-1} x */
void ac_lu_solve(int n, const double *A, const int *pivot, double *x);
/* x <- A^{-T} x */
void ac_lu_solve_transposed(int n, const double *A, const int *pivot, double *x);

/* Rank-revealing factorisation of the rows of J (m x n): J^T Pi = Q R by Householder reflections with
 * pivoting. The first `rank` entries of `order` are independent rows of J; the reflections Q hold a basis
 * of the row space (first `rank` columns) and of the null space of J (the others). */
typedef struct ac_row_space {
    int rows, columns; /* m, n of J */
    int rank;
    int *order;   /* m: rows of J, independent ones first */
    double *R;    /* n x m: reflections below, R on and above the diagonal */
    double *beta; /* min(m, n) */
    double *work; /* max(m, n) */
} ac_row_space;

/* Number of doubles and ints that a row space of this size needs, and laying it out in a block. */
size_t ac_row_space_doubles(int rows, int columns);
size_t ac_row_space_ints(int rows, int columns);
void ac_row_space_place(ac_row_space *space, int rows, int columns, double *doubles, int *ints);
/* Factorises; a row counts as dependent when its pivot is below tolerance times the largest, or when
 * `limit` rows have been taken. */
void ac_row_space_factor(ac_row_space *space, const double *J, double tolerance, int limit);
/* N (n x (n - rank), row by row): orthonormal basis of the null space. */
void ac_row_space_null(const ac_row_space *space, double *N);
/* x: the shortest vector with J x = b on the independent rows. */
void ac_row_space_solve(const ac_row_space *space, const double *b, double *x);
/* y (m): multipliers with J^T y = c in the least-squares sense, zero on dependent rows. */
void ac_row_space_solve_transposed(const ac_row_space *space, const double *c, double *y);

/* A least-squares solution of A x = b for the m x n matrix A, zero on dependent columns. The space must
 * have rows = n and columns = m; A is not changed. */
void ac_least_squares(ac_row_space *space, const double *A, const double *b, double tolerance, double *x);

#endif
