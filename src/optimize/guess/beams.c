/* Nodes of beams in a guess: those that the tree leaves free move rigidly with the ends of their beam that
 * joints hold, and evenly in between when both ends are held. */
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "optimize/problem/optimization.h"

/* A rigid motion: x -> R x + r. */
typedef struct motion {
    double R[9], r[3];
} motion;

/* From the initial place of a node to where it is in q. */
static void motion_of(const ac_system *system, int number, const double *q, motion *m)
{
    const ac_node *node = &system->nodes[number];
    double x0[3], R0[9], x[3], R[9], moved[3];
    ac_node_get_pose(node, system->initial.q + node->q, x0, R0);
    ac_node_get_pose(node, q + node->q, x, R);
    multiply_transposed3(R, R0, m->R);
    apply3(m->R, x0, moved);
    sub3(x, moved, m->r);
}

/* The nearest held node of the beam before (step -1) or behind (step 1) a node; -1: none. */
static int held_from(const ac_system *system, const ac_beam_data *beam, int number, int step)
{
    for (int i = number; i >= beam->first_node && i < beam->first_node + beam->nodes; i += step)
        if (system->nodes[i].joint >= 0) return i;
    return -1;
}

static void place_node(const ac_system *system, int number, const motion *m, double *q)
{
    const ac_node *node = &system->nodes[number];
    double x0[3], R0[9], x[3], R[9];
    ac_node_get_pose(node, system->initial.q + node->q, x0, R0);
    apply3(m->R, x0, x);
    add3(x, m->r, x);
    multiply3(m->R, R0, R);
    ac_node_set_pose(node, x, R, q + node->q);
}

/* Between two motions: the turn from one to the other is made in part, and the images of the node's place
 * are mixed. */
static void blend(const ac_system *system, int number, const motion *a, const motion *b, double part,
                  motion *m)
{
    const ac_node *node = &system->nodes[number];
    double x0[3], R0[9], turn[9], vector[3], share[9], xa[3], xb[3], moved[3];
    ac_node_get_pose(node, system->initial.q + node->q, x0, R0);
    multiply_transposed3(b->R, a->R, turn);
    ac_rotation_log(turn, vector);
    for (int i = 0; i < 3; ++i) vector[i] *= part;
    ac_rotation_exp(vector, share);
    multiply3(share, a->R, m->R);
    apply3(a->R, x0, xa);
    apply3(b->R, x0, xb);
    apply3(m->R, x0, moved);
    for (int i = 0; i < 3; ++i)
        m->r[i] = (1.0 - part) * (xa[i] + a->r[i]) + part * (xb[i] + b->r[i]) - moved[i];
}

static void carry_beam(const ac_chart *chart, const ac_beam_data *beam, ac_joint_state *state, double *q)
{
    const ac_system *system = chart->system;
    for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i) {
        int before = held_from(system, beam, i, -1), behind = held_from(system, beam, i, 1);
        motion a, b, m;
        if (system->nodes[i].joint >= 0 || (before < 0 && behind < 0)) continue;
        motion_of(system, before < 0 ? behind : before, q, &a);
        m = a;
        if (before >= 0 && behind >= 0) {
            motion_of(system, behind, q, &b);
            blend(system, i, &a, &b, (double)(i - before) / (behind - before), &m);
        }
        place_node(system, i, &m, q);
    }
    for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i)
        if (system->nodes[i].joint < 0) ac_chart_read_state(chart, i, q, &state[i]);
}

void ac_guess_carry_beams(const ac_chart *chart, ac_joint_state *state, double *q)
{
    const ac_system *system = chart->system;
    for (int k = 0; k < system->beam_count;
         ++k) { /* what hangs on a beam follows before the next is carried */
        ac_chart_forward(chart, state, q);
        carry_beam(chart, &system->beams[k], state, q);
    }
}
