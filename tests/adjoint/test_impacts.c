/* Gradients of motions with impacts: against the closed form of a ball that bounces, and against differences of whole simulations for every
 * law, every kind of gap, trees and loops. What has no derivative is refused by contact and time. */
#include "actio/adjoint.h"
#include "support/gradients.h"

#define SIMULATE(steps, quantities, functional)                                                             \
    "simulate: {step: 10 ms, steps: " steps ", quantities: {" quantities "}, functional: [" functional "]}" \
    "\n"
#define RUNNING "{running: z^2 + 0.3*z_rate^2*t}, {running: sin(2*t)*z}"

/* --- the closed form --- */

#define GRAVITY 9.81
#define BALL(law, terms)                                                                 \
    "parameters: {z0: 1, e: 0.8}\n"                                                      \
    "gravity: [0, 0, -9.81]\n"                                                           \
    "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: 2}}, position: [0, 0, =z0]}}\n" \
    "contacts: [{body: ball, " law "}]\n" SIMULATE("60", "z: {point: centre, of: ball, along: z}", terms)

/* Between impacts the discrete motion is the parabola itself, and impacts that balance the node are those of the theory: all is exact.
 * z = r + e v s - g/2 s^2 with s = T - v / g, v = sqrt(2 g (z0 - r)), dv/dz0 = g / v. */
static void bounce(double e, double z0, double *z, double *by_z0)
{
    double v = sqrt(2.0 * GRAVITY * (z0 - 0.1)), s = 0.6 - v / GRAVITY;
    *z = 0.1 + e * v * s - 0.5 * GRAVITY * s * s;
    *by_z0 = (e * s - (e * v - GRAVITY * s) / GRAVITY) * GRAVITY / v;
}

TEST(height_after_a_bounce_by_the_height_before)
{
    static const char *const texts[] = {BALL("energy: nodes", "{end: z}"),
                                        BALL("energy: nodes, restitution: =e", "{end: z}")};
    for (int k = 0; k < 2; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = read_problem(ctx, texts[k], "midpoint", "reduced");
        ac_gradient *gradient = NULL;
        double value = NAN, z, by;
        bounce(k == 0 ? 1.0 : 0.8, 1.0, &z, &by);
        CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_OK);
        CHECK(ac_gradient_run(gradient, &value) == AC_OK);
        CHECK_NEAR(value, z, 1e-11);
        CHECK_NEAR(ac_gradient_by_parameter(gradient, 0), by, 1e-10);
        double v = sqrt(2.0 * GRAVITY * 0.9); /* dz/de = v s */
        CHECK_NEAR(ac_gradient_by_parameter(gradient, 1), k == 0 ? 0.0 : v * (0.6 - v / GRAVITY), 1e-10);
        ac_gradient_free(gradient);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* --- differences --- */

#define FLIGHT(law)                                                                                          \
    "parameters: {m: 1.3, z0: 1, v: 0.7, F: 0.4, g: 9.81}\n"                                                 \
    "gravity: [0, 0, =-g]\n"                                                                                 \
    "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, =z0], velocity: [=v, 0, "    \
    "0]}}\n"                                                                                                 \
    "loads: [{force: [=F, 0, =F*sin(3*t)], on: ball}]\n"                                                     \
    "contacts: [{body: ball" law                                                                             \
    "}]\n" SIMULATE("100", "z: {point: centre, of: ball, along: z}, x: {point: centre, of: ball, along: x}", \
                    "{end: z + 0.3*x^2 + 0.1*z_rate}, " RUNNING)

#define ARMS(mass, contacts, steps)                                                          \
    "parameters: {m: 1.3, L: 0.8, a: -0.9, k: 3, c: 0.1}\n"                                  \
    "gravity: [0, 0, -9.81]\n"                                                               \
    "bodies:\n"                                                                              \
    "  a: {solid: {rod: {length: =L, mass: =m}}}\n"                                          \
    "  b: {solid: {rod: {length: 0.5, mass: " mass "}}}\n"                                   \
    "joints:\n"                                                                              \
    "  - {revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: =a, name: h}\n"     \
    "  - {revolute: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], angle: 0.9, name: k}\n" \
    "springs: [{joint: k, stiffness: =k, damping: =c}]\n"                                    \
    "contacts:\n" contacts                                                                   \
    SIMULATE(steps, "z: {point: end, of: b, along: z}, x: {joint: h}",                       \
             "{end: z + x^2 + 0.1*x_rate}, " RUNNING)
#define SLOPE "{through: [0, 0, -1.1], normal: [0.1, 0, 1]}"

static const gradient_subject subjects[] = {
    {"elastic", FLIGHT("")},
    {"elastic, nodes", FLIGHT(", energy: nodes")},
    {"lossy", FLIGHT(", restitution: 0.8")},
    {"lossy, nodes", FLIGHT(", restitution: 0.8, energy: nodes")},
    {"given loss", FLIGHT(", loss: 1")},
    {"given loss, nodes", FLIGHT(", loss: 1, energy: nodes")},
    {"arm on a slope",
     ARMS("0.7", "  - {body: b, at: end, radius: 0.03, restitution: 0.7, plane: " SLOPE "}\n", "110")},
    {"arm on a slope, nodes",
     ARMS("0.7", "  - {body: b, at: end, restitution: 0.7, energy: nodes, plane: " SLOPE "}\n", "110")},
    {"arm at a limit",
     ARMS("0.7", "  - {joint: k, upper: 1.2}\n  - {joint: k, lower: -0.4, restitution: 0.9}\n", "80")},
    {"arm at a sphere",
     ARMS("0.7", "  - {body: b, at: end, restitution: 0.7, sphere: {at: [0.2, 0, -1.5], radius: 0.3}}\n",
          "80")},
    {"arm in an ellipsoid", ARMS("0.7",
                                 "  - {body: b, at: end, restitution: 0.7, energy: nodes, ellipsoid: {axes: "
                                 "[1.4, 1, 1.2], inside: true}}\n",
                                 "60")},
    {"two balls",
     "parameters: {m: 0.7, y: 0.03, v: 1.5}\n"
     "gravity: [0, 0, -1]\n"
     "bodies:\n"
     "  a: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, =y, 1], velocity: [=v, 0, 0.2]}\n"
     "  b: {solid: {sphere: {radius: 0.2, mass: 1}}, position: [1, 0, 1], velocity: [0, 0.1, 0.3]}\n"
     "contacts: [{body: a, sphere: {on: b}, restitution: 0.9}]\n" SIMULATE(
         "80", "z: {point: centre, of: b, along: z}, x: {point: centre, of: b, along: y}",
         "{end: z + x^2 + x_rate}, " RUNNING)},
    {"tumbling body",
     "parameters: {m: 0.7, z: 0.6, w: 1.5}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {a: {solid: {box: {size: [0.2, 0.3, 0.1], mass: =m}}, position: [0, 0, =z], angular_velocity: "
     "[1, =w, 0.3]}}\n"
     "contacts: [{body: a, at: corners, restitution: 0.6}]\n" SIMULATE(
         "42", "z: {point: centre, of: a, along: z}, x: {point: [0.1, 0.1, 0], of: a, along: y}",
         "{end: z + x + x_rate}, " RUNNING)},
    {"four-bar at a wall",
     "parameters: {c: 0.9, m: 3, w: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank:   {solid: {rod: {length: =c, mass: 1}}}\n"
     "  coupler: {solid: {rod: {length: 3, mass: =m}}}\n"
     "  rocker:  {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
     "joints:\n"
     "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: 0.3, angle_rate: =w}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], name: swing}\n"
     "contacts: [{body: rocker, at: start, restitution: 0.5, plane: {through: [2.4, 0, 0], normal: [1, 0, "
     "0.1]}}]\n" SIMULATE("60", "z: {point: end, of: crank, along: z}", "{end: z + z_rate}, " RUNNING)},
};

/* Impacts divide steps of every subject. */
static void has_impacts(const gradient_subject *subject)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, subject->text, "midpoint", "reduced");
    const ac_simulation_settings *settings = ac_problem_simulation(problem);
    ac_adjoint *adjoint = NULL;
    double value;
    CHECK(ac_adjoint_new(ctx, ac_problem_system(problem), settings, 0, &adjoint) == AC_OK);
    CHECK(ac_adjoint_run(adjoint, &(ac_functional){.user = NULL}, &value) == AC_OK);
    if (ac_adjoint_steps_taken(adjoint) <= settings->steps) printf("  %s: no impact\n", subject->name);
    CHECK(ac_adjoint_steps_taken(adjoint) > settings->steps);
    ac_adjoint_free(adjoint);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

#define NUMBERS(parameters, contact)                                                                         \
    "parameters: {" parameters "}\n"                                                                         \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.15], centre: [0.02, 0.01, 0], position: [0, 0, 0.6], "      \
    "angular_velocity: [1, 0.5, 0.3], velocity: [0.2, 0.1, 0], points: {foot: [0.2, =P, -0.1]}}}\n"          \
    "contacts: [{body: a, " contact                                                                          \
    "}]\n" SIMULATE("42", "z: {point: centre, of: a, along: z}, x: {point: [0.1, 0.1, 0], of: a, along: y}", \
                    "{end: z + x + x_rate}, " RUNNING)

/* Parameters in the contact itself. */
static const gradient_subject numbers[] = {
    {"radius and restitution", NUMBERS("R: 0.1, P: 0.1, e: 0.7", "at: foot, radius: =R, restitution: =e")},
    {"restitution, nodes", NUMBERS("P: 0.1, e: 0.7", "at: foot, restitution: =e, energy: nodes")},
    {"loss", NUMBERS("P: 0.1, W: 1.1", "at: foot, loss: =W")},
    {"loss, nodes", NUMBERS("P: 0.1, W: 1.1", "at: foot, loss: =W, energy: nodes")},
    {"height of the floor",
     NUMBERS("P: 0.1, x: 0.02", "at: [0.1, =P, =-P], plane: {through: [0, =x, =x], normal: [0.1, 0.2, 1]}")},
    {"place and radius of a sphere",
     NUMBERS("P: 0.1, x: 0.02, R: 1", "at: foot, radius: 0.1, sphere: {at: [=x, 0.1, -0.95], radius: =R}")},
    {"place and radius of a sphere about it",
     NUMBERS("P: 0.1, x: 0.02, R: 1.2", "at: foot, sphere: {at: [=x, 0.1, 0.95], radius: =R, inside: true}")},
    {"ellipsoid about it",
     NUMBERS("P: 0.1, x: 0.02", "at: foot, ellipsoid: {at: [=x, 0.1, 0.7], axes: [1, 2, 0.8], "
                                "inside: true}")},
    {"centre of mass",
     "parameters: {c: 0.1, s: 0.05}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {mass: 1, inertia: [0.1, 0.1, 0.2], centre: [=c, 0, 0], position: [0, 0, 0.6], angular_velocity: "
     "[1, 0.5, 0.3]}\n"
     "  b: {mass: 2, inertia: [0.1, 0.2, 0.2], centre: [0, =s, 0], velocity: [0, 0, 0.5]}\n"
     "contacts: [{body: a, at: [0.1, 0, 0], plane: {on: b, through: [0, 0, 0.1], normal: [0, 0.1, "
     "1]}}]\n" SIMULATE("110",
                        "z: {point: origin, of: a, along: z}, x: {point: [0.1, 0.1, 0], of: b, along: y}",
                        "{end: z + x + x_rate}, " RUNNING)},
    {"limit", "parameters: {a: 0.9, e: 0.8}\n"
              "gravity: [0, 0, -9.81]\n"
              "bodies: {a: {solid: {rod: {length: 1, mass: 1}}}}\n"
              "joints: [{revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: 0.3, name: h}]\n"
              "contacts: [{joint: h, upper: =a, restitution: =e}, {joint: h, lower: =-a/4}]\n" SIMULATE(
                  "120", "z: {joint: h}", "{end: z + z_rate}, " RUNNING)},
};

TEST(parameters_in_contacts)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        has_impacts(&numbers[k]);
        compare(&numbers[k], "midpoint", "reduced");
        compare(&numbers[k], "trapezoidal", "multipliers");
    }
}

/* Contacts that stay closed, and open again. */
static const gradient_subject held[] = {
    {"slides",
     "parameters: {m: 1.3, z0: 0.4, v: 0.7, F: 0.4, r: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, =z0], velocity: [=v, 0, 0], "
     "angular_velocity: [0.3, 0.2, 1]}}\n"
     "loads: [{force: [=F, 0, =F*sin(3*t)], on: ball}]\n"
     "contacts: [{body: ball, radius: =r, behaviour: sliding, plane: {normal: [0.2, 0.1, 1]}}]\n" SIMULATE(
         "60", "z: {point: centre, of: ball, along: z}, x: {point: centre, of: ball, along: x}",
         "{end: z + x_rate + z_rate*x}, " RUNNING)},
    {"bounces and rests",
     "parameters: {z0: 0.4, r: 0.1, e: 0.2, m: 0.7}\n"
     "gravity: [0.3, 0, -9.81]\n"
     "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, =z0], velocity: [0.2, 0, "
     "0]}}\n"
     "contacts: [{body: ball, radius: =r, restitution: =e}]\n" SIMULATE(
         "60", "z: {point: centre, of: ball, along: z}, x: {point: centre, of: ball, along: x}",
         "{end: z + x^2 + x_rate}, " RUNNING)},
    {"slides over a ball and leaves it",
     "parameters: {m: 1.3, z0: 0.12, v: 0.7, R: 0.5, L: 0.3}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  rod: {solid: {rod: {length: =L, mass: =m}}, position: [0.1, 0, =R + z0], velocity: [=v, 0, 0]}\n"
     "  bob: {solid: {rod: {length: 0.3, mass: 0.4}}}\n"
     "joints: [{revolute: [rod, bob], at: {rod: end, bob: start}, axis: [0, 1, 0], angle: 1}]\n"
     "contacts: [{body: rod, at: [0, 0, 0], behaviour: sliding, sphere: {radius: =R}}]\n" SIMULATE(
         "50", "z: {point: end, of: bob, along: z}, x: {point: end, of: rod, along: x}",
         "{end: z + 0.3*x^2 + x_rate}, " RUNNING)},
    {"slides along a floor against two walls",
     "parameters: {m: 1.3, z0: 0.3, v: 1.7, x: 0.6, e: 0.6}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, =z0], velocity: [=v, 1, "
     "0]}}\n"
     "loads: [{force: [0, 3, 0], on: ball}]\n"
     "contacts:\n"
     "  - {body: ball, behaviour: sliding, plane: {normal: [-0.05, 0, 1]}}\n"
     "  - {body: ball, restitution: =e, plane: {through: [=x, 0, 0], normal: [-1, 0.2, -0.1]}}\n"
     "  - {body: ball, behaviour: sliding, plane: {through: [0, 0.7, 0], normal: [0, -1, -0.1]}}\n" SIMULATE(
         "75", "z: {point: centre, of: ball, along: z}, x: {point: centre, of: ball, along: x}",
         "{end: z + x_rate + z_rate*x}, " RUNNING)},
    {"latched arm strikes a sphere",
     "parameters: {m: 1.3, L: 0.8, a: -0.9, k: 3, c: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {rod: {length: =L, mass: =m}}}\n"
     "  b: {solid: {rod: {length: 0.5, mass: 0.7}}}\n"
     "joints:\n"
     "  - {revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: =a, name: h}\n"
     "  - {revolute: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], angle: 0.9, name: k}\n"
     "springs: [{joint: k, stiffness: =k, damping: =c}]\n"
     "contacts:\n"
     "  - {joint: k, lower: =0.2 + c, behaviour: latch}\n"
     "  - {body: b, at: end, restitution: 0.8, radius: =c, sphere: {at: [0.5, 0, -1.4], radius: "
     "0.2}}\n" SIMULATE("90", "z: {point: end, of: b, along: z}, x: {joint: h}",
                        "{end: z + x^2 + 0.1*x_rate}, " RUNNING)},
    {"rod sticks",
     "parameters: {m: 1.3, z: 0.5, L: 0.6, w: 1, v: 0.4, P: 0.05}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {rod: {length: =L, mass: =m}}, position: [0, 0, =z], velocity: [=v, 0, 0], "
     "angular_velocity: [0.3, =w, 0.2], points: {foot: [=P, 0.02, 0]}}\n"
     "  b: {solid: {rod: {length: 0.5, mass: 0.7}}}\n"
     "joints: [{revolute: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], angle: 0.9, name: k}]\n"
     "contacts: [{body: a, at: foot, behaviour: sticking, plane: {through: [0, 0, =P], normal: [0.1, 0, "
     "1]}}]\n" SIMULATE("34", "z: {point: end, of: b, along: z}, x: {point: end, of: a, along: x}",
                        "{end: z + x^2 + 0.1*x_rate + x}, " RUNNING)},
    {"biped changes its stance",
     "gravity: [0, -9.81]\n"
     "parameters: {L1: 0.5, L2: 0.5, m1: 2, m2: 3, a1: -0.10, a2: -0.05, a3: 0.35, a4: 0.10, w1: -1.2, w2: "
     "-1.2, w3: 0.6, w4: 2.2}\n"
     "planar_bodies:\n"
     "  shank: {mass: =m1, inertia: =m1*L1^2/24, points: {foot: [0, =-L1/2], knee: [0, =L1/2]}, position: "
     "[=-sin(a1)*L1/2, =cos(a1)*L1/2], angle: =a1,\n"
     "          velocity: [=-cos(a1)*w1*L1/2, =-sin(a1)*w1*L1/2], angular_velocity: =w1}\n"
     "  thigh: {mass: =m2, inertia: =m2*L2^2/24, points: {knee: [0, =-L2/2], hip: [0, =L2/2]}}\n"
     "  swing_thigh: {mass: =m2, inertia: =m2*L2^2/24, points: {knee: [0, =-L2/2], hip: [0, =L2/2]}}\n"
     "  swing_shank: {mass: =m1, inertia: =m1*L1^2/24, points: {foot: [0, =-L1/2], knee: [0, =L1/2]}}\n"
     "joints:\n"
     "  - {revolute: [shank, thigh], at: {shank: knee, thigh: knee}, angle: =a2-a1, angle_rate: =w2-w1, "
     "name: knee}\n"
     "  - {revolute: [thigh, swing_thigh], at: {thigh: hip, swing_thigh: hip}, angle: =a3-a2, angle_rate: "
     "=w3-w2, name: hip}\n"
     "  - {revolute: [swing_thigh, swing_shank], at: {swing_thigh: knee, swing_shank: knee}, angle: =a4-a3, "
     "angle_rate: =w4-w3, name: swing knee}\n"
     "contacts:\n"
     "  - {body: shank, at: foot, name: stance, behaviour: sticking, closed: true, keep: true}\n"
     "  - {body: swing_shank, at: foot, name: swing, release: stance, ignore: [0, 0.02]}\n" SIMULATE(
         "40", "z: {point: hip, of: thigh, along: x}, x: {point: foot, of: shank, along: y}",
         "{end: z + z_rate + x + 0.1*x_rate}, " RUNNING)},
    {"slides from the start",
     "parameters: {m: 1.3, v: 0.7, e: 0.6}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, 0.1], velocity: [=v, 1, "
     "0]}}\n"
     "contacts:\n"
     "  - {body: ball, behaviour: sliding, closed: true}\n"
     "  - {body: ball, restitution: =e, plane: {through: [0.3, 0, 0], normal: [-1, 0.2, -0.1]}}\n" SIMULATE(
         "50", "z: {point: centre, of: ball, along: x}", "{start: z_rate}, {end: z + z_rate}, " RUNNING)},
    {"latch",
     "parameters: {m: 1.3, L: 0.8, a: -0.9, k: 3, c: 0.1}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {rod: {length: =L, mass: =m}}}\n"
     "  b: {solid: {rod: {length: 0.5, mass: 0.7}}}\n"
     "joints:\n"
     "  - {revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: =a, name: h}\n"
     "  - {revolute: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], angle: 0.9, name: k}\n"
     "springs: [{joint: k, stiffness: =k, damping: =c}]\n"
     "contacts: [{joint: k, lower: =0.2 + c, behaviour: latch}]\n" SIMULATE(
         "60", "z: {point: end, of: b, along: z}, x: {joint: h}", "{end: z + x^2 + 0.1*x_rate}, " RUNNING)},
    {"four-bar slides along a wall",
     "parameters: {c: 0.9, m: 3, w: 2, x: 2.4}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank:   {solid: {rod: {length: =c, mass: 1}}}\n"
     "  coupler: {solid: {rod: {length: 3, mass: =m}}}\n"
     "  rocker:  {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
     "  arm:     {solid: {rod: {length: 0.6, mass: 0.5}}}\n"
     "joints:\n"
     "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: 0.3, angle_rate: =w}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], name: swing}\n"
     "  - {revolute: [rocker, arm], at: {rocker: start, arm: start}, axis: [0, 1, 0], angle: 1.2}\n"
     "contacts: [{body: arm, at: end, behaviour: sliding, plane: {through: [=x, 0, 0], normal: [1, 0, "
     "0.1]}}]\n" SIMULATE("60", "z: {point: end, of: arm, along: z}", "{end: z + z_rate}, " RUNNING)},
};

TEST(closed_contacts_against_differences)
{
    for (size_t k = 0; k < sizeof held / sizeof *held; ++k) {
        has_impacts(&held[k]);
        compare(&held[k], "midpoint", "reduced");
        compare(&held[k], "trapezoidal", "multipliers");
    }
}

TEST(impacts_against_differences)
{
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; ++k) {
        has_impacts(&subjects[k]);
        compare(&subjects[k], "midpoint", "reduced");
        compare(&subjects[k], "trapezoidal", k % 2 ? "multipliers" : "null-space");
    }
}

/* --- by the start and by loads, in C --- */

static double height(void *user, long node, double t, const double *q, const double *p, double *by_q,
                     double *by_p)
{
    (void)t, (void)p, (void)by_p;
    if (node != *(const long *)user) return 0.0;
    if (by_q) by_q[2] += 1.0;
    return q[2];
}

static double no_area(void *user, long number, double t, double h, const double *qa, const double *qb,
                      const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    (void)user, (void)number, (void)t, (void)h, (void)qa, (void)qb, (void)inputs, (void)by_a, (void)by_b;
    (void)by_inputs;
    return 0.0;
}

static ac_status open_ball(const char *law, ac_context **ctx, ac_problem **problem, ac_adjoint **adjoint)
{
    *ctx = ac_context_new(NULL);
    *problem = read_problem(*ctx, law, "midpoint", "reduced");
    return ac_adjoint_new(*ctx, ac_problem_system(*problem), ac_problem_simulation(*problem), 0, adjoint);
}

static void close_ball(ac_context *ctx, ac_problem *problem, ac_adjoint *adjoint)
{
    ac_adjoint_free(adjoint);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* dz/dz0 as above, and by the velocity at the start: e v_n with v_n^2 = 2 g H + w^2 and t_1 = (v_n + w) / g. */
TEST(the_start_of_a_ball_in_c)
{
    ac_context *ctx;
    ac_problem *problem;
    ac_adjoint *adjoint = NULL;
    long last = 60;
    ac_functional functional = {.user = &last, .node = height};
    double value, z, by, v = sqrt(2.0 * GRAVITY * 0.9), s = 0.6 - v / GRAVITY;
    bounce(1.0, 1.0, &z, &by);
    CHECK(open_ball(BALL("energy: nodes", "{end: z}"), &ctx, &problem, &adjoint) == AC_OK);
    CHECK(ac_adjoint_run(adjoint, &functional, &value) == AC_OK);
    CHECK_NEAR(value, z, 1e-11);
    CHECK_NEAR(ac_adjoint_by_configuration(adjoint)[2], by, 1e-10);
    CHECK_NEAR(ac_adjoint_by_velocity(adjoint)[2], -(v - GRAVITY * s) / GRAVITY, 1e-10);
    CHECK(ac_adjoint_steps_taken(adjoint) == 61);
    CHECK(ac_adjoint_run_again(adjoint, &functional, &value) == AC_OK);
    CHECK_NEAR(ac_adjoint_by_configuration(adjoint)[2], by, 1e-10);
    functional.interval = no_area; /* whose derivatives by times are not known */
    CHECK(ac_adjoint_run(adjoint, &functional, &value) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "by_time"));
    CHECK(ac_adjoint_linearise(adjoint, &functional, &value) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "contacts"));
    close_ball(ctx, problem, adjoint);
}

/* --- what has no derivative --- */

/* parameter: the one by which the gradient is wanted; NULL: all. */
static void refused(const char *text, const char *parameter, const char *words)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, text, "midpoint", "reduced");
    ac_gradient *gradient = NULL;
    ac_status status = ac_gradient_new(ctx, problem, parameter ? &parameter : NULL, parameter ? 1 : 0, 0,
                                       &gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, NULL);
    CHECK(status == AC_BAD_INPUT);
    if (!strstr(ac_context_message(ctx), words)) printf("  %s\n", ac_context_message(ctx));
    CHECK(strstr(ac_context_message(ctx), words));
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(what_has_no_derivative_is_refused)
{
    refused(BALL("behaviour: sticking", "{end: z}"), NULL,
            "contact 'ball-ground' sticks and is no point on the ground");
    refused(BALL("behaviour: sticking", "{end: z}"), NULL, "at t = 0.428");
    refused("gravity: [0, -9.81]\n"
            "planar_bodies: {rod: {mass: 1, inertia: =1/12, points: {end: [-0.5, 0]}, position: [0, "
            "=0.5+0.5*sin(pi/4)], "
            "angle: 45 deg}}\n"
            "contacts: [{body: rod, at: end, behaviour: sticking}]\n" SIMULATE(
                "42", "z: {point: centre, of: rod, along: y}", "{end: z}"),
            NULL, "contact 'rod-ground' opens while it sticks, whose time has no derivative, at t = 0.3899");
    refused(BALL("restitution: 0.5, tangential: 0.2", "{end: z}"), NULL, "tangential loss");
    refused("gravity: [0, 0, -9.81]\n"
            "bodies: {a: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0.1]}}\n"
            "contacts: [{body: a, behaviour: sliding}]\n" SIMULATE("9", "z: {point: centre, of: a, along: z}",
                                                                   "{end: z}"),
            NULL, "contact 'a-ground' strikes at a time that is not free");
    refused("gravity: [0, 0, -9.81]\n"
            "bodies: {a: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0.1]}}\n"
            "contacts: [{body: a, behaviour: sticking, closed: true}]\n" SIMULATE(
                "9", "z: {point: centre, of: a, along: z}", "{end: z}"),
            NULL, "contact 'a-ground' sticks and is no point on the ground");
    refused("gravity: [0, 0, -9.81]\n"
            "bodies: {a: {solid: {box: {size: [0.2, 0.3, 0.1], mass: 1}}, position: [0, 0, 0.5]}}\n"
            "contacts: [{body: a, at: corners}]\n" SIMULATE("60", "z: {point: centre, of: a, along: z}",
                                                            "{end: z}"),
            NULL, "close together");
}

TEST(energy_momentum_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, BALL("", "{end: z}"), "energy-momentum", "reduced");
    ac_gradient *gradient = NULL;
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "energy-momentum"));
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(height_after_a_bounce_by_the_height_before), CASE(impacts_against_differences),
          CASE(the_start_of_a_ball_in_c), CASE(what_has_no_derivative_is_refused),
          CASE(energy_momentum_is_refused), CASE(parameters_in_contacts),
          CASE(closed_contacts_against_differences))
