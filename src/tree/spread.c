/* Blocks between two nodes spread over the freedoms of their trees: the recursion towards the ground. */
#include "tree/spread.h"

#include <string.h>

#include "base/vector.h"

void ac_tree_arm(const ac_system *system, const ac_node *node, const double *q, double r[3])
{
    double here[3], there[3];
    ac_reference(node, q, here);
    ac_reference(&system->nodes[node->parent], q, there);
    sub3(here, there, r);
}

void ac_tree_spread_column(const ac_tree_pair *t, int i, const double force[6], int column,
                           ac_freedom_sink sink, void *target)
{
    const ac_system *system = t->system;
    double F[6];
    memcpy(F, force, sizeof F);
    for (; i != AC_GROUND; i = system->nodes[i].parent) {
        const ac_node *node = &system->nodes[i];
        double value[6], r[3];
        for (int k = 0; k < node->freedoms; ++k) value[k] = dot6(t->columns_a + 6 * (node->u + k), F);
        if (node->freedoms > 0) sink(target, node, column, value);
        if (node->parent == AC_GROUND) return;
        ac_tree_arm(system, node, t->qa, r);
        add_cross3(r, F, F + 3);
    }
}

void ac_tree_spread(const ac_tree_pair *t, int left, int right, const double block[36], ac_freedom_sink sink,
                    void *target)
{
    const ac_system *system = t->system;
    static const double none[3] = {0, 0, 0};
    double shifted[36], next[36], r[3];
    memcpy(shifted, block, sizeof shifted);
    for (int j = right; j != AC_GROUND; j = system->nodes[j].parent) {
        const ac_node *node = &system->nodes[j];
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            double force[6];
            apply6(shifted, t->columns_b + 6 * f, force);
            ac_tree_spread_column(t, left, force, f, sink, target);
        }
        if (node->parent == AC_GROUND) return;
        ac_tree_arm(system, node, t->qb, r);
        ac_shift_block(shifted, none, r, next);
        memcpy(shifted, next, sizeof shifted);
    }
}
