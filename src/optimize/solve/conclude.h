/* How a solve has ended, and what is said of it. */
#ifndef ACTIO_OPTIMIZE_SOLVE_CONCLUDE_H
#define ACTIO_OPTIMIZE_SOLVE_CONCLUDE_H

#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

/* Times the tolerance: violation of what counts as feasible. */
#define AC_FEASIBLE 1e2

/* How the rounds have ended. */
typedef struct ac_ending {
    ac_nlp_outcome outcome;
    bool held;        /* by a bound that the reference makes: no optimum */
    double violation; /* that the solver has left, before angles were followed from node to node */
    double first_objective;
    bool endless;  /* a search beside a saddle found no lower bound ... */
    double lowest; /* ... and came so far */
} ac_ending;

/* The words and the status of the outcome, by the ending and what was judged of the point reached. */
ac_status ac_conclude(ac_optimization *o, const ac_ending *end);

#endif
