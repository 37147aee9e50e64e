/* A system that turns steadily with its ground, rate w about an axis through the origin: in the axes that turn with it, forces
 * S^T M S q push outwards and 2 M S v across, S the matrix of w x on all places and directors. */
#ifndef ACTIO_ACTION_SPIN_H
#define ACTIO_ACTION_SPIN_H

#include "model/system.h"

static inline bool ac_spins(const double w[3])
{
    return w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0;
}

/* Can the system turn so? Else AC_BAD_INPUT, and why not. */
ac_status ac_spin_check(const ac_system *system, const double w[3]);
/* f += factor S^T M S q, the force of inertia outwards; -1/2 q . S^T M S q is its potential, which is returned. */
double ac_spin_add_centrifugal(const ac_system *system, const double w[3], const double *q, double factor,
                               double *f);
/* f += 2 M S v: minus the force of inertia on what moves. */
void ac_spin_add_gyroscopic(const ac_system *system, const double w[3], const double *v, double *f);
/* The tangent less S^T M S, block by block: nodes and the block between their coordinates. */
typedef void (*ac_spin_sink)(void *user, const int *nodes, int count, const double *block, int size);
void ac_spin_blocks(const ac_system *system, const double w[3], ac_spin_sink sink, void *user);

#endif
