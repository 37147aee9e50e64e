/* Projections in two passes: sums of value * left_i (x) right_j over many entries (i, j) are gathered as
 * rows first, one for each i, and each row meets left_i only once. Entries of one interval go through
 * this; with many entries in a row (beams, long chains) it saves most of the work. */
#ifndef ACTIO_OPTIMIZE_TRANSCRIBE_ROW_SUMS_H
#define ACTIO_OPTIMIZE_TRANSCRIBE_ROW_SUMS_H

#include <stdbool.h>

#include "base/base.h"

typedef struct ac_row_sums {
    ac_context *ctx;
    int rows, width;
    double *values;  /* rows x width, zero but for rows that are in use */
    int *low, *high; /* per row: columns in use; low > high: none */
} ac_row_sums;

ac_status ac_row_sums_create(ac_context *ctx, int rows, int width, ac_row_sums *sums);
void ac_row_sums_destroy(ac_row_sums *sums);
/* row i += value run on the columns of a path */
void ac_row_sums_add(ac_row_sums *sums, int i, const int *path, int count, const double *run, double value);
/* out (width x width) += left_i (x) row i on the path of i; when `both`, with the transposed, the lower
 * triangle alone. Row i is empty afterwards. */
void ac_row_sums_flush(ac_row_sums *sums, int i, const int *path, int count, const double *left, bool both,
                       double *out);

/* --- blocks --- */

/* Coordinates of a block that follow one another and change with the same local coordinates low .. high. */
typedef struct ac_row_run {
    int first, count, coordinate, low, high;
} ac_row_run;

/* A block in local coordinates: rows x width, zero outside of the columns low .. high. */
typedef struct ac_panel {
    int width, low, high;
    double *values;
} ac_panel;

/* panel = M X over the first `inner` coordinates of the runs; M_rc = M[r row_step + c column_step], X: all
 * coordinates x width. */
void ac_panel_multiply(ac_panel *panel, int rows, int inner, const ac_row_run *runs, const double *M,
                       int row_step, int column_step, const double *X);
/* Row at[r] of the sums += factor times row r of the panel. */
void ac_row_sums_add_panel(ac_row_sums *sums, const ac_panel *panel, int rows, const int *at, double factor);

static inline bool ac_row_sums_used(const ac_row_sums *sums, int i)
{
    return sums->low[i] <= sums->high[i];
}

#endif
