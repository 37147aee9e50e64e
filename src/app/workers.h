/* Who works on a certification: threads, ranks under mpirun, shards of a batch system, the journal of a run. */
#ifndef ACTIO_APP_WORKERS_H
#define ACTIO_APP_WORKERS_H

#include "app/app.h"

typedef struct app_workers {
    ac_certify_work *work; /* NULL: the task is done by one worker */
    char journal[APP_PATH_SIZE];
    bool temporary; /* the journal goes when the run is complete */
    bool silent;    /* another rank prints and writes */
    bool complete;  /* set by app_solve */
    struct app_ranks *ranks;
} app_workers;

/* Reads --jobs and --shard, begins MPI under mpirun; `*output` becomes NULL where another process writes the result.
 * Complains and returns false when something is wrong. */
bool app_workers_begin(const app_arguments *arguments, const ac_problem *problem, const char **output,
                       app_workers *workers);
void app_workers_end(app_workers *workers);

/* ranks.c: MPI, loaded only under mpirun */
struct app_ranks *app_ranks_begin(ac_certify_work *work, bool *wanted);
void app_ranks_end(struct app_ranks *ranks);

/* verb_run.c: solves a problem and prints how it went; returns the exit status. */
int app_solve(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem, const char *output,
              app_workers *workers);
/* The base name of `file` with another ending; the caller frees it. */
char *app_default_output(const char *file);

#endif
