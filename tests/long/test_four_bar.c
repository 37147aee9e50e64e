/* A million steps of the crank-rocker four-bar: no drift of the energy beyond a hundredth of its own
 * oscillation, the loop closed to 1e-12 m throughout. */
#include "support/drift.h"
#include "test.h"

static void check_drift(bool planar, const char *formulation, double h)
{
    const long steps = 1000000;
    drift d = drift_of_four_bar(planar, formulation, h, steps);
    CHECK(d.status == AC_OK);
    CHECK(d.discrete.count == steps);
    printf("    %s, %s, h = %g s: loop %.2g m, E_d rises by %.2g J and oscillates by %.3g J, H_d by %.2g and "
           "%.3g\n",
           planar ? "plane" : "space", formulation, h, d.residual, trend_rise(&d.discrete),
           trend_spread(&d.discrete), trend_rise(&d.hamiltonian), trend_spread(&d.hamiltonian));
    CHECK_NEAR(d.residual, 0.0, 1e-12);
    CHECK(trend_spread(&d.discrete) > 1e-7 && trend_spread(&d.hamiltonian) > 1e-7);
    CHECK_NEAR(trend_rise(&d.discrete) / trend_spread(&d.discrete), 0.0, 0.01);
    CHECK_NEAR(trend_rise(&d.hamiltonian) / trend_spread(&d.hamiltonian), 0.0, 0.01);
}

TEST(planar_1_ms)
{
    check_drift(true, "reduced", 1e-3);
}

TEST(planar_10_ms)
{
    check_drift(true, "reduced", 1e-2);
}

TEST(space_1_ms)
{
    check_drift(false, "reduced", 1e-3);
}

TEST(multipliers_1_ms)
{
    check_drift(true, "multipliers", 1e-3);
}

RUN_TESTS(CASE(planar_1_ms), CASE(planar_10_ms), CASE(space_1_ms), CASE(multipliers_1_ms))
