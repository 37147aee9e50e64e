/* Second derivatives of the Lagrangian sigma f + mu . c, lower triangle.
 *
 * Terms are differentiated in redundant coordinates. In the reduced formulation three things are added for the chart q(y):
 * G . d^2 q with G the gradient of everything by q, and, because the rows of the dynamics are v . R with v = D mu,
 * the cross terms (dv)^T dR and the curvature R . d^2 v.
 */
#include <string.h>

#include "control/optimization.h"

typedef struct sweep {
    ac_optimization *o;
    double *values; /* NULL: marking */
    const double *mu;
} sweep;

/* --- putting ------------------------------------------------------------------------------------------------------- */

static void put(const sweep *s, int i, int j, double value)
{
    int row = i > j ? i : j, column = i > j ? j : i;
    if (!s->values) {
        ac_pattern_mark(&s->o->hessian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->hessian, row, column)] += value;
    }
}

static void put_run(const sweep *s, int row, int column, int count, const double *run, double value)
{
    if (!s->values) {
        for (int i = 0; i < count; ++i) ac_pattern_mark(&s->o->hessian, row, column + i);
        return;
    }
    if (value == 0.0) return;
    double *out = s->values + ac_pattern_find(&s->o->hessian, row, column);
    for (int i = 0; i < count; ++i) out[i] += value * run[i];
}

static double *diagonal_block(const ac_optimization *o, int node)
{
    return o->blocks_d + (size_t)node * (size_t)o->freedoms * (size_t)o->freedoms;
}

/* Rows: node + 1, columns: node. */
static double *lower_block(const ac_optimization *o, int node)
{
    return o->blocks_o + (size_t)node * (size_t)o->freedoms * (size_t)o->freedoms;
}

/* block += value a b^T on the given paths */
static void add_outer(double *block, int T, const int *pa, int na, const double *a, const int *pb, int nb, const double *b,
                      double value)
{
    for (int f = 0; f < na; ++f) {
        double scaled = value * a[pa[f]];
        if (scaled == 0.0) continue;
        double *out = block + pa[f] * T;
        for (int g = 0; g < nb; ++g) out[pb[g]] += scaled * b[pb[g]];
    }
}

/* Second derivative by coordinate i at node na and coordinate j at node nb (the same or a neighbour); pairs come once. */
static void put_qq(const sweep *s, int na, int i, int nb, int j, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        put(s, ac_y(o, na) + i, ac_y(o, nb) + j, value);
        return;
    }
    if (value == 0.0 || !s->values) return;
    int T = o->freedoms, ci, cj;
    if (na < nb) {
        int swap = na;
        na = nb;
        nb = swap;
        swap = i;
        i = j;
        j = swap;
    }
    const int *pi = ac_chart_path(&o->chart, o->owner[i], &ci), *pj = ac_chart_path(&o->chart, o->owner[j], &cj);
    const double *Di = ac_point_of(o, na).D + (size_t)i * (size_t)T, *Dj = ac_point_of(o, nb).D + (size_t)j * (size_t)T;
    if (na != nb) {
        add_outer(lower_block(o, nb), T, pi, ci, Di, pj, cj, Dj, value);
        return;
    }
    add_outer(diagonal_block(o, na), T, pi, ci, Di, pj, cj, Dj, value);
    if (i != j) add_outer(diagonal_block(o, na), T, pj, cj, Dj, pi, ci, Di, value);
}

/* Second derivative by coordinate i at a node and by an unknown that is no configuration. */
static void put_qv(const sweep *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        put(s, variable, ac_y(o, node) + i, value);
    } else {
        put_run(s, variable, ac_y(o, node), o->freedoms, ac_point_of(o, node).D + (size_t)i * (size_t)o->freedoms, value);
    }
}

static void add_gradient(const ac_optimization *o, int node, int i, double value)
{
    o->G[(size_t)node * (size_t)o->n + (size_t)i] += value;
}

static const double *weights_of(const ac_optimization *o, int node)
{
    return o->v + (size_t)node * (size_t)o->n;
}

static const double *along_of(const ac_optimization *o, int node)
{
    return o->V + (size_t)node * (size_t)o->n * (size_t)o->freedoms;
}

/* --- dynamics ------------------------------------------------------------------------------------------------------ */

/* v_n = D_n mu_n or mu_n itself, zero where no dynamics is posed; V_n = dv_n */
static void prepare_weights(const sweep *s)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    memset(o->v, 0, ((size_t)o->N + 1) * (size_t)o->n * sizeof *o->v);
    for (int node = 0; node <= o->N; ++node) {
        if (!ac_has_dynamics(o, node) || !s->values) continue;
        double *v = o->v + (size_t)node * (size_t)o->n, *full = o->local;
        int count = node == o->N ? o->end_row_count : o->width;
        if (!o->charted) {
            for (int r = 0; r < count; ++r) v[node == o->N ? o->end_rows[r] : r] = s->mu[o->dynamics_row[node] + r];
            continue;
        }
        memset(full, 0, (size_t)T * sizeof *full);
        for (int r = 0; r < count; ++r) full[node == o->N ? o->end_rows[r] : r] = s->mu[o->dynamics_row[node] + r];
        ac_chart_point p = ac_point_of(o, node);
        for (int i = 0; i < o->n; ++i)
            for (int f = 0; f < T; ++f) v[i] += p.D[i * T + f] * full[f];
        ac_chart_along(&o->chart, &p, full, o->V + (size_t)node * (size_t)o->n * (size_t)T);
        ac_chart_third(&o->chart, &p, ac_residual(o, node), full, diagonal_block(o, node));
    }
}

typedef struct interval_sink {
    const sweep *s;
    int interval;
} interval_sink;

static int node_of(const interval_sink *k, ac_by by)
{
    return k->interval + (by == AC_BY_B ? 1 : 0);
}

static int variable_of(const interval_sink *k, ac_by by, int column)
{
    return by == AC_BY_TAU ? ac_control_variable(k->s->o, k->interval) + column : k->s->o->time_variable;
}

static void take_curvature(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    const interval_sink *k = user;
    const ac_optimization *o = k->s->o;
    if (value == 0.0 && k->s->values) return;
    if (by1 == AC_BY_H) value /= o->N;
    if (by2 == AC_BY_H) value /= o->N;
    bool q1 = by1 <= AC_BY_B, q2 = by2 <= AC_BY_B;
    if (q1 && q2) {
        put_qq(k->s, node_of(k, by1), i, node_of(k, by2), j, value);
    } else if (q1) {
        put_qv(k->s, node_of(k, by1), i, variable_of(k, by2, j), value);
    } else if (q2) {
        put_qv(k->s, node_of(k, by2), j, variable_of(k, by1, i), value);
    } else {
        put(k->s, variable_of(k, by1, i), variable_of(k, by2, j), value);
    }
}

/* From the first derivatives: the gradient by q, and the cross terms (dv)^T dR. */
static void take_cross(void *user, int side, int row, ac_by by, int column, double value)
{
    const interval_sink *k = user;
    const ac_optimization *o = k->s->o;
    int node = k->interval + side, T = o->freedoms, count, other_count;
    if (!ac_has_dynamics(o, node) || (value == 0.0 && k->s->values)) return;
    if (by == AC_BY_H) value /= o->N;
    const double *V = along_of(o, node) + (size_t)row * (size_t)T;
    if (by == AC_BY_TAU || by == AC_BY_H) {
        put_run(k->s, variable_of(k, by, column), ac_y(o, node), T, V, value);
        return;
    }
    if (!k->s->values) return;
    int other = node_of(k, by);
    add_gradient(o, other, column, weights_of(o, node)[row] * value);
    const int *path = ac_chart_path(&o->chart, o->owner[row], &count);
    const int *other_path = ac_chart_path(&o->chart, o->owner[column], &other_count);
    const double *D = ac_point_of(o, other).D + (size_t)column * (size_t)T;
    if (other == node) {
        add_outer(diagonal_block(o, node), T, path, count, V, other_path, other_count, D, value);
        add_outer(diagonal_block(o, node), T, other_path, other_count, D, path, count, V, value);
    } else if (other > node) {
        add_outer(lower_block(o, node), T, other_path, other_count, D, path, count, V, value);
    } else {
        add_outer(lower_block(o, other), T, path, count, V, other_path, other_count, D, value);
    }
}

/* phi = -c h sum lambda_k v . G_k(q) */
static void constraint_forces(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    const double *v = weights_of(o, node);
    double gradient[AC_ELEMENT_MAX], Av[AC_ELEMENT_MAX];
    double factor = -ac_multiplier_factor(o, node);
    int T = o->freedoms;
    for (int k = 0; k < o->used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->constraint_rows[k], variable = ac_multiplier(o, node) + k, count = c->start[row + 1] - c->start[row];
        const int *at = c->coordinate + c->start[row];
        double lambda = o->x[variable], sum = 0.0;
        memset(Av, 0, sizeof Av);
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            Av[p->i] += p->a * v[at[p->j]];
            Av[p->j] += p->a * v[at[p->i]];
            if (!o->charted || !s->values) continue;
            double a = factor * o->h * lambda * p->a;
            int ci, cj;
            const int *pi = ac_chart_path(&o->chart, o->owner[at[p->i]], &ci), *pj = ac_chart_path(&o->chart, o->owner[at[p->j]], &cj);
            const double *V = along_of(o, node), *D = ac_point_of(o, node).D;
            double *block = diagonal_block(o, node);
            add_outer(block, T, pi, ci, V + at[p->i] * T, pj, cj, D + at[p->j] * T, a);
            add_outer(block, T, pj, cj, D + at[p->j] * T, pi, ci, V + at[p->i] * T, a);
            add_outer(block, T, pj, cj, V + at[p->j] * T, pi, ci, D + at[p->i] * T, a);
            add_outer(block, T, pi, ci, D + at[p->i] * T, pj, cj, V + at[p->j] * T, a);
        }
        for (int e = 0; e < count; ++e) {
            sum += v[at[e]] * gradient[e];
            put_qv(s, node, at[e], variable, factor * o->h * Av[e]);
            if (o->by_time) put_qv(s, node, at[e], o->time_variable, factor * lambda * Av[e] / o->N);
            if (!o->charted) continue;
            add_gradient(o, node, at[e], factor * o->h * lambda * Av[e]);
            const double *V = along_of(o, node) + at[e] * T;
            put_run(s, variable, ac_y(o, node), T, V, factor * o->h * gradient[e]);
            if (o->by_time) put_run(s, o->time_variable, ac_y(o, node), T, V, factor * lambda * gradient[e] / o->N);
        }
        if (o->by_time) put(s, variable, o->time_variable, factor * sum / o->N);
    }
}

/* phi = +- v . M w with v = D mu, w = D nu */
static void momentum_of_velocity(const sweep *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->N, T = o->freedoms;
    if (o->velocity_start[e] < 0 || !ac_has_dynamics(o, node) || !o->charted) return;
    double sign = e == 0 ? 1.0 : -1.0, *Mv = o->work, *mixed = o->local;
    const double *nu = o->x + o->velocity_start[e];
    ac_chart_point p = ac_point_of(o, node);
    ac_mass_apply(o->system, weights_of(o, node), Mv);
    for (int i = 0; i < o->n; ++i) Mv[i] *= sign;
    memset(mixed, 0, (size_t)(T * T) * sizeof *mixed);
    ac_chart_along(&o->chart, &p, nu, o->Vn);
    if (s->values) {
        ac_chart_third(&o->chart, &p, Mv, nu, diagonal_block(o, node));
        ac_chart_second(&o->chart, &p, Mv, mixed);
        const double *V = along_of(o, node);
        double *block = diagonal_block(o, node);
        for (int k = 0; k < o->system->mass_count; ++k) {
            const ac_mass_entry *m = &o->system->mass[k];
            for (int i = 0; i < m->dimension; ++i) {
                const double *Vr = V + (m->row + i) * T, *Vc = o->Vn + (m->column + i) * T, *Dc = p.D + (m->column + i) * T;
                double c = sign * m->coefficient;
                for (int f = 0; f < T; ++f)
                    for (int g = 0; g < T; ++g) {
                        block[f * T + g] += c * (Vr[f] * Vc[g] + Vc[f] * Vr[g]);
                        mixed[f * T + g] += c * Dc[f] * Vr[g]; /* rows: nu */
                    }
            }
        }
    }
    for (int f = 0; f < T; ++f) put_run(s, o->velocity_start[e] + f, ac_y(o, node), T, mixed + f * T, 1.0);
}

/* mu . force of inputs on single freedoms: bilinear in control and step */
static void direct_forces(const sweep *s, int node)
{
    const ac_optimization *o = s->o;
    if (!o->by_time || !o->charted) return;
    int count = node == o->N ? o->end_row_count : o->width;
    for (int r = 0; r < count; ++r) {
        int f = node == o->N ? o->end_rows[r] : r;
        for (int k = 0; k < o->control_count; ++k) {
            const ac_input *input = &o->discrete.inputs[k];
            if (input->freedom != f) continue;
            double value = s->mu ? 0.5 * s->mu[o->dynamics_row[node] + r] * input->push / o->N : 0.0;
            for (int n = node - 1; n <= node; ++n)
                if (n >= 0 && n < o->N) put(s, ac_control_variable(o, n) + k, o->time_variable, value);
        }
    }
}

static void dynamics(const sweep *s)
{
    ac_optimization *o = s->o;
    prepare_weights(s);
    for (int n = 0; n < o->N; ++n) {
        interval_sink k = {s, n};
        ac_discrete_point p = ac_interval_point(o, n);
        ac_discrete_curvature(&o->discrete, &p, o->by_time, weights_of(o, n), weights_of(o, n + 1), take_curvature, &k);
        if (o->charted) ac_discrete_slopes(&o->discrete, &p, o->by_time, take_cross, &k);
    }
    for (int n = 0; n <= o->N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        constraint_forces(s, n);
        direct_forces(s, n);
    }
    momentum_of_velocity(s, 0);
    momentum_of_velocity(s, 1);
}

/* --- terms --------------------------------------------------------------------------------------------------------- */

/* The derivative of a velocity component by the local unknowns of its node: by y (V) and by nu (D). */
static void put_velocity_pair(const sweep *s, int place, const ac_ref *a, const ac_ref *b, double value)
{
    ac_optimization *o = s->o;
    int e = place == 0 ? 0 : 1, T = o->freedoms, nu = o->velocity_start[e];
    if (a->kind != AC_REF_VELOCITY) {
        const ac_ref *swap = a;
        a = b;
        b = swap;
    }
    if (nu < 0) return;
    if (!o->charted) {
        int first = nu + a->index;
        int second = b->kind == AC_REF_VELOCITY ? nu + b->index : b->kind == AC_REF_A ? ac_y(o, place) + b->index : -1;
        if (second >= 0) {
            put(s, first, second, value);
        } else if (b->kind == AC_REF_H && o->by_time) {
            put(s, first, o->time_variable, value / o->N);
        }
        return;
    }
    const double *D = ac_point_of(o, place).D;
    const double *Da = D + a->index * T, *Va = o->Vn + a->index * T, *Db = D + b->index * T, *Vb = o->Vn + b->index * T;
    if (b->kind == AC_REF_H) {
        if (!o->by_time) return;
        put_run(s, o->time_variable, nu, T, Da, value / o->N);
        put_run(s, o->time_variable, ac_y(o, place), T, Va, value / o->N);
        return;
    }
    bool both = b->kind == AC_REF_VELOCITY, same = both && a->index == b->index;
    const double *by_y = both ? Vb : Db;
    for (int f = 0; f < T; ++f) {
        if (s->values)
            for (int g = 0; g < T; ++g) {
                double pair = Va[f] * by_y[g];
                diagonal_block(o, place)[f * T + g] += value * (same ? pair : pair + by_y[f] * Va[g]);
            }
        put_run(s, nu + f, ac_y(o, place), T, by_y, value * Da[f]);
        if (!both) continue;
        if (!same) put_run(s, nu + f, ac_y(o, place), T, Va, value * Db[f]);
        for (int g = 0; g <= f; ++g)
            put(s, nu + f, nu + g, value * (same ? Da[f] * Db[g] : Da[f] * Db[g] + Db[f] * Da[g]));
    }
}

static void put_pair(const sweep *s, int place, const ac_ref *a, const ac_ref *b, double value)
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
        variable[k] = refs[k]->kind == AC_REF_TAU ? ac_control_variable(o, place) + refs[k]->index : o->time_variable;
        if (refs[k]->kind != AC_REF_H) continue;
        if (!o->by_time) return;
        value /= o->N;
    }
    if (node[0] >= 0 && node[1] >= 0) {
        put_qq(s, node[0], a->index, node[1], b->index, value);
    } else if (node[0] >= 0) {
        put_qv(s, node[0], a->index, variable[1], value);
    } else if (node[1] >= 0) {
        put_qv(s, node[1], b->index, variable[0], value);
    } else {
        put(s, variable[0], variable[1], value);
    }
}

/* What a gradient by q and by velocities adds through the chart. */
static void take_gradient(const sweep *s, int place, const ac_ref *ref, double value)
{
    ac_optimization *o = s->o;
    if (!o->charted) return;
    if (ref->kind == AC_REF_A) add_gradient(o, place, ref->index, value);
    if (ref->kind == AC_REF_B) add_gradient(o, place + 1, ref->index, value);
    if (ref->kind == AC_REF_VELOCITY) o->Gw[(size_t)(place == 0 ? 0 : 1) * (size_t)o->n + (size_t)ref->index] += value;
}

/* weight times the term, or weight h times it */
static void add_term(const sweep *s, const ac_term *term, int place, double weight, bool times_h)
{
    ac_optimization *o = s->o;
    double local[AC_TERM_REFS], *H = o->local + 8 * (size_t)o->freedoms * (size_t)o->freedoms;
    int size = term->ref_count;
    ac_term_point p = ac_term_place(o, term, place);
    if (term->velocities && o->charted) {
        ac_chart_point point = ac_point_of(o, place);
        ac_chart_along(&o->chart, &point, o->x + o->velocity_start[place == 0 ? 0 : 1], o->Vn);
    }
    ac_term_evaluate(term, &o->scalars, &p, local, H);
    double scale = times_h ? weight * o->h : weight;
    const ac_ref step = {AC_REF_H, 0};
    for (int i = 0; i < size; ++i) {
        take_gradient(s, place, &term->refs[i], scale * local[i]);
        for (int j = 0; j <= i; ++j) put_pair(s, place, &term->refs[i], &term->refs[j], scale * H[i * size + j]);
        if (times_h && o->by_time)
            put_pair(s, place, &term->refs[i], &step, (term->refs[i].kind == AC_REF_H ? 2.0 : 1.0) * weight * local[i]);
    }
}

static void effort(const sweep *s, double weight)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n < o->N; ++n) {
        for (int k = 0; k < o->control_count; ++k) {
            int at = ac_control_variable(o, n) + k;
            put(s, at, at, weight * o->h);
            if (o->by_time) put(s, at, o->time_variable, weight * o->x[at] / o->N);
        }
    }
}

/* weight h (kinetic + potential energy) of an interval */
static void add_energy(const sweep *s, int n, double weight)
{
    ac_optimization *o = s->o;
    const ac_system *system = o->system;
    const double *a = ac_q(o, n), *b = ac_q(o, n + 1);
    double *step = o->work, *momentum = o->work + o->n, *slope = o->work + 2 * o->n, *mean = o->work + 3 * o->n, h = o->h, kinetic = 0.0;
    for (int i = 0; i < o->n; ++i) {
        step[i] = (b[i] - a[i]) / h;
        mean[i] = 0.5 * (a[i] + b[i]);
        slope[i] = -system->gravity_force[i];
    }
    ac_mass_apply(system, step, momentum);
    for (int i = 0; i < o->n; ++i) kinetic += 0.5 * step[i] * momentum[i];
    for (int k = 0; k < system->mass_count; ++k) {
        const ac_mass_entry *m = &system->mass[k];
        double value = weight * m->coefficient / h;
        for (int d = 0; d < m->dimension; ++d) {
            int i = m->row + d, j = m->column + d;
            if (i <= j) put_qq(s, n, i, n, j, value);
            if (i <= j) put_qq(s, n + 1, i, n + 1, j, value);
            put_qq(s, n, i, n + 1, j, -value);
        }
    }
    for (int k = 0; k < o->discrete.spring_count; ++k) {
        const ac_discrete_spring *spring = &o->discrete.springs[k];
        const int *at = ac_scalar_coordinates(&o->discrete.scalars, spring->scalar);
        int count = o->discrete.scalars.list[spring->scalar].count;
        double g[AC_ELEMENT_MAX], H[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
        double near_value = o->near_measures[(size_t)n * (size_t)system->measure_count + (size_t)spring->measure];
        double stretch = ac_scalar_evaluate(&o->discrete.scalars, spring->scalar, mean, near_value, g, H) - spring->rest;
        for (int i = 0; i < count; ++i) {
            slope[at[i]] += spring->stiffness * stretch * g[i];
            for (int j = 0; j < count; ++j) {
                double value = 0.25 * weight * h * spring->stiffness * (stretch * H[i * count + j] + g[i] * g[j]);
                if (j <= i) put_qq(s, n, at[i], n, at[j], value);
                if (j <= i) put_qq(s, n + 1, at[i], n + 1, at[j], value);
                put_qq(s, n, at[i], n + 1, at[j], value);
            }
        }
    }
    for (int i = 0; i < o->n; ++i) {
        double fixed = 0.5 * h * slope[i];
        if (o->charted) {
            add_gradient(o, n, i, weight * (fixed - momentum[i]));
            add_gradient(o, n + 1, i, weight * (fixed + momentum[i]));
        }
        if (!o->by_time) continue;
        put_qv(s, n, i, o->time_variable, weight * (0.5 * slope[i] + momentum[i] / h) / o->N);
        put_qv(s, n + 1, i, o->time_variable, weight * (0.5 * slope[i] - momentum[i] / h) / o->N);
    }
    if (o->by_time) put(s, o->time_variable, o->time_variable, weight * 2.0 * kinetic / h / ((double)o->N * o->N));
}

static void objectives(const sweep *s, double sigma)
{
    const ac_optimization *o = s->o;
    for (int k = 0; k < o->objective_count; ++k) {
        const ac_objective_data *objective = &o->objectives[k];
        double weight = sigma * objective->weight;
        switch (objective->type) {
        case AC_OBJECTIVE_EFFORT: effort(s, weight); break;
        case AC_OBJECTIVE_ENERGY:
            for (int n = 0; n < o->N; ++n) add_energy(s, n, weight);
            break;
        case AC_OBJECTIVE_START: add_term(s, &objective->term, 0, weight, false); break;
        case AC_OBJECTIVE_END: add_term(s, &objective->term, o->N, weight, false); break;
        case AC_OBJECTIVE_RUNNING:
            for (int n = 0; n < o->N; ++n) add_term(s, &objective->term, n, weight, true);
            break;
        case AC_OBJECTIVE_DURATION:
        case AC_OBJECTIVE_ABSOLUTE: break;
        }
    }
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static void constraint_rows(const sweep *s, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int k = 0; k < o->used_constraints; ++k) {
        int row = o->constraint_rows[k];
        const int *at = c->coordinate + c->start[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            put_qq(s, block->place, at[p->i], block->place, at[p->j], mu[k] * p->a * (p->i == p->j ? 2.0 : 1.0));
        }
        if (!o->charted) continue;
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        for (int e = 0; e < c->start[row + 1] - c->start[row]; ++e) add_gradient(o, block->place, at[e], mu[k] * gradient[e]);
    }
}

/* mu_k G_k . w: bilinear in q and w */
static void velocity_rows(const sweep *s, const ac_row_block *block, const double *mu)
{
    ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    int e = block->place == 0 ? 0 : 1;
    double gradient[AC_ELEMENT_MAX];
    const double *w = o->velocity[e];
    ac_chart_point point = ac_point_of(o, block->place);
    if (o->charted) ac_chart_along(&o->chart, &point, o->x + o->velocity_start[e], o->Vn);
    for (int k = 0; k < o->used_constraints; ++k) {
        int row = o->constraint_rows[k];
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

static void turn_row(const sweep *s, const ac_row_block *block, double mu)
{
    const ac_optimization *o = s->o;
    const ac_node *node = &o->system->nodes[block->item];
    const double *a = ac_q(o, block->place), *b = ac_q(o, block->place + 1);
    for (int i = node->q + node->dimension; i < node->q + node->size; ++i) {
        put_qq(s, block->place + 1, i, block->place, i, mu);
        if (!o->charted) continue;
        add_gradient(o, block->place, i, mu * b[i]);
        add_gradient(o, block->place + 1, i, mu * a[i]);
    }
}

static void rows(const sweep *s)
{
    static const double none[AC_ELEMENT_MAX] = {0.0};
    const ac_optimization *o = s->o;
    for (int b = 0; b < o->block_count; ++b) {
        const ac_row_block *block = &o->blocks[b];
        const double *mu = s->mu ? s->mu + block->first : none;
        switch (block->kind) {
        case AC_ROW_CONSTRAINT: constraint_rows(s, block, s->mu ? mu : o->q); break;
        case AC_ROW_VELOCITY:
            if (!ac_is_minimal(o)) velocity_rows(s, block, s->mu ? mu : o->q);
            break;
        case AC_ROW_CONDITION: add_term(s, &o->conditions[block->item].term, block->place, mu[0], false); break;
        case AC_ROW_TURN: turn_row(s, block, mu[0]); break;
        case AC_ROW_ABSOLUTE: add_term(s, &o->objectives[block->item].term, block->place, mu[1] - mu[0], true); break;
        default: break;
        }
    }
}

/* --- the chart ----------------------------------------------------------------------------------------------------- */

static void velocity_chart(const sweep *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->N, T = o->freedoms;
    if (o->velocity_start[e] < 0) return;
    const double *Gw = o->Gw + (size_t)e * (size_t)o->n, *nu = o->x + o->velocity_start[e];
    ac_chart_point p = ac_point_of(o, node);
    memset(o->local, 0, (size_t)(T * T) * sizeof *o->local);
    if (s->values) {
        ac_chart_third(&o->chart, &p, Gw, nu, diagonal_block(o, node));
        ac_chart_second(&o->chart, &p, Gw, o->local);
    }
    for (int f = 0; f < T; ++f) put_run(s, o->velocity_start[e] + f, ac_y(o, node), T, o->local + f * T, 1.0);
}

static void flush_chart(const sweep *s)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    velocity_chart(s, 0);
    velocity_chart(s, 1);
    for (int n = 0; n <= o->N; ++n) {
        ac_chart_point p = ac_point_of(o, n);
        if (s->values) ac_chart_second(&o->chart, &p, o->G + (size_t)n * (size_t)o->n, diagonal_block(o, n));
        for (int f = 0; f < T; ++f) {
            put_run(s, ac_y(o, n) + f, ac_y(o, n), f + 1, diagonal_block(o, n) + f * T, 1.0);
            if (n < o->N) put_run(s, ac_y(o, n + 1) + f, ac_y(o, n), T, lower_block(o, n) + f * T, 1.0);
        }
    }
}

void ac_evaluate_hessian(ac_optimization *o, double sigma, const double *mu, double *values)
{
    const sweep s = {o, values, values ? mu : NULL};
    size_t nodes = (size_t)o->N + 1, T = (size_t)o->freedoms;
    if (values) memset(values, 0, (size_t)o->hessian.entries * sizeof *values);
    memset(o->Gw, 0, 2 * (size_t)o->n * sizeof *o->Gw);
    if (o->charted) {
        memset(o->blocks_d, 0, nodes * T * T * sizeof *o->blocks_d);
        memset(o->blocks_o, 0, nodes * T * T * sizeof *o->blocks_o);
        memset(o->G, 0, nodes * (size_t)o->n * sizeof *o->G);
    }
    if (ac_is_minimal(o)) {
        ac_minimal_hessian(o, mu, values);
    } else {
        dynamics(&s);
    }
    objectives(&s, sigma);
    rows(&s);
    if (o->charted) flush_chart(&s);
}
