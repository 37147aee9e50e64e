/* Hyperelastic beams in motion: momenta to rounding in every scheme, energy to rounding in energy-momentum, the same steps in
 * every formulation, the frequency of a rod in a field. */
#include "actio/beam.h"
#include "actio/simulate.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double SPIN[3] = {1, 2, 3}, PI = 3.14159265358979323846;

static void give(ac_context *ctx, ac_system *system, ac_beam_energy kind, const char *text)
{
    ac_expression *e = NULL;
    CHECK(ac_beam_energy_parse(ctx, kind, text, NULL, NULL, NULL, &e) == AC_OK);
    CHECK(ac_system_add_beam_energy(system, 0, kind, e) == AC_OK);
    ac_expression_free(e);
}

/* A free beam whose energy couples strains; its curvature without stress is not that of the start. */
static ac_system *flying(ac_context *ctx, ac_beam_model model, int order)
{
    beam_data d = {model, 3, 1.0, 50, 100, {0.2, 0.1}, 0.1, 1, 0.01, 0, order};
    ac_system *system = NULL;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add_straight(system, "noodle", &d, SPIN);
    give(ctx, system, AC_BEAM_OF_STRAINS,
         "0.2*cosh(u1-0.4)+0.1*(u2+0.3)^2+0.03*u2^4+0.05*u3^2+25*(v1^2+v2^2)+100*(v3-1-log(v3))+0.3*u1*v2+0."
         "2*u3*(v3-1)");
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static const struct {
    ac_beam_model model;
    int order;
} models[] = {{AC_BEAM_DIRECTOR, 1}, {AC_BEAM_DIRECTOR, 2}, {AC_BEAM_VERTEX, 1}};
enum { MODELS = 3 };

TEST(momenta_stay)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < MODELS; ++m) {
        ac_system *system = flying(ctx, models[m].model, models[m].order);
        check_momenta(ctx, system);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(energy_momentum_conserves_the_energy)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < MODELS; ++m) {
        ac_system *system = flying(ctx, models[m].model, models[m].order);
        ac_simulation *sim = start(ctx, system, "energy-momentum", "reduced", 5e-3);
        double *row = calloc((size_t)row_width(sim), sizeof *row), first = 0, off = 0;
        int H = channel_at(sim, true, "energy/hamiltonian");
        for (int n = 0; n < 200; ++n) {
            CHECK(ac_simulation_step(sim) == AC_OK);
            CHECK(ac_simulation_node_row(sim, false, row) == AC_OK);
            if (n == 0) first = row[H];
            off = fmax(off, fabs(row[H] - first));
        }
        CHECK_NEAR(off, 0, 1e-11 * fabs(first));
        free(row);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(formulations_agree)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < MODELS; ++m)
        for (int s = 0; s < 3; ++s) {
            ac_system *system = flying(ctx, models[m].model, models[m].order);
            check_formulations(ctx, system, schemes[s], 10);
            ac_system_free(system);
        }
    ac_context_free(ctx);
}

/* A stiff rod on a hinge in the field U = c x: a pendulum of uniform mass with g = c / mass. Its small swing has the period
 * 2 pi sqrt(2 L / 3 g) but for the rotary inertia and the sum over nodes instead of the integral. */
TEST(a_rod_swings_in_a_field)
{
    enum { ELEMENTS = 20 };
    const double mass = 2, c = 7, h = 2e-3;
    beam_data d = {AC_BEAM_VERTEX, ELEMENTS, 1.0, 1e5, 1e5, {1e3, 1e3}, 1e3, mass, 1e-6, 0, 1};
    const double push[3] = {0, 0.01, 0};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "rod", &d, push);
    give(ctx, system, AC_BEAM_OF_PLACE, "-7*x");
    ac_joint hinge = {.name = "hinge", .type = AC_REVOLUTE, .a = AC_GROUND, .b = first};
    hinge.frame_a = hinge.frame_b = ac_pose_identity();
    /* axis -y: d2 of the node */
    const double axes_a[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    const double axes_b[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    memcpy(hinge.frame_a.rotation, axes_a, sizeof axes_a);
    memcpy(hinge.frame_b.rotation, axes_b, sizeof axes_b);
    CHECK(ac_system_add_joint(system, &hinge, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, "energy-momentum", "reduced", h);
    double before = 0, up = 0, down = 0;
    int z = system->nodes[first + ELEMENTS].q + 2;
    for (int n = 1; n < 3000 && down == 0; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        double now = ac_simulation_configuration(sim)[z];
        if (n > 2 && before * now < 0) {
            double t = h * (n - now / (now - before));
            *(up == 0 ? &up : &down) = t;
        }
        before = now;
    }
    CHECK_NEAR(2 * (down - up), 2 * PI * sqrt(2 * mass / (3 * c)), 2e-3);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(momenta_stay), CASE(energy_momentum_conserves_the_energy), CASE(formulations_agree),
          CASE(a_rod_swings_in_a_field))
