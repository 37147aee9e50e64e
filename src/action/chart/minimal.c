/* Lagrangians in minimal coordinates: tensors of the mass matrix and the potential, and what is made of
 * them. */
#include "action/chart/minimal.h"

#include <string.h>

#include "action/inertia.h"
#include "base/vector.h"

/* --- making --- */

static ac_status allocate(ac_minimal *m)
{
    size_t T = (size_t)m->T, n = (size_t)m->chart->n, nodes = (size_t)m->chart->system->node_count;
    AC_NEW(m->ctx, m->reference, nodes);
    AC_NEW(m->ctx, m->state, nodes);
    AC_NEW(m->ctx, m->point.q, n);
    AC_NEW(m->ctx, m->point.D, n * T);
    AC_NEW(m->ctx, m->point.axis, 3 * T);
    AC_NEW(m->ctx, m->theta, T);
    AC_NEW(m->ctx, m->q1, T * n);
    AC_NEW(m->ctx, m->q2, T * T * n);
    AC_NEW(m->ctx, m->q3, T * T * T * n);
    AC_NEW(m->ctx, m->q4, T * T * T * T * n);
    AC_NEW(m->ctx, m->Mq1, T * n);
    AC_NEW(m->ctx, m->Mq2, T * T * n);
    AC_NEW(m->ctx, m->m, T * T);
    AC_NEW(m->ctx, m->m1, T * T * T);
    AC_NEW(m->ctx, m->m2, T * T * T * T);
    AC_NEW(m->ctx, m->m3, T * T * T * T * T);
    AC_NEW(m->ctx, m->V1, T);
    AC_NEW(m->ctx, m->V2, T * T);
    AC_NEW(m->ctx, m->V3, T * T * T);
    return AC_OK;
}

ac_status ac_minimal_create(ac_context *ctx, const ac_chart *chart, const ac_joint_state *reference,
                            ac_minimal *m)
{
    memset(m, 0, sizeof *m);
    m->ctx = ctx;
    m->chart = chart;
    m->T = chart->freedoms;
    AC_TRY(allocate(m));
    memcpy(m->reference, reference, (size_t)chart->system->node_count * sizeof *reference);
    return AC_OK;
}

void ac_minimal_destroy(ac_minimal *m)
{
    if (!m->ctx) return;
    void *blocks[] = {m->reference, m->state, m->point.q, m->point.D, m->point.axis, m->theta, m->q1,
                      m->q2,        m->q3,    m->q4,      m->Mq1,     m->Mq2,        m->m,     m->m1,
                      m->m2,        m->m3,    m->V1,      m->V2,      m->V3};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(m->ctx, blocks[k]);
    memset(m, 0, sizeof *m);
}

/* --- derivatives of q --- */

/* Puts a vector at one multi-index of `order` freedoms. */
static void put_at(double *q, int T, int n, const int *index, int order, int at, int width, const double x[3])
{
    int place = 0;
    for (int k = 0; k < order; ++k) place = place * T + index[k];
    for (int e = 0; e < width; ++e) q[place * n + at + e] = x[e];
}

/* Puts it at all orders of the index. */
static void put_all_orders(double *q, int T, int n, const int *index, int order, int at, int width,
                           const double x[3])
{
    int p[4];
    for (int a = 0; a < order; ++a) {
        p[0] = index[a];
        if (order == 1) put_at(q, T, n, p, 1, at, width, x);
        for (int b = 0; b < order; ++b) {
            if (b == a || order < 2) continue;
            p[1] = index[b];
            if (order == 2) put_at(q, T, n, p, 2, at, width, x);
            for (int c = 0; c < order; ++c) {
                if (c == a || c == b || order < 3) continue;
                p[2] = index[c];
                if (order == 3) put_at(q, T, n, p, 3, at, width, x);
                for (int d = 0; d < order; ++d) {
                    if (d == a || d == b || d == c || order < 4) continue;
                    p[3] = index[d];
                    put_at(q, T, n, p, 4, at, width, x);
                }
            }
        }
    }
}

/* All derivatives of one block (place or director) along the path of its node. */
static void block_derivatives(ac_minimal *m, const int *path, int count, int at, int width, int order)
{
    const ac_chart *c = m->chart;
    int T = m->T, n = c->n;
    for (int i = 0; i < count; ++i) {
        int last = path[i];
        double d[3] = {0.0, 0.0, 0.0}, b2[3], b3[3], b4[3];
        for (int e = 0; e < width; ++e) d[e] = m->point.D[(at + e) * T + last];
        put_all_orders(m->q1, T, n, &last, 1, at, width, d);
        for (int j = 0; j <= i; ++j) {
            if (!ac_chart_turns(c, path[j], last)) continue;
            const int two[2] = {path[j], last};
            cross3(m->point.axis + 3 * path[j], d, b2);
            put_all_orders(m->q2, T, n, two, 2, at, width, b2);
            for (int k = 0; k <= j && order > 1; ++k) {
                if (!ac_chart_turns(c, path[k], last)) continue;
                const int three[3] = {path[k], path[j], last};
                cross3(m->point.axis + 3 * path[k], b2, b3);
                put_all_orders(m->q3, T, n, three, 3, at, width, b3);
                for (int l = 0; l <= k && order > 2; ++l) {
                    if (!ac_chart_turns(c, path[l], last)) continue;
                    const int four[4] = {path[l], path[k], path[j], last};
                    cross3(m->point.axis + 3 * path[l], b3, b4);
                    put_all_orders(m->q4, T, n, four, 4, at, width, b4);
                }
            }
        }
    }
}

static void derivatives(ac_minimal *m, int order)
{
    const ac_system *system = m->chart->system;
    size_t T = (size_t)m->T, n = (size_t)m->chart->n;
    memset(m->q1, 0, T * n * sizeof *m->q1);
    memset(m->q2, 0, T * T * n * sizeof *m->q2);
    memset(m->q3, 0, T * T * T * n * sizeof *m->q3);
    if (order > 2) memset(m->q4, 0, T * T * T * T * n * sizeof *m->q4);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int count, width = node->dimension;
        const int *path = ac_chart_path(m->chart, i, &count);
        for (int at = node->q; at < node->q + node->size; at += width)
            block_derivatives(m, path, count, at, width, order);
    }
    for (size_t k = 0; k < T; ++k) ac_mass_apply(system, m->q1 + k * n, m->Mq1 + k * n);
    for (size_t k = 0; k < T * T; ++k) ac_mass_apply(system, m->q2 + k * n, m->Mq2 + k * n);
}

/* --- tensors --- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void mass_tensors(ac_minimal *s, int order)
{
    int T = s->T, n = s->chart->n;
    const double *q2 = s->q2, *q3 = s->q3, *q4 = s->q4, *M1 = s->Mq1, *M2 = s->Mq2;
#define TWO(a, b) (((a)*T + (b)) * n)
#define THREE(a, b, c) ((((a)*T + (b)) * T + (c)) * n)
#define FOUR(a, b, c, d) (((((a)*T + (b)) * T + (c)) * T + (d)) * n)
    for (int j = 0; j < T; ++j) {
        for (int k = 0; k < T; ++k) {
            s->m[j * T + k] = dot(n, s->q1 + j * n, M1 + k * n);
            for (int l = 0; l < T; ++l) {
                s->m1[(l * T + j) * T + k] = dot(n, q2 + TWO(l, j), M1 + k * n) +
                                             dot(n, q2 + TWO(l, k), M1 + j * n);
                for (int o = 0; o < T && order > 1; ++o) {
                    s->m2[((l * T + o) * T + j) * T + k] = dot(n, q3 + THREE(l, o, j), M1 + k * n) +
                                                           dot(n, q3 + THREE(l, o, k), M1 + j * n) +
                                                           dot(n, q2 + TWO(l, j), M2 + TWO(o, k)) +
                                                           dot(n, q2 + TWO(o, j), M2 + TWO(l, k));
                    for (int p = 0; p < T && order > 2; ++p) {
                        s->m3[(((l * T + o) * T + p) * T + j) * T + k] =
                            dot(n, q4 + FOUR(l, o, p, j), M1 + k * n) +
                            dot(n, q4 + FOUR(l, o, p, k), M1 + j * n) +
                            dot(n, q3 + THREE(l, o, j), M2 + TWO(p, k)) +
                            dot(n, q3 + THREE(l, p, j), M2 + TWO(o, k)) +
                            dot(n, q3 + THREE(o, p, j), M2 + TWO(l, k)) +
                            dot(n, q3 + THREE(l, o, k), M2 + TWO(p, j)) +
                            dot(n, q3 + THREE(l, p, k), M2 + TWO(o, j)) +
                            dot(n, q3 + THREE(o, p, k), M2 + TWO(l, j));
                    }
                }
            }
        }
    }
#undef TWO
#undef THREE
#undef FOUR
}

void ac_minimal_at(ac_minimal *m, const double *theta, int order)
{
    int T = m->T, n = m->chart->n;
    const double *g = m->chart->system->gravity_force;
    ac_chart_evaluate(m->chart, m->reference, theta, m->state, &m->point);
    derivatives(m, order);
    mass_tensors(m, order);
    for (int j = 0; j < T; ++j) m->V1[j] = -dot(n, g, m->q1 + j * n);
    for (int j = 0; j < T * T; ++j) m->V2[j] = -dot(n, g, m->q2 + j * n);
    for (int j = 0; j < T * T * T; ++j) m->V3[j] = -dot(n, g, m->q3 + j * n);
    ac_minimal_add_springs(m, order);
}

/* --- what the equations need --- */

/* x^T A y */
static double form(int T, const double *A, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j) sum += x[i] * A[i * T + j] * y[j];
    return sum;
}

/* (A y)_i */
static double row(int T, const double *A, int i, const double *y)
{
    return dot(T, A + i * T, y);
}

void ac_minimal_momentum(const ac_minimal *m, const double *v, double *p, double *by_theta, double *by_v)
{
    int T = m->T;
    for (int j = 0; j < T; ++j) {
        p[j] = row(T, m->m, j, v);
        for (int l = 0; l < T; ++l) {
            by_theta[j * T + l] = row(T, m->m1 + l * T * T, j, v);
            by_v[j * T + l] = m->m[j * T + l];
        }
    }
}

void ac_minimal_force(const ac_minimal *m, const double *v, double *f, double *by_theta, double *by_v)
{
    int T = m->T;
    for (int j = 0; j < T; ++j) {
        const double *m1 = m->m1 + j * T * T;
        f[j] = 0.5 * form(T, m1, v, v) - m->V1[j];
        for (int l = 0; l < T; ++l) {
            by_theta[j * T + l] = 0.5 * form(T, m->m2 + (j * T + l) * T * T, v, v) - m->V2[j * T + l];
            by_v[j * T + l] = row(T, m1, l, v);
        }
    }
}

void ac_minimal_momentum_second(const ac_minimal *m, const double *v, const double *w, double factor,
                                double *tt, double *tv)
{
    int T = m->T;
    for (int l = 0; l < T; ++l)
        for (int k = 0; k < T; ++k) {
            tt[l * T + k] += factor * form(T, m->m2 + (l * T + k) * T * T, w, v);
            tv[l * T + k] += factor * row(T, m->m1 + l * T * T, k, w);
        }
}

void ac_minimal_force_second(const ac_minimal *m, const double *v, const double *w, double factor, double *tt,
                             double *tv, double *vv)
{
    int T = m->T;
    for (int l = 0; l < T; ++l) {
        for (int k = 0; k < T; ++k) {
            for (int j = 0; j < T; ++j) {
                double scale = factor * w[j];
                tt[l * T + k] += scale * (0.5 * form(T, m->m3 + ((j * T + l) * T + k) * T * T, v, v) -
                                          m->V3[(j * T + l) * T + k]);
                tv[l * T + k] += scale * row(T, m->m2 + (j * T + l) * T * T, k, v);
                vv[l * T + k] += scale * m->m1[(j * T + l) * T + k];
            }
        }
    }
}

void ac_minimal_turning(const ac_minimal *m, const double *v, double *f, double *by_theta, double *by_v)
{
    int T = m->T;
    for (int j = 0; j < T; ++j) {
        f[j] = 0.0;
        for (int l = 0; l < T; ++l) f[j] += v[l] * row(T, m->m1 + l * T * T, j, v);
        for (int k = 0; k < T; ++k) {
            by_theta[j * T + k] = 0.0;
            by_v[j * T + k] = row(T, m->m1 + k * T * T, j, v);
            for (int l = 0; l < T; ++l) {
                by_theta[j * T + k] += v[l] * row(T, m->m2 + (l * T + k) * T * T, j, v);
                by_v[j * T + k] += v[l] * m->m1[(l * T + j) * T + k];
            }
        }
    }
}

void ac_minimal_turning_second(const ac_minimal *m, const double *v, const double *w, double factor,
                               double *tt, double *tv, double *vv)
{
    int T = m->T;
    for (int a = 0; a < T; ++a) {
        for (int k = 0; k < T; ++k) {
            tv[a * T + k] += factor * form(T, m->m2 + (k * T + a) * T * T, w, v);
            vv[a * T + k] += factor * (row(T, m->m1 + a * T * T, k, w) + row(T, m->m1 + k * T * T, a, w));
            for (int l = 0; l < T; ++l) {
                tt[a * T + k] += factor * v[l] * form(T, m->m3 + ((l * T + a) * T + k) * T * T, w, v);
                tv[a * T + k] += factor * v[l] * row(T, m->m2 + (l * T + a) * T * T, k, w);
            }
        }
    }
}
