/* The stability limit of explicit steps: a closed form, and systems whose motion is stable at the limit and not just above
 * it, be they straight, curved, tapered, under strain, with bodies and springs, or closed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/stepper.h"
#include "support/beam_text.h"
#include "support/numeric.h"
#include "support/record.h"

#define SOFT                                                                         \
    "    section: {rectangle: {width: 0.05, height: 0.05, shear_factors: [1, 1]}}\n" \
    "    material: {young: 5e4, poisson: 0.35, density: 1000}\n"
#define BEAM "beams:\n  s:\n    model: dual_quaternion\n"
#define ALONG_Z "    straight: {from: [0, 0, 0], to: [0, 0, 1]}\n"
#define ONE_END "joints: [{fixed: [ground, s.start]}]\n"
#define BOTH_ENDS "joints: [{fixed: [ground, s.start]}, {fixed: [ground, s.end]}]\n"
#define RUN "simulate: {step: 1e-6, steps: 1}\n"

static const struct {
    const char *name, *text;
} SYSTEMS[] = {
    {"free", BEAM ALONG_Z "    elements: 6\n" SOFT RUN},
    {"clamped, fine", BEAM ALONG_Z "    elements: 30\n" SOFT ONE_END RUN},
    {"clamped, thick",
     BEAM ALONG_Z "    elements: 20\n"
                  "    section: {rectangle: {width: 0.1, height: 0.1, shear_factors: [1, 1]}}\n"
                  "    material: {young: 2.1e5, poisson: 0.3, density: 7.85}\n" ONE_END RUN},
    {"curved", BEAM "    arc: {centre: [0, 0, 0], from: [1, 0, 0], axis: [0, 0, 1], angle: 200 deg}\n"
                    "    elements: 10\n" SOFT ONE_END RUN},
    {"tapered", BEAM ALONG_Z "    elements: 10\n"
                             "    section:\n"
                             "      - {at: 0, rectangle: {width: 0.1, height: 0.1}}\n"
                             "      - {at: 1, rectangle: {width: 0.01, height: 0.02}}\n"
                             "    material: {young: 5e4, poisson: 0.35, density: 1000}\n" ONE_END RUN},
    {"stretched", BEAM ALONG_Z "    rest_length: 0.95\n    elements: 10\n" SOFT BOTH_ENDS RUN},
    {"squeezed", BEAM "    straight: {from: [0, 0, 0], to: [0, 0, 0.2]}\n"
                      "    rest_length: 0.23\n    elements: 4\n" SOFT BOTH_ENDS RUN},
    {"bent straight", BEAM ALONG_Z "    precurvature: [0, 5, 3]\n    elements: 10\n" SOFT BOTH_ENDS RUN},
    {"a body on a rod, and a spring beside its axis",
     "bodies: {b: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-3], position: [0.02, 0, 1.03]}}\n" BEAM ALONG_Z
     "    elements: 6\n" SOFT "joints: [{fixed: [ground, s.start]}, {spherical: [s.end, b]}]\n"
     "springs: [{between: [ground, s.middle], at: {ground: [1, 0.1, 0.5], s.middle: [0.01, 0.02, 0]}, "
     "stiffness: 1e5}]\n" RUN},
    {"a weight on a rod",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {b: {mass: 2, inertia: [1e-4, 2e-4, 1e-4], position: [0, 0, -1.2]}}\n" BEAM
     "    straight: {from: [0, 0, 0], to: [0, 0, -1]}\n    rest_length: 0.9968\n    elements: 8\n"
     "    section: {circle: {radius: 0.01}}\n    material: {young: 2e7, poisson: 0.35, density: 1000}\n"
     "joints: [{spherical: [ground, s.start]}, {spherical: [s.end, b]}]\n" RUN},
    {"a closed loop",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {a: {solid: {rod: {length: 0.5, mass: 0.2}}}, c: {solid: {rod: {length: 0.5, mass: "
     "0.2}}}}\n" BEAM "    straight: {from: [0, 0, -0.5], to: [1, 0, -0.5]}\n    elements: 5\n"
     "    section: {circle: {radius: 0.03}}\n    material: {young: 5e7, density: 1000}\n"
     "joints:\n"
     "  - {revolute: [ground, a], at: {ground: [0, 0, 0], a: start}, axis: [0, 1, 0], angle: 90 deg}\n"
     "  - {revolute: [a, s.start], at: {a: end}, axis: [0, 1, 0]}\n"
     "  - {revolute: [s.end, c], at: {c: end}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, c], at: {ground: [1, 0, 0], c: start}, axis: [0, 1, 0]}\n" RUN},
};

enum { STEPS = 800 };

static ac_status advance(ac_stepper *s, double h)
{
    s->interval.h = h;
    AC_TRY(ac_stepper_solve(s));
    ac_stepper_advance(s);
    return AC_OK;
}

/* How far two motions are apart after STEPS steps h that start with nearly the same momentum; the steppers are made with a
 * shorter step. */
static double difference(ac_context *ctx, const ac_system *system, double h)
{
    ac_stepper s[2] = {{0}, {0}};
    const ac_simulation_settings settings = record_settings("trapezoidal", "auto", 0.3 * h);
    dice d = {3};
    double now = 0.0;
    for (int k = 0; k < 2; ++k) {
        CHECK(ac_stepper_create(&s[k], ctx, system, &settings) == AC_OK);
        s[k].h = h;
    }
    for (int i = 0; i < system->n; ++i) {
        double push;
        dice_vector(&d, 1, 1e-10, &push);
        s[1].p[i] += push;
    }
    for (int n = 0; n < STEPS && now < 1e-2; ++n) {
        if (advance(&s[0], h) != AC_OK || advance(&s[1], h) != AC_OK)
            now = INFINITY;
        else
            now = largest_difference(system->n, s[0].qa, s[1].qa);
    }
    for (int k = 0; k < 2; ++k) ac_stepper_destroy(&s[k]);
    return now;
}

TEST(the_limit_is_where_motions_become_unstable)
{
    for (size_t k = 0; k < sizeof SYSTEMS / sizeof *SYSTEMS; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        double limit = 0.0;
        CHECK(parse(ctx, SYSTEMS[k].text, &problem) == AC_OK);
        const ac_system *system = ac_problem_system(problem);
        CHECK(ac_step_limit(ctx, system, &limit) == AC_OK);
        double below = difference(ctx, system, limit), above = difference(ctx, system, 1.004 * limit);
        CHECK(below < 1e-5);
        CHECK(above >= 1e-2);
        if (!(below < 1e-5 && above >= 1e-2))
            printf("  %s: limit %g s, difference %g at it, %g above it; %s\n", SYSTEMS[k].name, limit, below,
                   above, ac_context_message(ctx));
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* One clamped element: its free node has half the mass, shear GA (y / l - turn / 2) and bending EI turn / l. */
TEST(one_element_has_a_closed_form)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const double l = 1.0, E = 5e4, G = E / 2.7, A = 0.0025, I = A * A / 12, m = 0.5 * 1000 * A * l,
                 J = 0.5 * 1000 * I * l;
    const double yy = G * A / l / m, yt = -0.5 * G * A / sqrt(m * J), tt = (0.25 * G * A * l + E * I / l) / J;
    const double coupled = 0.5 * (yy + tt) + sqrt(0.25 * (yy - tt) * (yy - tt) + yt * yt);
    double limit = 0.0;
    CHECK(parse(ctx, BEAM ALONG_Z "    elements: 1\n" SOFT ONE_END RUN, &problem) == AC_OK);
    CHECK(ac_step_limit(ctx, ac_problem_system(problem), &limit) == AC_OK);
    CHECK(coupled > E * A / l / m);
    CHECK_NEAR(limit * sqrt(coupled), 2.0 * (1.0 - 1e-3), 1e-5); /* six digits */
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(the_limit_is_where_motions_become_unstable), CASE(one_element_has_a_closed_form))
