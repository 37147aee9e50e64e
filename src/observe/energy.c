/* Does energy come from nowhere?
 *
 * Steps far longer than the quickest vibrations leave them in the nodes of variational schemes as a ringing
 * from step to step, which may grow without any sign in what happens between the nodes. What the energy has
 * gained must be the work of the loads, or less where there are dampers. The rest is measured by the largest
 * kinetic energy: a motion whose energy is known worse than to a part of that is not to be trusted.
 *
 * The momentum of a node has the forces of half a step in it, also those that act on the joints alone. A motor and a damper
 * of 20 kN m that hold one another leave some of them, and with it an energy that is not one of the motion.
 */
#include "observe/energy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "observe/simulation.h"

/* More than this part of the largest kinetic energy is remarked; less than this part of the energy itself is
 * rounding. */
static const double PART = 0.05, ROUNDING = 1e-9;
static const double STEPS = 100; /* whose rounding may add up */

static int place_of(const ac_channel *channels, int count, const char *name)
{
    for (int c = 0, at = 0; c < count; at += channels[c].width, ++c)
        if (strcmp(channels[c].name, name) == 0) return at;
    return -1;
}

void ac_energy_watch_channels(ac_energy_watch *watch, const ac_channel *channels, int count)
{
    watch->hamiltonian = place_of(channels, count, "energy/hamiltonian");
    watch->kinetic = place_of(channels, count, "energy/kinetic");
    watch->projected = place_of(channels, count, "energy/hamiltonian_projected");
    watch->drives = place_of(channels, count, "energy/drives");
    watch->on = watch->hamiltonian >= 0 && watch->kinetic >= 0;
    watch->low = INFINITY;
    watch->high = -INFINITY;
}

void ac_energy_watch_open(ac_energy_watch *watch, const ac_simulation *simulation)
{
    int count = 0;
    const ac_channel *channels = ac_simulation_node_channels(simulation, &count);
    ac_energy_watch_channels(watch, channels, count);
    watch->on = watch->on && !ac_simulation_keeps_energy(simulation);
}

void ac_energy_watch_row(ac_energy_watch *watch, const double *row, bool whole)
{
    if (!watch->on) return;
    double energy = row[watch->hamiltonian];
    if (watch->rows++ == 0) watch->start = energy;
    double driven = watch->drives >= 0 ? row[watch->drives] : 0.0;
    watch->gain = ac_max(watch->gain, energy - watch->start - watch->work - driven);
    watch->most = ac_max(watch->most, row[watch->kinetic]);
    watch->size = ac_max(watch->size, fabs(energy));
    if (!whole || watch->projected < 0) return;
    double across = energy - row[watch->projected];
    watch->low = ac_min(watch->low, row[watch->projected]);
    watch->high = ac_max(watch->high, row[watch->projected]);
    watch->across = ac_max(watch->across, across);
    watch->along = ac_max(watch->along, row[watch->kinetic] - across);
}

void ac_energy_watch_interval(ac_energy_watch *watch, const ac_simulation *simulation)
{
    if (watch->on) watch->work += ac_simulation_load_work(simulation);
}

bool ac_energy_remark(const ac_energy_watch *watch, double rounding, bool beams, char *text, size_t size)
{
    text[0] = '\0';
    if (!watch->on || !(watch->gain > PART * watch->most) || !(watch->gain > ROUNDING * watch->size) ||
        !(watch->gain > STEPS * rounding))
        return false;
    snprintf(text, size,
             "the energy rises by %.3g J that no load gives, with a kinetic energy of at most %.3g J: the "
             "step does not resolve the quickest vibrations; use scheme: energy-momentum, a smaller step%s",
             watch->gain, watch->most, beams ? " or damping of the beams" : " or damping");
    return true;
}

bool ac_energy_is_across(const ac_energy_watch *watch)
{
    return watch->on && watch->across > PART * watch->along && watch->across > ROUNDING * watch->size;
}

bool ac_energy_across_remark(const ac_energy_watch *watch, char *text, size_t size)
{
    if (!ac_energy_is_across(watch)) return false;
    snprintf(
        text, size,
        "momenta, energy/kinetic and energy/hamiltonian have forces in them that act on the joints alone: "
        "up to %.3g J, with a kinetic energy of the motion of at most %.3g J; "
        "energy/hamiltonian_projected is without them, and half the step leaves a quarter",
        watch->across, watch->along);
    return true;
}
