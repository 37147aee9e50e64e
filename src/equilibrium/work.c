/* What descent goes down on.
 *
 * Elements, weight and forces that keep their direction have a potential that depends on the place alone.
 * Other loads may have one, too: a torque about the axis of a hinge, a torque on a planar body, a load in a
 * joint. It is known by the work of the load along a step, f . delta integrated over it: the freedoms move
 * evenly along a step, so that the work of a torque about a hinge is exact, and that of others has the error
 * of a Gauss formula of order six.
 */
#include <string.h>

#include "equilibrium/solver.h"
#include "action/spin.h"
#include "action/element.h"
#include "action/inertia.h"
#include "action/load.h"

enum { PLACES = 3 };
static const double PLACE[PLACES] = {0.11270166537925831148, 0.5, 0.88729833462074168852};
static const double SHARE[PLACES] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

static bool is_plain(const ac_load_data *load)
{
    return load->measure < 0 && load->type == AC_LOAD_FORCE && !load->follows;
}

static bool are_all_plain(const ac_system *system)
{
    for (int k = 0; k < system->load_count; ++k)
        if (!is_plain(&system->loads[k])) return false;
    return true;
}

ac_status ac_equilibrium_can_descend(ac_equilibrium *e, bool *can)
{
    *can = e->closures == 0;
    if (!*can || are_all_plain(e->system)) return AC_OK;
    ac_equilibrium_evaluate(e);
    AC_TRY(ac_equilibrium_assemble(e));
    return ac_equilibrium_has_potential(e, can);
}

/* Loads of one kind at the present configuration, in `scratch`. */
static void gather(ac_equilibrium *e, bool plain)
{
    const ac_system *system = e->system;
    memset(e->scratch, 0, (size_t)system->n * sizeof *e->scratch);
    for (int k = 0; k < system->load_count; ++k)
        if (is_plain(&system->loads[k]) == plain)
            ac_load_add(system, k, e->settings.time, 0.0, e->now.q, e->winding, ac_equilibrium_level(e, k),
                        e->scratch);
}

double ac_equilibrium_potential(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double weight = (e->settings.constant_gravity ? e->now.share : e->now.factor) - 1.0;
    double sum = ac_potential_energy(system, e->now.q, e->winding) +
                 weight * ac_gravity_energy(system, e->now.q);
    gather(e, true);
    for (int i = 0; i < system->n; ++i) sum -= e->scratch[i] * e->now.q[i];
    return sum + ac_spin_add_centrifugal(system, e->settings.spin, e->now.q, 0.0, e->scratch);
}

double ac_equilibrium_work(ac_equilibrium *e, const ac_equilibrium_state *from, const double *delta,
                           double factor)
{
    double work = 0.0;
    if (are_all_plain(e->system)) return work;
    for (int k = 0; k < PLACES; ++k) {
        ac_equilibrium_state_copy(e, from, &e->now);
        ac_equilibrium_move(e, delta, PLACE[k] * factor);
        gather(e, false);
        ac_tree_columns(e->system, e->now.state, e->now.q, e->columns);
        ac_tree_project(e->system, e->columns, e->now.q, e->scratch, e->wrenches, e->newton.travelled);
        for (int j = 0; j < e->freedoms; ++j) work += SHARE[k] * factor * e->newton.travelled[j] * delta[j];
    }
    ac_equilibrium_state_copy(e, from, &e->now);
    return work;
}
