/* Second derivatives of the Lagrangian sigma f + mu . c, lower triangle.
 *
 * Terms are differentiated in redundant coordinates. In the reduced formulation three things are added for
 * the chart q(y):
 * G . d^2 q with G the gradient of everything by q, and, because the rows of the dynamics are v . R with v =
 * D mu,
 * the cross terms (dv)^T dR and the curvature R . d^2 v.
 */
#include <string.h>

#include "control/curvature.h"

/* --- putting --- */

void ac_curve_put(const ac_curve *s, int i, int j, double value)
{
    int row = i > j ? i : j, column = i > j ? j : i;
    if (!s->values) {
        ac_pattern_mark(&s->o->hessian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->hessian, row, column)] += value;
    }
}

void ac_curve_put_run(const ac_curve *s, int row, int column, int count, const double *run, double value)
{
    if (!s->values) {
        for (int i = 0; i < count; ++i) ac_pattern_mark(&s->o->hessian, row, column + i);
        return;
    }
    if (value == 0.0) return;
    double *out = s->values + ac_pattern_find(&s->o->hessian, row, column);
    for (int i = 0; i < count; ++i) out[i] += value * run[i];
}

double *ac_curve_diagonal(const ac_optimization *o, int node)
{
    return o->blocks_d + (size_t)node * (size_t)o->freedoms * (size_t)o->freedoms;
}

/* Rows: node + 1, columns: node. */
static double *lower_block(const ac_optimization *o, int node)
{
    return o->blocks_o + (size_t)node * (size_t)o->freedoms * (size_t)o->freedoms;
}

/* block += value a b^T on the given paths */
static void add_outer(double *block, int T, const int *pa, int na, const double *a, const int *pb, int nb,
                      const double *b, double value)
{
    for (int f = 0; f < na; ++f) {
        double scaled = value * a[pa[f]];
        if (scaled == 0.0) continue;
        double *out = block + pa[f] * T;
        for (int g = 0; g < nb; ++g) out[pb[g]] += scaled * b[pb[g]];
    }
}

/* Second derivative by coordinate i at node na and coordinate j at node nb (the same or a neighbour); pairs
 * come once. */
void ac_curve_put_qq(const ac_curve *s, int na, int i, int nb, int j, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        ac_curve_put(s, ac_y(o, na) + i, ac_y(o, nb) + j, value);
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
    const int *pi = ac_chart_path(&o->chart, o->owner[i], &ci),
              *pj = ac_chart_path(&o->chart, o->owner[j], &cj);
    const double *Di = ac_point_of(o, na).D + (size_t)i * (size_t)T,
                 *Dj = ac_point_of(o, nb).D + (size_t)j * (size_t)T;
    if (na != nb) {
        add_outer(lower_block(o, nb), T, pi, ci, Di, pj, cj, Dj, value);
        return;
    }
    add_outer(ac_curve_diagonal(o, na), T, pi, ci, Di, pj, cj, Dj, value);
    if (i != j) add_outer(ac_curve_diagonal(o, na), T, pj, cj, Dj, pi, ci, Di, value);
}

/* Second derivative by coordinate i at a node and by an unknown that is no configuration. */
void ac_curve_put_qv(const ac_curve *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    if (!o->charted) {
        ac_curve_put(s, variable, ac_y(o, node) + i, value);
    } else {
        ac_curve_put_run(s, variable, ac_y(o, node), o->freedoms,
                         ac_point_of(o, node).D + (size_t)i * (size_t)o->freedoms, value);
    }
}

void ac_curve_gradient(const ac_optimization *o, int node, int i, double value)
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

/* --- dynamics --- */

/* v_n = D_n mu_n or mu_n itself, zero where no dynamics is posed; V_n = dv_n */
static void prepare_weights(const ac_curve *s)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    memset(o->v, 0, ((size_t)o->N + 1) * (size_t)o->n * sizeof *o->v);
    for (int node = 0; node <= o->N; ++node) {
        if (!ac_has_dynamics(o, node) || !s->values) continue;
        double *v = o->v + (size_t)node * (size_t)o->n, *full = o->local;
        int count = node == o->N ? o->end_row_count : o->width;
        if (!o->charted) {
            for (int r = 0; r < count; ++r)
                v[node == o->N ? o->end_rows[r] : r] = s->mu[o->dynamics_row[node] + r];
            continue;
        }
        memset(full, 0, (size_t)T * sizeof *full);
        for (int r = 0; r < count; ++r)
            full[node == o->N ? o->end_rows[r] : r] = s->mu[o->dynamics_row[node] + r];
        ac_chart_point p = ac_point_of(o, node);
        for (int i = 0; i < o->n; ++i)
            for (int f = 0; f < T; ++f) v[i] += p.D[i * T + f] * full[f];
        ac_chart_along(&o->chart, &p, full, o->V + (size_t)node * (size_t)o->n * (size_t)T);
        ac_chart_third(&o->chart, &p, ac_residual(o, node), full, ac_curve_diagonal(o, node));
    }
}

typedef struct interval_sink {
    const ac_curve *s;
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
        ac_curve_put_qq(k->s, node_of(k, by1), i, node_of(k, by2), j, value);
    } else if (q1) {
        ac_curve_put_qv(k->s, node_of(k, by1), i, variable_of(k, by2, j), value);
    } else if (q2) {
        ac_curve_put_qv(k->s, node_of(k, by2), j, variable_of(k, by1, i), value);
    } else {
        ac_curve_put(k->s, variable_of(k, by1, i), variable_of(k, by2, j), value);
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
        ac_curve_put_run(k->s, variable_of(k, by, column), ac_y(o, node), T, V, value);
        return;
    }
    if (!k->s->values) return;
    int other = node_of(k, by);
    ac_curve_gradient(o, other, column, weights_of(o, node)[row] * value);
    const int *path = ac_chart_path(&o->chart, o->owner[row], &count);
    const int *other_path = ac_chart_path(&o->chart, o->owner[column], &other_count);
    const double *D = ac_point_of(o, other).D + (size_t)column * (size_t)T;
    if (other == node) {
        add_outer(ac_curve_diagonal(o, node), T, path, count, V, other_path, other_count, D, value);
        add_outer(ac_curve_diagonal(o, node), T, other_path, other_count, D, path, count, V, value);
    } else if (other > node) {
        add_outer(lower_block(o, node), T, other_path, other_count, D, path, count, V, value);
    } else {
        add_outer(lower_block(o, other), T, path, count, V, other_path, other_count, D, value);
    }
}

/* phi = -c h sum lambda_k v . G_k(q) */
static void constraint_forces(const ac_curve *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    const double *v = weights_of(o, node);
    double gradient[AC_ELEMENT_MAX], Av[AC_ELEMENT_MAX];
    double factor = -ac_multiplier_factor(o, node);
    int T = o->freedoms;
    for (int k = 0; k < o->used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->constraint_rows[k], variable = ac_multiplier(o, node) + k,
            count = c->start[row + 1] - c->start[row];
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
            const int *pi = ac_chart_path(&o->chart, o->owner[at[p->i]], &ci),
                      *pj = ac_chart_path(&o->chart, o->owner[at[p->j]], &cj);
            const double *V = along_of(o, node), *D = ac_point_of(o, node).D;
            double *block = ac_curve_diagonal(o, node);
            add_outer(block, T, pi, ci, V + at[p->i] * T, pj, cj, D + at[p->j] * T, a);
            add_outer(block, T, pj, cj, D + at[p->j] * T, pi, ci, V + at[p->i] * T, a);
            add_outer(block, T, pj, cj, V + at[p->j] * T, pi, ci, D + at[p->i] * T, a);
            add_outer(block, T, pi, ci, D + at[p->i] * T, pj, cj, V + at[p->j] * T, a);
        }
        for (int e = 0; e < count; ++e) {
            sum += v[at[e]] * gradient[e];
            ac_curve_put_qv(s, node, at[e], variable, factor * o->h * Av[e]);
            if (o->by_time) ac_curve_put_qv(s, node, at[e], o->time_variable, factor * lambda * Av[e] / o->N);
            if (!o->charted) continue;
            ac_curve_gradient(o, node, at[e], factor * o->h * lambda * Av[e]);
            const double *V = along_of(o, node) + at[e] * T;
            ac_curve_put_run(s, variable, ac_y(o, node), T, V, factor * o->h * gradient[e]);
            if (o->by_time)
                ac_curve_put_run(s, o->time_variable, ac_y(o, node), T, V,
                                 factor * lambda * gradient[e] / o->N);
        }
        if (o->by_time) ac_curve_put(s, variable, o->time_variable, factor * sum / o->N);
    }
}

/* phi = +- v . M w with v = D mu, w = D nu */
static void momentum_of_velocity(const ac_curve *s, int e)
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
        ac_chart_third(&o->chart, &p, Mv, nu, ac_curve_diagonal(o, node));
        ac_chart_second(&o->chart, &p, Mv, mixed);
        const double *V = along_of(o, node);
        double *block = ac_curve_diagonal(o, node);
        for (int k = 0; k < o->system->mass_count; ++k) {
            const ac_mass_entry *m = &o->system->mass[k];
            for (int i = 0; i < m->dimension; ++i) {
                const double *Vr = V + (m->row + i) * T, *Vc = o->Vn + (m->column + i) * T,
                             *Dc = p.D + (m->column + i) * T;
                double c = sign * m->coefficient;
                for (int f = 0; f < T; ++f)
                    for (int g = 0; g < T; ++g) {
                        block[f * T + g] += c * (Vr[f] * Vc[g] + Vc[f] * Vr[g]);
                        mixed[f * T + g] += c * Dc[f] * Vr[g]; /* rows: nu */
                    }
            }
        }
    }
    for (int f = 0; f < T; ++f)
        ac_curve_put_run(s, o->velocity_start[e] + f, ac_y(o, node), T, mixed + f * T, 1.0);
}

/* mu . force of inputs on single freedoms: bilinear in control and step */
static void direct_forces(const ac_curve *s, int node)
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
                if (n >= 0 && n < o->N)
                    ac_curve_put(s, ac_control_variable(o, n) + k, o->time_variable, value);
        }
    }
}

static void dynamics(const ac_curve *s)
{
    ac_optimization *o = s->o;
    prepare_weights(s);
    for (int n = 0; n < o->N; ++n) {
        interval_sink k = {s, n};
        ac_discrete_point p = ac_interval_point(o, n);
        ac_discrete_curvature(&o->discrete, &p, o->by_time, weights_of(o, n), weights_of(o, n + 1),
                              take_curvature, &k);
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

/* --- the chart --- */

static void velocity_chart(const ac_curve *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->N, T = o->freedoms;
    if (o->velocity_start[e] < 0) return;
    const double *Gw = o->Gw + (size_t)e * (size_t)o->n, *nu = o->x + o->velocity_start[e];
    ac_chart_point p = ac_point_of(o, node);
    memset(o->local, 0, (size_t)(T * T) * sizeof *o->local);
    if (s->values) {
        ac_chart_third(&o->chart, &p, Gw, nu, ac_curve_diagonal(o, node));
        ac_chart_second(&o->chart, &p, Gw, o->local);
    }
    for (int f = 0; f < T; ++f)
        ac_curve_put_run(s, o->velocity_start[e] + f, ac_y(o, node), T, o->local + f * T, 1.0);
}

static void flush_chart(const ac_curve *s)
{
    ac_optimization *o = s->o;
    int T = o->freedoms;
    velocity_chart(s, 0);
    velocity_chart(s, 1);
    for (int n = 0; n <= o->N; ++n) {
        ac_chart_point p = ac_point_of(o, n);
        if (s->values)
            ac_chart_second(&o->chart, &p, o->G + (size_t)n * (size_t)o->n, ac_curve_diagonal(o, n));
        for (int f = 0; f < T; ++f) {
            ac_curve_put_run(s, ac_y(o, n) + f, ac_y(o, n), f + 1, ac_curve_diagonal(o, n) + f * T, 1.0);
            if (n < o->N)
                ac_curve_put_run(s, ac_y(o, n + 1) + f, ac_y(o, n), T, lower_block(o, n) + f * T, 1.0);
        }
    }
}

void ac_evaluate_hessian(ac_optimization *o, double sigma, const double *mu, double *values)
{
    const ac_curve s = {o, values, values ? mu : NULL};
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
    ac_curve_objectives(&s, sigma);
    ac_curve_rows(&s);
    if (o->charted) flush_chart(&s);
}
