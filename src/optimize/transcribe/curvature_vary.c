/* Second derivatives by free parameters that enter by data: coefficients of constraints, momenta at the
 * ends, loads on single freedoms, the energy. Intervals have theirs in discrete_vary.c. */
#include <string.h>

#include "optimize/transcribe/curvature.h"

/* value times the second derivatives of a datum */
static void put_bends(const ac_hessian_pass *s, const ac_jet *jet, double value)
{
    int first = s->o->layout.first.parameter;
    for (int a = 0; jet->dd && a < jet->count; ++a)
        for (int b = 0; b <= a; ++b)
            ac_hessian_put(s, first + jet->by[a], first + jet->by[b], value * jet->dd[a * jet->count + b]);
}

/* factor times the gradient of a map along w (NULL: the map itself), by coordinates of a node and a moving datum */
static void put_map_slope(const ac_hessian_pass *s, int map, int node, const double *w, int datum,
                          double factor)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const double *x = w ? w : ac_q(o, node);
    for (int e = f->linear_start[map]; !w && e < f->linear_start[map + 1]; ++e)
        ac_hessian_put_qq(s, node, f->linears[e].i, node, datum, factor * f->linears[e].b);
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        ac_hessian_put_qq(s, node, p->i, node, datum, factor * p->a * x[p->j]);
        ac_hessian_put_qq(s, node, p->j, node, datum, factor * p->a * x[p->i]);
    }
}

/* An entry of the gradient of a map, given to a function of coordinate and value. */
typedef void (*entry_sink)(const ac_hessian_pass *s, int node, int i, int variable, double value);

/* factor times the gradient of a map, by the parameters behind a moving datum */
static void each_entry(const ac_hessian_pass *s, int map, int node, int datum, double factor, entry_sink sink)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const ac_jet *jet = ac_moving_jet(o, datum);
    const double *q = ac_q(o, node);
    for (int a = 0; a < jet->count; ++a) {
        int variable = o->layout.first.parameter + jet->by[a];
        double scaled = factor * jet->d[a];
        for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
            sink(s, node, f->linears[e].i, variable, scaled * f->linears[e].b);
        for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
            const ac_product *p = &f->products[e];
            sink(s, node, p->i, variable, scaled * p->a * q[p->j]);
            sink(s, node, p->j, variable, scaled * p->a * q[p->i]);
        }
    }
}

/* value dv_i by local coordinates of the node */
static void cross_entry(const ac_hessian_pass *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    ac_hessian_put_local(s, variable, node, ac_hessian_along(o, node) + (size_t)i * (size_t)o->layout.span,
                         value);
}

static void velocity_entry(const ac_hessian_pass *s, int node, int i, int variable, double value)
{
    const ac_ref w = {AC_REF_VELOCITY, i}, p = {AC_REF_P, variable - s->o->layout.first.parameter};
    ac_hessian_put_pair(s, node, &w, &p, value);
}

/* --- rows by their moving data --- */

/* factor times a row (w NULL) or its derivative along w, by its moving data: second derivatives by two of them, and the
 * gradient, which acts through their own second derivatives */
static void put_row_data(const ac_hessian_pass *s, const ac_row_data *data, int node, const double *w,
                         double factor)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const double *q = ac_q(o, node);
    for (int j = 0; j < data->count; ++j) {
        int at = o->layout.n + data->moving[j], map = ac_first_map(data->first, j);
        if (s->values)
            ac_hessian_gradient(o, node, at,
                                factor * (w ? ac_form_along(f, map, q, w) : ac_form_value(f, map, q)));
        for (int k = 0; k <= j; ++k) {
            int both = ac_second_map(data->first, data->count, j, k);
            ac_hessian_put_qq(s, node, at, node, o->layout.n + data->moving[k],
                              factor * (w ? ac_form_along(f, both, q, w) : ac_form_value(f, both, q)));
        }
    }
}

/* --- dynamics --- */

/* phi = -c h sum lambda_k v . grad g_k */
static void constraint_forces(const ac_hessian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_variation *v = &o->description.variation;
    const double *weights = ac_hessian_weights(o, node), *q = ac_q(o, node);
    double factor = -ac_multiplier_factor(o, node);
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        const ac_row_data *data = &v->rows[o->layout.constraint_rows[k]];
        int multiplier = ac_multiplier(o, node) + k;
        if (data->first < 0 || !ac_has_multiplier(o, node, k)) continue;
        double lambda = o->point.x[multiplier];
        for (int j = 0; j < data->count; ++j) {
            int map = ac_first_map(data->first, j), at = o->layout.n + data->moving[j];
            double along = ac_form_along(&v->forms, map, q, weights);
            put_map_slope(s, map, node, weights, at, factor * o->point.h * lambda);
            ac_hessian_put_qv(s, node, at, multiplier, factor * o->point.h * along);
            if (o->layout.by_time)
                ac_hessian_put_qv(s, node, at, o->layout.first.time, factor * lambda * along / o->layout.N);
            if (o->layout.charted) each_entry(s, map, node, at, factor * o->point.h * lambda, cross_entry);
        }
        put_row_data(s, data, node, weights, factor * o->point.h * lambda);
    }
}

/* phi = sign v . M w at an end */
typedef struct end_pass {
    const ac_hessian_pass *pass;
    int node;
    bool unknown; /* w is one */
    double sign;
    const double *v, *w;
} end_pass;

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const end_pass *e = user;
    const ac_optimization *o = e->pass->o;
    for (int a = 0; a < jet->count; ++a) {
        int variable = o->layout.first.parameter + jet->by[a];
        double value = e->sign * jet->d[a];
        if (o->layout.charted) cross_entry(e->pass, e->node, row, variable, value * e->w[column]);
        if (e->unknown) velocity_entry(e->pass, e->node, column, variable, value * e->v[row]);
    }
    put_bends(e->pass, jet, e->sign * e->v[row] * e->w[column]);
}

static void momentum_at_end(const ac_hessian_pass *s, int e)
{
    const ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N;
    if (!ac_has_dynamics(o, node)) return;
    end_pass end = {s,
                    node,
                    o->layout.first.velocity[e] >= 0,
                    e == 0 ? 1.0 : -1.0,
                    ac_hessian_weights(o, node),
                    o->point.velocity[e]};
    if (o->layout.charted && o->layout.first.velocity[e] >= 0) {
        ac_chart_point point = ac_point_of(o, node);
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    }
    ac_variation_masses(&o->description.variation, put_mass_jet, &end);
}

/* mu . force of loads on single freedoms */
static void direct_loads(const ac_hessian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    int controls = o->description.discrete.control_count,
        loads = o->description.discrete.input_count - controls;
    int rows = node == o->layout.N ? o->layout.end.row_count : o->layout.width;
    for (int r = 0; o->layout.charted && o->point.loads && r < rows; ++r)
        for (int k = 0; k < loads; ++k) {
            const ac_input *input = &o->description.discrete.inputs[controls + k];
            if (input->freedom != (node == o->layout.N ? o->layout.end.rows[r] : r)) continue;
            double weight = s->mu ? 0.5 * s->mu[o->layout.dynamics_row[node] + r] * input->push : 0.0;
            for (int n = node - 1; n <= node; ++n) {
                if (n < 0 || n == o->layout.N) continue;
                const ac_load_jet *load = &o->point.loads[n * loads + k];
                const ac_jet *tau = &load->value;
                for (int a = 0; o->layout.by_time && a < tau->count; ++a) {
                    double mixed = load->by_step ? load->by_step[a] : 0.0;
                    ac_hessian_put(s, o->layout.first.parameter + tau->by[a], o->layout.first.time,
                                   weight * (tau->d[a] + o->point.h * mixed) / o->layout.N);
                }
                put_bends(s, tau, weight * o->point.h);
            }
        }
}

void ac_hessian_dynamics_parameters(const ac_hessian_pass *s)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        constraint_forces(s, n);
        direct_loads(s, n);
    }
    momentum_at_end(s, 0);
    momentum_at_end(s, 1);
}

/* --- rows --- */

void ac_hessian_constraint_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = s->o;
    mu -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        const ac_row_data *data = &o->description.variation.rows[o->layout.constraint_rows[k]];
        if (data->first < 0) continue;
        for (int j = 0; j < data->count; ++j)
            put_map_slope(s, ac_first_map(data->first, j), block->place, NULL, o->layout.n + data->moving[j],
                          mu[k]);
        put_row_data(s, data, block->place, NULL, mu[k]);
    }
}

void ac_hessian_velocity_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = s->o;
    int e = block->place == 0 ? 0 : 1;
    const double *w = o->point.velocity[e];
    if (o->layout.charted) {
        ac_chart_point point = ac_point_of(o, block->place);
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    }
    mu -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        const ac_row_data *data = &o->description.variation.rows[o->layout.constraint_rows[k]];
        if (data->first < 0) continue;
        for (int j = 0; j < data->count; ++j) {
            int map = ac_first_map(data->first, j), at = o->layout.n + data->moving[j];
            put_map_slope(s, map, block->place, w, at, mu[k]);
            each_entry(s, map, block->place, at, mu[k], velocity_entry);
        }
        put_row_data(s, data, block->place, w, mu[k]);
    }
}
