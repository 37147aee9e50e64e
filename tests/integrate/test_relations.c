/* Prescribed motion and couplings of joint coordinates against closed forms, other programs' numbers and balances. */
#include <stdio.h>
#include <stdlib.h>

#include "problem/build/build.h"
#include "actio/state.h"
#include "support/record.h"
#include "test.h"

#define PI 3.14159265358979323846

static const char *const formulations[] = {"reduced", "null-space", "multipliers"};

/* A simulation of a text. */
typedef struct trial {
    ac_context *ctx;
    ac_problem *problem;
    record run;
    ac_status status;
} trial;

static void open_trial(trial *t, const char *text, const char *scheme, const char *formulation, double h)
{
    *t = (trial){0};
    t->ctx = ac_context_new(NULL);
    t->status = ac_problem_parse(t->ctx, "text", text, strlen(text), NULL, 0, &t->problem);
    if (t->status != AC_OK) return;
    ac_simulation_settings settings = record_settings(scheme, formulation, h);
    settings.reactions = settings.forces = true;
    t->status = record_open(&t->run, t->ctx, ac_problem_system(t->problem), &settings);
}

static void close_trial(trial *t)
{
    record_close(&t->run);
    ac_problem_free(t->problem);
    ac_context_free(t->ctx);
}

static double last_of(trial *t, const char *channel)
{
    CHECK(record_node(&t->run, true) == AC_OK);
    const double *at = record_at(&t->run, channel);
    CHECK(at != NULL);
    return at ? *at : NAN;
}

static void go(trial *t, long steps)
{
    t->status = record_steps(&t->run, steps);
    CHECK(t->status == AC_OK);
    if (t->status != AC_OK) printf("%s\n", ac_context_message(t->ctx));
}

/* Two mass points on massless rods of 1 m, the first angle 0.5 sin 4t. The second, absolute angle at 2 s, the torque at 1 s and the
 * work until 2 s come from a separate program for these equations, written in the two angles. Its limit of fine steps is
 * -1.81803119549, -1.31681596, 10.682500773. */
static const char driven_pendulum[] =
    "gravity: [0, -9.81]\n"
    "planar_bodies:\n"
    "  one: {mass: 1, inertia: 1e-12, centre: [1, 0]}\n"
    "  two: {mass: 1, inertia: 1e-12, centre: [1, 0]}\n"
    "joints:\n"
    "  - {revolute: [ground, one], at: {one: origin}, name: first, prescribed: {angle: \"=-pi/2 + "
    "0.5*sin(4*t)\"}}\n"
    "  - {revolute: [one, two], at: {one: [1, 0], two: origin}, name: second, angle: 0, angle_rate: -2}\n"
    "simulate: {step: 0.02, duration: 2}\n";

TEST(a_driven_pendulum_moves_as_its_own_equations)
{
    static const struct {
        double h, angle, torque;
    } known[] = {{0.02, -1.8192878741, -1.33955933},
                 {0.01, -1.8183449719, -1.32249754},
                 {0.005, -1.8181096151, -1.31823609}};
    for (int f = 0; f < 3; ++f)
        for (int k = 0; k < 3; ++k) {
            trial t;
            open_trial(&t, driven_pendulum, "midpoint", formulations[f], known[k].h);
            CHECK(t.status == AC_OK);
            long half = lround(1.0 / known[k].h);
            go(&t, half + 1);
            CHECK(record_node(&t.run, false) == AC_OK);
            CHECK_NEAR(*record_at(&t.run, "joint/first/drive"), known[k].torque, 1e-8);
            CHECK_NEAR(*record_at(&t.run, "joint/first/drive_power"), known[k].torque * 2.0 * cos(4.0), 1e-7);
            go(&t, half - 1);
            double first = last_of(&t, "joint/first/angle");
            CHECK_NEAR(first, -0.5 * PI + 0.5 * sin(8.0), 1e-14);
            CHECK_NEAR(first + last_of(&t, "joint/second/angle") + 0.5 * PI, known[k].angle, 1e-9);
            close_trial(&t);
        }
}

/* Energy and work of the drive: order 2 for nodes; to rounding where the scheme keeps energy. */
TEST(the_work_of_a_drive_is_the_energy_gained)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    for (int k = 0; k < 3; ++k) {
        double defect[2];
        for (int i = 0; i < 2; ++i) {
            trial t;
            open_trial(&t, driven_pendulum, schemes[k], "reduced", i ? 0.005 : 0.01);
            go(&t, i ? 400 : 200);
            CHECK_NEAR(last_of(&t, "energy/drives"), 10.682500773, 0.02);
            defect[i] = fabs(last_of(&t, "energy/hamiltonian") + 25.43 - last_of(&t, "energy/drives"));
            close_trial(&t);
        }
        if (k == 2) {
            CHECK(defect[0] < 1e-10 && defect[1] < 1e-10);
        } else {
            CHECK(defect[0] < 0.01);
            CHECK_NEAR(defect[0] / defect[1], 4.0, 0.1);
        }
    }
}

/* Free discs J = 2 and 0.5 with the relative angle 1.5 sin^2(pi t / 2): an inner drive leaves the momentum zero, and the first disc
 * turns back by J2 / (J1 + J2) of the angle; the number at this step is that of the discrete equation of one unknown. */
TEST(an_inner_drive_changes_no_momentum)
{
    static const char text[] = "planar_bodies:\n"
                               "  one: {mass: 1, inertia: 2}\n"
                               "  two: {mass: 1, inertia: 0.5}\n"
                               "joints:\n"
                               "  - {revolute: [ground, one], at: {one: origin}, name: first}\n"
                               "  - {revolute: [one, two], at: {one: origin, two: origin}, name: inner,\n"
                               "     prescribed: {angle: \"=1.5*sin(pi*t/2)^2\"}}\n"
                               "simulate: {step: 0.05, duration: 1}\n";
    for (int f = 0; f < 3; ++f) {
        trial t;
        double x = 0.0, sum = 0.0;
        open_trial(&t, text, "midpoint", formulations[f], 0.05);
        for (int k = 0; k < 20; ++k) { /* J1 sin x + J2 sin(x + d) = 0 for each step */
            double s[2];
            for (int i = 0; i < 2; ++i) s[i] = 1.5 * pow(sin(0.5 * PI * 0.05 * (k + i)), 2);
            double d = s[1] - s[0];
            x = -0.2 * d;
            for (int i = 0; i < 20; ++i)
                x -= (2.0 * sin(x) + 0.5 * sin(x + d)) / (2.0 * cos(x) + 0.5 * cos(x + d));
            sum += x;
            go(&t, 1);
            CHECK(record_interval(&t.run) == AC_OK);
        }
        CHECK_NEAR(sum, -0.299778506517, 1e-11);
        CHECK_NEAR(last_of(&t, "joint/first/angle"), sum, 1e-13);
        CHECK_NEAR(record_at(&t.run, "momentum/angular")[2], 0.0, 1e-13);
        close_trial(&t);
    }
}

/* A shaft at constant speed that moves a piston: the torque from the kinetic and potential energy of this one freedom,
 * tau = M'(a)/2 w^2 + V'(a), by differences of closed forms. */
static double crank_height(double a, double *piston)
{
    double b = asin(-0.1 * sin(a) / 0.3);
    *piston = 0.1 * cos(a) + 0.3 * cos(b);
    return 0.5 * 9.81 * 0.1 * 0.5 * sin(a) + 0.8 * 9.81 * (0.1 * sin(a) + 0.15 * sin(b));
}

static double crank_inertia(double a)
{
    double sine = -sin(a) / 3.0,
           rate = -cos(a) / 3.0 / sqrt(1.0 - sine * sine); /* of the rod's angle by the crank's */
    double c = sqrt(1.0 - sine * sine);
    double x = -0.1 * sin(a) - 0.15 * sine * rate, y = 0.1 * cos(a) + 0.15 * c * rate,
           piston = -0.1 * sin(a) - 0.3 * sine * rate;
    double M = 0.5 * 0.01 / 3.0; /* crank about its end */
    return M + 0.8 * (x * x + y * y) + 0.8 * 0.09 / 12.0 * rate * rate + piston * piston;
}

TEST(a_slider_crank_at_constant_speed_needs_the_torque_of_its_energies)
{
    static const char text[] =
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  crank:  {solid: {rod: {length: 0.1, mass: 0.5}}}\n"
        "  rod:    {solid: {rod: {length: 0.3, mass: 0.8}}}\n"
        "  piston: {mass: 1, inertia: 0.01}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], at: {crank: start}, name: shaft, prescribed: {angle_rate: 20}}\n"
        "  - {revolute: [crank, rod], at: {crank: end, rod: start}}\n"
        "  - {revolute: [rod, piston], at: {rod: end, piston: origin}, name: wrist}\n"
        "  - {prismatic: [ground, piston], at: {piston: origin}, axis: [1, 0], name: rail}\n"
        "simulate: {step: 1 ms, duration: 1}\n";
    for (int f = 0; f < 3; ++f) {
        double error[2] = {0.0, 0.0};
        for (int i = 0; i < 2; ++i) {
            trial t;
            double h = i ? 5e-4 : 1e-3;
            open_trial(&t, text, "midpoint", formulations[f], h);
            CHECK(t.status == AC_OK);
            for (int k = 1; k < 20; ++k) {
                double e = 1e-4, place, at[2];
                go(&t, i ? 34 : 17);
                CHECK(record_node(&t.run, false) == AC_OK);
                double a = *record_at(&t.run, "joint/shaft/angle"), time = *record_at(&t.run, "time");
                CHECK_NEAR(a, 20.0 * time, 1e-12);
                for (int s = 0; s < 2; ++s)
                    at[s] = 0.5 * crank_inertia(a + (s ? e : -e)) * 400.0 +
                            crank_height(a + (s ? e : -e), &place);
                double torque = (at[1] - at[0]) / (2.0 * e);
                error[i] = fmax(error[i], fabs(*record_at(&t.run, "joint/shaft/drive") - torque));
            }
            close_trial(&t);
        }
        CHECK(error[0] < 0.01);
        CHECK_NEAR(error[0] / error[1], 4.0, 0.4);
    }
}

/* Wheels: after a thousand turns the sum is as exact as at the start; the torque of the teeth from the two inertias. A coupling
 * that another implies changes nothing. */
TEST(gears_hold_after_a_thousand_turns)
{
    static const char form[] =
        "planar_bodies:\n"
        "  pinion: {mass: 1, inertia: 0.01}\n"
        "  wheel:  {mass: 3, inertia: 0.1}\n"
        "joints:\n"
        "  - {revolute: [ground, pinion], at: {pinion: origin}, name: fast, angle_rate: %g}\n"
        "  - {revolute: [ground, wheel], at: {ground: [0.4, 0], wheel: origin}, name: slow}\n"
        "couplings:\n"
        "  - {sum: {fast: 20, slow: 60}, name: teeth}\n"
        "  - {sum: {fast: 1, slow: 3}, name: again}\n"
        "loads:\n"
        "  - {joint: slow, value: 0.01}\n"
        "simulate: {step: 10 ms, duration: 100 s}\n";
    char text[1024];
    for (int f = 0; f < 3; ++f) {
        trial t;
        snprintf(text, sizeof text, form, 60.0);
        open_trial(&t, text, "midpoint", formulations[f], 0.01);
        CHECK(t.status == AC_OK);
        CHECK(ac_system_sizes(ac_problem_system(t.problem)).freedoms == 1);
        go(&t, 10001);
        CHECK(record_node(&t.run, false) == AC_OK);
        double fast = *record_at(&t.run, "joint/fast/angle"), slow = *record_at(&t.run, "joint/slow/angle");
        CHECK(fast > 5000.0);
        CHECK_NEAR(fast + 3.0 * slow, 0.0, 1e-11);
        close_trial(&t);
        snprintf(text, sizeof text, form, 0.0); /* from rest, where the turns of a step are small */
        open_trial(&t, text, "midpoint", formulations[f], 0.01);
        go(&t, 10);
        CHECK(record_node(&t.run, false) == AC_OK);
        double inertia = 0.1 + 0.01 * 9.0,
               torque = 0.01 * 0.01 * 9.0 / inertia; /* on the wheel, against the load */
        double force = 60.0 * *record_at(&t.run, "coupling/teeth/force") +
                       3.0 * *record_at(&t.run, "coupling/again/force");
        CHECK_NEAR(force, -torque, 1e-6);
        close_trial(&t);
    }
}

/* A nut of mass m and inertia J on a vertical screw of lead L per radian falls with g m L^2 / (m L^2 + J). */
TEST(a_nut_falls_along_its_screw)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  nut: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
        "joints:\n"
        "  - {screw: [ground, nut], axis: [0, 0, 1], at: {nut: origin}, pitch: 10 cm, name: thread}\n"
        "simulate: {step: 1 ms, duration: 5 s}\n";
    double lead = 0.1 / (2.0 * PI), a = 9.81 * lead * lead / (lead * lead + 0.02);
    for (int f = 0; f < 3; ++f) {
        double error[2];
        for (int i = 0; i < 2; ++i) { /* the turn of a step counts by its sine: order 2 */
            trial t;
            open_trial(&t, text, "midpoint", formulations[f], i ? 0.002 : 0.004);
            go(&t, i ? 2500 : 1250);
            double slide = last_of(&t, "joint/thread/slide"), angle = last_of(&t, "joint/thread/angle");
            error[i] = fabs(slide + 0.5 * a * 25.0);
            CHECK_NEAR(slide - lead * angle, 0.0, 1e-13);
            close_trial(&t);
        }
        CHECK(error[0] < 5e-3);
        CHECK_NEAR(error[0] / error[1], 4.0, 0.05);
    }
}

/* Sun, ring and carrier with one coupling: two freedoms; a torque on the carrier accelerates all three as the matrix of the
 * constrained inertias says. */
TEST(a_planetary_train_shares_torque)
{
    static const char text[] = "planar_bodies:\n"
                               "  sun: {mass: 1, inertia: 0.1}\n"
                               "  ring: {mass: 1, inertia: 0.4}\n"
                               "  carrier: {mass: 1, inertia: 0.2}\n"
                               "joints:\n"
                               "  - {revolute: [ground, sun], at: {sun: origin}, name: s}\n"
                               "  - {revolute: [ground, ring], at: {ring: origin}, name: r}\n"
                               "  - {revolute: [ground, carrier], at: {carrier: origin}, name: c}\n"
                               "couplings:\n"
                               "  - {sum: {s: 1, r: 3, c: -4}, name: train}\n"
                               "loads:\n"
                               "  - {joint: c, value: 2}\n"
                               "simulate: {step: 1 ms, duration: 1 s}\n";
    /* J a = T - G^T f, G a = 0: f = G J^-1 T / (G J^-1 G^T) */
    double f = (-4.0 / 0.2 * 2.0) / (1.0 / 0.1 + 9.0 / 0.4 + 16.0 / 0.2);
    double a[3] = {-f / 0.1, -3.0 * f / 0.4, (2.0 + 4.0 * f) / 0.2};
    trial t;
    open_trial(&t, text, "midpoint", "auto", 1e-3);
    CHECK(ac_system_sizes(ac_problem_system(t.problem)).freedoms == 2);
    go(&t, 1000);
    CHECK_NEAR(last_of(&t, "joint/s/angle"), 0.5 * a[0], 1e-4);
    CHECK_NEAR(last_of(&t, "joint/r/angle"), 0.5 * a[1], 1e-4);
    CHECK_NEAR(last_of(&t, "joint/c/angle"), 0.5 * a[2], 1e-4);
    close_trial(&t);
}

/* Reactions do not take over what the drive carries: the bearing of a driven wheel without weight carries nothing. */
TEST(bearings_carry_no_torque_of_the_drive)
{
    static const char text[] =
        "planar_bodies:\n"
        "  wheel: {mass: 2, inertia: 0.3}\n"
        "joints:\n"
        "  - {revolute: [ground, wheel], at: {wheel: origin}, name: shaft, prescribed: {angle: =t^2}}\n"
        "simulate: {step: 10 ms, duration: 1 s}\n";
    trial t;
    open_trial(&t, text, "midpoint", "auto", 0.01);
    go(&t, 50);
    CHECK(record_node(&t.run, false) == AC_OK);
    CHECK_NEAR(*record_at(&t.run, "joint/shaft/drive"), 0.6, 1e-4);
    const double *force = record_at(&t.run, "reaction/shaft/force");
    CHECK(force != NULL);
    for (int k = 0; force && k < 3; ++k) CHECK_NEAR(force[k], 0.0, 1e-10);
    CHECK_NEAR(last_of(&t, "joint/shaft/drive"), 0.6, 2e-3); /* at the last node of the order of the step */
    CHECK_NEAR(last_of(&t, "body/wheel/angular_velocity"), 1.0, 1e-12);
    close_trial(&t);
}

/* A state goes on with the same bits, and its work goes on. */
TEST(a_state_goes_on)
{
    trial t;
    ac_state *state;
    double first[2] = {0.0, 0.0};
    open_trial(&t, driven_pendulum, "midpoint", "auto", 0.01);
    go(&t, 50);
    CHECK(ac_state_new(t.ctx, t.run.simulation, &state) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        if (k > 0) CHECK(ac_simulation_set_state(t.run.simulation, state) == AC_OK);
        go(&t, 50);
        double angle = last_of(&t, "joint/second/angle"), work = last_of(&t, "energy/drives");
        if (k == 0) {
            first[0] = angle;
            first[1] = work;
        } else {
            CHECK(angle == first[0] && work == first[1]);
        }
    }
    ac_state_free(state);
    close_trial(&t);
}

/* What is refused, and in which words. */
TEST(what_cannot_be_is_named)
{
    static const struct {
        const char *joint, *more, *words;
    } cases[] = {
        {"prescribed: {angle: {steps: [[0, 0], [1, 2]]}}", "", "a position cannot jump"},
        {"prescribed: {angle: 1, angle_rate: 2}", "", "prescribe either 'angle' or 'angle_rate'"},
        {"prescribed: {slide: 1}", "", "a revolute joint has no coordinate 'slide'"},
        {"angle: 1, prescribed: {angle: =t}", "", "but the prescribed motion begins with 0"},
        {"angle_rate: 3", "couplings: [{sum: {a: 1, b: 1}}, {sum: {a: 1, b: 2}}]\n",
         "has the rate 0 at the start"},
        {"angle: 0", "couplings: [{sum: {a: 1, b: 1}, equals: 2}]\n", "equals 0 at the start, not 2"},
        {"angle: 0", "couplings: [{sum: {a: 1}}]\n", "at least two joints"},
        {"angle: 0", "couplings: [{sum: {a: 1, b: 0}}]\n", "is zero"},
        {"angle: 0", "couplings: [{sum: {a: 1, bb: 1}}]\n", "no joint called 'bb'"},
        {"pitch: 1", "", "'pitch' belongs to a screw"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[1024];
        trial t;
        snprintf(text, sizeof text,
                 "planar_bodies:\n"
                 "  one: {mass: 1, inertia: 1}\n"
                 "  two: {mass: 1, inertia: 1}\n"
                 "joints:\n"
                 "  - {revolute: [ground, one], at: {one: origin}, name: a, %s}\n"
                 "  - {revolute: [ground, two], at: {two: origin}, name: b}\n"
                 "%ssimulate: {step: 10 ms, duration: 1 s}\n",
                 cases[k].joint, cases[k].more);
        open_trial(&t, text, "midpoint", "auto", 0.01);
        CHECK(t.status == AC_BAD_INPUT);
        if (!strstr(ac_context_message(t.ctx), cases[k].words))
            printf("%s\n  wanted: %s\n", ac_context_message(t.ctx), cases[k].words);
        CHECK(strstr(ac_context_message(t.ctx), cases[k].words) != NULL);
        close_trial(&t);
    }
}

/* An expression that jumps ends the run where it does; a kink does not. */
TEST(jumps_end_the_run_and_kinks_do_not)
{
    static const char form[] =
        "planar_bodies:\n"
        "  one: {mass: 1, inertia: 1}\n"
        "joints:\n"
        "  - {revolute: [ground, one], at: {one: origin}, name: a, prescribed: {angle: \"%s\"}}\n"
        "simulate: {step: 10 ms, duration: 1 s}\n";
    char text[512];
    trial t;
    snprintf(text, sizeof text, form, "=0.1*step(t - 0.333)");
    open_trial(&t, text, "midpoint", "auto", 0.01);
    CHECK(record_steps(&t.run, 33) == AC_OK);
    CHECK(record_steps(&t.run, 1) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(t.ctx), "jumps at 0.333") != NULL);
    close_trial(&t);
    snprintf(text, sizeof text, form, "=abs(t - 0.333)");
    open_trial(&t, text, "midpoint", "auto", 0.01);
    go(&t, 50);
    CHECK_NEAR(last_of(&t, "joint/a/angle"), 0.5 - 0.333, 1e-13);
    CHECK_NEAR(last_of(&t, "energy/drives"), 0.0, 1e-9); /* from -1 rad/s to +1 rad/s */
    close_trial(&t);
}

RUN_TESTS(CASE(a_driven_pendulum_moves_as_its_own_equations), CASE(the_work_of_a_drive_is_the_energy_gained),
          CASE(an_inner_drive_changes_no_momentum),
          CASE(a_slider_crank_at_constant_speed_needs_the_torque_of_its_energies),
          CASE(gears_hold_after_a_thousand_turns), CASE(a_nut_falls_along_its_screw),
          CASE(a_planetary_train_shares_torque), CASE(bearings_carry_no_torque_of_the_drive),
          CASE(a_state_goes_on), CASE(what_cannot_be_is_named), CASE(jumps_end_the_run_and_kinks_do_not))
