/* What the tasks have in common: tables on their way to the sink, clocks, and how a run ends. */
#ifndef ACTIO_TASK_STREAM_H
#define ACTIO_TASK_STREAM_H

#include "task/task.h"

/* A table and its newest row. */
typedef struct ac_stream {
    const ac_run_job *job;
    const ac_channel *channels; /* not owned */
    int table, width;
    double *row;
} ac_stream;

/* Starts a table of the sink; `stream` was zero before. */
ac_status ac_stream_open(ac_stream *stream, const ac_run_job *job, const char *name,
                         const ac_channel *channels, int count);
/* The name of the first channel whose number in the row is not finite; NULL: all are. */
const char *ac_stream_not_finite(const ac_stream *stream);
/* Hands the row to the sink; AC_NOT_CONVERGED when a number is not finite. */
ac_status ac_stream_put(const ac_stream *stream);
/* The same for a diagnostic: a row with a number that is not finite is left out and remarked. */
ac_status ac_stream_put_diagnostic(const ac_stream *stream);
/* The same for a row that is known to be finite. */
ac_status ac_stream_pass_on(const ac_stream *stream);
void ac_stream_close(ac_stream *stream);

double ac_wall_seconds(void);
double ac_cpu_seconds(void);

/* A run that ended so leaves results that can be written. */
bool ac_ended_early(ac_status status);
/* Writes what is left after a run with this status; of two failures the one that ended the run is reported. */
ac_status ac_finish_run(ac_context *ctx, ac_status status, ac_status (*finish)(void *user), void *user);

#endif
