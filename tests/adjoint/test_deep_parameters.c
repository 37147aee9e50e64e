/* Numbers with a long past: a body of eight solids that share their sizes, and parameters that follow from each other in forty steps. Their
 * gradients are those of differences, and an optimisation finds what a closed form says. */
#include <stdio.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "support/gradients.h"

enum { SIZE = 8192, DEEP = 40, SOLIDS = 8 };

/* a0, then each a function of the one before, which stands in it twice. */
static void write_problem(char text[SIZE], const char *task)
{
    int used = snprintf(text, SIZE, "parameters: {l: 0.8, w: 0.1, a0: 1.1");
    for (int k = 1; k < DEEP; ++k)
        used += snprintf(text + used, (size_t)(SIZE - used), ", a%d: =a%d*(1+0.01*a%d)-0.01*a%d", k, k - 1,
                         k - 1, k - 1);
    used += snprintf(text + used, (size_t)(SIZE - used),
                     "}\ngravity: [0, 0, -9.81]\nbodies:\n  b: {points: {p: [=0.01*a%d, 0, 0]}, solids: [",
                     DEEP - 1);
    for (int k = 0; k < SOLIDS; ++k)
        used += snprintf(text + used, (size_t)(SIZE - used),
                         "{box: {size: [=l/%d, =w, =w], density: 700}, position: [=l*%d/8, =w*%d, 0]}, ",
                         k + 2, k, k % 3);
    snprintf(
        text + used, (size_t)(SIZE - used),
        "]}\njoints: [{revolute: [ground, b], name: hip, at: {b: p}, axis: [0, 1, 0], angle: =0.3*a%d}]\n%s",
        DEEP - 1, task);
}

TEST(many_solids_and_deep_formulas_have_gradients)
{
    static char text[SIZE];
    write_problem(text,
                  "simulate: {step: 10 ms, steps: 40, quantities: {z: {point: centre, of: b, along: z}}, "
                  "functional: [{end: z*a20}, {running: z*a39^2}]}\n");
    const gradient_subject s = {"eight boxes", text};
    compare(&s, "midpoint", "reduced");
    compare(&s, "energy-momentum", "multipliers");
}

/* The forces cost little against the distance of a39 from 1.05, which a0 alone decides. */
TEST(optimisations_follow_them)
{
    static char text[SIZE];
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    write_problem(text,
                  "optimize: {duration: 0.5 s, intervals: 5, parameters: {a0: {from: 1, to: 1.2}}, controls: "
                  "[{joint: hip, name: u}], objective: [{effort: 1e-12}, {end: (a39-1.05)^2}], quantities: "
                  "{q: {joint: hip}}, conditions: [{expression: q - 0.1*a39, equals: =0.5*a39, at: end}], "
                  "end_velocity: free}\n");
    ac_status status = ac_problem_parse(ctx, "test", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    ac_optimization *o = problem ? ac_problem_optimization(problem) : NULL;
    CHECK(o && ac_optimization_solve(o, NULL, NULL) == AC_OK);
    double a = o ? ac_optimization_parameter_value(o, 0) : NAN;
    for (int k = 1; k < DEEP; ++k) a = a * (1 + 0.01 * a) - 0.01 * a;
    CHECK_NEAR(a, 1.05, 1e-5);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(many_solids_and_deep_formulas_have_gradients), CASE(optimisations_follow_them))
