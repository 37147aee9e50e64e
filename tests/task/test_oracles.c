/* Every kind of term in every task against numbers from outside of the action: discrete equations of single masses, written by
 * hand, weights that springs carry, the moment that bends a beam. If simulation, equilibrium and optimal control were
 * wrong together, they would agree with each other, but not with these. tests/long/mutate_kinds.sh changes each kind by
 * one per cent and expects that the checks of its tasks fail. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/equilibrium.h"
#include "actio/optimize.h"
#include "actio/simulate.h"
#include "linalg/dense.h"
#include "problem/build/build.h"
#include "test.h"

enum { MOST = 64 };

static ac_problem *open_problem(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "oracle", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static void keep(const ac_system *system, const double *from, double *q)
{
    int n = ac_system_sizes(system).coordinates;
    CHECK(n <= MOST);
    for (int i = 0; i < n && i < MOST; ++i) q[i] = from[i];
}

/* The configuration after the last step. */
static void simulate(const char *text, double *q)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = open_problem(ctx, text);
    ac_simulation *simulation = NULL;
    const ac_simulation_settings *settings = problem ? ac_problem_simulation(problem) : NULL;
    if (problem) CHECK(ac_simulation_new(ctx, ac_problem_system(problem), settings, &simulation) == AC_OK);
    for (long k = 0; simulation && k < settings->steps; ++k) CHECK(ac_simulation_step(simulation) == AC_OK);
    if (simulation) keep(ac_problem_system(problem), ac_simulation_configuration(simulation), q);
    ac_simulation_free(simulation);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static void settle(const char *text, double *q)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = open_problem(ctx, text);
    ac_equilibrium *e = NULL;
    bool done = false;
    if (problem)
        CHECK(ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &e) ==
              AC_OK);
    while (e && !done)
        if (ac_equilibrium_next(e, &done) != AC_OK) break;
    CHECK(done);
    if (e) keep(ac_problem_system(problem), ac_equilibrium_configuration(e), q);
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The controls found on two intervals. */
static void optimize(const char *text, double u[2])
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = open_problem(ctx, text);
    u[0] = u[1] = NAN;
    if (problem) {
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        for (int k = 0; k < 2; ++k) u[k] = ac_optimization_control_values(o, k)[0];
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A mass of 2 kg on a spring and a damper along x, whose length without stress is 1 m; weight along -z. */
#define OSCILLATOR(gravity, task)                        \
    "gravity: " gravity "\n"                             \
    "points: {mass: {mass: 2, position: [1.5, 0, 0]}}\n" \
    "springs: [{between: [ground, mass], stiffness: 30, length: 1, damping: 1.4}]\n" task

static const double MASS = 2.0, STIFFNESS = 30.0, DAMPING = 1.4;

/* Midpoint rule for m x'' + c x' + k x = u: impulses at the left and right end of an interval from x to y. */
static double left(double h, double x, double y, double u)
{
    return -MASS * (y - x) / h - 0.25 * h * STIFFNESS * (x + y) - 0.5 * DAMPING * (y - x) + 0.5 * h * u;
}

static double right(double h, double x, double y, double u)
{
    return MASS * (y - x) / h - 0.25 * h * STIFFNESS * (x + y) - 0.5 * DAMPING * (y - x) + 0.5 * h * u;
}

TEST(spring_and_damper_in_simulation)
{
    double q[MOST] = {0.0}, h = 0.02, x = 0.5, p = 0.0;
    simulate(OSCILLATOR("[0, 0, 0]", "simulate: {step: 20 ms, steps: 40, scheme: midpoint}\n"), q);
    for (int n = 0; n < 40; ++n) { /* p + left(y) = 0 is linear in y */
        double none = p + left(h, x, 0.0, 0.0), slope = left(h, x, 1.0, 0.0) - left(h, x, 0.0, 0.0);
        double y = -none / slope;
        p = right(h, x, y, 0.0);
        x = y;
    }
    CHECK_NEAR(q[0], 1.0 + x, 1e-10);
}

TEST(spring_in_equilibrium)
{
    double q[MOST] = {0.0};
    settle(OSCILLATOR("[9, 0, 0]", "equilibrium: {}\n"), q);
    CHECK_NEAR(q[0], 1.0 + MASS * 9.0 / STIFFNESS, 1e-10);
}

/* From rest without stress to rest 0.3 m further in two intervals: as many equations as unknowns. */
TEST(spring_and_damper_in_optimal_control)
{
    static const char text[] =
        "points: {mass: {mass: 2, position: [1, 0, 0]}}\n"
        "springs: [{between: [ground, mass], stiffness: 30, length: 1, damping: 1.4}]\n"
        "optimize:\n"
        "  intervals: 2\n"
        "  duration: 0.2\n"
        "  controls: [{name: push, force: mass, component: x}]\n"
        "  quantities: {x: {point: centre, of: mass, along: x}}\n"
        "  conditions: [{expression: x, equals: 1.3, at: end}, {expression: x_rate, equals: 0, at: end}]\n"
        "  objective: [{effort: 1}]\n";
    double found[2], h = 0.1, d = 0.3, K[9], b[3];
    int pivot[3];
    /* unknowns: place in the middle, both controls; rows: left, sum in the middle, momentum at the end */
    const double units[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double values[4][3];
    for (int k = 0; k < 4; ++k) {
        double y = units[k][0], u = units[k][1], v = units[k][2];
        values[k][0] = left(h, 0.0, y, u);
        values[k][1] = right(h, 0.0, y, u) + left(h, y, d, v);
        values[k][2] = right(h, y, d, v);
    }
    for (int i = 0; i < 3; ++i) {
        b[i] = -values[0][i];
        for (int k = 0; k < 3; ++k) K[3 * i + k] = values[1 + k][i] - values[0][i];
    }
    CHECK(ac_lu_factor(3, K, pivot));
    ac_lu_solve(3, K, pivot, b);
    optimize(text, found);
    CHECK_NEAR(found[0], b[1], 1e-6 * fabs(b[1]));
    CHECK_NEAR(found[1], b[2], 1e-6 * fabs(b[2]));
}

/* x = v t + F/m t^2/2 and z = -g t^2/2, also step by step. */
TEST(inertia_gravity_and_load_in_simulation)
{
    double q[MOST] = {0.0};
    simulate("gravity: [0, 0, -9]\n"
             "points: {mass: {mass: 2, position: [0, 0, 0], velocity: [1.5, 0, 0]}}\n"
             "loads: [{force: [3, 0, 0], on: mass}]\n"
             "simulate: {step: 10 ms, steps: 50}\n",
             q);
    CHECK_NEAR(q[0], 1.5 * 0.5 + 0.5 * 1.5 * 0.25, 1e-11);
    CHECK_NEAR(q[2], -0.5 * 9.0 * 0.25, 1e-11);
}

/* A torque turns a disc from rest: angle = T t^2 / (2 J) */
TEST(inertia_and_torque_in_simulation)
{
    double q[MOST] = {0.0};
    simulate("bodies: {disc: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0]}}\n"
             "loads: [{torque: [0, 0, 0.8], on: disc}]\n"
             "simulate: {step: 2 ms, steps: 400}\n",
             q);
    CHECK_NEAR(atan2(q[4], q[3]), 0.5 * 0.8 / 0.4 * 0.64, 1e-4);
}

/* A pendulum on which a horizontal force acts hangs with tan = F / (m g). */
TEST(gravity_and_load_in_equilibrium)
{
    double q[MOST] = {0.0};
    settle("gravity: [0, 0, -9]\n"
           "points: {mass: {mass: 2, position: [0, 0, -1]}}\n"
           "joints: [{distance: [ground, mass], length: 1}]\n"
           "loads: [{force: [6, 0, 0], on: mass}]\n"
           "equilibrium: {}\n",
           q);
    CHECK_NEAR(q[0] / -q[2], 6.0 / 18.0, 1e-9);
}

/* A mass rises 1 m from rest to rest in two intervals against weight and a load: u = m g - F +- m d/h^2. */
TEST(inertia_gravity_and_load_in_optimal_control)
{
    double u[2];
    optimize("gravity: [0, 0, -9]\n"
             "points: {mass: {mass: 2, position: [0, 0, 0]}}\n"
             "loads: [{force: [0, 0, 7], on: mass}]\n"
             "optimize:\n"
             "  intervals: 2\n"
             "  duration: 1\n"
             "  controls: [{name: lift, force: mass, component: z}]\n"
             "  quantities: {z: {point: centre, of: mass, along: z}}\n"
             "  conditions: [{expression: z, equals: 1, at: end}, {expression: z_rate, equals: 0, at: end}]\n"
             "  objective: [{effort: 1}]\n",
             u);
    CHECK_NEAR(u[0], 18.0 - 7.0 + 8.0, 1e-6);
    CHECK_NEAR(u[1], 18.0 - 7.0 - 8.0, 1e-6);
}

/* Beams of two elements that a moment M at the end bends: by how much the end turns. */
static double bend(const char *kind)
{
    char text[600];
    double q[MOST] = {0.0};
    snprintf(text, sizeof text,
             "beams:\n"
             "  strip:\n"
             "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
             "    d1: [0, 1, 0]\n"
             "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [2, 2], torsion: 2}\n"
             "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n%s"
             "joints: [{fixed: [ground, strip.start]}]\n"
             "loads: [{torque: [0, 0, 0.6], on: strip.end}]\n"
             "equilibrium: {}\n",
             kind);
    settle(text, q);
    const double *last = q + 24;     /* the third node */
    return atan2(last[10], last[9]); /* d3 was along x */
}

/* An element of length l that turns by phi has the strain sin(phi)/l with directors, 2 tan(phi/2)/l as a rod, and
 * M = E I l strain dstrain/dphi: sin(2 phi) = 2 M l/(E I), and t + t^3 = M l/(2 E I) with t = tan(phi/2). */
TEST(beams_in_equilibrium)
{
    const double share = 0.6 * 0.5 / 2.0;
    double t = 0.5 * share;
    for (int k = 0; k < 50; ++k) t = 0.5 * share - t * t * t;
    CHECK_NEAR(bend("    elements: 2\n"), asin(2.0 * share), 1e-9);
    CHECK_NEAR(bend("    elements: 2\n    model: vertex\n"), 4.0 * atan(t), 1e-9);
    CHECK_NEAR(bend("    elements: 1\n    order: 2\n"), 0.3, 1e-3); /* the arc itself, M l/(E I) */
}

/* A free beam along x, EA = 30 N, 1.2 kg, length 1 m, whose ends are pulled apart. The stretch u moves as a mass m on a
 * spring, m = 1.2 / 12 with masses that are consistent with linear interpolation; with two edges and masses at the vertices
 * m = 1.2 / 8. */
#define PULLED(kind, task)                                                       \
    "beams:\n"                                                                   \
    "  strip:\n"                                                                 \
    "    straight: {from: [-0.5, 0, 0], to: [0.5, 0, 0]}\n"                      \
    "    d1: [0, 1, 0]\n"                                                        \
    "    stiffness: {shear: [50, 50], axial: 30, bending: [2, 2], torsion: 2}\n" \
    "    inertia: {mass: 1.2, rotary: [1e-3, 1e-3]}\n"                           \
    "    " kind "\n" task

static const double FREE = 1.2 / 12.0, AT_VERTICES = 1.2 / 8.0, AXIAL = 30.0;

/* Midpoint rule for m u'' + k u = f on an interval from x to y: impulses at its left (-1) and right (1) end. */
static double stretch_impulse(double m, double side, double h, double x, double y, double f)
{
    return side * m * (y - x) / h - 0.25 * h * AXIAL * (x + y) + 0.5 * h * f;
}

static double stretch_after(double m, double h, int steps, double f)
{
    double x = 0.0, p = 0.0;
    for (int n = 0; n < steps; ++n) { /* p + left(y) = 0 is linear in y */
        double none = p + stretch_impulse(m, -1.0, h, x, 0.0, f);
        double slope = stretch_impulse(m, -1.0, h, x, 1.0, f) - stretch_impulse(m, -1.0, h, x, 0.0, f);
        double y = -none / slope;
        p = stretch_impulse(m, 1.0, h, x, y, f);
        x = y;
    }
    return x;
}

#define PULL_AND_STEP                                                                    \
    "loads: [{force: [2, 0, 0], on: strip.end}, {force: [-2, 0, 0], on: strip.start}]\n" \
    "simulate: {step: 20 ms, steps: 12, scheme: midpoint}\n"

TEST(beams_in_simulation)
{
    double q[MOST] = {0.0}, h = 0.02;
    simulate(PULLED("elements: 1", PULL_AND_STEP), q);
    CHECK_NEAR(q[12] - q[0] - 1.0, stretch_after(FREE, h, 12, 2.0), 1e-10);
    simulate(PULLED("elements: 1\n    order: 2", PULL_AND_STEP), q);
    CHECK_NEAR(q[24] - q[0] - 1.0, stretch_after(FREE, h, 12, 2.0), 1e-10);
    simulate(PULLED("elements: 2\n    model: edge", PULL_AND_STEP), q);
    CHECK_NEAR(q[36] - q[0] - 1.0, stretch_after(AT_VERTICES, h, 12, 2.0), 1e-10);
    simulate(PULLED("elements: 1\n    model: vertex", PULL_AND_STEP), q);
    CHECK_NEAR(q[12] - q[0] - 1.0, stretch_after(FREE, h, 12, 2.0), 1e-10);
}

/* From rest to a stretch of 0.1 m at rest, in two intervals: unknown are the stretch in the middle and both forces. */
static void stretch_controls(double m, double u[2])
{
    const double units[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double h = 0.1, d = 0.1, values[4][3], K[9], b[3];
    int pivot[3];
    for (int k = 0; k < 4; ++k) {
        double y = units[k][0];
        values[k][0] = stretch_impulse(m, -1.0, h, 0.0, y, units[k][1]);
        values[k][1] = stretch_impulse(m, 1.0, h, 0.0, y, units[k][1]) +
                       stretch_impulse(m, -1.0, h, y, d, units[k][2]);
        values[k][2] = stretch_impulse(m, 1.0, h, y, d, units[k][2]);
    }
    for (int i = 0; i < 3; ++i) {
        b[i] = -values[0][i];
        for (int k = 0; k < 3; ++k) K[3 * i + k] = values[1 + k][i] - values[0][i];
    }
    CHECK(ac_lu_factor(3, K, pivot));
    ac_lu_solve(3, K, pivot, b);
    u[0] = b[1];
    u[1] = b[2];
}

/* One end is held, the control pulls the other one: m = 1.2 / 3. */
#define HOLD_AND_PULL                                                                                   \
    "joints: [{fixed: [ground, strip.start]}]\n"                                                        \
    "optimize:\n"                                                                                       \
    "  intervals: 2\n"                                                                                  \
    "  duration: 0.2\n"                                                                                 \
    "  controls: [{name: pull, force: strip.end, component: x}]\n"                                      \
    "  quantities: {x: {point: centre, of: strip.end, along: x}}\n"                                     \
    "  conditions: [{expression: x, equals: 0.6, at: end}, {expression: x_rate, equals: 0, at: end}]\n" \
    "  objective: [{effort: 1}]\n"

TEST(beams_in_optimal_control)
{
    double found[2], u[2];
    stretch_controls(1.2 / 3.0, u);
    optimize(PULLED("elements: 1", HOLD_AND_PULL), found);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(found[k], u[k], 1e-6 * fabs(u[k]));
    optimize(PULLED("elements: 1\n    model: vertex", HOLD_AND_PULL), found);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(found[k], u[k], 1e-6 * fabs(u[k]));
}

RUN_TESTS(CASE(spring_and_damper_in_simulation), CASE(spring_in_equilibrium),
          CASE(spring_and_damper_in_optimal_control), CASE(inertia_gravity_and_load_in_simulation),
          CASE(inertia_and_torque_in_simulation), CASE(gravity_and_load_in_equilibrium),
          CASE(inertia_gravity_and_load_in_optimal_control), CASE(beams_in_equilibrium),
          CASE(beams_in_simulation), CASE(beams_in_optimal_control))
