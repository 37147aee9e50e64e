/* Stresses of beams as unknowns.
 *
 * A beam is stiff against stretch and shear. With stresses that follow from the motion, k (y - rest) with a
 * large k, every step of the search that leaves the curved set of motions without stretch is answered by a
 * huge force; the steps become tiny. With the stress of each interval as an unknown of its own and
 *
 *   r^2/k z = r (y - rest) + r c/k (grad y . (b - a)) / h        at the mean, force: r z grad y
 *
 * as a condition, the search goes as if the beam could not stretch, however large k is, and the solution is
 * the same. The scale r is the root of the first k and stays; k, c and rest may depend on free parameters. */
#include "action/describe/discrete.h"

static void by_parameters(const ac_discrete *d, const ac_discrete_point *p, int number, double rate,
                          ac_stress_slope *row)
{
    row->data = d->vary ? ac_discrete_stress_jets(d, number) : NULL;
    row->by_data[0] = p->stress[d->springs[number].stress];
    row->by_data[1] = -rate / p->h;
    row->by_data[2] = 1.0;
}

void ac_stress_row(const ac_discrete *d, const ac_discrete_point *p, int number, ac_stress_slope *row)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int n = d->scalars.list[s->scalar].count;
    bool damped = s->damping != 0.0;
    double x[AC_SCALAR_MAX * AC_SCALAR_MAX], g[AC_SCALAR_MAX], Hd[AC_SCALAR_MAX] = {0.0}, rate = 0.0;
    double loss = ac_stress_damping(s) / p->h;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, 0.0, g, damped ? x : NULL);
    for (int i = 0; i < n; ++i) {
        double step = p->b[at[i]] - p->a[at[i]];
        rate += g[i] * step;
        for (int j = 0; damped && j < n; ++j) Hd[j] += x[i * n + j] * step;
    }
    row->at = at;
    row->count = n;
    row->by_stress = s->root * s->root / s->data[0];
    row->value = row->by_stress * p->stress[s->stress] - s->root * (y - s->data[1]) - loss * rate;
    by_parameters(d, p, number, rate, row);
    row->by_h = loss * rate / p->h;
    for (int i = 0; i < n; ++i) {
        double shared = -0.5 * s->root * g[i] - 0.5 * loss * Hd[i];
        row->by_a[i] = shared + loss * g[i];
        row->by_b[i] = shared - loss * g[i];
    }
}
