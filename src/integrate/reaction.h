/* Constraint forces found back from what a step equation leaves, for schemes whose constraint forces act
 * at the mean.
 *
 * There the projection P depends on q_b, too. With f = p + left split into G^T mu + e, where P^T f = P^T e
 * is what is left of the step equation, G P = 0 for every q_b gives
 *
 *   d(P^T f) = P^T (df - dG^T mu) + dP^T e
 *
 * so the slope of the step equation is that of an element with the matrix 1/2 sum mu g'' added, and a term
 * that vanishes with e. mu is found node by node, from the leaves of the tree to its roots, at linear
 * cost.
 *
 * This holds for every mu. A node that moves freely and carries no other, such as those of a beam, can do
 * with mu = 0, for its dP^T f is as simple as that of e.
 */
#ifndef ACTIO_INTEGRATE_REACTION_H
#define ACTIO_INTEGRATE_REACTION_H

#include "integrate/stepper.h"
#include "linalg/dense.h"

typedef struct ac_reaction {
    const ac_system *system;
    int *first;      /* per node: its first internal row; one more than nodes */
    bool *alone;     /* per node: it moves freely and carries no other */
    double *mu;      /* per constraint row, then of the further rows of the stepper */
    double *rest;    /* n: e */
    double *wrench;  /* per node: of e, summed over its subtree */
    double *doubles; /* workspace of one node */
    int *ints;
} ac_reaction;

/* more: the most further rows. */
ac_status ac_reaction_create(ac_context *ctx, const ac_system *system, int more, ac_reaction *reaction);
void ac_reaction_destroy(ac_context *ctx, ac_reaction *reaction);
/* Splits f at q; the multipliers of the closure rows must be in mu already, and the forces of further rows must be
 * subtracted from f. */
void ac_reaction_split(ac_reaction *reaction, const double *q, const double *f);
/* The same for the slopes below: nodes that are alone keep f as e. */
void ac_reaction_split_joined(ac_reaction *reaction, const double *q, const double *f);
/* Passes on 1/2 sum mu g'', one block for each node and joint. */
void ac_reaction_curvature(const ac_reaction *reaction, ac_block_sink sink, void *target);
/* Passes on the slope -dP^T e as blocks (6 x 6) on twists, rows at the mean and columns at q_b. `columns`:
 * joint twists at the mean. */
void ac_reaction_turning(ac_reaction *reaction, const ac_joint_state *state, const double *mean,
                         const double *q_b, const double *columns, ac_twist_sink sink, void *target);

#endif
