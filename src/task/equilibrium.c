/* The task "equilibrium": streams the points and reports what was found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "equilibrium/solver.h"
#include "math/math.h"
#include "task/stream.h"

static const double LOST = 1e-2; /* of the loads: forces below the rounding of places */
static const double EIGHTH_TURN = 0.78539816339744830962;
static const double UNFINISHED = 1e3; /* a residual beside that of rounding: the tolerance ended the search */
static const double SHORT = 0.05;     /* steps of a path beside those that were wanted */
enum { EVENTS_SHOWN = 8 };

typedef struct rest_run {
    const ac_run_job *job;
    const ac_equilibrium_settings *settings;
    ac_equilibrium *equilibrium;
    ac_stream nodes;
    int points, iterations, descent, limits, bifurcations;
    int negative;                  /* eigenvalues at the start */
    char kink[AC_REMARK_SIZE / 2]; /* which beam tension kinks, or nearly so; empty: none */
    int rough;                     /* events with points missing next to them, ... */
    double within;                 /* ... and how close they are known at the least */
    double factor_min, factor_max, limit[EVENTS_SHOWN], bifurcation[EVENTS_SHOWN];
} rest_run;

static ac_status report_progress(const rest_run *run, const ac_equilibrium_point *point)
{
    const ac_run_job *job = run->job;
    int wanted = run->settings->follow ? run->settings->points : run->settings->steps;
    char words[96];
    if (!job->progress) return AC_OK;
    snprintf(words, sizeof words, "load factor %.6g", point->factor);
    if (job->progress(job->progress_user, ac_min(1.0, (double)run->points / wanted), words) == 0)
        return AC_OK;
    return ac_fail(job->ctx, AC_INTERRUPTED, "interrupted at load factor %g", point->factor);
}

/* The way down is shown, too: it may take most of the time. */
static int watch_descent(void *user, double factor, int descent)
{
    const rest_run *run = user;
    const ac_run_job *job = run->job;
    int wanted = run->settings->follow ? run->settings->points : run->settings->steps;
    char words[96];
    snprintf(words, sizeof words, "load factor %.6g, step %d downhill", factor, descent);
    return job->progress(job->progress_user, ac_min(1.0, (double)run->points / wanted), words);
}

static void take_note(rest_run *run, const ac_equilibrium_point *point)
{
    run->factor_min = ac_min(run->factor_min, point->factor);
    run->factor_max = ac_max(run->factor_max, point->factor);
    run->iterations += point->iterations;
    run->descent += point->descent;
    if (run->points++ == 0) run->negative = point->negative;
    run->rough += point->within > 0.0;
    run->within = ac_max(run->within, point->within);
    if (point->event == AC_EVENT_LIMIT && run->limits++ < EVENTS_SHOWN)
        run->limit[run->limits - 1] = point->factor;
    if (point->event == AC_EVENT_BIFURCATION && run->bifurcations++ < EVENTS_SHOWN)
        run->bifurcation[run->bifurcations - 1] = point->factor;
    char kink[sizeof run->kink];
    if (ac_equilibrium_kink(run->equilibrium, kink, sizeof kink)) memcpy(run->kink, kink, sizeof kink);
}

static ac_status find_points(rest_run *run)
{
    for (;;) {
        bool done;
        AC_TRY(ac_equilibrium_next(run->equilibrium, &done));
        if (done) return AC_OK;
        const ac_equilibrium_point *point = ac_equilibrium_at(run->equilibrium);
        take_note(run, point);
        ac_equilibrium_row(run->equilibrium, run->nodes.row);
        AC_TRY(ac_stream_put(&run->nodes));
        AC_TRY(report_progress(run, point));
    }
}

/* How far the elements of beams bent, and whether that was too far. */
static void add_bend(ac_summary *summary, const rest_run *run)
{
    double bend = ac_equilibrium_largest_bend(run->equilibrium);
    if (bend > 0.0) ac_summary_add(summary, "largest_bend", bend, "rad");
    double yielding = run->equilibrium->yielding_bend;
    if (yielding > EIGHTH_TURN)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "a beam bends by up to %.0f degrees between two nodes; beyond 45 its elements resist "
                        "less than the material: use more of them",
                        45.0 * yielding / EIGHTH_TURN);
}

static void add_stability(ac_summary *summary, const ac_equilibrium_point *point)
{
    if (point->negative == AC_NOT_JUDGED) {
        ac_summary_note(
            summary, AC_NOTE_REMARK,
            "stability is not judged: the loads have no potential (a torque keeps its direction while its "
            "body can turn in space, or a load turns with its body)");
        return;
    }
    ac_summary_add(summary, "negative_eigenvalues", point->negative, "1");
    ac_summary_add(summary, "neutral_eigenvalues", point->neutral, "1");
    if (point->negative > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT,
                        "unstable at the end: the system would leave this state in %d %s", point->negative,
                        point->negative == 1 ? "direction" : "directions");
    else if (point->neutral > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT,
                        "neutral at the end: the system can leave this state in %d %s without resistance",
                        point->neutral, point->neutral == 1 ? "direction" : "directions");
}

static void remark_rough(ac_summary *summary, int count, double within)
{
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "points are missing next to %d event%s of the path: the load factor there is known to %.2g "
        "only; another step may come closer",
        count, count == 1 ? "" : "s", within);
}

static void remark_shown(ac_summary *summary, int count, const char *what)
{
    if (count > EVENTS_SHOWN)
        ac_summary_note(summary, AC_NOTE_REMARK, "the first %d of %d %s are shown; all are in the results",
                        EVENTS_SHOWN, count, what);
}

/* What of a path does not show in its numbers. */
static void remark_path(ac_summary *summary, const rest_run *run, const ac_equilibrium_point *point)
{
    if (!run->settings->follow || run->points < 2) return;
    if (run->negative > 0)
        ac_summary_note(summary, AC_NOTE_REMARK, "unstable at the start: the system would leave it in %d %s",
                        run->negative, run->negative == 1 ? "direction" : "directions");
    remark_shown(summary, run->limits, "limit points");
    remark_shown(summary, run->bifurcations, "bifurcations");
    if (run->equilibrium->unexplained.count > 0) {
        ac_summary_add(summary, "unexplained_changes", run->equilibrium->unexplained.count, "1");
        ac_summary_note(
            summary, AC_NOTE_REMARK,
            "near load factor %.6g the stability changes, and no limit point or bifurcation says why: the "
            "path may have passed to another one; try a smaller step, or a small imperfection",
            run->equilibrium->unexplained.factor);
    }
    double mean = point->path / (run->points - 1), wanted = fabs(run->settings->arc_step);
    if (run->points - run->limits - run->bifurcations < 10 || mean > SHORT * wanted) return;
    ac_summary_note(summary, AC_NOTE_REMARK,
                    "the steps of the path are %.2g m in the mean, far below the %.2g m that were wanted",
                    mean, wanted);
}

/* A residual is small beside what rounding leaves, or the search ended too early. */
static void add_residual(ac_summary *summary, const rest_run *run, const ac_equilibrium_point *point)
{
    double rounding = ac_equilibrium_rounding(run->equilibrium),
           loads = ac_equilibrium_loads(run->equilibrium);
    ac_summary_add(summary, "residual", point->residual, "N");
    ac_summary_add(summary, "residual_rounding", rounding, "N");
    if (rounding > 0.0 && point->residual > UNFINISHED * rounding)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "a residual of %.2g N is left, %.0e times what rounding leaves: a smaller tolerance "
                        "makes it smaller",
                        point->residual, point->residual / rounding);
    if (loads > 0.0 && !(rounding <= LOST * loads))
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "rounding of the places in their last digit changes the forces by %.2g N, and the "
                        "loads are %.2g N: forces, energies and stability are not known; what is that stiff "
                        "is better a rigid joint",
                        rounding, loads);
}

static void summarise(const rest_run *run, double cpu_start)
{
    ac_summary *summary = run->job->summary;
    const ac_equilibrium_point *point = ac_equilibrium_at(run->equilibrium);
    char name[64];
    ac_summary_add(summary, "points", run->points, "1");
    ac_summary_add(summary, "unknowns", ac_equilibrium_unknowns(run->equilibrium), "1");
    if (run->points > 0) {
        ac_summary_add(summary, "load_factor", point->factor, "1");
        ac_summary_add(summary, "load_factor_min", run->factor_min, "1");
        ac_summary_add(summary, "load_factor_max", run->factor_max, "1");
        ac_summary_add(summary, "energy_potential", point->energy, "J");
        add_stability(summary, point);
        ac_summary_note(summary, AC_NOTE_REMARK, "%s",
                        run->kink); /* what is found there is in part the mesh */
        add_bend(summary, run);
        add_residual(summary, run, point);
        ac_summary_add(summary, "newton_iterations", run->iterations, "1");
        if (run->descent > 0) ac_summary_add(summary, "descent_steps", run->descent, "1");
    }
    ac_summary_add(summary, "limit_points", run->limits, "1");
    for (int k = 0; k < run->limits && k < EVENTS_SHOWN; ++k) {
        snprintf(name, sizeof name, "limit_%d_factor", k + 1);
        ac_summary_add(summary, name, run->limit[k], "1");
    }
    ac_summary_add(summary, "bifurcations", run->bifurcations, "1");
    for (int k = 0; k < run->bifurcations && k < EVENTS_SHOWN; ++k) {
        snprintf(name, sizeof name, "bifurcation_%d_factor", k + 1);
        ac_summary_add(summary, name, run->bifurcation[k], "1");
    }
    remark_path(summary, run, point);
    if (run->rough > 0) remark_rough(summary, run->rough, run->within);
    ac_summary_add(summary, "cpu_time", ac_cpu_seconds() - cpu_start, "s");
}

static ac_status solve(rest_run *run)
{
    const ac_run_job *job = run->job;
    double start = ac_cpu_seconds();
    int count = 0;
    AC_TRY(ac_equilibrium_new(job->ctx, ac_problem_system(job->problem), run->settings, &run->equilibrium));
    if (job->progress)
        run->equilibrium->effort = (ac_equilibrium_effort){.watch = watch_descent, .user = run};
    const ac_channel *channels = ac_equilibrium_channels(run->equilibrium, &count);
    AC_TRY(ac_stream_open(&run->nodes, job, "nodes", channels, count));
    ac_status status = find_points(run);
    if (status == AC_SINGULAR) status = AC_NOT_CONVERGED;
    summarise(run, start);
    return status;
}

static ac_status run_equilibrium(const ac_run_job *job)
{
    rest_run run = {.job = job,
                    .settings = ac_problem_equilibrium(job->problem),
                    .factor_min = INFINITY,
                    .factor_max = -INFINITY};
    ac_status status = solve(&run);
    ac_equilibrium_free(run.equilibrium);
    ac_stream_close(&run.nodes);
    return status;
}

static ac_status read_equilibrium(ac_builder *b, const ac_value *section, void *data)
{
    return ac_read_equilibrium(b, section, data);
}

/* The search needs the forces at the start. */
static ac_status finish_equilibrium(ac_builder *b, const ac_value *section, void *data)
{
    (void)section, (void)data;
    return ac_check_springs(b, false);
}

const ac_task ac_task_equilibrium = {
    .name = "equilibrium",
    .purpose = "bring to equilibrium",
    .size = sizeof(ac_equilibrium_settings),
    .read = read_equilibrium,
    .finish = finish_equilibrium,
    .run = run_equilibrium,
};
