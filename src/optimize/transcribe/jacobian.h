/* Collecting first derivatives, or marking where there are some. */
#ifndef ACTIO_OPTIMIZE_TRANSCRIBE_JACOBIAN_H
#define ACTIO_OPTIMIZE_TRANSCRIBE_JACOBIAN_H

#include "optimize/problem/optimization.h"

typedef struct ac_jacobian_pass {
    ac_optimization *o;
    double *values; /* NULL: marking */
} ac_jacobian_pass;

void ac_jacobian_put(const ac_jacobian_pass *s, int row, int column, double value);
/* row += value times `count` numbers, on columns that follow one another */
void ac_jacobian_put_run(const ac_jacobian_pass *s, int row, int column, int count, const double *run,
                         double value);
/* row += value times derivatives by the local coordinates of a node: its own and the parameters */
void ac_jacobian_put_local(const ac_jacobian_pass *s, int row, int node, const double *run, double value);
/* Derivative of a row by coordinate i at a time node. */
void ac_jacobian_put_q(const ac_jacobian_pass *s, int row, int node, int i, double value);
/* Derivative of a row by a datum: by the parameters behind it. */
void ac_jacobian_put_jet(const ac_jacobian_pass *s, int row, const ac_jet *jet, double value);

/* holds.c */
void ac_hold_jacobian(const ac_jacobian_pass *s);
void ac_hold_rows_jacobian(const ac_jacobian_pass *s, const ac_row_block *block);

/* start_rows.c */
void ac_start_jacobian(const ac_jacobian_pass *s, const ac_row_block *block);

/* jacobian_dynamics.c */
void ac_jacobian_dynamics(const ac_jacobian_pass *s);

#endif
