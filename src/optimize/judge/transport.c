/* What a motion costs: the work of its controls, net, absolute and positive, the loss at impacts, and work for weight and
 * length, which is how gaits are compared. */
#include <math.h>

#include "action/inertia.h"
#include "base/vector.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/speed.h"

double ac_optimization_work(const ac_optimization *o, int interval, int control)
{
    return ac_optimization_control_values(o, interval)[control] *
           ac_speed_way(&o->description.discrete, control, ac_q(o, interval), ac_q(o, interval + 1));
}

static void add_work(const ac_optimization *o, ac_transport *out)
{
    for (int n = 0; n < o->layout.N; ++n)
        for (int k = 0; k < o->description.control_count; ++k) {
            double work = ac_optimization_work(o, n, k);
            out->work += work;
            out->absolute_work += fabs(work);
        }
}

ac_status ac_optimization_transport(ac_optimization *o, ac_transport *out)
{
    *out = (ac_transport){0};
    for (int k = 0; k < ac_optimization_phases(o); ++k) add_work(ac_optimization_phase(o, k), out);
    if (ac_optimization_phases(o) == 0) add_work(o, out);
    out->positive_work = 0.5 * (out->absolute_work + out->work);
    for (int k = 0; k < ac_optimization_junctions(o); ++k) {
        ac_junction_outcome j;
        AC_TRY(ac_optimization_junction(o, k, &j));
        out->loss += j.energy_before - j.energy_after;
        out->length += j.length;
    }
    double weight = ac_total_mass(o->system) * norm3(o->system->gravity);
    if (!(weight > 0.0) || out->length == 0.0) return AC_OK;
    out->weight_times_length = weight * fabs(out->length);
    return AC_OK;
}
