/* Projected systems of a tree: P(q_a)^T B P(q_b) x = r with P never formed.
 *
 * Two ways: by recursion, at linear cost, when B couples a node at most with its parent (tree_solver.c); and
 * as a dense matrix from composite inertias, for loops and far couplings (composite.c). With q_a = q_b the
 * same solves give velocities from momenta.
 */
#ifndef ACTIO_TREE_SOLVER_H
#define ACTIO_TREE_SOLVER_H

#include "tree/kinematics.h"

/* Two configurations with their joint twists; they may be the same. */
typedef struct ac_tree_pair {
    const ac_system *system;
    const double *qa, *qb;
    const double *columns_a, *columns_b;
} ac_tree_pair;

typedef struct ac_tree_solver {
    /* per node 6 x 6: the blocks of B in twists, filled by the caller, used up by the solve */
    double *inertia;
    /* per node 2 x 6 x 6: rows of the node with columns of its parent, and the reverse; filled by the caller
     * if there are elements, else NULL */
    double *coupling;
    double *up;          /* per freedom 6: how the parent's motion acts on it */
    double *twist, *sum; /* per node 6 */
} ac_tree_solver;

ac_status ac_tree_solver_create(ac_context *ctx, const ac_system *system, bool coupled,
                                ac_tree_solver *solver);
void ac_tree_solver_destroy(ac_context *ctx, ac_tree_solver *solver);

/* x = solution for the right-hand side given by wrenches (6 per node) and by joint components (may be
 * NULL); weight = 1 / diagonal of the eliminated joints. Returns AC_GROUND, or the node without inertia in
 * a direction in which it can move. */
int ac_tree_solve(const ac_tree_pair *pair, ac_tree_solver *solver, const double *wrenches,
                  const double *joints, bool coupled, double *x, double *weight);

/* K (tree freedoms squared) += projected matrix of the node blocks, which are used up. */
void ac_tree_matrix(const ac_tree_pair *pair, double *inertia, double *K);
/* K += projected block (6 x 6) that couples the rows of node `left` with the columns of node `right`. */
void ac_tree_matrix_pair(const ac_tree_pair *pair, int left, int right, const double block[36], double *K);

/* out = X(r_left)^T A X(r_right) where X(r) takes the twist of a parent to that of its child at distance
 * r. */
void ac_shift_block(const double A[36], const double r_left[3], const double r_right[3], double out[36]);

#endif
