/* Parameters in contacts: radii, limits, restitution, loss, and places of the points of a gap, which also move with centres of mass.
 *
 * A place r on a node moves a point by u = R r'. That is the same as a shift T u of the striking node, for the surface -u: with the gap
 * g(q) and a velocity w of the coordinates,
 *   g' = grad g . T u,    (grad g . w)' = w . g'' T u + grad g . T u_w,    u_w = dR/dt r' along w.
 */
#include <math.h>
#include <string.h>

#include "adjoint/impacts/path.h"
#include "integrate/impacts/impacts.h"

/* u of the point that strikes less that of the surface, at the coordinates x: q, or a velocity of them, which fixed axes have not. */
static void shift_of(const ac_system *system, const ac_contact *c, const ac_contact_slope *slope,
                     const double *x, bool velocity, double u[3])
{
    const int nodes[2] = {c->point.node, c->other.node};
    u[0] = u[1] = u[2] = 0.0;
    for (int side = 0; side < 2; ++side) {
        ac_point place = {.node = nodes[side]};
        double e[3];
        bool turns = nodes[side] != AC_GROUND && ac_node_turns(&system->nodes[nodes[side]]) > 0;
        if (velocity && !turns) continue;
        memcpy(place.place, slope->place[side], sizeof place.place);
        ac_direction_value(system, &place, x, e);
        for (int i = 0; i < 3; ++i) u[i] += side == 0 ? e[i] : -e[i];
    }
}

/* f . T u */
static double along(const ac_system *system, const ac_contact *c, const double *f, const double u[3])
{
    const ac_node *node = &system->nodes[c->point.node];
    double sum = 0.0;
    for (int i = 0; i < node->dimension; ++i) sum += f[node->q + i] * u[i];
    return sum;
}

static double gap_slope(const ac_system *system, const ac_contact *c, const ac_contact_slope *slope,
                        const double *q, const double *gradient)
{
    double u[3];
    if (c->surface == AC_SURFACE_LIMIT) return c->upper ? slope->limit : -slope->limit;
    shift_of(system, c, slope, q, false, u);
    return along(system, c, gradient, u) - slope->radius -
           (c->inside ? -slope->other_radius : slope->other_radius);
}

/* (grad g . w)', bent = g'' w */
static double rate_slope(const ac_system *system, const ac_contact *c, const ac_contact_slope *slope,
                         const double *q, const double *gradient, const double *w, const double *bent)
{
    double u[3], turned[3];
    if (c->surface == AC_SURFACE_LIMIT) return 0.0;
    shift_of(system, c, slope, q, false, u);
    shift_of(system, c, slope, w, true, turned);
    return along(system, c, bent, u) + along(system, c, gradient, turned);
}

void ac_path_take_gap(ac_adjoint *d, int contact, const double *q, const double *winding, double zeta)
{
    const ac_contact *c = &d->system->contacts[contact];
    double *gradient = d->path->gap;
    if (d->parameters.count == 0 || d->parameters.idle) return;
    ac_gap_value(d->system, c, q, winding, gradient);
    for (int j = 0; j < d->parameters.count; ++j)
        d->parameters.total[j] +=
            zeta * gap_slope(d->system, c, &d->parameters.actions[j].slope->contacts[contact], q, gradient);
}

void ac_path_take_point(ac_adjoint *d, int contact, const double *q, bool velocity, const double e[3],
                        double weight)
{
    const ac_contact *c = &d->system->contacts[contact];
    if (d->parameters.count == 0 || d->parameters.idle) return;
    for (int j = 0; j < d->parameters.count; ++j) {
        ac_contact_slope slope = d->parameters.actions[j].slope->contacts[contact];
        double u[3];
        memset(slope.place[1], 0, sizeof slope.place[1]);
        shift_of(d->system, c, &slope, q, velocity, u);
        d->parameters.total[j] += weight * (e[0] * u[0] + e[1] * u[1] + e[2] * u[2]);
    }
}

void ac_path_take_rate(ac_adjoint *d, int contact, const double *q, const double *winding, const double *w,
                       double weight)
{
    double *bent = d->path->gap, *gradient = d->path->by_p;
    const ac_contact *c = &d->system->contacts[contact];
    if (d->parameters.count == 0 || d->parameters.idle) return;
    memset(bent, 0, (size_t)d->system->n * sizeof *bent);
    ac_gap_bend(d->system, contact, q, winding, w, 1.0, bent);
    ac_gap_value(d->system, c, q, winding, gradient);
    for (int j = 0; j < d->parameters.count; ++j)
        d->parameters.total[j] += weight * rate_slope(d->system, c,
                                                      &d->parameters.actions[j].slope->contacts[contact], q,
                                                      gradient, w, bent);
}

void ac_path_take_bounce(ac_adjoint *d, int k, const ac_bounce_weights *weights)
{
    const ac_path_bounce *b = &d->path->bounce;
    const int contact = d->path->nodes[k].bounces;
    const double *q = ac_path_q(d->path, k), *winding = ac_path_winding(d, k);
    const bool given = d->system->contacts[contact].loss >= 0.0;
    if (d->parameters.count == 0 || d->parameters.idle) return;
    ac_path_take_rate(d, contact, q, winding, weights->w, b->lambda);
    ac_path_take_rate(d, contact, q, winding, b->v, weights->by_s);
    ac_path_take_rate(d, contact, q, winding, b->a, 2.0 * weights->by_m);
    for (int j = 0; j < d->parameters.count; ++j) {
        const ac_contact_slope *slope = &d->parameters.actions[j].slope->contacts[contact];
        d->parameters.total[j] += weights->by_law * (given ? slope->loss : slope->restitution);
    }
}
