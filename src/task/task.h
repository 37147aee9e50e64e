/* What a task of a problem file hands its results to (the table of tasks is in problem/tasks.h).
 *
 * A task streams: texts, numbers, tables and their rows go to a sink as they come. The result file is
 * one sink, the measurements of an experiment are another; a task knows neither.
 */
#ifndef ACTIO_TASK_TASK_H
#define ACTIO_TASK_TASK_H

#include "actio/channel.h"
#include "actio/run.h"
#include "observe/energy.h"
#include "problem/scene/scene.h"
#include "problem/tasks.h"

typedef struct ac_sink {
    void *user;
    /* Starts a table; returns its number. */
    ac_status (*table)(void *user, const char *name, const ac_channel *channels, int count, int *table);
    /* One row; all its numbers are finite. */
    ac_status (*row)(void *user, int table, const double *row);
} ac_sink;

struct ac_run_job {
    ac_context *ctx;
    const ac_problem *problem;
    const ac_sink *sink;
    ac_progress progress; /* may be NULL */
    void *progress_user;
    ac_summary *summary;
    /* A task that changes what is drawn leaves another scene, which the caller frees; may be NULL. */
    ac_scene *scene;
    struct ac_checkpoint *checkpoint; /* what to go on from, and where to leave it; NULL: nothing is left */
};

/* Runs whatever task the problem has. */
ac_status ac_run_into(const ac_run_job *job);

/* When a task that takes steps reports its progress: now and then, and after each hundredth of its way, so that no run is
 * too quick to be stopped. The end is not reported: there is nothing left to stop. */
typedef struct ac_pace {
    double reported; /* s; at first when the run began */
    long part;
} ac_pace;
bool ac_pace_due(ac_pace *pace, double now, long taken, long steps);

/* Empties a summary. */
void ac_summary_begin(ac_summary *summary);
/* How a complete task ended, where that is not "solved"; `denied`: what was to be shown does not hold. */
void ac_summary_verdict(ac_summary *summary, const char *status, bool denied);
/* How the run ended. */
void ac_summary_end(ac_summary *summary, ac_status status);
/* Adds one number to a summary; what does not fit any more is dropped. */
void ac_summary_add(ac_summary *summary, const char *name, double value, const char *unit);
/* Where the momenta of the nodes have forces of the joints in them: the energy of the motion, which a page then shows. */
void ac_summary_add_energy(ac_summary *summary, const ac_energy_watch *watch);
/* Adds a note, unless it is there; an empty text adds nothing. */
void ac_summary_note(ac_summary *summary, ac_note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
