/* Bounded sums over all phases: the instant of a strike is free while the whole duration is given, an effort is bounded over all of
 * the motion.
 *
 * A mass is pushed against an elastic wall at x = 1 and comes to rest at x = 0.5. With the wall as a mirror it goes 1.5 m in one motion
 * from rest to rest, x = 1.5 (3 s^2 - 2 s^3) with s = t / T, and half the squared force is 6 * 1.5^2 / T^3. */
#include <math.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "problem/build/build.h"
#include "test.h"

static ac_context *ctx;

static ac_status parse(const char *text, const char *setting, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), &setting, setting ? 1 : 0, problem);
}

#define WALL(objective, total)                                                                         \
    "title: wall\npoints: {m: {mass: 1, position: [0]}}\n"                                             \
    "optimize:\n  intervals: 60\n  duration: 1\n  free_duration: true\n  end_velocity: rest\n"         \
    "  controls: [{force: m, name: u}]\n  quantities: {x: {of: m, point: centre, along: x}}\n"         \
    "  objective: [" objective "]\n  conditions: [" total "]\n  phases:\n"                             \
    "    - {name: there, conditions: [{expression: x, equals: 1, at: end}]}\n"                         \
    "    - {name: back, intervals: 40, impact: {x: 1}, conditions: [{expression: x, equals: 0.5, at: " \
    "end}]}\n"

static ac_problem *solve(const char *text, const char *formulation)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, formulation, &problem);
    if (status == AC_OK) status = ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

/* s with 1.5 (3 s^2 - 2 s^3) = 1 */
static double strike(void)
{
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; ++k) {
        double s = 0.5 * (low + high);
        *(1.5 * (3.0 - 2.0 * s) * s * s < 1.0 ? &low : &high) = s;
    }
    return low;
}

TEST(the_strike_is_free_while_the_duration_is_given)
{
    static const char *const formulations[] = {NULL, "optimize.formulation=multipliers"};
    for (int f = 0; f < 2; ++f) {
        ac_problem *problem = solve(WALL("{effort: 1}", "{total: [{duration: 1}], equals: 2}"),
                                    formulations[f]);
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK_NEAR(ac_optimization_result(o)->duration, 2.0, 1e-12);
        CHECK_NEAR(ac_optimization_result(o)->objective, 6.0 * 2.25 / 8.0, 1e-3);
        CHECK_NEAR(ac_optimization_duration(ac_optimization_phase(o, 0)), 2.0 * strike(), 2e-3);
        ac_problem_free(problem);
    }
}

/* The same motion: the least time for this effort. Before the sum was over all phases, each of them could have it. */
TEST(an_effort_is_bounded_over_all_phases)
{
    ac_problem *problem = solve(WALL("{duration: 1}", "{total: [{effort: 1}], at_most: =6*2.25/8}"), NULL);
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK_NEAR(ac_optimization_result(o)->objective, 2.0, 1e-3);
    CHECK_NEAR(ac_optimization_duration(ac_optimization_phase(o, 0)), 2.0 * strike(), 2e-3);
    ac_problem_free(problem);
}

/* Sizes have an upper bound alone. The integral of |u| of the motion above is 2.25; a bound below it costs effort. */
TEST(sizes_are_summed_over_all_phases)
{
    ac_problem *problem = solve(
        WALL("{effort: 1}", "{total: [{duration: 1}], equals: 2}, {total: [{absolute: u}], at_most: 2.2}"),
        NULL);
    ac_optimization *o = ac_problem_optimization(problem);
    double sum = 0.0;
    for (int p = 0; p < 2; ++p) {
        const ac_optimization *phase = ac_optimization_phase(o, p);
        int N = ac_optimization_intervals(phase);
        for (int k = 0; k < N; ++k)
            sum += fabs(ac_optimization_input_values(phase, k)[0]) * ac_optimization_duration(phase) / N;
    }
    CHECK_NEAR(sum, 2.2, 1e-6);
    CHECK(ac_optimization_result(o)->objective > 6.0 * 2.25 / 8.0 + 1e-3);
    ac_problem_free(problem);
}

TEST(derivatives_of_shared_sums_are_exact)
{
    ac_problem *problem = NULL;
    double differences[3] = {1.0, 1.0, 1.0};
    int dependent = 0;
    char name[128];
    CHECK(parse(WALL("{effort: 1}",
                     "{total: [{effort: 1}, {end: x^2}, {duration: 1}], at_least: 1, at_most: 9}"),
                NULL, &problem) == AC_OK);
    CHECK(ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name) == AC_OK);
    CHECK_NEAR(differences[0], 0.0, 2e-7);
    CHECK_NEAR(differences[1], 0.0, 2e-7);
    CHECK_NEAR(differences[2], 0.0, 2e-6);
    CHECK(dependent == 0);
    ac_problem_free(problem);
}

/* What cannot be is named as what it is. */
TEST(a_sum_that_cannot_be_is_no_solution)
{
    ac_problem *problem = NULL;
    CHECK(parse(WALL("{duration: 1}", "{name: budget, total: [{effort: 1}], at_most: -1}"), NULL, &problem) ==
          AC_OK);
    CHECK(ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL) != AC_OK);
    ac_problem_free(problem);
}

TEST(shared_sums_are_those_of_all_phases)
{
    ac_problem *problem = NULL;
    CHECK(parse(WALL("{effort: 1}", ""), NULL, &problem) == AC_OK);
    CHECK(ac_optimization_share_total(ac_problem_optimization(problem), (const int[]){0, 0}) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "phase 'there' has no sum 0") != NULL);
    CHECK(ac_optimization_share_total(ac_optimization_phase(ac_problem_optimization(problem), 0),
                                      (const int[]){0}) == AC_BAD_INPUT);
    ac_problem_free(problem);
}

RUN_TESTS(CASE(the_strike_is_free_while_the_duration_is_given), CASE(an_effort_is_bounded_over_all_phases),
          CASE(sizes_are_summed_over_all_phases), CASE(derivatives_of_shared_sums_are_exact),
          CASE(a_sum_that_cannot_be_is_no_solution), CASE(shared_sums_are_those_of_all_phases))
