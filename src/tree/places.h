/* Derivatives by the places and the length of a tree joint while its state is held: all that it carries is shifted.
 *
 * When the places a, b in the axes of parent and child change, the child and its subtree move by d = R_p a' - R_c b', and a motion
 * with the turns w_p, w_c gets the velocity w_p x R_p a' - w_c x R_c b' there; a longer distance joint likewise.
 */
#ifndef ACTIO_TREE_PLACES_H
#define ACTIO_TREE_PLACES_H

#include "tree/kinematics.h"

typedef struct ac_place_pull {
    double a[3], b[3]; /* by the places of the parent's and the child's side, in their axes */
    double length;
} ac_place_pull;

/* F (3 per node): the force that f exerts on each node and all that it carries. */
void ac_tree_sum_forces(const ac_system *system, const double *q, const double *f, double *F);
/* out += derivative of f . q by the joint of a child, F being the sums of f. */
void ac_tree_pull_place(const ac_system *system, int child, const double *q, const double *F,
                        ac_place_pull *out);
/* out += derivative of (P(q) y) . f: `work` is what ac_tree_pullback leaves for y and f; `bent` (3 per node) are sums of
 * ac_tree_sum_bent, NULL: zero. */
void ac_tree_pull_place_motion(const ac_system *system, int child, const double *q, const double *columns,
                               const double *y, const double *work, const double *bent, ac_place_pull *out);
/* Nodes whose coordinates move with their place (dual quaternions): sums over subtrees of the force by which A(q) t . f changes
 * with the place. */
void ac_tree_sum_bent(const ac_system *system, const double *q, const double *f, const double *work,
                      double *bent);

#endif
