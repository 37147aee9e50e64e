/* The projected matrix of a tree as a sparse matrix: pattern and assembly. */
#include "tree/sparse.h"

#include "tree/extended.h"
#include "tree/spread.h"

/* A matrix with fewer entries than this share of the dense one is worth its indices. */
static const double EMPTY_SHARE = 0.6;

/* --- pattern --- */

static ac_status visit_both(const ac_system *system, int a, int b, ac_pair_visitor visit, void *target)
{
    AC_TRY(visit(target, system, a, b));
    return a == b ? AC_OK : visit(target, system, b, a);
}

ac_status ac_tree_pairs(const ac_system *system, bool elements, ac_pair_visitor visit, void *target)
{
    for (int i = 0; i < system->node_count; ++i) AC_TRY(visit(target, system, i, i));
    for (int p = 0; p < system->mesh.mass_pair_count; ++p)
        AC_TRY(visit_both(system, system->mesh.mass_pairs[p].a, system->mesh.mass_pairs[p].b, visit, target));
    if (!elements) return AC_OK;
    for (int k = 0; k < system->coupling.count; ++k)
        AC_TRY(visit_both(system, system->coupling.pairs[k][0], system->coupling.pairs[k][1], visit, target));
    for (int k = 0; k < system->load_count; ++k) {
        if (system->loads[k].measure < 0) continue;
        const ac_measure *m = &system->measures[system->loads[k].measure];
        if (m->node_count == 2) AC_TRY(visit_both(system, m->nodes[0], m->nodes[1], visit, target));
    }
    return AC_OK;
}

static int freedoms_above(const ac_system *system, int i)
{
    int count = 0;
    for (; i != AC_GROUND; i = system->nodes[i].parent) count += system->nodes[i].freedoms;
    return count;
}

static ac_status count_pair(void *target, const ac_system *system, int left, int right)
{
    double *sum = target;
    *sum += (double)freedoms_above(system, left) * freedoms_above(system, right);
    return AC_OK;
}

bool ac_tree_sparse_pays(const ac_system *system)
{
    double entries = 0.0, n = system->tree.freedoms;
    ac_tree_pairs(system, true, count_pair, &entries);
    return entries < EMPTY_SHARE * n * n;
}

static ac_status mark_pair(void *target, const ac_system *system, int left, int right)
{
    ac_sparse *matrix = target;
    for (int i = left; i != AC_GROUND; i = system->nodes[i].parent) {
        const ac_node *row = &system->nodes[i];
        for (int j = right; j != AC_GROUND; j = system->nodes[j].parent) {
            const ac_node *column = &system->nodes[j];
            for (int r = row->u; r < row->u + row->freedoms; ++r)
                for (int c = column->u; c < column->u + column->freedoms; ++c)
                    AC_TRY(ac_sparse_mark(matrix, r, c));
        }
    }
    return AC_OK;
}

ac_status ac_tree_sparse_create(ac_context *ctx, const ac_system *system, bool elements,
                                ac_tree_sparse *sparse)
{
    AC_TRY(ac_sparse_new(ctx, system->tree.freedoms, &sparse->matrix));
    AC_TRY(ac_tree_pairs(system, elements, mark_pair, sparse->matrix));
    return ac_sparse_freeze(sparse->matrix);
}

/* Closure equation `row` meets the freedoms above the two nodes of its joint. */
static ac_status mark_closure(const ac_system *system, int row, ac_sparse *matrix)
{
    const ac_constraints *c = &system->constraints;
    const ac_joint_data *joint = &system->joints[c->owner[row]];
    const int ends[2] = {joint->a.node, joint->b.node};
    int place = system->tree.freedoms + row - c->closure;
    for (int e = 0; e < 2; ++e) {
        for (int i = ends[e]; i != AC_GROUND; i = system->nodes[i].parent) {
            const ac_node *node = &system->nodes[i];
            for (int j = node->u; j < node->u + node->freedoms; ++j) {
                AC_TRY(ac_sparse_mark(matrix, place, j));
                AC_TRY(ac_sparse_mark(matrix, j, place));
            }
        }
    }
    return ac_sparse_mark(matrix, place, place);
}

ac_status ac_tree_sparse_create_bordered(ac_context *ctx, const ac_system *system, ac_tree_sparse *sparse)
{
    const ac_constraints *c = &system->constraints;
    AC_TRY(ac_sparse_new(ctx, system->tree.freedoms + c->count - c->closure, &sparse->matrix));
    AC_TRY(ac_tree_pairs(system, true, mark_pair, sparse->matrix));
    for (int j = 0; j < system->joint_count; ++j) { /* second derivatives of joint constraints */
        const ac_joint_data *joint = &system->joints[j];
        if (joint->a.node != AC_GROUND && joint->b.node != AC_GROUND)
            AC_TRY(visit_both(system, joint->a.node, joint->b.node, mark_pair, sparse->matrix));
    }
    for (int row = c->closure; row < c->count; ++row) AC_TRY(mark_closure(system, row, sparse->matrix));
    return ac_sparse_freeze(sparse->matrix);
}

void ac_tree_sparse_destroy(ac_tree_sparse *sparse)
{
    ac_sparse_free(sparse->matrix);
    if (sparse->position) ac_release(sparse->ctx, sparse->position);
    *sparse = (ac_tree_sparse){0};
}

/* --- values --- */

/* The freedoms of a node are neighbours in a column of the matrix: one search for all of them. */
static void put(void *target, const ac_node *rows, int column, const double *values)
{
    ac_sparse *matrix = target;
    double *at = ac_sparse_values(matrix) + ac_sparse_find(matrix, rows->u, column);
    for (int k = 0; k < rows->freedoms; ++k) at[k] += values[k];
}

void ac_tree_sparse_add(ac_tree_sparse *s, const ac_tree_pair *t, int left, int right, const double block[36])
{
    if (s->twists > 0)
        ac_tree_extended_add(s, t->system, left, right, block);
    else
        ac_tree_spread(t, left, right, block, put, s->matrix);
}

double ac_tree_sparse_diagonal(ac_tree_sparse *s, int j)
{
    int place = ac_sparse_find(s->matrix, j, j);
    return place < 0 ? 0.0 : ac_sparse_values(s->matrix)[place];
}
