/* The motion found, re-simulated: what is said about it; and solves that begin at the solution of a
 * similar problem. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/result.h"
#include "actio/run.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;

/* Two links, driven in the middle only: few intervals leave wide turns. */
#define ACROBOT                                                                \
    "title: acrobot\n"                                                         \
    "gravity: [0, -9.81]\n"                                                    \
    "parameters: {N: 120}\n"                                                   \
    "planar_bodies:\n"                                                         \
    "  l1: {solid: {rod: {length: 1, mass: 1}}}\n"                             \
    "  l2: {solid: {rod: {length: 1, mass: 1}}}\n"                             \
    "joints:\n"                                                                \
    "  - {name: s, revolute: [ground, l1], at: {l1: start}, angle: -90 deg}\n" \
    "  - {name: e, revolute: [l1, l2], at: {l1: end, l2: start}, angle: 0}\n"  \
    "optimize:\n"                                                              \
    "  duration: 4 s\n"                                                        \
    "  controls: [{joint: e, name: u, limit: 20}]\n"                           \
    "  objective: [{effort: 1}]\n"                                             \
    "  conditions:\n"                                                          \
    "    - {joint: s, equals: 90 deg, at: end}\n"                              \
    "    - {joint: e, equals: 0, at: end}\n"                                   \
    "  end_velocity: rest\n"

#define PENDULUM                                                   \
    "title: swing up\n"                                            \
    "gravity: [0, -9.81]\n"                                        \
    "planar_bodies:\n"                                             \
    "  b: {mass: 1, inertia: 0.1, points: {p: [0, 0.5]}}\n"        \
    "joints:\n"                                                    \
    "  - {name: s, revolute: [ground, b], at: {b: p}, angle: 0}\n" \
    "optimize:\n"                                                  \
    "  duration: 2\n"                                              \
    "  controls: [{joint: s, name: u, limit: 4}]\n"                \
    "  objective: [{effort: 1}]\n"                                 \
    "  conditions: [{joint: s, equals: 180 deg, at: end}]\n"       \
    "  end_velocity: rest\n"

static ac_problem *problem_of(const char *text)
{
    ac_problem *problem = NULL;
    char scratch[SCRATCH_SIZE];
    if (!ctx) ctx = ac_context_new(NULL);
    const char *path = scratch_path(scratch, "again.yaml");
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    CHECK(ac_problem_read(ctx, path, NULL, 0, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    remove(path);
    return problem;
}

static ac_status run(const char *text, const char *output, ac_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    ac_problem *problem = problem_of(text);
    if (!problem) return AC_BAD_INPUT;
    ac_status status = ac_run(ctx, problem, output, NULL, NULL, summary);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    return status;
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static bool remarks(const ac_summary *summary, const char *words)
{
    bool found = strstr(summary->remark, words) != NULL;
    if (!found) printf("no \"%s\" in: %s\n", words, summary->remark);
    return found;
}

/* ---- the second motion ---- */

TEST(another_solution_of_a_step_is_reported)
{
    ac_summary summary;
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "again.h5");
    CHECK(run(ACROBOT "  intervals: 20\n", path, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-6);
    CHECK(remarks(&summary, "the simulator alone takes another solution: joint 'e' turns by 1."));
    CHECK(remarks(&summary, "use more intervals"));
    ac_result *result = NULL;
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    const char *text = result ? ac_result_text(result, "remark") : NULL;
    CHECK(text && strcmp(text, summary.remark) == 0);
    ac_result_close(result);
    unlink(path);
}

TEST(turns_beyond_the_limit_of_the_simulator_are_reported)
{
    ac_summary summary;
    CHECK(run("title: wide turns\n"
              "planar_bodies:\n"
              "  b: {mass: 2, inertia: 1, points: {p: [0, 0.5]}}\n"
              "joints:\n"
              "  - {name: s, revolute: [ground, b], at: {b: p}, angle: 0}\n"
              "optimize:\n"
              "  intervals: 4\n"
              "  duration: 1\n"
              "  turn_limit: 2\n"
              "  controls: [{joint: s, name: u}]\n"
              "  objective: [{effort: 1}]\n"
              "  conditions: [{joint: s, equals: 4, at: end}]\n"
              "  end_velocity: rest\n",
              NULL, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-6);
    CHECK(remarks(&summary, "the simulator alone does not find this motion: joint 's' turns by 1."));
}

TEST(a_difference_that_remains_is_reported)
{
    ac_summary summary;
    CHECK(run(PENDULUM "  intervals: 20\n  tolerance: 1e-2\n", NULL, &summary) == AC_OK);
    CHECK(summary_of(&summary, "resimulation_error") > 1e-6);
    CHECK(remarks(&summary, "re-simulated, the motion is not quite the same: from step "));
    CHECK(run(PENDULUM "  intervals: 20\n", NULL, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    CHECK(summary.remark[0] == '\0');
}

/* ---- beginning at the solution of a similar problem ---- */

/* 120 intervals from the solution with 30 take far more than 90 iterations, or 34 near that solution. */
#define FEW "  max_iterations: 90\n"

TEST(a_refinement_that_fails_begins_again_near_the_coarse_solution)
{
    ac_summary summary;
    CHECK(run(ACROBOT FEW "  intervals: 30\n  refine: [120]\n", NULL, &summary) == AC_OK);
    CHECK(summary_of(&summary, "intervals") == 120.0);
    CHECK(summary_of(&summary, "iterations") > 90.0); /* the first attempt counts */
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
}

TEST(a_continuation_that_fails_begins_again_near_the_solution_before)
{
    ac_summary summary;
    CHECK(run(ACROBOT FEW "  intervals: =N\n  continuation: {parameter: N, values: [30, 120]}\n", NULL,
              &summary) == AC_OK);
    CHECK(summary_of(&summary, "iterations") > 90.0);
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
}

/* Nothing of the first solve is left in the guess of the second. */
TEST(a_second_solve_begins_at_the_same_guess)
{
    ac_problem *problem = problem_of(PENDULUM "  intervals: 20\n");
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    ac_optimization_outcome first = *ac_optimization_result(o);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    const ac_optimization_outcome *second = ac_optimization_result(o);
    CHECK(second->iterations == first.iterations);
    CHECK_NEAR(second->objective, first.objective, 0.0);
    ac_problem_free(problem);
}

RUN_TESTS(CASE(another_solution_of_a_step_is_reported),
          CASE(turns_beyond_the_limit_of_the_simulator_are_reported),
          CASE(a_difference_that_remains_is_reported),
          CASE(a_refinement_that_fails_begins_again_near_the_coarse_solution),
          CASE(a_continuation_that_fails_begins_again_near_the_solution_before),
          CASE(a_second_solve_begins_at_the_same_guess))
