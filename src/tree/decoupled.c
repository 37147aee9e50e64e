/* The decoupled convention, see decoupled.h. */
#include "tree/decoupled.h"

#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"

/* Does the parent's motion count in the increments of this node's joint? */
static bool is_decoupled(const ac_system *system, const ac_node *node)
{
    return node->joint >= 0 && node->parent != AC_GROUND &&
           !ac_row_has(system->joints[node->joint].row, AC_MOTION_SWING);
}

/* Which part of a twist (0: velocity, 3: angular velocity) counts along freedom j of the node. */
static int part_of(const ac_node *node, int j)
{
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        if (j >= step->freedom && j < step->freedom + step->freedoms)
            return step->kind == AC_MOTION_SHIFT ? 0 : 3;
    }
    return 0;
}

void ac_decoupled_rates(const ac_system *system, const double *columns, const double *q, const double *u,
                        double *twists, double *out)
{
    ac_tree_twists(system, columns, q, u, twists);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int j = 0; j < node->freedoms; ++j) {
            int part = part_of(node, j), at = node->u + j;
            out[at] = u[at];
            if (is_decoupled(system, node))
                out[at] += dot3(columns + 6 * at + part, twists + 6 * node->parent + part);
        }
    }
}

void ac_decoupled_project(const ac_system *system, const double *columns, const double *q, const double *f,
                          double *wrenches, double *r)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_wrench(node, q + node->q, f + node->q, wrenches + 6 * i);
    }
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const double *w = wrenches + 6 * i;
        double *carrier = wrenches + 6 * node->parent, here[3], there[3], arm[3];
        for (int j = node->u; j < node->u + node->freedoms; ++j) r[j] = dot6(columns + 6 * j, w);
        if (node->parent == AC_GROUND) continue;
        ac_reference(node, q, here);
        ac_reference(&system->nodes[node->parent], q, there);
        sub3(here, there, arm);
        for (int c = 0; c < 6; ++c) carrier[c] += w[c];
        add_cross3(arm, w, carrier + 3);
        for (int j = 0; j < node->freedoms && is_decoupled(system, node); ++j) {
            int part = part_of(node, j), at = node->u + j;
            for (int c = 0; c < 3; ++c) carrier[part + c] -= r[at] * columns[6 * at + part + c];
        }
    }
}

/* --- finite motions ------------------------------------------------------------------------------------------------- */

/* How the parent has moved: shift of its reference point, rotation and its vector. */
typedef struct carried {
    double shift[3], rotation[9], turn[3];
} carried;

static void find_carried(const ac_node *parent, const double *q_from, const double *q, carried *c)
{
    double before[3], after[3], old[9], now[9];
    ac_node_get_pose(parent, q_from + parent->q, before, old);
    ac_node_get_pose(parent, q + parent->q, after, now);
    sub3(after, before, c->shift);
    if (ac_node_turns(parent) == 0) {
        identity3(c->rotation);
    } else {
        multiply_transposed3(now, old, c->rotation);
    }
    ac_rotation_log(c->rotation, c->turn);
}

/* A ball: the child turns by exp(theta), whatever the parent does; theta in the parent's joint axes. */
static void ball(const carried *c, const double *columns, const double theta[3], double relative[3])
{
    double axes[9], turned[9], back[9], own[9], R[9];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) axes[3 * i + k] = columns[6 * k + 3 + i];
    multiply3(c->rotation, axes, turned);
    transposed_multiply3(turned, axes, back); /* A^T R1^T A */
    ac_rotation_exp(theta, own);
    multiply3(back, own, R);
    ac_rotation_log(R, relative);
}

/* The increments by which the joint moves relative to the parent. */
static void relative_increments(const ac_node *node, const carried *c, const double *columns,
                                const double *increment, double *relative)
{
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        const int j = step->freedom;
        if (step->kind == AC_MOTION_BALL && step->freedoms == 3) {
            ball(c, columns + 6 * j, increment + j, relative + j);
        } else if (step->kind == AC_MOTION_SHIFT) {
            double axis[3];
            apply3(c->rotation, columns + 6 * j, axis);
            relative[j] = increment[j] - dot3(axis, c->shift);
        } else if (step->freedoms == 1) {
            relative[j] = increment[j] - dot3(columns + 6 * j + 3, c->turn);
        }
    }
}

void ac_decoupled_move(const ac_system *system, const double *columns, const double *increment,
                       const ac_joint_state *from, const double *q_from, ac_joint_state *state, double *q)
{
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        double relative[6];
        const double *move = increment + node->u;
        if (is_decoupled(system, node)) {
            carried c;
            find_carried(&system->nodes[node->parent], q_from, q, &c);
            relative_increments(node, &c, columns + 6 * node->u, move, relative);
            move = relative;
        }
        ac_joint_move(node, move, &from[i], &state[i]);
        ac_joint_forward(system, node, &state[i], q);
    }
}
