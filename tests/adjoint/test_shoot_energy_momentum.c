/* Shooting with the energy-momentum scheme, which has no discrete action and is not transcribed: gradients, optima, what is recorded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/adjoint.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "test.h"

enum { MOST = 120 };

#define SHOT "  method: shooting\n  scheme: energy-momentum\n"

/* A rod that hangs and is turned to the side, at rest at the end. */
#define ROD(intervals, scheme)                                                                          \
    "gravity: [0, 0, -9.81]\n"                                                                          \
    "bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}\n"                                             \
    "joints: [{name: hinge, revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0], angle: 1.5}]\n" \
    "optimize:\n"                                                                                       \
    "  intervals: " #intervals "\n"                                                                     \
    "  duration: 1\n" scheme "  controls: [{name: u, joint: hinge, guess: 0.5}]\n"                      \
    "  quantities: {phi: {joint: hinge}, all: {energy: system}}\n"                                      \
    "  objective: [{effort: 1e-2}, {end: \"(phi - 0.5)^2 + phi_rate^2\"}]\n"

#define FOUR_BAR                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                       \
    "bodies:\n"                                                                                      \
    "  crank: {solid: {rod: {length: 0.5, mass: 1}}}\n"                                              \
    "  coupler: {solid: {rod: {length: 1.2, mass: 2}}}\n"                                            \
    "  rocker: {solid: {rod: {length: 0.9, mass: 1}}}\n"                                             \
    "joints:\n"                                                                                      \
    "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: -1}\n" \
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"          \
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, 0]}\n"          \
    "  - {revolute: [ground, rocker], at: {ground: [1.1, 0, 0], rocker: start}, axis: [0, 1, 0]}\n"  \
    "optimize:\n"                                                                                    \
    "  intervals: 20\n"                                                                              \
    "  duration: 0.4\n" SHOT "  controls: [{name: u, joint: drive, guess: 2}]\n"                     \
    "  quantities: {turned: {joint: drive}, moving: {kinetic_energy: system}}\n"                     \
    "  objective: [{effort: 1e-2}, {running: \"turned^2\"}, {end: \"moving + turned_rate^2\"}]\n"

#define ARM                                                                                     \
    "beams:\n"                                                                                  \
    "  arm: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 3, "          \
    "section: {circle: {radius: 1 cm}}, material: {young: 1e8, poisson: 0.3, density: 1000}}\n" \
    "joints: [{name: hub, revolute: [ground, arm.start], axis: [0, 0, 1]}]\n"                   \
    "optimize:\n"                                                                               \
    "  intervals: 20\n"                                                                         \
    "  duration: 1\n" SHOT "  controls: [{name: u, joint: hub, guess: 0.1}]\n"                  \
    "  quantities:\n"                                                                           \
    "    hub: {joint: hub}\n"                                                                   \
    "    tip: {of: arm.end, point: origin, along: y}\n"                                         \
    "  objective: [{effort: 1}, {end: \"10*(hub - 1)^2 + 10*(tip - 0.84)^2 + tip_rate^2\"}]\n"

static ac_problem *read(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "shot", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

/* First and second derivatives along a direction against differences of the objective and of its gradient. */
static void compare(const char *text, double size)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    ac_optimization *o = ac_problem_optimization(problem);
    const int count = ac_optimization_intervals(o);
    double u[MOST], moved[MOST], along[MOST], g[MOST], up[MOST], down[MOST], product[MOST], value, high, low,
        slope, sum = 0.0, h = 1e-4;
    dice d = {3};
    dice_vector(&d, count, size, u);
    dice_vector(&d, count, size, along);
    CHECK(ac_optimization_second(o, u, along, &slope, product) == AC_OK);
    CHECK(ac_optimization_gradient(o, u, &value, g) == AC_OK);
    for (int k = 0; k < count; ++k) moved[k] = u[k] + h * along[k];
    CHECK(ac_optimization_gradient(o, moved, &high, up) == AC_OK);
    for (int k = 0; k < count; ++k) moved[k] = u[k] - h * along[k];
    CHECK(ac_optimization_gradient(o, moved, &low, down) == AC_OK);
    for (int k = 0; k < count; ++k) {
        sum += g[k] * along[k];
        up[k] = (up[k] - down[k]) / (2.0 * h);
    }
    CHECK_NEAR(sum, (high - low) / (2.0 * h), 1e-7 * largest_entry(count, g) * count);
    CHECK_NEAR(sum, slope, 1e-11 * largest_entry(count, g) * count);
    CHECK(largest_difference(count, product, up) <= 1e-6 * largest_entry(count, product));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(derivatives_agree_with_differences)
{
    compare(ROD(30, SHOT), 1.0);
    compare(FOUR_BAR, 1.0);
    compare(ARM, 0.05);
}

static double optimum(const char *text, ac_shooting_method method, int segments, double *energies)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    ac_optimization *o = ac_problem_optimization(problem);
    const ac_shooting_settings settings = {
        .method = method, .tolerance = 1e-9, .first_step = 1.0, .max_iterations = 1000, .segments = segments};
    ac_shooting_outcome outcome = {0};
    double u[MOST];
    ac_optimization_guessed_controls(o, u);
    ac_status status = ac_optimization_shoot(o, &settings, u, &outcome);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    for (int n = 0; energies && n <= ac_optimization_intervals(o); ++n)
        energies[n] = ac_optimization_quantity_value(o, 1, n);
    CHECK_NEAR(ac_optimization_result(o)->objective, outcome.value, 1e-15);
    CHECK(ac_optimization_result(o)->violation <= 1e-12);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return outcome.value;
}

TEST(every_search_finds_the_optimum)
{
    const double newton = optimum(ROD(30, SHOT), AC_SHOOT_NEWTON, 1, NULL);
    printf("  objective %.12g\n", newton);
    CHECK_NEAR(optimum(ROD(30, SHOT), AC_SHOOT_GAUSS_NEWTON, 1, NULL), newton, 1e-12);
    CHECK_NEAR(optimum(ROD(30, SHOT), AC_SHOOT_LBFGS, 1, NULL), newton, 1e-12);
    CHECK_NEAR(optimum(ROD(30, SHOT), AC_SHOOT_NEWTON, 3, NULL), newton, 1e-12);
}

/* A rod that begins at rest has momenta of the size of rounding, which are no measure of gaps. */
#define HANGING                                                                                            \
    "gravity: [0, 0, -9.81]\n"                                                                             \
    "bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}\n"                                                \
    "joints: [{name: hinge, revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0], angle: 90 deg}]\n" \
    "optimize:\n"                                                                                          \
    "  intervals: 30\n"                                                                                    \
    "  duration: 1\n" SHOT "  controls: [{name: u, joint: hinge}]\n"                                       \
    "  quantities: {phi: {joint: hinge}}\n"                                                                \
    "  objective: [{effort: 1e-2}, {end: \"(phi - 0.5)^2 + phi_rate^2\"}]\n"

TEST(segments_begin_at_rest)
{
    CHECK_NEAR(optimum(HANGING, AC_SHOOT_NEWTON, 4, NULL), optimum(HANGING, AC_SHOOT_NEWTON, 1, NULL), 1e-12);
}

/* Both schemes have order two, so their optima approach each other with the square of the step. */
TEST(optima_approach_those_of_midpoint)
{
    const double coarse = optimum(ROD(30, SHOT), AC_SHOOT_NEWTON, 1, NULL) -
                          optimum(ROD(30, "  method: shooting\n"), AC_SHOOT_NEWTON, 1, NULL),
                 half = optimum(ROD(60, SHOT), AC_SHOOT_NEWTON, 1, NULL) -
                        optimum(ROD(60, "  method: shooting\n"), AC_SHOOT_NEWTON, 1, NULL),
                 fine = optimum(ROD(120, SHOT), AC_SHOOT_NEWTON, 1, NULL) -
                        optimum(ROD(120, "  method: shooting\n"), AC_SHOOT_NEWTON, 1, NULL);
    printf("  differences %.3g, %.3g, %.3g: orders %.3f, %.3f\n", coarse, half, fine, log2(coarse / half),
           log2(half / fine));
    CHECK(fabs(coarse) > 1e-5);
    CHECK_NEAR(log2(half / fine), 2.0, 0.05);
}

/* The energy that is recorded is that of the scheme: without torque it stays. At the end it is that of the velocity that the joint
 * permits, which the objective has. */
TEST(the_energy_of_the_nodes_is_that_of_the_scheme)
{
    const char *text = ROD(30, SHOT "  max_iterations: 100\n");
    char free_of[2000], *at;
    double energies[MOST];
    snprintf(free_of, sizeof free_of, "%s", text);
    at = strstr(free_of, "guess: 0.5");
    memcpy(at, "limit: 0.0", strlen("limit: 0.0"));
    optimum(free_of, AC_SHOOT_NEWTON, 1, energies);
    CHECK(fabs(energies[0]) > 1.0);
    for (int n = 1; n < 30; ++n) CHECK_NEAR(energies[n], energies[0], 1e-12);
    CHECK_NEAR(energies[30], energies[0], 1e-8);
}

TEST(transcription_refuses)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, ROD(30, SHOT));
    ac_optimization *o = ac_problem_optimization(problem);
    double differences[3];
    int dependent;
    char name[128];
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "solve by shooting"));
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_BAD_INPUT);
    ac_problem_free(problem);
    const char *text = ROD(30, "  scheme: energy-momentum\n");
    CHECK(ac_problem_parse(ctx, "shot", text, strlen(text), NULL, 0, &problem) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "shot:7:11") &&
          strstr(ac_context_message(ctx), "add method: shooting"));
    ac_context_free(ctx);
}

RUN_TESTS(CASE(derivatives_agree_with_differences), CASE(every_search_finds_the_optimum),
          CASE(segments_begin_at_rest), CASE(optima_approach_those_of_midpoint),
          CASE(the_energy_of_the_nodes_is_that_of_the_scheme), CASE(transcription_refuses))
