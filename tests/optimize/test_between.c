/* Bounds that the nodes keep and the motion between them does not. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *read_text(const char *text)
{
    ac_problem *problem = NULL;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-between-%ld.yaml", (long)getpid());
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

/* A point on its way from x = -1 to `goal`, with a bound. */
static ac_problem *way(int intervals, double goal, const char *expression, const char *bound)
{
    char text[1200];
    snprintf(text, sizeof text,
             "points: {a: {mass: 1, position: [-1, 0]}}\n"
             "optimize:\n  intervals: %d\n  duration: 1\n  controls: [{force: a, name: u}]\n"
             "  quantities: {x: {of: a, point: centre, along: x}, y: {of: a, point: centre, along: y}, "
             "s: {signal: \"=0.1*t\"}}\n"
             "  objective: [{effort: 1}]\n"
             "  conditions: [{expression: x, equals: %g, at: end}, {expression: y, equals: 0, at: end}, "
             "{expression: \"%s\", %s}]\n"
             "  end_velocity: rest\n",
             intervals, goal, expression, bound);
    return read_text(text);
}

/* What separates the start from the goal is never passed, on whichever mesh and however thin it is. */
TEST(walls_are_not_jumped)
{
    srand(5);
    for (int k = 0; k < 24; ++k) {
        char expression[80], bound[40];
        double d = pow(10.0, -1.2 - 1.5 * rand() / RAND_MAX), at = 0.4 * rand() / RAND_MAX;
        static const char *const walls[] = {"abs(x - %g)",         "(x - %g)^2",
                                            "max(x - %g, %g - x)", "x^2 - 2*x*%g + %g^2 + y^2*0",
                                            "abs(x + s - %g)",     "-min(x - %g, %g - x)"};
        int kind = k % 6;
        snprintf(expression, sizeof expression, walls[kind], at, at);
        snprintf(bound, sizeof bound, "at_least: %g", kind == 1 || kind == 3 ? d * d : d);
        ac_problem *problem = way(7 + rand() % 30, 1.0, expression, bound);
        if (!problem) continue;
        ac_status status = ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL);
        CHECK(status == AC_NOT_CONVERGED);
        if (status != AC_NOT_CONVERGED) printf("%s %s is passed\n", expression, bound);
        ac_problem_free(problem);
    }
}

/* Bounds that are kept all the way are no reason to refuse, with a kink or without, and their least effort 6 A^2 N^2 / (N^2 - 1) for
 * A = 1/2 remains. */
TEST(bounds_that_are_kept_are_not_refused)
{
    static const char *const bounds[][2] = {
        {"abs(x)", "at_least: 0.05"},       {"x^2", "at_least: 0.0025"}, {"x^2 + y^2", "at_least: 0.1"},
        {"max(x, y) + 2", "at_least: 0.5"}, {"abs(y)", "at_most: 0.2"},  {"cos(3*x)", "at_most: 1"}};
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; ++k) {
        ac_cut_corner corner;
        ac_problem *problem = way(20, -0.5, bounds[k][0], bounds[k][1]);
        if (!problem) continue;
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK_NEAR(ac_optimization_result(o)->objective, 6.0 * 0.25 * 400.0 / 399.0, 1e-6);
        CHECK(!ac_optimization_cut_corner(o, 0, &corner));
        ac_problem_free(problem);
    }
}

/* Around the corner of the quadrant x < 0, y < 0: what the straight way cuts off becomes less with the step. */
TEST(corners_that_are_cut_are_named)
{
    double cut[2];
    for (int k = 0; k < 2; ++k) {
        char text[1200];
        ac_cut_corner corner;
        snprintf(
            text, sizeof text,
            "points: {a: {mass: 1, position: [0.5, -1]}}\n"
            "optimize:\n  intervals: %d\n  duration: 1\n  controls: [{force: a, name: u}]\n"
            "  quantities: {x: {of: a, point: centre, along: x}, y: {of: a, point: centre, along: y}}\n"
            "  objective: [{effort: 1}]\n"
            "  conditions: [{expression: x, equals: -1, at: end}, {expression: y, equals: 0.5, at: end}, "
            "{expression: \"max(x, y)\", at_least: 0}]\n"
            "  end_velocity: rest\n"
            "  guess: {positions: {a: [[0, 0.5, -1], [0.5, 0.2, 0.2], [1, -1, 0.5]]}}\n",
            k == 0 ? 21 : 63);
        ac_problem *problem = read_text(text);
        if (!problem) return;
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_cut_corner(o, 0, &corner) && corner.bound == 0.0 && corner.value < 0.0);
        CHECK_TEXT(corner.name, "max(x, y)");
        cut[k] = -corner.value;
        CHECK(!ac_optimization_cut_corner(o, 1, &corner));
        ac_problem_free(problem);
    }
    CHECK(cut[1] < 0.6 * cut[0]);
}

TEST(tidy_up)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(walls_are_not_jumped), CASE(bounds_that_are_kept_are_not_refused),
          CASE(corners_that_are_cut_are_named), CASE(tidy_up))
