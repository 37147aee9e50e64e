/* Continuation: the problem is solved for other values of a parameter, each solution is the guess of the next. A disturbance of
 * the guess is one of the first of these problems. */
#include <string.h>

#include "optimize/phases/phases.h"
#include "optimize/plan/plan.h"
#include "optimize/problem/optimization.h"

/* The motion of one problem becomes the guess of another with the same system and controls; phase by phase. */
static ac_status hand_over(const ac_plan_run *run, ac_optimization *from, ac_optimization *to)
{
    ac_context *ctx = run->ctx;
    for (int k = 0; k < ac_optimization_phases(from); ++k)
        AC_TRY(hand_over(run, ac_optimization_phase(from, k), ac_optimization_phase(to, k)));
    if (ac_optimization_phases(from) > 0) {
        ac_phases_guess_lengths(to, from);
        return AC_OK;
    }
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

static void release(const ac_plan_run *run, ac_optimization *o)
{
    if (o && o != run->outcome->reached && run->hooks.release) run->hooks.release(run->hooks.user, o);
}

/* The continuation ends on the way: what remains is the last solution, or what the first step reached. */
static ac_status stop_on_the_way(ac_plan_run *run, ac_status status, int step, ac_optimization *before,
                                 ac_optimization *present)
{
    ac_context *ctx = run->ctx;
    const ac_optimization_plan *plan = run->plan;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    int shown = step > 0 ? step - 1 : step;
    ac_optimization *from = step > 0 ? before : present;
    if (from && (status == AC_NOT_CONVERGED || status == AC_INTERRUPTED)) {
        run->outcome->reached = from;
        ac_fail(ctx, status, "for %s = %.10g, on the way: %s; what is kept is %s %s = %.10g", plan->parameter,
                plan->values[step], message, step > 0 ? "the solution for" : "the point reached for",
                plan->parameter, plan->values[shown]);
    } else {
        ac_fail(ctx, status, "for %s = %.10g, on the way: %s", plan->parameter, plan->values[step], message);
    }
    ac_release(ctx, message);
    return status;
}

ac_status ac_plan_continue(ac_plan_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    const unsigned long seed = run->o->description.guess.seed;
    const double disturbance = run->o->description.guess.disturbance;
    ac_optimization *before = NULL;
    ac_status status = AC_OK;
    ac_optimization_disturb(run->o, seed, 0.0);
    for (int k = 0; k < plan->value_count && status == AC_OK; ++k) {
        ac_optimization *present = NULL;
        status = run->hooks.problem_at(run->hooks.user, plan->values[k], &present);
        if (status == AC_OK && !before) ac_optimization_disturb(present, seed, disturbance);
        if (status == AC_OK && before) status = hand_over(run, before, present);
        if (status == AC_OK)
            status = before ? ac_plan_solve_from_similar(run, present) : ac_plan_solve(run, present);
        if (status != AC_OK && status != AC_NO_MEMORY)
            status = stop_on_the_way(run, status, k, before, present);
        release(run, before);
        before = present;
    }
    if (status == AC_OK && before) status = hand_over(run, before, run->o);
    release(run, before);
    return status;
}
