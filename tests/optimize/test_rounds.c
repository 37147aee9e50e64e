/* Turns about three axes leave the neighbourhood of their reference: it moves with them until they have
 * settled, and a motion that is still held by it is no optimum. */
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "test.h"

static ac_context *ctx;

/* An arm with two spherical joints, which turns far on its way. */
static const char arm[] =
    "title: an arm with two spherical joints\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  u: {solid: {rod: {length: 0.5, along: x}}, inertia: [0.01, 0.05, 0.05], mass: 2, centre: [0.25, 0, "
    "0]}\n"
    "  l: {solid: {rod: {length: 0.4, along: x}}, inertia: [0.01, 0.05, 0.05], mass: 2, centre: [0.2, 0, "
    "0]}\n"
    "joints:\n"
    "  - {name: s, spherical: [ground, u], at: {ground: [0, 0, 0], u: start}, coordinates: [0, 1.2, 0]}\n"
    "  - {name: e, spherical: [u, l], at: {u: end, l: start}, coordinates: [0, 0.2, 0]}\n"
    "optimize:\n"
    "  intervals: 20\n"
    "  duration: 1 s\n"
    "  controls: [{joint: s, name: ts}, {joint: e, frame: body, name: te}]\n"
    "  objective: [{effort: 1}]\n"
    "  conditions:\n"
    "    - {point: end, of: l, place: [0.3, 0.3, 0.3], at: end}\n"
    "    - {joint: e, coordinate: swing, at_most: 2.2, axis: x}\n"
    "  end_velocity: rest\n";

static ac_status solve(const char *const *settings, int count, ac_optimization_outcome *outcome)
{
    if (!ctx) ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/actio-test-rounds-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return AC_IO_FAILED;
    fputs(arm, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, settings, count, &problem);
    remove(path);
    CHECK(status == AC_OK);
    if (status != AC_OK) return status;
    ac_optimization *o = ac_problem_optimization(problem);
    status = ac_optimization_solve(o, NULL, NULL);
    *outcome = *ac_optimization_result(o);
    ac_problem_free(problem);
    return status;
}

/* Redundant coordinates have no reference: where the reduced solve ends must be an optimum to them. */
TEST(the_reference_follows_to_the_optimum)
{
    static const char *const multipliers[] = {"optimize.formulation=multipliers"};
    ac_optimization_outcome reduced, redundant;
    CHECK(solve(NULL, 0, &reduced) == AC_OK);
    CHECK(reduced.rounds > 5);
    CHECK_NEAR(reduced.objective, 20.9950412, 1e-6);
    CHECK(solve(multipliers, 1, &redundant) == AC_OK);
    CHECK_NEAR(redundant.objective, reduced.objective, 1e-6);
    CHECK(redundant.iterations - reduced.iterations <= 15); /* it begins there and stays */
}

TEST(a_reference_that_still_moves_is_no_solution)
{
    static const char *const settings[] = {"optimize.rounds=2"};
    ac_optimization_outcome outcome;
    CHECK(solve(settings, 1, &outcome) == AC_NOT_CONVERGED);
    CHECK(outcome.rounds == 2);
    CHECK(outcome.violation < 1e-7);
    CHECK(strstr(ac_context_message(ctx), "still moves after 2 rounds") != NULL);
    CHECK(strstr(ac_context_message(ctx), "raise rounds") != NULL);
    CHECK(strstr(outcome.words, "solved") == NULL);
}

/* The last of the rounds has turned far but is not held: that is an optimum. */
TEST(a_large_turn_within_its_bounds_is_a_solution)
{
    static const char *const all[] = {"optimize.intervals=8"};
    static const char *const two[] = {"optimize.intervals=8", "optimize.rounds=2"};
    ac_optimization_outcome settled, outcome;
    CHECK(solve(all, 1, &settled) == AC_OK);
    CHECK(settled.rounds > 2);
    CHECK(solve(two, 2, &outcome) == AC_OK);
    CHECK_NEAR(outcome.objective, settled.objective, 1e-6);
}

RUN_TESTS(CASE(the_reference_follows_to_the_optimum), CASE(a_reference_that_still_moves_is_no_solution),
          CASE(a_large_turn_within_its_bounds_is_a_solution))
