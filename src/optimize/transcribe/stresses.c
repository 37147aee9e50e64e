/* Rows of unknown stresses in an optimisation (action/describe/stress_row.c): their conditions, guesses and reach. */
#include <string.h>

#include "optimize/problem/optimization.h"

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
