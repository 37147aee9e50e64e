/* The plan of an optimisation of a problem file: the problems of its continuation are the file with other values of the
 * parameter. */
#ifndef ACTIO_PROBLEM_PLAN_PLAN_H
#define ACTIO_PROBLEM_PLAN_PLAN_H

#include "actio/plan.h"
#include "actio/problem.h"

enum { AC_PLAN_VARIATIONS = 2 }; /* a continuation needs the present step and the one before */

/* The plan of a problem while it runs; zeros besides the problem and its progress at first. */
typedef struct ac_problem_plan_run {
    const ac_problem *problem;
    void *user;
    int (*progress)(void *user, const ac_plan_progress *now); /* may be NULL */
    bool resumed;
    ac_problem *steps[AC_PLAN_VARIATIONS];
    ac_plan_outcome outcome;
    const ac_problem *reached; /* that outcome.reached belongs to */
} ac_problem_plan_run;

ac_status ac_problem_run_plan(ac_problem_plan_run *run);
/* Frees the problems of the continuation, that of `reached` too. */
void ac_problem_plan_release(ac_problem_plan_run *run);

#endif
