/* The projected matrix K = P^T B P, bordered by closure equations J = C P, in extended form: twists of the nodes are unknowns
 * beside the freedoms u, and the recursion w = X w(parent) + S u is an equation with the wrenches y as multipliers,
 *
 *   [ D    0    -S^T 0  ] [ u  ]
 *   [ 0    I    0    C  ] [ mu ]      I: only where an equation is left out
 *   [ -S   0    0    E  ] [ y  ]      E: w less X w(parent)
 *   [ 0    C^T  E^T  B  ] [ w  ]
 *
 * K of a long chain is dense, this matrix is not: every row belongs to a node and its neighbours. Eliminating w and y gives
 * [ D + K, J^T; J, I ] back. They change neither the sign of the determinant nor, but for one eigenvalue of each sign
 * per component of a twist, the signs of the eigenvalues.
 */
#ifndef ACTIO_TREE_EXTENDED_H
#define ACTIO_TREE_EXTENDED_H

#include "tree/sparse.h"

/* Pattern as that of ac_tree_sparse_create_bordered; ac_tree_sparse_add adds blocks to B. */
ac_status ac_tree_extended_create(ac_context *ctx, const ac_system *system, ac_tree_sparse *sparse);
/* S and E at the left configuration of the pair. */
void ac_tree_extended_joints(ac_tree_sparse *sparse, const ac_tree_pair *pair);
/* The row of C for the closure equation number `closure` (from 0). */
void ac_tree_extended_closure(ac_tree_sparse *sparse, const ac_tree_pair *pair, int closure);
/* Where a component of a node's twist is. */
int ac_tree_extended_twist(const ac_tree_sparse *sparse, int node, int component);
/* B alone: adds `block` between the twists of two nodes. */
void ac_tree_extended_add(ac_tree_sparse *sparse, const ac_system *system, int left, int right,
                          const double block[36]);

#endif
