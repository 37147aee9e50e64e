/* Discrete mechanics of an interval: inertia, gravity, elements, inputs. */
#include "action/describe/discrete.h"

#include <string.h>

#include "action/inertia.h"
#include "action/relative.h"

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
                            .strain = part->strain,
                            .weight = part->weight,
                            .reference = part->reference,
                            .stretch = part->beam >= 0 && part->strain < 3,
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
    ac_scalars_begin(&d->scalars, ctx);
    size_t room = (size_t)system->n;
    AC_NEW(ctx, d->mean, room);
    AC_NEW(ctx, d->momentum, room);
    AC_NEW(ctx, d->common, room);
    AC_NEW(ctx, d->weights, room);
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

/* --- energies --- */

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
    if (y_gradient) memcpy(y_gradient, g, (size_t)n * sizeof *g);
    if (y) *y = own;
    return w[0];
}

static double potential_at(const ac_discrete *d, const double *q, const double *measure_windings)
{
    double sum = 0.0;
    for (int i = 0; i < d->system->n; ++i) sum -= d->system->gravity_force[i] * q[i];
    for (int k = 0; k < d->spring_count; ++k)
        sum += ac_discrete_energy(d, k, q, ac_spring_winding(&d->springs[k], measure_windings), NULL, NULL,
                                  NULL, NULL);
    return sum;
}

double ac_discrete_action(ac_discrete *d, const ac_discrete_point *p)
{
    ac_station stations[2];
    double kinetic = 0.0, potential = 0.0;
    ac_discrete_take_mean(d, p);
    int count = ac_discrete_stations(d, p, stations);
    for (int i = 0; i < d->system->n; ++i) d->weights[i] = (p->b[i] - p->a[i]) / p->h;
    ac_mass_apply(d->system, d->weights, d->momentum);
    ac_relative_clear(d->system, d->momentum);
    for (int i = 0; i < d->system->n; ++i) kinetic += 0.5 * d->weights[i] * d->momentum[i];
    kinetic += ac_relative_energy(d->system, p->a, p->b, p->h, NULL);
    for (int k = 0; k < count; ++k) potential += potential_at(d, stations[k].x, p->winding) / count;
    return p->h * (kinetic - potential);
}

/* --- values --- */

/* D times the secant of the law: what the gradient of the energy is in the energy-momentum scheme */
static double secant_of(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                        double *D)
{
    double ends[2];
    ac_law_secant by;
    ac_scalar_secant(&d->scalars, s->scalar, p->a, p->b, ac_spring_winding(s, p->winding), ends, D, NULL,
                     NULL);
    return s->law->secant(s->data, ends[0], ends[1], &by);
}

double ac_spring_change(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s)
{
    double winding = ac_spring_winding(s, p->winding);
    return ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, NULL, NULL) -
           ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, NULL, NULL);
}

/* common = force of gravity and elements at the station; damping += impulse of the dampers / 2, which does not depend
 * on h; NULL: not asked for */
static void common_force(ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                         double *damping)
{
    memcpy(d->common, d->system->gravity_force, (size_t)d->system->n * sizeof *d->common);
    for (int k = 0; k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
        int count = d->scalars.list[s->scalar].plain;
        bool secant = d->scheme == AC_ENERGY_MOMENTUM, damped = damping && s->damping != 0.0 && s->stress < 0;
        double g[AC_SCALAR_MAX], w[4], rate = 0.0, pull;
        if (secant) {
            pull = secant_of(d, p, s, g);
        } else {
            double y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x,
                                          ac_spring_winding(s, p->winding), g, NULL);
            s->law->value(s->data, y, w);
            pull = s->stress < 0 ? w[1] : s->root * p->stress[s->stress];
        }
        for (int i = 0; i < count; ++i) d->common[at[i]] -= pull * g[i];
        if (!damped) continue;
        if (secant)
            ac_scalar_evaluate(&d->scalars, s->scalar, station->x, ac_spring_winding(s, p->winding), g, NULL);
        for (int i = 0; !s->secant && i < count; ++i) rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
        if (s->secant) rate = ac_spring_change(d, p, s);
        for (int i = 0; i < count; ++i) damping[at[i]] -= 0.5 * s->damping * rate * g[i];
    }
}

static void momentum(ac_discrete *d, const ac_discrete_point *p)
{
    int n = d->system->n;
    for (int i = 0; i < n; ++i) d->weights[i] = (p->b[i] - p->a[i]) / p->h;
    ac_mass_apply(d->system, d->weights, d->momentum);
    ac_relative_clear(d->system, d->momentum);
}

void ac_discrete_values(ac_discrete *d, const ac_discrete_point *p, double *left, double *right)
{
    int n = d->system->n;
    double *const out[2] = {left, right};
    ac_station stations[2];
    ac_discrete_take_mean(d, p);
    momentum(d, p);
    for (int k = 0, count = ac_discrete_stations(d, p, stations); k < count; ++k) {
        memset(d->weights, 0, (size_t)n * sizeof *d->weights);
        common_force(d, p, &stations[k], d->weights);
        for (int side = 0; side < 2; ++side)
            for (int i = 0; (stations[k].sides & (1 << side)) && i < n; ++i)
                out[side][i] = d->weights[i] + 0.5 * p->h * d->common[i] +
                               (side == 0 ? -d->momentum[i] : d->momentum[i]);
    }
    for (int side = 0; side < 2; ++side) ac_relative_add(d->system, p->a, p->b, p->h, side, out[side]);
    for (int k = 0, count = ac_discrete_input_stations(d, p, stations); k < count; ++k)
        for (int side = 0; side < 2; ++side)
            if (stations[k].sides & (1 << side))
                ac_discrete_add_inputs(d, ac_station_place(&stations[k]), stations[k].x, p->tau, 0.5 * p->h,
                                       out[side]);
}

/* --- first derivatives --- */

static void add_input_rates(const ac_discrete *d, const ac_discrete_point *p, int side, double *out)
{
    ac_station stations[2];
    for (int k = 0, count = ac_discrete_input_stations(d, p, stations); k < count; ++k) {
        if (!(stations[k].sides & (1 << side))) continue;
        ac_discrete_add_inputs(d, ac_station_place(&stations[k]), stations[k].x, p->tau, 0.5, out);
        if (p->tau_h)
            ac_discrete_add_inputs(d, ac_station_place(&stations[k]), stations[k].x, p->tau_h, 0.5 * p->h,
                                   out);
    }
}

static void step_slopes(ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink, void *user)
{
    int n = d->system->n;
    ac_station stations[2];
    momentum(d, p);
    for (int k = 0, count = ac_discrete_stations(d, p, stations); k < count; ++k) {
        common_force(d, p, &stations[k], NULL);
        for (int side = 0; side < 2; ++side) {
            if (!(stations[k].sides & (1 << side))) continue;
            for (int i = 0; i < n; ++i)
                d->weights[i] = 0.5 * d->common[i] + (side == 0 ? d->momentum[i] : -d->momentum[i]) / p->h;
            add_input_rates(d, p, side, d->weights);
            for (int i = 0; i < n; ++i) sink(user, side, i, AC_BY_H, 0, d->weights[i]);
        }
    }
}

void ac_discrete_slopes(ac_discrete *d, const ac_discrete_point *p, bool by_h, const ac_slope_sinks *sinks,
                        void *user)
{
    const ac_system *system = d->system;
    const ac_slope_sink sink = sinks->entry;
    ac_station stations[2];
    ac_discrete_take_mean(d, p);
    if (d->vary) ac_discrete_parameter_slopes(d, p, sink, user);
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *e = &system->inertia.entries[k];
        double m = e->coefficient / p->h;
        if (e->relative) continue;
        for (int i = 0; i < e->dimension; ++i) {
            sink(user, 0, e->row + i, AC_BY_A, e->column + i, m);
            sink(user, 0, e->row + i, AC_BY_B, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_A, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_B, e->column + i, m);
        }
    }
    ac_relative_slopes(d, p, by_h, sinks, user);
    ac_discrete_spring_slopes(d, p, sinks, user);
    int count = ac_discrete_input_stations(d, p, stations);
    for (int k = 0; k < d->input_count; ++k) {
        if (d->projected && d->inputs[k].freedom >= 0) continue;
        for (int s = 0; s < count; ++s) ac_discrete_input_slopes(d, p, &stations[s], k, sink, user);
    }
    if (by_h) step_slopes(d, p, sink, user);
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

static void pull_directly(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                          const ac_pullback *out)
{
    pulling s = {{wl, wr}, out, d->system->n, d->vary};
    ac_station stations[2];
    ac_discrete_take_mean(d, p);
    ac_discrete_pull_inertia(d, p, wl, wr, out);
    ac_discrete_pull_elements(d, p, wl, wr, out);
    int count = ac_discrete_input_stations(d, p, stations);
    for (int k = 0; k < d->input_count; ++k) {
        if (d->projected && d->inputs[k].freedom >= 0) continue;
        for (int e = 0; e < count; ++e) ac_discrete_input_slopes(d, p, &stations[e], k, pull, &s);
    }
}

void ac_discrete_pullback(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                          const ac_pullback *out)
{
    pulling s = {{wl, wr}, out, d->system->n, d->vary};
    const ac_slope_sinks sinks = {pull, pull_block};
    if (!d->vary && d->stress_count == 0 && !out->step && !out->stresses) {
        pull_directly(d, p, wl, wr, out);
        return;
    }
    ac_discrete_slopes(d, p, out->step != NULL, &sinks, &s);
}

/* --- second derivatives --- */

static void inertia_curvature(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                              ac_curvature_sink sink, void *user)
{
    int n = d->system->n;
    double h = p->h, sum = 0.0;
    for (int i = 0; i < n; ++i) d->weights[i] = wr[i] - wl[i];
    ac_mass_apply(d->system, d->weights, d->momentum);
    ac_relative_clear(d->system, d->momentum);
    for (int i = 0; i < n; ++i) {
        sum += d->momentum[i] * (p->b[i] - p->a[i]);
        sink(user, AC_BY_A, i, AC_BY_H, 0, d->momentum[i] / (h * h));
        sink(user, AC_BY_B, i, AC_BY_H, 0, -d->momentum[i] / (h * h));
    }
    sink(user, AC_BY_H, 0, AC_BY_H, 0, 2.0 * sum / (h * h * h));
}

void ac_discrete_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    const ac_curvature_sink sink = sinks->entry;
    ac_discrete_take_mean(d, p);
    if (d->vary) ac_discrete_parameter_curvature(d, p, by_h, wl, wr, sink, user);
    if (by_h) inertia_curvature(d, p, wl, wr, sink, user);
    ac_relative_curvature(d, p, by_h, wl, wr, sinks, user);
    ac_discrete_spring_curvature(d, p, by_h, wl, wr, sinks, user);
    for (int k = 0; k < d->input_count; ++k) {
        if (d->projected && d->inputs[k].freedom >= 0) continue;
        ac_discrete_input_curvature(d, p, 0, k, by_h, wl, sink, user);
        ac_discrete_input_curvature(d, p, 1, k, by_h, wr, sink, user);
    }
}
