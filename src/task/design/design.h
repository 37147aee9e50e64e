/* The task "design": what its files share. */
#ifndef ACTIO_TASK_DESIGN_DESIGN_H
#define ACTIO_TASK_DESIGN_DESIGN_H

#include "problem/design/design.h"
#include "task/certify/runner.h"
#include "task/stream.h"

/* ---- evaluate.c: one evaluation ---- */

/* What an evaluation is kept as: these numbers, then the motion (intervals, duration, configurations and controls of each
 * phase, then free parameters). */
enum {
    AC_EVALUATION_SOLVED, /* 1 or 0 */
    AC_EVALUATION_COST,
    AC_EVALUATION_VIOLATION,
    AC_EVALUATION_ITERATIONS,
    AC_EVALUATION_TIME,  /* s */
    AC_EVALUATION_PARTS, /* phases of the motion; 0: there is none */
    AC_EVALUATION_HEAD
};

typedef struct ac_evaluator {
    ac_context *ctx;
    const ac_problem *problem; /* the study */
    const ac_design_data *data;
    ac_problem *inner;       /* its cost; NULL: a function of the parameters */
    ac_runner *runner;       /* of simulations */
    double sign;             /* -1: the cost is maximised */
    int (*stop)(void *user); /* asked now and then */
    void *user;
} ac_evaluator;

ac_status ac_evaluator_begin(ac_evaluator *evaluator, ac_context *ctx, const ac_problem *problem);
void ac_evaluator_end(ac_evaluator *evaluator);
/* The cost of the parameters x. `warm`: numbers of an evaluation whose motion is the guess, NULL: the guess of the file;
 * `disturbed`: number of the disturbance, 0: none. AC_OK, whether it is solved or not; then the message is the reason. The caller
 * releases the numbers. */
ac_status ac_evaluate(ac_evaluator *evaluator, const double *x, const double *warm, int disturbed,
                      double **numbers, int *count);
/* The inner problem at x in its own task, begun with a motion; NULL if there is none. */
ac_status ac_evaluator_problem(const ac_evaluator *evaluator, const double *x, const double *warm,
                               ac_problem **problem);

/* ---- processes.c: work shared by processes ---- */

typedef struct ac_processes {
    ac_context *ctx;
    int jobs; /* 1: this process does it */
    void *user;
    /* Done in a child: the numbers of an item, in memory of the context. */
    ac_status (*work)(void *user, int item, double **numbers, int *count);
    /* In this process, as items come in; the numbers are handed over. `message`: of the last failure, for items that are
     * not solved. */
    ac_status (*take)(void *user, int item, double *numbers, int count, const char *message);
    /* Nonzero to stop. */
    int (*pulse)(void *user);
} ac_processes;

ac_status ac_processes_run(const ac_processes *pool, const int *items, int count);

/* ---- tables.c ---- */

typedef struct ac_design_item {
    double *numbers; /* NULL: not evaluated */
    int count;
    int from; /* sample whose motion was the guess; -1: none */
} ac_design_item;

typedef struct ac_design_task {
    const ac_run_job *job;
    const ac_design_data *data;
    ac_design *design;
    ac_evaluator evaluator;
    int starts;
    int known;             /* items so far, also of samples that are not complete */
    ac_design_item *items; /* starts of each sample, one after another */
    int *branch, *winner;  /* of each sample: number of its branch, start that counts; -1: failed */
    int branch_count;
    int changes;     /* samples where another start was better than the warm one */
    int batch_first; /* sample */
    bool stopped;
    char reason[200]; /* of the first sample that failed */
    double begin;
} ac_design_task;

ac_status ac_design_tables(ac_design_task *task);
void ac_design_summary(ac_design_task *task);

/* ---- store.c: evaluations in the checkpoint of the run ---- */

void ac_design_keep(const ac_design_task *task);
ac_status ac_design_recall(ac_design_task *task);

#endif
