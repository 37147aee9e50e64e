/* Structure: order two, time reversal, symplecticity, energy. */
#include <stdlib.h>

#include "base/vector.h"
#include "support/drift.h"
#include "support/record.h"
#include "test.h"

/* --- order of convergence -------------------------------------------------------------------- */

/* Configuration, momenta and multipliers at the node t = T of a run with n steps up to it, one after another.
 */
typedef struct state {
    int n, m;
    double q[160], p[160], Qp[160], lambda[160];
} state;

static state state_at(const mechanism *mech, const char *scheme, double T, long steps)
{
    state s = {0, 0, {0}, {0}, {0}, {0}};
    rig r;
    record run;
    rig_open(&r, NULL);
    mech->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_simulation_settings settings = record_settings(scheme, "reduced", T / (double)steps);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    CHECK(record_steps(&run, steps + 1) == AC_OK); /* the node's own momentum needs the interval behind it */
    CHECK(record_node(&run, false) == AC_OK);
    s.n = r.system->n;
    s.m = record_width(&run, "multipliers");
    memcpy(s.q, ac_simulation_previous(run.simulation), (size_t)s.n * sizeof(double));
    memcpy(s.p, record_at(&run, "momentum/constrained"), (size_t)s.n * sizeof(double));
    memcpy(s.Qp, record_at(&run, "momentum/projected"), (size_t)s.n * sizeof(double));
    if (s.m > 0) memcpy(s.lambda, record_at(&run, "multipliers"), (size_t)s.m * sizeof(double));
    record_close(&run);
    rig_close(&r);
    return s;
}

/* The energy-momentum scheme's multipliers belong to intervals; nodes are compared by the mean of two of
 * them. */
static void check_order(const mechanism *mech, const char *scheme, double T, long steps, bool multipliers)
{
    state s[4];
    for (int k = 0; k < 4; ++k) s[k] = state_at(mech, scheme, T, steps << k);
    for (int k = 0; k + 2 < 4; ++k) { /* differences of neighbours have the order of the errors */
        double q = order_of(largest_difference(s[0].n, s[k].q, s[k + 1].q),
                            largest_difference(s[0].n, s[k + 1].q, s[k + 2].q));
        double p = order_of(largest_difference(s[0].n, s[k].p, s[k + 1].p),
                            largest_difference(s[0].n, s[k + 1].p, s[k + 2].p));
        double Qp = order_of(largest_difference(s[0].n, s[k].Qp, s[k + 1].Qp),
                             largest_difference(s[0].n, s[k + 1].Qp, s[k + 2].Qp));
        double l = order_of(largest_difference(s[0].m, s[k].lambda, s[k + 1].lambda),
                            largest_difference(s[0].m, s[k + 1].lambda, s[k + 2].lambda));
        if (k == 0) continue; /* the coarsest three only show that it is on its way */
        if (!(fabs(q - 2) <= 0.1 && fabs(p - 2) <= 0.1 && fabs(Qp - 2) <= 0.1 &&
              (!multipliers || fabs(l - 2) <= 0.1)))
            printf("  %s, %s: orders %.3f %.3f %.3f %.3f\n", mech->name, scheme, q, p, Qp, l);
        CHECK_NEAR(q, 2.0, 0.1);
        CHECK_NEAR(p, 2.0, 0.1);
        CHECK_NEAR(Qp, 2.0, 0.1);
        if (multipliers) CHECK_NEAR(l, 2.0, 0.1);
    }
}

TEST(order_two)
{
    static const struct {
        const char *name;
        double T;
        long steps;
        bool multipliers; /* they are unique: no redundant equations */
    } runs[] = {
        {"point pendulum", 0.5, 50, true},      {"body pendulum", 0.5, 50, true},
        {"mixed chain", 0.2, 100, true},        {"sprung chain", 0.2, 100, true},
        {"free tree", 0.4, 80, true},           {"points and rods", 0.2, 80, true},
        {"planar tree", 0.4, 80, true},         {"four-bar in the plane", 0.5, 100, true},
        {"four-bar in space", 0.5, 100, false}, {"slider-crank", 0.2, 100, true},
        {"six-body linkage", 0.02, 80, false},  {"spatial loop", 0.2, 100, true},
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            check_order(mechanism_named(runs[k].name), *scheme, runs[k].T, runs[k].steps,
                        runs[k].multipliers && strcmp(*scheme, "energy-momentum") != 0);
}

/* --- time reversal --------------------------------------------------------------------------- */

/* Starts the system anew from a configuration and a momentum: what the stepper would have after assembly. */
static void restart(ac_stepper *s, const double *q, const double *velocity)
{
    ac_system *system = (ac_system *)s->system;
    memcpy(system->initial.q, q, (size_t)system->n * sizeof *q);
    memcpy(system->initial.v, velocity, (size_t)system->n * sizeof *velocity);
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &system->initial.state[i]);
}

/* Forward, then the velocity turned round, and as many steps again: the start, with its velocity turned
 * round. The configuration at the turn is a node, its momentum the projected one of the interval before; in
 * the energy-momentum scheme the momentum is a part of the state and is turned round as it is. */
TEST(time_reversal)
{
    static const char *const names[] = {"point pendulum",  "body pendulum",         "free tree",
                                        "points and rods", "four-bar in the plane", "four-bar in space",
                                        "six-body linkage"};
    enum { STEPS = 60 };
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            const mechanism *mech = mechanism_named(names[k]);
            rig r;
            record run;
            rig_open(&r, NULL);
            mech->draw(&r);
            CHECK(rig_finish(&r) == AC_OK);
            int n = r.system->n;
            double start[160], velocity[160], middle[160], back[160], p[160];
            memcpy(start, r.system->initial.q, (size_t)n * sizeof *start);
            memcpy(velocity, r.system->initial.v, (size_t)n * sizeof *velocity);
            ac_simulation_settings settings = record_settings(*scheme, "reduced", mech->h);
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            CHECK(record_steps(&run, STEPS) == AC_OK);
            memcpy(middle, ac_simulation_configuration(run.simulation), (size_t)n * sizeof *middle);
            CHECK(largest_difference(n, middle, start) > 0.05);
            ac_monitor *monitor = &run.simulation->monitor;
            CHECK(ac_legendre_project(&monitor->legendre, middle, run.simulation->stepper.right) == AC_OK);
            for (int i = 0; i < n; ++i) back[i] = -monitor->legendre.velocity[i];
            for (int i = 0; i < n; ++i) p[i] = -run.simulation->stepper.right[i];
            restart(&run.simulation->stepper, middle, back);
            record_close(&run);
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            ac_stepper *stepper = &run.simulation->stepper;
            if (stepper->scheme->at_mean) memcpy(stepper->p, p, (size_t)n * sizeof *p);
            CHECK(record_steps(&run, STEPS) == AC_OK);
            const double *q = ac_simulation_configuration(run.simulation);
            double off = largest_difference(n, q, start);
            if (!(off <= 1e-9)) printf("  %s, %s\n", names[k], *scheme);
            CHECK_NEAR(off, 0.0, 1e-9);
            CHECK(ac_legendre_project(&run.simulation->monitor.legendre, start,
                                      run.simulation->stepper.right) == AC_OK);
            for (int i = 0; i < n; ++i) back[i] = -run.simulation->monitor.legendre.velocity[i];
            CHECK_NEAR(largest_difference(n, back, velocity) / (1.0 + largest_entry(n, velocity)), 0.0, 1e-9);
            record_close(&run);
            rig_close(&r);
        }
}

/* --- symplecticity --------------------------------------------------------------------------- */

/* The map (angle, reduced momentum) -> (angle, reduced momentum) of the pendulum over a number of steps. */
typedef struct pendulum_map {
    const char *scheme;
    double h;
    long steps;
} pendulum_map;

static void pendulum_step(void *user, const double *x, double *y)
{
    const pendulum_map *map = user;
    rig r;
    record run;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, -9.81, 0);
    int mass = rig_point(&r, "mass", 1.0, 2, cos(x[0]), sin(x[0]), 0);
    const double origin[3] = {0, 0, 0}, at[3] = {cos(x[0]), sin(x[0]), 0},
                 v[3] = {-sin(x[0]) * x[1], cos(x[0]) * x[1], 0};
    rig_distance(&r, "string", AC_GROUND, mass, origin, at);
    rig_moving(&r, mass, v, NULL);
    rig_finish(&r);
    ac_simulation_settings settings = record_settings(map->scheme, "reduced", map->h);
    record_open(&run, r.ctx, r.system, &settings);
    record_steps(&run, map->steps);
    const double *q = ac_simulation_configuration(run.simulation), *p = run.simulation->stepper.right;
    y[0] = atan2(q[1], q[0]);
    y[1] = q[0] * p[1] - q[1] * p[0];
    if (run.status != AC_OK) y[0] = NAN;
    record_close(&run);
    rig_close(&r);
}

/* The variational schemes have determinant 1 (seen to 2e-12 by differences in the literature's example). */
TEST(pendulum_map_is_symplectic)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        if (strcmp(*scheme, "energy-momentum") == 0) continue;
        for (long steps = 1; steps <= 5; steps += 4) {
            pendulum_map map = {*scheme, 0.1, steps};
            const double x[2] = {-0.9, 1.7};
            double J[4];
            difference_jacobian(pendulum_step, &map, 2, 2, x, J);
            CHECK_NEAR(J[0] * J[3] - J[1] * J[2], 1.0, 1e-11);
            CHECK(fabs(J[1]) > 0.05);
        }
    }
    /* the energy-momentum scheme is not: the test would see it */
    pendulum_map map = {"energy-momentum", 0.1, 1};
    const double x[2] = {-0.9, 1.7};
    double J[4];
    difference_jacobian(pendulum_step, &map, 2, 2, x, J);
    CHECK(fabs(J[0] * J[3] - J[1] * J[2] - 1.0) > 1e-6);
}

/* --- energy ---------------------------------------------------------------------------------- */

/* Springs on lengths, slides and angles between moving bodies and gravity: the energy-momentum scheme keeps
 * the energy to round-off. */
static void springs_everywhere(rig *r)
{
    dice d = {83};
    const double c[3] = {0.2, -0.1, 0.3};
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_CYLINDRICAL, AC_PLANAR, AC_PRISMATIC};
    static const int coordinates[] = {1, 2, 3, 1};
    int before = AC_GROUND, first = AC_GROUND;
    rig_gravity(r, 0, 0, -9.81);
    for (int k = 0; k < 4; ++k) {
        double R[9], axis[3];
        const double centre[3] = {0.4 * k + 0.2, 0.1, -0.1 * k}, at[3] = {0.4 * k, 0.05, -0.1 * k};
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, axis);
        int node = rig_odd_body(r, "link", &d, centre, R, false);
        int joint = rig_joint(r, "joint", types[k], before, node, at, axis, c);
        for (int i = 0; i < coordinates[k]; ++i) rig_joint_spring(r, joint, i, 100.0, 0.0, 0.1 * i);
        rig_rates(r, joint, 1.5, -1.6, 1.4);
        before = node;
        if (k == 0) first = node;
    }
    const double a[3] = {0.2, 0.1, 0.5}, b[3] = {1.4, 0.2, -0.2};
    rig_spring(r, first, before, a, b, 30.0, 0.0, 0.7);
}

static double energy_error(void (*draw)(rig *r), const char *scheme, const char *formulation, double h,
                           int steps)
{
    rig r;
    record run;
    double first = 0.0, most = 0.0, size = 0.0;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_simulation_settings settings = record_settings(scheme, formulation, h);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    for (int k = 0; k < steps && run.status == AC_OK; ++k) {
        record_steps(&run, 1);
        record_node(&run, false);
        double H = *record_at(&run, "energy/hamiltonian");
        if (k == 0) first = H;
        size = fmax(size, *record_at(&run, "energy/kinetic"));
        most = fmax(most, fabs(H - first));
    }
    CHECK(run.status == AC_OK);
    CHECK(size > 0.1);
    record_close(&run);
    rig_close(&r);
    return most / size;
}

TEST(energy_momentum_keeps_energy)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int f = 0; f < 3; ++f) {
        CHECK_NEAR(energy_error(springs_everywhere, "energy-momentum", formulations[f], 0.01, 300), 0.0,
                   1e-12);
        CHECK(energy_error(springs_everywhere, "midpoint", formulations[f], 0.01, 300) > 1e-5);
    }
    for (int k = 0; k < mechanism_count; ++k) {
        if (!mechanisms[k].conservative) continue;
        double error = energy_error(mechanisms[k].draw, "energy-momentum", "multipliers", mechanisms[k].h,
                                    300);
        if (!(error <= 1e-12)) printf("  %s\n", mechanisms[k].name);
        CHECK_NEAR(error, 0.0, 1e-12);
    }
}

/* Crank-rocker over 1e5 steps (1e6 in tests/long): the rise of the straight line through the energies is
 * compared with their own oscillation, and the loop stays closed to 1e-12 m. */
static void check_drift(bool planar, const char *formulation, double h, long steps)
{
    drift d = drift_of_four_bar(planar, formulation, h, steps);
    CHECK(d.status == AC_OK);
    CHECK(d.discrete.count == steps);
    CHECK_NEAR(d.residual, 0.0, 1e-12);
    CHECK(trend_spread(&d.discrete) > 1e-7 && trend_spread(&d.hamiltonian) > 1e-7);
    CHECK_NEAR(trend_rise(&d.discrete) / trend_spread(&d.discrete), 0.0, 0.01);
    CHECK_NEAR(trend_rise(&d.hamiltonian) / trend_spread(&d.hamiltonian), 0.0, 0.01);
}

TEST(four_bar_does_not_drift)
{
    check_drift(true, "reduced", 1e-3, 100000);
    check_drift(true, "reduced", 1e-2, 100000);
    check_drift(false, "reduced", 1e-2, 20000);
    check_drift(true, "multipliers", 1e-2, 20000);
}

RUN_TESTS(CASE(order_two), CASE(time_reversal), CASE(pendulum_map_is_symplectic),
          CASE(energy_momentum_keeps_energy), CASE(four_bar_does_not_drift))
