/* What turns count beside displacements.
 *
 * Steps, corrections and the length of a path are measured with `weight`: a turn counts with the typical
 * length of the system. Whether a motion costs nothing is another question: it is one of rounding, and the
 * terms of the tangent round where they are. A node of a beam turns against its neighbours, which are one
 * element away. Its turns therefore count with the length of the element in `grain`; with the typical length,
 * a rope of many stiff elements that twists would seem to cost nothing, as its resistance falls with the
 * square of the number of elements beside the bound. A node that carries others in the tree, or no beam,
 * keeps the typical length.
 */

#include "base/vector.h"
#include "equilibrium/solver.h"
#include "math/math.h"

static void shorten(ac_equilibrium *e, int node, double distance)
{
    if (distance > 0.0) e->metric.arm[node] = ac_min(e->metric.arm[node], distance);
}

static double distance_to_next(const ac_system *system, int node)
{
    double gap[3];
    sub3(system->initial.q + system->nodes[node + 1].q, system->initial.q + system->nodes[node].q, gap);
    return norm3(gap);
}

static void set_arms(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    for (int i = 0; i < system->node_count; ++i) e->metric.arm[i] = system->length_scale;
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        for (int i = beam->first_node; i < beam->first_node + beam->nodes - 1; ++i) {
            shorten(e, i, distance_to_next(system, i));
            shorten(e, i + 1, distance_to_next(system, i));
        }
    }
    for (int i = 0; i < system->node_count; ++i) {
        int parent = system->nodes[i].parent;
        if (parent >= 0) e->metric.arm[parent] = system->length_scale;
    }
}

void ac_equilibrium_set_weights(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double square = system->length_scale * system->length_scale;
    set_arms(e);
    ac_tree_columns(system, e->now.state, e->now.q, e->columns);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j) {
            const double *c = e->columns + 6 * j;
            bool turns = c[3] != 0.0 || c[4] != 0.0 || c[5] != 0.0;
            e->metric.weight[j] = turns ? square : 1.0;
            e->metric.grain[j] = turns ? e->metric.arm[i] * e->metric.arm[i] : 1.0;
        }
    }
}
