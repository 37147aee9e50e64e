/* Elements on an interval: the parts of springs, beams and functions with their laws and dampers. Matrices of first and second
 * derivatives are in discrete_springs.c, transposed products in discrete_pull.c. */
#include "action/term.h"

double ac_discrete_energy(const ac_discrete *d, int spring, const double *q, double winding, double *gradient,
                          double *hessian, double *y, double *y_gradient)
{
    const ac_discrete_spring *s = &d->springs[spring];
    int n = d->scalars.list[s->scalar].count;
    bool slope = gradient || hessian || y_gradient;
    double g[AC_SCALAR_MAX], w[4];
    double own = ac_scalar_evaluate(&d->scalars, s->scalar, q, winding, slope ? g : NULL, hessian);
    s->law->value(s->data, own, w);
    for (int i = 0; hessian && i < n; ++i)
        for (int j = 0; j < n; ++j) hessian[i * n + j] = w[1] * hessian[i * n + j] + w[2] * g[i] * g[j];
    for (int i = 0; gradient && i < n; ++i) gradient[i] = w[1] * g[i];
    for (int i = 0; y_gradient && i < n; ++i) y_gradient[i] = g[i];
    if (y) *y = own;
    return w[0];
}

static double action(ac_discrete *d, const ac_discrete_point *p)
{
    ac_station stations[2];
    double sum = 0.0;
    int count = ac_discrete_stations(d, p, stations);
    for (int e = 0; e < count; ++e)
        for (int k = 0; k < d->spring_count; ++k)
            sum += ac_discrete_energy(d, k, stations[e].x, ac_spring_winding(&d->springs[k], p->winding),
                                      NULL, NULL, NULL, NULL);
    return -p->h * sum / count;
}

double ac_spring_change(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s)
{
    double winding = ac_spring_winding(s, p->winding);
    return ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, NULL, NULL) -
           ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, NULL, NULL);
}

static void add(const ac_discrete *d, const ac_discrete_spring *s, const ac_station *station, double factor,
                const double *g, double *const side[2])
{
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int count = d->scalars.list[s->scalar].plain;
    for (int e = 0; e < 2; ++e)
        for (int i = 0; (station->sides & (1 << e)) && i < count; ++i) side[e][at[i]] -= factor * g[i];
}

/* W' and g = grad y at the station; in the energy-momentum scheme the secant of W and D y, whose product with b - a is the
 * change of y. */
static double pull_of(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                      const ac_station *station, double *g)
{
    double winding = ac_spring_winding(s, p->winding), w[4], ends[2];
    ac_law_secant by;
    if (d->scheme == AC_ENERGY_MOMENTUM) {
        ac_scalar_secant(&d->scalars, s->scalar, p->a, p->b, winding, ends, g, NULL, NULL);
        return s->law->secant(s->data, ends[0], ends[1], &by);
    }
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x, winding, g, NULL);
    if (s->stress >= 0) return s->root * p->stress[s->stress];
    s->law->value(s->data, y, w);
    return w[1];
}

/* side += factor times the elastic force, - c/2 times the change of y along g = grad y if `damped`: half of the impulse of the
 * dampers, which does not depend on h. */
static void add_forces(const ac_discrete *d, const ac_discrete_point *p, double factor, bool damped,
                       double *const side[2])
{
    ac_station stations[2];
    int count = ac_discrete_stations(d, p, stations);
    for (int e = 0; e < count; ++e)
        for (int k = 0; k < d->spring_count; ++k) {
            const ac_discrete_spring *s = &d->springs[k];
            const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
            double g[AC_SCALAR_MAX], rate = 0.0;
            add(d, s, &stations[e], factor * pull_of(d, p, s, &stations[e], g), g, side);
            if (!damped || s->damping == 0.0 || s->stress >= 0) continue;
            if (d->scheme == AC_ENERGY_MOMENTUM)
                ac_scalar_evaluate(&d->scalars, s->scalar, stations[e].x, ac_spring_winding(s, p->winding), g,
                                   NULL);
            for (int i = 0; !s->secant && i < d->scalars.list[s->scalar].plain; ++i)
                rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
            if (s->secant) rate = ac_spring_change(d, p, s);
            add(d, s, &stations[e], 0.5 * s->damping * rate, g, side);
        }
}

static void values(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    add_forces(d, p, 0.5 * p->h, true, side);
}

static void by_step(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    add_forces(d, p, 0.5, false, side);
}

extern const ac_term ac_term_elements;
const ac_term ac_term_elements = {
    .name = "elements",
    .action = action,
    .values = values,
    .by_step = by_step,
    .slopes = ac_discrete_spring_slopes,
    .pull = ac_discrete_pull_elements,
    .curvature = ac_discrete_spring_curvature,
};
