/* Modes of a small linear system M x'' + C x' + K x = 0: solutions x exp(s t). Matrices are n x n, row by row. */
#ifndef ACTIO_LINALG_PENCIL_H
#define ACTIO_LINALG_PENCIL_H

#include "base/base.h"

typedef struct ac_pencil {
    int n;
    const double *M; /* symmetric, without negative eigenvalues */
    const double *C; /* NULL: K is symmetric and nothing depends on the velocity */
    const double *K;
} ac_pencil;

typedef struct ac_exponent {
    double re,
        im; /* s, 1/s; of a conjugate pair the one with the positive imaginary part; exactly 0: no resistance */
    double *x; /* n real parts, n imaginary parts */
} ac_exponent;

/* The `count` modes whose |s| is nearest to `near`, ascending in |s|; of +-s without C the one that grows or oscillates
 * forwards. x of each entry is the caller's. *found may be less; motions without inertia have no mode.
 * AC_SINGULAR: some motion has neither inertia nor stiffness. */
ac_status ac_pencil_modes(ac_context *ctx, const ac_pencil *pencil, double near, int count,
                          ac_exponent *modes, int *found);

#endif
