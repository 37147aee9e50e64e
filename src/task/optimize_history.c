/* The history of the solver while it optimises: shown as progress, written as a table. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "task/optimize.h"

enum { HISTORY_WIDTH = 3 };
static const double PROGRESS_INTERVAL = 0.1; /* s */

static void remember(ac_optimize_run *run, int iteration, double objective, double violation)
{
    int count = run->history_count;
    if (ac_grow(run->job->ctx, (void **)&run->history, &run->history_capacity, count + 1,
                HISTORY_WIDTH * sizeof *run->history) != AC_OK) {
        run->history_lost = true;
        return;
    }
    double *row = run->history + (size_t)HISTORY_WIDTH * (size_t)count;
    row[0] = iteration;
    row[1] = objective;
    row[2] = violation;
    ++run->history_count;
}

int ac_note_iteration(ac_optimize_run *run, int iteration, double done, double objective, double violation)
{
    const ac_run_job *job = run->job;
    double at = ac_wall_seconds();
    remember(run, iteration, objective, violation);
    if (run->solving == run->o && ac_optimization_phases(run->o) == 0) ac_consider_motion(run, violation, at);
    if (!job->progress || at - run->last_progress < PROGRESS_INTERVAL) return 0;
    run->last_progress = at;
    char words[128];
    snprintf(words, sizeof words, "iteration %d, objective %.8g, violation %.1e", iteration, objective,
             violation);
    return job->progress(job->progress_user, done, words);
}

int ac_note_plan(void *user, const ac_plan_progress *now)
{
    ac_optimize_run *run = user;
    run->solving = now->solving;
    return ac_note_iteration(run, now->iteration, (double)now->round / now->rounds, now->objective,
                             now->violation);
}

ac_status ac_write_history(const ac_optimize_run *run)
{
    static const ac_channel channels[] = {
        {"iteration", "1", "", 1}, {"history/objective", "1", "", 1}, {"history/violation", "1", "", 1}};
    const ac_sink *sink = run->job->sink;
    int table = 0;
    if (run->history_lost) return ac_out_of_memory(run->job->ctx);
    AC_TRY(sink->table(sink->user, "iterations", channels, HISTORY_WIDTH, &table));
    for (int k = 0; k < run->history_count; ++k) {
        const double *row = run->history + (size_t)HISTORY_WIDTH * (size_t)k;
        if (isfinite(row[1]) && isfinite(row[2])) AC_TRY(sink->row(sink->user, table, row));
    }
    return AC_OK;
}
