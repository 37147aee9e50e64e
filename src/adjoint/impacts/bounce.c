/* An elastic or lossy impact of one contact, backwards.
 *
 * Only P^T p counts in the step behind the node, so that the momentum that leaves may be written as p+ = p + Lambda grad g, with
 *   Lambda = -(1 + e) s / m,   s = grad g . A p,   m = grad g . A grad g,   A = P (P^T M P)^-1 P^T,
 * where the energies of the node are balanced. Where those of the intervals are, Lambda is an unknown of the next interval (back.c), and the
 * loss enters there: (1 - e^2)/2 s^2 / m, or a given one. Then e = sqrt(1 - 2 loss m / s^2).
 *
 * s and m are products of velocities, whose derivatives velocity.c knows; grad g changes by g''.
 */
#include <math.h>
#include <string.h>

#include "adjoint/impacts/path.h"
#include "integrate/impacts/impacts.h"

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

void ac_gap_bend(const ac_system *system, int contact, const double *q, const double *winding,
                 const double *w, double factor, double *out)
{
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    int nodes[AC_ELEMENT_NODES], at[AC_ELEMENT_MAX], size = 0;
    const ac_contact *c = &system->contacts[contact];
    const int count = ac_gap_nodes(system, c, nodes);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < system->nodes[nodes[i]].size; ++j) at[size++] = system->nodes[nodes[i]].q + j;
    ac_gap_curvature(system, c, q, winding, block);
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) out[at[i]] += factor * block[i * size + j] * w[at[j]];
}

ac_status ac_bounce_open(ac_adjoint *d, int k)
{
    const ac_system *system = d->system;
    const int n = system->n;
    ac_path *path = d->path;
    ac_path_bounce *b = &path->bounce;
    const double *q = ac_path_q(path, k), *before = ac_path_arriving(d, k), *after = ac_path_leaving(d, k);
    ac_gap_value(system, &system->contacts[path->nodes[k].bounces], q, ac_path_winding(d, k), b->gradient);
    AC_TRY(ac_held_velocity(d, k, b->gradient, b->a));
    AC_TRY(ac_held_velocity(d, k, before, b->v));
    b->speed = dot(n, b->gradient, b->v);
    b->mobility = dot(n, b->gradient, b->a);
    b->lambda = 0.0;
    for (int i = 0; i < n; ++i) b->lambda += b->a[i] * (after[i] - before[i]) / b->mobility;
    return AC_OK;
}

/* Lambda of a balanced node, or the loss where intervals are balanced: derivatives by s and m, and by the number of the law, the
 * restitution or the loss given. */
static void slopes_of(const ac_contact *c, const ac_path_bounce *b, bool loss, double *by_s, double *by_m,
                      double *by_law)
{
    const double s = b->speed, m = b->mobility, e = c->behaviour == AC_ELASTIC ? 1.0 : c->restitution;
    const bool given = c->behaviour == AC_LOSSY && c->loss >= 0.0;
    if (loss) {
        *by_s = given ? 0.0 : (1.0 - e * e) * s / m;
        *by_m = given ? 0.0 : -0.5 * (1.0 - e * e) * s * s / (m * m);
        *by_law = given ? 1.0 : -e * s * s / m;
    } else if (given) { /* Lambda = (root - s) / m,  root = sqrt(s^2 - 2 loss m) */
        double root = sqrt(s * s - 2.0 * c->loss * m);
        *by_s = (s / root - 1.0) / m;
        *by_m = -c->loss / (root * m) - (root - s) / (m * m);
        *by_law = -1.0 / root;
    } else {
        *by_s = -(1.0 + e) / m;
        *by_m = (1.0 + e) * s / (m * m);
        *by_law = -s / m;
    }
}

/* by_q += derivative of by_s s + by_m m, by_p that of by_s s */
static ac_status pull_products(ac_adjoint *d, int k, double by_s, double by_m, double *by_q, double *by_p)
{
    ac_path *path = d->path;
    const ac_path_bounce *b = &path->bounce;
    const int n = d->system->n, contact = path->nodes[k].bounces;
    const double *q = ac_path_q(path, k), *winding = ac_path_winding(d, k);
    double *weight = path->p, *unused = path->energy.by_b; /* of the interval, which is done */
    for (int i = 0; i < n; ++i) weight[i] = by_s * b->gradient[i];
    AC_TRY(ac_held_pull_velocity(d, k, ac_path_arriving(d, k), weight, by_q, by_p));
    ac_gap_bend(d->system, contact, q, winding, b->v, by_s, by_q);
    for (int i = 0; i < n; ++i) weight[i] = by_m * b->gradient[i];
    AC_TRY(ac_held_pull_velocity(d, k, b->gradient, weight, by_q, unused));
    ac_gap_bend(d->system, contact, q, winding, b->a, 2.0 * by_m, by_q);
    return AC_OK;
}

ac_status ac_bounce_pull(ac_adjoint *d, int k, double loss, double *by_q, double *by_p)
{
    const ac_path_node *node = &d->path->nodes[k];
    const ac_path_bounce *b = &d->path->bounce;
    const int n = d->system->n;
    double by_s, by_m, by_law, weight = node->balanced ? loss : dot(n, b->gradient, by_p);
    slopes_of(&d->system->contacts[node->bounces], b, node->balanced, &by_s, &by_m, &by_law);
    ac_path_take_bounce(d, k, &(ac_bounce_weights){by_p, weight * by_s, weight * by_m, weight * by_law});
    ac_gap_bend(d->system, node->bounces, ac_path_q(d->path, k), ac_path_winding(d, k), by_p, b->lambda,
                by_q);
    return pull_products(d, k, weight * by_s, weight * by_m, by_q, by_p);
}
