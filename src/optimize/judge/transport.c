/* What a motion costs: the work of its controls, net, absolute and positive, the loss at impacts, and work for weight and
 * length, which is how gaits are compared. */
#include <math.h>

#include "actio/replay.h"
#include "action/load.h"
#include "action/element.h"
#include "action/inertia.h"
#include "action/scheme/scheme.h"
#include "base/vector.h"
#include "math/math.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"
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

/* Is the work of the controls all that makes up for the loss? In a cycle that ends on the level where it began, without loads and
 * dampers. */
static bool is_balanced(ac_optimization *o)
{
    static const double LEVEL = 1e-6; /* of the weight, by the typical length */
    const ac_system *system = o->system;
    if (!ac_optimization_is_cycle(o) || ac_is_loaded(system) || !ac_system_is_undamped(system)) return false;
    ac_optimization *first = ac_optimization_phase(o, 0),
                    *last = ac_optimization_phase(o, ac_optimization_phases(o) - 1);
    int N = last->layout.N;
    double size = ac_total_mass(system) * norm3(system->gravity) * system->length_scale,
           start = ac_potential_energy(system, ac_q(first, 0), ac_optimization_near(first, 0)),
           end = ac_potential_energy(system, ac_q(last, N), ac_optimization_near(last, N));
    return fabs(end - start) <= LEVEL * ac_max(size, ac_max(fabs(start), fabs(end)));
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
    out->balanced = is_balanced(o);
    double weight = ac_total_mass(o->system) * norm3(o->system->gravity);
    if (!(weight > 0.0) || out->length == 0.0) return AC_OK;
    out->weight_times_length = weight * fabs(out->length);
    return AC_OK;
}
