/* Beams in motion: exact momenta, energy, frequencies, order, formulations, the rigid limit, no allocation
 * in a step. */
#include "actio/simulate.h"
#include "base/vector.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

/* A free beam that starts with a spin, bent by a precurvature that it does not have as drawn. */
static ac_system *flying(ac_context *ctx, ac_beam_model model)
{
    enum { ELEMENTS = 8 };
    ac_pose frames[ELEMENTS + 2];
    int edges = model == AC_BEAM_EDGE;
    ac_system *system;
    for (int k = 0; k <= ELEMENTS + edges; ++k) {
        frames[k] = (ac_pose){.position = {1.0 * (edges && k > 0 ? k - 1 : k) / ELEMENTS, 0, 0}};
        memcpy(frames[k].rotation, ALONG_X, sizeof ALONG_X);
    }
    ac_beam beam = {.name = "noodle",
                    .model = model,
                    .elements = ELEMENTS + edges,
                    .frames = frames,
                    .shear = {50, 60},
                    .axial = 100,
                    .bending = {0.2, 0.1},
                    .torsion = 0.1,
                    .mass = 1,
                    .inertia = {0.01, 0.02},
                    .precurvature = {0.5, 1.0, 0.7},
                    .moving = true,
                    .velocity = {0.1, 0.2, 0.3},
                    .angular_velocity = {1, 2, 3}};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

TEST(a_free_beam_keeps_its_momenta)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 2; ++m) {
        ac_system *system = flying(ctx, m == 0 ? AC_BEAM_DIRECTOR : AC_BEAM_VERTEX);
        for (int s = 0; s < 3; ++s) {
            ac_simulation *sim = start(ctx, system, schemes[s], "auto", 2e-3);
            double *row = calloc((size_t)row_width(sim), sizeof *row), first[6] = {0}, H0 = 0.0, worst = 0.0,
                   energy = 0.0;
            int at = channel_at(sim, true, "momentum/linear"),
                H = channel_at(sim, true, "energy/hamiltonian");
            for (int n = 0; n < 200; ++n) {
                ac_status status = ac_simulation_step(sim);
                CHECK(status == AC_OK);
                if (status != AC_OK) break;
                CHECK(ac_simulation_node_row(sim, false, row) == AC_OK);
                for (int i = 0; i < 6; ++i) {
                    if (n == 0) first[i] = row[at + i];
                    worst = fmax(worst, fabs(row[at + i] - first[i]));
                }
                if (n == 0) H0 = row[H];
                energy = fmax(energy, fabs(row[H] - H0));
            }
            CHECK_NEAR(worst, 0.0, 2e-12);
            if (s == 2) CHECK_NEAR(energy, 0.0, 1e-11);
            if (s != 2) CHECK(energy < 0.02 * fabs(H0));
            free(row);
            ac_simulation_free(sim);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(formulations_of_a_beam_agree)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = flying(ctx, AC_BEAM_DIRECTOR);
    static const char *const schemes[] = {"midpoint", "energy-momentum"};
    static const char *const formulations[] = {"multipliers", "null-space"};
    for (int s = 0; s < 2; ++s) {
        for (int f = 0; f < 2; ++f) {
            ac_simulation *a = start(ctx, system, schemes[s], "reduced", 5e-3);
            ac_simulation *b = start(ctx, system, schemes[s], formulations[f], 5e-3);
            for (int n = 0; n < 40; ++n)
                CHECK(ac_simulation_step(a) == AC_OK && ac_simulation_step(b) == AC_OK);
            const double *qa = ac_simulation_configuration(a), *qb = ac_simulation_configuration(b);
            for (int i = 0; i < system->n; ++i) CHECK_NEAR(qa[i], qb[i], 1e-11);
            ac_simulation_free(a);
            ac_simulation_free(b);
        }
    }
    ac_system_free(system);
    ac_context_free(ctx);
}

/* First bending frequency of a cantilever: (1.8751)^2 / L^2 sqrt(EI / rho A), from the period of the tip
 * under a sudden load. */
TEST(a_cantilever_swings_with_its_frequency)
{
    ac_context *ctx = ac_context_new(NULL);
    beam_data d = {AC_BEAM_DIRECTOR, 24, 1.0, 1e5, 2e5, {30, 10}, 10, 1, 1e-4, 0, 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, first + 24, 0, 0, 1e-3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    double expected = 1.875104068711961 * 1.875104068711961 * sqrt(10.0), period = 2 * PI / expected,
           h = period / 400;
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", h);
    /* the load excites mostly the first mode: crossings of the static deflection F L^3 / 3EI are half a
     * period apart */
    double level = 1e-3 / 30.0, before = 0.0, crossing[5] = {0};
    int count = 0;
    for (int n = 1; n <= 1100 && count < 5; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        double z = ac_simulation_configuration(sim)[system->nodes[first + 24].q + 2];
        if ((z - level) * (before - level) < 0.0)
            crossing[count++] = h * (n - 1 + (level - before) / (z - before));
        before = z;
    }
    CHECK(count == 5);
    CHECK_NEAR((crossing[4] - crossing[0]) / 2.0, period, 0.01 * period);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
}

static void tip_after(ac_context *ctx, int elements, double step, int steps, double damping, double tip[3])
{
    beam_data d = {AC_BEAM_DIRECTOR, elements, 1.0, 50, 100, {0.5, 0.5}, 0.5, 1, 0.02, damping, 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, first + elements, 0, 0.1, 0.3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", step);
    for (int n = 0; n < steps; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
    copy3(ac_simulation_configuration(sim) + system->nodes[first + elements].q, tip);
    ac_simulation_free(sim);
    ac_system_free(system);
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    sub3(a, b, d);
    return norm3(d);
}

TEST(order_two_in_space_and_time)
{
    ac_context *ctx = ac_context_new(NULL);
    double x[3][3];
    for (int k = 0; k < 3; ++k) tip_after(ctx, 6, 1e-3 / (1 << k), 500 << k, 0.02, x[k]);
    CHECK_NEAR(log2(distance(x[0], x[1]) / distance(x[1], x[2])), 2.0, 0.1);
    for (int k = 0; k < 3; ++k) tip_after(ctx, 8 << k, 2e-3, 250, 0.05, x[k]);
    CHECK_NEAR(log2(distance(x[0], x[1]) / distance(x[1], x[2])), 2.0, 0.2);
    ac_context_free(ctx);
}

/* A pendulum of one stiff element with a bob against a rigid body of the same mass, centre and inertia. */
TEST(a_stiff_beam_swings_as_a_rigid_body)
{
    ac_context *ctx = ac_context_new(NULL);
    const double gravity[3] = {0, 0, -9.81};
    double end[2][3];
    for (int rigid = 0; rigid < 2; ++rigid) {
        ac_system *system;
        ac_joint pin = {.name = "pin", .type = AC_REVOLUTE, .a = AC_GROUND, .b = 0};
        const double about_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}; /* z axis along y */
        pin.frame_a = pin.frame_b = ac_pose_identity();
        memcpy(pin.frame_a.rotation, about_y, sizeof about_y);
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        if (rigid) {
            ac_body body = {.name = "rod",
                            .mass = 2,
                            .inertia = {2e-3, 2.0 / 12 + 1e-3, 2.0 / 12 + 1e-3},
                            .centre = {0.5, 0, 0}};
            body.placed = true;
            body.pose = ac_pose_identity();
            CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
            memcpy(pin.frame_b.rotation, about_y, sizeof about_y);
        } else {
            beam_data d = {AC_BEAM_DIRECTOR, 1, 1.0, 1e7, 1e7, {1e6, 1e6}, 1e6, 2, 1e-3, 0, 1};
            add_straight(system, "rod", &d, NULL);
            transposed_multiply3(ALONG_X, about_y, pin.frame_b.rotation);
        }
        CHECK(ac_system_add_joint(system, &pin, NULL) == AC_OK);
        CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "midpoint", "auto", 1e-3);
        for (int n = 0; n < 400; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
        const double *q = ac_simulation_configuration(sim);
        for (int i = 0; i < 3; ++i) end[rigid][i] = rigid ? q[i] + 0.5 * q[3 + i] : q[system->nodes[1].q + i];
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    CHECK_NEAR(distance(end[0], end[1]), 0.0, 2e-4);
    ac_context_free(ctx);
}

/* Kelvin-Voigt damping brings a beam to rest where the statics says. */
TEST(damping_brings_a_beam_to_rest)
{
    ac_context *ctx = ac_context_new(NULL);
    double tip[3], later[3];
    tip_after(ctx, 6, 2e-2, 1000, 0.5, tip);
    tip_after(ctx, 6, 2e-2, 1200, 0.5, later);
    CHECK_NEAR(distance(tip, later), 0.0, 1e-6);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_free_beam_keeps_its_momenta), CASE(formulations_of_a_beam_agree),
          CASE(a_cantilever_swings_with_its_frequency), CASE(order_two_in_space_and_time),
          CASE(a_stiff_beam_swings_as_a_rigid_body), CASE(damping_brings_a_beam_to_rest))
