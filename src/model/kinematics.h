/* Motion of the tree: configuration from joint states, velocities P nu, projected forces P^T f, closure of loops.
 *
 * Nothing here forms the null space matrix P: the recursions pass twists from parents to children and wrenches from
 * children to parents, at a cost linear in the number of nodes. `columns` holds the joint twists S (six numbers for each
 * tree freedom) at a configuration.
 */
#ifndef ACTIO_MODEL_KINEMATICS_H
#define ACTIO_MODEL_KINEMATICS_H

#include "model/system.h"

/* Reference point of a node. */
static inline void ac_reference(const ac_node *node, const double *q, double x[3])
{
    const double *own = q + node->q;
    for (int i = 0; i < 3; ++i) x[i] = i < node->dimension ? own[i] : 0.0;
}

/* q from the joint states, parents first. */
void ac_tree_forward(const ac_system *system, const ac_joint_state *state, double *q);
/* The joint twists at q (also at averaged configurations). */
void ac_tree_columns(const ac_system *system, const ac_joint_state *state, const double *q, double *columns);
/* Twists (6 per node) and velocities (n) of the nodes for tree velocities u. */
void ac_tree_twists(const ac_system *system, const double *columns, const double *q, const double *u,
                    double *twists);
void ac_tree_velocity(const ac_system *system, const double *q, const double *twists, double *v);
/* r = P^T f; `wrenches` (6 per node) is workspace. */
void ac_tree_project(const ac_system *system, const double *columns, const double *q, const double *f,
                     double *wrenches, double *r);
/* state <- `from` with every joint moved by its increments, and q of it. */
void ac_tree_move(const ac_system *system, const double *increment, const ac_joint_state *from,
                  ac_joint_state *state, double *q);

/* g (all rows), or only those from `first` on. */
void ac_constraints_value(const ac_system *system, const double *q, int first, double *g);
/* The gradient of row k on its coordinates. */
void ac_constraint_gradient(const ac_system *system, int row, const double *q, double *gradient);
/* J = G_closure P_tree, (closure rows) x (tree freedoms). */
void ac_closure_jacobian(const ac_system *system, const double *columns, const double *q, double *J);
/* out += factor G^T lambda over rows [first, last). */
void ac_constraints_add_force(const ac_system *system, const double *q, const double *lambda, int first,
                              int last, double factor, double *out);

/* y = M x */
void ac_mass_apply(const ac_system *system, const double *x, double *y);

#endif
