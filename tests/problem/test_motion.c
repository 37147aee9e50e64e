/* From a problem file to a motion that is known in closed form, or that must simply go on. */
#include "actio/actio.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "test.h"

/* Takes all steps of the file; returns the last configuration (owned by *simulation). */
static const double *run(ac_context *ctx, const char *text, ac_problem **problem, ac_simulation **simulation)
{
    *problem = NULL;
    *simulation = NULL;
    ac_status status = ac_problem_parse(ctx, "test.yaml", text, strlen(text), NULL, 0, problem);
    if (status == AC_OK) {
        status = ac_simulation_new(ctx, ac_problem_system(*problem), ac_problem_simulation(*problem),
                                   simulation);
    }
    long steps = status == AC_OK ? ac_problem_simulation(*problem)->steps : 0;
    for (long k = 0; k < steps && status == AC_OK; ++k) status = ac_simulation_step(*simulation);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return status == AC_OK ? ac_simulation_configuration(*simulation) : NULL;
}

/* A free planar body under a constant torque turns by T t^2 / 2J; the discrete motion is exact to order
 * h^2. */
TEST(planar_torque)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem;
    ac_simulation *simulation;
    const double *q = run(ctx,
                          "planar_bodies: {plate: {mass: 1, inertia: 0.5, position: [0, 0], angle: 0}}\n"
                          "loads: [{torque: 0.3, on: plate}]\n"
                          "simulate: {step: 1 ms, duration: 1 s}\n",
                          &problem, &simulation);
    if (q) CHECK_NEAR(atan2(q[3], q[2]), 0.3, 1e-6);
    ac_simulation_free(simulation);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A spring with rest length zero pulls a point through its anchor: x = cos(w t), w = 2 rad/s, and nothing
 * breaks at zero. */
TEST(spring_through_zero)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem;
    ac_simulation *simulation;
    const double *q = run(
        ctx,
        "points: {bob: {mass: 1, position: [1, 0]}}\n"
        "springs: [{between: [ground, bob], at: {ground: [0, 0]}, stiffness: 4, length: 0}]\n"
        "simulate: {step: 1 ms, duration: 2 s}\n",
        &problem, &simulation);
    if (q) {
        CHECK_NEAR(q[0], cos(4.0), 1e-5);
        CHECK_NEAR(q[1], 0.0, 1e-12);
    }
    ac_simulation_free(simulation);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A four-bar that is not held falls for a minute, 18 km: its loop stays closed to the rounding of such
 * coordinates. */
TEST(falling_loop)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem;
    ac_simulation *simulation;
    const double *q = run(
        ctx,
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  a: {solid: {rod: {length: 1, mass: 1}}, position: [0, 0], angle: 0, velocity: [0, 0], "
        "angular_velocity: 1}\n"
        "  b: {solid: {rod: {length: 2, mass: 1}}, position: [1, 0], angle: 60 deg}\n"
        "  c: {solid: {rod: {length: 1.5, mass: 1}}, position: [0, 0], angle: 80 deg}\n"
        "  d: {solid: {rod: {length: 1.8, mass: 1}}, position: [0.3, 1.5], angle: 10 deg}\n"
        "joints:\n"
        "  - {revolute: [a, b], at: {a: end, b: start}}\n"
        "  - {revolute: [a, c], at: {a: start, c: start}}\n"
        "  - {revolute: [c, d], at: {c: end, d: start}}\n"
        "  - {revolute: [b, d], at: {b: end, d: end}}\n"
        "simulate: {step: 5 ms, duration: 60 s}\n",
        &problem, &simulation);
    if (q) {
        const double *b = q + 4,
                     *d = q + 12; /* centres of mass and directors; the ends are 1 and 0.9 m further on */
        CHECK(q[1] < -17000.0);
        CHECK_NEAR(hypot(b[0] + b[2] - d[0] - 0.9 * d[2], b[1] + b[3] - d[1] - 0.9 * d[3]), 0.0, 1e-10);
    }
    ac_simulation_free(simulation);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(planar_torque), CASE(spring_through_zero), CASE(falling_loop))
