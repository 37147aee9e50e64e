/* Robust controls of the task "certify": the search, and what the controls found are worth.
 *
 * The search sees one set of samples and a coarse grid; the start and the end of it are certified with independent
 * samples and the full search of the diameter, so that nothing is promised by chance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "certify/robust.h"
#include "math/math.h"
#include "task/certify/certify.h"

typedef struct robust_task {
    ac_certify_task *t;
    double *start, *low, *high, *found;
    int count;
} robust_task;

/* ---- runs with controls behind the inputs ---- */

typedef struct robust_runner {
    ac_context *ctx;
    ac_runner *runner;
    int inputs;
} robust_runner;

static int run_tight(void *user, const double *x, double *measure, double *tight)
{
    const robust_runner *r = user;
    ac_runner_set_controls(r->runner, x + r->inputs);
    return ac_runner_run(r->runner, x, measure, tight, NULL, NULL);
}

static int run_measure(void *user, const double *x, double *measure)
{
    return run_tight(user, x, measure, NULL);
}

static int run_slopes(void *user, const double *x, double *measure, double *tight, double *slopes)
{
    const robust_runner *r = user;
    ac_runner_set_controls(r->runner, x + r->inputs);
    return ac_runner_slopes(r->runner, x, measure, tight, slopes);
}

static int run_together(void *user, int count, const double *const *x, double *measures, double *tight,
                        int *outcomes)
{
    const robust_runner *r = user;
    const double *controls[AC_RUNS_TOGETHER] = {NULL};
    for (int k = 0; k < count; ++k) controls[k] = x[k] + r->inputs;
    return ac_runner_run_together(r->runner, count, x, controls, measures, tight, outcomes);
}

static ac_status open_robust(void *user, ac_context *ctx, ac_sample_run *run)
{
    const ac_certify_task *t = user;
    robust_runner *r;
    AC_NEW(ctx, r, 1);
    r->ctx = ctx;
    r->inputs = t->c->input_count;
    ac_status status = ac_runner_new(ctx, t->job->problem, &r->runner);
    if (status != AC_OK) {
        ac_release(ctx, r);
        return status;
    }
    *run = (ac_sample_run){
        .user = r, .run = run_measure, .run_tight = run_tight, .together = ac_runner_together(r->runner)};
    if (run->together > 1) run->run_together = run_together;
    if (ac_runner_has_slopes(r->runner)) run->slopes = run_slopes;
    return AC_OK;
}

static void close_robust(void *user, ac_sample_run *run)
{
    robust_runner *r = run->user;
    (void)user;
    ac_runner_free(r->runner);
    ac_release(r->ctx, r);
}

/* ---- the search ---- */

static ac_status put_history(void *user, const ac_robust_state *s)
{
    ac_certify_task *t = user;
    double bound = s->factor > 0 ? ac_exp(-2.0 * s->factor * s->factor) : 1.0;
    const double row[] = {(double)s->iteration, s->factor, bound,    s->mean,        s->diameter,
                          s->squares,           s->effort, s->moved, (double)s->runs};
    memcpy(t->history.row, row, sizeof row);
    return isfinite(s->factor) ? ac_stream_put(&t->history) : AC_OK;
}

static ac_status search(robust_task *r, double weight, bool reporting, double *controls,
                        ac_robust_state *state)
{
    ac_certify_task *t = r->t;
    const ac_robust_settings *s = &t->c->robust;
    const ac_sample_source source = {t, open_robust, close_robust};
    ac_certify_work work = t->work;
    work.sample = NULL;
    ++t->work.part;
    ac_robust robust = {.ctx = t->job->ctx,
                        .inputs = t->c->inputs,
                        .input_count = t->c->input_count,
                        .settings = &t->c->settings,
                        .source = &source,
                        .work = &work,
                        .control_count = r->count,
                        .start = r->start,
                        .low = r->low,
                        .high = r->high,
                        .search = s->annealed ? AC_ROBUST_ANNEALED : AC_ROBUST_SMOOTHED,
                        .iterations = s->iterations,
                        .samples = s->samples,
                        .grid = s->grid,
                        .annealing = t->c->settings.annealing,
                        .effort_weight = weight,
                        .report = reporting ? put_history : NULL,
                        .user = t};
    robust.annealing.evaluations = s->iterations;
    robust.annealing.width = s->width;
    robust.annealing.boltzmann = s->boltzmann;
    return ac_robust_search_controls(&robust, controls, state);
}

/* ---- what they are worth ---- */

static ac_certify_settings report_settings(const ac_certify_task *t)
{
    ac_certify_settings settings = t->c->settings;
    settings.seed += 1; /* independent of the samples of the search */
    settings.mean_samples = t->c->robust.report_samples;
    return settings;
}

static ac_status judge_start(ac_certify_task *t)
{
    ac_certificate out;
    const ac_certify_settings settings = report_settings(t);
    AC_TRY(ac_certify_controls(t, &settings, &out));
    ac_summary *to = t->job->summary;
    ac_summary_add(to, "start_failure_bound", out.bound, "1");
    if (settings.mean_samples > 0) ac_summary_add(to, "start_failure_bound_exact_mean", out.bound_exact, "1");
    ac_summary_add(to, "start_confidence_factor", out.confidence_factor, "1");
    if (isfinite(out.diameter)) ac_summary_add(to, "start_diameter", out.diameter, "1");
    ac_summary_add(to, "start_mean", settings.mean_samples > 0 ? out.mean_exact : out.mean, "1");
    ac_certificate_clear(t->job->ctx, &out);
    return AC_OK;
}

static ac_status put_controls(robust_task *r)
{
    static const char *const names[] = {"time", "controls/number", "controls/start", "controls/found"};
    ac_certify_task *t = r->t;
    long steps = t->c->simulation.steps;
    AC_TRY(ac_certify_table(t, &t->found, "controls", names, 4));
    for (int k = 0; k < r->count; ++k) {
        long control = k / steps + 1;
        const double row[] = {((double)(k % steps) + 0.5) * t->c->simulation.step, (double)control,
                              r->start[k], r->found[k]};
        memcpy(t->found.row, row, sizeof row);
        AC_TRY(ac_stream_put(&t->found));
    }
    return AC_OK;
}

/* Effort against confidence: the search with weights on the squares of the controls. */
static ac_status put_pareto(robust_task *r)
{
    static const char *const names[] = {"pareto/weight",        "pareto/effort", "pareto/confidence_factor",
                                        "pareto/failure_bound", "pareto/mean",   "pareto/diameter"};
    ac_certify_task *t = r->t;
    const ac_robust_settings *s = &t->c->robust;
    if (s->effort_count == 0) return AC_OK;
    double *controls = ac_allocate(t->job->ctx, (size_t)r->count, sizeof *controls);
    if (!controls) return ac_out_of_memory(t->job->ctx);
    ac_status status = ac_certify_table(t, &t->pareto, "pareto", names, 6);
    for (int k = 0; k < s->effort_count && status == AC_OK; ++k) {
        ac_robust_state state;
        ac_certificate out = {0};
        const ac_certify_settings settings = report_settings(t);
        status = search(r, s->efforts[k], false, controls, &state);
        t->controls = controls;
        if (status == AC_OK) status = ac_certify_controls(t, &settings, &out);
        t->controls = NULL;
        const double row[] = {s->efforts[k], state.effort,   out.confidence_factor,
                              out.bound,     out.mean_exact, out.diameter};
        if (status == AC_OK) memcpy(t->pareto.row, row, sizeof row);
        if (status == AC_OK) status = ac_stream_put_diagnostic(&t->pareto);
        ac_certificate_clear(t->job->ctx, &out);
    }
    ac_release(t->job->ctx, controls);
    return status;
}

/* ---- the whole ---- */

static ac_status put_range(robust_task *r)
{
    const ac_robust_settings *s = &r->t->c->robust;
    long steps = r->t->c->simulation.steps;
    for (int k = 0; k < r->count; ++k) {
        double limit = s->controls[k / steps].limit;
        r->low[k] = limit > 0 ? -limit : -INFINITY;
        r->high[k] = limit > 0 ? limit : INFINITY;
        if (s->near > 0) {
            r->low[k] = ac_max(r->low[k], r->start[k] - s->near);
            r->high[k] = ac_min(r->high[k], r->start[k] + s->near);
        }
        if (r->start[k] < r->low[k] - 1e-9 * limit || r->start[k] > r->high[k] + 1e-9 * limit)
            return ac_fail(r->t->job->ctx, AC_BAD_INPUT, "a control of the file is beyond its limit: %g",
                           r->start[k]);
    }
    return AC_OK;
}

static ac_status find(robust_task *r)
{
    static const char *const names[] = {
        "history/iteration", "history/confidence_factor", "history/failure_bound", "history/mean",
        "history/diameter",  "history/squares",           "history/effort",        "history/moved",
        "history/runs"};
    ac_certify_task *t = r->t;
    ac_robust_state state;
    AC_TRY(put_range(r));
    AC_TRY(ac_certify_table(t, &t->history, "history", names, 9));
    AC_TRY(judge_start(t));
    AC_TRY(search(r, 0.0, true, r->found, &state));
    AC_TRY(put_controls(r));
    AC_TRY(put_pareto(r));
    ac_summary *to = t->job->summary;
    ac_summary_add(to, "robust_iterations", (double)state.iteration, "1");
    ac_summary_add(to, "robust_runs", (double)state.runs, "1");
    ac_summary_add(to, "robust_moved", state.moved, "1");
    ac_summary_add(to, "robust_seen_factor", state.factor, "1");
    t->settings = report_settings(t);
    return AC_OK;
}

ac_status ac_find_robust(ac_certify_task *t, double *controls)
{
    ac_context *ctx = t->job->ctx;
    robust_task r = {
        .t = t, .count = t->c->robust.control_count * (int)t->c->simulation.steps, .found = controls};
    ac_runner *runner = NULL;
    double *space = ac_allocate(ctx, 3 * (size_t)r.count, sizeof *space);
    if (!space) return ac_out_of_memory(ctx);
    r.start = space;
    r.low = space + r.count;
    r.high = space + 2 * r.count;
    ac_status status = ac_runner_new(ctx, t->job->problem, &runner);
    if (status == AC_OK) ac_runner_get_controls(runner, r.start);
    ac_runner_free(runner);
    if (status == AC_OK) status = find(&r);
    ac_release(ctx, space);
    return status;
}
