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
        const int from = (int)(closed[c] < 0.0 ? -closed[c] : closed[c]) - 1;
        im->touches[c].closed = false;
        im->touches[c].rows = 0;
        if (from >= 0) ac_touch_close(im, c, ac_path_q(d->path, from), closed[c] < 0.0);
    }
    ac_touch_count(im);
}

static int rows_of(const ac_touch *touch)
{
    return !touch->closed ? 0 : touch->rows > 0 ? touch->rows : 1;
}

static int loop_rows(const ac_adjoint *d)
{
    return d->system->constraints.count - d->system->constraints.closure;
}

/* For the contacts that are closed, with their multipliers: f -= lambda R, out -= lambda g'' w, and the same by parameters. Rows of a
 * point that sticks to the ground, e . (x - y) with y where it closed, are linear in q. */
static void take_rows(ac_adjoint *d, const double *q, const double *winding, const double *lambda,
                      const double *w, double *f, double *out)
{
    ac_impacts *im = d->backward.impacts;
    double *gradient = d->path->pulled;
    for (int c = 0, row = 0; c < d->system->contact_count; ++c)
        for (int k = 0; k < rows_of(&im->touches[c]); ++k, ++row) {
            const double own = lambda[loop_rows(d) + row];
            ac_touch_gradient(im, row, q, gradient);
            for (int i = 0; i < d->system->n; ++i) f[i] -= own * gradient[i];
            if (k > 0) {
                ac_path_take_point(d, c, w, true, im->touches[c].direction[k].place, -own);
                continue;
            }
            ac_gap_bend(d->system, c, q, winding, w, -own, out);
            ac_path_take_rate(d, c, q, winding, w, -own);
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

/* The row e . (x(q_b) - x(q_j)) of a point that sticks since node j, with its multiplier. */
static void take_anchor(ac_adjoint *d, int node, int contact, int k, double eta)
{
    const double *e = d->backward.impacts->touches[contact].direction[k].place;
    const int from = (int)-ac_path_closed(d, node)[contact] - 1;
    for (int i = 0; i < 3; ++i) d->path->anchors[3 * contact + i] -= eta * e[i];
    ac_path_take_point(d, contact, ac_path_q(d->path, node + 1), false, e, eta);
    ac_path_take_point(d, contact, ac_path_q(d->path, from), false, e, -eta);
}

void ac_held_take_gaps(ac_adjoint *d, int node, double *by_b)
{
    ac_stepper *s = &d->backward;
    const double *b = ac_path_q(d->path, node + 1), *winding = ac_path_winding(d, node);
    if (s->more.count == 0 || !by_b) return;
    ac_reduced_project(s, by_b, d->workspace.reduced);
    ac_reduced_closure_rows(s, d->workspace.reduced, d->path->rows);
    for (int c = 0, row = 0; c < d->system->contact_count; ++c)
        for (int k = 0; k < rows_of(&s->impacts->touches[c]); ++k, ++row) {
            const double eta = -d->path->rows[loop_rows(d) + row];
            ac_touch_gradient(s->impacts, row, b, d->path->pulled);
            for (int i = 0; i < d->system->n; ++i) by_b[i] += eta * d->path->pulled[i];
            if (k == 0)
                ac_path_take_gap(d, c, b, winding, eta);
            else
                take_anchor(d, node, c, k, eta);
        }
}

void ac_held_take_anchors(ac_adjoint *d, int node, double *by_q)
{
    const double *closed = ac_path_closed(d, node);
    for (int c = 0; c < d->system->contact_count; ++c) {
        double *anchor = d->path->anchors + 3 * c;
        if (closed[c] != -1.0 - node) continue;
        ac_place_gradient(d->system, &d->system->contacts[c].point, anchor, by_q);
        anchor[0] = anchor[1] = anchor[2] = 0.0;
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

/* The node behind which those contacts are closed that are so when a node is reached; at the start, those that are closed then. */
static int rows_before(int node)
{
    return node > 0 ? node - 1 : 0;
}

ac_status ac_held_velocity(ac_adjoint *d, int node, const double *p, double *v)
{
    const double *q = ac_path_q(d->path, node);
    if (!d->path->nodes[rows_before(node)].holds) return ac_adjoint_velocity(d, q, p, v);
    ac_held_set(d, rows_before(node));
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
    if (!path->nodes[rows_before(node)].holds) return ac_adjoint_pull_velocity(d, q, p, by_v, by_q, by_p);
    ac_held_set(d, rows_before(node));
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
