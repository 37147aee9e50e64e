/* Lanes: the motion of the reduced midpoint step up to rounding, on trees of every joint; the same bits whatever runs
 * beside a lane; and failures stay in their lane. */
#include <stdlib.h>

#include "actio/actio.h"
#include "ensemble/lanes.h"
#include "support/rig.h"
#include "test.h"

enum { STEPS = 60, VARIANTS = 6 };

static const ac_joint_type JOINTS[] = {AC_SPHERICAL, AC_CYLINDRICAL, AC_REVOLUTE, AC_PRISMATIC,
                                       AC_PLANAR,    AC_FIXED,       AC_UNIVERSAL};
enum { JOINT_COUNT = sizeof JOINTS / sizeof *JOINTS };

/* Two branches on a trunk: joint `first` below joint `second`, one of them drawn from the child to the parent, with loads
 * of every kind; the same words for every variant, other numbers. */
static void draw_tree(rig *r, int first, int second, bool grounded, int variant)
{
    dice d = {(uint64_t)(1000 + variant)};
    double x[4][3] = {{0.2, 0.1, 0.3}, {0.8, 0.3, 0.1}, {1.2, -0.6, 0.4}, {1.9, 0.2, -0.3}},
           axis[3] = {0.6, 0.0, 0.8};
    int body[4];
    rig_open(r, NULL);
    rig_gravity(r, 0.3, -1.0, -9.0);
    for (int k = 0; k < 4; ++k) {
        const char name[] = {(char)('a' + k), 0};
        double rotation[9];
        dice_rotation(&d, rotation);
        for (int i = 0; i < 3; ++i) x[k][i] += dice_between(&d, -0.1, 0.1);
        body[k] = rig_odd_body(r, name, &d, x[k], rotation, !grounded && k == 0);
    }
    if (grounded) rig_joint(r, "base", AC_REVOLUTE, AC_GROUND, body[0], x[0], axis, NULL);
    int one = rig_joint(r, "one", JOINTS[first], body[0], body[1], x[1], axis, NULL);
    rig_joint(r, "two", JOINTS[second], body[2], body[1], x[2], axis, NULL); /* drawn backwards */
    rig_joint(r, "three", AC_REVOLUTE, body[1], body[3], x[3], axis, NULL);
    rig_force(r, body[3], x[3], false, "3*sin(4*t)", NULL, "1");
    rig_force(r, body[2], x[2], true, "2", "cos(5*t)", NULL);
    rig_torque(r, body[1], false, NULL, "0.3*cos(t)", "0.1");
    rig_torque(r, body[2], true, "0.2*t", NULL, NULL);
    if (JOINTS[first] == AC_REVOLUTE || JOINTS[first] == AC_CYLINDRICAL) rig_joint_load(r, one, 0, "0.5*t");
    CHECK(rig_finish(r) == AC_OK);
}

static ac_simulation_settings settings_of(double h)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = h;
    settings.steps = STEPS;
    return settings;
}

/* The configuration after all steps of a simulation; false: it fails. */
static bool simulated(const rig *r, const ac_simulation_settings *settings, double *q)
{
    ac_simulation *simulation = NULL;
    ac_status status = ac_simulation_new(r->ctx, r->system, settings, &simulation);
    for (int n = 0; n < STEPS && status == AC_OK; ++n) status = ac_simulation_step(simulation);
    if (status == AC_OK) memcpy(q, ac_simulation_configuration(simulation), (size_t)r->system->n * sizeof *q);
    ac_simulation_free(simulation);
    return status == AC_OK;
}

/* Runs lanes of the given variants; failed lanes keep their q. */
static void run_lanes(ac_lanes *lanes, const rig *rigs, const int variants[AC_LANES],
                      double *const q[AC_LANES])
{
    const ac_system *systems[AC_LANES];
    for (int l = 0; l < AC_LANES; ++l) systems[l] = rigs[variants[l]].system;
    ac_lanes_start(lanes, systems);
    for (int n = 0; n < STEPS; ++n) ac_lanes_step(lanes);
    for (int l = 0; l < AC_LANES; ++l)
        if (!ac_lanes_failed(lanes, l)) ac_lanes_configuration(lanes, l, q[l]);
}

static void compare(int first, int second, bool grounded)
{
    static const int groups[][AC_LANES] = {{0, 1, 2, 3}, {5, 4, 0, 3}, {2, 2, 2, 2}};
    rig rigs[VARIANTS];
    ac_lanes *lanes = NULL;
    ac_simulation_settings settings = settings_of(0.01);
    double reference[VARIANTS][48], own[VARIANTS][48], q[AC_LANES][48];
    bool known[VARIANTS] = {false};
    for (int v = 0; v < VARIANTS; ++v) {
        draw_tree(&rigs[v], first, second, grounded, v);
        CHECK(simulated(&rigs[v], &settings, reference[v]));
        CHECK(largest_difference(48, reference[v], rigs[v].system->initial.q) > 0.01); /* it moved */
    }
    CHECK(ac_lanes_take(rigs[0].system, &settings));
    CHECK(ac_lanes_new(rigs[0].ctx, rigs[0].system, &settings, &lanes) == AC_OK);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
        double *const to[AC_LANES] = {q[0], q[1], q[2], q[3]};
        run_lanes(lanes, rigs, groups[g], to);
        for (int l = 0; l < AC_LANES; ++l) {
            int v = groups[g][l];
            CHECK(!ac_lanes_failed(lanes, l));
            double off = largest_difference(48, q[l], reference[v]);
            if (!(off < 1e-9)) printf("joints %d and %d, variant %d: %g\n", first, second, v, off);
            CHECK_NEAR(off, 0.0, 1e-9);
            if (known[v]) CHECK(memcmp(own[v], q[l], sizeof own[v]) == 0);
            memcpy(own[v], q[l], sizeof own[v]);
            known[v] = true;
        }
    }
    ac_lanes_free(lanes);
    for (int v = 0; v < VARIANTS; ++v) rig_close(&rigs[v]);
}

TEST(lanes_move_as_the_reduced_step_does)
{
    for (int first = 0; first < JOINT_COUNT; ++first)
        for (int second = 0; second < JOINT_COUNT; ++second)
            if (JOINTS[second] != AC_UNIVERSAL) /* drawn backwards it is not taken */
                compare(first, second, (first + second) % 2 == 0);
}

/* A step far too large for one lane: that lane fails, the others do not notice. */
TEST(a_failure_stays_in_its_lane)
{
    rig rigs[2];
    ac_lanes *lanes = NULL;
    ac_simulation_settings settings = settings_of(0.01);
    static const int calm[AC_LANES] = {0, 0, 0, 0}, mixed[AC_LANES] = {0, 1, 0, 1};
    double q[2][AC_LANES][12] = {0};
    for (int k = 0; k < 2; ++k) {
        const double inertia[3] = {0.1, 0.2, 0.3}, spin[3] = {k ? 900.0 : 1.0, 2.0, 0.5}, zero[3] = {0};
        rig_open(&rigs[k], NULL);
        rig_body(&rigs[k], "top", 1.0, inertia, zero, NULL);
        rig_moving(&rigs[k], 0, zero, spin);
        CHECK(rig_finish(&rigs[k]) == AC_OK);
    }
    CHECK(ac_lanes_new(rigs[0].ctx, rigs[0].system, &settings, &lanes) == AC_OK);
    for (int g = 0; g < 2; ++g) {
        double *const to[AC_LANES] = {q[g][0], q[g][1], q[g][2], q[g][3]};
        run_lanes(lanes, rigs, g == 0 ? calm : mixed, to);
        for (int l = 0; l < AC_LANES; ++l) CHECK(ac_lanes_failed(lanes, l) == (g == 1 && l % 2 == 1));
    }
    CHECK(memcmp(q[0][0], q[1][0], sizeof q[0][0]) == 0);
    CHECK(memcmp(q[0][2], q[1][2], sizeof q[0][2]) == 0);
    ac_lanes_free(lanes);
    for (int k = 0; k < 2; ++k) rig_close(&rigs[k]);
}

/* What lanes do not take is refused. */
TEST(other_systems_are_refused)
{
    const double o[3] = {0, 0, 0}, e[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    ac_simulation_settings settings = settings_of(0.01), other = settings;
    for (int k = 0; k < 5; ++k) {
        rig r;
        rig_open(&r, NULL);
        int rod = k == 3 ? rig_point(&r, "p", 1.0, 3, 1, 0, 0) : rig_rod(&r, "rod", o, e, 1.0);
        int joint = rig_joint(&r, "pin", k == 3 ? AC_SPHERICAL : AC_REVOLUTE, AC_GROUND, rod, k == 3 ? e : o,
                              z, NULL);
        if (k == 1) rig_joint_spring(&r, joint, 0, 1.0, 0.0, 0.0);
        if (k == 2) rig_distance(&r, "stay", AC_GROUND, rod, z, e);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK(ac_lanes_take(r.system, &settings) == (k == 0 || k == 4));
        other.scheme = "trapezoidal";
        if (k == 4) CHECK(!ac_lanes_take(r.system, &other));
        rig_close(&r);
    }
}

RUN_TESTS(CASE(lanes_move_as_the_reduced_step_does), CASE(a_failure_stays_in_its_lane),
          CASE(other_systems_are_refused))
