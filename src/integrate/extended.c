/* Steps of the extended scheme, see extended.h. */
#include "integrate/extended.h"
#include "action/load.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

/* Neighbouring steps differ by at most RATIO, steps and the nominal one by at most RANGE. */
static const double RATIO = 1.25, RANGE = 4.0;
/* Energies agree when they differ by less than this part of the kinetic energy and of their own size. */
static const double SAME = 1e-14;
enum { MOST_STEPS = 40 };

ac_status ac_extended_create(ac_stepper *s, const ac_simulation_settings *settings)
{
    if (s->impacts) return ac_fail(s->ctx, AC_BAD_INPUT, "a free step cannot be combined with contacts");
    if (s->scheme->at_mean)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "a free step needs scheme: midpoint or trapezoidal; %s keeps the energy "
                       "with any step",
                       s->scheme->name);
    if (ac_is_loaded(s->system) || !ac_system_is_undamped(s->system))
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "a free step conserves the energy: it needs a system without loads and dampers");
    AC_NEW(s->ctx, s->extended, 1);
    s->extended->nominal = settings->step;
    s->extended->until = (double)settings->steps * settings->step;
    AC_NEW(s->ctx, s->extended->carried, s->system->tree.freedoms);
    ac_extended_restart(s);
    return AC_OK;
}

void ac_extended_restart(ac_stepper *s)
{
    ac_extended *x = s->extended;
    if (!x) return;
    s->h = x->nominal;
    x->found = x->missed = 0;
    x->shortest = INFINITY;
    x->longest = 0.0;
}

void ac_extended_destroy(ac_stepper *s)
{
    if (!s->extended) return;
    ac_release(s->ctx, s->extended->carried);
    ac_release(s->ctx, s->extended);
    s->extended = NULL;
}

/* Solves with the step h; error: of the energy of the interval. */
static ac_status attempt(ac_stepper *s, double h, double *error, double *scale)
{
    double *carried = s->formulation->carried(s);
    const ac_interval *iv = &s->interval;
    if (carried) memcpy(carried, s->extended->carried, (size_t)s->system->tree.freedoms * sizeof *carried);
    s->h = h;
    s->end = s->t + h;
    AC_TRY(ac_stepper_solve(s));
    double kinetic = ac_interval_kinetic(iv), energy = kinetic + s->scheme->potential(iv);
    if (s->step == 0) s->extended->energy = energy;
    *error = energy - s->extended->energy;
    *scale = kinetic + fabs(energy);
    return AC_OK;
}

/* A step between low and high with the energy wanted, by the secant method from the last step on. */
static ac_status find_step(ac_stepper *s, double low, double high, bool *found)
{
    double h = ac_min(ac_max(s->h_before, low), high), error = 0.0, scale = 1.0;
    *found = false;
    AC_TRY(attempt(s, h, &error, &scale));
    double next = h * (error == 0.0 ? 1.0 : 1.0 + 1e-4);
    if (next > high) next = h * (1.0 - 1e-4);
    for (int k = 0; k < MOST_STEPS; ++k) {
        *found = fabs(error) <= SAME * scale;
        if (*found || next == h || !(next >= low && next <= high)) break;
        double last_h = h, last = error;
        h = next;
        if (attempt(s, h, &error, &scale) != AC_OK) return AC_OK; /* no step of this length: fall back */
        if (error == last) break;
        next = h - error * (h - last_h) / (error - last);
    }
    *found = *found || fabs(error) <= 10.0 * SAME * scale;
    return AC_OK;
}

ac_status ac_extended_solve(ac_stepper *s)
{
    ac_extended *x = s->extended;
    const double *carried = s->formulation->carried(s);
    double left = x->until - s->t, error, scale;
    bool found = false;
    if (carried) memcpy(x->carried, carried, (size_t)s->system->tree.freedoms * sizeof *x->carried);
    double low = ac_max(s->h_before / RATIO, x->nominal / RANGE),
           high = ac_min(s->h_before * RATIO, x->nominal * RANGE);
    bool last = left <= ac_max(high, x->nominal) * (1.0 + 1e-9);
    if (s->step > 0 && !last && low < high) AC_TRY(find_step(s, low, high, &found));
    if (!found) AC_TRY(attempt(s, last ? left : x->nominal, &error, &scale));
    if (last) s->end = x->until;
    ++*(found ? &x->found : &x->missed);
    x->shortest = ac_min(x->shortest, s->h);
    x->longest = ac_max(x->longest, s->h);
    return AC_OK;
}

long ac_extended_mesh_steps(const ac_stepper *s, double t)
{
    const ac_extended *x = s->extended;
    long all = lround(x->until / x->nominal), reached = (long)(t / x->nominal * (1.0 + 1e-12));
    return t >= x->until ? all : reached < all ? reached : all - 1;
}
