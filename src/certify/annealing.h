/* Simulated annealing with the published schedule, for any function on a box of parts 0 to 1. */
#ifndef ACTIO_CERTIFY_ANNEALING_H
#define ACTIO_CERTIFY_ANNEALING_H

#include "actio/certify.h"
#include "certify/random.h"

typedef struct ac_anneal {
    const ac_annealing *schedule;
    ac_dice dice;
    int count;
    /* the function; parts are the proposed ones */
    ac_status (*value)(void *user, const double *parts, double *value);
    void *user;
    /* called for each value that is the lowest so far; may be NULL */
    ac_status (*best)(void *user, const double *parts, double value, long evaluation);
    double *parts, *trial; /* count each; parts: the start, later the state */
    long evaluations;      /* spent */
} ac_anneal;

/* Minimises. Acceptance exp(-change/(k_B T)); the temperature falls by its factor after `per_temperature` trials or
 * `accepted` successes in a row; the search ends at the lowest temperature, after all evaluations, or after `rejected`
 * rejections in a row. */
ac_status ac_anneal_run(ac_anneal *anneal);

#endif
