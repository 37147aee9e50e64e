/* Optimal control by shooting: the motion follows from the controls, the adjoint gives the gradient by them. */
#ifndef ACTIO_ADJOINT_SHOOT_H
#define ACTIO_ADJOINT_SHOOT_H

#include "adjoint/objective.h"

/* Where a search that consists of several stands, besides what the one in hand knows: numbers of its memory, in this order. */
typedef enum ac_shooting_place {
    AC_PLACE_STAGE,              /* of an approach */
    AC_PLACE_WEIGHT,             /* of the approach in this stage, */
    AC_PLACE_TARGET,             /* its target, */
    AC_PLACE_LAST,               /* which is the one wanted: 1 */
    AC_PLACE_ITERATIONS,         /* of the stages before, */
    AC_PLACE_PRODUCTS,           /* their products */
    AC_PLACE_SADDLES,            /* and the saddles that they left */
    AC_PLACE_JOINED,             /* 1: the segments of this stage are done, and the search goes on in one */
    AC_PLACE_SEGMENT_ITERATIONS, /* what it took to do them */
    AC_PLACE_SEGMENT_PRODUCTS,
    AC_PLACE_NUMBERS
} ac_shooting_place;

typedef struct ac_shooting {
    ac_context *ctx;
    ac_optimization *o;
    ac_adjoint *adjoint;
    ac_objective_functional objective;
    int size; /* controls times intervals */
    double *low, *high;
    long evaluations;
    int done;     /* iterations of earlier searches */
    double limit; /* gradient at which the search ended that is being verified; 0: none is */
    double place[AC_PLACE_NUMBERS];
    double *memory; /* of the whole search, as it is reported */
    int memory_capacity;
} ac_shooting;

/* Refuses what shooting cannot follow: a free start, a free duration, phases, free parameters; if the controls must be optimal,
 * conditions too. The sign of a maximised objective is the written one, except where the controls must be optimal. */
ac_status ac_shooting_open(ac_optimization *o, bool optimal, ac_shooting *shooting);
/* The same for the motion of a simulation with these settings and this memory (ac_adjoint_new). */
ac_status ac_shooting_open_simulation(ac_optimization *o, const ac_simulation_settings *settings,
                                      size_t memory, ac_shooting *shooting);
/* The controls of a problem (an ac_optimization) become inputs of an interval. */
ac_status ac_shooting_inputs(void *user, ac_discrete *discrete);
void ac_shooting_close(ac_shooting *shooting);
/* Value and gradient (may be NULL) at the controls u, interval by interval. AC_NOT_CONVERGED: the simulation failed. */
ac_status ac_shooting_evaluate(ac_shooting *shooting, const double *u, double *value, double *gradient);

/* An iteration is reported to the caller of a search: effort and target are filled in, from the end of the motion. */
int ac_shooting_report(ac_shooting *shooting, const ac_shooting_settings *settings,
                       const ac_shooting_progress *now, const double *q, const double *p);
/* The search of the settings from u on. */
ac_status ac_shooting_minimise(ac_shooting *shooting, const ac_shooting_settings *settings, double *u,
                               ac_shooting_outcome *outcome);
/* approach.c: the same with targets that approach the wanted one; how far the quantity is from it at the end. */
ac_status ac_shooting_approach_target(ac_shooting *shooting, const ac_shooting_settings *settings, double *u,
                                      ac_shooting_outcome *outcome);

#endif
