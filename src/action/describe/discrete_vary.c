/* Discrete mechanics of an interval by free parameters: inertia, gravity, stiffness, damping, rest values
 * and loads as data.
 * Places enter through the scalars, whose coordinates include the parameters. */
#include <string.h>

#include "base/vector.h"
#include "action/describe/discrete.h"

/* --- following the parameters --- */

ac_status ac_discrete_measure(ac_discrete *d, int measure, int *scalar)
{
    ac_gap gap;
    if (!d->vary || !ac_measure_gap(d->vary, measure, &gap))
        return ac_scalars_add_measure(&d->scalars, d->system, measure, scalar);
    return ac_scalars_add_varied(&d->scalars, d->vary, d->system->measures[measure].kind, &gap, scalar);
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

/* Strains of beams as springs. */
static void update_strains(ac_discrete *d)
{
    for (int k = d->system->spring_count; d->strain_jets && k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        int at = k - d->system->spring_count;
        d->strain_varies[at] = ac_variation_strain(d->vary, s->beam, s->strain, s->weight, s->reference,
                                                   d->strain_jets + 3 * at);
    }
}

ac_status ac_discrete_vary(ac_discrete *d)
{
    if (d->springs_vary) return AC_OK;
    d->springs_vary = true;
    AC_NEW(d->ctx, d->strain_jets, 3 * (d->spring_count - d->system->spring_count) + 1);
    AC_NEW(d->ctx, d->strain_varies, d->spring_count - d->system->spring_count + 1);
    for (int k = 0; k < d->system->spring_count; ++k)
        AC_TRY(ac_discrete_measure(d, d->springs[k].measure, &d->springs[k].scalar));
    update_strains(d);
    return AC_OK;
}

static const ac_jet *spring_jet(const ac_discrete *d, int spring, int which)
{
    int strain = spring - d->system->spring_count;
    if (strain >= 0)
        return d->strain_jets && d->strain_varies[strain] ? &d->strain_jets[3 * strain + which] : NULL;
    int number = d->vary->of_spring[9 * spring + which];
    return number < 0 ? NULL : &d->vary->dependents[number].jet;
}

ac_status ac_discrete_update(ac_discrete *d)
{
    update_strains(d);
    for (int k = 0; k < d->spring_count; ++k) {
        double *data[3] = {&d->springs[k].stiffness, &d->springs[k].damping, &d->springs[k].rest};
        for (int e = 0; e < 3; ++e)
            if (spring_jet(d, k, e)) *data[e] = spring_jet(d, k, e)->v;
    }
    return ac_scalars_update(&d->scalars, d->vary);
}

/* --- springs --- */

bool ac_discrete_spring_jets(const ac_discrete *d, int spring, const ac_jet *data[3])
{
    static const ac_jet none = {0};
    bool varies = false;
    for (int e = 0; e < 3; ++e) {
        const ac_jet *jet = spring_jet(d, spring, e);
        varies = varies || jet;
        data[e] = jet ? jet : &none;
    }
    return varies;
}

bool ac_discrete_stress_jets(const ac_discrete *d, int spring, ac_jet data[3])
{
    const ac_discrete_spring *s = &d->springs[spring];
    const ac_jet *own[3];
    if (!ac_discrete_spring_jets(d, spring, own)) return false;
    ac_jet inverse = ac_jet_inverse(own[0]), loss = ac_jet_product(own[1], &inverse);
    memset(data, 0, 3 * sizeof *data);
    ac_jet_add(&data[0], &inverse, s->root * s->root);
    ac_jet_add(&data[1], &loss, s->root);
    ac_jet_add(&data[2], own[2], s->root);
    return true;
}

/* These and their values. */
typedef struct spring_jets {
    const ac_jet *part[3];
    double v[3];
} spring_jets;

static bool spring_data(const ac_discrete *d, int k, spring_jets *data)
{
    data->v[0] = d->springs[k].stiffness;
    data->v[1] = d->springs[k].damping;
    data->v[2] = d->springs[k].rest;
    return ac_discrete_spring_jets(d, k, data->part);
}

/* Derivative of k (y - rest) by data alone. */
static double pull_first(const spring_jets *s, double y, int j)
{
    return s->part[0]->d[j] * (y - s->v[2]) - s->v[0] * s->part[2]->d[j];
}

static double pull_second(const spring_jets *s, double y, int j, int k)
{
    const ac_jet *K = s->part[0], *r = s->part[2];
    return K->dd[j][k] * (y - s->v[2]) - K->d[j] * r->d[k] - K->d[k] * r->d[j] - s->v[0] * r->dd[j][k];
}

static void spring_slopes(ac_discrete *d, const ac_discrete_point *p, int number, ac_slope_sink sink,
                          void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    spring_jets data;
    if (s->stress >= 0 || !spring_data(d, number, &data)) return;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], rate = 0.0;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, ac_spring_near(s, p->near), g, NULL);
    for (int i = 0; i < plain; ++i) rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
    for (int j = 0; j < d->vary->count; ++j) {
        double force = -0.5 * p->h * pull_first(&data, y, j) - 0.5 * data.part[1]->d[j] * rate;
        for (int i = 0; i < plain; ++i)
            for (int side = 0; side < 2; ++side) sink(user, side, at[i], AC_BY_P, j, force * g[i]);
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

/* phi = -h/2 k (y - rest) (g . W) - c/2 (g . delta) (g . W) */
static void spring_curvature(ac_discrete *d, const ac_discrete_point *p, int number, bool by_h,
                             const double *W, ac_curvature_sink sink, void *user)
{
    const ac_discrete_spring *s = &d->springs[number];
    spring_jets data;
    if (!spring_data(d, number, &data)) return;
    const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
    int n = d->scalars.list[s->scalar].count, plain = d->scalars.list[s->scalar].plain;
    double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX], HW[AC_SCALAR_MAX] = {0.0},
                                                               Hd[AC_SCALAR_MAX] = {0.0};
    double gW = 0.0, rate = 0.0, h = p->h;
    double y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, ac_spring_near(s, p->near), g, H);
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
        double pull = pull_first(&data, y, j), c = data.part[1]->d[j];
        for (int i = 0; i < n; ++i) {
            double shared = -0.25 * h * (data.part[0]->d[j] * g[i] * gW + pull * HW[i]) -
                            0.25 * c * rate * HW[i] - 0.25 * c * Hd[i] * gW;
            sink(user, AC_BY_A, at[i], AC_BY_P, j, shared + 0.5 * c * g[i] * gW);
            sink(user, AC_BY_B, at[i], AC_BY_P, j, shared - 0.5 * c * g[i] * gW);
        }
        if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, -0.5 * pull * gW);
        for (int k = 0; k <= j; ++k)
            sink(user, AC_BY_P, j, AC_BY_P, k,
                 -0.5 * h * pull_second(&data, y, j, k) * gW - 0.5 * data.part[1]->dd[j][k] * rate * gW);
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

static void load_slopes(const ac_discrete *d, const ac_discrete_point *p, int k, const ac_jet *tau,
                        ac_slope_sink sink, void *user)
{
    const ac_input *input = &d->inputs[k];
    double half = 0.5 * p->h;
    for (int side = 0; side < 2; ++side) {
        const double *q = side == 0 ? p->a : p->b;
        double g[AC_SCALAR_MAX];
        if (input->scalar >= 0) ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, NULL);
        for (int j = 0; j < d->vary->count; ++j) {
            if (input->scalar >= 0) {
                const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
                for (int i = 0; i < d->scalars.list[input->scalar].plain; ++i)
                    sink(user, side, at[i], AC_BY_P, j, half * tau->d[j] * input->sign * g[i]);
                continue;
            }
            for (int e = input->first; e < input->first + input->count; ++e)
                sink(user, side, d->entries[e].coordinate, AC_BY_P, j,
                     half * tau->d[j] * ac_form_value(&d->forms, d->entries[e].form, q));
        }
    }
}

/* Work of a unit load along w, and its gradient (entries by coordinates `at`, `count` of them). */
static double unit_work(const ac_discrete *d, const ac_input *input, const double *q, const double *w,
                        int *at, int *count, double *slope)
{
    double sum = 0.0;
    *count = 0;
    if (input->scalar >= 0) {
        const ac_scalar *scalar = &d->scalars.list[input->scalar];
        const int *own = ac_scalar_coordinates(&d->scalars, input->scalar);
        double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX];
        ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, H);
        for (int i = 0; i < scalar->count; ++i) {
            at[i] = own[i];
            slope[i] = 0.0;
            if (i < scalar->plain) sum += input->sign * g[i] * w[own[i]];
            for (int j = 0; j < scalar->plain; ++j)
                slope[i] += input->sign * H[i * scalar->count + j] * w[own[j]];
        }
        *count = scalar->count;
        return sum;
    }
    for (int e = input->first; e < input->first + input->count; ++e) {
        int form = d->entries[e].form;
        sum += w[d->entries[e].coordinate] * ac_form_value(&d->forms, form, q);
    }
    return sum;
}

/* The same gradient for loads that are lists of forces, entry by entry. */
static void entry_slopes(const ac_discrete *d, const ac_input *input, const double *q, const double *w,
                         ac_by by, int j, double factor, ac_curvature_sink sink, void *user)
{
    for (int e = input->first; e < input->first + input->count; ++e) {
        int form = d->entries[e].form;
        double weight = factor * w[d->entries[e].coordinate];
        for (int t = d->forms.linear_start[form]; t < d->forms.linear_start[form + 1]; ++t)
            sink(user, by, d->forms.linears[t].i, AC_BY_P, j, weight * d->forms.linears[t].b);
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            const ac_product *product = &d->forms.products[t];
            sink(user, by, product->i, AC_BY_P, j, weight * product->a * q[product->j]);
            sink(user, by, product->j, AC_BY_P, j, weight * product->a * q[product->i]);
        }
    }
}

static void load_curvature(const ac_discrete *d, const ac_discrete_point *p, int number, const ac_jet *tau,
                           bool by_h, const double *const w[2], ac_curvature_sink sink, void *user)
{
    static const double none[AC_PARAMETERS_MAX] = {0.0};
    const ac_input *input = &d->inputs[number];
    const double *by_step = p->loads_h ? p->loads_h + (number - d->control_count) * AC_PARAMETERS_MAX : none;
    double half = 0.5 * p->h;
    for (int side = 0; side < 2; ++side) {
        const double *q = side == 0 ? p->a : p->b;
        ac_by by = side == 0 ? AC_BY_A : AC_BY_B;
        int at[AC_SCALAR_MAX], count;
        double slope[AC_SCALAR_MAX], work = unit_work(d, input, q, w[side], at, &count, slope);
        for (int j = 0; j < d->vary->count; ++j) {
            for (int i = 0; i < count; ++i) sink(user, by, at[i], AC_BY_P, j, half * tau->d[j] * slope[i]);
            if (input->scalar < 0) entry_slopes(d, input, q, w[side], by, j, half * tau->d[j], sink, user);
            if (by_h) sink(user, AC_BY_P, j, AC_BY_H, 0, (0.5 * tau->d[j] + half * by_step[j]) * work);
            for (int k = 0; k <= j; ++k) sink(user, AC_BY_P, j, AC_BY_P, k, half * tau->dd[j][k] * work);
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
    for (int k = 0; k < d->spring_count; ++k) spring_slopes(d, p, k, sink, user);
    for (int k = 0; k < d->input_count; ++k) {
        const ac_jet *tau = load_jet(d, p, k);
        if (tau) load_slopes(d, p, k, tau, sink, user);
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
        d->momentum[i] = W;
    }
    for (int k = 0; k < d->spring_count; ++k) {
        if (d->springs[k].stress >= 0) {
            stress_curvature(d, p, k, by_h, sink, user);
        } else {
            spring_curvature(d, p, k, by_h, d->momentum, sink, user);
        }
    }
    for (int k = 0; k < d->input_count; ++k) {
        const ac_jet *tau = load_jet(d, p, k);
        if (tau) load_curvature(d, p, k, tau, by_h, w, sink, user);
    }
}
