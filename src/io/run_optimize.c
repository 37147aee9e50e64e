/* The task "optimize": solves, writes the motion found as the simulator would, simulates it again with the
 * controls found. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "actio/optimize.h"
#include "base/base.h"
#include "control/prepare.h"
#include "integrate/monitor.h"
#include "integrate/stepper.h"
#include "io/problem_build.h"
#include "io/run_task.h"

enum { NAME_SIZE = 128 };
static const double PROGRESS_INTERVAL = 0.1; /* s */

typedef struct optimize_run {
    const ac_run_job *job;
    ac_optimization *o;
    const ac_optimization_plan *plan;
    const ac_system *system;
    double start, last_progress;
    int round, rounds, iterations;
    /* replaying the motion */
    ac_stepper stepper;
    ac_monitor monitor;
    int interval;
    ac_channel *channels[2];
    char (*names)[NAME_SIZE];
    double *row;
    int table[2], width[2];
    int *shown, shown_count; /* quantities that the user named */
    double work;             /* of the controls */
    double difference;       /* between the motion found and the one simulated again */
} optimize_run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- solving ---- */

static int progress(void *user, int iteration, double objective, double violation)
{
    optimize_run *run = user;
    const ac_run_job *job = run->job;
    double at = now();
    if (!job->progress || at - run->last_progress < PROGRESS_INTERVAL) return 0;
    run->last_progress = at;
    char words[128];
    snprintf(words, sizeof words, "iteration %d, objective %.8g, violation %.1e", run->iterations + iteration,
             objective, violation);
    return job->progress(job->progress_user, (double)run->round / run->rounds, words);
}

static ac_status solve_once(optimize_run *run)
{
    ac_status status = ac_optimization_solve(run->o, progress, run);
    run->iterations += ac_optimization_result(run->o)->iterations;
    ++run->round;
    return status;
}

/* Starts from disturbed guesses; the best is solved again from its own guess at the end. */
static ac_status solve_starts(optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_status status = solve_once(run);
    if (plan->starts <= 1) return status;
    double best = status == AC_OK ? ac_optimization_result(run->o)->objective : INFINITY;
    int best_start = 0;
    for (int k = 1; k < plan->starts && (status == AC_OK || status == AC_NOT_CONVERGED); ++k) {
        ac_optimization_disturb(run->o, plan->seed + (unsigned long)k, plan->disturbance);
        status = solve_once(run);
        if (status != AC_OK || ac_optimization_result(run->o)->objective >= best) continue;
        best = ac_optimization_result(run->o)->objective;
        best_start = k;
    }
    if (status != AC_OK && status != AC_NOT_CONVERGED) return status;
    if (best_start == plan->starts - 1) return status;
    ac_optimization_disturb(run->o, plan->seed + (unsigned long)best_start,
                            best_start == 0 ? 0.0 : plan->disturbance);
    return solve_once(run);
}

/* The motion of one problem becomes the guess of another with the same system and controls. */
static ac_status hand_over(optimize_run *run, ac_optimization *from, ac_optimization *to)
{
    ac_context *ctx = run->job->ctx;
    size_t n = (size_t)run->system->n, controls = (size_t)ac_optimization_controls(from);
    int N = ac_optimization_intervals(from);
    double *q = ac_allocate(ctx, ((size_t)N + 1) * n + (size_t)N * controls, sizeof *q),
           *u = q ? q + ((size_t)N + 1) * n : NULL;
    if (!q) return ac_out_of_memory(ctx);
    for (int k = 0; k <= N; ++k)
        memcpy(q + (size_t)k * n, ac_optimization_configuration(from, k), n * sizeof *q);
    for (int k = 0; k < N; ++k)
        memcpy(u + (size_t)k * controls, ac_optimization_control_values(from, k), controls * sizeof *u);
    ac_status status = ac_optimization_guess_motion(to, N + 1, q, u, ac_optimization_duration(from));
    ac_release(ctx, q);
    return status;
}

/* Solves the problem for other values of a parameter; each solution is the guess of the next. */
static ac_status follow_parameter(optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_problem *before = NULL;
    ac_status status = AC_OK;
    for (int k = 0; k < plan->value_count && status == AC_OK; ++k) {
        ac_problem *problem = NULL;
        char setting[AC_NAME_SIZE + 48];
        snprintf(setting, sizeof setting, "parameters.%s=%.17g", plan->parameter, plan->values[k]);
        status = ac_problem_variation(run->job->problem, setting, &problem);
        if (status == AC_OK && before)
            status = hand_over(run, ac_problem_optimization(before), ac_problem_optimization(problem));
        if (status == AC_OK) status = ac_optimization_solve(ac_problem_optimization(problem), progress, run);
        if (problem) run->iterations += ac_optimization_result(ac_problem_optimization(problem))->iterations;
        ac_problem_free(before);
        before = problem;
    }
    if (status == AC_OK && before) status = hand_over(run, ac_problem_optimization(before), run->o);
    ac_problem_free(before);
    return status;
}

static ac_status solve(optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    run->rounds = plan->starts + plan->refine_count + 1;
    if (plan->value_count > 0) AC_TRY(follow_parameter(run));
    const char *wanted = ac_optimization_formulation(run->o);
    bool first_reduced = plan->reduced_guess && strcmp(wanted, "reduced") != 0;
    if (first_reduced) AC_TRY(ac_optimization_reformulate(run->o, "reduced"));
    ac_status status = solve_starts(run);
    if (first_reduced && status == AC_OK) {
        AC_TRY(ac_optimization_reformulate(run->o, wanted));
        status = solve_once(run);
    }
    for (int k = 0; k < plan->refine_count && status == AC_OK; ++k) {
        AC_TRY(ac_optimization_remesh(run->o, plan->refine[k]));
        status = solve_once(run);
    }
    return status;
}

/* An orientation is given by sines of the turn from it, which half turns satisfy too. */
static ac_status check_orientations(const optimize_run *run)
{
    for (int k = 0; k < run->plan->orientation_count; ++k) {
        const ac_node *node = &run->system->nodes[run->plan->orientations[k].node];
        const double *q = ac_optimization_configuration(run->o, ac_optimization_intervals(run->o)),
                     *R = run->plan->orientations[k].rotation;
        double trace = 0.0;
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) trace += q[node->q + 3 + 3 * I + i] * R[3 * i + I];
        if (trace < 1.0)
            return ac_fail(
                run->job->ctx, AC_NOT_CONVERGED,
                "the body '%s' ends half a turn away from the orientation asked for; give another guess",
                node->name);
    }
    return AC_OK;
}

/* ---- a guess by simulation ---- */

static ac_status simulate_guess(optimize_run *run)
{
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    ac_context *ctx = run->job->ctx;
    AC_TRY(ac_optimization_prepare(run->o));
    int N = ac_optimization_intervals(run->o);
    size_t n = (size_t)run->system->n;
    ac_simulation_defaults(&settings);
    settings.step = ac_optimization_duration(run->o) / N;
    settings.steps = N;
    double *q = ac_allocate(ctx, (size_t)(N + 1) * n, sizeof *q);
    if (!q) return ac_out_of_memory(ctx);
    ac_status status = ac_simulation_new(ctx, run->system, &settings, &simulation);
    if (status == AC_OK) memcpy(q, run->system->q0, n * sizeof *q);
    for (int k = 1; k <= N && status == AC_OK; ++k) {
        status = ac_simulation_step(simulation);
        if (status == AC_OK)
            memcpy(q + (size_t)k * n, ac_simulation_configuration(simulation), n * sizeof *q);
    }
    if (status == AC_OK) status = ac_optimization_guess_motion(run->o, N + 1, q, NULL, settings.step * N);
    ac_simulation_free(simulation);
    ac_release(ctx, q);
    return status;
}

/* ---- replaying ---- */

static void push(void *user, const double *q, double factor, double *out)
{
    optimize_run *run = user;
    ac_optimization_push(run->o, run->interval, q, factor, out);
}

static ac_status create_stepper(optimize_run *run, ac_stepper *stepper)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = ac_optimization_result(run->o)->duration / ac_optimization_intervals(run->o);
    AC_TRY(ac_stepper_create(stepper, run->job->ctx, run->system, &settings));
    stepper->interval.push = push;
    stepper->interval.push_user = run;
    return AC_OK;
}

/* The channels of the monitor, then quantities or controls. */
static ac_status create_channels(optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    int controls = ac_optimization_controls(run->o), name = 0;
    AC_NEW(ctx, run->shown, ac_optimization_quantities(run->o) + 1);
    for (int k = 0; k < ac_optimization_quantities(run->o); ++k)
        if (ac_optimization_quantity_name(run->o, k)[0] != '_') run->shown[run->shown_count++] = k;
    int quantities = run->shown_count;
    const ac_channel *given[2] = {run->monitor.node_channels, run->monitor.interval_channels};
    const int count[2] = {run->monitor.node_count, run->monitor.interval_count},
              more[2] = {quantities, controls};
    const char *words[2] = {"nodes", "intervals"};
    AC_NEW(ctx, run->names, quantities + controls + 1);
    for (int t = 0; t < 2; ++t) {
        AC_NEW(ctx, run->channels[t], count[t] + more[t]);
        for (int k = 0; k < count[t]; ++k) {
            run->channels[t][k] = given[t][k];
            run->width[t] += given[t][k].width;
        }
        for (int k = 0; k < more[t]; ++k) {
            const char *text = t == 0 ? ac_optimization_quantity_name(run->o, run->shown[k])
                                      : ac_optimization_control_name(run->o, k);
            snprintf(run->names[name], NAME_SIZE, "%s/%s", t == 0 ? "quantity" : "control", text);
            run->channels[t][count[t] + k] = (ac_channel){run->names[name++], "1", "", 1};
        }
        run->width[t] += more[t];
        AC_TRY(run->job->sink->table(run->job->sink->user, words[t], run->channels[t], count[t] + more[t],
                                     &run->table[t]));
    }
    AC_NEW(ctx, run->row, (run->width[0] > run->width[1] ? run->width[0] : run->width[1]) + 1);
    return AC_OK;
}

static ac_status put_row(const optimize_run *run, int t)
{
    for (int i = 0; i < run->width[t]; ++i)
        if (!isfinite(run->row[i]))
            return ac_fail(run->job->ctx, AC_NOT_CONVERGED, "the motion found is not finite");
    return run->job->sink->row(run->job->sink->user, run->table[t], run->row);
}

static ac_status put_node(optimize_run *run, int node, bool last)
{
    int quantities = run->shown_count;
    if (last) {
        AC_TRY(ac_monitor_last_node(&run->monitor, &run->stepper, true, run->row));
    } else {
        AC_TRY(ac_monitor_node(&run->monitor, &run->stepper, run->row));
    }
    for (int k = 0; k < quantities; ++k)
        run->row[run->width[0] - quantities + k] = ac_optimization_quantity_value(run->o, run->shown[k],
                                                                                  node);
    return put_row(run, 0);
}

static ac_status put_interval(optimize_run *run, int interval)
{
    int controls = ac_optimization_controls(run->o);
    const double *u = ac_optimization_control_values(run->o, interval);
    AC_TRY(ac_monitor_interval(&run->monitor, &run->stepper, run->row));
    for (int k = 0; k < controls; ++k) run->row[run->width[1] - controls + k] = u[k];
    return put_row(run, 1);
}

/* Work of the controls on the interval in the stepper: mean of their forces at its ends times the way. */
static void add_work(optimize_run *run)
{
    const ac_stepper *s = &run->stepper;
    double *force = s->before; /* not needed here otherwise */
    memset(force, 0, (size_t)run->system->n * sizeof *force);
    push(run, s->qa, 0.5, force);
    push(run, s->qb, 0.5, force);
    for (int i = 0; i < run->system->n; ++i) run->work += force[i] * (s->qb[i] - s->qa[i]);
}

/* Puts the motion found into the stepper, interval by interval, and writes what the monitor sees. */
static ac_status write_motion(optimize_run *run)
{
    ac_stepper *s = &run->stepper;
    size_t n = (size_t)run->system->n;
    int N = ac_optimization_intervals(run->o);
    const double *v0 = ac_optimization_first_velocity(run->o);
    for (int k = 0; k < N; ++k) {
        run->interval = k;
        memcpy(s->qa, ac_optimization_configuration(run->o, k), n * sizeof *s->qa);
        memcpy(s->qb, ac_optimization_configuration(run->o, k + 1), n * sizeof *s->qb);
        memcpy(s->memory, ac_optimization_near(run->o, k),
               (size_t)run->system->measure_count * sizeof *s->memory);
        s->t = k * s->h;
        s->step = k;
        s->interval.t = s->t;
        s->scheme->begin(&s->interval);
        ac_stepper_evaluate(s);
        if (k > 0) {
            memcpy(s->p, s->right, n * sizeof *s->p);
        } else if (v0) {
            ac_mass_apply(run->system, v0, s->p);
        } else {
            for (size_t i = 0; i < n; ++i) s->p[i] = -s->left[i];
        }
        s->scheme->right(&s->interval, s->p, s->right);
        add_work(run);
        AC_TRY(put_node(run, k, false));
        AC_TRY(put_interval(run, k));
    }
    memcpy(s->memory, ac_optimization_near(run->o, N),
           (size_t)run->system->measure_count * sizeof *s->memory);
    return put_node(run, N, true);
}

/* ---- simulating again ---- */

static double largest_difference(size_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* From the first node with its momentum, by the simulator, under the controls found. */
static ac_status simulate_again(optimize_run *run)
{
    ac_stepper s;
    size_t n = (size_t)run->system->n;
    int N = ac_optimization_intervals(run->o);
    memset(&s, 0, sizeof s);
    ac_status status = create_stepper(run, &s);
    run->difference = 0.0;
    run->interval = 0;
    if (status == AC_OK) {
        const double *q = ac_optimization_configuration(run->o, 0),
                     *v0 = ac_optimization_first_velocity(run->o);
        memcpy(s.qa, q, n * sizeof *q);
        memcpy(s.qb, ac_optimization_configuration(run->o, 1), n * sizeof *q);
        memcpy(s.before, q, n * sizeof *q);
        if (v0) {
            ac_mass_apply(run->system, v0, s.p);
        } else { /* the momentum that starts the motion found */
            s.interval.t = 0.0;
            s.scheme->begin(&s.interval);
            ac_stepper_evaluate(&s);
            for (size_t i = 0; i < n; ++i) s.p[i] = -s.left[i];
        }
        if (largest_difference(n, q, run->system->q0) > 1e-9)
            status = ac_fail(run->job->ctx, AC_NOT_CONVERGED, "another start");
    }
    for (int k = 0; k < N && status == AC_OK; ++k) {
        run->interval = k;
        if (k > 0) ac_stepper_advance(&s);
        status = ac_stepper_solve(&s);
        if (status == AC_OK)
            run->difference = fmax(run->difference,
                                   largest_difference(n, s.qb, ac_optimization_configuration(run->o, k + 1)));
    }
    if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) run->difference = NAN;
    ac_stepper_destroy(&s);
    return status == AC_NO_MEMORY ? status : AC_OK;
}

/* ---- the whole ---- */

static void summarise(const optimize_run *run)
{
    ac_summary *summary = run->job->summary;
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    ac_summary_add(summary, "objective", out->objective, "1");
    ac_summary_add(summary, "duration", out->duration, "s");
    ac_summary_add(summary, "intervals", ac_optimization_intervals(run->o), "1");
    ac_summary_add(summary, "unknowns", out->unknowns, "1");
    ac_summary_add(summary, "constraints", out->constraints, "1");
    ac_summary_add(summary, "limits", out->limits, "1");
    ac_summary_add(summary, "full_unknowns", out->full_unknowns, "1");
    ac_summary_add(summary, "full_constraints", out->full_constraints, "1");
    ac_summary_add(summary, "iterations", run->iterations, "1");
    ac_summary_add(summary, "rounds", out->rounds, "1");
    ac_summary_add(summary, "violation", out->violation, "1");
    ac_summary_add(summary, "momentum_defect", ac_optimization_momentum_defect(run->o), "1");
    ac_summary_add(summary, "work", run->work, "J");
    if (isfinite(run->difference))
        ac_summary_add(summary, "simulated_again_difference", run->difference, "1");
    ac_summary_add(summary, "solve_time", out->time, "s");
    ac_summary_add(summary, "functions_time", out->functions_time, "s");
    ac_summary_add(summary, "wall_time", now() - run->start, "s");
}

static ac_status write_results(optimize_run *run)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    AC_TRY(create_stepper(run, &run->stepper));
    AC_TRY(ac_monitor_create(&run->monitor, &run->stepper, &settings));
    AC_TRY(create_channels(run));
    AC_TRY(write_motion(run));
    run->difference = NAN;
    const char *formulation = ac_optimization_formulation(run->o);
    bool simulated = strcmp(formulation, "reduced") == 0 ||
                     strcmp(formulation, "multipliers") == 0; /* the simulator's own dynamics */
    if (simulated) AC_TRY(simulate_again(run));
    summarise(run);
    return AC_OK;
}

static ac_status optimize(optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    if (run->plan->simulated_guess) AC_TRY(simulate_guess(run));
    ac_status status = solve(run);
    if (status == AC_OK) status = check_orientations(run);
    if (status != AC_OK && status != AC_NOT_CONVERGED && status != AC_INTERRUPTED) return status;
    if (ac_optimization_result(run->o)->unknowns == 0)
        return status; /* it did not come to the solve that was meant */
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    ac_status written = write_results(run);
    if (status != AC_OK && (written == AC_OK || written == AC_NOT_CONVERGED || written == AC_SINGULAR)) {
        ac_fail(ctx, status, "%s", message);
        written = status;
    }
    ac_release(ctx, message);
    return written;
}

ac_status ac_run_optimization(const ac_run_job *job)
{
    optimize_run run = {.job = job,
                        .o = ac_problem_optimization(job->problem),
                        .plan = ac_problem_plan(job->problem),
                        .system = ac_problem_system(job->problem)};
    run.start = now();
    ac_status status = optimize(&run);
    ac_monitor_destroy(&run.monitor);
    ac_stepper_destroy(&run.stepper);
    ac_release(job->ctx, run.channels[0]);
    ac_release(job->ctx, run.channels[1]);
    ac_release(job->ctx, run.names);
    ac_release(job->ctx, run.shown);
    ac_release(job->ctx, run.row);
    return status;
}
