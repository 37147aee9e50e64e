/* The projected matrix K = P(q_a)^T B P(q_b) of a tree as a dense matrix, from composite inertias.
 *
 * The inertia of a subtree is collected at its root; a column of joint i meets the joints between i and the ground only.
 * Elements that couple two nodes add S_i^T block S_j for all joints i before the first and j before the second node.
 */
#include <string.h>

#include "base/vector.h"
#include "mechanics/tree_solver.h"

static void arm(const ac_system *system, const ac_node *node, const double *q, double r[3])
{
    double here[3], there[3];
    ac_reference(node, q, here);
    ac_reference(&system->nodes[node->parent], q, there);
    sub3(here, there, r);
}

/* K(joints above and at i, column) += column force F on node i, carried towards the ground at q_a. */
static void spread_column(const ac_tree_pair *t, double *K, int i, const double force[6], int column)
{
    const ac_system *system = t->system;
    double F[6];
    memcpy(F, force, sizeof F);
    for (; i != AC_GROUND; i = system->nodes[i].parent) {
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            K[j * system->tree_freedoms + column] += dot6(t->columns_a + 6 * j, F);
        if (node->parent == AC_GROUND) break;
        double r[3];
        arm(system, node, t->qa, r);
        add_cross3(r, F, F + 3);
    }
}

/* K(row, joints above node i) += row form L on the twist of node i, carried towards the ground at q_b. */
static void spread_row(const ac_tree_pair *t, double *K, int i, const double form[6], int row)
{
    const ac_system *system = t->system;
    double L[6];
    memcpy(L, form, sizeof L);
    while (system->nodes[i].parent != AC_GROUND) {
        const ac_node *node = &system->nodes[i];
        double r[3];
        arm(system, node, t->qb, r);
        add_cross3(r, L, L + 3);
        i = node->parent;
        const ac_node *above = &system->nodes[i];
        for (int j = above->u; j < above->u + above->freedoms; ++j)
            K[row * system->tree_freedoms + j] += dot6(t->columns_b + 6 * j, L);
    }
}

/* A block between two different nodes: all joints before the left one meet all joints before the right one. */
void ac_tree_matrix_pair(const ac_tree_pair *t, int left, int right, const double block[36], double *K)
{
    const ac_system *system = t->system;
    double shifted[36], next[36];
    static const double none[3] = {0, 0, 0};
    memcpy(shifted, block, sizeof shifted);
    for (int j = right; j != AC_GROUND; j = system->nodes[j].parent) {
        const ac_node *node = &system->nodes[j];
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            double force[6];
            apply6(shifted, t->columns_b + 6 * f, force);
            spread_column(t, K, left, force, f);
        }
        if (node->parent == AC_GROUND) break;
        double r[3];
        arm(system, node, t->qb, r);
        ac_shift_block(shifted, none, r, next);
        memcpy(shifted, next, sizeof shifted);
    }
}

void ac_tree_matrix_masses(const ac_tree_pair *t, double factor, double *K)
{
    const ac_system *system = t->system;
    for (int p = 0; p < system->mass_pair_count; ++p) {
        const ac_mass_pair *pair = &system->mass_pairs[p];
        const int ends[2] = {pair->a, pair->b};
        for (int e = 0; e < 2; ++e) {
            const ac_node *left = &system->nodes[ends[e]], *right = &system->nodes[ends[1 - e]];
            double block[36] = {0};
            ac_pair_inertia(pair, t->qa + left->q, t->qb + right->q, factor, block);
            ac_tree_matrix_pair(t, ends[e], ends[1 - e], block, K);
        }
    }
}

void ac_tree_matrix(const ac_tree_pair *t, double *inertia, double *K)
{
    const ac_system *system = t->system;
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->order[k];
        const ac_node *node = &system->nodes[i];
        const double *I = inertia + 36 * i;
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            double force[6], form[6];
            apply6(I, t->columns_b + 6 * f, force);
            spread_column(t, K, i, force, f);
            apply_transposed6(I, t->columns_a + 6 * f, form);
            spread_row(t, K, i, form, f);
        }
        if (node->parent == AC_GROUND) continue;
        double r_a[3], r_b[3], shifted[36], *carrier = inertia + 36 * node->parent;
        arm(system, node, t->qa, r_a);
        arm(system, node, t->qb, r_b);
        ac_shift_block(I, r_a, r_b, shifted);
        for (int c = 0; c < 36; ++c) carrier[c] += shifted[c];
    }
}
