/* Minimisation of a smooth function within bounds by products with its second derivatives; see newton.c. */
#ifndef ACTIO_ADJOINT_NEWTON_H
#define ACTIO_ADJOINT_NEWTON_H

#include "actio/adjoint.h"
#include "base/base.h"

/* A function of x, and of further unknowns that the problem moves by itself (starts of segments). It stands at a base
 * point; a trial leaves the base until it is accepted, or the base is tried again. */
typedef struct ac_newton_problem {
    ac_context *ctx;
    int n;
    const double *low, *high; /* may be infinite */
    bool judged;              /* where the gradient vanishes the least curvature is found ... */
    int looks;                /* ... in at most so many directions */
    double
        rough; /* another search follows: this one ends where the gradient is so small a part of the first one */
    double limit; /* gradient that counts as zero; 0: by the tolerance, at the start */
    void *user;
    /* The merit at x, further unknowns moved by `part` of the step announced; infinite: not defined there. */
    ac_status (*attempt)(void *user, const double *x, double part, double *merit);
    void (*accept)(void *user);
    /* The base is stored; later it becomes the base again. */
    void (*remember)(void *user);
    void (*recall)(void *user);
    /* Gradient of the quadratic model by x at the point tried last, which becomes the base. */
    ac_status (*linearise)(void *user, double *gradient);
    ac_status (*multiply)(void *user, const double *v, double *product);
    /* A step of x is about to be tried: the derivative of the merit along it. `fresh`: the merit may be weighted anew; then
     * `merit` is that of the base. */
    ac_status (*announce)(void *user, const double *step, bool fresh, double *slope, double *merit);
    /* How far further conditions are from being satisfied, in parts of what is allowed. */
    double (*open)(const void *user);
    /* Called at every iteration; nonzero: stop. */
    int (*report)(void *user, const ac_shooting_progress *now); /* value and gap are those of the problem */
} ac_newton_problem;

/* x: the start, then the best point. AC_NOT_CONVERGED: the limit of iterations was reached, or no step goes further down. */
ac_status ac_newton(const ac_newton_problem *problem, const ac_shooting_settings *settings, double *x,
                    ac_shooting_outcome *outcome);

/* curvature.c: least and largest curvature on the variables that are free (`held`: per variable), and the direction
 * (n) of the least one; known: its error is small beside it. */
typedef struct ac_curvature_found {
    double least, most, error;
    int products;
} ac_curvature_found;
ac_status ac_least_curvature(const ac_newton_problem *problem, const bool *held, double *direction,
                             ac_curvature_found *found);

#endif
