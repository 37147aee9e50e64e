/* Equations of motion in minimal coordinates: discrete mechanics of the angles (DMOC), and collocation on
 * (q, p) and (q, v).
 *
 *   DMOC     right_{n-1} + left_n = 0,   left = -p + h/2 (F + tau),  right = p + h/2 (F + tau)  at the mean
 *   (q, p)   p_n + left_n = 0,   p_{n+1} - right_n = 0
 *   (q, v)   b - a - h (v_a + v_b)/2 = 0,   m (v_b - v_a) + h (C - F - tau) = 0  at the means
 */
#include <math.h>
#include <string.h>

#include "optimize/problem/optimization.h"
#include "action/inertia.h"

enum { SIZE = AC_MINIMAL_MAX, SQUARE = AC_MINIMAL_MAX * AC_MINIMAL_MAX };

typedef struct interval {
    ac_optimization *o;
    int n, T;
    const double *a, *b, *va, *vb;          /* va, vb: momenta or velocities of collocation */
    double mean[SIZE], v[SIZE], turn[SIZE]; /* turn: generalised force of the controls */
    double p[SIZE], p_t[SQUARE], p_v[SQUARE];
    double f[SIZE], f_t[SQUARE], f_v[SQUARE];
    double c[SIZE], c_t[SQUARE], c_v[SQUARE];
} interval;

/* Generalised force of control k on freedom f, constant for these joints. */
static double selection(const ac_optimization *o, int k, int f)
{
    return o->point.selection[k * o->layout.freedoms + f];
}

/* What a unit of a control does along all freedoms in the assembled configuration. */
typedef struct selecting {
    const double *D;
    int freedoms;
    double *forces;
} selecting;

static void select_row(void *user, int row, double value)
{
    const selecting *s = user;
    for (int f = 0; f < s->freedoms; ++f) s->forces[f] += value * s->D[row * s->freedoms + f];
}

void ac_minimal_select(ac_optimization *o)
{
    int T = o->layout.freedoms;
    const ac_chart_point *point = &o->point.minimal.point;
    memset(o->point.selection, 0, (size_t)(o->description.control_count * T) * sizeof *o->point.selection);
    memset(o->point.minimal.theta, 0, (size_t)T * sizeof *o->point.minimal.theta);
    ac_minimal_at(&o->point.minimal, o->point.minimal.theta, 1);
    for (int k = 0; k < o->description.control_count; ++k) {
        selecting s = {point->D, T, o->point.selection + k * T};
        ac_input_force(&o->description.discrete, AC_AT_TIME_NODE, k, point->q, select_row, &s);
    }
}

static int momentum_variable(const ac_optimization *o, int node)
{
    return o->layout.first.momentum + node * o->layout.freedoms;
}

static void look_at(ac_optimization *o, int n, int order, interval *s)
{
    int T = o->layout.freedoms;
    bool speeds = o->transcription == AC_COLLOCATION_QV;
    s->o = o;
    s->n = n;
    s->T = T;
    s->a = o->point.x + ac_y(o, n);
    s->b = o->point.x + ac_y(o, n + 1);
    s->va = s->vb = NULL;
    if (o->layout.first.momentum >= 0) {
        s->va = o->point.x + momentum_variable(o, n);
        s->vb = s->va + T;
    }
    for (int f = 0; f < T; ++f) {
        s->mean[f] = 0.5 * (s->a[f] + s->b[f]);
        s->v[f] = speeds ? 0.5 * (s->va[f] + s->vb[f]) : (s->b[f] - s->a[f]) / o->point.h;
        s->turn[f] = 0.0;
        for (int k = 0; k < o->description.control_count; ++k)
            s->turn[f] += selection(o, k, f) * o->point.x[ac_control_variable(o, n) + k];
    }
    ac_minimal_at(&o->point.minimal, s->mean, order);
    ac_minimal_momentum(&o->point.minimal, s->v, s->p, s->p_t, s->p_v);
    ac_minimal_force(&o->point.minimal, s->v, s->f, s->f_t, s->f_v);
    if (speeds) ac_minimal_turning(&o->point.minimal, s->v, s->c, s->c_t, s->c_v);
}

/* Momentum (or velocity) that is given at an end. */
static double given(const ac_optimization *o, int node, int f)
{
    const double *w = o->point.velocity[node == 0 ? 0 : 1];
    int unknown = o->layout.first.velocity[node == 0 ? 0 : 1];
    if (o->transcription == AC_COLLOCATION_QV)
        return unknown >= 0 ? o->point.x[unknown + f] : node == 0 ? o->system->initial.u[f] : 0.0;
    double sum = 0.0;
    ac_mass_apply(o->system, w, o->point.work);
    const double *D = ac_point_of(o, node).D;
    for (int i = 0; i < o->layout.n; ++i) sum += D[i * o->layout.freedoms + f] * o->point.work[i];
    return sum;
}

/* --- values --- */

/* Generalised force of what is held. */
static double hold_force(const ac_optimization *o, int node, int f)
{
    const double *D = ac_point_of(o, node).D, *R = ac_residual(o, node);
    double sum = 0.0;
    for (int i = 0; i < o->layout.n && o->description.phase.hold_count > 0; ++i)
        sum += D[i * o->layout.freedoms + f] * R[i];
    return sum;
}

static void interval_values(const interval *s, double *c)
{
    const ac_optimization *o = s->o;
    double h = o->point.h;
    int T = s->T;
    for (int f = 0; f < T; ++f) {
        double push = 0.5 * h * (s->f[f] + s->turn[f]);
        double left = push - s->p[f], right = push + s->p[f];
        int next = s->n + 1, rows = next == o->layout.N ? o->layout.end.row_count : T;
        if (ac_has_dynamics(o, s->n)) c[o->layout.dynamics_row[s->n] + f] += left;
        for (int r = 0; ac_has_dynamics(o, next) && r < rows; ++r)
            if ((next == o->layout.N ? o->layout.end.rows[r] : r) == f)
                c[o->layout.dynamics_row[next] + r] += right;
    }
}

static void collocation_values(const interval *s, double *c)
{
    const ac_optimization *o = s->o;
    double h = o->point.h;
    int T = s->T;
    for (int f = 0; f < T; ++f) {
        double push = 0.5 * h * (s->f[f] + s->turn[f]);
        if (o->transcription == AC_COLLOCATION_QP) {
            c[f] = s->va[f] + push - s->p[f];
            c[T + f] = s->vb[f] - push - s->p[f];
            continue;
        }
        c[f] = s->b[f] - s->a[f] - h * s->v[f];
        c[T + f] = h * (s->c[f] - s->f[f] - s->turn[f]);
        for (int j = 0; j < T; ++j) c[T + f] += o->point.minimal.m[f * T + j] * (s->vb[j] - s->va[j]);
    }
}

void ac_minimal_rows(ac_optimization *o, double *c)
{
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        for (int r = 0; r < (n == o->layout.N ? o->layout.end.row_count : o->layout.width); ++r) {
            int f = n == o->layout.N ? o->layout.end.rows[r] : r;
            double *row = c + o->layout.dynamics_row[n] + r;
            *row = hold_force(o, n, f);
            if (n == 0) *row += given(o, 0, f);
            if (n == o->layout.N) *row -= given(o, n, f);
        }
    }
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        interval s;
        if (block->kind == AC_ROW_MOMENTUM) {
            look_at(o, block->place, 1, &s);
            collocation_values(&s, c + block->first);
        } else if (block->kind == AC_ROW_VELOCITY) {
            for (int f = 0; f < block->count; ++f)
                c[block->first + f] = o->point.x[momentum_variable(o, block->place) + f] -
                                      given(o, block->place, f);
        }
    }
    if (o->transcription != AC_MINIMAL) return;
    for (int n = 0; n < o->layout.N; ++n) {
        interval s;
        look_at(o, n, 1, &s);
        interval_values(&s, c);
    }
}

/* Change of the momenta of the nodes minus the impulse: m v of collocation on (q, v), those of the discrete Lagrangian of that
 * on (q, p). */
double ac_minimal_defect(ac_optimization *o)
{
    double most = 0.0, before[SIZE] = {0.0}, after[SIZE], t[SQUARE], v[SQUARE];
    int T = o->layout.freedoms;
    interval s;
    for (int n = 0; n < o->layout.N; ++n) {
        look_at(o, n, 1, &s);
        for (int f = 0; f < T; ++f) after[f] = 0.5 * o->point.h * (s.f[f] + s.turn[f]);
        if (o->transcription == AC_COLLOCATION_QV) {
            double pa[SIZE], pb[SIZE];
            ac_minimal_at(&o->point.minimal, s.a, 1);
            ac_minimal_momentum(&o->point.minimal, s.va, pa, t, v);
            ac_minimal_at(&o->point.minimal, s.b, 1);
            ac_minimal_momentum(&o->point.minimal, s.vb, pb, t, v);
            most = fmax(most, fabs(pb[0] - pa[0] - 2.0 * after[0])); /* the first freedom turns everything */
            continue;
        }
        for (int f = 0; f < T; ++f) {
            if (n > 0) most = fmax(most, fabs(before[f] + after[f] - s.p[f]));
            before[f] = after[f] + s.p[f];
        }
    }
    return most;
}

/* --- first derivatives --- */

typedef struct sweep {
    ac_optimization *o;
    ac_pattern *pattern;
    double *values;
} sweep;

static void put(const sweep *s, int row, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(s->pattern, row, column);
    } else {
        s->values[ac_pattern_find(s->pattern, row, column)] += value;
    }
}

/* One row: sign p_f + weight (F_f + tau_f) h/2. */
static void momentum_row(const sweep *w, const interval *s, int row, int f, double sign, double weight)
{
    const ac_optimization *o = s->o;
    int T = s->T;
    double h = o->point.h, half = 0.5 * h * weight,
           by_h = 0.5 * weight * (s->f[f] + s->turn[f]) - sign * s->p[f] / h;
    for (int j = 0; j < T; ++j) {
        double by_theta = 0.5 * (sign * s->p_t[f * T + j] + half * s->f_t[f * T + j]);
        double by_v = (sign * s->p_v[f * T + j] + half * s->f_v[f * T + j]) / h;
        put(w, row, ac_y(o, s->n) + j, by_theta - by_v);
        put(w, row, ac_y(o, s->n + 1) + j, by_theta + by_v);
        by_h -= 0.5 * weight * s->f_v[f * T + j] * s->v[j];
    }
    for (int k = 0; k < o->description.control_count; ++k)
        put(w, row, ac_control_variable(o, s->n) + k, half * selection(o, k, f));
    if (o->layout.by_time) put(w, row, o->layout.first.time, by_h / o->layout.N);
}

static void speed_rows(const sweep *w, const interval *s, int first)
{
    const ac_optimization *o = s->o;
    int T = s->T, va = momentum_variable(o, s->n), vb = momentum_variable(o, s->n + 1);
    double h = o->point.h;
    for (int f = 0; f < T; ++f) {
        put(w, first + f, ac_y(o, s->n) + f, -1.0);
        put(w, first + f, ac_y(o, s->n + 1) + f, 1.0);
        put(w, first + f, va + f, -0.5 * h);
        put(w, first + f, vb + f, -0.5 * h);
        if (o->layout.by_time) put(w, first + f, o->layout.first.time, -s->v[f] / o->layout.N);
        int row = first + T + f;
        for (int j = 0; j < T; ++j) {
            double by_theta = 0.5 * h * (s->c_t[f * T + j] - s->f_t[f * T + j]);
            double by_v = 0.5 * h * (s->c_v[f * T + j] - s->f_v[f * T + j]),
                   m = o->point.minimal.m[f * T + j];
            for (int i = 0; i < T; ++i)
                by_theta += 0.5 * o->point.minimal.m1[(j * T + f) * T + i] * (s->vb[i] - s->va[i]);
            put(w, row, ac_y(o, s->n) + j, by_theta);
            put(w, row, ac_y(o, s->n + 1) + j, by_theta);
            put(w, row, va + j, by_v - m);
            put(w, row, vb + j, by_v + m);
        }
        for (int k = 0; k < o->description.control_count; ++k)
            put(w, row, ac_control_variable(o, s->n) + k, -h * selection(o, k, f));
        if (o->layout.by_time)
            put(w, row, o->layout.first.time, (s->c[f] - s->f[f] - s->turn[f]) / o->layout.N);
    }
}

/* sign m(theta) w in row `row`, freedom f, with an unknown velocity w at an end; speeds: the velocity
 * itself. */
static void end_row(const sweep *k, int e, int row, int f, double sign)
{
    ac_optimization *o = k->o;
    int T = o->layout.freedoms, node = e == 0 ? 0 : o->layout.N, unknown = o->layout.first.velocity[e];
    if (unknown < 0) return;
    if (o->transcription == AC_COLLOCATION_QV) {
        put(k, row, unknown + f, sign);
        return;
    }
    double p[SIZE], by_theta[SQUARE], by_v[SQUARE];
    ac_minimal_at(&o->point.minimal, o->point.x + ac_y(o, node), 1);
    ac_minimal_momentum(&o->point.minimal, o->point.x + unknown, p, by_theta, by_v);
    for (int j = 0; j < T; ++j) {
        put(k, row, ac_y(o, node) + j, sign * by_theta[f * T + j]);
        put(k, row, unknown + j, sign * by_v[f * T + j]);
    }
}

static void end_rows(const sweep *k)
{
    const ac_optimization *o = k->o;
    for (int e = 0; e < 2 && o->transcription == AC_MINIMAL; ++e) {
        int node = e == 0 ? 0 : o->layout.N;
        if (!ac_has_dynamics(o, node)) continue;
        for (int r = 0; r < (e == 1 ? o->layout.end.row_count : o->layout.width); ++r)
            end_row(k, e, o->layout.dynamics_row[node] + r, e == 1 ? o->layout.end.rows[r] : r,
                    e == 0 ? 1.0 : -1.0);
    }
}

void ac_minimal_jacobian(ac_optimization *o, double *values)
{
    const sweep w = {o, &o->layout.jacobian, values};
    end_rows(&w);
    interval s;
    int T = o->layout.freedoms;
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        if (block->kind == AC_ROW_VELOCITY)
            for (int f = 0; f < block->count; ++f) {
                put(&w, block->first + f, momentum_variable(o, block->place) + f, 1.0);
                end_row(&w, block->place == 0 ? 0 : 1, block->first + f, f, -1.0);
            }
        if (block->kind != AC_ROW_MOMENTUM) continue;
        look_at(o, block->place, 2, &s);
        if (o->transcription == AC_COLLOCATION_QV) {
            speed_rows(&w, &s, block->first);
            continue;
        }
        for (int f = 0; f < T; ++f) {
            put(&w, block->first + f, momentum_variable(o, s.n) + f, 1.0);
            put(&w, block->first + T + f, momentum_variable(o, s.n + 1) + f, 1.0);
            momentum_row(&w, &s, block->first + f, f, -1.0, 1.0);
            momentum_row(&w, &s, block->first + T + f, f, -1.0, -1.0);
        }
    }
    for (int n = 0; n < o->layout.N && o->transcription == AC_MINIMAL; ++n) {
        look_at(o, n, 2, &s);
        for (int side = 0; side < 2; ++side) {
            int node = n + side;
            if (!ac_has_dynamics(o, node)) continue;
            for (int r = 0; r < (node == o->layout.N ? o->layout.end.row_count : T); ++r)
                momentum_row(&w, &s, o->layout.dynamics_row[node] + r,
                             node == o->layout.N ? o->layout.end.rows[r] : r, side == 0 ? -1.0 : 1.0, 1.0);
        }
    }
}

/* --- second derivatives --- */

static void put_lower(const sweep *s, int i, int j, double value)
{
    put(s, i > j ? i : j, i > j ? j : i, value);
}

/* Phi = (wr - wl) . p + h/2 (wl + wr) . (F + tau) */
static void momentum_curvature(const sweep *w, const interval *s, const double *wl, const double *wr)
{
    ac_optimization *o = s->o;
    int T = s->T;
    double tt[SQUARE] = {0.0}, tv[SQUARE] = {0.0}, vv[SQUARE] = {0.0};
    double d[SIZE] = {0.0}, W[SIZE] = {0.0}, gv[SIZE] = {0.0}, Ft[SIZE] = {0.0}, Fv[SIZE] = {0.0},
           h = o->point.h;
    for (int f = 0; f < T; ++f) {
        d[f] = wr[f] - wl[f];
        W[f] = wl[f] + wr[f];
    }
    ac_minimal_momentum_second(&o->point.minimal, s->v, d, 1.0, tt, tv);
    ac_minimal_force_second(&o->point.minimal, s->v, W, 0.5 * h, tt, tv, vv);
    for (int f = 0; f < T; ++f) {
        for (int j = 0; j < T; ++j) {
            Ft[j] += W[f] * s->f_t[f * T + j];
            Fv[j] += W[f] * s->f_v[f * T + j];
            gv[j] += d[f] * s->p_v[f * T + j] + 0.5 * h * W[f] * s->f_v[f * T + j];
        }
    }
    const double at[2] = {0.5, 0.5}, av[2] = {-1.0 / h, 1.0 / h};
    double hh = 0.0;
    for (int x = 0; x < 2; ++x) {
        for (int i = 0; i < T; ++i) {
            int vi = ac_y(o, s->n + x) + i;
            for (int y = 0; y <= x; ++y)
                for (int j = 0; j < (y == x ? i + 1 : T); ++j)
                    put_lower(w, vi, ac_y(o, s->n + y) + j,
                              at[x] * at[y] * tt[i * T + j] + at[x] * av[y] * tv[i * T + j] +
                                  av[x] * at[y] * tv[j * T + i] + av[x] * av[y] * vv[i * T + j]);
            if (!o->layout.by_time) continue;
            double mixed = -gv[i] * av[x] / h + 0.5 * (Ft[i] * at[x] + Fv[i] * av[x]);
            for (int j = 0; j < T; ++j)
                mixed -= (at[x] * tv[i * T + j] + av[x] * vv[i * T + j]) * s->v[j] / h;
            put_lower(w, vi, o->layout.first.time, mixed / o->layout.N);
        }
    }
    if (!o->layout.by_time) return;
    for (int i = 0; i < T; ++i) {
        hh += 2.0 * gv[i] * s->v[i] / (h * h) - Fv[i] * s->v[i] / h;
        for (int j = 0; j < T; ++j) hh += s->v[i] * vv[i * T + j] * s->v[j] / (h * h);
    }
    put_lower(w, o->layout.first.time, o->layout.first.time, hh / ((double)o->layout.N * o->layout.N));
    for (int k = 0; k < o->description.control_count; ++k) {
        double sum = 0.0;
        for (int f = 0; f < T; ++f) sum += 0.5 * W[f] * selection(o, k, f);
        put_lower(w, ac_control_variable(o, s->n) + k, o->layout.first.time, sum / o->layout.N);
    }
}

/* Psi = mu1 . (b - a - h v) + w . m delta + h w . (C - F - tau), v the mean and delta the difference of v_a
 * and v_b */
static void speed_curvature(const sweep *k, const interval *s, const double *mu1, const double *w)
{
    ac_optimization *o = s->o;
    int T = s->T, va = momentum_variable(o, s->n), vb = momentum_variable(o, s->n + 1);
    double tt[SQUARE] = {0.0}, tv[SQUARE] = {0.0}, vv[SQUARE] = {0.0}, td[SQUARE] = {0.0};
    double delta[SIZE] = {0.0}, Gt[SIZE] = {0.0}, Gv[SIZE] = {0.0}, h = o->point.h;
    for (int f = 0; f < T; ++f) delta[f] = s->vb[f] - s->va[f];
    ac_minimal_momentum_second(&o->point.minimal, delta, w, 1.0, tt, td);
    ac_minimal_turning_second(&o->point.minimal, s->v, w, h, tt, tv, vv);
    ac_minimal_force_second(&o->point.minimal, s->v, w, -h, tt, tv, vv);
    for (int f = 0; f < T; ++f)
        for (int j = 0; j < T; ++j) {
            Gt[j] += w[f] * (s->c_t[f * T + j] - s->f_t[f * T + j]);
            Gv[j] += w[f] * (s->c_v[f * T + j] - s->f_v[f * T + j]);
        }
    for (int i = 0; i < T; ++i) {
        for (int x = 0; x < 2; ++x) {
            int theta = ac_y(o, s->n + x) + i, speed = (x == 0 ? va : vb) + i;
            for (int y = 0; y <= x; ++y)
                for (int j = 0; j < (y == x ? i + 1 : T); ++j) {
                    put_lower(k, theta, ac_y(o, s->n + y) + j, 0.25 * tt[i * T + j]);
                    put_lower(k, speed, (y == 0 ? va : vb) + j, 0.25 * vv[i * T + j]);
                }
            for (int j = 0; j < T; ++j) {
                put_lower(k, theta, va + j, 0.25 * tv[i * T + j] - 0.5 * td[i * T + j]);
                put_lower(k, theta, vb + j, 0.25 * tv[i * T + j] + 0.5 * td[i * T + j]);
            }
            if (!o->layout.by_time) continue;
            put_lower(k, theta, o->layout.first.time, 0.5 * Gt[i] / o->layout.N);
            put_lower(k, speed, o->layout.first.time, 0.5 * (Gv[i] - mu1[i]) / o->layout.N);
        }
    }
    for (int c = 0; c < o->description.control_count && o->layout.by_time; ++c) {
        double sum = 0.0;
        for (int f = 0; f < T; ++f) sum -= w[f] * selection(o, c, f);
        put_lower(k, ac_control_variable(o, s->n) + c, o->layout.first.time, sum / o->layout.N);
    }
}

static void gather_weights(const ac_optimization *o, const double *mu, int node, double *w)
{
    memset(w, 0, SIZE * sizeof *w);
    if (!mu || !ac_has_dynamics(o, node)) return;
    for (int r = 0; r < (node == o->layout.N ? o->layout.end.row_count : o->layout.width); ++r)
        w[node == o->layout.N ? o->layout.end.rows[r] : r] = mu[o->layout.dynamics_row[node] + r];
}

/* sign mu . m(theta) w */
static void end_curvature(const sweep *k, int e, const double *mu, double sign)
{
    ac_optimization *o = k->o;
    int T = o->layout.freedoms, node = e == 0 ? 0 : o->layout.N, unknown = o->layout.first.velocity[e];
    double tt[SQUARE] = {0.0}, tv[SQUARE] = {0.0};
    if (unknown < 0 || o->transcription == AC_COLLOCATION_QV) return;
    ac_minimal_at(&o->point.minimal, o->point.x + ac_y(o, node), 2);
    ac_minimal_momentum_second(&o->point.minimal, o->point.x + unknown, mu, sign, tt, tv);
    for (int i = 0; i < T; ++i) {
        for (int j = 0; j <= i; ++j) put_lower(k, ac_y(o, node) + i, ac_y(o, node) + j, tt[i * T + j]);
        for (int j = 0; j < T; ++j) put_lower(k, ac_y(o, node) + i, unknown + j, tv[i * T + j]);
    }
}

void ac_minimal_hessian(ac_optimization *o, const double *mu, double *values)
{
    static const double zero[2 * SIZE] = {0.0};
    const sweep w = {o, &o->layout.hessian, values};
    interval s;
    double wl[SIZE], wr[SIZE];
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        const double *own = values ? mu + block->first : zero;
        if (block->kind == AC_ROW_VELOCITY) end_curvature(&w, block->place == 0 ? 0 : 1, own, -1.0);
        if (block->kind != AC_ROW_MOMENTUM) continue;
        look_at(o, block->place, 3, &s);
        if (o->transcription == AC_COLLOCATION_QV) {
            speed_curvature(&w, &s, own, own + s.T);
        } else {
            for (int f = 0; f < s.T; ++f) {
                wl[f] = own[f];
                wr[f] = -own[s.T + f];
            }
            momentum_curvature(&w, &s, wl, wr);
        }
    }
    for (int e = 0; e < 2 && o->transcription == AC_MINIMAL; ++e) {
        gather_weights(o, values ? mu : NULL, e == 0 ? 0 : o->layout.N, wl);
        if (ac_has_dynamics(o, e == 0 ? 0 : o->layout.N)) end_curvature(&w, e, wl, e == 0 ? 1.0 : -1.0);
    }
    for (int n = 0; n < o->layout.N && o->transcription == AC_MINIMAL; ++n) {
        look_at(o, n, 3, &s);
        gather_weights(o, values ? mu : NULL, n, wl);
        gather_weights(o, values ? mu : NULL, n + 1, wr);
        momentum_curvature(&w, &s, wl, wr);
    }
}
