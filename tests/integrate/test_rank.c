/* Redundant constraints and changes of rank: they work with no user action, or fail with a clear message;
 * never a number that is not one. */
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

static const double Z[3] = {0, 0, 1}, PI = 3.14159265358979323846;

/* Runs until the end or the first failure; returns the steps taken. Checks that all is finite, the loops
 * closed, the energy bounded. */
static long run_through(const rig *r, const char *formulation, double h, long steps, double *energy_change,
                        trend *angle, int watched)
{
    record run;
    ac_simulation_settings settings = record_settings("midpoint", formulation, h);
    double first = 0.0, g[160];
    long taken = 0;
    *energy_change = 0.0;
    CHECK(record_open(&run, r->ctx, r->system, &settings) == AC_OK);
    for (; taken < steps; ++taken) {
        if (ac_simulation_step(run.simulation) != AC_OK) {
            CHECK(strncmp(ac_context_message(r->ctx), "step ", 5) == 0);
            CHECK(strstr(ac_context_message(r->ctx), "t = ") != NULL);
            break;
        }
        if (ac_simulation_node_row(run.simulation, false, run.node) != AC_OK) {
            CHECK(ac_context_message(r->ctx)[0] != '\0');
            break;
        }
        const double *q = ac_simulation_configuration(run.simulation);
        double H = *record_at(&run, "energy/hamiltonian_projected");
        CHECK(isfinite(largest_entry(r->system->n, q)) && isfinite(H));
        ac_constraints_value(r->system, q, 0, g);
        CHECK_NEAR(largest_entry(r->system->constraints.count, g), 0.0, 1e-12);
        if (taken == 0) first = H;
        *energy_change = fmax(*energy_change, fabs(H - first));
        if (angle)
            trend_add(angle, atan2(q[r->system->nodes[watched].q + 1], q[r->system->nodes[watched].q]));
    }
    record_close(&run);
    return taken;
}

/* Equal opposite bars: in line at 0 and 180 degrees, where the rank drops and two motions (parallel and
 * crossed) meet. Released from rest almost upright it falls through these points. As 3-D bodies it is
 * redundant everywhere, in the plane at the change points only. */
TEST(parallelogram_passes_its_change_points)
{
    static const char *const formulations[] = {"reduced", "multipliers"};
    for (int planar = 0; planar < 2; ++planar)
        for (int f = 0; f < 2; ++f) {
            const four_bar bar = {1.0, 2.0, 1.0, 2.0, 0.5 * PI - 0.1, 1.0};
            rig r;
            rig_open(&r, NULL);
            if (planar)
                draw_planar_four_bar(&r, &bar);
            else
                draw_four_bar(&r, &bar);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(ac_system_sizes(r.system).freedoms == 1);
            double change;
            trend angle = {0};
            long taken = run_through(&r, formulations[f], 0.01, 400, &change, &angle, 0);
            CHECK(taken == 400);
            CHECK(angle.low < -0.4 * PI && angle.high > 0.4 * PI); /* beyond both points in line */
            CHECK(change < 0.02 * 4.0 * 9.81);
            rig_close(&r);
        }
}

/* A start exactly in line: the constraints have their lower rank there; the stepper goes on. */
TEST(start_in_a_change_point)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int planar = 0; planar < 2; ++planar)
        for (int f = 0; f < 3; ++f) {
            double p[4][3] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {2, 0, 0}};
            rig r;
            rig_open(&r, NULL);
            rig_gravity(&r, 0, -9.81, 0);
            int node[3];
            for (int k = 0; k < 3; ++k) {
                node[k] = planar ? rig_planar_rod(&r, "bar", p[k], p[k + 1], 1.0)
                                 : rig_rod(&r, "bar", p[k], p[k + 1], 1.0);
                rig_joint(&r, "pin", AC_REVOLUTE, k == 0 ? AC_GROUND : node[k - 1], node[k], p[k], Z, NULL);
            }
            rig_joint(&r, "last", AC_REVOLUTE, node[2], AC_GROUND, p[3], Z, NULL);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(ac_system_sizes(r.system).freedoms == 2); /* one more than elsewhere */
            double change;
            long taken = run_through(&r, formulations[f], 0.001, 100, &change, NULL, 0);
            CHECK(taken == 100);
            CHECK(change < 1e-5);
            rig_close(&r);
        }
}

/* A ring of n bars in a plane, all joints revolute with parallel axes, nothing held: each loop has three
 * redundant equations. */
TEST(ring_of_revolute_joints)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    enum { BARS = 6 };
    for (int f = 0; f < 3; ++f) {
        double p[BARS + 1][3] = {{0}};
        int node[BARS];
        for (int k = 0; k <= BARS; ++k) {
            p[k][0] = (1.0 + 0.2 * (k % 2)) * cos(2.0 * PI * k / BARS);
            p[k][1] = (1.0 + 0.2 * (k % 2)) * sin(2.0 * PI * k / BARS);
        }
        memcpy(p[BARS], p[0], sizeof p[0]);
        rig r;
        rig_open(&r, NULL);
        for (int k = 0; k < BARS; ++k) node[k] = rig_rod(&r, "bar", p[k], p[k + 1], 1.0);
        for (int k = 0; k < BARS; ++k)
            rig_joint(&r, "pin", AC_REVOLUTE, node[k], node[(k + 1) % BARS], p[k + 1], Z, NULL);
        for (int k = 0; k < BARS - 3; ++k) rig_rates(&r, k, k % 2 ? 0.5 : -0.7, 0, 0); /* all that are free */
        const double v[3] = {0.1, 0.2, 0.3}, w[3] = {0.2, -0.1, 0.6};
        rig_moving(&r, node[0], v, w);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK(ac_system_sizes(r.system).freedoms == 6 + BARS - 3);
        CHECK(ac_system_sizes(r.system).constraints - ac_system_sizes(r.system).independent == 3);
        double change;
        CHECK(run_through(&r, formulations[f], 0.01, 200, &change, NULL, 0) == 200);
        CHECK(change < 1e-2);
        rig_close(&r);
    }
}

/* A platform on three parallel cranks of equal length: two loops, doubly redundant, also in the plane (one
 * loop would guide it as well). */
TEST(platform_on_three_cranks)
{
    static const char *const formulations[] = {"reduced", "multipliers"};
    for (int planar = 0; planar < 2; ++planar)
        for (int f = 0; f < 2; ++f) {
            const double tilt[2] = {0.4, 0.9};
            rig r;
            rig_open(&r, NULL);
            rig_gravity(&r, 0, -9.81, 0);
            double foot[3][3] = {{0, 0, 0}, {1, 0.2, 0}, {2, 0, 0}}, top[3][3] = {{0}};
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 2; ++i) top[k][i] = foot[k][i] + tilt[i];
            int plate = planar ? rig_planar_rod(&r, "plate", top[0], top[2], 2.0)
                               : rig_rod(&r, "plate", top[0], top[2], 2.0);
            for (int k = 0; k < 3; ++k) {
                int crank = planar ? rig_planar_rod(&r, "crank", foot[k], top[k], 1.0)
                                   : rig_rod(&r, "crank", foot[k], top[k], 1.0);
                rig_joint(&r, "foot", AC_REVOLUTE, AC_GROUND, crank, foot[k], Z, NULL);
                rig_joint(&r, "top", AC_REVOLUTE, crank, plate, top[k], Z, NULL);
            }
            CHECK(rig_finish(&r) == AC_OK);
            ac_system_size size = ac_system_sizes(r.system);
            CHECK(size.freedoms == 1);
            CHECK(size.loops == 2);
            CHECK(size.constraints - size.independent == (planar ? 1 : 7));
            double change;
            trend angle = {0};
            long taken = run_through(&r, formulations[f], 0.005, 300, &change, &angle, 1);
            CHECK(taken == 300);
            CHECK(angle.high - angle.low > 1.0);
            CHECK(change < 0.5);
            rig_close(&r);
        }
}

/* The same equation twice: two equal rods beside each other, and a hinge doubled. */
TEST(doubled_joints)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    const double origin[3] = {0, 0, 0}, x[3] = {1, 0, 0}, J[3] = {0.1, 0.1, 0.1}, far[3] = {0, 0, 0.5};
    double reference[12] = {0};
    for (int f = 0; f < 3; ++f)
        for (int doubled = 0; doubled < 2; ++doubled) {
            rig r;
            record run;
            rig_open(&r, NULL);
            rig_gravity(&r, 0, -9.81, 0);
            int body = rig_body(&r, "body", 1.0, J, x, NULL);
            rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, origin, Z, NULL);
            if (doubled) rig_joint(&r, "second hinge", AC_REVOLUTE, body, AC_GROUND, far, Z, NULL);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(ac_system_sizes(r.system).freedoms == 1);
            ac_simulation_settings settings = record_settings("midpoint", formulations[f], 0.01);
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            CHECK(record_steps(&run, 100) == AC_OK);
            CHECK(record_node(&run, false) == AC_OK);
            const double *q = ac_simulation_configuration(run.simulation);
            if (f == 0 && !doubled) memcpy(reference, q, sizeof reference);
            CHECK_NEAR(largest_difference(12, q, reference), 0.0, 1e-11);
            record_close(&run);
            rig_close(&r);
        }
}

/* Three bodies on a hinge, welded to each other, with `more` random joints between two of them. Those never move, so
 * they change nothing: rows of loops that are all rigid are rounding, in centimetres as in hundreds of metres. */
static void draw_welded(rig *r, uint64_t seed, bool flat, double size, int more)
{
    static const ac_joint_type types[] = {AC_FIXED, AC_REVOLUTE, AC_FIXED, AC_PRISMATIC, AC_SPHERICAL};
    const double inertia[3] = {0.1 * size * size, 0.12 * size * size, 0.15 * size * size};
    dice d = {seed};
    int node[3];
    double x[3][3], R[9], axis[3];
    rig_gravity(r, 0, -9.81, 0);
    for (int k = 0; k < 3; ++k) {
        dice_vector(&d, 3, size, x[k]);
        dice_rotation(&d, R);
        if (flat) x[k][2] = 0.0;
        node[k] = flat ? rig_planar(r, "body", 1.0 + k, inertia[2], x[k][0], x[k][1], dice_between(&d, -3, 3))
                       : rig_body(r, "body", 1.0 + k, inertia, x[k], R);
    }
    dice_vector(&d, 3, 1.0, axis);
    const double origin[3] = {0, 0, 0};
    rig_joint(r, "hinge", AC_REVOLUTE, AC_GROUND, node[0], origin, flat ? Z : axis, NULL);
    rig_joint(r, "weld", AC_FIXED, node[0], node[1], x[1], Z, NULL);
    rig_joint(r, "weld", AC_FIXED, node[2], node[1], x[0], Z, NULL);
    for (int k = 0; k < more; ++k) {
        int a = (int)dice_between(&d, 0, 2.999), type = (int)dice_between(&d, 0, flat ? 2.999 : 4.999);
        double place[3];
        dice_vector(&d, 3, size, place);
        dice_vector(&d, 3, 1.0, axis);
        if (flat) place[2] = 0.0;
        rig_joint(r, "more", types[type], node[a], node[(a + 1 + k % 2) % 3], place, flat ? Z : axis, NULL);
    }
    CHECK(rig_finish(r) == AC_OK);
    CHECK(ac_system_sizes(r->system).freedoms == 1);
}

TEST(joints_between_welded_bodies_change_nothing)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"},
                             *const schemes[] = {"midpoint", "energy-momentum"};
    enum { SEEDS = 8, ROUNDS = 2 * SEEDS * 6 };
    for (int round = 0; round < ROUNDS; ++round) {
        bool flat = round % 2 == 0;
        double size = (const double[]){1.0, 0.01, 100.0}[round % 3], reference[36] = {0};
        const char *formulation = formulations[round / 2 % 3], *scheme = schemes[round / 6 % 2];
        for (int more = 0; more < 5; more += more == 0 ? 1 : 3) {
            rig r;
            record run;
            rig_open(&r, NULL);
            draw_welded(&r, 11 + (uint64_t)round / 12, flat, size, more);
            ac_simulation_settings settings = record_settings(scheme, more == 0 ? "reduced" : formulation,
                                                              0.02 * sqrt(size));
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            CHECK(record_steps(&run, 60) == AC_OK);
            const double *q = ac_simulation_configuration(run.simulation);
            double first = largest_difference(r.system->n, q, r.system->initial.q);
            CHECK(first > 0.05 * fmin(size, 1.0)); /* it moves */
            if (more == 0) memcpy(reference, q, (size_t)r.system->n * sizeof *q);
            CHECK_NEAR(largest_difference(r.system->n, q, reference), 0.0, 1e-9 * fmax(size, 1.0));
            record_close(&run);
            rig_close(&r);
        }
    }
}

/* More supports than freedom: nothing can move, and that is no failure. */
TEST(structures_stand_still)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    const double a[3] = {0, 0, 0}, b[3] = {2, 0, 0}, x[3] = {1, -1, 0};
    for (int f = 0; f < 3; ++f) {
        rig r;
        record run;
        rig_open(&r, NULL);
        rig_gravity(&r, 0, -9.81, 0);
        int knot = rig_point(&r, "knot", 2.0, 2, x[0], x[1], 0);
        rig_distance(&r, "left", AC_GROUND, knot, a, x);
        rig_distance(&r, "right", AC_GROUND, knot, b, x);
        CHECK(rig_finish(&r) == AC_OK);
        CHECK(ac_system_sizes(r.system).freedoms == 0);
        ac_simulation_settings settings = record_settings("midpoint", formulations[f], 0.01);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        CHECK(record_steps(&run, 20) == AC_OK);
        CHECK(record_node(&run, false) == AC_OK);
        CHECK_NEAR(largest_difference(2, ac_simulation_configuration(run.simulation), x), 0.0, 1e-14);
        /* each rod carries half of the weight: lambda (q - a) with force -G^T lambda; 2 lambda = 2 x 9.81 in
         * the vertical */
        CHECK_NEAR(record_at(&run, "multipliers")[0], 9.81, 1e-9);
        CHECK_NEAR(record_at(&run, "multipliers")[1], 9.81, 1e-9);
        record_close(&run);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(parallelogram_passes_its_change_points), CASE(start_in_a_change_point),
          CASE(ring_of_revolute_joints), CASE(platform_on_three_cranks), CASE(doubled_joints),
          CASE(joints_between_welded_bodies_change_nothing), CASE(structures_stand_still))
