/* The energy of an interval by its numbers, E = -dL_d/dh, without inputs and dampers:
 *
 *   E = v . M v / 2 + V with v = (b - a) / h, V at the mean (midpoint) or the mean of both ends (trapezoidal)
 *
 * for inertia of both ends (relative.h) 2/h^2 sum m_i y_i^2 in the place of the first term.
 */
#include "action/describe/numbers.h"
#include "action/relative.h"

typedef struct pulling {
    const ac_discrete *d;
    const ac_discrete_point *p;
    const ac_varying *v;
    double factor, *by;
} pulling;

static void pull_masses(const pulling *s, int first, int end)
{
    const double factor = 0.5 * s->factor / (s->p->h * s->p->h);
    for (int k = first; k < end; ++k) {
        int i = s->v->keys[k].i, j = s->v->keys[k].j;
        s->by[k] += factor * (s->p->b[i] - s->p->a[i]) * (s->p->b[j] - s->p->a[j]);
    }
}

static void pull_relative(const pulling *s, const ac_varying_node *own)
{
    const ac_node *node = &s->d->system->nodes[own->node];
    const int at = node->q + AC_DUAL_AT;
    double y[8];
    ac_relative_between(s->p->a + at, s->p->b + at, y);
    for (int c = 0; c < 8; ++c) y[c] *= 2.0 * y[c] / (s->p->h * s->p->h);
    for (int k = own->first; k < own->end; ++k)
        s->by[k] += s->factor *
                    ac_relative_by_mass(node, s->v->keys[k].i - node->q, s->v->keys[k].j - node->q, y);
}

static void pull_inertia(const pulling *s)
{
    const ac_varying *v = s->v;
    int done = v->first[AC_NUMBER_MASS];
    for (int n = 0; n < v->node_count; ++n) {
        pull_masses(s, done, v->nodes[n].first);
        pull_relative(s, &v->nodes[n]);
        done = v->nodes[n].end;
    }
    pull_masses(s, done, v->first[AC_NUMBER_MASS + 1]);
    for (int k = v->first[AC_NUMBER_GRAVITY]; k < v->first[AC_NUMBER_GRAVITY + 1]; ++k)
        s->by[k] -= 0.5 * s->factor * (s->p->a[v->keys[k].i] + s->p->b[v->keys[k].i]);
}

/* A part at a station, which has this share of the potential. */
static void pull_part(const pulling *s, int part, const double *q, double share)
{
    const ac_discrete_spring *spring = &s->d->springs[part];
    const ac_scalars *set = &s->d->scalars;
    const ac_scalar *scalar = &set->list[spring->scalar];
    const int *at = ac_scalar_coordinates(set, spring->scalar);
    double x[AC_SCALAR_MAX] = {0.0}, kappa[AC_OUTER_MAX], W[4];
    ac_outer_value psi = {0};
    ac_law_slopes law = {0};
    for (int i = 0; i < scalar->count; ++i) x[i] = q[at[i]];
    for (int m = 0; m < scalar->outer.maps; ++m)
        kappa[m] = ac_form_value(&set->forms, scalar->first_form + m, x);
    ac_outer_evaluate(&scalar->outer, kappa, ac_spring_winding(spring, s->p->winding), &psi);
    spring->law->value(spring->data, psi.y, W);
    if (s->v->law[part] < s->v->law[part + 1]) spring->law->by_data(spring->data, psi.y, &law);
    for (int k = s->v->law[part]; k < s->v->law[part + 1]; ++k)
        s->by[k] += share * law.one[s->v->keys[k].row][0];
    for (int k = s->v->map[spring->scalar]; k < s->v->map[spring->scalar + 1]; ++k)
        s->by[k] += share * W[1] * psi.d[s->v->keys[k].row] * ac_number_monomial(&s->v->keys[k], q);
    for (int k = s->v->function[spring->scalar]; k < s->v->function[spring->scalar + 1]; ++k) {
        double d[AC_OUTER_MAX];
        s->by[k] += share * W[1] * ac_function_by_number(scalar->outer.function, kappa, s->v->keys[k].row, d);
    }
}

static void pull_elements(ac_discrete *d, const pulling *s)
{
    ac_station stations[2];
    int count = ac_discrete_stations(d, s->p, stations);
    for (int e = 0; e < s->v->element_count; ++e)
        for (int k = s->v->elements[e].first; k < s->v->elements[e].end; ++k)
            for (int i = 0; i < count && ac_varying_part(d, s->v, k); ++i)
                pull_part(s, k, stations[i].x, s->factor / count);
}

void ac_numbers_pull_energy(ac_discrete *d, const ac_discrete_point *point, const ac_varying *varying,
                            double factor, double *by)
{
    const pulling s = {d, point, varying, factor, by};
    if (varying->count == 0 || factor == 0.0) return;
    ac_discrete_take_mean(d, point);
    pull_inertia(&s);
    pull_elements(d, &s);
}
