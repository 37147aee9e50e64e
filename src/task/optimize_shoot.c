/* The task "optimize" by shooting: from the controls of the guess to those whose gradient vanishes. */
#include <math.h>

#include "actio/adjoint.h"
#include "base/base.h"
#include "task/optimize.h"

static int note_iteration(void *user, const ac_shooting_progress *now)
{
    return ac_note_shooting(user, now);
}

static void summarise(ac_optimize_run *run, const ac_shooting_outcome *out)
{
    ac_summary *summary = run->job->summary;
    ac_summary_add(summary, "gradient", out->gradient, "1");
    ac_summary_add(summary, "simulations", out->evaluations, "1");
    if (out->products > 0) ac_summary_add(summary, "second_order_products", out->products, "1");
    if (isfinite(out->least_curvature)) ac_summary_add(summary, "least_curvature", out->least_curvature, "1");
    if (out->stages > 0) ac_summary_add(summary, "approach_stages", out->stages, "1");
}

/* Controls of the guess, or of the checkpoint. */
static ac_status begin(ac_optimize_run *run, double *u)
{
    ac_optimization_guessed_controls(run->o, u);
    return ac_resume_controls(run, u);
}

ac_status ac_solve_shooting(ac_optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    ac_optimization *o = run->o;
    int count = ac_optimization_intervals(o) * ac_optimization_controls(o);
    const ac_optimization_settings *given = ac_optimization_given(o);
    ac_shooting_outcome outcome = {.least_curvature = NAN};
    ac_shooting_settings settings = {.method = (ac_shooting_method)run->options->update,
                                     .tolerance = given->tolerance,
                                     .first_step = run->options->first_step,
                                     .max_iterations = given->max_iterations,
                                     .segments = run->options->segments,
                                     .progress = note_iteration,
                                     .user = run};
    double *u = ac_allocate(ctx, (size_t)count + 1, sizeof *u), start = ac_wall_seconds();
    if (!u) return ac_out_of_memory(ctx);
    ac_status status = begin(run, u);
    settings.search = run->search;
    settings.search_size = run->search_size;
    if (status == AC_OK) status = ac_optimization_shoot(o, &settings, u, &outcome);
    run->iterations = outcome.iterations;
    run->shooting_time = ac_wall_seconds() - start;
    if (outcome.evaluations > 0) summarise(run, &outcome);
    ac_release(ctx, u);
    return status;
}
