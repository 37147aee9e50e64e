/* Parts of a system: nodes that joints, elements, measures or masses connect. What nothing connects moves
 * independently.
 */
#include "integrate/stepper.h"

static int root_of(int *leader, int i)
{
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
}

/* The smaller number leads, so that parts are numbered as their first nodes. */
static void unite(int *leader, int i, int j)
{
    int a = root_of(leader, i), b = root_of(leader, j);
    if (a < b) {
        leader[b] = a;
    } else {
        leader[a] = b;
    }
}

static void unite_all(const ac_system *system, int *leader)
{
    for (int i = 0; i < system->node_count; ++i) leader[i] = i;
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (joint->a.node != AC_GROUND && joint->b.node != AC_GROUND)
            unite(leader, joint->a.node, joint->b.node);
    }
    for (int k = 0; k < system->measure_count; ++k)
        if (system->measures[k].node_count == 2)
            unite(leader, system->measures[k].nodes[0], system->measures[k].nodes[1]);
    for (int k = 0; k < system->mesh.mass_pair_count; ++k)
        unite(leader, system->mesh.mass_pairs[k].a, system->mesh.mass_pairs[k].b);
    for (int k = 0; k < system->coupling.count; ++k)
        unite(leader, system->coupling.pairs[k][0], system->coupling.pairs[k][1]);
}

int ac_find_parts(const ac_system *system, int *part)
{
    int count = 0;
    unite_all(system, part);
    for (int i = 0; i < system->node_count; ++i) part[i] = root_of(part, i);
    for (int i = 0; i < system->node_count;
         ++i) { /* a leader comes before its followers and has its number already */
        int root = part[i];
        part[i] = root == i ? count++ : part[root];
    }
    return count;
}
