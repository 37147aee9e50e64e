/* Nonlinear programmes, and the solver behind a narrow interface.
 *
 *   minimise f(x)   subject to   low <= c(x) <= high,   lower <= x <= upper
 *
 * The callbacks evaluate at a point; structures of Jacobian and Hessian are given once as lists of places
 * (the Hessian of the Lagrangian sigma f + mu . c: lower triangle). A second solver is a second
 * implementation of ac_nlp_solve.
 */
#ifndef ACTIO_OPTIMIZE_NLP_NLP_H
#define ACTIO_OPTIMIZE_NLP_NLP_H

#include <stdbool.h>

#include "base/base.h"

typedef struct ac_nlp {
    int variables, constraints;
    const double *lower, *upper; /* of x; +-INFINITY: none */
    const double *low, *high;    /* of c */
    int jacobian_entries, hessian_entries;
    const int *jacobian_row, *jacobian_column;
    const int *hessian_row, *hessian_column;
    void *user;
    /* Each returns false when the functions cannot be evaluated at x. */
    bool (*objective)(void *user, const double *x, double *f);
    bool (*gradient)(void *user, const double *x, double *gradient);
    bool (*values)(void *user, const double *x, double *c);
    bool (*jacobian)(void *user, const double *x, double *entries);
    bool (*hessian)(void *user, const double *x, double sigma, const double *mu, double *entries);
    /* After every iteration; returns true to go on. May be NULL. */
    bool (*iterate)(void *user, int iteration, double objective, double violation, double optimality);
} ac_nlp;

typedef struct ac_nlp_options {
    double tolerance; /* on optimality and violation */
    int max_iterations;
    bool limited_memory; /* quasi-Newton instead of the exact Hessian */
    bool near_solution;  /* the start is close to a solution; its multipliers are not known */
    bool small_barrier;  /* and the search must stay there */
    int print;           /* 0: silent */
} ac_nlp_options;

typedef enum ac_nlp_outcome {
    AC_NLP_SOLVED,
    AC_NLP_ACCEPTABLE, /* to a hundred times the tolerance */
    AC_NLP_INFEASIBLE, /* a point where the violation cannot be lowered locally */
    AC_NLP_DIVERGED,
    AC_NLP_LIMIT,
    AC_NLP_STOPPED, /* by the iteration callback */
    AC_NLP_FAILED
} ac_nlp_outcome;

typedef struct ac_nlp_result {
    ac_nlp_outcome outcome;
    const char *words; /* in plain words */
    double objective;
    int iterations;
    double functions_time; /* s, in the callbacks */
} ac_nlp_result;

/* x, mu (one per constraint), low and high bound multipliers: in: start; out: the best point found. Fails
 * only when out of memory or when there is no solver in this build. */
ac_status ac_nlp_solve(ac_context *ctx, const ac_nlp *nlp, const ac_nlp_options *options, double *x,
                       double *mu, double *at_lower, double *at_upper, ac_nlp_result *result);

/* Units in which the solver sees the programme: x_i / unknown_i, c_r / row_r, f / objective. */
typedef struct ac_nlp_units {
    const double *unknown, *row;
    double objective;
} ac_nlp_units;

/* scaled.c: the same in these units; what goes in and comes out has none. */
ac_status ac_nlp_solve_scaled(ac_context *ctx, const ac_nlp *nlp, const ac_nlp_units *units,
                              const ac_nlp_options *options, double *x, double *mu, double *at_lower,
                              double *at_upper, ac_nlp_result *result);

#endif
