/* The projected matrix K = P(q_a)^T B P(q_b) of a tree as a dense matrix, from composite inertias.
 *
 * The inertia of a subtree is collected at its root; a column of joint i meets the joints between i and the
 * ground only. Elements that couple two nodes add S_i^T block S_j for all joints i before the first and j
 * before the second node.
 */
#include <string.h>

#include "base/vector.h"
#include "tree/spread.h"

typedef struct dense {
    double *K;
    int width;
} dense;

static void put(void *target, const ac_node *rows, int column, const double *values)
{
    const dense *d = target;
    for (int k = 0; k < rows->freedoms; ++k) d->K[(rows->u + k) * d->width + column] += values[k];
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
        ac_tree_arm(system, node, t->qb, r);
        add_cross3(r, L, L + 3);
        i = node->parent;
        const ac_node *above = &system->nodes[i];
        for (int j = above->u; j < above->u + above->freedoms; ++j)
            K[row * system->tree.freedoms + j] += dot6(t->columns_b + 6 * j, L);
    }
}

void ac_tree_matrix_pair(const ac_tree_pair *t, int left, int right, const double block[36], double *K)
{
    dense d = {K, t->system->tree.freedoms};
    ac_tree_spread(t, left, right, block, put, &d);
}

void ac_tree_matrix(const ac_tree_pair *t, double *inertia, double *K)
{
    const ac_system *system = t->system;
    dense d = {K, system->tree.freedoms};
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const double *I = inertia + 36 * i;
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            double force[6], form[6];
            apply6(I, t->columns_b + 6 * f, force);
            ac_tree_spread_column(t, i, force, f, put, &d);
            apply_transposed6(I, t->columns_a + 6 * f, form);
            spread_row(t, K, i, form, f);
        }
        if (node->parent == AC_GROUND) continue;
        double r_a[3], r_b[3], shifted[36], *carrier = inertia + 36 * node->parent;
        ac_tree_arm(system, node, t->qa, r_a);
        ac_tree_arm(system, node, t->qb, r_b);
        ac_shift_block(I, r_a, r_b, shifted);
        for (int c = 0; c < 36; ++c) carrier[c] += shifted[c];
    }
}
