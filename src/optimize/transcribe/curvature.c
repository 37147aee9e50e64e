/* Second derivatives of the Lagrangian sigma f + mu . c, lower triangle.
 *
 * Terms are differentiated in redundant coordinates. In the reduced formulation three things are added for
 * the chart q(y): G . d^2 q with G the gradient of everything by q, and, because the rows of the dynamics
 * are v . R with v = D mu, the cross terms (dv)^T dR and the curvature R . d^2 v.
 */
#include <string.h>

#include "optimize/phases/phases.h"
#include "action/inertia.h"
#include "optimize/transcribe/curvature.h"

/* --- putting --- */

void ac_hessian_put(const ac_hessian_pass *s, int i, int j, double value)
{
    int row = i > j ? i : j, column = i > j ? j : i, first = s->o->layout.first.parameter;
    if (s->values && column >= first) { /* two parameters: gathered */
        s->o->point.pairs[(row - first) * s->o->layout.parameters + column - first] += value;
    } else if (!s->values) {
        ac_pattern_mark(&s->o->layout.hessian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->layout.hessian, row, column)] += value;
    }
}

void ac_hessian_put_run(const ac_hessian_pass *s, int row, int column, int count, const double *run,
                        double value)
{
    if (!s->values) {
        for (int i = 0; i < count; ++i) ac_pattern_mark(&s->o->layout.hessian, row, column + i);
        return;
    }
    if (value == 0.0) return;
    double *out = s->values + ac_pattern_find(&s->o->layout.hessian, row, column);
    for (int i = 0; i < count; ++i) out[i] += value * run[i];
}

double *ac_hessian_diagonal(const ac_optimization *o, int node)
{
    return o->point.blocks_d + (size_t)node * (size_t)o->layout.span * (size_t)o->layout.span;
}

/* Two different places in a term that are the same unknown give their product twice. */
static void put_distinct(const ac_hessian_pass *s, int i, int j, double value)
{
    ac_hessian_put(s, i, j, i == j ? 2.0 * value : value);
}

void ac_hessian_put_local(const ac_hessian_pass *s, int variable, int node, const double *run, double value)
{
    const ac_optimization *o = s->o;
    if (s->values && variable >= o->layout.first.parameter) { /* a local coordinate of the node itself */
        int W = o->layout.span, own = o->layout.freedoms + variable - o->layout.first.parameter;
        double *block = ac_hessian_diagonal(o, node);
        for (int z = 0; z < W; ++z) {
            block[own * W + z] += value * run[z];
            block[z * W + own] += value * run[z];
        }
        return;
    }
    ac_hessian_put_run(s, variable, ac_y(o, node), o->layout.freedoms, run, value);
    for (int j = 0; j < o->layout.parameters; ++j)
        put_distinct(s, variable, o->layout.first.parameter + j,
                     s->values ? value * run[o->layout.freedoms + j] : 0.0);
}

/* The same, where the numbers belong to coordinate i and vanish outside of its path. */
static void put_path(const ac_hessian_pass *s, int variable, int node, int i, const double *run, double value)
{
    const ac_optimization *o = s->o;
    int low = o->layout.paths.low[o->layout.paths.of[i]], high = o->layout.paths.high[o->layout.paths.of[i]];
    if (o->layout.parameters > 0) {
        ac_hessian_put_local(s, variable, node, run, value);
    } else if (high >= low) {
        ac_hessian_put_run(s, variable, ac_y(o, node) + low, high - low + 1, run + low, value);
    }
}

/* Rows: node + 1, columns: node. */
static double *lower_block(const ac_optimization *o, int node)
{
    return o->point.blocks_o + (size_t)node * (size_t)o->layout.span * (size_t)o->layout.span;
}

/* block += value a b^T on the given paths */
static void add_outer(double *block, int W, const int *pa, int na, const double *a, const int *pb, int nb,
                      const double *b, double value)
{
    for (int f = 0; f < na; ++f) {
        double scaled = value * a[pa[f]];
        if (scaled == 0.0) continue;
        double *out = block + pa[f] * W;
        for (int g = 0; g < nb; ++g) out[pb[g]] += scaled * b[pb[g]];
    }
}

/* What coordinate i at a node is in redundant coordinates: an unknown, or a moving datum by its parameters. */
typedef struct unknowns {
    int count, unknown;
    const ac_jet *jet; /* NULL: the unknown itself */
} unknowns;

static unknowns unknowns_of(const ac_optimization *o, int node, int i)
{
    if (i < o->layout.n) return (unknowns){1, ac_y(o, node) + i, NULL};
    return (unknowns){ac_moving_jet(o, i)->count, o->layout.first.parameter, ac_moving_jet(o, i)};
}

static int unknown_at(const unknowns *u, int a)
{
    return u->jet ? u->unknown + u->jet->by[a] : u->unknown;
}

static double slope_at(const unknowns *u, int a)
{
    return u->jet ? u->jet->d[a] : 1.0;
}

/* value times the second derivative by two of them, which are the same or different places of a term */
static void put_unknowns(const ac_hessian_pass *s, const unknowns *u, const unknowns *w, bool same,
                         double value)
{
    for (int a = 0; a < u->count; ++a)
        for (int b = 0; b < (same ? a + 1 : w->count); ++b) {
            double product = value * slope_at(u, a) * slope_at(w, b);
            if (same) {
                ac_hessian_put(s, unknown_at(u, a), unknown_at(w, b), product);
            } else {
                put_distinct(s, unknown_at(u, a), unknown_at(w, b), product);
            }
        }
}

/* Second derivative by coordinate i at node na and coordinate j at node nb (the same or a neighbour); pairs
 * come once. */
void ac_hessian_put_qq(const ac_hessian_pass *s, int na, int i, int nb, int j, double value)
{
    const ac_optimization *o = s->o;
    if (!o->layout.charted) {
        unknowns u = unknowns_of(o, na, i), w = unknowns_of(o, nb, j);
        put_unknowns(s, &u, &w, na == nb && i == j, value);
        return;
    }
    if (value == 0.0 || !s->values) return;
    int W = o->layout.span, ci, cj;
    if (na < nb) {
        int swap = na;
        na = nb;
        nb = swap;
        swap = i;
        i = j;
        j = swap;
    }
    const int *pi = ac_local_path(o, i, &ci), *pj = ac_local_path(o, j, &cj);
    const double *Di = ac_point_of(o, na).D + (size_t)i * (size_t)W,
                 *Dj = ac_point_of(o, nb).D + (size_t)j * (size_t)W;
    if (na != nb) {
        add_outer(lower_block(o, nb), W, pi, ci, Di, pj, cj, Dj, value);
        return;
    }
    add_outer(ac_hessian_diagonal(o, na), W, pi, ci, Di, pj, cj, Dj, value);
    if (i != j) add_outer(ac_hessian_diagonal(o, na), W, pj, cj, Dj, pi, ci, Di, value);
}

/* Second derivative by coordinate i at a node and by an unknown that is no configuration. */
void ac_hessian_put_qv(const ac_hessian_pass *s, int node, int i, int variable, double value)
{
    const ac_optimization *o = s->o;
    if (!o->layout.charted) {
        unknowns u = unknowns_of(o, node, i);
        for (int a = 0; a < u.count; ++a)
            put_distinct(s, variable, unknown_at(&u, a), value * slope_at(&u, a));
    } else {
        put_path(s, variable, node, i, ac_point_of(o, node).D + (size_t)i * (size_t)o->layout.span, value);
    }
}

void ac_hessian_gradient(const ac_optimization *o, int node, int i, double value)
{
    if (i >= o->layout.n)
        o->point.by_moving[i - o->layout.n] += value;
    else if (o->layout.charted)
        o->point.G[(size_t)node * (size_t)o->layout.n + (size_t)i] += value;
}

const double *ac_hessian_weights(const ac_optimization *o, int node)
{
    return o->point.v + (size_t)node * (size_t)o->layout.n;
}

const double *ac_hessian_along(const ac_optimization *o, int node)
{
    return o->point.V + (size_t)node * (size_t)o->layout.n * (size_t)o->layout.span;
}

/* --- dynamics --- */

/* v_n = D_n mu_n or mu_n itself, zero where no dynamics is posed; V_n = dv_n */
static void prepare_weights(const ac_hessian_pass *s)
{
    ac_optimization *o = s->o;
    int T = o->layout.freedoms;
    memset(o->point.v, 0, ((size_t)o->layout.N + 1) * (size_t)o->layout.n * sizeof *o->point.v);
    for (int node = 0; node <= o->layout.N; ++node) {
        if (!ac_has_dynamics(o, node) || !s->values) continue;
        double *v = o->point.v + (size_t)node * (size_t)o->layout.n, *full = o->point.local;
        int count = node == o->layout.N ? o->layout.end.row_count : o->layout.width;
        if (!o->layout.charted) {
            for (int r = 0; r < count; ++r)
                v[node == o->layout.N ? o->layout.end.rows[r] : r] = s->mu[o->layout.dynamics_row[node] + r];
            continue;
        }
        memset(full, 0, (size_t)T * sizeof *full);
        for (int r = 0; r < count; ++r)
            full[node == o->layout.N ? o->layout.end.rows[r] : r] = s->mu[o->layout.dynamics_row[node] + r];
        ac_chart_point p = ac_point_of(o, node);
        for (int i = 0; i < o->layout.n; ++i)
            for (int f = 0; f < T; ++f) v[i] += p.D[i * o->layout.span + f] * full[f];
        ac_chart_along(&o->description.chart, &p, full,
                       o->point.V + (size_t)node * (size_t)o->layout.n * (size_t)o->layout.span);
        ac_chart_third(&o->description.chart, &p, ac_residual(o, node), full, ac_hessian_diagonal(o, node));
    }
}

typedef struct interval_sink {
    const ac_hessian_pass *s;
    int interval;
} interval_sink;

static int node_of(const interval_sink *k, ac_by by)
{
    return k->interval + (by == AC_BY_B ? 1 : 0);
}

static int variable_of(const interval_sink *k, ac_by by, int column)
{
    const ac_optimization *o = k->s->o;
    if (by == AC_BY_P) return o->layout.first.parameter + column;
    if (by == AC_BY_STRESS) return ac_stress_variable(o, k->interval) + column;
    return by == AC_BY_TAU ? ac_control_variable(o, k->interval) + column : o->layout.first.time;
}

/* What the row sums of an interval hold: second derivatives at its ends, rows by their left factor D_a and
 * D_b; of b by a with D_b, and with V_b. */
enum { AT_A, AT_B, B_BY_A, V_BY_A };

static void gather_pair(const interval_sink *k, ac_by by1, int i, ac_by by2, int j, double value)
{
    ac_optimization *o = k->s->o;
    int count;
    if (by1 == AC_BY_A && by2 == AC_BY_B) {
        int swap = i;
        i = j;
        j = swap;
    }
    bool same = by1 == by2;
    int node = k->interval + (same && by1 == AC_BY_B ? 1 : 0); /* of j */
    const int *path = ac_local_path(o, j, &count);
    ac_row_sums *sums = &o->point.row_sums[!same ? B_BY_A : by1 == AC_BY_A ? AT_A : AT_B];
    ac_row_sums_add(sums, i, path, count, ac_point_of(o, node).D + (size_t)j * (size_t)o->layout.span,
                    same && i == j ? 0.5 * value : value);
}

static void finish_row_sums(const ac_hessian_pass *s, int interval)
{
    ac_optimization *o = s->o;
    const size_t W = (size_t)o->layout.span;
    const double *left[4] = {ac_point_of(o, interval).D, ac_point_of(o, interval + 1).D,
                             ac_point_of(o, interval + 1).D, ac_hessian_along(o, interval + 1)};
    double *out[4] = {ac_hessian_diagonal(o, interval), ac_hessian_diagonal(o, interval + 1),
                      lower_block(o, interval), lower_block(o, interval)};
    for (int k = 0; k < 4; ++k)
        for (int i = 0, count; i < o->layout.extended; ++i) {
            if (!ac_row_sums_used(&o->point.row_sums[k], i)) continue;
            const int *path = ac_local_path(o, i, &count);
            ac_row_sums_flush(&o->point.row_sums[k], i, path, count, left[k] + (size_t)i * W, k <= AT_B,
                              out[k]);
        }
}

static void take_curvature(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    const interval_sink *k = user;
    const ac_optimization *o = k->s->o;
    if (value == 0.0 && k->s->values) return;
    if (by1 == AC_BY_H) value /= o->layout.N;
    if (by2 == AC_BY_H) value /= o->layout.N;
    bool q1 = by1 <= AC_BY_B, q2 = by2 <= AC_BY_B;
    if (q1 && q2 && o->layout.charted) {
        if (k->s->values) gather_pair(k, by1, i, by2, j, value);
    } else if (q1 && q2) {
        ac_hessian_put_qq(k->s, node_of(k, by1), i, node_of(k, by2), j, value);
    } else if (q1) {
        ac_hessian_put_qv(k->s, node_of(k, by1), i, variable_of(k, by2, j), value);
    } else if (q2) {
        ac_hessian_put_qv(k->s, node_of(k, by2), j, variable_of(k, by1, i), value);
    } else {
        ac_hessian_put(k->s, variable_of(k, by1, i), variable_of(k, by2, j), value);
    }
}

static void take_curvature_block(void *user, const ac_curvature_block *b)
{
    const interval_sink *k = user;
    ac_optimization *o = k->s->o;
    int n = b->size;
    if (!o->layout.charted) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                if (b->aa) take_curvature(user, AC_BY_A, b->at[i], AC_BY_A, b->at[j], b->aa[i * n + j]);
                if (b->bb) take_curvature(user, AC_BY_B, b->at[i], AC_BY_B, b->at[j], b->bb[i * n + j]);
            }
            for (int j = 0; b->ab && j < n; ++j)
                take_curvature(user, AC_BY_A, b->at[i], AC_BY_B, b->at[j], b->ab[i * n + j]);
        }
        return;
    }
    if (!k->s->values) return;
    ac_row_runs runs;
    ac_find_row_runs(o, b->at, n, &runs);
    if (b->aa) {
        ac_panel_multiply(&o->point.panel, n, n, runs.list, b->aa, n, 1, ac_point_of(o, k->interval).D);
        ac_row_sums_add_panel(&o->point.row_sums[AT_A], &o->point.panel, n, b->at, 0.5);
    }
    if (b->ab) {
        if (b->ab != b->aa)
            ac_panel_multiply(&o->point.panel, n, n, runs.list, b->ab, 1, n, ac_point_of(o, k->interval).D);
        ac_row_sums_add_panel(&o->point.row_sums[B_BY_A], &o->point.panel, n, b->at, 1.0);
    }
    if (!b->bb) return;
    ac_panel_multiply(&o->point.panel, n, n, runs.list, b->bb, n, 1, ac_point_of(o, k->interval + 1).D);
    ac_row_sums_add_panel(&o->point.row_sums[AT_B], &o->point.panel, n, b->at, 0.5);
}

/* From the first derivatives: the gradient by q, and the cross terms (dv)^T dR. */
static void take_cross(void *user, int side, int row, ac_by by, int column, double value)
{
    const interval_sink *k = user;
    const ac_optimization *o = k->s->o;
    int node = k->interval + side, W = o->layout.span, count, other_count;
    if (!ac_has_dynamics(o, node) || (value == 0.0 && k->s->values)) return;
    if (!o->layout.charted) {
        if (k->s->values && by <= AC_BY_B)
            ac_hessian_gradient(o, node, column, ac_hessian_weights(o, node)[row] * value);
        return;
    }
    if (by == AC_BY_H) value /= o->layout.N;
    const double *V = ac_hessian_along(o, node) + (size_t)row * (size_t)W;
    if (by > AC_BY_B) {
        put_path(k->s, variable_of(k, by, column), node, row, V, value);
        return;
    }
    if (!k->s->values) return;
    int other = node_of(k, by);
    ac_hessian_gradient(o, other, column, ac_hessian_weights(o, node)[row] * value);
    const int *path = ac_local_path(o, row, &count);
    const int *other_path = ac_local_path(o, column, &other_count);
    const double *D = ac_point_of(o, other).D + (size_t)column * (size_t)W;
    ac_row_sums *sums = k->s->o->point.row_sums;
    if (other < node) {
        ac_row_sums_add(&sums[V_BY_A], row, other_path, other_count, D, value);
    } else {
        ac_row_sums_add(&sums[other > node ? B_BY_A
                              : side == 0  ? AT_A
                                           : AT_B],
                        column, path, count, V, value);
    }
}

/* Gradient by q from a block: sum v . K over both sides. */
static void gradient_of_block(const interval_sink *k, const ac_slope_block *b)
{
    const ac_optimization *o = k->s->o;
    const double *va = ac_hessian_weights(o, k->interval), *vb = ac_hessian_weights(o, k->interval + 1);
    for (int i = 0; i < b->rows; ++i) {
        double v = (b->sides & AC_LEFT ? va[b->at[i]] : 0.0) + (b->sides & AC_RIGHT ? vb[b->at[i]] : 0.0);
        for (int j = 0; v != 0.0 && j < b->size; ++j) {
            if (b->by_a) ac_hessian_gradient(o, k->interval, b->at[j], v * b->by_a[i * b->size + j]);
            if (b->by_b) ac_hessian_gradient(o, k->interval + 1, b->at[j], v * b->by_b[i * b->size + j]);
        }
    }
}

static void take_cross_block(void *user, const ac_slope_block *b)
{
    const interval_sink *k = user;
    ac_optimization *o = k->s->o;
    int n = b->size, node = k->interval;
    ac_panel *panel = &o->point.panel;
    ac_row_runs runs;
    if (!k->s->values) return;
    gradient_of_block(k, b);
    if (!o->layout.charted) return;
    ac_find_row_runs(o, b->at, n, &runs);
    if (ac_has_dynamics(o, node) && (b->sides & AC_LEFT)) {
        if (b->by_a) {
            ac_panel_multiply(panel, n, b->rows, runs.list, b->by_a, 1, n, ac_hessian_along(o, node));
            ac_row_sums_add_panel(&o->point.row_sums[AT_A], panel, n, b->at, 1.0);
        }
        if (b->by_b) {
            if (b->by_b != b->by_a)
                ac_panel_multiply(panel, n, b->rows, runs.list, b->by_b, 1, n, ac_hessian_along(o, node));
            ac_row_sums_add_panel(&o->point.row_sums[B_BY_A], panel, n, b->at, 1.0);
        }
    }
    if (!ac_has_dynamics(o, node + 1) || !(b->sides & AC_RIGHT)) return;
    if (b->by_a) {
        ac_panel_multiply(panel, b->rows, n, runs.list, b->by_a, n, 1, ac_point_of(o, node).D);
        ac_row_sums_add_panel(&o->point.row_sums[V_BY_A], panel, b->rows, b->at, 1.0);
    }
    if (!b->by_b) return;
    ac_panel_multiply(panel, n, b->rows, runs.list, b->by_b, 1, n, ac_hessian_along(o, node + 1));
    ac_row_sums_add_panel(&o->point.row_sums[AT_B], panel, n, b->at, 1.0);
}

/* phi = -c h sum lambda_k v . G_k(q) */
static void constraint_forces(const ac_hessian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_constraints *c = &o->system->constraints;
    const double *v = ac_hessian_weights(o, node);
    double gradient[AC_ELEMENT_MAX], Av[AC_ELEMENT_MAX];
    double factor = -ac_multiplier_factor(o, node);
    int W = o->layout.span;
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->layout.constraint_rows[k], variable = ac_multiplier(o, node) + k,
            count = c->start[row + 1] - c->start[row];
        const int *at = c->coordinate + c->start[row];
        double lambda = o->point.x[variable], sum = 0.0;
        memset(Av, 0, sizeof Av);
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            Av[p->i] += p->a * v[at[p->j]];
            Av[p->j] += p->a * v[at[p->i]];
            if (!o->layout.charted || !s->values) continue;
            double a = factor * o->point.h * lambda * p->a;
            int ci, cj;
            const int *pi = ac_local_path(o, at[p->i], &ci), *pj = ac_local_path(o, at[p->j], &cj);
            const double *V = ac_hessian_along(o, node), *D = ac_point_of(o, node).D;
            double *block = ac_hessian_diagonal(o, node);
            add_outer(block, W, pi, ci, V + at[p->i] * W, pj, cj, D + at[p->j] * W, a);
            add_outer(block, W, pj, cj, D + at[p->j] * W, pi, ci, V + at[p->i] * W, a);
            add_outer(block, W, pj, cj, V + at[p->j] * W, pi, ci, D + at[p->i] * W, a);
            add_outer(block, W, pi, ci, D + at[p->i] * W, pj, cj, V + at[p->j] * W, a);
        }
        for (int e = 0; e < count; ++e) {
            sum += v[at[e]] * gradient[e];
            ac_hessian_put_qv(s, node, at[e], variable, factor * o->point.h * Av[e]);
            if (o->layout.by_time)
                ac_hessian_put_qv(s, node, at[e], o->layout.first.time,
                                  factor * lambda * Av[e] / o->layout.N);
            if (!o->layout.charted) continue;
            ac_hessian_gradient(o, node, at[e], factor * o->point.h * lambda * Av[e]);
            const double *V = ac_hessian_along(o, node) + at[e] * W;
            ac_hessian_put_local(s, variable, node, V, factor * o->point.h * gradient[e]);
            if (o->layout.by_time)
                ac_hessian_put_local(s, o->layout.first.time, node, V,
                                     factor * lambda * gradient[e] / o->layout.N);
        }
        if (o->layout.by_time) ac_hessian_put(s, variable, o->layout.first.time, factor * sum / o->layout.N);
    }
}

/* c M between the derivatives V of v = D mu and Vn of w = D nu, and of the latter by nu. */
typedef struct velocity_blocks {
    int W;
    double sign;
    const double *V, *Vn, *D;
    double *block, *mixed; /* mixed, rows: nu */
} velocity_blocks;

static void add_velocity_mass(void *user, int row, int column, double mass)
{
    const velocity_blocks *b = user;
    int W = b->W;
    const double *Vr = b->V + row * W, *Vc = b->Vn + column * W, *Dc = b->D + column * W;
    double c = b->sign * mass;
    for (int f = 0; f < W; ++f)
        for (int g = 0; g < W; ++g) {
            b->block[f * W + g] += c * (Vr[f] * Vc[g] + Vc[f] * Vr[g]);
            b->mixed[f * W + g] += c * Dc[f] * Vr[g];
        }
}

/* phi = +- v . M w with v = D mu, w = D nu */
static void momentum_of_velocity(const ac_hessian_pass *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N, T = o->layout.freedoms, W = o->layout.span;
    if (o->layout.first.velocity[e] < 0 || !ac_has_dynamics(o, node) || !o->layout.charted) return;
    double sign = e == 0 ? 1.0 : -1.0, *Mv = o->point.work, *mixed = o->point.local;
    const double *nu = o->point.x + o->layout.first.velocity[e];
    ac_chart_point p = ac_point_of(o, node);
    ac_mass_apply(o->system, ac_hessian_weights(o, node), Mv);
    for (int i = 0; i < o->layout.n; ++i) Mv[i] *= sign;
    memset(mixed, 0, (size_t)(W * W) * sizeof *mixed);
    ac_chart_along(&o->description.chart, &p, nu, o->point.Vn);
    if (s->values) {
        ac_chart_third(&o->description.chart, &p, Mv, nu, ac_hessian_diagonal(o, node));
        ac_chart_second(&o->description.chart, &p, Mv, mixed);
        velocity_blocks b = {
            W, sign, ac_hessian_along(o, node), o->point.Vn, p.D, ac_hessian_diagonal(o, node), mixed};
        ac_mass_each(o->system, add_velocity_mass, &b);
    }
    for (int f = 0; f < T; ++f)
        ac_hessian_put_local(s, o->layout.first.velocity[e] + f, node, mixed + f * W, 1.0);
}

/* mu . force of inputs on single freedoms: bilinear in control and step */
static void direct_forces(const ac_hessian_pass *s, int node)
{
    const ac_optimization *o = s->o;
    if (!o->layout.by_time || !o->layout.charted) return;
    int count = node == o->layout.N ? o->layout.end.row_count : o->layout.width;
    for (int r = 0; r < count; ++r) {
        int f = node == o->layout.N ? o->layout.end.rows[r] : r, inputs = o->description.discrete.input_count;
        for (int k = 0; k < inputs; ++k) {
            const ac_input *input = &o->description.discrete.inputs[k];
            if (input->freedom != f) continue;
            double value = s->mu ? 0.5 * s->mu[o->layout.dynamics_row[node] + r] * input->push / o->layout.N
                                 : 0.0;
            for (int n = node - 1; n <= node; ++n) {
                if (n < 0 || n >= o->layout.N) continue;
                if (!input->load) {
                    ac_hessian_put(s, ac_control_variable(o, n) + k, o->layout.first.time, value);
                } else if (o->point.tau_h) {
                    double bend = 2.0 * o->point.tau_h[n * inputs + k] +
                                  o->point.h * o->point.tau_hh[n * inputs + k];
                    ac_hessian_put(s, o->layout.first.time, o->layout.first.time, value * bend / o->layout.N);
                }
            }
        }
    }
}

/* Conditions on stresses stand interval by interval. */
static const double *stress_weights(const ac_hessian_pass *s, int interval)
{
    const ac_optimization *o = s->o;
    if (o->description.discrete.stress_count == 0) return NULL;
    return s->mu + o->layout.stress_row[interval];
}

/* In minimal coordinates: residuals are those of what is held alone. */
static void minimal_dynamics(const ac_hessian_pass *s)
{
    ac_minimal_hessian(s->o, s->mu, s->values);
    if (s->o->description.phase.hold_count == 0) return;
    prepare_weights(s);
    ac_hold_curvature(s);
}

static void dynamics(const ac_hessian_pass *s)
{
    ac_optimization *o = s->o;
    if (ac_is_minimal(o)) {
        minimal_dynamics(s);
        return;
    }
    prepare_weights(s);
    for (int n = 0; n < o->layout.N; ++n) {
        interval_sink k = {s, n};
        ac_discrete_point p = ac_interval_point(o, n);
        if (s->mu) p.stress_weights = stress_weights(s, n);
        ac_discrete_curvature(&o->description.discrete, &p, o->layout.by_time, ac_hessian_weights(o, n),
                              ac_hessian_weights(o, n + 1),
                              &(ac_curvature_sinks){take_curvature, take_curvature_block}, &k);
        if (o->layout.charted || o->layout.extended > o->layout.n)
            ac_discrete_slopes(&o->description.discrete, &p, o->layout.by_time,
                               &(ac_slope_sinks){take_cross, take_cross_block}, &k);
        if (o->layout.charted && s->values) finish_row_sums(s, n);
    }
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        constraint_forces(s, n);
        direct_forces(s, n);
    }
    ac_hold_curvature(s);
    momentum_of_velocity(s, 0);
    momentum_of_velocity(s, 1);
}

/* --- the chart --- */

static void velocity_chart(const ac_hessian_pass *s, int e)
{
    ac_optimization *o = s->o;
    int node = e == 0 ? 0 : o->layout.N, T = o->layout.freedoms, W = o->layout.span;
    if (o->layout.first.velocity[e] < 0) return;
    const double *Gw = o->point.Gw + (size_t)e * (size_t)o->layout.n,
                 *nu = o->point.x + o->layout.first.velocity[e];
    ac_chart_point p = ac_point_of(o, node);
    memset(o->point.local, 0, (size_t)(W * W) * sizeof *o->point.local);
    if (s->values) {
        ac_chart_third(&o->description.chart, &p, Gw, nu, ac_hessian_diagonal(o, node));
        ac_chart_second(&o->description.chart, &p, Gw, o->point.local);
    }
    for (int f = 0; f < T; ++f)
        ac_hessian_put_local(s, o->layout.first.velocity[e] + f, node, o->point.local + f * W, 1.0);
}

/* Rows of the parameters: local coordinates of every node. */
static void flush_parameters(const ac_hessian_pass *s, int n)
{
    const ac_optimization *o = s->o;
    int T = o->layout.freedoms, W = o->layout.span, first = o->layout.first.parameter;
    const double *own = ac_hessian_diagonal(o, n), *lower = lower_block(o, n);
    for (int j = 0; j < o->layout.parameters; ++j) {
        ac_hessian_put_run(s, first + j, ac_y(o, n), T, own + (T + j) * W, 1.0);
        if (n < o->layout.N) ac_hessian_put_run(s, first + j, ac_y(o, n), T, lower + (T + j) * W, 1.0);
        for (int f = 0; n < o->layout.N && f < T; ++f)
            ac_hessian_put(s, first + j, ac_y(o, n + 1) + f, lower[f * W + T + j]);
        for (int k = 0; k <= j; ++k) {
            ac_hessian_put(s, first + j, first + k, own[(T + j) * W + T + k]);
            if (n < o->layout.N)
                ac_hessian_put(s, first + j, first + k,
                               lower[(T + j) * W + T + k] + lower[(T + k) * W + T + j]);
        }
    }
}

static void flush_chart(const ac_hessian_pass *s)
{
    ac_optimization *o = s->o;
    int T = o->layout.freedoms, W = o->layout.span;
    velocity_chart(s, 0);
    velocity_chart(s, 1);
    for (int n = 0; n <= o->layout.N; ++n) {
        ac_chart_point p = ac_point_of(o, n);
        if (s->values)
            ac_chart_second(&o->description.chart, &p, o->point.G + (size_t)n * (size_t)o->layout.n,
                            ac_hessian_diagonal(o, n));
        for (int f = 0; f < T; ++f) {
            ac_hessian_put_run(s, ac_y(o, n) + f, ac_y(o, n), f + 1, ac_hessian_diagonal(o, n) + f * W, 1.0);
            if (n < o->layout.N)
                ac_hessian_put_run(s, ac_y(o, n + 1) + f, ac_y(o, n), T, lower_block(o, n) + f * W, 1.0);
        }
        if (o->layout.parameters > 0) flush_parameters(s, n);
    }
}

static void clear_pairs(const ac_optimization *o)
{
    size_t P = (size_t)o->layout.parameters, moving = (size_t)(o->layout.extended - o->layout.n);
    memset(o->point.pairs, 0, P * P * sizeof *o->point.pairs);
    memset(o->point.by_moving, 0, moving * sizeof *o->point.by_moving);
}

/* Second derivatives by two parameters, with those of the moving data. */
static void flush_pairs(const ac_optimization *o, double *values)
{
    int P = o->layout.parameters, first = o->layout.first.parameter;
    for (int i = o->layout.n; i < o->layout.extended; ++i) {
        const ac_jet *jet = ac_moving_jet(o, i);
        for (int a = 0; jet->dd && a < jet->count; ++a)
            for (int b = 0; b <= a; ++b)
                o->point.pairs[jet->by[a] * P + jet->by[b]] += o->point.by_moving[i - o->layout.n] *
                                                               jet->dd[a * jet->count + b];
    }
    for (int j = 0; j < P; ++j)
        for (int k = 0; k <= j; ++k)
            values[ac_pattern_find(&o->layout.hessian, first + j, first + k)] += o->point.pairs[j * P + k];
}

void ac_evaluate_hessian(ac_optimization *o, double sigma, const double *mu, double *values)
{
    const ac_hessian_pass s = {o, values, values ? mu : NULL};
    size_t nodes = (size_t)o->layout.N + 1, W = (size_t)o->layout.span;
    if (o->description.phases) {
        ac_phases_hessian(o, sigma, mu, values);
        return;
    }
    if (values) memset(values, 0, (size_t)o->layout.hessian.entries * sizeof *values);
    memset(o->point.Gw, 0, 2 * (size_t)o->layout.n * sizeof *o->point.Gw);
    if (o->layout.parameters > 0) clear_pairs(o);
    for (int j = 0; !values && j < o->layout.parameters; ++j)
        for (int k = 0; k <= j; ++k)
            ac_hessian_put(&s, o->layout.first.parameter + j, o->layout.first.parameter + k, 0.0);
    if (o->layout.charted) {
        memset(o->point.blocks_d, 0, nodes * W * W * sizeof *o->point.blocks_d);
        memset(o->point.blocks_o, 0, nodes * W * W * sizeof *o->point.blocks_o);
        memset(o->point.G, 0, nodes * (size_t)o->layout.n * sizeof *o->point.G);
    }
    dynamics(&s);
    if (o->layout.parameters > 0) ac_hessian_dynamics_parameters(&s);
    ac_hessian_objectives(&s, sigma);
    ac_hessian_rows(&s);
    if (o->layout.charted) flush_chart(&s);
    if (values && o->layout.parameters > 0) flush_pairs(o, values);
}
