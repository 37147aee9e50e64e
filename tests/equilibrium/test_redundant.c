/* Equilibria with multipliers have the same solutions as the reduced ones: rods of all models, energies given as functions,
 * mechanisms on springs, closed loops with redundant equations. */
#include <stdio.h>

#include "actio/equilibrium.h"
#include "actio/problem.h"
#include "model/system.h"
#include "problem/build/build.h"
#include "test.h"

enum { MOST = 2000 };

static int solve(const char *text, const char *formulation, double q[MOST], ac_equilibrium_point *point)
{
    char setting[80];
    const char *const settings[] = {setting};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *e = NULL;
    bool done = false;
    int n = 0;
    snprintf(setting, sizeof setting, "equilibrium.formulation=%s", formulation);
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, 1, &problem);
    if (status == AC_OK) {
        n = ac_problem_system(problem)->n;
        status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &e);
    }
    while (status == AC_OK && !done) status = ac_equilibrium_next(e, &done);
    CHECK(status == AC_OK && n <= MOST);
    if (status != AC_OK) printf("%s: %s\n", formulation, ac_context_message(ctx));
    if (status == AC_OK) {
        memcpy(q, ac_equilibrium_configuration(e), (size_t)n * sizeof *q);
        *point = *ac_equilibrium_at(e);
    }
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return n;
}

static void same(const char *text)
{
    double q[2][MOST] = {{0}}, most = 0;
    ac_equilibrium_point point[2] = {{0}};
    int n = solve(text, "reduced", q[0], &point[0]);
    CHECK(solve(text, "multipliers", q[1], &point[1]) == n && n > 0);
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(q[0][i] - q[1][i]));
    CHECK_NEAR(most, 0, 1e-9);
    CHECK_NEAR(point[0].energy, point[1].energy, 1e-9 * (1 + fabs(point[0].energy)));
    CHECK(point[0].negative == point[1].negative && point[0].neutral == point[1].neutral);
}

TEST(rods_of_every_model)
{
    static const char *const models[] = {"model: director", "model: director, order: 2", "model: vertex",
                                         "model: edge", "model: dual_quaternion"};
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "beams:\n"
            "  rod: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 8, %s, inertia: "
            "{mass: 1, "
            "rotary: [1e-3, 1e-3]}, stiffness: {shear: [200, 200], axial: 300, bending: [1, 2], torsion: "
            "1.5}}\n"
            "joints:\n  - {fixed: [ground, rod.start]}\n"
            "loads:\n  - {force: [0.3, 0.9, -2], on: rod.end}\n  - {torque: [0.2, -0.5, 0.1], on: rod.end}\n"
            "gravity: [0, 0, -1]\n"
            "equilibrium: {steps: 3, tolerance: 1e-12}\n",
            models[m]);
        same(text);
    }
}

TEST(energies_given_as_functions)
{
    same("beams:\n"
         "  rod: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 8, model: vertex, "
         "inertia: {mass: 1, "
         "rotary: [1e-3, 1e-3]},\n"
         "    energy: "
         "'cosh(u1)+cosh(1.2*u2)+u3^2/2+0.1*u3^4+100*(v1^2+v2^2)+200*(v3-1-log(v3))+3*u1*(v3-1)', potential: "
         "'z+0.3*x*y'}\n"
         "joints:\n  - {fixed: [ground, rod.start]}\n"
         "loads:\n  - {force: [0.3, 0.9, -2], on: rod.end}\n"
         "equilibrium: {steps: 3, tolerance: 1e-12}\n");
}

/* A planar four-bar of bodies in space: three equations of its loop are redundant. */
TEST(a_loop_with_redundant_equations)
{
    same("gravity: [0, 0, -9.81]\n"
         "bodies:\n"
         "  crank: {solid: {rod: {length: 1, mass: 1}}}\n"
         "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
         "  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
         "joints:\n"
         "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], name: a, angle: 1}\n"
         "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
         "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
         "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0]}\n"
         "springs:\n  - {joint: a, stiffness: 40}\n"
         "equilibrium: {tolerance: 1e-12}\n");
}

/* A triangle of bars on a hinge and a spring, welded at two corners or at all three: the loop has no freedom. */
TEST(a_welded_triangle)
{
    static const char *const closing[] = {"", "  - {fixed: [c, a], at: [0, 0]}\n"};
    double q[2][MOST] = {{0}};
    ac_equilibrium_point point[2] = {{0}};
    for (int k = 0; k < 2; ++k) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "gravity: [0, -9.81]\n"
            "planar_bodies:\n"
            "  a: {solid: {rod: {length: 1, mass: 1}}, position: [0, 0], angle: 0}\n"
            "  b: {solid: {rod: {length: 1, mass: 1}}, position: [1, 0], angle: 120 deg}\n"
            "  c: {solid: {rod: {length: 1, mass: 1}}, position: [=cos(pi/3), =sin(pi/3)], angle: -120 deg}\n"
            "springs:\n  - {joint: h, stiffness: 50}\n"
            "equilibrium: {tolerance: 1e-12}\n"
            "joints:\n"
            "  - {revolute: [ground, a], at: [0, 0], name: h}\n"
            "  - {fixed: [a, b], at: [1, 0]}\n"
            "  - {fixed: [b, c], at: [=cos(pi/3), =sin(pi/3)]}\n%s",
            closing[k]);
        same(text);
        CHECK(solve(text, "reduced", q[k], &point[k]) > 0);
    }
    for (int i = 0; i < MOST; ++i) CHECK_NEAR(q[0][i], q[1][i], 1e-12);
    CHECK_NEAR(point[0].energy, point[1].energy, 1e-11);
}

TEST(a_body_on_springs)
{
    same("gravity: [0, 0, -9.81]\n"
         "bodies:\n  plate: {solid: {box: {size: [1, 0.6, 0.1], mass: 2}}, position: [0, 0, 0]}\n"
         "springs:\n"
         "  - {between: [ground, plate], at: {ground: [0.6, 0, 1], plate: [0.5, 0.3, 0]}, stiffness: 60, "
         "length: 0.5}\n"
         "  - {between: [ground, plate], at: {ground: [-0.6, 0.4, 1], plate: [-0.5, 0.3, 0]}, stiffness: 70, "
         "length: 0.4}\n"
         "  - {between: [ground, plate], at: {ground: [0, -0.6, 1], plate: [0, -0.3, 0]}, stiffness: 50, "
         "length: 0.6}\n"
         "  - {between: [ground, plate], at: {ground: [1, -1, -1], plate: [0.5, -0.3, 0]}, stiffness: 30, "
         "length: 0.3}\n"
         "loads:\n  - {torque: [0.3, 0.2, 0.5], on: plate, frame: body}\n"
         "equilibrium: {tolerance: 1e-12}\n");
}

RUN_TESTS(CASE(rods_of_every_model), CASE(energies_given_as_functions), CASE(a_loop_with_redundant_equations),
          CASE(a_welded_triangle), CASE(a_body_on_springs))
