/* Runs of a certification: the same measure as the file read with these parameters, the same bits in any order. */
#include "actio/actio.h"
#include "task/certify/runner.h"
#include "test.h"

static const char text[] = "parameters: {length: 1, push: 0.5, goal: =2*length}\n"
                           "gravity: [0, -9.81]\n"
                           "planar_bodies:\n"
                           "  rod: {solid: {rod: {length: =length, mass: 1}}, points: {tip: [=length, 0]}}\n"
                           "joints:\n"
                           "  - {revolute: [ground, rod], at: {ground: [0, 0], rod: [0, 0]}, angle: =-pi/2, "
                           "angle_rate: =push, name: pin}\n"
                           "loads: [{name: wind, on: rod, force: [0, 0]}]\n"
                           "certify:\n"
                           "  simulate: {step: 10 ms, steps: 30}\n"
                           "  inputs:\n"
                           "    length: {relative: 0.2}\n"
                           "    push: {from: 0, to: 1}\n"
                           "    gust: {load: wind, along: x, within: 1, each_interval: true}\n"
                           "  quantities: {tip_x: {point: tip, of: rod, along: x}}\n"
                           "  measure: tip_x - goal\n"
                           "  at_most: 0\n";

enum { STEPS = 30, INPUTS = 2 + STEPS };

static ac_problem *parse(ac_context *ctx, const char *const *settings, int count)
{
    ac_problem *problem = NULL;
    CHECK(ac_problem_parse(ctx, "test", text, sizeof text - 1, settings, count, &problem) == AC_OK);
    return problem;
}

/* The tip at the end, of the file read again, without wind: centre plus half of the length. */
static double measure_of(ac_context *ctx, double length, double push)
{
    char first[64], second[64];
    const char *const settings[] = {first, second};
    snprintf(first, sizeof first, "parameters.length=%.17g", length);
    snprintf(second, sizeof second, "parameters.push=%.17g", push);
    ac_problem *problem = parse(ctx, settings, 2);
    ac_simulation *simulation = NULL;
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), &ac_problem_certification(problem)->simulation,
                            &simulation) == AC_OK);
    for (int n = 0; n < STEPS; ++n) CHECK(ac_simulation_step(simulation) == AC_OK);
    const double *q = ac_simulation_configuration(simulation);
    double measure = q[0] + 0.5 * length * q[2] - 2 * length;
    ac_simulation_free(simulation);
    ac_problem_free(problem);
    return measure;
}

TEST(a_run_is_that_of_the_file_with_these_parameters)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, NULL, 0);
    ac_runner *runner = NULL;
    CHECK(ac_problem_certification(problem)->input_count == INPUTS);
    CHECK(ac_runner_new(ctx, problem, &runner) == AC_OK);
    static const double lengths[] = {1.0, 0.83, 1.19, 0.83}, pushes[] = {0.5, 0.1, 0.9, 0.2};
    for (int k = 0; k < 4; ++k) {
        double x[INPUTS] = {lengths[k], pushes[k]}, measure = NAN;
        CHECK(ac_runner_run(runner, x, &measure, NULL, NULL, NULL) == 0);
        CHECK_NEAR(measure, measure_of(ctx, lengths[k], pushes[k]), 1e-12);
    }
    ac_runner_free(runner);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(runs_do_not_depend_on_those_before)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, NULL, 0);
    ac_runner *one = NULL, *other = NULL;
    CHECK(ac_runner_new(ctx, problem, &one) == AC_OK && ac_runner_new(ctx, problem, &other) == AC_OK);
    double x[4][INPUTS], first[4], again;
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < INPUTS; ++i) x[k][i] = sin(1.0 + k + 3 * i);
        x[k][0] = 1 + 0.1 * k;
        x[k][1] = 0.3 + 0.1 * k;
        CHECK(ac_runner_run(one, x[k], &first[k], NULL, NULL, NULL) == 0);
    }
    for (int k = 3; k >= 0; --k) {
        CHECK(ac_runner_run(other, x[k], &again, NULL, NULL, NULL) == 0 && again == first[k]);
        CHECK(ac_runner_run(one, x[k], &again, NULL, NULL, NULL) == 0 && again == first[k]);
    }
    /* wind in the last step only moves the tip less than wind in the first */
    double early[INPUTS] = {1, 0.5, 1}, late[INPUTS] = {1, 0.5}, calm[INPUTS] = {1, 0.5}, a, b, c;
    late[INPUTS - 1] = 1;
    CHECK(ac_runner_run(one, early, &a, NULL, NULL, NULL) == 0 &&
          ac_runner_run(one, late, &b, NULL, NULL, NULL) == 0 &&
          ac_runner_run(one, calm, &c, NULL, NULL, NULL) == 0);
    CHECK(a > b && b > c);
    ac_runner_free(one);
    ac_runner_free(other);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A double pendulum in space, its measure with a point, an angle and a parameter along the run. */
static const char lanes_text[] =
    "parameters: {length: 1, push: 0.5}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  upper: {solid: {rod: {length: =length, mass: 1}}, points: {tip: [=length, 0, 0]}}\n"
    "  lower: {solid: {box: {size: [0.4, 0.1, 0.2], mass: =length}}, points: {start: [-0.2, 0, 0], tip: "
    "[0.2, 0, 0]}}\n"
    "joints:\n"
    "  - {revolute: [ground, upper], at: {upper: start}, axis: [0, 1, 0], angle: 0, angle_rate: =push, name: "
    "pin}\n"
    "  - {spherical: [upper, lower], at: {upper: end, lower: start}, name: ball}\n"
    "loads: [{name: wind, on: lower, at: tip, force: [0, 0, 0]}, {name: motor, joint: pin, value: 0.3}]\n"
    "certify:\n"
    "  simulate: {step: 20 ms, steps: 20}\n"
    "  inputs:\n"
    "    length: {relative: 0.2}\n"
    "    push: {from: 0, to: 8}\n"
    "    gust: {load: wind, along: y, within: 1, each_interval: true}\n"
    "  quantities: {tip_y: {point: tip, of: lower, along: y}, turn: {joint: pin}}\n"
    "  measure: tip_y*length + turn\n"
    "  take: largest\n"
    "  at_most: 0\n";

TEST(runs_together_are_single_runs)
{
    enum { OWN = 2 + 20, RUNS = 7 };
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const char *const settings[] = {"certify.simulate.turn_limit=0.2"};
    CHECK(ac_problem_parse(ctx, "test", lanes_text, sizeof lanes_text - 1, settings, 1, &problem) == AC_OK);
    ac_runner *runner = NULL;
    CHECK(ac_runner_new(ctx, problem, &runner) == AC_OK);
    CHECK(ac_runner_together(runner) == 4);
    double x[RUNS][OWN], single[RUNS], first[RUNS], again[RUNS], tight[RUNS], near[RUNS];
    int outcomes[RUNS];
    const double *rows[RUNS];
    for (int k = 0; k < RUNS; ++k) {
        rows[k] = x[k];
        for (int i = 0; i < OWN; ++i) x[k][i] = sin(1.0 + k + 3 * i);
        x[k][0] = 0.85 + 0.05 * k;
        x[k][1] = k;
        CHECK(ac_runner_run(runner, x[k], &single[k], &tight[k], NULL, NULL) == 0);
    }
    CHECK(ac_runner_run_together(runner, 4, rows, NULL, first, near, outcomes) == 0);
    CHECK(ac_runner_run_together(runner, 3, rows + 4, NULL, first + 4, near + 4, outcomes) == 0);
    for (int k = 0; k < RUNS; ++k) CHECK_NEAR(near[k], tight[k], 1e-11 * (1 + tight[k]));
    CHECK(near[6] > 0.0);
    for (int k = 0; k < RUNS; ++k) CHECK_NEAR(first[k], single[k], 1e-11 * (1 + fabs(single[k])));
    CHECK(fabs(first[6] - first[0]) > 0.1);
    /* other neighbours, one of them without a system: the same bits */
    x[0][0] = NAN;
    CHECK(ac_runner_run_together(runner, 2, rows + 5, NULL, again + 5, NULL, outcomes + 5) == 0);
    CHECK(ac_runner_run_together(runner, 4, rows, NULL, again, NULL, outcomes) == 0);
    CHECK(outcomes[0] == 1 && outcomes[1] == 0);
    for (int k = 1; k < RUNS; ++k)
        if (k != 4) CHECK(again[k] == first[k]);
    ac_runner_free(runner);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(a_run_that_fails_says_why)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, NULL, 0);
    ac_runner *runner = NULL;
    CHECK(ac_runner_new(ctx, problem, &runner) == AC_OK);
    double x[INPUTS] = {1, NAN}, measure = 0;
    CHECK(ac_runner_run(runner, x, &measure, NULL, NULL, NULL) == 1);
    CHECK(ac_runner_reason(runner)[0] != '\0');
    x[1] = 0.5;
    CHECK(ac_runner_run(runner, x, &measure, NULL, NULL, NULL) == 0);
    CHECK_NEAR(measure, measure_of(ctx, 1, 0.5), 1e-12);
    ac_runner_free(runner);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Loads and parameters by the adjoint, against central differences of runs. */
TEST(the_gradient_is_that_of_the_measure)
{
    static const char *const measures[] = {"certify.measure=tip_x - goal",
                                           "certify.measure=sqrt((tip_x - 1)^2 + (turn + far - axis)^2)"};
    for (int m = 0; m < 2; ++m) {
        const char *const settings[] = {
            "certify.quantities={tip_x: {point: tip, of: rod, along: x}, turn: {joint: pin}, far: {distance: "
            "[rod, "
            "ground], at: {rod: tip, ground: [1, 2]}}, axis: {axis: x, of: rod, along: y}}",
            measures[m]};
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_status status = ac_problem_parse(ctx, "test", text, sizeof text - 1, settings, 2, &problem);
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        ac_runner *runner = NULL;
        CHECK(status == AC_OK && ac_runner_new(ctx, problem, &runner) == AC_OK);
        if (!runner) return;
        CHECK(ac_runner_gradient_runs(runner) == 3);
        double x[INPUTS] = {1.07, 0.43}, gradient[INPUTS], measure, same;
        for (int k = 2; k < INPUTS; ++k) x[k] = 0.3 * sin(1.7 * k);
        CHECK(ac_runner_gradient(runner, x, &measure, gradient) == 0);
        CHECK(ac_runner_run(runner, x, &same, NULL, NULL, NULL) == 0);
        CHECK_NEAR(measure, same, 1e-15);
        for (int k = 0; k < INPUTS; ++k) {
            double h = 1e-5, kept = x[k], up, down;
            x[k] = kept + h;
            CHECK(ac_runner_run(runner, x, &up, NULL, NULL, NULL) == 0);
            x[k] = kept - h;
            CHECK(ac_runner_run(runner, x, &down, NULL, NULL, NULL) == 0);
            x[k] = kept;
            CHECK_NEAR(gradient[k], (up - down) / (2 * h), 2e-9);
        }
        ac_runner_free(runner);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* The derivatives are those at the present values of parameters, in which springs and places of loads may depend on them; in joint
 * coordinates, too. */
TEST(gradients_follow_the_values)
{
    static const char sprung[] =
        "parameters: {k: 20, rest: 0.5, l: 0.8}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: 1}}, points: {tip: [=l, 0, 0]}}\n"
        "  b: {solid: {cylinder: {length: 0.6, radius: 0.04, mass: 0.5}}}\n"
        "joints:\n"
        "  - {revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: 0.3, name: pin}\n"
        "  - {spherical: [a, b], at: {a: end, b: start}}\n"
        "springs: [{between: [ground, b], at: {ground: [1, 0.3, 0.5], b: end}, stiffness: =k, length: "
        "=rest}]\n"
        "certify:\n"
        "  simulate: {step: 10 ms, steps: 20}\n"
        "  inputs: {k: {from: 5, to: 60}, rest: {from: 0.1, to: 1}, l: {from: 0.5, to: 1.2}}\n"
        "  quantities: {tip_z: {point: tip, of: a, along: z}}\n"
        "  measure: tip_z\n"
        "  at_most: 0\n";
    static const char *const settings[][2] = {
        {"certify.simulate.scheme=midpoint", "certify.simulate.formulation=reduced"},
        {"certify.simulate.scheme=trapezoidal", "certify.simulate.formulation=minimal"}};
    static const double places[2][3] = {{7, 0.2, 0.55}, {55, 0.9, 1.1}};
    for (int f = 0; f < 2; ++f) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_runner *runner = NULL;
        ac_status status = ac_problem_parse(ctx, "test", sprung, sizeof sprung - 1, settings[f], 2, &problem);
        if (status == AC_OK) status = ac_runner_new(ctx, problem, &runner);
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        for (int at = 0; runner && at < 2; ++at) {
            double x[3], gradient[3], measure;
            memcpy(x, places[at], sizeof x);
            CHECK(ac_runner_gradient(runner, x, &measure, gradient) == 0);
            for (int k = 0; k < 3; ++k) {
                double h = 1e-4 * x[k], kept = x[k], up, down;
                x[k] = kept + h;
                CHECK(ac_runner_run(runner, x, &up, NULL, NULL, NULL) == 0);
                x[k] = kept - h;
                CHECK(ac_runner_run(runner, x, &down, NULL, NULL, NULL) == 0);
                x[k] = kept;
                double difference = (up - down) / (2 * h);
                CHECK(fabs(difference) > 1e-6);
                CHECK_NEAR(gradient[k], difference, 1e-6 * fabs(difference));
            }
        }
        ac_runner_free(runner);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* By loads for every way to take a measure along a run, at changing parameters; by controls, of the measure and of how near
 * the turns of steps come to their limit. Against central differences of runs. */
TEST(derivatives_by_loads_and_controls_are_exact)
{
    enum { OWN = 2 + 20, CONTROLS = 20 };
    static const char *const takes[] = {"certify.take=last", "certify.take=largest", "certify.take=smallest",
                                        "certify.take=mean"};
    for (int m = 0; m < 4; ++m) {
        const char *const settings[] = {takes[m], "certify.simulate.turn_limit=0.18",
                                        "certify.robust={controls: [{load: motor, limit: 5}]}"};
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_runner *runner = NULL;
        ac_status status = ac_problem_parse(ctx, "test", lanes_text, sizeof lanes_text - 1, settings, 3,
                                            &problem);
        CHECK(status == AC_OK && ac_runner_new(ctx, problem, &runner) == AC_OK);
        if (!runner) {
            printf("%s\n", ac_context_message(ctx));
            return;
        }
        CHECK(ac_runner_has_slopes(runner) && ac_runner_gradient_runs(runner) > 0);
        for (int at = 0; at < 2; ++at) {
            double x[OWN], u[CONTROLS], gradient[OWN], by[2][CONTROLS], tight, up[2], down[2];
            double measure, same, h = 1e-5;
            for (int i = 0; i < OWN; ++i) x[i] = 0.8 * sin(1.0 + at + 3 * i);
            x[0] = at ? 1.15 : 0.9;
            x[1] = 2 + 3 * at;
            for (int j = 0; j < CONTROLS; ++j) u[j] = cos(2.0 * j + at);
            ac_runner_set_controls(runner, u);
            CHECK(ac_runner_gradient(runner, x, &measure, gradient) == 0);
            CHECK(ac_runner_slopes(runner, x, &same, &tight, by[0]) == 0 && same == measure);
            CHECK(tight > 0.0 || at == 0);
            for (int k = 0; k < OWN; k += k < 2 ? 1 : 3) {
                double kept = x[k];
                x[k] = kept + h;
                CHECK(ac_runner_run(runner, x, &up[0], NULL, NULL, NULL) == 0);
                x[k] = kept - h;
                CHECK(ac_runner_run(runner, x, &down[0], NULL, NULL, NULL) == 0);
                x[k] = kept;
                CHECK_NEAR(gradient[k], (up[0] - down[0]) / (2 * h), 2e-9);
            }
            for (int j = 0; j < CONTROLS; ++j) {
                double kept = u[j];
                u[j] = kept + h;
                CHECK(ac_runner_run(runner, x, &up[0], &up[1], NULL, NULL) == 0);
                u[j] = kept - h;
                CHECK(ac_runner_run(runner, x, &down[0], &down[1], NULL, NULL) == 0);
                u[j] = kept;
                for (int i = 0; i < 2; ++i)
                    CHECK_NEAR(by[i][j], (up[i] - down[i]) / (2 * h), i == 0 ? 2e-9 : 1e-11);
            }
            CHECK((m > 0 || fabs(by[0][0]) > 1e-6) && (at == 0 || fabs(by[1][0]) > 1e-8));
        }
        ac_runner_free(runner);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

RUN_TESTS(CASE(the_gradient_is_that_of_the_measure), CASE(gradients_follow_the_values),
          CASE(a_run_is_that_of_the_file_with_these_parameters), CASE(runs_do_not_depend_on_those_before),
          CASE(runs_together_are_single_runs), CASE(a_run_that_fails_says_why),
          CASE(derivatives_by_loads_and_controls_are_exact))
