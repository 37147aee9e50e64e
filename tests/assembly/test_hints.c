/* Hints choose the branch on which a loop closes, whatever joint has one: random four-bars and slider-cranks whose two branches
 * are known by the law of cosines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/actio.h"
#include "model/system.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "test.h"

enum { JOINTS = 4, TRIALS = 60 };

typedef struct mechanism {
    char text[2048];
    const char *joint[JOINTS];
    double branch[2][JOINTS]; /* coordinates of all joints; that of the first is given */
} mechanism;

static double turn(double x)
{
    return remainder(x, 2.0 * acos(-1.0));
}

/* Links a, b, c over the base d; the pin at the crank is given, one other joint has the hint. */
static bool four_bar(dice *d6, mechanism *m)
{
    double a = dice_between(d6, 0.2, 0.5), b = dice_between(d6, 0.8, 1.2), c = dice_between(d6, 0.8, 1.2),
           d = dice_between(d6, 0.8, 1.2), crank = dice_between(d6, -3.0, 3.0);
    double x = d - a * cos(crank), y = -a * sin(crank), far = hypot(x, y);
    double at_knee = acos((far * far + b * b - c * c) / (2.0 * far * b));
    for (int s = 0; s < 2; ++s) {
        double coupler = atan2(y, x) + (s == 0 ? at_knee : -at_knee);
        double ex = a * cos(crank) + b * cos(coupler), ey = a * sin(crank) + b * sin(coupler);
        double rocker = atan2(ey, ex - d);
        const double all[JOINTS] = {crank, turn(coupler - crank), turn(rocker - coupler), rocker};
        memcpy(m->branch[s], all, sizeof all);
    }
    static const char *const names[JOINTS] = {"pin", "knee", "wrist", "foot"};
    memcpy(m->joint, names, sizeof names);
    snprintf(m->text, sizeof m->text,
             "planar_bodies:\n"
             "  a: {solid: {rod: {length: %.17g, mass: 1}}}\n"
             "  b: {solid: {rod: {length: %.17g, mass: 1}}}\n"
             "  c: {solid: {rod: {length: %.17g, mass: 1}}}\n"
             "joints:\n"
             "  - {revolute: [ground, a], at: {a: start}, angle: %.17g, name: pin}\n"
             "  - {revolute: [a, b], at: {a: end, b: start}, name: knee}\n"
             "  - {revolute: [b, c], at: {b: end, c: end}, name: wrist}\n"
             "  - {revolute: [ground, c], at: {ground: [%.17g, 0], c: start}, name: foot}\n"
             "simulate: {step: 1 ms, steps: 1}\n",
             a, b, c, crank, d);
    return isfinite(at_knee);
}

static bool slider_crank(dice *d6, mechanism *m)
{
    double a = dice_between(d6, 0.2, 0.4), b = dice_between(d6, 0.5, 0.8),
           crank = dice_between(d6, -3.0, 3.0);
    double rod = asin(a * sin(crank) / b);
    for (int s = 0; s < 2; ++s) {
        double coupler = s == 0 ? -rod : acos(-1.0) + rod;
        const double all[JOINTS] = {crank, turn(coupler - crank), turn(-coupler),
                                    a * cos(crank) + b * cos(coupler)};
        memcpy(m->branch[s], all, sizeof all);
    }
    static const char *const names[JOINTS] = {"pin", "knee", "wrist", "rail"};
    memcpy(m->joint, names, sizeof names);
    snprintf(m->text, sizeof m->text,
             "planar_bodies:\n"
             "  a: {solid: {rod: {length: %.17g, mass: 1}}}\n"
             "  b: {solid: {rod: {length: %.17g, mass: 1}}}\n"
             "  s: {mass: 1, inertia: 0.1}\n"
             "joints:\n"
             "  - {revolute: [ground, a], at: {a: start}, angle: %.17g, name: pin}\n"
             "  - {revolute: [a, b], at: {a: end, b: start}, name: knee}\n"
             "  - {revolute: [b, s], at: {b: end, s: origin}, name: wrist}\n"
             "  - {prismatic: [ground, s], at: {ground: [0, 0], s: origin}, axis: [1, 0], name: rail}\n"
             "simulate: {step: 1 ms, steps: 1}\n",
             a, b, crank);
    return true;
}

/* The joint gets its coordinate on the branch, a little off, as a hint. */
static void add_hint(mechanism *m, int joint, double value)
{
    char name[32], rest[1024];
    snprintf(name, sizeof name, "name: %s}", m->joint[joint]);
    char *at = strstr(m->text, name);
    CHECK(at != NULL);
    if (!at) return;
    snprintf(rest, sizeof rest, "%s", at);
    snprintf(at, sizeof m->text - (size_t)(at - m->text), "%s: %.17g, hint: true, %s",
             strcmp(m->joint[joint], "rail") == 0 ? "slide" : "angle", value, rest);
}

static double coordinate_of(const ac_system *system, const char *name)
{
    for (int j = 0; j < system->joint_count; ++j)
        if (strcmp(system->joints[j].name, name) == 0 && system->joints[j].first_measure >= 0)
            return system->measures[system->joints[j].first_measure].initial;
    return NAN;
}

static void check(bool (*draw)(dice *, mechanism *))
{
    dice rolls = {7};
    for (int k = 0; k < TRIALS; ++k) {
        mechanism m;
        int joint = 1 + k % (JOINTS - 1), side = (k / 3) % 2;
        if (!draw(&rolls, &m)) continue;
        const double *want = m.branch[side];
        bool length = strcmp(m.joint[joint], "rail") == 0;
        double apart = m.branch[1][joint] - m.branch[0][joint];
        if (fabs(length ? apart : turn(apart)) < 0.4) continue; /* the hint would say nothing */
        add_hint(&m, joint, want[joint] + dice_between(&rolls, -0.08, 0.08));
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        CHECK(ac_problem_parse(ctx, "f.yaml", m.text, strlen(m.text), NULL, 0, &problem) == AC_OK);
        double now = problem ? coordinate_of(ac_problem_system(problem), m.joint[joint]) : NAN,
               off = now - want[joint];
        if (!(fabs(length ? off : turn(off)) < 1e-8))
            printf("  trial %d, hint at %s: %g, should be %g\n", k, m.joint[joint], now, want[joint]);
        CHECK(fabs(length ? off : turn(off)) < 1e-8);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

TEST(four_bars_close_on_the_branch_of_the_hint)
{
    check(four_bar);
}

TEST(slider_cranks_close_on_the_branch_of_the_hint)
{
    check(slider_crank);
}

RUN_TESTS(CASE(four_bars_close_on_the_branch_of_the_hint),
          CASE(slider_cranks_close_on_the_branch_of_the_hint))
