/* Equations of motion in minimal coordinates: discrete mechanics of the angles (DMOC), and collocation on
 * (q, p) and (q, v).
 *
 *   DMOC     right_{n-1} + left_n = 0,   left = -p + h/2 (F + tau),  right = p + h/2 (F + tau)  at the mean
 *   (q, p)   p_n + left_n = 0,   p_{n+1} - right_n = 0
 *   (q, v)   b - a - h (v_a + v_b)/2 = 0,   m (v_b - v_a) + h (B - tau) = 0  at the means
 */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "action/inertia.h"

/* Workspace: squares of the freedoms, then rows of them. p: momentum (of the difference of the velocities for collocation on
 * (q, v)), f: force, or bias there; the second derivatives; weights of the two ends; sums. */
enum { P_T, P_V, F_T, F_V, TT, TV, VV, TD, SQUARES };
enum { MEAN, V, TURN, P, F, DELTA, WEIGHTS, GV, FT, FV, LEFT, RIGHT, ROWS };

size_t ac_minimal_room(int freedoms)
{
    size_t T = (size_t)freedoms;
    return SQUARES * T * T + ROWS * T;
}

static double *square(const ac_optimization *o, int k)
{
    return o->point.local + k * o->layout.freedoms * o->layout.freedoms;
}

static double *row(const ac_optimization *o, int k)
{
    return square(o, SQUARES) + k * o->layout.freedoms;
}

static void clear(const ac_optimization *o, double *x, bool is_square)
{
    size_t T = (size_t)o->layout.freedoms;
    memset(x, 0, (is_square ? T * T : T) * sizeof *x);
}

typedef struct interval {
    ac_optimization *o;
    int n, T;
    const double *a, *b, *va, *vb; /* va, vb: momenta or velocities of collocation */
    double *mean, *v, *turn;       /* turn: generalised force of the controls */
    double *p, *p_t, *p_v;
    double *f, *f_t, *f_v;
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
    memset(o->point.minimal.row, 0, (size_t)T * sizeof *o->point.minimal.row);
    ac_minimal_at(&o->point.minimal, o->point.minimal.row);
    for (int k = 0; k < o->description.control_count; ++k) {
        selecting s = {point->D, T, o->point.selection + k * T};
        ac_input_force(&o->description.discrete, AC_AT_TIME_NODE, k, point->q, select_row, &s);
    }
}

static int momentum_variable(const ac_optimization *o, int node)
{
    return o->layout.first.momentum + node * o->layout.freedoms;
}

static bool has_speeds(const ac_optimization *o)
{
    return o->transcription == AC_COLLOCATION_QV;
}

static void look_at(ac_optimization *o, int n, bool slopes, interval *s)
{
    int T = o->layout.freedoms;
    *s = (interval){.o = o,
                    .n = n,
                    .T = T,
                    .a = o->point.x + ac_y(o, n),
                    .b = o->point.x + ac_y(o, n + 1),
                    .mean = row(o, MEAN),
                    .v = row(o, V),
                    .turn = row(o, TURN),
                    .p = row(o, P),
                    .f = row(o, F)};
    if (o->layout.first.momentum >= 0) {
        s->va = o->point.x + momentum_variable(o, n);
        s->vb = s->va + T;
    }
    if (slopes) {
        s->p_t = square(o, P_T);
        s->p_v = square(o, P_V);
        s->f_t = square(o, F_T);
        s->f_v = square(o, F_V);
    }
    double *delta = row(o, DELTA);
    for (int f = 0; f < T; ++f) {
        s->mean[f] = 0.5 * (s->a[f] + s->b[f]);
        s->v[f] = has_speeds(o) ? 0.5 * (s->va[f] + s->vb[f]) : (s->b[f] - s->a[f]) / o->point.h;
        delta[f] = has_speeds(o) ? s->vb[f] - s->va[f] : 0.0;
        s->turn[f] = 0.0;
        for (int k = 0; k < o->description.control_count; ++k)
            s->turn[f] += selection(o, k, f) * o->point.x[ac_control_variable(o, n) + k];
    }
    ac_minimal *minimal = &o->point.minimal;
    ac_minimal_at(minimal, s->mean);
    ac_minimal_momentum(minimal, has_speeds(o) ? delta : s->v, s->p, s->p_t, s->p_v);
    if (has_speeds(o)) {
        ac_minimal_bias(minimal, s->v, s->f, s->f_t, s->f_v);
    } else {
        ac_minimal_force(minimal, s->v, s->f, s->f_t, s->f_v);
    }
}

/* Momentum (or velocity) that is given at an end. */
static double given(const ac_optimization *o, int node, int f)
{
    const double *w = o->point.velocity[node == 0 ? 0 : 1];
    int unknown = o->layout.first.velocity[node == 0 ? 0 : 1];
    if (has_speeds(o))
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
        if (has_speeds(o)) {
            c[f] = s->b[f] - s->a[f] - h * s->v[f];
            c[T + f] = s->p[f] + h * (s->f[f] - s->turn[f]);
            continue;
        }
        double push = 0.5 * h * (s->f[f] + s->turn[f]);
        c[f] = s->va[f] + push - s->p[f];
        c[T + f] = s->vb[f] - push - s->p[f];
    }
}

void ac_minimal_rows(ac_optimization *o, double *c)
{
    for (int n = 0; n <= o->layout.N; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        for (int r = 0; r < (n == o->layout.N ? o->layout.end.row_count : o->layout.width); ++r) {
            int f = n == o->layout.N ? o->layout.end.rows[r] : r;
            double *out = c + o->layout.dynamics_row[n] + r;
            *out = hold_force(o, n, f);
            if (n == 0) *out += given(o, 0, f);
            if (n == o->layout.N) *out -= given(o, n, f);
        }
    }
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        interval s;
        if (block->kind == AC_ROW_MOMENTUM) {
            look_at(o, block->place, false, &s);
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
        look_at(o, n, false, &s);
        interval_values(&s, c);
    }
}

/* The first freedom turns everything: change of its momentum m v minus the impulse. */
static double speed_defect(const interval *s)
{
    ac_optimization *o = s->o;
    ac_minimal *m = &o->point.minimal;
    double *force = row(o, F), *before = row(o, LEFT), *after = row(o, RIGHT);
    ac_minimal_force(m, s->v, force, NULL, NULL);
    ac_minimal_at(m, s->a);
    ac_minimal_momentum(m, s->va, before, NULL, NULL);
    ac_minimal_at(m, s->b);
    ac_minimal_momentum(m, s->vb, after, NULL, NULL);
    return fabs(after[0] - before[0] - o->point.h * (force[0] + s->turn[0]));
}

double ac_minimal_defect(ac_optimization *o)
{
    double most = 0.0, *before = row(o, LEFT);
    interval s;
    for (int n = 0; n < o->layout.N; ++n) {
        look_at(o, n, false, &s);
        if (has_speeds(o)) {
            most = ac_max(most, speed_defect(&s));
            continue;
        }
        for (int f = 0; f < s.T; ++f) {
            double push = 0.5 * o->point.h * (s.f[f] + s.turn[f]);
            if (n > 0) most = ac_max(most, fabs(before[f] + push - s.p[f]));
            before[f] = push + s.p[f];
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

static void put(const sweep *s, int at, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(s->pattern, at, column);
    } else {
        s->values[ac_pattern_find(s->pattern, at, column)] += value;
    }
}

/* One row: sign p_f + weight (F_f + tau_f) h/2. */
static void momentum_row(const sweep *w, const interval *s, int at, int f, double sign, double weight)
{
    const ac_optimization *o = s->o;
    int T = s->T;
    double h = o->point.h, half = 0.5 * h * weight,
           by_h = 0.5 * weight * (s->f[f] + s->turn[f]) - sign * s->p[f] / h;
    for (int j = 0; j < T; ++j) {
        double by_theta = 0.5 * (sign * s->p_t[f * T + j] + half * s->f_t[f * T + j]);
        double by_v = (sign * s->p_v[f * T + j] + half * s->f_v[f * T + j]) / h;
        put(w, at, ac_y(o, s->n) + j, by_theta - by_v);
        put(w, at, ac_y(o, s->n + 1) + j, by_theta + by_v);
        by_h -= 0.5 * weight * s->f_v[f * T + j] * s->v[j];
    }
    for (int k = 0; k < o->description.control_count; ++k)
        put(w, at, ac_control_variable(o, s->n) + k, half * selection(o, k, f));
    if (o->layout.by_time) put(w, at, o->layout.first.time, by_h / o->layout.N);
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
        int at = first + T + f;
        for (int j = 0; j < T; ++j) {
            double by_theta = 0.5 * (s->p_t[f * T + j] + h * s->f_t[f * T + j]),
                   by_v = 0.5 * h * s->f_v[f * T + j], m = s->p_v[f * T + j];
            put(w, at, ac_y(o, s->n) + j, by_theta);
            put(w, at, ac_y(o, s->n + 1) + j, by_theta);
            put(w, at, va + j, by_v - m);
            put(w, at, vb + j, by_v + m);
        }
        for (int k = 0; k < o->description.control_count; ++k)
            put(w, at, ac_control_variable(o, s->n) + k, -h * selection(o, k, f));
        if (o->layout.by_time) put(w, at, o->layout.first.time, (s->f[f] - s->turn[f]) / o->layout.N);
    }
}

/* sign m(theta) w in row `at`, freedom f, with an unknown velocity w at an end; speeds: the velocity
 * itself. */
static void end_row(const sweep *k, int e, int at, int f, double sign)
{
    ac_optimization *o = k->o;
    int T = o->layout.freedoms, node = e == 0 ? 0 : o->layout.N, unknown = o->layout.first.velocity[e];
    if (unknown < 0) return;
    if (has_speeds(o)) {
        put(k, at, unknown + f, sign);
        return;
    }
    double *by_theta = square(o, P_T), *by_v = square(o, P_V);
    ac_minimal_at(&o->point.minimal, o->point.x + ac_y(o, node));
    ac_minimal_momentum(&o->point.minimal, o->point.x + unknown, row(o, P), by_theta, by_v);
    for (int j = 0; j < T; ++j) {
        put(k, at, ac_y(o, node) + j, sign * by_theta[f * T + j]);
        put(k, at, unknown + j, sign * by_v[f * T + j]);
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
        look_at(o, block->place, true, &s);
        if (has_speeds(o)) {
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
        look_at(o, n, true, &s);
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
    double *tt = square(o, TT), *tv = square(o, TV), *vv = square(o, VV), *d = row(o, DELTA),
           *W = row(o, WEIGHTS), *gv = row(o, GV), *Ft = row(o, FT), *Fv = row(o, FV), h = o->point.h;
    double *const squares[] = {tt, tv, vv}, *const rows[] = {gv, Ft, Fv};
    for (int k = 0; k < 3; ++k) {
        clear(o, squares[k], true);
        clear(o, rows[k], false);
    }
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

/* Psi = mu1 . (b - a - h v) + w . m delta + h w . (B - tau), v the mean and delta the difference of v_a
 * and v_b */
static void speed_curvature(const sweep *k, const interval *s, const double *mu1, const double *w)
{
    ac_optimization *o = s->o;
    int T = s->T, va = momentum_variable(o, s->n), vb = momentum_variable(o, s->n + 1);
    double *tt = square(o, TT), *tv = square(o, TV), *vv = square(o, VV), *td = square(o, TD),
           *Gt = row(o, FT), *Gv = row(o, FV), h = o->point.h;
    double *const squares[] = {tt, tv, vv, td};
    for (int i = 0; i < 4; ++i) clear(o, squares[i], true);
    clear(o, Gt, false);
    clear(o, Gv, false);
    ac_minimal_momentum_second(&o->point.minimal, row(o, DELTA), w, 1.0, tt, td);
    ac_minimal_bias_second(&o->point.minimal, s->v, w, h, tt, tv, vv);
    for (int f = 0; f < T; ++f)
        for (int j = 0; j < T; ++j) {
            Gt[j] += w[f] * s->f_t[f * T + j];
            Gv[j] += w[f] * s->f_v[f * T + j];
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
    clear(o, w, false);
    if (!mu || !ac_has_dynamics(o, node)) return;
    for (int r = 0; r < (node == o->layout.N ? o->layout.end.row_count : o->layout.width); ++r)
        w[node == o->layout.N ? o->layout.end.rows[r] : r] = mu[o->layout.dynamics_row[node] + r];
}

/* sign mu . m(theta) w */
static void end_curvature(const sweep *k, int e, const double *mu, double sign)
{
    ac_optimization *o = k->o;
    int T = o->layout.freedoms, node = e == 0 ? 0 : o->layout.N, unknown = o->layout.first.velocity[e];
    double *tt = square(o, TT), *tv = square(o, TV);
    if (unknown < 0 || has_speeds(o)) return;
    clear(o, tt, true);
    clear(o, tv, true);
    ac_minimal_at(&o->point.minimal, o->point.x + ac_y(o, node));
    ac_minimal_momentum_second(&o->point.minimal, o->point.x + unknown, mu, sign, tt, tv);
    for (int i = 0; i < T; ++i) {
        for (int j = 0; j <= i; ++j) put_lower(k, ac_y(o, node) + i, ac_y(o, node) + j, tt[i * T + j]);
        for (int j = 0; j < T; ++j) put_lower(k, ac_y(o, node) + i, unknown + j, tv[i * T + j]);
    }
}

void ac_minimal_hessian(ac_optimization *o, const double *mu, double *values)
{
    const sweep w = {o, &o->layout.hessian, values};
    interval s;
    double *wl = row(o, LEFT), *wr = row(o, RIGHT);
    clear(o, wl, false);
    clear(o, wr, false);
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        int T = o->layout.freedoms;
        if (block->kind != AC_ROW_VELOCITY && block->kind != AC_ROW_MOMENTUM) continue;
        for (int f = 0; f < T && values; ++f) {
            wl[f] = mu[block->first + f];
            wr[f] = block->kind == AC_ROW_MOMENTUM ? mu[block->first + T + f] : 0.0;
        }
        if (block->kind == AC_ROW_VELOCITY) {
            end_curvature(&w, block->place == 0 ? 0 : 1, wl, -1.0);
            continue;
        }
        look_at(o, block->place, true, &s);
        if (has_speeds(o)) {
            speed_curvature(&w, &s, wl, wr);
            continue;
        }
        for (int f = 0; f < T; ++f) wr[f] = -wr[f];
        momentum_curvature(&w, &s, wl, wr);
    }
    for (int e = 0; e < 2 && o->transcription == AC_MINIMAL; ++e) {
        gather_weights(o, values ? mu : NULL, e == 0 ? 0 : o->layout.N, wl);
        if (ac_has_dynamics(o, e == 0 ? 0 : o->layout.N)) end_curvature(&w, e, wl, e == 0 ? 1.0 : -1.0);
    }
    for (int n = 0; n < o->layout.N && o->transcription == AC_MINIMAL; ++n) {
        look_at(o, n, true, &s);
        gather_weights(o, values ? mu : NULL, n, wl);
        gather_weights(o, values ? mu : NULL, n + 1, wr);
        momentum_curvature(&w, &s, wl, wr);
    }
}
