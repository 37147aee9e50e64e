/* Discrete mechanics of an interval by free parameters: inertia, gravity, stiffness, damping, rest values
 * and loads as data. Places enter through the scalars, whose coordinates include the parameters. */
#include <string.h>

#include "base/vector.h"
#include "action/describe/discrete.h"

/* --- following the parameters --- */

ac_status ac_discrete_measure_as(ac_discrete *d, int measure, ac_measure_kind kind, int *scalar)
{
    ac_gap gap;
    if (!d->vary || !ac_measure_gap(d->vary, measure, &gap))
        return ac_scalars_add_measure(&d->scalars, d->system, measure, kind, scalar);
    return ac_scalars_add_varied(&d->scalars, d->vary, kind, &gap, scalar);
}

ac_status ac_discrete_measure(ac_discrete *d, int measure, int *scalar)
{
    return ac_discrete_measure_as(d, measure, d->system->measures[measure].kind, scalar);
}

ac_status ac_discrete_push_place(ac_discrete *d, const ac_place_source *place, const double along[3],
                                 int *number)
{
    ac_gap gap = {.factor = 1.0, .along_node = AC_GROUND, .length = -1};
    int scalar;
    gap.side[0] = (ac_place_source){AC_GROUND, {0.0, 0.0, 0.0}, {-1, -1, -1}};
    gap.side[1] = *place;
    memcpy(gap.along, along, sizeof gap.along);
    AC_TRY(ac_scalars_add_varied(&d->scalars, d->vary, AC_MEASURE_VALUE, &gap, &scalar));
    return ac_discrete_add_scalar_input(d, scalar, number);
}

ac_status ac_discrete_vary_load(ac_discrete *d, int load, const double along[3], int *number, bool *moves)
{
    const ac_load_data *data = &d->system->loads[load];
    ac_place_source place;
    ac_load_place(d->vary, load, &place);
    bool centre = norm3(data->place) == 0.0 && place.dependent[0] < 0 && place.dependent[1] < 0 &&
                  place.dependent[2] < 0; /* it moves with the centre of mass */
    *moves = !centre && ac_place_varies(d->vary, &place);
    if (!*moves) return AC_OK;
    if (data->follows)
        return ac_fail(
            d->ctx, AC_BAD_INPUT,
            "'%s' acts in body axes at a place of '%s' that depends on a free parameter; let it act in "
            "world axes, or at the centre",
            data->name, d->system->nodes[data->node].name);
    return ac_discrete_push_place(d, &place, along, number);
}

/* Strains of beams. */
static void update_strains(ac_discrete *d)
{
    for (int k = 0; d->strain_jets && k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        d->strain_varies[k] = s->beam >= 0 && ac_variation_strain(d->vary, s->beam, s->strain, s->weight,
                                                                  s->reference, d->strain_jets + 3 * k);
    }
}

/* The number of the dependent that stiffness, damping or rest value (0 to 2) of a spring is; -1: none. */
static int dependent_of(const ac_discrete *d, int spring, int which)
{
    const ac_discrete_spring *s = &d->springs[spring];
    return s->source < 0 ? -1 : d->vary->of_spring[9 * s->source + which];
}

/* The scalar of a spring follows the parameters. Where the length of one that had none varies, or its damping, it is one
 * of the length and no longer of its square. */
static ac_status vary_spring(ac_discrete *d, int k)
{
    ac_discrete_spring *s = &d->springs[k];
    bool square = s->law->of_square, other = dependent_of(d, k, 1) >= 0 || dependent_of(d, k, 2) >= 0;
    if (s->source < 0) return AC_OK;
    if (square && other) {
        s->law = &ac_law_quadratic;
        s->damping = d->system->springs[s->source].damping;
        if (k + 1 < d->spring_count && d->springs[k + 1].source == s->source) {
            d->springs[k + 1].damping = 0.0;
            d->springs[k + 1].source = -1;
        }
        square = false;
    }
    return ac_discrete_measure_as(
        d, s->measure, square ? AC_MEASURE_VALUE : d->system->measures[s->measure].kind, &s->scalar);
}

ac_status ac_discrete_vary(ac_discrete *d)
{
    if (d->springs_vary) return AC_OK;
    d->springs_vary = true;
    AC_NEW(d->ctx, d->strain_jets, 3 * d->spring_count + 1);
    AC_NEW(d->ctx, d->strain_varies, d->spring_count + 1);
    for (int k = 0; k < d->spring_count; ++k) AC_TRY(vary_spring(d, k));
    update_strains(d);
    return AC_OK;
}

/* Stiffness, damping or rest value (0 to 2) of a spring by parameters; NULL: it does not vary. */
static const ac_jet *spring_jet(const ac_discrete *d, int spring, int which)
{
    if (d->springs[spring].beam >= 0)
        return d->strain_jets && d->strain_varies[spring] ? &d->strain_jets[3 * spring + which] : NULL;
    int number = dependent_of(d, spring, which);
    bool only_damps = d->springs[spring].source >= 0 && spring > 0 &&
                      d->springs[spring - 1].source ==
                          d->springs[spring].source; /* its stiffness is the one before's */
    return number < 0 || (only_damps && which != 1) ? NULL : &d->vary->dependents[number].jet;
}

ac_status ac_discrete_update(ac_discrete *d)
{
    update_strains(d);
    for (int k = 0; k < d->spring_count; ++k) {
        double *data[3] = {&d->springs[k].data[0], &d->springs[k].damping, &d->springs[k].data[1]};
        for (int e = 0; e < 3; ++e)
            if (spring_jet(d, k, e)) *data[e] = spring_jet(d, k, e)->v;
    }
    return ac_scalars_update(&d->scalars, d->vary);
}

/* --- springs --- */

bool ac_discrete_law_jets(const ac_discrete *d, int spring, double y, ac_law_jets *jets)
{
    static const ac_jet none = {0};
    const ac_discrete_spring *s = &d->springs[spring];
    const ac_jet *own[2] = {spring_jet(d, spring, 0), spring_jet(d, spring, 2)},
                 *damping = spring_jet(d, spring, 1);
    ac_law_slopes slopes;
    memset(jets, 0, sizeof *jets);
    jets->damping = damping ? damping : &none;
    if (!own[0] && !own[1] && !damping) return false;
    memset(&slopes, 0, sizeof slopes);
    s->law->by_data(s->data, y, &slopes);
    for (int a = 0; a < 2; ++a) {
        for (int j = 0; own[a] && j < d->vary->count; ++j) {
            jets->energy[j] += slopes.one[a][0] * own[a]->d[j];
            jets->pull[j] += slopes.one[a][1] * own[a]->d[j];
            jets->stiffness[j] += slopes.one[a][2] * own[a]->d[j];
            for (int k = 0; k < d->vary->count; ++k) {
                jets->energy2[j][k] += slopes.one[a][0] * own[a]->dd[j][k];
                jets->pull2[j][k] += slopes.one[a][1] * own[a]->dd[j][k];
                for (int b = 0; b < 2; ++b) {
                    if (!own[b]) continue;
                    jets->energy2[j][k] += slopes.two[a][b][0] * own[a]->d[j] * own[b]->d[k];
                    jets->pull2[j][k] += slopes.two[a][b][1] * own[a]->d[j] * own[b]->d[k];
                }
            }
        }
    }
    return true;
}

bool ac_discrete_stress_jets(const ac_discrete *d, int spring, ac_jet data[3])
{
    const ac_discrete_spring *s = &d->springs[spring];
    const ac_jet *own[3];
    for (int e = 0; e < 3; ++e) own[e] = spring_jet(d, spring, e);
    if (!own[0] || !own[1] || !own[2]) return false; /* all or none: they are those of a strain */
    ac_jet inverse = ac_jet_inverse(own[0]), loss = ac_jet_product(own[1], &inverse);
    memset(data, 0, 3 * sizeof *data);
    ac_jet_add(&data[0], &inverse, s->root * s->root);
    ac_jet_add(&data[1], &loss, s->root);
    ac_jet_add(&data[2], own[2], s->root);
    return true;
}

static void put_sides(const ac_station *station, int row, int parameter, double value, ac_slope_sink sink,
                      void *user)
{
    for (int side = 0; side < 2; ++side)
        if (station->sides & (1 << side)) sink(user, side, row, AC_BY_P, parameter, value);
}

/* Force -h/2 W'(y) g - c/2 (g . delta) g by the numbers of the law and the damping. */
static void spring_slopes(ac_discrete *d, const ac_discrete_point *p, const ac_station *station, int number,
                          ac_slope_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], rate = 0.0;
    ac_law_jets jets;
    if (s->stress >= 0) return;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x, ac_spring_winding(s, p->winding), g,
                                  NULL);
    if (!ac_discrete_law_jets(d, number, y, &jets)) return;
    for (int i = 0; i < plain; ++i) rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
    bool secant = d->scheme == AC_ENERGY_MOMENTUM;
    for (int j = 0; j < d->vary->count; ++j) {
        double force = -0.5 * jets.damping->d[j] * rate - (secant ? 0.0 : 0.5 * p->h * jets.pull[j]);
        for (int i = 0; i < plain; ++i) put_sides(station, at[i], j, force * g[i], sink, user);
    }
}

/* The same for the discrete derivative -h/2 s D. */
static void secant_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                          int number, ac_slope_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    const ac_jet *own[2] = {spring_jet(d, number, 0), spring_jet(d, number, 2)};
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    double D[AC_SCALAR_MAX], ends[2];
    ac_law_secant by;
    if (!own[0] && !own[1]) return;
    ac_scalar_secant(&d->scalars, s->scalar, p->a, p->b, ac_spring_winding(s, p->winding), ends, D, NULL,
                     NULL);
    s->law->secant(s->data, ends[0], ends[1], &by);
    for (int j = 0; j < d->vary->count; ++j) {
        double pull = (own[0] ? by.by_data[0] * own[0]->d[j] : 0.0) +
                      (own[1] ? by.by_data[1] * own[1]->d[j] : 0.0);
        for (int i = 0; i < d->scalars.list[s->scalar].plain; ++i)
            put_sides(station, at[i], j, -0.5 * p->h * pull * D[i], sink, user);
    }
}

/* phi = weight (r^2/k z - r (y - rest) - r c/k (g . delta) / h): the force of an unknown stress has no
 * data */
static void stress_curvature(const ac_discrete *d, const ac_discrete_point *p, int number, bool by_h,
                             ac_curvature_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    ac_jet data[3];
    if (!ac_discrete_stress_jets(d, number, data)) return;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int n = d->scalars.list[s->scalar].count;
    double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX], Hd[AC_SCALAR_MAX] = {0.0}, rate = 0.0;
    double h = p->h, weight = p->stress_weights ? p->stress_weights[s->stress] : 0.0;
    ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, 0.0, g, H);
    for (int i = 0; i < n; ++i) {
        double step = p->b[at[i]] - p->a[at[i]];
        rate += g[i] * step;
        for (int j = 0; j < n; ++j) Hd[j] += H[i * n + j] * step;
    }
    for (int j = 0; j < d->vary->count; ++j) {
        double loss = weight * data[1].d[j] / h;
        for (int i = 0; i < n; ++i) {
            sink(user, AC_BY_A, at[i], AC_BY_P, j, loss * (g[i] - 0.5 * Hd[i]));
            sink(user, AC_BY_B, at[i], AC_BY_P, j, -loss * (g[i] + 0.5 * Hd[i]));
        }
        sink(user, AC_BY_P, j, AC_BY_STRESS, s->stress, weight * data[0].d[j]);
        if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, loss * rate / h);
        for (int k = 0; k <= j; ++k)
            sink(user, AC_BY_P, j, AC_BY_P, k,
                 weight * (data[0].dd[j][k] * p->stress[s->stress] + data[2].dd[j][k] -
                           data[1].dd[j][k] * rate / h));
    }
}

/* phi = -h/2 W'(y) (g . W) - c/2 (g . delta) (g . W), with x = by[0] a + by[1] b and delta = b - a */
static void spring_curvature(ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                             int number, bool by_h, const double *W, ac_curvature_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int n = d->scalars.list[s->scalar].count, plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX], HW[AC_SCALAR_MAX] = {0.0},
                                                               Hd[AC_SCALAR_MAX] = {0.0};
    double gW = 0.0, rate = 0.0, h = p->h;
    ac_law_jets jets;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, station->x, ac_spring_winding(s, p->winding), g, H);
    if (!ac_discrete_law_jets(d, number, y, &jets)) return;
    for (int i = 0; i < plain; ++i) {
        double step = p->b[at[i]] - p->a[at[i]], w = W[at[i]];
        gW += g[i] * w;
        rate += g[i] * step;
        for (int j = 0; j < n; ++j) {
            HW[j] += H[i * n + j] * w;
            Hd[j] += H[i * n + j] * step;
        }
    }
    for (int j = 0; j < d->vary->count; ++j) {
        double pull = jets.pull[j], c = jets.damping->d[j];
        for (int i = 0; i < n; ++i) {
            double by_x = -0.5 * h * (jets.stiffness[j] * g[i] * gW + pull * HW[i]) -
                          0.5 * c * (rate * HW[i] + Hd[i] * gW),
                   by_delta = -0.5 * c * g[i] * gW;
            sink(user, AC_BY_A, at[i], AC_BY_P, j, station->by[0] * by_x - by_delta);
            sink(user, AC_BY_B, at[i], AC_BY_P, j, station->by[1] * by_x + by_delta);
        }
        if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, -0.5 * pull * gW);
        for (int k = 0; k <= j; ++k)
            sink(user, AC_BY_P, j, AC_BY_P, k,
                 -0.5 * h * jets.pull2[j][k] * gW - 0.5 * jets.damping->dd[j][k] * rate * gW);
    }
}

/* --- loads --- */

/* The jet of an input that is a varied load, NULL for others. */
static const ac_jet *load_jet(const ac_discrete *d, const ac_discrete_point *p, int k)
{
    const ac_input *input = &d->inputs[k];
    if (!p->loads || !input->load || (d->projected && input->freedom >= 0)) return NULL;
    if (d->vary->of_load[3 * input->load_number + input->component] < 0) return NULL;
    return p->loads + (k - d->control_count);
}

typedef struct load_pass {
    const ac_discrete *d;
    const ac_jet *tau;
    const ac_station *station;
    const double *w;
    double half, work;
    ac_by by;
    ac_slope_sink slope;
    ac_curvature_sink curve;
    void *user;
} load_pass;

static void put_load_slope(void *user, int row, double value)
{
    const load_pass *s = user;
    for (int j = 0; j < s->d->vary->count; ++j)
        put_sides(s->station, row, j, s->half * s->tau->d[j] * value, s->slope, s->user);
}

static void put_load_curve(void *user, int row, int column, double value)
{
    const load_pass *s = user;
    for (int j = 0; j < s->d->vary->count; ++j)
        s->curve(s->user, s->by, column, AC_BY_P, j, s->half * s->tau->d[j] * s->w[row] * value);
}

static void sum_work(void *user, int row, double value)
{
    load_pass *s = user;
    s->work += s->w[row] * value;
}

/* phi = h/2 tau B(q) . w on both sides */
static void load_curvature(const ac_discrete *d, const ac_discrete_point *p, int number, const ac_jet *tau,
                           bool by_h, const double *const w[2], ac_curvature_sink sink, void *user)
{
    static const double none[AC_PARAMETERS_MAX] = {0.0};
    const double *by_step = p->loads_h ? p->loads_h + (number - d->control_count) * AC_PARAMETERS_MAX : none;
    double half = 0.5 * p->h;
    for (int side = 0; side < 2; ++side) {
        const double *q = side == 0 ? p->a : p->b;
        load_pass s = {.d = d,
                       .tau = tau,
                       .w = w[side],
                       .half = half,
                       .by = side == 0 ? AC_BY_A : AC_BY_B,
                       .curve = sink,
                       .user = user};
        ac_input_slopes(d, AC_AT_TIME_NODE, number, q, put_load_curve, &s);
        ac_input_force(d, AC_AT_TIME_NODE, number, q, sum_work, &s);
        for (int j = 0; j < d->vary->count; ++j) {
            if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, (0.5 * tau->d[j] + half * by_step[j]) * s.work);
            for (int k = 0; k <= j; ++k) sink(user, AC_BY_P, j, AC_BY_P, k, half * tau->dd[j][k] * s.work);
        }
    }
}

/* --- inertia, gravity, and all together --- */

void ac_discrete_parameter_slopes(ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    int n = d->system->n, P = v->count;
    for (int j = 0; j < P; ++j) d->mean[n + j] = v->value[j];
    for (int e = 0; e < v->mass_count; ++e) {
        const ac_mass_jet *m = &v->mass[e];
        for (int i = 0; i < m->dimension; ++i) {
            double speed = (p->b[m->column + i] - p->a[m->column + i]) / p->h;
            for (int j = 0; j < P; ++j) {
                if (m->jet.d[j] == 0.0) continue;
                sink(user, 0, m->row + i, AC_BY_P, j, -m->jet.d[j] * speed);
                sink(user, 1, m->row + i, AC_BY_P, j, m->jet.d[j] * speed);
            }
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < P; ++j)
            for (int side = 0; side < 2 && v->gravity_force[i].d[j] != 0.0; ++side)
                sink(user, side, i, AC_BY_P, j, 0.5 * p->h * v->gravity_force[i].d[j]);
    ac_station stations[2];
    for (int e = 0, count = ac_discrete_stations(d, p, stations); e < count; ++e)
        for (int k = 0; k < d->spring_count; ++k) {
            spring_slopes(d, p, &stations[e], k, sink, user);
            if (d->scheme == AC_ENERGY_MOMENTUM) secant_slopes(d, p, &stations[e], k, sink, user);
        }
    for (int e = 0, count = ac_discrete_input_stations(d, p, stations); e < count; ++e)
        for (int k = 0; k < d->input_count; ++k) {
            const ac_jet *tau = load_jet(d, p, k);
            load_pass s = {
                .d = d, .tau = tau, .station = &stations[e], .half = 0.5 * p->h, .slope = sink, .user = user};
            if (tau) ac_input_force(d, ac_station_place(&stations[e]), k, stations[e].x, put_load_slope, &s);
        }
}

/* phi = (wr - wl) . M (b - a) / h */
static void inertia_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                              const double *wr, ac_curvature_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    double h = p->h;
    for (int e = 0; e < v->mass_count; ++e) {
        const ac_mass_jet *m = &v->mass[e];
        for (int i = 0; i < m->dimension; ++i) {
            int row = m->row + i, column = m->column + i;
            double w = wr[row] - wl[row], step = p->b[column] - p->a[column];
            for (int j = 0; j < v->count; ++j) {
                sink(user, AC_BY_A, column, AC_BY_P, j, -m->jet.d[j] * w / h);
                sink(user, AC_BY_B, column, AC_BY_P, j, m->jet.d[j] * w / h);
                if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, -m->jet.d[j] * w * step / (h * h));
                for (int k = 0; k <= j; ++k)
                    sink(user, AC_BY_P, j, AC_BY_P, k, m->jet.dd[j][k] * w * step / h);
            }
        }
    }
}

void ac_discrete_parameter_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                                     const double *wr, ac_curvature_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    const double *const w[2] = {wl, wr};
    int n = d->system->n;
    for (int j = 0; j < v->count; ++j) d->mean[n + j] = v->value[j];
    inertia_curvature(d, p, by_h, wl, wr, sink, user);
    for (int i = 0; i < n; ++i) {
        const ac_jet *g = &v->gravity_force[i];
        double W = wl[i] + wr[i];
        for (int j = 0; j < v->count; ++j) {
            if (by_h && g->d[j] != 0.0) sink(user, AC_BY_P, j, AC_BY_H, 0, 0.5 * g->d[j] * W);
            for (int k = 0; k <= j && W != 0.0; ++k)
                sink(user, AC_BY_P, j, AC_BY_P, k, 0.5 * p->h * g->dd[j][k] * W);
        }
    }
    ac_station stations[2];
    for (int e = 0, count = ac_discrete_stations(d, p, stations); e < count; ++e) {
        bool left = stations[e].sides & AC_LEFT, right = stations[e].sides & AC_RIGHT;
        for (int i = 0; i < n; ++i) d->momentum[i] = (left ? wl[i] : 0.0) + (right ? wr[i] : 0.0);
        for (int k = 0; k < d->spring_count; ++k)
            if (d->springs[k].stress < 0)
                spring_curvature(d, p, &stations[e], k, by_h, d->momentum, sink, user);
    }
    for (int k = 0; k < d->spring_count; ++k)
        if (d->springs[k].stress >= 0) stress_curvature(d, p, k, by_h, sink, user);
    for (int k = 0; k < d->input_count; ++k) {
        const ac_jet *tau = load_jet(d, p, k);
        if (tau) load_curvature(d, p, k, tau, by_h, w, sink, user);
    }
}
