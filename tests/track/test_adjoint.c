/* The adjoint with joints: the published test of the pendulum, and a body on a hinge against differences. */
#include <stdlib.h>

#include "actio/track.h"
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

RUN_TESTS(CASE(pendulum), CASE(body_on_a_hinge))
