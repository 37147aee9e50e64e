/* The task "design": samples proposed by the study, evaluated by the inner problem, the best start of each kept.
 *
 * All starts of all samples of a batch are evaluated together, by as many processes as wanted. What a sample begins with
 * depends on earlier batches only, so results are the same for any number of processes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/tasks.h"
#include "task/design/design.h"

/* ---- branches ---- */

static const double *numbers_of(const ac_design_task *t, int sample, int start)
{
    return t->items[sample * t->starts + start].numbers;
}

/* The nearest solved sample of earlier batches, in parts of the ranges; -1: none. */
static int nearest(const ac_design_task *t, const double *x)
{
    int found = -1;
    double least = INFINITY;
    for (int k = 0; k < t->batch_first; ++k) {
        if (t->winner[k] < 0) continue;
        double sum = 0.0;
        const double *other = ac_design_sample_of(t->design, k).x;
        for (int i = 0; i < t->data->count; ++i) {
            double d = (x[i] - other[i]) / (t->data->high[i] - t->data->low[i]);
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            found = k;
        }
    }
    return found;
}

/* Start 0 is warm where it can be, then comes the guess of the file, then disturbed ones. */
static int warm_from(const ac_design_task *t, int sample, int start)
{
    bool wanted = t->data->inner == AC_INNER_OPTIMIZE && t->data->warm_start && start == 0;
    return wanted ? nearest(t, ac_design_asked(t->design, sample - t->batch_first)) : -1;
}

static int disturbance_of(const ac_design_task *t, int sample, int start)
{
    bool warm = t->data->inner == AC_INNER_OPTIMIZE && t->data->warm_start &&
                nearest(t, ac_design_asked(t->design, sample - t->batch_first)) >= 0;
    int cold = warm ? start - 1 : start;
    return cold > 0 ? cold : 0;
}

/* Costs closer than this, in parts of them, are those of one optimum. */
static const double SAME_OPTIMUM = 1e-6;

/* The best start that is solved; a sample whose warm start is as good belongs to the branch that it came from. */
static double judge(ac_design_task *t, int sample)
{
    int best = -1;
    for (int s = 0; s < t->starts; ++s) {
        const double *n = numbers_of(t, sample, s);
        if (n[AC_EVALUATION_SOLVED] == 0.0) continue;
        double least = best < 0 ? INFINITY : numbers_of(t, sample, best)[AC_EVALUATION_COST];
        if (best < 0 || n[AC_EVALUATION_COST] < least - SAME_OPTIMUM * fabs(least)) best = s;
    }
    t->winner[sample] = best;
    t->branch[sample] = -1;
    if (best < 0) return NAN;
    int from = t->items[sample * t->starts + best].from;
    t->branch[sample] = from >= 0 ? t->branch[from] : t->branch_count++;
    t->changes += from < 0 && t->items[sample * t->starts].from >= 0;
    return numbers_of(t, sample, best)[AC_EVALUATION_COST];
}

/* ---- one batch ---- */

static int stop_now(void *user)
{
    ac_design_task *t = user;
    const ac_run_job *job = t->job;
    char words[160];
    if (!job->progress) return 0;
    int best = ac_design_best(t->design), count = ac_design_evaluations(t->design);
    if (best >= 0)
        snprintf(words, sizeof words, "%d evaluations, best cost %.8g", count,
                 t->evaluator.sign * ac_design_sample_of(t->design, best).cost);
    else
        snprintf(words, sizeof words, "%d evaluations", count);
    t->stopped = t->stopped ||
                 job->progress(job->progress_user, (double)count / t->data->settings.evaluations, words) != 0;
    return t->stopped;
}

static ac_status work(void *user, int item, double **numbers, int *count)
{
    ac_design_task *t = user;
    int sample = item / t->starts, start = item % t->starts, from = t->items[item].from;
    const double *warm = from >= 0 ? numbers_of(t, from, t->winner[from]) : NULL;
    return ac_evaluate(&t->evaluator, ac_design_asked(t->design, sample - t->batch_first), warm,
                       from >= 0 ? 0 : disturbance_of(t, sample, start), numbers, count);
}

static ac_status take(void *user, int item, double *numbers, int count, const char *message)
{
    ac_design_task *t = user;
    t->items[item].numbers = numbers;
    t->items[item].count = count;
    if (item >= t->known) t->known = item + 1;
    if (numbers[AC_EVALUATION_SOLVED] == 0.0 && !t->reason[0])
        snprintf(t->reason, sizeof t->reason, "%s", message);
    ac_design_keep(t);
    return AC_OK;
}

static ac_status evaluate_batch(ac_design_task *t, int count)
{
    int items[AC_DESIGN_BATCH_MAX * 64], wanted = 0;
    double costs[AC_DESIGN_BATCH_MAX];
    const ac_processes pool = {t->job->ctx, t->data->jobs, t, work, take, stop_now};
    t->batch_first = ac_design_evaluations(t->design);
    for (int k = 0; k < count * t->starts; ++k) {
        int item = t->batch_first * t->starts + k;
        if (t->items[item].numbers) continue; /* from an earlier run */
        t->items[item].from = warm_from(t, item / t->starts, item % t->starts);
        items[wanted++] = item;
    }
    AC_TRY(ac_processes_run(&pool, items, wanted));
    for (int k = 0; k < count; ++k) costs[k] = judge(t, t->batch_first + k);
    return ac_design_tell(t->design, costs);
}

static ac_status run_study(ac_design_task *t)
{
    for (;;) {
        int count;
        AC_TRY(ac_design_ask(t->design, &count));
        if (count == 0) return AC_OK;
        AC_TRY(evaluate_batch(t, count));
    }
}

/* ---- the best design ---- */

/* The motion of the best design, as its own task writes it. */
static ac_status write_best(ac_design_task *t)
{
    int best = ac_design_best(t->design);
    ac_problem *problem = NULL;
    if (best < 0) return AC_OK;
    ac_status status = ac_evaluator_problem(&t->evaluator, ac_design_sample_of(t->design, best).x,
                                            numbers_of(t, best, t->winner[best]), &problem);
    ac_summary *summary = ac_allocate(t->job->ctx, 1, sizeof *summary);
    if (status == AC_OK && !summary) status = ac_out_of_memory(t->job->ctx);
    if (status == AC_OK && problem) {
        ac_run_job job = {.ctx = t->job->ctx,
                          .problem = problem,
                          .sink = t->job->sink,
                          .summary = summary,
                          .scene = t->job->scene};
        status = ac_run_into(&job);
        if (status == AC_OK && t->job->scene && t->job->scene->world_count == 0)
            status = ac_scene_copy(t->job->ctx, ac_problem_scene_data(problem), t->job->scene);
    }
    ac_release(t->job->ctx, summary);
    ac_problem_free(problem);
    return status;
}

static ac_status write_results(void *user)
{
    ac_design_task *t = user;
    AC_TRY(ac_design_tables(t));
    if (!t->stopped) AC_TRY(write_best(t));
    ac_design_summary(t);
    return AC_OK;
}

static ac_status judge_study(const ac_design_task *t)
{
    if (ac_design_best(t->design) >= 0) return AC_OK;
    return ac_fail(t->job->ctx, AC_NOT_CONVERGED, "none of %d samples could be evaluated; the first: %s",
                   ac_design_evaluations(t->design), t->reason);
}

static ac_status begin_study(ac_design_task *t)
{
    const ac_design_data *data = t->data;
    ac_context *ctx = t->job->ctx;
    ac_design_variable variables[AC_DESIGN_VARIABLES_MAX];
    int most = data->settings.evaluations;
    for (int k = 0; k < data->count; ++k)
        variables[k] = (ac_design_variable){data->names[k], data->low[k], data->high[k]};
    AC_TRY(ac_design_new(ctx, variables, data->count, &data->settings, data->first, data->first_count,
                         &t->design));
    AC_NEW(ctx, t->items, most * t->starts);
    AC_NEW(ctx, t->branch, most);
    AC_NEW(ctx, t->winner, most);
    AC_TRY(ac_evaluator_begin(&t->evaluator, ctx, t->job->problem));
    t->evaluator.stop = data->jobs > 1 ? NULL : stop_now;
    t->evaluator.user = t;
    return ac_design_recall(t);
}

static ac_status design(ac_design_task *t)
{
    AC_TRY(begin_study(t));
    ac_status status = run_study(t);
    if (status == AC_OK) status = judge_study(t);
    if (ac_design_evaluations(t->design) == 0) return status;
    return ac_finish_run(t->job->ctx, status, write_results, t);
}

static ac_status run_design(const ac_run_job *job)
{
    ac_design_task t = {.job = job, .data = ac_problem_design(job->problem), .begin = ac_wall_seconds()};
    t.starts = t.data->starts;
    ac_status status = design(&t);
    for (int k = 0; k < t.known && t.items; ++k) ac_release(job->ctx, t.items[k].numbers);
    ac_release(job->ctx, t.items);
    ac_release(job->ctx, t.branch);
    ac_release(job->ctx, t.winner);
    ac_evaluator_end(&t.evaluator);
    ac_design_free(t.design);
    return status;
}

/* ---- the task ---- */

static ac_status read_design(ac_builder *b, const ac_value *section, void *data)
{
    ((ac_design_data *)data)->ctx = b->ctx;
    return ac_read_design(b, section, data);
}

static void release_design(void *data)
{
    ac_design_data_clear(data);
}

const ac_task ac_task_design = {
    .name = "design",
    .purpose = "design",
    .size = sizeof(ac_design_data),
    .read = read_design,
    .release = release_design,
    .run = run_design,
};
