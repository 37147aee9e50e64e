/* Energy-momentum scheme with discrete derivatives, as a one-step map (q, p):
 *
 *   M v - p + h/2 [D V(q_a, q_b) - f + G(mean)^T lambda] = 0,   g(q_b) = 0,   p_next = 2 M v - p
 *
 * D V . (q_b - q_a) = V(q_b) - V(q_a) exactly, and G(mean) (q_b - q_a) = 0 because constraints are
 * quadratic: energy is kept to round-off, momentum too. Dampers and loads act at the mean, where the
 * angular momentum changes exactly by their torque: joint loads do not change it. */
#include <string.h>

#include "action/scheme/scheme.h"
#include "action/load.h"

/* out += factor D V of all elements */
static void add_discrete(const ac_interval *iv, double factor, double *out)
{
    double xa[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(iv->system);
        if (kind->add_discretes) {
            kind->add_discretes(iv->system, iv->qa, iv->start, iv->qb, iv->mean, factor, out);
            continue;
        }
        for (int k = 0; k < count; ++k) {
            if (!kind->conservative(iv->system, k)) continue;
            ac_element_place place = ac_element_where(iv->system, kind, k);
            ac_element_gather(iv->system, &place, iv->qa, xa);
            ac_element_gather(iv->system, &place, iv->qb, xb);
            kind->discrete(iv->system, k, xa, xb, iv->memory, local, NULL);
            ac_element_scatter(iv->system, &place, local, factor, out);
        }
    }
}

static void begin(ac_interval *iv)
{
    const ac_system *system = iv->system;
    for (int i = 0; i < system->n; ++i) iv->constant[i] = 0.5 * iv->h * system->gravity_force[i];
    for (int t = 0; t < ac_element_kind_count(); ++t)
        if (ac_element_kinds[t]->stresses) ac_element_kinds[t]->stresses(system, iv->qa, iv->start);
}

static void left(const ac_interval *iv, double *out)
{
    for (int i = 0; i < iv->system->n; ++i) out[i] = iv->constant[i] - iv->momentum[i];
    add_discrete(iv, -0.5 * iv->h, out);
    ac_interval_add_damping(iv, iv->mean, 0.5 * iv->h, out);
    ac_loads_add(iv->system, iv->t + 0.5 * iv->h, iv->mean, iv->memory, 0.5 * iv->h, out);
}

static void right(const ac_interval *iv, const double *p, double *out)
{
    for (int i = 0; i < iv->system->n; ++i) out[i] = 2.0 * iv->momentum[i] - p[i];
}

static bool slope(const ac_interval *iv, const ac_element_kind *kind, int k, const ac_element_place *place,
                  double *block)
{
    int entries = place->size * place->size;
    if (kind->conservative(iv->system, k)) {
        double xa[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX];
        ac_element_gather(iv->system, place, iv->qa, xa);
        ac_element_gather(iv->system, place, iv->qb, xb);
        kind->discrete(iv->system, k, xa, xb, iv->memory, local, block);
        for (int i = 0; i < entries; ++i) block[i] *= 0.5 * iv->h;
    } else {
        memset(block, 0, (size_t)entries * sizeof *block);
    }
    ac_interval_damping_slope(iv, kind, k, place, iv->mean, -0.25 * iv->h, -0.5, block);
    return true;
}

static bool twist_slope(const ac_interval *iv, const ac_element_kind *kind, int k, int at, double *block)
{
    const ac_damping_slope damping = {iv->velocity + at, 0.25 * iv->h, 0.5};
    if (!kind->twist_discrete) return false;
    kind->twist_discrete(iv->system, k, iv->qa + at, iv->qb + at, iv->mean + at, 0.5 * iv->h,
                         kind->dissipative(iv->system, k) ? &damping : NULL, block);
    return true;
}

static int load_slope(const ac_interval *iv, int k, int nodes[2], double *block)
{
    int count = ac_load_slope(iv->system, k, iv->t + 0.5 * iv->h, iv->mean, iv->memory, nodes, block),
        size = 0;
    for (int i = 0; i < count; ++i) size += iv->system->nodes[nodes[i]].size;
    for (int i = 0; i < size * size; ++i) block[i] *= -0.25 * iv->h;
    return count;
}

static double potential(const ac_interval *iv)
{
    return ac_potential_energy(iv->system, iv->mean, iv->memory);
}

extern const ac_scheme ac_scheme_energy_momentum;
const ac_scheme ac_scheme_energy_momentum = {
    .name = "energy-momentum",
    .at_mean = true,
    .published_factor = 2.0,
    .begin = begin,
    .left = left,
    .right = right,
    .slope = slope,
    .twist_slope = twist_slope,
    .load_slope = load_slope,
    .potential = potential,
};
