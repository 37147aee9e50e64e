/* Second derivatives by named parameters: every joint and scheme, loops and beams, against differences of exact gradients; symmetry;
 * mixed with controls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actio/gradient.h"
#include "problem/build/build.h"
#include "test.h"

enum { MOST = 16 };

/* A link turns at the ground; a joint of the table carries a cylinder behind it, as in tests/adjoint/test_parameters.c. */
#define CHAIN(joint)                                                                                      \
    "parameters: {l: 0.8, m: 1.2, r: 0.05, x: 0.1, g: 9.81, a0: 0.7, w0: 0.3, k: 40, c: 0.3, rest: 0.4, " \
    "amp: 2, weight: 0.5}\n"                                                                              \
    "gravity: [0, 0, =-g]\n"                                                                              \
    "bodies:\n"                                                                                           \
    "  a: {solid: {cylinder: {length: =l, radius: =r, mass: =m, along: z}}}\n"                            \
    "  b: {solid: {cylinder: {length: =0.75*l, radius: =2*r, mass: 0.5}}}\n"                              \
    "joints:\n"                                                                                           \
    "  - {revolute: [ground, a], name: pin, at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, 0], "        \
    "angle: =a0, angle_rate: =w0}\n" joint "springs:\n"                                                   \
    "  - {between: [ground, b], at: {ground: [1.5, 0.3, 0.8], b: [0.1, =x, =x*l]}, stiffness: =k, "       \
    "length: =rest, damping: =c}\n"                                                                       \
    "  - {joint: pin, stiffness: =0.05*k, damping: =c*m, rest: =x}\n"                                     \
    "loads:\n"                                                                                            \
    "  - {name: push, force: [=amp^2*sin(3*t*m), 0.2, 0], on: b, at: [0, =x, 0.3]}\n"                     \
    "  - {name: twist, torque: [0, =0.1*amp, 0], on: b}\n"                                                \
    "simulate:\n"                                                                                         \
    "  step: 5 ms\n"                                                                                      \
    "  steps: 8\n"                                                                                        \
    "  quantities:\n"                                                                                     \
    "    tip: {point: [=x, 0, =x*l], of: b, along: x}\n"                                                  \
    "    angle: {joint: pin}\n"                                                                           \
    "    energy: {energy: system}\n"                                                                      \
    "  functional:\n"                                                                                     \
    "    - {end: tip^2 + 0.1*tip_rate*m + weight^2*angle_rate}\n"                                         \
    "    - {running: (angle^2 + 0.01*energy*l^2)*(1 + t)}\n"                                              \
    "    - {duration: =weight^2}\n"

#define BEAM(more, joint)                                                                    \
    "parameters: {l: 1, width: 0.04, E: 1e5, rho: 1000, g: 9.81, w0: 2, d: 0.01, m: 0.1}\n"  \
    "gravity: [0, 0, =-g]\n"                                                                 \
    "beams:\n"                                                                               \
    "  strip:\n"                                                                             \
    "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"                                      \
    "    d1: [0, 0, 1]\n"                                                                    \
    "    section: {rectangle: {width: =width, height: 5 cm}}\n"                              \
    "    material: {young: =E, poisson: 0.3, density: =rho}\n"                               \
    "    damping: =d\n"                                                                      \
    "    masses: [{at: end, mass: =m}]\n" more "joints:\n" joint "simulate:\n"               \
    "  step: 1 ms\n"                                                                         \
    "  steps: 6\n"                                                                           \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}, all: {energy: system}}\n" \
    "  functional: [{end: tip + 0.01*tip_rate + 0.01*all}, {running: tip^2}]\n"

static const struct subject {
    const char *name, *text;
    bool beam;
} subjects[] = {
    {"revolute", CHAIN("  - {revolute: [a, b], at: {a: end, b: start}, axis: [1, 0, 0], angle: 0.3}\n"), 0},
    {"spherical", CHAIN("  - {spherical: [a, b], at: {a: end, b: start}, rates: [0.3, 0.1, =w0]}\n"), 0},
    {"universal", CHAIN("  - {universal: [a, b], at: {a: end, b: start}, axis: [1, 0, 0], angle: 0.2}\n"), 0},
    {"cylindrical",
     CHAIN("  - {cylindrical: [a, b], at: {a: end, b: start}, axis: [0.6, 0, 0.8], slide: =x^2}\n"), 0},
    {"prismatic",
     CHAIN("  - {prismatic: [a, b], at: {a: end, b: start}, axis: [0, 0.6, 0.8], slide_rate: =w0^2}\n"), 0},
    {"planar",
     CHAIN("  - {planar: [a, b], at: {a: end, b: start}, axis: [0, 1, 0], x: =x, y: 0.1, angle: 0.2}\n"), 0},
    {"fixed", CHAIN("  - {fixed: [a, b], at: {a: end, b: start}}\n"), 0},
    {"distance", CHAIN("  - {distance: [a, b], at: {a: end, b: start}, length: =0.5*rest}\n"), 0},
    {"four-bar",
     "parameters: {crank: 1, coupler: 3, rocker: 2.5, base: 3, m: 1, g: 9.81, w0: 2, k: 5}\n"
     "gravity: [0, 0, =-g]\n"
     "bodies:\n"
     "  crank: {solid: {rod: {length: =crank, mass: =m}}}\n"
     "  coupler: {solid: {rod: {length: =coupler, mass: 3}}}\n"
     "  rocker: {solid: {rod: {length: =rocker, mass: =2*m}}}\n"
     "joints:\n"
     "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], angle: 0.3, "
     "angle_rate: =w0}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {name: knee, revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [=base, 0, 0], rocker: end}, axis: [0, 1, 0]}\n"
     "springs: [{joint: knee, stiffness: =k}]\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {angle: {joint: knee}, tip: {point: end, of: coupler, along: z}}\n"
     "  functional: [{end: angle + 0.1*tip_rate}, {running: angle*tip}, {energy: 0.1}]\n",
     0},
    {"planar body and point",
     "parameters: {l: 0.7, m: 0.4, inertia: 0.05, x: 0.6, v: 1.5, k: 12, rest: 0.3}\n"
     "gravity: [0, -9.81]\n"
     "planar_bodies:\n"
     "  plate: {mass: 1, inertia: =inertia, centre: [=0.5*l, 0], points: {far: [=l, 0.1]}}\n"
     "points:\n"
     "  bob: {mass: =m, position: [=2*x, 0.2], velocity: [0, =v]}\n"
     "joints:\n"
     "  - {name: pin, revolute: [ground, plate], at: {plate: [0, 0]}, angle: 0.4}\n"
     "springs: [{between: [plate, bob], at: {plate: far}, stiffness: =k, length: =rest}]\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {height: {point: far, of: plate, along: y}, bob_x: {point: centre, of: bob, along: x}}\n"
     "  functional: [{end: height^2 + bob_x_rate}, {start: bob_x}, {running: height*bob_x}, {energy: "
     "0.01}]\n",
     0},
    {"beam",
     BEAM("    elements: 4\n", "  - {revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: =w0}\n"),
     1},
    {"beam of order 2", BEAM("    elements: 2\n    order: 2\n", "  - {spherical: [ground, strip.start]}\n"),
     1},
    {"rod", BEAM("    elements: 4\n    model: vertex\n", "  - {fixed: [ground, strip.start]}\n"), 1},
    {"a joint on an arc, and a functional with parameters of its own",
     "parameters: {l: 0.8, w: 0.9, k: 1.1, a: 0.1, young: 2e6, g: 9.81}\n"
     "gravity: [0, 0, =-g]\n"
     "beams: {arm: {arc: {from: [=l, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: =1.2*w}, elements: 4, "
     "section: "
     "{rectangle: {width: 0.04, height: 0.05}}, material: {young: =young, poisson: 0.3, density: 1000}}}\n"
     "bodies: {tip: {mass: =k, inertia: [0.01, 0.02, 0.03]}}\n"
     "joints:\n"
     "  - {fixed: [ground, arm.start]}\n"
     "  - {revolute: [arm.end, tip], axis: [=a, 1, 0.1], at: {arm.end: origin, tip: [0.1, 0, =0.1*w]}}\n"
     "simulate:\n"
     "  step: 2 ms\n"
     "  steps: 8\n"
     "  quantities: {z: {point: [0, =0.1*l, 0], of: tip, along: z}, x: {point: [0, 0.1, 0], of: tip, along: "
     "x}}\n"
     "  functional: [{end: z*w + x^2}, {running: z*l}]\n",
     1},
};

static ac_problem *problem_of(ac_context *ctx, const struct subject *s, const char *setting)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", s->text, strlen(s->text), &setting, setting ? 1 : 0,
                                        &problem);
    if (status != AC_OK) printf("  %s: %s\n", s->name, ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static double scale_of(const ac_gradient *g, int parameter)
{
    double value;
    ac_gradient_parameter(g, parameter, &value);
    return value != 0.0 ? fabs(value) : 1.0;
}

/* The largest entry, parameters measured by their values. */
static double largest(const ac_gradient *g, const double *H, int n)
{
    double most = 0.0;
    for (int k = 0; k < n * n; ++k) most = fmax(most, fabs(H[k]) * scale_of(g, k / n) * scale_of(g, k % n));
    return most;
}

/* The whole Hessian against differences along a direction, and symmetry. */
static void check(const struct subject *s, const char *scheme)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_gradient *g = NULL;
    char setting[64];
    double H[MOST * MOST], direction[MOST], product[MOST], near[MOST], by[MOST];
    snprintf(setting, sizeof setting, "simulate.scheme=%s", scheme);
    ac_problem *problem = problem_of(ctx, s, setting);
    ac_status status = problem ? ac_gradient_new(ctx, problem, NULL, 0, 0, &g) : AC_BAD_INPUT;
    int n = g ? ac_gradient_parameters(g) : 0;
    if (status == AC_OK) status = ac_gradient_run(g, NULL);
    for (int j = 0; j < n; ++j) {
        by[j] = ac_gradient_by_parameter(g, j);
        direction[j] = (j % 2 ? -1.0 : 1.0) * (0.3 + 0.1 * j) * scale_of(g, j);
    }
    if (status == AC_OK) status = ac_gradient_second(g, direction, NULL, product, NULL);
    if (status == AC_OK) status = ac_gradient_hessian(g, H);
    if (status == AC_OK) status = ac_gradient_second_difference(g, direction, near);
    if (status != AC_OK) printf("  %s, %s: %s\n", s->name, scheme, ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK(n <= MOST && n > 5);
    /* no exact second derivatives of data: lengths of beams */
    bool exact = !s->beam;
    CHECK((status == AC_OK && !ac_gradient_second_differs(g)) == exact);
    /* stiff beams make rounding larger */
    double most = largest(g, H, n), rounding = !exact ? 1e-10 : strstr(s->text, "beams:") ? 1e-11 : 1e-12;
    for (int j = 0; status == AC_OK && j < n; ++j) {
        double sum = 0.0, size = most / scale_of(g, j);
        CHECK(ac_gradient_by_parameter(g, j) == by[j]);
        for (int i = 0; i < n; ++i) {
            double skew = fabs(H[j * n + i] - H[i * n + j]);
            sum += H[j * n + i] * direction[i];
            CHECK(skew <= rounding * size / scale_of(g, i));
        }
        if (!(fabs(product[j] - near[j]) <= 1e-6 * size) || !(fabs(product[j] - sum) <= rounding * size))
            printf("  %s, %s, by %s: product %.12g, sum %.12g, differences %.12g, size %.3g\n", s->name,
                   scheme, ac_gradient_parameter(g, j, NULL), product[j], sum, near[j], size);
        CHECK(fabs(product[j] - near[j]) <= 1e-6 * size);
        CHECK(fabs(product[j] - sum) <= rounding * size);
    }
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(every_joint_in_every_scheme)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; ++k)
        for (int e = 0; e < 3; ++e)
            if (!subjects[k].beam || e != 1) check(&subjects[k], schemes[e]);
}

/* A crank drives a coupler, which further joints bind to the ground. */
#define LOOP(more)                                                                                          \
    "parameters: {crank: 0.5, coupler: 2, x: 0.1, m: 1, g: 9.81, a0: 0.3, w0: 2}\n"                         \
    "gravity: [0, 0, =-g]\n"                                                                                \
    "bodies:\n"                                                                                             \
    "  crank: {solid: {rod: {length: =crank, mass: =m}}}\n"                                                 \
    "  coupler: {solid: {cylinder: {length: =coupler, radius: 0.1, mass: 3}}, points: {side: [=x, 0.3, "    \
    "0]}}\n"                                                                                                \
    "  slider: {mass: =2*m, inertia: [0.2, =0.25*m, 0.1], points: {eye: [0, 0.1, =x]}}\n"                   \
    "joints:\n"                                                                                             \
    "  - {name: drive, revolute: [ground, crank], at: {crank: start}, axis: [0, 1, =x], angle: =a0, "       \
    "angle_rate: =w0}\n" more "simulate:\n"                                                                 \
    "  step: 5 ms\n"                                                                                        \
    "  steps: 8\n"                                                                                          \
    "  quantities: {side: {point: side, of: coupler, along: z}, eye: {point: eye, of: slider, along: x}}\n" \
    "  functional: [{end: side + 0.1*eye_rate}, {running: side*eye}, {energy: 0.1}]\n"

/* Loops with every joint, from both sides. */
static const struct subject loops[] = {
    {"slider crank",
     LOOP("  - {universal: [coupler, crank], at: {crank: end, coupler: start}, axis: [0, 1, =x], x_axis: [0, "
          "0, 1]}\n"
          "  - {spherical: [coupler, slider], at: {coupler: end, slider: eye}}\n"
          "  - {prismatic: [slider, ground], at: {ground: [0, 0.1, =x], slider: origin}, axis: [1, 0, 0], "
          "slide: -2.3, hint: true}\n"),
     0},
    {"planar",
     LOOP("  - {universal: [coupler, crank], at: {crank: end, coupler: start}, axis: [0, 1, =x], x_axis: [0, "
          "0, 1]}\n"
          "  - {planar: [slider, ground], at: {ground: [0, 0, =x], slider: origin}, axis: [0, 0.2, 1]}\n"
          "  - {revolute: [slider, coupler], at: {coupler: end, slider: eye}, axis: [0, 1, 0]}\n"),
     0},
    {"cylindrical",
     LOOP(
         "  - {spherical: [coupler, crank], at: {crank: end, coupler: start}}\n"
         "  - {cylindrical: [slider, coupler], at: {coupler: end, slider: eye}, axis: [1, 0.3, 0]}\n"
         "  - {revolute: [slider, ground], at: {ground: [2.5, 0, =x], slider: origin}, axis: [0, 1, 0.2]}\n"),
     0},
    {"distance",
     LOOP("  - {fixed: [crank, slider], at: {crank: end, slider: eye}}\n"
          "  - {distance: [coupler, slider], at: {coupler: end, slider: eye}, length: =0.9*coupler}\n"
          "  - {revolute: [coupler, ground], at: {ground: [1.5, 0.1, =x], coupler: start}, axis: [0, 1, "
          "0.1]}\n"),
     0},
    {"tied point",
     "parameters: {l: 0.5, r: 0.9, x: 0.1, m: 1, g: 9.81, a0: 0.3, w0: 2}\n"
     "gravity: [0, 0, =-g]\n"
     "bodies: {crank: {solid: {rod: {length: =l, mass: =m}}}}\n"
     "points: {bob: {mass: =2*m, position: [0.7, 0.2, -0.8]}}\n"
     "joints:\n"
     "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, =x], angle: =a0, angle_rate: =w0}\n"
     "  - {distance: [crank, bob], at: {crank: end}, length: =r}\n"
     "  - {distance: [bob, ground], at: {ground: [1.5, 0.5, =x]}, length: =1.3*r}\n"
     "  - {distance: [ground, bob], at: {ground: [1, -0.9, 0]}, length: =1.6*r}\n"
     "simulate:\n"
     "  step: 5 ms\n"
     "  steps: 8\n"
     "  quantities: {bob_x: {point: centre, of: bob, along: x}, bob_z: {point: centre, of: bob, along: z}}\n"
     "  functional: [{end: bob_x^2 + bob_z_rate}, {running: bob_x*bob_z}, {energy: 0.1}]\n",
     0},
};

TEST(loops_are_exact)
{
    for (size_t k = 0; k < sizeof loops / sizeof *loops; ++k)
        for (int e = 0; e < 2; ++e) check(&loops[k], e == 0 ? "midpoint" : "energy-momentum");
}

/* The spin of a coupler between two ball joints is not determined by the loop: second derivatives come from neighbours, and it is
 * said why. Along a mass, which does not move the start, they are those of the gradient. */
TEST(loops_that_leave_a_freedom_say_so)
{
    static const struct subject s = {
        "free spin",
        LOOP("  - {spherical: [coupler, crank], at: {crank: end, coupler: start}}\n"
             "  - {spherical: [coupler, slider], at: {coupler: end, slider: eye}}\n"
             "  - {prismatic: [slider, ground], at: {ground: [0, 0.1, =x], slider: origin}, axis: [1, 0, 0], "
             "slide: -2.3, hint: true}\n"),
        0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = problem_of(ctx, &s, NULL);
    ac_gradient *g = NULL;
    const char *names[] = {"m", "coupler"};
    double along[2] = {1.0, 0.0}, product[2], near[2];
    CHECK(ac_gradient_new(ctx, problem, names, 2, 0, &g) == AC_OK);
    CHECK(ac_gradient_run(g, NULL) == AC_OK);
    CHECK(ac_gradient_second(g, along, NULL, product, NULL) == AC_OK);
    const char *why = ac_gradient_second_differs(g);
    CHECK(why && strcmp(why, "loops leave coordinates free that are not given") == 0);
    CHECK(ac_gradient_second_difference(g, along, near) == AC_OK);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(product[k], near[k], 1e-7 * (fabs(near[0]) + fabs(near[1])));
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Bodies at initial places and axes that turn; `rest`: of a spring. */
#define PLACES(rest)                                                                                  \
    "parameters: {l: 0.8, m: 1.2, x: 0.1, a0: 0.7, w0: 0.3, v0: 0.4}\n"                               \
    "gravity: [0, 0, -9.81]\n"                                                                        \
    "bodies:\n"                                                                                       \
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"                      \
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0.1, =0.2*l], position: [=l, =x, 0.3], "  \
    "rotation: {axis: [1, 2, 2], angle: =a0}, velocity: [0.1, =v0, 0], angular_velocity: [0.2, 0.1, " \
    "=w0]}\n"                                                                                         \
    "joints:\n"                                                                                       \
    "  - {revolute: [ground, a], name: pin, at: {ground: [=x, 0, 0], a: start}, axis: [0, 1, =x], "   \
    "angle: "                                                                                         \
    "=a0, angle_rate: =w0}\n"                                                                         \
    "springs: [{between: [a, b], stiffness: =10*m" rest "}]\n"                                        \
    "simulate: {step: 5 ms, steps: 8, quantities: {tip: {point: [0.1, 0, 0.3], of: b, along: x}}, "   \
    "functional: [{end: tip^2 + 0.1*tip_rate}, {running: tip*m}]}\n"

/* What else parameters do: starts that are given as places, axes that turn, beams of dual quaternions. */
TEST(starts_axes_and_dual_quaternions)
{
    static const struct subject others[] = {
        {"initial places", PLACES(""), 0},
        {"initial places, given length", PLACES(", length: =0.5*l*m"), 0},
        {"dual quaternions",
         "parameters: {l: 1, width: 0.04, E: 1, rho: 1, g: 1, m: 0.3, w0: 3, d: 0.01}\n"
         "gravity: [0, 0, =-9.81*g]\n"
         "beams:\n"
         "  strip:\n"
         "    straight: {from: [0, 0, 0], to: [=l, 0, 0]}\n"
         "    d1: [0, 0, 1]\n"
         "    model: dual_quaternion\n"
         "    elements: 3\n"
         "    section: {rectangle: {width: =width, height: 5 cm}}\n"
         "    material: {young: =1e5*E, poisson: 0.3, density: =1000*rho}\n"
         "    damping: =d\n"
         "    masses: [{at: end, mass: =m}]\n"
         "    ambient_inertia: [0.01, 0.2]\n"
         "    ambient_stiffness: [1, 100]\n"
         "joints: [{revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: =w0}]\n"
         "simulate:\n"
         "  step: 1 ms\n"
         "  steps: 30\n"
         "  quantities: {tip: {point: centre, of: strip.end, along: z}}\n"
         "  functional: [{end: 100*tip + 10*tip_rate}, {running: 100*tip}]\n",
         1},
    };
    check(&others[0], "midpoint");
    check(&others[0], "energy-momentum");
    check(&others[1], "midpoint");
    check(&others[2], "trapezoidal");
}

/* Beams whose curves stay are carried by joints, alone and in a loop: all of it is exact. */
#define CARRIED(model, joints)                                                                               \
    "parameters: {a0: 0.4, w0: 3, E: 1, rho: 1, m: 0.3, width: 0.04, x: 0.1}\n"                              \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies: {hand: {mass: =m, inertia: [0.02, 0.03, =0.04*m], points: {eye: [-0.1, 0, =x]}}}\n"             \
    "beams:\n"                                                                                               \
    "  strip:\n"                                                                                             \
    "    straight: {from: [0, 0, 0], to: [0.8, 0, 0.1]}\n"                                                   \
    "    d1: [0, 1, 0]\n"                                                                                    \
    "    elements: 3\n" model "    section: {rectangle: {width: =width, height: 5 cm}}\n"                    \
    "    material: {young: =1e5*E, poisson: 0.3, density: =1000*rho}\n"                                      \
    "joints:\n"                                                                                              \
    "  - {revolute: [ground, strip.start], at: {ground: [=x, 0, 0]}, axis: [0, 1, =x], angle: =a0, "         \
    "angle_rate: =w0}\n" joints "simulate:\n"                                                                \
    "  step: 1 ms\n"                                                                                         \
    "  steps: 30\n"                                                                                          \
    "  quantities: {tip: {point: centre, of: strip.end, along: z}, eye: {point: eye, of: hand, along: x}}\n" \
    "  functional: [{end: tip + 0.1*tip_rate}, {running: tip*eye}]\n"

#define HAND                                                                                           \
    "  - {spherical: [hand, strip.end], at: {hand: eye}, coordinates: [=x, 0.1, =a0], rates: [0, =x, " \
    "0.2]}\n"

TEST(carried_beams_are_exact)
{
    static const struct subject beams[] = {
        {"directors", CARRIED("", HAND), 0},
        {"dual quaternions", CARRIED("    model: dual_quaternion\n    ambient_inertia: [0.01, 0.2]\n", HAND),
         0},
        {"directors in a loop",
         CARRIED(
             "",
             "  - {distance: [strip.end, hand], at: {hand: eye}, length: 0.5}\n"
             "  - {revolute: [ground, hand], at: {ground: [1.1, 0.1, =x], hand: origin}, axis: [0, 1, 0]}\n"),
         0},
    };
    check(&beams[0], "midpoint");
    check(&beams[0], "energy-momentum");
    check(&beams[1], "trapezoidal");
    check(&beams[2], "midpoint");
}

/* --- controls --- */

#define PUSHED(objective)                                                                   \
    "parameters: {l: 0.8, m: 1.2, x: 0.1, y: 0.2, w: 0.3}\n"                                \
    "gravity: [0, 0, -9.81]\n"                                                              \
    "bodies:\n"                                                                             \
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"            \
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], centre: [=x, 0.1, =0.2*l]}\n"                \
    "joints:\n"                                                                             \
    "  - {revolute: [ground, a], name: pin, at: {a: start}, axis: [0, 1, 0], angle: 0.4}\n" \
    "  - {spherical: [a, b], at: {a: end, b: [=x, 0, 0]}}\n"                                \
    "optimize:\n"                                                                           \
    "  duration: 0.04\n"                                                                    \
    "  intervals: 8\n"                                                                      \
    "  method: shooting\n"                                                                  \
    "  controls:\n"                                                                         \
    "    - {name: drive, joint: pin, guess: 1.5}\n"                                         \
    "    - {name: push, force: b, at: [=x, =2*y, 0.3], component: x, guess: 2}\n"           \
    "  quantities: {tip: {point: [0.1, 0, 0.3], of: b, along: x}, angle: {joint: pin}}\n"   \
    "  objective:\n" objective

enum { CONTROLS = 16 };

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

/* The gradient by the controls with l moved. */
static void controls_at(const struct subject *s, double l, double *by)
{
    ac_context *ctx = ac_context_new(NULL);
    char setting[64];
    const char *none[] = {NULL};
    ac_gradient *g = NULL;
    snprintf(setting, sizeof setting, "parameters.l=%.17g", l);
    ac_problem *problem = problem_of(ctx, s, setting);
    CHECK(ac_gradient_new(ctx, problem, none, 0, 0, &g) == AC_OK);
    CHECK(ac_gradient_run(g, NULL) == AC_OK);
    for (int k = 0; k < CONTROLS; ++k) by[k] = ac_adjoint_by_input(ac_gradient_adjoint(g), k / 2)[k % 2];
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Changes of parameters and of controls in one product; the mixed part is symmetric. */
TEST(parameters_and_controls_together)
{
    static const struct subject s = {
        "controls", PUSHED("    - {effort: =w^2}\n    - {end: tip^2 + 0.1*tip_rate*m + angle}\n"), 0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = problem_of(ctx, &s, NULL);
    const char *names[] = {"l", "m", "x", "y", "w"};
    double along[5] = {1.0, 0.0, 0.0, 0.0, 0.0}, none[5] = {0.0}, product[5], by[CONTROLS], v[CONTROLS],
           other[CONTROLS], both[5], ends[4][CONTROLS], h = 1e-3;
    ac_gradient *g = NULL;
    CHECK(ac_gradient_new(ctx, problem, names, 5, 0, &g) == AC_OK);
    CHECK(ac_gradient_run(g, NULL) == AC_OK);
    for (int k = 0; k < CONTROLS; ++k) v[k] = sin(k + 1.0);
    CHECK(ac_gradient_second(g, along, NULL, product, by) == AC_OK);
    CHECK(ac_gradient_second(g, none, v, both, other) == AC_OK);
    CHECK_NEAR(dot(5, along, both), dot(CONTROLS, v, by), 1e-11 * fabs(both[0]));
    double sum = both[0] + product[0];
    CHECK(ac_gradient_second(g, along, v, both, other) == AC_OK);
    CHECK_NEAR(both[0], sum, 1e-11 * fabs(sum));
    const double at[4] = {h, -h, 0.5 * h, -0.5 * h};
    for (int e = 0; e < 4; ++e) controls_at(&s, 0.8 + at[e], ends[e]);
    for (int k = 0; k < CONTROLS; ++k) {
        double near = (4.0 * (ends[2][k] - ends[3][k]) / h - (ends[0][k] - ends[1][k]) / (2.0 * h)) / 3.0;
        CHECK_NEAR(by[k], near, 1e-7 * (fabs(near) + 1e-4));
    }
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The same products with little memory: motion and tangent come from checkpoints. */
TEST(little_memory_gives_the_same)
{
    static const char *const names[] = {"revolute", "four-bar", "beam"};
    for (size_t e = 0; e < sizeof names / sizeof *names; ++e) {
        const struct subject *s = subjects;
        double product[2][MOST], along[MOST];
        int n = 0;
        while (strcmp(s->name, names[e]) != 0) ++s;
        for (int k = 0; k < 2; ++k) {
            ac_context *ctx = ac_context_new(NULL);
            ac_problem *problem = problem_of(ctx, s, "simulate.steps=23");
            ac_gradient *g = NULL;
            CHECK(ac_gradient_new(ctx, problem, NULL, 0, k == 0 ? 0 : 1, &g) == AC_OK);
            CHECK(ac_gradient_run(g, NULL) == AC_OK);
            n = ac_gradient_parameters(g);
            for (int j = 0; j < n; ++j) along[j] = scale_of(g, j) / (1.0 + j);
            CHECK(ac_gradient_second(g, along, NULL, product[k], NULL) == AC_OK);
            if (k == 1) CHECK(ac_adjoint_steps_taken(ac_gradient_adjoint(g)) > 23);
            ac_gradient_free(g);
            ac_problem_free(problem);
            ac_context_free(ctx);
        }
        for (int j = 0; j < n; ++j) CHECK_NEAR(product[1][j], product[0][j], 1e-10 * fabs(product[0][j]));
    }
}

/* A maximised objective and its derivatives have the sign in which they are written. */
TEST(maximised_objectives_keep_their_sign)
{
    static const struct subject written[2] = {
        {"maximised", PUSHED("    - {end: tip*m, maximise: true}\n"), 0},
        {"minimised", PUSHED("    - {end: tip*m}\n"), 0}};
    double value[2], by[2], second[2], control[2];
    for (int k = 0; k < 2; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = problem_of(ctx, &written[k], NULL);
        const char *names[] = {"m"};
        ac_gradient *g = NULL;
        double one = 1.0, u[CONTROLS];
        CHECK(ac_gradient_new(ctx, problem, names, 1, 0, &g) == AC_OK);
        CHECK(ac_gradient_run(g, &value[k]) == AC_OK);
        CHECK(ac_gradient_second(g, &one, NULL, &second[k], NULL) == AC_OK);
        by[k] = ac_gradient_by_parameter(g, 0);
        CHECK(ac_optimization_gradient(ac_problem_optimization(problem), NULL, &one, u) == AC_OK);
        CHECK_NEAR(one, value[k], 1e-12 * fabs(one));
        control[k] = u[0];
        ac_gradient_free(g);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    CHECK(value[0] == value[1] && value[0] != 0.0);
    CHECK(by[0] == by[1] && second[0] == second[1] && control[0] == control[1]);
}

/* What has no second derivatives is refused with the reason. */
TEST(refusals_name_the_parameter)
{
    static const struct subject s = {
        "turned",
        "parameters: {x: 0.3, m: 1}\n"
        "bodies: {a: {mass: =m, inertia: [0.1, 0.2, 0.25]}}\n"
        "joints: [{revolute: [ground, a], name: pin, at: {a: origin}, axis: [0, 1, =x], angle_rate: 1}]\n"
        "simulate: {step: 5 ms, steps: 4, quantities: {angle: {joint: pin}}, functional: [{end: angle}]}\n",
        0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = problem_of(ctx, &s, NULL);
    ac_gradient *g = NULL;
    double along[2] = {1.0, 1.0}, product[2];
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &g) == AC_OK);
    CHECK(ac_gradient_run(g, NULL) == AC_OK);
    CHECK(ac_gradient_second(g, along, NULL, product, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "'x'") != NULL);
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The mass sqrt(1 - p) ends at p = 1: the place x = a / m has the derivatives x' = x / (2 (1 - p)), x'' = 3 x' / (2 (1 - p)). */
TEST(neighbours_stay_where_the_system_is_valid)
{
    static const struct subject s = {
        "vanishing mass",
        "parameters: {p: 0.99}\n"
        "points: {a: {mass: =sqrt(1 - p), position: [0, 0, 0]}}\n"
        "loads: [{force: [3, 0, 0], on: a}]\n"
        "simulate: {step: 0.01, steps: 10, quantities: {x: {point: centre, of: a, along: x}}, "
        "functional: [{end: x}]}\n",
        0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = problem_of(ctx, &s, NULL);
    ac_gradient *g = NULL;
    double one = 1.0, second = 0.0, value;
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &g) == AC_OK);
    CHECK(ac_gradient_run(g, &value) == AC_OK);
    CHECK(ac_gradient_second(g, &one, NULL, &second, NULL) == AC_OK);
    CHECK_NEAR(ac_gradient_by_parameter(g, 0), value / 0.02, 1e-10 * value / 0.02);
    CHECK_NEAR(second, 1.5 / 0.01 * value / 0.02, 1e-7 * second);
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A point of mass 2 that a force 3 pushes from the time s on. With the mean of the force on the interval [t, t + h] that has s,
 * x(T)' = -3/2 (T - t - h/2) by s and x(T)'' = 0: in closed form as long as s stays in its interval. */
static ac_status push_bend(const char *start, double *by, double *second)
{
    static const char PUSH[] = "parameters: {s: 0}\n"
                               "points: {p: {mass: 2, position: [1]}}\n"
                               "loads: [{force: [%s], on: p}]\n"
                               "simulate: {step: 0.01, steps: 20, quantities: {x: {point: centre, of: p, "
                               "along: x}}, functional: [{end: x^2}]}\n";
    static const char *const FORCES[] = {"=3*step(t - s)", "{steps: [[0, 0], [=s, 3]]}"};
    ac_status status = AC_OK;
    for (int k = 0; k < 2 && status == AC_OK; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_gradient *gradient = NULL;
        char text[400], setting[40];
        const char *settings[] = {setting};
        snprintf(text, sizeof text, PUSH, FORCES[k]);
        snprintf(setting, sizeof setting, "parameters.s=%s", start);
        CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, 1, &problem) == AC_OK);
        CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) == AC_OK);
        CHECK(ac_gradient_run(gradient, NULL) == AC_OK);
        by[k] = ac_gradient_by_parameter(gradient, 0);
        status = ac_gradient_hessian(gradient, &second[k]);
        ac_gradient_free(gradient);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    return status;
}

TEST(jumps_close_to_a_time_node_have_second_derivatives)
{
    const double T = 0.2, t = 0.04, h = 0.01, s = 0.0497, slope = -1.5 * (T - t - 0.5 * h);
    double by[2], second[2], x = 1.0;
    for (int n = 0; n < 20; ++n) {
        double from = n * h, share = s > from ? fmax(0.0, (from + h - s) / h) : 1.0;
        x += h * 1.5 * share * (T - from - 0.5 * h);
    }
    CHECK(push_bend("0.0497", by, second) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        CHECK_NEAR(by[k], 2.0 * x * slope, 1e-11);
        CHECK_NEAR(second[k], 2.0 * slope * slope, 1e-8);
    }
}

/* There the first derivative has a kink. */
TEST(jumps_at_a_time_node_have_none)
{
    double by[2], second[2];
    CHECK(push_bend("0.05", by, second) == AC_BAD_INPUT);
}

/* --- exact data beside others --- */

static ac_status second_by_frequency(const char *text, const char *frequency, double *second, double *error)
{
    ac_context *ctx = ac_context_new(NULL);
    const struct subject s = {"driven", text, 0};
    ac_problem *problem = problem_of(ctx, &s, frequency);
    const char *names[] = {"W", "x", "z"};
    ac_gradient *g = NULL;
    double along[3] = {1.0, 0.0, 0.0}, product[3];
    ac_status status = ac_gradient_new(ctx, problem, names, 3, 0, &g);
    if (status == AC_OK) status = ac_gradient_run(g, NULL);
    if (status == AC_OK) status = ac_gradient_second(g, along, NULL, product, NULL);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    *second = product[0];
    *error = status == AC_OK ? ac_gradient_second_error(g) : NAN;
    ac_gradient_free(g);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

#define DRIVEN(load, more)                                                                           \
    "parameters: {m: 1.1, k: 18, c: 0.4, F: 2, W: 3.5, x: 0.2, z: 0.1}\n"                            \
    "points: {p: {mass: =m, position: [1.2]}, far: {mass: =m + x + z, position: [9]}}\n"             \
    "springs: [{between: [ground, p], stiffness: =k, length: 1, damping: =c}]\n"                     \
    "loads:\n  - {force: [\"" load "\"], on: p, sampled: middle}\n" more                             \
    "simulate: {step: 0.02, duration: 60, scheme: midpoint, quantities: {X: {point: centre, of: p, " \
    "along: x}}, functional: [{end: X}]}\n"

/* A load that turns by 200 rad in all has exact second derivatives by its frequency, whatever stands beside it: steps, the same
 * force cut by a jump that never comes (all by differences: their error is known), a body placed by a parameter. */
TEST(one_datum_without_slopes_of_slopes_leaves_the_others_exact)
{
    static const char plain[] = DRIVEN("=F*cos(W*t)", ""),
                      steps[] = DRIVEN("=F*cos(W*t)",
                                       "  - {force: [{steps: [[0, =z], [0.1, 0]]}], on: far}\n"),
                      jumps[] = DRIVEN("=F*cos(W*t)*step(1e3 - t)", "");
    static const char slider[] =
        "parameters: {m: 1.1, k: 18, c: 0.4, F: 2, W: 3.5, x: 0.2, z: 0.1}\n"
        "planar_bodies: {b: {mass: =m + z + 0*x, inertia: 0.2, position: [%s, 0]}}\n"
        "joints: [{name: rail, prismatic: [ground, b], at: [0, 0], axis: [1, 0]}]\n"
        "springs: [{joint: rail, stiffness: =k, damping: =c}]\n"
        "loads: [{joint: rail, value: \"=F*cos(W*t)\", sampled: middle}]\n"
        "simulate: {step: 0.02, duration: 60, scheme: midpoint, quantities: {X: {joint: rail}}, "
        "functional: [{end: X}]}\n";
    char placed[1024], given[1024];
    snprintf(placed, sizeof placed, slider, "=x");
    snprintf(given, sizeof given, slider, "0.2");
    for (int k = 0; k < 3; ++k) {
        char frequency[64];
        double exact, second, error;
        snprintf(frequency, sizeof frequency, "parameters.W=%.17g", 2.9 + 0.74 * k);
        CHECK(second_by_frequency(plain, frequency, &exact, &error) == AC_OK && error == 0.0);
        CHECK(second_by_frequency(steps, frequency, &second, &error) == AC_OK);
        CHECK(fabs(second - exact) <= 1e-12 * fabs(exact) && error <= 1e-12 * fabs(exact));
        CHECK(second_by_frequency(jumps, frequency, &second, &error) == AC_OK);
        CHECK(error > 0.0 && error <= 1e-5 * fabs(exact));
        CHECK(fabs(second - exact) <= 10.0 * error + 1e-9 * fabs(exact));
        CHECK(second_by_frequency(given, frequency, &exact, &error) == AC_OK);
        CHECK(second_by_frequency(placed, frequency, &second, &error) == AC_OK);
        CHECK(fabs(second - exact) <= 1e-9 * fabs(exact) && error <= 1e-9 * fabs(exact));
    }
}

RUN_TESTS(CASE(every_joint_in_every_scheme), CASE(loops_are_exact), CASE(loops_that_leave_a_freedom_say_so),
          CASE(starts_axes_and_dual_quaternions), CASE(carried_beams_are_exact),
          CASE(parameters_and_controls_together), CASE(little_memory_gives_the_same),
          CASE(maximised_objectives_keep_their_sign), CASE(refusals_name_the_parameter),
          CASE(neighbours_stay_where_the_system_is_valid),
          CASE(jumps_close_to_a_time_node_have_second_derivatives), CASE(jumps_at_a_time_node_have_none),
          CASE(one_datum_without_slopes_of_slopes_leaves_the_others_exact))
