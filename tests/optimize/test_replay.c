/* Replays of motions with phases, and their cycles one after another.
 *
 * Where the discrete motion is exact (free fall), both replays find it again to rounding; where it is not, the collision
 * integrator finds it to the tolerance of the solver, and the hybrid reference differs with the square of the interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/problem.h"
#include "actio/replay.h"
#include "problem/build/build.h"
#include "support/ball.h"
#include "test.h"

enum { CYCLES = 3, ROWS = 16 };

static ac_context *ctx;

typedef struct replayed {
    ac_phase_replay rows[ROWS];
    int count;
    char remark[AC_REPLAY_REMARK_SIZE];
} replayed;

static ac_optimization *take(ac_status status, ac_problem *problem)
{
    if (status == AC_OK) status = ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return status == AC_OK ? ac_problem_optimization(problem) : NULL;
}

static ac_optimization *solve(const char *text, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
    return take(status, *problem);
}

/* A motion that satisfies every row and is refused for another reason, a part of the message. */
static ac_optimization *solve_refused(const char *text, const char *reason, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem) == AC_OK);
    ac_optimization *o = ac_problem_optimization(*problem);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), reason) != NULL);
    return o;
}

static ac_optimization *solve_example(const char *path, const char *setting, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    ac_status status = ac_problem_read(ctx, path, &setting, setting ? 1 : 0, problem);
    return take(status, *problem);
}

static replayed replay(ac_optimization *o, ac_replay_method method)
{
    replayed r = {.count = 0};
    ac_status status = ac_optimization_replay(o, NULL, method, CYCLES, NULL, r.rows, &r.count, r.remark);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return r;
}

static void check_same(const replayed *r, int rows, double tolerance)
{
    if (r->count != rows) printf("%d phases instead of %d: %s\n", r->count, rows, r->remark);
    CHECK(r->count == rows);
    for (int k = 0; k < r->count; ++k) {
        CHECK_NEAR(r->rows[k].duration, r->rows[k].found_duration, tolerance);
        CHECK_NEAR(r->rows[k].place, 0.0, tolerance);
        CHECK_NEAR(r->rows[k].velocity, 0.0, 100.0 * tolerance);
        CHECK_NEAR(r->rows[k].energy, r->rows[k].found_energy, 100.0 * tolerance);
        CHECK_NEAR(r->rows[k].loss, r->rows[k].found_loss, 100.0 * tolerance);
        CHECK_NEAR(r->rows[k].followed, r->rows[k].duration, tolerance);
    }
}

#define BALL(first, second) \
    BALL_PHASES("    far: {distance: [ground, ball], at: {ground: [5, 0]}}\n", first, second, "")

/* Bounces with loss in both directions, slides, sticks; free fall is exact in every scheme. */
TEST(a_ball_is_replayed_exactly)
{
    static const char *const texts[] = {
        BALL(HITS, ", impact: {y: {restitution: 0.8, tangential: 0.1, along: [x]}}, conditions: "
                   "[{expression: y_rate, equals: 0, at: end}]"),
        BALL(HITS, ", impact: {y: {loss: 5, tangential: 0.1, along: [x]}}, conditions: "
                   "[{expression: y_rate, equals: 0, at: end}]"),
        BALL(HITS, ", impact: {y: 1}, conditions: [{expression: y_rate, equals: "
                   "0, at: end}]"),
        BALL(HITS, ", hold: [y], free_duration: false"), BALL(HITS, ", hold: [x, y], free_duration: false")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        ac_problem *problem;
        ac_optimization *o = solve(texts[k], &problem);
        CHECK(!ac_optimization_is_cycle(o));
        for (int method = 0; method < 2; ++method) {
            replayed r = replay(o, (ac_replay_method)method);
            check_same(&r, 2, 1e-9);
            CHECK_NEAR(r.rows[0].duration, sqrt(2.0 / 9.81), 1e-9);
            CHECK_TEXT(r.remark, "");
        }
        ac_problem_free(problem);
    }
}

/* The loss is 5/16 m g of the rod, the hybrid motion afterwards that of a rod about its end. */
TEST(a_rod_that_sticks_is_replayed)
{
    ac_problem *problem;
    ac_optimization *o = solve(
        "title: rod\ngravity: [0, -9.81]\nplanar_bodies:\n"
        "  rod: {mass: 1, inertia: =1/12, points: {low: [-0.5, 0]}, position: [=0.25*sqrt(2), "
        "=0.5+0.25*sqrt(2)], angle: =pi/4}\n"
        "optimize:\n  intervals: 5\n  duration: 0.3\n"
        "  controls: [{torque: rod, name: m, limit: 0}]\n"
        "  quantities:\n    x: {of: rod, point: low, along: x}\n    y: {of: rod, point: low, along: y}\n"
        "  objective: [{effort: 1}]\n  phases:\n"
        "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
        "    - {name: stuck, duration: 0.1007245716, intervals: 10, hold: [x, y]}\n",
        &problem);
    replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
    check_same(&c, 2, 1e-9);
    CHECK(h.count == 2);
    CHECK_NEAR(h.rows[0].loss, 3.065625, 1e-9);
    CHECK_NEAR(h.rows[0].duration, 0.3192754284, 1e-10);
    CHECK(h.rows[1].place < 2e-4 && h.rows[1].place > 1e-7); /* second order of ten intervals */
    /* energy is conserved from the impact on */
    CHECK_NEAR(h.rows[1].energy, h.rows[0].energy - h.rows[0].loss, 1e-9);
    ac_problem_free(problem);
}

/* Impulses across and along the floor turn the rod, so that losses in both directions depend on one another. */
TEST(given_losses_of_a_rod_are_replayed)
{
    static const char *const impacts[] = {"{y: {loss: 1}}", "{y: {loss: 1}, x: {loss: 0.3}}"};
    static const double losses[] = {1.0, 1.3};
    for (int k = 0; k < 2; ++k) {
        char text[1000];
        ac_problem *problem;
        snprintf(
            text, sizeof text,
            "title: rod\ngravity: [0, -9.81]\nplanar_bodies:\n"
            "  rod: {mass: 1, inertia: 0.4, points: {low: [-0.5, 0]}, position: [0, 0.9], angle: =pi/4, "
            "velocity: [2, 0]}\n"
            "optimize:\n  intervals: 10\n  duration: 0.3\n  tolerance: 1e-11\n"
            "  controls: [{torque: rod, name: m, limit: 0}]\n"
            "  quantities:\n    x: {of: rod, point: low, along: x}\n    y: {of: rod, point: low, along: y}\n"
            "  objective: [{effort: 1}]\n  phases:\n"
            "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
            "    - {name: rise, duration: 0.1, impact: %s}\n",
            impacts[k]);
        ac_optimization *o = solve(text, &problem);
        replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
        CHECK_NEAR(h.rows[0].found_loss, losses[k], 1e-10);
        CHECK_NEAR(h.rows[0].loss, losses[k], 1e-10);
        if (k == 0) {
            CHECK_NEAR(c.rows[0].loss, losses[k], 1e-10);
        } else {
            CHECK(strstr(c.remark, "bounces along one direction only") != NULL);
        }
        ac_problem_free(problem);
    }
}

/* Tangential velocity is lost by the same law in the optimisation, the collision integrator and the reference: states and losses
 * agree, in the plane and in space, where the foot of a bar slides in two directions. */
TEST(tangential_losses_are_replayed)
{
    static const char *const laws[] = {"restitution: 0.7, tangential: 0.4", "loss: 1, tangential: 0.9",
                                       "restitution: 1, tangential: 0.2"};
    static const char *const bars[] = {
        "title: rod\ngravity: [0, -9.81]\nplanar_bodies:\n"
        "  rod: {mass: 1, inertia: 0.1, points: {low: [-0.5, 0]}, position: [0, 0.9], angle: =pi/4, "
        "velocity: [-2, 0]}\n%s"
        "    y: {of: rod, point: low, along: y}\n%s%s, along: [x]}}}\n",
        "title: rod\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  rod: {mass: 1, inertia: [0.01, 0.1, 0.105], points: {low: [-0.5, 0.1, 0.2]}, position: [0, 0.9, "
        "0], "
        "rotation: {axis: [1, 2, 3], angle: 0.9}, velocity: [-2, 0, 1], angular_velocity: [0, 0, 2]}\n%s"
        "    z: {of: rod, point: low, along: z}\n    y: {of: rod, point: low, along: y}\n"
        "%s%s, along: [x, z]}}}\n"};
    for (int k = 0; k < 6; ++k) {
        char text[1200];
        ac_problem *problem;
        snprintf(
            text, sizeof text, bars[k / 3],
            "optimize:\n  intervals: 10\n  duration: 0.3\n  tolerance: 1e-11\n"
            "  controls: [{torque: rod, name: m, limit: 0}]\n"
            "  quantities:\n    x: {of: rod, point: low, along: x}\n",
            "  objective: [{effort: 1}]\n  phases:\n"
            "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
            "    - {name: rise, duration: 0.1, impact: {y: {",
            laws[k % 3]);
        ac_optimization *o = solve(text, &problem);
        replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
        CHECK_TEXT(c.remark, "");
        CHECK(c.rows[0].found_loss > 0.1);
        check_same(&c, 2, 1e-9);
        CHECK_NEAR(h.rows[0].loss, h.rows[0].found_loss, k < 3 ? 1e-10 : 1e-2);
        ac_problem_free(problem);
    }
}

/* The end of a rod on a hinge moves across the floor alone where it is level: there is nothing to lose along it. */
TEST(a_hinged_rod_that_strikes_is_replayed)
{
    ac_problem *problem;
    ac_optimization *o = solve(
        "title: rod\ngravity: [0, -9.81]\nplanar_bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}\n"
        "joints: [{revolute: [ground, rod], at: {rod: start}, angle: 1, name: h}]\n"
        "optimize:\n  intervals: 10\n  duration: 0.5\n  controls: [{joint: h, name: u, limit: 5}]\n"
        "  quantities:\n    x: {of: rod, point: end, along: x}\n    y: {of: rod, point: end, along: y}\n"
        "  objective: [{effort: 1}]\n  phases:\n"
        "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n"
        "    - {name: rise, duration: 0.2, impact: {y: {restitution: 0.6, tangential: 0.3, along: [x]}}}\n",
        &problem);
    replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
    check_same(&c, 2, 1e-9);
    CHECK(strstr(h.remark, "quantities that strike depend on one another") != NULL);
    ac_problem_free(problem);
}

/* A double pendulum of two point masses that locks when it is straight. */
TEST(a_joint_that_locks_is_replayed)
{
    ac_problem *problem;
    ac_optimization *o = solve(
        "title: knee\ngravity: [0, -9.81]\nplanar_bodies:\n"
        "  upper: {mass: 1, inertia: 1e-9, points: {top: [0, 1], low: [0, 0]}}\n"
        "  lower: {mass: 1, inertia: 1e-9, points: {top: [0, 1], low: [0, 0]}}\n"
        "joints:\n"
        "  - {revolute: [ground, upper], at: {ground: [0, 0], upper: top}, angle: 0.3, name: hip}\n"
        "  - {revolute: [upper, lower], at: {upper: low, lower: top}, angle: -1.2, name: knee}\n"
        "optimize:\n  intervals: 40\n  duration: 0.38\n"
        "  controls: [{joint: hip, name: u, limit: 0}]\n"
        "  quantities: {bend: {joint: knee}}\n"
        "  objective: [{effort: 1}]\n  phases:\n"
        "    - {name: swing, free_duration: true, conditions: [{expression: bend, equals: 0, at: end}]}\n"
        "    - {name: straight, duration: 0.2, intervals: 20, hold: [bend], guess: {joints: {hip: [[0, "
        "-0.1], [1, -0.1]], knee: [[0, 0], [1, 0]]}}}\n",
        &problem);
    replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
    check_same(&c, 2, 1e-8);
    CHECK(h.count == 2);
    CHECK_NEAR(h.rows[0].duration, 0.3813942384,
               1e-7); /* of two point masses, computed apart from this library */
    CHECK_NEAR(h.rows[0].loss, 4.2384647693, 1e-6);
    CHECK_NEAR(h.rows[0].found_duration, 0.3813942384, 1e-3);
    ac_problem_free(problem);
}

/* The hopper is followed over all cycles by the collision integrator. The reference differs with the square of the interval, and
 * after one interval with its third power. */
TEST(the_hopper_differs_from_the_reference_by_its_discretisation)
{
    double place[2], time[2], defect[2];
    for (int k = 0; k < 2; ++k) {
        ac_problem *problem;
        ac_optimization *o = solve_example("examples/walking/hopper.yaml",
                                           k == 0 ? "optimize.intervals=30" : "optimize.intervals=60",
                                           &problem);
        replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
        CHECK(ac_optimization_is_cycle(o));
        check_same(&c, 2 * CYCLES, 1e-9);
        CHECK(h.count >= 2);
        place[k] = fmax(h.rows[0].place, h.rows[1].place);
        time[k] = fabs(h.rows[1].duration - h.rows[1].found_duration);
        defect[k] = fmax(h.rows[0].defect, h.rows[1].defect);
        ac_problem_free(problem);
    }
    CHECK(place[1] < 2e-3 && place[0] / place[1] > 3.0 && place[0] / place[1] < 7.0);
    CHECK(time[1] < 1e-3 && time[0] / time[1] > 3.0);
    CHECK(defect[1] < 1e-4 && defect[0] / defect[1] > 6.0);
}

/* Where one cycle ends the next one begins, bodies swapped and mirrored; after two cycles everything is two lengths ahead. */
static void check_unrolled(const char *path)
{
    ac_problem *problem;
    ac_optimization *o = solve_example(path, NULL, &problem);
    const ac_system *system = ac_problem_system(problem);
    int n = ac_system_sizes(system).coordinates, last = ac_optimization_phases(o) - 1;
    const ac_optimization *first = ac_optimization_phase(o, 0), *end = ac_optimization_phase(o, last);
    double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b), most = 0.0;
    memcpy(a, ac_optimization_configuration(end, ac_optimization_intervals(end)), (size_t)n * sizeof *a);
    memcpy(b, ac_optimization_configuration(first, 0), (size_t)n * sizeof *b);
    CHECK(ac_optimization_unroll(o, 0, last, a) == AC_OK && ac_optimization_unroll(o, 1, 0, b) == AC_OK);
    for (int i = 0; i < n; ++i) CHECK_NEAR(a[i], b[i], 1e-8);
    memcpy(b, ac_optimization_configuration(first, 0), (size_t)n * sizeof *b);
    CHECK(ac_optimization_unroll(o, 2, 0, b) == AC_OK);
    ac_junction_outcome j;
    CHECK(ac_optimization_junction(o, ac_optimization_junctions(o) - 1, &j) == AC_OK);
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(b[i] - ac_optimization_configuration(first, 0)[i]));
    CHECK_NEAR(most, 2.0 * j.length, 1e-9);
    free(a);
    free(b);
    ac_problem_free(problem);
}

TEST(cycles_follow_one_another)
{
    check_unrolled("examples/walking/hopper.yaml");
    check_unrolled("examples/walking/compass-gait.yaml");
}

/* An arrow goes with the mirror: a force keeps its component along the path, a torque changes it. */
TEST(arrows_are_mirrored_and_move_on)
{
    ac_problem *problem;
    ac_optimization *o = solve_example("examples/walking/compass-gait.yaml", NULL, &problem);
    double place[3] = {0.1, 0.2, 0.3}, force[3] = {1.0, 2.0, 3.0}, same[3] = {0.1, 0.2, 0.3},
           torque[3] = {1.0, 2.0, 3.0};
    ac_junction_outcome j;
    CHECK(ac_optimization_junction(o, ac_optimization_junctions(o) - 1, &j) == AC_OK);
    ac_optimization_unroll_arrow(o, 1, 0, false, place, force);
    ac_optimization_unroll_arrow(o, 1, 0, true, same, torque);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(fabs(force[k]), k + 1.0, 1e-12);
        CHECK_NEAR(torque[k], -force[k], 1e-12);
        CHECK_NEAR(same[k], place[k], 1e-15);
    }
    CHECK_NEAR(force[0] * force[1] * force[2], -6.0, 1e-12); /* one component turned round */
    CHECK_NEAR(place[0], -0.1, 1e-12);                       /* the mirror is normal to x, the path along y */
    CHECK_NEAR(place[1], 0.2 + j.length, 1e-12);
    CHECK_NEAR(force[0], -1.0, 1e-12);
    ac_problem_free(problem);
}

/* In space, with swapped and mirrored legs, the collision integrator makes the same steps. */
TEST(the_compass_gait_is_replayed_over_cycles)
{
    ac_problem *problem;
    ac_optimization *o = solve_example("examples/walking/compass-gait.yaml", NULL, &problem);
    replayed c = replay(o, AC_REPLAY_COLLISION);
    check_same(&c, 3 * CYCLES, 1e-8);
    ac_problem_free(problem);
}

/* What the collision integrator has no contact for is said; the reference takes any quantity. */
TEST(a_distance_that_is_held_is_known_to_the_reference_alone)
{
    ac_problem *problem;
    ac_optimization *o = solve(
        BALL(", free_duration: false, conditions: [{expression: far, at_least: 1, at: end}]",
             ", hold: [far], free_duration: false"),
        &problem);
    replayed c = replay(o, AC_REPLAY_COLLISION), h = replay(o, AC_REPLAY_HYBRID);
    CHECK(c.count < 2);
    CHECK(strstr(c.remark, "'far'") != NULL);
    CHECK(h.count == 2);
    ac_problem_free(problem);
}

#define DOCK(guess)                                                                     \
    "title: dock\npoints: {a: {mass: 1, position: [0]}, b: {mass: 3, position: [1]}}\n" \
    "optimize:\n  intervals: 60\n  duration: 1\n  controls: [{force: a, name: u}]\n"    \
    "  quantities:\n    a: {of: a, point: centre, along: x}\n"                          \
    "    b: {of: b, point: centre, along: x}\n    gap: {distance: [a, b]}\n"            \
    "  objective: [{effort: 1}]\n  phases:\n"                                           \
    "    - {name: push, conditions: [{expression: b-a, equals: 0.5, at: end}]}\n"       \
    "    - {name: docked, intervals: 4, hold: [gap], without: [u],\n"                   \
    "       conditions: [{expression: a, equals: 3, at: end}]" guess "}\n"

/* Held apart at 0.5 m, one mass passes the other within an interval, where their distance is what it was: an optimum of a mesh of four
 * intervals that no motion follows. It is refused, and the replay does not take it for differences that grow. A guess
 * that keeps the side leads to a motion that does. */
TEST(intervals_that_are_too_long_are_told_from_differences_that_grow)
{
    ac_problem *problem;
    ac_optimization *o = solve_refused(DOCK(""), "'gap' changes sides within interval 2 of phase 'docked'",
                                       &problem);
    replayed h = replay(o, AC_REPLAY_HYBRID);
    CHECK(h.rows[1].defect > 0.5);
    CHECK(strstr(h.remark, "within one interval of phase 'docked': the intervals are too long") != NULL);
    ac_problem_free(problem);
    o = solve(DOCK(", guess: {positions: {a: [[0, 0.5], [1, 3]], b: [[0, 1], [1, 3.5]]}}"), &problem);
    const double *q = ac_optimization_configuration(ac_optimization_phase(o, 1), 4);
    CHECK_NEAR(q[1] - q[0], 0.5, 1e-8);
    ac_problem_free(problem);
}

/* Phases are needed. */
TEST(a_motion_without_phases_is_refused)
{
    ac_problem *problem;
    ac_phase_replay row;
    int count;
    char remark[AC_REPLAY_REMARK_SIZE];
    ac_optimization *o = solve(
        "title: ball\npoints: {ball: {mass: 1, position: [0, 0]}}\n"
        "optimize: {intervals: 2, duration: 1, controls: [{force: ball, name: f}], objective: "
        "[{effort: 1}]}\n",
        &problem);
    CHECK(ac_optimization_replay(o, NULL, AC_REPLAY_HYBRID, 1, NULL, &row, &count, remark) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "no phases") != NULL);
    ac_problem_free(problem);
}

/* On these meshes the first search creeps along limits on the height of the foot; the second one must not. */
TEST(the_hopper_is_solved_on_every_mesh)
{
    static const char *const meshes[] = {"optimize.intervals=36", "optimize.intervals=40",
                                         "optimize.intervals=41", "optimize.intervals=44"};
    for (size_t k = 0; k < sizeof meshes / sizeof *meshes; ++k) {
        ac_problem *problem;
        ac_optimization *o = solve_example("examples/walking/hopper.yaml", meshes[k], &problem);
        CHECK_NEAR(ac_optimization_result(o)->objective, 1.297, 0.007);
        ac_problem_free(problem);
    }
}

RUN_TESTS(CASE(a_ball_is_replayed_exactly), CASE(a_rod_that_sticks_is_replayed),
          CASE(given_losses_of_a_rod_are_replayed), CASE(tangential_losses_are_replayed),
          CASE(a_hinged_rod_that_strikes_is_replayed), CASE(a_joint_that_locks_is_replayed),
          CASE(the_hopper_differs_from_the_reference_by_its_discretisation),
          CASE(the_hopper_is_solved_on_every_mesh), CASE(cycles_follow_one_another),
          CASE(arrows_are_mirrored_and_move_on), CASE(the_compass_gait_is_replayed_over_cycles),
          CASE(a_distance_that_is_held_is_known_to_the_reference_alone),
          CASE(intervals_that_are_too_long_are_told_from_differences_that_grow),
          CASE(a_motion_without_phases_is_refused))
