/* Motion of the tree: configuration from joint states, velocities P nu, projected forces P^T f, closure of
 * loops.
 *
 * Nothing here forms the null space matrix P: the recursions pass twists from parents to children and
 * wrenches from children to parents, at a cost linear in the number of nodes. `columns` holds the joint
 * twists S (six numbers for each tree freedom) at a configuration.
 */
#ifndef ACTIO_TREE_KINEMATICS_H
#define ACTIO_TREE_KINEMATICS_H

#include "model/system.h"
#include "tree/joint.h"

/* Reference point of a node. */
static inline void ac_reference(const ac_node *node, const double *q, double x[3])
{
    const double *own = q + node->q;
    for (int i = 0; i < 3; ++i) x[i] = i < node->dimension ? own[i] : 0.0;
}

/* Is it a body that moves freely, so that its freedoms are its twist? */
static inline bool ac_node_is_free(const ac_node *node)
{
    return node->joint < 0 && ac_node_turns(node) == 3 && node->parent == AC_GROUND;
}

/* ac_node_wrench of a body, written out. */
static inline void ac_body_wrench(const double *restrict q, const double *restrict f, double *restrict wrench)
{
    const double *a = q + 3, *b = q + 6, *c = q + 9, *u = f + 3, *v = f + 6, *w = f + 9;
    wrench[0] = f[0];
    wrench[1] = f[1];
    wrench[2] = f[2];
    wrench[3] = (a[1] * u[2] - a[2] * u[1]) + (b[1] * v[2] - b[2] * v[1]) + (c[1] * w[2] - c[2] * w[1]);
    wrench[4] = (a[2] * u[0] - a[0] * u[2]) + (b[2] * v[0] - b[0] * v[2]) + (c[2] * w[0] - c[0] * w[2]);
    wrench[5] = (a[0] * u[1] - a[1] * u[0]) + (b[0] * v[1] - b[1] * v[0]) + (c[0] * w[1] - c[1] * w[0]);
}

/* q from the joint states, parents first. */
void ac_tree_forward(const ac_system *system, const ac_joint_state *state, double *q);
/* The joint twists at q (also at averaged configurations). */
void ac_tree_columns(const ac_system *system, const ac_joint_state *state, const double *q, double *columns);
/* The same without those of free bodies, which are always the same: for columns that were complete once. */
void ac_tree_joint_columns(const ac_system *system, const ac_joint_state *state, const double *q,
                           double *columns);
/* Derivative of S_j . wrench for the freedoms j of a child (6 numbers each) with respect to the twists of
 * the child and of its parent at q_b, when the joint twists S belong to the mean of q_b and another
 * configuration. */
void ac_joint_tangent_slope(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                            const double *mean, const double *q_b, const double wrench[6], double *by_child,
                            double *by_parent);
/* Twists (6 per node) and velocities (n) of the nodes for tree velocities u. */
void ac_tree_twists(const ac_system *system, const double *columns, const double *q, const double *u,
                    double *twists);
void ac_tree_velocity(const ac_system *system, const double *q, const double *twists, double *v);
/* r = P^T f; `wrenches` (6 per node) is workspace. */
void ac_tree_project(const ac_system *system, const double *columns, const double *q, const double *f,
                     double *wrenches, double *r);
/* The same from wrenches, which are used up. */
void ac_tree_collect(const ac_system *system, const double *columns, const double *q, double *wrenches,
                     double *r);
/* state <- `from` with every joint moved by its increments, and q of it. */
void ac_tree_move(const ac_system *system, const double *increment, const ac_joint_state *from,
                  ac_joint_state *state, double *q);

/* g (all rows), or only those from `first` on. */
void ac_constraints_value(const ac_system *system, const double *q, int first, double *g);
/* The gradient of row k on its coordinates. */
void ac_constraint_gradient(const ac_system *system, int row, const double *q, double *gradient);
/* What a row's gradient does to the twist of node `end`, which it may or may not contain. */
void ac_constraint_wrench(const ac_system *system, int row, const double *gradient, int end, const double *q,
                          double wrench[6]);
/* J = G_closure P_tree, (closure rows) x (tree freedoms). A row that no freedom changes, beside what a radian or a
 * typical length would, is rounding and is zero: a loop of parts that are rigid already. */
void ac_closure_jacobian(const ac_system *system, const double *columns, const double *q, double *J);
/* Sets the values of a closure row to zero if all are rounding beside its size. */
void ac_closure_clear(const ac_system *system, int row, int count, double *values);
/* out += factor G^T lambda over rows [first, last). */
void ac_constraints_add_force(const ac_system *system, const double *q, const double *lambda, int first,
                              int last, double factor, double *out);

#endif
