/* Beams of order 2 and beams with corners in motion: exact momenta and energy, formulations, order in
 * space, frequency. */
#include "actio/simulate.h"
#include "base/vector.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

static void growing(const void *data, double s, ac_beam_values *values)
{
    (void)data;
    *values = (ac_beam_values){
        {50 + 10 * s, 60, 100 + 50 * s, 0.2, 0.1 + 0.1 * s, 0.1}, 1 + s, {0.01 + 0.01 * s, 0.02}};
}

/* A free beam that starts with a spin, bent by a precurvature that its initial state does not have; it has a
 * corner and its values change along it. */
static ac_system *flying(ac_context *ctx, int order)
{
    enum { ELEMENTS = 4 };
    ac_pose frames[2 * ELEMENTS + 2];
    int half = order * ELEMENTS / 2;
    ac_system *system;
    for (int k = 0; k <= half; ++k) {
        frames[k] = (ac_pose){{0.5 * k / half, 0, 0}, {0, 0, 1, 0, -1, 0, 1, 0, 0}};
        frames[half + 1 + k] = (ac_pose){{0.5, 0, 0.5 * k / half}, {-1, 0, 0, 0, -1, 0, 0, 0, 1}};
    }
    ac_beam beam = {.name = "noodle",
                    .order = order,
                    .elements = ELEMENTS,
                    .frames = frames,
                    .corners = &half,
                    .corner_count = 1,
                    .profile = growing,
                    .precurvature = {0.5, 1.0, 0.7},
                    .moving = true,
                    .velocity = {0.1, 0.2, 0.3},
                    .angular_velocity = {1, 2, 3}};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    CHECK(ac_system_sizes(system).freedoms == 6 * (order * ELEMENTS + 1));
    return system;
}

TEST(a_free_beam_keeps_its_momenta)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        ac_system *system = flying(ctx, order);
        check_momenta(ctx, system);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(formulations_agree)
{
    static const char *const schemes[] = {"midpoint", "energy-momentum"};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = flying(ctx, 2);
    for (int s = 0; s < 2; ++s) check_formulations(ctx, system, schemes[s], 20);
    ac_system_free(system);
    ac_context_free(ctx);
}

TEST(step_derivatives_are_exact)
{
    ac_context *ctx = ac_context_new(NULL);
    beam_data d = {AC_BEAM_DIRECTOR, 3, 1.0, 50, 100, {0.5, 0.5}, 0.5, 1, 0.02, 0.02, 2};
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    const double spin[3] = {0.3, 0.2, 0.1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add_straight(system, "arm", &d, spin);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    for (int s = 0; s < 3; ++s) {
        ac_simulation_settings settings;
        double step, gradient;
        ac_simulation_defaults(&settings);
        settings.scheme = schemes[s];
        settings.step = 1e-2;
        CHECK(ac_simulation_check_derivatives(ctx, system, &settings, &step, &gradient) == AC_OK);
        CHECK(step < 1e-7);
    }
    ac_system_free(system);
    ac_context_free(ctx);
}

/* First bending frequency of a cantilever, (1.8751)^2 / L^2 sqrt(EI / rho A), with three elements of order
 * 2. */
TEST(a_cantilever_swings_with_its_frequency)
{
    ac_context *ctx = ac_context_new(NULL);
    beam_data d = {AC_BEAM_DIRECTOR, 3, 1.0, 1e5, 2e5, {30, 10}, 10, 1, 1e-4, 0, 2};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL), end = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, end, 0, 0, 1e-3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    double period = 2 * PI / (1.875104068711961 * 1.875104068711961 * sqrt(10.0)), h = period / 400;
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", h);
    double level = 1e-3 / 30.0, before = 0.0, crossing[5] = {0};
    int count = 0;
    for (int n = 1; n <= 1100 && count < 5; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        double z = ac_simulation_configuration(sim)[system->nodes[end].q + 2];
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

static void tip_after(ac_context *ctx, int elements, double tip[3])
{
    beam_data d = {AC_BEAM_DIRECTOR, elements, 1.0, 50, 100, {0.5, 0.5}, 0.5, 1, 0.02, 0.05, 2};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL), end = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, end, 0, 0.1, 0.3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", 2e-3);
    for (int n = 0; n < 250; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
    copy3(ac_simulation_configuration(sim) + system->nodes[end].q, tip);
    ac_simulation_free(sim);
    ac_system_free(system);
}

TEST(the_error_in_space_falls_with_the_fourth_power)
{
    ac_context *ctx = ac_context_new(NULL);
    double x[3][3], step[2][3];
    for (int k = 0; k < 3; ++k) tip_after(ctx, 4 << k, x[k]);
    for (int k = 0; k < 2; ++k) sub3(x[k + 1], x[k], step[k]);
    CHECK_NEAR(log2(norm3(step[0]) / norm3(step[1])), 4.0, 0.3);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_free_beam_keeps_its_momenta), CASE(formulations_agree), CASE(step_derivatives_are_exact),
          CASE(a_cantilever_swings_with_its_frequency), CASE(the_error_in_space_falls_with_the_fourth_power))
