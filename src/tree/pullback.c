/* The derivative of (P(q) lambda) . b by the motion of the tree, by recursion.
 *
 * With the twists t_i of the nodes for lambda and the wrenches W_i that b exerts on node i and all that it carries,
 * a motion by twists e_i changes
 *
 *   A_i(q) t_i . b_i                     by  sum of the directors  (b x w) . (e x d)
 *   v_parent + w_parent x r             by  W_i . (w_parent x (e_i - e_parent))
 *   S_i(q) lambda_i                     by  W_i . dS_i lambda_i       (joint_slope.c)
 *
 * Each is a wrench on a node or on its parent; these are projected as forces are.
 */
#include "tree/pullback.h"

#include <string.h>

#include "base/vector.h"

/* From the reference point of a node's parent to its own. */
static void arm_of(const ac_system *system, const ac_node *node, const double *q, double arm[3])
{
    double here[3], there[3];
    ac_reference(node, q, here);
    ac_reference(&system->nodes[node->parent], q, there);
    sub3(here, there, arm);
}

/* Wrench of a node as one on its parent. */
static void carry(const ac_system *system, const ac_node *node, const double *q, const double *wrench,
                  double *carrier)
{
    double arm[3];
    arm_of(system, node, q, arm);
    for (int j = 0; j < 6; ++j) carrier[j] += wrench[j];
    add_cross3(arm, wrench, carrier + 3);
}

/* What the change of the joint's twists gives on the child and on its parent (may be NULL). */
static void joint_part(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                       const double *q, const double *lambda, const double wrench[6], double *on_child,
                       double *on_parent)
{
    double by_child[36], by_parent[36];
    if (child->joint < 0) return; /* axes of the world */
    ac_joint_tangent_slope(system, child, state, q, q, wrench, by_child, by_parent);
    for (int f = 0; f < child->freedoms; ++f)
        for (int j = 0; j < 6; ++j) { /* twice: there the mean moves with half of the velocity */
            on_child[j] += 2.0 * lambda[f] * by_child[6 * f + j];
            if (on_parent) on_parent[j] += 2.0 * lambda[f] * by_parent[6 * f + j];
        }
}

/* What the change of the arm gives: F . (w x (e_child - e_parent)). */
static void arm_part(const double *wrench, const double *carrier_twist, double *on_child, double *on_parent)
{
    double force[3];
    cross3(wrench, carrier_twist + 3, force);
    for (int i = 0; i < 3; ++i) {
        on_child[i] += force[i];
        on_parent[i] -= force[i];
    }
}

void ac_tree_pullback(const ac_system *system, const ac_joint_state *state, const double *q,
                      const double *columns, const double *lambda, const double *b, double factor,
                      double *work, double *r)
{
    int nodes = system->node_count;
    double *twists = work, *wrenches = work + 6 * nodes, *out = work + 12 * nodes;
    ac_tree_twists(system, columns, q, lambda, twists);
    for (int i = 0; i < nodes; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_wrench(node, q + node->q, b + node->q, wrenches + 6 * i);
        ac_node_wrench_slope(node, q + node->q, b + node->q, twists + 6 * i, out + 6 * i);
    }
    for (int k = nodes - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        bool carried = node->parent != AC_GROUND;
        double *above = carried ? out + 6 * node->parent : NULL;
        joint_part(system, node, &state[i], q, lambda + node->u, wrenches + 6 * i, out + 6 * i, above);
        if (!carried) continue;
        arm_part(wrenches + 6 * i, twists + 6 * node->parent, out + 6 * i, above);
        carry(system, node, q, wrenches + 6 * i, wrenches + 6 * node->parent);
    }
    for (int k = nodes - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            r[j] += factor * dot6(columns + 6 * j, out + 6 * i);
        if (node->parent != AC_GROUND) carry(system, node, q, out + 6 * i, out + 6 * node->parent);
    }
}
