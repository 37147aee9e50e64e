/* Controls that make a failure less likely: they maximise the confidence factor (COMOC).
 *
 * Runs take the inputs and, behind them, the controls. All iterations use the same random numbers and the same grid of
 * scenarios, so that they can be compared; what they promise must be judged by an independent certification. */
#ifndef ACTIO_CERTIFY_ROBUST_H
#define ACTIO_CERTIFY_ROBUST_H

#include "actio/certify.h"

typedef enum ac_robust_search {
    AC_ROBUST_SCENARIOS, /* Gauss-Newton on the squares of residuals over scenarios */
    AC_ROBUST_ANNEALED,  /* simulated annealing of -CF, as published */
    AC_ROBUST_ASCENT     /* Gauss-Newton, then steps along the gradient of CF */
} ac_robust_search;

/* How good controls are, by the samples and scenarios of the search. */
typedef struct ac_robust_state {
    long iteration;
    double factor; /* (a - <Y> - alpha)/D without a lower limit */
    double mean, diameter;
    double squares; /* mean square of the residuals over the scenarios */
    double effort;  /* sum of the squares of the controls */
    double moved;   /* largest change of a control */
    long runs;      /* so far */
} ac_robust_state;

typedef struct ac_robust {
    ac_context *ctx;
    const ac_uncertain *inputs;
    int input_count;
    const ac_certify_settings *settings;
    const ac_sample_source *source; /* its runs take inputs and controls */
    const ac_certify_work *work;
    int residual_count; /* of ac_sample_run.residuals; 0: the measure is the residual */
    int control_count;
    const double *start, *low, *high;
    ac_robust_search search;
    long iterations, samples;
    int grid;
    ac_annealing annealing;
    double effort_weight; /* of the squares of the controls beside those of the residuals */
    /* Called for each iteration; may be NULL. */
    ac_status (*report)(void *user, const ac_robust_state *state);
    void *user;
} ac_robust;

/* Finds controls (control_count numbers) and how good they seem. */
ac_status ac_robust_search_controls(const ac_robust *robust, double *controls, ac_robust_state *state);

#endif
