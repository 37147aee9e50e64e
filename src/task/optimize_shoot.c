/* The task "optimize" by shooting: from the controls of the guess to those whose gradient vanishes. */
#include "actio/adjoint.h"
#include "base/base.h"
#include "task/optimize.h"

static int note_iteration(void *user, int iteration, double value, double gradient, double step,
                          double effort)
{
    ac_optimize_run *run = user;
    (void)step, (void)effort;
    return ac_note_iteration(run, iteration, 0.0, ac_optimization_maximises(run->o) ? -value : value,
                             gradient);
}

ac_status ac_solve_shooting(ac_optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    ac_optimization *o = run->o;
    int N = ac_optimization_intervals(o), controls = ac_optimization_controls(o);
    const ac_optimization_settings *given = ac_optimization_given(o);
    ac_shooting_outcome outcome = {0};
    const ac_shooting_settings settings = {.method = (ac_shooting_method)run->options->update,
                                           .tolerance = given->tolerance,
                                           .first_step = run->options->first_step,
                                           .max_iterations = given->max_iterations,
                                           .progress = note_iteration,
                                           .user = run};
    double *u = ac_allocate(ctx, (size_t)N * (size_t)controls + 1, sizeof *u);
    if (!u) return ac_out_of_memory(ctx);
    for (int k = 0; k < N * controls; ++k) u[k] = ac_optimization_guessed_control(o, k % controls);
    ac_status status = ac_optimization_shoot(o, &settings, u, &outcome);
    run->iterations = outcome.iterations;
    if (status == AC_OK)
        ac_summary_note(run->job->summary, AC_NOTE_VERDICT,
                        "shooting: the largest component of the gradient is %.3g (tolerance %.3g)",
                        outcome.gradient, settings.tolerance);
    ac_release(ctx, u);
    return status;
}
