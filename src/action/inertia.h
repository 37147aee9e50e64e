/* Inertia and gravity, the terms that every system has: kinetic energy 1/2 v . M v with a constant mass matrix, potential
 * -q . f with a constant force.
 *
 * The description is the list of blocks `system->inertia` and the vector `system->gravity_force`: masses of nodes, their Euler
 * tensors between directors, and the masses that neighbours along a beam share. Matrices are assembled from the list.
 * `ac_mass_apply` is a loop over nodes for the product with one vector; a test compares it with the list, and the twist
 * blocks of the tree (twist_inertia.c) with both (tests/action/test_inertia.c).
 */
#ifndef ACTIO_ACTION_INERTIA_H
#define ACTIO_ACTION_INERTIA_H

#include "model/system.h"
#include "tree/blocks.h"
#include "tree/sparse.h"

/* A block of the mass matrix, `dimension` times the identity, and whose number it is: of a node (part 0: mass, then the
 * Euler tensor, row by row) or of a pair of nodes of a beam (mass, then the directors). */
typedef struct ac_mass_block {
    int row, column, dimension;
    bool relative;
    int node, pair, part;
} ac_mass_block;
typedef ac_status (*ac_mass_block_taker)(void *user, const ac_mass_block *block);
/* Calls `take` for all blocks: the definition of the mass matrix. Blocks of part 0 are what gravity pulls. */
ac_status ac_inertia_blocks(const ac_system *system, ac_mass_block_taker take, void *user);
/* The number that a pair of nodes shares: mass (field 0), then those of the directors. */
static inline double ac_shared_mass(const ac_mass_pair *pair, int field)
{
    return field == 0 ? pair->mass : pair->euler[field - 1];
}
/* The list and the force, when nodes and pairs of masses are final. */
ac_status ac_inertia_describe(ac_system *system);
/* The block of one node alone, without what it shares with others: y = M x on its coordinates. */
void ac_node_mass_apply(const ac_node *node, const double *x, double *y);
/* y = M x */
void ac_mass_apply(const ac_system *system, const double *x, double *y);
/* 1/2 v . M v; p (n) becomes M v. */
double ac_kinetic_energy(const ac_system *system, const double *v, double *p);
/* y = M x for n rows of `width` numbers, by the list. */
void ac_mass_apply_rows(const ac_system *system, int width, const double *x, double *y);
/* Every entry of the mass matrix, one after another and always in the same order; returns how many there are. */
typedef void (*ac_mass_sink)(void *user, int row, int column, double value);
int ac_mass_each(const ac_system *system, ac_mass_sink sink, void *user);
/* Their places in the pattern of a matrix that has them in its first rows and columns, and its values += theirs. */
ac_status ac_mass_mark(const ac_system *system, ac_sparse *matrix);
void ac_mass_fill(const ac_system *system, ac_sparse *matrix);
/* out (n): the diagonal of the mass matrix. Returns the mean over its blocks that have mass. */
double ac_mass_diagonal(const ac_system *system, double *out);
/* Mass of everything. */
double ac_total_mass(const ac_system *system);

/* Between twists: block += factor A(q_left)^T M A(q_right) with the node's own mass; for a node whose inertia is that of
 * relative.h, -factor h times the derivative of left by q_b. */
void ac_node_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                     double block[36]);
/* The inertia of a body in its own axes, J. */
void ac_node_own_inertia(const ac_node *node, double J[9]);
/* What a node that turns lacks of a millionth of its inertia about some axis, to be added about all axes; 0: nothing. Velocities
 * that are unknowns of their own need it where only the joints determine how a thin body or a point mass turns. */
double ac_node_lacking_inertia(const ac_node *node, double length);
/* The same for the mass that couples two body nodes. */
void ac_pair_inertia(const ac_mass_pair *mass, const double *q_left, const double *q_right, double factor,
                     double block[36]);
/* blocks (36 per node) = those of the nodes alone. */
void ac_inertia_nodes(const ac_tree_pair *pair, double factor, double *blocks);
/* The projected matrix factor P(q_a)^T M P(q_b): K += what pairs of nodes share; the matrix as a whole in blocks, or sparse. */
void ac_inertia_dense_pairs(const ac_tree_pair *pair, double factor, double *K);
void ac_inertia_in_blocks(const ac_tree_pair *pair, double factor, ac_tree_blocks *matrix);
void ac_inertia_sparse(const ac_tree_pair *pair, double factor, ac_tree_sparse *matrix);
/* The same, added to what the matrix holds. */
void ac_inertia_add_sparse(const ac_tree_pair *pair, double factor, ac_tree_sparse *matrix);

/* Potential of gravity at q, and out += factor times its force, which is minus the gradient. */
double ac_gravity_energy(const ac_system *system, const double *q);
void ac_gravity_add(const ac_system *system, double factor, double *out);

#endif
