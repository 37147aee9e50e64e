/* Rates of the quadratic strains of a beam element and the sums of their gradients, written out for the loops
 * that spend their time here; see beam.c and rod.c. */
#ifndef ACTIO_ACTION_BEAM_BEAM_FORCE_H
#define ACTIO_ACTION_BEAM_BEAM_FORCE_H

#include "base/triple.h"
#include "action/beam/beam_forms.h"

/* out = (A_i x) . v of the six strains */
static inline void ac_strain_rates(const ac_beam_shares *shares, const double *restrict x,
                                   const double *restrict v, double out[6])
{
    const ac_triple r = ac_triple_difference(ac_triple_of(x + 12), ac_triple_of(x));
    const ac_triple dr = ac_triple_difference(ac_triple_of(v + 12), ac_triple_of(v));
    ac_triple a[3], b[3], va[3], vb[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = ac_triple_of(x + 3 + 3 * i);
        b[i] = ac_triple_of(x + 15 + 3 * i);
        va[i] = ac_triple_of(v + 3 + 3 * i);
        vb[i] = ac_triple_of(v + 15 + 3 * i);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const ac_triple d = ac_triple_mix(shares->a, a[i], shares->b, b[i]);
        const ac_triple dv = ac_triple_mix(shares->a, va[i], shares->b, vb[i]);
        const ac_triple up = ac_triple_sum(ac_triple_product(va[k], b[j]), ac_triple_product(a[k], vb[j]));
        const ac_triple down = ac_triple_sum(ac_triple_product(va[j], b[k]), ac_triple_product(a[j], vb[k]));
        out[i] = ac_triple_total(ac_triple_sum(ac_triple_product(d, dr), ac_triple_product(dv, r)));
        out[3 + i] = shares->half * ac_triple_total(ac_triple_difference(up, down));
    }
}

/* gradient += sum weight_i A_i x: forces and moments of the resultants on the two nodes, for director beams;
 * the weights are divided by twice the lengths. */
static inline void ac_add_director_forces(const double *restrict x, const double *restrict weight,
                                          double *restrict gradient)
{
    const double *N = weight, *M = weight + 3;
    const ac_triple a1 = ac_triple_of(x + 3), a2 = ac_triple_of(x + 6), a3 = ac_triple_of(x + 9);
    const ac_triple b1 = ac_triple_of(x + 15), b2 = ac_triple_of(x + 18), b3 = ac_triple_of(x + 21);
    const ac_triple r = ac_triple_difference(ac_triple_of(x + 12), ac_triple_of(x));
    const ac_triple force = ac_triple_mix3(N[0], ac_triple_sum(a1, b1), N[1], ac_triple_sum(a2, b2), N[2],
                                           ac_triple_sum(a3, b3));
    const ac_triple r1 = ac_triple_scaled(N[0], r), r2 = ac_triple_scaled(N[1], r),
                    r3 = ac_triple_scaled(N[2], r);
    ac_triple_put(ac_triple_difference(ac_triple_of(gradient), force), gradient);
    ac_triple_add(ac_triple_sum(r1, ac_triple_mix(M[1], b3, -M[2], b2)), gradient + 3);
    ac_triple_add(ac_triple_sum(r2, ac_triple_mix(M[2], b1, -M[0], b3)), gradient + 6);
    ac_triple_add(ac_triple_sum(r3, ac_triple_mix(M[0], b2, -M[1], b1)), gradient + 9);
    gradient += 12;
    ac_triple_add(force, gradient);
    ac_triple_add(ac_triple_sum(r1, ac_triple_mix(M[2], a2, -M[1], a3)), gradient + 3);
    ac_triple_add(ac_triple_sum(r2, ac_triple_mix(M[0], a3, -M[2], a1)), gradient + 6);
    ac_triple_add(ac_triple_sum(r3, ac_triple_mix(M[1], a1, -M[0], a2)), gradient + 9);
}

#endif
