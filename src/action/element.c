/* The list of element kinds, and sums over all elements. */
#include "action/element.h"

#include <string.h>

extern const ac_element_kind ac_element_spring, ac_element_beam, ac_element_high_beam;

const ac_element_kind *const ac_element_kinds[] = {
    &ac_element_spring,
    &ac_element_beam,
    &ac_element_high_beam,
};

int ac_element_kind_count(void)
{
    return (int)(sizeof ac_element_kinds / sizeof ac_element_kinds[0]);
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

double ac_potential_energy(const ac_system *system, const double *q, const double *memory)
{
    double energy = 0.0, x[AC_ELEMENT_MAX];
    for (int i = 0; i < system->n; ++i) energy -= system->gravity_force[i] * q[i];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(system);
        if (kind->add_energies) {
            energy = kind->add_energies(system, q, energy);
            continue;
        }
        for (int k = 0; k < count; ++k) {
            if (!kind->conservative(system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, q, x);
            energy += kind->energy(system, k, x, memory);
        }
    }
    return energy;
}

void ac_potential_add_gradient(const ac_system *system, const double *q, const double *memory, double factor,
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
            if (!kind->conservative(system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, q, x);
            kind->gradient(system, k, x, memory, local);
            ac_element_scatter(system, &place, local, factor, gradient);
        }
    }
}
