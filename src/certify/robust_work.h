/* The search for robust controls: what its files share. */
#ifndef ACTIO_CERTIFY_ROBUST_WORK_H
#define ACTIO_CERTIFY_ROBUST_WORK_H

#include "certify/pieces.h"
#include "certify/robust.h"

enum { AC_ROBUST_WIDTH = 3 }; /* numbers of a run: the measure, whether it failed, how near it came to that */

typedef struct ac_robust_work {
    const ac_robust *r;
    ac_pieces *pieces;
    int n;          /* controls */
    long scenarios; /* of the grid, or random */
    bool gridded;
    double *best, *trial, *size;
    double *known;             /* controls of `numbers` */
    double *numbers, *samples; /* of all scenarios, of all samples */
    double *measures;          /* scratch */
    ac_robust_state state;     /* of `best`; its iteration and runs are those of the search */
    double scale;              /* diameter at the start */
    double diameter;           /* of the last candidate */
    long runs;
    unsigned series_count; /* so far */
} ac_robust_work;

/* Inputs of a random sample or of a scenario. */
void ac_robust_inputs(const ac_robust_work *work, bool sampled, long run, double *x);
/* The numbers of a run after its outcome. */
void ac_robust_settle(const ac_robust_work *work, int outcome, double *numbers);
/* Did this run fail, and nothing says what that counts as? */
bool ac_robust_failed(const ac_robust_work *work, const double *numbers);
/* All scenarios or samples with each of some variants of the controls: variants x runs x AC_ROBUST_WIDTH numbers. */
ac_status ac_robust_run(ac_robust_work *work, bool sampled, const double *controls, long variants,
                        double *out);
/* work->numbers become those of the scenarios with these controls. */
ac_status ac_robust_scenarios(ac_robust_work *work, const double *controls);
/* Counts an iteration that ended at these controls; the best ones are kept. */
ac_status ac_robust_candidate(ac_robust_work *work, const double *controls);

/* A number in the journal for one more series: searches go the same way again, so that a killed one goes on where it was. */
ac_status ac_robust_next_series(ac_robust_work *work, unsigned *number);

/* robust_smooth.c: the search along gradients. */
ac_status ac_robust_by_gradients(ac_robust_work *work);

/* robust_slopes.c: derivatives by the controls of every scenario, those of the measure, then those of how near it came to a
 * failure. By the adjoint where runs have it, else by differences of runs. Those of a failed run are 0. */
typedef struct ac_robust_slopes {
    long stride; /* numbers of a scenario: AC_ROBUST_WIDTH of them, then the derivatives */
    double *numbers;
} ac_robust_slopes;
ac_status ac_robust_find_slopes(ac_robust_work *work, const double *at, ac_robust_slopes *slopes);
void ac_robust_drop_slopes(ac_robust_work *work, ac_robust_slopes *slopes);

#endif
