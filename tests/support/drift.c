/* Long runs of the crank-rocker four-bar. */
#include "support/drift.h"

#include <math.h>

#include "tree/kinematics.h"
#include "support/record.h"

drift drift_of_four_bar(bool planar, const char *formulation, double h, long steps)
{
    static const four_bar bar = {0.7, 1.8, 1.3, 2.0, 1.5707963267948966, 1.0};
    drift d = {.status = AC_OK};
    rig r;
    record run;
    double g[64];
    rig_open(&r, NULL);
    if (planar)
        draw_planar_four_bar(&r, &bar);
    else
        draw_four_bar(&r, &bar);
    d.status = rig_finish(&r);
    ac_simulation_settings settings = record_settings("midpoint", formulation, h);
    settings.multipliers = settings.momenta = false;
    if (d.status == AC_OK) d.status = record_open(&run, r.ctx, r.system, &settings);
    if (d.status != AC_OK) {
        rig_close(&r);
        return d;
    }
    for (long k = 0; k < steps && d.status == AC_OK; ++k) {
        record_steps(&run, 1);
        record_interval(&run);
        d.status = record_node(&run, false);
        trend_add(&d.discrete, *record_at(&run, "energy/discrete"));
        trend_add(&d.hamiltonian, *record_at(&run, "energy/hamiltonian"));
        ac_constraints_value(r.system, ac_simulation_configuration(run.simulation), 0, g);
        d.residual = fmax(d.residual, largest_entry(r.system->constraints.count, g));
    }
    record_close(&run);
    rig_close(&r);
    return d;
}
