/* The task "certify": samples, diameters and bounds into tables and numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/checksum.h"
#include "certify/journal.h"
#include "certify/certify.h"
#include "certify/diameter.h"
#include "certify/random.h"
#include "math/math.h"
#include "problem/build/parameters.h"
#include "task/certify/certify.h"
#include "task/stream.h"

enum { SUMMARY_INPUTS = 12, HISTOGRAM_SAMPLES = 65536, BINS_MAX = 60 };

/* ---- runners for the workers ---- */

static int run_sample(void *user, const double *x, double *measure)
{
    return ac_runner_run(user, x, measure, NULL, NULL, NULL);
}

static int run_together(void *user, int count, const double *const *x, double *measures, double *tight,
                        int *outcomes)
{
    return ac_runner_run_together(user, count, x, NULL, measures, tight, outcomes);
}

static int run_gradient(void *user, const double *x, double *measure, double *gradient)
{
    return ac_runner_gradient(user, x, measure, gradient);
}

static const char *reason_of(void *user)
{
    return ac_runner_reason(user);
}

ac_status ac_open_runner(void *user, ac_context *ctx, ac_sample_run *run)
{
    const ac_certify_task *task = user;
    ac_runner *runner;
    AC_TRY(ac_runner_new(ctx, task->job->problem, &runner));
    ac_runner_set_controls(runner, task->controls);
    *run = (ac_sample_run){.user = runner, .run = run_sample, .reason = reason_of};
    run->together = ac_runner_together(runner);
    if (run->together > 1) run->run_together = run_together;
    run->gradient_runs = ac_runner_gradient_runs(runner);
    if (run->gradient_runs > 0) run->gradient = run_gradient;
    return AC_OK;
}

void ac_close_runner(void *user, ac_sample_run *run)
{
    (void)user;
    ac_runner_free(run->user);
}

/* ---- tables ---- */

/* Channels with names of their own, which live as long as the task. */
static ac_status open_table(ac_certify_task *t, ac_stream *stream, const char *table,
                            const char *const *fixed, int fixed_count, const char *prefix)
{
    const ac_certification *c = t->c;
    int count = fixed_count + (prefix ? c->input_count : 0);
    ac_channel *channels;
    if (t->list_count == AC_CERTIFY_LISTS) return ac_fail(t->job->ctx, AC_BAD_INPUT, "too many tables");
    AC_NEW(t->job->ctx, channels, count);
    t->lists[t->list_count] = channels;
    t->list_names[t->list_count++] = ac_allocate(t->job->ctx, (size_t)c->input_count + 1, AC_CERTIFY_NAME);
    char(*names)[AC_CERTIFY_NAME] = t->list_names[t->list_count - 1];
    if (!names) return ac_out_of_memory(t->job->ctx);
    for (int k = 0; k < count; ++k) {
        const char *name = k < fixed_count ? fixed[k] : names[k - fixed_count];
        if (k >= fixed_count)
            snprintf(names[k - fixed_count], AC_CERTIFY_NAME, "%s/%s", prefix,
                     c->inputs[k - fixed_count].name);
        channels[k] = (ac_channel){name, strcmp(name, "time") == 0 ? "s" : "1", "", 1};
    }
    return ac_stream_open(stream, t->job, table, channels, count);
}

char (*ac_certify_texts(ac_certify_task *t, int count))[AC_CERTIFY_NAME]
{
    if (t->list_count == AC_CERTIFY_LISTS) return NULL;
    return t->list_names[t->list_count++] = ac_allocate(t->job->ctx, (size_t)count, AC_CERTIFY_NAME);
}

ac_status ac_certify_table(ac_certify_task *t, ac_stream *stream, const char *table, const char *const *fixed,
                           int count)
{
    return open_table(t, stream, table, fixed, count, NULL);
}

static bool is_beyond(const ac_certify_task *t, double measure)
{
    double sign = t->settings.at_least ? -1.0 : 1.0;
    return sign * measure > sign * t->settings.threshold;
}

static ac_status put_sample(void *user, int set, long number, const double *x, double measure, bool failed)
{
    static const char *const fixed[] = {"sample/number", "sample/set", "sample/measure", "sample/failed"};
    ac_certify_task *t = user;
    if (!t->samples.row) AC_TRY(open_table(t, &t->samples, "samples", fixed, 4, "input"));
    double *row = t->samples.row;
    row[0] = (double)number;
    row[1] = set;
    row[2] = measure;
    row[3] = failed;
    memcpy(row + 4, x, (size_t)t->c->input_count * sizeof *row);
    if (set == 0 && number < AC_CERTIFY_DOTS) t->beyond[number] = failed || is_beyond(t, measure);
    if (!failed && t->measures && t->measure_count < HISTOGRAM_SAMPLES)
        t->measures[t->measure_count++] = measure;
    return ac_stream_put(&t->samples);
}

/* ---- outlines, for plots ---- */

/* Four corners of a bar. */
static ac_status put_bar(ac_stream *stream, double left, double right, double height)
{
    const double corners[4][2] = {{left, 0.0}, {left, height}, {right, height}, {right, 0.0}};
    for (int k = 0; k < 4; ++k) {
        memcpy(stream->row, corners[k], sizeof corners[k]);
        AC_TRY(ac_stream_put(stream));
    }
    return AC_OK;
}

/* Density of the measure, in about as many bins as the root of the samples. */
static ac_status put_histogram(ac_certify_task *t)
{
    static const char *const names[] = {"histogram/measure", "histogram/density"};
    double low = INFINITY, high = -INFINITY;
    long counts[BINS_MAX] = {0};
    for (long k = 0; k < t->measure_count; ++k) {
        low = ac_min(low, t->measures[k]);
        high = ac_max(high, t->measures[k]);
    }
    if (!(high > low)) return AC_OK;
    int bins = (int)ac_min(BINS_MAX, ac_max(5.0, sqrt((double)t->measure_count)));
    double width = (high - low) / bins;
    for (long k = 0; k < t->measure_count; ++k) {
        int bin = (int)((t->measures[k] - low) / width);
        ++counts[bin < bins ? bin : bins - 1];
    }
    AC_TRY(ac_certify_table(t, &t->histogram, "histogram", names, 2));
    for (int k = 0; k < bins; ++k)
        AC_TRY(put_bar(&t->histogram, low + k * width, low + (k + 1) * width,
                       (double)counts[k] / ((double)t->measure_count * width)));
    return AC_OK;
}

static ac_status put_bars(ac_certify_task *t, const ac_certificate *out)
{
    static const char *const names[] = {"bars/input", "bars/diameter"};
    AC_TRY(ac_certify_table(t, &t->bars, "bars", names, 2));
    for (int k = 0; k < t->c->input_count; ++k)
        if (isfinite(out->inputs[k].value)) AC_TRY(put_bar(&t->bars, k + 0.6, k + 1.4, out->inputs[k].value));
    return AC_OK;
}

/* ---- diameters ---- */

/* One row with the diameter of each input, and one row for each input. */
static ac_status put_diameters(ac_certify_task *t, const ac_certificate *out)
{
    enum { FIXED = 9 };
    static const char *const fixed[FIXED] = {"inputs/number",   "inputs/low",   "inputs/high",
                                             "inputs/diameter", "inputs/found", "inputs/by_gradients",
                                             "inputs/at_a",     "inputs/at_b",  "inputs/runs"};
    AC_TRY(open_table(t, &t->diameters, "diameters", NULL, 0, "diameter"));
    AC_TRY(open_table(t, &t->inputs, "inputs", fixed, FIXED, "where"));
    bool finite = true;
    for (int k = 0; k < t->c->input_count; ++k) {
        const ac_sub_diameter *sub = &out->inputs[k];
        t->diameters.row[k] = sub->value;
        finite = finite && isfinite(sub->value);
        double row[FIXED] = {
            k + 1.0, t->c->inputs[k].low, t->c->inputs[k].high, sub->value, sub->found, sub->slope, sub->a,
            sub->b,  (double)sub->runs};
        memcpy(t->inputs.row, row, sizeof row);
        memcpy(t->inputs.row + FIXED, out->where + (size_t)k * (size_t)t->c->input_count,
               (size_t)t->c->input_count * sizeof *row);
        if (isfinite(sub->value) && isfinite(sub->found)) AC_TRY(ac_stream_put(&t->inputs));
    }
    return finite ? ac_stream_put(&t->diameters) : AC_OK;
}

/* ---- the summary ---- */

static const char *search_words(const ac_certify_settings *s, int count, char *text, size_t size)
{
    switch (s->search) {
    case AC_SEARCH_GRID: snprintf(text, size, "all points of a grid of %d for each input", s->grid); break;
    case AC_SEARCH_ANNEALING:
        snprintf(text, size, "%d annealing%s of at most %ld evaluations for each input", s->starts,
                 s->starts == 1 ? "" : "s", s->annealing.evaluations);
        break;
    default:
        snprintf(text, size, "a scan with %d points along each input and %d ascent%s for each of them",
                 ac_scan_points(s, count), s->starts, s->starts == 1 ? "" : "s");
    }
    return text;
}

static void note_failures(ac_certify_task *t, const ac_certificate *out)
{
    const ac_certify_settings *s = &t->settings;
    ac_summary *to = t->job->summary;
    if (out->failures == s->samples + s->mean_samples && out->failed < out->failures)
        ac_summary_note(to, AC_NOTE_REMARK,
                        "no sample meets the threshold %g: the measure is between %g and %g over %ld samples",
                        s->threshold, out->lowest, out->highest, out->failures);
    if (out->failed > 0)
        ac_summary_note(to, AC_NOTE_REMARK, "%ld of %ld runs failed, the first in sample %ld: %s",
                        out->failed, s->samples + s->mean_samples, out->first_failed, out->reason);
    else if (out->search_failed)
        ac_summary_note(to, AC_NOTE_REMARK, "a run failed while the diameter was searched: %s", out->reason);
    if (!isfinite(out->diameter) || (out->failed > 0 && !s->has_failed_measure))
        ac_summary_note(
            to, AC_NOTE_REMARK,
            "failed runs leave the diameter without a bound, so that only counting failures gives one; "
            "failed_measure says what they count as");
}

static const char *const bound_words[] = {[AC_CERTIFY_MCDIARMID] = "McDiarmid",
                                          [AC_CERTIFY_HOEFFDING] = "Hoeffding",
                                          [AC_CERTIFY_CLOPPER_PEARSON] = "Clopper and Pearson"};

/* How far the verdict depends on the search. */
static void note_diameter(ac_certify_task *t, const ac_certificate *out)
{
    ac_summary *to = t->job->summary;
    if (out->certified && out->decisive != AC_CERTIFY_MCDIARMID)
        ac_summary_note(to, AC_NOTE_VERDICT,
                        "it follows from the number of failures alone, whatever the diameter");
    else if (out->certified && out->diameter > 0)
        ac_summary_note(to, AC_NOTE_VERDICT, "it holds unless the true diameter is %.3g times as large",
                        out->largest_diameter / out->diameter);
    else if (out->certified)
        return;
    else if (out->largest_diameter > 0)
        ac_summary_note(to, AC_NOTE_VERDICT, "a diameter of %.4g would do", out->largest_diameter);
    else
        ac_summary_note(to, AC_NOTE_VERDICT, "the mean itself is beyond the threshold");
}

static void note_verdict(ac_certify_task *t, const ac_certificate *out)
{
    const ac_certify_settings *s = &t->settings;
    ac_summary *to = t->job->summary;
    char search[160];
    int proven = 0;
    for (int k = 0; k < t->c->input_count; ++k) proven += out->inputs[k].by_slope;
    if (proven == t->c->input_count)
        ac_summary_note(
            to, AC_NOTE_CHOICE,
            "the diameter is rigorous: slope times range for every input; %ld runs of a search by %s "
            "did not contradict it",
            out->search_runs, search_words(s, t->c->input_count, search, sizeof search));
    else
        ac_summary_note(
            to, AC_NOTE_CHOICE,
            "diameter by %s, %ld runs: a lower bound; the true diameter may be larger%s. The samples "
            "alone bound the probability of a failure by %.3g",
            search_words(s, t->c->input_count, search, sizeof search), out->search_runs,
            proven > 0 ? "; inputs with a slope are rigorous" : "",
            ac_min(out->hoeffding, out->clopper_pearson));
    if (out->certified)
        ac_summary_note(to, AC_NOTE_VERDICT, "certified at a tolerance of %g by the bound of %s: %.3g",
                        s->tolerance, bound_words[out->decisive], out->bound);
    else
        ac_summary_note(to, AC_NOTE_VERDICT,
                        "not certified at a tolerance of %g: the probability of a failure is only bounded by "
                        "%.3g (%s)",
                        s->tolerance, out->bound, bound_words[out->decisive]);
    note_failures(t, out);
    if (isfinite(out->diameter)) note_diameter(t, out);
}

static void add_finite(ac_summary *summary, const char *name, double value, const char *unit)
{
    if (isfinite(value)) ac_summary_add(summary, name, value, unit);
}

void ac_certify_summary(ac_certify_task *t, const ac_certificate *out)
{
    const ac_certify_settings *s = &t->settings;
    ac_summary *to = t->job->summary;
    bool exact = s->mean_samples > 0;
    ac_summary_verdict(to, out->certified ? "certified" : "not_certified", !out->certified);
    ac_summary_add(to, "certified", out->certified, "1");
    ac_summary_add(to, "tolerance", s->tolerance, "1");
    ac_summary_add(to, "confidence", s->confidence, "1");
    ac_summary_add(to, "failure_bound", out->bound, "1");
    ac_summary_add(to, "failure_bound_mcdiarmid", out->mcdiarmid, "1");
    ac_summary_add(to, "failure_bound_hoeffding", out->hoeffding, "1");
    ac_summary_add(to, "failure_bound_clopper_pearson", out->clopper_pearson, "1");
    if (exact) ac_summary_add(to, "failure_bound_exact_mean", out->bound_exact, "1");
    ac_summary_add(to, "confidence_factor", out->confidence_factor, "1");
    ac_summary_add(to, "confidence_factor_needed", out->needed_factor, "1");
    if (exact) ac_summary_add(to, "confidence_factor_exact_mean", out->confidence_factor_exact, "1");
    ac_summary_add(to, "threshold", s->threshold, "1");
    ac_summary_add(to, "mean", out->mean, "1");
    if (exact) ac_summary_add(to, "mean_exact", out->mean_exact, "1");
    add_finite(to, "margin_hit", out->margin_hit, "1");
    add_finite(to, "diameter", out->diameter, "1");
    add_finite(to, "diameter_allowed", out->largest_diameter, "1");
    if (out->gradient_diameter > out->diameter) {
        add_finite(to, "diameter_by_gradients", out->gradient_diameter, "1");
        ac_summary_add(to, "failure_bound_by_gradients", out->gradient_bound, "1");
    }
    for (int k = 0; k < t->c->input_count && k < SUMMARY_INPUTS; ++k) {
        char name[AC_CERTIFY_NAME];
        snprintf(name, sizeof name, "diameter/%.48s", t->c->inputs[k].name);
        add_finite(to, name, out->inputs[k].value, "1");
    }
    add_finite(to, "lowest", out->lowest, "1");
    add_finite(to, "highest", out->highest, "1");
    ac_summary_add(to, "deviation", out->deviation, "1");
    ac_summary_add(to, "inputs", t->c->input_count, "1");
    ac_summary_add(to, "samples", (double)out->sample_runs, "1");
    ac_summary_add(to, "failures", (double)out->failures, "1");
    ac_summary_add(to, "failed_runs", (double)out->failed, "1");
    ac_summary_add(to, "failure_rate", out->rate, "1");
    ac_summary_add(to, "failure_rate_low", out->rate_low, "1");
    ac_summary_add(to, "failure_rate_high", out->rate_high, "1");
    ac_summary_add(to, "runs", (double)out->runs, "1");
    ac_summary_add(to, "runs_search", (double)out->search_runs, "1");
    ac_summary_add(to, "runs_monte_carlo", out->runs_monte_carlo, "1");
    ac_summary_add(to, "runs_hoeffding", out->runs_hoeffding, "1");
    note_verdict(t, out);
}

/* ---- the task ---- */

static int report(void *user, double done, const char *words)
{
    const ac_run_job *job = user;
    return job->progress ? job->progress(job->progress_user, done, words) : 0;
}

/* Of everything that results depend on. */
static uint64_t fingerprint_of(const ac_run_job *job)
{
    uint64_t hash = ac_problem_fingerprint(job->problem);
    return ac_checksum(hash, ACTIO_VERSION, sizeof ACTIO_VERSION);
}

static ac_status certify_with(ac_certify_task *t, const ac_certify_settings *settings, ac_certificate *out)
{
    const ac_sample_source source = {t, ac_open_runner, ac_close_runner};
    return ac_certify(t->job->ctx, t->c->inputs, t->c->input_count, settings, &source, &t->work, out);
}

ac_status ac_certify_controls(ac_certify_task *t, const ac_certify_settings *settings, ac_certificate *out)
{
    ac_certify_work work = t->work;
    t->work.part_count = t->work.shards = 0;
    t->work.sample = NULL;
    ac_status status = certify_with(t, settings, out);
    t->work = work;
    ++t->work.part;
    return status;
}

static ac_status certify(ac_certify_task *t, ac_certificate *out)
{
    AC_NEW(t->job->ctx, t->measures, HISTOGRAM_SAMPLES);
    t->work.sample = put_sample;
    t->work.sample_user = t;
    AC_TRY(certify_with(t, &t->settings, out));
    if (!out->complete && t->work.part_count > 0)
        return ac_fail(t->job->ctx, AC_BAD_INPUT,
                       "the %d parts are not all: pieces of other shards are missing", t->work.part_count);
    if (!out->complete) {
        ac_summary_verdict(t->job->summary, "shard_done", false);
        ac_summary_add(t->job->summary, "complete", 0, "1");
        ac_summary_note(t->job->summary, AC_NOTE_REMARK,
                        "shard %d of %d: its pieces are in %s; put all shards together with 'actio merge'",
                        t->work.shard, t->work.shards, t->work.journal ? t->work.journal : "no file");
        return AC_OK;
    }
    AC_TRY(put_diameters(t, out));
    AC_TRY(put_histogram(t));
    AC_TRY(put_bars(t, out));
    AC_TRY(ac_certify_scatter(t, out));
    AC_TRY(ac_certify_fan(t));
    ac_certify_summary(t, out);
    return ac_certify_half_step(t, out);
}

/* What a run before left. */
static ac_status note_journal(ac_certify_task *t)
{
    ac_journal *journal;
    if (!t->work.journal || t->work.part_count > 0) return AC_OK;
    AC_TRY(ac_journal_open(t->job->ctx, t->work.journal, t->work.fingerprint, NULL, 0, false, &journal));
    long kept = ac_journal_blocks(journal);
    ac_journal_close(journal);
    if (kept > 0)
        ac_summary_note(t->job->summary, AC_NOTE_REMARK,
                        "the run goes on: %ld blocks of work were known from %s", kept, t->work.journal);
    return AC_OK;
}

/* Robust controls first, if they are wanted; then they are certified. */
static ac_status run_all(ac_certify_task *t, ac_certificate *out)
{
    const ac_robust_settings *robust = &t->c->robust;
    t->settings = t->c->settings;
    AC_TRY(note_journal(t));
    t->own_journal = true;
    if (!robust->wanted) return certify(t, out);
    if (t->work.shards > 0)
        return ac_fail(t->job->ctx, AC_BAD_INPUT,
                       "robust controls cannot be searched in shards; threads and mpirun can be used");
    if (t->work.ranks > 1)
        t->work.journal = NULL; /* several parts of one journal would have to wait for each other */
    size_t count = (size_t)robust->control_count * (size_t)t->c->simulation.steps;
    double *controls = ac_allocate(t->job->ctx, count, sizeof *controls);
    if (!controls) return ac_out_of_memory(t->job->ctx);
    ac_status status = ac_find_robust(t, controls);
    t->controls = controls;
    if (status == AC_OK) status = certify(t, out);
    ac_release(t->job->ctx, controls);
    return status;
}

static ac_status run_certification(const ac_run_job *job)
{
    ac_certify_task t = {.job = job, .c = ac_problem_certification(job->problem)};
    ac_certificate out = {0};
    t.work = t.c->work;
    t.work.fingerprint = fingerprint_of(job);
    t.work.progress = report;
    t.work.progress_user = (void *)job;
    double start = ac_wall_seconds();
    ac_status status = run_all(&t, &out);
    if (status == AC_OK) ac_summary_add(job->summary, "wall_time", ac_wall_seconds() - start, "s");
    bool again = status == AC_BAD_INPUT ||
                 status == AC_NOT_CONVERGED; /* it would end in the same way again */
    if (again && t.own_journal && t.work.journal && t.work.shards == 0 && t.work.rank == 0)
        unlink(t.work.journal);
    ac_certificate_clear(job->ctx, &out);
    ac_release(job->ctx, t.measures);
    ac_stream *const streams[] = {&t.samples, &t.diameters, &t.inputs,    &t.fan,  &t.paths,  &t.history,
                                  &t.found,   &t.pareto,    &t.histogram, &t.bars, &t.scatter};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; ++k)
        if (streams[k]->row) ac_stream_close(streams[k]);
    for (int k = 0; k < t.list_count; ++k) {
        ac_release(job->ctx, t.lists[k]);
        ac_release(job->ctx, t.list_names[k]);
    }
    return status;
}

static ac_status read_certify(ac_builder *b, const ac_value *section, void *data)
{
    ac_certification *certification = data;
    certification->ctx = b->ctx;
    if (ac_sets_values(b)) return AC_OK; /* only the system is wanted */
    return ac_read_certify(b, section, data);
}

static void release_certify(void *data)
{
    ac_certification_clear(data);
}

const ac_task ac_task_certify = {
    .name = "certify",
    .purpose = "certify",
    .size = sizeof(ac_certification),
    .read = read_certify,
    .release = release_certify,
    .run = run_certification,
};
