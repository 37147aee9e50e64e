/* How the equations of an interval and their derivatives along weights change along a direction of its ends, inputs and numbers.
 *
 * With kappa_m the maps of a scalar y = psi(kappa) at x, A_m = kappa_m' w and B_m = kappa_m' delta, the work of a part along the
 * weights w is a function of K = kappa, A, B and of the numbers of its law,
 *   F = f sum psi_m A_m,    f = -h/2 W'(y) - c/2 rate,    rate = sum psi_m B_m, or y(b) - y(a)
 * and for a discrete derivative  F = -h/2 s(y_a, y_b) sum D_m(K_a, K_b) A_m.  Its derivatives F_K, F_A, F_B and their changes along
 * the direction give all that is wanted: by coordinates through kappa' and kappa'', by a coefficient of a map through its monomial,
 * by the weights through F_A.
 */
#include <string.h>

#include "action/describe/numbers.h"
#include "action/relative.h"

typedef struct bend_pass {
    ac_discrete *d;
    const ac_discrete_point *p;
    const ac_varying *v; /* NULL: no number varies */
    const double *wl, *wr;
    const ac_interval_change *change; /* NULL: ends and inputs stay */
    const double *numbers;            /* their changes; NULL: they stay */
    const ac_bent *out;
    const ac_station *station;
    const double *w, *delta, *dx, *ddelta; /* at the station; changes are zero where nothing changes */
} bend_pass;

/* --- where results go --- */

typedef void (*giver)(const bend_pass *s, int i, double value);

static void give_x(const bend_pass *s, int i, double value)
{
    if (s->out->a) s->out->a[i] += s->station->by[0] * value;
    if (s->out->b) s->out->b[i] += s->station->by[1] * value;
}

static void give_a(const bend_pass *s, int i, double value)
{
    if (s->out->a) s->out->a[i] += value;
}

static void give_b(const bend_pass *s, int i, double value)
{
    if (s->out->b) s->out->b[i] += value;
}

static void give_delta(const bend_pass *s, int i, double value)
{
    give_a(s, i, -value);
    give_b(s, i, value);
}

static void give_weights(const bend_pass *s, int i, double value)
{
    if (s->out->left && (s->station->sides & AC_LEFT)) s->out->left[i] += value;
    if (s->out->right && (s->station->sides & AC_RIGHT)) s->out->right[i] += value;
}

/* --- the maps of a scalar at one place --- */

typedef struct maps_at {
    int scalar, n, maps, first;
    const ac_forms *forms;
    const int *at;
    const double *x, *dx; /* of all coordinates */
    double K[AC_OUTER_MAX], dK[AC_OUTER_MAX];
    double J[AC_OUTER_MAX][AC_CHAIN_MAX];
} maps_at;

/* The numbers of a scalar that vary. */
static int first_number(const bend_pass *s, int scalar)
{
    return s->v ? s->v->map[scalar] : 0;
}

static int end_number(const bend_pass *s, int scalar)
{
    return s->v ? s->v->map[scalar + 1] : 0;
}

static void look_at(const bend_pass *s, int scalar, const double *x, const double *dx, maps_at *m)
{
    const ac_scalars *set = &s->d->scalars;
    double local[AC_CHAIN_MAX];
    m->scalar = scalar;
    m->n = set->list[scalar].count;
    m->maps = set->list[scalar].outer.maps;
    m->first = set->list[scalar].first_form;
    m->forms = &set->forms;
    m->at = ac_scalar_coordinates(set, scalar);
    m->x = x;
    m->dx = dx;
    for (int i = 0; i < m->n; ++i) local[i] = x[m->at[i]];
    for (int k = 0; k < m->maps; ++k) {
        memset(m->J[k], 0, (size_t)m->n * sizeof m->J[k][0]);
        m->K[k] = ac_form_value(m->forms, m->first + k, local);
        ac_form_add_gradient(m->forms, m->first + k, local, 1.0, m->J[k]);
        m->dK[k] = 0.0;
        for (int i = 0; i < m->n; ++i) m->dK[k] += m->J[k][i] * dx[m->at[i]];
    }
    for (int e = first_number(s, scalar); s->numbers && e < end_number(s, scalar); ++e)
        m->dK[s->v->keys[e].row] += s->numbers[e] * ac_number_monomial(&s->v->keys[e], x);
}

/* out_m = kappa_m' w, and its change where x, the numbers and w (by dw, NULL: not) change */
static void along_maps(const bend_pass *s, const maps_at *m, const double *w, const double *dw, double *out,
                       double *change)
{
    for (int k = 0; k < m->maps; ++k) {
        const ac_forms *f = m->forms;
        out[k] = change[k] = 0.0;
        for (int i = 0; i < m->n; ++i) {
            out[k] += m->J[k][i] * w[m->at[i]];
            if (dw) change[k] += m->J[k][i] * dw[m->at[i]];
        }
        for (int e = f->product_start[m->first + k]; e < f->product_start[m->first + k + 1]; ++e) {
            int i = m->at[f->products[e].i], j = m->at[f->products[e].j];
            change[k] += f->products[e].a * (w[i] * m->dx[j] + m->dx[i] * w[j]);
        }
    }
    for (int e = first_number(s, m->scalar); s->numbers && e < end_number(s, m->scalar); ++e)
        change[s->v->keys[e].row] += s->numbers[e] * ac_number_along(&s->v->keys[e], m->x, w);
}

/* sum_m weight_m kappa_m' + bend_m kappa_m'' z, and with bend_m the change of kappa_m' by numbers */
static void give_maps(const bend_pass *s, const maps_at *m, const double *weight, const double *bend,
                      giver give)
{
    const ac_forms *f = m->forms;
    for (int k = 0; k < m->maps; ++k) {
        for (int i = 0; i < m->n; ++i) give(s, m->at[i], weight[k] * m->J[k][i]);
        for (int e = f->product_start[m->first + k]; bend[k] != 0.0 && e < f->product_start[m->first + k + 1];
             ++e) {
            int i = m->at[f->products[e].i], j = m->at[f->products[e].j];
            give(s, i, bend[k] * f->products[e].a * m->dx[j]);
            give(s, j, bend[k] * f->products[e].a * m->dx[i]);
        }
    }
    for (int e = first_number(s, m->scalar); s->numbers && e < end_number(s, m->scalar); ++e) {
        const ac_number_key *key = &s->v->keys[e];
        double factor = bend[key->row] * s->numbers[e];
        if (key->i < 0) continue;
        give(s, key->i, key->j < 0 ? factor : factor * m->x[key->j]);
        if (key->j >= 0) give(s, key->j, factor * m->x[key->i]);
    }
}

/* sum_m bend_m kappa_m'' w, and with fixed_m the change of kappa_m'' by numbers */
static void give_bent(const bend_pass *s, const maps_at *m, const double *bend, const double *fixed,
                      const double *w, giver give)
{
    const ac_forms *f = m->forms;
    for (int k = 0; k < m->maps; ++k)
        for (int e = f->product_start[m->first + k]; e < f->product_start[m->first + k + 1]; ++e) {
            int i = m->at[f->products[e].i], j = m->at[f->products[e].j];
            give(s, i, bend[k] * f->products[e].a * w[j]);
            give(s, j, bend[k] * f->products[e].a * w[i]);
        }
    for (int e = first_number(s, m->scalar); s->numbers && e < end_number(s, m->scalar); ++e) {
        const ac_number_key *key = &s->v->keys[e];
        double factor = fixed[key->row] * s->numbers[e];
        if (key->i < 0 || key->j < 0) continue;
        give(s, key->i, factor * w[key->j]);
        give(s, key->j, factor * w[key->i]);
    }
}

/* By coefficients of maps: values F with changes dF by kappa, at x. */
static void give_values(const bend_pass *s, const maps_at *m, const double *F, const double *dF)
{
    for (int e = first_number(s, m->scalar); s->out->numbers && e < end_number(s, m->scalar); ++e) {
        const ac_number_key *key = &s->v->keys[e];
        s->out->numbers[e] += dF[key->row] * ac_number_monomial(key, m->x) +
                              F[key->row] * ac_number_along(key, m->x, m->dx);
    }
}

/* The same by kappa' w, w changing by dw. */
static void give_rates(const bend_pass *s, const maps_at *m, const double *F, const double *dF,
                       const double *w, const double *dw)
{
    for (int e = first_number(s, m->scalar); s->out->numbers && e < end_number(s, m->scalar); ++e) {
        const ac_number_key *key = &s->v->keys[e];
        double turned = ac_number_along(key, m->x, w), bent = ac_number_bent(key, m->dx, w);
        if (dw) bent += ac_number_along(key, m->x, dw);
        s->out->numbers[e] += dF[key->row] * turned + F[key->row] * bent;
    }
}

/* --- a part at a station --- */

/* What F is a function of, besides the maps: the factor f of the gradient and how F changes by y and by the rate. */
typedef struct work_factors {
    double f, df, by_y, dby_y, by_rate, dby_rate;
} work_factors;

typedef struct part_point {
    maps_at m;
    ac_outer_value psi;
    double A[AC_OUTER_MAX], dA[AC_OUTER_MAX], B[AC_OUTER_MAX], dB[AC_OUTER_MAX];
    double psi_change[AC_OUTER_MAX]; /* of the gradient of psi */
    double dy, gw, dgw, gd, dgd;
} part_point;

static void look_at_part(const bend_pass *s, int scalar, double winding, part_point *at)
{
    const ac_outer *outer = &s->d->scalars.list[scalar].outer;
    look_at(s, scalar, s->station->x, s->dx, &at->m);
    at->psi.y = 0.0;
    ac_outer_evaluate(outer, at->m.K, winding, &at->psi);
    along_maps(s, &at->m, s->w, NULL, at->A, at->dA);
    along_maps(s, &at->m, s->delta, s->ddelta, at->B, at->dB);
    at->dy = at->gw = at->dgw = at->gd = at->dgd = 0.0;
    for (int k = 0; k < at->m.maps; ++k) {
        double change = 0.0;
        for (int l = 0; l < at->m.maps; ++l) change += at->psi.dd[k][l] * at->m.dK[l];
        at->psi_change[k] = change;
        at->dy += at->psi.d[k] * at->m.dK[k];
        at->gw += at->psi.d[k] * at->A[k];
        at->dgw += at->psi.d[k] * at->dA[k] + change * at->A[k];
        at->gd += at->psi.d[k] * at->B[k];
        at->dgd += at->psi.d[k] * at->dB[k] + change * at->B[k];
    }
}

/* Everything that follows from F by the maps. */
static void give_part(const bend_pass *s, const part_point *at, const work_factors *c)
{
    const maps_at *m = &at->m;
    const ac_outer *outer = &s->d->scalars.list[m->scalar].outer;
    double cube[AC_OUTER_MAX][AC_OUTER_MAX], FK[AC_OUTER_MAX] = {0.0}, dFK[AC_OUTER_MAX] = {0.0},
                                             FA[AC_OUTER_MAX] = {0.0}, dFA[AC_OUTER_MAX] = {0.0},
                                             FB[AC_OUTER_MAX] = {0.0}, dFB[AC_OUTER_MAX] = {0.0};
    ac_outer_third(outer, m->K, m->dK, cube);
    for (int k = 0; k < m->maps; ++k) {
        FA[k] = c->f * at->psi.d[k];
        dFA[k] = c->df * at->psi.d[k] + c->f * at->psi_change[k];
        FB[k] = c->by_rate * at->psi.d[k];
        dFB[k] = c->dby_rate * at->psi.d[k] + c->by_rate * at->psi_change[k];
        FK[k] = c->by_y * at->psi.d[k];
        dFK[k] = c->dby_y * at->psi.d[k] + c->by_y * at->psi_change[k];
        for (int l = 0; l < m->maps; ++l) {
            double own = c->f * at->A[l] + c->by_rate * at->B[l];
            FK[k] += at->psi.dd[k][l] * own;
            dFK[k] += cube[k][l] * own + at->psi.dd[k][l] * (c->df * at->A[l] + c->f * at->dA[l] +
                                                             c->dby_rate * at->B[l] + c->by_rate * at->dB[l]);
        }
    }
    give_maps(s, m, dFA, FA, give_weights);
    if (s->out->a || s->out->b) {
        give_maps(s, m, dFK, FK, give_x);
        give_bent(s, m, dFA, FA, s->w, give_x);
        give_bent(s, m, dFB, FB, s->delta, give_x);
        if (s->ddelta) give_bent(s, m, FB, (const double[AC_OUTER_MAX]){0.0}, s->ddelta, give_x);
        give_maps(s, m, dFB, FB, give_delta);
    }
    give_values(s, m, FK, dFK);
    give_rates(s, m, FA, dFA, s->w, NULL);
    give_rates(s, m, FB, dFB, s->delta, s->ddelta);
}

/* --- elements --- */

/* Changes of the numbers of a law and of the damping. */
static void change_of_law(const bend_pass *s, int part, double data[AC_LAW_DATA], double *damping)
{
    for (int n = 0; n < AC_LAW_DATA; ++n) data[n] = 0.0;
    *damping = 0.0;
    if (!s->v || !s->numbers) return;
    for (int e = s->v->law[part]; e < s->v->law[part + 1]; ++e) data[s->v->keys[e].row] += s->numbers[e];
    for (int e = s->v->damping[part]; e < s->v->damping[part + 1]; ++e) *damping += s->numbers[e];
}

static void give_law(const bend_pass *s, int part, const double change[AC_LAW_DATA])
{
    for (int e = s->v ? s->v->law[part] : 0; s->v && s->out->numbers && e < s->v->law[part + 1]; ++e)
        s->out->numbers[e] += change[s->v->keys[e].row];
}

static void give_damping(const bend_pass *s, int part, double change)
{
    if (s->v && s->out->numbers && s->v->damping[part] < s->v->damping[part + 1])
        s->out->numbers[s->v->damping[part]] += change;
}

/* y(b) - y(a) with the weight F: what follows by both ends */
typedef struct secant_rate {
    maps_at ends[2];
    ac_outer_value psi[2];
    double rate, change;
} secant_rate;

static void look_at_rate(const bend_pass *s, const ac_discrete_spring *part, const double *zero,
                         secant_rate *r)
{
    const ac_outer *outer = &s->d->scalars.list[part->scalar].outer;
    r->rate = r->change = 0.0;
    for (int e = 0; e < 2; ++e) {
        const double *move = s->change ? (e ? s->change->b : s->change->a) : zero, sign = e ? 1.0 : -1.0;
        look_at(s, part->scalar, e ? s->p->b : s->p->a, move, &r->ends[e]);
        ac_outer_evaluate(outer, r->ends[e].K, ac_spring_winding(part, s->p->winding), &r->psi[e]);
        r->rate += sign * r->psi[e].y;
        for (int k = 0; k < outer->maps; ++k) r->change += sign * r->psi[e].d[k] * r->ends[e].dK[k];
    }
}

static void give_rate(const bend_pass *s, const secant_rate *r, double F, double dF)
{
    for (int e = 0; e < 2; ++e) {
        const double sign = e ? 1.0 : -1.0;
        const maps_at *m = &r->ends[e];
        double by[AC_OUTER_MAX] = {0.0}, change[AC_OUTER_MAX] = {0.0};
        for (int k = 0; k < m->maps; ++k) {
            by[k] = sign * F * r->psi[e].d[k];
            change[k] = sign * dF * r->psi[e].d[k];
            for (int l = 0; l < m->maps; ++l) change[k] += sign * F * r->psi[e].dd[k][l] * m->dK[l];
        }
        give_maps(s, m, change, by, e ? give_b : give_a);
        give_values(s, m, by, change);
    }
}

/* The change of F by the numbers of the law. */
static void bend_law(const bend_pass *s, int part, const part_point *at, const ac_law_slopes *law,
                     const double by_data[AC_LAW_DATA])
{
    double change[AC_LAW_DATA], half = -0.5 * s->p->h;
    for (int n = 0; n < AC_LAW_DATA; ++n) {
        double pull = law->one[n][2] * at->dy;
        for (int l = 0; l < AC_LAW_DATA; ++l) pull += law->two[n][l][1] * by_data[l];
        change[n] = half * (pull * at->gw + law->one[n][1] * at->dgw);
    }
    give_law(s, part, change);
}

/* Elastic and damping force of a part at a station. */
static void bend_part(const bend_pass *s, int part, bool elastic)
{
    const ac_discrete_spring *own = &s->d->springs[part];
    part_point at;
    secant_rate ends;
    ac_law_slopes law = {0};
    double W[4], by_data[AC_LAW_DATA], by_damping, half = elastic ? -0.5 * s->p->h : 0.0, dW1, dW2;
    bool secant = own->secant && own->damping != 0.0;
    look_at_part(s, own->scalar, ac_spring_winding(own, s->p->winding), &at);
    change_of_law(s, part, by_data, &by_damping);
    own->law->value(own->data, at.psi.y, W);
    own->law->by_data(own->data, at.psi.y, &law);
    dW1 = W[2] * at.dy;
    dW2 = W[3] * at.dy;
    for (int n = 0; n < AC_LAW_DATA; ++n) {
        dW1 += law.one[n][1] * by_data[n];
        dW2 += law.one[n][2] * by_data[n];
    }
    if (secant) look_at_rate(s, own, s->dx, &ends);
    double rate = secant ? ends.rate : at.gd, drate = secant ? ends.change : at.dgd, c = -0.5 * own->damping,
           dc = -0.5 * by_damping, by_rate = c * at.gw, dby_rate = dc * at.gw + c * at.dgw;
    const work_factors factors = {.f = half * W[1] + c * rate,
                                  .df = half * dW1 + dc * rate + c * drate,
                                  .by_y = half * W[2] * at.gw,
                                  .dby_y = half * (dW2 * at.gw + W[2] * at.dgw),
                                  .by_rate = secant ? 0.0 : by_rate,
                                  .dby_rate = secant ? 0.0 : dby_rate};
    give_part(s, &at, &factors);
    if (secant) give_rate(s, &ends, by_rate, dby_rate);
    if (elastic) bend_law(s, part, &at, &law, by_data);
    give_damping(s, part, -0.5 * (drate * at.gw + rate * at.dgw));
}

/* --- the discrete derivative --- */

/* The discrete derivative with its ends, and how both change. */
typedef struct secant_point {
    maps_at mean, ends[2];
    ac_outer_value psi[2];
    ac_outer_secant D, change;
    double A[AC_OUTER_MAX], dA[AC_OUTER_MAX], Dw, dDw, pull, dpull;
    ac_law_secant law, dlaw;
} secant_point;

static void look_at_secant(const bend_pass *s, int part, const double *da, const double *db, secant_point *x)
{
    const ac_discrete_spring *own = &s->d->springs[part];
    const ac_outer *outer = &s->d->scalars.list[own->scalar].outer;
    double winding = ac_spring_winding(own, s->p->winding), by_data[AC_LAW_DATA], by_damping;
    look_at(s, own->scalar, s->d->mean, s->dx, &x->mean);
    look_at(s, own->scalar, s->p->a, da, &x->ends[0]);
    look_at(s, own->scalar, s->p->b, db, &x->ends[1]);
    for (int e = 0; e < 2; ++e) ac_outer_evaluate(outer, x->ends[e].K, winding, &x->psi[e]);
    along_maps(s, &x->mean, s->w, NULL, x->A, x->dA);
    x->D.ya = x->D.yb = 0.0;
    ac_outer_secant_between(outer, x->ends[0].K, x->ends[1].K, winding, &x->D);
    ac_outer_bend_secant(outer, x->ends[0].K, x->ends[1].K, winding, x->ends[0].dK, x->ends[1].dK,
                         &x->change);
    change_of_law(s, part, by_data, &by_damping);
    x->pull = own->law->secant(own->data, x->D.ya, x->D.yb, &x->law);
    own->law->bend_secant(own->data, x->change.ya, x->change.yb, by_data, &x->dlaw);
    x->dpull = x->law.by_a * x->change.ya + x->law.by_b * x->change.yb;
    for (int n = 0; n < AC_LAW_DATA; ++n) x->dpull += x->law.by_data[n] * by_data[n];
    x->Dw = x->dDw = 0.0;
    for (int m = 0; m < outer->maps; ++m) {
        x->Dw += x->D.D[m] * x->A[m];
        x->dDw += x->change.D[m] * x->A[m] + x->D.D[m] * x->dA[m];
    }
}

static void give_secant_end(const bend_pass *s, const secant_point *x, int e)
{
    const maps_at *m = &x->ends[e];
    const ac_outer_value *psi = &x->psi[e];
    const double(*by)[AC_OUTER_MAX] = e ? x->D.by_b : x->D.by_a,
          (*dby)[AC_OUTER_MAX] = e ? x->change.by_b : x->change.by_a, slope = e ? x->law.by_b : x->law.by_a,
          dslope = e ? x->dlaw.by_b : x->dlaw.by_a, half = -0.5 * s->p->h;
    double F[AC_OUTER_MAX] = {0.0}, dF[AC_OUTER_MAX] = {0.0};
    for (int k = 0; k < m->maps; ++k) {
        F[k] = slope * psi->d[k] * x->Dw;
        dF[k] = dslope * psi->d[k] * x->Dw + slope * psi->d[k] * x->dDw;
        for (int l = 0; l < m->maps; ++l) {
            F[k] += x->pull * by[l][k] * x->A[l];
            dF[k] += slope * psi->dd[k][l] * m->dK[l] * x->Dw + x->dpull * by[l][k] * x->A[l] +
                     x->pull * (dby[l][k] * x->A[l] + by[l][k] * x->dA[l]);
        }
        F[k] *= half;
        dF[k] *= half;
    }
    give_maps(s, m, dF, F, e ? give_b : give_a);
    give_values(s, m, F, dF);
}

/* -h/2 s(y_a, y_b) D(a, b) along w, D = sum D_m kappa_m'(mean) */
static void bend_secant(const bend_pass *s, int part, const double *zero)
{
    secant_point x;
    double FA[AC_OUTER_MAX] = {0.0}, dFA[AC_OUTER_MAX] = {0.0}, law[AC_LAW_DATA], half = -0.5 * s->p->h;
    look_at_secant(s, part, s->change ? s->change->a : zero, s->change ? s->change->b : zero, &x);
    for (int m = 0; m < x.mean.maps; ++m) {
        FA[m] = half * x.pull * x.D.D[m];
        dFA[m] = half * (x.dpull * x.D.D[m] + x.pull * x.change.D[m]);
    }
    give_maps(s, &x.mean, dFA, FA, give_weights);
    give_bent(s, &x.mean, dFA, FA, s->w, give_x);
    give_rates(s, &x.mean, FA, dFA, s->w, NULL);
    for (int e = 0; e < 2; ++e) give_secant_end(s, &x, e);
    for (int n = 0; n < AC_LAW_DATA; ++n)
        law[n] = half * (x.dlaw.by_data[n] * x.Dw + x.law.by_data[n] * x.dDw);
    give_law(s, part, law);
}

const char *ac_discrete_lacks_second(const ac_discrete *d)
{
    for (int k = 0; k < d->spring_count && d->scheme == AC_ENERGY_MOMENTUM; ++k)
        if (!d->springs[k].law->bend_secant) return d->springs[k].law->name;
    return NULL;
}

static void bend_elements(const bend_pass *s, const double *zero)
{
    bool secant = s->d->scheme == AC_ENERGY_MOMENTUM;
    for (int k = 0; k < s->d->spring_count; ++k) {
        bool damped = s->d->springs[k].damping != 0.0 || (s->v && s->v->damping[k] < s->v->damping[k + 1]);
        if (s->v && !ac_varying_part(s->d, s->v, k)) continue;
        if (secant) bend_secant(s, k, zero);
        if (!secant || damped) bend_part(s, k, !secant);
    }
}

/* --- inputs --- */

/* h/2 tau w_row c x_i x_j by a coefficient c of the map of a force */
static void bend_force(const bend_pass *s, int k, double tau, double dtau)
{
    const double half = 0.5 * s->p->h, *x = s->station->x, *w = s->w;
    for (int e = s->v->input[k]; e < s->v->input[k + 1]; ++e) {
        const ac_number_key *key = &s->v->keys[e];
        double here = ac_number_monomial(key, x), change = s->numbers ? half * s->numbers[e] : 0.0;
        if (s->out->numbers)
            s->out->numbers[e] += half * w[key->row] * (dtau * here + tau * ac_number_along(key, x, s->dx));
        if (change == 0.0) continue;
        give_weights(s, key->row, change * tau * here);
        if (s->out->inputs) s->out->inputs[k] += change * w[key->row] * here;
        if (key->i < 0) continue;
        give_x(s, key->i, change * tau * w[key->row] * (key->j < 0 ? 1.0 : x[key->j]));
        if (key->j >= 0) give_x(s, key->j, change * tau * w[key->row] * x[key->i]);
    }
}

/* h/2 tau sign grad y . w */
static void bend_scalar_input(const bend_pass *s, int k, double tau, double dtau)
{
    const ac_input *input = &s->d->inputs[k];
    part_point at;
    double half = 0.5 * s->p->h * input->sign;
    look_at_part(s, input->scalar, 0.0, &at);
    give_part(s, &at, &(work_factors){.f = half * tau, .df = half * dtau});
    if (s->out->inputs) s->out->inputs[k] += half * at.dgw;
}

static void bend_inputs(const bend_pass *s)
{
    for (int k = 0; k < s->d->input_count; ++k) {
        int scalar = s->d->inputs[k].scalar;
        double tau = s->p->tau[k], dtau = s->change && s->change->inputs ? s->change->inputs[k] : 0.0;
        bend_force(s, k, tau, dtau);
        if (scalar >= 0 && s->v->map[scalar] < s->v->map[scalar + 1]) bend_scalar_input(s, k, tau, dtau);
    }
}

/* --- inertia and gravity --- */

/* Nodes whose inertia on an interval is a function of both ends. */
static void bend_relative(const bend_pass *s, const ac_varying_node *own)
{
    const ac_node *node = &s->d->system->nodes[own->node];
    const ac_number_key *keys = s->v->keys;
    double masses[8] = {0.0}, by[8];
    for (int k = own->first; s->numbers && k < own->end; ++k)
        for (int m = 0; m < 8; ++m) {
            double unit[8] = {0.0};
            unit[m] = 1.0;
            masses[m] += s->numbers[k] *
                         ac_relative_by_mass(node, keys[k].i - node->q, keys[k].j - node->q, unit);
        }
    ac_relative_bend_masses(node, s->p, s->wl, s->wr, s->change, masses, s->out, by);
    for (int k = own->first; s->out->numbers && k < own->end; ++k)
        s->out->numbers[k] += ac_relative_by_mass(node, keys[k].i - node->q, keys[k].j - node->q, by);
}

static void bend_mass(const bend_pass *s, int k)
{
    const ac_bent *out = s->out;
    const int i = s->v->keys[k].i, j = s->v->keys[k].j;
    const double w = s->wr[i] - s->wl[i], h = s->p->h;
    if (out->numbers && s->change) out->numbers[k] += w * (s->change->b[j] - s->change->a[j]) / h;
    if (!s->numbers) return;
    double change = s->numbers[k] / h, push = change * (s->p->b[j] - s->p->a[j]);
    if (out->left) out->left[i] -= push;
    if (out->right) out->right[i] += push;
    if (out->a) out->a[j] -= change * w;
    if (out->b) out->b[j] += change * w;
}

static void bend_inertia(const bend_pass *s)
{
    const ac_varying *v = s->v;
    int done = v->first[AC_NUMBER_MASS];
    for (int n = 0; n < v->node_count; ++n) {
        for (int k = done; k < v->nodes[n].first; ++k) bend_mass(s, k);
        bend_relative(s, &v->nodes[n]);
        done = v->nodes[n].end;
    }
    for (int k = done; k < v->first[AC_NUMBER_MASS + 1]; ++k) bend_mass(s, k);
    for (int k = v->first[AC_NUMBER_GRAVITY]; s->numbers && k < v->first[AC_NUMBER_GRAVITY + 1]; ++k) {
        double push = 0.5 * s->p->h * s->numbers[k];
        if (s->out->left) s->out->left[v->keys[k].i] += push;
        if (s->out->right) s->out->right[v->keys[k].i] += push;
    }
}

/* --- all --- */

/* Weights and changes at a station, in the workspace of the interval. */
static void stand_at(bend_pass *s, const ac_station *station)
{
    ac_discrete *d = s->d;
    const int n = d->system->n;
    bool left = station->sides & AC_LEFT, right = station->sides & AC_RIGHT;
    double *dx = d->by_step, *ddelta = dx + n;
    for (int i = 0; i < n; ++i) {
        double a = s->change ? s->change->a[i] : 0.0, b = s->change ? s->change->b[i] : 0.0;
        d->weights[i] = (left ? s->wl[i] : 0.0) + (right ? s->wr[i] : 0.0);
        d->common[i] = s->p->b[i] - s->p->a[i];
        dx[i] = station->by[0] * a + station->by[1] * b;
        ddelta[i] = b - a;
    }
    s->station = station;
    s->w = d->weights;
    s->delta = d->common;
    s->dx = dx;
    s->ddelta = s->change ? ddelta : NULL;
}

static void bend_stations(bend_pass *s, bool inputs)
{
    ac_station stations[2];
    ac_discrete_take_mean(s->d, s->p);
    for (int k = 0, count = ac_discrete_stations(s->d, s->p, stations); k < count; ++k) {
        stand_at(s, &stations[k]);
        bend_elements(s, s->dx);
    }
    for (int k = 0, count = inputs ? ac_discrete_input_stations(s->d, s->p, stations) : 0; k < count; ++k) {
        stand_at(s, &stations[k]);
        bend_inputs(s);
    }
}

static void bend_numbers(bend_pass *s)
{
    if (!s->v || s->v->count == 0) return;
    bend_inertia(s);
    if (s->v->first[AC_NUMBER_LAW] < s->v->count) bend_stations(s, true);
}

void ac_numbers_along(ac_discrete *d, const ac_discrete_point *point, const ac_varying *varying,
                      const double *numbers, double *left, double *right)
{
    double *zero = d->momentum;
    memset(zero, 0, (size_t)d->system->n * sizeof *zero);
    const ac_bent out = {.left = left, .right = right};
    bend_pass s = {.d = d, .p = point, .v = varying, .wl = zero, .wr = zero, .numbers = numbers, .out = &out};
    bend_numbers(&s);
}

void ac_numbers_bend(ac_discrete *d, const ac_discrete_point *point, const ac_varying *varying,
                     const double *wl, const double *wr, const ac_interval_change *change,
                     const double *numbers, const ac_bent *out)
{
    const ac_bent by_change = {.numbers = out->numbers};
    bend_pass s = {.d = d, .p = point, .v = varying, .wl = wl, .wr = wr};
    if (numbers) {
        s.numbers = numbers;
        s.out = out;
        bend_numbers(&s);
    }
    s.numbers = NULL;
    s.change = change;
    s.out = &by_change;
    bend_numbers(&s);
}

void ac_elements_bend(ac_discrete *d, const ac_discrete_point *point, const double *wl, const double *wr,
                      const ac_interval_change *change, const ac_bent *out)
{
    bend_pass s = {.d = d, .p = point, .wl = wl, .wr = wr, .change = change, .out = out};
    bend_stations(&s, false);
}
