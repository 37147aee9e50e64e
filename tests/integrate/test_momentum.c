/* Momentum maps: a free pair with any joint and random loads in its joint keeps its linear and angular
 * momentum to round-off; forces and torques from outside change them by exactly what they give. */
#include "base/vector.h"
#include "support/mechanisms.h"
#include "support/joints.h"
#include "support/record.h"
#include "test.h"

static const char *const SIGNALS[3] = {"0.6*sin(37*t)+0.2", "0.5*cos(53*t+1)", "0.3*sin(71*t+2)"};
enum { STEPS = 200 };

static int draw_free_pair(rig *r, ac_joint_type type, int nodes[2])
{
    dice d = {101};
    const double x[2][3] = {{0, 0, 0}, {0.8, 0.1, -0.2}}, at[3] = {0.4, 0.1, 0.1},
                 other[3] = {0.7, -0.2, 0.3}, axis[3] = {0.3, 1, 0.5};
    const double c[3] = {0.2, -0.1, 0.3};
    for (int k = 0; k < 2; ++k) {
        double R[9];
        dice_rotation(&d, R);
        nodes[k] = rig_odd_body(r, k ? "second" : "first", &d, x[k], R, true);
    }
    if (type == AC_DISTANCE) return rig_distance(r, "pair", nodes[0], nodes[1], at, other);
    int joint = rig_joint(r, "pair", type, nodes[1], nodes[0], at, axis, c);
    const ac_joint_row *row = ac_joint_find(type);
    for (int k = 0; !ac_row_is_ball(row) && k < ac_row_coordinates(row); ++k)
        rig_joint_load(r, joint, k, SIGNALS[k]);
    return joint;
}

/* Largest change of both momentum maps over a run, relative to the size of the angular momentum. */
static double largest_change(const rig *r, const char *scheme, const char *formulation, double h, int steps)
{
    record run;
    ac_simulation_settings settings = record_settings(scheme, formulation, h);
    double first[6] = {0}, change = 0.0;
    settings.momentum_about[0] = 0.3;
    settings.momentum_about[1] = -2.0;
    CHECK(record_open(&run, r->ctx, r->system, &settings) == AC_OK);
    for (int k = 0; k < steps && run.status == AC_OK; ++k) {
        record_steps(&run, 1);
        record_node(&run, false);
        const double *maps = record_at(&run, "momentum/linear"); /* the angular one follows */
        if (k == 0) memcpy(first, maps, sizeof first);
        change = fmax(change, largest_difference(6, maps, first));
    }
    record_node(&run, true);
    change = fmax(change, largest_difference(6, record_at(&run, "momentum/linear"), first));
    if (run.status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
    CHECK(run.status == AC_OK);
    record_close(&run);
    CHECK(largest_entry(3, first) > 0.1 && largest_entry(3, first + 3) > 0.1);
    return change / largest_entry(6, first);
}

TEST(free_pairs_keep_momentum)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int t = 0; t < TYPE_COUNT; ++t)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                rig r;
                int nodes[2];
                rig_open(&r, NULL);
                draw_free_pair(&r, TYPES[t], nodes);
                CHECK(rig_finish(&r) == AC_OK);
                double change = largest_change(&r, *scheme, formulations[f], 0.01, STEPS);
                if (!(change <= 1e-12)) printf("  joint %d, %s, %s\n", t, *scheme, formulations[f]);
                CHECK_NEAR(change, 0.0, 1e-12);
                rig_close(&r);
            }
}

/* A branched tree with springs inside, nothing outside. */
TEST(free_tree_keeps_momentum)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        rig r;
        rig_open(&r, NULL);
        mechanism_named("free tree")->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK_NEAR(largest_change(&r, *scheme, "reduced", 0.01, STEPS), 0.0, 1e-12);
        CHECK_NEAR(largest_change(&r, *scheme, "multipliers", 0.01, STEPS), 0.0, 1e-12);
        rig_close(&r);
    }
}

/* Two free planar bodies with a joint load and a spring and damper between them. */
TEST(planar_pairs_keep_momentum)
{
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_PRISMATIC};
    const double axes[2][3] = {{0, 0, 1}, {0.6, 0.8, 0}}, at[3] = {0.4, 0.2, 0}, a[3] = {-0.3, 0.5, 0},
                 b[3] = {1.1, -0.4, 0};
    for (int t = 0; t < 2; ++t)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            rig_open(&r, NULL);
            int first = rig_planar(&r, "first", 1.0, 0.2, 0, 0, 0.3),
                second = rig_planar(&r, "second", 0.7, 0.1, 0.8, 0.3, -0.4);
            const double v[3] = {0.5, -0.3, 0}, w[3] = {0, 0, 1.5};
            rig_moving(&r, first, v, w);
            int joint = rig_joint(&r, "pair", types[t], first, second, at, axes[t], NULL);
            rig_rates(&r, joint, 0.8, 0, 0);
            rig_joint_load(&r, joint, 0, SIGNALS[0]);
            rig_spring(&r, first, second, a, b, 10.0, 0.5, 1.0);
            CHECK(rig_finish(&r) == AC_OK);
            record run;
            ac_simulation_settings settings = record_settings(*scheme, "reduced", 0.01);
            double before[6] = {0}, change = 0.0;
            record_open(&run, r.ctx, r.system, &settings);
            for (int k = 0; k < STEPS; ++k) {
                record_steps(&run, 1);
                CHECK(record_node(&run, false) == AC_OK);
                const double *maps = record_at(&run, "momentum/linear");
                if (k == 0) memcpy(before, maps, sizeof before);
                change = fmax(change, largest_difference(6, maps, before));
            }
            CHECK(fabs(before[5]) > 0.1);
            CHECK_NEAR(change, 0.0, 2e-13);
            record_close(&run);
            rig_close(&r);
        }
}

/* What the loads and gravity give to the total momentum in one interval: h/2 B(q)^T tau at both nodes, so the
 * linear momentum gets h F, and the angular momentum h/2 sum over both nodes of x F + T. */
typedef struct push {
    int node;
    double place[3]; /* of the force, relative to the centre of mass, body axes */
    double force[3], torque[3];
} push;

static void give(const ac_system *system, const push *p, const double *q, double factor, double given[6])
{
    const ac_node *node = &system->nodes[p->node];
    double x[3], R[9], arm[3];
    ac_node_get_pose(node, q + node->q, x, R);
    apply3(R, p->place, arm);
    add3(x, arm, arm);
    double torque[3];
    cross3(arm, p->force, torque);
    for (int i = 0; i < 3; ++i) {
        given[i] += factor * p->force[i];
        given[3 + i] += factor * (torque[i] + p->torque[i]);
    }
}

TEST(outside_loads_change_momentum_exactly)
{
    const double h = 0.01, g[3] = {0.3, -0.2, -9.81};
    for (int t = 0; t < TYPE_COUNT; ++t)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            int nodes[2];
            rig_open(&r, NULL);
            rig_gravity(&r, g[0], g[1], g[2]);
            draw_free_pair(&r, TYPES[t], nodes);
            const double at[3] = {0.2, 0.5, 0.1};
            rig_force(&r, nodes[1], at, false, "1.5", "-0.7", "0.4");
            rig_torque(&r, nodes[0], false, "0.3", "0.2", "-0.5");
            CHECK(rig_finish(&r) == AC_OK);
            const ac_system *system = r.system;
            push pushes[4] = {{nodes[1], {0}, {1.5, -0.7, 0.4}, {0}}, {nodes[0], {0}, {0}, {0.3, 0.2, -0.5}}};
            copy3(system->loads[system->load_count - 2].place, pushes[0].place);
            for (int k = 0; k < 2; ++k) {
                pushes[2 + k].node = nodes[k];
                for (int i = 0; i < 3; ++i) pushes[2 + k].force[i] = g[i] * system->nodes[nodes[k]].mass;
            }
            record run;
            ac_simulation_settings settings = record_settings(*scheme, "reduced", h);
            double before[6] = {0}, given[6] = {0}, off = 0.0, most = 0.0;
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            for (int k = 0; k < 50; ++k) {
                record_steps(&run, 1);
                CHECK(record_node(&run, false) == AC_OK);
                const double *maps = record_at(&run, "momentum/linear");
                for (int i = 0; k > 0 && i < 6; ++i) {
                    off = fmax(off, fabs(maps[i] - before[i] - given[i]));
                    most = fmax(most, fabs(maps[i]));
                }
                memcpy(before, maps, sizeof before);
                memset(given, 0, sizeof given);
                for (int e = 0; e < 4; ++e) {
                    give(system, &pushes[e], ac_simulation_previous(run.simulation), 0.5 * h, given);
                    give(system, &pushes[e], ac_simulation_configuration(run.simulation), 0.5 * h, given);
                }
            }
            CHECK(most > 1.0);
            if (!(off <= 2e-14 * most)) printf("  joint %d, %s\n", t, *scheme);
            CHECK_NEAR(off / most, 0.0, 2e-14);
            record_close(&run);
            rig_close(&r);
        }
}

/* Gravity along z and a hinge in the origin about z: only that component of the angular momentum is kept. */
TEST(partial_symmetry)
{
    rig r;
    rig_open(&r, NULL);
    const double J[3] = {0.05, 0.1, 0.08}, x[3] = {0.4, 0, -0.3}, origin[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    rig_gravity(&r, 0, 0, -9.81);
    int body = rig_body(&r, "top", 1.0, J, x, NULL);
    int ball = rig_joint(&r, "ball", AC_SPHERICAL, AC_GROUND, body, origin, z, NULL);
    rig_rates(&r, ball, 0.5, 1.0, 3.0);
    CHECK(rig_finish(&r) == AC_OK);
    record run;
    ac_simulation_settings settings = record_settings("midpoint", "reduced", 0.01);
    double first = 0.0, change = 0.0, other = 0.0, first_x = 0.0;
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    for (int k = 0; k < STEPS; ++k) {
        record_steps(&run, 1);
        CHECK(record_node(&run, false) == AC_OK);
        const double *angular = record_at(&run, "momentum/angular");
        if (k == 0) {
            first = angular[2];
            first_x = angular[0];
        }
        change = fmax(change, fabs(angular[2] - first));
        other = fmax(other, fabs(angular[0] - first_x));
    }
    CHECK(first > 0.1);
    CHECK(other > 0.1);
    CHECK_NEAR(change, 0.0, 1e-13);
    record_close(&run);
    rig_close(&r);
}

RUN_TESTS(CASE(free_pairs_keep_momentum), CASE(free_tree_keeps_momentum), CASE(planar_pairs_keep_momentum),
          CASE(outside_loads_change_momentum_exactly), CASE(partial_symmetry))
