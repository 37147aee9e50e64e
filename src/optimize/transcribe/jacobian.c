/* First derivatives of all conditions but the dynamics, and where derivatives are put. */
#include "optimize/transcribe/jacobian.h"

#include "optimize/phases/phases.h"

#include <string.h>

void ac_jacobian_put(const ac_jacobian_pass *s, int row, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(&s->o->layout.jacobian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->layout.jacobian, row, column)] += value;
    }
}

/* row += value times `count` numbers, on columns that follow one another */
void ac_jacobian_put_run(const ac_jacobian_pass *s, int row, int column, int count, const double *run,
                         double value)
{
    if (!s->values) {
        for (int i = 0; i < count; ++i) ac_pattern_mark(&s->o->layout.jacobian, row, column + i);
        return;
    }
    double *out = s->values + ac_pattern_find(&s->o->layout.jacobian, row, column);
    for (int i = 0; i < count; ++i) out[i] += value * run[i];
}

/* row += value times derivatives by the local coordinates of a node: its own and the parameters */
void ac_jacobian_put_local(const ac_jacobian_pass *s, int row, int node, const double *run, double value)
{
    const ac_optimization *o = s->o;
    ac_jacobian_put_run(s, row, ac_y(o, node), o->layout.freedoms, run, value);
    if (o->layout.parameters > 0)
        ac_jacobian_put_run(s, row, o->layout.first.parameter, o->layout.parameters, run + o->layout.freedoms,
                            value);
}

/* By a datum: by the parameters behind it. */
void ac_jacobian_put_jet(const ac_jacobian_pass *s, int row, const ac_jet *jet, double value)
{
    for (int a = 0; a < jet->count; ++a)
        ac_jacobian_put(s, row, s->o->layout.first.parameter + jet->by[a], value * jet->d[a]);
}

/* Derivative of a row by coordinate i at a time node. */
void ac_jacobian_put_q(const ac_jacobian_pass *s, int row, int node, int i, double value)
{
    const ac_optimization *o = s->o;
    if (i >= o->layout.n) {
        ac_jacobian_put_jet(s, row, ac_moving_jet(o, i), value);
    } else if (!o->layout.charted) {
        ac_jacobian_put(s, row, ac_y(o, node) + i, value);
    } else if (value != 0.0 || !s->values) {
        const double *D = ac_point_of(o, node).D + (size_t)i * (size_t)o->layout.span;
        int low = o->layout.paths.low[o->layout.paths.of[i]],
            high = o->layout.paths.high[o->layout.paths.of[i]];
        if (high >= o->layout.freedoms) high = o->layout.freedoms - 1; /* parameters stand elsewhere */
        ac_jacobian_put_run(s, row, ac_y(o, node) + low, high - low + 1, D + low, value);
        if (o->layout.parameters > 0)
            ac_jacobian_put_run(s, row, o->layout.first.parameter, o->layout.parameters,
                                D + o->layout.freedoms, value);
    }
}

/* Rows g = 0, and G w = 0 with the velocity w (NULL: the former). */
static void maps_by_parameters(const ac_jacobian_pass *s, const ac_row_block *block, const double *w)
{
    const ac_optimization *o = s->o;
    const ac_forms *f = &o->description.variation.forms;
    const double *q = ac_q(o, block->place);
    for (int k = block->item; o->layout.parameters > 0 && k < o->layout.used_constraints; ++k) {
        const ac_row_data *data = &o->description.variation.rows[o->layout.constraint_rows[k]];
        for (int j = 0; data->first >= 0 && j < data->count; ++j) {
            int map = ac_first_map(data->first, j);
            ac_jacobian_put_jet(s, block->first + k - block->item,
                                ac_moving_jet(o, o->layout.n + data->moving[j]),
                                w ? ac_form_along(f, map, q, w) : ac_form_value(f, map, q));
        }
    }
}

/* --- other rows --- */

static void constraint_rows(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k], out = block->first + k - block->item;
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            ac_jacobian_put_q(s, out, block->place, c->coordinate[e], gradient[e - c->start[row]]);
    }
}

/* G w = 0: by w, and by q through the constant second derivatives */
static void velocity_rows(const ac_jacobian_pass *s, const ac_row_block *block)
{
    ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    int e = block->place == 0 ? 0 : 1, T = o->layout.freedoms;
    const double *w = o->point.velocity[e];
    double gradient[AC_ELEMENT_MAX];
    ac_chart_point p = ac_point_of(o, block->place);
    if (o->layout.charted)
        ac_chart_along(&o->description.chart, &p, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k], out = block->first + k - block->item;
        const int *at = c->coordinate + c->start[row];
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int i = 0; i < c->start[row + 1] - c->start[row]; ++i) {
            if (!o->layout.charted) {
                ac_jacobian_put(s, out, o->layout.first.velocity[e] + at[i], gradient[i]);
            } else {
                ac_jacobian_put_run(s, out, o->layout.first.velocity[e], T, p.D + at[i] * o->layout.span,
                                    gradient[i]);
                ac_jacobian_put_local(s, out, block->place, o->point.Vn + at[i] * o->layout.span,
                                      gradient[i]);
            }
        }
        for (int t = c->forms.product_start[row]; t < c->forms.product_start[row + 1]; ++t) {
            const ac_product *product = &c->forms.products[t];
            ac_jacobian_put_q(s, out, block->place, at[product->i], product->a * w[at[product->j]]);
            ac_jacobian_put_q(s, out, block->place, at[product->j], product->a * w[at[product->i]]);
        }
    }
}

static void put_ref(const ac_jacobian_pass *s, int row, const ac_ref *ref, int place, double value)
{
    ac_optimization *o = s->o;
    int T = o->layout.freedoms;
    switch (ref->kind) {
    case AC_REF_A: ac_jacobian_put_q(s, row, place, ref->index, value); break;
    case AC_REF_B: ac_jacobian_put_q(s, row, place + 1, ref->index, value); break;
    case AC_REF_TAU: ac_jacobian_put(s, row, ac_control_variable(o, place) + ref->index, value); break;
    case AC_REF_H:
        if (o->layout.by_time) ac_jacobian_put(s, row, o->layout.first.time, value / o->layout.N);
        break;
    case AC_REF_VELOCITY: {
        int e = place == 0 ? 0 : 1;
        if (o->layout.first.velocity[e] < 0) break;
        if (!o->layout.charted) {
            ac_jacobian_put(s, row, o->layout.first.velocity[e] + ref->index, value);
            break;
        }
        ac_jacobian_put_run(s, row, o->layout.first.velocity[e], T,
                            ac_point_of(o, place).D + ref->index * o->layout.span, value);
        ac_jacobian_put_local(s, row, place, o->point.Vn + ref->index * o->layout.span, value);
        break;
    }
    case AC_REF_P: ac_jacobian_put(s, row, o->layout.first.parameter + ref->index, value); break;
    case AC_REF_HELPER: ac_jacobian_put(s, row, ac_helper(o, place) + ref->index, value); break;
    }
}

static void condition_row(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_term *term = &o->description.conditions[block->item].term;
    int e = block->place == 0 ? 0 : 1;
    ac_term_point p = ac_term_place(o, term, block->place);
    ac_term_evaluate(term, &o->description.scalars, &p, 1);
    if (term->velocities && o->layout.charted && o->layout.first.velocity[e] >= 0) {
        ac_chart_point point = ac_point_of(o, block->place);
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    }
    for (int i = 0; i < term->ref_count; ++i)
        put_ref(s, block->first, &term->refs[i], block->place, term->gradient[i]);
}

static void absolute_rows(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const ac_objective_data *objective = &o->description.objectives[block->item];
    const ac_term *term = &objective->term;
    ac_term_point p = ac_term_place(o, term, block->place);
    double value = ac_term_evaluate(term, &o->description.scalars, &p, 1);
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? -1.0 : 1.0;
        int row = block->first + side;
        ac_jacobian_put(s, row,
                        o->layout.first.slack + block->place * o->layout.slack_count + objective->slack, 1.0);
        for (int i = 0; i < term->ref_count; ++i)
            put_ref(s, row, &term->refs[i], block->place, sign * o->point.h * term->gradient[i]);
        if (o->layout.by_time) ac_jacobian_put(s, row, o->layout.first.time, sign * value / o->layout.N);
    }
}

static void turn_row(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    const double *a = ac_q(o, block->place), *b = ac_q(o, block->place + 1);
    int first, count = ac_director_numbers(&o->system->nodes[block->item], &first);
    for (int i = first; i < first + count; ++i) {
        ac_jacobian_put_q(s, block->first, block->place, i, b[i]);
        ac_jacobian_put_q(s, block->first, block->place + 1, i, a[i]);
    }
}

/* A bounded sum may depend on everything but the forces of constraints. */
static void total_row(const ac_jacobian_pass *s, const ac_row_block *block)
{
    ac_optimization *o = s->o;
    double *gradient = o->point.total_gradient;
    if (s->values) ac_evaluate_total(o, block->item, gradient);
    for (int i = 0; i < o->layout.variables; ++i) {
        bool force = (i >= o->layout.first.multiplier && i < o->layout.first.control &&
                      !(o->layout.first.velocity[0] >= 0 && i >= o->layout.first.velocity[0] &&
                        i < o->layout.first.velocity[0] + o->layout.width) &&
                      !(o->layout.first.velocity[1] >= 0 && i >= o->layout.first.velocity[1] &&
                        i < o->layout.first.velocity[1] + o->layout.width));
        if (!force) ac_jacobian_put(s, block->first, i, s->values ? gradient[i] : 0.0);
    }
}

static void rate_rows(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    int at = ac_control_variable(o, block->place) + block->item;
    for (int r = 0; r < block->count; ++r) {
        double sign = r == 0 ? 1.0 : -1.0;
        ac_jacobian_put(s, block->first + r, at, sign);
        ac_jacobian_put(s, block->first + r, at - o->description.control_count, -sign);
        if (block->count == 2)
            ac_jacobian_put(s, block->first + r, o->layout.first.time,
                            -o->description.controls[block->item].given.rate / o->layout.N);
    }
}

static void periodic_rows(const ac_jacobian_pass *s, const ac_row_block *block)
{
    const ac_optimization *o = s->o;
    int first = block->item ? o->layout.first.velocity[0] : 0,
        last = block->item ? o->layout.first.velocity[1] : ac_y(o, o->layout.N);
    for (int i = 0; i < block->count; ++i) {
        ac_jacobian_put(s, block->first + i, last + i, 1.0);
        ac_jacobian_put(s, block->first + i, first + i, -1.0);
    }
}

typedef struct stress_block {
    const ac_jacobian_pass *s;
    const ac_row_block *block;
} stress_block;

static void take_stress(void *user, int number, const ac_stress_slope *row)
{
    const stress_block *to = user;
    const ac_optimization *o = to->s->o;
    int at = to->block->first + number, n = to->block->place;
    ac_jacobian_put(to->s, at, ac_stress_variable(o, n) + number, row->by_stress);
    for (int e = 0; row->data && e < 3; ++e) ac_jacobian_put_jet(to->s, at, &row->data[e], row->by_data[e]);
    for (int i = 0; i < row->count; ++i) {
        ac_jacobian_put_q(to->s, at, n, row->at[i], row->by_a[i]);
        ac_jacobian_put_q(to->s, at, n + 1, row->at[i], row->by_b[i]);
    }
    if (o->layout.by_time) ac_jacobian_put(to->s, at, o->layout.first.time, row->by_h / o->layout.N);
}

void ac_evaluate_jacobian(ac_optimization *o, double *values)
{
    const ac_jacobian_pass s = {o, values};
    if (o->description.phases) {
        ac_phases_jacobian(o, values);
        return;
    }
    if (values) memset(values, 0, (size_t)o->layout.jacobian.entries * sizeof *values);
    ac_jacobian_dynamics(&s);
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        switch (block->kind) {
        case AC_ROW_START: ac_start_jacobian(&s, block); break;
        case AC_ROW_PERIODIC: periodic_rows(&s, block); break;
        case AC_ROW_CONSTRAINT:
            constraint_rows(&s, block);
            maps_by_parameters(&s, block, NULL);
            break;
        case AC_ROW_VELOCITY:
            if (ac_is_minimal(o)) break;
            velocity_rows(&s, block);
            maps_by_parameters(&s, block, o->point.velocity[block->place == 0 ? 0 : 1]);
            break;
        case AC_ROW_CONDITION: condition_row(&s, block); break;
        case AC_ROW_TURN: turn_row(&s, block); break;
        case AC_ROW_STEP:
            ac_jacobian_put(&s, block->first, ac_y(o, block->place + 1) + block->item, 1.0);
            ac_jacobian_put(&s, block->first, ac_y(o, block->place) + block->item, -1.0);
            break;
        case AC_ROW_RATE: rate_rows(&s, block); break;
        case AC_ROW_STRESS: {
            stress_block to = {&s, block};
            ac_stress_rows(o, block->place, take_stress, &to);
            break;
        }
        case AC_ROW_ABSOLUTE: absolute_rows(&s, block); break;
        case AC_ROW_TOTAL: total_row(&s, block); break;
        case AC_ROW_HOLD:
        case AC_ROW_HOLD_RATE:
        case AC_ROW_FRICTION: ac_hold_rows_jacobian(&s, block); break;
        case AC_ROW_DYNAMICS:
        case AC_ROW_MOMENTUM: break;
        }
    }
}
