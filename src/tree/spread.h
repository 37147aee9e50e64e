/* Blocks between two nodes spread over the freedoms of their trees, for the dense, the sparse and the block
 * matrix alike: the joints between each of the two nodes and the ground all meet.
 */
#ifndef ACTIO_TREE_SPREAD_H
#define ACTIO_TREE_SPREAD_H

#include "tree/solver.h"

/* From the reference point of a node's parent to its own, at q. */
void ac_tree_arm(const ac_system *system, const ac_node *node, const double *q, double r[3]);

/* Takes the entries of the freedoms of one node, side by side, in the column of one freedom. */
typedef void (*ac_freedom_sink)(void *target, const ac_node *rows, int column, const double *values);

/* The column force F on a node, carried towards the ground at q_a. */
void ac_tree_spread_column(const ac_tree_pair *pair, int node, const double force[6], int column,
                           ac_freedom_sink sink, void *target);
/* P(q_a)^T block P(q_b) of a block (6 x 6, twists) with the rows of node `left` and the columns of node
 * `right`. */
void ac_tree_spread(const ac_tree_pair *pair, int left, int right, const double block[36],
                    ac_freedom_sink sink, void *target);

#endif
