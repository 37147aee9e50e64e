/* A cycle begins again with the same mechanism: gravity, springs, dampers, loads and joints are those of the bodies whose place others
 * take. What moves in the plane has mirror images, too. */
#include <math.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "problem/build/build.h"
#include "test.h"

static ac_context *ctx;

static ac_status parse(const char *text, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
}

static void taken(const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    ac_problem_free(problem);
}

static void refused(const char *text, const char *part)
{
    ac_problem *problem = NULL;
    CHECK(parse(text, &problem) != AC_OK);
    bool there = strstr(ac_context_message(ctx), part) != NULL;
    if (!there) printf("\"%s\" instead of \"%s\"\n", ac_context_message(ctx), part);
    CHECK(there);
    CHECK(strncmp(ac_context_message(ctx), "f.yaml:", 7) == 0);
    ac_problem_free(problem);
}

/* ---- a mass on a line ---- */

#define MASS(more, cycle)                                                                   \
    "title: mass\npoints: {m: {mass: 1, position: [1]}}\n" more                             \
    "optimize: {intervals: 4, duration: 1, start: free, start_velocity: free,\n"            \
    "  controls: [{force: m, name: u}], objective: [{effort: 1}], phases: [{name: one}],\n" \
    "  cycle: " cycle "}\n"

TEST(forces_on_a_mirrored_or_moved_mass_are_those_before)
{
    taken(MASS("", "{mirror: x}"));
    taken(MASS("springs: [{between: [ground, m], at: {ground: [-3]}, stiffness: 20, length: 3}]\n",
               "{mirror: x}"));
    refused(MASS("springs: [{between: [ground, m], at: {ground: [-3]}, stiffness: 20, length: 2}]\n",
                 "{mirror: x}"),
            "forces of springs or beams are not the same");
    taken(MASS("gravity: [-3]\n", "{along: x, length: 1}"));
    refused(MASS("gravity: [-3]\n", "{mirror: x}"), "gravity is not the same");
    taken(MASS("loads: [{force: [3], on: m}]\n", "{along: x, length: 1}"));
    refused(MASS("loads: [{force: [3], on: m}]\n", "{mirror: x}"), "loads are not the same");
    refused(MASS("springs: [{between: [ground, m], stiffness: 20, length: 0}]\n", "{along: x, length: 1}"),
            "forces of springs or beams are not the same");
    taken(MASS("springs: [{between: [ground, m], stiffness: 20, length: 0}]\n", "{mirror: x}"));
}

/* ---- legs ---- */

#define LEGS(more, swap)                                                                              \
    "title: legs\ngravity: [0, -9.81]\nplanar_bodies:\n"                                              \
    "  a: {mass: 2, inertia: 0.1, points: {low: [0, -0.25], high: [0, 0.25]}, position: [0, 0.25]}\n" \
    "  b: {mass: 2, inertia: 0.1, points: {low: [0, -0.25], high: [0, 0.25]}}\n"                      \
    "  c: {mass: 2, inertia: 0.1, points: {low: [0, -0.25], high: [0, 0.25]}}\n"                      \
    "  d: {mass: 2, inertia: 0.1, points: {low: [0, -0.25], high: [0, 0.25]}}\n"                      \
    "joints:\n"                                                                                       \
    "  - {revolute: [a, b], at: {a: high, b: low}, angle: 0, name: knee}\n"                           \
    "  - {revolute: [b, c], at: {b: high, c: high}, angle: 0, name: hip}\n"                           \
    "  - {revolute: [c, d], at: {c: low, d: high}, angle: 0, name: other}\n" more                     \
    "optimize: {intervals: 4, duration: 1, start: free, start_velocity: free,\n"                      \
    "  controls: [{joint: hip, name: u}], objective: [{effort: 1}], phases: [{name: one}],\n"         \
    "  cycle: {swap: " swap ", along: x, length: 1}}\n"
#define BOTH "[[a, d], [b, c]]"

/* All legs are straight and side by side at the start, where neither springs nor joints show a difference. */
TEST(legs_that_swap_have_the_same_springs_dampers_and_joints)
{
    taken(LEGS("", BOTH));
    refused(LEGS("", "[[a, d]]"), "joint 'knee' does not fit any more");
    taken(LEGS("springs: [{joint: hip, stiffness: 5, rest: 0}]\n", BOTH));
    refused(LEGS("springs: [{joint: hip, stiffness: 5, rest: 0.1}]\n", BOTH), "springs or beams");
    refused(LEGS("springs: [{joint: knee, stiffness: 5, rest: 0}]\n", BOTH), "springs or beams");
    taken(
        LEGS("springs: [{joint: knee, stiffness: 5, rest: 0.2}, {joint: other, stiffness: 5, rest: -0.2}]\n",
             BOTH));
    refused(
        LEGS("springs: [{joint: knee, stiffness: 5, rest: 0.2}, {joint: other, stiffness: 5, rest: 0.2}]\n",
             BOTH),
        "springs or beams");
    refused(LEGS("dampers: [{joint: knee, damping: 5}]\n", BOTH), "forces of dampers are not the same");
    taken(LEGS("dampers: [{joint: knee, damping: 5}, {joint: other, damping: 5}]\n", BOTH));
    refused(LEGS("loads: [{force: [1, 0], on: a}]\n", BOTH), "loads are not the same");
    taken(LEGS("loads: [{force: [1, 0], on: a}, {force: [1, 0], on: d}]\n", BOTH));
}

/* Two bars carry the hip on each leg: two loops, with springs in joints that close them. */
#define LOOPS(springs)                                                                                \
    "title: loops\nplanar_bodies:\n"                                                                  \
    "  a: {mass: 2, inertia: 0.1, points: {front: [0.05, 0.25], back: [-0.05, 0.25]}, position: [0, " \
    "0.25]}\n"                                                                                        \
    "  b: {mass: 2, inertia: 0.1, points: {front: [0.05, 0.25], back: [-0.05, 0.25]}}\n"              \
    "  hip: {mass: 1, inertia: 0.1, points: {front: [0.05, 0], back: [-0.05, 0]}}\n"                  \
    "  e: {mass: 0.2, inertia: 0.001, points: {low: [0, -0.1], high: [0, 0.1]}}\n"                    \
    "  f: {mass: 0.2, inertia: 0.001, points: {low: [0, -0.1], high: [0, 0.1]}}\n"                    \
    "  g: {mass: 0.2, inertia: 0.001, points: {low: [0, -0.1], high: [0, 0.1]}}\n"                    \
    "  h: {mass: 0.2, inertia: 0.001, points: {low: [0, -0.1], high: [0, 0.1]}}\n"                    \
    "joints:\n"                                                                                       \
    "  - {revolute: [a, e], at: {a: front, e: low}, angle: 0, name: ae}\n"                            \
    "  - {revolute: [e, hip], at: {e: high, hip: front}, angle: 0, name: ehip}\n"                     \
    "  - {revolute: [hip, f], at: {hip: front, f: high}, angle: 0, name: hipf}\n"                     \
    "  - {revolute: [f, b], at: {f: low, b: front}, angle: 0, name: fb}\n"                            \
    "  - {revolute: [a, g], at: {a: back, g: low}, name: ag}\n"                                       \
    "  - {revolute: [g, hip], at: {g: high, hip: back}, name: ghip}\n"                                \
    "  - {revolute: [b, h], at: {b: back, h: low}, name: bh}\n"                                       \
    "  - {revolute: [h, hip], at: {h: high, hip: back}, name: hhip}\n" springs                        \
    "optimize: {intervals: 4, duration: 1, start: free, start_velocity: free,\n"                      \
    "  controls: [{joint: ae, name: u}], objective: [{effort: 1}], phases: [{name: one}],\n"          \
    "  cycle: {swap: [[a, b], [e, f], [g, h]]}}\n"

TEST(legs_with_loops_are_compared_where_the_loops_close)
{
    taken(LOOPS(""));
    taken(
        LOOPS("springs: [{joint: ghip, stiffness: 5, rest: 0.1}, {joint: hhip, stiffness: 5, rest: 0.1}]\n"));
    refused(LOOPS("springs: [{joint: ghip, stiffness: 5, rest: 0}]\n"), "springs or beams");
    refused(
        LOOPS("springs: [{joint: ghip, stiffness: 5, rest: 0.1}, {joint: hhip, stiffness: 5, rest: -0.1}]\n"),
        "springs or beams");
}

/* ---- mirror images in the plane ---- */

#define SWING(duration, intervals, phases, cycle)                                                          \
    "title: pendulum\ngravity: [0, -9.81]\n"                                                               \
    "planar_bodies: {bob: {mass: 1, inertia: 0.1, points: {pivot: [0, 1]}}}\n"                             \
    "joints: [{revolute: [ground, bob], at: {ground: [0, 0], bob: pivot}, angle: 0.5, name: hinge}]\n"     \
    "optimize:\n  intervals: " intervals "\n  duration: " duration                                         \
    "\n  start: free\n  start_velocity: free\n  controls: [{joint: hinge, name: u}]\n"                     \
    "  objective: [{effort: 1}]\n  phases:\n"                                                              \
    "    - {name: there, conditions: [{joint: hinge, equals: 0.5, at: start}]}\n" phases "  cycle: " cycle \
    "\n"

static double effort(const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, &problem);
    if (status == AC_OK) status = ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    double objective = status == AC_OK ? ac_optimization_result(ac_problem_optimization(problem))->objective
                                       : NAN;
    ac_problem_free(problem);
    return objective;
}

/* Half a swing and its mirror image are the swing whose halves are told one by one. */
TEST(half_a_swing_and_its_mirror_image_are_a_swing)
{
    static const char back[] = "    - {name: back, conditions: [{joint: hinge, equals: -0.5, at: start}]}\n";
    char whole[2048];
    snprintf(whole, sizeof whole, SWING("0.8 s", "40", "%s", "{}"), back);
    double half = effort(SWING("0.8 s", "40", "", "{mirror: x}"));
    CHECK(half > 1.0);
    CHECK_NEAR(effort(whole), 2.0 * half, 1e-9);
    refused(SWING("0.8 s", "40", "", "{mirror: z}"), "a mirror along z does not change it");
    refused(SWING("0.8 s", "40", "", "{mirror: y}"), "joint 'hinge' does not fit any more");
}

/* A mass that a mirror turns round, x'' + k x = u, with x = 1 at the start: with odd harmonics of the period P, O = 2 pi / P, the least
 * effort of half a period is P / 4 / sum over odd n of 1 / (k - n^2 O^2)^2. */
TEST(a_mirrored_oscillation_has_the_effort_of_its_harmonics)
{
    const double k = 20.0, O = 2.0 * acos(-1.0) / 1.5;
    double sum = 0.0, errors[2];
    for (int n = 1; n < 20000; n += 2) sum += 2.0 / pow(k - n * n * O * O, 2);
    for (int fine = 0; fine < 2; ++fine) {
        char text[1024];
        snprintf(text, sizeof text,
                 "title: mass\npoints: {m: {mass: 1, position: [1]}}\n"
                 "springs: [{between: [ground, m], stiffness: 20, length: 0}]\n"
                 "optimize: {intervals: %d, duration: 0.75, start: free, start_velocity: free,\n"
                 "  controls: [{force: m, name: u}], quantities: {x: {of: m, point: centre, along: x}},\n"
                 "  objective: [{effort: 1}], cycle: {mirror: x},\n"
                 "  phases: [{name: half, conditions: [{expression: x, equals: 1, at: start}]}]}\n",
                 fine ? 120 : 60);
        errors[fine] = effort(text) - 0.375 / sum;
    }
    CHECK_NEAR(errors[0] / errors[1], 4.0, 0.1);
    CHECK_NEAR(errors[1], 0.0, 3e-3);
}

RUN_TESTS(CASE(forces_on_a_mirrored_or_moved_mass_are_those_before),
          CASE(legs_that_swap_have_the_same_springs_dampers_and_joints),
          CASE(legs_with_loops_are_compared_where_the_loops_close),
          CASE(half_a_swing_and_its_mirror_image_are_a_swing),
          CASE(a_mirrored_oscillation_has_the_effort_of_its_harmonics))
