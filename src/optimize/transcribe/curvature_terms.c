/* Second derivatives of objectives and of all conditions but the dynamics. */
#include <string.h>

#include "optimize/transcribe/curvature.h"

/* --- terms --- */

/* The derivative of a velocity component by the local unknowns of its node: by y (V) and by nu (D). */
static void put_velocity_pair(const ac_hessian_pass *s, int place, const ac_ref *a, const ac_ref *b,
                              double value)
{
    ac_optimization *o = s->o;
    int e = place == 0 ? 0 : 1, T = o->layout.freedoms, W = o->layout.span, nu = o->layout.first.velocity[e];
    if (a->kind != AC_REF_VELOCITY) {
        const ac_ref *swap = a;
        a = b;
        b = swap;
    }
    if (nu < 0) return;
    if (!o->layout.charted) {
        int first = nu + a->index;
        if (b->kind == AC_REF_A) {
            ac_hessian_put_qv(s, place, b->index, first, value);
        } else if (b->kind == AC_REF_VELOCITY || b->kind == AC_REF_P) {
            ac_hessian_put(s, first, b->index + (b->kind == AC_REF_P ? o->layout.first.parameter : nu),
                           value);
        } else if (b->kind == AC_REF_H && o->layout.by_time) {
            ac_hessian_put(s, first, o->layout.first.time, value / o->layout.N);
        }
        return;
    }
    const double *D = ac_point_of(o, place).D;
    const double *Da = D + a->index * W, *Va = o->point.Vn + a->index * W, *Db = D + b->index * W,
                 *Vb = o->point.Vn + b->index * W;
    if (b->kind == AC_REF_H) {
        if (!o->layout.by_time) return;
        ac_hessian_put_run(s, o->layout.first.time, nu, T, Da, value / o->layout.N);
        ac_hessian_put_local(s, o->layout.first.time, place, Va, value / o->layout.N);
        return;
    }
    if (b->kind == AC_REF_P) {
        ac_hessian_put_run(s, o->layout.first.parameter + b->index, nu, T, Da, value);
        ac_hessian_put_local(s, o->layout.first.parameter + b->index, place, Va, value);
        return;
    }
    bool both = b->kind == AC_REF_VELOCITY, same = both && a->index == b->index;
    const double *by_y = both ? Vb : Db;
    for (int f = 0; s->values && f < W; ++f)
        for (int g = 0; g < W; ++g) {
            double pair = Va[f] * by_y[g];
            ac_hessian_diagonal(o, place)[f * W + g] += value * (same ? pair : pair + by_y[f] * Va[g]);
        }
    for (int f = 0; f < T; ++f) {
        ac_hessian_put_local(s, nu + f, place, by_y, value * Da[f]);
        if (!both) continue;
        if (!same) ac_hessian_put_local(s, nu + f, place, Va, value * Db[f]);
        for (int g = 0; g <= f; ++g)
            ac_hessian_put(s, nu + f, nu + g, value * (same ? Da[f] * Db[g] : Da[f] * Db[g] + Db[f] * Da[g]));
    }
}

void ac_hessian_put_pair(const ac_hessian_pass *s, int place, const ac_ref *a, const ac_ref *b, double value)
{
    const ac_optimization *o = s->o;
    const ac_ref *refs[2] = {a, b};
    int node[2], variable[2];
    if (a->kind == AC_REF_VELOCITY || b->kind == AC_REF_VELOCITY) {
        put_velocity_pair(s, place, a, b, value);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        node[k] = refs[k]->kind == AC_REF_A ? place : refs[k]->kind == AC_REF_B ? place + 1 : -1;
        variable[k] = refs[k]->kind == AC_REF_TAU      ? ac_control_variable(o, place) + refs[k]->index
                      : refs[k]->kind == AC_REF_P      ? o->layout.first.parameter + refs[k]->index
                      : refs[k]->kind == AC_REF_HELPER ? ac_helper(o, place) + refs[k]->index
                                                       : o->layout.first.time;
        if (refs[k]->kind != AC_REF_H) continue;
        if (!o->layout.by_time) return;
        value /= o->layout.N;
    }
    if (node[0] >= 0 && node[1] >= 0) {
        ac_hessian_put_qq(s, node[0], a->index, node[1], b->index, value);
    } else if (node[0] >= 0) {
        ac_hessian_put_qv(s, node[0], a->index, variable[1], value);
    } else if (node[1] >= 0) {
        ac_hessian_put_qv(s, node[1], b->index, variable[0], value);
    } else {
        ac_hessian_put(s, variable[0], variable[1], value);
    }
}

/* What a gradient by q and by velocities adds through the chart. */
static void take_gradient(const ac_hessian_pass *s, int place, const ac_ref *ref, double value)
{
    ac_optimization *o = s->o;
    if (ref->kind == AC_REF_A) ac_hessian_gradient(o, place, ref->index, value);
    if (ref->kind == AC_REF_B) ac_hessian_gradient(o, place + 1, ref->index, value);
    if (ref->kind == AC_REF_VELOCITY && o->layout.charted)
        o->point.Gw[(size_t)(place == 0 ? 0 : 1) * (size_t)o->layout.n + (size_t)ref->index] += value;
}

/* weight times the term, or weight h times it */
static void add_term(const ac_hessian_pass *s, const ac_term *term, int place, double weight, bool times_h)
{
    ac_optimization *o = s->o;
    const double *local = term->gradient;
    ac_term_point p = ac_term_place(o, term, place);
    if (term->velocities && o->layout.charted) {
        ac_chart_point point = ac_point_of(o, place);
        ac_chart_along(&o->description.chart, &point,
                       o->point.x + o->layout.first.velocity[place == 0 ? 0 : 1], o->point.Vn);
    }
    ac_term_evaluate(term, &o->description.scalars, &p, 2);
    double scale = times_h ? weight * o->point.h : weight;
    const ac_ref step = {AC_REF_H, 0};
    for (int k = 0; k < term->pair_count; ++k)
        ac_hessian_put_pair(s, place, &term->refs[term->pairs[k].row], &term->refs[term->pairs[k].column],
                            scale * term->hessian[k]);
    for (int i = 0; i < term->ref_count; ++i) {
        take_gradient(s, place, &term->refs[i], scale * local[i]);
        if (times_h && o->layout.by_time)
            ac_hessian_put_pair(s, place, &term->refs[i], &step,
                                (term->refs[i].kind == AC_REF_H ? 2.0 : 1.0) * weight * local[i]);
    }
}

static void effort(const ac_hessian_pass *s, double weight)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n < o->layout.N; ++n) {
        for (int k = 0; k < o->description.control_count; ++k) {
            int at = ac_control_variable(o, n) + k;
            ac_hessian_put(s, at, at, weight * o->point.h);
            if (o->layout.by_time)
                ac_hessian_put(s, at, o->layout.first.time, weight * o->point.x[at] / o->layout.N);
        }
    }
}

/* Number -1: the sum that is minimised. */
static void total_curvature(const ac_hessian_pass *s, int total, double sigma)
{
    const ac_optimization *o = s->o;
    for (int k = 0; k < o->description.objective_count; ++k) {
        const ac_objective_data *objective = &o->description.objectives[k];
        if (objective->total != total) continue;
        double weight = sigma * objective->weight;
        switch (objective->type) {
        case AC_OBJECTIVE_EFFORT: effort(s, weight); break;
        case AC_OBJECTIVE_START: add_term(s, &objective->term, 0, weight, false); break;
        case AC_OBJECTIVE_END: add_term(s, &objective->term, o->layout.N, weight, false); break;
        case AC_OBJECTIVE_ENERGY: /* a running one */
        case AC_OBJECTIVE_RUNNING:
            for (int n = 0; n < o->layout.N; ++n) add_term(s, &objective->term, n, weight, true);
            break;
        case AC_OBJECTIVE_DURATION:
        case AC_OBJECTIVE_ABSOLUTE: break;
        }
    }
}

void ac_hessian_objectives(const ac_hessian_pass *s, double sigma)
{
    total_curvature(s, -1, sigma);
}

/* --- rows --- */

static void constraint_rows(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    mu -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        const int *at = c->coordinate + c->start[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            ac_hessian_put_qq(s, block->place, at[p->i], block->place, at[p->j],
                              mu[k] * p->a * (p->i == p->j ? 2.0 : 1.0));
        }
        if (!o->layout.charted) continue;
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int e = 0; e < c->start[row + 1] - c->start[row]; ++e)
            ac_hessian_gradient(o, block->place, at[e], mu[k] * gradient[e]);
    }
}

/* mu_k G_k . w: bilinear in q and w */
static void velocity_rows(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    int e = block->place == 0 ? 0 : 1;
    double gradient[AC_ELEMENT_MAX];
    const double *w = o->point.velocity[e];
    ac_chart_point point = ac_point_of(o, block->place);
    if (o->layout.charted)
        ac_chart_along(&o->description.chart, &point, o->point.x + o->layout.first.velocity[e], o->point.Vn);
    mu -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        const int *at = c->coordinate + c->start[row];
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int t = c->forms.product_start[row]; t < c->forms.product_start[row + 1]; ++t) {
            const ac_product *p = &c->forms.products[t];
            ac_ref qi = {AC_REF_A, at[p->i]}, qj = {AC_REF_A, at[p->j]};
            ac_ref wi = {AC_REF_VELOCITY, at[p->i]}, wj = {AC_REF_VELOCITY, at[p->j]};
            put_velocity_pair(s, block->place, &wj, &qi, mu[k] * p->a);
            put_velocity_pair(s, block->place, &wi, &qj, mu[k] * p->a);
            take_gradient(s, block->place, &qi, mu[k] * p->a * w[at[p->j]]);
            take_gradient(s, block->place, &qj, mu[k] * p->a * w[at[p->i]]);
        }
        for (int i = 0; i < c->start[row + 1] - c->start[row]; ++i) {
            ac_ref wi = {AC_REF_VELOCITY, at[i]};
            take_gradient(s, block->place, &wi, mu[k] * gradient[i]);
        }
    }
}

static void turn_row(const ac_hessian_pass *s, const ac_row_block *block, double mu)
{
    const ac_optimization *o = s->o;
    const double *a = ac_q(o, block->place), *b = ac_q(o, block->place + 1);
    int first, count = ac_director_numbers(&o->system->nodes[block->item], &first);
    for (int i = first; i < first + count; ++i) {
        ac_hessian_put_qq(s, block->place + 1, i, block->place, i, mu);
        if (!o->layout.charted) continue;
        ac_hessian_gradient(o, block->place, i, mu * b[i]);
        ac_hessian_gradient(o, block->place + 1, i, mu * a[i]);
    }
}

typedef struct stress_gradient {
    const ac_hessian_pass *s;
    const ac_row_block *block;
    const double *mu;
} stress_gradient;

/* Its second derivatives stand with those of the dynamics. */
static void take_stress(void *user, int number, const ac_stress_slope *row)
{
    const stress_gradient *to = user;
    const ac_optimization *o = to->s->o;
    for (int i = 0; i < row->count; ++i) {
        ac_hessian_gradient(o, to->block->place, row->at[i], to->mu[number] * row->by_a[i]);
        ac_hessian_gradient(o, to->block->place + 1, row->at[i], to->mu[number] * row->by_b[i]);
    }
}

void ac_hessian_rows(const ac_hessian_pass *s)
{
    static const double none[AC_ELEMENT_MAX] = {0.0};
    const ac_optimization *o = s->o;
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        const double *mu = s->mu ? s->mu + block->first : none;
        switch (block->kind) {
        case AC_ROW_CONSTRAINT:
            constraint_rows(s, block, s->mu ? mu : o->point.q);
            if (o->layout.parameters > 0) ac_hessian_constraint_parameters(s, block, s->mu ? mu : o->point.q);
            break;
        case AC_ROW_VELOCITY:
            if (ac_is_minimal(o)) break;
            velocity_rows(s, block, s->mu ? mu : o->point.q);
            if (o->layout.parameters > 0) ac_hessian_velocity_parameters(s, block, s->mu ? mu : o->point.q);
            break;
        case AC_ROW_START: ac_start_curvature(s, block, s->mu ? mu : o->point.q); break;
        case AC_ROW_CONDITION:
            add_term(s, &o->description.conditions[block->item].term, block->place, mu[0], false);
            break;
        case AC_ROW_TURN: turn_row(s, block, mu[0]); break;
        case AC_ROW_STRESS: {
            stress_gradient to = {s, block, mu};
            if (o->layout.charted && s->mu) ac_stress_rows(s->o, block->place, take_stress, &to);
            break;
        }
        case AC_ROW_ABSOLUTE:
            add_term(s, &o->description.objectives[block->item].term, block->place, mu[1] - mu[0], true);
            break;
        case AC_ROW_TOTAL: total_curvature(s, block->item, mu[0]); break;
        case AC_ROW_HOLD:
        case AC_ROW_HOLD_RATE:
        case AC_ROW_FRICTION: ac_hold_rows_curvature(s, block, mu); break;
        default: break;
        }
    }
}
