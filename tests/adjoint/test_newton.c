/* Shooting with second derivatives: products against differences of gradients, Newton and Gauss-Newton in one segment and
 * several, within bounds, away from saddles, and targets that are approached (Schubert et al. 2023, sections 2.3 and 3.3;
 * optima computed independently). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/adjoint.h"
#include "adjoint/segments.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "support/upswing.h"
#include "test.h"

/* A four-bar whose crank is driven; a running term with a rate, a term with the control. */
#define FOUR_BAR                                                                                             \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  crank: {solid: {rod: {length: 1, mass: 1}}}\n"                                                        \
    "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"                                                      \
    "  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\n"                                                   \
    "joints:\n"                                                                                              \
    "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0]}\n"                    \
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"                  \
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"                \
    "  - {name: swing, revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0]}\n" \
    "optimize:\n"                                                                                            \
    "  method: shooting\n"                                                                                   \
    "  duration: 0.6 s\n"                                                                                    \
    "  intervals: 30\n"                                                                                      \
    "  controls:\n    - {name: torque, joint: drive, guess: 3}\n"                                            \
    "  quantities:\n    phi: {joint: drive}\n    psi: {joint: swing}\n"                                      \
    "  objective:\n    - {effort: 1e-2}\n    - {running: \"0.1*phi_rate^2 + 1e-3*phi*torque\"}\n"            \
    "    - {end: \"3*(phi - 1)^2 + 0.2*psi_rate^2*cos(phi)\"}\n"

static ac_problem *read(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "problem", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

enum { MOST = 100 };

/* H v against central differences of gradients with one Richardson step, and u . H v = v . H u. */
static void check_products(const char *text, int n, double size)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    ac_optimization *o = ac_problem_optimization(problem);
    static double u[MOST], v[MOST], w[MOST], moved[MOST], g[4][MOST], Hv[MOST], Hw[MOST], near[MOST];
    double value, slope, h = 2e-3 * size;
    const double at[4] = {h, -h, 0.5 * h, -0.5 * h};
    dice d = {5};
    dice_vector(&d, n, size, u);
    dice_vector(&d, n, 1.0, v);
    dice_vector(&d, n, 1.0, w);
    ac_status status = ac_optimization_second(o, u, v, &slope, Hv);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK(ac_optimization_second(o, u, w, NULL, Hw) == AC_OK);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < n; ++i) moved[i] = u[i] + at[k] * v[i];
        CHECK(ac_optimization_gradient(o, moved, &value, g[k]) == AC_OK);
    }
    for (int i = 0; i < n; ++i)
        near[i] = (4.0 * (g[2][i] - g[3][i]) / h - (g[0][i] - g[1][i]) / (2.0 * h)) / 3.0;
    double most = largest_entry(n, Hv), error = largest_difference(n, Hv, near);
    if (!(error <= 1e-7 * most)) printf("  error of the product %.3g of %.3g\n", error, most);
    CHECK(error <= 1e-7 * most);
    CHECK_NEAR(dot(n, w, Hv), dot(n, v, Hw), 1e-10 * sqrt(dot(n, w, w) * dot(n, Hv, Hv)));
    CHECK(ac_optimization_gradient(o, u, &value, g[0]) == AC_OK);
    CHECK_NEAR(slope, dot(n, g[0], v), 1e-10 * sqrt(dot(n, g[0], g[0]) * dot(n, v, v)));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(products_agree_with_differences_of_gradients)
{
    check_products(UPSWING(40, "", ", guess: 1", UPRIGHT), 40, 3.0);
    check_products(UPSWING(40, "  scheme: trapezoidal\n", ", guess: 1", UPRIGHT), 40, 3.0);
    check_products(FOUR_BAR, 30, 2.0);
}

static ac_status shoot(const char *text, int n, const ac_shooting_settings *settings, double *u,
                       ac_shooting_outcome *outcome)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    for (int k = 0; k < n; ++k) u[k] = 1.0;
    ac_status status = ac_optimization_shoot(ac_problem_optimization(problem), settings, u, outcome);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

TEST(every_search_finds_the_upswing)
{
    static const int segments[] = {1, 4, 10};
    for (int method = AC_SHOOT_GAUSS_NEWTON; method <= AC_SHOOT_NEWTON; ++method)
        for (int k = 0; k < 3; ++k) {
            static double u[MOST];
            const ac_shooting_settings settings = {.method = (ac_shooting_method)method,
                                                   .tolerance = 1e-10,
                                                   .first_step = 1.0,
                                                   .segments = segments[k],
                                                   .max_iterations = 400};
            ac_shooting_outcome outcome = {0};
            CHECK(shoot(UPSWING(100, "", ", guess: 1", UPRIGHT), 100, &settings, u, &outcome) == AC_OK);
            printf("  %s, %d segments: %d iterations, %d simulations, %d products, J = %.10g\n",
                   method == AC_SHOOT_NEWTON ? "newton" : "gauss-newton", segments[k], outcome.iterations,
                   outcome.evaluations, outcome.products, outcome.value);
            CHECK_NEAR(outcome.value, 3.2680023e-4, 2e-10);
            CHECK(outcome.second_order == 1);
            /* least eigenvalue of the reduced Hessian: 0.36 of weight times step */
            if (method == AC_SHOOT_NEWTON) CHECK_NEAR(outcome.least_curvature, 0.36 * 1e-5 * 0.02, 3e-9);
        }
}

/* Bounds: the same point as L-BFGS finds, and the gradient vanishes where no bound holds. */
TEST(bounds_hold)
{
    static double u[2][MOST];
    ac_shooting_outcome outcome[2] = {{0}};
    for (int k = 0; k < 2; ++k) {
        const ac_shooting_settings settings = {.method = k ? AC_SHOOT_NEWTON : AC_SHOOT_LBFGS,
                                               .tolerance = 1e-9,
                                               .first_step = 1.0,
                                               .max_iterations = 4000};
        CHECK(shoot(UPSWING(25, "", ", guess: 1, limit: 7", UPRIGHT), 25, &settings, u[k], &outcome[k]) ==
              AC_OK);
        CHECK(largest_entry(25, u[k]) <= 7.0);
    }
    printf("  l-bfgs %d iterations, newton %d\n", outcome[0].iterations, outcome[1].iterations);
    CHECK_NEAR(outcome[0].value, outcome[1].value, 1e-5 * outcome[0].value);
    CHECK(outcome[1].iterations < outcome[0].iterations);
}

/* A body that hangs at rest, with the guess u = 0, is stationary for any function of the height y of its end. Where the height counts
 * more than its effort it is the highest value of the objective, else the lowest: every method of shooting tells one from the other. */
TEST(every_method_tells_a_minimum_from_another_stationary_point)
{
    static const ac_shooting_method methods[] = {AC_SHOOT_LBFGS, AC_SHOOT_BB1, AC_SHOOT_BB2,
                                                 AC_SHOOT_GAUSS_NEWTON, AC_SHOOT_NEWTON};
    dice d = {77};
    for (int k = 0; k < 40; ++k) {
        double length = dice_between(&d, 0.3, 2.0), mass = dice_between(&d, 0.5, 3.0), u[12] = {0};
        const bool lifted = k / 5 % 2 == 0;
        char text[900];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\n"
                 "planar_bodies: {rod: {solid: {rod: {length: %.17g, mass: %.17g}}}}\n"
                 "joints: [{revolute: [ground, rod], at: {rod: start}, angle: =-pi/2, name: j}]\n"
                 "optimize:\n  intervals: 12\n  duration: %.17g\n  method: shooting\n"
                 "  controls: [{joint: j, name: u, limit: %.17g}]\n"
                 "  quantities: {y: {of: rod, point: end, along: y}}\n"
                 "  objective: [{end: y, maximise: %s}, {effort: %.17g}]\n",
                 length, mass, dice_between(&d, 0.4, 1.2), 20.0 * mass * length, lifted ? "true" : "false",
                 1e-4 / (mass * mass * length));
        const ac_shooting_settings settings = {
            .method = methods[k % 5], .tolerance = 1e-7, .first_step = 1.0, .max_iterations = 3000};
        ac_shooting_outcome outcome = {0};
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = read(ctx, text);
        ac_status status = ac_optimization_shoot(ac_problem_optimization(problem), &settings, u, &outcome);
        if (status == AC_OK) CHECK(outcome.second_order == 1);
        if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
        CHECK(status == AC_OK || status == AC_NOT_CONVERGED);
        if (lifted) CHECK(outcome.value < length - 1e-3 && outcome.saddles_left >= 1);
        if (!lifted) CHECK_NEAR(outcome.value, -length, 1e-12);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* The start itself is a stationary point: hanging, no torque, target hanging; with a negative weight of the angle it is a
 * saddle, which Newton leaves. */
TEST(saddles_are_left)
{
    static double u[MOST];
    static const char text[] = UPSWING(20, "", ", guess: 1",
                                       "    - {end: \"0.05*(y + 1) - 0.3*x^2 + 0.3*x^4\"}\n");
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    const ac_shooting_settings settings = {
        .method = AC_SHOOT_NEWTON, .tolerance = 1e-10, .first_step = 1.0, .max_iterations = 300};
    ac_shooting_outcome outcome = {0};
    ac_status status = ac_optimization_shoot(ac_problem_optimization(problem), &settings, u, &outcome);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK(outcome.saddles_left >= 1);
    CHECK(outcome.second_order == 1);
    CHECK(outcome.value < -0.01);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Remark 1: with half of the way each time, the distance of the momentum halves from stage to stage, and the end is that
 * of the whole problem. */
TEST(a_target_is_approached)
{
    static double u[2][MOST];
    ac_shooting_outcome outcome[2] = {{0}};
    const ac_shooting_settings settings = {
        .method = AC_SHOOT_NEWTON, .tolerance = 1e-10, .first_step = 1.0, .max_iterations = 2000};
    CHECK(shoot(UPSWING(100, "  method: shooting\n", ", guess: 1",
                        "    - {end: \"500*(x^2 + (y - 1)^2)\"}\n"
                        "  approach: {quantity: phi_rate, target: 0, weight: 0.01, tolerance: 0.05}\n"),
                100, &settings, u[0], &outcome[0]) == AC_OK);
    printf("  %d stages, %d iterations, J = %.10g\n", outcome[0].stages, outcome[0].iterations,
           outcome[0].value);
    CHECK(outcome[0].stages >= 3);
    /* the same problem with the target at once, from the controls found: nothing is left to do */
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, UPSWING(100, "", ", guess: 1", UPRIGHT));
    double value, g[MOST];
    CHECK(ac_optimization_gradient(ac_problem_optimization(problem), u[0], &value, g) == AC_OK);
    CHECK_NEAR(value, outcome[0].value, 1e-12);
    CHECK(largest_entry(100, g) <= 1e-10);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(what_cannot_be_done_is_refused)
{
    static double u[MOST];
    ac_shooting_outcome outcome = {0};
    const ac_shooting_settings
        first = {.segments = 4, .tolerance = 1e-8, .first_step = 1.0, .max_iterations = 1},
        many = {.method = AC_SHOOT_NEWTON,
                .segments = 200,
                .tolerance = 1e-8,
                .first_step = 1.0,
                .max_iterations = 1},
        few = {.method = AC_SHOOT_NEWTON, .tolerance = 1e-10, .first_step = 1.0, .max_iterations = 3};
    const char *text = UPSWING(100, "", ", guess: 1", UPRIGHT);
    CHECK(shoot(text, 100, &first, u, &outcome) == AC_BAD_INPUT);
    CHECK(shoot(text, 100, &many, u, &outcome) == AC_BAD_INPUT);
    CHECK(shoot(text, 100, &few, u, &outcome) == AC_NOT_CONVERGED);
}

/* The adjoint variable at t = 0 from the gradient: dJ/du_n = h (R u_n + (lambda_n + lambda_n+1)/2), extrapolated. */
static double adjoint_at_start(const char *text, int n)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    double value, *g = malloc((size_t)n * sizeof *g), h = 2.0 / n;
    CHECK(ac_optimization_gradient(ac_problem_optimization(problem), NULL, &value, g) == AC_OK);
    double first = g[0] / h - 1e-5, second = g[1] / h - 1e-5;
    free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return 1.5 * first - 0.5 * second;
}

/* u = 1, hanging start: the adjoint is that of the continuous problem (Pontryagin) to second order. Values of the limit with
 * h = 1e-5, computed independently (tables of sections 2.3 and 3.3). */
TEST(the_adjoint_converges_with_order_two)
{
    const double limits[2] = {8.856935e-4, 39.73392749};
    for (int k = 0; k < 2; ++k) {
        const double found[3] = {
            adjoint_at_start(
                k ? UPSWING(200, "", ", guess: 1", ANGLE) : UPSWING(200, "", ", guess: 1", UPRIGHT), 200),
            adjoint_at_start(
                k ? UPSWING(400, "", ", guess: 1", ANGLE) : UPSWING(400, "", ", guess: 1", UPRIGHT), 400),
            adjoint_at_start(
                k ? UPSWING(800, "", ", guess: 1", ANGLE) : UPSWING(800, "", ", guess: 1", UPRIGHT), 800)};
        double order = log2((found[0] - limits[k]) / (found[1] - limits[k])),
               next = log2((found[1] - limits[k]) / (found[2] - limits[k]));
        printf("  lambda(0) = %.9g, %.9g, %.9g; order %.3f, %.3f\n", found[0], found[1], found[2], order,
               next);
        CHECK(order > 1.9 && order < 2.1 && next > 1.9 && next < 2.1);
    }
}

RUN_TESTS(CASE(the_adjoint_converges_with_order_two), CASE(products_agree_with_differences_of_gradients),
          CASE(every_search_finds_the_upswing), CASE(bounds_hold), CASE(saddles_are_left),
          CASE(every_method_tells_a_minimum_from_another_stationary_point), CASE(a_target_is_approached),
          CASE(what_cannot_be_done_is_refused))
