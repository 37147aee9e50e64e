/* Strains of beams between two nodes, written out for the loops that spend their time here; see beam.c. */
#ifndef ACTIO_MODEL_BEAM_STRAIN_H
#define ACTIO_MODEL_BEAM_STRAIN_H

#include <math.h>

#include "base/triple.h"
#include "model/system.h"

static inline void ac_director_strains(const ac_beam_element *e, const double *restrict x, double strain[6])
{
    const double share = 0.5 / e->length, half = 0.5 / e->bend;
    const ac_triple a1 = ac_triple_of(x + 3), a2 = ac_triple_of(x + 6), a3 = ac_triple_of(x + 9);
    const ac_triple b1 = ac_triple_of(x + 15), b2 = ac_triple_of(x + 18), b3 = ac_triple_of(x + 21);
    const ac_triple r = ac_triple_scaled(share, ac_triple_difference(ac_triple_of(x + 12), ac_triple_of(x)));
    strain[0] = ac_triple_dot(ac_triple_sum(a1, b1), r);
    strain[1] = ac_triple_dot(ac_triple_sum(a2, b2), r);
    strain[2] = ac_triple_dot(ac_triple_sum(a3, b3), r);
    strain[3] = half * (ac_triple_dot(a3, b2) - ac_triple_dot(a2, b3));
    strain[4] = half * (ac_triple_dot(a1, b3) - ac_triple_dot(a3, b1));
    strain[5] = half * (ac_triple_dot(a2, b1) - ac_triple_dot(a1, b2));
}

/* Which of both viscosities a strain has: 0 of shear and torsion, 1 of stretch and bending. */
static inline int ac_beam_viscosity(int i)
{
    return i < 2 || i == 5 ? 0 : 1;
}

/* Relaxation time of strain i (shear along d1 and d2, stretch, bending about d1 and d2, twist): viscosity over modulus. */
static inline double ac_beam_relaxation(const ac_beam_data *beam, int i)
{
    return beam->damping + beam->relaxation[ac_beam_viscosity(i)];
}

static inline bool ac_beam_damped(const ac_beam_data *beam)
{
    return beam->damping + beam->relaxation[0] + beam->relaxation[1] > 0.0;
}

/* Scalar parts 2 c / l and 2 c' / l of a relative pose whose six other parts are the strains y: c^2 + w^2 = 1 and
 * c c' + w . w' = 0. Beyond half a turn there is none. */
static inline void ac_dual_scalars(double length, const double y[6], double scalar[2])
{
    const ac_triple W = ac_triple_of(y), K = ac_triple_of(y + 3);
    double square = 4.0 / (length * length) - ac_triple_dot(K, K);
    scalar[0] = square > 0.0 ? sqrt(square) : 0.0;
    scalar[1] = square > 0.0 ? -ac_triple_dot(K, W) / scalar[0] : 0.0;
}

/* Quadratic forms of a rod: three strains, with the shares that the two frames have in them over their
 * length; curvatures, `half` is 1/2 over theirs; the trace of the relative rotation. */
static inline void ac_rod_forms(double share_a, double share_b, double half, const double *restrict x,
                                double form[7])
{
    const ac_triple a1 = ac_triple_of(x + 3), a2 = ac_triple_of(x + 6), a3 = ac_triple_of(x + 9);
    const ac_triple b1 = ac_triple_of(x + 15), b2 = ac_triple_of(x + 18), b3 = ac_triple_of(x + 21);
    const ac_triple r = ac_triple_difference(ac_triple_of(x + 12), ac_triple_of(x));
    form[0] = ac_triple_dot(ac_triple_mix(share_a, a1, share_b, b1), r);
    form[1] = ac_triple_dot(ac_triple_mix(share_a, a2, share_b, b2), r);
    form[2] = ac_triple_dot(ac_triple_mix(share_a, a3, share_b, b3), r);
    form[3] = half * (ac_triple_dot(a3, b2) - ac_triple_dot(a2, b3));
    form[4] = half * (ac_triple_dot(a1, b3) - ac_triple_dot(a3, b1));
    form[5] = half * (ac_triple_dot(a2, b1) - ac_triple_dot(a1, b2));
    form[6] = ac_triple_dot(a1, b1) + ac_triple_dot(a2, b2) + ac_triple_dot(a3, b3);
}

/* The curvature of the Cayley transform for one of the relative rotation. */
static inline double ac_rod_curvature(double form, double trace)
{
    return 4.0 / (1.0 + trace) * form;
}

#endif
