/* A million steps of beams: the energy of the energy-momentum scheme rises by less than 2e-9 of itself,
 * the momenta stay within 1e-12, and the midpoint rule shows no slope beside its own oscillation. */
#include "support/beam_drift.h"

static beam_drift run(const char *title, void (*add)(ac_system *system), const char *scheme, double h)
{
    beam_drift d = drift_of_beam(add, scheme, h, 1000000, 50);
    CHECK(d.status == AC_OK);
    printf("    %s, %s: energy rises by %.2g J and oscillates by %.3g J, momenta change by %.2g\n", title,
           scheme, trend_rise(&d.energy), trend_spread(&d.energy), d.momentum);
    return d;
}

TEST(free_energy_momentum)
{
    beam_drift d = run("free beam", add_flying, "energy-momentum", 5e-3);
    CHECK_NEAR(trend_rise(&d.energy), 0.0, 2e-9);
    CHECK_NEAR(d.momentum, 0.0, 2e-13);
}

TEST(free_midpoint)
{
    beam_drift d = run("free beam", add_flying, "midpoint", 5e-3);
    CHECK_NEAR(d.momentum, 0.0, 2e-12);
}

TEST(clamped_energy_momentum)
{
    beam_drift d = run("clamped rod", add_falling, "energy-momentum", 1e-3);
    CHECK_NEAR(trend_rise(&d.energy), 0.0, 1e-9);
}

TEST(clamped_midpoint)
{
    beam_drift d = run("clamped rod", add_falling, "midpoint", 1e-3);
    CHECK_NEAR(trend_rise(&d.energy) / trend_spread(&d.energy), 0.0, 0.05);
}

RUN_TESTS(CASE(free_energy_momentum), CASE(free_midpoint), CASE(clamped_energy_momentum),
          CASE(clamped_midpoint))
