/* Velocities of momenta along a direction, for second derivatives of functionals of the velocity.
 *
 * v and the adjoint a (velocity.c) solve saddle systems with constant second derivatives H(x) = sum x_k g_k'':
 *   M v + G^T mu = p, G v = 0         M dv + G^T dmu = dp - H(mu) dq,        G dv = -(H dq) v
 *   M a + G^T nu = J_v, G a = 0       M da + G^T dnu = d(J_v) - H(nu) dq,    G da = -(H dq) a
 * and dJ/dq has the changes -H(mu) da - H(dmu) a - H(nu) dv - H(dnu) v. Where numbers change along the direction, dM and dG
 * stand beside H dq, and derivatives by numbers, -a . M_k v - v . G_k^T nu - a . G_k^T mu, change as well.
 */
#include <string.h>

#include "action/inertia.h"

#include "adjoint/second/second.h"

ac_status ac_adjoint_velocity_work(ac_adjoint *d, double **block, ac_velocity_work *w)
{
    size_t n = (size_t)d->system->n, rows = (size_t)d->system->constraints.count + 1;
    AC_NEW(d->ctx, *block, 6 * n + 5 * rows);
    double **vectors[] = {&w->v, &w->dv, &w->a, &w->da, &w->shift, &w->force},
           **multipliers[] = {&w->mu, &w->dmu, &w->nu, &w->dnu, &w->rows}, *at = *block;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k, at += n) *vectors[k] = at;
    for (size_t k = 0; k < sizeof multipliers / sizeof *multipliers; ++k, at += rows) *multipliers[k] = at;
    return AC_OK;
}

/* x, multipliers with M x + G^T multipliers = f, G x = r (NULL: 0). f changes. */
static ac_status solve(ac_adjoint *d, const double *q, double *f, const double *r, ac_velocity_work *w,
                       double *x, double *multipliers)
{
    int n = d->system->n;
    double *moved = d->workspace.force;
    memset(w->shift, 0, (size_t)n * sizeof *w->shift);
    if (r) AC_TRY(ac_legendre_lift(&d->legendre, q, r, w->shift));
    ac_mass_apply(d->system, w->shift, moved);
    for (int i = 0; i < n; ++i) moved[i] = f[i] - moved[i];
    AC_TRY(ac_legendre_project(&d->legendre, q, moved));
    for (int i = 0; i < n; ++i) x[i] = w->shift[i] + d->legendre.velocity[i];
    if (d->system->constraints.count == 0) return AC_OK;
    ac_mass_apply(d->system, x, moved);
    for (int i = 0; i < n; ++i) f[i] -= moved[i];
    return ac_legendre_multipliers(&d->legendre, q, f, multipliers);
}

/* The change of (x, multipliers) where f changes by df. */
static ac_status solve_change(ac_adjoint *d, const double *q, const double *dq, const double *df,
                              const double *x, const double *multipliers, ac_velocity_work *w, double *dx,
                              double *changes)
{
    const ac_second_parameters *by = d->parameters.along;
    memcpy(w->force, df, (size_t)d->system->n * sizeof *df);
    ac_constraints_pull(d->system, multipliers, dq, -1.0, w->force);
    ac_constraints_curve(d->system, dq, x, w->rows);
    if (by) {
        ac_numbers_mass(&by->varying, by->change, x, -1.0, w->force);
        ac_numbers_forces(&by->varying, by->change, q, multipliers, -1.0, w->force);
        ac_numbers_rates(&by->varying, by->change, q, x, w->rows);
    }
    for (int k = 0; k < d->system->constraints.count; ++k) w->rows[k] = -w->rows[k];
    return solve(d, q, w->force, w->rows, w, dx, changes);
}

ac_status ac_adjoint_velocity_along(ac_adjoint *d, const double *q, const double *p, const double *dq,
                                    const double *dp, ac_velocity_work *w)
{
    memcpy(w->force, p, (size_t)d->system->n * sizeof *p);
    AC_TRY(solve(d, q, w->force, NULL, w, w->v, w->mu));
    return solve_change(d, q, dq, dp, w->v, w->mu, w, w->dv, w->dmu);
}

/* by += -a . M_k v - v . G_k^T nu - a . G_k^T mu; bent += its change; by_q += what numbers change of the forces */
static void bend_numbers(ac_second_parameters *by, const double *q, const double *dq,
                         const ac_velocity_work *w, double *by_q)
{
    const ac_varying *v = &by->varying;
    ac_numbers_pull_mass(v, w->a, w->v, -1.0, by->by);
    ac_numbers_pull_mass(v, w->da, w->v, -1.0, by->bent);
    ac_numbers_pull_mass(v, w->a, w->dv, -1.0, by->bent);
    const double *multipliers[2] = {w->nu, w->mu}, *changes[2] = {w->dnu, w->dmu}, *x[2] = {w->v, w->a},
                 *dx[2] = {w->dv, w->da};
    for (int e = 0; e < 2; ++e) {
        ac_numbers_pull_forces(v, 0, q, multipliers[e], x[e], -1.0, by->by);
        ac_numbers_pull_forces(v, 0, q, changes[e], x[e], -1.0, by->bent);
        ac_numbers_pull_forces(v, 0, q, multipliers[e], dx[e], -1.0, by->bent);
        ac_numbers_pull_bent(v, multipliers[e], dq, x[e], -1.0, by->bent);
        ac_numbers_bent(v, by->change, multipliers[e], x[e], -1.0, by_q);
    }
}

ac_status ac_adjoint_bend_velocity(ac_adjoint *d, const double *q, const double *dq, const double *by_v,
                                   const double *dby_v, ac_velocity_work *w, double *by_q, double *by_p)
{
    memcpy(w->force, by_v, (size_t)d->system->n * sizeof *by_v);
    AC_TRY(solve(d, q, w->force, NULL, w, w->a, w->nu));
    AC_TRY(solve_change(d, q, dq, dby_v, w->a, w->nu, w, w->da, w->dnu));
    for (int i = 0; i < d->system->n; ++i) by_p[i] += w->da[i];
    ac_constraints_pull(d->system, w->mu, w->da, -1.0, by_q);
    ac_constraints_pull(d->system, w->dmu, w->a, -1.0, by_q);
    ac_constraints_pull(d->system, w->nu, w->dv, -1.0, by_q);
    ac_constraints_pull(d->system, w->dnu, w->v, -1.0, by_q);
    if (d->parameters.along) bend_numbers(d->parameters.along, q, dq, w, by_q);
    return AC_OK;
}
