/* How bodies turn in a step: thin bodies keep their spin, and rods without inertia about their axis move as their joints let them. */
#include "actio/simulate.h"
#include "actio/track.h"
#include "base/rotation.h"
#include "support/rig.h"
#include "test.h"
#include "track/track.h"

static ac_track *open_track(rig *r, ac_track_method method, double step)
{
    ac_track_settings settings;
    ac_track *t = NULL;
    ac_track_defaults(&settings);
    settings.method = method;
    settings.step = step;
    CHECK(ac_track_new(r->ctx, r->system, &settings, &t) == AC_OK);
    return t;
}

/* I xi + ... of the file turn.c is Pi before and Pi - theta x I xi after the turn: both are the same momentum in space. */
TEST(free_turn_keeps_the_momentum)
{
    static const double inertia[9] = {1.0, 0.1, 0.0, 0.1, 2.0, -0.3, 0.0, -0.3, 0.5}, h = 0.1,
                        omega[3] = {1.0, -2.0, 3.0}, start[3] = {0.3, -0.5, 0.7};
    double R[9], theta[3], body[3], xi[3], p[3], once[3], twice[3], before[3], after[3], L[3], M[3];
    ac_rotation_exp(start, R);
    ac_track_free_turn(inertia, omega, h, R, theta);
    apply_transposed3(R, omega, body);
    apply3(inertia, body, before);
    apply3(R, before, L);
    apply_transposed3(R, theta, xi);
    for (int k = 0; k < 3; ++k) xi[k] /= h;
    apply3(inertia, xi, p);
    cross3(xi, p, once);
    cross3(xi, once, twice);
    double x2 = dot3(theta, theta), c = (1.0 - 0.5 * sqrt(x2) / tan(0.5 * sqrt(x2))) / x2;
    for (int k = 0; k < 3; ++k) after[k] = p[k] - 0.5 * h * once[k] + c * h * h * twice[k];
    ac_rotation_turn(theta, R);
    apply3(R, after, M);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(p[k] + 0.5 * h * once[k] + c * h * h * twice[k], before[k], 1e-14);
        CHECK_NEAR(M[k], L[k], 1e-14);
    }
}

/* A symmetric top with J_3 = 1e-3 J_1: J_1 a turns about L with |L| / J_1, closed form. */
static double precession_error(double step, double *spin)
{
    static const double inertia[3] = {1.0, 1.0, 1e-3}, omega[3] = {3.0, 0.0, 4.0};
    rig r;
    rig_open(&r, NULL);
    int body = rig_body(&r, "top", 1.0, inertia, (const double[3]){0}, NULL);
    rig_moving(&r, body, (const double[3]){0}, omega);
    CHECK(rig_finish(&r) == AC_OK);
    ac_track *t = open_track(&r, AC_TRACK_DISCRETE, step);
    ac_pose pose;
    for (long k = lround(1.0 / step); k > 0; --k) CHECK((ac_track_step(t) & AC_TRACK_SLOWED) == 0);
    ac_track_pose(t, body, &pose);
    double v[3], w[3], L[3] = {3.0, 0.0, 4e-3}, axis[3], expected[9];
    for (int k = 0; k < 3; ++k) axis[k] = pose.rotation[3 * k + 2];
    ac_track_twist(t, body, v, w);
    *spin = dot3(L, axis) / 1e-3;
    ac_rotation_exp(L, expected);
    double error = 0.0;
    for (int k = 0; k < 3; ++k) error = fmax(error, fabs(axis[k] - expected[3 * k + 2]));
    ac_track_free(t);
    rig_close(&r);
    return error;
}

TEST(thin_tops_keep_their_spin)
{
    double spin, coarse = precession_error(4e-3, &spin);
    CHECK_NEAR(spin, 4.0, 1e-10);
    double fine = precession_error(2e-3, &spin);
    CHECK_NEAR(spin, 4.0, 1e-10);
    CHECK(coarse < 1e-4 && coarse / fine > 3.6 && coarse / fine < 4.4);
}

/* A rod (no inertia about itself) or a point mass on an oblique hinge falls as it does in `simulate`. */
static double hinged_error(const double moments[3], double step, double *moved)
{
    static const double turn[3] = {0.3, 0.5, 0.2}, axis[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
    double R[9], place[3];
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    ac_rotation_exp(turn, R);
    for (int k = 0; k < 3; ++k) place[k] = 0.5 * R[3 * k];
    int body = rig_body(&r, "rod", 1.0, moments, place, R);
    rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, (const double[3]){0}, axis, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    ac_track *t = open_track(&r, AC_TRACK_DISCRETE, step);
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = 1e-3;
    settings.steps = 500;
    ac_simulation *s = NULL;
    CHECK(ac_simulation_new(r.ctx, r.system, &settings, &s) == AC_OK);
    for (int k = 0; k < 500; ++k) CHECK(ac_simulation_step(s) == AC_OK);
    for (long k = lround(0.5 / step); k > 0; --k) ac_track_step(t);
    ac_pose pose;
    ac_track_pose(t, body, &pose);
    const double *q = ac_simulation_configuration(s);
    double error = 0.0;
    *moved = 0.0;
    for (int k = 0; k < 3; ++k) {
        error = fmax(error, fabs(pose.position[k] - q[k]));
        *moved = fmax(*moved, fabs(q[k] - place[k]));
    }
    ac_simulation_free(s);
    ac_track_free(t);
    rig_close(&r);
    return error;
}

TEST(rods_and_point_masses_fall_on_oblique_hinges)
{
    static const double rod[3] = {0.0, 1.0 / 12.0, 1.0 / 12.0}, point[3] = {0};
    const double *const moments[] = {rod, point};
    for (int m = 0; m < 2; ++m) {
        double moved, coarse = hinged_error(moments[m], 2e-3, &moved),
                      fine = hinged_error(moments[m], 1e-3, &moved);
        CHECK(moved > 0.1);
        CHECK(coarse < 5e-3 * moved && coarse / fine > 1.7 && coarse / fine < 2.3);
    }
}

RUN_TESTS(CASE(free_turn_keeps_the_momentum), CASE(thin_tops_keep_their_spin),
          CASE(rods_and_point_masses_fall_on_oblique_hinges))
