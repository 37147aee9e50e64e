/* Universal joints in every task, against closed forms: two shafts that meet at an angle, where the cross closes
 * the loop, and a pendulum on a cross, which is then a joint of the tree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/actio.h"
#include "base/vector.h"
#include "problem/build/build.h"
#include "support/record.h"
#include "test.h"

#define TILT 0.7

/* The pin in the driving shaft starts in the plane of the axes: tan(b) = tan(a) / cos(tilt). */
static const char SHAFTS[] =
    "parameters: {tilt: 0.7}\n"
    "bodies:\n"
    "  driving: {mass: 1, inertia: [0.02, 0.05, 0.05], position: [-0.4, 0, 0]}\n"
    "  driven: {mass: 2, inertia: [0.04, 0.05, 0.06], position: [0, 0, 0], rotation: {axis: [0, 0, 1], "
    "angle: =tilt}}\n"
    "joints:\n"
    "  - {name: in, revolute: [ground, driving], at: [-1, 0, 0], axis: [1, 0, 0], angle_rate: 6}\n"
    "  - {name: cross, universal: [driving, driven], at: [0, 0, 0], axis: {driving: [0, 1, 0], driven: [0, "
    "0, 1]}}\n"
    "  - {name: out, revolute: [ground, driven], at: {ground: [0, 0, 0], driven: [0, 0, 0]}, axis: "
    "[=cos(tilt), =sin(tilt), 0]}\n";

/* Height -l cos(a) cos(b): the axes of the cross are x, fixed in the ground, and y, fixed in the bob. */
static const char PENDULUM[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {bob: {mass: 2, inertia: [0.1, 0.12, 0.05], position: [0, 0, -0.5]}}\n"
    "joints:\n"
    "  - {name: cross, universal: [ground, bob], at: [0, 0, 0], axis: [1, 0, 0], x_axis: [0, 1, 0]}\n";

typedef struct session {
    ac_context *ctx;
    ac_problem *problem;
} session;

static bool open_problem(session *s, const char *model, const char *task)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", model, task);
    s->ctx = ac_context_new(NULL);
    s->problem = NULL;
    bool good = ac_problem_parse(s->ctx, "f.yaml", text, strlen(text), NULL, 0, &s->problem) == AC_OK;
    if (!good) printf("  %s\n", ac_context_message(s->ctx));
    CHECK(good);
    return good;
}

static void close_problem(session *s)
{
    ac_problem_free(s->problem);
    ac_context_free(s->ctx);
}

/* --- simulate -------------------------------------------------------------------------------- */

static double off_relation(double a, double b)
{
    return fabs(sin(b) * cos(a) * cos(TILT) - sin(a) * cos(b));
}

/* The angles of the two shafts over more than a turn; the angles of the cross follow from them. */
static void follow_shafts(const session *s, const char *scheme, const char *formulation)
{
    record run;
    ac_simulation_settings settings = record_settings(scheme, formulation, 0.01);
    double most = 0.0, crossed = 0.0, a = 0.0, b = 0.0;
    CHECK(record_open(&run, s->ctx, ac_problem_system(s->problem), &settings) == AC_OK);
    for (int k = 0; k < 150 && run.status == AC_OK; ++k) {
        record_steps(&run, 1);
        record_node(&run, true);
        a = *record_at(&run, "joint/in/angle");
        b = *record_at(&run, "joint/out/angle");
        most = fmax(most, off_relation(a, b));
        /* pins (0, cos a, sin a) and z turned by b about the driven shaft stay perpendicular; the first angle is the
         * one between the second pin and where it started, seen from the driving shaft */
        double pin[3] = {sin(b) * sin(TILT), -sin(b) * cos(TILT), cos(b)};
        double up = -sin(a) * pin[1] + cos(a) * pin[2], along = pin[0];
        crossed = fmax(crossed, fabs(sin(*record_at(&run, "joint/cross/angle")) - along));
        crossed = fmax(crossed, fabs(cos(*record_at(&run, "joint/cross/angle")) - up));
    }
    if (run.status != AC_OK) printf("  %s %s: %s\n", scheme, formulation, ac_context_message(s->ctx));
    CHECK(run.status == AC_OK);
    record_close(&run);
    CHECK(a > 7.0 && fabs(a - b) < 0.5);
    CHECK_NEAR(most, 0.0, 2e-14);
    CHECK_NEAR(crossed, 0.0, 2e-14);
}

TEST(two_shafts_keep_their_relation)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    session s;
    if (open_problem(&s, SHAFTS, "simulate: {step: 0.01, steps: 1}\n"))
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) follow_shafts(&s, *scheme, formulations[f]);
    close_problem(&s);
}

/* Small oscillations of the pendulum about each axis: periods 2 pi sqrt(J / (m g l)). */
TEST(a_pendulum_on_a_cross_swings_about_both_axes)
{
    static const char *const rates[2] = {
        "{name: cross, universal: [ground, bob], at: [0, 0, 0], axis: [1, 0, 0], "
        "x_axis: [0, 1, 0], coordinates: [0.001, 0], rates: [0, 0]}\n",
        "{name: cross, universal: [bob, ground], at: [0, 0, 0], axis: [0, 1, 0], "
        "x_axis: [1, 0, 0], coordinates: [0.001, 0], rates: [0, 0]}\n"};
    const double inertia[2] = {0.1 + 2 * 0.25, 0.12 + 2 * 0.25};
    for (int k = 0; k < 2; ++k) {
        char task[400];
        session s;
        record run;
        snprintf(task, sizeof task, "joints: [%s]\nsimulate: {step: 0.001, steps: 1}\n", rates[k]);
        if (!open_problem(&s,
                          "gravity: [0, 0, -9.81]\n"
                          "bodies: {bob: {mass: 2, inertia: [0.1, 0.12, 0.05], position: [0, 0, -0.5]}}\n",
                          task))
            continue;
        ac_simulation_settings settings = record_settings("midpoint", "reduced", 0.001);
        CHECK(record_open(&run, s.ctx, ac_problem_system(s.problem), &settings) == AC_OK);
        double omega = sqrt(2 * 9.81 * 0.5 / inertia[k]), off = 0.0;
        for (int step = 1; step <= 1500 && run.status == AC_OK; ++step) {
            record_steps(&run, 1);
            record_node(&run, true);
            off = fmax(off, fabs(*record_at(&run, "joint/cross/angle") - 0.001 * cos(omega * 0.001 * step)));
            CHECK_NEAR(*record_at(&run, "joint/cross/second_angle"), 0.0, 1e-12);
        }
        CHECK(run.status == AC_OK);
        CHECK_NEAR(off, 0.0, 2e-8); /* a thousandth of a radian: its cube, and the step */
        record_close(&run);
        close_problem(&s);
    }
}

/* --- equilibrium ----------------------------------------------------------------------------- */

static double channel(ac_equilibrium *e, const double *row, const char *name)
{
    int count;
    const ac_channel *channels = ac_equilibrium_channels(e, &count);
    for (int k = 0; k < count; ++k) {
        if (strcmp(channels[k].name, name) == 0) return *row;
        row += channels[k].width;
    }
    CHECK(false);
    return NAN;
}

static void settle(const session *s, const char *const names[2], double values[2])
{
    ac_equilibrium *e = NULL;
    double row[400];
    bool done = false;
    CHECK(ac_equilibrium_new(s->ctx, ac_problem_system(s->problem), ac_problem_equilibrium(s->problem), &e) ==
          AC_OK);
    ac_status status = ac_equilibrium_next(e, &done);
    if (status != AC_OK) printf("  %s\n", ac_context_message(s->ctx));
    CHECK(status == AC_OK && !done);
    ac_equilibrium_row(e, row);
    for (int k = 0; k < 2; ++k) values[k] = channel(e, row, names[k]);
    ac_equilibrium_free(e);
}

/* The torque T on the driving shaft against a spring on the driven one: T da = k b db. */
TEST(shafts_at_rest_balance_their_torques)
{
    static const char *const names[2] = {"joint/in/angle", "joint/out/angle"};
    double angle[2];
    session s;
    if (open_problem(
            &s, SHAFTS,
            "springs: [{joint: out, stiffness: 3}]\nloads: [{joint: in, value: 1.7}]\nequilibrium: {}\n")) {
        settle(&s, names, angle);
        double c = cos(TILT),
               ratio = c / (c * c * cos(angle[0]) * cos(angle[0]) + sin(angle[0]) * sin(angle[0]));
        CHECK_NEAR(off_relation(angle[0], angle[1]), 0.0, 1e-14);
        CHECK_NEAR(3 * angle[1] * ratio, 1.7, 1e-9);
    }
    close_problem(&s);
}

/* Torques on both angles: m g l sin(a) cos(b) and m g l cos(a) sin(b). */
TEST(a_pendulum_on_a_cross_rests_where_torques_hold_it)
{
    static const char *const names[2] = {"joint/cross/angle", "joint/cross/second_angle"};
    double angle[2], weight = 2 * 9.81 * 0.5;
    session s;
    if (open_problem(&s, PENDULUM,
                     "loads:\n  - {joint: cross, coordinate: angle, value: 3}\n"
                     "  - {joint: cross, coordinate: second_angle, value: -2}\nequilibrium: {}\n")) {
        settle(&s, names, angle);
        CHECK_NEAR(weight * sin(angle[0]) * cos(angle[1]), 3.0, 1e-9);
        CHECK_NEAR(weight * cos(angle[0]) * sin(angle[1]), -2.0, 1e-9);
    }
    close_problem(&s);
}

/* --- optimize -------------------------------------------------------------------------------- */

/* Rest to rest: the cross closes the loop. */
TEST(driven_shaft_is_turned_by_a_right_angle)
{
    session s;
    if (!open_problem(
            &s, SHAFTS,
            "optimize:\n  intervals: 20\n  duration: 1 s\n  controls: [{joint: in, name: motor}]\n"
            "  objective: [{effort: 1}]\n  quantities: {a: {joint: in}, b: {joint: out}, c: {joint: cross, "
            "coordinate: second_angle}}\n"
            "  conditions: [{expression: b, equals: 1.2, at: end}]\n"
            "  end_velocity: rest\n")) {
        close_problem(&s);
        return;
    }
    ac_optimization *o = ac_problem_optimization(s.problem);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_result(o)->violation < 1e-8);
    double most = 0.0;
    for (int n = 0; n <= 20; ++n)
        most = fmax(most, off_relation(ac_optimization_quantity_value(o, 0, n),
                                       ac_optimization_quantity_value(o, 1, n)));
    CHECK_NEAR(most, 0.0, 1e-9);
    CHECK_NEAR(ac_optimization_quantity_value(o, 1, 20), 1.2, 1e-9);
    CHECK(fabs(ac_optimization_quantity_value(o, 2, 20)) > 0.1);
    close_problem(&s);
}

/* The cross is a joint of the tree, gone in both directions: the work of least effort is the same. */
TEST(pendulum_on_a_cross_is_lifted)
{
    static const char *const joints[2] = {
        "{name: cross, universal: [ground, bob], at: [0, 0, 0], axis: [1, 0, 0], x_axis: [0, 1, 0]}",
        "{name: cross, universal: [bob, ground], at: [0, 0, 0], axis: [0, 1, 0], x_axis: [1, 0, 0]}"};
    static const char *const words[2][2] = {{"angle", "second_angle"}, {"second_angle", "angle"}};
    static const char *const formulations[2] = {"reduced", "multipliers"};
    for (int f = 0; f < 2; ++f) {
        double effort[2] = {0.0, 1.0};
        for (int k = 0; k < 2; ++k) {
            char task[1400];
            session s;
            int sign = k == 0 ? 1 : -1;
            snprintf(task, sizeof task,
                     "joints: [%s]\noptimize:\n  intervals: 20\n  duration: 1 s\n  formulation: %s\n"
                     "  controls:\n    - {joint: cross, coordinate: %s, name: first}\n"
                     "    - {joint: cross, coordinate: %s, name: second}\n  objective: [{effort: 1}]\n"
                     "  quantities: {a: {joint: cross, coordinate: %s}, b: {joint: cross, coordinate: %s}}\n"
                     "  conditions:\n    - {expression: a, equals: %g, at: end}\n"
                     "    - {expression: b, equals: %g, at: end}\n  end_velocity: rest\n",
                     joints[k], formulations[f], words[k][0], words[k][1], words[k][0], words[k][1],
                     0.9 * sign, -0.6 * sign);
            if (open_problem(&s,
                             "gravity: [0, 0, -9.81]\n"
                             "bodies: {bob: {mass: 2, inertia: [0.1, 0.12, 0.05], position: [0, 0, -0.5]}}\n",
                             task)) {
                ac_optimization *o = ac_problem_optimization(s.problem);
                CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
                CHECK(ac_optimization_result(o)->violation < 1e-8);
                effort[k] = ac_optimization_result(o)->objective;
                CHECK_NEAR(ac_optimization_quantity_value(o, 0, 20), 0.9 * sign, 1e-9);
            }
            close_problem(&s);
        }
        CHECK_NEAR(effort[0], effort[1], 1e-7 * effort[0]);
    }
}

RUN_TESTS(CASE(two_shafts_keep_their_relation), CASE(a_pendulum_on_a_cross_swings_about_both_axes),
          CASE(shafts_at_rest_balance_their_torques), CASE(a_pendulum_on_a_cross_rests_where_torques_hold_it),
          CASE(driven_shaft_is_turned_by_a_right_angle), CASE(pendulum_on_a_cross_is_lifted))
