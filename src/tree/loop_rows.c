/* The sparse Jacobian of loops, see loop_rows.h. */
#include "tree/loop_rows.h"

#include <string.h>

#include "base/vector.h"

static void ends_of(const ac_system *system, int row, int ends[2])
{
    const ac_joint_data *joint =
        &system->joints[system->constraints.owner[system->constraints.closure + row]];
    ends[0] = joint->a.node;
    ends[1] = joint->b.node;
}

/* The deepest node behind which both lie, or which is one of them. */
static int find_meeting(const ac_system *system, const int *depth, int a, int b)
{
    while (a != b) {
        int depth_a = a == AC_GROUND ? -1 : depth[a], depth_b = b == AC_GROUND ? -1 : depth[b];
        if (depth_a >= depth_b) {
            a = system->nodes[a].parent;
        } else {
            b = system->nodes[b].parent;
        }
    }
    return a;
}

/* Counts the freedoms of a branch, and lists them where there is room. */
static int list_branch(const ac_system *system, int i, int meeting, int *column)
{
    int count = 0;
    for (; i != meeting; i = system->nodes[i].parent) {
        const ac_node *node = &system->nodes[i];
        for (int j = 0; j < node->freedoms; ++j, ++count)
            if (column) column[count] = node->u + j;
    }
    return count;
}

static ac_status find_pattern(ac_loop_rows *l, int m, int *depth)
{
    const ac_system *system = l->system;
    int ends[2];
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k], parent = system->nodes[i].parent;
        depth[i] = parent == AC_GROUND ? 0 : depth[parent] + 1;
    }
    for (int r = 0; r < m; ++r) {
        ends_of(system, r, ends);
        l->meeting[r] = find_meeting(system, depth, ends[0], ends[1]);
        l->start[r + 1] = l->start[r];
        for (int e = 0; e < 2; ++e) l->start[r + 1] += list_branch(system, ends[e], l->meeting[r], NULL);
    }
    AC_NEW(l->ctx, l->column, l->start[m] + 1);
    AC_NEW(l->ctx, l->value, l->start[m] + 1);
    for (int r = 0; r < m; ++r) {
        int *column = l->column + l->start[r];
        ends_of(system, r, ends);
        for (int e = 0; e < 2; ++e) column += list_branch(system, ends[e], l->meeting[r], column);
    }
    return AC_OK;
}

ac_status ac_loop_rows_create(ac_context *ctx, const ac_system *system, ac_loop_rows *l)
{
    int *depth, m = system->constraints.count - system->constraints.closure;
    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    l->system = system;
    AC_NEW(ctx, l->start, m + 1);
    AC_NEW(ctx, l->meeting, m + 1);
    AC_NEW(ctx, l->state, system->node_count);
    AC_NEW(ctx, l->columns, 6 * (size_t)system->tree.freedoms);
    AC_NEW(ctx, depth, system->node_count);
    ac_status status = find_pattern(l, m, depth);
    ac_release(ctx, depth);
    AC_TRY(status);
    return ac_row_choice_create(ctx, m, system->tree.freedoms, &l->choice);
}

void ac_loop_rows_destroy(ac_loop_rows *l)
{
    if (!l->ctx) return;
    void *blocks[] = {l->start, l->column, l->value, l->meeting, l->state, l->columns};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(l->ctx, blocks[k]);
    ac_row_choice_destroy(&l->choice);
    memset(l, 0, sizeof *l);
}

void ac_loop_rows_evaluate(ac_loop_rows *l, const double *columns, const double *q)
{
    const ac_system *system = l->system;
    double gradient[AC_ELEMENT_MAX], w[6], here[3], there[3], arm[3];
    for (int r = 0; r < l->choice.rows; ++r) {
        int ends[2], row = system->constraints.closure + r;
        double *value = l->value + l->start[r];
        ends_of(system, r, ends);
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = 0; e < 2; ++e) {
            if (ends[e] == l->meeting[r]) continue;
            ac_constraint_wrench(system, row, gradient, ends[e], q, w);
            for (int i = ends[e]; i != l->meeting[r]; i = system->nodes[i].parent) {
                const ac_node *node = &system->nodes[i];
                for (int j = 0; j < node->freedoms; ++j) *value++ = dot6(columns + 6 * (node->u + j), w);
                if (node->parent == l->meeting[r]) continue;
                ac_reference(node, q, here);
                ac_reference(&system->nodes[node->parent], q, there);
                sub3(here, there, arm);
                add_cross3(arm, w, w + 3);
            }
        }
        ac_closure_clear(system, row, l->start[r + 1] - l->start[r], l->value + l->start[r]);
    }
}

ac_status ac_loop_rows_choose(ac_loop_rows *l, const double *q, double tolerance)
{
    const ac_system *system = l->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &l->state[i]);
    ac_tree_columns(system, l->state, q, l->columns);
    ac_loop_rows_evaluate(l, l->columns, q);
    return ac_row_choice_find(&l->choice, l->start, l->column, l->value, tolerance);
}
