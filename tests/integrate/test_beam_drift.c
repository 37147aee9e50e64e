/* Beams over many steps: what a step leaves to rounding must not add up. The bounds are a few times what
 * rounding does; with the midpoint rule a step equation that is solved ten times less exactly breaks them.
 * The long tests take a million steps. */
#include "support/beam_drift.h"

TEST(a_free_beam_keeps_energy_and_momenta)
{
    beam_drift d = drift_of_beam(add_flying, "energy-momentum", 5e-3, 10000, 20);
    CHECK(d.status == AC_OK);
    CHECK_NEAR(trend_rise(&d.energy), 0.0, 4e-12);
    CHECK_NEAR(d.momentum, 0.0, 4e-14);
}

TEST(a_free_beam_keeps_its_momenta_with_the_midpoint_rule)
{
    beam_drift d = drift_of_beam(add_flying, "midpoint", 5e-3, 10000, 20);
    CHECK(d.status == AC_OK);
    CHECK_NEAR(d.momentum, 0.0, 3e-13);
}

TEST(a_clamped_rod_keeps_its_energy)
{
    beam_drift d = drift_of_beam(add_falling, "energy-momentum", 1e-3, 10000, 20);
    CHECK(d.status == AC_OK);
    CHECK_NEAR(trend_rise(&d.energy), 0.0, 2e-11);
}

RUN_TESTS(CASE(a_free_beam_keeps_energy_and_momenta),
          CASE(a_free_beam_keeps_its_momenta_with_the_midpoint_rule), CASE(a_clamped_rod_keeps_its_energy))
