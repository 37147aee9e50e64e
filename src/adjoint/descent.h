/* Minimisation of a smooth function within bounds, by its gradient. */
#ifndef ACTIO_ADJOINT_DESCENT_H
#define ACTIO_ADJOINT_DESCENT_H

#include "actio/adjoint.h"
#include "base/base.h"

typedef struct ac_descent_problem {
    ac_context *ctx;
    int n;
    const double *low, *high; /* may be infinite */
    /* An infinite value: the function is not defined there. */
    ac_status (*evaluate)(void *user, const double *x, double *value, double *gradient);
    /* Called at every iteration with the point evaluated last; nonzero: stop. */
    int (*report)(void *user, const ac_shooting_progress *now);
    void *user;
} ac_descent_problem;

/* x: the start, then the last point of the search. AC_NOT_CONVERGED: the limit of iterations was reached, or no step goes further
 * down. */
ac_status ac_descend(const ac_descent_problem *problem, const ac_shooting_settings *settings, double *x,
                     ac_shooting_outcome *outcome);

/* The gradient that counts as zero, by value and gradient at the start: of a faint objective every gradient is below the
 * tolerance. */
double ac_descent_limit(double tolerance, double value, double gradient);

#endif
