/* Derivatives of the equations of an interval along weights by its numbers.
 *
 * A coefficient c of a map kappa changes kappa(x) by the monomial m(x) and kappa'(x) w by m'(x) w. With y = psi(kappa),
 *   d(alpha y + grad y . z) = sum_m (alpha psi_m + sum_l psi_lm kappa_l' z) m(x) + psi_m m'(x) z
 * and the work of a part along the weights W,  -h/2 W'(y) (g . W) - c/2 (g . delta)(g . W),  is of this form.
 */
#include "action/describe/numbers.h"
#include "action/relative.h"

/* --- constraints and inertia --- */

void ac_numbers_pull_forces(const ac_varying *v, int first, const double *x, const double *lambda,
                            const double *w, double factor, double *by)
{
    for (int k = v->constraint[first]; k < v->first[AC_NUMBER_CONSTRAINT + 1]; ++k)
        by[k] += factor * lambda[v->keys[k].owner] * ac_number_along(&v->keys[k], x, w);
}

void ac_numbers_pull_rows(const ac_varying *v, int first, const double *x, const double *eta, double factor,
                          double *by)
{
    for (int k = v->constraint[first]; k < v->first[AC_NUMBER_CONSTRAINT + 1]; ++k)
        by[k] += factor * eta[v->keys[k].owner] * ac_number_monomial(&v->keys[k], x);
}

void ac_numbers_pull_mass(const ac_varying *v, const double *w, const double *velocity, double factor,
                          double *by)
{
    for (int k = v->first[AC_NUMBER_MASS]; k < v->first[AC_NUMBER_MASS + 1]; ++k)
        if (v->keys[k].owner == 0) by[k] += factor * w[v->keys[k].i] * velocity[v->keys[k].j];
}

/* Masses of nodes whose inertia on an interval is a function of both ends. */
static void pull_relative(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v,
                          const ac_varying_node *own, const double *wl, const double *wr, double *by)
{
    const ac_node *node = &d->system->nodes[own->node];
    double pull[8];
    ac_relative_by_masses(node, p, wl, wr, pull);
    for (int k = own->first; k < own->end; ++k)
        by[k] += ac_relative_by_mass(node, v->keys[k].i - node->q, v->keys[k].j - node->q, pull);
}

/* by += derivative of the inertia by masses first .. end */
static void pull_masses(const ac_discrete_point *p, const ac_varying *v, int first, int end, const double *wl,
                        const double *wr, double *by)
{
    const double rate = 1.0 / p->h;
    for (int k = first; k < end; ++k) {
        int i = v->keys[k].i, j = v->keys[k].j;
        by[k] += (wr[i] - wl[i]) * (p->b[j] - p->a[j]) * rate;
    }
}

static void pull_inertia(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v,
                         const double *wl, const double *wr, double *by)
{
    int done = v->first[AC_NUMBER_MASS];
    for (int n = 0; n < v->node_count; ++n) {
        pull_masses(p, v, done, v->nodes[n].first, wl, wr, by);
        pull_relative(d, p, v, &v->nodes[n], wl, wr, by);
        done = v->nodes[n].end;
    }
    pull_masses(p, v, done, v->first[AC_NUMBER_MASS + 1], wl, wr, by);
    for (int k = v->first[AC_NUMBER_GRAVITY]; k < v->first[AC_NUMBER_GRAVITY + 1]; ++k)
        by[k] += 0.5 * p->h * (wl[v->keys[k].i] + wr[v->keys[k].i]);
}

/* --- scalars --- */

typedef struct scalar_point { /* maps of a scalar at x, and their derivatives along two vectors */
    double kappa[AC_OUTER_MAX], by_w[AC_OUTER_MAX], by_delta[AC_OUTER_MAX];
    ac_outer_value psi;
    double gw, gd; /* grad y along both */
} scalar_point;

/* kappa(x), kappa'(x) w, and kappa'(x) delta unless NULL. */
static void look_at_maps(const ac_scalars *set, int k, const double *x, const double *w, const double *delta,
                         scalar_point *at)
{
    const ac_scalar *scalar = &set->list[k];
    const int *coordinate = ac_scalar_coordinates(set, k);
    double local[AC_SCALAR_MAX];
    for (int i = 0; i < scalar->count; ++i) local[i] = x[coordinate[i]];
    for (int m = 0; m < scalar->outer.maps; ++m) {
        double gradient[AC_SCALAR_MAX] = {0.0};
        int map = scalar->first_form + m;
        at->kappa[m] = ac_form_value(&set->forms, map, local);
        ac_form_add_gradient(&set->forms, map, local, 1.0, gradient);
        at->by_w[m] = at->by_delta[m] = 0.0;
        for (int i = 0; i < scalar->count; ++i) {
            at->by_w[m] += gradient[i] * w[coordinate[i]];
            if (delta) at->by_delta[m] += gradient[i] * delta[coordinate[i]];
        }
    }
}

static void look_at(const ac_scalars *set, int k, const double *x, double winding, const double *w,
                    const double *delta, scalar_point *at)
{
    const ac_outer *outer = &set->list[k].outer;
    look_at_maps(set, k, x, w, delta, at);
    ac_outer_evaluate(outer, at->kappa, winding, &at->psi);
    at->gw = at->gd = 0.0;
    for (int m = 0; m < outer->maps; ++m) {
        at->gw += at->psi.d[m] * at->by_w[m];
        at->gd += at->psi.d[m] * at->by_delta[m];
    }
}

/* by += derivative of alpha y + beta grad y . w + gamma grad y . delta */
static void pull_scalar(const ac_scalars *set, int k, const ac_varying *v, const double *x,
                        const scalar_point *at, double alpha, double beta, const double *w, double gamma,
                        const double *delta, double *by)
{
    int maps = set->list[k].outer.maps;
    double weight[AC_OUTER_MAX];
    for (int m = 0; m < maps; ++m) {
        weight[m] = alpha * at->psi.d[m];
        for (int l = 0; l < maps; ++l)
            weight[m] += at->psi.dd[l][m] * (beta * at->by_w[l] + gamma * at->by_delta[l]);
    }
    for (int e = v->map[k]; e < v->map[k + 1]; ++e) {
        const ac_number_key *key = &v->keys[e];
        double bent = beta * ac_number_along(key, x, w) +
                      (gamma != 0.0 ? gamma * ac_number_along(key, x, delta) : 0.0);
        by[e] += weight[key->row] * ac_number_monomial(key, x) + at->psi.d[key->row] * bent;
    }
    for (int e = v->function[k]; e < v->function[k + 1]; ++e) {
        double d[AC_OUTER_MAX];
        by[e] += alpha * ac_function_by_number(set->list[k].outer.function, at->kappa, v->keys[e].row, d);
        for (int m = 0; m < maps; ++m) by[e] += d[m] * (beta * at->by_w[m] + gamma * at->by_delta[m]);
    }
}

/* --- elements --- */

static void pull_law(const ac_varying *v, int part, const double slopes[AC_LAW_DATA], double factor,
                     double *by)
{
    for (int e = v->law[part]; e < v->law[part + 1]; ++e) by[e] += factor * slopes[v->keys[e].row];
}

/* The derivative of factor W'(y), or of factor times the secant of W between y and `other`. */
static void pull_law_at(const ac_varying *v, int part, const ac_discrete_spring *s, double y,
                        const double *other, double factor, double *by)
{
    ac_law_slopes slopes = {0};
    ac_law_secant secant;
    double pull[AC_LAW_DATA];
    if (other) {
        s->law->secant(s->data, y, *other, &secant);
        pull_law(v, part, secant.by_data, factor, by);
        return;
    }
    s->law->by_data(s->data, y, &slopes);
    for (int n = 0; n < AC_LAW_DATA; ++n) pull[n] = slopes.one[n][1];
    pull_law(v, part, pull, factor, by);
}

/* by += factor times the derivative of y(b) - y(a): the rate of a damper that takes the secant */
static void pull_change(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v,
                        const ac_discrete_spring *s, double factor, double *by)
{
    double winding = ac_spring_winding(s, p->winding);
    for (int end = 0; end < 2; ++end) {
        const double *x = end == 0 ? p->a : p->b;
        scalar_point at = {0};
        look_at(&d->scalars, s->scalar, x, winding, x, NULL, &at);
        pull_scalar(&d->scalars, s->scalar, v, x, &at, end == 0 ? -factor : factor, 0.0, x, 0.0, NULL, by);
    }
}

/* One part at a station: elastic and damping force along w, delta = b - a. */
static void pull_part(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v, int part,
                      const double *x, bool elastic, const double *w, const double *delta, double *by)
{
    const ac_discrete_spring *s = &d->springs[part];
    scalar_point at = {0};
    double W[4], half = -0.5 * p->h, c = -0.5 * s->damping;
    look_at(&d->scalars, s->scalar, x, ac_spring_winding(s, p->winding), w, delta, &at);
    s->law->value(s->data, at.psi.y, W);
    if (elastic && v->law[part] < v->law[part + 1]) pull_law_at(v, part, s, at.psi.y, NULL, half * at.gw, by);
    double rate = s->secant && s->damping != 0.0 ? ac_spring_change(d, p, s) : at.gd;
    if (v->damping[part] < v->damping[part + 1]) by[v->damping[part]] -= 0.5 * rate * at.gw;
    double alpha = elastic ? half * W[2] * at.gw : 0.0, beta = (elastic ? half * W[1] : 0.0) + c * rate;
    pull_scalar(&d->scalars, s->scalar, v, x, &at, alpha, beta, w, s->secant ? 0.0 : c * at.gw, delta, by);
    if (s->secant && s->damping != 0.0) pull_change(d, p, v, s, c * at.gw, by);
}

/* The discrete derivative -h/2 s(y_a, y_b) D(a, b) along w, D = sum D_m kappa_m'(mean). */
static void pull_secant(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v, int part,
                        const double *w, double *by)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_outer *outer = &d->scalars.list[s->scalar].outer;
    scalar_point mean = {0}, a = {0}, b = {0};
    ac_outer_secant secant;
    ac_law_secant law;
    double winding = ac_spring_winding(s, p->winding), half = -0.5 * p->h, Dw = 0.0;
    look_at_maps(&d->scalars, s->scalar, d->mean, w, NULL, &mean);
    look_at(&d->scalars, s->scalar, p->a, winding, w, NULL, &a);
    look_at(&d->scalars, s->scalar, p->b, winding, w, NULL, &b);
    ac_outer_secant_between(outer, a.kappa, b.kappa, winding, &secant);
    double pull = s->law->secant(s->data, secant.ya, secant.yb, &law);
    for (int m = 0; m < outer->maps; ++m) Dw += secant.D[m] * mean.by_w[m];
    pull_law(v, part, law.by_data, half * Dw, by);
    for (int e = v->map[s->scalar]; e < v->map[s->scalar + 1]; ++e) {
        const ac_number_key *key = &v->keys[e];
        int m = key->row;
        double by_a = law.by_a * Dw * a.psi.d[m], by_b = law.by_b * Dw * b.psi.d[m];
        for (int l = 0; l < outer->maps; ++l) {
            by_a += pull * secant.by_a[l][m] * mean.by_w[l];
            by_b += pull * secant.by_b[l][m] * mean.by_w[l];
        }
        by[e] += half * (pull * secant.D[m] * ac_number_along(key, d->mean, w) +
                         by_a * ac_number_monomial(key, p->a) + by_b * ac_number_monomial(key, p->b));
    }
    for (int e = v->function[s->scalar]; e < v->function[s->scalar + 1]; ++e) { /* of a linear law */
        double D[AC_OUTER_MAX];
        ac_function_secant_by_number(outer, a.kappa, b.kappa, v->keys[e].row, D);
        for (int m = 0; m < outer->maps; ++m) by[e] += half * pull * D[m] * mean.by_w[m];
    }
}

/* --- parts whose number is a map itself, of which the law alone varies --- */

/* Value of a map at x, and its derivative along w. */
static double map_along(const ac_forms *f, int map, const int *at, const double *x, const double *w,
                        double *slope)
{
    double value = f->constant[map], sum = 0.0;
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e) {
        value += f->linears[e].b * x[at[f->linears[e].i]];
        sum += f->linears[e].b * w[at[f->linears[e].i]];
    }
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        double xi = x[at[p->i]], xj = x[at[p->j]];
        value += p->a * xi * xj;
        sum += p->a * (xi * w[at[p->j]] + w[at[p->i]] * xj);
    }
    *slope = sum;
    return value;
}

/* pull_part and pull_secant for such a part */
static void pull_plain(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v, int part,
                       const double *x, bool secant, const double *w, const double *delta, double *by)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_forms *f = &d->scalars.forms;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar),
              map = d->scalars.list[s->scalar].first_form;
    double gw, gd = 0.0, half = -0.5 * p->h, y[2], late;
    y[0] = map_along(f, map, at, secant ? p->a : x, w, &gw);
    if (secant) {
        y[1] = map_along(f, map, at, p->b, w, &late);
        gw = 0.5 * (gw + late);
    }
    pull_law_at(v, part, s, y[0], secant ? &y[1] : NULL, half * gw, by);
    if (v->damping[part] == v->damping[part + 1]) return;
    map_along(f, map, at, x, delta, &gd);
    by[v->damping[part]] -= 0.5 * (s->secant ? ac_spring_change(d, p, s) : gd) * gw;
}

/* --- elements whose numbers are found by a loop of their own, of which the laws alone vary --- */

/* Rates y' h of the parts of an element: their changes, or their derivatives along delta. */
static bool rates_of(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                     const double *x, const double *delta, double rate[AC_ELEMENT_PARTS])
{
    double y[2][AC_ELEMENT_PARTS], other[AC_ELEMENT_PARTS];
    if (!s->secant) return s->kind->along(d->system, s->number, x, delta, y[0], rate);
    s->kind->along(d->system, s->number, p->a, delta, y[0], other);
    s->kind->along(d->system, s->number, p->b, delta, y[1], other);
    for (int i = 0; i < AC_ELEMENT_PARTS; ++i) rate[i] = y[1][i] - y[0][i];
    return true;
}

/* What one factor of the map of a part does to the work of its force: y, its derivative along w and its rate are proportional to it. */
static double by_factor(const ac_discrete_spring *s, double y, double other, bool secant, double half,
                        double along, double rate)
{
    ac_law_secant law;
    double W[4], damping = -s->damping * rate * along;
    if (!secant) {
        s->law->value(s->data, y, W);
        return half * (W[2] * y + W[1]) * along + damping;
    }
    double pull = s->law->secant(s->data, y, other, &law);
    return half * (law.by_a * y + law.by_b * other + pull) * along + damping;
}

/* pull_part and pull_secant for all parts of such an element; false: it has no loop. */
static bool pull_looped(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v, int first,
                        int end, const double *x, bool secant, const double *w, const double *delta,
                        double *by)
{
    const ac_discrete_spring *s = &d->springs[first];
    double y[2][AC_ELEMENT_PARTS] = {{0.0}}, along[2][AC_ELEMENT_PARTS] = {{0.0}},
           rate[AC_ELEMENT_PARTS] = {0.0}, half = -0.5 * p->h;
    if (!s->kind->along(d->system, s->number, secant ? p->a : x, w, y[0], along[0])) return false;
    if (secant) s->kind->along(d->system, s->number, p->b, w, y[1], along[1]);
    for (int i = 0; secant && i < end - first; ++i) along[0][i] = 0.5 * (along[0][i] + along[1][i]);
    for (int i = 0; i < end - first; ++i)
        if (v->law[first + i] < v->law[first + i + 1]) /* W' is the secant between equal ends */
            pull_law_at(v, first + i, &s[i], y[0][i], &y[secant][i], half * along[0][i], by);
    bool scaled = v->scale && v->map[s->scalar] < v->map[s[end - first - 1].scalar + 1];
    bool damped = v->damping[first] < v->damping[end];
    for (int i = 0; scaled && i < end - first; ++i) damped = damped || s[i].damping != 0.0;
    if (!damped && !scaled) return true;
    if (damped) rates_of(d, p, s, x, delta, rate);
    for (int i = 0; i < end - first; ++i) {
        if (v->damping[first + i] < v->damping[first + i + 1])
            by[v->damping[first + i]] -= 0.5 * rate[i] * along[0][i];
        int scalar = s[i].scalar;
        if (scaled && v->map[scalar] < v->map[scalar + 1])
            by[v->map[scalar]] += v->scale[scalar] *
                                  by_factor(&s[i], y[0][i], y[1][i], secant, half, along[0][i], rate[i]);
    }
    return true;
}

/* w: weights of the sides on which the station acts */
static void pull_elements(ac_discrete *d, const ac_discrete_point *p, const ac_varying *v,
                          const ac_station *station, const double *w, const double *delta, double *by)
{
    bool secant = d->scheme == AC_ENERGY_MOMENTUM;
    for (int e = 0; e < v->element_count; ++e) {
        const ac_varying_element *own = &v->elements[e];
        if (own->looped && pull_looped(d, p, v, own->first, own->end, station->x, secant, w, delta, by))
            continue;
        for (int k = own->first; k < own->end; ++k) {
            if (!ac_varying_part(d, v, k)) continue;
            if (ac_varying_is_plain(d, v, k)) {
                pull_plain(d, p, v, k, station->x, secant, w, delta, by);
                continue;
            }
            if (secant) pull_secant(d, p, v, k, w, by);
            pull_part(d, p, v, k, station->x, !secant, w, delta, by);
        }
    }
}

/* --- inputs --- */

static void pull_inputs(const ac_discrete *d, const ac_discrete_point *p, const ac_varying *v,
                        const double *x, const double *w, double *by)
{
    for (int k = 0; k < d->input_count; ++k) {
        const ac_input *input = &d->inputs[k];
        double factor = 0.5 * p->h * p->tau[k];
        for (int e = v->input[k]; e < v->input[k + 1]; ++e)
            by[e] += factor * w[v->keys[e].row] * ac_number_monomial(&v->keys[e], x);
        if (input->scalar < 0 || v->map[input->scalar] == v->map[input->scalar + 1]) continue;
        scalar_point at = {0};
        look_at(&d->scalars, input->scalar, x, 0.0, w, NULL, &at);
        pull_scalar(&d->scalars, input->scalar, v, x, &at, 0.0, factor * input->sign, w, 0.0, NULL, by);
    }
}

/* --- all --- */

static const double *weights_of(const ac_discrete *d, const ac_station *station, const double *wl,
                                const double *wr)
{
    if (station->sides != AC_BOTH_SIDES) return station->sides == AC_LEFT ? wl : wr;
    for (int i = 0; i < d->system->n; ++i) d->weights[i] = wl[i] + wr[i];
    return d->weights;
}

void ac_numbers_pull(ac_discrete *d, const ac_discrete_point *p, const ac_varying *v, const double *wl,
                     const double *wr, double *by)
{
    ac_station stations[2];
    if (v->count == 0) return;
    ac_discrete_take_mean(d, p);
    pull_inertia(d, p, v, wl, wr, by);
    if (v->first[AC_NUMBER_LAW] == v->count) return;
    for (int i = 0; i < d->system->n; ++i) d->common[i] = p->b[i] - p->a[i];
    for (int k = 0, count = ac_discrete_stations(d, p, stations); k < count; ++k)
        pull_elements(d, p, v, &stations[k], weights_of(d, &stations[k], wl, wr), d->common, by);
    for (int k = 0, count = ac_discrete_input_stations(d, p, stations); k < count; ++k)
        pull_inputs(d, p, v, stations[k].x, weights_of(d, &stations[k], wl, wr), by);
}
