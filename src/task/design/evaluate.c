/* One evaluation of a design: the inner problem at given parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "optimize/problem/prepare.h"
#include "problem/plan/plan.h"
#include "problem/tasks.h"
#include "task/design/design.h"

enum { SETTING_SIZE = AC_NAME_SIZE + 64 };

ac_status ac_evaluator_begin(ac_evaluator *e, ac_context *ctx, const ac_problem *problem)
{
    *e = (ac_evaluator){.ctx = ctx, .problem = problem, .data = ac_problem_design(problem), .sign = 1.0};
    if (e->data->maximise) e->sign = -1.0;
    if (e->data->inner == AC_INNER_NONE) return AC_OK;
    AC_TRY(ac_problem_inner(problem, AC_VIEW_COST, NULL, 0, &e->inner));
    if (e->data->inner == AC_INNER_SIMULATE) return ac_runner_new(ctx, e->inner, &e->runner);
    if (!e->data->cost_of_optimum && ac_optimization_maximises(ac_problem_optimization(e->inner)))
        e->sign = -1.0;
    return AC_OK;
}

void ac_evaluator_end(ac_evaluator *e)
{
    ac_runner_free(e->runner);
    ac_problem_free(e->inner);
    *e = (ac_evaluator){0};
}

/* The study or its inner problem with the parameters x. */
static ac_status problem_at(const ac_evaluator *e, ac_inner_view view, const double *x, ac_problem **problem)
{
    char text[AC_DESIGN_VARIABLES_MAX][SETTING_SIZE], number[AC_NUMBER_SIZE];
    const char *texts[AC_DESIGN_VARIABLES_MAX];
    for (int k = 0; k < e->data->count; ++k) {
        snprintf(text[k], SETTING_SIZE, "parameters.%s=%s", e->data->names[k],
                 ac_write_decimal(number, x[k]));
        texts[k] = text[k];
    }
    return ac_problem_inner(e->problem, view, texts, e->data->count, problem);
}

/* ---- motions ---- */

/* Phases one after another; a problem without phases is one of its own. */
static int parts_of(const ac_optimization *o)
{
    int phases = ac_optimization_phases(o);
    return phases > 0 ? phases : 1;
}

static ac_optimization *part_of(ac_optimization *o, int k)
{
    return ac_optimization_phases(o) > 0 ? ac_optimization_phase(o, k) : o;
}

/* Intervals, duration, configurations, controls: how many numbers of a part. */
static size_t size_of_part(const ac_optimization *part, size_t n, size_t intervals)
{
    return 2 + (intervals + 1) * n + intervals * (size_t)ac_optimization_controls(part);
}

static double *put_part(const ac_optimization *part, size_t n, double *at)
{
    int N = ac_optimization_intervals(part);
    size_t controls = (size_t)ac_optimization_controls(part);
    *at++ = N;
    *at++ = ac_optimization_duration(part);
    for (int k = 0; k <= N; ++k, at += n) memcpy(at, ac_optimization_configuration(part, k), n * sizeof *at);
    for (int k = 0; k < N; ++k, at += controls)
        memcpy(at, ac_optimization_control_values(part, k), controls * sizeof *at);
    return at;
}

static ac_status keep_motion(const ac_evaluator *e, const ac_problem *problem, double **numbers, int *count)
{
    ac_optimization *o = ac_problem_optimization(problem);
    size_t n = (size_t)ac_system_sizes(ac_problem_system(problem)).coordinates,
           parameters = (size_t)ac_optimization_parameters(o), size = AC_EVALUATION_HEAD + parameters;
    for (int k = 0; k < parts_of(o); ++k)
        size += size_of_part(part_of(o, k), n, (size_t)ac_optimization_intervals(part_of(o, k)));
    double *grown = ac_allocate(e->ctx, size, sizeof *grown);
    if (!grown) return ac_out_of_memory(e->ctx);
    memcpy(grown, *numbers, AC_EVALUATION_HEAD * sizeof *grown);
    grown[AC_EVALUATION_PARTS] = parts_of(o);
    double *at = grown + AC_EVALUATION_HEAD;
    for (int k = 0; k < parts_of(o); ++k) at = put_part(part_of(o, k), n, at);
    for (size_t k = 0; k < parameters; ++k) *at++ = ac_optimization_parameter_value(o, (int)k);
    ac_release(e->ctx, *numbers);
    *numbers = grown;
    *count = (int)size;
    return AC_OK;
}

/* The motion of another evaluation becomes the guess. */
static ac_status guess_from(const ac_problem *problem, const double *warm)
{
    ac_optimization *o = ac_problem_optimization(problem);
    size_t n = (size_t)ac_system_sizes(ac_problem_system(problem)).coordinates;
    const double *at = warm + AC_EVALUATION_HEAD;
    for (int k = 0; k < parts_of(o); ++k) {
        ac_optimization *part = part_of(o, k);
        size_t N = (size_t)at[0];
        AC_TRY(ac_optimization_guess_motion(part, (int)N + 1, at + 2, at + 2 + (N + 1) * n, at[1]));
        at += size_of_part(part, n, N);
    }
    for (int k = 0; k < ac_optimization_parameters(o); ++k)
        AC_TRY(ac_optimization_guess_parameter(o, k, at[k]));
    return AC_OK;
}

ac_status ac_evaluator_problem(const ac_evaluator *e, const double *x, const double *warm,
                               ac_problem **problem)
{
    *problem = NULL;
    if (e->data->inner == AC_INNER_NONE) return AC_OK;
    AC_TRY(problem_at(e, AC_VIEW_TASK, x, problem));
    if (!warm || warm[AC_EVALUATION_PARTS] == 0) return AC_OK;
    ac_status status = guess_from(*problem, warm);
    if (status == AC_OK) ac_optimization_guess_near(ac_problem_optimization(*problem), true);
    return status;
}

/* ---- the three kinds ---- */

static int ask_to_stop(void *user, const ac_plan_progress *now)
{
    const ac_evaluator *e = user;
    (void)now;
    return e->stop ? e->stop(e->user) : 0;
}

/* The cost of an optimum at the parameters x. */
static ac_status cost_of(const ac_evaluator *e, const double *x, ac_optimization *o, double *cost)
{
    const ac_optimization_outcome *out = ac_optimization_result(o);
    ac_transport t;
    *cost = out->objective;
    if (!e->data->cost_of_optimum) return AC_OK;
    AC_TRY(ac_optimization_transport(o, &t));
    double per = 1.0 / t.weight_times_length,
           numbers[AC_OPTIMUM_NAMES + AC_DESIGN_VARIABLES_MAX] = {out->objective,
                                                                  out->duration,
                                                                  t.length,
                                                                  t.work,
                                                                  t.absolute_work,
                                                                  t.positive_work,
                                                                  per * t.absolute_work,
                                                                  per * t.positive_work,
                                                                  per * t.work,
                                                                  t.loss};
    for (int k = 0; k < e->data->count; ++k) numbers[AC_OPTIMUM_NAMES + k] = x[k];
    *cost = ac_expression_value(e->data->cost_of_optimum, numbers);
    return isfinite(*cost) ? AC_OK : ac_fail(e->ctx, AC_NOT_CONVERGED, "the cost is not a finite number");
}

static ac_status optimise(ac_evaluator *e, const double *x, const double *warm, int disturbed,
                          double **numbers, int *count)
{
    ac_problem_plan_run run = {.user = e, .progress = ask_to_stop, .resumed = warm != NULL};
    ac_problem *problem = NULL;
    ac_status status = problem_at(e, AC_VIEW_COST, x, &problem);
    if (status == AC_OK && warm) status = guess_from(problem, warm);
    if (status == AC_OK && disturbed > 0)
        ac_optimization_disturb(ac_problem_optimization(problem), e->data->seed + (unsigned long)disturbed,
                                e->data->disturbance);
    run.problem = problem;
    if (status == AC_OK) status = ac_problem_run_plan(&run);
    if (status == AC_OK) {
        const ac_optimization_outcome *out = ac_optimization_result(run.outcome.reached);
        double cost = NAN;
        status = cost_of(e, x, run.outcome.reached, &cost);
        (*numbers)[AC_EVALUATION_COST] = e->sign * cost;
        (*numbers)[AC_EVALUATION_VIOLATION] = out->violation;
        (*numbers)[AC_EVALUATION_ITERATIONS] = run.outcome.iterations;
        if (status == AC_OK) status = keep_motion(e, problem, numbers, count);
    }
    ac_problem_plan_release(&run);
    ac_problem_free(problem);
    return status;
}

static ac_status simulate(ac_evaluator *e, const double *x, double *numbers)
{
    double cost = NAN;
    int failed = ac_runner_run(e->runner, x, &cost, NULL, NULL, NULL);
    if (failed < 0) return ac_out_of_memory(e->ctx);
    if (failed) return ac_fail(e->ctx, AC_NOT_CONVERGED, "%s", ac_runner_reason(e->runner));
    numbers[AC_EVALUATION_COST] = e->sign * cost;
    return AC_OK;
}

static ac_status compute(ac_evaluator *e, const double *x, double *numbers)
{
    ac_problem *problem = NULL;
    AC_TRY(problem_at(e, AC_VIEW_WHOLE, x, &problem));
    numbers[AC_EVALUATION_COST] = e->sign * ac_problem_design(problem)->cost;
    ac_problem_free(problem);
    if (isfinite(numbers[AC_EVALUATION_COST])) return AC_OK;
    return ac_fail(e->ctx, AC_NOT_CONVERGED, "the cost is not a finite number");
}

/* A design that cannot be built or solved is a sample that failed, not an error of the study. */
static bool belongs_to_sample(ac_status status)
{
    return status == AC_NOT_CONVERGED || status == AC_SINGULAR || status == AC_BAD_INPUT;
}

ac_status ac_evaluate(ac_evaluator *e, const double *x, const double *warm, int disturbed, double **numbers,
                      int *count)
{
    double begin = ac_wall_seconds();
    ac_status status;
    AC_NEW(e->ctx, *numbers, AC_EVALUATION_HEAD);
    *count = AC_EVALUATION_HEAD;
    switch (e->data->inner) {
    case AC_INNER_OPTIMIZE: status = optimise(e, x, warm, disturbed, numbers, count); break;
    case AC_INNER_SIMULATE: status = simulate(e, x, *numbers); break;
    default: status = compute(e, x, *numbers);
    }
    (*numbers)[AC_EVALUATION_TIME] = ac_wall_seconds() - begin;
    (*numbers)[AC_EVALUATION_SOLVED] = status == AC_OK;
    if (status == AC_OK || belongs_to_sample(status)) return AC_OK;
    ac_release(e->ctx, *numbers);
    *numbers = NULL;
    return status;
}
