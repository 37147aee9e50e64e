/* Elements, each by its loops or by its description, and sums over all of them. */
#include "action/element.h"

#include <string.h>

#include "action/inertia.h"

int ac_element_kind_count(void)
{
    int count = 0;
    while (ac_element_kinds[count]) ++count;
    return count;
}

int ac_element_count(const ac_system *system)
{
    int count = 0;
    for (int t = 0; ac_element_kinds[t]; ++t) count += ac_element_kinds[t]->count(system);
    return count;
}

/* Number of element k of a kind among the described ones. */
static int described_number(const ac_element_kind *kind, const ac_system *system, int k)
{
    for (int t = 0; ac_element_kinds[t] != kind; ++t)
        if (!ac_element_kinds[t]->gradient) k += ac_element_kinds[t]->count(system);
    return k;
}

bool ac_element_conservative(const ac_element_kind *kind, const ac_system *system, int k)
{
    if (kind->conservative) return kind->conservative(system, k);
    const int *start = system->described.start + described_number(kind, system, k);
    for (int p = 0; p < start[1] - start[0]; ++p) {
        ac_law_numbers numbers;
        kind->numbers(system, k, p, &numbers);
        if (numbers.elastic) return true;
    }
    return false;
}

bool ac_element_dissipative(const ac_element_kind *kind, const ac_system *system, int k)
{
    if (kind->dissipative) return kind->dissipative(system, k);
    const int *start = system->described.start + described_number(kind, system, k);
    for (int p = 0; p < start[1] - start[0]; ++p) {
        ac_law_numbers numbers;
        kind->numbers(system, k, p, &numbers);
        if (numbers.damping != 0.0) return true;
    }
    return false;
}

double ac_element_energy(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                         const double *winding)
{
    if (kind->energy) return kind->energy(system, k, x, winding);
    return ac_parts_energy(kind, system, k, &system->described, described_number(kind, system, k), x, winding,
                           NULL, NULL);
}

void ac_element_gradient(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                         const double *winding, double *gradient)
{
    if (kind->gradient) {
        kind->gradient(system, k, x, winding, gradient);
    } else {
        ac_parts_energy(kind, system, k, &system->described, described_number(kind, system, k), x, winding,
                        gradient, NULL);
    }
}

void ac_element_hessian(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                        const double *winding, double *hessian)
{
    if (kind->hessian) {
        kind->hessian(system, k, x, winding, hessian);
    } else {
        ac_parts_energy(kind, system, k, &system->described, described_number(kind, system, k), x, winding,
                        NULL, hessian);
    }
}

void ac_element_discrete(const ac_element_kind *kind, const ac_system *system, int k, const double *xa,
                         const double *xb, const double *winding, double *gradient, double *slope)
{
    if (kind->discrete) {
        kind->discrete(system, k, xa, xb, winding, gradient, slope);
    } else {
        ac_parts_discrete(kind, system, k, &system->described, described_number(kind, system, k), xa, xb,
                          winding, gradient, NULL, slope);
    }
}

void ac_element_force(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                      const double *v, const double *winding, double *f, double *by_x, double *by_v)
{
    if (kind->force) {
        kind->force(system, k, x, v, winding, f, by_x, by_v);
    } else {
        ac_parts_force(kind, system, k, &system->described, described_number(kind, system, k), x, v, f, by_x,
                       by_v);
    }
}

ac_element_place ac_element_where(const ac_system *system, const ac_element_kind *kind, int k)
{
    ac_element_place place = {{0}, 0, 0};
    place.node_count = kind->nodes(system, k, place.nodes);
    for (int i = 0; i < place.node_count; ++i) place.size += system->nodes[place.nodes[i]].size;
    return place;
}

void ac_block_coordinates(const ac_system *system, const int *nodes, int count, int *coordinates)
{
    for (int i = 0; i < count; ++i) {
        const ac_node *node = &system->nodes[nodes[i]];
        for (int c = 0; c < node->size; ++c) *coordinates++ = node->q + c;
    }
}

void ac_element_gather(const ac_system *system, const ac_element_place *place, const double *q, double *x)
{
    for (int i = 0; i < place->node_count; ++i) {
        const ac_node *node = &system->nodes[place->nodes[i]];
        memcpy(x, q + node->q, (size_t)node->size * sizeof *x);
        x += node->size;
    }
}

void ac_element_scatter(const ac_system *system, const ac_element_place *place, const double *x,
                        double factor, double *out)
{
    for (int i = 0; i < place->node_count; ++i) {
        const ac_node *node = &system->nodes[place->nodes[i]];
        for (int c = 0; c < node->size; ++c) out[node->q + c] += factor * x[c];
        x += node->size;
    }
}

double ac_potential_energy(const ac_system *system, const double *q, const double *winding)
{
    double energy = ac_gravity_energy(system, q), x[AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(system);
        if (kind->add_energies) {
            energy = kind->add_energies(system, q, energy);
            continue;
        }
        for (int k = 0; k < count; ++k) {
            if (!ac_element_conservative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, q, x);
            energy += ac_element_energy(kind, system, k, x, winding);
        }
    }
    return energy;
}

void ac_potential_add_gradient(const ac_system *system, const double *q, const double *winding, double factor,
                               double *gradient)
{
    double x[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(system);
        if (kind->add_gradients) {
            kind->add_gradients(system, q, factor, gradient);
            continue;
        }
        for (int k = 0; k < count; ++k) {
            if (!ac_element_conservative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, q, x);
            ac_element_gradient(kind, system, k, x, winding, local);
            ac_element_scatter(system, &place, local, factor, gradient);
        }
    }
}
