/* The plan of an optimisation: several starts, continuation of a parameter, finer meshes, re-simulation.
 *
 * One solve (ac_optimization_solve) is rarely enough. A plan defines the sequence of solves: a guess by
 * simulation, a parameter that is continued to its value, disturbed starts of which the best is kept, a first solve in
 * the reduced formulation, finer meshes that begin with the motion of the coarser one. A later solve that fails leaves
 * the solution that was found before.
 *
 *    ac_optimization_plan plan;
 *    ac_optimization_plan_defaults(&plan);
 *    plan.starts = 5;
 *    plan.refine[plan.refine_count++] = 80;
 *    ac_optimization_run_plan(optimization, &plan, NULL, &outcome);
 *    ac_optimization_resimulate(optimization, NULL, &again);
 */
#ifndef ACTIO_PLAN_H
#define ACTIO_PLAN_H

#include "actio/optimize.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AC_REFINE_MAX = 16, AC_ORIENTATIONS_MAX = 8, AC_PLAN_NAME_SIZE = 96, AC_PLAN_REMARK_SIZE = 512 };

typedef struct ac_optimization_plan {
    int starts; /* from disturbed guesses, each along the continuation; the first one is not disturbed */
    unsigned long seed;                      /* of the disturbances */
    double disturbance;                      /* relative size, 0 to 1 */
    int refine_count, refine[AC_REFINE_MAX]; /* intervals of the finer meshes */
    bool simulated_guess;                    /* the guess is the motion without controls */
    bool reduced_guess;                      /* solved in the reduced formulation first */
    bool
        resumed; /* the guess is a motion of an earlier run: no simulated guess, no continuation of the first start */
    char parameter[AC_PLAN_NAME_SIZE]; /* of the continuation, for messages; "": none */
    int value_count;
    double values[AC_REFINE_MAX];
    int orientation_count; /* bodies whose orientation at an end is given: checked against half turns */
    struct {
        int node;
        bool at_start;
        double rotation[9];
    } orientations[AC_ORIENTATIONS_MAX];
} ac_optimization_plan;

/* One start, no continuation, no refinement. */
AC_API void ac_optimization_plan_defaults(ac_optimization_plan *plan);

/* Progress of a plan, after every iteration of any of its solves. */
typedef struct ac_plan_progress {
    ac_optimization *solving;
    bool on_the_way;   /* `solving` is a problem of the continuation */
    int round, rounds; /* solves of the plan, from 0 on */
    int iteration;     /* of all solves */
    double objective, violation;
} ac_plan_progress;

typedef struct ac_plan_hooks {
    void *user;
    /* Returns nonzero to stop; may be NULL. */
    int (*progress)(void *user, const ac_plan_progress *now);
    /* The continuation: the problem for a value of the parameter, with the same system and controls. It belongs to the
     * caller, who may free it in `release`. */
    ac_status (*problem_at)(void *user, double value, ac_optimization **optimization);
    void (*release)(void *user, ac_optimization *optimization);
} ac_plan_hooks;

typedef struct ac_plan_outcome {
    /* The problem whose point is the result: that of the plan, or, when the continuation did not reach the end, one on
     * the way, which is then not released. */
    ac_optimization *reached;
    bool solved;
    bool tried; /* the solve that was asked for was begun, so that there is a point */
    int rounds, iterations;
    double time, functions_time;   /* s, of all solves */
    int starts_solved, best_start; /* of several starts; the best one, counted from 1 */
    bool beside;                   /* a guess that was symmetric with respect to a limit was disturbed */
    /* A start that ended at a better objective and is not taken, for its motion lies on the limit of turns, or the simulator does not
     * follow it; 0: none. */
    int passed_start;
    double passed_objective;
    const char *passed_reason;
} ac_plan_outcome;

/* Runs the plan. `hooks` may be NULL if there is no continuation. AC_OK: a local optimum on the last mesh.
 * AC_NOT_CONVERGED, AC_INTERRUPTED: the message says where the plan stopped; the best point is kept in
 * `outcome->reached`. */
AC_API ac_status ac_optimization_run_plan(ac_optimization *optimization, const ac_optimization_plan *plan,
                                          const ac_plan_hooks *hooks, ac_plan_outcome *outcome);

/* The motion found, re-simulated from its first node under the controls found. */
typedef struct ac_resimulation {
    double difference; /* largest in coordinates; NaN: it could not be simulated */
    int steps;         /* that could be made */
    bool
        alone; /* the simulator follows the motion by itself; false: it takes another solution of a step, or finds none */
    char remark[AC_PLAN_REMARK_SIZE]; /* empty: the simulator finds the same motion */
} ac_resimulation;

/* `system`: with the parameters found; NULL: that of the problem, when no parameter is free. Only for the formulations
 * that have the dynamics of the simulator (reduced, multipliers); AC_BAD_INPUT otherwise. */
AC_API ac_status ac_optimization_resimulate(ac_optimization *optimization, const ac_system *system,
                                            ac_resimulation *again);

#ifdef __cplusplus
}
#endif
#endif
