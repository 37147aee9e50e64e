/* Adjoint variables of a sweep, kept in the order of time: the sweep meets the nodes from the last to the first. */
#ifndef ACTIO_TASK_GRADIENT_KEPT_IMPULSES_H
#define ACTIO_TASK_GRADIENT_KEPT_IMPULSES_H

#include "adjoint/adjoint.h"
#include "observe/impulses.h"

typedef struct ac_kept_impulses {
    ac_impulses impulses;
    long steps, stretch; /* every node whose number is a multiple of the stretch is kept, and the last one */
    long count;
    double *rows;
} ac_kept_impulses;

/* The sweeps of the adjoint fill the rows from now on. */
ac_status ac_kept_impulses_open(ac_adjoint *adjoint, ac_kept_impulses *kept);
void ac_kept_impulses_close(ac_kept_impulses *kept);
const double *ac_kept_impulses_row(const ac_kept_impulses *kept, long row);

#endif
