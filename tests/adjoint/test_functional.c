/* Gradients by parameters that stand in a functional itself: in directions, axes, shapes and signals of its quantities, and in what
 * energies, momenta and speeds are made of. The functional keeps what it depends on also where that is zero at the start. */
#include "support/gradients.h"

/* Three bodies in space: one on a hinge, one on a ball joint, one flies. c0 moves a centre of mass, ax the hinge. */
#define SYSTEM(hinge, centre)                                                                               \
    "parameters: {P: 0.2, Q: 0.3}\n"                                                                        \
    "gravity: [0, 0, -9.81]\n"                                                                              \
    "bodies:\n"                                                                                             \
    "  a: {solid: {rod: {length: 0.5, mass: 1}}}\n"                                                         \
    "  b: {mass: 0.5, inertia: [0.02, 0.03, 0.04, 0.001, 0.002, 0], centre: [" centre ", 0.02, 0.01], "     \
    "points: {tip: [0.3, 0.1, 0.05]}}\n"                                                                    \
    "  c: {axes: principal, mass: 0.4, inertia: [0.02, 0.03, 0.04, 0.003, 0, 0.001], position: [1, 1, 1], " \
    "velocity: [0.1, 0.3, 0.2], angular_velocity: [1, 2, 0.5]}\n"                                           \
    "joints:\n"                                                                                             \
    "  - {name: h, revolute: [ground, a], at: {a: start}, axis: " hinge ", angle: 0.3, angle_rate: 1}\n"    \
    "  - {name: s, spherical: [a, b], at: {a: end, b: origin}, rates: [1, 2, 0.5]}\n"                       \
    "springs: [{joint: h, stiffness: 5, damping: 0.1, rest: 0.2}]\n"                                        \
    "loads: [{force: [0.1, =0.3*sin(3*t), 0.2], on: b, at: tip}]\n"

#define TERMS "functional: [{start: Q*z^2}, {end: 3*z + z_rate}, {running: P*z^2 + z_rate^2}]}\n"
#define PLAIN_TERMS "functional: [{start: Q*z^2}, {end: 3*z}, {running: P*z^2 + z}]}\n"
#define OF(quantity, terms) \
    SYSTEM("[0, 1, 0]", "0.1") "simulate: {step: 5 ms, steps: 12, quantities: {z: {" quantity "}}, " terms

static const gradient_subject directions[] = {
    {"point along a direction", OF("point: tip, of: b, along: [1, =P, =Q]", TERMS)},
    {"moving point along a direction", OF("point: [=P, 0.1, =Q], of: b, along: [1, =P, =Q]", TERMS)},
    {"axis along a direction", OF("axis: [1, =P, 0.1], of: b, along: [=Q, 1, =P]", TERMS)},
    {"axis of a body in principal axes", OF("axis: [1, =P, =Q], of: c, along: [0.1, 1, =P]", TERMS)},
    {"angle", OF("axis: [1, =P, 0.3], of: b, from: [1, 0.1, =Q], to: [=P, 1, 0]", TERMS)},
    {"turn", OF("turn_from: [0.1, =P, 0.3], of: c, along: [1, =Q, 0]", TERMS)},
    {"turn about an axis", OF("turn_from: {axis: [0, =P, 1], angle: =Q}, of: b, along: z", TERMS)},
    {"twist", OF("joint: s, coordinate: twist, axis: [1, =P, =Q]", TERMS)},
};

TEST(directions_of_quantities)
{
    for (size_t k = 0; k < sizeof directions / sizeof *directions; ++k)
        compare(&directions[k], scheme_for(&directions[k], (int)k), "reduced");
}

/* The swing has no derivative where it begins, at zero. */
TEST(the_axis_of_a_swing)
{
    const gradient_subject swing = {
        "swing", OF("joint: s, coordinate: swing, axis: [1, =P, =Q]", "functional: [{end: z + z_rate}]}\n")};
    compare(&swing, "midpoint", "reduced");
}

static const gradient_subject motions[] = {
    {"momentum", OF("momentum: b, along: [1, =P, =Q]", PLAIN_TERMS)},
    {"momentum of all", OF("momentum: system, along: [=P, 1, =Q]", PLAIN_TERMS)},
    {"angular momentum about the centre", OF("angular_momentum: b, along: [1, =P, =Q]", PLAIN_TERMS)},
    {"angular momentum about a place",
     OF("angular_momentum: system, along: [1, =P, 0], about: [=Q, 0.1, =P]", PLAIN_TERMS)},
};

TEST(directions_and_places_of_momenta)
{
    for (size_t k = 0; k < sizeof motions / sizeof *motions; ++k)
        compare(&motions[k], scheme_for(&motions[k], (int)k), "reduced");
}

/* Signals that are zero at the start, jump, or are tables whose points move. */
static const gradient_subject signals[] = {
    {"signal", OF("signal: =P*t + sin(Q*t)", PLAIN_TERMS)},
    {"signal that begins later", OF("signal: =P*step(t - 0.031)*exp(Q*t)", PLAIN_TERMS)},
    {"table", OF("signal: {table: [[0, 0], [=0.1*P, 0], [=0.1*Q, =P], [0.06, 1]]}", PLAIN_TERMS)},
    {"steps", OF("signal: {steps: [[0, 0], [0.031, =P*Q]]}", PLAIN_TERMS)},
    {"signal in a product", OF("point: tip, of: b, along: [1, =P, 0]}, path: {signal: =step(t - 0.03)*Q*t",
                               "functional: [{running: (z - path)^2}, {end: path*z_rate}]}\n")},
};

TEST(signals_follow_parameters)
{
    for (size_t k = 0; k < sizeof signals / sizeof *signals; ++k)
        compare(&signals[k], scheme_for(&signals[k], (int)k), "reduced");
}

#define CLEAR(a, b) OF("clearance: [{" a "}, {" b "}]", TERMS)
/* Their ends would meet at one of the points of the derivative, and the normal would vanish there. */
#define ROD(shape, other)                                                                              \
    "parameters: {P: 0.5, Q: 0.3}\n"                                                                   \
    "bodies:\n"                                                                                        \
    "  a: {solid: {rod: {length: =P, mass: 1}}}\n"                                                     \
    "  b: {mass: 1, inertia: [0.02, 0.03, 0.04], position: [1.2, 0.3, 0.3], velocity: [-1, 0, 0.2]}\n" \
    "joints: [{name: s, spherical: [ground, a], at: {a: start}, rates: [0.3, 0, 1]}]\n"                \
    "simulate: {step: 5 ms, steps: 10, quantities: {z: {clearance: [{" shape "}, {" other              \
    "}]}}, functional: [{running: Q*z^2}]}\n"
static const gradient_subject shrinking[] = {
    {"capsule along a rod",
     ROD("of: a, from: start, to: end, radius: =0.1*Q", "of: b, at: origin, radius: 0.1")},
    {"half-space with the length of its normal",
     ROD("of: a, at: end, normal: [0, 0, =P]", "of: b, at: [1, =Q, 0], radius: 0.1")},
};

TEST(shapes_do_not_vanish_along_derivatives)
{
    for (size_t k = 0; k < sizeof shrinking / sizeof *shrinking; ++k)
        compare(&shrinking[k], scheme_for(&shrinking[k], (int)k), "reduced");
}

static const gradient_subject shapes[] = {
    {"spheres", CLEAR("of: b, at: [=P, 0.1, 0], radius: =P*Q", "of: c, at: [0, =Q, 0], radius: 0.01")},
    {"capsules", CLEAR("of: b, from: [0, 0.3, =P], to: [=Q, -0.4, 0.3], radius: =Q",
                       "of: c, from: [=P, 0, 0], to: [0, =P + 0.2, 1], radius: 0.01")},
    {"above a plane",
     CLEAR("of: b, at: tip, radius: =P", "of: ground, at: [0, 0, =-Q - 1], normal: [0.1, =P, 1]")},
    {"box above a plane of a body",
     CLEAR("of: b, at: [=P, 0, 0], box: [0.1, =Q, 0.2], rotation: [0.3, =P, 0.1]",
           "of: c, at: [0, 0, =Q], normal: [1, =P, 0.2]")},
    {"sphere and box", CLEAR("of: b, at: tip, radius: 0.02",
                             "of: c, box: [=P, 0.1, =Q], rotation: [0.1, =P, 0.4], radius: =0.1*Q")},
    {"capsule and box", CLEAR("of: b, from: [0, 0, =P], to: [0.1, =Q, 0.3], radius: 0.02",
                              "of: c, box: [=P, 0.1, =Q], rotation: [0.5, =P, 0.4]")},
    {"boxes", CLEAR("of: b, box: [0.1, =P, =Q], rotation: [0.1, =P, 0.2]",
                    "of: c, box: [=P, 0.1, =Q], rotation: [0.5, =P, 0.4]")},
};

TEST(shapes_of_clearances)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        compare(&shapes[k], scheme_for(&shapes[k], (int)k), "reduced");
}

#define AMONG(quantities, terms) \
    SYSTEM("[=P, 1, =Q*P]", "=Q") "simulate: {step: 5 ms, steps: 12, quantities: {" quantities "}, " terms

/* The hinge turns and the centre of mass moves: places are measured from it, springs act about the other. */
static const gradient_subject systems[] = {
    {"clearance from a centre that moves",
     AMONG("z: {clearance: [{of: b, from: tip, to: [0, 0.3, 0]}, {of: c, box: [0.1, 0.2, 0.3]}]}", TERMS)},
    {"energies where a hinge turns",
     AMONG("all: {energy: system}, own: {kinetic_energy: b}, stored: {potential_energy: system}",
           "functional: [{end: all + own}, {running: stored^2 + own}, {running: stored_rate^2}]}\n")},
    {"directions where a hinge turns",
     AMONG(
         "z: {point: tip, of: b, along: [1, =P, 0]}, swing: {joint: s, coordinate: twist, axis: [1, =P, 0]}, "
         "turn: {joint: h}",
         "functional: [{end: z + z_rate*swing + turn}, {running: z^2 + swing_rate*turn_rate}]}\n")},
    {"momenta where a centre moves", AMONG("push: {momentum: b, along: [1, =P, 0]}, spin: {angular_momentum: "
                                           "system, along: x, about: [0, =Q, 1]}",
                                           "functional: [{end: push*spin}, {running: push^2 + spin}]}\n")},
};

TEST(functionals_of_systems_that_vary)
{
    for (size_t k = 0; k < sizeof systems / sizeof *systems; ++k)
        for (int scheme = 0; scheme < 2; ++scheme)
            compare(&systems[k], scheme_for(&systems[k], scheme), scheme ? "reduced" : "null-space");
}

/* Controls: their work is that along speeds, of forces at places in body axes and about axes that turn. */
#define DRIVEN(objective)                                                      \
    SYSTEM("[=P, 1, =Q*P]", "=Q")                                              \
    "optimize:\n"                                                              \
    "  duration: 0.05\n"                                                       \
    "  intervals: 8\n"                                                         \
    "  method: shooting\n"                                                     \
    "  controls:\n"                                                            \
    "    - {name: drive, joint: h, guess: 1.5}\n"                              \
    "    - {name: push, force: b, at: [=P, 0.1, =Q], frame: body, guess: 2}\n" \
    "    - {name: pull, force: b, at: [0.1, =P, 0], guess: 1}\n"               \
    "  quantities: {tip: {point: tip, of: b, along: [1, =P, 0]}}\n"            \
    "  objective: [" objective ", {end: tip + 0.1*tip_rate}]\n"

static const gradient_subject driven[] = {
    {"work", DRIVEN("{work: 1}")},
    {"weights", DRIVEN("{work: =P}, {effort: =Q}, {energy: =P*Q}, {duration: =P}")},
    {"speeds", DRIVEN("{running: P*drive_speed^2 + push_x_speed*push_y_speed + pull_z*pull_z_speed}")},
};

TEST(speeds_of_controls)
{
    for (size_t k = 0; k < sizeof driven / sizeof *driven; ++k) compare(&driven[k], "midpoint", "reduced");
}

/* What has no exact derivative has no gradient, and the reason comes with its place. */
static void check_refusal(const char *text, const char *words)
{
    static const char *const names[] = {"P"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    ac_status status = problem ? ac_gradient_new(ctx, problem, names, 1, 0, &gradient) : AC_OK;
    if (!strstr(ac_context_message(ctx), words)) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_BAD_INPUT && strstr(ac_context_message(ctx), words));
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(what_is_not_followed_is_refused)
{
    check_refusal("parameters: {P: 0.2}\n"
                  "bodies:\n"
                  "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, =P, 0]}\n"
                  "joints: [{revolute: [ground, a], at: [0, 0, 1], axis: [0, 1, 0]}]\n"
                  "simulate: {step: 0.01, steps: 3, quantities: {z: {point: centre, of: a, along: z}}, "
                  "functional: [{end: z}]}\n",
                  "the start does not have the velocity that is given to 'a'");
    check_refusal(
        "parameters: {P: 0.2}\n"
        "beams:\n"
        "  m: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 2, model: dual_quaternion, stiffness: "
        "{shear: [9, 9], axial: 9, bending: [1, 1], torsion: 1}, inertia: {mass: 1, rotary: [0.1, 0.1]}}\n"
        "simulate: {step: 0.001, steps: 3, quantities: {z: {pose: {position: [0, 0, =P], rotation: [0, 0, "
        "1]}, of: m.end}}, functional: [{end: z}]}\n",
        "f.yaml:4:76: the parameter 'P' stands here, and what it changes has no derivative");
}

RUN_TESTS(CASE(shapes_do_not_vanish_along_derivatives), CASE(directions_of_quantities),
          CASE(the_axis_of_a_swing), CASE(directions_and_places_of_momenta), CASE(signals_follow_parameters),
          CASE(shapes_of_clearances), CASE(functionals_of_systems_that_vary), CASE(speeds_of_controls),
          CASE(what_is_not_followed_is_refused))
