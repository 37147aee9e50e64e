/* Momenta without the coordinates that have no mass: the projection that publications on beams use.
 *
 * The director d3 of a beam has no inertia. There the published projection drops it, with every constraint
 * that touches it, and keeps
 *
 *   [ M  G^T ] [ v  ]   [ p ]
 *   [ G  0   ] [ nu ] = [ 0 ],      Q p = M v
 *
 * on the other coordinates and rows. (The projection of momentum.h keeps all constraints and all of p.)
 */
#ifndef ACTIO_ACTION_MASSIVE_H
#define ACTIO_ACTION_MASSIVE_H

#include "linalg/sparse.h"
#include "tree/kinematics.h"

typedef struct ac_massive {
    const ac_system *system;
    const bool *massless; /* per coordinate */
    bool *kept;           /* per row: it touches no coordinate without mass */
    ac_sparse *matrix;    /* of all coordinates and rows; those left out have ones on the diagonal */
    double *x;
    double slack; /* on the diagonal of the rows, so that redundant ones do no harm */
} ac_massive;

ac_status ac_massive_create(ac_context *ctx, const ac_system *system, const bool *massless,
                            ac_massive *massive);
/* The masses of the system have changed. */
void ac_massive_restart(ac_massive *massive, const ac_system *system);
void ac_massive_destroy(ac_context *ctx, ac_massive *massive);
/* Kinetic energy of the projected momentum. */
ac_status ac_massive_energy(ac_massive *massive, const double *q, const double *p, double *energy);

#endif
