/* Long runs of beams: do the energy and the momenta drift? */
#ifndef ACTIO_TESTS_SUPPORT_BEAM_DRIFT_H
#define ACTIO_TESTS_SUPPORT_BEAM_DRIFT_H

#include <math.h>

#include "support/beams.h"
#include "support/numeric.h"

typedef struct beam_drift {
    ac_status status;
    trend energy;    /* its change, of the nodes that were looked at */
    double momentum; /* largest change of a linear or angular momentum */
} beam_drift;

/* A bent beam of 8 elements that turns about its centre in space, with nothing else; angular momentum
 * about 0.36 kg m^2/s. */
static inline void add_flying(ac_system *system)
{
    add_noodle(system, AC_BEAM_DIRECTOR, (const double[3]){0, -1.5, 1});
}

/* A clamped rubber rod of 8 elements, 1 m long, 3 cm in radius, that falls from rest. */
static inline void add_falling(ac_system *system)
{
    const double origin[3] = {0, 0, 0}, gravity[3] = {0, 0, -9.81};
    beam_data d = {AC_BEAM_DIRECTOR, 8, 1.0, 8482, 28274, {6.3617, 6.3617}, 4.2412, 2.8274, 6.3617e-4, 0, 1};
    int first = add_straight(system, "rod", &d, NULL);
    hold(system, AC_FIXED, first, origin);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
}

static inline beam_drift drift_of_beam(void (*add)(ac_system *system), const char *scheme, double h,
                                       long steps, long every)
{
    beam_drift d = {.status = AC_OK};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add(system);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, scheme, "auto", h);
    double *row = calloc((size_t)row_width(sim), sizeof *row), first[6] = {0}, H0 = 0.0;
    int p = channel_at(sim, true, "momentum/linear"), H = channel_at(sim, true, "energy/hamiltonian");
    for (long n = 0; n < steps && d.status == AC_OK; ++n) {
        d.status = ac_simulation_step(sim);
        if (n % every != 0 || d.status != AC_OK) continue;
        d.status = ac_simulation_node_row(sim, false, row);
        if (n == 0) memcpy(first, row + p, sizeof first);
        if (n == 0) H0 = row[H];
        for (int i = 0; i < 6; ++i) d.momentum = fmax(d.momentum, fabs(row[p + i] - first[i]));
        trend_add(&d.energy, row[H] - H0);
    }
    free(row);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
    return d;
}

#endif
