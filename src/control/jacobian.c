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

/* Derivative of a row by coordinate i at a node of time. */
static void put_q(const sweep *s, int row, int node, int i, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        put(s, row, ac_y(o, node) + i, value);
    } else if (value != 0.0 || !s->values) {
        put_run(s, row, ac_y(o, node), o->freedoms, ac_point_of(o, node).D + (size_t)i * (size_t)o->freedoms,
                value);
    }
}

/* --- dynamics --- */

/* Projected slopes of one interval: rows of its two nodes, by the two nodes, the controls and h. */
typedef struct interval_blocks {
    const sweep *s;
    int interval, T, controls;
    const double *D[2];
    double *by_node[2][2]; /* side, by: T x T */
    double *by_control[2]; /* side: controls x T */
    double *by_h[2];
} interval_blocks;

static void take_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    interval_blocks *b = user;
    if (value == 0.0) return;
    const ac_optimization *o = b->s->o;
    int T = b->T, count, other_count;
    const int *path = ac_chart_path(&o->chart, o->owner[row], &count);
    const double *Dr = b->D[side] + (size_t)row * (size_t)T;
    if (by == AC_BY_TAU || by == AC_BY_H) {
        double *out = by == AC_BY_H ? b->by_h[side] : b->by_control[side] + column * T;
        for (int f = 0; f < count; ++f) out[path[f]] += value * Dr[path[f]];
        return;
    }
    const int *other = ac_chart_path(&o->chart, o->owner[column], &other_count);
    const double *Dc = b->D[by == AC_BY_A ? 0 : 1] + (size_t)column * (size_t)T;
    double *block = b->by_node[side][by == AC_BY_A ? 0 : 1];
    for (int f = 0; f < count; ++f) {
        double scaled = value * Dr[path[f]];
        if (scaled == 0.0) continue;
        double *out = block + path[f] * T;
        for (int g = 0; g < other_count; ++g) out[other[g]] += scaled * Dc[other[g]];
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
                put_run(b->s, row, ac_y(o, b->interval + by), T, b->by_node[side][by] + f * T, 1.0);
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
    size_t T = (size_t)o->freedoms;
    double *next = o->local;
    interval_blocks b = {.s = s, .interval = n, .T = o->freedoms, .controls = o->control_count};
    for (int side = 0; side < 2; ++side) {
        b.D[side] = ac_point_of(o, n + side).D;
        for (int by = 0; by < 2; ++by, next += T * T) b.by_node[side][by] = next;
        b.by_control[side] = next;
        next += T * (size_t)o->control_count;
        b.by_h[side] = next;
        next += T;
    }
    memset(o->local, 0, (size_t)(next - o->local) * sizeof *next);
    if (s->values) {
        ac_discrete_point p = ac_interval_point(o, n);
        ac_discrete_slopes(&o->discrete, &p, o->by_time, take_slope, &b);
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
                                   : ac_y(o, b->interval + (by == AC_BY_A ? 0 : 1)) + column;
    put(b->s, o->dynamics_row[node] + r, variable, by == AC_BY_H ? value / o->N : value);
}

/* A row of the dynamics gets the derivative of R_i: all rows of D^T, or row i itself. */
static void put_residual(const sweep *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    int T = o->freedoms;
    for (int r = 0; r < rows_at(o, node); ++r) {
        int f = freedom_of(o, node, r);
        if (o->charted) {
            put(s, o->dynamics_row[node] + r, variable, value * ac_point_of(o, node).D[i * T + f]);
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
        put_run(s, o->dynamics_row[node] + r, ac_y(o, node), o->freedoms,
                p.D + (size_t)j * (size_t)o->freedoms, value * p.D[i * o->freedoms + f]);
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
    int node = e == 0 ? 0 : o->N, T = o->freedoms;
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
                double weight = value * p.D[row * T + f];
                put_run(s, at, o->velocity_start[e], T, p.D + column * T, weight);
                put_run(s, at, ac_y(o, node), T, o->Vn + column * T, weight);
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
                    put(s, row, o->time_variable, 0.5 * input->push * o->tau[n * inputs + k] / o->N);
            }
        }
    }
}

static void turn_of_basis(const sweep *s, int node)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    ac_chart_point p = ac_point_of(o, node);
    memset(o->local, 0, (size_t)(T * T) * sizeof *o->local);
    if (s->values) ac_chart_second(&o->chart, &p, ac_residual(o, node), o->local);
    for (int r = 0; r < rows_at(o, node); ++r)
        put_run(s, o->dynamics_row[node] + r, ac_y(o, node), T, o->local + freedom_of(o, node, r) * T, 1.0);
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
                put_run(s, block->first + k, o->velocity_start[e], T, p.D + at[i] * T, gradient[i]);
                put_run(s, block->first + k, ac_y(o, block->place), T, o->Vn + at[i] * T, gradient[i]);
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
        put_run(s, row, o->velocity_start[e], T, p.D + ref->index * T, value);
        put_run(s, row, ac_y(o, place), T, o->Vn + ref->index * T, value);
        break;
    }
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
        case AC_ROW_PERIODIC: linear_rows(&s, block); break;
        case AC_ROW_CONSTRAINT: constraint_rows(&s, block); break;
        case AC_ROW_VELOCITY:
            if (!ac_is_minimal(o)) velocity_rows(&s, block);
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
