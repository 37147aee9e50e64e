/* Block matrices of coupled trees: order, assembly, factorisation A = L U with unit blocks on the diagonal
 * of L.
 *
 *   U(j, i) = A(j, i) - sum L(j, k) U(k, i),   L(i, j) = [A(i, j) - sum L(i, k) U(k, j)] D(j)^{-1},
 *   D(i) = A(i, i) - sum L(i, k) U(k, i),      the inverse of D(i) is kept in its place,
 * and D(j)^{-1} U(j, i) in that of U(j, i).
 */
#include "mechanics/tree_blocks.h"

#include <math.h>
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "mechanics/tree_sparse.h"

enum { WIDEST = 60 }; /* freedoms of one tree */

/* --- order
 * ---------------------------------------------------------------------------------------------------------
 * */

typedef struct graph { /* of the trees */
    int count;
    int *degree, *neighbour, *start; /* compressed lists */
    int *mark;
} graph;

static int root_of(const ac_system *system, int node)
{
    while (system->nodes[node].parent != AC_GROUND) node = system->nodes[node].parent;
    return node;
}

/* Numbers the trees that can move. */
static int number_trees(const ac_system *system, int *tree)
{
    int count = 0;
    for (int i = 0; i < system->node_count; ++i) tree[i] = -1;
    for (int k = 0; k < system->node_count; ++k) { /* parents first */
        int i = system->order[k], root = root_of(system, i);
        if (system->nodes[i].freedoms > 0 && tree[root] < 0) tree[root] = count++;
        if (tree[root] >= 0) tree[i] = tree[root];
    }
    for (int i = 0; i < system->node_count; ++i) tree[i] = tree[root_of(system, i)];
    return count;
}

typedef struct edge_target {
    graph *g;
    const int *tree;
    int pass;
} edge_target;

static ac_status visit_edge(void *target, const ac_system *system, int left, int right)
{
    edge_target *t = target;
    int a = t->tree[left], b = t->tree[right];
    (void)system;
    if (a < 0 || b < 0 || a == b) return AC_OK;
    if (t->pass == 0) {
        ++t->g->start[a + 1];
    } else {
        t->g->neighbour[t->g->start[a] + t->g->degree[a]++] = b;
    }
    return AC_OK;
}

static ac_status build_graph(ac_context *ctx, const ac_system *system, const int *tree, graph *g)
{
    edge_target target = {g, tree, 0};
    AC_NEW(ctx, g->start, g->count + 1);
    AC_NEW(ctx, g->degree, g->count);
    AC_NEW(ctx, g->mark, g->count);
    AC_TRY(ac_tree_pairs(system, true, visit_edge, &target));
    for (int i = 0; i < g->count; ++i) g->start[i + 1] += g->start[i];
    AC_NEW(ctx, g->neighbour, g->start[g->count]);
    target.pass = 1;
    return ac_tree_pairs(system, true, visit_edge, &target);
}

static void free_graph(ac_context *ctx, graph *g)
{
    void *blocks[] = {g->start, g->degree, g->mark, g->neighbour};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}

/* Breadth first from `seed` over unmarked trees; fills `order` from `count` on, answers the new count. */
static int spread(graph *g, int seed, int stamp, int *order, int count)
{
    int head = count;
    order[count++] = seed;
    g->mark[seed] = stamp;
    while (head < count) {
        int i = order[head++];
        for (int k = g->start[i]; k < g->start[i] + g->degree[i]; ++k) {
            int j = g->neighbour[k];
            if (g->mark[j] == stamp || g->mark[j] == -1) continue;
            g->mark[j] = stamp;
            order[count++] = j;
        }
    }
    return count;
}

/* Cuthill and McKee: from one end of each connected part; marks of finished parts are -1. */
static void order_trees(graph *g, int *order)
{
    int count = 0;
    for (int i = 0; i < g->count; ++i) {
        if (g->mark[i] == -1) continue;
        int end = spread(g, i, 1, order, count); /* the last one reached is at an end */
        int seed = order[end - 1], from = count;
        for (int k = from; k < end; ++k) g->mark[order[k]] = 0;
        count = spread(g, seed, 2, order, from);
        for (int k = from; k < count; ++k) g->mark[order[k]] = -1;
    }
}

/* --- making and freeing
 * ---------------------------------------------------------------------------------------------- */

static void find_envelope(const graph *g, const int *order, const int *position, int *first)
{
    for (int p = 0; p < g->count; ++p) {
        int i = order[p];
        first[p] = p;
        for (int k = g->start[i]; k < g->start[i] + g->degree[i]; ++k)
            if (position[g->neighbour[k]] < first[p]) first[p] = position[g->neighbour[k]];
    }
}

static ac_status lay_out(ac_context *ctx, ac_tree_blocks *b)
{
    size_t at = 0;
    int widest = 0, sum = 0;
    AC_NEW(ctx, b->lower, b->count);
    AC_NEW(ctx, b->upper, b->count);
    AC_NEW(ctx, b->diagonal, b->count);
    for (int i = 0; i < b->count; ++i) {
        size_t off = 0;
        for (int j = b->first[i]; j < i; ++j) off += (size_t)(b->size[i] * b->size[j]);
        b->lower[i] = at;
        b->upper[i] = at + off;
        b->diagonal[i] = at + 2 * off;
        at += 2 * off + (size_t)(b->size[i] * b->size[i]);
        b->start[i] = sum;
        sum += b->size[i];
        if (b->size[i] > widest) widest = b->size[i];
    }
    b->entries = at;
    AC_NEW(ctx, b->value, at);
    AC_NEW(ctx, b->x, b->freedoms);
    AC_NEW(ctx, b->y, b->freedoms);
    AC_NEW(ctx, b->work, 2 * widest * widest);
    AC_NEW(ctx, b->pivot, widest);
    return AC_OK;
}

static ac_status number_freedoms(ac_context *ctx, ac_tree_blocks *b)
{
    const ac_system *system = b->system;
    AC_NEW(ctx, b->local, b->freedoms);
    AC_NEW(ctx, b->freedom, b->freedoms);
    AC_NEW(ctx, b->body, b->count);
    AC_NEW(ctx, b->of_sixes, b->count);
    AC_NEW(ctx, b->own, b->freedoms);
    AC_NEW(ctx, b->size, b->count);
    AC_NEW(ctx, b->start, b->count);
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->order[k];
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j) b->local[j] = b->size[b->tree[i]]++;
    }
    return AC_OK;
}

static ac_status create_ordered(ac_context *ctx, ac_tree_blocks *b, graph *g, int *order, int *position,
                                bool *pays)
{
    AC_TRY(build_graph(ctx, b->system, b->tree, g));
    order_trees(g, order);
    for (int p = 0; p < b->count; ++p) position[order[p]] = p;
    for (int i = 0; i < b->system->node_count; ++i)
        if (b->tree[i] >= 0) b->tree[i] = position[b->tree[i]];
    AC_NEW(ctx, b->first, b->count);
    find_envelope(g, order, position, b->first);
    AC_TRY(number_freedoms(ctx, b));
    double full = 0.0;
    int widest = 0;
    for (int i = 0; i < b->count; ++i) {
        full += i - b->first[i];
        if (b->size[i] > widest) widest = b->size[i];
    }
    *pays = widest <= WIDEST && full <= 4.0 * b->count + 16.0;
    if (!*pays) return AC_OK;
    AC_TRY(lay_out(ctx, b));
    for (int i = 0; i < b->count; ++i) b->body[i] = -1;
    for (int i = 0; i < b->system->node_count; ++i) {
        const ac_node *node = &b->system->nodes[i];
        if (node->freedoms > 0 && ac_node_is_free(node) && b->size[b->tree[i]] == 6) b->body[b->tree[i]] = i;
        for (int j = node->u; j < node->u + node->freedoms; ++j) {
            int tree = b->tree[i];
            b->freedom[b->start[tree] + b->local[j]] = j;
            b->own[j] = b->diagonal[tree] + (size_t)(b->local[j] * (b->size[tree] + 1));
        }
    }
    for (int i = 0; i < b->count; ++i) {
        b->of_sixes[i] = b->body[i] >= 0;
        for (int j = b->first[i]; j < i; ++j) b->of_sixes[i] &= b->size[j] == 6;
    }
    return AC_OK;
}

ac_status ac_tree_blocks_create(ac_context *ctx, const ac_system *system, ac_tree_blocks *b, bool *pays)
{
    graph g = {0};
    *pays = false;
    b->system = system;
    b->freedoms = system->tree_freedoms;
    AC_NEW(ctx, b->tree, system->node_count);
    b->count = g.count = number_trees(system, b->tree);
    int *order = ac_allocate(ctx, (size_t)b->count, sizeof *order);
    int *position = ac_allocate(ctx, (size_t)b->count, sizeof *position);
    ac_status status = order && position ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) status = create_ordered(ctx, b, &g, order, position, pays);
    ac_release(ctx, order);
    ac_release(ctx, position);
    free_graph(ctx, &g);
    return status;
}

void ac_tree_blocks_destroy(ac_context *ctx, ac_tree_blocks *b)
{
    void *blocks[] = {b->tree, b->size, b->first, b->start, b->local,    b->freedom,
                      b->body, b->own,  b->lower, b->upper, b->diagonal, b->value,
                      b->x,    b->y,    b->work,  b->pivot, b->of_sixes};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    memset(b, 0, sizeof *b);
}

/* --- assembly
 * --------------------------------------------------------------------------------------------------------
 * */

/* The block of trees i and j; rows of i. */
static double *block_at(const ac_tree_blocks *b, int i, int j)
{
    if (i == j) return b->value + b->diagonal[i];
    int high = i > j ? i : j, low = i > j ? j : i;
    size_t before = 0;
    if (low > b->first[high]) { /* blocks of one row have the height of that tree */
        for (int k = b->first[high]; k < low; ++k) before += (size_t)b->size[k];
        before *= (size_t)b->size[high];
    }
    return b->value + (i > j ? b->lower[high] : b->upper[high]) + before;
}

static void arm(const ac_system *system, const ac_node *node, const double *q, double r[3])
{
    double here[3], there[3];
    ac_reference(node, q, here);
    ac_reference(&system->nodes[node->parent], q, there);
    sub3(here, there, r);
}

static void add_column(const ac_tree_blocks *b, const ac_tree_pair *t, int left, const double force[6],
                       double *block, int width, int column)
{
    const ac_system *system = t->system;
    double F[6];
    memcpy(F, force, sizeof F);
    for (int i = left;; i = system->nodes[i].parent) {
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            block[b->local[j] * width + column] += dot6(t->columns_a + 6 * j, F);
        if (node->parent == AC_GROUND) return;
        double r[3];
        arm(system, node, t->qa, r);
        add_cross3(r, F, F + 3);
    }
}

void ac_tree_blocks_add(ac_tree_blocks *b, const ac_tree_pair *t, int left, int right, const double block[36])
{
    const ac_system *system = t->system;
    int i = b->tree[left], j = b->tree[right];
    if (i < 0 || j < 0) return;
    double *target = block_at(b, i, j);
    if (ac_node_is_free(&system->nodes[left]) && ac_node_is_free(&system->nodes[right]) && b->size[i] == 6 &&
        b->size[j] == 6) {
        for (int k = 0; k < 36; ++k) target[k] += block[k];
        return;
    }
    static const double none[3] = {0, 0, 0};
    double shifted[36], next[36];
    memcpy(shifted, block, sizeof shifted);
    for (int node_number = right;; node_number = system->nodes[node_number].parent) {
        const ac_node *node = &system->nodes[node_number];
        for (int f = node->u; f < node->u + node->freedoms; ++f) {
            double force[6];
            apply6(shifted, t->columns_b + 6 * f, force);
            add_column(b, t, left, force, target, b->size[j], b->local[f]);
        }
        if (node->parent == AC_GROUND) return;
        double r[3];
        arm(system, node, t->qb, r);
        ac_shift_block(shifted, none, r, next);
        memcpy(shifted, next, sizeof shifted);
    }
}

void ac_tree_blocks_inertia(ac_tree_blocks *b, const ac_tree_pair *t, double factor)
{
    const ac_system *system = t->system;
    memset(b->value, 0, b->entries * sizeof *b->value);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double block[36] = {0};
        if (b->tree[i] < 0) continue;
        ac_node_inertia(node, t->qa + node->q, t->qb + node->q, factor, block);
        ac_tree_blocks_add(b, t, i, i, block);
    }
    for (int p = 0; p < system->mass_pair_count; ++p) {
        const ac_mass_pair *pair = &system->mass_pairs[p];
        const int ends[2] = {pair->a, pair->b};
        for (int e = 0; e < 2; ++e) {
            const ac_node *left = &system->nodes[ends[e]], *right = &system->nodes[ends[1 - e]];
            double block[36] = {0};
            ac_pair_inertia(pair, t->qa + left->q, t->qb + right->q, factor, block);
            ac_tree_blocks_add(b, t, ends[e], ends[1 - e], block);
        }
    }
}

double ac_tree_blocks_diagonal(const ac_tree_blocks *b, int freedom)
{
    return b->value[b->own[freedom]];
}

/* --- factorisation
 * --------------------------------------------------------------------------------------------------- */

/* C -= A B, (rows x inner) (inner x columns) */
static void subtract_product(int rows, int inner, int columns, const double *restrict A,
                             const double *restrict B, double *restrict C)
{
    if (rows == 6 && inner == 6 && columns == 6) { /* written out for the compiler */
        for (int i = 0; i < 6; ++i) {
            double c[6];
            for (int j = 0; j < 6; ++j) c[j] = C[6 * i + j];
            for (int k = 0; k < 6; ++k) {
                double a = A[6 * i + k];
                for (int j = 0; j < 6; ++j) c[j] -= a * B[6 * k + j];
            }
            for (int j = 0; j < 6; ++j) C[6 * i + j] = c[j];
        }
        return;
    }
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < inner; ++k) {
            double a = A[i * inner + k];
            for (int j = 0; j < columns; ++j) C[i * columns + j] -= a * B[k * columns + j];
        }
}

/* y -= A x, rows x columns, A stored by columns: numbers side by side become neighbours in y */
static inline void subtract_vector(int rows, int columns, const double *restrict A, const double *restrict x,
                                   double *restrict y)
{
    for (int k = 0; k < columns; ++k)
        for (int i = 0; i < rows; ++i) y[i] -= A[k * rows + i] * x[k];
}

/* Six numbers in pairs: those of a free body. Written and read in pairs, they need not wait for memory. */
typedef struct six {
    ac_pair part[3];
} six;

static inline six six_of(const double *p)
{
    return (six){{ac_pair_of(p), ac_pair_of(p + 2), ac_pair_of(p + 4)}};
}

static inline void six_put(const six *a, double *p)
{
    for (int i = 0; i < 3; ++i) ac_pair_put(a->part[i], p + 2 * i);
}

/* A x, A stored by columns; two sums for each pair, so that the way through them is short */
static inline six six_product(const double *restrict A, const six *x)
{
    six y;
    for (int i = 0; i < 3; ++i) {
        const double *a = A + 2 * i;
        ac_pair early = ac_pair_of(a) * x->part[0][0] + ac_pair_of(a + 6) * x->part[0][1] +
                        ac_pair_of(a + 12) * x->part[1][0];
        ac_pair late = ac_pair_of(a + 18) * x->part[1][1] + ac_pair_of(a + 24) * x->part[2][0] +
                       ac_pair_of(a + 30) * x->part[2][1];
        y.part[i] = early + late;
    }
    return y;
}

static inline void six_subtract(const double *restrict A, const six *x, six *y)
{
    six product = six_product(A, x);
    for (int i = 0; i < 3; ++i) y->part[i] -= product.part[i];
}

/* A <- A^{-1} by Gauss and Jordan with row pivots; false if singular. */
static bool invert(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        double p = A[best * n + k];
        if (p == 0.0 || !isfinite(p)) return false;
        pivot[k] = best;
        if (best != k)
            for (int j = 0; j < n; ++j) {
                double swap = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = swap;
            }
        A[k * n + k] = 1.0;
        for (int j = 0; j < n; ++j) A[k * n + j] /= p;
        for (int i = 0; i < n; ++i) {
            double f = A[i * n + k];
            if (i == k || f == 0.0) continue;
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        if (pivot[k] == k) continue;
        for (int i = 0; i < n; ++i) {
            double swap = A[i * n + k];
            A[i * n + k] = A[i * n + pivot[k]];
            A[i * n + pivot[k]] = swap;
        }
    }
    return true;
}

/* A <- its columns one after another */
static void store_by_columns(int rows, int columns, double *A, double *work)
{
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < columns; ++k) work[k * rows + i] = A[i * columns + k];
    memcpy(A, work, (size_t)(rows * columns) * sizeof *A);
}

static void store_factors(ac_tree_blocks *b)
{
    for (int i = 0; i < b->count; ++i) {
        for (int j = b->first[i]; j < i; ++j) {
            store_by_columns(b->size[i], b->size[j], block_at(b, i, j), b->work);
            store_by_columns(b->size[j], b->size[i], block_at(b, j, i), b->work);
        }
        store_by_columns(b->size[i], b->size[i], b->value + b->diagonal[i], b->work);
    }
}

/* A <- A with rows and columns in the axes of bodies: directors at `left` and `right`, NULL: unchanged */
static void turn_block(const double *left, const double *right, int rows, int columns, double *restrict A)
{
    for (int r = 0; left && r < rows; r += 3) { /* each row of directors mixes three rows */
        double *a = A + r * columns, *b = a + columns, *c = b + columns;
        for (int k = 0; k < columns; ++k) {
            double x = a[k], y = b[k], z = c[k];
            a[k] = left[0] * x + left[1] * y + left[2] * z;
            b[k] = left[3] * x + left[4] * y + left[5] * z;
            c[k] = left[6] * x + left[7] * y + left[8] * z;
        }
    }
    for (int k = 0; right && k < rows * columns; k += 3) {
        double *a = A + k, x = a[0], y = a[1], z = a[2];
        a[0] = right[0] * x + right[1] * y + right[2] * z;
        a[1] = right[3] * x + right[4] * y + right[5] * z;
        a[2] = right[6] * x + right[7] * y + right[8] * z;
    }
}

/* Directors of the body of a tree. */
static const double *axes_of(const ac_tree_blocks *b, int tree, const double *q)
{
    return b->body[tree] < 0 ? NULL : q + b->system->nodes[b->body[tree]].q + 3;
}

static void turn_all(ac_tree_blocks *b, const ac_tree_pair *seen)
{
    for (int i = 0; i < b->count; ++i) {
        int n = b->size[i];
        const double *row = axes_of(b, i, seen->qa), *column = axes_of(b, i, seen->qb);
        turn_block(row, column, n, n, b->value + b->diagonal[i]);
        for (int j = b->first[i]; j < i; ++j) {
            turn_block(row, axes_of(b, j, seen->qb), n, b->size[j], block_at(b, i, j));
            turn_block(axes_of(b, j, seen->qa), column, b->size[j], n, block_at(b, j, i));
        }
    }
}

/* U(j, i) <- D(j)^{-1} U(j, i): the way back needs one product after the other then, not two */
static void scale_upper(ac_tree_blocks *b)
{
    for (int i = 0; i < b->count; ++i)
        for (int j = b->first[i]; j < i; ++j) {
            int ni = b->size[i], nj = b->size[j];
            double *U = block_at(b, j, i);
            memset(b->work, 0, (size_t)(ni * nj) * sizeof *b->work);
            subtract_product(nj, nj, ni, b->value + b->diagonal[j], U, b->work);
            for (int k = 0; k < ni * nj; ++k) U[k] = -b->work[k];
        }
}

bool ac_tree_blocks_factor(ac_tree_blocks *b, const ac_tree_pair *seen)
{
    if (seen) turn_all(b, seen);
    for (int i = 0; i < b->count; ++i) {
        int ni = b->size[i];
        double *D = b->value + b->diagonal[i];
        for (int j = b->first[i]; j < i; ++j) {
            int nj = b->size[j], from = b->first[i] > b->first[j] ? b->first[i] : b->first[j];
            double *L = block_at(b, i, j), *U = block_at(b, j, i);
            for (int k = from; k < j; ++k) {
                subtract_product(ni, b->size[k], nj, block_at(b, i, k), block_at(b, k, j), L);
                subtract_product(nj, b->size[k], ni, block_at(b, j, k), block_at(b, k, i), U);
            }
            memset(b->work, 0, (size_t)(ni * nj) * sizeof *b->work);
            subtract_product(ni, nj, nj, L, b->value + b->diagonal[j], b->work);
            for (int k = 0; k < ni * nj; ++k) L[k] = -b->work[k];
            subtract_product(ni, nj, ni, L, U, D);
        }
        if (!invert(ni, D, b->pivot)) return false;
    }
    scale_upper(b);
    store_factors(b);
    return true;
}

/* --- solution
 * -------------------------------------------------------------------------------------------------------- */

/* r in the axes of a body */
static inline six six_seen(const double *axes, const double *r)
{
    const ac_triple f = ac_triple_of(r), t = ac_triple_of(r + 3);
    const ac_triple d1 = ac_triple_of(axes), d2 = ac_triple_of(axes + 3), d3 = ac_triple_of(axes + 6);
    return (six){{{ac_triple_dot(d1, f), ac_triple_dot(d2, f)},
                  {ac_triple_dot(d3, f), ac_triple_dot(d1, t)},
                  {ac_triple_dot(d2, t), ac_triple_dot(d3, t)}}};
}

/* and back */
static inline void six_unseen(const double *axes, const six *y, double *x)
{
    const ac_triple d1 = ac_triple_of(axes), d2 = ac_triple_of(axes + 3), d3 = ac_triple_of(axes + 6);
    ac_triple_put(ac_triple_mix3(y->part[0][0], d1, y->part[0][1], d2, y->part[1][0], d3), x);
    ac_triple_put(ac_triple_mix3(y->part[1][1], d1, y->part[2][0], d2, y->part[2][1], d3), x + 3);
}

/* y = r - L y and x = D^{-1} y of a tree, those before it being done */
static void sweep_forth(ac_tree_blocks *b, int i, const double *axes, const double *r)
{
    int n = b->size[i];
    const int *freedom = b->freedom + b->start[i];
    double *y = b->y + b->start[i], *x = b->x + b->start[i];
    const double *L = b->value + b->lower[i], *D = b->value + b->diagonal[i];
    for (int k = 0; k < n; ++k) y[k] = r[freedom[k]];
    if (axes) {
        const six own = six_seen(axes, r + freedom[0]);
        six_put(&own, y);
    }
    for (int j = b->first[i]; j < i; ++j) {
        subtract_vector(n, b->size[j], L, b->y + b->start[j], y);
        L += n * b->size[j];
    }
    for (int k = 0; k < n; ++k) x[k] = 0.0;
    for (int k = 0; k < n; ++k)
        for (int c = 0; c < n; ++c) x[c] += D[k * n + c] * y[k];
}

/* The same for a free body that meets trees of six freedoms only. */
static inline void sweep_six_forth(ac_tree_blocks *b, int i, const double *axes, const double *r)
{
    const double *L = b->value + b->lower[i];
    r += b->freedom[b->start[i]];
    six y = axes ? six_seen(axes, r) : six_of(r);
    for (int j = b->first[i]; j < i; ++j, L += 36) {
        const six before = six_of(b->y + b->start[j]);
        six_subtract(L, &before, &y);
    }
    six_put(&y, b->y + b->start[i]);
    y = six_product(b->value + b->diagonal[i], &y);
    six_put(&y, b->x + b->start[i]);
}

/* x(j) -= D^{-1} U x(i) of the trees before it */
static void sweep_back(ac_tree_blocks *b, int i, const double *axes, double *x)
{
    int n = b->size[i];
    const int *freedom = b->freedom + b->start[i];
    const double *own = b->x + b->start[i], *U = b->value + b->upper[i];
    for (int j = b->first[i]; j < i; ++j) {
        subtract_vector(b->size[j], n, U, own, b->x + b->start[j]);
        U += b->size[j] * n;
    }
    for (int k = 0; k < n; ++k) x[freedom[k]] = own[k];
    if (axes) {
        const six body = six_of(own);
        six_unseen(axes, &body, x + freedom[0]);
    }
}

static inline void sweep_six_back(ac_tree_blocks *b, int i, const double *axes, double *x)
{
    const six own = six_of(b->x + b->start[i]);
    const double *U = b->value + b->upper[i];
    for (int j = b->first[i]; j < i; ++j, U += 36) {
        six before = six_of(b->x + b->start[j]);
        six_subtract(U, &own, &before);
        six_put(&before, b->x + b->start[j]);
    }
    x += b->freedom[b->start[i]];
    if (axes) {
        six_unseen(axes, &own, x);
    } else {
        six_put(&own, x);
    }
}

/* The sums that follow one upon the other are L y and U x only: D^{-1} y is found on the side. */
void ac_tree_blocks_solve(ac_tree_blocks *b, const ac_tree_pair *seen, const double *r, double *x)
{
    for (int i = 0; i < b->count; ++i) {
        const double *axes = seen ? axes_of(b, i, seen->qa) : NULL;
        if (b->of_sixes[i]) {
            sweep_six_forth(b, i, axes, r);
        } else {
            sweep_forth(b, i, axes, r);
        }
    }
    for (int i = b->count - 1; i >= 0; --i) {
        const double *axes = seen ? axes_of(b, i, seen->qb) : NULL;
        if (b->of_sixes[i]) {
            sweep_six_back(b, i, axes, x);
        } else {
            sweep_back(b, i, axes, x);
        }
    }
}
