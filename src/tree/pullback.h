/* How the tangent of the tree changes with the configuration.
 *
 * P(q) leads from tree velocities to velocities of the coordinates. Where a force b on the coordinates is projected,
 * P(q)^T b = 0 in a step or an equilibrium, its derivative along a motion has the term dP^T b; against
 * multipliers lambda (tree freedoms) it is the derivative of the scalar (P(q) lambda) . b. Constraint forces make b
 * large, so this term is never small.
 */
#ifndef ACTIO_TREE_PULLBACK_H
#define ACTIO_TREE_PULLBACK_H

#include "tree/kinematics.h"

/* Doubles of workspace for ac_tree_pullback. */
static inline size_t ac_tree_pullback_doubles(const ac_system *system)
{
    return 18 * (size_t)system->node_count;
}

/* r += factor d/du [(P(F(u)) lambda) . b] at u = 0, where F(u) moves the tree by u from `state`, whose configuration
 * is q and whose joint twists are `columns`; lambda, r: tree freedoms, b: coordinates, held fixed. */
void ac_tree_pullback(const ac_system *system, const ac_joint_state *state, const double *q,
                      const double *columns, const double *lambda, const double *b, double factor,
                      double *work, double *r);

#endif
