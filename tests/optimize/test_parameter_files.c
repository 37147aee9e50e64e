/* Free parameters of problem files. A start that depends on them: coordinates and rates of joints, lengths of trees and of closed loops with a
 * given start and with a velocity; forces in body axes at points that vary. Derivatives against differences in both formulations, closed forms at
 * the solution, what is refused. */
#include <math.h>
#include <stdio.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;
static char file_name[SCRATCH_SIZE];
static const double PI = 3.14159265358979323846;

static void write_file(const char *text)
{
    scratch_path(file_name, "start.yaml");
    FILE *out = fopen(file_name, "w");
    CHECK(out != NULL);
    if (!out) return;
    fputs(text, out);
    fclose(out);
    if (!ctx) ctx = ac_context_new(NULL);
}

/* --- derivatives --- */

typedef struct given_problem {
    const char *name, *text;
} given_problem;

#define ASKED(parameters, joint, which)                                             \
    "optimize:\n"                                                                   \
    "  duration: 0.12 s\n"                                                          \
    "  intervals: 3\n"                                                              \
    "  parameters: {" parameters "}\n"                                              \
    "  controls: [{joint: " joint which ", name: u, guess: 0.3}]\n"                 \
    "  objective: [{effort: 1}, {running: \"(" joint "_q)^2\"}]\n"                  \
    "  quantities: {" joint "_q: {joint: " joint which "}, E: {energy: system}}\n"  \
    "  conditions: [{expression: \"" joint "_q + 0.01*E\", at_most: 9, at: end}]\n" \
    "  end_velocity: free\n"

/* Bodies in principal axes, or in their own. */
#define IN_AXES(axes)                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                            \
    "parameters: {m: 1, j: 0.02, l: 0.4}\n"                                                               \
    "bodies:\n"                                                                                           \
    "  a: {" axes "mass: =m, inertia: [0.3, 0.2, 0.25, =j, 0.02, =0.02*m], centre: [=l/4, 0.1, 0.2], "    \
    "points: {tip: [=l, 0.1, 0]}}\n"                                                                      \
    "  b: {" axes "solids: [{cylinder: {length: =l, radius: 0.05, mass: =m}}, {box: {size: [0.1, 0.2, "   \
    "0.3], mass: 0.5}, position: [0.1, =l/2, 0]}], points: {grip: [0, 0, 0.1]}}\n"                        \
    "joints:\n"                                                                                           \
    "  - {revolute: [ground, a], name: hip, at: {a: [0.05, 0, =j]}, axis: [0, 1, 0.2], angle: =l, "       \
    "angle_rate: 0.5}\n"                                                                                  \
    "  - {spherical: [a, b], at: {a: tip, b: grip}}\n"                                                    \
    "springs: [{between: [ground, b], at: {ground: [1, 0, =l], b: [0.1, =l, 0]}, stiffness: 20, length: " \
    "0.5, damping: 0.1}]\n"                                                                               \
    "loads: [{on: b, force: [1, 0, =m], at: [=l, 0, 0.1]}]\n"                                             \
    "optimize:\n"                                                                                         \
    "  duration: 0.2 s\n"                                                                                 \
    "  intervals: 4\n"                                                                                    \
    "  parameters: {m: {from: 0.5, to: 1.5}, j: {from: 0.01, to: 0.05}, l: {from: 0.3, to: 0.6}}\n"       \
    "  controls: [{joint: hip, name: u, guess: 0.2}]\n"                                                   \
    "  objective: [{effort: 1}, {end: \"(m-0.8)^2+(j-0.03)^2+(l-0.5)^2\"}]\n"                             \
    "  conditions: [{joint: hip, equals: 0.5, at: end}]\n"                                                \
    "  end_velocity: free\n"

static const given_problem PROBLEMS[] = {
    {"coordinates and rates of a chain, lists, functions of two parameters",
     "gravity: [0.3, 0.1, -9.81]\n"
     "parameters: {a: 0.5, w: 1.2, l: 0.5}\n"
     "bodies:\n"
     "  upper: {solid: {rod: {length: =l, mass: 1}}}\n"
     "  lower: {solid: {box: {size: [0.2, 0.3, 0.1], mass: 1}}, points: {grip: [0.1, =0.2*l, 0.05]}}\n"
     "joints:\n"
     "  - {revolute: [ground, upper], name: hip, at: {upper: start}, axis: [0, 1, 0.3], coordinates: [=a], "
     "rates: [=w*a]}\n"
     "  - {cylindrical: [upper, lower], at: {upper: end, lower: grip}, axis: [0.2, 1, 0], angle: =sin(a)*w, "
     "slide: =0.1*a^2, angle_rate: =w^2, slide_rate: =a*l}\n" ASKED(
         "a: {from: 0, to: 1}, w: {from: -3, to: 3}, l: {from: 0.3, to: 1}", "hip", "")},
    {"joints that are given from the child to its parent",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {a: 0.5, w: 1.2}\n"
     "bodies:\n"
     "  upper: {solid: {rod: {length: 0.5, mass: 1}}}\n"
     "  lower: {solid: {rod: {length: 0.4, mass: 1}}}\n"
     "joints:\n"
     "  - {revolute: [upper, ground], name: hip, at: {upper: start}, axis: [0, 1, 0.3], angle: =a, "
     "angle_rate: =w}\n"
     "  - {prismatic: [lower, upper], at: {upper: end, lower: start}, axis: [1, 0.2, 0], slide: =0.1*w*a, "
     "slide_rate: =a^2}\n" ASKED("a: {from: 0, to: 1}, w: {from: -3, to: 3}", "hip", "")},
    {"two angles of a universal joint and a length behind it",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {a: 0.5, w: 1.2}\n"
     "bodies:\n"
     "  upper: {solid: {rod: {length: =a, mass: 1}}}\n"
     "  lower: {solid: {rod: {length: 0.4, mass: 1}}}\n"
     "joints:\n"
     "  - {universal: [ground, upper], name: hip, at: {upper: start}, axis: [0, 0, 1], angle: =a, "
     "second_angle: =w/2, angle_rate: =w, second_angle_rate: =a*w}\n"
     "  - {spherical: [upper, lower], at: {upper: end, lower: start}, rates: [0.1, 0.4, 0.2]}\n" ASKED(
         "a: {from: 0.2, to: 1}, w: {from: -3, to: 3}", "hip", ", coordinate: second_angle")},
    {"in the plane",
     "gravity: [0, -9.81]\n"
     "parameters: {a: 0.5, w: 1.2, l: 0.4}\n"
     "planar_bodies:\n"
     "  upper: {mass: 1, inertia: 0.1, points: {tip: [=l, 0]}}\n"
     "  lower: {mass: 1, inertia: 0.2}\n"
     "joints:\n"
     "  - {revolute: [ground, upper], name: hip, at: {upper: origin}, angle: =a, angle_rate: =w}\n"
     "  - {revolute: [upper, lower], at: {upper: tip, lower: [0.1, 0]}, angle: =-a*w, angle_rate: "
     "=2*w}\n" ASKED("a: {from: 0, to: 1}, w: {from: -3, to: 3}, l: {from: 0.3, to: 1}", "hip", "")},
    {"a velocity where only lengths vary",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.5, c: 0.2}\n"
     "bodies:\n"
     "  upper: {solid: {rod: {length: =l, mass: 1}}}\n"
     "  lower: {mass: 1, inertia: [0.1, 0.2, 0.15], centre: [=c, 0.1, =c^2]}\n"
     "joints:\n"
     "  - {revolute: [ground, upper], name: hip, at: {upper: start}, axis: [0, 1, 0], angle: 0.3, "
     "angle_rate: "
     "1.3}\n"
     "  - {spherical: [upper, lower], at: {upper: end, lower: [0, =l/2, 0]}, rates: [0.3, -0.2, "
     "0.5]}\n" ASKED("l: {from: 0.3, to: 1}, c: {from: 0.1, to: 0.4}", "hip", "")},
    {"a beam on a hub that turns",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.5, a: 0.4, w: 1.5}\n"
     "beams:\n"
     "  arm: {straight: {from: [0, 0, 0], to: [=l, 0, 0]}, elements: 2, section: {circle: {radius: 0.01}}, "
     "material: "
     "{young: 2e6, poisson: 0.3, density: 1000}}\n"
     "joints:\n"
     "  - {revolute: [ground, arm.start], name: hip, axis: [0, 1, 0], angle: =a, angle_rate: "
     "=w}\n" ASKED("l: {from: 0.3, to: 1}, a: {from: 0, to: 1}, w: {from: 0, to: 3}", "hip", "")},
    {"a beam of dual quaternions on a hub that turns",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.5, a: 0.4, w: 1.5}\n"
     "beams:\n"
     "  arm: {model: dual_quaternion, straight: {from: [0, 0, 0], to: [=l, 0, 0]}, elements: 2, section: "
     "{circle: {radius: 0.01}}, "
     "material: "
     "{young: 2e6, poisson: 0.3, density: 1000}}\n"
     "joints:\n"
     "  - {revolute: [ground, arm.start], name: hip, axis: [0, 1, 0], angle: =a, angle_rate: "
     "=w}\n" ASKED("l: {from: 0.3, to: 1}, a: {from: 0, to: 1}, w: {from: 0, to: 3}", "hip", "")},
    {"a closed loop with its lengths and the speed of its crank",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.3, c: 0.1, w: 2, g: 0.35}\n"
     "bodies:\n"
     "  crank: {solid: {rod: {length: =c, mass: 1}}}\n"
     "  coupler: {solid: {rod: {length: =l, mass: 1}}}\n"
     "  rocker: {solid: {rod: {length: 0.25, mass: 1}}}\n"
     "joints:\n"
     "  - {revolute: [ground, crank], name: drive, at: {crank: start}, axis: [0, 1, 0], angle: =w/2, "
     "angle_rate: =w}\n"
     "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [ground, rocker], at: {ground: [=g, 0, 0], rocker: start}, axis: [0, 1, 0]}\n"
     "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, 0]}\n" ASKED(
         "l: {from: 0.25, to: 0.38}, c: {from: 0.08, to: 0.15}, w: {from: 1, to: 3}, g: {from: 0.3, to: 0.4}",
         "drive", "")},
    {"a spatial loop with a ball and a distance that varies, beside a free body",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.4, a: 0.7}\n"
     "bodies:\n"
     "  crank: {solid: {rod: {length: 0.15, mass: 1}}}\n"
     "  slider: {solid: {box: {size: [0.1, 0.1, 0.1], mass: 1}}}\n"
     "  other: {mass: 1, inertia: [1, 2, 3], position: [3, 0, 0], velocity: [0.1, 0.2, 0.3]}\n"
     "joints:\n"
     "  - {revolute: [ground, crank], name: drive, at: {crank: start}, axis: [0, 1, 0], angle: =a, "
     "angle_rate: "
     "=2*a}\n"
     "  - {prismatic: [ground, slider], at: {ground: [0.35, 0.1, 0], slider: origin}, axis: [1, 0, 0]}\n"
     "  - {distance: [crank, slider], at: {crank: end, slider: origin}, length: =l}\n" ASKED(
         "l: {from: 0.35, to: 0.6}, a: {from: 0.5, to: 1}", "drive", "")},
    {"forces in body axes at points that vary, and on a body whose centre does",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {l: 0.5, c: 0.2}\n"
     "bodies:\n"
     "  upper: {solid: {rod: {length: 0.4, mass: 1}}, points: {nose: [0.1, =l^2, 0.2]}}\n"
     "  lower: {mass: 1, inertia: [0.1, 0.2, 0.15], centre: [=c, 0.1, =c*l], points: {tail: [0.3, 0.1, 0]}}\n"
     "joints:\n"
     "  - {revolute: [ground, upper], name: hip, at: {upper: start}, axis: [0, 1, 0], angle: 0.3}\n"
     "  - {spherical: [upper, lower], at: {upper: end, lower: [0, 0.1, 0]}}\n"
     "loads:\n"
     "  - {on: upper, force: [1, =2 + l, =sin(5*t)], at: nose, frame: body}\n"
     "  - {on: lower, force: [0.5, 2, 1], at: tail, frame: body}\n"
     "optimize:\n"
     "  duration: 0.12\n"
     "  free_duration: true\n"
     "  intervals: 3\n"
     "  parameters: {l: {from: 0.3, to: 1}, c: {from: 0.1, to: 0.4}}\n"
     "  controls: [{joint: hip, name: u, guess: 0.3}, {force: upper, at: nose, component: z, frame: body, "
     "name: "
     "v, guess: 0.5}, {force: lower, at: [=l, 0, =c], frame: body, name: w, guess: 0.2}]\n"
     "  objective: [{effort: 1}, {duration: 1}]\n"
     "  end_velocity: free\n"},
    {"forces in body axes of the plane",
     "gravity: [0, -9.81]\n"
     "parameters: {a: 0.5, l: 0.4}\n"
     "planar_bodies:\n"
     "  upper: {mass: 1, inertia: 0.1, centre: [=l/2, 0], points: {tip: [=l, =a*l]}}\n"
     "joints: [{revolute: [ground, upper], name: hip, at: {upper: origin}, angle: =a}]\n"
     "loads: [{on: upper, force: [1, =a], at: tip, frame: body}]\n"
     "optimize:\n"
     "  duration: 0.12 s\n"
     "  intervals: 3\n"
     "  parameters: {a: {from: 0, to: 1}, l: {from: 0.3, to: 1}}\n"
     "  controls: [{force: upper, at: tip, frame: body, name: u, guess: 0.3}]\n"
     "  objective: [{effort: 1}]\n"
     "  end_velocity: free\n"},
    {"a beam of dual quaternions: viscosities, damping of a spring at it, loads, masses and points of what "
     "it carries",
     "gravity: [0, 0, -9.81]\n"
     "parameters: {v: 0.02, m: 0.3, l: 0.5, f: 1.5}\n"
     "beams:\n"
     "  arm: {model: dual_quaternion, straight: {from: [0, 0, 0], to: [0.6, 0, 0]}, elements: 2, section: "
     "{circle: "
     "{radius: 0.02}}, material: {young: 2e5, poisson: 0.3, density: 1000, shear_viscosity: =v, "
     "bulk_viscosity: "
     "=v^2 + 0.01}, masses: [{at: end, mass: =m/2}]}\n"
     "bodies:\n"
     "  load: {mass: =m, inertia: [=0.03 + m/10, 0.04, =0.03 + m*l/50], centre: [0.01, =0.1*l, 0], points: "
     "{hook: "
     "[=l/5, "
     "0.02, =v]}}\n"
     "joints:\n"
     "  - {revolute: [ground, arm.start], name: hip, axis: [0, 1, 0], angle: 0.2, angle_rate: =f}\n"
     "  - {revolute: [arm.end, load], at: {load: hook}, axis: [0, 0, 1]}\n"
     "springs: [{between: [ground, load], at: {ground: [0.3, 0, =1 + l], load: hook}, stiffness: =10*f, "
     "damping: =v, "
     "length: =l}]\n"
     "loads:\n"
     "  - {on: arm.middle, force: [0, =f, =sin(4*t)*m]}\n"
     "  - {on: load, force: [0, 0, =f*l], at: [=l/3, =v, 0], frame: body}\n"
     "  - {on: arm.end, torque: [0, =v*f, 0]}\n" ASKED(
         "v: {from: 0.01, to: 0.05}, m: {from: 0.1, to: 0.4}, l: {from: 0.3, to: 1}, f: {from: 1, to: 2}",
         "hip", "")},
    {"a tapered beam of dual quaternions whose stations vary",
     "parameters: {r: 0.02, Y: 2e5, v: 0.02}\n"
     "beams:\n"
     "  arm: {model: dual_quaternion, straight: {from: [0, 0, 0], to: [0.6, 0.1, 0]}, elements: 3, section: "
     "[{at: 0, "
     "circle: {radius: =r}}, {at: 1, circle: {radius: =r/2 + 0.005}}], material: {young: =Y, poisson: 0.3, "
     "density: "
     "1000, shear_viscosity: =v, extensional_viscosity: =3*v}}\n"
     "joints: [{revolute: [ground, arm.start], name: hip, axis: [0, 1, 0]}]\n" ASKED(
         "r: {from: 0.01, to: 0.03}, Y: {from: 1e5, to: 3e5}, v: {from: 0.01, to: 0.03}", "hip", "")},
    {"bodies in principal axes", IN_AXES("axes: principal, ")},
};

TEST(all_derivatives_are_exact)
{
    static const char *const formulations[] = {"optimize.formulation=reduced",
                                               "optimize.formulation=multipliers"};
    static const char *const schemes[] = {"optimize.scheme=midpoint", "optimize.scheme=trapezoidal"};
    for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; ++k)
        for (int w = 0; w < 4; ++w) {
            const char *settings[2] = {formulations[w % 2], schemes[w / 2]};
            if (w < 2 && strstr(PROBLEMS[k].text, "dual_quaternion")) continue; /* trapezoidal only */
            ac_problem *problem = NULL;
            double differences[3] = {NAN, NAN, NAN};
            int dependent = -1, before = test_failures;
            char name[128] = "";
            write_file(PROBLEMS[k].text);
            CHECK(ac_problem_read(ctx, file_name, settings, 2, &problem) == AC_OK);
            if (problem) {
                ac_optimization *o = ac_problem_optimization(problem);
                ac_optimization_disturb(o, 5, 0.2);
                CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
                CHECK_NEAR(differences[0], 0.0, 1e-7);
                CHECK_NEAR(differences[1], 0.0, 1e-7);
                CHECK_NEAR(differences[2], 0.0, 2e-6);
                CHECK(dependent == 0);
            }
            if (test_failures > before)
                printf("%s, %s, %s: %s %s %g %g %g\n", PROBLEMS[k].name, settings[0], settings[1],
                       ac_context_message(ctx), name, differences[0], differences[1], differences[2]);
            ac_problem_free(problem);
        }
}

/* --- closed forms --- */

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static void solve(const char *formulation, ac_summary *summary)
{
    ac_problem *problem = NULL;
    summary->count = 0;
    CHECK(ac_problem_read(ctx, file_name, &formulation, 1, &problem) == AC_OK);
    if (problem) CHECK(ac_run(ctx, problem, NULL, NULL, NULL, summary) == AC_OK);
    ac_problem_free(problem);
}

/* x(T) = s + r T - g T^2/2, which both schemes have without error; the least s^2 + r^2 that reaches x is on the normal of (1, T). */
TEST(a_throw_has_its_least_start)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    write_file("gravity: [-9.81, 0]\n"
               "parameters: {s: 0.4, r: 3}\n"
               "planar_bodies: {block: {mass: 2, inertia: 1}}\n"
               "joints: [{prismatic: [ground, block], axis: [1, 0], at: {block: origin}, slide: =s, "
               "slide_rate: =r, name: rail}]\n"
               "optimize:\n"
               "  intervals: 8\n"
               "  duration: 0.8 s\n"
               "  parameters: {s: {from: -5, to: 5}, r: {from: -9, to: 9}}\n"
               "  controls: [{joint: rail, name: u, limit: 0}]\n"
               "  objective: [{end: s^2 + r^2}]\n"
               "  conditions: [{joint: rail, equals: 1.5, at: end}]\n"
               "  end_velocity: free\n");
    double T = 0.8, all = (1.5 + 0.5 * 9.81 * T * T) / (1.0 + T * T);
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        solve(words[k], &summary);
        CHECK_NEAR(summary_of(&summary, "parameter_s"), all, 1e-7);
        CHECK_NEAR(summary_of(&summary, "parameter_r"), all * T, 1e-7);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    }
}

/* The rocker of a four-bar with crank at the angle a: its end has the distances l from the crank's and b from its own hinge. With the height of
 * that end asked for, the length l follows from the triangles. */
TEST(a_loop_starts_where_its_lengths_say)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    write_file(
        "parameters: {l: 0.3}\n"
        "bodies:\n"
        "  crank: {solid: {rod: {length: 0.1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: =l, mass: 1}}}\n"
        "  rocker: {solid: {rod: {length: 0.25, mass: 1}}}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], name: drive, at: {crank: start}, axis: [0, -1, 0], angle: 60 "
        "deg}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, -1, 0]}\n"
        "  - {revolute: [ground, rocker], name: pivot, at: {ground: [0.35, 0, 0], rocker: start}, axis: "
        "[0, -1, 0]}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, -1, 0]}\n"
        "optimize:\n"
        "  intervals: 4\n"
        "  duration: 0.1 s\n"
        "  parameters: {l: {from: 0.26, to: 0.34}}\n"
        "  controls: [{joint: drive, name: u, guess: 0.1}]\n"
        "  quantities: {height: {point: end, of: rocker, along: z}, side: {point: end, of: rocker, along: "
        "x}}\n"
        "  objective: [{start: (side - 0.2)^2}, {effort: 1}]\n"
        "  end_velocity: free\n");
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        solve(words[k], &summary);
        double x = 0.2, up = sqrt(0.25 * 0.25 - (0.35 - x) * (0.35 - x)), cx = 0.1 * cos(PI / 3),
               cz = 0.1 * sin(PI / 3), above = hypot(x - cx, up - cz), below = hypot(x - cx, -up - cz);
        double l = summary_of(&summary, "parameter_l");
        CHECK_NEAR(fmin(fabs(l - above), fabs(l - below)), 0.0, 1e-6);
        CHECK_NEAR(summary_of(&summary, "objective"), 0.0, 1e-12);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    }
}

/* A force F across a lever about its hinge, at the distance l: l F = J phi''. Turning by phi in T from rest with F constant needs l = 2 J phi/(F T^2);
 * a midpoint step has the same constant acceleration. */
TEST(a_jet_is_as_far_out_as_its_turn_needs)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    write_file("parameters: {l: 0.4}\n"
               "planar_bodies: {lever: {mass: 2, inertia: 0.7, points: {jet: [=l, 0]}}}\n"
               "joints: [{revolute: [ground, lever], at: {lever: origin}, name: hinge}]\n"
               "loads: [{on: lever, force: [0, 3], at: jet, frame: body}]\n"
               "optimize:\n"
               "  intervals: 40\n"
               "  duration: 1 s\n"
               "  parameters: {l: {from: 0.1, to: 2}}\n"
               "  controls: [{joint: hinge, name: u, limit: 0}]\n"
               "  objective: [{effort: 1}]\n"
               "  conditions: [{joint: hinge, equals: 2, at: end}]\n"
               "  end_velocity: free\n");
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        solve(words[k], &summary);
        CHECK_NEAR(summary_of(&summary, "parameter_l"), 2.0 * 0.7 * 2.0 / 3.0, 2e-3);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    }
}

/* Which directors are simulated changes nothing of the optimum. */
TEST(principal_axes_find_the_optimum_of_body_axes)
{
    static const char *const texts[] = {IN_AXES(""), IN_AXES("axes: principal, ")};
    ac_summary summary[2];
    for (int k = 0; k < 2; ++k) {
        write_file(texts[k]);
        solve("optimize.formulation=reduced", &summary[k]);
        CHECK_NEAR(summary_of(&summary[k], "resimulation_error"), 0.0, 1e-8);
    }
    CHECK_NEAR(summary_of(&summary[1], "objective"), summary_of(&summary[0], "objective"), 1e-10);
    CHECK_NEAR(summary_of(&summary[1], "parameter_m"), summary_of(&summary[0], "parameter_m"), 1e-7);
    CHECK_NEAR(summary_of(&summary[1], "parameter_l"), summary_of(&summary[0], "parameter_l"), 1e-7);
}

/* --- what is refused --- */

static void refuse(const char *text, const char *words)
{
    ac_problem *problem = NULL;
    write_file(text);
    ac_status status = ac_problem_read(ctx, file_name, NULL, 0, &problem);
    if (status == AC_OK) {
        ac_summary summary;
        status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    }
    CHECK(status == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), words) != NULL);
    if (!strstr(ac_context_message(ctx), words)) printf("%s\n", ac_context_message(ctx));
    ac_problem_free(problem);
}

#define BALL(coordinates)                                                                                \
    "parameters: {a: 0.5}\n"                                                                             \
    "bodies: {bob: {mass: 1, inertia: [1, 2, 3]}}\n"                                                     \
    "joints: [{spherical: [ground, bob], at: {bob: [0.1, 0, 0]}, " coordinates ", name: ball}]\n"        \
    "optimize: {duration: 1, intervals: 4, parameters: {a: {from: 0, to: 1}}, controls: [{torque: bob, " \
    "component: x, name: u}], objective: [{effort: 1}]}\n"

TEST(what_is_refused)
{
    refuse(BALL("coordinates: [=a, 0, 0]"), "coordinates of a ball turn together");
    refuse(BALL("rates: [0, =a, 0]"), "coordinates of a ball turn together");
    refuse(
        "parameters: {l: 0.3}\n"
        "bodies:\n"
        "  crank: {solid: {rod: {length: 0.1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: =l, mass: 1}}}\n"
        "  rocker: {solid: {rod: {length: 0.25, mass: 1}}}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], name: drive, at: {crank: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, rocker], at: {ground: [0.35, 0, 0], rocker: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, 0]}\n"
        "optimize: {duration: 1, intervals: 4, parameters: {l: {from: 0.28, to: 0.32}}, controls: [{joint: "
        "drive, name: u}], objective: [{effort: 1}]}\n",
        "give 1 more coordinates of its joints");
    refuse(
        "parameters: {l: 0.3}\n"
        "bodies:\n"
        "  crank: {solid: {rod: {length: 0.1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: =l, mass: 1}}}\n"
        "  rocker: {solid: {rod: {length: 0.25, mass: 1}}}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], name: drive, at: {crank: start}, axis: [0, 1, 0], angle: 60 deg}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, rocker], at: {ground: [0.35, 0, 0], rocker: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, 1, 0]}\n"
        "optimize: {duration: 1, intervals: 4, parameters: {l: {from: 0.01, to: 3}}, controls: [{joint: "
        "drive, "
        "name: u}], objective: [{effort: 1}]}\n",
        "narrow the bounds");
}

RUN_TESTS(CASE(all_derivatives_are_exact), CASE(a_throw_has_its_least_start),
          CASE(a_loop_starts_where_its_lengths_say), CASE(a_jet_is_as_far_out_as_its_turn_needs),
          CASE(principal_axes_find_the_optimum_of_body_axes), CASE(what_is_refused))
