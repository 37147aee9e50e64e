/* Loads over time: their force maps, and sums over them. */
#include "action/load.h"

#include <string.h>

#include "action/force_map.h"

ac_status ac_loads_describe(ac_system *system)
{
    ac_force_maps *set = &system->load.forces;
    set->entry_count = set->torque_count = set->forms.count = 0;
    AC_TRY(ac_grow(system->ctx, (void **)&system->load.maps, &system->load.capacity, 3 * system->load_count,
                   sizeof *system->load.maps));
    for (int k = 0; k < system->load_count; ++k)
        for (int i = 0; i < 3; ++i) {
            ac_force_map *map = &system->load.maps[3 * k + i];
            *map = ac_force_map_begin(set);
            if (system->loads[k].measure < 0)
                AC_TRY(ac_force_map_add_load(system->ctx, system, set, &system->loads[k], i, map));
        }
    return AC_OK;
}

void ac_load_values(const ac_load_data *load, double t, double h, double tau[3])
{
    for (int i = 0; i < 3; ++i) tau[i] = load->value[i] ? ac_signal_mean(load->value[i], t, h) : 0.0;
}

int ac_load_nodes(const ac_load_data *load, int nodes[2])
{
    nodes[0] = load->node;
    nodes[1] = load->before;
    return load->before == AC_GROUND ? 1 : 2;
}

/* Rows first .. first + count of a force go to `out`. */
typedef struct adding {
    int first, count;
    double factor, *out;
} adding;

static void add_row(void *user, int row, double value)
{
    const adding *to = user;
    if (row >= to->first && row < to->first + to->count) to->out[row - to->first] += to->factor * value;
}

static void add_components(const ac_system *system, int k, const double tau[3], const double *q, adding *to)
{
    double factor = to->factor;
    for (int i = 0; i < 3; ++i) {
        to->factor = factor * tau[i];
        if (to->factor != 0.0)
            ac_force_map_value(system, &system->load.forces, &system->load.maps[3 * k + i], AC_AT_MEAN, q,
                               add_row, to);
    }
}

void ac_load_on_node(const ac_system *system, int k, const double tau[3], const double *q, int node,
                     double *f)
{
    adding to = {system->nodes[node].q, system->nodes[node].size, 1.0, f};
    memset(f, 0, AC_NODE_MAX * sizeof *f);
    add_components(system, k, tau, q, &to);
}

void ac_load_add(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                 double factor, double *out)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], f[AC_ELEMENT_MAX], x[AC_ELEMENT_MAX];
    ac_load_values(load, t, h, tau);
    if (load->measure < 0) {
        adding to = {0, system->n, factor, out};
        add_components(system, k, tau, q, &to);
        return;
    }
    const ac_measure *m = &system->measures[load->measure];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[load->measure], f, NULL);
    int place = 0;
    for (int e = 0; e < m->node_count; ++e) {
        const ac_node *node = &system->nodes[m->nodes[e]];
        for (int i = 0; i < node->size; ++i) out[node->q + i] += factor * tau[0] * f[place + i];
        place += node->size;
    }
}

bool ac_is_loaded(const ac_system *system)
{
    return system->load_count > 0;
}

void ac_loads_add(const ac_system *system, double t, double h, const double *q, const double *winding,
                  double factor, double *out)
{
    for (int k = 0; k < system->load_count; ++k) ac_load_add(system, k, t, h, q, winding, factor, out);
}

/* A block of the coordinates of one or two nodes. */
typedef struct load_block {
    int first[2], size[2], count, width;
    double factor, *slope;
} load_block;

static int place_in(const load_block *b, int coordinate)
{
    for (int e = 0, at = 0; e < b->count; at += b->size[e++])
        if (coordinate >= b->first[e] && coordinate < b->first[e] + b->size[e])
            return at + coordinate - b->first[e];
    return -1;
}

static void add_slope(void *user, int row, int column, double value)
{
    const load_block *b = user;
    int i = place_in(b, row), j = place_in(b, column);
    if (i >= 0 && j >= 0) b->slope[i * b->width + j] += b->factor * value;
}

static int mapped_slope(const ac_system *system, int k, const double tau[3], const double *q, int nodes[2],
                        double *slope)
{
    const ac_load_data *load = &system->loads[k];
    if (load->type == AC_LOAD_FORCE && !load->follows) return 0;
    load_block b = {.count = ac_load_nodes(load, nodes), .slope = slope};
    for (int e = 0; e < b.count; ++e) {
        b.first[e] = system->nodes[nodes[e]].q;
        b.size[e] = system->nodes[nodes[e]].size;
        b.width += b.size[e];
    }
    memset(slope, 0, (size_t)(b.width * b.width) * sizeof *slope);
    for (int i = 0; i < 3; ++i) {
        b.factor = tau[i];
        if (b.factor != 0.0)
            ac_force_map_slopes(system, &system->load.forces, &system->load.maps[3 * k + i], AC_AT_MEAN, q,
                                add_slope, &b);
    }
    return b.count;
}

int ac_load_slope(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                  int nodes[2], double *slope)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], x[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX];
    ac_load_values(load, t, h, tau);
    if (load->measure < 0) return mapped_slope(system, k, tau, q, nodes, slope);
    const ac_measure *m = &system->measures[load->measure];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[load->measure], gradient, slope);
    int n = ac_measure_size(system, m);
    for (int i = 0; i < n * n; ++i) slope[i] *= tau[0];
    for (int e = 0; e < m->node_count; ++e) nodes[e] = m->nodes[e];
    return m->node_count;
}
