/* Phases: jumps against closed forms and an independent projection, exact derivatives, what is refused.
 *
 * Free fall is exact in the discrete motion, so the times and velocities at an impact are those of the textbook. The impacts of
 * the biped are those of the projection Q_S of the six-dimensional model, computed apart from this library. */
#include <math.h>
#include <string.h>

#include "actio/adjoint.h"
#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/simulate.h"
#include "optimize/judge/doubts.h"
#include "optimize/problem/prepare.h"
#include "problem/build/build.h"
#include "support/ball.h"
#include "test.h"

static ac_context *ctx;

static ac_status parse(const char *text, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
}

/* The problem solved; NULL: it was not. */
static ac_problem *solve(const char *text, ac_optimization **whole)
{
    ac_problem *problem = NULL;
    ac_status status = parse(text, &problem);
    *whole = status == AC_OK ? ac_problem_optimization(problem) : NULL;
    if (status == AC_OK) status = ac_optimization_solve(*whole, NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
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

/* ---- a ball ---- */

#define BALL(first, second, more) BALL_PHASES("", first, second, more)

TEST(a_ball_bounces_with_restitution_and_loses_speed_along_the_floor)
{
    ac_optimization *o;
    ac_problem *problem = solve(BALL(HITS,
                                     ", impact: {y: {restitution: 0.8, tangential: 0.1, along: [x]}}, "
                                     "free_duration: true, conditions: "
                                     "[{expression: y_rate, equals: 0, at: end}]",
                                     ""),
                                &o);
    ac_junction_outcome j;
    double fall = sqrt(2.0 / 9.81), speed = 9.81 * fall;
    CHECK(ac_optimization_phases(o) == 2 && ac_optimization_junctions(o) == 1);
    const ac_optimization *down = ac_optimization_phase(o, 0), *up = ac_optimization_phase(o, 1);
    CHECK_TEXT(ac_optimization_phase_name(o, 1), "rise");
    CHECK_NEAR(ac_optimization_result(o)->duration, fall + 0.8 * fall, 1e-10);
    CHECK_NEAR(ac_optimization_configuration(down, 7)[0], 3.0 * fall, 1e-10);
    CHECK_NEAR(ac_optimization_configuration(up, 7)[0], 3.0 * fall + 2.7 * 0.8 * fall, 1e-10);
    CHECK_NEAR(ac_optimization_configuration(up, 7)[1], 0.64, 1e-10);
    CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 2);
    CHECK_NEAR(j.energy_before, 9.0 + speed * speed, 1e-9);
    CHECK_NEAR(j.energy_after, 2.7 * 2.7 + 0.64 * speed * speed, 1e-9);
    for (int k = 0; k < 2; ++k) {
        bool normal = strcmp(ac_optimization_impulse_name(o, 0, k), "y") == 0;
        CHECK_NEAR(ac_optimization_impulse(o, 0, k), normal ? 2.0 * 1.8 * speed : -2.0 * 0.3, 1e-9);
    }
    ac_problem_free(problem);
}

/* Of the 2 g J of the fall 5 are lost, or none, which is elastic; a tenth of the speed along the floor is lost beside that. A
 * finer mesh begins with the restitution found. */
TEST(a_ball_bounces_with_a_given_loss)
{
    static const char *const impacts[] = {"{y: {loss: 5}}", "{y: {loss: 5, tangential: 0.1, along: [x]}}",
                                          "{y: {loss: 0, tangential: 0.1, along: [x]}}"};
    static const double losses[] = {5.0, 5.0, 0.0}, along[] = {3.0, 2.7, 2.7};
    for (int k = 0; k < 6; ++k) {
        char text[2000];
        ac_optimization *o;
        ac_junction_outcome j;
        snprintf(text, sizeof text,
                 BALL(HITS,
                      ", impact: %s, free_duration: true, conditions: "
                      "[{expression: y_rate, equals: 0, at: end}]",
                      "  tolerance: 1e-11\n  formulation: %s\n"),
                 impacts[k / 2], k % 2 ? "multipliers" : "reduced");
        ac_problem *problem = solve(text, &o);
        double fall = sqrt(2.0 / 9.81), speed = 9.81 * fall, height = 1.0 - losses[k / 2] / (2.0 * 9.81);
        const double *top = ac_optimization_configuration(ac_optimization_phase(o, 1), 7);
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK);
        CHECK_NEAR(j.energy_before - j.energy_after, losses[k / 2] + 9.0 - along[k / 2] * along[k / 2],
                   1e-10);
        CHECK_NEAR(top[1], height, 1e-10);
        CHECK_NEAR(top[0], 3.0 * fall + along[k / 2] * sqrt(height) * fall, 1e-10);
        for (int i = 0; i < j.impulses; ++i)
            if (strcmp(ac_optimization_impulse_name(o, 0, i), "y") == 0)
                CHECK_NEAR(ac_optimization_impulse(o, 0, i), 2.0 * speed * (1.0 + sqrt(height)), 1e-10);
        CHECK(ac_optimization_remesh(o, 21) == AC_OK);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_result(o)->iterations <= 5);
        CHECK_NEAR(ac_optimization_result(o)->duration, fall * (1.0 + sqrt(height)), 1e-10);
        ac_problem_free(problem);
    }
}

/* 2 g J of fall are all there is. */
TEST(a_loss_that_the_motion_does_not_have_is_no_solution)
{
    ac_problem *problem = NULL;
    CHECK(parse(BALL(HITS, ", impact: {y: {loss: 20}}, free_duration: false", ""), &problem) == AC_OK);
    CHECK(ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL) == AC_NOT_CONVERGED);
    ac_problem_free(problem);
}

TEST(phases_without_a_strike_are_one_motion)
{
    ac_optimization *o;
    ac_problem *problem = solve(BALL(", free_duration: false", ", free_duration: false, intervals: 3", ""),
                                &o);
    ac_junction_outcome j;
    CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 0);
    CHECK_NEAR(j.energy_after, j.energy_before, 1e-11);
    CHECK_NEAR(ac_optimization_configuration(ac_optimization_phase(o, 1), 3)[1], 1.0 - 0.5 * 9.81 * 0.36,
               1e-11);
    ac_problem_free(problem);
}

/* Phases keep their shares of a finer mesh; a gait with a free length goes on from where it was. */
TEST(a_finer_mesh_begins_with_the_motion)
{
    ac_optimization *o;
    ac_problem *problem = solve(BALL(HITS,
                                     ", intervals: 14, impact: {y: 0.8}, free_duration: true, conditions: "
                                     "[{expression: y_rate, equals: 0, at: end}]",
                                     ""),
                                &o);
    double fall = sqrt(2.0 / 9.81);
    CHECK(ac_optimization_remesh(o, 21) == AC_OK);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_intervals(ac_optimization_phase(o, 0)) == 21);
    CHECK(ac_optimization_intervals(ac_optimization_phase(o, 1)) == 42);
    CHECK_NEAR(ac_optimization_result(o)->duration, 1.8 * fall, 1e-10);
    CHECK(ac_optimization_result(o)->iterations <= 5);
    ac_problem_free(problem);
}

/* What is held pushes with the weight, and takes the whole momentum where it begins. */
TEST(a_ball_that_is_held_rests_on_what_holds_it)
{
    ac_optimization *o;
    ac_problem *problem = solve(BALL(HITS, ", hold: [y], free_duration: false", ""), &o);
    const ac_optimization *up = ac_optimization_phase(o, 1);
    double fall = sqrt(2.0 / 9.81);
    CHECK(ac_optimization_holds(up) == 1);
    CHECK_TEXT(ac_optimization_hold_name(up, 0), "y");
    for (int n = 0; n <= 6; ++n) CHECK_NEAR(ac_optimization_hold_force(up, 0, n), 2.0 * 9.81, 1e-8);
    CHECK_NEAR(ac_optimization_impulse(o, 0, 0), 2.0 * 9.81 * fall, 1e-9);
    CHECK_NEAR(ac_optimization_configuration(up, 7)[0], 3.0 * (fall + 0.3), 1e-9);
    CHECK_NEAR(ac_optimization_configuration(up, 7)[1], 0.0, 1e-10);
    ac_problem_free(problem);
}

/* A ball that is held is pulled along the floor by 0.3 of its weight, which friction must carry; a force upwards is asked for
 * at most as far as the floor still pushes. */
TEST(forces_of_what_is_held_stay_within_friction)
{
    ac_optimization *o;
    ac_problem *problem = solve(
        "title: ball\n"
        "gravity: [0, -10]\n"
        "points: {ball: {mass: 2, position: [0, 0]}}\n"
        "optimize:\n"
        "  intervals: 4\n"
        "  duration: 1\n"
        "  controls: [{force: ball, name: f, limit: 100}]\n"
        "  quantities:\n"
        "    x: {of: ball, point: centre, along: x}\n"
        "    y: {of: ball, point: centre, along: y}\n"
        "  objective: [{running: (f_x-6)^2+(f_y-15)^2}]\n"
        "  phases: [{name: one, hold: [x, y], friction: [{normal: y, along: [x], coefficient: 0.5}]}]\n",
        &o);
    const ac_optimization *one = ac_optimization_phase(o, 0);
    /* nearest point to (6, 15) with f_x <= 0.5 (20 - f_y): (3.2, 13.6) */
    for (int n = 1; n < 4; ++n) {
        CHECK_NEAR(ac_optimization_hold_force(one, 1, n),
                   20.0 - 0.5 * (ac_optimization_control_values(one, n - 1)[1] +
                                 ac_optimization_control_values(one, n)[1]),
                   1e-7);
        CHECK(fabs(ac_optimization_hold_force(one, 0, n)) <=
              0.5 * ac_optimization_hold_force(one, 1, n) + 1e-7);
    }
    CHECK_NEAR(ac_optimization_control_values(one, 1)[0], 3.2, 1e-4);
    CHECK_NEAR(ac_optimization_control_values(one, 1)[1], 13.6, 1e-4);
    ac_problem_free(problem);
}

/* ---- a rod whose lower end sticks ---- */

#define ROD(next) ROD_AT("", next)
#define ROD_AT(velocity, next)                                                                     \
    "title: rod\n"                                                                                 \
    "gravity: [0, -9.81]\n"                                                                        \
    "planar_bodies:\n"                                                                             \
    "  rod: {mass: 1, inertia: =1/12, points: {low: [-0.5, 0]}, position: [=0.25*sqrt(2), "        \
    "=0.5+0.25*sqrt(2)], "                                                                         \
    "angle: =pi/4" velocity "}\n"                                                                  \
    "optimize:\n"                                                                                  \
    "  intervals: 5\n"                                                                             \
    "  duration: 0.3\n"                                                                            \
    "  controls: [{torque: rod, name: m, limit: 0}]\n"                                             \
    "  quantities:\n"                                                                              \
    "    x: {of: rod, point: low, along: x}\n"                                                     \
    "    y: {of: rod, point: low, along: y}\n"                                                     \
    "    angle: {of: rod, axis: x, from: x, to: y}\n"                                              \
    "  objective: [{effort: 1}]\n"                                                                 \
    "  phases:\n"                                                                                  \
    "    - {name: fall, free_duration: true, conditions: [{expression: y, equals: 0, at: end}]}\n" \
    "    - {name: stuck, duration: 0.1, intervals: 40, " next "}\n"

/* rate after = -3/2 cos(45 deg) sqrt(g), loss = 5/16 g: m g 1/2 falls, 3/8 of it remain */
TEST(a_falling_rod_sticks_with_its_end)
{
    ac_optimization *o;
    ac_problem *problem = solve(ROD("hold: [x, y]"), &o);
    ac_junction_outcome j;
    const ac_optimization *stuck = ac_optimization_phase(o, 1);
    CHECK(ac_optimization_junction(o, 0, &j) == AC_OK);
    CHECK_NEAR(ac_optimization_duration(ac_optimization_phase(o, 0)), 0.3192754284, 1e-10);
    CHECK_NEAR(j.energy_before - j.energy_after, 3.065625, 1e-9);
    CHECK_NEAR(j.energy_after, 0.5 / 3.0 * 3.3220851886 * 3.3220851886, 1e-8);
    const double *q = ac_optimization_configuration(stuck, 40);
    CHECK_NEAR(hypot(q[0], q[1]), 0.5, 1e-9);
    ac_problem_free(problem);
}

/* At 45 degrees the inverse mass of the end is 1/m + (l/2)^2 cos^2 / I = 5/2 per kg: with a speed of sqrt(g) one J is lost if the
 * restitution is sqrt(1 - 5 / g). */
TEST(a_falling_rod_bounces_with_a_given_loss)
{
    for (int k = 0; k < 2; ++k) {
        ac_optimization *o;
        ac_junction_outcome j;
        ac_problem *problem = solve(k == 0 ? ROD("impact: {y: {loss: 1}}")
                                           : ROD("impact: {y: {loss: 1}}") "  formulation: multipliers\n",
                                    &o);
        double speed = sqrt(9.81);
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 1);
        CHECK_NEAR(j.energy_before - j.energy_after, 1.0, 1e-8);
        CHECK_NEAR(ac_optimization_impulse(o, 0, 0), speed * (1.0 + sqrt(1.0 - 5.0 / 9.81)) / 2.5, 1e-8);
        ac_problem_free(problem);
    }
}

/* A rod at 45 degrees whose end slides at u along the floor: W_nn = W_tt = 5/2, W_nt = -3/2. After compression the end slides at
 * u - 3/5 sqrt(g), moves 1/S = 5/8 kg there, and f of that is lost. The least energy is that of sticking. */
TEST(a_falling_rod_loses_tangential_velocity_as_at_a_contact)
{
    static const char *const impacts[] = {"restitution: 0.7", "restitution: 1", "restitution: 0", "loss: 1"};
    static const double parts[] = {0.51, 0.0, 1.0, 5.0 / 9.81}, fractions[] = {0.0, 0.4, 1.0};
    for (int k = 0; k < 24; ++k) {
        char text[2000];
        ac_optimization *o;
        ac_junction_outcome j;
        double f = fractions[k % 3], u = k % 2 ? 2.0 : -3.0, left = u - 0.6 * sqrt(9.81);
        snprintf(text, sizeof text,
                 ROD_AT(", velocity: [%g, 0]", "impact: {y: {%s, tangential: %g, along: [x]}}") "%s", u,
                 impacts[k / 6], f, k % 6 > 2 ? "  formulation: multipliers\n" : "");
        ac_problem *problem = solve(text, &o);
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 2);
        CHECK_NEAR(j.energy_before - j.energy_after,
                   parts[k / 6] * 9.81 / 5.0 + (f - 0.5 * f * f) * left * left * 0.625, 1e-8);
        CHECK_TEXT(ac_optimization_impulse_name(o, 0, 1), "x");
        CHECK_NEAR(ac_optimization_impulse(o, 0, 1), -f * left * 0.625, 1e-8);
        CHECK(ac_optimization_remesh(o, 10) == AC_OK);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_result(o)->iterations <= 5);
        ac_problem_free(problem);
    }
}

/* Without a guess the second phase begins with the knee bent, and would end with it folded by half a turn. */
TEST(phases_that_are_half_a_turn_apart_are_no_solution)
{
    ac_problem *problem = NULL;
    CHECK(parse("title: knee\ngravity: [0, -9.81]\nplanar_bodies:\n"
                "  upper: {mass: 1, inertia: 0.01, points: {top: [0, 1], low: [0, 0]}}\n"
                "  lower: {mass: 1, inertia: 0.01, points: {top: [0, 1]}}\n"
                "joints:\n"
                "  - {revolute: [ground, upper], at: {ground: [0, 0], upper: top}, angle: 0.3, name: hip}\n"
                "  - {revolute: [upper, lower], at: {upper: low, lower: top}, angle: -1.2, name: knee}\n"
                "optimize:\n  intervals: 20\n  duration: 0.38\n"
                "  controls: [{joint: hip, name: u, limit: 0}]\n  quantities: {bend: {joint: knee}}\n"
                "  objective: [{effort: 1}]\n  phases:\n"
                "    - {name: swing, free_duration: true, conditions: [{expression: bend, equals: 0, at: "
                "end}]}\n"
                "    - {name: straight, duration: 0.2, hold: [bend]}\n",
                &problem) == AC_OK);
    CHECK(ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "give phase 'straight' a guess") != NULL);
    ac_problem_free(problem);
}

/* Without gravity the angular momentum about the pivot stays, through the motion and through a latch: what remains is
 * H^2 / 2I of the straight arm. An elastic stop turns the rate of the knee round instead and keeps the energy. */
TEST(a_knee_latches_or_bounces)
{
    static const char *const next[] = {"hold: [bend]", "impact: {bend: 1}"};
    for (int k = 0; k < 2; ++k) {
        char text[2000];
        ac_optimization *o;
        ac_junction_outcome j;
        snprintf(
            text, sizeof text,
            "title: knee\nplanar_bodies:\n"
            "  upper: {mass: 1, inertia: =1/12, points: {low: [-0.5, 0], high: [0.5, 0]}}\n"
            "  lower: {mass: 1, inertia: =1/12, points: {low: [-0.5, 0]}}\n"
            "joints:\n"
            "  - {revolute: [ground, upper], at: {upper: low}, name: pivot, angle: 0, angle_rate: 1}\n"
            "  - {revolute: [upper, lower], at: {upper: high, lower: low}, name: knee, angle: 0.5, "
            "angle_rate: "
            "-2}\n"
            "optimize:\n  intervals: 6\n  duration: 0.2\n"
            "  controls: [{joint: knee, name: u, limit: 0}]\n"
            "  quantities: {bend: {joint: knee}}\n"
            "  objective: [{effort: 1}]\n"
            "  phases:\n"
            "    - {name: swing, free_duration: true, conditions: [{expression: bend, equals: 0, at: end}]}\n"
            "    - {name: after, %s}\n",
            next[k]);
        ac_problem *problem = solve(text, &o);
        /* rates 1 and -1: H = w1 (1/3 + 1 + c/2) + w2 (1/3 + c/2) */
        double c = cos(0.5), H = (1.0 / 3.0 + 1.0 + 0.5 * c) - (1.0 / 3.0 + 0.5 * c), I = 8.0 / 3.0;
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 1);
        CHECK_NEAR(j.energy_after, k == 0 ? 0.5 * H * H / I : j.energy_before, 1e-9);
        CHECK(j.energy_before > 0.3);
        CHECK(ac_optimization_impulse(o, 0, 0) > 0.0);
        ac_problem_free(problem);
    }
}

/* ---- impacts of the biped ---- */

#define LINK(name, size, more)                                                                            \
    "  " name ": {mass: " size ", inertia: =" size "/96, points: {low: [0, -0.25], high: [0, 0.25]}" more \
    "}\n"
#define BIPED                                                                                                \
    "title: biped\n"                                                                                         \
    "gravity: [0, -9.81]\n"                                                                                  \
    "planar_bodies:\n" LINK("shank", "2", ", position: [0, 0.25]") LINK("thigh", "3", "")                    \
        LINK("swing_thigh", "3", "")                                                                         \
            LINK("swing_shank", "2",                                                                         \
                 "") "joints:\n"                                                                             \
                     "  - {revolute: [shank, thigh], at: {shank: high, thigh: low}, name: knee, angle: 0}\n" \
                     "  - {revolute: [thigh, swing_thigh], at: {thigh: high, swing_thigh: high}, name: "     \
                     "hip, angle: 0}\n"                                                                      \
                     "  - {revolute: [swing_thigh, swing_shank], at: {swing_thigh: low, swing_shank: "       \
                     "high}, name: other, angle: 0}\n"
#define TORQUES                                                                                         \
    "  controls: [{torque: shank, name: t1}, {joint: knee, name: t2}, {joint: hip, name: t3}, {joint: " \
    "other, name: "                                                                                     \
    "t4}]\n"
#define FEET                                                 \
    "    x: {of: shank, point: low, along: x}\n"             \
    "    y: {of: shank, point: low, along: y}\n"             \
    "    other_x: {of: swing_shank, point: low, along: x}\n" \
    "    other_y: {of: swing_shank, point: low, along: y}\n"
#define ANGLE(name, of) "    " name ": {of: " of ", axis: y, from: y, to: [-1, 0]}\n"
#define ANGLES ANGLE("a1", "shank") ANGLE("a2", "thigh") ANGLE("a3", "swing_thigh") ANGLE("a4", "swing_shank")
#define GIVEN(name, value) "        - {expression: " name ", equals: " value ", at: end}\n"
#define STANCE(A1, A2, A3, A4)                                                                          \
    BIPED "optimize:\n  intervals: 8\n  duration: 0.2\n  start: free\n  start_velocity: free\n" TORQUES \
          "  objective: [{effort: 1}]\n"                                                                \
          "  quantities:\n" FEET ANGLES "  phases:\n"                                                   \
          "    - name: stance\n      hold: [x, y]\n      conditions:\n" GIVEN("x", "0") GIVEN("y", "0") \
              GIVEN("a1", A1) GIVEN("a2", A2) GIVEN("a3", A3) GIVEN("a4", A4) GIVEN("a1_rate", "-1")    \
                  GIVEN("a2_rate", "-1.2") GIVEN("a3_rate", "0.3") GIVEN(                               \
                      "a4_rate",                                                                        \
                      "1.5") "    - {name: next, intervals: 2, duration: 0.01, hold: [other_x, other_y]}\n"

/* w- = (-1, -1.2, 0.3, 1.5); energies and impulses of the projection in six coordinates */
TEST(a_step_of_the_biped_loses_what_the_projection_says)
{
    static const char *const texts[] = {STANCE("-0.28379411", "-0.28379411", "0.28379411", "0.28379411"),
                                        STANCE("-0.38379411", "-0.18664046", "0.38379411", "0.18664046")};
    static const double before[] = {5.5719109167, 5.5380210337}, after[] = {3.7493844529, 4.3525457710},
                        impulse[][2] = {{-1.7956551, 3.52491306}, {-1.12532119, 1.93667409}};
    for (int k = 0; k < 2; ++k) {
        ac_optimization *o;
        ac_junction_outcome j;
        ac_problem *problem = solve(texts[k], &o);
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK && j.impulses == 2);
        CHECK_NEAR(j.energy_before, before[k], 1e-7);
        CHECK_NEAR(j.energy_after, after[k], 1e-7);
        for (int i = 0; i < 2; ++i) CHECK_NEAR(ac_optimization_impulse(o, 0, i), impulse[k][i], 1e-7);
        ac_problem_free(problem);
    }
}

/* ---- the gait in the simulator ---- */

#define GAIT                                                                                                \
    BIPED "optimize:\n  intervals: 20\n  duration: 0.7\n  start: free\n  start_velocity: free\n" TORQUES    \
          "  objective: [{effort: 2}]\n"                                                                    \
          "  quantities:\n" FEET "  phases:\n"                                                              \
          "    - {name: stance, hold: [x, y], conditions: [{expression: x, equals: 0, at: start}, "         \
          "{expression: y, equals: "                                                                        \
          "0, at: start},\n"                                                                                \
          "       {expression: other_y, at_least: 0.01, at: inside}],\n"                                    \
          "       guess: {positions: {shank: [[0, -0.05, 0.24], [1, 0.05, 0.24]]}, turns: {shank: [[0, 0, " \
          "0, 0.1], [1, 0, "                                                                                \
          "0, -0.3]]},\n"                                                                                   \
          "       joints: {knee: [[0, 0.2], [1, 0.2]], hip: [[0, -0.4], [0.5, 0.4], [1, 0.4]],\n"           \
          "                other: [[0, -0.2], [0.5, -0.9], [1, -0.2]]}}}\n"                                 \
          "  cycle: {swap: [[shank, swing_shank], [thigh, swing_thigh]], along: x, length: 0.4}\n"

/* Angle and rate of planar body k. */
static void turn_of(const ac_optimization *phase, int k, double *angle, double *rate)
{
    const double *q = ac_optimization_configuration(phase, 0) + 4 * k,
                 *v = ac_optimization_first_velocity(phase) + 4 * k;
    *angle = atan2(q[3], q[2]);
    *rate = q[2] * v[3] - q[3] * v[2];
}

/* The controls of the stance as torques that hold over an interval. */
static int write_load(const ac_optimization *phase, int control, double h, const char *what, char *text,
                      size_t size)
{
    int used = snprintf(text, size, "  - {%s, %s: {steps: [", what, control == 0 ? "torque" : "value");
    for (int n = 0; n < ac_optimization_intervals(phase); ++n)
        used += snprintf(text + used, size - (size_t)used, "%s[%.17g, %.17g]", n > 0 ? ", " : "", n * h,
                         ac_optimization_control_values(phase, n)[control]);
    return used + snprintf(text + used, size - (size_t)used, "]}}\n");
}

/* The same biped with contacts instead of phases, from the first state, under the torques found. */
static void write_replay(const ac_optimization *phase, char *text, size_t size)
{
    static const char *const of[] = {"on: shank", "joint: knee", "joint: hip", "joint: other"};
    const double *q = ac_optimization_configuration(phase, 0), *v = ac_optimization_first_velocity(phase);
    double a[4], w[4], h = ac_optimization_duration(phase) / ac_optimization_intervals(phase);
    for (int k = 0; k < 4; ++k) turn_of(phase, k, &a[k], &w[k]);
    int used = snprintf(
        text, size,
        "title: replay\ngravity: [0, -9.81]\nplanar_bodies:\n"
        "  shank: {mass: 2, inertia: =2/96, points: {low: [0, -0.25], high: [0, 0.25]}, position: [%.17g, "
        "%.17g], angle: %.17g,\n    velocity: [%.17g, %.17g], angular_velocity: %.17g}\n" LINK(
            "thigh", "3", "") LINK("swing_thigh", "3", "") LINK("swing_shank", "2", "") "joints:\n",
        q[0], q[1], a[0], v[0], v[1], w[0]);
    static const char *const joints[] = {
        "shank, thigh], at: {shank: high, thigh: low}, name: knee",
        "thigh, swing_thigh], at: {thigh: high, swing_thigh: high}, name: hip",
        "swing_thigh, swing_shank], at: {swing_thigh: low, swing_shank: high}, name: other"};
    for (int k = 0; k < 3; ++k)
        used += snprintf(text + used, size - (size_t)used,
                         "  - {revolute: [%s, angle: %.17g, angle_rate: %.17g}\n", joints[k], a[k + 1] - a[k],
                         w[k + 1] - w[k]);
    used += snprintf(text + used, size - (size_t)used, "loads:\n");
    for (int k = 0; k < 4; ++k) used += write_load(phase, k, h, of[k], text + used, size - (size_t)used);
    snprintf(text + used, size - (size_t)used,
             "contacts:\n"
             "  - {body: shank, at: low, name: stance, behaviour: sticking, closed: true, keep: true}\n"
             "  - {body: swing_shank, at: low, name: swing, release: stance, until_open: true}\n"
             "simulate: {step: %.17g, steps: %d, scheme: midpoint}\n",
             h, ac_optimization_intervals(phase) + 1);
}

/* The collision integrator makes the same step of the torques: every node, the instant of the impact, its loss and impulse.
 * Events are the transfer and the release. */
TEST(the_gait_is_what_the_simulator_makes_of_its_torques)
{
    static char text[20000];
    ac_optimization *o;
    ac_problem *gait = solve(GAIT, &o), *replay = NULL;
    const ac_optimization *phase = ac_optimization_phase(o, 0);
    ac_simulation *simulation = NULL;
    ac_junction_outcome j;
    write_replay(phase, text, sizeof text);
    ac_status status = parse(text, &replay);
    if (status == AC_OK)
        status = ac_simulation_new(ctx, ac_problem_system(replay), ac_problem_simulation(replay),
                                   &simulation);
    double most = 0.0;
    for (int n = 1; n < 20 && status == AC_OK; ++n) {
        status = ac_simulation_step(simulation);
        for (int i = 0; i < 16; ++i)
            most = fmax(most, fabs(ac_simulation_configuration(simulation)[i] -
                                   ac_optimization_configuration(phase, n)[i]));
    }
    for (int n = 0; n < 2 && status == AC_OK; ++n) status = ac_simulation_step(simulation);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK_NEAR(most, 0.0, 1e-7);
    CHECK(status == AC_OK && ac_simulation_contact_events(simulation) == 2);
    if (status == AC_OK && ac_simulation_contact_events(simulation) == 2) {
        const ac_contact_event *e = ac_simulation_contact_event(simulation, 0);
        CHECK(ac_optimization_junction(o, 0, &j) == AC_OK);
        CHECK_NEAR(e->time, 0.7, 1e-7);
        CHECK_NEAR(e->energy_before - e->energy_after, j.energy_before - j.energy_after, 1e-6);
        CHECK_NEAR(e->impulse[0], ac_optimization_impulse(o, 0, 0), 1e-6);
        CHECK_NEAR(e->impulse[1], ac_optimization_impulse(o, 0, 1), 1e-6);
    }
    ac_simulation_free(simulation);
    ac_problem_free(replay);
    ac_problem_free(gait);
}

/* ---- derivatives ---- */

static void check_derivatives_in(const char *text, const char *formulation)
{
    ac_problem *problem = NULL;
    double differences[3] = {1.0, 1.0, 1.0};
    int dependent = 0;
    char name[128];
    ac_status status = parse(text, &problem);
    if (status == AC_OK) status = ac_optimization_reformulate(ac_problem_optimization(problem), formulation);
    if (status == AC_OK)
        status = ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK_NEAR(differences[0], 0.0, 2e-7);
    CHECK_NEAR(differences[1], 0.0, 2e-7);
    CHECK_NEAR(differences[2], 0.0, 2e-6);
    CHECK(dependent == 0);
    ac_problem_free(problem);
}

static void check_derivatives(const char *text)
{
    check_derivatives_in(text, "reduced");
    check_derivatives_in(text, "multipliers");
}

/* Where a cycle ends follows from where it begins. Such a condition is found, in few intervals (dense) and in many (along
 * time). */
TEST(conditions_that_depend_on_others_are_found)
{
    static const char text[] =
        "title: ball\npoints: {ball: {mass: 1, position: [0, 0]}}\noptimize:\n  intervals: %d\n  duration: "
        "1\n"
        "  start: free\n  start_velocity: free\n  controls: [{force: ball, name: f}]\n"
        "  quantities: {x: {of: ball, point: centre, along: x}, y: {of: ball, point: centre, along: y}}\n"
        "  objective: [{effort: 1}]\n"
        "  phases: [{name: one, conditions: [{expression: x, equals: 0, at: start}, {expression: y, equals: "
        "0, at: "
        "start},\n    {expression: x, equals: 2, at: end}]}]\n  cycle: {along: x, length: 2}\n";
    for (int many = 0; many < 2; ++many) {
        char whole[2000], name[128];
        double differences[3];
        int dependent = 0;
        ac_problem *problem = NULL;
        snprintf(whole, sizeof whole, text, many ? 200 : 4);
        CHECK(parse(whole, &problem) == AC_OK);
        CHECK(ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name) ==
              AC_OK);
        CHECK(dependent == 1);
        ac_problem_free(problem);
    }
}

#define STRIDES(impact)                                                                                   \
    BIPED                                                                                                 \
    "optimize:\n  intervals: 3\n  duration: 0.3\n  free_duration: true\n  start: free\n"                  \
    "  start_velocity: free\n" TORQUES "  quantities:\n" FEET ANGLES                                      \
    "    reach: {distance: [ground, swing_shank], at: {ground: [0.4, -0.2], swing_shank: low}}\n"         \
    "    other_reach: {distance: [ground, swing_thigh], at: {ground: [-0.3, 0.1]}}\n"                     \
    "  objective: [{effort: 1}, {running: a1*t2^2}]\n"                                                    \
    "  phases:\n"                                                                                         \
    "    - {name: one, hold: [x, reach], conditions: [{expression: other_y, equals: 0.1, at: end},\n"     \
    "       {energy_balance: 0.1}, {total: [{effort: 2}, {positive_work: 1}, {end: x_rate*y}], at_most: " \
    "9}],\n"                                                                                              \
    "       friction: [{normal: x, along: [reach], coefficient: 0.7}],\n"                                 \
    "       guess: {joints: {knee: [[0, 0.2], [1, 0.3]], hip: [[0, 0.7], [1, 0.4]]}}}\n"                  \
    "    - {name: two, intervals: 2, hold: [a3, other_x], impact: {other_reach: " impact "},\n"           \
    "       conditions: [{expression: y, equals: 0, at: end}],\n"                                         \
    "       guess: {joints: {knee: [[0, 0.1], [1, 0.5]], other: [[0, 0.7], [1, -0.4]]}}}\n"               \
    "  cycle: {swap: [[shank, swing_shank], [thigh, swing_thigh]], along: [0.6, 0.8], length: 0.4,\n"     \
    "          from: 0.1, per_length: true}\n"

/* Held: a place, an angle and a distance, which bend; bouncing: another distance, with a restitution or a loss. Durations and
 * length are free. */
TEST(derivatives_in_the_plane_are_exact)
{
    check_derivatives(STRIDES("0.6"));
    check_derivatives(STRIDES("{loss: 0.6}"));
    check_derivatives(STRIDES("{restitution: 0.6, tangential: 0.3, along: [other_y]}"));
    check_derivatives(STRIDES("{loss: 0.6, tangential: 0.3, along: [other_y, y]}"));
    check_derivatives_in(STRIDES("0.6"), "minimal");
    check_derivatives_in(STRIDES("{loss: 0.6}"), "minimal");
    check_derivatives_in(STRIDES("{loss: 0.6, tangential: 0.3, along: [other_y]}"), "minimal");
}

/* A gait with little work would live on the error of the discretisation; work and loss then balance as asked for, and what is
 * counted is what the results show. */
TEST(work_of_a_gait_balances_its_loss)
{
    ac_optimization *o;
    ac_problem *problem = solve(
        BIPED "optimize:\n  intervals: 12\n  duration: 0.9\n  start: free\n  start_velocity: free\n" TORQUES
              "  quantities:\n" FEET "  objective: [{absolute_work: 0.01}, {effort: 0.02}]\n"
              "  phases:\n    - {name: stance, hold: [x, y], conditions: [{energy_balance: 1e-5},\n"
              "      {expression: x, equals: 0, at: start}, {expression: y, equals: 0, at: start},\n"
              "      {expression: other_y, at_least: 0, at: inside}],\n"
              "       guess: {turns: {shank: [[0, 0, 0, 0.25], [1, 0, 0, -0.3]]},\n"
              "         joints: {hip: [[0, -0.5], [1, 0.5]], other: [[0, 0], [0.5, -0.6], [1, 0]]}}}\n"
              "  cycle: {swap: [[shank, swing_shank], [thigh, swing_thigh]], along: x, length: 0.5}\n",
        &o);
    ac_transport t;
    double sum = 0.0;
    CHECK(ac_optimization_transport(o, &t) == AC_OK);
    CHECK_NEAR(t.work - t.loss, 0.0, 1.0001e-5);
    CHECK(t.loss > 1e-3);
    CHECK_NEAR(t.positive_work, 0.5 * (t.work + t.absolute_work), 1e-15);
    CHECK_NEAR(t.weight_times_length, 10 * 9.81 * 0.5, 1e-12);
    const ac_optimization *phase = ac_optimization_phase(o, 0);
    for (int n = 0; n < 12; ++n)
        for (int k = 0; k < ac_optimization_controls(phase); ++k) {
            double u = ac_optimization_control_values(phase, n)[k];
            sum += 0.01 * fabs(ac_optimization_work(phase, n, k)) + 0.5 * 0.02 * 0.9 / 12 * u * u;
        }
    CHECK_NEAR(ac_optimization_result(o)->objective, sum, 1e-7);
    ac_problem_free(problem);
}

/* The start is given, so its energy is a number. Work and gain of a cart that is pushed from 1 m/s: with a force that changes
 * they differ by the error of the discretisation, which is bounded. */
TEST(an_energy_balance_counts_a_given_start)
{
    static const char text[] =
        "title: cart\n"
        "points: {cart: {mass: 2, position: [0, 0], velocity: [1, 0]}}\n"
        "springs: [{between: [ground, cart], at: {ground: [-1, 0]}, stiffness: 30, length: 0.5}]\n"
        "optimize:\n"
        "  intervals: 6\n  duration: 1\n"
        "  controls: [{force: cart, name: f}]\n"
        "  quantities: {x: {of: cart, point: centre, along: x}, y: {of: cart, point: centre, along: y}}\n"
        "  objective: [{effort: 1}]\n"
        "  phases: [{name: one, conditions: [%s{expression: x, equals: 0.7, at: end},\n"
        "    {expression: y, equals: 0.1, at: end}, {expression: x_rate, equals: 0, at: end},\n"
        "    {expression: y_rate, equals: 0, at: end}]}]\n";
    double mismatch[2];
    for (int k = 0; k < 2; ++k) {
        char whole[2000];
        ac_optimization *o;
        snprintf(whole, sizeof whole, text, k == 0 ? "" : "{energy_balance: 1e-5}, ");
        ac_problem *problem = solve(whole, &o);
        const ac_optimization *one = ac_optimization_phase(o, 0);
        const double *q = ac_optimization_configuration(one, 6);
        double work = 0.0, before = 0.5 * 2.0 + 15.0 * 0.25, far = hypot(q[0] + 1.0, q[1]) - 0.5;
        for (int n = 0; n < 6; ++n)
            for (int c = 0; c < 2; ++c) work += ac_optimization_work(one, n, c);
        mismatch[k] = work - (15.0 * far * far - before);
        ac_problem_free(problem);
    }
    CHECK(fabs(mismatch[0]) > 1e-4); /* so that the bound has something to do */
    CHECK(fabs(mismatch[1]) < 1.001e-5);
}

/* The least time for a way d with a bounded effort: 6 m^2 d^2 / T^3 is the least effort for T, here with N intervals
 * 6 m^2 d^2 / (T^3 (1 - 1/N^2)). */
TEST(a_total_bounds_an_effort)
{
    ac_optimization *o;
    ac_problem *problem = solve(
        "title: cart\n"
        "points: {cart: {mass: 2, position: [0, 0]}}\n"
        "joints: [{prismatic: [ground, cart], axis: [1, 0], name: rail}]\n"
        "optimize:\n"
        "  intervals: 10\n  duration: 1\n  free_duration: true\n  end_velocity: rest\n"
        "  controls: [{joint: rail, name: f}]\n"
        "  objective: [{duration: 1}]\n"
        "  conditions:\n"
        "    - {joint: rail, equals: 0.7, at: end}\n"
        "    - {total: [{effort: 1}], at_most: 5}\n",
        &o);
    double T = ac_optimization_result(o)->duration, least = 6.0 * 4.0 * 0.49 / (T * T * T * (1.0 - 0.01));
    CHECK_NEAR(least, 5.0, 1e-6);
    ac_problem_free(problem);
}

/* ---- closed loops and formulations ---- */

/* A leg whose knee has two bars falls on its foot, which sticks, and stands up. The rear bar has no mass: it closes the loop as
 * a joint, or both phases hold its length. */
#define POLYCENTRIC(joint, fall, stand)                                                                      \
    "title: leg\n"                                                                                           \
    "gravity: [0, -9.81]\n"                                                                                  \
    "planar_bodies:\n"                                                                                       \
    "  shank: {mass: 2, inertia: =2/96, points: {low: [0, -0.25], front: [0.03, 0.25], back: [-0.03, "       \
    "0.24]},\n"                                                                                              \
    "    position: [0, 0.3], angle: 0}\n"                                                                    \
    "  bar: {mass: 0.2, inertia: 0.0002, points: {low: [0, -0.05], high: [0, 0.05]}}\n"                      \
    "  thigh: {mass: 3, inertia: =3/96, points: {front: [0.03, -0.25], back: [-0.03, -0.24]}}\n"             \
    "joints:\n"                                                                                              \
    "  - {revolute: [shank, bar], at: {shank: front, bar: low}, name: pivot, angle: 0.4}\n"                  \
    "  - {revolute: [bar, thigh], at: {bar: high, thigh: front}, name: knee, angle: -0.3}\n" joint           \
    "optimize:\n  intervals: 6\n  duration: 0.2\n"                                                           \
    "  controls: [{torque: shank, name: t1}, {joint: knee, name: t2}]\n"                                     \
    "  quantities:\n"                                                                                        \
    "    x: {of: shank, point: low, along: x}\n"                                                             \
    "    y: {of: shank, point: low, along: y}\n"                                                             \
    "    tilt: {of: thigh, axis: y, from: y, to: [-1, 0]}\n"                                                 \
    "    top: {of: thigh, point: centre, along: y}\n"                                                        \
    "    rear: {distance: [shank, thigh], at: {shank: back, thigh: back}}\n"                                 \
    "  objective: [{effort: 1}]\n"                                                                           \
    "  phases:\n"                                                                                            \
    "    - {name: fall, free_duration: true, hold: [" fall "], conditions: [{expression: y, equals: 0, at: " \
    "end}]}\n"                                                                                               \
    "    - {name: stand, hold: [x, y" stand "], conditions: [{expression: tilt, equals: 0.3, at: end},\n"    \
    "       {expression: top, equals: 0.8, at: end}]}\n"
#define REAR_BAR                                                                          \
    "  - {distance: [shank, thigh], at: {shank: back, thigh: back}, name: rear, length: " \
    "0.11323156795518949}\n"

/* The problem solved in one formulation: objective, duration of the first phase, loss at the last junction. */
static void solved_in(ac_problem *problem, const char *formulation, double numbers[3])
{
    ac_optimization *o = problem ? ac_problem_optimization(problem) : NULL;
    ac_junction_outcome j = {0};
    numbers[0] = numbers[1] = numbers[2] = NAN;
    CHECK(o != NULL);
    if (!o) return;
    ac_status status = ac_optimization_reformulate(o, formulation);
    if (status == AC_OK) status = ac_optimization_solve(o, NULL, NULL);
    if (status == AC_OK) status = ac_optimization_junction(o, ac_optimization_junctions(o) - 1, &j);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    numbers[0] = ac_optimization_result(o)->objective;
    numbers[1] = ac_optimization_duration(ac_optimization_phase(o, 0));
    numbers[2] = j.energy_before - j.energy_after;
}

/* Joint or held length, local or redundant coordinates: the same motion. */
TEST(a_loop_is_what_its_held_length_is)
{
    static const char *const texts[] = {POLYCENTRIC(REAR_BAR, "", ""), POLYCENTRIC("", "rear", ", rear")};
    static const char *const formulations[] = {"reduced", "multipliers"};
    double first[3] = {0.0}, next[3];
    for (int k = 0; k < 4; ++k) {
        ac_problem *problem = NULL;
        CHECK(parse(texts[k / 2], &problem) == AC_OK);
        solved_in(problem, formulations[k % 2], k == 0 ? first : next);
        for (int i = 0; k > 0 && i < 3; ++i) CHECK_NEAR(next[i], first[i], 1e-7);
        ac_problem_free(problem);
    }
    CHECK(first[0] > 1.0 && first[2] > 3.0);
}

/* Swapped legs in the plane; friction and a free length; two stances, a mirror image and ball joints in space; a gripper with
 * a loop, which each phase has to continue on the branch where the one before left it. */
TEST(full_and_reduced_formulation_agree)
{
    static const char *const files[] = {"examples/walking/hopper.yaml", "examples/walking/compass-gait.yaml",
                                        "examples/control/gripper.yaml"};
    static const char *const formulations[] = {"reduced", "multipliers"};
    for (int k = 0; k < 4; ++k) {
        double numbers[2][3];
        for (int f = 0; f < 2; ++f) {
            ac_problem *problem = NULL;
            CHECK((k == 0 ? parse(GAIT, &problem) : ac_problem_read(ctx, files[k - 1], NULL, 0, &problem)) ==
                  AC_OK);
            solved_in(problem, formulations[f], numbers[f]);
            ac_problem_free(problem);
        }
        CHECK(numbers[0][0] > 0.1);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(numbers[1][i], numbers[0][i], 1e-7 * fmax(1.0, numbers[0][0]));
    }
}

/* The midpoint rule for angles, and for places and directors: both of order 2, so is their difference. A leg with a bar in its
 * knee falls on its foot, which sticks, and stands up. */
TEST(joint_coordinates_agree_with_directors_in_the_limit)
{
    static const char *const formulations[] = {"minimal", "reduced"};
    static const char *const meshes[] = {"optimize.intervals=24", "optimize.intervals=48"};
    double difference[2][3];
    for (int k = 0; k < 2; ++k) {
        double numbers[2][3];
        for (int f = 0; f < 2; ++f) {
            ac_problem *problem = NULL;
            static const char text[] = POLYCENTRIC("", "tilt", ", rear");
            CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), &meshes[k], 1, &problem) == AC_OK);
            solved_in(problem, formulations[f], numbers[f]);
            ac_problem_free(problem);
        }
        for (int i = 0; i < 3; ++i) difference[k][i] = numbers[0][i] - numbers[1][i];
    }
    for (int i = 0; i < 3; ++i) CHECK_NEAR(log2(difference[0][i] / difference[1][i]), 2.0, 0.1);
}

/* Loops in two phases; one bounces, and the cycle is shifted. */
TEST(derivatives_with_loops_are_exact)
{
    check_derivatives(POLYCENTRIC(REAR_BAR, "", "") "  free_duration: true\n");
#define LEAP(impact)                                       \
    POLYCENTRIC(REAR_BAR, "tilt", "")                      \
    "    - {name: leap, impact: {" impact "}, "            \
    "conditions: [{expression: y, equals: 0, at: end}]}\n" \
    "  cycle: {along: x, length: 0.3, from: 0.1}\n"        \
    "  start: free\n  start_velocity: free\n"
    check_derivatives(LEAP("tilt: {loss: 0.5}, top: 0.3"));
    check_derivatives(LEAP("tilt: {loss: 0.5, tangential: 0.2, along: [y]}, top: 0.3"));
}

/* A loop in space, whose rows depend on one another: three of them have no force of their own. */
TEST(redundant_loops_in_space_agree)
{
    static const char text[] =
        "title: Leg with a four-bar in space\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  shank: {mass: 2, inertia: [0.02, 0.02, 0.002], points: {low: [0, 0, -0.25], front: [0.03, 0, "
        "0.25], back: [-0.03, 0, 0.25]}, position: [0, 0, 0.3]}\n"
        "  bar: {mass: 0.2, inertia: [0.001, 0.001, 0.001], points: {low: [0, 0, -0.05], high: [0, 0, "
        "0.05]}}\n"
        "  rear: {mass: 0.2, inertia: [0.001, 0.001, 0.001], points: {low: [0, 0, -0.05], high: [0, 0, "
        "0.05]}}\n"
        "  thigh: {mass: 3, inertia: [0.03, 0.03, 0.003], points: {front: [0.04, 0, -0.25], back: [-0.03, 0, "
        "-0.25]}}\n"
        "joints:\n"
        "  - {revolute: [shank, bar], at: {shank: front, bar: low}, axis: [0, 1, 0], name: pivot, angle: "
        "0.2}\n"
        "  - {revolute: [bar, thigh], at: {bar: high, thigh: front}, axis: [0, 1, 0], name: knee}\n"
        "  - {revolute: [shank, rear], at: {shank: back, rear: low}, axis: [0, 1, 0]}\n"
        "  - {revolute: [rear, thigh], at: {rear: high, thigh: back}, axis: [0, 1, 0]}\n"
        "optimize:\n"
        "  intervals: 5\n"
        "  duration: 0.2\n"
        "  controls: [{torque: shank, name: ankle}, {joint: knee, name: k}]\n"
        "  quantities:\n"
        "    x: {of: shank, point: low, along: x}\n"
        "    y: {of: shank, point: low, along: y}\n"
        "    z: {of: shank, point: low, along: z}\n"
        "    top: {of: thigh, point: centre, along: x}\n"
        "    side: {of: thigh, point: centre, along: y}\n"
        "  objective: [{effort: 1}]\n"
        "  phases:\n"
        "    - {name: fall, free_duration: true, conditions: [{expression: z, equals: 0, at: end}]}\n"
        "    - {name: stand, hold: [x, y, z], conditions: [{expression: top, equals: 0.05, at: end}, "
        "{expression: side, equals: 0.05, at: end}]}\n";
    double numbers[2][3];
    static const char *const formulations[] = {"reduced", "multipliers"};
    check_derivatives(text);
    for (int f = 0; f < 2; ++f) {
        ac_problem *problem = NULL;
        CHECK(parse(text, &problem) == AC_OK);
        solved_in(problem, formulations[f], numbers[f]);
        ac_problem_free(problem);
    }
    CHECK(numbers[0][0] > 0.1 && numbers[0][2] > 1.0);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(numbers[1][i], numbers[0][i], 1e-7);
}

#define LEG "{mass: 5, inertia: [0.126, 0.125, 0.004], points: {foot: [0, 0, -0.5], hip: [0, 0, 0.5]}"

#define COMPASS(joint, impact)                                                                      \
    "title: compass\n"                                                                              \
    "gravity: [0, 0, -9.81]\n"                                                                      \
    "bodies:\n"                                                                                     \
    "  left: " LEG ", position: [0, 0, 0.5]}\n"                                                     \
    "  right: " LEG "}\n"                                                                           \
    "joints: [{" joint ", at: {left: hip, right: hip}, name: hip}]\n"                               \
    "optimize:\n"                                                                                   \
    "  intervals: 3\n"                                                                              \
    "  duration: 0.3\n"                                                                             \
    "  free_duration: true\n"                                                                       \
    "  start: free\n"                                                                               \
    "  start_velocity: free\n"                                                                      \
    "  controls: [{joint: hip, name: u}]\n"                                                         \
    "  quantities:\n"                                                                               \
    "    x: {of: left, point: foot, along: x}\n"                                                    \
    "    y: {of: left, point: foot, along: y}\n"                                                    \
    "    z: {of: left, point: foot, along: z}\n"                                                    \
    "    lift: {of: right, point: foot, along: z}\n"                                                \
    "    side: {of: right, point: foot, along: x}\n"                                                \
    "    reach: {distance: [ground, right], at: {ground: [0.3, -0.4, 0.2]}}\n"                      \
    "  objective: [{effort: 1}]\n"                                                                  \
    "  phases:\n"                                                                                   \
    "    - {name: stance, hold: [x, y, z], conditions: [{expression: lift, equals: 0, at: end}],\n" \
    "       guess: {turns: {left: [[0, 0.2, 0.1, 0.3], [1, -0.3, 0.2, 0.1]]}}}\n"                   \
    "  cycle: {swap: [[left, right]], mirror: x, along: y, length: 0.2, from: 0.1, to: 0.5,\n"      \
    "          impact: {reach: " impact "}}\n"

TEST(derivatives_in_space_with_a_mirror_are_exact)
{
#define BALL_HIP "spherical: [left, right], coordinates: [0.3, 0.1, -0.2]"
#define HINGE "revolute: [left, right], axis: [1, 0, 0], angle: 0.3"
    check_derivatives(COMPASS(BALL_HIP, "{loss: 0.7}"));
    check_derivatives(COMPASS(BALL_HIP, "{loss: 0.7, tangential: 0.4, along: [lift, side]}"));
    check_derivatives_in(COMPASS(HINGE, "{loss: 0.7}"), "minimal");
    check_derivatives_in(COMPASS(HINGE, "{restitution: 0.7, tangential: 0.4, along: [lift]}"), "minimal");
}

/* ---- what is refused ---- */

TEST(shooting_refuses_phases)
{
    ac_problem *problem = NULL;
    CHECK(parse(BALL(", free_duration: false", ", free_duration: false", ""), &problem) == AC_OK);
    double control = 0.0, value, gradient;
    CHECK(ac_optimization_gradient(ac_problem_optimization(problem), &control, &value, &gradient) ==
          AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "shooting cannot follow phases") != NULL);
    ac_problem_free(problem);
}

TEST(phases_that_cannot_be_are_refused_with_their_place)
{
    refused(BALL("", ", impact: {y: 0.5}", ""), "phase 'fall' has no end condition");
    refused("title: ball\npoints: {ball: {mass: 1, position: [0, 0]}}\noptimize: {intervals: 2, duration: 1, "
            "unroll: 3,\n"
            "  controls: [{force: ball, name: f}], objective: [{effort: 1}]}\n",
            "unroll goes with phases");
    refused(BALL("", ", hold: [y]", ""), "phase 'fall' has no end condition: 'y'");
    refused(BALL(", conditions: [{expression: x, at_most: 9, at: end}]", ", impact: {y: 0.5}", ""),
            "a condition with equals, at: end must say where");
    refused(BALL(HITS, ", hold: [y], impact: {y: 0.5}", ""), "cannot bounce where phase 'rise' begins");
    refused(BALL(HITS, ", impact: {y: 1.5}", ""), "does not add energy");
    refused(BALL(HITS, ", impact: {z: 0.5}", ""), "there is no quantity 'z'");
    refused(BALL(HITS, ", impact: {z: {loss: 1}}", ""), "there is no quantity 'z'");
    refused(BALL(HITS, ", impact: {y: {loss: -1}}", ""), "loss");
    refused(BALL(HITS, ", impact: {y: {loss: 1, restitution: 0.5}}", ""),
            "give either restitution or loss, not both");
    refused(BALL(HITS, ", impact: {y: {restitution: 1.5}}", ""), "does not add energy");
    refused(BALL(HITS, ", impact: {y: 0.5, x: -0.9}", ""), "What goes on along the surface");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1}}", ""), "'along' is missing");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, along: [x]}}", ""), "'tangential' is missing");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 1.1, along: [x]}}", ""),
            "tangential must be between 0 and 1, not 1.1");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: -0.1, along: [x]}}", ""), "tangential");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: []}}", ""),
            "one or two quantities, not none");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: [x, x, x]}}", ""),
            "one or two quantities");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: x}}", ""),
            "along must be a list of quantities");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: [z]}}", ""),
            "there is no quantity 'z'");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: [y]}}", ""),
            "'y' is in the impact twice");
    refused(BALL(HITS, ", impact: {y: {restitution: 0.5, tangential: 0.1, along: [x]}, x: 0.5}", ""),
            "'x' is in the impact twice");
    refused(BALL(HITS, ", hold: [x], impact: {y: {restitution: 0.5, tangential: 0.1, along: [x]}}", ""),
            "'x' cannot bounce where phase 'rise' begins");
    refused(BALL(HITS, ", impact: {y: {}}", ""), "how does 'y' bounce?");
    refused(BALL(HITS, ", impact: {y: {lost: 1}}", ""), "lost");
    refused(BALL(HITS, ", hold: [f]", ""), "there is no quantity 'f'");
    refused(BALL(HITS, ", push: [y]", ""), "'y' has no force");
    refused(BALL(HITS, ", hold: [x, y], friction: [{normal: y, along: [], coefficient: 1}]", ""),
            "one or two quantities");
    refused(BALL(", impact: {y: 0.5}", "", ""), "nothing comes before the first phase");
    refused(BALL(HITS, ", without: [g]", ""), "there is no control 'g'");
    refused(BALL(HITS, ", hold: y", ""), "hold must be a list");
    refused(BALL(HITS, "}\n    - {name: rise", ""), "there are two phases 'rise'");
    refused(BALL(HITS, ", hold: [y, y]", ""), "'y' is held twice");
    refused(BALL(HITS, ", duration: 1, least_duration: 0.5, free_duration: false", ""), "free_duration");
    refused(BALL(HITS, "", "  cycle: {along: x}\n"), "how far?");
    refused(BALL(HITS, "", "  cycle: {length: 1}\n"), "'along' is missing");
    refused(BALL(HITS, "", "  formulation: collocation-qp\n"), "formulation reduced, multipliers or minimal");
    refused(BALL(HITS, "", "  periodic: true\n"), "cycle");
    refused(BALL(HITS, "", "  parameters: {p: {from: 1, to: 2}}\nparameters: {p: 1}\n"),
            "nothing depends on the free parameter 'p'");
#define ALSO(condition) BALL(", conditions: [{expression: y, equals: 0, at: end}, " condition "]", "", "")
    refused(ALSO("{total: [{effort: 1}], at_most: 1, at: end}"), "it has no 'at'");
    refused(ALSO("{total: [], at_most: 1}"), "total is empty");
    refused(ALSO("{total: [{effort: 1}]}"), "what must hold?");
    refused(ALSO("{total: [{effort: 1}], at_least: 2, at_most: 1}"), "at least 2 and at most 1");
    refused(ALSO("{total: [{absolute: x}], at_least: 1}"), "an upper bound only");
    refused(ALSO("{energy_balance: 0}"), "above zero");
    refused(ALSO("{energy_balance: 1, at_most: 1}"), "goes without 'at_most'");
}

/* From the library: the last phase meets the first one again, with or without a loss. */
TEST(a_junction_knows_losses_that_are_numbers)
{
    const double losses[] = {2.0, -1.0, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        ac_problem *problem = NULL;
        CHECK(parse(BALL("", HITS, ""), &problem) == AC_OK);
        const ac_bounce bounce = {.quantity = "y", .restitution = 0.5, .loss = losses[k]};
        const ac_junction junction = {.from = 1, .to = 0, .bounce_count = 1, .bounces = &bounce};
        ac_status status = ac_optimization_join(ac_problem_optimization(problem), &junction);
        CHECK(status == (k < 2 ? AC_OK : AC_BAD_INPUT));
        if (k >= 2) CHECK(strstr(ac_context_message(ctx), "is not a number") != NULL);
        ac_problem_free(problem);
    }
}

/* From the library: what the reader of files would refuse with its place. */
TEST(a_junction_takes_laws_of_contacts_alone)
{
    static const struct {
        ac_bounce bounce;
        const char *message;
    } cases[] = {
        {{"y", -0.5, -1.0, 0.0, 0, {NULL}}, "between 0 (stopped) and 1 (elastic)"},
        {{"y", 0.5, -1.0, 1.5, 1, {"x"}}, "tangential loss where 'y' bounces must be between 0 and 1"},
        {{"y", 0.5, -1.0, 0.5, 3, {"x"}}, "along one or two quantities, not 3"},
        {{"y", 0.5, -1.0, 0.5, 1, {"y"}}, "'y' is in the impact twice"},
        {{"y", 0.5, -1.0, 0.5, 1, {"w"}}, "there is no quantity 'w'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_problem *problem = NULL;
        CHECK(parse(BALL("", HITS, ""), &problem) == AC_OK);
        const ac_junction junction = {.from = 1, .to = 0, .bounce_count = 1, .bounces = &cases[k].bounce};
        CHECK(ac_optimization_join(ac_problem_optimization(problem), &junction) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), cases[k].message) != NULL);
        ac_problem_free(problem);
    }
}

TEST(a_cycle_of_different_mechanisms_is_refused)
{
#define UNLIKE(thigh)                                                                                     \
    "title: biped\nplanar_bodies:\n" LINK("a", "2", ", position: [0, 0.25]") thigh                        \
        "joints: [{revolute: [a, b], at: {a: high, b: low}, name: knee}]\n"                               \
        "optimize: {intervals: 2, duration: 1, controls: [{joint: knee, name: u}], objective: [{effort: " \
        "1}],\n"                                                                                          \
        "  phases: [{name: one}], cycle: {swap: [[a, b]]}}\n"
    refused(UNLIKE(LINK("b", "3", "")), "different masses or inertias");
    refused(UNLIKE(LINK("b", "2", "")), "joint 'knee' does not fit any more");
    refused("title: arm\nplanar_bodies:\n" LINK(
                "a", "2",
                "") "joints: [{revolute: [ground, a], at: {ground: [0, 0], a: low}, name: pivot}]\n"
                    "optimize: {intervals: 2, duration: 1, controls: [{joint: pivot, name: u}],\n"
                    "  objective: [{effort: 1}], phases: [{name: one}], cycle: {along: x, length: 1}}\n",
            "joint 'pivot' ties the mechanism to the ground");
    refused(UNLIKE("  b: {mass: 2, inertia: =2/96, centre: [0, 0.1], points: {low: [0, -0.25]}}\n"),
            "the centre of mass of 'a'");
}

/* A leg pulls its foot from the floor: the floor would have to hold it. Said for places of joints and points, whichever way they are
 * counted and wherever gravity points; not where the floor pushes, and not of what is no height. */
TEST(floors_that_pull_are_named)
{
    static const char file[] =
        "gravity: [%.17g, %.17g]\n"
        "planar_bodies: {foot: {mass: 0.5, inertia: 1}, trunk: {mass: 2, inertia: 1}}\n"
        "joints:\n"
        "  - {prismatic: [ground, foot], at: {ground: [0, 0], foot: origin}, axis: [%.17g, %.17g], slide: 0, "
        "name: rail}\n"
        "  - {prismatic: [foot, trunk], at: {foot: origin, trunk: origin}, axis: [%.17g, %.17g], slide: %g, "
        "name: leg}\n"
        "optimize:\n"
        "  intervals: 8\n"
        "  controls: [{joint: leg, name: u}]\n"
        "  quantities: {rail: {joint: rail}, leg: {joint: leg}, point: {of: foot, point: centre, along: y}}\n"
        "  objective: [{effort: 1}]\n"
        "  duration: 0.4 s\n"
        "  phases: [{name: stance, hold: [%s]%s, conditions: [{expression: leg, equals: %g, at: end}]}]\n"
        "  end_velocity: rest\n";
    static const struct {
        const char *held, *more;
        double gravity, way;
        bool said;
    } cases[] = {{"rail", "", -1.5707963267948966, 1.0, true},
                 {"rail", "", 0.3, 1.0, true},
                 {"rail", "", 2.1, -1.0, true},
                 {"point", "", -1.5707963267948966, 1.0, true},
                 {"point", "", 1.5707963267948966, -1.0, true},
                 {"rail", ", push: [rail]", -1.5707963267948966, 1.0, false},
                 {"rail", "", 0.0, 0.0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[2048], words[512] = "";
        ac_optimization *whole = NULL;
        double g = cases[k].way == 0.0 ? 0.0 : 9.81, x = cos(cases[k].gravity), y = sin(cases[k].gravity),
               way = cases[k].way == 0.0 ? 1.0 : cases[k].way;
        snprintf(text, sizeof text, file, g * x, g * y, -way * x, -way * y, -way * x, -way * y, 0.8 * way,
                 cases[k].held, cases[k].more, 0.3 * way);
        ac_problem *problem = solve(text, &whole);
        CHECK(problem != NULL);
        if (!problem) continue;
        CHECK(ac_name_pulling_hold(whole, words, sizeof words) == AC_OK);
        CHECK((words[0] != '\0') == cases[k].said);
        if (cases[k].said)
            CHECK(strstr(words, cases[k].held) != NULL && strstr(words, "down with up to") != NULL);
        ac_problem_free(problem);
    }
}

RUN_TESTS(CASE(a_ball_bounces_with_restitution_and_loses_speed_along_the_floor),
          CASE(a_ball_bounces_with_a_given_loss), CASE(a_loss_that_the_motion_does_not_have_is_no_solution),
          CASE(a_falling_rod_bounces_with_a_given_loss),
          CASE(a_falling_rod_loses_tangential_velocity_as_at_a_contact),
          CASE(phases_without_a_strike_are_one_motion),
          CASE(phases_that_are_half_a_turn_apart_are_no_solution), CASE(a_finer_mesh_begins_with_the_motion),
          CASE(a_ball_that_is_held_rests_on_what_holds_it), CASE(forces_of_what_is_held_stay_within_friction),
          CASE(a_falling_rod_sticks_with_its_end), CASE(a_knee_latches_or_bounces),
          CASE(a_step_of_the_biped_loses_what_the_projection_says),
          CASE(the_gait_is_what_the_simulator_makes_of_its_torques),
          CASE(conditions_that_depend_on_others_are_found), CASE(derivatives_in_the_plane_are_exact),
          CASE(work_of_a_gait_balances_its_loss), CASE(an_energy_balance_counts_a_given_start),
          CASE(a_total_bounds_an_effort), CASE(a_loop_is_what_its_held_length_is),
          CASE(full_and_reduced_formulation_agree), CASE(joint_coordinates_agree_with_directors_in_the_limit),
          CASE(derivatives_with_loops_are_exact), CASE(redundant_loops_in_space_agree),
          CASE(derivatives_in_space_with_a_mirror_are_exact), CASE(shooting_refuses_phases),
          CASE(phases_that_cannot_be_are_refused_with_their_place),
          CASE(a_junction_knows_losses_that_are_numbers), CASE(a_junction_takes_laws_of_contacts_alone),
          CASE(a_cycle_of_different_mechanisms_is_refused), CASE(floors_that_pull_are_named))
