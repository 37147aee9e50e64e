/* Dependent conditions found by elimination along time are those that a dense factorisation finds. */
#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/judge/band.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static ac_optimization *open(const char *path, const char *const *settings, int count, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    ac_status status = ac_problem_read(ctx, path, settings, count, problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return *problem ? ac_problem_optimization(*problem) : NULL;
}

static int band_count(ac_optimization *o)
{
    int count = -1;
    bool *equations = ac_allocate(ctx, (size_t)o->layout.rows, sizeof *equations);
    for (int r = 0; r < o->layout.rows; ++r)
        equations[r] = o->layout.bounds.low[r] == o->layout.bounds.high[r];
    double *values = ac_allocate(ctx, (size_t)o->layout.jacobian.entries, sizeof *values);
    ac_evaluate_jacobian(o, values);
    CHECK(ac_band_dependent(o, values, 1e-9, equations, &count) == AC_OK);
    ac_release(ctx, values);
    ac_release(ctx, equations);
    return count;
}

TEST(both_ways_find_the_same_number)
{
    static const char *const paths[] = {"examples/control/crane.yaml",
                                        "examples/control/four-bar.yaml",
                                        "examples/control/periodic-swing.yaml",
                                        "examples/control/robot-arm.yaml",
                                        "examples/control/two-link-pendulum.yaml",
                                        "examples/control/pitcher.yaml"};
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k)
        for (int w = 0; w < 2; ++w) {
            ac_problem *problem;
            const char *settings[] = {words[w]};
            ac_optimization *o = open(paths[k], settings, 1, &problem);
            double differences[3];
            int dependent;
            char name[128];
            if (!o) continue;
            if (ac_optimization_prepare(o) == AC_OK && (double)o->layout.rows * o->layout.variables < 3e6) {
                CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
                int found = band_count(o);
                if (found != dependent) printf("%s, %s: %d and %d\n", paths[k], words[w], found, dependent);
                CHECK(found == dependent);
            }
            ac_problem_free(problem);
        }
}

/* A condition twice, and one that follows from two others; in a problem too large for a dense matrix. */
TEST(dependent_conditions_of_a_large_problem_are_found)
{
    ac_problem *problem;
    const char *settings[] = {"parameters.N=2000"};
    ac_optimization *o = open("examples/control/two-link-pendulum.yaml", settings, 1, &problem);
    double differences[3];
    int dependent;
    char name[128];
    if (!o) return;
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
    CHECK(dependent == 0);
    ac_quantity angle = {.name = "again", .type = AC_QUANTITY_JOINT, .joint = 0};
    CHECK(ac_optimization_add_quantity(o, &angle) == AC_OK);
    ac_condition c = {
        .name = "the same again", .expression = "3*again", .place = AC_AT_END, .low = 1, .high = 1};
    ac_problem_free(problem);
    o = open("examples/control/two-link-pendulum.yaml", settings, 1, &problem);
    if (!o) return;
    CHECK(ac_optimization_add_quantity(o, &angle) == AC_OK);
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
    CHECK(dependent == 1);
    CHECK(strstr(name, "condition '") != NULL);
    ac_problem_free(problem);
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(both_ways_find_the_same_number), CASE(dependent_conditions_of_a_large_problem_are_found))
