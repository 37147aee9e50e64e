/* Optimal control: set-up time, share of the derivatives, exact Hessian against limited memory,
 * formulations, growth with N. */
#include <glob.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "bench.h"
#include "optimize/problem/prepare.h"

typedef struct outcome {
    double total, functions, objective;
    int iterations;
} outcome;

static ac_problem *read_problem(ac_context *ctx, const char *path, const char *const *settings, int count)
{
    ac_problem *problem = NULL;
    if (ac_problem_read(ctx, path, settings, count, &problem) == AC_OK) return problem;
    fprintf(stderr, "%s\n", ac_context_message(ctx));
    exit(2);
}

static outcome solve(ac_context *ctx, const char *path, const char *const *settings, int count)
{
    ac_problem *problem = read_problem(ctx, path, settings, count);
    ac_optimization *o = ac_problem_optimization(problem);
    if (ac_optimization_solve(o, NULL, NULL) != AC_OK)
        fprintf(stderr, "%s: %s\n", path, ac_context_message(ctx));
    const ac_optimization_outcome *result = ac_optimization_result(o);
    outcome out = {result->time, result->functions_time, result->objective, result->iterations};
    ac_problem_free(problem);
    return out;
}

static double set_up(ac_context *ctx)
{
    const char *settings[] = {"parameters.N=200"};
    double best = 1e9;
    for (int k = 0; k < 10; ++k) {
        double start = bench_now();
        ac_problem *problem = read_problem(ctx, "examples/control/pendulum-swing-up.yaml", settings, 1);
        ac_optimization_prepare(ac_problem_optimization(problem));
        best = fmin(best, bench_now() - start);
        ac_problem_free(problem);
    }
    return best;
}

/* Share of functions and derivatives in the time of one example: the least of three solves. */
static int share_of(ac_context *ctx, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    int length = (int)(strrchr(name, '.') - name), failed;
    char label[128];
    outcome now = {0};
    double share = 1.0, total = HUGE_VAL;
    for (int repeat = 0; repeat < 3; ++repeat) {
        now = solve(ctx, path, NULL, 0);
        share = fmin(share, now.functions / now.total);
        total = fmin(total, now.total);
    }
    snprintf(label, sizeof label, "%.*s: share of functions and derivatives", length, name);
    failed = bench_report(label, 100.0 * share, "%", 30.0);
    snprintf(label, sizeof label, "%.*s: %d iterations", length, name, now.iterations);
    bench_report(label, 1e3 * total, "ms", 0.0);
    return failed;
}

static int shares(ac_context *ctx)
{
    glob_t found;
    int failed = glob("examples/control/*.yaml", 0, NULL, &found) != 0;
    if (failed) return failed;
    for (size_t k = 0; k < found.gl_pathc; ++k) failed += share_of(ctx, found.gl_pathv[k]);
    globfree(&found);
    return failed;
}

static void compare(ac_context *ctx, const char *label, const char *const *settings, int count)
{
    char text[128];
    outcome o = solve(ctx, "examples/control/satellite.yaml", settings, count);
    snprintf(text, sizeof text, "satellite, %s: %d iterations", label, o.iterations);
    bench_report(text, 1e3 * o.total, "ms", 0.0);
}

static int growth(ac_context *ctx, const char *formulation)
{
    static const int meshes[] = {100, 316, 1000, 3162, 10000};
    double x[5], y[5];
    char mesh[32], word[64], label[96];
    for (int k = 0; k < 5; ++k) {
        snprintf(mesh, sizeof mesh, "parameters.N=%d", meshes[k]);
        snprintf(word, sizeof word, "optimize.formulation=%s", formulation);
        const char *settings[] = {mesh, word};
        outcome best = {1e9, 0.0, 0.0, 1};
        for (int repeat = 0; repeat < (meshes[k] < 2000 ? 3 : 1); ++repeat) {
            outcome o = solve(ctx, "examples/control/pendulum-swing-up.yaml", settings, 2);
            if (o.total < best.total) best = o;
        }
        x[k] = meshes[k];
        y[k] = best.total / best.iterations;
        snprintf(label, sizeof label, "swing-up, %s, N = %d: %d iterations, each", formulation, meshes[k],
                 best.iterations);
        bench_report(label, 1e3 * y[k], "ms", 0.0);
    }
    snprintf(label, sizeof label, "swing-up, %s: exponent of the time per iteration in N", formulation);
    return bench_report(label, bench_exponent(5, x, y), "", 1.15);
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    int failed = bench_report("swing-up, N = 200: from file to first iterate", 1e3 * set_up(ctx), "ms", 10.0);
    failed += shares(ctx);
    const char *limited[] = {"optimize.hessian=limited-memory"};
    compare(ctx, "reduced, exact Hessian", NULL, 0);
    compare(ctx, "reduced, limited memory", limited, 1);
    ac_problem *problem = read_problem(ctx, "examples/control/satellite.yaml", NULL, 0);
    ac_optimization *o = ac_problem_optimization(problem);
    ac_optimization_solve(o, NULL, NULL); /* the redundant formulation starts from the reduced solution */
    ac_optimization_reformulate(o, "multipliers");
    ac_optimization_solve(o, NULL, NULL);
    char label[96];
    snprintf(label, sizeof label, "satellite, multipliers from there: %d iterations",
             ac_optimization_result(o)->iterations);
    bench_report(label, 1e3 * ac_optimization_result(o)->time, "ms", 0.0);
    ac_problem_free(problem);
    failed += growth(ctx, "minimal");
    failed += growth(ctx, "reduced");
    ac_context_free(ctx);
    return failed > 0;
}
