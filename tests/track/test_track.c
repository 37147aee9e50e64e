/* Tracking against the values of an independent implementation: one sphere, two bodies with a spherical joint,
 * a pendulum that drifts off its circle. */
#include <stdlib.h>

#include "actio/track.h"
#include "support/rig.h"
#include "test.h"
#include "track/hand.h"

typedef struct follow {
    ac_track_settings settings;
    bool moving, impulse;
    double gravity;
    double rms, most, x, v, z, rms_z, most_rate, steepest;
} follow;

static void start(follow *f, ac_track_method method, double rho0, double rho1)
{
    *f = (follow){0};
    ac_track_defaults(&f->settings);
    f->settings.method = method;
    f->settings.weights.rho0 = rho0;
    if (rho1 > 0.0) f->settings.weights.rho1 = rho1;
    f->settings.cancel = AC_CANCEL_NONE;
    f->settings.servo_stabilisation = 0.0;
}

static void set_hand(ac_track *t, int target, const follow *f, long k)
{
    ac_track_place place = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    long every = lround(0.02 / f->settings.step);
    for (int c = 0; c < 3; ++c) {
        place.position[c] = hand_sample(c, k / every);
        place.velocity[c] = hand_rate(c, k / every);
        if (f->impulse)
            place.velocity[c] =
                k == 0 ? 0.0 : (place.position[c] - hand_sample(c, (k - 1) / every)) / f->settings.step;
    }
    CHECK(ac_track_set_place(t, target, &place));
}

/* One sphere, 2.99 s. */
static void run(follow *f)
{
    static const double inertia[3] = {0.4, 0.4, 0.4}, none[3] = {0};
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -f->gravity);
    int body = rig_body(&r, "sphere", 1.0, inertia, hand_place, NULL);
    if (f->moving) rig_moving(&r, body, hand_velocity, none);
    CHECK(rig_finish(&r) == AC_OK);
    ac_track *t = NULL;
    CHECK(ac_track_new(r.ctx, r.system, &f->settings, &t) == AC_OK);
    if (!t) {
        printf("%s\n", ac_context_message(r.ctx));
        rig_close(&r);
        return;
    }
    ac_track_target target = {.node = body, .position = {true, true, true}};
    int number = ac_track_add_target(t, &target);
    long every = lround(0.02 / f->settings.step), steps = lround(2.99 / f->settings.step);
    double sum = 0.0, sum_z = 0.0, before = 0.0;
    ac_pose pose;
    for (long k = 0; k <= steps; ++k) {
        set_hand(t, number, f, k);
        if (k > 0) ac_track_step(t);
        double v[3], w[3], error, error_z, rate = hand_rate(0, k / every);
        ac_track_pose(t, body, &pose);
        ac_track_twist(t, body, v, w);
        error = pose.position[0] - hand_sample(0, k / every);
        error_z = pose.position[2] - hand_sample(2, k / every);
        sum += error * error;
        sum_z += error_z * error_z;
        f->most = fmax(f->most, fabs(error));
        f->most_rate = fmax(f->most_rate, fabs(v[0] - rate));
        if (k > 0) f->steepest = fmax(f->steepest, fabs(v[0] - before) / f->settings.step);
        before = f->v = v[0];
    }
    f->rms = sqrt(sum / (double)(steps + 1));
    f->rms_z = sqrt(sum_z / (double)(steps + 1));
    f->x = pose.position[0];
    f->z = pose.position[2];
    ac_track_free(t);
    rig_close(&r);
}

#define NEAR_SHARE(actual, expected, share) CHECK_NEAR(actual, expected, (share)*fabs(expected))

TEST(servo_follows_velocity_not_position)
{
    for (int n = 0; n < 3; ++n) {
        follow f;
        start(&f, AC_TRACK_SERVO, 1e-6, 0);
        f.settings.step = 1e-3 / (1 << n);
        f.moving = true;
        run(&f);
        NEAR_SHARE(f.most, 6.302626e-3, 1e-6);
        CHECK_NEAR(f.x, 1.0184642266, 1e-9);
        CHECK(f.most_rate < 1e-13);
    }
}

TEST(stabilised_servo)
{
    static const double eps[3] = {.2, .5, .8}, rms[3] = {1.006465e-3, 7.612664e-4, 6.862804e-4},
                        x[3] = {1.0209578576, 1.0213373771, 1.0214493866};
    for (int k = 0; k < 3; ++k) {
        follow f;
        start(&f, AC_TRACK_SERVO, 1e-6, 0);
        f.settings.step = 5e-4;
        f.settings.servo_stabilisation = eps[k];
        f.moving = true;
        run(&f);
        NEAR_SHARE(f.rms, rms[k], 1e-6);
        CHECK_NEAR(f.x, x[k], 1e-9);
    }
}

TEST(impulse_servo)
{
    static const double eps[3] = {.2, .5, .8}, rms[3] = {7.223543e-4, 7.913126e-4, 8.847143e-4},
                        x[3] = {1.0216189724, 1.0216360729, 1.0216360786};
    for (int k = 0; k < 3; ++k) {
        follow f;
        start(&f, AC_TRACK_SERVO, 1e-6, 0);
        f.settings.step = 5e-4;
        f.settings.servo_stabilisation = eps[k];
        f.impulse = true;
        run(&f);
        NEAR_SHARE(f.rms, rms[k], 1e-6);
        CHECK_NEAR(f.x, x[k], 1e-9);
    }
}

TEST(published_l2)
{
    static const double rho[4] = {1e-5, 5e-6, 1e-6, 1e-7},
                        rms[4] = {2.376075e-2, 1.628805e-2, 7.301122e-3, 2.987462e-3},
                        x[4] = {0.9907090014, 1.0003464425, 1.0222398825, 1.0219613621},
                        v[4] = {-0.31850784, -0.38034096, 0.01628343, -0.73343701};
    for (int k = 0; k < 4; ++k) {
        follow f;
        start(&f, AC_TRACK_L2, rho[k], 0);
        run(&f);
        NEAR_SHARE(f.rms, rms[k], 1e-6);
        CHECK_NEAR(f.x, x[k], 1e-9);
        CHECK_NEAR(f.v, v[k], 1e-8);
    }
}

TEST(published_l2_under_gravity)
{
    follow f, g;
    start(&f, AC_TRACK_L2, 1e-5, 0);
    f.gravity = 9.81;
    run(&f);
    NEAR_SHARE(f.rms_z, 1.505257e-1, 1e-6);
    CHECK_NEAR(f.z, 0.8579665059, 1e-9);
    start(&g, AC_TRACK_L2, 1e-5, 0);
    run(&g);
    start(&f, AC_TRACK_L2, 1e-5, 0);
    f.gravity = 9.81;
    f.settings.cancel = AC_CANCEL_OWN;
    run(&f);
    CHECK_NEAR(f.z, g.z, 1e-13);
    CHECK_NEAR(f.z, 0.9496074462, 1e-9);
    f.settings.cancel = AC_CANCEL_PROJECTED;
    run(&f);
    CHECK_NEAR(f.z, g.z, 1e-12);
}

TEST(published_neumann)
{
    static const double rho0[4] = {1e-6, 1e-5, 5e-7, 1e-8}, rho1[4] = {5e-13, 5e-13, 1e-14, 5e-13},
                        rms[4] = {1.105531e-2, 6.136200e-2, 1.370937e-2, 3.684334e-3},
                        x[4] = {1.0093236982, 1.1134710080, 1.0161549621, 1.0255421206};
    for (int k = 0; k < 4; ++k) {
        follow f;
        start(&f, AC_TRACK_NEUMANN, rho0[k], rho1[k]);
        run(&f);
        NEAR_SHARE(f.rms, rms[k], 1e-6);
        CHECK_NEAR(f.x, x[k], 2e-9);
    }
}

TEST(published_mixed)
{
    static const double rho0[3] = {5e-6, 6e-6, 1e-5}, x[3] = {0.9765430489, 1.0734482154, 1.0002555405},
                        full[3] = {0.9780825440, 1.0322886929, 0.9701332679};
    for (int k = 0; k < 3; ++k) {
        follow f;
        start(&f, AC_TRACK_MIXED, rho0[k], 6e-12);
        run(&f);
        CHECK_NEAR(f.x, x[k], 1e-8);
        f.settings.yukawa = AC_YUKAWA_FULL;
        run(&f);
        CHECK_NEAR(f.x, full[k], 1e-8);
    }
}

TEST(gravity_in_the_control_equation)
{
    follow f, g;
    start(&f, AC_TRACK_NEUMANN, 5e-7, 1e-13);
    f.gravity = 9.81;
    run(&f);
    NEAR_SHARE(f.rms_z, 3.193900e-2, 1e-6);
    CHECK_NEAR(f.z, 1.0299421506, 1e-8);
    f.settings.cancel = AC_CANCEL_PERTURBED;
    run(&f);
    CHECK_NEAR(f.z, 1.0403014853, 1e-8);
    start(&f, AC_TRACK_MIXED, 6e-6, 6e-12);
    run(&f);
    g = f;
    f.gravity = 9.81;
    f.settings.cancel = AC_CANCEL_PERTURBED;
    run(&f);
    CHECK_NEAR(f.z, g.z, 1e-8);
    CHECK_NEAR(f.z, 1.2277269526, 1e-8);
}

TEST(damped_methods)
{
    static const double rho[4] = {1e-5, 1e-6, 1e-7, 1e-10},
                        x[4] = {1.0624340443, 1.0164954427, 1.0214886587, 1.0216341622},
                        rms[4] = {3.517563e-2, 8.185964e-3, 1.691513e-3, 3.153329e-4};
    static const double rho_d[4] = {1e-6, 1e-7, 1e-8, 1e-10},
                        x_d[4] = {1.0216151495, 1.0214129859, 1.0160928253, 1.0216360811},
                        rms_d[4] = {4.266302e-3, 1.423466e-3, 3.180481e-3, 1.158266e-4};
    for (int k = 0; k < 4; ++k) {
        follow f;
        start(&f, AC_TRACK_EXACT, rho[k], 0);
        run(&f);
        NEAR_SHARE(f.rms, rms[k], 1e-6);
        CHECK_NEAR(f.x, x[k], 1e-9);
        start(&f, AC_TRACK_DISCRETE, rho_d[k], 0);
        run(&f);
        NEAR_SHARE(f.rms, rms_d[k], 1e-6);
        CHECK_NEAR(f.x, x_d[k], 1e-9);
    }
}

TEST(velocity_term_damps)
{
    follow f, g;
    start(&f, AC_TRACK_L2, 1e-6, 0);
    run(&f);
    g = f;
    g.settings.weights.velocity = 6e-5;
    run(&g);
    CHECK(g.rms < 0.7 * f.rms);
}

/* --- two bodies --- */

typedef struct pair_run {
    ac_track_settings settings;
    bool moving, impulse, closed_loop;
    double gap, rms, speed, reaction, x1[3], x2[3];
} pair_run;

static void run_pair(pair_run *p)
{
    static const double inertia[3] = {0.4, 0.4, 0.4}, none[3] = {0};
    double below[3] = {hand_place[0], hand_place[1], hand_place[2] - 1.0};
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    int a = rig_body(&r, "upper", 1.0, inertia, hand_place, NULL);
    if (p->moving) rig_moving(&r, a, hand_velocity, none);
    int b = rig_body(&r, "lower", 1.0, inertia, below, NULL);
    if (p->moving) rig_moving(&r, b, hand_velocity, none);
    rig_joint(&r, "ball", AC_SPHERICAL, a, b, hand_place, (double[3]){0, 0, 1}, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    ac_track *t = NULL;
    CHECK(ac_track_new(r.ctx, r.system, &p->settings, &t) == AC_OK);
    ac_track_target target = {.node = a, .position = {true, true, true}};
    int number = ac_track_add_target(t, &target);
    follow f = {.settings = p->settings, .impulse = p->impulse};
    double sum = 0.0;
    for (long k = 0; k <= 2990; ++k) {
        set_hand(t, number, &f, k);
        if (k == 0) continue;
        ac_track_step(t);
        ac_pose pose;
        double v[3], w[3];
        ac_track_pose(t, a, &pose);
        for (int c = 0; c < 3; ++c) {
            double error = pose.position[c] - hand_sample(c, k / 20);
            sum += error * error;
            p->x1[c] = pose.position[c];
        }
        ac_track_pose(t, b, &pose);
        for (int c = 0; c < 3; ++c) p->x2[c] = pose.position[c];
        ac_track_twist(t, b, v, w);
        for (int c = 0; c < 3; ++c) p->speed = fmax(p->speed, fmax(fabs(v[c]), fabs(w[c])));
        p->gap = fmax(p->gap, ac_track_residual(t));
        p->reaction = fmax(p->reaction, ac_track_reaction(t));
    }
    p->rms = sqrt(sum / 2990.0);
    ac_track_free(t);
    rig_close(&r);
}

static void start_pair(pair_run *p, ac_track_method method, double rho0, ac_track_cancel cancel)
{
    *p = (pair_run){0};
    ac_track_defaults(&p->settings);
    p->settings.method = method;
    p->settings.chart = AC_CHART_KARDAN;
    p->settings.weights.rho0 = rho0;
    p->settings.cancel = cancel;
    p->moving = method == AC_TRACK_SERVO;
}

TEST(two_bodies)
{
    pair_run p, servo;
    start_pair(&servo, AC_TRACK_SERVO, 1e-6, AC_CANCEL_NONE);
    run_pair(&servo);
    NEAR_SHARE(servo.gap, 2.295099e-6, 1e-5);
    NEAR_SHARE(servo.rms, 4.546254e-3, 1e-6);
    NEAR_SHARE(servo.speed, 4.3787, 1e-4);
    CHECK_NEAR(servo.x2[0], 1.14682319, 1e-7);
    CHECK_NEAR(servo.x2[2], 0.09452694, 1e-7);
    start_pair(&p, AC_TRACK_SERVO, 1e-6, AC_CANCEL_NONE);
    p.settings.servo_stabilisation = p.settings.joint_stabilisation = 0.0;
    p.settings.joint_tolerance = 0.1; /* joints may drift */
    run_pair(&p);
    NEAR_SHARE(p.gap, 2.088066e-4, 1e-5);
    CHECK_NEAR(p.x2[0], 1.1514726, 1e-7);
    start_pair(&p, AC_TRACK_L2, 1e-6, AC_CANCEL_PROJECTED);
    run_pair(&p);
    NEAR_SHARE(p.rms, 5.219649e-2, 1e-6);
    NEAR_SHARE(p.gap, 3.976619e-6, 1e-5);
    CHECK_NEAR(p.x1[2], 1.0737897, 1e-7);
    CHECK_NEAR(p.x2[0], 1.24418681, 1e-7);
    CHECK(servo.reaction > 50.0 * p.reaction);
    start_pair(&p, AC_TRACK_L2, 1e-6, AC_CANCEL_NONE);
    run_pair(&p);
    NEAR_SHARE(p.rms, 6.796023e-2, 1e-6);
    start_pair(&p, AC_TRACK_L2, 1e-6, AC_CANCEL_OWN);
    run_pair(&p);
    NEAR_SHARE(p.rms, 5.566789e-2, 1e-6);
    /* rotations instead of Kardan angles: the same motion, and joints as tight with the damped method */
    start_pair(&p, AC_TRACK_L2, 1e-6, AC_CANCEL_PROJECTED);
    p.settings.chart = AC_CHART_ROTATION;
    run_pair(&p);
    CHECK_NEAR(p.x1[2], 1.0737897, 1e-3);
    CHECK(p.gap < 1e-5);
    start_pair(&p, AC_TRACK_DISCRETE, 1e-7, AC_CANCEL_PROJECTED);
    p.settings.chart = AC_CHART_ROTATION;
    run_pair(&p);
    CHECK(p.gap < 1e-5);
    CHECK(p.rms < 1e-2);
    start_pair(&p, AC_TRACK_EXACT, 1e-7, AC_CANCEL_PROJECTED);
    p.settings.chart = AC_CHART_ROTATION;
    run_pair(&p);
    CHECK(p.gap < 2e-5);
    CHECK(p.rms < 2e-2);
}

/* --- drift --- */

static double drift(double h, double eps, double level, double x[3])
{
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    double place[3] = {sin(1.0), 0.0, -cos(1.0)}, origin[3] = {0};
    int bob = rig_point(&r, "bob", 1.0, 3, place[0], place[1], place[2]);
    rig_moving(&r, bob, (double[3]){0, 1, 0}, origin);
    rig_distance(&r, "rod", AC_GROUND, bob, origin, place);
    CHECK(rig_finish(&r) == AC_OK);
    ac_track_settings settings;
    ac_track_defaults(&settings);
    settings.step = h;
    settings.method = AC_TRACK_L2; /* moves first; there is no target */
    settings.joint_stabilisation = eps;
    settings.joint_tolerance = 0.1; /* joints may drift */
    settings.acceleration_level = level;
    settings.move_limit = 1e9;
    ac_track *t = NULL;
    CHECK(ac_track_new(r.ctx, r.system, &settings, &t) == AC_OK);
    double most = 0.0;
    ac_pose pose;
    for (long k = 0; k < lround(10.0 / h); ++k) {
        ac_track_step(t);
        most = fmax(most, 2.0 * ac_track_residual(t)); /* the row is half of |x|^2 - 1 */
    }
    ac_track_pose(t, bob, &pose);
    memcpy(x, pose.position, sizeof pose.position);
    CHECK(ac_track_counted(t).projected == 0);
    ac_track_free(t);
    rig_close(&r);
    return most;
}

TEST(drift_off)
{
    double x[3];
    NEAR_SHARE(drift(1e-3, 0.2, 0.0, x), 4.626017e-5, 1e-6);
    CHECK_NEAR(x[0], 0.36332935, 1e-7);
    CHECK_NEAR(x[2], -0.8464695, 1e-7);
    NEAR_SHARE(drift(1e-3, 0.8, 0.0, x), 1.156710e-5, 1e-6);
    NEAR_SHARE(drift(5e-4, 0.2, 0.0, x), 1.156660e-5, 1e-6);
    NEAR_SHARE(drift(1e-2, 0.0, 10.0, x), 3.153e-7, 1e-3);
    CHECK_NEAR(x[0], 0.36199693, 1e-5);
    NEAR_SHARE(drift(1e-2, 0.0, -1.0, x), 1.527e-5, 1e-3);
    NEAR_SHARE(drift(1e-2, 0.0, 50.0, x), 7.77e-6, 1e-3);
}

TEST(unstabilised_drift)
{
    double x[3];
    NEAR_SHARE(drift(1e-3, 0.0, 0.0, x), 4.876578e-2, 1e-5);
    NEAR_SHARE(drift(5e-4, 0.0, 0.0, x), 2.453992e-2, 1e-5);
}

RUN_TESTS(CASE(servo_follows_velocity_not_position), CASE(stabilised_servo), CASE(impulse_servo),
          CASE(published_l2), CASE(published_l2_under_gravity), CASE(published_neumann),
          CASE(published_mixed), CASE(gravity_in_the_control_equation), CASE(damped_methods),
          CASE(velocity_term_damps), CASE(two_bodies), CASE(drift_off), CASE(unstabilised_drift))
