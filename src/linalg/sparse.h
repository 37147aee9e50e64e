/* Sparse square systems with a fixed pattern: compressed columns, factorised by KLU.
 *
 * The pattern is collected once (ac_sparse_mark), then frozen; afterwards values are added by position and a
 * factorisation reuses its symbolic analysis and pivots, with a guard that factorises anew when they have
 * become bad.
 */
#ifndef ACTIO_LINALG_SPARSE_H
#define ACTIO_LINALG_SPARSE_H

#include "base/base.h"

typedef struct ac_sparse ac_sparse;

ac_status ac_sparse_new(ac_context *ctx, int n, ac_sparse **matrix);
void ac_sparse_free(ac_sparse *matrix);
/* Before freezing: the entry (row, column) may be nonzero. Repetition is allowed. */
ac_status ac_sparse_mark(ac_sparse *matrix, int row, int column);
ac_status ac_sparse_freeze(ac_sparse *matrix);
int ac_sparse_entries(const ac_sparse *matrix);

void ac_sparse_clear(ac_sparse *matrix);
/* The place of an entry in the value array, -1 if it is not in the pattern. */
int ac_sparse_find(const ac_sparse *matrix, int row, int column);
double *ac_sparse_values(ac_sparse *matrix);
/* The entries of one column, rows ascending. */
void ac_sparse_column(const ac_sparse *matrix, int column, int *count, const int **rows,
                      const double **values);
void ac_sparse_add(ac_sparse *matrix, int row, int column, double value);

/* Drops factors and pivots: the next factorisation chooses them anew. */
void ac_sparse_forget(ac_sparse *matrix);
/* AC_SINGULAR when there is no factorisation. */
ac_status ac_sparse_factor(ac_sparse *matrix);
/* x <- A^{-1} x, x <- A^{-T} x, with the last factorisation. */
ac_status ac_sparse_solve(ac_sparse *matrix, double *x);
ac_status ac_sparse_solve_transposed(ac_sparse *matrix, double *x);
/* The smallest pivot of the last factorisation over the largest, a cheap sign of a nearly singular matrix. */
double ac_sparse_pivot_ratio(ac_sparse *matrix);
/* The sign of the determinant by the last factorisation: 1 or -1. */
ac_status ac_sparse_sign(const ac_sparse *matrix, int *sign);
/* y = A x */
void ac_sparse_multiply(const ac_sparse *matrix, const double *x, double *y);
/* Copies the values into a dense matrix, row by row. */
void ac_sparse_to_dense(const ac_sparse *matrix, double *dense);

#endif
