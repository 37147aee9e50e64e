/* Shooting against transcription on the same problems: a pendulum that is swung up and a flexible arm that is turned, place
 * and speed at the end being weighted terms of the objective. Iterations, CPU time and the objective that each reaches; a
 * search that does not converge says so. */
#include <string.h>

#include "actio/actio.h"
#include "bench.h"
#include "problem/build/build.h"
#include "../tests/support/upswing.h"

#define SWING_UP(N)                                                                                    \
    UPSWING(N, "  max_iterations: 3000\n  tolerance: 1e-9\n  guess: {simulate: true}\n", ", guess: 1", \
            UPRIGHT)

#define ARM(N)                                                                           \
    "beams:\n"                                                                           \
    "  rod:\n"                                                                           \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"                                   \
    "    d1: [0, 1, 0]\n"                                                                \
    "    elements: 3\n"                                                                  \
    "    stiffness: {shear: [5e4, 5e4], axial: 1e5, bending: [2, 2], torsion: 1.5}\n"    \
    "    damping: 0.02\n"                                                                \
    "    inertia: {mass: 0.1, rotary: [1e-4, 1e-4]}\n"                                   \
    "    masses: [{at: end, mass: 0.1}]\n"                                               \
    "joints:\n"                                                                          \
    "  - {revolute: [ground, rod.start], at: [0, 0, 0], axis: [0, 0, 1], name: hub}\n"   \
    "optimize:\n"                                                                        \
    "  duration: 1 s\n"                                                                  \
    "  intervals: " #N "\n"                                                              \
    "  max_iterations: 300\n"                                                            \
    "  tolerance: 1e-6\n"                                                                \
    "  controls: [{name: torque, joint: hub}]\n"                                         \
    "  quantities:\n"                                                                    \
    "    angle: {joint: hub}\n"                                                          \
    "    across: {of: rod.end, point: [0, 0, 0], along: [=-sin(pi/3), =cos(pi/3), 0]}\n" \
    "  objective:\n"                                                                     \
    "    - {effort: 1}\n"                                                                \
    "    - {end: \"1e3*((angle - pi/3)^2 + across^2 + angle_rate^2 + across_rate^2)\"}\n"

typedef struct outcome {
    ac_status status;
    int iterations;
    double time, objective;
} outcome;

static ac_problem *read_problem(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    if (ac_problem_parse(ctx, "bench", text, strlen(text), NULL, 0, &problem) == AC_OK) return problem;
    fprintf(stderr, "bench_shooting: %s\n", ac_context_message(ctx));
    exit(2);
}

static outcome transcribe(ac_context *ctx, const char *text)
{
    ac_problem *problem = read_problem(ctx, text);
    ac_optimization *o = ac_problem_optimization(problem);
    double start = bench_now();
    ac_status status = ac_optimization_solve(o, NULL, NULL);
    const ac_optimization_outcome *found = ac_optimization_result(o);
    outcome out = {status, found->iterations, bench_now() - start, found->objective};
    ac_problem_free(problem);
    return out;
}

static outcome shoot(ac_context *ctx, const char *text, ac_shooting_method method, double tolerance,
                     int segments)
{
    ac_problem *problem = read_problem(ctx, text);
    ac_optimization *o = ac_problem_optimization(problem);
    int count = ac_optimization_intervals(o) * ac_optimization_controls(o);
    double *u = calloc((size_t)count, sizeof *u);
    const ac_shooting_settings settings = {.method = method,
                                           .segments = segments,
                                           .tolerance = tolerance,
                                           .first_step = 1.0,
                                           .max_iterations = ac_optimization_given(o)->max_iterations};
    ac_shooting_outcome found = {0};
    if (u) ac_optimization_guessed_controls(o, u);
    double start = bench_now();
    ac_status status = u ? ac_optimization_shoot(o, &settings, u, &found) : AC_NO_MEMORY;
    outcome out = {status, found.iterations, bench_now() - start, found.value};
    free(u);
    ac_problem_free(problem);
    return out;
}

static void show(const char *name, const outcome *out)
{
    printf("  %-26s %5d iterations %9.3f s   objective %.8g%s\n", name, out->iterations, out->time,
           out->objective, out->status == AC_OK ? "" : "   NOT CONVERGED");
}

/* tolerance: on the gradient of shooting; transcription has that of the problem */
static int compare(ac_context *ctx, const char *name, const char *text, double tolerance, int segments)
{
    static const struct {
        const char *name;
        ac_shooting_method method;
        bool segments;
    } searches[] = {{"shooting, newton", AC_SHOOT_NEWTON, false},
                    {"shooting, gauss-newton", AC_SHOOT_GAUSS_NEWTON, false},
                    {"shooting, newton, segments", AC_SHOOT_NEWTON, true},
                    {"shooting, l-bfgs", AC_SHOOT_LBFGS, false},
                    {"shooting, bb2", AC_SHOOT_BB2, false}};
    outcome first = transcribe(ctx, text), newton = {0};
    printf("%s\n", name);
    show("transcription", &first);
    for (size_t k = 0; k < sizeof searches / sizeof *searches; ++k) {
        outcome now = shoot(ctx, text, searches[k].method, tolerance, searches[k].segments ? segments : 1);
        show(searches[k].name, &now);
        if (k == 0) newton = now;
    }
    char label[96];
    snprintf(label, sizeof label, "%s: newton over transcription", name);
    return bench_report(label, newton.time / first.time, "", 0.0);
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    int failed = 0;
    failed |= compare(ctx, "swing-up, 100 intervals", SWING_UP(100), 1e-9, 5);
    failed |= compare(ctx, "flexible arm, 30 intervals", ARM(30), 1e-3, 3);
    ac_context_free(ctx);
    return failed;
}
