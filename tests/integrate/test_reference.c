/* Closed forms and reference values: free rigid body, pendulum on the circle, pendulum in gravity. */
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

static const char *const FORMULATIONS[] = {"reduced", "null-space", "multipliers"};
static const double ORIGIN[3] = {0, 0, 0};

/* A mass point on the unit circle, from (1, 0) with speed v upwards. */
static void draw_circle(rig *r, double gravity, double speed)
{
    const double x[3] = {1, 0, 0}, v[3] = {0, speed, 0};
    rig_gravity(r, 0, -gravity, 0);
    int mass = rig_point(r, "mass", 1.0, 2, 1, 0, 0);
    rig_distance(r, "string", AC_GROUND, mass, ORIGIN, x);
    rig_moving(r, mass, v, NULL);
}

/* Without gravity (Leyendecker, Marsden, Ortiz 2008, section 3.1; closed form): sin u = h, every multiplier
 * is 2 (1 - sqrt(1 - h^2))/h^2, E_d half of it, H_d = 1/2. */
TEST(circle_without_gravity)
{
    for (int f = 0; f < 3; ++f)
        for (int big = 0; big < 2; ++big) {
            double h = big ? 0.8 : 0.1, lambda = 2.0 * (1.0 - sqrt(1.0 - h * h)) / (h * h);
            CHECK_NEAR(lambda, big ? 1.25 : 1.002512578676007, 1e-14);
            rig r;
            record run;
            rig_open(&r, NULL);
            draw_circle(&r, 0, 1.0);
            CHECK(rig_finish(&r) == AC_OK);
            ac_simulation_settings settings = record_settings("midpoint", FORMULATIONS[f], h);
            settings.turn_limit = 1.5;
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            CHECK(ac_simulation_unknowns(run.simulation) == f + 1);
            for (int k = 0; k < 200; ++k) {
                CHECK(record_steps(&run, 1) == AC_OK);
                CHECK(record_node(&run, false) == AC_OK);
                CHECK(record_interval(&run) == AC_OK);
                CHECK_NEAR(*record_at(&run, "multipliers"), lambda, 1e-12);
                CHECK_NEAR(*record_at(&run, "energy/hamiltonian"), 0.5, 1e-13);
                CHECK_NEAR(*record_at(&run, "energy/discrete"), 0.5 * lambda, 1e-12);
                CHECK_NEAR(*record_at(&run, "residual/hidden_constraints"), 0.0, 1e-13);
                CHECK_NEAR(*record_at(&run, "residual/velocity"), 0.0, 1e-13);
                double angle = (k + 1) * asin(h);
                const double *q = ac_simulation_configuration(run.simulation);
                CHECK_NEAR(q[0], cos(angle), 1e-11);
                CHECK_NEAR(q[1], sin(angle), 1e-11);
            }
            record_close(&run);
            rig_close(&r);
        }
}

/* The energy-momentum scheme has lambda = 1 exactly there. */
TEST(circle_energy_momentum)
{
    for (int f = 0; f < 3; ++f) {
        rig r;
        record run;
        rig_open(&r, NULL);
        draw_circle(&r, 0, 1.0);
        CHECK(rig_finish(&r) == AC_OK);
        ac_simulation_settings settings = record_settings("energy-momentum", FORMULATIONS[f], 0.1);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        for (int k = 0; k < 100; ++k) {
            CHECK(record_steps(&run, 1) == AC_OK);
            CHECK(record_node(&run, false) == AC_OK);
            /* across the circle p changes its sign from node to node, so that rounding of q over h stays
             * in it and adds up; the multiplier is that over h again */
            CHECK_NEAR(*record_at(&run, "multipliers"), 1.0, 5e-14 * (k + 1));
            CHECK_NEAR(*record_at(&run, "energy/hamiltonian"), 0.5, 1e-14);
        }
        record_close(&run);
        rig_close(&r);
    }
}

/* In gravity, from rest at (1, 0), h = 0.1: the first values, to all digits that were published or computed
 * independently. */
TEST(pendulum_in_gravity)
{
    for (int f = 0; f < 3; ++f) {
        rig r;
        record run;
        rig_open(&r, NULL);
        draw_circle(&r, 9.81, 0);
        CHECK(rig_finish(&r) == AC_OK);
        ac_simulation_settings settings = record_settings("midpoint", FORMULATIONS[f], 0.1);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        const double *q;
        for (int k = 0; k < 11; ++k) {
            CHECK(record_steps(&run, 1) == AC_OK);
            CHECK(record_node(&run, false) == AC_OK);
            CHECK(record_interval(&run) == AC_OK);
            q = ac_simulation_previous(run.simulation); /* node k */
            double lambda = *record_at(&run, "multipliers");
            if (k == 0) CHECK_NEAR(lambda, 0.2407351335112, 1e-12);
            if (k == 1) {
                CHECK_NEAR(q[0], 0.9987963243324, 1e-12);
                CHECK_NEAR(q[1], -0.04905, 1e-12);
                CHECK_NEAR(lambda, 1.688373278331, 1e-11);
            }
            if (k == 2) {
                CHECK_NEAR(q[0], 0.9807292384199, 1e-12);
                CHECK_NEAR(q[1], -0.1953718529070, 1e-12);
                CHECK_NEAR(lambda, 6.006846177185, 1e-11);
            }
            if (k == 5) {
                CHECK_NEAR(q[0], 0.3680209182854, 1e-12);
                CHECK_NEAR(q[1], -0.9298175109689, 1e-12);
                CHECK_NEAR(lambda, 27.62752072584, 1e-10);
                CHECK_NEAR(*record_at(&run, "energy/discrete"), 0.6362291273478, 1e-12);
                CHECK_NEAR(*record_at(&run, "energy/hamiltonian"), -0.3128875613843, 1e-12);
            }
            if (k == 10) {
                CHECK_NEAR(q[0], -0.99068847698, 1e-11);
                CHECK_NEAR(q[1], -0.136148233843, 1e-11);
            }
        }
        record_close(&run);
        rig_close(&r);
    }
}

/* Richardson extrapolation of the positions at 1 s meets the exact solution (ODE, tolerance 1e-13). */
TEST(pendulum_converges_to_the_exact_solution)
{
    double q[2][2];
    for (int k = 0; k < 2; ++k) {
        rig r;
        record run;
        rig_open(&r, NULL);
        draw_circle(&r, 9.81, 0);
        CHECK(rig_finish(&r) == AC_OK);
        long steps = k ? 8000 : 4000;
        ac_simulation_settings settings = record_settings("midpoint", "reduced", 1.0 / (double)steps);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        CHECK(record_steps(&run, steps) == AC_OK);
        memcpy(q[k], ac_simulation_configuration(run.simulation), sizeof q[k]);
        record_close(&run);
        rig_close(&r);
    }
    CHECK_NEAR((4.0 * q[1][0] - q[0][0]) / 3.0, -0.986291751132, 2e-12);
    CHECK_NEAR((4.0 * q[1][1] - q[0][1]) / 3.0, -0.165010853126, 2e-12);
}

/* Free rigid body, J = diag(0.1, 0.2, 0.25), almost about its middle axis; values computed independently. */
TEST(free_rigid_body)
{
    static const struct {
        double h, d1[3], highest;
    } rows[] = {{0.02, {-0.82901387, -0.05764141, 0.55624946}, 2.54675284},
                {0.01, {-0.83594912, -0.05684709, 0.54585481}, 2.54675018},
                {0.005, {-0.83765534, -0.05664992, 0.54325346}, 0.0}};
    const double J[3] = {0.1, 0.2, 0.25}, v[3] = {0.3, 0, 0}, w[3] = {0.1, 5, 0.1}, L[3] = {0.01, 1, 0.025};
    for (int f = 0; f < 3; ++f)
        for (int k = 0; k < 3; ++k) {
            rig r;
            record run;
            rig_open(&r, NULL);
            int body = rig_body(&r, "body", 1.0, J, ORIGIN, NULL);
            rig_moving(&r, body, v, w);
            CHECK(rig_finish(&r) == AC_OK);
            ac_simulation_settings settings = record_settings("midpoint", FORMULATIONS[f], rows[k].h);
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            double low = INFINITY, high = -INFINITY, off = 0.0;
            for (long step = 0; step < lround(20.0 / rows[k].h); ++step) {
                if (step == lround(2.0 / rows[k].h)) {
                    const double *q = ac_simulation_configuration(run.simulation);
                    CHECK_NEAR(largest_difference(3, q + 3, rows[k].d1), 0.0, 6e-9);
                    CHECK_NEAR(q[0], 0.6, 1e-13);
                }
                CHECK(record_steps(&run, 1) == AC_OK);
                CHECK(record_node(&run, false) == AC_OK);
                double H = *record_at(&run, "energy/hamiltonian");
                low = fmin(low, H);
                high = fmax(high, H);
                off = fmax(off, largest_difference(3, record_at(&run, "momentum/angular"), L));
            }
            CHECK_NEAR(off, 0.0, 5e-14);
            CHECK_NEAR(low, 2.54675, 1e-8);
            if (k < 2) CHECK_NEAR(high, rows[k].highest, 6e-9);
            record_close(&run);
            rig_close(&r);
        }
}

/* On the circle the discrete equations only ask that q_{n+1} + q_{n-1} is a multiple of q_n: there are
 * spurious solutions with large turns (a jump to the opposite point, a cycle of four). Whatever the step, the
 * stepper takes the increment of order h; velocities stay bounded. */
TEST(spurious_solutions_are_not_taken)
{
    for (int f = 0; f < 3; ++f)
        for (int k = 0; k < 6; ++k) {
            double h = 0.5 / (1 << k);
            bool falling =
                k >= 3 &&
                k % 2; /* with long steps the discrete equations of the falling mass have no solution */
            rig r;
            record run;
            rig_open(&r, NULL);
            draw_circle(&r, falling ? 9.81 : 0.0, 1.0);
            CHECK(rig_finish(&r) == AC_OK);
            ac_simulation_settings settings = record_settings("midpoint", FORMULATIONS[f], h);
            settings.turn_limit = 1.5;
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            double fastest = 0.0;
            for (int step = 0; step < 400; ++step) {
                CHECK(record_steps(&run, 1) == AC_OK);
                const double *a = ac_simulation_previous(run.simulation),
                             *b = ac_simulation_configuration(run.simulation);
                fastest = fmax(fastest, hypot(b[0] - a[0], b[1] - a[1]) / h);
            }
            if (falling)
                CHECK(fastest < sqrt(1.0 + 2.0 * 9.81) * 1.1); /* falling from (1, 0) to the lowest point */
            else
                CHECK_NEAR(fastest, 2.0 * sin(0.5 * asin(h)) / h, 1e-12);
            record_close(&run);
            rig_close(&r);
        }
}

/* Condition numbers of the published, unscaled matrices of the pendulum: about 1/h^3 with multipliers, 1/h
 * with the null space matrix, 1 reduced; and the scaled one does not grow (values of independent
 * computations, h = 1e-2, 1e-3: 1.000e6, 1.0e9; 1.0e2, 1.0e3). */
TEST(condition_numbers_of_the_pendulum)
{
    double condition[4][2];
    for (int kind = 0; kind < 4; ++kind)
        for (int k = 0; k < 2; ++k) {
            rig r;
            record run;
            rig_open(&r, NULL);
            draw_circle(&r, 0, 1.0);
            CHECK(rig_finish(&r) == AC_OK);
            ac_simulation_settings settings = record_settings(
                "midpoint", kind == 3 ? "multipliers" : FORMULATIONS[kind], k ? 1e-3 : 1e-2);
            settings.condition = true;
            settings.unscaled = kind == 2;
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            CHECK(record_steps(&run, 3) == AC_OK);
            CHECK(record_interval(&run) == AC_OK);
            condition[kind][k] = *record_at(&run, "newton/condition");
            record_close(&run);
            rig_close(&r);
        }
    CHECK_NEAR(condition[0][0], 1.0, 1e-12);
    CHECK_NEAR(condition[0][1], 1.0, 1e-12);
    CHECK_NEAR(condition[1][0] / 1e2, 1.0, 0.01);
    CHECK_NEAR(condition[1][1] / 1e3, 1.0, 0.01);
    CHECK_NEAR(condition[2][0] / 1e6, 1.0, 0.01);
    CHECK_NEAR(condition[2][1] / 1e9, 1.0, 0.01);
    CHECK(condition[3][0] < 10.0);
    CHECK_NEAR(condition[3][1] / condition[3][0], 1.0, 0.01);
}

RUN_TESTS(CASE(circle_without_gravity), CASE(circle_energy_momentum), CASE(pendulum_in_gravity),
          CASE(pendulum_converges_to_the_exact_solution), CASE(free_rigid_body),
          CASE(spurious_solutions_are_not_taken), CASE(condition_numbers_of_the_pendulum))
