/* Springs, dampers and strains of beams in the discrete mechanics: first and second derivatives.
 *
 * All strains of an element change with the same few coordinates. They are gathered to one bundle, whose
 * derivatives are summed up here and passed on as one small block; the costly part, taking a block from
 * redundant to local coordinates, is then done once for each element and not for each of its strains. */
#include <math.h>
#include <string.h>

#include "action/describe/discrete.h"

enum { BLOCK = AC_SCALAR_MAX * AC_SCALAR_MAX };

/* --- bundles --- */

static bool belongs(const ac_discrete *d, const ac_bundle *bundle, int k)
{
    const ac_discrete_spring *first = &d->springs[bundle->first], *s = &d->springs[k];
    return s->element >= 0 && s->element == first->element && bundle->rows == bundle->size &&
           d->scalars.list[s->scalar].plain == d->scalars.list[s->scalar].count;
}

static int slot_of(ac_discrete *d, ac_bundle *bundle, int coordinate)
{
    int *at = d->bundle_at + bundle->start;
    for (int i = 0; i < bundle->size; ++i)
        if (at[i] == coordinate) return i;
    at[bundle->size] = coordinate;
    return bundle->size++;
}

/* Coordinates in ascending order, so that those of a node stand together. Parameters stay behind them. */
static void sort(int *at, int count)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && at[j] < at[j - 1]; --j) {
            int swap = at[j];
            at[j] = at[j - 1];
            at[j - 1] = swap;
        }
}

static void place_slots(ac_discrete *d, ac_bundle *bundle)
{
    sort(d->bundle_at + bundle->start, bundle->rows);
    for (int k = bundle->first; k < bundle->first + bundle->count; ++k) {
        const int *at = ac_scalar_coordinates(&d->scalars, d->springs[k].scalar);
        for (int i = 0; i < d->scalars.list[d->springs[k].scalar].count; ++i)
            d->slots[d->slot_start[k] + i] = slot_of(d, bundle, at[i]);
    }
}

static void choose_stresses(ac_discrete *d, bool stresses)
{
    d->stress_count = 0;
    for (int k = 0; k < d->spring_count; ++k) {
        ac_discrete_spring *s = &d->springs[k];
        bool unknown = stresses && s->stretch && s->data[0] > 0.0;
        s->stress = unknown ? d->stress_count++ : -1;
        s->root = unknown ? sqrt(s->data[0]) : 0.0;
    }
}

ac_status ac_discrete_bundle(ac_discrete *d, bool stresses)
{
    choose_stresses(d, stresses);
    int places = 0, used = 0;
    ac_release(d->ctx, d->bundles);
    ac_release(d->ctx, d->bundle_at);
    ac_release(d->ctx, d->slots);
    ac_release(d->ctx, d->slot_start);
    d->bundles = NULL;
    d->bundle_at = d->slots = d->slot_start = NULL;
    d->bundle_count = 0;
    AC_NEW(d->ctx, d->bundles, d->spring_count + 1);
    AC_NEW(d->ctx, d->slot_start, d->spring_count + 1);
    for (int k = 0; k < d->spring_count; ++k) {
        d->slot_start[k] = places;
        places += d->scalars.list[d->springs[k].scalar].count;
    }
    AC_NEW(d->ctx, d->slots, places + 1);
    AC_NEW(d->ctx, d->bundle_at, places + 1);
    for (int k = 0; k < d->spring_count; ++k) {
        const ac_scalar *scalar = &d->scalars.list[d->springs[k].scalar];
        const int *at = ac_scalar_coordinates(&d->scalars, d->springs[k].scalar);
        if (d->bundle_count == 0 || !belongs(d, &d->bundles[d->bundle_count - 1], k))
            d->bundles[d->bundle_count++] = (ac_bundle){.first = k, .start = used};
        ac_bundle *bundle = &d->bundles[d->bundle_count - 1];
        for (int i = 0; i < scalar->count; ++i) {
            slot_of(d, bundle, at[i]);
            if (i < scalar->plain) bundle->rows = bundle->size;
        }
        ++bundle->count;
        used = bundle->start + bundle->size;
    }
    for (int k = 0; k < d->bundle_count; ++k) place_slots(d, &d->bundles[k]);
    return AC_OK;
}

/* --- first derivatives --- */

static bool is_damped(const ac_discrete *d, const ac_bundle *bundle)
{
    if (d->vary && d->scheme == AC_TRAPEZOIDAL)
        return true; /* the pattern holds for all values of the parameters */
    for (int k = bundle->first; k < bundle->first + bundle->count; ++k)
        if (d->springs[k].damping != 0.0) return true;
    return false;
}

/* Damping by the secant rate, -c/2 (y(b) - y(a)) g(x): by x, and by the ends of the rate. */
static void add_secant_damping(const ac_discrete *d, const ac_discrete_point *p, int number, int size,
                               const double *g, const double *H, double *by_x, double *rate_a, double *rate_b)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *slot = d->slots + d->slot_start[number];
    int n = d->scalars.list[s->scalar].count;
    double ga[AC_SCALAR_MAX], gb[AC_SCALAR_MAX], half = -0.5 * s->damping,
                                                 winding = ac_spring_winding(s, p->winding);
    double change = -ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, ga, NULL);
    change += ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, gb, NULL);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int to = slot[i] * size + slot[j];
            by_x[to] += half * change * H[i * n + j];
            rate_a[to] += half * g[i] * ga[j];
            rate_b[to] += half * g[i] * gb[j];
        }
}

/* One spring: adds to the blocks of its bundle. Force at x, with delta = b - a:
 *   -h/2 W'(y) g - c/2 (g . delta) g
 * by_x and by the rate, whose slopes by -a and by b may differ; elastic: with the first term. */
static void add_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                       int number, int size, bool elastic, double *by_x, double *rate_a, double *rate_b)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar), *slot = d->slots + d->slot_start[number];
    int n = d->scalars.list[s->scalar].count, plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], H[BLOCK], Hd[AC_SCALAR_MAX] = {0.0}, rate = 0.0, w[4];
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x, ac_spring_winding(s, p->winding), g, H);
    bool unknown = s->stress >= 0;
    s->law->value(s->data, y, w);
    double k = unknown ? 0.0 : -0.5 * p->h * w[2];
    double force = unknown ? -0.5 * p->h * s->root * p->stress[s->stress] : -0.5 * p->h * w[1];
    for (int i = 0; elastic && i < plain; ++i) {
        double *row = by_x + slot[i] * size, kg = k * g[i];
        for (int j = 0; j < n; ++j) row[slot[j]] += force * H[i * n + j] + kg * g[j];
    }
    if (unknown || s->damping == 0.0) return;
    if (s->secant) {
        add_secant_damping(d, p, number, size, g, H, by_x, rate_a, rate_b);
        return;
    }
    for (int i = 0; i < plain; ++i) {
        double step = p->b[at[i]] - p->a[at[i]];
        rate += g[i] * step;
        for (int j = 0; j < n; ++j) Hd[j] += H[i * n + j] * step;
    }
    for (int i = 0; i < plain; ++i)
        for (int j = 0; j < n; ++j) {
            by_x[slot[i] * size + slot[j]] -= 0.5 * s->damping * (g[i] * Hd[j] + rate * H[i * n + j]);
            rate_a[slot[i] * size + slot[j]] -= 0.5 * s->damping * g[i] * g[j];
            if (rate_b != rate_a) rate_b[slot[i] * size + slot[j]] -= 0.5 * s->damping * g[i] * g[j];
        }
}

/* The same for the discrete derivative -h/2 s(y_a, y_b) D(a, b). */
static void add_secant_slopes(const ac_discrete *d, const ac_discrete_point *p, int number, int size,
                              double *by_a, double *by_b)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *slot = d->slots + d->slot_start[number];
    int n = d->scalars.list[s->scalar].count;
    double D[AC_SCALAR_MAX], A[BLOCK], B[BLOCK], ga[AC_SCALAR_MAX], gb[AC_SCALAR_MAX], ends[2];
    double winding = ac_spring_winding(s, p->winding);
    ac_law_secant by;
    ac_scalar_secant(&d->scalars, s->scalar, p->a, p->b, winding, ends, D, A, B);
    ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, ga, NULL);
    ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, gb, NULL);
    double half = -0.5 * p->h, pull = s->law->secant(s->data, ends[0], ends[1], &by);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = slot[i] * size + slot[j];
            by_a[to] += half * (pull * A[e] + by.by_a * D[i] * ga[j]);
            by_b[to] += half * (pull * B[e] + by.by_b * D[i] * gb[j]);
        }
}

/* The force -h/2 r z g by an unknown stress z. */
static void emit_by_stress(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                           ac_slope_sink sink, void *user)
{
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    double g[AC_SCALAR_MAX];
    if (s->stress < 0) return;
    ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, 0.0, g, NULL);
    for (int i = 0; i < d->scalars.list[s->scalar].count; ++i)
        for (int side = 0; side < 2; ++side)
            sink(user, side, at[i], AC_BY_STRESS, s->stress, -0.5 * p->h * s->root * g[i]);
}

/* by = factor x + sign delta; NULL: zero */
static const double *combine(int entries, double factor, const double *x, double sign, const double *delta,
                             double *by)
{
    if (factor == 0.0 && !delta) return NULL;
    for (int e = 0; e < entries; ++e) by[e] = factor * x[e] + (delta ? sign * delta[e] : 0.0);
    return by;
}

static void bundle_slopes(ac_discrete *d, const ac_discrete_point *p, const ac_bundle *bundle,
                          const ac_station *st, const ac_slope_sinks *sinks, void *user)
{
    double x[BLOCK], delta[BLOCK], other[BLOCK], by_a[BLOCK], by_b[BLOCK];
    int entries = bundle->rows * bundle->size;
    bool damped = is_damped(d, bundle), secant = d->scheme == AC_ENERGY_MOMENTUM;
    double *late = d->springs[bundle->first].secant ? other : delta; /* slopes of the rate by b */
    memset(x, 0, (size_t)entries * sizeof *x);
    if (damped) memset(delta, 0, (size_t)entries * sizeof *delta);
    if (damped && late != delta) memset(late, 0, (size_t)entries * sizeof *late);
    for (int k = bundle->first; k < bundle->first + bundle->count; ++k)
        if (!secant || d->springs[k].damping != 0.0)
            add_slopes(d, p, st, k, bundle->size, !secant, x, delta, late);
    ac_slope_block block = {bundle->rows, bundle->size, d->bundle_at + bundle->start, st->sides, NULL, NULL};
    block.by_a = combine(entries, st->by[0], x, -1.0, damped ? delta : NULL, by_a);
    block.by_b = !damped && !secant && st->by[0] == st->by[1]
                     ? block.by_a
                     : combine(entries, st->by[1], x, 1.0, damped ? late : NULL, by_b);
    for (int k = bundle->first; secant && k < bundle->first + bundle->count; ++k)
        add_secant_slopes(d, p, k, bundle->size, by_a, by_b);
    sinks->block(user, &block);
}

void ac_discrete_spring_slopes(ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                               void *user)
{
    ac_station stations[2];
    int count = ac_discrete_stations(d, p, stations);
    for (int e = 0; e < d->bundle_count; ++e) {
        const ac_bundle *bundle = &d->bundles[e];
        for (int k = bundle->first; k < bundle->first + bundle->count; ++k)
            emit_by_stress(d, p, &d->springs[k], sinks->entry, user);
        for (int s = 0; s < count; ++s) bundle_slopes(d, p, bundle, &stations[s], sinks, user);
    }
}

/* --- second derivatives --- */

/* Ingredients of the second derivatives of a spring: derivatives of y along the weights W and along delta. */
typedef struct spring_point {
    int n;
    const int *at, *slot;
    double y, w[4], g[AC_SCALAR_MAX], H[BLOCK], HW[AC_SCALAR_MAX], Hd[AC_SCALAR_MAX], gW, rate;
} spring_point;

static void look_at(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station, int number,
                    spring_point *x)
{
    const ac_discrete_spring *s = &d->springs[number];
    const ac_scalar *scalar = &d->scalars.list[s->scalar];
    x->n = scalar->count;
    x->at = ac_scalar_coordinates(&d->scalars, s->scalar);
    x->slot = d->slots + d->slot_start[number];
    x->y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x, ac_spring_winding(s, p->winding), x->g,
                              x->H);
    s->law->value(s->data, x->y, x->w);
    x->gW = x->rate = 0.0;
    memset(x->HW, 0, (size_t)x->n * sizeof *x->HW);
    memset(x->Hd, 0, (size_t)x->n * sizeof *x->Hd);
    for (int i = 0; i < scalar->plain; ++i) {
        double W = d->weights[x->at[i]], step = d->common[x->at[i]];
        x->gW += x->g[i] * W;
        x->rate += x->g[i] * step;
        for (int j = 0; j < x->n; ++j) {
            x->HW[j] += x->H[i * x->n + j] * W;
            x->Hd[j] += x->H[i * x->n + j] * step;
        }
    }
}

static bool is_bent(const ac_discrete *d, const ac_discrete_spring *s)
{
    return d->scalars.list[s->scalar].outer.kind != AC_OUTER_VALUE || d->scalars.list[s->scalar].varied;
}

/* phi = -h/2 W'(y) (g . W), twice by x */
static void add_spring(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                       const ac_discrete_spring *s, const spring_point *x, int size, double *out)
{
    double T[BLOCK], half = -0.5 * p->h, k = half * x->w[2], pull = half * x->w[1], along = k * x->gW,
                     bend = half * x->w[3] * x->gW;
    int n = x->n;
    bool bent = is_bent(d, s);
    if (bent) ac_scalar_third(&d->scalars, s->scalar, station->x, d->weights, T);
    for (int i = 0; i < n; ++i) {
        double *row = out + x->slot[i] * size, g = k * x->g[i], HW = k * x->HW[i] + bend * x->g[i];
        for (int j = 0; j < n; ++j) row[x->slot[j]] += along * x->H[i * n + j] + HW * x->g[j] + g * x->HW[j];
        for (int j = 0; bent && j < n; ++j) row[x->slot[j]] += pull * T[i * n + j];
    }
}

/* phi = -c/2 (g . delta)(g . W), by x twice, and by x and delta */
static void add_damper(const ac_discrete *d, const ac_station *station, const ac_discrete_spring *s,
                       const spring_point *x, int size, double *xx, double *xd)
{
    double T[BLOCK], Td[BLOCK], c = -0.5 * s->damping;
    int n = x->n;
    ac_scalar_third(&d->scalars, s->scalar, station->x, d->weights, T);
    ac_scalar_third(&d->scalars, s->scalar, station->x, d->common, Td);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = x->slot[i] * size + x->slot[j];
            xx[to] += c * (x->rate * T[e] + x->gW * Td[e] + x->Hd[i] * x->HW[j] + x->HW[i] * x->Hd[j]);
            xd[to] += c * (x->HW[i] * x->g[j] + x->gW * x->H[e]);
        }
}

/* phi = -c/2 (y(b) - y(a)) (g(x) . W) of damping by the secant rate, x one of the ends: twice by a, by a and b, twice by b. */
static void add_secant_damper(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                              const ac_discrete_spring *s, const spring_point *x, int size, double *ends[3])
{
    double T[BLOCK], g[2][AC_SCALAR_MAX], H[2][BLOCK], c = -0.5 * s->damping,
                                                       winding = ac_spring_winding(s, p->winding);
    const double sign[2] = {-1.0, 1.0}, *own = station->by;
    double change = -ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, g[0], H[0]);
    int n = x->n;
    change += ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, g[1], H[1]);
    ac_scalar_third(&d->scalars, s->scalar, station->x, d->weights, T);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = x->slot[i] * size + x->slot[j];
            for (int end = 0; end < 2; ++end)
                ends[2 * end][to] += c *
                                     (own[end] * own[end] * change * T[e] + sign[end] * x->gW * H[end][e] +
                                      own[end] * sign[end] * (g[end][i] * x->HW[j] + x->HW[i] * g[end][j]));
            ends[1][to] += c *
                           (own[0] * x->HW[i] * sign[1] * g[1][j] + own[1] * sign[0] * g[0][i] * x->HW[j]);
        }
}

/* phi = -h/2 r z (g . W) with an unknown stress z, and weight times the condition on it:
 * r^2/k z - r (y - rest) - r c/k (g . delta) / h */
static void add_stress(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                       const ac_discrete_spring *s, const spring_point *x, int size, double *xx, double *xd)
{
    double T[BLOCK], Td[BLOCK], k = -0.5 * p->h * s->root * p->stress[s->stress];
    double weight = p->stress_weights ? p->stress_weights[s->stress] : 0.0, bend = -s->root * weight,
           loss = -weight * ac_stress_damping(s) / p->h;
    int n = x->n;
    bool bent = is_bent(d, s);
    if (bent) ac_scalar_third(&d->scalars, s->scalar, station->x, d->weights, T);
    if (bent) ac_scalar_third(&d->scalars, s->scalar, station->x, d->common, Td);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = x->slot[i] * size + x->slot[j];
            xx[to] += bend * x->H[e] + (bent ? k * T[e] + loss * Td[e] : 0.0);
            if (loss != 0.0) xd[to] += loss * x->H[e];
        }
}

static void emit_stress(const ac_discrete_point *p, bool by_h, const ac_discrete_spring *s,
                        const spring_point *x, ac_curvature_sink sink, void *user)
{
    double h = p->h, weight = p->stress_weights ? p->stress_weights[s->stress] : 0.0,
           loss = weight * ac_stress_damping(s) / (h * h);
    for (int i = 0; i < x->n; ++i) {
        double value = -0.25 * s->root * p->stress[s->stress] * x->HW[i] + 0.5 * loss * x->Hd[i];
        sink(user, AC_BY_A, x->at[i], AC_BY_STRESS, s->stress, -0.25 * h * s->root * x->HW[i]);
        sink(user, AC_BY_B, x->at[i], AC_BY_STRESS, s->stress, -0.25 * h * s->root * x->HW[i]);
        if (by_h) sink(user, AC_BY_A, x->at[i], AC_BY_H, 0, value - loss * x->g[i]);
        if (by_h) sink(user, AC_BY_B, x->at[i], AC_BY_H, 0, value + loss * x->g[i]);
    }
    if (by_h) sink(user, AC_BY_STRESS, s->stress, AC_BY_H, 0, -0.5 * s->root * x->gW);
    if (by_h) sink(user, AC_BY_H, 0, AC_BY_H, 0, -2.0 * loss * x->rate / h);
}

/* By the step: -h/2 grad V . W is linear in h. */
static void emit_by_step(const ac_station *station, const spring_point *x, ac_curvature_sink sink, void *user)
{
    for (int i = 0; i < x->n; ++i) {
        double value = -0.5 * (x->w[1] * x->HW[i] + x->w[2] * x->gW * x->g[i]);
        for (int end = 0; end < 2; ++end)
            if (station->by[end] != 0.0)
                sink(user, end == 0 ? AC_BY_A : AC_BY_B, x->at[i], AC_BY_H, 0, station->by[end] * value);
    }
}

/* With x = by[0] a + by[1] b and delta = b - a: second derivatives by the ends from those by x and delta. */
static void pass_on(const ac_discrete *d, const ac_bundle *bundle, const ac_station *st, double *xx,
                    const double *xd, double *const ends[3], const ac_curvature_sinks *sinks, void *user)
{
    double aa[BLOCK], ab[BLOCK], bb[BLOCK], A = st->by[0], B = st->by[1];
    int n = bundle->size;
    ac_curvature_block block = {n, d->bundle_at + bundle->start, NULL, NULL, NULL};
    if (ends) {
        for (int e = 0; e < n * n; ++e) {
            ends[0][e] += A * A * xx[e];
            ends[1][e] += A * B * xx[e];
            ends[2][e] += B * B * xx[e];
        }
        block.aa = ends[0];
        block.ab = ends[1];
        block.bb = ends[2];
    } else if (!xd && A == B) {
        for (int e = 0; e < n * n; ++e) xx[e] *= A * A;
        block.aa = block.ab = block.bb = xx;
    } else if (!xd) {
        block.aa = A != 0.0 ? xx : NULL;
        block.bb = B != 0.0 ? xx : NULL;
    } else {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                int e = i * n + j;
                double twice = xd[e] + xd[j * n + i];
                aa[e] = A * A * xx[e] - A * twice;
                ab[e] = A * B * xx[e] + A * xd[e] - B * xd[j * n + i];
                bb[e] = B * B * xx[e] + B * twice;
            }
        block.aa = aa;
        block.ab = ab;
        block.bb = bb;
    }
    sinks->block(user, &block);
}

static void bundle_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const ac_bundle *bundle,
                             const ac_station *st, const ac_curvature_sinks *sinks, void *user)
{
    double xx[BLOCK], xd[BLOCK], aa[BLOCK], ab[BLOCK], bb[BLOCK], *ends[3] = {aa, ab, bb};
    spring_point x;
    int size = bundle->size;
    bool damped = is_damped(d, bundle), secant = damped && d->springs[bundle->first].secant;
    memset(xx, 0, (size_t)size * (size_t)size * sizeof *xx);
    if (damped) memset(xd, 0, (size_t)size * (size_t)size * sizeof *xd);
    for (int e = 0; secant && e < 3; ++e) memset(ends[e], 0, (size_t)size * (size_t)size * sizeof *aa);
    for (int k = bundle->first; k < bundle->first + bundle->count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        look_at(d, p, st, k, &x);
        if (s->stress >= 0) {
            add_stress(d, p, st, s, &x, size, xx, xd);
            emit_stress(p, by_h, s, &x, sinks->entry, user);
            continue;
        }
        add_spring(d, p, st, s, &x, size, xx);
        if (s->damping != 0.0 && secant) add_secant_damper(d, p, st, s, &x, size, ends);
        if (s->damping != 0.0 && !secant) add_damper(d, st, s, &x, size, xx, xd);
        if (by_h) emit_by_step(st, &x, sinks->entry, user);
    }
    pass_on(d, bundle, st, xx, damped ? xd : NULL, secant ? ends : NULL, sinks, user);
}

void ac_discrete_spring_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                                  const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    ac_station stations[2];
    int n = d->system->n, count = ac_discrete_stations(d, p, stations);
    for (int i = 0; i < n; ++i) d->common[i] = p->b[i] - p->a[i];
    for (int s = 0; s < count; ++s) {
        bool left = stations[s].sides & AC_LEFT, right = stations[s].sides & AC_RIGHT;
        for (int i = 0; i < n; ++i) d->weights[i] = (left ? wl[i] : 0.0) + (right ? wr[i] : 0.0);
        for (int e = 0; e < d->bundle_count; ++e)
            bundle_curvature(d, p, by_h, &d->bundles[e], &stations[s], sinks, user);
    }
}
