/* Transposed products of an interval without its matrices: (wl, wr)^T d(left, right)/d(a, b, inputs).
 *
 * The work of a part of an element along weights W, with g = grad y and delta = b - a,
 *   phi = -h/2 W'(y) (g . W) - c/2 (g . delta)(g . W),
 * is a function of the maps and of their derivatives along W and delta; its gradient costs about as much as the force.
 * The matrices of discrete_springs.c give the same; a test compares both.
 */
#include <string.h>

#include "action/describe/discrete.h"
#include "base/chain.h"

/* Maps of a scalar at x with their gradients, and derivatives along W and delta. */
typedef struct map_point {
    int n, maps;
    const int *at;
    const ac_forms *forms;
    int first;
    double x[AC_CHAIN_MAX], kappa[AC_OUTER_MAX], J[AC_OUTER_MAX][AC_CHAIN_MAX], by_w[AC_OUTER_MAX],
        by_delta[AC_OUTER_MAX];
} map_point;

static void gather(const map_point *m, const double *q, double *x)
{
    for (int i = 0; i < m->n; ++i) x[i] = q[m->at[i]];
}

static void take_map(const map_point *m, int k, const double *x, double *kappa, double *J)
{
    const ac_forms *f = m->forms;
    int map = m->first + k;
    double value = f->constant[map];
    memset(J, 0, (size_t)m->n * sizeof *J);
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e) {
        value += f->linears[e].b * x[f->linears[e].i];
        J[f->linears[e].i] += f->linears[e].b;
    }
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        double by_i = p->a * x[p->j];
        value += by_i * x[p->i];
        J[p->i] += by_i;
        J[p->j] += p->a * x[p->i];
    }
    *kappa = value;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void look_at(const ac_scalars *set, int scalar, const double *q, map_point *m)
{
    m->n = set->list[scalar].count;
    m->maps = set->list[scalar].outer.maps;
    m->at = ac_scalar_coordinates(set, scalar);
    m->forms = &set->forms;
    m->first = set->list[scalar].first_form;
    gather(m, q, m->x);
    for (int k = 0; k < m->maps; ++k) take_map(m, k, m->x, &m->kappa[k], m->J[k]);
}

/* out += sum_k weight_k J_k + bend_k A_k z, A_k the second derivative of map k */
static void spread(const map_point *m, const double *weight, const double *bend, const double *z, double *out)
{
    const ac_forms *f = m->forms;
    for (int k = 0; k < m->maps; ++k) {
        for (int i = 0; i < m->n; ++i) out[i] += weight[k] * m->J[k][i];
        if (bend[k] == 0.0) continue;
        for (int e = f->product_start[m->first + k]; e < f->product_start[m->first + k + 1]; ++e) {
            const ac_product *p = &f->products[e];
            double a = bend[k] * p->a;
            out[p->i] += a * z[p->j];
            out[p->j] += a * z[p->i];
        }
    }
}

static void scatter(const map_point *m, const double *x, double factor, double *out)
{
    for (int i = 0; out && factor != 0.0 && i < m->n; ++i) out[m->at[i]] += factor * x[i];
}

/* --- one part --- */

/* At a station: elastic and damping force. */
static void pull_part(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station, int part,
                      bool elastic, const double *weights, const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_outer *outer = &d->scalars.list[s->scalar].outer;
    map_point m;
    ac_outer_value psi;
    double w[AC_CHAIN_MAX], delta[AC_CHAIN_MAX], z[AC_CHAIN_MAX],
        by_x[AC_CHAIN_MAX] = {0.0}, by_step[AC_CHAIN_MAX] = {0.0}, weight[AC_OUTER_MAX], along[AC_OUTER_MAX],
        W[4], gw = 0.0, gd = 0.0;
    bool damped = s->damping != 0.0;
    look_at(&d->scalars, s->scalar, station->x, &m);
    ac_outer_evaluate(outer, m.kappa, ac_spring_winding(s, p->winding), &psi);
    gather(&m, weights, w);
    if (damped) gather(&m, d->common, delta);
    for (int k = 0; k < m.maps; ++k) {
        m.by_w[k] = dot(m.n, m.J[k], w);
        m.by_delta[k] = damped ? dot(m.n, m.J[k], delta) : 0.0;
        gw += psi.d[k] * m.by_w[k];
        gd += psi.d[k] * m.by_delta[k];
    }
    s->law->value(s->data, psi.y, W);
    double half = elastic ? -0.5 * p->h : 0.0, alpha = half * W[2] * gw,
           beta = half * W[1] - 0.5 * s->damping * gd, gamma = -0.5 * s->damping * gw;
    for (int i = 0; i < m.n; ++i) z[i] = beta * w[i] + (damped ? gamma * delta[i] : 0.0);
    for (int k = 0; k < m.maps; ++k) {
        weight[k] = alpha * psi.d[k];
        along[k] = gamma * psi.d[k];
        for (int l = 0; outer->kind != AC_OUTER_VALUE && l < m.maps; ++l)
            weight[k] += psi.dd[k][l] * (beta * m.by_w[l] + gamma * m.by_delta[l]);
    }
    spread(&m, weight, psi.d, z, by_x);
    scatter(&m, by_x, station->by[0], out->a);
    scatter(&m, by_x, station->by[1], out->b);
    if (!damped) return;
    for (int k = 0; k < m.maps; ++k)
        for (int i = 0; i < m.n; ++i) by_step[i] += along[k] * m.J[k][i];
    scatter(&m, by_step, -1.0, out->a);
    scatter(&m, by_step, 1.0, out->b);
}

/* g(end) and the maps of the secant by one of its ends */
static void pull_end(const ac_discrete *d, const ac_discrete_spring *s, const map_point *mean,
                     const double *end, double winding, double by[AC_OUTER_MAX][AC_OUTER_MAX], double pull,
                     double law, const double *bent, double *out)
{
    const ac_outer *outer = &d->scalars.list[s->scalar].outer;
    static const double none[AC_OUTER_MAX] = {0.0};
    map_point m;
    ac_outer_value psi;
    double weight[AC_OUTER_MAX], sum[AC_CHAIN_MAX];
    if (!out) return;
    memcpy(sum, bent, (size_t)mean->n * sizeof *sum);
    look_at(&d->scalars, s->scalar, end, &m);
    ac_outer_evaluate(outer, m.kappa, winding, &psi);
    for (int k = 0; k < m.maps; ++k) {
        weight[k] = law * psi.d[k];
        for (int l = 0; l < m.maps; ++l) weight[k] += pull * by[l][k] * mean->by_w[l];
    }
    spread(&m, weight, none, sum, sum);
    scatter(&m, sum, 1.0, out);
}

/* The discrete derivative -h/2 s(y_a, y_b) D(a, b), D = sum D_k kappa_k'(mean). */
static void pull_secant(const ac_discrete *d, const ac_discrete_point *p, int part, const double *weights,
                        const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_outer *outer = &d->scalars.list[s->scalar].outer;
    map_point m;
    ac_outer_secant secant;
    ac_law_secant law;
    double w[AC_CHAIN_MAX], x[AC_CHAIN_MAX], J[AC_CHAIN_MAX], ends[2][AC_OUTER_MAX], bend[AC_OUTER_MAX],
        bent[AC_CHAIN_MAX] = {0.0}, zero[AC_OUTER_MAX] = {0.0}, winding = ac_spring_winding(s, p->winding),
        half = -0.5 * p->h, Dw = 0.0;
    look_at(&d->scalars, s->scalar, d->mean, &m);
    gather(&m, weights, w);
    for (int e = 0; e < 2; ++e) {
        gather(&m, e ? p->b : p->a, x);
        for (int k = 0; k < m.maps; ++k) take_map(&m, k, x, &ends[e][k], J);
    }
    ac_outer_secant_between(outer, ends[0], ends[1], winding, &secant);
    double pull = s->law->secant(s->data, secant.ya, secant.yb, &law);
    for (int k = 0; k < m.maps; ++k) {
        m.by_w[k] = dot(m.n, m.J[k], w);
        Dw += secant.D[k] * m.by_w[k];
        bend[k] = 0.5 * half * pull * secant.D[k];
    }
    spread(&m, zero, bend, w, bent);
    pull_end(d, s, &m, p->a, winding, secant.by_a, half * pull, half * law.by_a * Dw, bent, out->a);
    pull_end(d, s, &m, p->b, winding, secant.by_b, half * pull, half * law.by_b * Dw, bent, out->b);
}

/* --- parts whose number is a map itself, as most strains --- */

/* Value of a map at x, and its derivative along w. */
static double map_along(const ac_forms *f, int map, const double *x, const double *w, double *along)
{
    double value = f->constant[map], sum = 0.0;
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e) {
        value += f->linears[e].b * x[f->linears[e].i];
        sum += f->linears[e].b * w[f->linears[e].i];
    }
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        value += p->a * x[p->i] * x[p->j];
        sum += p->a * (x[p->i] * w[p->j] + w[p->i] * x[p->j]);
    }
    *along = sum;
    return value;
}

/* out += A v + factor times the linear part */
static void spread_map(const ac_forms *f, int map, const int *at, const double *v, double factor, double *out)
{
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
        out[at[f->linears[e].i]] += factor * f->linears[e].b;
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        out[at[p->i]] += p->a * v[p->j];
        out[at[p->j]] += p->a * v[p->i];
    }
}

static bool is_map(const ac_discrete *d, int part)
{
    const ac_outer *outer = &d->scalars.list[d->springs[part].scalar].outer;
    return outer->kind == AC_OUTER_VALUE && outer->maps == 1 && outer->factor == 1.0 && outer->offset == 0.0;
}

/* pull_part for such a part: grad y = A x + b */
static void pull_map(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station, int part,
                     bool elastic, const double *weights, const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_scalar *scalar = &d->scalars.list[s->scalar];
    const ac_forms *f = &d->scalars.forms;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar), map = scalar->first_form,
              n = scalar->count;
    double x[AC_CHAIN_MAX] = {0.0}, w[AC_CHAIN_MAX] = {0.0}, delta[AC_CHAIN_MAX] = {0.0}, v[AC_CHAIN_MAX],
           ends[2][AC_CHAIN_MAX], W[4], gw, gd = 0.0, other;
    bool damped = s->damping != 0.0, secant = damped && s->secant;
    for (int i = 0; i < n; ++i) {
        x[i] = station->x[at[i]];
        w[i] = weights[at[i]];
        if (damped && !secant) delta[i] = d->common[at[i]];
    }
    double y = map_along(f, map, x, w, &gw);
    if (damped && !secant) map_along(f, map, x, delta, &gd);
    for (int e = 0; secant && e < 2;
         ++e) { /* the rate is the change of y, whose slopes are those at the ends */
        for (int i = 0; i < n; ++i) ends[e][i] = (e ? p->b : p->a)[at[i]];
        gd += (e ? 1.0 : -1.0) * map_along(f, map, ends[e], w, &other);
    }
    s->law->value(s->data, y, W);
    double half = elastic ? -0.5 * p->h : 0.0, alpha = half * W[2] * gw,
           beta = half * W[1] - 0.5 * s->damping * gd, gamma = -0.5 * s->damping * gw;
    double *const sides[2] = {out->a, out->b};
    for (int e = 0; e < 2; ++e) {
        double by = station->by[e], step = e == 0 ? -gamma : gamma;
        if (!sides[e] || (by == 0.0 && !damped)) continue;
        const double *rate = secant ? ends[e] : x;
        for (int i = 0; i < n; ++i)
            v[i] = by * (alpha * x[i] + beta * w[i] + gamma * delta[i]) + step * rate[i];
        spread_map(f, map, at, v, by * alpha + step, sides[e]);
    }
}

/* pull_secant for such a part: D = A mean + b */
static void pull_map_secant(const ac_discrete *d, const ac_discrete_point *p, int part, const double *weights,
                            const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[part];
    const ac_scalar *scalar = &d->scalars.list[s->scalar];
    const ac_forms *f = &d->scalars.forms;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar), map = scalar->first_form,
              n = scalar->count;
    double x[2][AC_CHAIN_MAX] = {{0.0}}, w[AC_CHAIN_MAX] = {0.0}, v[AC_CHAIN_MAX], y[2], along[2];
    ac_law_secant law;
    for (int i = 0; i < n; ++i) {
        x[0][i] = p->a[at[i]];
        x[1][i] = p->b[at[i]];
        w[i] = weights[at[i]];
    }
    for (int e = 0; e < 2; ++e) y[e] = map_along(f, map, x[e], w, &along[e]);
    double pull = s->law->secant(s->data, y[0], y[1], &law), half = -0.5 * p->h,
           Dw = 0.5 * (along[0] + along[1]);
    double *const sides[2] = {out->a, out->b};
    for (int e = 0; e < 2; ++e) {
        double turn = half * Dw * (e == 0 ? law.by_a : law.by_b);
        if (!sides[e]) continue;
        for (int i = 0; i < n; ++i) v[i] = 0.5 * half * pull * w[i] + turn * x[e][i];
        spread_map(f, map, at, v, turn, sides[e]);
    }
}

/* --- all --- */

/* Weights of the sides on which a station acts; NULL: there are none. */
static const double *weights_of(ac_discrete *d, const ac_station *station, const double *wl, const double *wr)
{
    const int n = d->system->n;
    const double *weights = station->sides == AC_LEFT ? wl : wr;
    if (station->sides == AC_BOTH_SIDES) {
        for (int i = 0; i < n; ++i) d->weights[i] = wl[i] + wr[i];
        weights = d->weights;
    }
    for (int i = 0; i < n; ++i)
        if (weights[i] != 0.0) return weights;
    return NULL;
}

/* The elastic part of a whole element by its own loop: -h/2 (d2V/dq2) w, and that of the discrete derivative. */
static bool pull_element(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                         int part, const double *weights, const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[part];
    double *const sides[2] = {out->a, out->b}, factor = -0.5 * p->h;
    bool done = false;
    if (d->scheme == AC_ENERGY_MOMENTUM)
        return s->kind->add_bent_discrete &&
               s->kind->add_bent_discrete(d->system, s->number, p->a, p->b, weights, factor, out->a, out->b);
    if (!s->kind->add_bent) return false;
    for (int e = 0; e < 2; ++e)
        if (sides[e] && station->by[e] != 0.0)
            done = s->kind->add_bent(d->system, s->number, station->x, weights, factor * station->by[e],
                                     sides[e]);
    return done;
}

/* The damping of a whole element by its own loop. */
static bool pull_secant_damping(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                                int first, int end, const double *weights, const ac_pullback *out)
{
    const ac_discrete_spring *s = &d->springs[first];
    bool damped = false;
    if (!s->kind->add_secant_bent || !s->secant || station->sides == AC_BOTH_SIDES) return false;
    for (int e = first; e < end; ++e) damped = damped || d->springs[e].damping != 0.0;
    if (damped)
        s->kind->add_secant_bent(d->system, s->number, p->a, p->b, station->sides == AC_RIGHT, weights, 0.5,
                                 out->a, out->b);
    return true;
}

/* Parts first .. end of one element. */
static void pull_parts(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station, int first,
                       int end, const double *weights, bool wanted, const ac_pullback *out)
{
    bool secant = d->scheme == AC_ENERGY_MOMENTUM,
         looped = wanted && pull_element(d, p, station, first, weights, out),
         braked = pull_secant_damping(d, p, station, first, end, weights, out);
    for (int e = first; e < end; ++e) {
        bool damped = !braked && d->springs[e].damping != 0.0, elastic = wanted && !looped;
        if (!damped && !elastic) continue;
        bool map = is_map(d, e);
        if (secant && elastic) (map ? pull_map_secant : pull_secant)(d, p, e, weights, out);
        if (damped || (elastic && !secant))
            (map ? pull_map : pull_part)(d, p, station, e, elastic && !secant, weights, out);
    }
}

int ac_discrete_element_end(const ac_discrete *d, int part)
{
    const ac_discrete_spring *own = &d->springs[part];
    int end = part + 1;
    while (end < d->spring_count && d->springs[end].kind == own->kind &&
           d->springs[end].number == own->number)
        ++end;
    return end;
}

void ac_discrete_pull_elements(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                               const ac_pullback *out)
{
    ac_station stations[2];
    int n = d->system->n, count = ac_discrete_stations(d, p, stations);
    bool damped = false;
    for (int e = 0; e < d->spring_count && !damped; ++e) damped = d->springs[e].damping != 0.0;
    for (int i = 0; damped && i < n; ++i) d->common[i] = p->b[i] - p->a[i];
    for (int k = 0; d->spring_count > 0 && k < count; ++k) {
        const ac_station *station = &stations[k];
        bool wanted = (out->a && station->by[0] != 0.0) || (out->b && station->by[1] != 0.0);
        const double *weights = wanted || damped ? weights_of(d, station, wl, wr) : NULL;
        for (int e = 0, end; weights && e < d->spring_count; e = end) {
            end = ac_discrete_element_end(d, e);
            pull_parts(d, p, station, e, end, weights, wanted, out);
        }
    }
}
