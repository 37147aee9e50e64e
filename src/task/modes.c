/* The task "modes": small motions about an equilibrium, and their shapes as motions to look at. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "equilibrium/solver.h"
#include "math/math.h"
#include "task/modes.h"
#include "task/stream.h"

enum { FRAMES = 24, PERIODS = 2, SHOWN = 20 };
static const double AMPLITUDE = 0.1; /* of shapes: typical lengths, or rad */
static const double ROUNDING = 1e-9; /* of a damping ratio */
static const double TURN = 6.28318530717958647693;

static const ac_channel CHANNELS[] = {
    {"mode", "1", "", 1},     {"frequency", "Hz", "", 1},  {"damping", "1", "", 1},
    {"growth", "1/s", "", 1}, {"load/factor", "1", "", 1},
};
enum { CHANNEL_COUNT = sizeof CHANNELS / sizeof *CHANNELS };

typedef struct modes_run {
    const ac_run_job *job;
    const ac_modes_data *data;
    ac_equilibrium *equilibrium;
    ac_stream modes, shapes;
    ac_mode *mode;
    ac_channel *channels; /* of shapes */
    double *row;          /* of the equilibrium */
    int found, points, iterations;
} modes_run;

static ac_status find_here(modes_run *run)
{
    const ac_equilibrium_point *point = ac_equilibrium_at(run->equilibrium);
    AC_TRY(ac_equilibrium_modes(run->equilibrium, run->data->count, run->data->near, run->mode, &run->found));
    for (int k = 0; k < run->found; ++k) {
        const ac_mode *m = &run->mode[k];
        const double row[CHANNEL_COUNT] = {k + 1, m->frequency, m->damping, m->growth,
                                           run->data->initial ? 1.0 : point->factor};
        for (int c = 0; c < CHANNEL_COUNT; ++c) run->modes.row[c] = row[c];
        AC_TRY(ac_stream_put(&run->modes));
    }
    return AC_OK;
}

static ac_status report_progress(const modes_run *run, const ac_equilibrium_point *point)
{
    const ac_run_job *job = run->job;
    char words[96];
    if (!job->progress) return AC_OK;
    snprintf(words, sizeof words, "load factor %.6g", point->factor);
    if (job->progress(job->progress_user, ac_min(1.0, (double)run->points / run->data->equilibrium.steps),
                      words) == 0)
        return AC_OK;
    return ac_fail(job->ctx, AC_INTERRUPTED, "interrupted at load factor %g", point->factor);
}

static ac_status find_points(modes_run *run)
{
    if (run->data->initial) return find_here(run);
    for (;;) {
        bool done;
        AC_TRY(ac_equilibrium_next(run->equilibrium, &done));
        const ac_equilibrium_point *point = ac_equilibrium_at(run->equilibrium);
        if (!done) {
            ++run->points;
            run->iterations += point->iterations;
            AC_TRY(report_progress(run, point));
        }
        if (done ? !run->data->each_step : run->data->each_step) AC_TRY(find_here(run));
        if (done) return AC_OK;
    }
}

/* The channels of shapes: time, mode and frequency, then places of bodies and beams, joints and forces. */
static ac_status open_shapes(modes_run *run)
{
    static const ac_channel first[] = {
        {"time", "1", "", 1}, {"mode", "1", "", 1}, {"frequency", "Hz", "", 1}};
    enum { FIRST = sizeof first / sizeof *first };
    int count = 0;
    const ac_channel *all = ac_equilibrium_channels(run->equilibrium, &count);
    AC_NEW(run->job->ctx, run->channels, count - AC_EQUILIBRIUM_COMMON + FIRST);
    for (int k = 0; k < FIRST; ++k) run->channels[k] = first[k];
    for (int k = AC_EQUILIBRIUM_COMMON; k < count; ++k)
        run->channels[FIRST + k - AC_EQUILIBRIUM_COMMON] = all[k];
    int width = 0;
    for (int k = 0; k < count; ++k) width += all[k].width;
    AC_NEW(run->job->ctx, run->row, width);
    return ac_stream_open(&run->shapes, run->job, "shapes", run->channels,
                          count - AC_EQUILIBRIUM_COMMON + FIRST);
}

/* Each mode for two periods, one after another; the time of the table counts periods. */
static ac_status put_shapes(modes_run *run)
{
    double *row = run->shapes.row;
    size_t rest = (size_t)run->shapes.width - 3;
    for (int k = 0; k < run->found; ++k)
        for (int frame = 0; frame < PERIODS * FRAMES; ++frame) {
            double periods = (double)frame / FRAMES;
            ac_equilibrium_mode_row(run->equilibrium, k, AMPLITUDE, TURN * periods, run->row);
            row[0] = PERIODS * k + periods;
            row[1] = k + 1;
            row[2] = run->mode[k].frequency;
            memcpy(row + 3, run->row + AC_EQUILIBRIUM_COMMON, rest * sizeof *row);
            AC_TRY(ac_stream_put(&run->shapes));
        }
    return AC_OK;
}

static void remark_initial(const modes_run *run, ac_summary *summary)
{
    if (!run->data->initial) return;
    double left = ac_equilibrium_force(run->equilibrium), loads = ac_equilibrium_loads(run->equilibrium);
    if (left <= 1e-6 * loads) return;
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "the initial configuration is no equilibrium: a force of %.3g N is left of loads of %.3g N; "
        "about: equilibrium finds the one nearby",
        left, loads);
}

static void summarise(const modes_run *run, double cpu_start)
{
    ac_summary *summary = run->job->summary;
    int free = 0, growing = 0;
    char name[64];
    ac_summary_add(summary, "modes", run->found, "1");
    ac_summary_add(summary, "unknowns", ac_equilibrium_unknowns(run->equilibrium), "1");
    for (int k = 0; k < run->found; ++k) {
        const ac_mode *m = &run->mode[k];
        free += m->free;
        growing += m->damping < -ROUNDING;
        if (k >= SHOWN) continue;
        snprintf(name, sizeof name, "mode_%d_frequency", k + 1);
        ac_summary_add(summary, name, m->frequency, "Hz");
        if (fabs(m->damping) > ROUNDING) {
            snprintf(name, sizeof name, "mode_%d_damping", k + 1);
            ac_summary_add(summary, name, m->damping, "1");
        }
        if (m->frequency == 0.0 && !m->free) {
            snprintf(name, sizeof name, "mode_%d_growth", k + 1);
            ac_summary_add(summary, name, m->growth, "1/s");
        }
    }
    ac_summary_add(summary, "free_modes", free, "1");
    if (run->found > SHOWN)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "the first %d of %d modes are shown; all are in the table 'modes'", SHOWN,
                        run->found);
    if (growing > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT, "unstable: %d of the modes grow%s", growing,
                        growing == 1 ? "s" : "");
    if (run->found < run->data->count)
        ac_summary_note(summary, AC_NOTE_REMARK, "the system has %d mode%s, fewer than the %d asked for",
                        run->found, run->found == 1 ? "" : "s", run->data->count);
    remark_initial(run, summary);
    ac_summary_add(summary, "newton_iterations", run->iterations, "1");
    ac_summary_add(summary, "cpu_time", ac_cpu_seconds() - cpu_start, "s");
}

static ac_status solve(modes_run *run)
{
    const ac_run_job *job = run->job;
    double start = ac_cpu_seconds();
    AC_TRY(ac_equilibrium_new(job->ctx, ac_problem_system(job->problem), &run->data->equilibrium,
                              &run->equilibrium));
    AC_NEW(job->ctx, run->mode, run->data->count);
    AC_TRY(ac_stream_open(&run->modes, job, "modes", CHANNELS, CHANNEL_COUNT));
    AC_TRY(open_shapes(run));
    ac_status status = find_points(run);
    if (status == AC_OK) status = put_shapes(run);
    if (status == AC_SINGULAR) status = AC_NOT_CONVERGED;
    summarise(run, start);
    return status;
}

static ac_status run_modes(const ac_run_job *job)
{
    modes_run run = {.job = job, .data = ac_problem_data(job->problem, &ac_task_modes)};
    ac_status status = solve(&run);
    ac_release(job->ctx, run.mode);
    ac_release(job->ctx, run.channels);
    ac_release(job->ctx, run.row);
    ac_stream_close(&run.modes);
    ac_stream_close(&run.shapes);
    ac_equilibrium_free(run.equilibrium);
    return status;
}

static ac_status read_modes(ac_builder *b, const ac_value *section, void *data)
{
    return ac_read_modes(b, section, data);
}

/* The search for the equilibrium needs the forces at the start. */
static ac_status finish_modes(ac_builder *b, const ac_value *section, void *data)
{
    (void)section, (void)data;
    return ac_check_springs(b, false);
}

const ac_task ac_task_modes = {
    .name = "modes",
    .purpose = "find natural frequencies",
    .size = sizeof(ac_modes_data),
    .read = read_modes,
    .finish = finish_modes,
    .run = run_modes,
};
