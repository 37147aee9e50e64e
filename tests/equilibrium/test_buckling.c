/* Columns, their bifurcations and branches against Euler's solutions; and mechanisms that settle far from
 * where they were drawn. */
#include "actio/equilibrium.h"
#include "model/system.h"
#include "support/beams.h"
#include "support/rig.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

/* A column of unit length and stiffness along x, clamped at the origin, with a unit load at its end; stiff
 * about its other axis. */
static ac_system *column(ac_context *ctx, ac_beam_model model, int elements, int *tip)
{
    beam_data d = {.model = model,
                   .elements = elements,
                   .length = 1.0,
                   .shear = 1e6,
                   .axial = 1e6,
                   .bending = {100, 1},
                   .torsion = 100,
                   .mass = 1,
                   .inertia = 0.01,
                   .order = 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "column", &d, NULL);
    *tip = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, *tip, -1, 0, 0);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

typedef struct journey {
    int bifurcations;
    double critical[8];
    int negative;    /* at the last point */
    double level[3]; /* tip at the wanted load */
    bool level_reached;
    ac_status status;
} journey;

static journey travel(ac_context *ctx, const ac_system *system, int tip,
                      const ac_equilibrium_settings *settings)
{
    journey j = {0};
    ac_equilibrium *equilibrium = NULL;
    j.status = ac_equilibrium_new(ctx, system, settings, &equilibrium);
    for (bool done = false; j.status == AC_OK && !done;) {
        j.status = ac_equilibrium_next(equilibrium, &done);
        if (j.status != AC_OK || done) break;
        const ac_equilibrium_point *p = ac_equilibrium_at(equilibrium);
        if (p->event == AC_EVENT_BIFURCATION && j.bifurcations < 8) j.critical[j.bifurcations++] = p->factor;
        if (p->event == AC_EVENT_LEVEL && !j.level_reached) {
            memcpy(j.level, ac_equilibrium_configuration(equilibrium) + system->nodes[tip].q, sizeof j.level);
            j.level_reached = true;
        }
        j.negative = p->negative;
    }
    CHECK(j.status == AC_OK);
    if (j.status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    ac_equilibrium_free(equilibrium);
    return j;
}

static ac_equilibrium_settings path(double step, int points, int branch)
{
    ac_equilibrium_settings settings;
    ac_equilibrium_defaults(&settings);
    settings.follow = true;
    settings.arc_step = step;
    settings.points = points;
    settings.branch = branch;
    return settings;
}

/* P_k = ((2 k - 1) pi / 2)^2 EI / L^2, whatever the step; each loses one stable direction. */
TEST(buckling_loads_are_eulers)
{
    ac_context *ctx = ac_context_new(NULL);
    static const ac_beam_model models[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE};
    for (int m = 0; m < 3; ++m) {
        double critical[2][3];
        for (int fine = 0; fine < 2; ++fine) {
            int tip;
            ac_system *system = column(ctx, models[m], fine ? 80 : 40, &tip);
            ac_equilibrium_settings settings = path(3e-5, 3, 0);
            journey j = travel(ctx, system, tip, &settings);
            CHECK(j.bifurcations >= 2);
            CHECK(j.negative == j.bifurcations);
            for (int k = 0; k < 2; ++k) critical[fine][k] = j.critical[k];
            if (fine) {
                ac_system_free(system);
                continue;
            }
            settings = path(1e-3, 2, 0); /* many bifurcations within one step: each is found */
            j = travel(ctx, system, tip, &settings);
            CHECK_NEAR(j.critical[0], critical[fine][0], 1e-6);
            ac_system_free(system);
        }
        for (int k = 0; k < 2; ++k) {
            double euler = 0.25 * (2 * k + 1) * (2 * k + 1) * PI * PI;
            CHECK_NEAR(critical[1][k] / euler, 1.0, 2e-3 * (k + 1) * (k + 1));
            /* the limit of short elements; shear and compression change it by P / 1e6 */
            CHECK_NEAR((4.0 * critical[1][k] - critical[0][k]) / 3.0 / euler, 1.0, 4e-5 * (2 * k + 1));
        }
    }
    ac_context_free(ctx);
}

/* The elastica: with the tip turned by 60 degrees, P = K^2 EI / L^2, x = (2 E / K - 1) L, y = 2 k L / K, k
 * = 1/2. */
TEST(the_branch_is_the_elastica)
{
    const double K = 1.6857503548125961, E = 1.4674622093394272;
    ac_context *ctx = ac_context_new(NULL);
    double tips[2][2];
    for (int fine = 0; fine < 2; ++fine) {
        for (int side = 0; side < (fine ? 1 : 2); ++side) {
            int tip;
            ac_system *system = column(ctx, AC_BEAM_VERTEX, fine ? 80 : 40, &tip);
            ac_equilibrium_settings settings = path(0.05, 20, 1);
            settings.other_side = side == 1;
            settings.level_count = 1;
            settings.levels[0] = K * K;
            journey j = travel(ctx, system, tip, &settings);
            CHECK(j.level_reached);
            CHECK(j.negative == 0); /* the bent column is stable */
            double y = side ? -tips[fine][1] : j.level[2];
            CHECK_NEAR(j.level[1], 0.0, 1e-9);
            if (side) CHECK_NEAR(j.level[2], y, 1e-6);
            if (side) CHECK_NEAR(j.level[0], tips[fine][0], 1e-6);
            tips[fine][0] = j.level[0];
            tips[fine][1] = side ? -j.level[2] : j.level[2];
            ac_system_free(system);
        }
        CHECK_NEAR(tips[fine][0], 2.0 * E / K - 1.0, fine ? 5e-4 : 2e-3);
    }
    CHECK_NEAR((4.0 * tips[1][0] - tips[0][0]) / 3.0, 2.0 * E / K - 1.0, 2e-5);
    CHECK_NEAR(fabs((4.0 * tips[1][1] - tips[0][1]) / 3.0), 1.0 / K, 2e-5);
    ac_context_free(ctx);
}

/* The path can be left at a later bifurcation, too: the branch is unstable there. */
TEST(a_later_branch_on_request)
{
    ac_context *ctx = ac_context_new(NULL);
    int tip;
    ac_system *system = column(ctx, AC_BEAM_VERTEX, 40, &tip);
    ac_equilibrium_settings settings = path(2e-5, 4, 2);
    journey j = travel(ctx, system, tip, &settings);
    CHECK(j.bifurcations >= 2);
    CHECK_NEAR(j.critical[1] / j.critical[0], 9.0, 0.1);
    CHECK(j.negative == 1);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* A pendulum drawn level, with hardly a spring: the smallest load step swings it round, so that it has to
 * settle hanging down. */
TEST(a_pendulum_settles)
{
    rig r;
    ac_equilibrium_settings settings;
    ac_equilibrium *equilibrium;
    static const double end[2] = {1.0, 0.0}, start[2] = {0.0, 0.0}, pivot[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    rig_open(&r, NULL);
    rig_gravity(&r, 0, -9.81, 0);
    int rod = rig_planar_rod(&r, "rod", start, end, 1.0);
    int joint = rig_joint(&r, "pivot", AC_REVOLUTE, AC_GROUND, rod, pivot, z, NULL);
    rig_joint_spring(&r, joint, 0, 1e-3, 0, 0);
    CHECK(rig_finish(&r) == AC_OK);
    ac_equilibrium_defaults(&settings);
    CHECK(ac_equilibrium_new(r.ctx, r.system, &settings, &equilibrium) == AC_OK);
    bool done = false;
    CHECK(ac_equilibrium_next(equilibrium, &done) == AC_OK);
    CHECK(ac_equilibrium_at(equilibrium)->negative == 0);
    CHECK(ac_equilibrium_configuration(equilibrium)[1] < -0.499);
    ac_equilibrium_free(equilibrium);
    rig_close(&r);
}

RUN_TESTS(CASE(buckling_loads_are_eulers), CASE(the_branch_is_the_elastica), CASE(a_later_branch_on_request),
          CASE(a_pendulum_settles))
