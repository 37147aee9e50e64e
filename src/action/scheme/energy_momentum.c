/* Energy-momentum scheme with discrete derivatives, as a one-step map (q, p):
 *
 *   M v - p + h/2 [D V(q_a, q_b) - f + G(mean)^T lambda] = 0,   g(q_b) = 0,   p_next = 2 M v - p
 *
 * D V . (q_b - q_a) = V(q_b) - V(q_a) exactly, and G(mean) (q_b - q_a) = 0 because constraints are
 * quadratic: energy is kept to round-off, momentum too. Dampers, loads and controls act at the mean, where the
 * angular momentum changes exactly by their torque: joint loads and controls do not change it. */
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
            if (!ac_element_conservative(kind, iv->system, k)) continue;
            ac_element_place place = ac_element_where(iv->system, kind, k);
            ac_element_gather(iv->system, &place, iv->qa, xa);
            ac_element_gather(iv->system, &place, iv->qb, xb);
            ac_element_discrete(kind, iv->system, k, xa, xb, iv->winding, local, NULL);
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
    ac_interval_add_inputs(iv, AC_AT_MEAN, iv->mean, 0.5 * iv->h, out);
}

static void right(const ac_interval *iv, const double *p, double *out)
{
    for (int i = 0; i < iv->system->n; ++i) out[i] = 2.0 * iv->momentum[i] - p[i];
}

static void energy_slope(const ac_interval *iv, const ac_element_kind *kind, int k,
                         const ac_element_place *place, double *block)
{
    double xa[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX];
    ac_element_gather(iv->system, place, iv->qa, xa);
    ac_element_gather(iv->system, place, iv->qb, xb);
    ac_element_discrete(kind, iv->system, k, xa, xb, iv->winding, local, block);
    for (int i = 0; i < place->size * place->size; ++i) block[i] *= 0.5 * iv->h;
}

static bool slope(const ac_interval *iv, const ac_element_kind *kind, int k, const ac_element_place *place,
                  double *block)
{
    return ac_interval_slope_at_mean(iv, kind, k, place, energy_slope, block);
}

static bool twist_slope(const ac_interval *iv, const ac_element_kind *kind, int k, int at, double *block)
{
    const ac_damping_slope damping = {iv->velocity + at, 0.25 * iv->h, 0.5};
    if (!kind->twist_discrete) return false;
    kind->twist_discrete(iv->system, k, iv->qa + at, iv->qb + at, iv->mean + at, 0.5 * iv->h,
                         ac_element_dissipative(kind, iv->system, k) ? &damping : NULL, block);
    return true;
}

static int load_slope(const ac_interval *iv, int k, int nodes[2], double *block)
{
    int count = ac_load_slope(iv->system, k, iv->t, iv->h, iv->mean, iv->winding, nodes, block), size = 0;
    for (int i = 0; i < count; ++i) size += iv->system->nodes[nodes[i]].size;
    for (int i = 0; i < size * size; ++i) block[i] *= -0.25 * iv->h;
    return count;
}

/* Slopes of the forces of one control, gathered as a block of its nodes. */
typedef struct control_block {
    const ac_system *system;
    int nodes[AC_ELEMENT_NODES], count, size;
    double *block;
} control_block;

/* Where a coordinate stands in the block, whose nodes come in the order in which they are met; -1: nowhere. */
static int place_in(control_block *b, int coordinate)
{
    int place = 0;
    for (int e = 0; e < b->count; ++e) {
        const ac_node *node = &b->system->nodes[b->nodes[e]];
        if (coordinate >= node->q && coordinate < node->q + node->size) return place + coordinate - node->q;
        place += node->size;
    }
    return -1;
}

static void note_node(control_block *b, int coordinate)
{
    if (place_in(b, coordinate) >= 0) return;
    int node = 0;
    while (coordinate >= b->system->nodes[node].q + b->system->nodes[node].size) ++node;
    if (b->count == AC_ELEMENT_NODES) return;
    b->nodes[b->count++] = node;
    b->size += b->system->nodes[node].size;
}

static void note_slope(void *user, int row, int column, double value)
{
    (void)value;
    note_node(user, row);
    note_node(user, column);
}

static void add_slope(void *user, int row, int column, double value)
{
    control_block *b = user;
    int i = place_in(b, row), j = place_in(b, column);
    if (i >= 0 && j >= 0) b->block[i * b->size + j] += value;
}

static int control_slope(const ac_interval *iv, int k, int nodes[AC_ELEMENT_NODES], double *block)
{
    control_block b = {.system = iv->system, .block = block};
    ac_input_slopes(iv->controls, AC_AT_MEAN, k, iv->mean, note_slope, &b);
    memset(block, 0, (size_t)(b.size * b.size) * sizeof *block);
    ac_input_slopes(iv->controls, AC_AT_MEAN, k, iv->mean, add_slope, &b);
    for (int e = 0; e < b.size * b.size; ++e) block[e] *= -0.25 * iv->h * iv->tau[k];
    memcpy(nodes, b.nodes, sizeof b.nodes);
    return b.count;
}

static double potential(const ac_interval *iv)
{
    return ac_potential_energy(iv->system, iv->mean, iv->winding);
}

extern const ac_scheme ac_scheme_energy_momentum;
const ac_scheme ac_scheme_energy_momentum = {
    .name = "energy-momentum",
    .stations = AC_ENERGY_MOMENTUM,
    .at_mean = true,
    .published_factor = 2.0,
    .begin = begin,
    .left = left,
    .right = right,
    .slope = slope,
    .twist_slope = twist_slope,
    .load_slope = load_slope,
    .control_slope = control_slope,
    .potential = potential,
};
