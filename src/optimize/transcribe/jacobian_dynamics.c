/* First derivatives of the rows of the dynamics. */
#include <string.h>

#include "action/inertia.h"
#include "optimize/transcribe/jacobian.h"

/* --- intervals --- */

/* Projected slopes of one interval: rows of its two nodes, by the two nodes, the controls and h. */
typedef struct interval_blocks {
    const ac_jacobian_pass *s;
    int interval, T, controls;
    const double *D[2];
    double *by_node[2][2]; /* side, by: T x span */
    double *by_control[2]; /* side: controls x T */
    double *by_stress[2];  /* side: stresses x T */
    double *by_h[2];
    double *by_data[2]; /* side: T x parameters */
} interval_blocks;

static void take_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    interval_blocks *b = user;
    if (value == 0.0) return;
    const ac_optimization *o = b->s->o;
    int T = b->T, W = o->layout.span, count, other_count;
    const int *path = ac_chart_path(&o->description.chart, o->layout.owner[row], &count);
    const double *Dr = b->D[side] + (size_t)row * (size_t)W;
    if (by == AC_BY_P) {
        for (int f = 0; f < count; ++f)
            b->by_data[side][path[f] * o->layout.parameters + column] += value * Dr[path[f]];
        return;
    }
    if (by == AC_BY_TAU || by == AC_BY_H || by == AC_BY_STRESS) {
        double *out = by == AC_BY_H     ? b->by_h[side]
                      : by == AC_BY_TAU ? b->by_control[side] + column * T
                                        : b->by_stress[side] + column * T;
        for (int f = 0; f < count; ++f) out[path[f]] += value * Dr[path[f]];
        return;
    }
    const int *other = ac_local_path(o, column, &other_count);
    const double *Dc = b->D[by == AC_BY_A ? 0 : 1] + (size_t)column * (size_t)W;
    ac_row_sums_add(&b->s->o->point.row_sums[2 * side + (by == AC_BY_A ? 0 : 1)], row, other, other_count, Dc,
                    value);
}

static void take_slope_block(void *user, const ac_slope_block *k)
{
    const interval_blocks *b = user;
    ac_optimization *o = b->s->o;
    ac_row_runs runs;
    ac_find_row_runs(o, k->at, k->size, &runs);
    for (int by = 0; by < 2; ++by) {
        const double *block = by == 0 ? k->by_a : k->by_b;
        if (!block) continue;
        ac_panel_multiply(&o->point.panel, k->rows, k->size, runs.list, block, k->size, 1, b->D[by]);
        for (int side = 0; side < 2; ++side)
            if (k->sides & (1 << side))
                ac_row_sums_add_panel(&o->point.row_sums[2 * side + by], &o->point.panel, k->rows, k->at,
                                      1.0);
    }
}

static void finish_slopes(const interval_blocks *b)
{
    ac_optimization *o = b->s->o;
    int count;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < o->layout.n; ++i) {
            if (!ac_row_sums_used(&o->point.row_sums[k], i)) continue;
            const int *path = ac_chart_path(&o->description.chart, o->layout.owner[i], &count);
            ac_row_sums_flush(&o->point.row_sums[k], i, path, count,
                              b->D[k / 2] + (size_t)i * (size_t)o->layout.span, false,
                              b->by_node[k / 2][k % 2]);
        }
}

static int rows_at(const ac_optimization *o, int node)
{
    return node == o->layout.N ? o->layout.end.row_count : o->layout.width;
}

static int freedom_of(const ac_optimization *o, int node, int r)
{
    return node == o->layout.N ? o->layout.end.rows[r] : r;
}

static void flush_interval(const interval_blocks *b)
{
    const ac_optimization *o = b->s->o;
    int T = b->T;
    for (int side = 0; side < 2; ++side) {
        int node = b->interval + side;
        if (!ac_has_dynamics(o, node)) continue;
        for (int r = 0; r < rows_at(o, node); ++r) {
            int row = o->layout.dynamics_row[node] + r, f = freedom_of(o, node, r);
            for (int by = 0; by < 2; ++by)
                ac_jacobian_put_local(b->s, row, b->interval + by, b->by_node[side][by] + f * o->layout.span,
                                      1.0);
            if (o->layout.parameters > 0)
                ac_jacobian_put_run(b->s, row, o->layout.first.parameter, o->layout.parameters,
                                    b->by_data[side] + f * o->layout.parameters, 1.0);
            for (int k = 0; k < b->controls; ++k)
                if (o->description.discrete.inputs[k].freedom < 0)
                    ac_jacobian_put(b->s, row, ac_control_variable(o, b->interval) + k,
                                    b->by_control[side][k * T + f]);
            for (int k = 0; k < o->description.discrete.stress_count; ++k)
                if (f >= o->layout.stress_low[k] && f <= o->layout.stress_high[k])
                    ac_jacobian_put(b->s, row, ac_stress_variable(o, b->interval) + k,
                                    b->by_stress[side][k * T + f]);
            if (o->layout.by_time)
                ac_jacobian_put(b->s, row, o->layout.first.time, b->by_h[side][f] / o->layout.N);
        }
    }
}

static void charted_interval(const ac_jacobian_pass *s, int n)
{
    ac_optimization *o = s->o;
    size_t T = (size_t)o->layout.freedoms, W = (size_t)o->layout.span;
    double *next = o->point.local;
    interval_blocks b = {
        .s = s, .interval = n, .T = o->layout.freedoms, .controls = o->description.control_count};
    for (int side = 0; side < 2; ++side) {
        b.D[side] = ac_point_of(o, n + side).D;
        for (int by = 0; by < 2; ++by, next += T * W) b.by_node[side][by] = next;
        b.by_data[side] = next;
        next += T * (size_t)o->layout.parameters;
        b.by_control[side] = next;
        next += T * (size_t)o->description.control_count;
        b.by_stress[side] = next;
        next += T * (size_t)o->description.discrete.stress_count;
        b.by_h[side] = next;
        next += T;
    }
    memset(o->point.local, 0, (size_t)(next - o->point.local) * sizeof *next);
    if (s->values) {
        ac_discrete_point p = ac_interval_point(o, n);
        ac_discrete_slopes(&o->description.discrete, &p, o->layout.by_time,
                           &(ac_slope_sinks){take_slope, take_slope_block}, &b);
        finish_slopes(&b);
    }
    flush_interval(&b);
}

typedef struct plain_interval {
    const ac_jacobian_pass *s;
    int interval;
} plain_interval;

static void take_plain_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    const plain_interval *b = user;
    const ac_optimization *o = b->s->o;
    int node = b->interval + side;
    if (!ac_has_dynamics(o, node)) return;
    int r = row;
    if (node == o->layout.N && o->layout.end.row_count < o->layout.width) {
        r = 0;
        while (r < o->layout.end.row_count && o->layout.end.rows[r] != row) ++r;
        if (r == o->layout.end.row_count) return;
    }
    int at = o->layout.dynamics_row[node] + r;
    if (by <= AC_BY_B) {
        ac_jacobian_put_q(b->s, at, b->interval + (by == AC_BY_A ? 0 : 1), column, value);
        return;
    }
    int variable = by == AC_BY_TAU ? ac_control_variable(o, b->interval) + column
                   : by == AC_BY_H ? o->layout.first.time
                   : by == AC_BY_P ? o->layout.first.parameter + column
                                   : ac_stress_variable(o, b->interval) + column;
    ac_jacobian_put(b->s, at, variable, by == AC_BY_H ? value / o->layout.N : value);
}

static void take_plain_block(void *user, const ac_slope_block *k)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (k->sides & (1 << side)) && i < k->rows; ++i)
            for (int j = 0; j < k->size; ++j) {
                int e = i * k->size + j;
                if (k->by_a) take_plain_slope(user, side, k->at[i], AC_BY_A, k->at[j], k->by_a[e]);
                if (k->by_b) take_plain_slope(user, side, k->at[i], AC_BY_B, k->at[j], k->by_b[e]);
            }
}

/* A row of the dynamics gets the derivative of R_i: all rows of D^T, or row i itself. */
static void put_residual(const ac_jacobian_pass *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    for (int r = 0; r < rows_at(o, node); ++r) {
        int f = freedom_of(o, node, r);
        if (o->layout.charted) {
            ac_jacobian_put(s, o->layout.dynamics_row[node] + r, variable,
                            value * ac_point_of(o, node).D[i * o->layout.span + f]);
        } else if (f == i) {
            ac_jacobian_put(s, o->layout.dynamics_row[node] + r, variable, value);
        }
    }
}

/* The same for a derivative by coordinate j at the same node. */
static void put_residual_q(const ac_jacobian_pass *s, int node, int i, int j, double value)
{
    const ac_optimization *o = s->o;
    if (!o->layout.charted) {
        put_residual(s, node, i, ac_y(o, node) + j, value);
        return;
    }
    const ac_chart_point p = ac_point_of(o, node);
    for (int r = 0; r < rows_at(o, node); ++r) {
        int f = freedom_of(o, node, r);
        ac_jacobian_put_local(s, o->layout.dynamics_row[node] + r, node,
                              p.D + (size_t)j * (size_t)o->layout.span, value * p.D[i * o->layout.span + f]);
    }
}

static void constraint_forces(const ac_jacobian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX], factor = -ac_multiplier_factor(o, node);
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->layout.constraint_rows[k], lambda = ac_multiplier(o, node) + k;
        const int *at = c->coordinate + c->start[row];
        double value = o->point.x[lambda];
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        for (int e = 0; e < c->start[row + 1] - c->start[row]; ++e) {
            put_residual(s, node, at[e], lambda, factor * o->point.h * gradient[e]);
            if (o->layout.by_time)
                put_residual(s, node, at[e], o->layout.first.time,
                             factor * value * gradient[e] / o->layout.N);
        }
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            double a = factor * o->point.h * value * p->a;
            put_residual_q(s, node, at[p->i], at[p->j], a);
            put_residual_q(s, node, at[p->j], at[p->i], a);
        }
    }
}

/* Entries of sign M, between the equations of a node and the unknown velocity there. */
typedef struct velocity_pass {
    const ac_jacobian_pass *pass;
    int node, velocity;
    double sign;
    const double *D;
} velocity_pass;

static void put_mass(void *user, int row, int column, double mass)
{
    const velocity_pass *v = user;
    const ac_jacobian_pass *s = v->pass;
    const ac_optimization *o = s->o;
    int W = o->layout.span;
    double value = v->sign * mass;
    if (!o->layout.charted) {
        put_residual(s, v->node, row, v->velocity + column, value);
        return;
    }
    for (int r = 0; r < rows_at(o, v->node); ++r) {
        int f = freedom_of(o, v->node, r), at = o->layout.dynamics_row[v->node] + r;
        double weight = value * v->D[row * W + f];
        ac_jacobian_put_run(s, at, v->velocity, o->layout.freedoms, v->D + column * W, weight);
        ac_jacobian_put_local(s, at, v->node, o->point.Vn + column * W, weight);
    }
}

/* + M w_0 and - M w_N with unknown velocities */
static void momentum_of_velocity(const ac_jacobian_pass *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N;
    if (o->layout.first.velocity[e] < 0 || !ac_has_dynamics(o, node)) return;
    ac_chart_point p = ac_point_of(o, node);
    if (o->layout.charted)
        ac_chart_along(&o->description.chart, &p, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    velocity_pass v = {s, node, o->layout.first.velocity[e], e == 0 ? 1.0 : -1.0, p.D};
    ac_mass_each(o->system, put_mass, &v);
}

/* Inputs on single freedoms: rows of their freedom only. */
static void direct_forces(const ac_jacobian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    int inputs = o->description.discrete.input_count;
    for (int r = 0; r < rows_at(o, node); ++r) {
        int row = o->layout.dynamics_row[node] + r, f = freedom_of(o, node, r);
        for (int k = 0; k < inputs; ++k) {
            const ac_input *input = &o->description.discrete.inputs[k];
            if (input->freedom != f) continue;
            for (int n = node - 1; n <= node; ++n) {
                if (n < 0 || n == o->layout.N) continue;
                if (!input->load)
                    ac_jacobian_put(s, row, ac_control_variable(o, n) + k, 0.5 * o->point.h * input->push);
                if (o->layout.by_time)
                    ac_jacobian_put(
                        s, row, o->layout.first.time,
                        0.5 * input->push *
                            (o->point.tau[n * inputs + k] +
                             (o->point.tau_h ? o->point.h * o->point.tau_h[n * inputs + k] : 0.0)) /
                            o->layout.N);
            }
        }
    }
}

static void turn_of_basis(const ac_jacobian_pass *s, int node)
{
    ac_optimization *o = s->o;
    int W = o->layout.span;
    ac_chart_point p = ac_point_of(o, node);
    memset(o->point.local, 0, (size_t)(W * W) * sizeof *o->point.local);
    if (s->values) ac_chart_second(&o->description.chart, &p, ac_residual(o, node), o->point.local);
    for (int r = 0; r < rows_at(o, node); ++r)
        ac_jacobian_put_local(s, o->layout.dynamics_row[node] + r, node,
                              o->point.local + freedom_of(o, node, r) * W, 1.0);
}

/* --- by parameters: data of constraints, momenta at the ends, loads on single freedoms --- */

/* The derivative of R_i by a datum: by the parameters behind it. */
static void put_residual_jet(const ac_jacobian_pass *s, int node, int i, const ac_jet *jet, double value)
{
    for (int a = 0; a < jet->count; ++a)
        put_residual(s, node, i, s->o->layout.first.parameter + jet->by[a], value * jet->d[a]);
}

/* phi(q) = -c h sum lambda_k grad g_k, by what the coefficients of g depend on */
static void force_by_parameters(const ac_jacobian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_variation *v = &o->description.variation;
    double factor = -ac_multiplier_factor(o, node) * o->point.h;
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        const ac_row_data *data = &v->rows[o->layout.constraint_rows[k]];
        if (data->first < 0 || !ac_has_multiplier(o, node, k)) continue;
        double weight = factor * o->point.x[ac_multiplier(o, node) + k];
        for (int j = 0; j < data->count; ++j) {
            const ac_forms *f = &v->forms;
            const ac_jet *jet = &v->moving[data->moving[j]].jet;
            int map = ac_first_map(data->first, j);
            const double *q = ac_q(o, node);
            for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
                put_residual_jet(s, node, f->linears[e].i, jet, weight * f->linears[e].b);
            for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
                const ac_product *p = &f->products[e];
                put_residual_jet(s, node, p->i, jet, weight * p->a * q[p->j]);
                put_residual_jet(s, node, p->j, jet, weight * p->a * q[p->i]);
            }
        }
    }
}

/* sign M w of a velocity w at an end. */
typedef struct end_pass {
    const ac_jacobian_pass *pass;
    int node;
    double sign;
    const double *w;
} end_pass;

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const end_pass *e = user;
    put_residual_jet(e->pass, e->node, row, jet, e->sign * e->w[column]);
}

static void momentum_by_parameters(const ac_jacobian_pass *s, int e)
{
    const ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N;
    if (!ac_has_dynamics(o, node)) return;
    end_pass end = {s, node, e == 0 ? 1.0 : -1.0, o->point.velocity[e]};
    ac_variation_masses(&o->description.variation, put_mass_jet, &end);
}

static void loads_by_parameters(const ac_jacobian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    int controls = o->description.discrete.control_count,
        loads = o->description.discrete.input_count - controls;
    for (int r = 0; o->layout.charted && o->point.loads && r < rows_at(o, node); ++r)
        for (int k = 0; k < loads; ++k) {
            const ac_input *input = &o->description.discrete.inputs[controls + k];
            if (input->freedom != freedom_of(o, node, r)) continue;
            for (int n = node - 1; n <= node; ++n)
                if (n >= 0 && n < o->layout.N)
                    ac_jacobian_put_jet(s, o->layout.dynamics_row[node] + r,
                                        &o->point.loads[n * loads + k].value, 0.5 * o->point.h * input->push);
        }
}

static void dynamics_by_parameters(const ac_jacobian_pass *s)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        force_by_parameters(s, n);
        loads_by_parameters(s, n);
    }
    momentum_by_parameters(s, 0);
    momentum_by_parameters(s, 1);
}

/* In minimal coordinates: residuals are those of what is held alone. */
static void minimal_dynamics(const ac_jacobian_pass *s)
{
    ac_minimal_jacobian(s->o, s->values);
    if (s->o->description.phase.hold_count == 0) return;
    for (int n = 0; n <= s->o->layout.N; ++n)
        if (ac_has_dynamics(s->o, n)) turn_of_basis(s, n);
    ac_hold_jacobian(s);
}

void ac_jacobian_dynamics(const ac_jacobian_pass *s)
{
    ac_optimization *o = s->o;
    if (ac_is_minimal(o)) {
        minimal_dynamics(s);
        return;
    }
    for (int n = 0; n < o->layout.N; ++n) {
        if (o->layout.charted) {
            charted_interval(s, n);
        } else {
            plain_interval b = {.s = s, .interval = n};
            ac_discrete_point p = ac_interval_point(o, n);
            ac_discrete_slopes(&o->description.discrete, &p, o->layout.by_time,
                               &(ac_slope_sinks){take_plain_slope, take_plain_block}, &b);
        }
    }
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        constraint_forces(s, n);
        if (o->layout.charted) {
            direct_forces(s, n);
            turn_of_basis(s, n);
        }
    }
    ac_hold_jacobian(s);
    momentum_of_velocity(s, 0);
    momentum_of_velocity(s, 1);
    if (o->layout.parameters > 0) dynamics_by_parameters(s);
}
