/* What a tracker must bear: closed loops, orientations, dampers anywhere, limits, jumps of any size, signals that are not
 * numbers, joints and bodies that come and go; and no allocation after it is made. */
#include <stdlib.h>

#include "actio/track.h"
#include "support/rig.h"
#include "test.h"

static const double small[3] = {0.02, 0.03, 0.04};

static ac_track *make(rig *r, const ac_track_settings *settings)
{
    ac_track *t = NULL;
    CHECK(rig_finish(r) == AC_OK);
    CHECK(ac_track_new(r->ctx, r->system, settings, &t) == AC_OK);
    if (!t) printf("%s\n", ac_context_message(r->ctx));
    return t;
}

static void put(ac_track *t, int target, double x, double y, double z)
{
    ac_track_place place = {.position = {x, y, z}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    CHECK(ac_track_set_place(t, target, &place));
}

static bool is_finite(const ac_track *t, int nodes)
{
    bool good = true;
    for (int i = 0; i < nodes; ++i) {
        ac_pose pose;
        double v[3], w[3];
        ac_track_pose(t, i, &pose);
        ac_track_twist(t, i, v, w);
        for (int k = 0; k < 3; ++k) good &= isfinite(pose.position[k]) && isfinite(v[k]) && isfinite(w[k]);
        for (int k = 0; k < 9; ++k) good &= isfinite(pose.rotation[k]);
    }
    return good;
}

/* A free top: angular momentum is kept whatever the step. */
TEST(free_top_keeps_its_momentum)
{
    rig r;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    settings.step = 1e-2;
    rig_open(&r, NULL);
    int top = rig_body(&r, "top", 1.0, (double[3]){1, 2, 2.5}, (double[3]){0, 0, 0}, NULL);
    rig_moving(&r, top, (double[3]){0.1, 0, 0}, (double[3]){0.3, 0.2, 0.5});
    ac_track *t = make(&r, &settings);
    double L[2][3];
    for (int e = 0; e < 2; ++e) {
        ac_pose pose;
        double v[3], w[3], body[3];
        ac_track_pose(t, top, &pose);
        ac_track_twist(t, top, v, w);
        for (int k = 0; k < 3; ++k) {
            body[k] = 0.0;
            for (int j = 0; j < 3; ++j) body[k] += pose.rotation[3 * j + k] * w[j];
            body[k] *= (double[3]){1, 2, 2.5}[k];
        }
        for (int k = 0; k < 3; ++k)
            L[e][k] = pose.rotation[3 * k] * body[0] + pose.rotation[3 * k + 1] * body[1] +
                      pose.rotation[3 * k + 2] * body[2];
        for (int k = 0; k < 2000 && e == 0; ++k) ac_track_step(t);
    }
    /* the inertia of the last velocity is that of the place before: first order in the step */
    for (int k = 0; k < 3; ++k) CHECK_NEAR(L[1][k], L[0][k], 5e-3);
    CHECK_NEAR(ac_track_energy(t), 0.005 + 0.5 * (0.09 + 0.08 + 0.625), 5e-3);
    ac_track_free(t);
    rig_close(&r);
}

/* Four bars on revolute joints in space: three of the closing rows are redundant. */
static void four_bar(rig *r, double gravity)
{
    static const double axis[3] = {0, 1, 0};
    const double p[4][3] = {{0, 0, 0}, {0, 0, 1}, {2, 0, 1.5}, {2, 0, 0}};
    rig_open(r, NULL);
    rig_gravity(r, 0, 0, -gravity);
    int a = rig_rod(r, "crank", p[0], p[1], 1.0), b = rig_rod(r, "coupler", p[1], p[2], 1.0),
        c = rig_rod(r, "rocker", p[2], p[3], 1.0);
    rig_joint(r, "A", AC_REVOLUTE, AC_GROUND, a, p[0], axis, NULL);
    rig_joint(r, "B", AC_REVOLUTE, a, b, p[1], axis, NULL);
    rig_joint(r, "C", AC_REVOLUTE, b, c, p[2], axis, NULL);
    rig_joint(r, "D", AC_REVOLUTE, AC_GROUND, c, p[3], axis, NULL);
}

TEST(closed_loop_follows)
{
    for (int m = 0; ac_track_methods()[m]; ++m) {
        rig r;
        ac_track_settings settings;
        ac_track_defaults(&settings);
        settings.method = (ac_track_method)m;
        settings.weights.rho0 = m >= AC_TRACK_L2 ? 1e-6 : 1e-8;
        four_bar(&r, 9.81);
        ac_track *t = make(&r, &settings);
        CHECK(!ac_track_open(t));
        ac_track_target target = {.node = 0, .position = {true, false, false}};
        ac_pose pose;
        ac_track_pose(t, 0, &pose);
        int number = ac_track_add_target(t, &target);
        double gap = 0.0, x0 = pose.position[0];
        for (int k = 0; k < 2000; ++k) {
            double away = 0.1 * sin(3e-3 * (k / 20 * 20));
            put(t, number, x0 + away, 0, 0);
            ac_track_step(t);
            gap = fmax(gap, ac_track_residual(t));
        }
        double error[6];
        ac_track_error(t, number, error);
        CHECK(gap < 2e-4);
        if (m < AC_TRACK_L2) CHECK(fabs(error[0]) < 0.06); /* the published ones oscillate */
        CHECK(is_finite(t, 3));
        CHECK(ac_track_counted(t).faults == 0);
        ac_track_free(t);
        rig_close(&r);
    }
}

TEST(orientation_is_followed_by_rotations)
{
    rig r;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    settings.weights.rho0 = 1e-9;
    rig_open(&r, NULL);
    int body = rig_body(&r, "body", 1.0, small, (double[3]){0, 0, 0}, NULL);
    ac_track *t = make(&r, &settings);
    ac_track_target target = {.node = body, .position = {true, true, true}, .rotation = {true, true, true}};
    int number = ac_track_add_target(t, &target);
    double error[6], most = 0.0;
    for (int k = 0; k < 8000; ++k) { /* more than a full turn about z: no jump at 180 degrees */
        double angle = 1e-3 * k;
        ac_track_place place = {.rotation = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1}};
        CHECK(ac_track_set_place(t, number, &place));
        ac_track_step(t);
        ac_track_error(t, number, error);
        if (k > 500) most = fmax(most, fabs(error[5]));
    }
    CHECK(most < 0.02);
    ac_track_free(t);
    rig_close(&r);
}

/* Dampers on a body, between neighbours of the tree and across it: the same as with explicit small steps. */
TEST(dampers_anywhere)
{
    double end[2] = {0};
    for (int fine = 0; fine < 2; ++fine) {
        rig r;
        ac_track_settings settings;
        ac_track_defaults(&settings);
        settings.step = fine ? 1e-4 : 1e-3;
        rig_open(&r, NULL);
        rig_gravity(&r, 0, 0, -9.81);
        const double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, axis[3] = {0, 1, 0}, above[3] = {0, 0, 1};
        int a = rig_rod(&r, "a", p[0], p[1], 1.0), b = rig_rod(&r, "b", p[1], p[2], 1.0);
        int c = rig_body(&r, "c", 1.0, small, (double[3]){2, 0, 1}, NULL);
        int hinge = rig_joint(&r, "A", AC_REVOLUTE, AC_GROUND, a, p[0], axis, NULL);
        int elbow = rig_joint(&r, "B", AC_REVOLUTE, a, b, p[1], axis, NULL);
        rig_joint_spring(&r, hinge, 0, 0, 2.0, 0);
        rig_joint_spring(&r, elbow, 0, 5.0, 50.0, 0);
        rig_spring(&r, b, c, p[2], (double[3]){2, 0, 1}, 10.0, 400.0, 1.0);
        rig_spring(&r, AC_GROUND, c, above, (double[3]){2, 0, 1}, 10.0, 1.0, 2.0);
        ac_track *t = make(&r, &settings);
        for (long k = 0; k < lround(1.0 / settings.step); ++k) ac_track_step(t);
        ac_pose pose;
        ac_track_pose(t, b, &pose);
        end[fine] = pose.position[2];
        CHECK(is_finite(t, 3));
        CHECK(ac_track_residual(t) < 1e-3);
        ac_track_free(t);
        rig_close(&r);
    }
    CHECK_NEAR(end[0], end[1], 1e-2);
}

TEST(limits_are_honoured)
{
    for (int m = 0; ac_track_methods()[m]; ++m) {
        rig r;
        ac_track_settings settings;
        ac_track_defaults(&settings);
        settings.method = (ac_track_method)m;
        settings.weights.rho0 = 1e-6;
        rig_open(&r, NULL);
        rig_gravity(&r, 0, 0, -9.81);
        int body = rig_body(&r, "body", 2.0, small, (double[3]){0, 0, 0}, NULL);
        ac_track *t = make(&r, &settings);
        ac_track_target target = {
            .node = body, .position = {true, true, true}, .max_force = 60.0, .max_speed = 0.5};
        int number = ac_track_add_target(t, &target);
        double control[6], v[3], w[3], force = 0.0, speed = 0.0, error[6];
        for (int k = 0; k < 6000; ++k) {
            put(t, number, k < 3000 ? 1.0 : -1e3, 0, 0.3);
            ac_track_step(t);
            ac_track_control(t, number, control);
            ac_track_twist(t, body, v, w);
            force = fmax(force, hypot(hypot(control[0], control[1]), control[2]));
            speed = fmax(speed, hypot(hypot(v[0], v[1]), v[2]));
            if (k == 2999) ac_track_error(t, number, error);
        }
        CHECK(force <= 60.0 * (1 + 1e-12));
        CHECK(speed <= 0.5 * 1.1); /* turning round takes longer than a step when the force is limited */
        CHECK(ac_track_counted(t).force_limited > 0);
        CHECK(ac_track_counted(t).speed_limited > 0);
        if (m < AC_TRACK_L2) CHECK(fabs(error[0]) < 0.05);
        ac_track_free(t);
        rig_close(&r);
    }
}

TEST(bad_signals_never_break_anything)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int m = 0; ac_track_methods()[m]; ++m) {
        rig r;
        ac_track_settings settings;
        ac_track_defaults(&settings);
        settings.method = (ac_track_method)m;
        settings.weights.rho0 = 1e-9;
        four_bar(&r, 9.81);
        int loose = rig_body(&r, "loose", 1.0, small, (double[3]){5, 0, 0}, NULL);
        ac_track *t = make(&r, &settings);
        ac_track_target target = {.node = 1, .position = {true, true, true}},
                        other = {
                            .node = loose, .position = {true, true, true}, .rotation = {true, true, true}};
        int number = ac_track_add_target(t, &target), second = ac_track_add_target(t, &other);
        dice d = {12345};
        double gap = 0.0;
        for (int k = 0; k < 3000; ++k) {
            double size = pow(10.0, dice_between(&d, -3, k % 100 == 0 ? 300 : 6));
            ac_track_place place = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            for (int c = 0; c < 3; ++c) place.position[c] = size * dice_between(&d, -1, 1);
            CHECK(ac_track_set_place(t, k % 2 ? number : second, &place));
            place.position[k % 3] = bad[k % 3];
            CHECK(!ac_track_set_place(t, number, &place));
            place.position[k % 3] = 0.0;
            place.rotation[0] = 3.0;
            CHECK(!ac_track_set_place(t, second, &place));
            ac_track_step(t);
            gap = fmax(gap, ac_track_residual(t));
        }
        CHECK(is_finite(t, 4));
        CHECK(gap < 0.2);
        CHECK(ac_track_counted(t).refused == 6000);
        ac_track_free(t);
        rig_close(&r);
    }
}

TEST(joints_bodies_and_targets_come_and_go)
{
    rig r;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    four_bar(&r, 9.81);
    ac_track *t = make(&r, &settings);
    ac_track_target target = {.node = 0, .position = {true, true, true}};
    ac_pose pose;
    for (int k = 0; k < 100; ++k) ac_track_step(t);
    CHECK(ac_track_set_joint(t, 3, false)); /* the rocker swings freely, the coupler hangs on the crank */
    for (int k = 0; k < 300; ++k) ac_track_step(t);
    CHECK(ac_track_residual(t) < 1e-3);
    CHECK(ac_track_set_node(t, 2, false)); /* the rocker is gone */
    for (int k = 0; k < 200; ++k) ac_track_step(t);
    ac_track_pose(t, 0, &pose);
    int number = ac_track_add_target(t, &target);
    put(t, number, pose.position[0], pose.position[1], pose.position[2]);
    for (int k = 0; k < 100; ++k) ac_track_step(t);
    ac_track_remove_target(t, number);
    CHECK(ac_track_set_node(t, 2, true));
    CHECK(ac_track_set_joint(t, 3, true));
    for (int k = 0; k < 3000; ++k) ac_track_step(t);
    CHECK(ac_track_residual(t) < 1e-3);
    CHECK(is_finite(t, 3));
    CHECK(!ac_track_set_joint(t, 9, true));
    CHECK(!ac_track_set_node(t, -1, true));
    ac_track_free(t);
    rig_close(&r);
}

/* A link that is put in hangs on its neighbour, which has turned and moves: no gap, no blow. A joint that is closed across a gap
 * puts its bodies together before the step, so that the gap never becomes a force. */
TEST(what_is_put_in_hangs_where_it_belongs)
{
    rig r;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    const double p[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, axis[3] = {0, 1, 0};
    int a = rig_rod(&r, "a", p[0], p[1], 1.0), b = rig_rod(&r, "b", p[1], p[2], 1.0);
    rig_joint(&r, "A", AC_REVOLUTE, AC_GROUND, a, p[0], axis, NULL);
    rig_joint(&r, "B", AC_SPHERICAL, a, b, p[1], axis, NULL);
    ac_track *t = make(&r, &settings);
    double v[3], w[3], spin[3];
    CHECK(ac_track_set_node(t, b, false));
    for (int k = 0; k < 400; ++k) ac_track_step(t);
    ac_track_twist(t, a, v, w);
    CHECK(fabs(w[1]) > 2.0); /* it has swung down and is fast */
    double before = ac_track_reaction(t);
    CHECK(ac_track_set_node(t, b, true));
    ac_track_twist(t, b, v, spin);
    CHECK_NEAR(spin[1], w[1], 1e-14);
    CHECK(ac_track_step(t) == 0);
    CHECK(ac_track_residual(t) < 1e-4);
    CHECK(ac_track_reaction(t) < 20.0 * before);
    CHECK(ac_track_set_joint(t, 1, false));
    for (int k = 0; k < 500; ++k) ac_track_step(t);
    CHECK(ac_track_set_joint(t, 1, true));
    CHECK(ac_track_is_closed(t, 1) && !ac_track_is_closed(t, 7));
    CHECK(ac_track_step(t) == AC_TRACK_PROJECTED);
    CHECK(ac_track_residual(t) < 1e-3);
    CHECK(is_finite(t, 2));
    ac_track_free(t);
    rig_close(&r);
}

/* A target that is let go has no force and keeps its place; it is followed again from there. */
TEST(targets_are_let_go_and_followed_again)
{
    rig r;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    rig_open(&r, NULL);
    int a = rig_body(&r, "a", 1.0, (double[3]){0.1, 0.1, 0.1}, (double[3]){0, 0, 0}, NULL);
    ac_track *t = make(&r, &settings);
    ac_track_target target = {.node = a, .position = {true, true, true}};
    ac_track_place place;
    double u[6], e[6];
    int number = ac_track_add_target(t, &target);
    CHECK(!ac_track_get_place(t, number, &place));
    put(t, number, 0.1, 0, 0);
    for (int k = 0; k < 5; ++k) ac_track_step(t);
    ac_track_control(t, number, u);
    CHECK(u[0] != 0.0);
    CHECK(ac_track_set_followed(t, number, false) && !ac_track_is_followed(t, number));
    ac_track_step(t);
    ac_track_control(t, number, u);
    CHECK(u[0] == 0.0);
    CHECK(ac_track_get_place(t, number, &place));
    CHECK_NEAR(place.position[0], 0.1, 0.0);
    CHECK(ac_track_set_followed(t, number, true));
    for (int k = 0; k < 3000; ++k) ac_track_step(t);
    ac_track_error(t, number, e);
    CHECK_NEAR(e[0], 0.0, 1e-6);
    CHECK(!ac_track_set_followed(t, 3, true) && !ac_track_is_followed(t, 3));
    ac_track_free(t);
    rig_close(&r);
}

static long allocations;

static void *counted(void *user, size_t size)
{
    (void)user;
    ++allocations;
    return malloc(size);
}

static void freed(void *user, void *block)
{
    (void)user;
    free(block);
}

TEST(nothing_allocates_and_bits_repeat)
{
    ac_allocator allocator = {counted, freed, NULL};
    ac_context *ctx = ac_context_new(&allocator);
    uint64_t sums[2];
    for (int run = 0; run < 2; ++run) {
        rig r;
        ac_track_settings settings;
        ac_track_defaults(&settings);
        rig_open(&r, ctx);
        rig_gravity(&r, 0, 0, -9.81);
        const double p[2][3] = {{0, 0, 0}, {1, 0, 0}}, axis[3] = {0, 1, 0};
        int a = rig_rod(&r, "a", p[0], p[1], 1.0);
        rig_joint(&r, "A", AC_REVOLUTE, AC_GROUND, a, p[0], axis, NULL);
        ac_track *t = make(&r, &settings);
        long before = allocations;
        ac_track_target target = {.node = a, .position = {true, true, true}};
        int number = ac_track_add_target(t, &target);
        for (int k = 0; k < 500; ++k) {
            put(t, number, 0.4, 0, 0.1 * (k / 50));
            ac_track_step(t);
        }
        ac_track_remove_target(t, number);
        ac_track_reset(t);
        number = ac_track_add_target(t, &target);
        for (int k = 0; k < 500; ++k) {
            put(t, number, 0.4, 0, 0.1 * (k / 50));
            ac_track_step(t);
        }
        CHECK(allocations == before);
        sums[run] = ac_track_checksum(t);
        ac_track_free(t);
        rig_close(&r);
    }
    CHECK(sums[0] == sums[1]);
    ac_context_free(ctx);
}

/* Gains by exact rational arithmetic of the splines, and in closed form, of rho0 and rho1 with steps of 1 ms. */
TEST(yukawa_gains)
{
    ac_yukawa_gain g;
    static const struct {
        double rho0, rho1, splines, green; /* rho0 mu(t_k+1) of the right-hand side 1 - s/h */
    } neumann[] = {
        {1e-6, 5e-13, 4.3052051284e-1, 4.3052858579e-1}, {1e-5, 5e-13, 2.1829206670e-1, 2.1855602008e-1},
        {5e-6, 5e-13, 2.9044313935e-1, 2.9054360730e-1}, {5e-7, 5e-13, 4.6211483958e-1, 4.6211715726e-1},
        {5e-7, 1e-13, 3.6081319641e-1, 3.6084948921e-1}, {5e-7, 1e-14, 1.4025648756e-1, 1.4118133451e-1}};
    for (size_t k = 0; k < sizeof neumann / sizeof *neumann; ++k) {
        CHECK(
            ac_yukawa_gains(AC_TRACK_NEUMANN, AC_YUKAWA_SPLINES, 1e-3, neumann[k].rho0, neumann[k].rho1, &g));
        CHECK_NEAR(g.b, neumann[k].splines, 1e-10);
        CHECK_NEAR(g.c, 1.0, 1e-12);
        CHECK(ac_yukawa_gains(AC_TRACK_NEUMANN, AC_YUKAWA_GREEN, 1e-3, neumann[k].rho0, neumann[k].rho1, &g));
        CHECK_NEAR(g.b, neumann[k].green, 1e-10);
    }
    static const struct {
        double rho0, rho1, a[3], b[3];
    } mixed[] = {{5e-6, 6e-12, {0.72570697, 0.69136408, 0.69136323}, {0.08204995, 0.10010068, 0.10010393}},
                 {6e-6, 6e-12, {0.68547030, 0.64805560, 0.64805427}, {0.09366049, 0.11353535, 0.11353988}},
                 {1e-5, 6e-12, {0.55528493, 0.51133031, 0.51132611}, {0.13007754, 0.15434081, 0.15435201}},
                 {6e-6, 1e-12, {0.20592303, 0.17143531, 0.17139763}, {0.20848371, 0.23072858, 0.23080938}}};
    static const ac_track_yukawa ways[] = {AC_YUKAWA_SPLINES, AC_YUKAWA_FULL, AC_YUKAWA_GREEN};
    for (size_t k = 0; k < sizeof mixed / sizeof *mixed; ++k) {
        for (int way = 0; way < 3; ++way) {
            CHECK(ac_yukawa_gains(AC_TRACK_MIXED, ways[way], 1e-3, mixed[k].rho0, mixed[k].rho1, &g));
            CHECK_NEAR(g.a, mixed[k].a[way], 6e-9);
            CHECK_NEAR(g.b, mixed[k].b[way], 6e-9);
            CHECK_NEAR(g.a + g.c, 1.0, 1e-12);
        }
    }
    /* u = int G(t, s) (1 - s) ds for rho0 = 3, rho1 = 0.5 on [0, 1] */
    static const double u[][2] = {{0.3, 0.195809356}, {0.8, 0.125764474}, {0.0, 0.218881159}};
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (int i = 0; i < 20000; ++i) {
            double s = (i + 0.5) / 20000;
            sum += (1.0 - s) * ac_yukawa_green(3.0, 0.5, 1.0, u[k][0], s) / 20000;
        }
        CHECK_NEAR(sum, u[k][1], 1e-8);
    }
    CHECK(isfinite(ac_yukawa_green(1e-5, 5e-13, 10.0, 3.0, 9.0)));
    CHECK(!ac_yukawa_gains(AC_TRACK_MIXED, AC_YUKAWA_FULL, 1e-3, -1.0, 1.0, &g));
    CHECK(!ac_yukawa_gains(AC_TRACK_MIXED, AC_YUKAWA_FULL, 1e-3, 1.0, 0.0, &g));
}

TEST(deadlines)
{
    ac_deadlines d;
    ac_deadlines_start(&d, 1e-3);
    for (int k = 0; k < 990; ++k) ac_deadlines_add(&d, 5e-6);
    for (int k = 0; k < 10; ++k) ac_deadlines_add(&d, 2e-3);
    ac_deadlines_add(&d, -1.0);
    CHECK(d.missed == 10);
    CHECK(d.count == 1001);
    CHECK_NEAR(d.worst, 2e-3, 1e-12);
    CHECK(ac_deadlines_quantile(&d, 0.9) <= 6.4e-6 * (1 + 1e-12));
    CHECK_NEAR(ac_deadlines_quantile(&d, 1.0), 2e-3, 1e-12);
}

RUN_TESTS(CASE(free_top_keeps_its_momentum), CASE(closed_loop_follows),
          CASE(orientation_is_followed_by_rotations), CASE(dampers_anywhere), CASE(limits_are_honoured),
          CASE(bad_signals_never_break_anything), CASE(joints_bodies_and_targets_come_and_go),
          CASE(what_is_put_in_hangs_where_it_belongs), CASE(targets_are_let_go_and_followed_again),
          CASE(nothing_allocates_and_bits_repeat), CASE(yukawa_gains), CASE(deadlines))
