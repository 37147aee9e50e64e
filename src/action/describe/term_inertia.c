/* Inertia and gravity on an interval: left = -M (b - a)/h + h/2 f, right = M (b - a)/h + h/2 f with a constant M and f. Nodes of dual
 * quaternions have an inertia of their own (relative.h). */
#include "action/inertia.h"
#include "action/relative.h"
#include "action/term.h"

/* --- inertia --- */

/* d->weights = (b - a)/h, d->momentum = M (b - a)/h */
static void take_momentum(ac_discrete *d, const ac_discrete_point *p)
{
    for (int i = 0; i < d->system->n; ++i) d->weights[i] = (p->b[i] - p->a[i]) / p->h;
    ac_mass_apply(d->system, d->weights, d->momentum);
    ac_relative_clear(d->system, d->momentum);
}

static double kinetic_action(ac_discrete *d, const ac_discrete_point *p)
{
    double energy = ac_relative_energy(d->system, p->a, p->b, p->h, NULL);
    take_momentum(d, p);
    for (int i = 0; i < d->system->n; ++i) energy += 0.5 * d->weights[i] * d->momentum[i];
    return p->h * energy;
}

static void inertia_values(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    take_momentum(d, p);
    for (int i = 0; i < d->system->n; ++i) {
        side[0][i] -= d->momentum[i];
        side[1][i] += d->momentum[i];
    }
    for (int s = 0; s < 2; ++s) ac_relative_add(d->system, p->a, p->b, p->h, s, side[s]);
}

static void inertia_by_step(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    take_momentum(d, p);
    for (int i = 0; i < d->system->n; ++i) {
        side[0][i] += d->momentum[i] / p->h;
        side[1][i] -= d->momentum[i] / p->h;
    }
    for (int s = 0; s < 2; ++s) /* they are proportional to 1/h */
        ac_relative_add(d->system, p->a, p->b, -p->h * p->h, s, side[s]);
}

static void inertia_slopes(ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                           void *user)
{
    const ac_slope_sink sink = sinks->entry;
    for (int k = 0; k < d->system->inertia.count; ++k) {
        const ac_mass_entry *e = &d->system->inertia.entries[k];
        double m = e->coefficient / p->h;
        if (e->relative) continue;
        for (int i = 0; i < e->dimension; ++i) {
            sink(user, 0, e->row + i, AC_BY_A, e->column + i, m);
            sink(user, 0, e->row + i, AC_BY_B, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_A, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_B, e->column + i, m);
        }
    }
    ac_relative_slopes(d, p, sinks, user);
}

static void inertia_pull(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                         const ac_pullback *out)
{
    int n = d->system->n;
    ac_relative_pull(d->system, p, wl, wr, out->a, out->b);
    if (d->system->mesh.dual_nodes == d->system->node_count) return;
    for (int i = 0; i < n; ++i) d->weights[i] = (wr[i] - wl[i]) / p->h;
    ac_mass_apply(d->system, d->weights, d->momentum); /* the mass matrix is symmetric */
    ac_relative_clear(d->system, d->momentum);
    for (int i = 0; out->a && i < n; ++i) out->a[i] -= d->momentum[i];
    for (int i = 0; out->b && i < n; ++i) out->b[i] += d->momentum[i];
}

static void inertia_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                              const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    int n = d->system->n;
    double h = p->h, sum = 0.0;
    ac_relative_curvature(d, p, by_h, wl, wr, sinks, user);
    if (!by_h) return;
    for (int i = 0; i < n; ++i) d->weights[i] = wr[i] - wl[i];
    ac_mass_apply(d->system, d->weights, d->momentum);
    ac_relative_clear(d->system, d->momentum);
    for (int i = 0; i < n; ++i) {
        sum += d->momentum[i] * (p->b[i] - p->a[i]);
        sinks->entry(user, AC_BY_A, i, AC_BY_H, 0, d->momentum[i] / (h * h));
        sinks->entry(user, AC_BY_B, i, AC_BY_H, 0, -d->momentum[i] / (h * h));
    }
    sinks->entry(user, AC_BY_H, 0, AC_BY_H, 0, 2.0 * sum / (h * h * h));
}

extern const ac_term ac_term_inertia;
const ac_term ac_term_inertia = {
    .name = "inertia",
    .action = kinetic_action,
    .values = inertia_values,
    .by_step = inertia_by_step,
    .slopes = inertia_slopes,
    .pull = inertia_pull,
    .curvature = inertia_curvature,
};

/* --- gravity: its potential is linear, so that mean and ends give the same --- */

static double gravity_action(ac_discrete *d, const ac_discrete_point *p)
{
    return -p->h * ac_gravity_energy(d->system, d->mean);
}

static void gravity_values(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    for (int s = 0; s < 2; ++s) ac_gravity_add(d->system, 0.5 * p->h, side[s]);
}

static void gravity_by_step(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    (void)p;
    for (int s = 0; s < 2; ++s) ac_gravity_add(d->system, 0.5, side[s]);
}

extern const ac_term ac_term_gravity;
const ac_term ac_term_gravity = {
    .name = "gravity",
    .action = gravity_action,
    .values = gravity_values,
    .by_step = gravity_by_step,
};
