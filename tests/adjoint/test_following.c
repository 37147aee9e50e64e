/* The value of a functional that a run prints is that of its gradient: in every scheme and formulation, with angles that are counted on
 * over several turns, jumps of loads, rates at both ends, and steps whose length is an unknown. */
#include <stdlib.h>

#include "actio/actio.h"
#include "support/gradients.h"

#define TURNING(simulate)                                                                                 \
    "gravity: [0, -9.81]\n"                                                                               \
    "planar_bodies: {a: {solid: {rod: {length: 1, mass: 1}}}, b: {solid: {rod: {length: 0.4, mass: "      \
    "0.3}}}}\n"                                                                                           \
    "joints:\n"                                                                                           \
    "  - {name: hinge, revolute: [ground, a], at: {a: start}, angle: 3, angle_rate: 12}\n"                \
    "  - {name: elbow, revolute: [a, b], at: {a: end, b: start}, angle: 0.3}\n" simulate                  \
    "  quantities: {x: {joint: hinge}, y: {joint: elbow}, e: {energy: system}, s: {signal: =sin(3*t)}}\n" \
    "  functional: [{start: x_rate*y}, {running: (x - s)^2*t/T + x_rate*y_rate + 0.1*e}, {end: x_rate + " \
    "e*x*t}, {duration: 3}]\n"
#define LOAD "loads: [{joint: elbow, value: =step(t - 0.213)}]\n"
#define STEPS "simulate:\n  step: 10 ms\n  duration: 1.5 s\n"

static double value_of_run(ac_context *ctx, const ac_problem *problem)
{
    ac_summary *summary = calloc(1, sizeof *summary);
    double value = NAN;
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, summary) == AC_OK);
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, "functional") == 0) value = summary->entry[k].value;
    free(summary);
    return value;
}

static void check(const char *text, const char *scheme, const char *formulation)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, text, scheme, formulation);
    ac_gradient *gradient = NULL;
    double value = NAN;
    CHECK(problem && ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_OK);
    CHECK(gradient && ac_gradient_run(gradient, &value) == AC_OK);
    double run = value_of_run(ctx, problem);
    if (!(fabs(run - value) <= 1e-12 * fabs(value)))
        printf("  %s, %s: run %.15g, gradient %.15g\n", scheme, formulation, run, value);
    CHECK(fabs(run - value) <= 1e-12 * fabs(value));
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(runs_have_the_value_of_the_gradient)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum", "auto"},
                             *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int s = 0; s < 4; ++s)
        for (int f = 0; f < 3; ++f) check(TURNING(LOAD STEPS), schemes[s], formulations[f]);
    check(TURNING(STEPS), "trapezoidal", "minimal");
    check(TURNING(STEPS "  free_step: true\n"), "midpoint", "reduced");
}

/* A run takes energy-momentum where the forces of the joints make midpoint unstable; the gradient is that of the same motion. */
TEST(the_gradient_has_the_scheme_of_the_run)
{
    check(
        "parameters: {m: 0.3}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  l0: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l1: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l2: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l3: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l4: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l5: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l6: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  l7: {solid: {rod: {length: 0.1, mass: 0.01}}}\n"
        "  c: {solid: {sphere: {radius: 0.1, mass: =m}}}\n"
        "joints:\n"
        "  - {name: hinge, revolute: [ground, l0], at: {l0: start}, angle: -1.5}\n"
        "  - {revolute: [l0, l1], at: {l0: end, l1: start}, angle: 0.001}\n"
        "  - {revolute: [l1, l2], at: {l1: end, l2: start}, angle: 0.001}\n"
        "  - {revolute: [l2, l3], at: {l2: end, l3: start}, angle: 0.001}\n"
        "  - {revolute: [l3, l4], at: {l3: end, l4: start}, angle: 0.001}\n"
        "  - {revolute: [l4, l5], at: {l4: end, l5: start}, angle: 0.001}\n"
        "  - {revolute: [l5, l6], at: {l5: end, l6: start}, angle: 0.001}\n"
        "  - {revolute: [l6, l7], at: {l6: end, l7: start}, angle: 0.001}\n"
        "  - {revolute: [l7, c], at: {l7: end, c: origin}}\n"
        "simulate: {step: 20 ms, steps: 20, quantities: {x: {joint: hinge}}, functional: [{running: x^2}]}\n",
        "auto", "auto");
}

RUN_TESTS(CASE(runs_have_the_value_of_the_gradient), CASE(the_gradient_has_the_scheme_of_the_run))
