/* The projected matrix P(q_a)^T B P(q_b) of a tree as a sparse matrix.
 *
 * For systems whose trees are short and coupled to each other, such as the nodes of beams: the cost is
 * linear in the number of nodes then. Blocks that couple two nodes are spread over the joints between each
 * of them and the ground.
 */
#ifndef ACTIO_TREE_SPARSE_H
#define ACTIO_TREE_SPARSE_H

#include "linalg/sparse.h"
#include "tree/solver.h"

typedef struct ac_tree_sparse {
    ac_sparse *matrix;
    /* extended form (extended.h): where these unknowns begin, 0: it is not one; position of each node in them */
    int wrenches, twists, *position;
    ac_context *ctx;
} ac_tree_sparse;

/* Visits every pair of nodes between which the matrix has a block: own inertia, shared masses, elements and
 * joint loads. */
typedef ac_status (*ac_pair_visitor)(void *target, const ac_system *system, int left, int right);
ac_status ac_tree_pairs(const ac_system *system, bool elements, ac_pair_visitor visit, void *target);

/* Is the matrix much emptier than a dense one? */
bool ac_tree_sparse_pays(const ac_system *system);
/* The pattern of masses and, if wanted, of elements and loads. */
ac_status ac_tree_sparse_create(ac_context *ctx, const ac_system *system, bool elements,
                                ac_tree_sparse *sparse);
/* The same, bordered by the closure equations: [K J^T; J I]. */
ac_status ac_tree_sparse_create_bordered(ac_context *ctx, const ac_system *system, ac_tree_sparse *sparse);
void ac_tree_sparse_destroy(ac_tree_sparse *sparse);

/* Adds a block (6 x 6, twists) that couples the rows of node `left` with the columns of node `right`. */
void ac_tree_sparse_add(ac_tree_sparse *sparse, const ac_tree_pair *pair, int left, int right,
                        const double block[36]);
/* Entry (j, j). */
double ac_tree_sparse_diagonal(ac_tree_sparse *sparse, int j);

#endif
