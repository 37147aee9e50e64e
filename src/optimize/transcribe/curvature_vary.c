/* Second derivatives by free parameters that enter by data: coefficients of constraints, momenta at the
 * ends, loads on single freedoms, the energy. Intervals have theirs in discrete_vary.c. */
#include <string.h>

#include "optimize/transcribe/curvature.h"

/* factor times the gradient of a map along w (NULL: the map itself), by coordinates of a node and an
 * unknown */
static void put_map_slope(const ac_hessian_pass *s, int map, int node, const double *w, int variable,
                          double factor)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const double *x = w ? w : ac_q(o, node);
    for (int e = f->linear_start[map]; !w && e < f->linear_start[map + 1]; ++e)
        ac_hessian_put_qv(s, node, f->linears[e].i, variable, factor * f->linears[e].b);
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        ac_hessian_put_qv(s, node, p->i, variable, factor * p->a * x[p->j]);
        ac_hessian_put_qv(s, node, p->j, variable, factor * p->a * x[p->i]);
    }
}

/* An entry of the gradient of a map, given to a function of coordinate and value. */
typedef void (*entry_sink)(const ac_hessian_pass *s, int node, int i, int variable, double value);

static void each_entry(const ac_hessian_pass *s, int map, int node, int variable, double factor,
                       entry_sink sink)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const double *q = ac_q(o, node);
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
        sink(s, node, f->linears[e].i, variable, factor * f->linears[e].b);
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        sink(s, node, p->i, variable, factor * p->a * q[p->j]);
        sink(s, node, p->j, variable, factor * p->a * q[p->i]);
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
    const ac_ref w = {AC_REF_VELOCITY, i}, p = {AC_REF_P, variable - s->o->layout.parameter_start};
    ac_hessian_put_pair(s, node, &w, &p, value);
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
        int first = v->row_forms[o->layout.constraint_rows[k]], multiplier = ac_multiplier(o, node) + k;
        if (first < 0 || !ac_has_multiplier(o, node, k)) continue;
        double lambda = o->point.x[multiplier];
        for (int j = 0; j < o->layout.parameters; ++j) {
            int map = ac_first_map(first, j), variable = o->layout.parameter_start + j;
            double along = ac_form_along(&v->forms, map, q, weights);
            put_map_slope(s, map, node, weights, variable, factor * o->point.h * lambda);
            ac_hessian_put(s, variable, multiplier, factor * o->point.h * along);
            if (o->layout.by_time)
                ac_hessian_put(s, variable, o->layout.time_variable, factor * lambda * along / o->layout.N);
            if (o->layout.charted)
                each_entry(s, map, node, variable, factor * o->point.h * lambda, cross_entry);
            for (int l = 0; l <= j; ++l)
                ac_hessian_put(s, variable, o->layout.parameter_start + l,
                               factor * o->point.h * lambda *
                                   ac_form_along(&v->forms, ac_second_map(first, o->layout.parameters, j, l),
                                                 q, weights));
        }
    }
}

/* phi = +- v . M w at the ends */
static void momentum_at_end(const ac_hessian_pass *s, int e)
{
    const ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N;
    if (!ac_has_dynamics(o, node)) return;
    const double *v = ac_hessian_weights(o, node), *w = o->point.velocity[e];
    double sign = e == 0 ? 1.0 : -1.0;
    if (o->layout.charted && o->layout.velocity_start[e] >= 0) {
        ac_chart_point point = ac_point_of(o, node);
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.velocity_start[e], o->point.Vn);
    }
    for (int k = 0; k < o->description.variation.mass_count; ++k) {
        const ac_mass_jet *m = &o->description.variation.mass[k];
        for (int i = 0; i < m->dimension; ++i) {
            int row = m->row + i, column = m->column + i;
            for (int j = 0; j < o->layout.parameters; ++j) {
                int variable = o->layout.parameter_start + j;
                double value = sign * m->jet.d[j];
                if (o->layout.charted) cross_entry(s, node, row, variable, value * w[column]);
                if (o->layout.velocity_start[e] >= 0)
                    velocity_entry(s, node, column, variable, value * v[row]);
                for (int l = 0; l <= j; ++l)
                    ac_hessian_put(s, variable, o->layout.parameter_start + l,
                                   sign * m->jet.dd[j][l] * v[row] * w[column]);
            }
        }
    }
}

/* mu . force of loads on single freedoms */
static void direct_loads(const ac_hessian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    int controls = o->description.discrete.control_count,
        loads = o->description.discrete.input_count - controls;
    int rows = node == o->layout.N ? o->layout.end_row_count : o->layout.width;
    for (int r = 0; o->layout.charted && o->point.loads && r < rows; ++r)
        for (int k = 0; k < loads; ++k) {
            const ac_input *input = &o->description.discrete.inputs[controls + k];
            if (input->freedom != (node == o->layout.N ? o->layout.end_rows[r] : r)) continue;
            double weight = s->mu ? 0.5 * s->mu[o->layout.dynamics_row[node] + r] * input->push : 0.0;
            for (int n = node - 1; n <= node; ++n) {
                if (n < 0 || n == o->layout.N) continue;
                const ac_jet *tau = &o->point.loads[n * loads + k];
                for (int j = 0; j < o->layout.parameters; ++j) {
                    int variable = o->layout.parameter_start + j;
                    double mixed = o->point.loads_h
                                       ? o->point.loads_h[(n * loads + k) * AC_PARAMETERS_MAX + j]
                                       : 0.0;
                    if (o->layout.by_time)
                        ac_hessian_put(s, variable, o->layout.time_variable,
                                       weight * (tau->d[j] + o->point.h * mixed) / o->layout.N);
                    for (int l = 0; l <= j; ++l)
                        ac_hessian_put(s, variable, o->layout.parameter_start + l,
                                       weight * o->point.h * tau->dd[j][l]);
                }
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
    const ac_variation *v = &o->description.variation;
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        int first = v->row_forms[o->layout.constraint_rows[k]];
        for (int j = 0; first >= 0 && j < o->layout.parameters; ++j) {
            put_map_slope(s, ac_first_map(first, j), block->place, NULL, o->layout.parameter_start + j,
                          mu[k]);
            for (int l = 0; l <= j; ++l)
                ac_hessian_put(s, o->layout.parameter_start + j, o->layout.parameter_start + l,
                               mu[k] * ac_form_value(&v->forms,
                                                     ac_second_map(first, o->layout.parameters, j, l),
                                                     ac_q(o, block->place)));
        }
    }
}

void ac_hessian_velocity_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = s->o;
    const ac_variation *v = &o->description.variation;
    int e = block->place == 0 ? 0 : 1;
    const double *w = o->point.velocity[e], *q = ac_q(o, block->place);
    if (o->layout.charted) {
        ac_chart_point point = ac_point_of(o, block->place);
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.velocity_start[e], o->point.Vn);
    }
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        int first = v->row_forms[o->layout.constraint_rows[k]];
        for (int j = 0; first >= 0 && j < o->layout.parameters; ++j) {
            int map = ac_first_map(first, j), variable = o->layout.parameter_start + j;
            put_map_slope(s, map, block->place, w, variable, mu[k]);
            each_entry(s, map, block->place, variable, mu[k], velocity_entry);
            for (int l = 0; l <= j; ++l)
                ac_hessian_put(
                    s, variable, o->layout.parameter_start + l,
                    mu[k] * ac_form_along(&v->forms, ac_second_map(first, o->layout.parameters, j, l), q, w));
        }
    }
}

/* - mu . q0(p) in redundant coordinates */
void ac_hessian_start_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    ac_optimization *o = s->o;
    if (o->layout.charted || !o->description.variation.geometry || block->count != o->layout.n) return;
    int W = o->layout.span, T = o->layout.freedoms;
    const ac_chart_point point = {o->description.variation.system.q0, NULL, o->point.start_axis};
    memset(o->point.local, 0, (size_t)(W * W) * sizeof *o->point.local);
    if (s->values) ac_chart_vary_second(&o->description.chart, &point, mu, o->point.local);
    for (int j = 0; j < o->layout.parameters; ++j)
        for (int l = 0; l <= j; ++l)
            ac_hessian_put(s, o->layout.parameter_start + j, o->layout.parameter_start + l,
                           -o->point.local[(T + j) * W + T + l]);
}

/* --- energy --- */

static void spring_energy(const ac_hessian_pass *s, int n, int k, double weight)
{
    const ac_optimization *o = s->o;
    const ac_discrete_spring *spring = &o->description.discrete.springs[k];
    const int *at = ac_scalar_coordinates(&o->description.discrete.scalars, spring->scalar);
    double g[AC_SCALAR_MAX], *mean = o->point.work + 3 * o->layout.n, h = o->point.h, y;
    double winding = ac_spring_winding(spring, o->point.measure_windings +
                                                   (size_t)n * (size_t)o->system->measure_count);
    ac_law_jets jets;
    ac_discrete_energy(&o->description.discrete, k, mean, winding, NULL, NULL, &y, g);
    if (!ac_discrete_law_jets(&o->description.discrete, k, y, &jets)) return;
    for (int j = 0; j < o->layout.parameters; ++j) {
        int variable = o->layout.parameter_start + j;
        for (int i = 0; i < o->description.discrete.scalars.list[spring->scalar].count; ++i)
            for (int side = 0; side < 2; ++side)
                ac_hessian_put_qv(s, n + side, at[i], variable, 0.5 * weight * h * jets.pull[j] * g[i]);
        if (o->layout.by_time)
            ac_hessian_put(s, variable, o->layout.time_variable, weight * jets.energy[j] / o->layout.N);
        for (int l = 0; l <= j; ++l)
            ac_hessian_put(s, variable, o->layout.parameter_start + l, weight * h * jets.energy2[j][l]);
    }
}

void ac_hessian_energy_parameters(const ac_hessian_pass *s, int n, double weight)
{
    const ac_optimization *o = s->o;
    const ac_variation *v = &o->description.variation;
    const double *a = ac_q(o, n), *b = ac_q(o, n + 1), *mean = o->point.work + 3 * o->layout.n;
    double h = o->point.h;
    for (int e = 0; e < v->mass_count; ++e) {
        const ac_mass_jet *m = &v->mass[e];
        for (int i = 0; i < m->dimension; ++i) {
            int row = m->row + i, column = m->column + i;
            double left = b[row] - a[row], right = b[column] - a[column];
            for (int j = 0; j < o->layout.parameters; ++j) {
                int variable = o->layout.parameter_start + j;
                double half = 0.5 * weight * m->jet.d[j] / h;
                ac_hessian_put_qv(s, n, row, variable, -half * right);
                ac_hessian_put_qv(s, n + 1, row, variable, half * right);
                ac_hessian_put_qv(s, n, column, variable, -half * left);
                ac_hessian_put_qv(s, n + 1, column, variable, half * left);
                if (o->layout.by_time)
                    ac_hessian_put(s, variable, o->layout.time_variable,
                                   -half * left * right / (h * o->layout.N));
                for (int l = 0; l <= j; ++l)
                    ac_hessian_put(s, variable, o->layout.parameter_start + l,
                                   0.5 * weight * m->jet.dd[j][l] * left * right / h);
            }
        }
    }
    for (int i = 0; i < o->layout.n; ++i) {
        const ac_jet *f = &v->gravity_force[i];
        for (int j = 0; j < o->layout.parameters; ++j) {
            int variable = o->layout.parameter_start + j;
            if (f->d[j] != 0.0 || v->generic)
                for (int side = 0; side < 2; ++side)
                    ac_hessian_put_qv(s, n + side, i, variable, -0.5 * weight * h * f->d[j]);
            if (o->layout.by_time)
                ac_hessian_put(s, variable, o->layout.time_variable,
                               -weight * f->d[j] * mean[i] / o->layout.N);
            for (int l = 0; l <= j; ++l)
                ac_hessian_put(s, variable, o->layout.parameter_start + l,
                               -weight * h * f->dd[j][l] * mean[i]);
        }
    }
    for (int k = 0; k < o->description.discrete.spring_count; ++k) spring_energy(s, n, k, weight);
}
