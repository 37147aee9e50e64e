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
    double most = largest(g, H, n);
    for (int j = 0; status == AC_OK && j < n; ++j) {
        double sum = 0.0, size = most / scale_of(g, j);
        CHECK(ac_gradient_by_parameter(g, j) == by[j]);
        for (int i = 0; i < n; ++i) {
            double skew = fabs(H[j * n + i] - H[i * n + j]);
            sum += H[j * n + i] * direction[i];
            CHECK(skew <= 1e-9 * size / scale_of(g, i));
        }
        if (!(fabs(product[j] - near[j]) <= 1e-6 * size) || !(fabs(product[j] - sum) <= 1e-9 * size))
            printf("  %s, %s, by %s: product %.12g, sum %.12g, differences %.12g, size %.3g\n", s->name,
                   scheme, ac_gradient_parameter(g, j, NULL), product[j], sum, near[j], size);
        CHECK(fabs(product[j] - near[j]) <= 1e-6 * size);
        CHECK(fabs(product[j] - sum) <= 1e-9 * size);
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

RUN_TESTS(CASE(every_joint_in_every_scheme))
