/* The history of the solver while it optimises: shown as progress, written as a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "task/optimize.h"

static const double PROGRESS_INTERVAL = 0.1; /* s */

static double *next_row(ac_optimize_run *run)
{
    int count = run->history_count;
    if (ac_grow(run->job->ctx, (void **)&run->history, &run->history_capacity, count + 1,
                AC_HISTORY_WIDTH * sizeof *run->history) != AC_OK) {
        run->history_lost = true;
        return NULL;
    }
    ++run->history_count;
    return run->history + (size_t)AC_HISTORY_WIDTH * (size_t)count;
}

static int show(ac_optimize_run *run, double at, double done, const char *words)
{
    const ac_run_job *job = run->job;
    if (!job->progress || at - run->last_progress < PROGRESS_INTERVAL) return 0;
    run->last_progress = at;
    return job->progress(job->progress_user, done, words);
}

int ac_note_iteration(ac_optimize_run *run, int iteration, double done, double objective, double violation)
{
    double at = ac_wall_seconds(), *row = next_row(run);
    if (row) memcpy(row, (const double[]){iteration, objective, violation}, 3 * sizeof *row);
    if (run->solving == run->o) ac_consider_motion(run, violation, at);
    char words[128];
    snprintf(words, sizeof words, "iteration %d, objective %.8g, violation %.1e", iteration, objective,
             violation);
    return show(run, at, done, words);
}

int ac_note_shooting(ac_optimize_run *run, const ac_shooting_progress *now)
{
    double *row = next_row(run), objective = ac_optimization_maximises(run->o) ? -now->value : now->value;
    const double numbers[AC_HISTORY_WIDTH] = {now->iteration, objective,   now->gradient, now->step,
                                              now->effort,    now->target, now->gap};
    if (row) memcpy(row, numbers, sizeof numbers);
    char words[128];
    snprintf(words, sizeof words, "iteration %d, objective %.8g, gradient %.1e", now->iteration, objective,
             now->gradient);
    int stop = show(run, ac_wall_seconds(), 0.0, words);
    ac_consider_controls(run, now, stop != 0);
    return stop;
}

int ac_note_plan(void *user, const ac_plan_progress *now)
{
    ac_optimize_run *run = user;
    run->solving = now->solving;
    return ac_note_iteration(run, now->iteration, (double)now->round / now->rounds, now->objective,
                             now->violation);
}

static bool all_finite(const double *row, int width)
{
    for (int k = 0; k < width; ++k)
        if (!isfinite(row[k])) return false;
    return true;
}

ac_status ac_write_history(const ac_optimize_run *run)
{
    static const ac_channel of_plan[] = {
        {"iteration", "1", "", 1}, {"history/objective", "1", "", 1}, {"history/violation", "1", "", 1}};
    static const ac_channel of_shooting[AC_HISTORY_WIDTH] = {
        {"iteration", "1", "", 1},    {"history/objective", "1", "", 1}, {"history/gradient", "1", "", 1},
        {"history/step", "1", "", 1}, {"history/effort", "1", "", 1},    {"history/target", "1", "", 1},
        {"history/gap", "1", "", 1}};
    const ac_sink *sink = run->job->sink;
    bool shooting = run->options->shooting;
    int table = 0, width = !shooting                    ? 3
                           : run->options->segments > 1 ? AC_HISTORY_WIDTH
                                                        : AC_HISTORY_WIDTH - 1;
    if (run->history_lost) return ac_out_of_memory(run->job->ctx);
    AC_TRY(sink->table(sink->user, "iterations", shooting ? of_shooting : of_plan, width, &table));
    for (int k = 0; k < run->history_count; ++k) {
        const double *row = run->history + (size_t)AC_HISTORY_WIDTH * (size_t)k;
        if (all_finite(row, width)) AC_TRY(sink->row(sink->user, table, row));
    }
    return AC_OK;
}
