/* Gaits: processor time and iterations of a solve over the number of intervals. The measure is the 2.2 s (82 iterations) of an
 * independent programme with exact derivatives for the gait in space of `biped-space-euler` with 80 intervals, and on other
 * meshes in proportion to their intervals. `biped-space` is another problem, with friction and other torques, and is only told. */
#include "actio/optimize.h"
#include "actio/problem.h"
#include "bench.h"

static const double MOST = 2200.0, PER_INTERVAL = 2200.0 / 80.0; /* ms */

static int solve(ac_context *ctx, const char *name, const char *setting, double most)
{
    char path[128], label[160];
    ac_problem *problem = NULL;
    snprintf(path, sizeof path, "examples/walking/%s.yaml", name);
    ac_status status = ac_problem_read(ctx, path, &setting, setting ? 1 : 0, &problem);
    double start = bench_now();
    if (status == AC_OK) status = ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL);
    if (status != AC_OK) {
        fprintf(stderr, "%s: %s\n", path, ac_context_message(ctx));
        ac_problem_free(problem);
        return 1;
    }
    const ac_optimization_outcome *out = ac_optimization_result(ac_problem_optimization(problem));
    snprintf(label, sizeof label, "%s%s%s: %d iterations, objective %.6g", name, setting ? ", " : "",
             setting ? setting : "", out->iterations, out->objective);
    int failed = bench_report(label, 1e3 * (bench_now() - start), "ms", most);
    ac_problem_free(problem);
    return failed;
}

int main(void)
{
    static const char *const meshes[] = {"optimize.intervals=40", "optimize.intervals=80",
                                         "optimize.intervals=160"};
    ac_context *ctx = ac_context_new(NULL);
    int failed = 0;
    for (int k = 0; k < 3; ++k) failed += solve(ctx, "biped", meshes[k], MOST);
    for (int k = 0; k < 3; ++k) failed += solve(ctx, "biped-free-knees", meshes[k], MOST);
    for (int k = 0; k < 3; ++k)
        failed += solve(ctx, "biped-space-euler", meshes[k], (40 << k) * PER_INTERVAL);
    for (int k = 0; k < 3; ++k) failed += solve(ctx, "biped-space", meshes[k], 0.0);
    failed += solve(ctx, "compass-gait", NULL, MOST);
    failed += solve(ctx, "hopper", NULL, MOST);
    ac_context_free(ctx);
    return failed > 0;
}
