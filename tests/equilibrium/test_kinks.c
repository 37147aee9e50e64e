/* Where beams at rest need more elements this is said, and nothing else; with them the same problem is
 * solved. */
#include <math.h>
#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

typedef struct outcome {
    ac_status status;
    ac_equilibrium_point last;
    int points;
    double bend;
    char message[512];
} outcome;

static outcome solve(const char *text)
{
    outcome out = {0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *equilibrium = NULL;
    out.status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem);
    CHECK(out.status == AC_OK);
    if (out.status == AC_OK)
        out.status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem),
                                        &equilibrium);
    for (bool done = false; out.status == AC_OK && !done;) {
        out.status = ac_equilibrium_next(equilibrium, &done);
        if (out.status == AC_OK && !done) out.last = *ac_equilibrium_at(equilibrium);
        if (out.status == AC_OK && !done) ++out.points;
    }
    out.bend = equilibrium ? ac_equilibrium_largest_bend(equilibrium) : 0.0;
    snprintf(out.message, sizeof out.message, "%s", out.status == AC_OK ? "" : ac_context_message(ctx));
    ac_equilibrium_free(equilibrium);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return out;
}

static const char KINKED[] = "more than its elements can follow; give it more elements";

static outcome clamped(int elements, const char *load)
{
    char text[600];
    snprintf(text, sizeof text,
             "beams:\n"
             "  b:\n"
             "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
             "    elements: %d\n"
             "    section: {circle: {radius: 1 cm}}\n"
             "    stiffness: {shear: [1e7, 1e7], axial: 1e7, bending: [1, 1], torsion: 1}\n"
             "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
             "joints: [{fixed: [ground, b.start]}]\n"
             "loads: [%s]\n"
             "equilibrium: {steps: 2}\n",
             elements, load);
    return solve(text);
}

/* The curvature at the clamp is sqrt(2 P / EI) = 44.7 1/m, more than a radian on 2.5 cm. */
TEST(a_clamped_rod_bent_too_far_needs_elements)
{
    outcome coarse = clamped(40, "{force: [0, 0, -1000], on: b.end}");
    CHECK(coarse.status == AC_NOT_CONVERGED);
    CHECK(strstr(coarse.message, KINKED) != NULL);
    CHECK(strstr(coarse.message, "beam 'b' bends by") != NULL);
    CHECK(strstr(coarse.message, "'b[0]' and 'b[1]'") != NULL);
    outcome fine = clamped(80, "{force: [0, 0, -1000], on: b.end}");
    CHECK(fine.status == AC_OK && fine.last.negative == 0);
}

/* An element resists with at most EI / (2 h). */
TEST(a_torque_beyond_what_the_elements_resist_is_reported)
{
    outcome coarse = clamped(10, "{torque: [0, 6.2831853, 0], on: b.end}");
    CHECK(coarse.status == AC_NOT_CONVERGED);
    CHECK(strstr(coarse.message, KINKED) != NULL);
    CHECK(clamped(20, "{torque: [0, 6.2831853, 0], on: b.end}").status == AC_OK);
}

/* A rope on two ball joints, drawn too short and with another shape than it hangs. */
static outcome rope(const char *model, int elements, const char *stretching, const char *bending)
{
    char text[900];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "beams:\n"
             "  b:\n"
             "    model: %s\n"
             "    spline: {from: {position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: 150 deg}}, to: "
             "{position: "
             "[1, 0, 0], rotation: {axis: [0, 1, 0], angle: 30 deg}}}\n"
             "    rest_length: 1.5\n"
             "    elements: %d\n"
             "    section: {circle: {radius: 1 mm}}\n"
             "    stiffness: {shear: [%s, %s], axial: %s, bending: [%s, %s], torsion: %s}\n"
             "    inertia: {mass: 1, rotary: [1e-6, 1e-6]}\n"
             "joints:\n"
             "  - {spherical: [ground, b.start], at: {ground: [0, 0, 0], b.start: origin}}\n"
             "  - {spherical: [ground, b.end], at: {ground: [1, 0, 0], b.end: origin}}\n"
             "equilibrium: {}\n",
             model, elements, stretching, stretching, stretching, bending, bending, bending);
    return solve(text);
}

/* Drawn straight, the rope is in balance under a huge pressure; drawn bent, it is far from any. Twisting
 * it is softer than stretching by eleven orders of magnitude. However it is drawn it hangs in the same
 * shape, and nothing but turning about its own axis is without resistance. */
TEST(a_rope_that_hardly_stretches_hangs)
{
    static const char straight[] =
        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  b:\n"
        "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
        "    rest_length: 1.5\n"
        "    elements: 240\n"
        "    section: {circle: {radius: 1 mm}}\n"
        "    stiffness: {shear: [1e6, 1e6], axial: 1e6, bending: [1e-4, 1e-4], torsion: 1e-4}\n"
        "    inertia: {mass: 1, rotary: [1e-6, 1e-6]}\n"
        "joints:\n"
        "  - {spherical: [ground, b.start], at: {ground: [0, 0, 0], b.start: origin}}\n"
        "  - {spherical: [ground, b.end], at: {ground: [1, 0, 0], b.end: origin}}\n"
        "equilibrium: {}\n";
    outcome bent = rope("director", 240, "1e6", "1e-4"), drawn_straight = solve(straight);
    CHECK(bent.status == AC_OK && drawn_straight.status == AC_OK);
    CHECK(bent.last.negative == 0 && drawn_straight.last.negative == 0);
    CHECK(bent.last.neutral == 1 && drawn_straight.last.neutral == 1);
    CHECK_NEAR(bent.last.energy, drawn_straight.last.energy, 1e-8);
    /* An inextensible chain z = a cosh(x/a): half its length is s = a sinh(x/a) at x = 1/2, its energy
     * below the supports w (x a - s sqrt(s^2 + a^2)) with w = 9.81 N/m. */
    double a = 0.25, s = 0.75, x = 0.5;
    for (int k = 0; k < 60; ++k) a -= (a * sinh(x / a) - s) / (sinh(x / a) - x / a * cosh(x / a));
    CHECK_NEAR(bent.last.energy, 9.81 * (x * a - s * sqrt(s * s + a * a)), 2e-3);
}

static outcome pressed(int elements)
{
    char text[700];
    snprintf(text, sizeof text,
             "beams:\n"
             "  b:\n"
             "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
             "    elements: %d\n"
             "    section: {circle: {radius: 1 cm}}\n"
             "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 1], torsion: 1}\n"
             "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
             "joints: [{fixed: [ground, b.start]}]\n"
             "loads: [{force: [-1, 0, 0.01], on: b.end}]\n"
             "equilibrium: {path: {step: 0.1, points: 30}}\n",
             elements);
    return solve(text);
}

/* What the elements of a coarse rod balance beyond a fold is no state of a rod: the path ends there, with
 * its points. */
TEST(a_path_ends_where_a_beam_folds)
{
    double quarter = acos(0.0);
    outcome coarse = pressed(4), fine = pressed(40);
    CHECK(coarse.status == AC_NOT_CONVERGED);
    CHECK(strstr(coarse.message, "the path ends at load factor") != NULL);
    CHECK(strstr(coarse.message, "more than its elements can follow; ") != NULL);
    CHECK(coarse.points > 10 && coarse.bend > 0.9 * quarter && coarse.bend < quarter);
    CHECK(fine.status == AC_OK && fine.bend > 0.0 && fine.bend < 0.5 * quarter);
}

/* Under a tension T an element of order 1 kinks if it is longer than about 2 sqrt(EI / T). With shorter
 * ones the two models find the same stable shape. */
TEST(a_rope_of_coarse_elements_needs_more)
{
    static const char *const models[] = {"director", "vertex"};
    double energy[2];
    for (int k = 0; k < 2; ++k) {
        outcome coarse = rope(models[k], 40, "1e4", "2e-4"), fine = rope(models[k], 160, "1e4", "2e-4");
        CHECK(coarse.status == AC_NOT_CONVERGED);
        CHECK(strstr(coarse.message, "more than its elements can follow; beam 'b' is pulled with 10.9 N: its "
                                     "elements are too long and kink, which the material would not; take at "
                                     "least 176 elements, or model: edge") != NULL);
        CHECK(fine.status == AC_OK && fine.last.negative == 0);
        energy[k] = fine.last.energy;
    }
    CHECK_NEAR(energy[0], energy[1], 1e-5);
}

RUN_TESTS(CASE(a_clamped_rod_bent_too_far_needs_elements),
          CASE(a_torque_beyond_what_the_elements_resist_is_reported),
          CASE(a_rope_of_coarse_elements_needs_more), CASE(a_rope_that_hardly_stretches_hangs),
          CASE(a_path_ends_where_a_beam_folds))
