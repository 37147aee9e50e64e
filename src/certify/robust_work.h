/* The search for robust controls: what its files share. */
#ifndef ACTIO_CERTIFY_ROBUST_WORK_H
#define ACTIO_CERTIFY_ROBUST_WORK_H

#include "certify/pieces.h"
#include "certify/robust.h"

typedef struct ac_robust_work {
    const ac_robust *r;
    ac_pieces *pieces;
    int n, width;   /* controls; numbers of a run: the measure, then the residuals */
    long scenarios; /* of the grid, or random */
    bool gridded;
    double *best, *trial, *gradient, *matrix, *residuals, *numbers, *size;
    ac_robust_state state;   /* of `best` */
    double power, reference; /* of the residuals; a square that counts as 1 */
    long runs;
    unsigned series_count; /* so far */
} ac_robust_work;

/* Inputs of a random sample or of a scenario. */
void ac_robust_inputs(const ac_robust_work *work, bool sampled, long run, double *x);
long ac_robust_runs(const ac_robust_work *work, bool sampled);
/* The numbers of a run after its outcome: its measure, then its residuals or the measure again; those of a failed one are
 * large. */
void ac_robust_settle(const ac_robust_work *work, int outcome, double *numbers);
/* All scenarios or samples with each of some variants of the controls: variants x runs x width numbers. */
ac_status ac_robust_run(ac_robust_work *work, bool sampled, const double *controls, long variants,
                        double *out);

/* A number in the journal for one more series: searches go the same way again, so that a killed one goes on where it was. */
ac_status ac_robust_next_series(ac_robust_work *work, unsigned *number);

/* robust_slopes.c: derivatives by the controls of the residuals of every run, or of its measure alone. By the adjoint
 * where runs have it, else by differences of runs. */
typedef struct ac_robust_slopes {
    int rows;    /* for each run: residuals, or 1 for the measure */
    long stride; /* numbers of a run: width of them, then rows x controls derivatives */
    double *numbers;
} ac_robust_slopes;
ac_status ac_robust_find_slopes(ac_robust_work *work, bool sampled, bool of_measure, const double *at,
                                ac_robust_slopes *slopes);
void ac_robust_drop_slopes(ac_robust_work *work, ac_robust_slopes *slopes);

#endif
