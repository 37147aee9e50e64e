/* Block matrices of coupled trees: their order, by Cuthill and McKee, and assembly. */
#include "tree/blocks.h"

#include <string.h>

#include "tree/sparse.h"
#include "tree/spread.h"

enum { WIDEST = 60 }; /* freedoms of one tree */

/* --- order --- */

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
        int i = system->tree.order[k], root = root_of(system, i);
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

/* Breadth first from `seed` over unmarked trees; fills `order` from `count` on, returns the new count. */
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

/* --- making and freeing --- */

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
    AC_NEW(ctx, b->alone, b->count);
    AC_NEW(ctx, b->own, b->freedoms);
    AC_NEW(ctx, b->size, b->count);
    AC_NEW(ctx, b->start, b->count);
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
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
    b->freedoms = system->tree.freedoms;
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
                      b->x,    b->y,    b->work,  b->pivot, b->of_sixes, b->alone};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    memset(b, 0, sizeof *b);
}

/* --- assembly --- */

double *ac_tree_block(const ac_tree_blocks *b, int i, int j)
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

typedef struct block_target {
    const ac_tree_blocks *b;
    double *block;
    int width;
} block_target;

static void put(void *target, const ac_node *rows, int column, const double *values)
{
    const block_target *t = target;
    const int *local = t->b->local;
    for (int k = 0; k < rows->freedoms; ++k)
        t->block[local[rows->u + k] * t->width + local[column]] += values[k];
}

void ac_tree_blocks_add(ac_tree_blocks *b, const ac_tree_pair *t, int left, int right, const double block[36])
{
    const ac_system *system = t->system;
    int i = b->tree[left], j = b->tree[right];
    if (i < 0 || j < 0) return;
    double *target = ac_tree_block(b, i, j);
    if (ac_node_is_free(&system->nodes[left]) && ac_node_is_free(&system->nodes[right]) && b->size[i] == 6 &&
        b->size[j] == 6) {
        for (int k = 0; k < 36; ++k) target[k] += block[k];
        return;
    }
    block_target entries = {b, target, b->size[j]};
    ac_tree_spread(t, left, right, block, put, &entries);
}

void ac_tree_blocks_clear(ac_tree_blocks *b)
{
    memset(b->value, 0, b->entries * sizeof *b->value);
}

double ac_tree_blocks_diagonal(const ac_tree_blocks *b, int freedom)
{
    return b->value[b->own[freedom]];
}
