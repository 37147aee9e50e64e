/* A plan while it runs: what its parts share. */
#ifndef ACTIO_OPTIMIZE_PLAN_PLAN_H
#define ACTIO_OPTIMIZE_PLAN_PLAN_H

#include "actio/plan.h"
#include "optimize/problem/prepare.h"

typedef struct ac_plan_run {
    ac_context *ctx;
    const ac_system *system;
    ac_optimization *o;       /* that is planned */
    ac_optimization *solving; /* the present solve is of this one */
    const ac_optimization_plan *plan;
    ac_plan_hooks hooks;
    ac_plan_outcome *outcome;
    ac_kept_point *kept;          /* the best of the points reached so far */
    bool kept_solved, kept_sound; /* sound: away from the limit of turns, and the simulator follows it */
} ac_plan_run;

/* Solves, counts iterations, reports progress. */
ac_status ac_plan_solve(ac_plan_run *run, ac_optimization *o);
/* The same from a guess that solves a similar problem: a search that fails begins once more and stays near it. */
ac_status ac_plan_solve_from_similar(ac_plan_run *run, ac_optimization *o);

/* continuation.c: solves for other values of a parameter; the last solution becomes the guess. */
ac_status ac_plan_continue(ac_plan_run *run);
/* simulated_guess.c: the motion without controls becomes the guess. */
ac_status ac_plan_simulate_guess(const ac_plan_run *run);

#endif
