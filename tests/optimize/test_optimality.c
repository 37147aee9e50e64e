/* What is reported as solved is an optimum: dependent end conditions, saddles and maxima, objectives without
 * bound. */
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/nlp/convex.h"
#include "test.h"

static ac_context *ctx;

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static bool has_entry(const ac_summary *summary, const char *part)
{
    for (int k = 0; k < summary->count; ++k)
        if (strstr(summary->entry[k].name, part)) return true;
    return false;
}

static ac_status run(const char *text, const char *setting, ac_summary *summary)
{
    ac_problem *problem = NULL;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-optimality-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return AC_IO_FAILED;
    fputs(text, file);
    fclose(file);
    memset(summary, 0, sizeof *summary);
    ac_status status = ac_problem_read(ctx, path, &setting, setting ? 1 : 0, &problem);
    remove(path);
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    ac_problem_free(problem);
    return status;
}

#define SPHERE                                                       \
    "title: a spherical pendulum with initial velocity\n"            \
    "gravity: [0, 0, -9.81]\n"                                       \
    "points:\n"                                                      \
    "  bob: {mass: 1, position: [0, 0, -1], velocity: [-1, 2, 0]}\n" \
    "joints:\n"                                                      \
    "  - {distance: [ground, bob], length: 1}\n"                     \
    "optimize:\n"                                                    \
    "  intervals: 20\n"                                              \
    "  duration: 1.5\n"                                              \
    "  controls: [{force: bob, name: tau}]\n"                        \
    "  objective: [{effort: 1}]\n"                                   \
    "  end_velocity: rest\n"
#define BY_PLACE      \
    "  conditions:\n" \
    "    - {point: centre, of: bob, place: [=sin(2)*cos(0.7), =sin(2)*sin(0.7), =-cos(2)], at: end}\n"
#define BY_ANGLES                                                                              \
    "  quantities:\n"                                                                          \
    "    a: {of: bob, point: centre, along: [=cos(2)*cos(0.7), =cos(2)*sin(0.7), =sin(2)]}\n"  \
    "    b: {of: bob, point: centre, along: [=-sin(0.7), =cos(0.7), 0]}\n"                     \
    "    c: {of: bob, point: centre, along: [=sin(2)*cos(0.7), =sin(2)*sin(0.7), =-cos(2)]}\n" \
    "  conditions:\n"                                                                          \
    "    - {expression: a, equals: 0, at: end}\n"                                              \
    "    - {expression: b, equals: 0, at: end}\n"                                              \
    "    - {expression: c, at_least: 0, at: end}\n"

/* Three equations for two freedoms. The optimum is that of two equations; the multipliers of the three are
 * not unique and not reported. */
TEST(dependent_end_conditions_have_the_optimum_of_independent_ones)
{
    static const char *const formulations[] = {"optimize.formulation=reduced",
                                               "optimize.formulation=multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_summary three, two;
        CHECK(run(SPHERE BY_PLACE, formulations[k], &three) == AC_OK);
        CHECK(run(SPHERE BY_ANGLES, formulations[k], &two) == AC_OK);
        CHECK_NEAR(summary_of(&two, "objective"), 31.2269146, 1e-6);
        CHECK_NEAR(summary_of(&three, "objective"), summary_of(&two, "objective"), 1e-7);
        CHECK(summary_of(&three, "violation") < 1e-7);
        CHECK(summary_of(&three, "optimality") < 1e-6);
        CHECK(summary_of(&three, "second_order") == 1.0);
        CHECK(!has_entry(&three, "multiplier of"));
        CHECK(has_entry(&two, "multiplier of a"));
    }
}

/* The place at the top of a circle: the gradient of its height vanishes there. */
TEST(a_place_at_the_top_of_a_circle_is_reached)
{
    static const char text[] =
        "title: a pendulum\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  bob: {mass: 1, inertia: 0.1, points: {pivot: [0, 1]}}\n"
        "joints:\n"
        "  - {revolute: [ground, bob], at: {ground: [0, 0], bob: pivot}, angle: 0, name: hinge}\n"
        "optimize:\n"
        "  intervals: 40\n"
        "  duration: 1.5\n"
        "  controls: [{joint: hinge, name: u}]\n"
        "  objective: [{effort: 1}]\n"
        "  conditions: [{point: centre, of: bob, place: [0, 1], at: end}]\n"
        "  end_velocity: rest\n";
    static const char by_angle[] = "optimize.conditions=[{joint: hinge, equals: =pi, at: end}]";
    ac_summary place, angle;
    CHECK(run(text, NULL, &place) == AC_OK);
    CHECK(run(text, by_angle, &angle) == AC_OK);
    CHECK_NEAR(summary_of(&place, "objective"), summary_of(&angle, "objective"), 1e-6);
}

#define PENDULUM(pivot, objective)                                                                   \
    "title: a pendulum\n"                                                                            \
    "gravity: [0, -9.81]\n"                                                                          \
    "planar_bodies: {bob: {mass: 1, inertia: 0.1, points: {pivot: " pivot "}}}\n"                    \
    "joints: [{revolute: [ground, bob], at: {ground: [0, 0], bob: pivot}, angle: 0, name: hinge}]\n" \
    "optimize:\n"                                                                                    \
    "  intervals: 20\n"                                                                              \
    "  duration: 1 s\n"                                                                              \
    "  controls: [{joint: hinge, name: u, limit: 1}]\n"                                              \
    "  quantities: {h: {point: centre, of: bob, along: y}}\n"                                        \
    "  objective: [" objective "]\n"

/* At the start the gradient vanishes: the worst point of all for a maximum, and for a minimum. */
TEST(stationary_points_that_are_no_optima_are_left)
{
    ac_summary highest, lowest;
    CHECK(run(PENDULUM("[0, 1]", "{end: h, maximise: true}"), NULL, &highest) == AC_OK);
    CHECK(summary_of(&highest, "objective") > -0.98);
    CHECK(summary_of(&highest, "second_order") == 1.0);
    CHECK(run(PENDULUM("[0, -1]", "{end: h}"), NULL, &lowest) == AC_OK);
    CHECK(summary_of(&lowest, "objective") < 0.63);
    CHECK(summary_of(&lowest, "second_order") == 1.0);
}

/* Two links that hang at rest, thrown as high as possible. Momenta of the start are rounding, and no measure of the units
 * in which the search that leaves the saddle sees the equations. */
TEST(a_saddle_at_rest_is_left)
{
    ac_summary summary;
    CHECK(run("title: two links\n"
              "gravity: [0, -9.81]\n"
              "planar_bodies:\n"
              "  a: {solid: {rod: {length: 1, mass: 1}}}\n"
              "  b: {solid: {rod: {length: 1, mass: 1}}}\n"
              "joints:\n"
              "  - {revolute: [ground, a], at: {a: start}, angle: -90 deg, name: s}\n"
              "  - {revolute: [a, b], at: {a: end, b: start}, angle: 0, name: e}\n"
              "optimize:\n"
              "  intervals: 20\n"
              "  duration: 1 s\n"
              "  controls: [{joint: s, name: u, limit: 5}, {joint: e, name: v, limit: 5}]\n"
              "  quantities: {h: {point: end, of: b, along: y}}\n"
              "  objective: [{end: h, maximise: true}]\n",
              NULL, &summary) == AC_OK);
    CHECK(summary_of(&summary, "objective") > 0.0);
    CHECK(summary_of(&summary, "second_order") == 1.0);
}

/* Both bounds of the torque are used in turn: what a scan over all switching times gives (20 intervals, one
 * switch) is not better. */
TEST(the_optimum_behind_the_saddle_is_no_worse_than_one_with_given_torques)
{
    static const char text[] = PENDULUM("[0, 1]", "{end: h, maximise: true}");
    ac_summary free_torque, held;
    CHECK(run(text, NULL, &free_torque) == AC_OK);
    CHECK(
        run(PENDULUM(
                "[0, 1]",
                "{end: h, maximise: true}") "  conditions: [{expression: u, at_least: 0.9, at: intervals}]\n",
            NULL, &held) == AC_OK);
    CHECK(summary_of(&free_torque, "objective") >= summary_of(&held, "objective") - 1e-9);
}

#define SLIDER(objective)                                                          \
    "title: a slider\n"                                                            \
    "planar_bodies: {b: {mass: 1, inertia: 1, points: {p: [0, 0]}}}\n"             \
    "joints: [{name: s, prismatic: [ground, b], at: {b: [0, 0]}, axis: [1, 0]}]\n" \
    "optimize:\n"                                                                  \
    "  intervals: 5\n"                                                             \
    "  duration: 1\n"                                                              \
    "  controls: [{joint: s, name: u}]\n"                                          \
    "  quantities: {x: {point: p, of: b, along: x}}\n"                             \
    "  objective: [" objective "]\n"

/* The second one is stationary at the start, where it is largest. */
TEST(objectives_without_bound_are_named)
{
    ac_summary summary;
    CHECK(run(SLIDER("{end: x, maximise: true}"), NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "no upper bound") != NULL);
    CHECK(run(SLIDER("{running: \"-u^2\"}"), NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "no lower bound") != NULL);
}

/* x^T H x on A x = 0 with H = diag(1, -1, 2): convex on x_2 = 0, not on x_1 = x_2. */
TEST(curvature_is_judged_on_the_null_space)
{
    static const int diagonal[] = {0, 1, 2}, row[] = {0, 0}, one[] = {1}, both[] = {0, 1};
    static const double H[] = {1.0, -1.0, 2.0}, a[] = {1.0}, b[] = {2.0, -1.0};
    ac_form form = {.variables = 3, .equations = 1, .hessian_entries = 3, .jacobian_entries = 1};
    ac_convexity result;
    if (!ctx) ctx = ac_context_new(NULL);
    form.hessian_row = form.hessian_column = diagonal;
    form.hessian = H;
    form.jacobian_row = row;
    form.jacobian_column = one;
    form.jacobian = a;
    CHECK(ac_form_is_convex(ctx, &form, 0.0, &result) == AC_OK && result == AC_CONVEX);
    form.jacobian_entries = 2;
    form.jacobian_column = both;
    form.jacobian = b; /* x_2 = 2 x_1: 1 - 4 < 0 */
    CHECK(ac_form_is_convex(ctx, &form, 0.0, &result) == AC_OK && result == AC_NOT_CONVEX);
    CHECK(ac_form_is_convex(ctx, &form, 0.59, &result) == AC_OK && result == AC_NOT_CONVEX);
    CHECK(ac_form_is_convex(ctx, &form, 0.61, &result) == AC_OK && result == AC_CONVEX); /* 3/5 is the edge */
}

TEST(the_end)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(dependent_end_conditions_have_the_optimum_of_independent_ones),
          CASE(a_place_at_the_top_of_a_circle_is_reached),
          CASE(stationary_points_that_are_no_optima_are_left), CASE(a_saddle_at_rest_is_left),
          CASE(the_optimum_behind_the_saddle_is_no_worse_than_one_with_given_torques),
          CASE(objectives_without_bound_are_named), CASE(curvature_is_judged_on_the_null_space),
          CASE(the_end))
