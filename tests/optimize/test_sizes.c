/* Optima of faint objectives and of problems far from SI units are the same as those of ordinary ones: tolerances are
 * for numbers of the order of one, and any point is optimal to 1e-9 where the whole objective is smaller. */
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "test.h"

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static ac_status run(const char *text, ac_summary *summary)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/actio-test-sizes-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return AC_IO_FAILED;
    fputs(text, file);
    fclose(file);
    memset(summary, 0, sizeof *summary);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    remove(path);
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

#define PENDULUM                                                               \
    "gravity: [0, -9.81]\n"                                                    \
    "parameters: {w: %g}\n"                                                    \
    "planar_bodies: {bob: {mass: 1, inertia: 0.1, points: {pivot: [0, 1]}}}\n" \
    "joints: [{revolute: [ground, bob], at: {bob: pivot}, name: hinge}]\n"

/* The weight of an objective changes its optimum by the same factor. */
static double swing_up(const char *rest, double weight)
{
    char text[2000], format[2000];
    ac_summary summary;
    snprintf(format, sizeof format, "%s%s", PENDULUM, rest);
    snprintf(text, sizeof text, format, weight);
    CHECK(run(text, &summary) == AC_OK);
    CHECK(summary_of(&summary, "optimality") <= summary_of(&summary, "optimality_limit"));
    return summary_of(&summary, "objective") / weight;
}

TEST(faint_objectives_have_their_optimum)
{
    static const char *const transcribed = "optimize:\n"
                                           "  intervals: 20\n"
                                           "  duration: 2\n"
                                           "  controls: [{joint: hinge, name: u, limit: 8}]\n"
                                           "  objective: [{effort: 1, weight: =w}]\n"
                                           "  conditions: [{joint: hinge, equals: =pi, at: end}]\n"
                                           "  end_velocity: rest\n";
    const double weights[] = {1e-6, 1e-9, 1e-12, 1e-15};
    double expected = swing_up(transcribed, 1.0);
    for (int k = 0; k < 4; ++k) CHECK_NEAR(swing_up(transcribed, weights[k]), expected, 1e-5 * expected);
}

TEST(faint_objectives_are_shot_to_their_optimum)
{
    static const char *const updates[] = {"newton", "gauss-newton", "l-bfgs", "bb1", "bb2"};
    for (int k = 0; k < 5; ++k) {
        char shot[1000];
        snprintf(shot, sizeof shot,
                 "optimize:\n"
                 "  intervals: 20\n"
                 "  duration: 1.5\n"
                 "  method: shooting\n"
                 "  update: %s\n"
                 "  controls: [{joint: hinge, name: u}]\n"
                 "  quantities: {a: {joint: hinge}}\n"
                 "  objective: [{effort: 1, weight: =w}, {end: \"w*20*(a-pi)^2\"}]\n",
                 updates[k]);
        double expected = swing_up(shot, 1.0);
        CHECK_NEAR(swing_up(shot, 1e-12), expected, 1e-5 * expected);
    }
}

/* A mass m that moves by d within T from rest to rest, by N constant forces: 1/2 int u^2 and, with |u| <= F, the time
 * 2 sqrt(m d / F). */
static void carry(double m, double d, const char *formulation)
{
    enum { N = 20 };
    const double T = 2.0, h = T / N, F = 2.0 * m * d;
    double squares = 0.0;
    for (int k = 0; k < N; ++k) squares += ((k + 0.5) * h - 0.5 * T) * ((k + 0.5) * h - 0.5 * T);
    for (int timed = 0; timed < 2; ++timed) {
        char text[1500];
        ac_summary summary;
        snprintf(
            text, sizeof text,
            "planar_bodies: {c: {mass: %.17g, inertia: %.17g, position: [0, 0]}}\n"
            "joints: [{name: r, prismatic: [ground, c], at: {ground: [0, 0], c: centre}, axis: [1, 0]}]\n"
            "optimize:\n"
            "  intervals: %d\n"
            "  duration: 2\n"
            "  free_duration: %s\n"
            "  formulation: %s\n"
            "  controls: [{joint: r, name: u, limit: %.17g}]\n"
            "  objective: [%s]\n"
            "  conditions: [{joint: r, equals: %.17g, at: end}]\n"
            "  end_velocity: rest\n",
            m, m * d * d, N, timed ? "true" : "false", formulation, timed ? F : 10.0 * F,
            timed ? "{duration: 1}" : "{effort: 1}", d);
        double expected = timed ? sqrt(2.0) : 0.5 * m * m * d * d / (h * squares);
        CHECK(run(text, &summary) == AC_OK);
        CHECK_NEAR(summary_of(&summary, "objective"), expected, 1e-6 * expected);
        CHECK(summary_of(&summary, "second_order") >= 0.0);
    }
}

TEST(insects_and_ships_are_carried_alike)
{
    static const char *const formulations[] = {"reduced", "multipliers", "minimal", "collocation-qp",
                                               "collocation-qv"};
    for (int k = 0; k < 5; ++k) {
        carry(2e-9, 3e-6, formulations[k]);
        carry(1e-6, 1e-3, formulations[k]);
        carry(2e6, 3e3, formulations[k]);
    }
}

TEST(an_objective_without_bound_is_named_in_redundant_coordinates)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary summary = {0};
    static const char *const text =
        "planar_bodies: {c: {mass: 2, inertia: 1, position: [0, 0]}}\n"
        "joints: [{name: r, prismatic: [ground, c], at: {ground: [0, 0], c: centre}, axis: [1, 0]}]\n"
        "optimize:\n"
        "  intervals: 10\n"
        "  duration: 1\n"
        "  formulation: multipliers\n"
        "  controls: [{joint: r, name: u}]\n"
        "  quantities: {x: {joint: r}}\n"
        "  objective: [{end: x, maximise: true}]\n";
    char path[64];
    snprintf(path, sizeof path, "/tmp/actio-test-sizes-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(ac_problem_read(ctx, path, NULL, 0, &problem) == AC_OK);
    remove(path);
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "seems to have no upper bound: it went from 0 to") != NULL);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(faint_objectives_have_their_optimum), CASE(faint_objectives_are_shot_to_their_optimum),
          CASE(insects_and_ships_are_carried_alike),
          CASE(an_objective_without_bound_is_named_in_redundant_coordinates))
