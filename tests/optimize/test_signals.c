/* Given functions of time in expressions: exact derivatives, also by a free duration, and paths that are
 * followed. */
#include <math.h>
#include <stdio.h>

#include "actio/actio.h"
#include "optimize/problem/optimization.h"
#include "problem/build/build.h"
#include "test.h"

static const char *const SYSTEM = "parameters: {stiff: 1}\n"
                                  "points:\n  p: {mass: 2, position: [0.1, 0.2]}\n";

static ac_status parse(ac_context *ctx, const char *task, ac_problem **problem)
{
    char text[2000];
    int length = snprintf(text, sizeof text, "%s%s", SYSTEM, task);
    return ac_problem_parse(ctx, "f.yaml", text, (size_t)length, NULL, 0, problem);
}

static const char *const TASK =
    "optimize:\n  intervals: 6\n  duration: 1.5\n%s"
    "  controls: [{force: p, component: x, name: fx}, {force: p, component: y, name: fy}]\n"
    "  quantities:\n"
    "    x: {of: p, point: centre, along: x}\n    y: {of: p, point: centre, along: y}\n"
    "    path: {signal: '=0.3*sin(2*t) + t^2'}\n    steps: {signal: {table: [[0, 0], [0.7, 0.5], [3, 1]]}}\n"
    "  objective:\n    - {running: (x - path)^2 + (y - path*steps)^2}\n    - {effort: 0.1}\n"
    "    - {end: x*steps}\n"
    "  conditions:\n    - {expression: y - path, at_most: 3}\n    - {expression: x_rate*steps, at: "
    "intervals, at_most: 9}\n";

TEST(derivatives_are_exact)
{
    const char *kinds[] = {"", "  free_duration: true\n",
                           "  formulation: multipliers\n  free_duration: true\n"};
    for (int k = 0; k < 3; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        char text[1500], name[128];
        double differences[3];
        int dependent;
        snprintf(text, sizeof text, TASK, kinds[k]);
        ac_status status = parse(ctx, text, &problem);
        if (status == AC_OK) {
            ac_optimization *o = ac_problem_optimization(problem);
            status = ac_optimization_check(o, differences, &dependent, name);
            CHECK_NEAR(differences[0], 0.0, 1e-7);
            CHECK_NEAR(differences[1], 0.0, 1e-7);
            CHECK_NEAR(differences[2], 0.0, 1e-6);
        }
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* With nothing against it, a point follows the path exactly at the nodes that its forces can reach. */
TEST(a_path_is_followed)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    CHECK(
        parse(ctx,
              "optimize:\n  intervals: 10\n  duration: 1\n  start: free\n  start_velocity: free\n"
              "  controls: [{force: p, component: x, name: fx}, {force: p, component: y, name: fy}]\n"
              "  quantities:\n    x: {of: p, point: centre, along: x}\n    y: {of: p, point: centre, along: "
              "y}\n"
              "    a: {signal: {table: [[0, 0], [0.5, 20 cm], [1, 0.1]]}}\n    b: {signal: '=sin(stiff*t)'}\n"
              "  objective: [{effort: 1}]\n"
              "  conditions: [{expression: x - a, equals: 0}, {expression: y - b, equals: 0}]\n",
              &problem) == AC_OK);
    if (!problem) {
        printf("%s\n", ac_context_message(ctx));
    } else {
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        for (int n = 0; n <= 10; ++n) {
            double t = 0.1 * n, a = t < 0.5 ? 0.4 * t : 0.2 - 0.2 * (t - 0.5);
            CHECK_NEAR(ac_optimization_quantity_value(o, 0, n), a, 1e-8);
            CHECK_NEAR(ac_optimization_quantity_value(o, 2, n), a, 1e-15);
            CHECK_NEAR(ac_optimization_quantity_value(o, 3, n), sin(t), 1e-15);
        }
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static void expect(const char *quantity, const char *expression, const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char text[1000];
    snprintf(text, sizeof text,
             "optimize:\n  intervals: 3\n  duration: 1\n  controls: [{force: p, component: x, name: fx}]\n"
             "  quantities:\n    a: {%s}\n  objective: [{end: %s}]\n",
             quantity, expression);
    CHECK(parse(ctx, text, &problem) == AC_BAD_INPUT);
    if (strstr(ac_context_message(ctx), message) == NULL) printf("%s\n", ac_context_message(ctx));
    CHECK(strstr(ac_context_message(ctx), message) != NULL);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(mistakes_are_reported)
{
    expect("signal: {table: [[1, 0], [0, 1]]}", "a", "f.yaml:9:");
    expect("signal: {tables: [[0, 0], [1, 1]]}", "a",
           "f.yaml:9:17: signal must be a number, an expression of t, {table: [[t, value], ...]} or {steps: "
           "[[t, value], ...]}");
    expect("signal: 1, of: p, point: centre, along: x", "a", "a quantity needs exactly one of");
    expect("signal: 1", "a_rate", "a_rate");
    expect("signal: 1, unit: ml", "a", "unit cannot be 'ml'");
    expect("unit: m, of: p, point: centre, along: x", "a", "only a signal needs a unit");
}

RUN_TESTS(CASE(derivatives_are_exact), CASE(a_path_is_followed), CASE(mistakes_are_reported))
