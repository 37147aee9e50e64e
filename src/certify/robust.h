/* Controls that make a failure less likely: they maximise the confidence factor (COMOC).
 *
 * Runs take the inputs and, behind them, the controls. All iterations use the same random numbers and the same grid of
 * scenarios, so that they can be compared; what they promise must be judged by an independent certification. */
#ifndef ACTIO_CERTIFY_ROBUST_H
#define ACTIO_CERTIFY_ROBUST_H

#include "actio/certify.h"

typedef enum ac_robust_search {
    AC_ROBUST_SMOOTHED, /* quasi-Newton steps along gradients of a smooth factor */
    AC_ROBUST_ANNEALED  /* simulated annealing of -CF, as published */
} ac_robust_search;

/* How good controls are, by the samples and scenarios of the search. */
typedef struct ac_robust_state {
    long iteration;
    long failed;   /* runs that failed, where nothing says what that counts as */
    double factor; /* (a - <Y> - alpha)/D without a lower limit */
    double mean, diameter;
    double squares; /* mean square of the measure over the scenarios */
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
    int control_count;
    const double *start, *low, *high;
    ac_robust_search search;
    long iterations, samples;
    int grid;
    ac_annealing annealing;
    double effort_weight; /* of the squares of the controls beside the factor */
    /* Called for each iteration; may be NULL. */
    ac_status (*report)(void *user, const ac_robust_state *state);
    void *user;
} ac_robust;

/* Finds controls (control_count numbers) and how good they seem. They are the start where nothing better was seen. */
ac_status ac_robust_search_controls(const ac_robust *robust, double *controls, ac_robust_state *state);

#endif
