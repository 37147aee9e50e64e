/* Closed contacts, backwards: their gaps are constraints g(q_b) = 0 with gradients R, beside those of loops.
 *
 * In the step p + left = G^T mu + R^T kappa, where w . (...) is turned by g''. A contact that closes takes from the momentum only what R^T kappa
 * may be, so that nothing jumps. One that opens leaves the momentum that was allowed before,
 *   p+ = M v,  v = A p,  A = N (N^T M N)^-1 N^T,  N all motions that keep G and R,
 * and so is the momentum that is shown at a node. With by = dJ/dp+ and a = A M by: dJ/dp = a, and as in velocity.c, by q,
 *   -(d/dq) (v . (M by - M a)) - (d/dq) (a . (p - M v)),   both sums of multipliers times G and R.
 */
#include <string.h>

#include "action/inertia.h"
#include "adjoint/impacts/path.h"
#include "integrate/impacts/impacts.h"
#include "integrate/reduced.h"
#include "linalg/dense.h"

void ac_held_set(ac_adjoint *d, int node)
{
    ac_impacts *im = d->backward.impacts;
    const double *closed = ac_path_closed(d, node);
    for (int c = 0; c < d->system->contact_count; ++c) {
        im->touches[c].closed = closed[c] != 0.0;
        im->touches[c].rows = 0;
    }
    ac_touch_count(im);
}

static int loop_rows(const ac_adjoint *d)
{
    return d->system->constraints.count - d->system->constraints.closure;
}

/* For the contacts that are closed, with their multipliers: f -= lambda R, out -= lambda g'' w, and the same by parameters. */
static void take_rows(ac_adjoint *d, const double *q, const double *winding, const double *lambda,
                      const double *w, double *f, double *out)
{
    const ac_impacts *im = d->backward.impacts;
    double *gradient = d->path->pulled;
    for (int c = 0, row = loop_rows(d); c < d->system->contact_count; ++c) {
        if (!im->touches[c].closed) continue;
        ac_gap_value(d->system, &d->system->contacts[c], q, winding, gradient);
        for (int i = 0; i < d->system->n; ++i) f[i] -= lambda[row] * gradient[i];
        ac_gap_bend(d->system, c, q, winding, w, -lambda[row], out);
        ac_path_take_rate(d, c, q, winding, w, -lambda[row]);
        ++row;
    }
}

void ac_held_turn(ac_adjoint *d, int node, const double *w, double *out)
{
    ac_stepper *s = &d->backward;
    double *force = d->path->rest;
    if (s->more.count == 0) return;
    for (int i = 0; i < d->system->n; ++i) force[i] = s->p[i] + s->left[i];
    ac_reduced_closure_forces(s, force, d->path->rows);
    take_rows(d, ac_path_q(d->path, node), ac_path_winding(d, node), d->path->rows, w, s->p, out);
}

void ac_held_take_gaps(ac_adjoint *d, int node, double *by_b)
{
    ac_stepper *s = &d->backward;
    const double *b = ac_path_q(d->path, node + 1), *winding = ac_path_winding(d, node);
    if (s->more.count == 0 || !by_b) return;
    ac_reduced_project(s, by_b, d->workspace.reduced);
    ac_reduced_closure_rows(s, d->workspace.reduced, d->path->rows);
    for (int c = 0, row = loop_rows(d); c < d->system->contact_count; ++c) {
        if (!s->impacts->touches[c].closed) continue;
        ac_gap_value(d->system, &d->system->contacts[c], b, winding, d->path->pulled);
        for (int i = 0; i < d->system->n; ++i) by_b[i] -= d->path->rows[row] * d->path->pulled[i];
        ac_path_take_gap(d, c, b, winding, -d->path->rows[row]);
        ++row;
    }
}

/* v = A p and rest = p - M v */
static void split(ac_adjoint *d, const double *q, const double *p, double *v, double *rest)
{
    ac_impacts *im = d->backward.impacts;
    ac_jump_rates(im, q, p, im->rates);
    ac_jump_momentum(im, q, im->rates, rest);
    memcpy(v, im->jump.full, (size_t)d->system->n * sizeof *v);
    for (int i = 0; i < d->system->n; ++i) rest[i] = p[i] - rest[i];
}

/* by_q -= (d/dq) (w . f), f the forces of constraints and closed contacts; f is spent */
static ac_status turn(ac_adjoint *d, int node, const double *w, double *f, double *by_q)
{
    ac_impacts *im = d->backward.impacts;
    const double *q = ac_path_q(d->path, node);
    ac_tree_project(d->system, im->jump.columns, q, f, im->jump.twists, im->work);
    ac_row_space_solve_transposed(&im->jump.space, im->work, d->path->rows);
    take_rows(d, q, ac_path_winding(d, node), d->path->rows, w, f, by_q);
    if (d->system->constraints.count == 0) return AC_OK;
    AC_TRY(ac_legendre_multipliers(&d->legendre, q, f, d->workspace.lambda));
    ac_constraints_pull(d->system, d->workspace.lambda, w, -1.0, by_q);
    if (d->parameters.count > 0 && !d->parameters.idle)
        ac_numbers_pull_forces(&d->parameters.varying, 0, q, d->workspace.lambda, w, -1.0, d->parameters.by);
    return AC_OK;
}

ac_status ac_held_velocity(ac_adjoint *d, int node, const double *p, double *v)
{
    const double *q = ac_path_q(d->path, node);
    if (node == 0 || !d->path->nodes[node - 1].holds) return ac_adjoint_velocity(d, q, p, v);
    ac_held_set(d, node - 1);
    AC_TRY(ac_jump_open(d->backward.impacts, q));
    split(d, q, p, v, d->path->rest);
    return AC_OK;
}

ac_status ac_held_pull_velocity(ac_adjoint *d, int node, const double *p, const double *by_v, double *by_q,
                                double *by_p)
{
    ac_path *path = d->path;
    const double *q = ac_path_q(path, node);
    double *v = path->velocity, *a = path->mass;
    if (node == 0 || !path->nodes[node - 1].holds) return ac_adjoint_pull_velocity(d, q, p, by_v, by_q, by_p);
    ac_held_set(d, node - 1);
    AC_TRY(ac_jump_open(d->backward.impacts, q));
    split(d, q, p, v, path->rest);
    split(d, q, by_v, a, path->energy.by_a);
    if (d->parameters.count > 0 && !d->parameters.idle)
        ac_numbers_pull_mass(&d->parameters.varying, a, v, -1.0, d->parameters.by);
    AC_TRY(turn(d, node, a, path->rest, by_q));
    AC_TRY(turn(d, node, v, path->energy.by_a, by_q));
    for (int i = 0; i < d->system->n; ++i) by_p[i] += a[i];
    return AC_OK;
}

ac_status ac_held_pull(ac_adjoint *d, int node, const double *by, double *by_q, double *by_p)
{
    ac_path *path = d->path;
    double *moved = path->energy.by_b;
    if (d->parameters.count > 0 && !d->parameters.idle) {
        AC_TRY(ac_held_velocity(d, node, ac_path_arriving(d, node), path->velocity));
        ac_numbers_pull_mass(&d->parameters.varying, by, path->velocity, 1.0, d->parameters.by);
    }
    ac_mass_apply(d->system, by, moved);
    return ac_held_pull_velocity(d, node, ac_path_arriving(d, node), moved, by_q, by_p);
}
