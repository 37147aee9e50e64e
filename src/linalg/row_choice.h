/* Independent rows of a sparse m x n matrix, for matrices too large for the dense factorisation of dense.h.
 *
 * Rows are eliminated one after another, short ones first, each by the pivots of those before it. What is left of a row
 * has its own pivot, or the row depends on the others. The cost is that of the entries that elimination makes: linear
 * where each row touches a few columns near each other.
 */
#ifndef ACTIO_LINALG_ROW_CHOICE_H
#define ACTIO_LINALG_ROW_CHOICE_H

#include <stdbool.h>

#include "base/base.h"

typedef struct ac_row_choice {
    ac_context *ctx;
    int rows, columns;
    int rank;
    bool *dependent; /* per row: result */
    /* workspace */
    int *order, *count;          /* rows in the order of elimination; entries of every column */
    int *pivot_of, *pivot_at;    /* pivot of a column or -1; column of a pivot */
    double *row;                 /* columns: the row that is eliminated */
    bool *touched;               /* columns */
    int *list, *heap, heap_size; /* columns touched; pivots that wait, the first one on top */
    /* rows that have a pivot, without it and divided by it */
    int *start, *kept_column, entries, capacity;
    double *kept_value;
} ac_row_choice;

ac_status ac_row_choice_create(ac_context *ctx, int rows, int columns, ac_row_choice *choice);
void ac_row_choice_destroy(ac_row_choice *choice);
/* Finds `dependent` and `rank` of the matrix by rows. A row is dependent when no number above tolerance times the
 * largest entry of the matrix is left of it. AC_NO_MEMORY is the only failure. */
ac_status ac_row_choice_find(ac_row_choice *choice, const int *start, const int *column, const double *value,
                             double tolerance);
/* The same with `count` rows in the given order, so that a row is dependent when it follows from rows before it. Pivots are taken
 * from columns with a low `weight`. Rows that would make too many entries, and those behind them, count as independent. */
ac_status ac_row_choice_find_in_order(ac_row_choice *choice, const int *start, const int *column,
                                      const double *value, double tolerance, const int *order, int count,
                                      const int *weight);

#endif
