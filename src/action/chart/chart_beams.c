/* Beams in the chart: their free nodes hang on their neighbours.
 *
 * In the tree of the system a node of a beam that no joint holds moves freely relative to the ground. For
 * increments that is a poor choice: a step that turns the beam would stretch it, and a beam is stiff
 * against that. Here such a node hangs on its neighbour by six relative freedoms, so that turning a beam
 * as a whole strains nothing, however large the step is. */
#include <string.h>

#include "base/vector.h"
#include "action/chart/chart.h"

/* Neighbours of the first node that a joint holds, or of the first node, hang on each other outwards. */
static void link_beam(ac_chart *c, const ac_beam_data *beam)
{
    const ac_system *system = c->system;
    int first = beam->first_node, last = first + beam->nodes - 1, anchor = first;
    while (anchor < last && system->nodes[anchor].joint < 0) ++anchor;
    if (system->nodes[anchor].joint < 0) anchor = first;
    for (int i = anchor + 1; i <= last; ++i)
        if (system->nodes[i].joint < 0) c->parent[i] = i - 1;
    for (int i = anchor - 1; i >= first; --i)
        if (system->nodes[i].joint < 0) c->parent[i] = i + 1;
}

/* A beam that is held nowhere hangs on what its own nodes carry: then the chain would close. */
static bool leads_to_ground(const ac_chart *c, int node)
{
    int steps = 0;
    while (node != AC_GROUND && steps++ <= c->system->node_count) node = c->parent[node];
    return node == AC_GROUND;
}

static void put_order(ac_chart *c)
{
    int count = c->system->node_count, placed = 0;
    for (int i = 0; i < count; ++i) c->order[i] = -1;
    for (int pass = 0; pass < count && placed < count; ++pass) {
        for (int k = 0; k < count; ++k) {
            int i = c->system->tree.order[k], parent = c->parent[i];
            bool ready = parent == AC_GROUND, done = false;
            for (int p = 0; p < placed; ++p) {
                ready = ready || c->order[p] == parent;
                done = done || c->order[p] == i;
            }
            if (ready && !done) c->order[placed++] = i;
        }
    }
}

ac_status ac_chart_link(ac_chart *c)
{
    const ac_system *system = c->system;
    bool chained = false;
    AC_NEW(c->ctx, c->parent, system->node_count + 1);
    AC_NEW(c->ctx, c->order, system->node_count + 1);
    for (int i = 0; i < system->node_count; ++i) {
        c->parent[i] = system->nodes[i].parent;
        c->order[i] = system->tree.order[i];
    }
    for (int k = 0; k < system->beam_count; ++k) {
        const ac_beam_data *beam = &system->beams[k];
        link_beam(c, beam);
        bool good = true;
        for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i)
            good = good && leads_to_ground(c, i);
        for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i) {
            if (!good) c->parent[i] = system->nodes[i].parent;
            chained = chained || ac_chart_chained(c, i);
        }
    }
    if (!chained) return AC_OK;
    put_order(c);
    AC_NEW(c->ctx, c->start, system->node_count);
    ac_chart_restart(c);
    return AC_OK;
}

void ac_chart_restart(ac_chart *c)
{
    const ac_system *system = c->system;
    if (!c->start) return;
    memcpy(c->start, system->initial.state, (size_t)system->node_count * sizeof *c->start);
    for (int i = 0; i < system->node_count; ++i)
        if (ac_chart_chained(c, i)) ac_chart_read_state(c, i, system->initial.q, &c->start[i]);
}

void ac_chart_lengthening(const ac_chart *c, int i, double shift[3])
{
    shift[0] = shift[1] = shift[2] = 0.0;
    if (c->vary && !ac_chart_chained(c, i) && c->vary->node_shifts[i])
        for (int e = 0; e < 3; ++e) shift[e] = c->vary->node_shift[3 * i + e].v;
    if (!c->vary || !ac_chart_chained(c, i) || !ac_beam_length_varies(c->vary, c->system->nodes[i].beam))
        return;
    double more = c->vary->length_ratio[c->system->nodes[i].beam].v - 1.0;
    for (int e = 0; e < 3; ++e) shift[e] = more * ac_variation_starts(c->vary)[i].shift[e];
}

void ac_chart_node_forward(const ac_chart *c, int i, const ac_joint_state *state, double *q)
{
    const ac_node *node = &c->system->nodes[i];
    double x[3], R[9], longer[3], shift[3], turn[9];
    ac_chart_lengthening(c, i, longer);
    add3(state->shift, longer, longer);
    if (!ac_chart_chained(c, i)) {
        ac_joint_state moved = *state;
        copy3(longer, moved.shift);
        ac_joint_forward(c->system, node, &moved, q);
        return;
    }
    const ac_node *neighbour = &c->system->nodes[c->parent[i]];
    ac_node_get_pose(neighbour, q + neighbour->q, x, R);
    apply3(R, longer, shift);
    add3(x, shift, x);
    multiply3(R, state->turn, turn);
    ac_node_set_pose(node, x, turn, q + node->q);
}

void ac_chart_forward(const ac_chart *c, const ac_joint_state *states, double *q)
{
    for (int k = 0; k < c->system->node_count; ++k)
        ac_chart_node_forward(c, c->order[k], &states[c->order[k]], q);
}

void ac_chart_read_state(const ac_chart *c, int i, const double *q, ac_joint_state *state)
{
    const ac_node *node = &c->system->nodes[i];
    if (!ac_chart_chained(c, i)) {
        double shift[3];
        ac_joint_read_state(c->system, node, q, state);
        ac_chart_lengthening(c, i, shift);
        sub3(state->shift, shift, state->shift);
        return;
    }
    const ac_node *neighbour = &c->system->nodes[c->parent[i]];
    double x[3], R[9], y[3], S[9], gap[3];
    memset(state, 0, sizeof *state);
    ac_node_get_pose(neighbour, q + neighbour->q, x, R);
    ac_node_get_pose(node, q + node->q, y, S);
    sub3(y, x, gap);
    apply_transposed3(R, gap, state->shift);
    ac_chart_lengthening(c, i, x);
    sub3(state->shift, x, state->shift);
    transposed_multiply3(R, S, state->turn);
}
