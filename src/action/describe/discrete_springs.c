/* Springs, dampers and strains of beams in the discrete mechanics: first and second derivatives.
 *
 * All strains of an element change with the same few coordinates. They are gathered to one bundle, whose
 * derivatives are summed up here and handed on as one small block; the costly part, taking a block from
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
        bool unknown = stresses && s->stretch && s->stiffness > 0.0;
        s->stress = unknown ? d->stress_count++ : -1;
        s->root = unknown ? sqrt(s->stiffness) : 0.0;
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

/* One spring: adds to the blocks of its bundle. Force on both ends of the interval alike:
 * -h/2 k (y - rest) g - c/2 (g . delta) g with delta = b - a, everything at the mean. */
static void add_slopes(const ac_discrete *d, const ac_discrete_point *p, int number, int size, double *by_a,
                       double *by_b)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar), *slot = d->slots + d->slot_start[number];
    int n = d->scalars.list[s->scalar].count, plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], H[BLOCK], Hd[AC_SCALAR_MAX] = {0.0}, rate = 0.0;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, ac_spring_near(s, p->near), g, H);
    bool unknown = s->stress >= 0;
    double k = unknown ? 0.0 : -0.25 * p->h * s->stiffness;
    double force = unknown ? -0.25 * p->h * s->root * p->stress[s->stress] : k * (y - s->rest);
    for (int i = 0; i < plain; ++i) {
        double *row = by_a + slot[i] * size, kg = k * g[i];
        for (int j = 0; j < n; ++j) row[slot[j]] += force * H[i * n + j] + kg * g[j];
    }
    if (by_a == by_b) return; /* no damping */
    for (int i = 0; i < plain; ++i) {
        double *row = by_b + slot[i] * size, kg = k * g[i];
        for (int j = 0; j < n; ++j) row[slot[j]] += force * H[i * n + j] + kg * g[j];
    }
    if (unknown) return;
    for (int i = 0; i < plain; ++i) {
        double step = p->b[at[i]] - p->a[at[i]];
        rate += g[i] * step;
        for (int j = 0; j < n; ++j) Hd[j] += H[i * n + j] * step;
    }
    for (int i = 0; i < plain; ++i)
        for (int j = 0; j < n; ++j) {
            double turning = -0.25 * s->damping * (g[i] * Hd[j] + rate * H[i * n + j]);
            double pushing = 0.5 * s->damping * g[i] * g[j];
            by_a[slot[i] * size + slot[j]] += turning + pushing;
            by_b[slot[i] * size + slot[j]] += turning - pushing;
        }
}

static bool is_damped(const ac_discrete *d, const ac_bundle *bundle)
{
    for (int k = bundle->first; k < bundle->first + bundle->count; ++k)
        if (d->springs[k].damping != 0.0) return true;
    return false;
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

void ac_discrete_spring_slopes(ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                               void *user)
{
    double by_a[BLOCK], by_b[BLOCK];
    for (int e = 0; e < d->bundle_count; ++e) {
        const ac_bundle *bundle = &d->bundles[e];
        bool damped = is_damped(d, bundle);
        size_t bytes = (size_t)bundle->rows * (size_t)bundle->size * sizeof *by_a;
        memset(by_a, 0, bytes);
        if (damped) memset(by_b, 0, bytes);
        ac_slope_block block = {bundle->rows, bundle->size, d->bundle_at + bundle->start, by_a,
                                damped ? by_b : by_a};
        for (int k = bundle->first; k < bundle->first + bundle->count; ++k) {
            add_slopes(d, p, k, bundle->size, by_a, damped ? by_b : by_a);
            emit_by_stress(d, p, &d->springs[k], sinks->entry, user);
        }
        sinks->block(user, &block);
    }
}

/* --- second derivatives --- */

/* What the second derivatives of a spring are made of: derivatives of y along W = wl + wr and delta. */
typedef struct spring_point {
    int n;
    const int *at, *slot;
    double y, g[AC_SCALAR_MAX], H[BLOCK], HW[AC_SCALAR_MAX], Hd[AC_SCALAR_MAX], gW, rate;
} spring_point;

static void look_at(const ac_discrete *d, const ac_discrete_point *p, int number, spring_point *x)
{
    const ac_discrete_spring *s = &d->springs[number];
    const ac_scalar *scalar = &d->scalars.list[s->scalar];
    x->n = scalar->count;
    x->at = ac_scalar_coordinates(&d->scalars, s->scalar);
    x->slot = d->slots + d->slot_start[number];
    x->y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, ac_spring_near(s, p->near), x->g, x->H);
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

/* phi = -h/2 grad V(mean) . W: the same by a and b */
static void add_spring(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                       const spring_point *x, int size, double *out)
{
    double T[BLOCK], k = -0.125 * p->h * s->stiffness, stretch = k * (x->y - s->rest), along = k * x->gW;
    int n = x->n;
    bool bent = d->scalars.list[s->scalar].outer.kind != AC_OUTER_VALUE || d->scalars.list[s->scalar].varied;
    if (bent) ac_scalar_third(&d->scalars, s->scalar, d->mean, d->weights, T);
    for (int i = 0; i < n; ++i) {
        double *row = out + x->slot[i] * size, g = k * x->g[i], HW = k * x->HW[i];
        for (int j = 0; j < n; ++j) row[x->slot[j]] += along * x->H[i * n + j] + HW * x->g[j] + g * x->HW[j];
        for (int j = 0; bent && j < n; ++j) row[x->slot[j]] += stretch * T[i * n + j];
    }
}

/* phi = -c/2 (g . delta)(g . W); derivatives of (g . delta) by a and b: Hd/2 -+ g; of (g . W): HW/2 */
static void add_damper(const ac_discrete *d, const ac_discrete_spring *s, const spring_point *x, int size,
                       double *const blocks[3])
{
    double T[BLOCK], Td[BLOCK], c = s->damping;
    int n = x->n;
    ac_scalar_third(&d->scalars, s->scalar, d->mean, d->weights, T);
    ac_scalar_third(&d->scalars, s->scalar, d->mean, d->common, Td);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = x->slot[i] * size + x->slot[j];
            double shared = -0.125 * c * (x->rate * T[e] + x->gW * Td[e]), bend = 0.5 * c * x->gW * x->H[e];
            double ai = 0.5 * x->Hd[i] - x->g[i], aj = 0.5 * x->Hd[j] - x->g[j],
                   bi = 0.5 * x->Hd[i] + x->g[i], bj = 0.5 * x->Hd[j] + x->g[j];
            blocks[0][to] += shared + bend - 0.25 * c * (ai * x->HW[j] + x->HW[i] * aj);
            blocks[1][to] += shared - 0.25 * c * (ai * x->HW[j] + x->HW[i] * bj);
            blocks[2][to] += shared - bend - 0.25 * c * (bi * x->HW[j] + x->HW[i] * bj);
        }
}

/* phi = -h/2 r z (g . W) with an unknown stress z, and weight times the condition on it:
 * r^2/k z - r (y - rest) - r c/k (g . delta) / h */
static void add_stress(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                       const spring_point *x, int size, bool damped, double *const blocks[3])
{
    double T[BLOCK], Td[BLOCK], k = -0.125 * p->h * s->root * p->stress[s->stress];
    double weight = p->stress_weights ? p->stress_weights[s->stress] : 0.0, bend = -0.25 * s->root * weight,
           loss = -weight * ac_stress_damping(s) / p->h;
    int n = x->n;
    bool bent = d->scalars.list[s->scalar].outer.kind != AC_OUTER_VALUE;
    if (bent) ac_scalar_third(&d->scalars, s->scalar, d->mean, d->weights, T);
    if (bent) ac_scalar_third(&d->scalars, s->scalar, d->mean, d->common, Td);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int e = i * n + j, to = x->slot[i] * size + x->slot[j];
            double shared = bend * x->H[e] + (bent ? k * T[e] + 0.25 * loss * Td[e] : 0.0);
            blocks[0][to] += shared - loss * x->H[e];
            if (!damped) continue;
            blocks[1][to] += shared;
            blocks[2][to] += shared + loss * x->H[e];
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
static void emit_by_step(const ac_discrete_spring *s, const spring_point *x, ac_curvature_sink sink,
                         void *user)
{
    for (int i = 0; i < x->n; ++i) {
        double value = -0.25 * s->stiffness * ((x->y - s->rest) * x->HW[i] + x->gW * x->g[i]);
        sink(user, AC_BY_A, x->at[i], AC_BY_H, 0, value);
        sink(user, AC_BY_B, x->at[i], AC_BY_H, 0, value);
    }
}

void ac_discrete_spring_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h,
                                  const ac_curvature_sinks *sinks, void *user)
{
    double aa[BLOCK], ab[BLOCK], bb[BLOCK];
    spring_point x;
    for (int e = 0; e < d->bundle_count; ++e) {
        const ac_bundle *bundle = &d->bundles[e];
        int size = bundle->size;
        bool damped = is_damped(d, bundle);
        double *const blocks[3] = {aa, damped ? ab : aa, damped ? bb : aa};
        for (int k = 0; k < (damped ? 3 : 1); ++k)
            memset(blocks[k], 0, (size_t)size * (size_t)size * sizeof *aa);
        for (int k = bundle->first; k < bundle->first + bundle->count; ++k) {
            const ac_discrete_spring *s = &d->springs[k];
            look_at(d, p, k, &x);
            if (s->stress >= 0) {
                add_stress(d, p, s, &x, size, damped, blocks);
                emit_stress(p, by_h, s, &x, sinks->entry, user);
                continue;
            }
            for (int b = 0; b < (damped ? 3 : 1); ++b) add_spring(d, p, s, &x, size, blocks[b]);
            if (s->damping != 0.0) add_damper(d, s, &x, size, blocks);
            if (by_h) emit_by_step(s, &x, sinks->entry, user);
        }
        const ac_curvature_block block = {size, d->bundle_at + bundle->start, blocks[0], blocks[1],
                                          blocks[2]};
        sinks->block(user, &block);
    }
}
