/* A ball in the middle of a straight way: no derivative leads around it where the way is along an axis, and rounding does where it is
 * not. The optimum is the same in all directions. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/plan.h"
#include "actio/problem.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *read_text(const char *text)
{
    ac_problem *problem = NULL;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-symmetry-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    CHECK(ac_problem_read(ctx, path, NULL, 0, &problem) == AC_OK);
    remove(path);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    return problem;
}

/* From -d to d, around a ball about c. */
static ac_status go(const double d[3], const double c[3], double radius, ac_plan_outcome *outcome,
                    double *objective)
{
    char text[1400];
    ac_optimization_plan plan;
    snprintf(text, sizeof text,
             "points: {a: {mass: 1, position: [%.17g, %.17g, %.17g]}}\n"
             "optimize:\n  intervals: 20\n  duration: 1\n  max_iterations: 120\n"
             "  controls: [{force: a, name: u}]\n"
             "  quantities: {x: {of: a, point: centre, along: x}, y: {of: a, point: centre, along: y}, "
             "z: {of: a, point: centre, along: z}}\n"
             "  objective: [{effort: 1}]\n"
             "  conditions:\n"
             "    - {point: centre, of: a, place: [%.17g, %.17g, %.17g], at: end}\n"
             "    - {expression: (x - %.17g)^2 + (y - %.17g)^2 + (z - %.17g)^2, at_least: %.17g}\n"
             "  end_velocity: rest\n",
             -d[0], -d[1], -d[2], d[0], d[1], d[2], c[0], c[1], c[2], radius * radius);
    ac_problem *problem = read_text(text);
    if (!problem) return AC_BAD_INPUT;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_optimization_plan_defaults(&plan);
    ac_status status = ac_optimization_run_plan(o, &plan, NULL, outcome);
    *objective = ac_optimization_result(o)->objective;
    ac_problem_free(problem);
    return status;
}

TEST(balls_in_the_middle_are_passed)
{
    static const double directions[][3] = {{1, 0, 0},     {0, 1, 0},          {0, 0, -1},
                                           {0.6, 0.8, 0}, {0.36, 0.48, -0.8}, {0, -0.28, 0.96}};
    const double none[3] = {0};
    int beside = 0;
    for (int k = 0; k < 6; ++k) {
        ac_plan_outcome outcome;
        double objective;
        CHECK(go(directions[k], none, 0.3, &outcome, &objective) == AC_OK);
        CHECK_NEAR(objective, 32.7874231, 1e-6);
        CHECK(k < 3 || !outcome.beside);
        beside += outcome.beside;
    }
    CHECK(beside == 3);
}

/* A ball beside the way is no matter of symmetry, nor is a goal within a ball. */
TEST(other_ways_are_not_called_symmetric)
{
    const double d[3] = {1, 0, 0}, aside[3] = {0, 0.02, 0}, goal[3] = {1, 0.1, 0};
    ac_plan_outcome outcome;
    double objective;
    CHECK(go(d, aside, 0.3, &outcome, &objective) == AC_OK);
    CHECK(!outcome.beside && objective < 32.78);
    CHECK(go(d, goal, 0.3, &outcome, &objective) == AC_NOT_CONVERGED);
    CHECK(!outcome.beside && !strstr(ac_context_message(ctx), "symmetric"));
}

TEST(tidy_up)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(balls_in_the_middle_are_passed), CASE(other_ways_are_not_called_symmetric), CASE(tidy_up))
