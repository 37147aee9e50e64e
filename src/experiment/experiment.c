/* Carrying out an experiment: each run once, then every check judged. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "experiment/parts.h"

const char *ac_check_kind_name(ac_check_kind kind)
{
    static const char *const names[] = {"value", "at_most", "at_least", "between", "report"};
    return names[kind];
}

ac_status ac_experiment_read(ac_context *ctx, const char *path, ac_experiment **experiment)
{
    ac_experiment *e;
    *experiment = NULL;
    AC_NEW(ctx, e, 1);
    e->ctx = ctx;
    ac_reader_begin(&e->reader, ctx);
    ac_status status = ac_experiment_load(e, path);
    if (status == AC_OK)
        *experiment = e;
    else
        ac_experiment_free(e);
    return status;
}

static void forget_trials(ac_experiment *e)
{
    for (int i = 0; i < e->trial_count; ++i) {
        ac_store_free(&e->trials[i].store);
        ac_release(e->ctx, e->trials[i].message);
        e->trials[i].message = NULL;
    }
}

void ac_experiment_free(ac_experiment *e)
{
    if (!e) return;
    forget_trials(e);
    ac_release(e->ctx, e->trials);
    for (int i = 0; i < e->reading_count; ++i) ac_expression_free(e->readings[i].formula);
    ac_release(e->ctx, e->readings);
    for (int i = 0; i < e->check_count; ++i) ac_expression_free(e->checks[i].value);
    ac_release(e->ctx, e->checks);
    ac_reader_end(&e->reader);
    ac_release(e->ctx, e);
}

const char *ac_experiment_id(const ac_experiment *experiment)
{
    return experiment->id;
}

const char *ac_experiment_title(const ac_experiment *experiment)
{
    return experiment->title;
}

const char *ac_experiment_source(const ac_experiment *experiment)
{
    return experiment->source ? experiment->source : "";
}

const char *ac_experiment_verified_by(const ac_experiment *experiment)
{
    return experiment->verified_by ? experiment->verified_by : "";
}

int ac_experiment_check_count(const ac_experiment *experiment)
{
    return experiment->check_count;
}

const ac_check *ac_experiment_check(const ac_experiment *experiment, int index)
{
    return &experiment->checks[index].check;
}

/* ---- runs ---- */

/* Gives each run the channels that will be read. */
static ac_status want_channels(ac_experiment *e)
{
    for (int i = 0; i < e->reading_count; ++i) {
        const ac_reading *m = &e->readings[i];
        int runs[2] = {m->run, m->other_run};
        for (int r = 0; r < 2; ++r) {
            if (runs[r] < 0) continue;
            ac_trial *trial = &e->trials[runs[r]];
            trial->needed = true;
            trial->store.ctx = e->ctx;
            if (m->channel) AC_TRY(ac_store_want(&trial->store, m->channel));
            for (int c = 0; c < m->column_count; ++c)
                AC_TRY(ac_store_want(&trial->store, m->columns[c].channel));
        }
        for (int c = 0; c < m->column_count; ++c) {
            ac_trial *trial = &e->trials[m->columns[c].run];
            trial->needed = true;
            trial->store.ctx = e->ctx;
            AC_TRY(ac_store_want(&trial->store, m->columns[c].channel));
        }
    }
    return AC_OK;
}

typedef struct trial_progress {
    ac_experiment *experiment;
    int number, count;
    ac_progress report;
    void *user;
} trial_progress;

static int report_trial(void *user, double done, const char *words)
{
    const trial_progress *p = user;
    char text[256];
    if (!p->report) return 0;
    snprintf(text, sizeof text, "%s, %s: %s", p->experiment->id, p->experiment->trials[p->number].name,
             words);
    return p->report(p->user, ((double)p->number + done) / (double)p->count, text);
}

static ac_status run_trial(ac_experiment *e, int number, ac_progress progress, void *user)
{
    ac_trial *trial = &e->trials[number];
    trial_progress p = {e, number, e->trial_count, progress, user};
    ac_problem *problem = NULL;
    ac_sink sink = ac_store_sink(&trial->store);
    trial->status = ac_problem_read(e->ctx, trial->problem, trial->settings, trial->setting_count, &problem);
    if (trial->status == AC_OK) {
        ac_run_job job = {e->ctx, problem, &sink, report_trial, &p, &trial->summary, NULL, NULL};
        trial->status = ac_run_into(&job);
    }
    ac_problem_free(problem);
    if (trial->status == AC_OK) return AC_OK;
    if (trial->status == AC_INTERRUPTED || trial->status == AC_NO_MEMORY) return trial->status;
    trial->message = ac_copy_text(e->ctx, ac_context_message(e->ctx));
    return trial->message ? AC_OK : ac_out_of_memory(e->ctx);
}

/* ---- checks ---- */

static bool passes(const ac_check *check)
{
    double expected = isnan(check->verified) ? check->reported : check->verified;
    double tolerance = check->relative ? check->tolerance * fabs(expected) : check->tolerance;
    switch (check->kind) {
    case AC_CHECK_VALUE: return fabs(check->obtained - expected) <= tolerance;
    case AC_CHECK_AT_MOST: return check->obtained <= check->high;
    case AC_CHECK_AT_LEAST: return check->obtained >= check->low;
    case AC_CHECK_BETWEEN: return check->obtained >= check->low && check->obtained <= check->high;
    default: return isfinite(check->obtained);
    }
}

static ac_status take_readings(ac_experiment *e)
{
    for (int i = 0; i < e->reading_count; ++i) {
        ac_reading *m = &e->readings[i];
        m->status = ac_reading_take(e, m, &m->value);
        if (m->status == AC_OK && !isfinite(m->value))
            m->status = ac_fail(e->ctx, AC_NOT_CONVERGED, "%s is not a finite number", m->name);
        if (m->status == AC_OK) continue;
        if (m->status == AC_NO_MEMORY) return m->status;
        m->message = ac_arena_text(&e->reader.arena, ac_context_message(e->ctx),
                                   strlen(ac_context_message(e->ctx)));
        if (!m->message) return AC_NO_MEMORY;
    }
    return AC_OK;
}

/* Judges one check by the values in `x`, which has room for its measures. */
static void judge(const ac_experiment *e, ac_judged_check *c, double *x)
{
    ac_check *check = &c->check;
    check->obtained = NAN;
    check->pass = false;
    for (int i = 0; i < c->reading_count; ++i) {
        const ac_reading *m = &e->readings[c->readings[i]];
        x[i] = m->value;
        if (m->status == AC_OK) continue;
        check->message = m->message;
        return;
    }
    check->obtained = c->value ? ac_expression_value(c->value, x) : x[0];
    check->message = isfinite(check->obtained) ? "" : "the value is not a finite number";
    check->pass = passes(check);
}

static ac_status judge_all(ac_experiment *e)
{
    double *x = ac_allocate(e->ctx, (size_t)e->reading_count, sizeof *x);
    if (!x) return ac_out_of_memory(e->ctx);
    for (int i = 0; i < e->check_count; ++i) judge(e, &e->checks[i], x);
    ac_release(e->ctx, x);
    return AC_OK;
}

ac_status ac_experiment_run(ac_experiment *e, ac_progress progress, void *user)
{
    forget_trials(e);
    AC_TRY(want_channels(e));
    for (int i = 0; i < e->trial_count; ++i) {
        if (e->trials[i].needed) AC_TRY(run_trial(e, i, progress, user));
    }
    AC_TRY(take_readings(e));
    forget_trials(e);
    return judge_all(e);
}
