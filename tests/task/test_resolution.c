/* What a step does not resolve is remarked: dampers that ring, loads between samples, beams that reverse. Random cases; the
 * bounds are those of linear systems in closed form. */
#include <math.h>
#include <stdlib.h>

#include "support/beam_text.h"
#include "support/numeric.h"

/* Runs a text; what follows on the words in one of its notes (kept for the caller), NULL: none has them. */
static const char *remark_after(const char *text, const char *words)
{
    static char after[AC_REMARK_SIZE];
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary summary = {.count = 0};
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
    const char *found = NULL;
    for (int i = 0; i < summary.note_count && !found; ++i) {
        const char *at = strstr(summary.note[i].text, words);
        if (at) snprintf(after, sizeof after, "%s", at + strlen(words));
        found = at ? after : NULL;
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
    return found;
}

static bool remarks(const char *text, const char *words)
{
    return remark_after(text, words) != NULL;
}

/* A hinge with inertia J and damping c keeps (1 - x/2) / (1 + x/2) of its rate in a step, x = h c / J: it is remarked if that
 * is below -2/3. What else moves, rests or turns, and how heavy it is, plays no part. */
TEST(dampers_that_ring)
{
    dice d = {7};
    for (int k = 0; k < 40; ++k) {
        double x = pow(10.0, dice_between(&d, 0, 4)), J = pow(10.0, dice_between(&d, -1.5, 1.5)),
               mass = pow(10.0, dice_between(&d, 0, 4)), h = 1e-3;
        if (x > 9.0 && x < 11.0) continue;
        char text[1000];
        snprintf(
            text, sizeof text,
            "planar_bodies:\n  rod: {mass: 1, inertia: %.17g}\n"
            "  block: {mass: %.17g, inertia: 1, position: [5, 0], velocity: [1, 0]}\n"
            "joints: [{revolute: [ground, rod], at: {rod: [0, 0]}, angle: 0, angle_rate: 1, name: pin}]\n"
            "dampers: [{joint: pin, damping: %.17g, name: brake}]\n"
            "simulate: {step: %g, steps: 20}\n",
            J, mass, x * J / h, h);
        CHECK(remarks(text, "the damper 'brake' stops its motion") == (x > 10.0));
    }
}

/* Where a motor holds the rate c w / c of a damper from the start nothing rings, however stiff both are. */
TEST(dampers_that_hold)
{
    dice d = {9};
    for (int k = 0; k < 20; ++k) {
        double c = pow(10.0, dice_between(&d, 3, 9)), w = dice_between(&d, 1, 10);
        char text[1000];
        snprintf(text, sizeof text,
                 "points: {a: {mass: 1, position: [0], velocity: [%.17g]}}\n"
                 "dampers: [{between: [ground, a], at: {ground: [-1]}, damping: %.17g}]\n"
                 "loads: [{on: a, force: [%.17g]}]\n"
                 "simulate: {step: 1 ms, steps: 20}\n",
                 w, c, c * w);
        CHECK(!remarks(text, "damper"));
    }
}

/* The value in the middle of a step stands for all of it: below five samples a period it is remarked, above ten it is not. */
TEST(loads_sampled_above_their_frequency)
{
    dice d = {11};
    for (int k = 0; k < 40; ++k) {
        double samples = pow(10.0, dice_between(&d, -0.5, 2)), phase = dice_between(&d, 0, 6), h = 1e-3;
        if (samples > 5.0 && samples < 10.0) continue;
        char text[1000];
        snprintf(text, sizeof text,
                 "points: {a: {mass: 1, position: [0]}}\n"
                 "loads: [{force: [\"=1000*sin(%.17g*t+%.17g)\"], on: a, sampled: middle}]\n"
                 "simulate: {step: %g, steps: 200}\n",
                 6.283185307179586 / (samples * h), phase, h);
        CHECK(remarks(text, "its value in the middle of the step stands for all of it") == (samples < 5.0));
    }
}

/* A cantilever that a load sets swinging: its period is 2 pi / 3.516 sqrt(m l^3 / EI). */
TEST(beams_in_long_steps)
{
    dice d = {13};
    for (int k = 0; k < 12; ++k) {
        double EI = pow(10.0, dice_between(&d, 0, 2)), steps = pow(10.0, dice_between(&d, -1, 2));
        double period = 6.283185307179586 / 3.516 / sqrt(EI);
        if (steps > 6.0 && steps < 12.0) continue;
        char text[1000];
        snprintf(text, sizeof text,
                 "beams: {b: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 6,\n"
                 "  stiffness: {shear: [1e6, 1e6], axial: 1e6, bending: [%.17g, %.17g], torsion: 10},\n"
                 "  inertia: {mass: 1, rotary: [1e-4, 1e-4]}}}\n"
                 "joints: [{fixed: [ground, b.start]}]\n"
                 "loads: [{force: [0, 0, %.17g], on: b.end}]\n"
                 "simulate: {step: %.17g, steps: 100}\n",
                 EI, EI, 1e-3 * EI, period / steps);
        const char *after = remark_after(text, "oscillations or turns with a period of about ");
        CHECK((after != NULL) == (steps < 6.0));
        if (after && steps > 0.3) CHECK(fabs(atof(after) / period - 1.0) < 0.1);
    }
}

RUN_TESTS(CASE(dampers_that_ring), CASE(dampers_that_hold), CASE(loads_sampled_above_their_frequency),
          CASE(beams_in_long_steps))
