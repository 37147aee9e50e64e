/* The extended form of the projected matrix: pattern and values. */
#include "tree/extended.h"

#include "base/vector.h"

/* --- places --- */

static int twist_at(const ac_tree_sparse *s, int node, int component)
{
    return s->twists + 6 * s->position[node] + component;
}

static int wrench_at(const ac_tree_sparse *s, int node, int component)
{
    return s->wrenches + 6 * s->position[node] + component;
}

int ac_tree_extended_twist(const ac_tree_sparse *s, int node, int component)
{
    return twist_at(s, node, component);
}

/* Children come before their parents, and wrenches before twists: then the first free row of each column is that of its own
 * node, and the factorisation finds its first pivots at once instead of along whole chains. */
static ac_status order_nodes(ac_context *ctx, const ac_system *system, ac_tree_sparse *s)
{
    const ac_constraints *c = &system->constraints;
    int nodes = system->node_count;
    s->ctx = ctx;
    s->wrenches = system->tree.freedoms + c->count - c->closure;
    s->twists = s->wrenches + 6 * nodes;
    AC_NEW(ctx, s->position, nodes);
    for (int k = 0; k < nodes; ++k) s->position[system->tree.order[k]] = nodes - 1 - k;
    return AC_OK;
}

/* Does a node move in this component of a twist? */
static bool moves(const ac_node *node, int component)
{
    if (component < 3) return component < node->dimension;
    return ac_node_turns(node) == 3 || (ac_node_turns(node) == 1 && component == 5);
}

/* --- pattern --- */

static ac_status mark_both(ac_sparse *matrix, int row, int column)
{
    AC_TRY(ac_sparse_mark(matrix, row, column));
    return row == column ? AC_OK : ac_sparse_mark(matrix, column, row);
}

static ac_status mark_pair(void *target, const ac_system *system, int left, int right)
{
    ac_tree_sparse *s = target;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            if (moves(&system->nodes[left], r) && moves(&system->nodes[right], c))
                AC_TRY(mark_both(s->matrix, twist_at(s, left, r), twist_at(s, right, c)));
    return AC_OK;
}

/* The recursion of one node. The linear velocity depends on both rates of the parent that turn the arm. */
static ac_status mark_joint(const ac_system *system, int i, ac_tree_sparse *s)
{
    const ac_node *node = &system->nodes[i];
    for (int c = 0; c < 6; ++c) {
        int row = wrench_at(s, i, c);
        AC_TRY(mark_both(s->matrix, row, twist_at(s, i, c)));
        for (int j = node->u; j < node->u + node->freedoms; ++j) AC_TRY(mark_both(s->matrix, row, j));
        if (node->parent == AC_GROUND) continue;
        AC_TRY(mark_both(s->matrix, row, twist_at(s, node->parent, c)));
        if (c >= 3) continue;
        AC_TRY(mark_both(s->matrix, row, twist_at(s, node->parent, 3 + (c + 1) % 3)));
        AC_TRY(mark_both(s->matrix, row, twist_at(s, node->parent, 3 + (c + 2) % 3)));
    }
    return AC_OK;
}

static ac_status mark_closure(const ac_system *system, int closure, ac_tree_sparse *s)
{
    const ac_constraints *c = &system->constraints;
    const ac_joint_data *joint = &system->joints[c->owner[c->closure + closure]];
    const int ends[2] = {joint->a.node, joint->b.node};
    int row = system->tree.freedoms + closure;
    for (int e = 0; e < 2; ++e)
        for (int k = 0; k < 6 && ends[e] != AC_GROUND; ++k)
            if (moves(&system->nodes[ends[e]], k)) AC_TRY(mark_both(s->matrix, row, twist_at(s, ends[e], k)));
    return ac_sparse_mark(s->matrix, row, row);
}

ac_status ac_tree_extended_create(ac_context *ctx, const ac_system *system, ac_tree_sparse *s)
{
    const ac_constraints *c = &system->constraints;
    int u = system->tree.freedoms, m = c->count - c->closure, nodes = system->node_count;
    AC_TRY(order_nodes(ctx, system, s));
    AC_TRY(ac_sparse_new(ctx, s->twists + 6 * nodes, &s->matrix));
    for (int j = 0; j < u; ++j) AC_TRY(ac_sparse_mark(s->matrix, j, j));
    for (int k = s->twists; k < s->twists + 6 * nodes; ++k) AC_TRY(ac_sparse_mark(s->matrix, k, k));
    AC_TRY(ac_tree_pairs(system, true, mark_pair, s));
    for (int j = 0; j < system->joint_count; ++j) { /* second derivatives of joint constraints */
        const ac_joint_data *joint = &system->joints[j];
        if (joint->a.node != AC_GROUND && joint->b.node != AC_GROUND)
            AC_TRY(mark_pair(s, system, joint->a.node, joint->b.node));
    }
    for (int i = 0; i < nodes; ++i) AC_TRY(mark_joint(system, i, s));
    for (int r = 0; r < m; ++r) AC_TRY(mark_closure(system, r, s));
    return ac_sparse_freeze(s->matrix);
}

/* --- values --- */

static void add_both(ac_sparse *matrix, int row, int column, double value)
{
    if (value == 0.0) return;
    ac_sparse_add(matrix, row, column, value);
    ac_sparse_add(matrix, column, row, value);
}

static void put_joint(ac_tree_sparse *s, const ac_tree_pair *pair, int i)
{
    const ac_node *node = &pair->system->nodes[i];
    double here[3], there[3], arm[3];
    for (int c = 0; c < 6; ++c) {
        int row = wrench_at(s, i, c);
        add_both(s->matrix, row, twist_at(s, i, c), 1.0);
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            add_both(s->matrix, row, j, -pair->columns_a[6 * j + c]);
        if (node->parent != AC_GROUND) add_both(s->matrix, row, twist_at(s, node->parent, c), -1.0);
    }
    if (node->parent == AC_GROUND) return;
    ac_reference(node, pair->qa, here);
    ac_reference(&pair->system->nodes[node->parent], pair->qa, there);
    sub3(here, there, arm);
    for (int c = 0; c < 3; ++c) { /* less omega x arm */
        int a = (c + 1) % 3, b = (c + 2) % 3;
        add_both(s->matrix, wrench_at(s, i, c), twist_at(s, node->parent, 3 + a), -arm[b]);
        add_both(s->matrix, wrench_at(s, i, c), twist_at(s, node->parent, 3 + b), arm[a]);
    }
}

void ac_tree_extended_joints(ac_tree_sparse *s, const ac_tree_pair *pair)
{
    for (int i = 0; i < pair->system->node_count; ++i) put_joint(s, pair, i);
}

void ac_tree_extended_closure(ac_tree_sparse *s, const ac_tree_pair *pair, int closure)
{
    const ac_system *system = pair->system;
    const ac_constraints *c = &system->constraints;
    const ac_joint_data *joint = &system->joints[c->owner[c->closure + closure]];
    const int ends[2] = {joint->a.node, joint->b.node};
    double gradient[AC_ELEMENT_MAX], w[6];
    ac_constraint_gradient(system, c->closure + closure, pair->qa, gradient);
    for (int e = 0; e < 2; ++e) {
        if (ends[e] == AC_GROUND) continue;
        ac_constraint_wrench(system, c->closure + closure, gradient, ends[e], pair->qa, w);
        for (int k = 0; k < 6; ++k)
            add_both(s->matrix, system->tree.freedoms + closure, twist_at(s, ends[e], k), w[k]);
    }
}

void ac_tree_extended_add(ac_tree_sparse *s, const ac_system *system, int left, int right,
                          const double block[36])
{
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            if (moves(&system->nodes[left], r) && moves(&system->nodes[right], c))
                ac_sparse_add(s->matrix, twist_at(s, left, r), twist_at(s, right, c), block[6 * r + c]);
}
