/* The comparison of gradients with differences: what is right passes, what has no derivative is found, a long motion is compared over
 * its first steps, and differences that mean nothing decide nothing. */
#include <string.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

static ac_status compare(const char *text, ac_gradient_comparison *c)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) status = ac_gradient_check(ctx, problem, c);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

#define POINT(functional, steps)                                                       \
    "parameters: {p: 0, m: 2}\n"                                                       \
    "points: {a: {mass: =m, position: [0, 0, =p]}}\n"                                  \
    "loads: [{force: [3, 0, 0], on: a}]\n"                                             \
    "simulate: {step: 0.01, steps: " steps ", quantities: {x: {point: centre, of: a, " \
    "along: x}, z: {point: centre, of: a, along: z}}, functional: [{end: '" functional "'}]}\n"

TEST(a_gradient_passes)
{
    ac_gradient_comparison c;
    CHECK(compare(POINT("x + z", "10"), &c) == AC_OK);
    CHECK(c.derivatives == 2 && c.undecided == 0 && c.steps == 10);
    CHECK(!c.differs && c.error < 1e-6 && c.worst[0]);
}

/* The derivative of the greater of z and 0 at z = 0 is that of one of them, differences give the mean of both. */
TEST(a_kink_is_found)
{
    ac_gradient_comparison c;
    CHECK(compare(POINT("x + max(z, 0)", "10"), &c) == AC_OK);
    CHECK(c.differs && c.error > 0.4 && strcmp(c.worst, "p") == 0);
}

TEST(a_long_motion_is_compared_in_part)
{
    ac_gradient_comparison c;
    CHECK(compare(POINT("x/1e6 + z", "100000000"), &c) == AC_OK);
    CHECK(c.steps >= 10 && c.steps < 1000000);
    CHECK(c.derivatives == 2 && !c.differs && c.error < 1e-4);
}

/* A double pendulum turns over for a minute: its end hardly follows from its lengths. */
TEST(chaos_decides_nothing)
{
    static const char text[] =
        "parameters: {L: 1.3}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies: {rod: {repeat: 2, solid: {rod: {length: =L, mass: 2}}}}\n"
        "joints:\n"
        "  - {revolute: [ground, rod(1)], at: {rod(1): start}, angle: 1}\n"
        "  - {revolute: [rod(1), rod(2)], at: {rod(1): end, rod(2): start}, angle: 0.4}\n"
        "simulate: {step: 0.01, steps: 6000, quantities: {y: {point: end, of: rod(2), along: y}}, "
        "functional: [{end: y}]}\n";
    ac_gradient_comparison c;
    CHECK(compare(text, &c) == AC_OK);
    CHECK(c.derivatives == 0 && c.undecided == 1 && !c.differs);
    CHECK(strcmp(c.unsure, "L") == 0);
}

TEST(a_motion_with_contacts_is_compared)
{
    static const char text[] =
        "parameters: {m: 1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, 1]}}\n"
        "contacts: [{body: ball, radius: 0.1, plane: {normal: [0, 0, 1]}}]\n"
        "simulate: {step: 0.01, steps: 10, quantities: {z: {point: centre, of: ball, along: z}}, "
        "functional: [{end: z}]}\n";
    ac_gradient_comparison c;
    CHECK(compare(text, &c) == AC_OK);
    CHECK(c.derivatives == 1 && !c.differs);
}

/* It comes to rest on the floor. */
TEST(a_motion_with_a_closed_contact_has_no_gradient)
{
    static const char text[] =
        "parameters: {m: 1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, 0.2]}}\n"
        "contacts: [{body: ball, behaviour: sticking}]\n"
        "simulate: {step: 0.01, steps: 30, quantities: {z: {point: centre, of: ball, along: z}}, "
        "functional: [{end: z}]}\n";
    ac_gradient_comparison c;
    CHECK(compare(text, &c) == AC_BAD_INPUT);
}

#define SWING(method)                                                                                      \
    "gravity: [0, -9.81]\n"                                                                                \
    "planar_bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}\n"                                         \
    "joints: [{revolute: [ground, rod], at: {rod: start}, angle: 0.3, name: hinge}]\n"                     \
    "optimize: {method: " method ", start: initial, start_velocity: initial, intervals: 20, duration: 1, " \
    "quantities: {phi: {joint: hinge}}, controls: [{joint: hinge, name: torque, guess: 0.2}], "            \
    "objective: [{effort: 1}, {end: phi^2}]}\n"

TEST(shooting_is_compared_by_its_controls)
{
    ac_gradient_comparison c;
    CHECK(compare(SWING("shooting"), &c) == AC_OK);
    CHECK(c.derivatives == 1 && c.steps == 20 && !c.differs && c.error < 1e-6);
    CHECK(compare(SWING("transcription"), &c) == AC_OK);
    CHECK(c.derivatives == 0 && c.steps == 0 && !c.differs);
}

/* The distance joint leaves no room for the given angle, which assembly changes: the start then follows the path of the assembly, and there
 * is no gradient by what changes it. */
TEST(given_coordinates_that_are_not_met)
{
    static const char text[] =
        "parameters: {crank: 0.5, coupler: 2, x: 0.1, a0: 0.3}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  crank: {solid: {rod: {length: =crank, mass: 1}}}\n"
        "  coupler: {solid: {cylinder: {length: =coupler, radius: 0.1, mass: 3}}}\n"
        "  slider: {mass: 2, inertia: [0.2, 0.25, 0.1], points: {eye: [0, 0.1, =x]}}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, =x], angle: =a0, angle_rate: 2}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 0.1, 1], angle: =x, "
        "angle_rate: 0.4}\n"
        "  - {distance: [slider, coupler], at: {coupler: end, slider: eye}, length: =0.7*coupler}\n"
        "  - {prismatic: [ground, slider], at: {ground: [2, 0.1, =x], slider: origin}, axis: [1, 0, 0]}\n"
        "simulate:\n"
        "  step: 5 ms\n"
        "  steps: 8\n"
        "  quantities: {eye: {point: eye, of: slider, along: x}}\n"
        "  functional: [{end: eye}]\n";
    ac_gradient_comparison c;
    CHECK(compare(text, &c) == AC_OK);
    CHECK(c.derivatives == 0 && !c.differs);
}

RUN_TESTS(CASE(given_coordinates_that_are_not_met), CASE(a_gradient_passes), CASE(a_kink_is_found),
          CASE(a_long_motion_is_compared_in_part), CASE(chaos_decides_nothing),
          CASE(a_motion_with_contacts_is_compared), CASE(a_motion_with_a_closed_contact_has_no_gradient),
          CASE(shooting_is_compared_by_its_controls))
