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
#include <string.h>

#include "optimize/problem/optimization.h"

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

static void take_mean(ac_optimization *o, const ac_discrete_point *p)
{
    for (int i = 0; i < o->layout.n; ++i) o->description.discrete.mean[i] = 0.5 * (p->a[i] + p->b[i]);
}

int ac_stress_rows(ac_optimization *o, int interval, ac_stress_row_sink sink, void *user)
{
    ac_discrete_point p = ac_interval_point(o, interval);
    int done = 0;
    take_mean(o, &p);
    for (int k = 0; k < o->description.discrete.spring_count; ++k) {
        ac_stress_slope row;
        if (o->description.discrete.springs[k].stress < 0) continue;
        ac_stress_row(&o->description.discrete, &p, k, &row);
        sink(user, o->description.discrete.springs[k].stress, &row);
        ++done;
    }
    return done;
}

static void put_guess(void *user, int number, const ac_stress_slope *row)
{
    double *z = user;
    z[number] -= row->value / row->by_stress;
}

/* A motion that was found before has its stresses; one that was only guessed may stretch the beams and goes
 * without. */
void ac_guess_stresses(ac_optimization *o)
{
    for (int n = 0;
         o->description.guess.motion && n < o->layout.N && o->description.discrete.stress_count > 0; ++n)
        ac_stress_rows(o, n, put_guess, o->point.x + ac_stress_variable(o, n));
    o->point.fresh = false;
}

bool ac_wants_stresses(const ac_optimization *o)
{
    /* with the trapezoidal scheme they would belong to time nodes */
    return strcmp(o->settings.stresses, "unknown") == 0 && !ac_is_minimal(o) &&
           o->description.discrete.scheme == AC_MIDPOINT;
}

ac_status ac_stress_reach(ac_optimization *o)
{
    const ac_discrete *d = &o->description.discrete;
    AC_NEW(o->ctx, o->layout.stress_low, d->stress_count + 1);
    AC_NEW(o->ctx, o->layout.stress_high, d->stress_count + 1);
    for (int k = 0; k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        if (s->stress < 0) continue;
        const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
        int low = o->layout.freedoms, high = -1;
        for (int i = 0; i < d->scalars.list[s->scalar].count; ++i) {
            int path = o->layout.paths.of[at[i]];
            if (o->layout.paths.low[path] < low) low = o->layout.paths.low[path];
            if (o->layout.paths.high[path] > high) high = o->layout.paths.high[path];
        }
        o->layout.stress_low[s->stress] = low;
        o->layout.stress_high[s->stress] = high;
    }
    return AC_OK;
}
