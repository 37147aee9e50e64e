/* Constraint forces found back from what a step equation leaves: the recursion, and the slopes that follow
 * from them. */
#include "integrate/reaction.h"

#include <string.h>

#include "base/vector.h"

enum { MOST_ROWS = 20 }; /* internal rows of a node and those of its tree joint */
static const double RANK_TOLERANCE = 1e-9;

ac_status ac_reaction_create(ac_context *ctx, const ac_system *system, int more, ac_reaction *reaction)
{
    const ac_constraints *c = &system->constraints;
    reaction->system = system;
    AC_NEW(ctx, reaction->first, system->node_count + 1);
    AC_NEW(ctx, reaction->alone, system->node_count);
    AC_NEW(ctx, reaction->mu, c->count + more);
    AC_NEW(ctx, reaction->rest, system->n);
    AC_NEW(ctx, reaction->wrench, 6 * system->node_count);
    AC_NEW(ctx, reaction->doubles, ac_row_space_doubles(MOST_ROWS, AC_NODE_MAX));
    AC_NEW(ctx, reaction->ints, ac_row_space_ints(MOST_ROWS, AC_NODE_MAX));
    for (int row = 0; row < c->internal; ++row) ++reaction->first[-c->owner[row]]; /* owner = -1 - node */
    for (int i = 0; i < system->node_count; ++i) {
        reaction->first[i + 1] += reaction->first[i];
        reaction->alone[i] = ac_node_is_free(&system->nodes[i]);
    }
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].parent != AC_GROUND) reaction->alone[system->nodes[i].parent] = false;
    return AC_OK;
}

void ac_reaction_destroy(ac_context *ctx, ac_reaction *reaction)
{
    void *blocks[] = {reaction->first,  reaction->alone,   reaction->mu,  reaction->rest,
                      reaction->wrench, reaction->doubles, reaction->ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    memset(reaction, 0, sizeof *reaction);
}

/* The rows that hold a node, internal ones first; returns their number. */
static int rows_of(const ac_reaction *reaction, int i, int rows[MOST_ROWS])
{
    const ac_node *node = &reaction->system->nodes[i];
    int count = 0;
    for (int row = reaction->first[i]; row < reaction->first[i + 1]; ++row) rows[count++] = row;
    if (node->joint < 0) return count;
    const ac_joint_data *joint = &reaction->system->joints[node->joint];
    for (int k = 0; k < joint->rows; ++k) rows[count++] = joint->first_row + k;
    return count;
}

/* The gradient of a row on the coordinates of one node. */
static void gradient_on(const ac_system *system, int row, const double *q, const ac_node *node, double *out)
{
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    ac_constraint_gradient(system, row, q, gradient);
    memset(out, 0, (size_t)node->size * sizeof *out);
    for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
        int place = c->coordinate[s] - node->q;
        if (place >= 0 && place < node->size) out[place] = gradient[s - c->start[row]];
    }
}

static void split_node(ac_reaction *reaction, const double *q, int i)
{
    const ac_system *system = reaction->system;
    const ac_node *node = &system->nodes[i];
    int rows[MOST_ROWS], count = rows_of(reaction, i, rows);
    double G[MOST_ROWS * AC_NODE_MAX], mu[MOST_ROWS];
    if (count == 0) return;
    for (int k = 0; k < count; ++k) gradient_on(system, rows[k], q, node, G + k * node->size);
    ac_row_space space;
    ac_row_space_place(&space, count, node->size, reaction->doubles, reaction->ints);
    ac_row_space_factor(&space, G, RANK_TOLERANCE, count);
    ac_row_space_solve_transposed(&space, reaction->rest + node->q, mu);
    for (int k = 0; k < count; ++k) {
        reaction->mu[rows[k]] = mu[k];
        ac_constraints_add_force(system, q, mu + k, rows[k], rows[k] + 1, -1.0, reaction->rest);
    }
}

static void split(ac_reaction *reaction, const double *q, const double *f, const bool *left_out)
{
    const ac_system *system = reaction->system;
    const ac_constraints *c = &system->constraints;
    if (f != reaction->rest) memcpy(reaction->rest, f, (size_t)system->n * sizeof *f);
    ac_constraints_add_force(system, q, reaction->mu + c->closure, c->closure, c->count, -1.0,
                             reaction->rest);
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        if (!left_out || !left_out[i]) split_node(reaction, q, i);
    }
}

void ac_reaction_split(ac_reaction *reaction, const double *q, const double *f)
{
    split(reaction, q, f, NULL);
}

void ac_reaction_split_joined(ac_reaction *reaction, const double *q, const double *f)
{
    split(reaction, q, f, reaction->alone);
}

/* block += factor g'' of one row; `start` says where the coordinates of each node begin in the block */
static void add_row(const ac_system *system, int row, double factor, const int *nodes, int count, int size,
                    double *block)
{
    const ac_constraints *c = &system->constraints;
    int at[AC_ELEMENT_MAX], start = 0;
    for (int n = 0; n < count; ++n) {
        const ac_node *node = &system->nodes[nodes[n]];
        for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
            int place = c->coordinate[s] - node->q;
            if (place >= 0 && place < node->size) at[s - c->start[row]] = start + place;
        }
        start += node->size;
    }
    for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
        const ac_product *p = &c->forms.products[e];
        block[at[p->i] * size + at[p->j]] += factor * p->a;
        block[at[p->j] * size + at[p->i]] += factor * p->a;
    }
}

/* Passes on the block of rows [first, last) that touch these nodes. */
static void pass_on(const ac_reaction *reaction, int first, int last, const int *nodes, int count,
                    ac_block_sink sink, void *target)
{
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    const ac_forms *forms = &reaction->system->constraints.forms;
    /* nothing to hand on: no rows (then there may be no maps at all), or all of them are linear */
    if (first == last || forms->product_start[first] == forms->product_start[last]) return;
    int size = 0;
    for (int n = 0; n < count; ++n) size += reaction->system->nodes[nodes[n]].size;
    memset(block, 0, (size_t)(size * size) * sizeof *block);
    for (int row = first; row < last; ++row)
        add_row(reaction->system, row, 0.5 * reaction->mu[row], nodes, count, size, block);
    sink(target, nodes, count, block, size);
}

void ac_reaction_curvature(const ac_reaction *reaction, ac_block_sink sink, void *target)
{
    const ac_system *system = reaction->system;
    for (int i = 0; i < system->node_count; ++i)
        if (!reaction->alone[i])
            pass_on(reaction, reaction->first[i], reaction->first[i + 1], &i, 1, sink, target);
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int nodes[2], count = 0;
        if (joint->a.node != AC_GROUND) nodes[count++] = joint->a.node;
        if (joint->b.node != AC_GROUND) nodes[count++] = joint->b.node;
        pass_on(reaction, joint->first_row, joint->first_row + joint->rows, nodes, count, sink, target);
    }
}

/* Wrenches of e at the mean, summed over subtrees. */
static void sum_wrenches(ac_reaction *reaction, const double *mean)
{
    const ac_system *system = reaction->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!reaction->alone[i])
            ac_node_wrench(node, mean + node->q, reaction->rest + node->q, reaction->wrench + 6 * i);
    }
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        if (node->parent == AC_GROUND) continue;
        double here[3], there[3], arm[3], *carrier = reaction->wrench + 6 * node->parent;
        const double *w = reaction->wrench + 6 * i;
        ac_reference(node, mean, here);
        ac_reference(&system->nodes[node->parent], mean, there);
        sub3(here, there, arm);
        for (int j = 0; j < 6; ++j) carrier[j] += w[j];
        add_cross3(arm, w, carrier + 3);
    }
}

/* Rows of the angular velocity of the block += factor (v x f). */
static void add_moving_force(const double f[3], double factor, double block[36])
{
    const double hat[9] = {0.0, f[2], -f[1], -f[2], 0.0, f[0], f[1], -f[0], 0.0}; /* v x f = hat v */
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block[6 * (3 + r) + c] += factor * hat[3 * r + c];
}

/* The torque that e has on one node about its own place changes with its directors. */
static void add_turning_directors(const ac_reaction *reaction, const ac_node *node, const double *q_b,
                                  double block[36])
{
    const double *own = q_b + node->q, *e = reaction->rest + node->q;
    if (ac_node_turns(node) == 1) block[35] += 0.5 * (own[2] * e[2] + own[3] * e[3]);
    if (ac_node_turns(node) < 3) return;
    for (int I = 3; I < 12; I += 3) { /* (w x d) x e = d (e . w) - (d . e) w */
        double de = dot3(own + I, e + I);
        for (int r = 0; r < 3; ++r) {
            double *row = block + 6 * (3 + r) + 3;
            for (int c = 0; c < 3; ++c) row[c] -= 0.5 * own[I + r] * e[I + c];
            row[r] += 0.5 * de;
        }
    }
}

/* The torque about a fixed point changes with the place of the node, too. */
static void add_moving_node(const ac_reaction *reaction, const ac_node *node, double block[36])
{
    double force[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < node->dimension; ++i) force[i] = reaction->rest[node->q + i];
    add_moving_force(force, -0.5, block);
}

/* L (freedoms x 6): relative twist of a joint to its freedoms, the left inverse of its columns. */
static bool left_inverse(int freedoms, const double *columns, double *L)
{
    double normal[36];
    int pivot[6];
    for (int i = 0; i < freedoms; ++i)
        for (int j = 0; j < freedoms; ++j) normal[i * freedoms + j] = dot6(columns + 6 * i, columns + 6 * j);
    if (!ac_lu_factor(freedoms, normal, pivot)) return false;
    for (int c = 0; c < 6; ++c) {
        double x[6];
        for (int j = 0; j < freedoms; ++j) x[j] = columns[6 * j + c];
        ac_lu_solve(freedoms, normal, pivot, x);
        for (int j = 0; j < freedoms; ++j) L[6 * j + c] = x[j];
    }
    return true;
}

/* block = - L^T D, D (freedoms x 6) */
static void relative_block(int freedoms, const double *L, const double *D, double block[36])
{
    memset(block, 0, 36 * sizeof *block);
    for (int j = 0; j < freedoms; ++j)
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c) block[6 * r + c] -= L[6 * j + r] * D[6 * j + c];
}

/* Passes on a block whose rows are the twist of node i relative to its parent. */
static void pass_on_relative(const ac_system *system, int i, int right, const double *mean,
                             const double block[36], ac_twist_sink sink, void *target)
{
    const ac_node *node = &system->nodes[i];
    sink(target, i, right, block);
    if (node->parent == AC_GROUND) return;
    double here[3], there[3], arm[3], seen[36];
    ac_reference(node, mean, here);
    ac_reference(&system->nodes[node->parent], mean, there);
    sub3(here, there, arm);
    for (int c = 0; c < 6; ++c) { /* each column is a wrench */
        const double w[3] = {block[c], block[6 + c], block[12 + c]};
        double torque[3] = {block[18 + c], block[24 + c], block[30 + c]};
        add_cross3(arm, w, torque);
        for (int r = 0; r < 3; ++r) {
            seen[6 * r + c] = -w[r];
            seen[6 * (3 + r) + c] = -torque[r];
        }
    }
    sink(target, node->parent, right, seen);
}

/* The twists of a joint change, and the point about which the torque of its subtree is taken. */
static void joint_blocks(const ac_reaction *reaction, int i, const ac_joint_state *state, const double *mean,
                         const double *q_b, const double *columns, ac_twist_sink sink, void *target)
{
    const ac_system *system = reaction->system;
    const ac_node *node = &system->nodes[i];
    const double *w = reaction->wrench + 6 * i, *own = columns + 6 * node->u;
    double by_child[36], by_parent[36], L[36], block[36];
    if (node->freedoms == 0) return;
    if (ac_node_is_free(node)) { /* its columns are the unit twists */
        memset(L, 0, sizeof L);
        for (int j = 0; j < 6; ++j) L[7 * j] = 1.0;
    } else if (!left_inverse(node->freedoms, own, L)) {
        return;
    }
    ac_joint_tangent_slope(system, node, &state[i], mean, q_b, w, by_child, by_parent);
    for (int j = 0; j < node->freedoms; ++j) { /* - a . 1/2 (v x F) = - 1/2 v . (F x a) */
        double across[3];
        cross3(w, own + 6 * j + 3, across);
        for (int k = 0; k < 3; ++k) by_child[6 * j + k] -= 0.5 * across[k];
    }
    relative_block(node->freedoms, L, by_child, block);
    pass_on_relative(system, i, i, mean, block, sink, target);
    if (node->parent == AC_GROUND) return;
    relative_block(node->freedoms, L, by_parent, block);
    pass_on_relative(system, i, node->parent, mean, block, sink, target);
}

void ac_reaction_turning(ac_reaction *reaction, const ac_joint_state *state, const double *mean,
                         const double *q_b, const double *columns, ac_twist_sink sink, void *target)
{
    const ac_system *system = reaction->system;
    sum_wrenches(reaction, mean);
    for (int i = 0; i < system->node_count; ++i) {
        double block[36] = {0.0};
        add_turning_directors(reaction, &system->nodes[i], q_b, block);
        if (!reaction->alone[i]) add_moving_node(reaction, &system->nodes[i], block);
        sink(target, i, i, block);
        if (!reaction->alone[i]) joint_blocks(reaction, i, state, mean, q_b, columns, sink, target);
    }
}
