/* Discrete mechanics of an interval by free parameters: inertia, gravity, stiffness, damping, rest values
 * and loads as data. Places enter through the scalars, whose coordinates include the parameters. */
#include <string.h>

#include "base/vector.h"
#include "action/describe/discrete.h"
#include "action/relative.h"

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

/* A force in axes of its node: places stand behind the coordinates. */
static ac_status push_in_axes(ac_discrete *d, const ac_place_source *place, const double along[3],
                              int *number)
{
    const ac_node *node = &d->system->nodes[place->node];
    int moving[3];
    AC_TRY(ac_place_follow(d->vary, place, moving));
    for (int c = 0; c < 3; ++c)
        if (moving[c] >= 0) moving[c] += d->system->n;
    ac_affine3 direction = ac_node_direction(node, node->q, along);
    AC_TRY(ac_discrete_new_input(d, number));
    return ac_force_map_add_moving_force(d->ctx, d->system, &d->forces, place->node, place->given, moving,
                                         &direction, &d->inputs[*number].map);
}

ac_status ac_discrete_push_place(ac_discrete *d, const ac_place_source *place, const double along[3],
                                 bool follows, int *number)
{
    if (follows) return push_in_axes(d, place, along, number);
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
    return ac_discrete_push_place(d, &place, along, data->follows, number);
}

/* Strains of beams, and the conditions on their stresses. */
static ac_status update_strains(ac_discrete *d)
{
    if (!d->strain_jets) return AC_OK;
    ac_jets_reset(&d->jets, d->ctx);
    for (int k = 0; k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        ac_jet *own = d->strain_jets + 6 * k;
        const ac_strain_place at = {s->beam, ac_strain_point(d->system, s->element, s->point), s->strain,
                                    s->weight, s->reference};
        d->strain_varies[k] = s->beam >= 0 && ac_variation_strain(d->vary, &d->jets, &at, own);
        if (!d->strain_varies[k] || s->stress < 0) continue;
        ac_jet inverse = ac_jet_inverse(&d->jets, &own[0]),
               loss = ac_jet_product(&d->jets, &own[1], &inverse);
        own[3] = ac_jet_scaled(&d->jets, &inverse, s->root * s->root);
        own[4] = ac_jet_scaled(&d->jets, &loss, s->root);
        own[5] = ac_jet_scaled(&d->jets, &own[2], s->root);
    }
    return ac_jets_check(&d->jets);
}

/* The number of the dependent that stiffness, damping or rest value (0 to 2) of a spring is; -1: none. */
static int dependent_of(const ac_discrete *d, int spring, int which)
{
    const ac_discrete_spring *s = &d->springs[spring];
    return s->source < 0 ? -1 : d->vary->of.spring[9 * s->source + which];
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

/* Stiffness, damping or rest value (0 to 2) of a spring by parameters; NULL: it does not vary. */
static const ac_jet *spring_jet(const ac_discrete *d, int spring, int which)
{
    if (d->springs[spring].beam >= 0)
        return d->strain_jets && d->strain_varies[spring] ? &d->strain_jets[6 * spring + which] : NULL;
    int number = dependent_of(d, spring, which);
    bool only_damps = d->springs[spring].source >= 0 && spring > 0 &&
                      d->springs[spring - 1].source ==
                          d->springs[spring].source; /* its stiffness is the one before's */
    return number < 0 || (only_damps && which != 1) ? NULL : &d->vary->dependents[number].jet;
}

/* The parameters of each spring, and room for what they change of its law. */
static ac_status list_laws(ac_discrete *d)
{
    size_t most = 0;
    AC_NEW(d->ctx, d->law_lists, d->spring_count + 1);
    for (int k = 0; k < d->spring_count; ++k) {
        struct ac_law_list *list = &d->law_lists[k];
        AC_NEW(d->ctx, list->by, d->vary->count + 1);
        for (int j = 0; j < d->vary->count; ++j) {
            bool has = false;
            for (int e = 0; e < 3; ++e) {
                const ac_jet *jet = spring_jet(d, k, e);
                has = has || (jet && ac_jet_place(jet->by, jet->count, j) >= 0);
            }
            if (has) list->by[list->count++] = j;
        }
        if ((size_t)list->count > most) most = (size_t)list->count;
    }
    AC_NEW(d->ctx, d->law_work, 4 * most + 3 * most * most + 1);
    return AC_OK;
}

ac_status ac_discrete_vary(ac_discrete *d)
{
    if (d->springs_vary) return AC_OK;
    d->springs_vary = true;
    AC_NEW(d->ctx, d->strain_jets, 6 * d->spring_count + 1);
    AC_NEW(d->ctx, d->strain_varies, d->spring_count + 1);
    for (int k = 0; k < d->spring_count; ++k) AC_TRY(vary_spring(d, k));
    AC_TRY(update_strains(d));
    return list_laws(d);
}

ac_status ac_discrete_widen(ac_discrete *d)
{
    double *mean;
    AC_NEW(d->ctx, mean, d->system->n + d->vary->moving_count + 1);
    ac_release(d->ctx, d->mean);
    d->mean = mean;
    return AC_OK;
}

ac_status ac_discrete_update(ac_discrete *d)
{
    AC_TRY(update_strains(d));
    for (int k = 0; k < d->spring_count; ++k) {
        double *data[3] = {&d->springs[k].data[0], &d->springs[k].damping, &d->springs[k].data[1]};
        for (int e = 0; e < 3; ++e)
            if (spring_jet(d, k, e)) *data[e] = spring_jet(d, k, e)->v;
    }
    return ac_scalars_update(&d->scalars, d->vary);
}

/* --- springs --- */

/* The derivative of a jet by entry a of another list, which holds its own; 0: it does not depend. */
static double first_of(const ac_jet *jet, int parameter)
{
    int at = jet ? ac_jet_place(jet->by, jet->count, parameter) : -1;
    return at < 0 ? 0.0 : jet->d[at];
}

static double second_of(const ac_jet *jet, int j, int k)
{
    if (!jet || !jet->dd) return 0.0;
    int a = ac_jet_place(jet->by, jet->count, j), b = ac_jet_place(jet->by, jet->count, k);
    return a < 0 || b < 0 ? 0.0 : jet->dd[a * jet->count + b];
}

static void place_law_jets(const ac_discrete *d, int spring, ac_law_jets *jets)
{
    size_t n = (size_t)d->law_lists[spring].count;
    double *next = d->law_work;
    memset(next, 0, (4 * n + 3 * n * n) * sizeof *next);
    jets->count = (int)n;
    jets->by = d->law_lists[spring].by;
    jets->energy = next;
    jets->pull = next + n;
    jets->stiffness = next + 2 * n;
    jets->damping = next + 3 * n;
    jets->energy2 = next + 4 * n;
    jets->pull2 = jets->energy2 + n * n;
    jets->damping2 = jets->pull2 + n * n;
}

static void law_pair(const ac_law_slopes *slopes, const ac_jet *const own[2], int j, int k, double *energy,
                     double *pull)
{
    for (int a = 0; a < 2; ++a) {
        double bend = second_of(own[a], j, k);
        *energy += slopes->one[a][0] * bend;
        *pull += slopes->one[a][1] * bend;
        for (int b = 0; b < 2; ++b) {
            double both = first_of(own[a], j) * first_of(own[b], k);
            *energy += slopes->two[a][b][0] * both;
            *pull += slopes->two[a][b][1] * both;
        }
    }
}

bool ac_discrete_law_jets(const ac_discrete *d, int spring, double y, ac_law_jets *jets)
{
    const ac_discrete_spring *s = &d->springs[spring];
    const ac_jet *own[2] = {spring_jet(d, spring, 0), spring_jet(d, spring, 2)},
                 *damping = spring_jet(d, spring, 1);
    ac_law_slopes slopes;
    jets->count = 0;
    if (!d->law_lists || d->law_lists[spring].count == 0) return false;
    place_law_jets(d, spring, jets);
    memset(&slopes, 0, sizeof slopes);
    s->law->by_data(s->data, y, &slopes);
    for (int e = 0; e < jets->count; ++e) {
        int j = jets->by[e];
        for (int a = 0; a < 2; ++a) {
            double by = first_of(own[a], j);
            jets->energy[e] += slopes.one[a][0] * by;
            jets->pull[e] += slopes.one[a][1] * by;
            jets->stiffness[e] += slopes.one[a][2] * by;
        }
        jets->damping[e] = first_of(damping, j);
        for (int f = 0; f < jets->count; ++f) {
            int at = e * jets->count + f;
            law_pair(&slopes, own, j, jets->by[f], &jets->energy2[at], &jets->pull2[at]);
            jets->damping2[at] = second_of(damping, j, jets->by[f]);
        }
    }
    return true;
}

const ac_jet *ac_discrete_stress_jets(const ac_discrete *d, int spring)
{
    return d->strain_jets && d->strain_varies[spring] ? &d->strain_jets[6 * spring + 3] : NULL;
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
    for (int i = 0; !s->secant && i < plain; ++i) rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
    if (s->secant) rate = ac_spring_change(d, p, s);
    bool secant = d->scheme == AC_ENERGY_MOMENTUM;
    for (int e = 0; e < jets.count; ++e) {
        double force = -0.5 * jets.damping[e] * rate - (secant ? 0.0 : 0.5 * p->h * jets.pull[e]);
        for (int i = 0; i < plain; ++i) put_sides(station, at[i], jets.by[e], force * g[i], sink, user);
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
    for (int e = 0; e < 2; ++e)
        for (int a = 0; own[e] && a < own[e]->count; ++a)
            for (int i = 0; i < d->scalars.list[s->scalar].plain; ++i)
                put_sides(station, at[i], own[e]->by[a], -0.5 * p->h * by.by_data[e] * own[e]->d[a] * D[i],
                          sink, user);
}

/* value times the second derivatives of a datum */
static void put_bends(const ac_jet *jet, double value, ac_curvature_sink sink, void *user)
{
    for (int a = 0; jet->dd && a < jet->count; ++a)
        for (int b = 0; b <= a; ++b)
            sink(user, AC_BY_P, jet->by[a], AC_BY_P, jet->by[b], value * jet->dd[a * jet->count + b]);
}

/* phi = weight (r^2/k z - r (y - rest) - r c/k (g . delta) / h): the force of an unknown stress has no
 * data */
static void stress_curvature(const ac_discrete *d, const ac_discrete_point *p, int number, bool by_h,
                             ac_curvature_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    const ac_jet *data = ac_discrete_stress_jets(d, number);
    if (!data) return;
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
    for (int a = 0; a < data[0].count; ++a)
        sink(user, AC_BY_P, data[0].by[a], AC_BY_STRESS, s->stress, weight * data[0].d[a]);
    for (int a = 0; a < data[1].count; ++a) {
        double loss = weight * data[1].d[a] / h;
        int j = data[1].by[a];
        for (int i = 0; i < n; ++i) {
            sink(user, AC_BY_A, at[i], AC_BY_P, j, loss * (g[i] - 0.5 * Hd[i]));
            sink(user, AC_BY_B, at[i], AC_BY_P, j, -loss * (g[i] + 0.5 * Hd[i]));
        }
        if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, loss * rate / h);
    }
    const double by_data[3] = {p->stress[s->stress], -rate / h, 1.0};
    for (int e = 0; e < 3; ++e) put_bends(&data[e], weight * by_data[e], sink, user);
}

/* The rate of a spring over the interval, y(b) - y(a), by both ends, whose number depends on nothing that moves points. */
static double change_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_discrete_spring *s,
                            double *by_a, double *by_b)
{
    double winding = ac_spring_winding(s, p->winding);
    return ac_scalar_evaluate(&d->scalars, s->scalar, p->b, winding, by_b, NULL) -
           ac_scalar_evaluate(&d->scalars, s->scalar, p->a, winding, by_a, NULL);
}

/* phi = -h/2 W'(y) (g . W) - c/2 r (g . W) with x = by[0] a + by[1] b and the rate r = g . (b - a) or, as a secant,
 * y(b) - y(a) */
static void spring_curvature(ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                             int number, bool by_h, const double *W, ac_curvature_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int n = d->scalars.list[s->scalar].count, plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX], HW[AC_SCALAR_MAX] = {0.0},
                                                               Hd[AC_SCALAR_MAX] = {0.0};
    double by_rate[2][AC_SCALAR_MAX], gW = 0.0, rate = 0.0, h = p->h;
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
    memcpy(by_rate[0], g, (size_t)n * sizeof *g);
    memcpy(by_rate[1], g, (size_t)n * sizeof *g);
    if (s->secant) {
        rate = change_slopes(d, p, s, by_rate[0], by_rate[1]);
        memset(Hd, 0, sizeof Hd);
    }
    for (int e = 0; e < jets.count; ++e) {
        double pull = jets.pull[e], c = jets.damping[e];
        int j = jets.by[e];
        for (int i = 0; i < n; ++i) {
            double by_x = -0.5 * h * (jets.stiffness[e] * g[i] * gW + pull * HW[i]) -
                          0.5 * c * (rate * HW[i] + Hd[i] * gW),
                   along = -0.5 * c * gW;
            sink(user, AC_BY_A, at[i], AC_BY_P, j, station->by[0] * by_x - along * by_rate[0][i]);
            sink(user, AC_BY_B, at[i], AC_BY_P, j, station->by[1] * by_x + along * by_rate[1][i]);
        }
        if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, -0.5 * pull * gW);
        for (int f = 0; f <= e; ++f) {
            int both = e * jets.count + f;
            sink(user, AC_BY_P, j, AC_BY_P, jets.by[f],
                 -0.5 * h * jets.pull2[both] * gW - 0.5 * jets.damping2[both] * rate * gW);
        }
    }
}

/* --- loads --- */

/* The jet of an input that is a varied load, NULL for others. */
static const ac_load_jet *load_jet(const ac_discrete *d, const ac_discrete_point *p, int k)
{
    const ac_input *input = &d->inputs[k];
    if (!p->loads || !input->load || (d->projected && input->freedom >= 0)) return NULL;
    if (d->vary->of.load[3 * input->load_number + input->component] < 0) return NULL;
    return p->loads + (k - d->control_count);
}

typedef struct load_pass {
    const ac_discrete *d;
    const ac_jet *tau; /* what it is by parameters */
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
    for (int a = 0; a < s->tau->count; ++a)
        put_sides(s->station, row, s->tau->by[a], s->half * s->tau->d[a] * value, s->slope, s->user);
}

static void put_load_curve(void *user, int row, int column, double value)
{
    const load_pass *s = user;
    for (int a = 0; a < s->tau->count; ++a)
        s->curve(s->user, s->by, column, AC_BY_P, s->tau->by[a], s->half * s->tau->d[a] * s->w[row] * value);
}

static void sum_work(void *user, int row, double value)
{
    load_pass *s = user;
    s->work += s->w[row] * value;
}

/* phi = h/2 tau B(q) . w on both sides */
static void load_curvature(const ac_discrete *d, const ac_discrete_point *p, int number,
                           const ac_load_jet *load, bool by_h, const double *const w[2],
                           ac_curvature_sink sink, void *user)
{
    const ac_jet *tau = &load->value;
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
        for (int a = 0; by_h && a < tau->count; ++a) {
            double by_step = load->by_step ? load->by_step[a] : 0.0;
            sink(user, AC_BY_P, tau->by[a], AC_BY_H, 0, (0.5 * tau->d[a] + half * by_step) * s.work);
        }
        put_bends(tau, half * s.work, sink, user);
    }
}

/* --- inertia, gravity, and all together --- */

void ac_discrete_parameter_slopes(ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    int n = d->system->n;
    for (int k = 0; k < v->moving_count; ++k) d->mean[n + k] = v->moving[k].jet.v;
    for (int e = 0; e < v->inertia.count; ++e) {
        const ac_mass_jet *m = &v->inertia.entries[e];
        for (int i = 0; !m->relative && i < m->dimension; ++i) {
            double speed = (p->b[m->column + i] - p->a[m->column + i]) / p->h;
            for (int a = 0; a < m->jet.count; ++a) {
                if (m->jet.d[a] == 0.0) continue;
                sink(user, 0, m->row + i, AC_BY_P, m->jet.by[a], -m->jet.d[a] * speed);
                sink(user, 1, m->row + i, AC_BY_P, m->jet.by[a], m->jet.d[a] * speed);
            }
        }
    }
    ac_relative_parameter_slopes(d, p, sink, user);
    for (int i = 0; i < n; ++i) {
        const ac_jet *g = &v->gravity_force[i];
        for (int a = 0; a < g->count; ++a)
            for (int side = 0; side < 2 && g->d[a] != 0.0; ++side)
                sink(user, side, i, AC_BY_P, g->by[a], 0.5 * p->h * g->d[a]);
    }
    ac_station stations[2];
    for (int e = 0, count = ac_discrete_stations(d, p, stations); e < count; ++e)
        for (int k = 0; k < d->spring_count; ++k) {
            spring_slopes(d, p, &stations[e], k, sink, user);
            if (d->scheme == AC_ENERGY_MOMENTUM) secant_slopes(d, p, &stations[e], k, sink, user);
        }
    for (int e = 0, count = ac_discrete_input_stations(d, p, stations); e < count; ++e)
        for (int k = 0; k < d->input_count; ++k) {
            const ac_load_jet *load = load_jet(d, p, k);
            if (!load) continue;
            load_pass s = {.d = d,
                           .tau = &load->value,
                           .station = &stations[e],
                           .half = 0.5 * p->h,
                           .slope = sink,
                           .user = user};
            ac_input_force(d, ac_station_place(&stations[e]), k, stations[e].x, put_load_slope, &s);
        }
}

/* phi = (wr - wl) . M (b - a) / h */
static void inertia_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                              const double *wr, ac_curvature_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    double h = p->h;
    for (int e = 0; e < v->inertia.count; ++e) {
        const ac_mass_jet *m = &v->inertia.entries[e];
        for (int i = 0; !m->relative && i < m->dimension; ++i) {
            int row = m->row + i, column = m->column + i;
            double w = wr[row] - wl[row], step = p->b[column] - p->a[column];
            for (int a = 0; a < m->jet.count; ++a) {
                int j = m->jet.by[a];
                sink(user, AC_BY_A, column, AC_BY_P, j, -m->jet.d[a] * w / h);
                sink(user, AC_BY_B, column, AC_BY_P, j, m->jet.d[a] * w / h);
                if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, -m->jet.d[a] * w * step / (h * h));
            }
            put_bends(&m->jet, w * step / h, sink, user);
        }
    }
}

void ac_discrete_parameter_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                                     const double *wr, ac_curvature_sink sink, void *user)
{
    const ac_variation *v = d->vary;
    const double *const w[2] = {wl, wr};
    int n = d->system->n;
    for (int k = 0; k < v->moving_count; ++k) d->mean[n + k] = v->moving[k].jet.v;
    inertia_curvature(d, p, by_h, wl, wr, sink, user);
    ac_relative_parameter_curvature(d, p, by_h, wl, wr, sink, user);
    for (int i = 0; i < n; ++i) {
        const ac_jet *g = &v->gravity_force[i];
        double W = wl[i] + wr[i];
        for (int a = 0; by_h && a < g->count; ++a)
            if (g->d[a] != 0.0) sink(user, AC_BY_P, g->by[a], AC_BY_H, 0, 0.5 * g->d[a] * W);
        if (W != 0.0) put_bends(g, 0.5 * p->h * W, sink, user);
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
        const ac_load_jet *load = load_jet(d, p, k);
        if (load) load_curvature(d, p, k, load, by_h, w, sink, user);
    }
}
