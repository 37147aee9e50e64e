/* Free parameters with phases: exact derivatives through what is held, through impacts and cycles; optima against scans of the
 * same problem with fixed parameters, and against closed forms; what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/replay.h"
#include "optimize/problem/prepare.h"
#include "problem/build/build.h"
#include "problem/build/parameters.h"
#include "test.h"

static ac_context *ctx;

static ac_status parse(const char *text, const char *setting, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), &setting, setting ? 1 : 0, problem);
}

static void check_derivatives(const char *text)
{
    static const char *const formulations[] = {"reduced", "multipliers"};
    for (int f = 0; f < 2; ++f) {
        ac_problem *problem = NULL;
        double differences[3] = {1.0, 1.0, 1.0};
        int dependent = 0;
        char name[128];
        ac_status status = parse(text, NULL, &problem);
        ac_optimization *o = status == AC_OK ? ac_problem_optimization(problem) : NULL;
        if (status == AC_OK) status = ac_optimization_reformulate(o, formulations[f]);
        if (status == AC_OK) status = ac_optimization_check(o, differences, &dependent, name);
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        CHECK_NEAR(differences[0], 0.0, 2e-7);
        CHECK_NEAR(differences[1], 0.0, 2e-7);
        CHECK_NEAR(differences[2], 0.0, 2e-6);
        ac_problem_free(problem);
    }
}

/* ---- derivatives ---- */

#define LINK(name, m, L, more)                                                      \
    "  " name ": {mass: =" m ", inertia: =" m "*" L "^2/24, points: {low: [0, =-" L \
    "/2], high: [=k*0.01, =" L "/2]}" more "}\n"

/* Lengths, masses, a stiffness, a place and a rest value are free. Held: a place that depends on a length, a distance to a free
 * place on the ground; bouncing: another distance. Legs swap; durations and length are free, the objective is per length. */
#define STRIDES(impact)                                                                                      \
    "title: biped\n"                                                                                         \
    "gravity: [0, -9.81]\n"                                                                                  \
    "parameters: {L1: 0.5, L2: =1.1-L1, m1: 2, m2: =5-m1, k: 3, at: 0.4}\n"                                  \
    "planar_bodies:\n" LINK("shank", "m1", "L1", ", position: [0, =L1/2]") LINK("thigh", "m2", "L2", "")     \
        LINK("swing_thigh", "m2", "L2", "")                                                                  \
            LINK("swing_shank", "m1", "L1",                                                                  \
                 "") "joints:\n"                                                                             \
                     "  - {revolute: [shank, thigh], at: {shank: high, thigh: low}, name: knee, angle: 0}\n" \
                     "  - {revolute: [thigh, swing_thigh], at: {thigh: high, swing_thigh: high}, name: "     \
                     "hip, angle: 0}\n"                                                                      \
                     "  - {revolute: [swing_thigh, swing_shank], at: {swing_thigh: low, swing_shank: "       \
                     "high}, name: other, "                                                                  \
                     "angle: 0}\n"                                                                           \
                     "springs:\n"                                                                            \
                     "  - {joint: knee, stiffness: =k, rest: =0.1*at}\n"                                     \
                     "  - {joint: other, stiffness: =k, rest: =-0.1*at}\n"                                   \
                     "  - {between: [shank, swing_thigh], at: {shank: high, swing_thigh: [0.02, =L2/4]}, "   \
                     "stiffness: =k*20, length: 0.2}\n"                                                      \
                     "  - {between: [swing_shank, thigh], at: {swing_shank: high, thigh: [0.02, =L2/4]}, "   \
                     "stiffness: =k*20, length: 0.2}\n"                                                      \
                     "optimize:\n  intervals: 3\n  duration: 0.3\n  free_duration: true\n  start: free\n"    \
                     "  start_velocity: free\n"                                                              \
                     "  parameters: {L1: {from: 0.2, to: 0.9}, m1: {from: 1, to: 4}, k: {from: 1, to: 9}, "  \
                     "at: {from: 0.1, "                                                                      \
                     "to: 0.9}}\n"                                                                           \
                     "  controls: [{torque: shank, name: t1}, {joint: knee, name: t2}, {joint: hip, name: "  \
                     "t3}, {joint: "                                                                         \
                     "other, name: t4}, {force: swing_shank, at: low, component: x, name: f}]\n"             \
                     "  quantities:\n"                                                                       \
                     "    x: {of: shank, point: low, along: x}\n"                                            \
                     "    y: {of: shank, point: low, along: y}\n"                                            \
                     "    other_x: {of: swing_shank, point: low, along: x}\n"                                \
                     "    other_y: {of: swing_shank, point: low, along: y}\n"                                \
                     "    a3: {of: swing_thigh, axis: y, from: y, to: [-1, 0]}\n"                            \
                     "    reach: {distance: [ground, swing_shank], at: {ground: [=at, -0.2], swing_shank: "  \
                     "low}}\n"                                                                               \
                     "    other_reach: {distance: [ground, swing_thigh], at: {ground: [-0.3, =at/4], "       \
                     "swing_thigh: high}}\n"                                                                 \
                     "  objective: [{effort: 1}, {running: m1*t2^2+other_y*L1}]\n"                           \
                     "  phases:\n"                                                                           \
                     "    - {name: one, hold: [x, reach], conditions: [{expression: other_y, equals: "       \
                     "=0.2*L1, at: end},\n"                                                                  \
                     "       {energy_balance: 0.1}, {total: [{effort: 2}, {positive_work: 1}, {end: "        \
                     "x_rate*y}], at_most: "                                                                 \
                     "9}],\n"                                                                                \
                     "       friction: [{normal: x, along: [reach], coefficient: 0.7}],\n"                   \
                     "       guess: {joints: {knee: [[0, 0.2], [1, 0.3]], hip: [[0, 0.7], [1, 0.4]]}}}\n"    \
                     "    - {name: two, intervals: 2, hold: [a3, other_x], impact: {other_reach: " impact    \
                     "},\n"                                                                                  \
                     "       conditions: [{expression: y, equals: 0, at: end}],\n"                           \
                     "       guess: {joints: {knee: [[0, 0.1], [1, 0.5]], other: [[0, 0.7], [1, -0.4]]}}}\n" \
                     "  cycle: {swap: [[shank, swing_shank], [thigh, swing_thigh]], along: [0.6, 0.8], "     \
                     "length: 0.4,\n"                                                                        \
                     "          from: 0.1, per_length: true}\n"

TEST(derivatives_in_the_plane_are_exact)
{
    check_derivatives(STRIDES("0.6"));
    check_derivatives(STRIDES("{loss: 0.6}"));
    check_derivatives(STRIDES("{loss: 0.6, tangential: 0.3, along: [other_y]}"));
}

/* A knee with two bars: the length of the distance joint that closes the loop, the places of its ends and masses are free. */
TEST(derivatives_through_loops_are_exact)
{
    check_derivatives(
        "title: leg\n"
        "gravity: [0, -9.81]\n"
        "parameters: {bar: 0.11323156795518949, w: 0.03, m: 2, rise: 0.1}\n"
        "planar_bodies:\n"
        "  shank: {mass: =m, inertia: =m/96, points: {low: [0, -0.25], front: [=w, 0.25], back: [-0.03, "
        "0.24]},\n"
        "    position: [0, 0.3], angle: 0}\n"
        "  bar: {mass: 0.2, inertia: 0.0002, points: {low: [0, =-rise/2], high: [0, =rise/2]}}\n"
        "  thigh: {mass: =5-m, inertia: =3/96, points: {front: [=w, -0.25], back: [-0.03, -0.24]}}\n"
        "joints:\n"
        "  - {revolute: [shank, bar], at: {shank: front, bar: low}, name: pivot, angle: 0.4}\n"
        "  - {revolute: [bar, thigh], at: {bar: high, thigh: front}, name: knee}\n"
        "  - {distance: [shank, thigh], at: {shank: back, thigh: back}, name: rear, length: =bar}\n"
        "optimize:\n  intervals: 4\n  duration: 0.2\n  start: free\n  start_velocity: free\n"
        "  parameters: {bar: {from: 0.05, to: 0.2}, w: {from: 0.02, to: 0.05}, m: {from: 1, to: 4}, rise: "
        "{from: 0.08, to: 0.12}}\n"
        "  controls: [{torque: shank, name: t1}, {joint: knee, name: t2}]\n"
        "  quantities:\n"
        "    x: {of: shank, point: low, along: x}\n"
        "    y: {of: shank, point: low, along: y}\n"
        "    tilt: {of: thigh, axis: y, from: y, to: [-1, 0]}\n"
        "    top: {of: thigh, point: front, along: y}\n"
        "  objective: [{effort: 1}]\n"
        "  phases:\n"
        "    - {name: fall, free_duration: true, hold: [tilt], conditions: [{expression: y, equals: 0, at: "
        "end}]}\n"
        "    - {name: stand, hold: [x, y], conditions: [{expression: tilt, equals: 0.3, at: end}]}\n"
        "    - {name: leap, impact: {tilt: {loss: 0.5, tangential: 0.2, along: [x]}, top: 0.3}, conditions: "
        "[{expression: y, equals: 0, "
        "at: end}]}\n"
        "  cycle: {along: x, length: 0.3, from: 0.1}\n");
}

#define LEG                                                                                                  \
    "{mass: =m, inertia: [=m*L^2/40, =m*L^2/41, =m*L^2/300], points: {foot: [0, 0, =-L/2], hip: [=L/20, 0, " \
    "=L/2]}"

TEST(derivatives_in_space_with_a_mirror_are_exact)
{
    check_derivatives(
        "title: compass\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {L: 1, m: 5}\n"
        "bodies:\n"
        "  left: " LEG ", position: [0, 0, 0.5]}\n"
        "  right: " LEG "}\n"
        "joints: [{spherical: [left, right], at: {left: [0, 0, =L/2], right: [0, 0, =L/2]}, name: hip, "
        "coordinates: [0.3, 0.1, -0.2]}]\n"
        "optimize:\n"
        "  intervals: 3\n"
        "  duration: 0.3\n"
        "  free_duration: true\n"
        "  start: free\n"
        "  start_velocity: free\n"
        "  parameters: {L: {from: 0.5, to: 1.5}, m: {from: 1, to: 9}}\n"
        "  controls: [{joint: hip, name: u}]\n"
        "  quantities:\n"
        "    x: {of: left, point: foot, along: x}\n"
        "    y: {of: left, point: foot, along: y}\n"
        "    z: {of: left, point: foot, along: z}\n"
        "    lift: {of: right, point: foot, along: z}\n"
        "    reach: {distance: [ground, right], at: {ground: [0.3, -0.4, 0.2], right: hip}}\n"
        "  objective: [{effort: =1}]\n"
        "  phases:\n"
        "    - {name: stance, hold: [x, y, z], conditions: [{expression: lift, equals: 0, at: end}],\n"
        "       guess: {turns: {left: [[0, 0.2, 0.1, 0.3], [1, -0.3, 0.2, 0.1]]}}}\n"
        "  cycle: {swap: [[left, right]], mirror: x, along: y, length: 0.2, from: 0.1, to: 0.5,\n"
        "          impact: {reach: {loss: 0.7}}}\n");
}

/* A flexible leg: stiffness and length of its beam, and the mass of the foot. */
TEST(derivatives_with_beams_are_exact)
{
    check_derivatives(
        "title: flexible leg\n"
        "gravity: [0, -9.81, 0]\n"
        "parameters: {young: 5e6, len: 0.5, m: 1}\n"
        "bodies:\n"
        "  foot: {mass: =m, inertia: [0.01, 0.01, 0.01], points: {low: [0, -0.05, 0], top: [0, 0.05, 0]}, "
        "position: [0, 0.3, 0]}\n"
        "beams:\n"
        "  leg: {straight: {from: [0, 0.35, 0], to: [0, =0.35+len, 0]}, elements: 2, section: {circle: "
        "{radius: 1 "
        "cm}}, material: {young: =young, density: 1000, poisson: 0.3}}\n"
        "joints: [{fixed: [foot, leg.start], at: {foot: top}}]\n"
        "optimize:\n"
        "  intervals: 2\n  duration: 0.2\n  start: free\n  start_velocity: free\n"
        "  parameters: {young: {from: 1e6, to: 2e7}, len: {from: 0.3, to: 0.8}, m: {from: 0.5, to: 2}}\n"
        "  controls: [{torque: foot, name: u}]\n"
        "  quantities:\n"
        "    x: {of: foot, point: low, along: x}\n"
        "    y: {of: foot, point: low, along: y}\n"
        "    z: {of: foot, point: low, along: z}\n"
        "    tip: {of: leg.end, point: centre, along: y}\n"
        "  objective: [{effort: 1}]\n"
        "  phases:\n"
        "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
        "    - {name: stand, hold: [x, y, z], conditions: [{expression: tip, equals: =len+0.05, at: "
        "end}]}\n");
}

/* ---- optima ---- */

static ac_problem *solve(const char *text, const char *setting, const char *formulation)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, setting, &problem);
    ac_optimization *o = status == AC_OK ? ac_problem_optimization(problem) : NULL;
    if (status == AC_OK) status = ac_optimization_reformulate(o, formulation);
    if (status == AC_OK) status = ac_optimization_solve(o, NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static double objective_of(const ac_problem *problem)
{
    return problem ? ac_optimization_result(ac_problem_optimization(problem))->objective : NAN;
}

/* A rod falls on a point at the distance s from its centre, which sticks. It then turns at m s v cos(45 deg) / (I + m s^2), where v is
 * the same for all s: most at s = sqrt(I/m). */
TEST(a_rod_turns_most_about_its_radius_of_gyration)
{
    static const char text[] =
        "title: rod\n"
        "gravity: [0, -9.81]\n"
        "parameters: {s: 0.6}\n"
        "planar_bodies:\n"
        "  rod: {mass: 1, inertia: =1/12, points: {low: [=-s, 0]}, position: [=s*sqrt(0.5), "
        "=0.5+s*sqrt(0.5)], "
        "angle: =pi/4}\n"
        "optimize:\n"
        "  intervals: 5\n"
        "  duration: 0.3\n"
        "  parameters: {s: {from: 0.1, to: 0.8}}\n"
        "  controls: [{torque: rod, name: m, limit: 0}]\n"
        "  quantities:\n"
        "    x: {of: rod, point: low, along: x}\n"
        "    y: {of: rod, point: low, along: y}\n"
        "    angle: {of: rod, axis: x, from: x, to: y}\n"
        "  objective: [{effort: 1}]\n"
        "  phases:\n"
        "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
        "    - {name: stuck, duration: 0.02, intervals: 2, hold: [x, y], objective: [{start: "
        "-angle_rate^2}]}\n";
    static const char *const formulations[] = {"reduced", "multipliers"};
    double s = sqrt(1.0 / 12.0), rate = s * sqrt(9.81) * sqrt(0.5) / (1.0 / 12.0 + s * s);
    for (int f = 0; f < 2; ++f) {
        ac_problem *problem = solve(text, NULL, formulations[f]);
        CHECK_NEAR(ac_optimization_parameter_value(ac_problem_optimization(problem), 0), s, 1e-7);
        CHECK_NEAR(objective_of(problem), -rate * rate, 1e-8);
        ac_problem_free(problem);
    }
}

#define PLAIN_LINK(name, m, L, more)                                                                     \
    "  " name ": {mass: =" m ", inertia: =" m "*" L "^2/24, points: {low: [0, =-" L "/2], high: [0, =" L \
    "/2]}" more "}\n"
#define GAIT(numbers, free)                                                                                 \
    "title: biped\n"                                                                                        \
    "gravity: [0, -9.81]\n"                                                                                 \
    "parameters: {" numbers "}\n"                                                                           \
    "planar_bodies:\n" PLAIN_LINK("shank", "m1", "L1", ", position: [0, =L1/2]")                            \
        PLAIN_LINK("thigh", "m2", "L2", "") PLAIN_LINK("swing_thigh", "m2", "L2", "") PLAIN_LINK(           \
            "swing_shank", "m1", "L1",                                                                      \
            "") "joints:\n"                                                                                 \
                "  - {revolute: [shank, thigh], at: {shank: high, thigh: low}, angle: 0, name: knee}\n"     \
                "  - {revolute: [thigh, swing_thigh], at: {thigh: high, swing_thigh: high}, angle: 0, "     \
                "name: hip}\n"                                                                              \
                "  - {revolute: [swing_thigh, swing_shank], at: {swing_thigh: low, swing_shank: high}, "    \
                "angle: 0, name: "                                                                          \
                "swing knee}\n"                                                                             \
                "springs: [{joint: hip, stiffness: =k, rest: 0}]\n"                                         \
                "optimize:\n"                                                                               \
                "  intervals: 24\n  duration: 0.6 s\n  start: free\n  start_velocity: free\n" free          \
                "  controls: [{torque: shank, name: t1}, {joint: knee, name: t2}, {joint: hip, name: t3}, " \
                "{joint: swing "                                                                            \
                "knee, name: t4}]\n"                                                                        \
                "  quantities:\n"                                                                           \
                "    x: {of: shank, point: low, along: x}\n"                                                \
                "    y: {of: shank, point: low, along: y}\n"                                                \
                "    swing_y: {of: swing_shank, point: low, along: y}\n"                                    \
                "  objective: [{effort: 2}]\n"                                                              \
                "  phases:\n"                                                                               \
                "    - name: stance\n"                                                                      \
                "      hold: [x, y]\n"                                                                      \
                "      conditions:\n"                                                                       \
                "        - {expression: x, equals: 0, at: start}\n"                                         \
                "        - {expression: y, equals: 0, at: start}\n"                                         \
                "        - {expression: swing_y, at_least: 0, at: inside}\n"                                \
                "        - {joint: knee, at_least: 0}\n"                                                    \
                "        - {joint: swing knee, at_most: 0}\n"                                               \
                "      guess:\n"                                                                            \
                "        positions: {shank: [[0, -0.0457, 0.2458], [0.5, 0.025, 0.2488], [1, 0.0936, "      \
                "0.2318]]}\n"                                                                               \
                "        turns: {shank: [[0, 0, 0, 0.1838], [0.5, 0, 0, -0.1], [1, 0, 0, -0.3838]]}\n"      \
                "        joints: {knee: [[0, 0.2], [1, 0.2]], hip: [[0, -0.5676], [0.25, -0.001], [0.5, "   \
                "0.4], [1, "                                                                                \
                "0.5676]],\n"                                                                               \
                "          swing knee: [[0, -0.2], [0.25, -0.7657], [0.5, -1], [0.75, -0.7657], [1, "       \
                "-0.2]]}\n"                                                                                 \
                "  cycle: {swap: [[shank, swing_shank], [thigh, swing_thigh]], along: x, length: 0.56}\n"

/* The stiffness of the hip for which a step costs least: one solve with the stiffness as an unknown, and the least of a parabola
 * through three gaits with fixed ones. */
TEST(one_solve_finds_the_best_spring_of_a_gait)
{
#define EQUAL_LINKS "L1: 0.5, L2: 0.5, m1: 2, m2: 3, k: 8"
    static const double at[3] = {8.6, 8.8, 9.0};
    static const char *const formulations[] = {"reduced", "multipliers"};
    double J[3], found[2], least[2];
    for (int f = 0; f < 2; ++f) {
        ac_problem *problem = solve(GAIT(EQUAL_LINKS, "  parameters: {k: {from: 0, to: 60}}\n"), NULL,
                                    formulations[f]);
        found[f] = ac_optimization_parameter_value(ac_problem_optimization(problem), 0);
        least[f] = objective_of(problem);
        ac_problem_free(problem);
    }
    CHECK_NEAR(found[1], found[0], 1e-5);
    CHECK_NEAR(least[1], least[0], 1e-8);
    for (int k = 0; k < 3; ++k) {
        char setting[40];
        snprintf(setting, sizeof setting, "parameters.k=%g", at[k]);
        ac_problem *problem = solve(GAIT(EQUAL_LINKS, ""), setting, "reduced");
        J[k] = objective_of(problem);
        ac_problem_free(problem);
    }
    double h = at[1] - at[0], slope = (J[2] - J[0]) / (2.0 * h), bend = (J[2] - 2.0 * J[1] + J[0]) / (h * h);
    CHECK_NEAR(found[0], at[1] - slope / bend, 3e-3);
    CHECK_NEAR(least[0], J[1] - 0.5 * slope * slope / bend, 1e-5);
    CHECK(bend > 0.01);
}

/* The knees as high as allowed, which is what a scan finds: links of the same material, so that masses follow their lengths. */
#define MATERIAL "L1: 0.5, L2: =1-L1, m1: =4*L1, m2: =6*L2, k: 0"
TEST(one_solve_finds_the_best_knee_of_a_gait)
{
    ac_problem *free = solve(GAIT(MATERIAL, "  parameters: {L1: {from: 0.45, to: 0.7}}\n"), NULL, "reduced"),
               *fixed = solve(GAIT(MATERIAL, ""), "parameters.L1=0.7", "reduced"),
               *lower = solve(GAIT(MATERIAL, ""), "parameters.L1=0.6", "reduced");
    CHECK_NEAR(ac_optimization_parameter_value(ac_problem_optimization(free), 0), 0.7, 1e-9);
    CHECK_NEAR(objective_of(free), objective_of(fixed), 1e-7);
    CHECK(objective_of(lower) > objective_of(free) + 1.0);
    ac_problem_free(free);
    ac_problem_free(fixed);
    ac_problem_free(lower);
}

/* A finer mesh begins with motion and parameters; the collision integrator, with the system found, makes the same step. */
TEST(a_finer_mesh_and_replays_have_the_parameters_found)
{
    ac_problem *problem = solve(GAIT(EQUAL_LINKS, "  parameters: {k: {from: 0, to: 60}}\n"), NULL, "reduced"),
               *optimum = NULL;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_phase_replay row[2];
    char remark[AC_REPLAY_REMARK_SIZE];
    int count = 0;
    double coarse = ac_optimization_parameter_value(o, 0);
    CHECK(ac_optimization_remesh(o, 48) == AC_OK && ac_optimization_solve(o, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_result(o)->iterations < 25);
    CHECK_NEAR(ac_optimization_parameter_value(o, 0), coarse, 0.5);
    CHECK(ac_optimization_replay(o, NULL, AC_REPLAY_COLLISION, 1, NULL, row, &count, remark) == AC_BAD_INPUT);
    CHECK(ac_problem_at_optimum(problem, &optimum) == AC_OK);
    CHECK(ac_optimization_replay(o, ac_problem_system(optimum), AC_REPLAY_COLLISION, 1, NULL, row, &count,
                                 remark) == AC_OK);
    CHECK(count == 1);
    CHECK_NEAR(row[0].duration, 0.6, 1e-8);
    CHECK_NEAR(row[0].place, 0.0, 1e-6);
    CHECK_NEAR(row[0].loss, row[0].found_loss, 1e-5);
    ac_problem_free(optimum);
    ac_problem_free(problem);
}

/* ---- what is refused ---- */

static void refused(const char *text, const char *part)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, NULL, &problem);
    if (status == AC_OK) status = ac_optimization_prepare(ac_problem_optimization(problem));
    CHECK(status != AC_OK);
    bool there = strstr(ac_context_message(ctx), part) != NULL;
    if (!there) printf("\"%s\" instead of \"%s\"\n", ac_context_message(ctx), part);
    CHECK(there);
    ac_problem_free(problem);
}

/* Legs that are alike for one value of a parameter only cannot swap; a step length is an unknown of its own. */
TEST(what_parameters_cannot_change_is_refused)
{
    refused(GAIT(EQUAL_LINKS ", a: 1", "  parameters: {a: {from: 0, to: 2}}\n"),
            "nothing depends on the free parameter 'a'");
    refused("title: legs\n"
            "parameters: {m: 2}\n"
            "planar_bodies: {a: {mass: 2, inertia: 1}, b: {mass: =m, inertia: 1}}\n"
            "joints: [{revolute: [a, b], at: {a: [0, 1], b: [0, 1]}, name: hip}]\n"
            "optimize: {intervals: 2, duration: 1, parameters: {m: {from: 1, to: 3}},\n"
            "  controls: [{joint: hip, name: u}], objective: [{effort: 1}], phases: [{name: one}], cycle: "
            "{swap: [[a, b]]}}\n",
            "different masses or inertias");
    refused("title: ball\n"
            "parameters: {l: 2}\n"
            "points: {ball: {mass: =l, position: [0, 0]}}\n"
            "optimize: {intervals: 2, duration: 1, start: free, start_velocity: free, parameters: {l: {from: "
            "1, to: 3}},\n"
            "  controls: [{force: ball, name: f}], objective: [{effort: 1}], phases: [{name: one}], cycle: "
            "{along: x, length: =l}}\n",
            "free");
}

/* From the library: every phase has the parameters, and the same ones. */
TEST(phases_must_share_their_parameters)
{
    ac_problem *problem = NULL;
    ac_optimization *whole = NULL, *phase[2] = {NULL, NULL};
    ac_optimization_settings settings;
    CHECK(
        parse(
            "title: ball\npoints: {ball: {mass: 2, position: [0, 1]}}\nsimulate: {step: 0.1, duration: 1}\n",
            NULL, &problem) == AC_OK);
    ac_optimization_defaults(&settings);
    settings.intervals = 3;
    settings.duration = 1.0;
    settings.end_rest = false;
    CHECK(ac_optimization_new(ctx, ac_problem_system(problem), &settings, &whole) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        const ac_parameter parameter = {.name = "m", .value = 2.0, .low = 1.0, .high = 3.0 + k};
        const ac_dependence mass = {.datum = AC_DATUM_MASS, .expression = "m"};
        const ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0};
        const ac_control push = {
            .name = "f", .type = AC_LOAD_FORCE, .low = -9.0, .high = 9.0, .rate = INFINITY};
        CHECK(ac_optimization_add_phase(whole, k == 0 ? "one" : "two", &settings, &phase[k]) == AC_OK);
        CHECK(ac_optimization_add_parameter(phase[k], &parameter) == AC_OK);
        CHECK(ac_optimization_add_dependence(phase[k], &mass, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_add_control(phase[k], &push) == AC_OK);
        CHECK(ac_optimization_add_objective(phase[k], &effort, NULL, NULL) == AC_OK);
    }
    const ac_junction junction = {.from = 0, .to = 1};
    CHECK(ac_optimization_join(whole, &junction) == AC_OK);
    CHECK(ac_optimization_prepare(whole) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "phases share their free parameters") != NULL);
    ac_optimization_free(whole);
    ac_problem_free(problem);
}

RUN_TESTS(CASE(derivatives_in_the_plane_are_exact), CASE(derivatives_through_loops_are_exact),
          CASE(derivatives_in_space_with_a_mirror_are_exact), CASE(derivatives_with_beams_are_exact),
          CASE(a_rod_turns_most_about_its_radius_of_gyration),
          CASE(one_solve_finds_the_best_spring_of_a_gait), CASE(one_solve_finds_the_best_knee_of_a_gait),
          CASE(a_finer_mesh_and_replays_have_the_parameters_found),
          CASE(what_parameters_cannot_change_is_refused), CASE(phases_must_share_their_parameters))
