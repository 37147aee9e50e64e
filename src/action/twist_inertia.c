/* Inertia between twists: the blocks factor A(q_a)^T M A(q_b) of single nodes and of neighbours along beams, and the matrices
 * P(q_a)^T M P(q_b) of a tree that are sums of them. Loops; tests compare them with the list of masses. */
#include <string.h>

#include "action/inertia.h"
#include "action/relative.h"
#include "base/dual_quaternion.h"
#include "base/triple.h"
#include "base/vector.h"

/* --- one node --- */

/* block += e hat(a)^T hat(b) = e [(a . b) I - b a^T] for two directors, in the rows and columns of the turn */
static inline void add_directors(double e, const double *a, const double *b, double block[36])
{
    double d = e * dot3(a, b);
    for (int i = 0; i < 3; ++i) {
        double eb = e * b[i];
        double *row = block + 6 * (3 + i) + 3;
        row[0] -= eb * a[0];
        row[1] -= eb * a[1];
        row[2] -= eb * a[2];
        row[i] += d;
    }
}

static void body_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                         double block[36])
{
    for (int I = 0; I < 3; ++I)
        for (int J = 0; J < 3; ++J) {
            double e = factor * node->euler[3 * I + J];
            if (e != 0.0) add_directors(e, q_left + 3 + 3 * I, q_right + 3 + 3 * J, block);
        }
}

/* A 3 x 3 matrix or its like by rows. */
typedef ac_triple rows3[3];
typedef ac_triple rows4[4];

/* Columns of x e_j (sign 1) or e_j x (sign -1) for the three imaginary units. */
static inline void unit_products(const double x[4], double sign, double out[4][3])
{
    const double c = x[0], u = sign * x[1], v = sign * x[2], w = sign * x[3];
    const double rows[4][3] = {{-x[1], -x[2], -x[3]}, {c, -w, v}, {w, c, -u}, {-v, u, c}};
    memcpy(out, rows, sizeof rows);
}

/* block += left^T diag(m) right */
static inline void add_weighted(double left[4][3], const double m[4], const rows4 right, rows3 block)
{
    for (int k = 0; k < 4; ++k)
        for (int i = 0; m[k] != 0.0 && i < 3; ++i)
            block[i] = ac_triple_sum(block[i], ac_triple_scaled(m[k] * left[k][i], right[k]));
}

/* block += S . (e_i x e_j), where `right` has the products x e_j */
static inline void add_between(const double S[4], const rows4 right, rows3 block)
{
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        ac_triple sum = ac_triple_difference(ac_triple_scaled(S[1 + i], right[0]),
                                             ac_triple_scaled(S[0], right[1 + i]));
        sum = ac_triple_sum(sum, ac_triple_scaled(S[1 + l], right[1 + k]));
        block[i] = ac_triple_sum(block[i],
                                 ac_triple_difference(sum, ac_triple_scaled(S[1 + k], right[1 + l])));
    }
}

/* The rows and columns of a 6 x 6 block += factor R_a body R_b^T; directors are the columns of R. */
static inline void add_turned(const double *a, const rows3 body, const rows3 b, double factor, double *block)
{
    rows3 half;
    for (int I = 0; I < 3; ++I)
        half[I] = ac_triple_mix3(factor * body[I].xy[0], b[0], factor * body[I].xy[1], b[1],
                                 factor * body[I].z, b[2]);
    for (int i = 0; i < 3; ++i) {
        ac_triple row = ac_triple_of(block + 6 * i);
        for (int I = 0; I < 3; ++I) row = ac_triple_sum(row, ac_triple_scaled(a[3 * I + i], half[I]));
        ac_triple_put(row, block + 6 * i);
    }
}

/* -d left / d q_b of L = (2/h) sum m_i y_i^2, y = conj(a) b - (+-1, 0, ..), between twists; see relative.h. In the axes
 * of both ends a twist is a pure dual quaternion (turn + eps shift): with x = conj(a) b and S = m y, da = a eta/2 and db = b zeta/2 give
 *   (eta x) . m (x zeta) + S . (eta x zeta) */
static void relative_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                             double block[36])
{
    double m[8], x[8], S[8], left[2][4][3], products[4][3];
    rows4 right[2];
    rows3 turn_turn = {0}, turn_shift = {0}, shift_turn = {0}, shift_shift = {0};
    ac_relative_masses(node, m);
    ac_dual_relative(q_left + AC_DUAL_AT, q_right + AC_DUAL_AT, x);
    for (int i = 0; i < 8; ++i) S[i] = m[i] * (i > 0 ? x[i] : x[i] - (x[i] < 0.0 ? -1.0 : 1.0));
    for (int part = 0; part < 2; ++part) {
        unit_products(x + 4 * part, -1.0, left[part]);
        unit_products(x + 4 * part, 1.0, products);
        for (int k = 0; k < 4; ++k) right[part][k] = ac_triple_of(products[k]);
        add_weighted(left[part], m + 4 * part, right[part], turn_turn);
        add_between(S + 4 * part, right[part], turn_turn);
    }
    add_weighted(left[1], m + 4, right[0], turn_shift);
    add_weighted(left[0], m + 4, right[1], shift_turn);
    add_weighted(left[0], m + 4, right[0], shift_shift);
    add_between(S + 4, right[0], turn_shift);
    add_between(S + 4, right[0], shift_turn);
    const double *a = q_left + 3, *b = q_right + 3;
    const rows3 columns = {ac_triple_of(b), ac_triple_of(b + 3), ac_triple_of(b + 6)};
    add_turned(a, shift_shift, columns, factor, block);
    add_turned(a, shift_turn, columns, factor, block + 3);
    add_turned(a, turn_shift, columns, factor, block + 18);
    add_turned(a, turn_turn, columns, factor, block + 21);
}

void ac_node_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                     double block[36])
{
    if (ac_node_type_of(node)->relative) {
        relative_inertia(node, q_left, q_right, factor, block);
        return;
    }
    double m = factor * node->mass;
    int turns = ac_node_turns(node), d = node->dimension;
    for (int i = 0; i < d; ++i) block[7 * i] += m;
    if (turns == 3) body_inertia(node, q_left, q_right, factor, block);
    if (turns == 1)
        block[35] += factor * node->euler[0] * (q_left[d] * q_right[d] + q_left[d + 1] * q_right[d + 1]);
}

void ac_pair_inertia(const ac_mass_pair *mass, const double *q_left, const double *q_right, double factor,
                     double block[36])
{
    for (int i = 0; i < 3; ++i) block[7 * i] += factor * mass->mass;
    for (int I = 0; I < 3; ++I) {
        double e = factor * mass->euler[I];
        if (e != 0.0) add_directors(e, q_left + 3 + 3 * I, q_right + 3 + 3 * I, block);
    }
}

/* --- the tree --- */

void ac_inertia_nodes(const ac_tree_pair *t, double factor, double *blocks)
{
    const ac_system *system = t->system;
    memset(blocks, 0, 36 * (size_t)system->node_count * sizeof *blocks);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_inertia(node, t->qa + node->q, t->qb + node->q, factor, blocks + 36 * i);
    }
}

/* Takes a block between the twists of two nodes. */
typedef void (*block_sink)(void *target, const ac_tree_pair *pair, int left, int right,
                           const double block[36]);

static void each_node(const ac_tree_pair *t, double factor, block_sink sink, void *target)
{
    const ac_system *system = t->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double block[36] = {0};
        ac_node_inertia(node, t->qa + node->q, t->qb + node->q, factor, block);
        sink(target, t, i, i, block);
    }
}

static void each_pair(const ac_tree_pair *t, double factor, block_sink sink, void *target)
{
    const ac_system *system = t->system;
    for (int p = 0; p < system->mesh.mass_pair_count; ++p) {
        const ac_mass_pair *pair = &system->mesh.mass_pairs[p];
        const int ends[2] = {pair->a, pair->b};
        for (int e = 0; e < 2; ++e) {
            const ac_node *left = &system->nodes[ends[e]], *right = &system->nodes[ends[1 - e]];
            double block[36] = {0};
            ac_pair_inertia(pair, t->qa + left->q, t->qb + right->q, factor, block);
            sink(target, t, ends[e], ends[1 - e], block);
        }
    }
}

static void put_dense(void *target, const ac_tree_pair *t, int left, int right, const double block[36])
{
    ac_tree_matrix_pair(t, left, right, block, target);
}

static void put_block(void *target, const ac_tree_pair *t, int left, int right, const double block[36])
{
    ac_tree_blocks_add(target, t, left, right, block);
}

static void put_sparse(void *target, const ac_tree_pair *t, int left, int right, const double block[36])
{
    ac_tree_sparse_add(target, t, left, right, block);
}

void ac_inertia_dense_pairs(const ac_tree_pair *t, double factor, double *K)
{
    each_pair(t, factor, put_dense, K);
}

void ac_inertia_in_blocks(const ac_tree_pair *t, double factor, ac_tree_blocks *matrix)
{
    ac_tree_blocks_clear(matrix);
    each_node(t, factor, put_block, matrix);
    each_pair(t, factor, put_block, matrix);
}

void ac_inertia_add_sparse(const ac_tree_pair *t, double factor, ac_tree_sparse *matrix)
{
    each_node(t, factor, put_sparse, matrix);
    each_pair(t, factor, put_sparse, matrix);
}

void ac_inertia_sparse(const ac_tree_pair *t, double factor, ac_tree_sparse *matrix)
{
    ac_sparse_clear(matrix->matrix);
    ac_inertia_add_sparse(t, factor, matrix);
}
