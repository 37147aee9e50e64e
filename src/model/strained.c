/* How far assembly strained beams: it closes joints by moving single nodes, and a gap in the drawing then lies in one
 * element.
 *
 * Seen from either end of an element, the other end should be where it is drawn. The smaller of both shifts counts, so
 * that a node which a joint only turns does not: such a beam starts bent, and its places are kept. */
#include <math.h>

#include "base/vector.h"
#include "model/system.h"

/* Where `to` is, seen from the frame of `from`. */
static void seen_from(const double *from, const double *to, double out[3])
{
    double gap[3];
    sub3(to, from, gap);
    for (int i = 0; i < 3; ++i) out[i] = dot3(from + 3 + 3 * i, gap);
}

static double shift_at(const ac_system *system, int from, int to, const double *drawn)
{
    int a = system->nodes[from].q, b = system->nodes[to].q;
    double before[3], now[3], shift[3];
    seen_from(drawn + a, drawn + b, before);
    seen_from(system->q0 + a, system->q0 + b, now);
    sub3(now, before, shift);
    return norm3(shift);
}

static void take(ac_system *system, int node, double length, const double *drawn)
{
    ac_assembly *a = &system->assembly;
    if (!(length > 0.0)) return;
    double strain = fmin(shift_at(system, node, node + 1, drawn), shift_at(system, node + 1, node, drawn)) /
                    length;
    if (!(strain > a->strained)) return;
    a->strained = strain;
    a->strained_node = node;
}

void ac_system_report_strain(ac_system *system, const double *drawn)
{
    system->assembly.strained = 0.0;
    system->assembly.strained_node = AC_GROUND;
    for (int k = 0; k < system->beam_element_count; ++k) {
        const ac_beam_element *e = &system->beam_elements[k];
        take(system, e->node, e->length, drawn);
    }
    for (int k = 0; k < system->high_element_count; ++k) {
        const ac_high_element *e = &system->high_elements[k];
        for (int i = 0; i < e->order; ++i) take(system, e->node + i, e->points[i].weight, drawn);
    }
}
