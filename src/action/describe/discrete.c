/* Discrete mechanics of an interval: what it consists of, where it is evaluated, and sums over the terms of the action. */
#include "action/describe/discrete.h"

#include <string.h>

#include "action/term.h"

extern const ac_element_kind ac_element_spring;

/* --- making --- */

/* Where the parts of one element go. */
typedef struct adding_parts {
    ac_discrete *d;
    const ac_element_kind *kind;
    int element, part;
} adding_parts;

static ac_status add_spring(ac_discrete *d, const ac_discrete_spring *spring)
{
    AC_TRY(
        ac_grow(d->ctx, (void **)&d->springs, &d->spring_capacity, d->spring_count + 1, sizeof *d->springs));
    d->springs[d->spring_count++] = *spring;
    return AC_OK;
}

/* A part of a law of the square of a length: its damper needs the length itself and is a spring of its own. */
static ac_status add_square(ac_discrete *d, ac_discrete_spring *s, int measure)
{
    ac_discrete_spring damper = *s;
    AC_TRY(ac_discrete_measure_as(d, measure, AC_MEASURE_VALUE, &s->scalar));
    s->damping = 0.0;
    AC_TRY(add_spring(d, s));
    if (damper.damping == 0.0) return AC_OK;
    damper.law = &ac_law_quadratic;
    damper.data[0] = 0.0;
    AC_TRY(ac_discrete_measure_as(d, measure, AC_MEASURE_LENGTH, &damper.scalar));
    return add_spring(d, &damper);
}

static ac_status take_part(ac_describing *to, const ac_part *part, int first_form)
{
    adding_parts *own = to->user;
    ac_discrete *d = own->d;
    ac_law_numbers numbers;
    own->kind->numbers(d->system, own->element, own->part++, &numbers);
    ac_discrete_spring s = {.measure = part->measure,
                            .source = own->kind == &ac_element_spring ? own->element : -1,
                            .kind = own->kind,
                            .number = own->element,
                            .law = numbers.law,
                            .damping = numbers.damping,
                            .secant = numbers.secant,
                            .beam = part->beam,
                            .element = part->element,
                            .point = part->point,
                            .strain = part->strain,
                            .weight = part->weight,
                            .reference = part->reference,
                            .stretch = part->beam >= 0 && part->strain < 3 && !numbers.secant,
                            .stress = -1};
    memcpy(s.data, numbers.data, sizeof s.data);
    if (part->measure < 0) {
        ac_outer outer = part->outer;
        if (outer.factor == 0.0) outer.factor = 1.0;
        AC_TRY(ac_scalars_close_outer(&d->scalars, &outer, first_form, &s.scalar));
        return add_spring(d, &s);
    }
    if (numbers.law->of_square) return add_square(d, &s, part->measure);
    AC_TRY(ac_discrete_measure(d, part->measure, &s.scalar));
    return add_spring(d, &s);
}

static ac_status add_elements(ac_discrete *d)
{
    for (int t = 0; ac_element_kinds[t]; ++t) {
        adding_parts own = {d, ac_element_kinds[t], 0, 0};
        ac_describing to = {d->ctx, &d->scalars.forms, take_part, &own};
        for (int k = 0; k < own.kind->count(d->system); ++k) {
            own.element = k;
            own.part = 0;
            AC_TRY(own.kind->describe(d->system, k, &to));
        }
    }
    return AC_OK;
}

ac_status ac_discrete_create(ac_context *ctx, const ac_system *system, ac_discrete *d)
{
    memset(d, 0, sizeof *d);
    d->ctx = ctx;
    d->system = system;
    d->scheme = AC_MIDPOINT;
    ac_scalars_begin(&d->scalars, ctx);
    size_t room = (size_t)system->n;
    AC_NEW(ctx, d->mean, room);
    AC_NEW(ctx, d->momentum, room);
    AC_NEW(ctx, d->common, room);
    AC_NEW(ctx, d->by_step, 2 * room);
    AC_NEW(ctx, d->weights, room);
    return add_elements(d);
}

ac_status ac_discrete_restart(ac_discrete *d)
{
    d->spring_count = 0;
    d->scalars.count = d->scalars.coordinate_count = 0;
    d->scalars.forms.count = 0;
    return add_elements(d);
}

void ac_discrete_destroy(ac_discrete *d)
{
    if (!d->ctx) return;
    ac_scalars_end(&d->scalars);
    ac_release(d->ctx, d->springs);
    ac_release(d->ctx, d->strain_jets);
    ac_release(d->ctx, d->strain_varies);
    for (int k = 0; d->law_lists && k < d->spring_count; ++k) ac_release(d->ctx, d->law_lists[k].by);
    ac_release(d->ctx, d->law_lists);
    ac_release(d->ctx, d->law_work);
    ac_jets_free(&d->jets);
    ac_release(d->ctx, d->bundles);
    ac_release(d->ctx, d->bundle_at);
    ac_release(d->ctx, d->slots);
    ac_release(d->ctx, d->slot_start);
    ac_release(d->ctx, d->inputs);
    ac_force_maps_free(d->ctx, &d->forces);
    ac_release(d->ctx, d->mean);
    ac_release(d->ctx, d->momentum);
    ac_release(d->ctx, d->common);
    ac_release(d->ctx, d->by_step);
    ac_release(d->ctx, d->weights);
    memset(d, 0, sizeof *d);
}

/* --- where things are evaluated --- */

void ac_discrete_take_mean(ac_discrete *d, const ac_discrete_point *p)
{
    for (int i = 0; i < d->system->n; ++i) d->mean[i] = 0.5 * (p->a[i] + p->b[i]);
}

/* Both ends, each for its own side. */
static int end_stations(const ac_discrete_point *p, ac_station s[2])
{
    s[0] = (ac_station){p->a, {1.0, 0.0}, AC_LEFT};
    s[1] = (ac_station){p->b, {0.0, 1.0}, AC_RIGHT};
    return 2;
}

static int mean_station(const ac_discrete *d, ac_station s[2])
{
    s[0] = (ac_station){d->mean, {0.5, 0.5}, AC_BOTH_SIDES};
    return 1;
}

int ac_discrete_stations(const ac_discrete *d, const ac_discrete_point *p, ac_station s[2])
{
    return d->scheme == AC_TRAPEZOIDAL ? end_stations(p, s) : mean_station(d, s);
}

int ac_discrete_input_stations(const ac_discrete *d, const ac_discrete_point *p, ac_station s[2])
{
    return d->scheme == AC_ENERGY_MOMENTUM ? mean_station(d, s) : end_stations(p, s);
}

/* --- values and first derivatives --- */

double ac_discrete_action(ac_discrete *d, const ac_discrete_point *p)
{
    double sum = 0.0;
    ac_discrete_take_mean(d, p);
    for (int t = 0; ac_terms[t]; ++t)
        if (ac_terms[t]->action) sum += ac_terms[t]->action(d, p);
    return sum;
}

void ac_discrete_values(ac_discrete *d, const ac_discrete_point *p, double *left, double *right)
{
    double *const side[2] = {left, right};
    ac_discrete_take_mean(d, p);
    for (int s = 0; s < 2; ++s) memset(side[s], 0, (size_t)d->system->n * sizeof *left);
    for (int t = 0; ac_terms[t]; ++t)
        if (ac_terms[t]->values) ac_terms[t]->values(d, p, side);
}

void ac_discrete_by_step(ac_discrete *d, const ac_discrete_point *p, double *left, double *right)
{
    double *const side[2] = {left, right};
    ac_discrete_take_mean(d, p);
    for (int s = 0; s < 2; ++s) memset(side[s], 0, (size_t)d->system->n * sizeof *left);
    for (int t = 0; ac_terms[t]; ++t)
        if (ac_terms[t]->by_step) ac_terms[t]->by_step(d, p, side);
}

static void step_slopes(ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink, void *user)
{
    int n = d->system->n;
    double *const side[2] = {d->by_step, d->by_step + n};
    ac_discrete_by_step(d, p, side[0], side[1]);
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < n; ++i) sink(user, s, i, AC_BY_H, 0, side[s][i]);
}

void ac_discrete_slopes(ac_discrete *d, const ac_discrete_point *p, bool by_h, const ac_slope_sinks *sinks,
                        void *user)
{
    ac_discrete_take_mean(d, p);
    if (d->vary) ac_discrete_parameter_slopes(d, p, sinks->entry, user);
    for (int t = 0; ac_terms[t]; ++t)
        if (ac_terms[t]->slopes) ac_terms[t]->slopes(d, p, sinks, user);
    if (by_h) step_slopes(d, p, sinks->entry, user);
}

/* --- transposed products --- */

typedef struct pulling {
    const double *w[2];
    const ac_pullback *out;
    int n;
    const ac_variation *vary;
} pulling;

/* By data that move points: by the parameters behind them. */
static void pull_moving(const pulling *s, int number, double weighted)
{
    const ac_jet *jet = &s->vary->moving[number].jet;
    for (int a = 0; s->out->parameters && a < jet->count; ++a)
        s->out->parameters[jet->by[a]] += weighted * jet->d[a];
}

static void pull(void *user, int side, int row, ac_by by, int column, double value)
{
    const pulling *s = user;
    double weighted = s->w[side][row] * value, *to = NULL;
    if (by <= AC_BY_B && column >= s->n) {
        pull_moving(s, column - s->n, weighted);
        return;
    }
    switch (by) {
    case AC_BY_A: to = s->out->a; break;
    case AC_BY_B: to = s->out->b; break;
    case AC_BY_TAU: to = s->out->inputs; break;
    case AC_BY_H: to = s->out->step; break;
    case AC_BY_P: to = s->out->parameters; break;
    case AC_BY_STRESS: to = s->out->stresses; break;
    }
    if (to) to[column] += weighted;
}

static void pull_block(void *user, const ac_slope_block *b)
{
    const pulling *s = user;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (b->sides & (1 << side)) && i < b->rows; ++i)
            for (int j = 0; j < b->size; ++j) {
                if (b->by_a) pull(user, side, b->at[i], AC_BY_A, b->at[j], b->by_a[i * b->size + j]);
                if (b->by_b) pull(user, side, b->at[i], AC_BY_B, b->at[j], b->by_b[i * b->size + j]);
            }
    (void)s;
}

void ac_discrete_pullback(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                          const ac_pullback *out)
{
    pulling s = {{wl, wr}, out, d->system->n, d->vary};
    const ac_slope_sinks sinks = {pull, pull_block};
    if (d->vary || d->stress_count > 0 || out->step || out->stresses) {
        ac_discrete_slopes(d, p, out->step != NULL, &sinks, &s);
        return;
    }
    ac_discrete_take_mean(d, p);
    for (int t = 0; ac_terms[t]; ++t) {
        if (ac_terms[t]->pull)
            ac_terms[t]->pull(d, p, wl, wr, out);
        else if (ac_terms[t]->slopes)
            ac_terms[t]->slopes(d, p, &sinks, &s);
    }
}

/* --- second derivatives --- */

void ac_discrete_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    ac_discrete_take_mean(d, p);
    if (d->vary) ac_discrete_parameter_curvature(d, p, by_h, wl, wr, sinks->entry, user);
    for (int t = 0; ac_terms[t]; ++t)
        if (ac_terms[t]->curvature) ac_terms[t]->curvature(d, p, by_h, wl, wr, sinks, user);
}
