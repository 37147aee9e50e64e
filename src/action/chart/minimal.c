/* Lagrangians in joint coordinates: momentum, forces and their derivatives along given directions. */
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
    AC_NEW(m->ctx, m->row, T);
    AC_NEW(m->ctx, m->MD, n * T);
    for (int k = 0; k < AC_MINIMAL_VECTORS; ++k) AC_NEW(m->ctx, m->vector[k], n);
    for (int k = 0; k < AC_MINIMAL_MATRICES; ++k) AC_NEW(m->ctx, m->matrix[k], n * T);
    for (int k = 0; k < AC_MINIMAL_SQUARES; ++k) AC_NEW(m->ctx, m->square[k], T * T);
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
    void *blocks[] = {m->reference, m->state, m->point.q, m->point.D, m->point.axis, m->row, m->MD};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(m->ctx, blocks[k]);
    for (int k = 0; k < AC_MINIMAL_VECTORS; ++k) ac_release(m->ctx, m->vector[k]);
    for (int k = 0; k < AC_MINIMAL_MATRICES; ++k) ac_release(m->ctx, m->matrix[k]);
    for (int k = 0; k < AC_MINIMAL_SQUARES; ++k) ac_release(m->ctx, m->square[k]);
    memset(m, 0, sizeof *m);
}

void ac_minimal_at(ac_minimal *m, const double *theta)
{
    ac_chart_evaluate(m->chart, m->reference, theta, m->state, &m->point);
    ac_mass_apply_rows(m->chart->system, m->T, m->point.D, m->MD);
}

/* --- sums --- */

/* D v */
static void apply(const ac_minimal *m, const double *v, double *u)
{
    int T = m->T;
    for (int i = 0; i < m->chart->n; ++i) {
        u[i] = 0.0;
        for (int f = 0; f < T; ++f) u[i] += m->point.D[i * T + f] * v[f];
    }
}

/* M D v */
static void apply_mass(const ac_minimal *m, const double *v, double *work, double *Mu)
{
    apply(m, v, work);
    ac_mass_apply(m->chart->system, work, Mu);
}

/* out (T) += factor X^T x */
static void pull(const ac_minimal *m, double factor, const double *X, const double *x, double *out)
{
    int T = m->T;
    for (int i = 0; i < m->chart->n; ++i)
        for (int f = 0; f < T; ++f) out[f] += factor * x[i] * X[i * T + f];
}

void ac_minimal_product(const ac_minimal *m, double factor, const double *X, const double *Y, double *out)
{
    int T = m->T;
    for (int i = 0; i < m->chart->n; ++i)
        for (int f = 0; f < T; ++f) {
            double x = factor * X[i * T + f];
            for (int g = 0; x != 0.0 && g < T; ++g) out[f * T + g] += x * Y[i * T + g];
        }
}

/* X^T Y + Y^T X */
static void both_ways(ac_minimal *m, double factor, const double *X, const double *Y, double *out)
{
    int T = m->T;
    double *square = m->square[0];
    memset(square, 0, (size_t)(T * T) * sizeof *square);
    ac_minimal_product(m, factor, X, Y, square);
    for (int f = 0; f < T; ++f)
        for (int g = 0; g < T; ++g) out[f * T + g] += square[f * T + g] + square[g * T + f];
}

static void scale(const ac_minimal *m, double factor, double *x)
{
    for (int i = 0; i < m->chart->n; ++i) x[i] *= factor;
}

static void clear(const ac_minimal *m, double *first, double *second)
{
    size_t T = (size_t)m->T;
    memset(first, 0, T * sizeof *first);
    if (second) memset(second, 0, T * T * sizeof *second);
}

static void transpose(int T, const double *in, double *out)
{
    for (int f = 0; f < T; ++f)
        for (int g = 0; g < T; ++g) out[f * T + g] = in[g * T + f];
}

/* --- the potential --- */

/* Adds its gradient and second derivatives. */
static void add_potential(ac_minimal *m, double factor, double *first, double *second)
{
    double *g = m->vector[0];
    memcpy(g, m->chart->system->gravity_force, (size_t)m->chart->n * sizeof *g);
    pull(m, -factor, m->point.D, g, first);
    scale(m, -factor, g);
    if (second) ac_chart_second(m->chart, &m->point, g, second);
    ac_minimal_add_springs(m, factor, first, second);
}

static void add_potential_third(ac_minimal *m, const double *w, double factor, double *tt)
{
    double *g = m->vector[0];
    memcpy(g, m->chart->system->gravity_force, (size_t)m->chart->n * sizeof *g);
    scale(m, -factor, g);
    ac_chart_third(m->chart, &m->point, g, w, tt);
    ac_minimal_add_springs_third(m, w, factor, tt);
}

/* --- first derivatives --- */

/* d p_j / d theta_l = q_jl . M u + q_j . M q_l[v] */
static void momentum_slope(ac_minimal *m, const double *Mu, const double *U, double *by_theta)
{
    memset(by_theta, 0, (size_t)(m->T * m->T) * sizeof *by_theta);
    ac_chart_second(m->chart, &m->point, Mu, by_theta);
    ac_minimal_product(m, 1.0, m->MD, U, by_theta);
}

void ac_minimal_momentum(ac_minimal *m, const double *v, double *p, double *by_theta, double *by_v)
{
    double *Mu = m->vector[1], *U = m->matrix[0];
    apply_mass(m, v, m->vector[0], Mu);
    clear(m, p, by_v);
    pull(m, 1.0, m->point.D, Mu, p);
    if (!by_theta) return;
    ac_chart_along(m->chart, &m->point, v, U);
    momentum_slope(m, Mu, U, by_theta);
    ac_minimal_product(m, 1.0, m->point.D, m->MD, by_v);
}

void ac_minimal_force(ac_minimal *m, const double *v, double *f, double *by_theta, double *by_v)
{
    double *Mu = m->vector[1], *U = m->matrix[0], *MU = m->matrix[1];
    apply_mass(m, v, m->vector[0], Mu);
    ac_chart_along(m->chart, &m->point, v, U);
    clear(m, f, by_theta);
    pull(m, 1.0, U, Mu, f);
    add_potential(m, -1.0, f, by_theta);
    if (!by_theta) return;
    ac_mass_apply_rows(m->chart->system, m->T, U, MU);
    ac_minimal_product(m, 1.0, U, MU, by_theta);
    ac_chart_third(m->chart, &m->point, Mu, v, by_theta);
    momentum_slope(m, Mu, U, m->square[0]);
    transpose(m->T, m->square[0], by_v);
}

void ac_minimal_bias(ac_minimal *m, const double *v, double *b, double *by_theta, double *by_v)
{
    double *a = m->vector[1], *Ma = m->vector[2], *U = m->matrix[0], *S = m->matrix[1];
    clear(m, b, by_theta);
    ac_chart_second_along(m->chart, &m->point, v, v, a);
    ac_mass_apply(m->chart->system, a, Ma);
    pull(m, 1.0, m->point.D, Ma, b);
    add_potential(m, 1.0, b, by_theta);
    if (!by_theta) return;
    ac_chart_second(m->chart, &m->point, Ma, by_theta);
    ac_chart_third_along(m->chart, &m->point, v, v, S);
    ac_minimal_product(m, 1.0, m->MD, S, by_theta);
    ac_chart_along(m->chart, &m->point, v, U);
    memset(by_v, 0, (size_t)(m->T * m->T) * sizeof *by_v);
    ac_minimal_product(m, 2.0, m->MD, U, by_v);
}

/* --- second derivatives --- */

/* Of e . M u with e = D w. */
void ac_minimal_momentum_second(ac_minimal *m, const double *v, const double *w, double factor, double *tt,
                                double *tv)
{
    double *Mu = m->vector[1], *Me = m->vector[2], *U = m->matrix[0], *E = m->matrix[1], *MU = m->matrix[2];
    apply_mass(m, v, m->vector[0], Mu);
    apply_mass(m, w, m->vector[0], Me);
    scale(m, factor, Mu);
    scale(m, factor, Me);
    ac_chart_along(m->chart, &m->point, v, U);
    ac_chart_along(m->chart, &m->point, w, E);
    ac_mass_apply_rows(m->chart->system, m->T, U, MU);
    ac_chart_third(m->chart, &m->point, Mu, w, tt);
    ac_chart_third(m->chart, &m->point, Me, v, tt);
    both_ways(m, factor, E, MU, tt);
    ac_chart_second(m->chart, &m->point, Me, tv);
    ac_minimal_product(m, factor, E, m->MD, tv);
}

/* Of s . M u - V[w] with s = q[v, w]. */
void ac_minimal_force_second(ac_minimal *m, const double *v, const double *w, double factor, double *tt,
                             double *tv, double *vv)
{
    double *s = m->vector[0], *Mu = m->vector[1], *Ms = m->vector[2], *U = m->matrix[0], *E = m->matrix[1],
           *MU = m->matrix[2], *S = m->matrix[3];
    const ac_chart *c = m->chart;
    apply_mass(m, v, m->vector[0], Mu);
    ac_chart_second_along(c, &m->point, v, w, s);
    ac_mass_apply(c->system, s, Ms);
    scale(m, factor, Mu);
    scale(m, factor, Ms);
    ac_chart_along(c, &m->point, v, U);
    ac_chart_along(c, &m->point, w, E);
    ac_chart_third_along(c, &m->point, v, w, S);
    ac_mass_apply_rows(c->system, m->T, U, MU);
    ac_chart_third(c, &m->point, Ms, v, tt);
    both_ways(m, factor, MU, S, tt);
    ac_chart_fourth(c, &m->point, Mu, v, w, tt);
    ac_chart_second(c, &m->point, Ms, tv);
    ac_minimal_product(m, factor, S, m->MD, tv);
    ac_minimal_product(m, factor, MU, E, tv);
    ac_chart_third(c, &m->point, Mu, w, tv);
    both_ways(m, factor, m->MD, E, vv);
    add_potential_third(m, w, -factor, tt);
}

/* Of e . M a + V[w] with a = q[v, v] and e = D w. */
void ac_minimal_bias_second(ac_minimal *m, const double *v, const double *w, double factor, double *tt,
                            double *tv, double *vv)
{
    double *a = m->vector[0], *Ma = m->vector[1], *Me = m->vector[2], *U = m->matrix[0], *E = m->matrix[1],
           *ME = m->matrix[2], *S = m->matrix[3];
    const ac_chart *c = m->chart;
    apply_mass(m, w, a, Me);
    ac_chart_second_along(c, &m->point, v, v, a);
    ac_mass_apply(c->system, a, Ma);
    scale(m, factor, Ma);
    scale(m, factor, Me);
    ac_chart_along(c, &m->point, v, U);
    ac_chart_along(c, &m->point, w, E);
    ac_chart_third_along(c, &m->point, v, v, S);
    ac_mass_apply_rows(c->system, m->T, E, ME);
    ac_chart_third(c, &m->point, Ma, w, tt);
    both_ways(m, factor, ME, S, tt);
    ac_chart_fourth(c, &m->point, Me, v, v, tt);
    scale(m, 2.0, Me);
    ac_chart_third(c, &m->point, Me, v, tv);
    ac_minimal_product(m, 2.0 * factor, ME, U, tv);
    ac_chart_second(c, &m->point, Me, vv);
    add_potential_third(m, w, factor, tt);
}
