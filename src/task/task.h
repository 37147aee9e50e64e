/* What a task of a problem file hands its results to, and the tasks themselves.
 *
 * A task streams: texts, numbers, tables and their rows go to a sink as they come. The result file is
 * one sink, the measurements of an experiment are another; a task knows neither.
 */
#ifndef ACTIO_TASK_TASK_H
#define ACTIO_TASK_TASK_H

#include "actio/channel.h"
#include "actio/run.h"

typedef struct ac_sink {
    void *user;
    /* Starts a table; answers its number. */
    ac_status (*table)(void *user, const char *name, const ac_channel *channels, int count, int *table);
    /* One row; all its numbers are finite. */
    ac_status (*row)(void *user, int table, const double *row);
} ac_sink;

typedef struct ac_run_job {
    ac_context *ctx;
    const ac_problem *problem;
    const ac_sink *sink;
    ac_progress progress; /* may be NULL */
    void *progress_user;
    ac_summary *summary;
    /* A task that changes what is drawn leaves another scene, which the caller releases; may be NULL. */
    char **scene;
} ac_run_job;

/* The task "simulate". AC_OK, AC_NOT_CONVERGED and AC_INTERRUPTED leave complete tables and a summary. */
ac_status ac_run_simulation(const ac_run_job *job);

/* The task "optimize". The same holds. */
ac_status ac_run_optimization(const ac_run_job *job);
/* The task "equilibrium". The same holds. */
ac_status ac_run_equilibrium(const ac_run_job *job);

/* Runs whatever task the problem has. */
ac_status ac_run_into(const ac_run_job *job);

/* Adds one number to a summary; what does not fit any more is dropped. */
void ac_summary_add(ac_summary *summary, const char *name, double value, const char *unit);

#endif
