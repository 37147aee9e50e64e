/* First derivatives of all conditions. */
#include <string.h>

#include "control/optimization.h"

typedef struct sweep {
    ac_optimization *o;
    double *values; /* NULL: marking */
} sweep;

static void put(const sweep *s, int row, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(&s->o->jacobian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->jacobian, row, column)] += value;
    }
}

/* row += value times `count` numbers, on columns that follow one another */
static void put_run(const sweep *s, int row, int column, int count, const double *run, double value)
{
    if (!s->values) {
        for (int i = 0; i < count; ++i) ac_pattern_mark(&s->o->jacobian, row, column + i);
        return;
    }
    double *out = s->values + ac_pattern_find(&s->o->jacobian, row, column);
    for (int i = 0; i < count; ++i) out[i] += value * run[i];
}

/* row += value times derivatives by the local coordinates of a node: its own and the parameters */
static void put_local(const sweep *s, int row, int node, const double *run, double value)
{
    const ac_optimization *o = s->o;
    put_run(s, row, ac_y(o, node), o->freedoms, run, value);
    if (o->parameters > 0) put_run(s, row, o->parameter_start, o->parameters, run + o->freedoms, value);
}

/* The unknown that coordinate i at a node is, in redundant coordinates. */
static int unknown_of(const ac_optimization *o, int node, int i)
{
    return i < o->n ? ac_y(o, node) + i : o->parameter_start + i - o->n;
}

/* Derivative of a row by coordinate i at a node of time. */
static void put_q(const sweep *s, int row, int node, int i, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        put(s, row, unknown_of(o, node, i), value);
    } else if (value != 0.0 || !s->values) {
        put_local(s, row, node, ac_point_of(o, node).D + (size_t)i * (size_t)o->span, value);
    }
}

/* --- dynamics --- */

/* Projected slopes of one interval: rows of its two nodes, by the two nodes, the controls and h. */
typedef struct interval_blocks {
    const sweep *s;
    int interval, T, controls;
    const double *D[2];
    double *by_node[2][2]; /* side, by: T x span */
    double *by_control[2]; /* side: controls x T */
    double *by_h[2];
    double *by_data[2]; /* side: T x parameters */
} interval_blocks;

static void take_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    interval_blocks *b = user;
    if (value == 0.0) return;
    const ac_optimization *o = b->s->o;
    int T = b->T, W = o->span, count, other_count;
    const int *path = ac_chart_path(&o->chart, o->owner[row], &count);
    const double *Dr = b->D[side] + (size_t)row * (size_t)W;
    if (by == AC_BY_P) {
        for (int f = 0; f < count; ++f)
            b->by_data[side][path[f] * o->parameters + column] += value * Dr[path[f]];
        return;
    }
    if (by == AC_BY_TAU || by == AC_BY_H) {
        double *out = by == AC_BY_H ? b->by_h[side] : b->by_control[side] + column * T;
        for (int f = 0; f < count; ++f) out[path[f]] += value * Dr[path[f]];
        return;
    }
    const int *other = ac_local_path(o, column, &other_count);
    const double *Dc = b->D[by == AC_BY_A ? 0 : 1] + (size_t)column * (size_t)W;
    ac_stage_add(&b->s->o->stages[2 * side + (by == AC_BY_A ? 0 : 1)], row, other, other_count, Dc, value);
}

static void finish_slopes(const interval_blocks *b)
{
    ac_optimization *o = b->s->o;
    int count;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < o->n; ++i) {
            if (!ac_stage_used(&o->stages[k], i)) continue;
            const int *path = ac_chart_path(&o->chart, o->owner[i], &count);
            ac_stage_flush(&o->stages[k], i, path, count, b->D[k / 2] + (size_t)i * (size_t)o->span, false,
                           b->by_node[k / 2][k % 2]);
        }
}

static int rows_at(const ac_optimization *o, int node)
{
    return node == o->N ? o->end_row_count : o->width;
}

static int freedom_of(const ac_optimization *o, int node, int r)
{
    return node == o->N ? o->end_rows[r] : r;
}

static void flush_interval(const interval_blocks *b)
{
    const ac_optimization *o = b->s->o;
    int T = b->T;
    for (int side = 0; side < 2; ++side) {
        int node = b->interval + side;
        if (!ac_has_dynamics(o, node)) continue;
        for (int r = 0; r < rows_at(o, node); ++r) {
            int row = o->dynamics_row[node] + r, f = freedom_of(o, node, r);
            for (int by = 0; by < 2; ++by)
                put_local(b->s, row, b->interval + by, b->by_node[side][by] + f * o->span, 1.0);
            if (o->parameters > 0)
                put_run(b->s, row, o->parameter_start, o->parameters, b->by_data[side] + f * o->parameters,
                        1.0);
            for (int k = 0; k < b->controls; ++k)
                if (o->discrete.inputs[k].freedom < 0)
                    put(b->s, row, ac_control_variable(o, b->interval) + k, b->by_control[side][k * T + f]);
            if (o->by_time) put(b->s, row, o->time_variable, b->by_h[side][f] / o->N);
        }
    }
}

static void charted_interval(const sweep *s, int n)
{
    ac_optimization *o = s->o;
    size_t T = (size_t)o->freedoms, W = (size_t)o->span;
    double *next = o->local;
    interval_blocks b = {.s = s, .interval = n, .T = o->freedoms, .controls = o->control_count};
    for (int side = 0; side < 2; ++side) {
        b.D[side] = ac_point_of(o, n + side).D;
        for (int by = 0; by < 2; ++by, next += T * W) b.by_node[side][by] = next;
        b.by_data[side] = next;
        next += T * (size_t)o->parameters;
        b.by_control[side] = next;
        next += T * (size_t)o->control_count;
        b.by_h[side] = next;
        next += T;
    }
    memset(o->local, 0, (size_t)(next - o->local) * sizeof *next);
    if (s->values) {
        ac_discrete_point p = ac_interval_point(o, n);
        ac_discrete_slopes(&o->discrete, &p, o->by_time, take_slope, &b);
        finish_slopes(&b);
    }
    flush_interval(&b);
}

typedef struct plain_interval {
    const sweep *s;
    int interval;
} plain_interval;

static void take_plain_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    const plain_interval *b = user;
    const ac_optimization *o = b->s->o;
    int node = b->interval + side;
    if (!ac_has_dynamics(o, node)) return;
    int r = row;
    if (node == o->N && o->end_row_count < o->width) {
        r = 0;
        while (r < o->end_row_count && o->end_rows[r] != row) ++r;
        if (r == o->end_row_count) return;
    }
    int variable = by == AC_BY_TAU ? ac_control_variable(o, b->interval) + column
                   : by == AC_BY_H ? o->time_variable
                   : by == AC_BY_P ? o->parameter_start + column
                                   : unknown_of(o, b->interval + (by == AC_BY_A ? 0 : 1), column);
    put(b->s, o->dynamics_row[node] + r, variable, by == AC_BY_H ? value / o->N : value);
}

/* A row of the dynamics gets the derivative of R_i: all rows of D^T, or row i itself. */
static void put_residual(const sweep *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    for (int r = 0; r < rows_at(o, node); ++r) {
        int f = freedom_of(o, node, r);
        if (o->charted) {
            put(s, o->dynamics_row[node] + r, variable, value * ac_point_of(o, node).D[i * o->span + f]);
        } else if (f == i) {
            put(s, o->dynamics_row[node] + r, variable, value);
        }
    }
}

/* The same for a derivative by coordinate j at the same node. */
static void put_residual_q(const sweep *s, int node, int i, int j, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        put_residual(s, node, i, ac_y(o, node) + j, value);
        return;
    }
    const ac_chart_point p = ac_point_of(o, node);
    for (int r = 0; r < rows_at(o, node); ++r) {
        int f = freedom_of(o, node, r);
        put_local(s, o->dynamics_row[node] + r, node, p.D + (size_t)j * (size_t)o->span,
                  value * p.D[i * o->span + f]);
    }
}

static void constraint_forces(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX], factor = -ac_multiplier_factor(o, node);
    for (int k = 0; k < o->used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->constraint_rows[k], lambda = ac_multiplier(o, node) + k;
        const int *at = c->coordinate + c->start[row];
        double value = o->x[lambda];
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        for (int e = 0; e < c->start[row + 1] - c->start[row]; ++e) {
            put_residual(s, node, at[e], lambda, factor * o->h * gradient[e]);
            if (o->by_time)
                put_residual(s, node, at[e], o->time_variable, factor * value * gradient[e] / o->N);
        }
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            double a = factor * o->h * value * p->a;
            put_residual_q(s, node, at[p->i], at[p->j], a);
            put_residual_q(s, node, at[p->j], at[p->i], a);
        }
    }
}

/* + M w_0 and - M w_N with unknown velocities */
static void momentum_of_velocity(const sweep *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->N, T = o->freedoms, W = o->span;
    double sign = e == 0 ? 1.0 : -1.0;
    if (o->velocity_start[e] < 0 || !ac_has_dynamics(o, node)) return;
    ac_chart_point p = ac_point_of(o, node);
    if (o->charted) ac_chart_along(&o->chart, &p, o->x + o->velocity_start[e], o->Vn);
    for (int k = 0; k < o->system->mass_count; ++k) {
        const ac_mass_entry *m = &o->system->mass[k];
        for (int i = 0; i < m->dimension; ++i) {
            int row = m->row + i, column = m->column + i;
            double value = sign * m->coefficient;
            if (!o->charted) {
                put_residual(s, node, row, o->velocity_start[e] + column, value);
                continue;
            }
            for (int r = 0; r < rows_at(o, node); ++r) {
                int f = freedom_of(o, node, r), at = o->dynamics_row[node] + r;
                double weight = value * p.D[row * W + f];
                put_run(s, at, o->velocity_start[e], T, p.D + column * W, weight);
                put_local(s, at, node, o->Vn + column * W, weight);
            }
        }
    }
}

/* Inputs on single freedoms: rows of their freedom only. */
static void direct_forces(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    int inputs = o->discrete.input_count;
    for (int r = 0; r < rows_at(o, node); ++r) {
        int row = o->dynamics_row[node] + r, f = freedom_of(o, node, r);
        for (int k = 0; k < inputs; ++k) {
            const ac_input *input = &o->discrete.inputs[k];
            if (input->freedom != f) continue;
            for (int n = node - 1; n <= node; ++n) {
                if (n < 0 || n == o->N) continue;
                if (!input->load) put(s, row, ac_control_variable(o, n) + k, 0.5 * o->h * input->push);
                if (o->by_time)
                    put(s, row, o->time_variable,
                        0.5 * input->push *
                            (o->tau[n * inputs + k] + (o->tau_h ? o->h * o->tau_h[n * inputs + k] : 0.0)) /
                            o->N);
            }
        }
    }
}

static void turn_of_basis(const sweep *s, int node)
{
    ac_optimization *o = s->o;
    int W = o->span;
    ac_chart_point p = ac_point_of(o, node);
    memset(o->local, 0, (size_t)(W * W) * sizeof *o->local);
    if (s->values) ac_chart_second(&o->chart, &p, ac_residual(o, node), o->local);
    for (int r = 0; r < rows_at(o, node); ++r)
        put_local(s, o->dynamics_row[node] + r, node, o->local + freedom_of(o, node, r) * W, 1.0);
}

/* --- by parameters: data of constraints, momenta at the ends, loads on single freedoms --- */

/* phi(q) = -c h sum lambda_k grad g_k, by what the coefficients of g depend on */
static void force_by_parameters(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_variation *v = &o->variation;
    double factor = -ac_multiplier_factor(o, node) * o->h;
    for (int k = 0; k < o->used_constraints; ++k) {
        int first = v->row_forms[o->constraint_rows[k]];
        if (first < 0 || !ac_has_multiplier(o, node, k)) continue;
        double weight = factor * o->x[ac_multiplier(o, node) + k];
        for (int j = 0; j < o->parameters; ++j) {
            const ac_forms *f = &v->forms;
            int map = ac_first_map(first, j), column = o->parameter_start + j;
            const double *q = ac_q(o, node);
            for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
                put_residual(s, node, f->linears[e].i, column, weight * f->linears[e].b);
            for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
                const ac_product *p = &f->products[e];
                put_residual(s, node, p->i, column, weight * p->a * q[p->j]);
                put_residual(s, node, p->j, column, weight * p->a * q[p->i]);
            }
        }
    }
}

static void momentum_by_parameters(const sweep *s, int e)
{
    const ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->N;
    if (!ac_has_dynamics(o, node)) return;
    for (int k = 0; k < o->variation.mass_count; ++k) {
        const ac_mass_jet *m = &o->variation.mass[k];
        for (int i = 0; i < m->dimension; ++i)
            for (int j = 0; j < o->parameters; ++j)
                put_residual(s, node, m->row + i, o->parameter_start + j,
                             (e == 0 ? 1.0 : -1.0) * m->jet.d[j] * o->velocity[e][m->column + i]);
    }
}

static void loads_by_parameters(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    int controls = o->discrete.control_count, loads = o->discrete.input_count - controls;
    for (int r = 0; o->charted && o->loads && r < rows_at(o, node); ++r)
        for (int k = 0; k < loads; ++k) {
            const ac_input *input = &o->discrete.inputs[controls + k];
            if (input->freedom != freedom_of(o, node, r)) continue;
            for (int n = node - 1; n <= node; ++n)
                for (int j = 0; n >= 0 && n < o->N && j < o->parameters; ++j)
                    put(s, o->dynamics_row[node] + r, o->parameter_start + j,
                        0.5 * o->h * input->push * o->loads[n * loads + k].d[j]);
        }
}

static void dynamics_by_parameters(const sweep *s)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n <= o->N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        force_by_parameters(s, n);
        loads_by_parameters(s, n);
    }
    momentum_by_parameters(s, 0);
    momentum_by_parameters(s, 1);
}

/* Rows g = 0, and G w = 0 with the velocity w (NULL: the former). */
static void maps_by_parameters(const sweep *s, const ac_row_block *block, const double *w)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->variation.forms;
    const double *q = ac_q(o, block->place);
    for (int k = 0; o->parameters > 0 && k < o->used_constraints; ++k) {
        int first = o->variation.row_forms[o->constraint_rows[k]];
        for (int j = 0; first >= 0 && j < o->parameters; ++j) {
            int map = ac_first_map(first, j);
            put(s, block->first + k, o->parameter_start + j,
                w ? ac_form_along(f, map, q, w) : ac_form_value(f, map, q));
        }
    }
}

/* The first configuration in redundant coordinates. */
static void start_by_parameters(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    if (o->parameters == 0 || o->charted || !o->variation.geometry) return;
    for (int i = 0; i < block->count; ++i)
        put_run(s, block->first + i, o->parameter_start, o->parameters,
                o->start_slope + i * o->span + o->freedoms, -1.0);
}

static void dynamics(const sweep *s)
{
    ac_optimization *o = s->o;
    for (int n = 0; n < o->N; ++n) {
        if (o->charted) {
            charted_interval(s, n);
        } else {
            plain_interval b = {.s = s, .interval = n};
            ac_discrete_point p = ac_interval_point(o, n);
            ac_discrete_slopes(&o->discrete, &p, o->by_time, take_plain_slope, &b);
        }
    }
    for (int n = 0; n <= o->N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        constraint_forces(s, n);
        if (o->charted) {
            direct_forces(s, n);
            turn_of_basis(s, n);
        }
    }
    momentum_of_velocity(s, 0);
    momentum_of_velocity(s, 1);
    if (o->parameters > 0) dynamics_by_parameters(s);
}

/* --- other rows --- */

static void constraint_rows(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int k = 0; k < o->used_constraints; ++k) {
        int row = o->constraint_rows[k];
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            put_q(s, block->first + k, block->place, c->coordinate[e], gradient[e - c->start[row]]);
    }
}

/* G w = 0: by w, and by q through the constant second derivatives */
static void velocity_rows(const sweep *s, const ac_row_block *block)
{
    ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    int e = block->place == 0 ? 0 : 1, T = o->freedoms;
    const double *w = o->velocity[e];
    double gradient[AC_ELEMENT_MAX];
    ac_chart_point p = ac_point_of(o, block->place);
    if (o->charted) ac_chart_along(&o->chart, &p, o->x + o->velocity_start[e], o->Vn);
    for (int k = 0; k < o->used_constraints; ++k) {
        int row = o->constraint_rows[k];
        const int *at = c->coordinate + c->start[row];
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int i = 0; i < c->start[row + 1] - c->start[row]; ++i) {
            if (!o->charted) {
                put(s, block->first + k, o->velocity_start[e] + at[i], gradient[i]);
            } else {
                put_run(s, block->first + k, o->velocity_start[e], T, p.D + at[i] * o->span, gradient[i]);
                put_local(s, block->first + k, block->place, o->Vn + at[i] * o->span, gradient[i]);
            }
        }
        for (int t = c->forms.product_start[row]; t < c->forms.product_start[row + 1]; ++t) {
            const ac_product *product = &c->forms.products[t];
            put_q(s, block->first + k, block->place, at[product->i], product->a * w[at[product->j]]);
            put_q(s, block->first + k, block->place, at[product->j], product->a * w[at[product->i]]);
        }
    }
}

static void put_ref(const sweep *s, int row, const ac_ref *ref, int place, double value)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    switch (ref->kind) {
    case AC_REF_A: put_q(s, row, place, ref->index, value); break;
    case AC_REF_B: put_q(s, row, place + 1, ref->index, value); break;
    case AC_REF_TAU: put(s, row, ac_control_variable(o, place) + ref->index, value); break;
    case AC_REF_H:
        if (o->by_time) put(s, row, o->time_variable, value / o->N);
        break;
    case AC_REF_VELOCITY: {
        int e = place == 0 ? 0 : 1;
        if (o->velocity_start[e] < 0) break;
        if (!o->charted) {
            put(s, row, o->velocity_start[e] + ref->index, value);
            break;
        }
        ac_chart_point p = ac_point_of(o, place);
        ac_chart_along(&o->chart, &p, o->x + o->velocity_start[e], o->Vn);
        put_run(s, row, o->velocity_start[e], T, p.D + ref->index * o->span, value);
        put_local(s, row, place, o->Vn + ref->index * o->span, value);
        break;
    }
    case AC_REF_P: put(s, row, o->parameter_start + ref->index, value); break;
    }
}

static void condition_row(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_term *term = &o->conditions[block->item].term;
    double local[AC_TERM_REFS];
    ac_term_point p = ac_term_place(o, term, block->place);
    ac_term_evaluate(term, &o->scalars, &p, local, NULL);
    for (int i = 0; i < term->ref_count; ++i)
        put_ref(s, block->first, &term->refs[i], block->place, local[i]);
}

static void absolute_rows(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_objective_data *objective = &o->objectives[block->item];
    const ac_term *term = &objective->term;
    double local[AC_TERM_REFS];
    ac_term_point p = ac_term_place(o, term, block->place);
    double value = ac_term_evaluate(term, &o->scalars, &p, local, NULL);
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? -1.0 : 1.0;
        int row = block->first + side;
        put(s, row, o->slack_start + block->place * o->slack_count + objective->slack, 1.0);
        for (int i = 0; i < term->ref_count; ++i)
            put_ref(s, row, &term->refs[i], block->place, sign * o->h * local[i]);
        if (o->by_time) put(s, row, o->time_variable, sign * value / o->N);
    }
}

static void turn_row(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_node *node = &o->system->nodes[block->item];
    const double *a = ac_q(o, block->place), *b = ac_q(o, block->place + 1);
    for (int i = node->q + node->dimension; i < node->q + node->size; ++i) {
        put_q(s, block->first, block->place, i, b[i]);
        put_q(s, block->first, block->place + 1, i, a[i]);
    }
}

static void rate_rows(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    int at = ac_control_variable(o, block->place) + block->item;
    for (int r = 0; r < block->count; ++r) {
        double sign = r == 0 ? 1.0 : -1.0;
        put(s, block->first + r, at, sign);
        put(s, block->first + r, at - o->control_count, -sign);
        if (block->count == 2)
            put(s, block->first + r, o->time_variable, -o->controls[block->item].given.rate / o->N);
    }
}

static void linear_rows(const sweep *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    for (int i = 0; i < block->count; ++i) {
        if (block->kind == AC_ROW_START) {
            put(s, block->first + i, i, 1.0);
        } else {
            int first = block->item ? o->velocity_start[0] : 0,
                last = block->item ? o->velocity_start[1] : ac_y(o, o->N);
            put(s, block->first + i, last + i, 1.0);
            put(s, block->first + i, first + i, -1.0);
        }
    }
}

void ac_evaluate_jacobian(ac_optimization *o, double *values)
{
    const sweep s = {o, values};
    if (values) memset(values, 0, (size_t)o->jacobian.entries * sizeof *values);
    if (ac_is_minimal(o)) {
        ac_minimal_jacobian(o, values);
    } else {
        dynamics(&s);
    }
    for (int b = 0; b < o->block_count; ++b) {
        const ac_row_block *block = &o->blocks[b];
        switch (block->kind) {
        case AC_ROW_START:
        case AC_ROW_PERIODIC:
            linear_rows(&s, block);
            if (block->kind == AC_ROW_START) start_by_parameters(&s, block);
            break;
        case AC_ROW_CONSTRAINT:
            constraint_rows(&s, block);
            maps_by_parameters(&s, block, NULL);
            break;
        case AC_ROW_VELOCITY:
            if (ac_is_minimal(o)) break;
            velocity_rows(&s, block);
            maps_by_parameters(&s, block, o->velocity[block->place == 0 ? 0 : 1]);
            break;
        case AC_ROW_CONDITION: condition_row(&s, block); break;
        case AC_ROW_TURN: turn_row(&s, block); break;
        case AC_ROW_STEP:
            put(&s, block->first, ac_y(o, block->place + 1) + block->item, 1.0);
            put(&s, block->first, ac_y(o, block->place) + block->item, -1.0);
            break;
        case AC_ROW_RATE: rate_rows(&s, block); break;
        case AC_ROW_ABSOLUTE: absolute_rows(&s, block); break;
        case AC_ROW_DYNAMICS:
        case AC_ROW_MOMENTUM: break;
        }
    }
}
