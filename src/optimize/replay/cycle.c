/* Unrolling: cycle after cycle in the world of the first one. Where phases meet, q_next = S q - l d; so a configuration of the
 * next phase is S^-1 (q + l d) before that, and S only swaps and mirrors: its inverse is its transpose. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "optimize/replay/replay.h"

const ac_junction_data *ac_junction_from(const ac_optimization *whole, int phase)
{
    const ac_phases *p = whole->description.phases;
    for (int k = 0; k < p->junction_count; ++k)
        if (p->junctions[k].from == phase) return &p->junctions[k];
    return NULL;
}

const ac_junction_data *ac_junction_to(const ac_optimization *whole, int phase)
{
    const ac_phases *p = whole->description.phases;
    for (int k = 0; k < p->junction_count; ++k)
        if (p->junctions[k].to == phase) return &p->junctions[k];
    return NULL;
}

bool ac_optimization_is_cycle(const ac_optimization *whole)
{
    int count = ac_optimization_phases(whole);
    const ac_junction_data *last = count > 0 ? ac_junction_from(whole, count - 1) : NULL;
    return last && last->to == 0;
}

static double length_of(const ac_optimization *whole, const ac_junction_data *j)
{
    return j->length >= 0 ? whole->point.x[j->length] : 0.0;
}

void ac_junction_apply(const ac_optimization *whole, const ac_junction_data *j, const double *x, bool shift,
                       double *out)
{
    int n = whole->system->n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int e = 0; e < j->map_count; ++e) out[j->map[e].to] += j->map[e].factor * x[j->map[e].from];
    for (int i = 0; shift && j->shift && i < n; ++i) out[i] -= length_of(whole, j) * j->shift[i];
}

/* x <- S^-1 (x + l d), `work`: n */
static void take_back(const ac_optimization *whole, const ac_junction_data *j, double *work, double *x)
{
    int n = whole->system->n;
    memcpy(work, x, (size_t)n * sizeof *x);
    for (int i = 0; j->shift && i < n; ++i) work[i] += length_of(whole, j) * j->shift[i];
    memset(x, 0, (size_t)n * sizeof *x);
    for (int e = 0; e < j->map_count; ++e) x[j->map[e].from] += j->map[e].factor * work[j->map[e].to];
}

/* Is S^-1 = S^T? `work`: 3 n */
static bool turns_only(const ac_optimization *whole, const ac_junction_data *j, double *work)
{
    int n = whole->system->n;
    double *x = work, *Sx = x + n, *back = Sx + n;
    for (int i = 0; i < n; ++i) x[i] = back[i] = ac_cos(1.0 + 3.0 * i);
    ac_junction_apply(whole, j, x, false, Sx);
    memset(back, 0, (size_t)n * sizeof *back);
    for (int e = 0; e < j->map_count; ++e) back[j->map[e].from] += j->map[e].factor * Sx[j->map[e].to];
    for (int i = 0; i < n; ++i)
        if (fabs(back[i] - x[i]) > 1e-9) return false;
    return true;
}

/* The phase before one, NULL before the first one of all. */
static const ac_junction_data *step_back(const ac_optimization *whole, int *cycle, int *phase)
{
    if (*cycle == 0 && *phase == 0) return NULL;
    const ac_junction_data *j = ac_junction_to(whole, *phase);
    if (*phase == 0) --*cycle;
    if (j) *phase = j->from;
    return j;
}

ac_status ac_optimization_unroll(const ac_optimization *whole, int cycle, int phase, double *q)
{
    double *work = ac_allocate(whole->ctx, 3 * (size_t)whole->system->n, sizeof *work);
    if (!work) return ac_out_of_memory(whole->ctx);
    ac_status status = AC_OK;
    const ac_junction_data *j;
    while (status == AC_OK && (j = step_back(whole, &cycle, &phase))) {
        if (!turns_only(whole, j, work)) {
            status = ac_fail(
                whole->ctx, AC_BAD_INPUT,
                "the map of a junction does more than swap and mirror bodies: the motion cannot be "
                "unrolled");
        } else {
            take_back(whole, j, work, q);
        }
    }
    ac_release(whole->ctx, work);
    return status;
}

/* The turn or mirror of the world that belongs to S, and its shift, from a node of the most dimensions. */
static void world_of(const ac_optimization *whole, const ac_junction_data *j, double turn[9], double shift[3])
{
    const ac_system *system = whole->system;
    const ac_node *node = &system->nodes[0];
    for (int i = 1; i < system->node_count; ++i)
        if (system->nodes[i].dimension > node->dimension) node = &system->nodes[i];
    memset(turn, 0, 9 * sizeof *turn);
    for (int e = 0; e < j->map_count; ++e)
        for (int i = 0; i < system->node_count; ++i) {
            int to = j->map[e].to - node->q, from = j->map[e].from - system->nodes[i].q;
            if (to < 0 || to >= node->dimension || from < 0 || from >= system->nodes[i].dimension) continue;
            turn[3 * to + from] += j->map[e].factor;
        }
    for (int k = 0; k < 3; ++k) {
        shift[k] = k < node->dimension && j->shift ? length_of(whole, j) * j->shift[node->q + k] : 0.0;
        if (k >= node->dimension) turn[4 * k] = 1.0;
    }
}

void ac_optimization_unroll_arrow(const ac_optimization *whole, int cycle, int phase, bool turns,
                                  double *place, double *vector)
{
    const ac_junction_data *j;
    while ((j = step_back(whole, &cycle, &phase))) {
        double turn[9], shift[3], x[3], y[3], first[3];
        world_of(whole, j, turn, shift);
        cross3(turn, turn + 3, first);
        double sign = turns && dot3(first, turn + 6) < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 3; ++k) {
            x[k] = place[k] + shift[k];
            y[k] = vector[k];
        }
        for (int k = 0; k < 3; ++k) {
            place[k] = turn[k] * x[0] + turn[3 + k] * x[1] + turn[6 + k] * x[2];
            vector[k] = sign * (turn[k] * y[0] + turn[3 + k] * y[1] + turn[6 + k] * y[2]);
        }
    }
}
