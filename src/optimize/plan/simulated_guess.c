/* A guess by simulation: the motion without controls, with the scheme of the transcription. */
#include <string.h>

#include "actio/simulate.h"
#include "optimize/plan/plan.h"
#include "optimize/problem/optimization.h"

ac_status ac_plan_simulate_guess(const ac_plan_run *run)
{
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    ac_context *ctx = run->ctx;
    AC_TRY(ac_optimization_prepare(run->o));
    int N = ac_optimization_intervals(run->o);
    size_t n = (size_t)run->system->n;
    ac_simulation_defaults(&settings);
    settings.scheme = ac_optimization_scheme(run->o);
    settings.step = ac_optimization_duration(run->o) / N;
    settings.steps = N;
    double *q = ac_allocate(ctx, (size_t)(N + 1) * n, sizeof *q);
    if (!q) return ac_out_of_memory(ctx);
    ac_status status = ac_simulation_new(ctx, run->system, &settings, &simulation);
    if (status == AC_OK) memcpy(q, run->system->initial.q, n * sizeof *q);
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
