/* The solves of the task "optimize": several starts, continuation of a parameter, finer meshes. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "task/optimize.h"

static ac_status solve_and_count(ac_optimize_run *run, ac_optimization *o)
{
    run->solving = o;
    ac_status status = ac_optimization_solve(o, ac_note_progress, run);
    run->iterations += ac_optimization_result(o)->iterations;
    return status;
}

static ac_status solve_once(ac_optimize_run *run)
{
    ac_status status = solve_and_count(run, run->o);
    ++run->round;
    return status;
}

/* The same guess with the barrier that was not tried; if that fails, too, the first failure remains. */
static ac_status solve_otherwise(ac_optimize_run *run, ac_optimization *o, const char *message)
{
    ac_kept_point *first = NULL;
    bool near = ac_optimization_guessed_near(o);
    AC_TRY(ac_optimization_keep(o, &first));
    ac_optimization_guess_near(o, !near);
    ac_status status = solve_and_count(run, o);
    ac_optimization_guess_near(o, near);
    if (status == AC_NOT_CONVERGED) {
        ac_status restored = ac_optimization_restore(o, first);
        status = restored == AC_OK ? ac_fail(run->job->ctx, AC_NOT_CONVERGED, "%s", message) : restored;
    }
    ac_kept_point_free(first);
    return status;
}

/* From a guess that solves a similar problem: a search that fails begins once more and stays near it. */
static ac_status solve_from_similar(ac_optimize_run *run, ac_optimization *o)
{
    ac_context *ctx = run->job->ctx;
    ac_status status = solve_and_count(run, o);
    if (status != AC_NOT_CONVERGED || ac_optimization_result(o)->unknowns == 0) return status;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    status = solve_otherwise(run, o, message);
    ac_release(ctx, message);
    return status;
}

/* Keeps the point reached instead of the one kept before. */
static ac_status keep_point(ac_optimize_run *run, bool solved)
{
    ac_kept_point *point;
    AC_TRY(ac_optimization_keep(run->o, &point));
    ac_kept_point_free(run->kept);
    run->kept = point;
    run->kept_solved = solved;
    return AC_OK;
}

/* Keeps the point reached if it is the best of the starts: solved and cheap, else little violated. */
static ac_status keep_better(ac_optimize_run *run, bool solved)
{
    const ac_optimization_outcome *now_reached = ac_optimization_result(run->o),
                                  *before = run->kept ? ac_kept_outcome(run->kept) : NULL;
    double gain = before ? before->objective - now_reached->objective : 0.0;
    if (ac_optimization_maximises(run->o)) gain = -gain;
    bool better = !before || (solved && !run->kept_solved) || (solved && gain > 0.0) ||
                  (!solved && !run->kept_solved && now_reached->violation < before->violation);
    return better ? keep_point(run, solved) : AC_OK;
}

/* A solve that failed or was interrupted leaves the solution that was kept before, and says so. */
static ac_status fall_back(ac_optimize_run *run, ac_status status, const char *where)
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
static ac_status solve_starts(ac_optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_status status = plan->value_count > 0 ? solve_from_similar(run, run->o) : solve_and_count(run, run->o);
    ++run->round;
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
static ac_status hand_over(ac_optimize_run *run, ac_optimization *from, ac_optimization *to)
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
static ac_status stop_on_the_way(ac_optimize_run *run, ac_status status, int step, ac_problem **before,
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
static ac_status follow_parameter(ac_optimize_run *run)
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
        if (status == AC_OK)
            status = before ? solve_from_similar(run, ac_problem_optimization(problem))
                            : solve_and_count(run, ac_problem_optimization(problem));
        if (status != AC_OK && status != AC_NO_MEMORY)
            status = stop_on_the_way(run, status, k, &before, &problem);
        ac_problem_free(before);
        before = problem;
    }
    if (status == AC_OK && before) status = hand_over(run, ac_problem_optimization(before), run->o);
    ac_problem_free(before);
    return status;
}

ac_status ac_solve_plan(ac_optimize_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    run->rounds = plan->starts + plan->refine_count + 1;
    if (plan->value_count > 0 && !run->resumed) AC_TRY(follow_parameter(run));
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
        status = fall_back(run, solve_from_similar(run, run->o), where);
        ++run->round;
    }
    return status;
}

/* An orientation is given by sines of the turn from it, which half turns satisfy too. */
ac_status ac_check_orientations(const ac_optimize_run *run)
{
    for (int k = 0; k < run->plan->orientation_count; ++k) {
        int number = run->plan->orientations[k].node;
        const ac_node *node = &run->system->nodes[number];
        char words[AC_NODE_WORDS];
        bool start = run->plan->orientations[k].at_start;
        const double *q = ac_optimization_configuration(run->o,
                                                        start ? 0 : ac_optimization_intervals(run->o)),
                     *R = run->plan->orientations[k].rotation;
        double trace = 0.0;
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) trace += q[node->q + 3 + 3 * I + i] * R[3 * i + I];
        if (trace < 1.0)
            return ac_fail(run->job->ctx, AC_NOT_CONVERGED,
                           "%s %s half a turn away from the orientation asked for; give another guess",
                           ac_node_words(run->system, number, words), start ? "starts" : "ends");
    }
    return AC_OK;
}

/* ---- a guess by simulation ---- */

ac_status ac_simulate_guess(ac_optimize_run *run)
{
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    ac_context *ctx = run->job->ctx;
    AC_TRY(ac_optimization_prepare(run->o));
    int N = ac_optimization_intervals(run->o);
    size_t n = (size_t)run->system->n;
    ac_simulation_defaults(&settings);
    settings.scheme = ac_optimization_scheme(run->o); /* that of the transcription */
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
