/* Velocities of momenta: v = P u with P^T M P u = P^T p, for functionals of the velocity.
 *
 * For x = dJ/dv let a solve P^T M P a = P^T x. Then dJ/dp = P a, and by q, with p - M v = G^T mu and x - M P a = G^T nu,
 *   dJ/dq = -(d/dq) (v . G^T nu) - (d/dq) (P a . G^T mu)
 * because G P = 0 holds along the motions; likewise by parameters, with -a . dM v beside it.
 */
#include <string.h>

#include "adjoint/adjoint.h"
#include "action/inertia.h"

ac_status ac_adjoint_velocity(ac_adjoint *d, const double *q, const double *p, double *v)
{
    AC_TRY(ac_legendre_project(&d->legendre, q, p));
    memcpy(v, d->legendre.velocity, (size_t)d->system->n * sizeof *v);
    return AC_OK;
}

/* mu with G^T mu = f - M v at q */
static ac_status normal_part(ac_adjoint *d, const double *q, const double *f, const double *v)
{
    ac_mass_apply(d->system, v, d->workspace.force);
    for (int i = 0; i < d->system->n; ++i) d->workspace.force[i] = f[i] - d->workspace.force[i];
    return ac_legendre_multipliers(&d->legendre, q, d->workspace.force, d->workspace.lambda);
}

ac_status ac_adjoint_pull_velocity(ac_adjoint *d, const double *q, const double *p, const double *by_v,
                                   double *by_q, double *by_p)
{
    int n = d->system->n;
    double *v = d->workspace.w, *a = d->workspace.out_a; /* workspace that a step of the sweep fills anew */
    AC_TRY(ac_adjoint_velocity(d, q, p, v));
    AC_TRY(ac_adjoint_velocity(d, q, by_v, a));
    const ac_varying *varying = d->parameters.count > 0 && !d->parameters.idle ? &d->parameters.varying
                                                                               : NULL;
    double *by = d->parameters.by;
    for (int i = 0; i < n; ++i) by_p[i] += a[i];
    if (varying) ac_numbers_pull_mass(varying, a, v, -1.0, by);
    if (d->system->constraints.count == 0) return AC_OK;
    AC_TRY(normal_part(d, q, by_v, a));
    ac_constraints_pull(d->system, d->workspace.lambda, v, -1.0, by_q);
    if (varying) ac_numbers_pull_forces(varying, 0, q, d->workspace.lambda, v, -1.0, by);
    AC_TRY(normal_part(d, q, p, v));
    ac_constraints_pull(d->system, d->workspace.lambda, a, -1.0, by_q);
    if (varying) ac_numbers_pull_forces(varying, 0, q, d->workspace.lambda, a, -1.0, by);
    return AC_OK;
}
