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
#include "io/problem_parameters.h"
#include "io/run_task.h"

enum { NAME_SIZE = 128, HISTORY_WIDTH = 3 };
static const double PROGRESS_INTERVAL = 0.1; /* s */

typedef struct optimize_run {
    const ac_run_job *job;
    ac_optimization *o;
    const ac_optimization_plan *plan;
    const ac_system *system;
    const ac_problem *problem; /* that `o` belongs to */
    ac_problem *step;          /* of the continuation, when it did not come further */
    ac_kept_point *kept;       /* the best of the points reached so far */
    bool kept_solved;
    ac_problem *optimum; /* with the parameters found; NULL: none is free */
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
    int arrows;              /* controls that are recorded as forces and torques */
    double *history;         /* of the solver: iteration, objective, violation */
    int history_count, history_capacity;
    bool history_lost; /* for want of memory */
    double work;       /* of the controls */
    double difference; /* between the motion found and the one simulated again */
} optimize_run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- solving ---- */

static void remember(optimize_run *run, int iteration, double objective, double violation)
{
    int count = run->history_count;
    if (ac_grow(run->job->ctx, (void **)&run->history, &run->history_capacity, count + 1,
                HISTORY_WIDTH * sizeof *run->history) != AC_OK) {
        run->history_lost = true;
        return;
    }
    double *row = run->history + (size_t)HISTORY_WIDTH * (size_t)count;
    row[0] = run->iterations + iteration;
    row[1] = objective;
    row[2] = violation;
    ++run->history_count;
}

static int progress(void *user, int iteration, double objective, double violation)
{
    optimize_run *run = user;
    const ac_run_job *job = run->job;
    double at = now();
    remember(run, iteration, objective, violation);
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

/* Keeps the point reached instead of the one kept before. */
static ac_status keep_point(optimize_run *run, bool solved)
{
    ac_kept_point *point;
    AC_TRY(ac_optimization_keep(run->o, &point));
    ac_kept_point_free(run->kept);
    run->kept = point;
    run->kept_solved = solved;
    return AC_OK;
}

/* Keeps the point reached if it is the best of the starts: solved and cheap, else little violated. */
static ac_status keep_better(optimize_run *run, bool solved)
{
    const ac_optimization_outcome *now_reached = ac_optimization_result(run->o),
                                  *before = run->kept ? ac_kept_outcome(run->kept) : NULL;
    bool better = !before || (solved && !run->kept_solved) ||
                  (solved && now_reached->objective < before->objective) ||
                  (!solved && !run->kept_solved && now_reached->violation < before->violation);
    return better ? keep_point(run, solved) : AC_OK;
}

/* A solve that failed or was interrupted leaves the solution that was kept before, and says so. */
static ac_status fall_back(optimize_run *run, ac_status status, const char *where)
{
    ac_context *ctx = run->job->ctx;
    if ((status != AC_NOT_CONVERGED && status != AC_INTERRUPTED) || !run->kept || !run->kept_solved)
        return status;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    ac_status restored = ac_optimization_restore(run->o, run->kept);
    if (restored == AC_OK)
        restored = ac_fail(
            ctx, status, "%s: %s; the solution found before (objective %.8g, %d intervals) is kept", where,
            message, ac_optimization_result(run->o)->objective, ac_optimization_intervals(run->o));
    ac_release(ctx, message);
    return restored;
}

static bool may_go_on(ac_status status)
{
    return status == AC_OK || status == AC_NOT_CONVERGED;
}

/* Starts from disturbed guesses; the best point is what remains. */
static ac_status solve_starts(optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_status status = solve_once(run);
    if (plan->starts <= 1) return status;
    if (may_go_on(status)) AC_TRY(keep_better(run, status == AC_OK));
    for (int k = 1; k < plan->starts && may_go_on(status); ++k) {
        ac_optimization_disturb(run->o, plan->seed + (unsigned long)k, plan->disturbance);
        status = solve_once(run);
        if (may_go_on(status)) AC_TRY(keep_better(run, status == AC_OK));
    }
    ac_optimization_disturb(run->o, plan->seed, 0.0);
    if (!may_go_on(status)) return fall_back(run, status, "further starts");
    AC_TRY(ac_optimization_restore(run->o, run->kept));
    if (run->kept_solved) return AC_OK;
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    return ac_fail(run->job->ctx, AC_NOT_CONVERGED,
                   "none of %d starts was solved; the best: %s%s%s; largest "
                   "violation %.3g: %s",
                   plan->starts, out->words, out->conflict[0] ? ": " : "", out->conflict, out->violation,
                   out->worst);
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
    for (int k = 0; k < ac_optimization_parameters(from) && status == AC_OK; ++k)
        status = ac_optimization_guess_parameter(to, k, ac_optimization_parameter_value(from, k));
    ac_release(ctx, q);
    return status;
}

/* The continuation ends on the way: what is written is the last solution, or what the first step reached. */
static ac_status stop_on_the_way(optimize_run *run, ac_status status, int step, ac_problem **before,
                                 ac_problem **problem)
{
    ac_context *ctx = run->job->ctx;
    const ac_optimization_plan *plan = run->plan;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    int shown = step > 0 ? step - 1 : step;
    ac_problem **from = step > 0 ? before : problem;
    if (*from && (status == AC_NOT_CONVERGED || status == AC_INTERRUPTED)) {
        run->step = *from;
        *from = NULL;
        run->problem = run->step;
        run->o = ac_problem_optimization(run->step);
        run->system = ac_problem_system(run->step);
    }
    if (run->step) {
        ac_fail(ctx, status, "for %s = %.10g, on the way: %s; what is kept is %s %s = %.10g", plan->parameter,
                plan->values[step], message, step > 0 ? "the solution for" : "the point reached for",
                plan->parameter, plan->values[shown]);
    } else {
        ac_fail(ctx, status, "for %s = %.10g, on the way: %s", plan->parameter, plan->values[step], message);
    }
    ac_release(ctx, message);
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
        if (status != AC_OK && status != AC_NO_MEMORY)
            status = stop_on_the_way(run, status, k, &before, &problem);
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
    bool first_reduced = plan->reduced_guess && strcmp(wanted, "reduced") != 0 &&
                         strcmp(wanted, "multipliers") != 0; /* that one begins so by itself */
    if (first_reduced) AC_TRY(ac_optimization_reformulate(run->o, "reduced"));
    ac_status status = solve_starts(run);
    if (first_reduced && status == AC_OK) {
        AC_TRY(keep_point(run, true));
        AC_TRY(ac_optimization_reformulate(run->o, wanted));
        status = fall_back(run, solve_once(run), wanted);
    }
    for (int k = 0; k < plan->refine_count && status == AC_OK; ++k) {
        char where[48];
        snprintf(where, sizeof where, "with %d intervals", plan->refine[k]);
        AC_TRY(keep_point(run, true));
        AC_TRY(ac_optimization_remesh(run->o, plan->refine[k]));
        status = fall_back(run, solve_once(run), where);
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

/* `formulation`: NULL for the one that suits the system. */
static ac_status create_stepper(optimize_run *run, const char *formulation, ac_stepper *stepper)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    if (formulation) settings.formulation = formulation;
    settings.step = ac_optimization_result(run->o)->duration / ac_optimization_intervals(run->o);
    AC_TRY(ac_stepper_create(stepper, run->job->ctx, run->system, &settings));
    stepper->interval.push = push;
    stepper->interval.push_user = run;
    return AC_OK;
}

/* Place and force or torque of the controls, as channels of the nodes. */
static void add_arrow_channels(optimize_run *run, ac_channel *channels, char (*names)[NAME_SIZE])
{
    for (int k = 0; k < run->arrows; ++k) {
        bool turns = ac_optimization_control_turns(run->o, k);
        const char *control = ac_optimization_control_name(run->o, k);
        snprintf(names[2 * k], NAME_SIZE, "actuator/%s/place", control);
        snprintf(names[2 * k + 1], NAME_SIZE, "actuator/%s/%s", control, turns ? "torque" : "force");
        channels[2 * k] = (ac_channel){names[2 * k], "m", "x y z", 3};
        channels[2 * k + 1] = (ac_channel){names[2 * k + 1], turns ? "N m" : "N", "x y z", 3};
    }
}

/* The channels of the monitor, then quantities and arrows, or controls. */
static ac_status create_channels(optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    int controls = ac_optimization_controls(run->o), name = 0;
    run->arrows = run->plan->forces ? controls : 0;
    AC_NEW(ctx, run->shown, ac_optimization_quantities(run->o) + 1);
    for (int k = 0; k < ac_optimization_quantities(run->o); ++k)
        if (ac_optimization_quantity_name(run->o, k)[0] != '_') run->shown[run->shown_count++] = k;
    int quantities = run->shown_count;
    const ac_channel *given[2] = {run->monitor.node_channels, run->monitor.interval_channels};
    const int count[2] = {run->monitor.node_count, run->monitor.interval_count},
              more[2] = {quantities, controls};
    const char *words[2] = {"nodes", "intervals"};
    AC_NEW(ctx, run->names, quantities + 3 * controls + 1);
    for (int t = 0; t < 2; ++t) {
        int arrows = t == 0 ? 2 * run->arrows : 0;
        AC_NEW(ctx, run->channels[t], count[t] + more[t] + arrows);
        for (int k = 0; k < count[t]; ++k) {
            run->channels[t][k] = given[t][k];
            run->width[t] += given[t][k].width;
        }
        for (int k = 0; k < more[t]; ++k) {
            const char *text = t == 0 ? ac_optimization_quantity_name(run->o, run->shown[k])
                                      : ac_optimization_control_name(run->o, k);
            snprintf(run->names[name], NAME_SIZE, "%s/%s", t == 0 ? "quantity" : "control", text);
            const char *unit = t == 0 ? ac_optimization_quantity_unit(run->o, run->shown[k])
                                      : ac_optimization_control_unit(run->o, k);
            run->channels[t][count[t] + k] = (ac_channel){run->names[name++], unit, "", 1};
        }
        run->width[t] += more[t] + 3 * arrows;
        if (t == 0)
            add_arrow_channels(run, run->channels[t] + count[t] + more[t],
                               run->names + quantities + controls);
        AC_TRY(run->job->sink->table(run->job->sink->user, words[t], run->channels[t],
                                     count[t] + more[t] + arrows, &run->table[t]));
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

/* The controls of the interval that begins at the node (of the last one, at the last node). */
static void put_arrows(const optimize_run *run, int node, double *at)
{
    int interval = node < ac_optimization_intervals(run->o) ? node : node - 1;
    for (int k = 0; k < run->arrows; ++k, at += 6) {
        ac_action action;
        ac_optimization_control_action(run->o, run->system, k, interval,
                                       ac_optimization_configuration(run->o, node),
                                       ac_optimization_near(run->o, node), &action);
        memcpy(at, action.place, sizeof action.place);
        memcpy(at + 3, ac_optimization_control_turns(run->o, k) ? action.torque : action.force,
               sizeof action.force);
    }
}

static ac_status put_node(optimize_run *run, int node, bool last)
{
    int quantities = run->shown_count, arrows = 6 * run->arrows;
    if (last) {
        AC_TRY(ac_monitor_last_node(&run->monitor, &run->stepper, true, run->row));
    } else {
        AC_TRY(ac_monitor_node(&run->monitor, &run->stepper, run->row));
    }
    for (int k = 0; k < quantities; ++k)
        run->row[run->width[0] - arrows - quantities + k] = ac_optimization_quantity_value(
            run->o, run->shown[k], node);
    put_arrows(run, node, run->row + run->width[0] - arrows);
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

/* The simulator at the first node, with its momentum. */
static ac_status begin_again(optimize_run *run, ac_stepper *s)
{
    size_t n = (size_t)run->system->n;
    const double *q = ac_optimization_configuration(run->o, 0), *v0 = ac_optimization_first_velocity(run->o);
    bool drawn = largest_difference(n, q, run->system->q0) <=
                 1e-9; /* else joints are read from coordinates */
    AC_TRY(create_stepper(run, drawn ? NULL : "null-space", s));
    run->interval = 0;
    memcpy(s->memory, ac_optimization_near(run->o, 0),
           (size_t)run->system->measure_count * sizeof *s->memory);
    memcpy(s->qa, q, n * sizeof *q);
    memcpy(s->qb, ac_optimization_configuration(run->o, 1), n * sizeof *q);
    memcpy(s->before, q, n * sizeof *q);
    if (v0) {
        ac_mass_apply(run->system, v0, s->p);
        return AC_OK;
    }
    /* the momentum that starts the motion found */
    s->interval.t = 0.0;
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    for (size_t i = 0; i < n; ++i) s->p[i] = -s->left[i];
    return AC_OK;
}

/* The second motion goes into a table of its own, row by row; NULL: it is not wanted. */
typedef struct second_motion {
    ac_monitor monitor;
    double *row;
    int table, width;
} second_motion;

static ac_status open_second(const optimize_run *run, const ac_stepper *s, second_motion *second)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.forces = run->plan->forces;
    AC_TRY(ac_monitor_create(&second->monitor, s, &settings));
    for (int c = 0; c < second->monitor.node_count; ++c)
        second->width += second->monitor.node_channels[c].width;
    AC_NEW(run->job->ctx, second->row, second->width);
    const ac_sink *sink = run->job->sink;
    return sink->table(sink->user, "resimulated", second->monitor.node_channels, second->monitor.node_count,
                       &second->table);
}

static ac_status put_second(const optimize_run *run, ac_stepper *s, second_motion *second, bool last)
{
    if (!second) return AC_OK;
    AC_TRY(last ? ac_monitor_last_node(&second->monitor, s, true, second->row)
                : ac_monitor_node(&second->monitor, s, second->row));
    for (int i = 0; i < second->width; ++i)
        if (!isfinite(second->row[i])) return ac_fail(run->job->ctx, AC_NOT_CONVERGED, "not finite");
    return run->job->sink->row(run->job->sink->user, second->table, second->row);
}

static ac_status step_again(optimize_run *run, ac_stepper *s, second_motion *second)
{
    size_t n = (size_t)run->system->n;
    int N = ac_optimization_intervals(run->o);
    for (int k = 0; k < N; ++k) {
        run->interval = k;
        if (k > 0) ac_stepper_advance(s);
        AC_TRY(ac_stepper_solve(s));
        AC_TRY(put_second(run, s, second, false));
        run->difference = fmax(run->difference,
                               largest_difference(n, s->qb, ac_optimization_configuration(run->o, k + 1)));
    }
    return put_second(run, s, second, true);
}

/* From the first node with its momentum, by the simulator, under the controls found. */
static ac_status simulate_again(optimize_run *run)
{
    ac_stepper s;
    second_motion second;
    memset(&s, 0, sizeof s);
    memset(&second, 0, sizeof second);
    bool wanted = run->plan->resimulated;
    run->difference = 0.0;
    ac_status status = begin_again(run, &s);
    if (status == AC_OK && wanted) status = open_second(run, &s, &second);
    if (status == AC_OK) status = step_again(run, &s, wanted ? &second : NULL);
    if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) {
        run->difference = NAN; /* nothing to compare with */
        status = AC_OK;
    }
    ac_release(run->job->ctx, second.row);
    ac_monitor_destroy(&second.monitor);
    ac_stepper_destroy(&s);
    return status;
}

static ac_status write_history(const optimize_run *run)
{
    static const ac_channel channels[] = {
        {"iteration", "1", "", 1}, {"history/objective", "1", "", 1}, {"history/violation", "1", "", 1}};
    const ac_sink *sink = run->job->sink;
    int table = 0;
    if (run->history_lost) return ac_out_of_memory(run->job->ctx);
    AC_TRY(sink->table(sink->user, "iterations", channels, HISTORY_WIDTH, &table));
    for (int k = 0; k < run->history_count; ++k) {
        const double *row = run->history + (size_t)HISTORY_WIDTH * (size_t)k;
        if (isfinite(row[1]) && isfinite(row[2])) AC_TRY(sink->row(sink->user, table, row));
    }
    return AC_OK;
}

/* ---- the whole ---- */

/* The system with the parameters found is what the motion is written and simulated with. */
static ac_status take_optimum(optimize_run *run)
{
    const ac_problem *shown = run->step;
    if (ac_optimization_parameters(run->o) == 0 && !shown) return AC_OK;
    if (ac_optimization_parameters(run->o) > 0) {
        AC_TRY(ac_problem_at_optimum(run->problem, &run->optimum));
        shown = run->optimum;
        run->system = ac_problem_system(shown);
    }
    if (!run->job->scene) return AC_OK;
    *run->job->scene = ac_copy_text(run->job->ctx, ac_problem_scene(shown));
    return *run->job->scene ? AC_OK : ac_out_of_memory(run->job->ctx);
}

/* Conditions that were made of one entry have the same name and are counted. */
static void summarise_multipliers(const optimize_run *run)
{
    for (int k = 0; k < ac_optimization_conditions(run->o); ++k) {
        const char *name = ac_optimization_condition_name(run->o, k);
        char text[80];
        int same = 1;
        for (int l = 0; l < k; ++l) same += strcmp(ac_optimization_condition_name(run->o, l), name) == 0;
        if (same == 1) {
            snprintf(text, sizeof text, "multiplier of %.40s", name);
        } else {
            snprintf(text, sizeof text, "multiplier of %.40s, %d", name, same);
        }
        ac_summary_add(run->job->summary, text, ac_optimization_multiplier(run->o, k), "1");
    }
}

static void summarise(const optimize_run *run)
{
    ac_summary *summary = run->job->summary;
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    if (isfinite(out->objective)) ac_summary_add(summary, "objective", out->objective, "1");
    ac_summary_add(summary, "duration", out->duration, "s");
    for (int k = 0; k < ac_optimization_parameters(run->o); ++k) {
        char name[AC_NAME_SIZE + 16];
        snprintf(name, sizeof name, "parameter_%s", ac_optimization_parameter_name(run->o, k));
        ac_summary_add(summary, name, ac_optimization_parameter_value(run->o, k), "1");
    }
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
    summarise_multipliers(run);
}

static ac_status write_results(optimize_run *run)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.forces = run->plan->forces;
    settings.reactions = run->plan->reactions;
    AC_TRY(take_optimum(run));
    AC_TRY(create_stepper(run, NULL, &run->stepper));
    AC_TRY(ac_monitor_create(&run->monitor, &run->stepper, &settings));
    AC_TRY(create_channels(run));
    AC_TRY(write_motion(run));
    run->difference = NAN;
    const char *formulation = ac_optimization_formulation(run->o);
    bool simulated = strcmp(formulation, "reduced") == 0 ||
                     strcmp(formulation, "multipliers") == 0; /* the simulator's own dynamics */
    if (simulated) AC_TRY(simulate_again(run));
    AC_TRY(write_history(run));
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
                        .system = ac_problem_system(job->problem),
                        .problem = job->problem};
    run.start = now();
    ac_status status = optimize(&run);
    ac_monitor_destroy(&run.monitor);
    ac_stepper_destroy(&run.stepper);
    ac_problem_free(run.optimum);
    ac_problem_free(run.step);
    ac_kept_point_free(run.kept);
    ac_release(job->ctx, run.channels[0]);
    ac_release(job->ctx, run.channels[1]);
    ac_release(job->ctx, run.names);
    ac_release(job->ctx, run.shown);
    ac_release(job->ctx, run.history);
    ac_release(job->ctx, run.row);
    return status;
}
