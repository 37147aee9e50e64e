/* A certificate is one of the discrete model: how much does a run depend on the length of its steps?
 *
 * The run with the medians of all inputs, once more with steps of half the length; loads keep their values. */
#include <math.h>

#include "base/base.h"
#include "model/system.h"
#include "task/certify/certify.h"
#include "task/certify/runner_data.h"

/* The measure of the present system and loads with steps of half the length; false: the run fails. */
static bool run_finer(ac_runner *r, double *measure)
{
    ac_simulation_settings settings = r->settings;
    ac_course course = {.low = INFINITY, .high = -INFINITY};
    ac_simulation *s = NULL;
    settings.step *= 0.5;
    settings.steps *= 2;
    ac_status status = ac_simulation_new(r->ctx, r->system, &settings, &s);
    for (long n = 0; n <= settings.steps && status == AC_OK; ++n) {
        bool last = n == settings.steps;
        if (!last) status = ac_simulation_step(s);
        if (status == AC_OK && (last || r->c->take != AC_TAKE_LAST))
            ac_runner_look(r, s->stepper.winding,
                           last ? ac_simulation_configuration(s) : ac_simulation_previous(s),
                           (double)n * settings.step, &course);
    }
    ac_simulation_free(s);
    return status == AC_OK && ac_runner_conclude(r, &course, measure) == 0;
}

static void compare(ac_certify_task *t, ac_runner *r, const double *x, const ac_certificate *out)
{
    double coarse, fine;
    ac_summary *to = t->job->summary;
    if (ac_runner_run(r, x, &coarse, NULL, NULL, NULL) != 0) return;
    if (!run_finer(r, &fine))
        ac_summary_note(
            to, AC_NOTE_REMARK,
            "the certificate is that of steps of %.4g s: with half of it the run with the medians of all "
            "inputs fails",
            r->settings.step);
    else if (fabs(fine - coarse) > fabs(t->settings.threshold - out->mean))
        ac_summary_note(
            to, AC_NOTE_REMARK,
            "the certificate is that of steps of %.4g s: with half of it the measure of the medians of all "
            "inputs is %.4g instead of %.4g",
            r->settings.step, fine, coarse);
}

ac_status ac_certify_half_step(ac_certify_task *t, const ac_certificate *out)
{
    const ac_certification *c = t->c;
    ac_runner *runner = NULL;
    if (c->channel_count > 0 || c->simulation.free_step || !isfinite(out->mean)) return AC_OK;
    double *x = ac_allocate(t->job->ctx, (size_t)c->input_count, sizeof *x);
    if (!x) return ac_out_of_memory(t->job->ctx);
    for (int k = 0; k < c->input_count; ++k) x[k] = ac_uncertain_quantile(&c->inputs[k], 0.5);
    ac_status status = ac_runner_new(t->job->ctx, t->job->problem, &runner);
    if (status == AC_OK) {
        ac_runner_set_controls(runner, t->controls);
        compare(t, runner, x, out);
    }
    ac_runner_free(runner);
    ac_release(t->job->ctx, x);
    return status;
}
