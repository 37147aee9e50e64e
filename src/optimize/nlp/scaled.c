/* A programme in units of its own.
 *
 * Unknowns of a motion are of the order of one; a free parameter may be a diameter of a few millimetres or a
 * stiffness of a thousand newtons, momenta may be those of an insect or of a ship, an objective may have a tiny
 * weight. A solver that bends the objective alike along all unknowns, in order to find a direction of descent,
 * holds the small ones back and lets the large ones go, and its tolerances are for numbers of the order of one.
 */
#include "optimize/nlp/nlp.h"

typedef struct scaled {
    const ac_nlp *nlp;
    const ac_nlp_units *units;
    double *x, *mu; /* without units */
} scaled;

static const double *unscaled(const scaled *s, const double *x)
{
    for (int i = 0; i < s->nlp->variables; ++i) s->x[i] = s->units->unknown[i] * x[i];
    return s->x;
}

static bool objective(void *user, const double *x, double *f)
{
    const scaled *s = user;
    bool good = s->nlp->objective(s->nlp->user, unscaled(s, x), f);
    *f /= s->units->objective;
    return good;
}

static bool gradient(void *user, const double *x, double *g)
{
    const scaled *s = user;
    bool good = s->nlp->gradient(s->nlp->user, unscaled(s, x), g);
    for (int i = 0; i < s->nlp->variables; ++i) g[i] *= s->units->unknown[i] / s->units->objective;
    return good;
}

static bool values(void *user, const double *x, double *c)
{
    const scaled *s = user;
    bool good = s->nlp->values(s->nlp->user, unscaled(s, x), c);
    for (int r = 0; r < s->nlp->constraints; ++r) c[r] /= s->units->row[r];
    return good;
}

static bool jacobian(void *user, const double *x, double *entries)
{
    const scaled *s = user;
    bool good = s->nlp->jacobian(s->nlp->user, unscaled(s, x), entries);
    for (int e = 0; e < s->nlp->jacobian_entries; ++e)
        entries[e] *= s->units->unknown[s->nlp->jacobian_column[e]] / s->units->row[s->nlp->jacobian_row[e]];
    return good;
}

static bool hessian(void *user, const double *x, double sigma, const double *mu, double *entries)
{
    const scaled *s = user;
    for (int r = 0; r < s->nlp->constraints; ++r) s->mu[r] = mu[r] / s->units->row[r];
    bool good = s->nlp->hessian(s->nlp->user, unscaled(s, x), sigma / s->units->objective, s->mu, entries);
    for (int e = 0; e < s->nlp->hessian_entries; ++e)
        entries[e] *= s->units->unknown[s->nlp->hessian_row[e]] *
                      s->units->unknown[s->nlp->hessian_column[e]];
    return good;
}

static bool iterate(void *user, int iteration, double f, double violation, double optimality)
{
    const scaled *s = user;
    return s->nlp->iterate(s->nlp->user, iteration, f * s->units->objective, violation, optimality);
}

/* Into units (back: out of them) of what a solve begins and ends with. */
static void convert(const ac_nlp *nlp, const ac_nlp_units *u, bool back, double *x, double *mu,
                    double *at_lower, double *at_upper)
{
    for (int i = 0; i < nlp->variables; ++i) {
        double unit = u->unknown[i], slope = back ? u->objective / unit : unit / u->objective;
        x[i] = back ? x[i] * unit : x[i] / unit;
        at_lower[i] *= slope;
        at_upper[i] *= slope;
    }
    for (int r = 0; r < nlp->constraints; ++r)
        mu[r] = back ? mu[r] * u->objective / u->row[r] : mu[r] * u->row[r] / u->objective;
}

ac_status ac_nlp_solve_scaled(ac_context *ctx, const ac_nlp *nlp, const ac_nlp_units *units,
                              const ac_nlp_options *options, double *x, double *mu, double *at_lower,
                              double *at_upper, ac_nlp_result *result)
{
    size_t n = (size_t)nlp->variables, m = (size_t)nlp->constraints;
    double *room = ac_allocate(ctx, 3 * (n + m) + 1, sizeof *room), *lower = room, *upper = room + n,
           *low = room + 2 * n, *high = low + m;
    if (!room) return ac_out_of_memory(ctx);
    scaled s = {nlp, units, high + m, high + m + n};
    ac_nlp own = *nlp;
    own.user = &s;
    own.lower = lower;
    own.upper = upper;
    own.low = low;
    own.high = high;
    own.objective = objective;
    own.gradient = gradient;
    own.values = values;
    own.jacobian = jacobian;
    own.hessian = hessian;
    own.iterate = nlp->iterate ? iterate : NULL;
    for (size_t i = 0; i < n; ++i) {
        lower[i] = nlp->lower[i] / units->unknown[i];
        upper[i] = nlp->upper[i] / units->unknown[i];
    }
    for (size_t r = 0; r < m; ++r) {
        low[r] = nlp->low[r] / units->row[r];
        high[r] = nlp->high[r] / units->row[r];
    }
    convert(nlp, units, false, x, mu, at_lower, at_upper);
    ac_status status = ac_nlp_solve(ctx, &own, options, x, mu, at_lower, at_upper, result);
    convert(nlp, units, true, x, mu, at_lower, at_upper);
    result->objective *= units->objective;
    ac_release(ctx, room);
    return status;
}
