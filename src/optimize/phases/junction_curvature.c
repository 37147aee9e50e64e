/* Junctions of phases: second derivatives of mu . rows by local coordinates.
 *
 * With a = D_0 mu, which changes with y_0 by A:
 *   places   a . (q_0 - S q_N + l d)
 *   jumps    a . (M v_0 - M S v_N - sum I grad s(q_0)),  v = D w
 *   bounces  nu grad s(q_0) . (v_0 + e S v_N)
 *   losses   nu I grad s(q_0) . (v_0 + S v_N) / 2                                                                       */
#include <string.h>

#include "optimize/phases/phases.h"
#include "action/inertia.h"

typedef struct curve {
    ac_optimization *o;
    double *values;
} curve;

static void put(const curve *s, int i, int j, double value)
{
    int row = i > j ? i : j, column = i > j ? j : i;
    if (!s->values) {
        ac_pattern_mark(&s->o->layout.hessian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->layout.hessian, row, column)] += value;
    }
}

/* By the same unknowns twice: the lower triangle of a symmetric block. */
static void put_own(const curve *s, const ac_meeting *m, int first, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g <= f; ++g) put(s, first + f, first + g, square[f * m->T + g]);
}

static void put_cross(const curve *s, const ac_meeting *m, int rows, int columns, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g < m->T; ++g) put(s, rows + f, columns + g, square[f * m->T + g]);
}

static double *zero_square(const curve *s, const ac_meeting *m, int k)
{
    double *square = ac_meeting_square(s->o, m, k);
    memset(square, 0, (size_t)m->T * (size_t)m->T * sizeof *square);
    return square;
}

static void add_transposed(int T, const double *square, double *out)
{
    for (int f = 0; f < T; ++f)
        for (int g = 0; g < T; ++g) out[f * T + g] += square[f * T + g] + square[g * T + f];
}

/* X^T Y + Y^T X */
static void both_ways(const curve *s, const ac_meeting *m, double factor, const double *X, const double *Y,
                      double *out)
{
    double *square = zero_square(s, m, 1);
    ac_meeting_product(m, factor, X, Y, square);
    add_transposed(m->T, square, out);
}

/* a = D_0 mu, and how it changes */
static void weights(const ac_meeting *m, const double *mu, double *a, double *A)
{
    const double *D = m->start.D;
    int T = m->T;
    for (int i = 0; i < m->n; ++i) {
        a[i] = 0.0;
        for (int f = 0; f < T; ++f) a[i] += D[i * T + f] * mu[f];
    }
    ac_chart_along(&m->b->description.chart, &m->start, mu, A);
}

/* out = factor S^T x */
static void map_back(const ac_meeting *m, double factor, const double *x, double *out)
{
    memset(out, 0, (size_t)m->n * sizeof *out);
    for (int e = 0; e < m->j->map_count; ++e)
        out[m->j->map[e].from] += factor * m->j->map[e].factor * x[m->j->map[e].to];
}

static void places(const curve *s, const ac_meeting *m, const double *mu)
{
    ac_optimization *o = s->o;
    double *a = ac_meeting_vector(o, m, 0), *back = ac_meeting_vector(o, m, 1),
           *A = ac_meeting_matrix(o, m, 0);
    weights(m, mu, a, A);
    double *own = zero_square(s, m, 0);
    ac_chart_third(&m->b->description.chart, &m->start, m->F, mu, own);
    ac_chart_second(&m->b->description.chart, &m->start, a, own);
    both_ways(s, m, 1.0, A, m->start.D, own);
    put_own(s, m, m->yb, own);
    double *square = zero_square(s, m, 0);
    ac_meeting_product(m, -1.0, A, m->SD, square);
    put_cross(s, m, m->yb, m->ya, square);
    square = zero_square(s, m, 0);
    map_back(m, -1.0, a, back);
    ac_chart_second(&m->a->description.chart, &m->end, back, square);
    put_own(s, m, m->ya, square);
    for (int f = 0; f < m->T && m->j->shift; ++f) {
        double along = 0.0;
        for (int i = 0; i < m->n; ++i) along += A[i * m->T + f] * m->j->shift[i];
        put(s, m->yb + f, m->j->length, along);
    }
}

/* Second derivatives of w . grad s(q_0), with w fixed: by y_0. */
static void of_gradient(const curve *s, const ac_meeting *m, const ac_strike *strike, double factor,
                        const double *w, double *own)
{
    const double *D = m->start.D;
    double *pull = ac_meeting_vector(s->o, m, 3), third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int T = m->T, count = strike->count;
    memset(pull, 0, (size_t)m->n * sizeof *pull);
    ac_strike_third(m, strike, w, third);
    for (int i = 0; i < count; ++i)
        for (int l = 0; l < count; ++l) {
            pull[strike->at[i]] += factor * strike->hessian[i * count + l] * w[strike->at[l]];
            double bend = factor * third[i * count + l];
            for (int f = 0; bend != 0.0 && f < T; ++f)
                for (int g = 0; g < T; ++g)
                    own[f * T + g] += bend * D[strike->at[i] * T + f] * D[strike->at[l] * T + g];
        }
    ac_chart_second(&m->b->description.chart, &m->start, pull, own);
}

/* out (n x T) = H X: rows of the function's coordinates only */
static void bend(const ac_meeting *m, const ac_strike *s, const double *X, double *out)
{
    int T = m->T;
    memset(out, 0, (size_t)m->n * (size_t)T * sizeof *out);
    for (int i = 0; i < s->count; ++i)
        for (int l = 0; l < s->count; ++l)
            for (int f = 0; f < T; ++f)
                out[s->at[i] * T + f] += s->hessian[i * s->count + l] * X[s->at[l] * T + f];
}

static void impulse(const curve *s, const ac_meeting *m, int k, const double *a, const double *A, double *own)
{
    const ac_junction_data *j = m->j;
    double size = s->o->point.x[j->impulses + k], *HD = ac_meeting_matrix(s->o, m, 1);
    int T = m->T;
    ac_strike strike;
    ac_strike_evaluate(m, k, &strike);
    bend(m, &strike, m->start.D, HD);
    both_ways(s, m, -size, A, HD, own);
    of_gradient(s, m, &strike, -size, a, own);
    for (int f = 0; f < T; ++f) {
        double along = 0.0;
        for (int i = 0; i < strike.count; ++i)
            along += A[strike.at[i] * T + f] * strike.gradient[i] +
                     HD[strike.at[i] * T + f] * a[strike.at[i]];
        put(s, m->yb + f, j->impulses + k, -along);
    }
}

static void jumps(const curve *s, const ac_meeting *m, const double *mu)
{
    ac_optimization *o = s->o;
    const double *w0 = m->b->point.x + m->b->layout.first.velocity[0],
                 *wN = m->a->point.x + m->a->layout.first.velocity[1];
    double *a = ac_meeting_vector(o, m, 0), *Ma = ac_meeting_vector(o, m, 1),
           *back = ac_meeting_vector(o, m, 2), *A = ac_meeting_matrix(o, m, 0);
    weights(m, mu, a, A);
    ac_mass_apply(o->system, a, Ma);
    map_back(m, -1.0, Ma, back);
    double *own = zero_square(s, m, 0);
    ac_chart_third(&m->b->description.chart, &m->start, m->P, mu, own);
    ac_chart_third(&m->b->description.chart, &m->start, Ma, w0, own);
    both_ways(s, m, 1.0, A, m->MV0, own);
    for (int k = 0; k < m->j->strikes; ++k) impulse(s, m, k, a, A, own);
    put_own(s, m, m->yb, own);
    double *square = zero_square(s, m, 0);
    ac_chart_second(&m->b->description.chart, &m->start, Ma, square);
    ac_meeting_product(m, 1.0, m->MD0, A, square);
    put_cross(s, m, m->wb, m->yb, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, -1.0, A, m->MSV, square);
    put_cross(s, m, m->yb, m->ya, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, -1.0, A, m->MSD, square);
    put_cross(s, m, m->yb, m->wa, square);
    square = zero_square(s, m, 0);
    ac_chart_third(&m->a->description.chart, &m->end, back, wN, square);
    put_own(s, m, m->ya, square);
    square = zero_square(s, m, 0);
    ac_chart_second(&m->a->description.chart, &m->end, back, square);
    put_cross(s, m, m->wa, m->ya, square);
}

/* nu times a sum of rates, its weights fixed */
static void rates(const curve *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, double nu)
{
    ac_optimization *o = s->o;
    double behind = nu * sum.behind, before = nu * sum.before, *force = ac_meeting_vector(o, m, 0),
           *u = ac_meeting_vector(o, m, 1), *back = ac_meeting_vector(o, m, 2),
           *HD = ac_meeting_matrix(o, m, 1);
    const double *w0 = m->b->point.x + m->b->layout.first.velocity[0],
                 *wN = m->a->point.x + m->a->layout.first.velocity[1];
    memset(force, 0, (size_t)m->n * sizeof *force);
    for (int i = 0; i < strike->count; ++i) force[strike->at[i]] += strike->gradient[i];
    map_back(m, before, force, back);
    for (int i = 0; i < m->n; ++i) {
        force[i] *= behind;
        u[i] = behind * m->v[i] + before * m->Sv[i];
    }
    bend(m, strike, m->start.D, HD);
    double *own = zero_square(s, m, 0);
    ac_chart_third(&m->b->description.chart, &m->start, force, w0, own);
    both_ways(s, m, behind, HD, m->V0, own);
    of_gradient(s, m, strike, 1.0, u, own);
    put_own(s, m, m->yb, own);
    double *square = zero_square(s, m, 0);
    ac_chart_second(&m->b->description.chart, &m->start, force, square);
    ac_meeting_product(m, behind, m->start.D, HD, square);
    put_cross(s, m, m->wb, m->yb, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, before, HD, m->SV, square);
    put_cross(s, m, m->yb, m->ya, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, before, HD, m->SD, square);
    put_cross(s, m, m->yb, m->wa, square);
    square = zero_square(s, m, 0);
    ac_chart_third(&m->a->description.chart, &m->end, back, wN, square);
    put_own(s, m, m->ya, square);
    square = zero_square(s, m, 0);
    ac_chart_second(&m->a->description.chart, &m->end, back, square);
    put_cross(s, m, m->wa, m->ya, square);
}

/* A weight of the rates is an unknown: nu times the derivatives of the sum of which it is the factor. */
static void by_weight(const curve *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                      double nu, int weight)
{
    for (int g = 0; g < m->T; ++g) {
        ac_rate_slope slope = ac_rate_sum_slope(m, strike, sum, g);
        put(s, weight, m->yb + g, nu * slope.yb);
        put(s, weight, m->ya + g, nu * slope.ya);
        put(s, weight, m->wa + g, nu * slope.wa);
        put(s, weight, m->wb + g, nu * slope.wb);
    }
}

static void bounce(const curve *s, const ac_meeting *m, int k, const double *mu)
{
    ac_strike strike;
    ac_bounce_part part[AC_BOUNCE_PARTS];
    ac_bounce_evaluate(m, k, &strike);
    for (int i = 0, count = ac_bounce_parts(s->o, m, k, mu, part); i < count; ++i)
        if (part[i].weight < 0)
            rates(s, m, &strike, part[i].sum, part[i].nu);
        else
            by_weight(s, m, &strike, part[i].sum, part[i].nu, part[i].weight);
}

void ac_junction_hessian(ac_optimization *o, const double *mu, double *values)
{
    const curve s = {o, values};
    for (int k = 0; k < o->description.phases->junction_count; ++k) {
        const ac_junction_data *j = &o->description.phases->junctions[k];
        ac_meeting m;
        ac_meet(o, j, &m);
        if (!m.charted) {
            ac_junction_redundant_hessian(o, &m, mu, values);
            continue;
        }
        places(&s, &m, mu ? mu + j->places : m.V0); /* any numbers, to mark the pattern */
        jumps(&s, &m, mu ? mu + j->jumps : m.V0);
        for (int b = 0; b < j->bounce_count; ++b) bounce(&s, &m, b, mu);
    }
}
