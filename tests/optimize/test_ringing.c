/* Torques of a prescribed motion, phi = sin(w t) of a rod of moment of inertia J with the weight m g l: u = -J w^2 sin(w t) +
 * m g l cos(phi). From a given velocity they alternate about these by an error of first order, which is remarked; the mean of two
 * neighbours has second order. From rest they do not. */
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *turn(int intervals, const char *law, double rate, const char *at)
{
    char text[1000], path[64];
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\n"
             "planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1.5}}}}\n"
             "joints: [{revolute: [ground, arm], at: {arm: start}, angle: 0, angle_rate: %g, name: pin}]\n"
             "optimize:\n  intervals: %d\n  duration: 1\n  controls: [{joint: pin, name: u}]\n"
             "  quantities: {phi: {joint: pin}, want: {signal: \"=%s\"}}\n"
             "  objective: [{effort: 1}]\n"
             "  conditions: [{expression: phi - want, equals: 0, at: %s}]\n",
             rate, intervals, law, at);
    snprintf(path, sizeof path, "/tmp/actio-test-ringing-%ld.yaml", (long)getpid());
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

TEST(oscillations_of_first_order_are_remarked)
{
    const double J = 1.5 / 3.0, weight = 1.5 * 9.81 * 0.5;
    static const double rates[] = {1.0, 3.0, 5.0};
    double mean[2];
    for (int k = 0; k < 3; ++k)
        for (int fine = 0; fine < 2; ++fine) {
            char law[32];
            int N = fine ? 160 : 80;
            ac_ringing_control ringing;
            snprintf(law, sizeof law, "sin(%g*t)", rates[k]);
            ac_problem *problem = turn(N, law, rates[k], "inside");
            if (!problem) continue;
            ac_optimization *o = ac_problem_optimization(problem);
            CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
            CHECK(ac_optimization_ringing(o, 0, &ringing));
            CHECK_TEXT(ringing.name, "u");
            CHECK(!ac_optimization_ringing(o, 1, &ringing));
            mean[fine] = 0.0;
            for (int n = 0; n + 3 < N; ++n) {
                double t = (n + 1.0) / N, s = sin(rates[k] * t),
                       exact = -J * rates[k] * rates[k] * s + weight * cos(s),
                       u = 0.5 * (ac_optimization_control_values(o, n)[0] +
                                  ac_optimization_control_values(o, n + 1)[0]);
                mean[fine] = fmax(mean[fine], fabs(u - exact));
            }
            if (fine) CHECK_NEAR(mean[1], mean[0] / 4.0, 0.1 * mean[0]);
            ac_problem_free(problem);
        }
}

/* Nothing is said of controls that have a choice, or that do not alternate. */
TEST(smooth_controls_are_not_remarked)
{
    ac_ringing_control ringing;
    ac_problem *problem = turn(80, "0.5*t^4", 0.0, "inside");
    if (problem) {
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(!ac_optimization_ringing(o, 0, &ringing));
        ac_problem_free(problem);
    }
    problem = turn(80, "sin(3*t)", 3.0, "end");
    if (problem) {
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(!ac_optimization_ringing(o, 0, &ringing));
        ac_problem_free(problem);
    }
}

TEST(tidy_up)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(oscillations_of_first_order_are_remarked), CASE(smooth_controls_are_not_remarked),
          CASE(tidy_up))
