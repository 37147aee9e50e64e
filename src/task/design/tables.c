/* Tables and numbers of a study: its samples, their starts, the surrogate along each parameter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"
#include "task/design/design.h"

enum { GRID = 201, NAME_SIZE = AC_NAME_SIZE + 48, COLUMNS = AC_DESIGN_VARIABLES_MAX + 10 };

typedef struct table {
    ac_stream stream;
    ac_channel channels[COLUMNS];
    char names[COLUMNS][NAME_SIZE];
    int count;
} table;

static void column(table *to, const char *prefix, const char *name, const char *ending)
{
    snprintf(to->names[to->count], NAME_SIZE, "%s/%s%s", prefix, name, ending);
    to->channels[to->count] = (ac_channel){to->names[to->count], "1", "", 1};
    ++to->count;
}

static void columns(table *to, const char *prefix, const char *const *names, int count)
{
    for (int k = 0; k < count; ++k) column(to, prefix, names[k], "");
}

static ac_status open_table(ac_design_task *t, table *to, const char *name)
{
    return ac_stream_open(&to->stream, t->job, name, to->channels, to->count);
}

static double sign_of(const ac_design_task *t)
{
    return t->evaluator.sign;
}

/* ---- samples ---- */

static ac_status put_samples(ac_design_task *t, table *to)
{
    static const char *const fixed[] = {"number", "cost",  "least",  "predicted", "deviation",
                                        "origin", "start", "branch", "time"};
    double sign = sign_of(t), least = INFINITY;
    columns(to, "sample", fixed, 9);
    for (int i = 0; i < t->data->count; ++i) column(to, "design", t->data->names[i], "");
    AC_TRY(open_table(t, to, "samples"));
    for (int k = 0; k < ac_design_evaluations(t->design); ++k) {
        ac_design_sample s = ac_design_sample_of(t->design, k);
        if (!isfinite(s.cost)) continue;
        double time = 0.0;
        for (int i = 0; i < t->starts; ++i) time += t->items[k * t->starts + i].numbers[AC_EVALUATION_TIME];
        least = ac_min(least, s.cost);
        bool predicted = isfinite(s.predicted);
        const double row[] = {k + 1.0,
                              sign * s.cost,
                              sign * least,
                              sign * (predicted ? s.predicted : s.cost),
                              predicted ? s.deviation : 0.0,
                              s.origin,
                              t->winner[k],
                              t->branch[k],
                              time};
        memcpy(to->stream.row, row, sizeof row);
        memcpy(to->stream.row + 9, s.x, (size_t)t->data->count * sizeof *row);
        AC_TRY(ac_stream_put(&to->stream));
    }
    return AC_OK;
}

static ac_status put_failed(ac_design_task *t, table *to)
{
    static const char *const fixed[] = {"number"};
    columns(to, "failed", fixed, 1);
    for (int i = 0; i < t->data->count; ++i) column(to, "failed", t->data->names[i], "");
    for (int k = 0; k < ac_design_evaluations(t->design); ++k) {
        ac_design_sample s = ac_design_sample_of(t->design, k);
        if (isfinite(s.cost)) continue;
        if (!to->stream.row) AC_TRY(open_table(t, to, "failed"));
        to->stream.row[0] = k + 1.0;
        memcpy(to->stream.row + 1, s.x, (size_t)t->data->count * sizeof *s.x);
        AC_TRY(ac_stream_put(&to->stream));
    }
    return AC_OK;
}

/* Every start that was solved: branches beside each other. */
static ac_status put_starts(ac_design_task *t, table *to)
{
    static const char *const fixed[] = {"sample", "number", "cost", "iterations", "warm_from"};
    if (t->starts < 2) return AC_OK;
    columns(to, "start", fixed, 5);
    for (int i = 0; i < t->data->count; ++i) column(to, "start", t->data->names[i], "");
    AC_TRY(open_table(t, to, "starts"));
    for (int k = 0; k < ac_design_evaluations(t->design) * t->starts; ++k) {
        const ac_design_item *item = &t->items[k];
        if (item->numbers[AC_EVALUATION_SOLVED] == 0.0) continue;
        int sample = k / t->starts;
        const double row[] = {sample + 1.0, k % t->starts, sign_of(t) * item->numbers[AC_EVALUATION_COST],
                              item->numbers[AC_EVALUATION_ITERATIONS], item->from + 1.0};
        memcpy(to->stream.row, row, sizeof row);
        memcpy(to->stream.row + 5, ac_design_sample_of(t->design, sample).x,
               (size_t)t->data->count * sizeof *row);
        AC_TRY(ac_stream_put(&to->stream));
    }
    return AC_OK;
}

/* ---- the surrogate ---- */

/* Along one parameter, through the best sample. */
static ac_status put_slice(ac_design_task *t, table *to, int parameter)
{
    const ac_design_data *data = t->data;
    const char *name = data->names[parameter];
    static const char *const endings[] = {"/value", "/cost", "/low", "/high"};
    char title[NAME_SIZE];
    double x[AC_DESIGN_VARIABLES_MAX], sign = sign_of(t);
    for (int k = 0; k < 4; ++k) column(to, "surrogate", name, endings[k]);
    snprintf(title, sizeof title, "surrogate_%s", name);
    AC_TRY(open_table(t, to, title));
    memcpy(x, ac_design_sample_of(t->design, ac_design_best(t->design)).x, (size_t)data->count * sizeof *x);
    for (int k = 0; k < GRID; ++k) {
        double mean, deviation;
        x[parameter] = data->low[parameter] +
                       (data->high[parameter] - data->low[parameter]) * k / (GRID - 1.0);
        ac_design_predict(t->design, x, &mean, &deviation);
        const double row[] = {x[parameter], sign * mean, sign * mean - 2.0 * deviation,
                              sign * mean + 2.0 * deviation};
        memcpy(to->stream.row, row, sizeof row);
        AC_TRY(ac_stream_put(&to->stream));
    }
    return AC_OK;
}

static ac_status with_table(ac_design_task *t, ac_status (*put)(ac_design_task *t, table *to, int which),
                            int which)
{
    table *to = ac_allocate(t->job->ctx, 1, sizeof *to);
    if (!to) return ac_out_of_memory(t->job->ctx);
    ac_status status = put(t, to, which);
    if (to->stream.row) ac_stream_close(&to->stream);
    ac_release(t->job->ctx, to);
    return status;
}

static ac_status put_list(ac_design_task *t, table *to, int which)
{
    static ac_status (*const puts[])(ac_design_task *, table *) = {put_samples, put_failed, put_starts};
    return puts[which](t, to);
}

ac_status ac_design_tables(ac_design_task *t)
{
    for (int k = 0; k < 3; ++k) AC_TRY(with_table(t, put_list, k));
    if (ac_design_best(t->design) < 0) return AC_OK;
    ac_status status = ac_design_fit(t->design);
    if (status == AC_BAD_INPUT) return AC_OK; /* too few samples */
    AC_TRY(status);
    for (int k = 0; k < t->data->count; ++k) AC_TRY(with_table(t, put_slice, k));
    return AC_OK;
}

/* ---- numbers ---- */

static void note_bounds(const ac_design_task *t, const double *x)
{
    const ac_design_data *d = t->data;
    for (int i = 0; i < d->count; ++i) {
        double near = 1e-6 * (d->high[i] - d->low[i]);
        bool low = x[i] - d->low[i] <= near, high = d->high[i] - x[i] <= near;
        if (low || high)
            ac_summary_note(t->job->summary, AC_NOTE_VERDICT, "%s is at its %s bound", d->names[i],
                            low ? "lower" : "upper");
    }
}

/* Samples that were given one after another are a curve that somebody wants to see. */
static void add_given(const ac_design_task *t)
{
    enum { MOST = 20 };
    int count = ac_design_evaluations(t->design);
    for (int k = 0; k < count && k < t->data->first_count && k < MOST; ++k) {
        char name[NAME_SIZE];
        double cost = ac_design_sample_of(t->design, k).cost;
        snprintf(name, sizeof name, "cost_sample_%d", k + 1);
        if (isfinite(cost)) ac_summary_add(t->job->summary, name, sign_of(t) * cost, "1");
    }
}

void ac_design_summary(ac_design_task *t)
{
    ac_summary *to = t->job->summary;
    int count = ac_design_evaluations(t->design), best = ac_design_best(t->design), failed = 0, first = -1;
    double sign = sign_of(t), worst = -INFINITY;
    for (int k = 0; k < count; ++k) {
        double cost = ac_design_sample_of(t->design, k).cost;
        failed += !isfinite(cost);
        if (!isfinite(cost)) continue;
        if (first < 0) first = k;
        worst = ac_max(worst, cost);
    }
    if (best >= 0) {
        ac_design_sample s = ac_design_sample_of(t->design, best);
        ac_summary_add(to, "cost", sign * s.cost, "1");
        for (int i = 0; i < t->data->count; ++i) {
            char name[NAME_SIZE];
            snprintf(name, sizeof name, "best_%.48s", t->data->names[i]);
            ac_summary_add(to, name, s.x[i], "1");
        }
        ac_summary_add(to, "cost_first", sign * ac_design_sample_of(t->design, first).cost, "1");
        ac_summary_add(to, "cost_worst", sign * worst, "1");
        ac_summary_add(to, "best_sample", best + 1.0, "1");
        note_bounds(t, s.x);
    }
    if (t->data->settings.in_turn) add_given(t);
    ac_summary_add(to, "evaluations", count, "1");
    ac_summary_add(to, "failed", failed, "1");
    if (t->data->inner == AC_INNER_OPTIMIZE) ac_summary_add(to, "branch_changes", t->changes, "1");
    ac_summary_add(to, "wall_time", ac_wall_seconds() - t->begin, "s");
    if (ac_design_end(t->design)[0])
        ac_summary_note(to, AC_NOTE_VERDICT, "the study ended: %s", ac_design_end(t->design));
    if (failed > 0 && best >= 0)
        ac_summary_note(to, AC_NOTE_REMARK, "%d of %d samples failed, the first: %s", failed, count,
                        t->reason[0] ? t->reason : "in an earlier run");
}
