/* A diagnostic that is not a number is a remark and never costs the result. */
#include <math.h>

#include "support/beam_text.h"
#include "task/task.h"

/* A damper, however stiff, makes the explicit reference of the replay diverge; what was solved is solved. */
TEST(a_reference_that_diverges_is_remarked)
{
    static const double dampings[] = {1.0, 1e4, 1e5, 1e6, 1e7};
    for (int k = 0; k < 5; ++k) {
        char text[1500];
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_summary summary = {.count = 0};
        bool diverges = false;
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\n"
                 "planar_bodies: {foot: {mass: 0.5, inertia: 1}, trunk: {mass: 2, inertia: 1}}\n"
                 "joints:\n"
                 "  - {prismatic: [ground, foot], at: {ground: [0, 0], foot: origin}, axis: [0, 1], slide: "
                 "0, name: rail}\n"
                 "  - {prismatic: [foot, trunk], at: {foot: origin, trunk: origin}, axis: [0, 1], slide: "
                 "0.5, name: leg}\n"
                 "dampers: [{joint: leg, damping: %g}]\n"
                 "optimize:\n"
                 "  intervals: 12\n"
                 "  controls: [{force: trunk, component: y, name: u}]\n"
                 "  quantities: {y: {joint: rail}, z: {of: trunk, point: centre, along: y}}\n"
                 "  objective: [{effort: 1}]\n"
                 "  duration: 0.4 s\n"
                 "  phases:\n"
                 "    - {name: stance, hold: [y]}\n"
                 "    - {name: flight, conditions: [{expression: z, equals: 0.7, at: end}]}\n",
                 dampings[k]);
        CHECK(parse(ctx, text, &problem) == AC_OK);
        CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
        CHECK_TEXT(summary.status, "solved");
        for (int i = 0; i < summary.note_count; ++i)
            diverges = diverges || strstr(summary.note[i].text, "within one interval of phase");
        for (int i = 0; i < summary.count; ++i) CHECK(isfinite(summary.entry[i].value));
        CHECK(diverges == (k > 0));
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

TEST(numbers_that_are_none_are_left_out_of_the_summary)
{
    ac_summary summary;
    ac_summary_begin(&summary);
    ac_summary_add(&summary, "defect", NAN, "1");
    ac_summary_add(&summary, "energy", INFINITY, "J");
    ac_summary_add(&summary, "steps", 3.0, "1");
    CHECK(summary.count == 1 && strcmp(summary.entry[0].name, "steps") == 0);
    CHECK(summary.note_count == 2 && strstr(summary.remark, "defect is not a finite number"));
}

static bool track_passes(double mass, double step, double rho0, double weight, const char *target)
{
    char text[600];
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary summary = {.count = 0};
    bool said = false;
    snprintf(text, sizeof text,
             "points: {p: {mass: %.17g, position: [0, 0]}}\n"
             "track:\n  step: %.17g\n  steps: 600\n  rho0: %.17g\n  velocity_weight: %.17g\n"
             "  targets: [{on: p, position: [%s, 0]}]\n",
             mass, step, rho0, weight, target);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
    for (int i = 0; i < summary.note_count; ++i) said = said || strstr(summary.note[i].text, "went past it");
    ac_problem_free(problem);
    ac_context_free(ctx);
    return said;
}

/* A target that jumps is passed by nearly the whole way where nothing damps, which is said; not with the weight 1.4 m sqrt(h rho0), nor of a
 * target that moves. With this rho0 the frequency of the closed loop is a tenth of the inverse step or less. */
TEST(targets_that_are_passed_are_remarked)
{
    for (int k = 0; k < 6; ++k) {
        double mass = 0.3 + 0.7 * k, step = 1e-3 * (1 + k % 3), slow = 0.05 + 0.01 * k,
               rho0 = pow(step, 3.0) / pow(slow * mass, 2.0), weight = 1.4 * mass * sqrt(step * rho0);
        CHECK(track_passes(mass, step, rho0, 0.0, "1"));
        CHECK(!track_passes(mass, step, rho0, weight, "1"));
        CHECK(!track_passes(mass, step, rho0, 0.0, "=sin(5*t)"));
    }
}

RUN_TESTS(CASE(a_reference_that_diverges_is_remarked),
          CASE(numbers_that_are_none_are_left_out_of_the_summary), CASE(targets_that_are_passed_are_remarked))
