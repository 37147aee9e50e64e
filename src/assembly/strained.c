/* How far assembly strained beams: it closes joints by moving single nodes, and a gap in the initial state then
 * lies in one element.
 *
 * Seen from either end of an element, the other end should be where it was placed. The smaller of both
 * shifts shows a gap: a node that a joint only turns keeps its place. But elements measure their strain
 * along the mean of both frames, and along the one of an edge in the edge model: there a turned node
 * counts, too. */

#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"

/* Where `to` is, seen from the frame of `from`. */
static void seen_from(const double *from, const double *to, double out[3])
{
    double gap[3];
    sub3(to, from, gap);
    for (int i = 0; i < 3; ++i) out[i] = dot3(from + 3 + 3 * i, gap);
}

/* How far `to` is shifted, seen from `from`. */
static void shift_at(const ac_system *system, int from, int to, const double *initial, double shift[3])
{
    int a = system->nodes[from].q, b = system->nodes[to].q;
    double before[3], now[3];
    seen_from(initial + a, initial + b, before);
    seen_from(system->initial.q + a, system->initial.q + b, now);
    sub3(now, before, shift);
}

static void keep(double value, int node, double *most, int *most_node)
{
    if (!(value > *most)) return;
    *most = value;
    *most_node = node;
}

static void take(ac_system *system, int node, double length, const double *initial)
{
    ac_assembly *a = &system->initial.assembly;
    bool edge = system->beams[system->nodes[node].beam].model == AC_BEAM_EDGE;
    double ahead[3], back[3], mean[3];
    if (!(length > 0.0)) return;
    shift_at(system, node, node + 1, initial, ahead);
    shift_at(system, node + 1, node, initial, back);
    for (int i = 0; i < 3; ++i) mean[i] = edge ? ahead[i] : 0.5 * (ahead[i] - back[i]);
    keep(ac_min(norm3(ahead), norm3(back)) / length, node, &a->strained, &a->strained_node);
    keep(norm3(mean) / length, node, &a->sheared, &a->sheared_node);
}

void ac_system_report_strain(ac_system *system, const double *initial)
{
    system->initial.assembly.strained = system->initial.assembly.sheared = 0.0;
    system->initial.assembly.strained_node = system->initial.assembly.sheared_node = AC_GROUND;
    for (int k = 0; k < system->mesh.element_count; ++k) {
        const ac_beam_element *e = &system->mesh.elements[k];
        take(system, e->node, e->length, initial);
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = &system->mesh.high[k];
        for (int i = 0; i < e->order; ++i) take(system, e->node + i, e->points[i].weight, initial);
    }
}
