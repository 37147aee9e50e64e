/* Opening intervals, and constraints along directions. */
#include "action/interval.h"

#include <string.h>

#include "action/scheme/scheme.h"

ac_status ac_discrete_set_scheme(ac_discrete *d, const char *scheme)
{
    const ac_scheme *found = ac_scheme_find(scheme);
    if (!found) return ac_fail(d->ctx, AC_BAD_INPUT, "there is no scheme '%s'", scheme);
    if (found->stations == AC_NO_STATIONS)
        return ac_fail(
            d->ctx, AC_BAD_INPUT,
            "the scheme '%s' is for simulation only: choose another one for gradients and optimal control",
            scheme);
    AC_TRY(ac_scheme_check(d->ctx, d->system, scheme));
    for (int k = 0; found->stations == AC_ENERGY_MOMENTUM && k < d->spring_count; ++k) {
        const ac_scalar *scalar = &d->scalars.list[d->springs[k].scalar];
        if (!d->springs[k].law->secant || !ac_outer_has_secant(&scalar->outer))
            return ac_fail(d->ctx, AC_BAD_INPUT,
                           "the energy-momentum scheme cannot take the law '%s': it has no secant",
                           d->springs[k].law->name);
        if (scalar->varied)
            return ac_fail(d->ctx, AC_BAD_INPUT,
                           "the energy-momentum scheme cannot follow places that depend on free parameters");
    }
    d->scheme = found->stations;
    d->scheme_name = found->name;
    return AC_OK;
}

static ac_status open_parts(const char *scheme, ac_add_controls controls, void *user, ac_discrete *d)
{
    if (controls) AC_TRY(controls(user, d));
    AC_TRY(ac_discrete_add_loads(d));
    AC_TRY(ac_discrete_bundle(d, false));
    return ac_discrete_set_scheme(d, scheme);
}

ac_status ac_interval_open(ac_context *ctx, const ac_system *system, const char *scheme,
                           ac_add_controls controls, void *user, ac_discrete *d)
{
    ac_status status = ac_discrete_create(ctx, system, d);
    if (status == AC_OK) status = open_parts(scheme, controls, user, d);
    if (status != AC_OK) ac_discrete_destroy(d);
    return status;
}

void ac_constraints_along(const ac_system *system, const double *q, const double *w, double *out)
{
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int row = 0; row < c->count; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        out[row] = 0.0;
        for (int s = c->start[row]; s < c->start[row + 1]; ++s)
            out[row] += gradient[s - c->start[row]] * w[c->coordinate[s]];
    }
}

void ac_constraints_pull(const ac_system *system, const double *lambda, const double *w, double factor,
                         double *out)
{
    const ac_constraints *c = &system->constraints;
    for (int row = 0; row < c->count; ++row) {
        const int *at = c->coordinate + c->start[row];
        double scale = factor * lambda[row];
        for (int e = c->forms.product_start[row]; scale != 0.0 && e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            out[at[p->i]] += scale * p->a * w[at[p->j]];
            out[at[p->j]] += scale * p->a * w[at[p->i]];
        }
    }
}

void ac_constraints_curve(const ac_system *system, const double *a, const double *b, double *out)
{
    const ac_constraints *c = &system->constraints;
    for (int row = 0; row < c->count; ++row) {
        const int *at = c->coordinate + c->start[row];
        out[row] = 0.0;
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            out[row] += p->a * (a[at[p->i]] * b[at[p->j]] + a[at[p->j]] * b[at[p->i]]);
        }
    }
}
