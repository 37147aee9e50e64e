/* The adjoint with joints: the published test of the pendulum, and a body on a hinge against differences. */
#include <stdlib.h>

#include "actio/track.h"
#include "base/rotation.h"
#include "support/rig.h"
#include "test.h"

typedef struct trial {
    double share; /* of the change of the control */
    double place;
} trial;

static void control(void *user, double t, double *mu)
{
    *mu = 1.5 * sin(7 * t) + ((const trial *)user)->share * cos(3 * t);
}

static void place(void *user, double t, double *p)
{
    (void)t;
    *p = ((const trial *)user)->place;
}

/* J, and the integral of its gradient times cos 3t by Simpson's rule. */
static double run(const rig *r, int node, double share, double at, double duration, double *change,
                  double *hidden)
{
    enum { STEPS = 2000 };
    trial t = {share, at};
    ac_gradient_problem problem = {.target = {.node = node, .position = {true, false, false}},
                                   .duration = duration,
                                   .steps = STEPS,
                                   .rho0 = 1e-2,
                                   .user = &t,
                                   .control = control,
                                   .place = place};
    double *gradient = malloc((STEPS / 2 + 1) * sizeof *gradient), J = 0.0, h = 2.0 * duration / STEPS;
    CHECK(ac_track_gradient(r->ctx, r->system, &problem, &J, gradient, hidden) == AC_OK);
    *change = 0.0;
    for (int k = 0; k <= STEPS / 2; ++k) {
        double weight = k == 0 || k == STEPS / 2 ? 1.0 : k % 2 ? 4.0 : 2.0;
        *change += weight * h / 3.0 * gradient[k] * cos(3.0 * h * k);
    }
    free(gradient);
    return J;
}

/* L = 1, m = 1, released at 0.7 rad, force on x, target x = 0.2, T = 0.5: -5.3749121e-4 by differences of an
 * independent implementation; without the projection it would be -7.6547e-4. */
TEST(pendulum)
{
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, -9.81, 0);
    const double origin[3] = {0}, start[3] = {sin(.7), -cos(.7), 0};
    int bob = rig_point(&r, "bob", 1.0, 2, start[0], start[1], 0);
    rig_distance(&r, "rod", AC_GROUND, bob, origin, start);
    CHECK(rig_finish(&r) == AC_OK);
    double change, other, hidden, e = 1e-4;
    run(&r, bob, 0.0, 0.2, 0.5, &change, &hidden);
    CHECK_NEAR(change, -5.3749121e-4, 1e-11);
    CHECK(hidden < 1e-13);
    double up = run(&r, bob, e, 0.2, 0.5, &other, &hidden),
           down = run(&r, bob, -e, 0.2, 0.5, &other, &hidden);
    CHECK_NEAR((up - down) / (2 * e), change, 1e-9);
    rig_close(&r);
}

/* A body in space on a revolute joint with spring, damper and loads that turn: against differences. */
TEST(body_on_a_hinge)
{
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    const double p[2][3] = {{0, 0, 0}, {0.6, 0, -0.8}}, axis[3] = {0, 1, 0}, wall[3] = {1, 0, 0.5};
    int rod = rig_body(&r, "rod", 1.2, (double[3]){0.11, 0.12, 0.05}, (double[3]){0.3, 0, -0.4}, NULL);
    rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, rod, p[0], axis, NULL);
    rig_spring(&r, AC_GROUND, rod, wall, p[1], 20.0, 3.0, 0.7);
    rig_force(&r, rod, p[1], true, "5*sin(4*t)", NULL, "3");
    rig_torque(&r, rod, false, NULL, "2*t", NULL);
    CHECK(rig_finish(&r) == AC_OK);
    double change, other, hidden, e = 1e-4;
    run(&r, rod, 0.0, 0.1, 0.7, &change, &hidden);
    double up = run(&r, rod, e, 0.1, 0.7, &other, &hidden),
           down = run(&r, rod, -e, 0.1, 0.7, &other, &hidden);
    CHECK_NEAR((up - down) / (2 * e), change, 1e-6 * fabs(change));
    CHECK(hidden < 1e-10);
    rig_close(&r);
}

/* --- orientations --- */

typedef struct turning {
    double share;
    int width; /* components that follow */
} turning;

static double direction(int c, double t)
{
    return cos((3 + c) * t);
}

static void turning_control(void *user, double t, double *mu)
{
    const turning *r = user;
    for (int c = 0; c < r->width; ++c)
        mu[c] = (0.8 - 0.3 * c) * sin((7 - c) * t) + r->share * direction(c, t);
}

static void turning_place(void *user, double t, double *p)
{
    (void)user;
    p[0] = 0.1 + 0.2 * t;
}

/* About (1, 2, -2)/3 by 0.9 - t: errors beyond a radian. */
static void turning_rotation(void *user, double t, double R[9])
{
    (void)user;
    const double angle = 0.9 - t;
    ac_rotation_exp((const double[3]){angle / 3, 2 * angle / 3, -2 * angle / 3}, R);
}

static double run_turning(const rig *r, const ac_track_target *target, int width, double share,
                          double *change, double *hidden)
{
    enum { STEPS = 1000 };
    const double duration = 0.6;
    turning t = {share, width};
    ac_gradient_problem problem = {.target = *target,
                                   .duration = duration,
                                   .steps = STEPS,
                                   .rho0 = 1e-2,
                                   .user = &t,
                                   .control = turning_control,
                                   .place = turning_place,
                                   .rotation = turning_rotation};
    double *gradient = malloc((STEPS / 2 + 1) * (size_t)width * sizeof *gradient), J = 0.0,
           h = 2.0 * duration / STEPS;
    CHECK(ac_track_gradient(r->ctx, r->system, &problem, &J, gradient, hidden) == AC_OK);
    *change = 0.0;
    for (int k = 0; k <= STEPS / 2; ++k)
        for (int c = 0; c < width; ++c) {
            double weight = k == 0 || k == STEPS / 2 ? 1.0 : k % 2 ? 4.0 : 2.0;
            *change += weight * h / 3.0 * gradient[k * width + c] * direction(c, h * k);
        }
    free(gradient);
    return J;
}

static void check_turning(const rig *r, const ac_track_target *target, int width)
{
    double change, other, hidden, e = 1e-4;
    run_turning(r, target, width, 0.0, &change, &hidden);
    CHECK(hidden < 1e-10);
    double up = run_turning(r, target, width, e, &other, &hidden),
           down = run_turning(r, target, width, -e, &other, &hidden);
    CHECK(fabs(change) > 1e-5);
    CHECK_NEAR((up - down) / (2 * e), change, 1e-6 * fabs(change));
}

/* Two bodies in space, whose second follows by position and orientation, whole and in part: against differences. */
TEST(orientation_in_space)
{
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    const double hinge[3] = {0, 0, 0}, ball[3] = {0.4, 0, -0.3}, axis[3] = {0, 1, 0};
    int upper = rig_body(&r, "upper", 1.0, (double[3]){0.05, 0.04, 0.03}, (double[3]){0.2, 0, -0.15}, NULL);
    int lower = rig_body(&r, "lower", 0.7, (double[3]){0.01, 0.03, 0.02}, (double[3]){0.5, 0.1, -0.5}, NULL);
    rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, upper, hinge, axis, NULL);
    rig_joint(&r, "ball", AC_SPHERICAL, upper, lower, ball, axis, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    check_turning(&r, &(ac_track_target){.node = lower, .rotation = {true, true, true}}, 3);
    check_turning(&r, &(ac_track_target){.node = lower, .rotation = {true, false, true}}, 2);
    check_turning(
        &r,
        &(ac_track_target){.node = lower, .position = {true, false, false}, .rotation = {false, true, false}},
        2);
    ac_gradient_problem without = {.target = {.node = lower, .rotation = {true, true, true}},
                                   .duration = 1.0,
                                   .steps = 10,
                                   .control = turning_control,
                                   .place = turning_place};
    double J, hidden;
    CHECK(ac_track_gradient(r.ctx, r.system, &without, &J, NULL, &hidden) == AC_BAD_INPUT);
    rig_close(&r);
}

/* A planar body turns about z alone. */
TEST(orientation_in_the_plane)
{
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, -9.81, 0);
    int plate = rig_planar(&r, "plate", 1.3, 0.2, 0.1, -0.2, 0.4);
    const double at[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
    rig_joint(&r, "pin", AC_REVOLUTE, AC_GROUND, plate, at, axis, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    check_turning(&r, &(ac_track_target){.node = plate, .rotation = {true, true, true}}, 1);
    check_turning(
        &r,
        &(ac_track_target){.node = plate, .position = {true, false, false}, .rotation = {false, false, true}},
        2);
    rig_close(&r);
}

RUN_TESTS(CASE(pendulum), CASE(body_on_a_hinge), CASE(orientation_in_space), CASE(orientation_in_the_plane))
