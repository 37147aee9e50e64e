/* Objectives without a bound: a point that is paid for its distance, with an effort that is too small or large enough.
 *
 * From rest at x_0 the controls take it to x_N = x_0 + a . u with a_k = h^2 (N - k - 1/2) / m, and the effort is W u . u with
 * W = w h / 2. So J = W u . u - (x_0 + a . u)^2 has a minimum when W > a . a, J = -x_0^2 W / (W - a . a), and none otherwise. */
#include <math.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "test.h"

static ac_context *ctx;

static double random_between(double low, double high)
{
    static unsigned long state = 20261119;
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static ac_status solve(const char *text, double *objective, double *second_order)
{
    ac_problem *problem = NULL;
    ac_summary summary;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-unbounded-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return AC_IO_FAILED;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    CHECK(status == AC_OK);
    remove(path);
    summary.count = 0;
    *objective = *second_order = NAN;
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    for (int k = 0; k < summary.count; ++k) {
        if (strcmp(summary.entry[k].name, "objective") == 0) *objective = summary.entry[k].value;
        if (strcmp(summary.entry[k].name, "second_order") == 0) *second_order = summary.entry[k].value;
    }
    ac_problem_free(problem);
    return status;
}

typedef struct runner {
    int N;
    double m, T, x, critical; /* critical: weight of the effort from which on there is a minimum */
} runner;

static runner random_runner(void)
{
    runner r = {.N = 4 + (int)random_between(0.0, 25.0),
                .m = pow(10.0, random_between(-2.0, 2.0)),
                .T = pow(10.0, random_between(-0.5, 0.5)),
                .x = random_between(0.2, 3.0)};
    double h = r.T / r.N, sum = 0.0;
    for (int k = 0; k < r.N; ++k) sum += pow(h * h * (r.N - k - 0.5) / r.m, 2.0);
    r.critical = 2.0 * sum / h;
    return r;
}

static ac_status solve_runner(const runner *r, double weight, const char *more, double *objective,
                              double *second)
{
    char text[1024];
    snprintf(text, sizeof text,
             "title: the farther the better\n"
             "points: {a: {mass: %.17g, position: [%.17g]}}\n"
             "optimize:\n"
             "  intervals: %d\n"
             "  duration: %.17g\n"
             "  controls: [{force: a, name: u%s}]\n"
             "  quantities: {x: {of: a, point: centre, along: x}}\n"
             "  objective: [{effort: %.17g}, {end: \"x^2\", maximise: true}]\n",
             r->m, r->x, r->N, r->T, more, weight);
    return solve(text, objective, second);
}

/* ---- without a bound ---- */

TEST(what_pays_more_than_it_costs_has_no_bound)
{
    static const double parts[] = {0.01, 0.1, 0.3, 0.5, 0.7, 0.9};
    for (int k = 0; k < 30; ++k) {
        runner r = random_runner();
        double objective, second;
        CHECK(solve_runner(&r, parts[k % 6] * r.critical, "", &objective, &second) == AC_NOT_CONVERGED);
        CHECK(!(second > 0.0));
        CHECK(strstr(ac_context_message(ctx), "no lower bound") != NULL);
    }
}

/* Light bodies in a long time move under next to no force: in newtons the gain is rounding beside that of any other force. */
TEST(effort_that_is_paid_for_has_no_bound)
{
    for (int k = 0; k < 30; ++k) {
        char text[800];
        double objective, second;
        snprintf(text, sizeof text,
                 "title: effort wanted\n"
                 "points: {a: {mass: %.17g, position: [1]}}\n"
                 "optimize:\n"
                 "  intervals: %d\n"
                 "  duration: %.17g\n"
                 "  controls: [{force: a, name: u}]\n"
                 "  objective: [{effort: %.17g, maximise: true}]\n",
                 pow(10.0, random_between(-7.0, 7.0)), 2 + (int)random_between(0.0, 30.0),
                 pow(10.0, random_between(-3.0, 3.0)), pow(10.0, random_between(-3.0, 3.0)));
        CHECK(solve(text, &objective, &second) == AC_NOT_CONVERGED);
        CHECK(!(second > 0.0));
    }
}

/* ---- with one ---- */

/* Two controls that decide place and momentum at the end: what these cost may outweigh what the effort brings. */
TEST(paid_effort_that_the_end_outweighs_has_an_optimum)
{
    for (int k = 0; k < 10; ++k) {
        char text[800];
        double objective, second, m = pow(10.0, random_between(-1.0, 1.0)), T = random_between(0.5, 2.0),
                                  h = T / 2.0;
        /* place 1 + h^2 (3 u + v) / 2 m, momentum h (u + v): least singular value of both maps */
        double a = h * h / (2.0 * m), trace = 10.0 * a * a + 2.0 * h * h, det = pow(2.0 * a * h, 2.0),
               least = 0.5 * (trace - sqrt(trace * trace - 4.0 * det));
        double weight = random_between(0.1, 0.9) * 2.0 * least / h;
        snprintf(text, sizeof text,
                 "title: effort wanted, to a place at rest\n"
                 "points: {a: {mass: %.17g, position: [1]}}\n"
                 "optimize:\n"
                 "  intervals: 2\n"
                 "  duration: %.17g\n"
                 "  controls: [{force: a, name: u}]\n"
                 "  quantities: {x: {of: a, point: centre, along: x}, p: {momentum: system, along: x}}\n"
                 "  objective: [{effort: %.17g, maximise: true}, {end: \"x^2 + p^2\"}]\n",
                 m, T, weight);
        CHECK(solve(text, &objective, &second) == AC_OK);
        CHECK(second == 1.0);
    }
}

TEST(what_costs_more_than_it_pays_has_the_optimum_of_the_closed_form)
{
    for (int k = 0; k < 30; ++k) {
        runner r = random_runner();
        double factor = random_between(1.2, 5.0), objective, second;
        CHECK(solve_runner(&r, factor * r.critical, "", &objective, &second) == AC_OK);
        CHECK(second == 1.0);
        CHECK_NEAR(objective / (-r.x * r.x * factor / (factor - 1.0)), 1.0, 1e-9);
    }
}

/* A limit of the control is a bound of the objective, however far that is. */
TEST(limits_of_controls_are_bounds)
{
    for (int k = 0; k < 10; ++k) {
        runner r = random_runner();
        double limit = 1e3 * r.m, h = r.T / r.N, far = r.x, objective, second;
        char more[64];
        snprintf(more, sizeof more, ", limit: %.17g", limit);
        for (int i = 0; i < r.N; ++i) far += h * h * (r.N - i - 0.5) / r.m * limit;
        CHECK(solve_runner(&r, 1e-6 * r.critical, more, &objective, &second) == AC_OK);
        double effort = 1e-6 * r.critical * 0.5 * r.T * limit * limit;
        CHECK_NEAR(objective / (effort - far * far), 1.0, 1e-6);
    }
}

RUN_TESTS(CASE(what_pays_more_than_it_costs_has_no_bound), CASE(effort_that_is_paid_for_has_no_bound),
          CASE(paid_effort_that_the_end_outweighs_has_an_optimum),
          CASE(what_costs_more_than_it_pays_has_the_optimum_of_the_closed_form),
          CASE(limits_of_controls_are_bounds))
