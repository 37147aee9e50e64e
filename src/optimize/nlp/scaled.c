/* A programme in scaled unknowns.
 *
 * Unknowns of a motion are of the order of one; a free parameter may be a diameter of a few millimetres or a
 * stiffness of a thousand newtons. A solver that bends the objective alike along all unknowns, in order to
 * find a direction of descent, holds the small ones back and lets the large ones go. So the solver sees
 * x_i / scale_i. */
#include "optimize/nlp/nlp.h"

typedef struct scaled {
    const ac_nlp *nlp;
    const double *scale;
    double *x; /* unscaled */
} scaled;

static const double *unscaled(const scaled *s, const double *x)
{
    for (int i = 0; i < s->nlp->variables; ++i) s->x[i] = s->scale[i] * x[i];
    return s->x;
}

static bool objective(void *user, const double *x, double *f)
{
    const scaled *s = user;
    return s->nlp->objective(s->nlp->user, unscaled(s, x), f);
}

static bool gradient(void *user, const double *x, double *g)
{
    const scaled *s = user;
    bool good = s->nlp->gradient(s->nlp->user, unscaled(s, x), g);
    for (int i = 0; i < s->nlp->variables; ++i) g[i] *= s->scale[i];
    return good;
}

static bool values(void *user, const double *x, double *c)
{
    const scaled *s = user;
    return s->nlp->values(s->nlp->user, unscaled(s, x), c);
}

static bool jacobian(void *user, const double *x, double *entries)
{
    const scaled *s = user;
    bool good = s->nlp->jacobian(s->nlp->user, unscaled(s, x), entries);
    for (int e = 0; e < s->nlp->jacobian_entries; ++e) entries[e] *= s->scale[s->nlp->jacobian_column[e]];
    return good;
}

static bool hessian(void *user, const double *x, double sigma, const double *mu, double *entries)
{
    const scaled *s = user;
    bool good = s->nlp->hessian(s->nlp->user, unscaled(s, x), sigma, mu, entries);
    for (int e = 0; e < s->nlp->hessian_entries; ++e)
        entries[e] *= s->scale[s->nlp->hessian_row[e]] * s->scale[s->nlp->hessian_column[e]];
    return good;
}

static bool iterate(void *user, int iteration, double f, double violation, double optimality)
{
    const scaled *s = user;
    return s->nlp->iterate(s->nlp->user, iteration, f, violation, optimality);
}

ac_status ac_nlp_solve_scaled(ac_context *ctx, const ac_nlp *nlp, const double *scale,
                              const ac_nlp_options *options, double *x, double *mu, double *at_lower,
                              double *at_upper, ac_nlp_result *result)
{
    size_t n = (size_t)nlp->variables;
    double *room = ac_allocate(ctx, 3 * n + 1, sizeof *room), *lower = room, *upper = room + n;
    if (!room) return ac_out_of_memory(ctx);
    scaled s = {nlp, scale, room + 2 * n};
    ac_nlp own = *nlp;
    own.user = &s;
    own.lower = lower;
    own.upper = upper;
    own.objective = objective;
    own.gradient = gradient;
    own.values = values;
    own.jacobian = jacobian;
    own.hessian = hessian;
    own.iterate = nlp->iterate ? iterate : NULL;
    for (size_t i = 0; i < n; ++i) {
        lower[i] = nlp->lower[i] / scale[i];
        upper[i] = nlp->upper[i] / scale[i];
        x[i] /= scale[i];
        at_lower[i] *= scale[i];
        at_upper[i] *= scale[i];
    }
    ac_status status = ac_nlp_solve(ctx, &own, options, x, mu, at_lower, at_upper, result);
    for (size_t i = 0; i < n; ++i) {
        x[i] *= scale[i];
        at_lower[i] /= scale[i];
        at_upper[i] /= scale[i];
    }
    ac_release(ctx, room);
    return status;
}
