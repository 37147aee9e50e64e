/* The projected matrix P(q_a)^T B P(q_b) of many short trees that are coupled in a row or nearly so, as
 * beams are: one dense block for each pair of coupled trees, factorised within the envelope of the blocks.
 *
 * Pivots are taken inside the diagonal blocks only; those are inertia and stiffness of a node, which is safe
 * for time steps.
 */
#ifndef ACTIO_TREE_BLOCKS_H
#define ACTIO_TREE_BLOCKS_H

#include "tree/solver.h"

typedef struct ac_tree_blocks {
    const ac_system *system;
    int count, freedoms; /* trees that can move, in the order of elimination; all freedoms */
    int *tree;           /* per node: its tree, -1 if it cannot move */
    int *size, *first;   /* per tree: freedoms; first tree of its envelope row */
    int *start;          /* per tree: place of its freedoms in the ordered vector */
    int *local;          /* per freedom: its number within the tree */
    int *freedom;        /* per place in the ordered vector: the freedom */
    int *body;           /* per tree: the free body that it consists of, -1 if it is more */
    bool *of_sixes;      /* per tree: a free body that meets trees of six freedoms only */
    bool *alone;         /* per tree: the blocks beside its own were zero when it was factorised */
    size_t *own;         /* per freedom: place of its entry on the diagonal */
    size_t *lower, *upper, *diagonal; /* per tree: places of A(i, first..i-1), A(first..i-1, i), A(i, i) */
    size_t entries;
    double *value, *x, *y, *work;
    int *pivot;
} ac_tree_blocks;

/* Is there an order of the trees in which the envelope is nearly full? */
ac_status ac_tree_blocks_create(ac_context *ctx, const ac_system *system, ac_tree_blocks *blocks, bool *pays);
void ac_tree_blocks_destroy(ac_context *ctx, ac_tree_blocks *blocks);

/* Sets all entries to zero. */
void ac_tree_blocks_clear(ac_tree_blocks *blocks);
/* Adds a block (6 x 6, twists) that couples the rows of node `left` with the columns of node `right`. */
void ac_tree_blocks_add(ac_tree_blocks *blocks, const ac_tree_pair *pair, int left, int right,
                        const double block[36]);
/* The block of trees i and j; rows of i. */
double *ac_tree_block(const ac_tree_blocks *blocks, int i, int j);
double ac_tree_blocks_diagonal(const ac_tree_blocks *blocks, int freedom);
/* Factorises in place; false if a diagonal block is singular. `seen`: rows and columns of free bodies are
 * taken in the axes that the bodies have in its two configurations, so that the factors turn with them; NULL:
 * in those of space. */
bool ac_tree_blocks_factor(ac_tree_blocks *blocks, const ac_tree_pair *seen);
/* x = A^{-1} r; `seen`: the present configurations if the factors are those seen from the bodies. */
void ac_tree_blocks_solve(ac_tree_blocks *blocks, const ac_tree_pair *seen, const double *r, double *x);

#endif
