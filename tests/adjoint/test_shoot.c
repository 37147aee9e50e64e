/* Shooting: gradients by the controls against differences, and the published upswing of a pendulum as a constrained
 * system (Schubert et al. 2023, section 3.3; optima computed independently). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/adjoint.h"
#include "optimize/problem/optimization.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "support/upswing.h"
#include "test.h"

static ac_problem *read(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "pendulum", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

TEST(gradients_by_controls_agree_with_differences)
{
    enum { N = 40 };
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, UPSWING(40, "", ", guess: 1", UPRIGHT));
    ac_optimization *o = ac_problem_optimization(problem);
    double u[N], g[N], value;
    dice d = {5};
    dice_vector(&d, N, 3.0, u);
    CHECK(ac_optimization_gradient(o, u, &value, g) == AC_OK);
    for (int k = 0; k < N; k += 13) {
        double h = 1e-3, up, down, kept = u[k];
        u[k] = kept + h;
        CHECK(ac_optimization_gradient(o, u, &up, NULL) == AC_OK);
        u[k] = kept - h;
        CHECK(ac_optimization_gradient(o, u, &down, NULL) == AC_OK);
        u[k] = kept;
        CHECK_NEAR((up - down) / (2.0 * h), g[k], 1e-6 * largest_entry(N, g));
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static double shoot(const char *text, int n, ac_shooting_method method, int iterations, double tolerance,
                    double *u, ac_shooting_outcome *outcome)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read(ctx, text);
    const ac_shooting_settings settings = {
        .method = method, .tolerance = tolerance, .first_step = 1.0, .max_iterations = iterations};
    for (int k = 0; k < n; ++k) u[k] = 1.0;
    ac_status status = ac_optimization_shoot(ac_problem_optimization(problem), &settings, u, outcome);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    ac_context_free(ctx);
    return outcome->value;
}

TEST(the_upswing_has_its_optimum)
{
    static double u[100];
    ac_shooting_outcome outcome = {0};
    double value = shoot(UPSWING(100, "", ", guess: 1", UPRIGHT), 100, AC_SHOOT_LBFGS, 4000, 1e-10, u,
                         &outcome),
           sum = 0.0;
    for (int k = 0; k < 100; ++k) sum += 0.02 * u[k] * u[k];
    printf("  %d iterations, J = %.10g, effort %.8g, gradient %.3g\n", outcome.iterations, value, sum,
           outcome.gradient);
    CHECK_NEAR(value, 3.2680023e-4, 2e-10);
    CHECK_NEAR(sum, 65.29126, 2e-4);
}

enum { FEW = 20, COORDINATES = 4 };

/* Adjoint variables of the pendulum under a given torque. */
static void adjoint_variables(const char *formulation, double by[FEW + 1][COORDINATES])
{
    ac_context *ctx = ac_context_new(NULL);
    char setting[64] = "optimize.formulation=reduced";
    const char *settings[] = {setting};
    const char *text = UPSWING(20, "", ", guess: 3, low: 3, high: 3", UPRIGHT);
    ac_problem *problem = NULL;
    ac_shooting_outcome outcome = {0};
    const ac_shooting_settings shooting = {.tolerance = 1e-12, .first_step = 1.0};
    double u[FEW];
    if (formulation) snprintf(setting, sizeof setting, "optimize.formulation=%s", formulation);
    CHECK(ac_problem_parse(ctx, "pendulum", text, strlen(text), settings, 1, &problem) == AC_OK);
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(!ac_optimization_adjoint(o, 0, by[0])); /* nothing is solved yet */
    for (int k = 0; k < FEW; ++k) u[k] = 3.0;
    ac_status status = formulation ? ac_optimization_solve(o, NULL, NULL)
                                   : ac_optimization_shoot(o, &shooting, u, &outcome);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    for (int k = 0; k <= FEW; ++k) CHECK(ac_optimization_adjoint(o, k, by[k]));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The sweep gives the multipliers of the equations of motion, whatever the formulation. */
TEST(adjoint_variables_are_multipliers)
{
    static const char *const formulations[] = {"reduced", "multipliers"};
    double swept[FEW + 1][COORDINATES], other[FEW + 1][COORDINATES];
    int count = (FEW + 1) * COORDINATES;
    adjoint_variables(NULL, swept);
    CHECK(largest_entry(count, swept[0]) > 1e-3);
    for (int f = 0; f < 2; ++f) {
        adjoint_variables(formulations[f], other);
        CHECK(largest_difference(count, swept[0], other[0]) <= 1e-9 * largest_entry(count, swept[0]));
    }
}

enum { SOME = 40, STOP = 9, MEMORY = 2000 };

typedef struct stopped {
    int size;
    double controls[SOME], search[MEMORY];
} stopped;

static int stop_and_keep(void *user, const ac_shooting_progress *now)
{
    stopped *s = user;
    if (now->iteration < STOP) return 0;
    CHECK(now->search && now->search_size <= MEMORY);
    s->size = now->search_size;
    memcpy(s->controls, now->controls, sizeof s->controls);
    memcpy(s->search, now->search, (size_t)now->search_size * sizeof *s->search);
    return 1;
}

/* A search that goes on takes the steps that it would have taken. */
TEST(a_search_goes_on_as_if_it_had_not_stopped)
{
    static const ac_shooting_method methods[] = {AC_SHOOT_LBFGS, AC_SHOOT_BB1, AC_SHOOT_BB2,
                                                 AC_SHOOT_GAUSS_NEWTON, AC_SHOOT_NEWTON};
    static stopped s;
    for (int m = 0; m < 5; ++m) {
        double whole[SOME], parts[SOME];
        ac_shooting_outcome outcome[2] = {{0}};
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = read(ctx, UPSWING(40, "", ", guess: 1, limit: 9", UPRIGHT));
        ac_optimization *o = ac_problem_optimization(problem);
        ac_shooting_settings settings = {
            .method = methods[m], .tolerance = 1e-12, .first_step = 1.0, .max_iterations = 25};
        for (int k = 0; k < SOME; ++k) whole[k] = parts[k] = 1.0;
        CHECK(ac_optimization_shoot(o, &settings, whole, &outcome[0]) == AC_NOT_CONVERGED);
        settings.progress = stop_and_keep;
        settings.user = &s;
        CHECK(ac_optimization_shoot(o, &settings, parts, &outcome[1]) == AC_INTERRUPTED);
        CHECK(!o->layout.jacobian.frozen); /* an interrupted run ends without work on derivatives */
        settings.progress = NULL;
        settings.search = s.search;
        settings.search_size = s.size;
        memcpy(parts, s.controls, sizeof parts);
        CHECK(ac_optimization_shoot(o, &settings, parts, &outcome[1]) == AC_NOT_CONVERGED);
        CHECK(outcome[1].iterations == outcome[0].iterations && outcome[1].value == outcome[0].value);
        CHECK(memcmp(whole, parts, sizeof whole) == 0);
        settings.method = methods[(m + 1) % 5];
        CHECK(ac_optimization_shoot(o, &settings, parts, &outcome[1]) == AC_BAD_INPUT);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

typedef struct stopping { /* at an iteration of the whole search */
    int at, size;
    double controls[SOME], *search;
} stopping;

static int stop_there(void *user, const ac_shooting_progress *now)
{
    stopping *s = user;
    if (now->iteration < s->at) return 0;
    CHECK(now->search != NULL);
    s->size = now->search_size;
    s->search = malloc((size_t)s->size * sizeof *s->search);
    memcpy(s->controls, now->controls, sizeof s->controls);
    memcpy(s->search, now->search, (size_t)s->size * sizeof *s->search);
    return 1;
}

#define PLACE "    - {end: \"500*(x^2 + (y - 1)^2)\"}\n"
#define APPROACH "  approach: {quantity: phi_rate, target: 0, weight: 0.01, tolerance: 0.5}\n"

/* A problem of its own for each: a search in segments begins with the motion that the problem knows. */
static ac_status shoot_once(const char *approach, const ac_shooting_settings *settings, double *u,
                            ac_shooting_outcome *outcome)
{
    ac_context *ctx = ac_context_new(NULL);
    char text[2000];
    snprintf(text, sizeof text, "%s%s", UPSWING(40, "  method: shooting\n", ", guess: 1", PLACE), approach);
    ac_problem *problem = read(ctx, text);
    *outcome = (ac_shooting_outcome){0};
    ac_status status = ac_optimization_shoot(ac_problem_optimization(problem), settings, u, outcome);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

/* Stopped at an iteration, then to the end: the same steps, iterations and products as without. */
static void stop_and_go_on(const char *approach, const ac_shooting_settings *given, int at,
                           const double *whole, const ac_shooting_outcome *expected)
{
    ac_shooting_settings settings = *given;
    ac_shooting_outcome outcome;
    stopping s = {.at = at};
    double parts[SOME];
    for (int k = 0; k < SOME; ++k) parts[k] = 1.0;
    settings.progress = stop_there;
    settings.user = &s;
    CHECK(shoot_once(approach, &settings, parts, &outcome) == AC_INTERRUPTED);
    settings.progress = NULL;
    settings.search = s.search;
    settings.search_size = s.size;
    memcpy(parts, s.controls, sizeof parts);
    CHECK(shoot_once(approach, &settings, parts, &outcome) == AC_OK);
    CHECK(memcmp(whole, parts, sizeof parts) == 0 && outcome.value == expected->value);
    CHECK(outcome.iterations == expected->iterations && outcome.products == expected->products);
    CHECK(outcome.stages == expected->stages && outcome.saddles_left == expected->saddles_left);
    settings.search_size = 3;
    CHECK(shoot_once(approach, &settings, parts, &outcome) == AC_BAD_INPUT);
    free(s.search);
}

/* Segments, then one; stages of an approach; both: whichever of these searches is in hand when it is stopped. */
TEST(searches_of_several_parts_go_on)
{
    static const struct {
        const char *approach;
        ac_shooting_method method;
        int segments;
        double tolerance;
    } cases[] = {{"", AC_SHOOT_NEWTON, 4, 1e-7},
                 {APPROACH, AC_SHOOT_NEWTON, 1, 1e-7},
                 {APPROACH, AC_SHOOT_GAUSS_NEWTON, 3, 1e-7},
                 {APPROACH, AC_SHOOT_LBFGS, 1, 3e-6}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double whole[SOME];
        ac_shooting_outcome outcome;
        const ac_shooting_settings settings = {.method = cases[c].method,
                                               .tolerance = cases[c].tolerance,
                                               .first_step = 1.0,
                                               .max_iterations = 2000,
                                               .segments = cases[c].segments};
        for (int k = 0; k < SOME; ++k) whole[k] = 1.0;
        CHECK(shoot_once(cases[c].approach, &settings, whole, &outcome) == AC_OK);
        CHECK(*cases[c].approach == '\0' || outcome.stages > 2);
        const int most = outcome.iterations, stops[] = {3, most / 2, most - 1};
        for (size_t k = 0; k < sizeof stops / sizeof *stops; ++k)
            stop_and_go_on(cases[c].approach, &settings, stops[k], whole, &outcome);
    }
}

/* An arm of two links within bounds of its torques: segments must not keep the search from the optimum that one part finds. */
TEST(segments_find_the_optimum_of_one_part)
{
    static const char ARM[] =
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  a: {solid: {rod: {length: 0.5, mass: 1}}}\n"
        "  b: {solid: {rod: {length: 0.4, mass: 0.7}}}\n"
        "joints:\n"
        "  - {name: j1, revolute: [ground, a], at: {a: start}, angle: -1.2}\n"
        "  - {name: j2, revolute: [a, b], at: {a: end, b: start}, angle: 0.4}\n"
        "springs: [{joint: j2, stiffness: 2, damping: 0.1, rest: 0}]\n"
        "optimize:\n"
        "  method: shooting\n"
        "  intervals: 60\n"
        "  duration: 0.8\n"
        "  controls: [{joint: j1, name: u1, low: -6, high: 9}, {joint: j2, name: u2, limit: 3}]\n"
        "  quantities:\n"
        "    x: {point: end, of: b, along: x}\n"
        "    y: {point: end, of: b, along: y}\n"
        "  objective:\n"
        "    - {effort: 0.05}\n"
        "    - {end: \"200*((x-0.6)^2 + (y-0.3)^2) + 5*x_rate^2 + 5*y_rate^2\"}\n"
        "    - {running: 0.3*x_rate^2}\n";
    ac_shooting_outcome outcome[2];
    for (int k = 0; k < 2; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = read(ctx, ARM);
        double u[120] = {0.0};
        const ac_shooting_settings settings = {.method = AC_SHOOT_NEWTON,
                                               .tolerance = 1e-9,
                                               .first_step = 1.0,
                                               .max_iterations = 200,
                                               .segments = k == 0 ? 1 : 4};
        outcome[k] = (ac_shooting_outcome){0};
        CHECK(ac_optimization_shoot(ac_problem_optimization(problem), &settings, u, &outcome[k]) == AC_OK);
        CHECK(outcome[k].gradient <= 1e-9 && outcome[k].second_order == 1);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    CHECK_NEAR(outcome[1].value, outcome[0].value, 1e-10);
}

RUN_TESTS(CASE(segments_find_the_optimum_of_one_part), CASE(a_search_goes_on_as_if_it_had_not_stopped),
          CASE(searches_of_several_parts_go_on), CASE(adjoint_variables_are_multipliers),
          CASE(gradients_by_controls_agree_with_differences), CASE(the_upswing_has_its_optimum))
