/* Junctions of phases: second derivatives of mu . rows by local coordinates.
 *
 * With a = D_0 mu, which changes with y_0 by A:
 *   places   a . (q_0 - S q_N + l d)
 *   jumps    a . (M v - M S v_N - sum I grad s(q_0)),  v = D w: v_0, and v_c at the end of compression
 *   rates    nu grad s(q_0) . (sum of velocities), of which some weights are unknowns: restitutions and impulses          */
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

/* Two factors of a product may depend on the same parameter: it comes twice. */
static void put_distinct(const curve *s, int i, int j, double value)
{
    put(s, i, j, i == j ? 2.0 * value : value);
}

/* By the same local coordinates twice: the lower triangle of a symmetric block. */
static void put_own(const curve *s, const ac_meeting *m, int first, const double *square)
{
    for (int f = 0; f < m->W; ++f)
        for (int g = 0; g <= f; ++g)
            put(s, ac_meeting_unknown(m, first, f), ac_meeting_unknown(m, first, g), square[f * m->W + g]);
}

/* By local coordinates at the start and at the end. */
static void put_cross(const curve *s, const ac_meeting *m, int rows, int columns, const double *square)
{
    for (int f = 0; f < m->W; ++f)
        for (int g = 0; g < m->W; ++g)
            put_distinct(s, ac_meeting_unknown(m, rows, f), ac_meeting_unknown(m, columns, g),
                         square[f * m->W + g]);
}

/* By rates and local coordinates. */
static void put_rates(const curve *s, const ac_meeting *m, int rates, int columns, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g < m->W; ++g)
            put(s, rates + f, ac_meeting_unknown(m, columns, g), square[f * m->W + g]);
}

/* value times the second derivatives of a datum */
static void put_bends(const curve *s, const ac_meeting *m, const ac_jet *jet, double value)
{
    for (int a = 0; jet->dd && a < jet->count; ++a)
        for (int b = 0; b <= a; ++b)
            put(s, m->parameter + jet->by[a], m->parameter + jet->by[b], value * jet->dd[a * jet->count + b]);
}

static double *zero_square(const curve *s, const ac_meeting *m, int k)
{
    double *square = ac_meeting_square(s->o, m, k);
    memset(square, 0, (size_t)m->W * (size_t)m->W * sizeof *square);
    return square;
}

static void add_transposed(int W, const double *square, double *out)
{
    for (int f = 0; f < W; ++f)
        for (int g = 0; g < W; ++g) out[f * W + g] += square[f * W + g] + square[g * W + f];
}

/* X^T Y + Y^T X */
static void both_ways(const curve *s, const ac_meeting *m, double factor, const double *X, const double *Y,
                      double *out)
{
    double *square = zero_square(s, m, 1);
    ac_meeting_product(m, factor, X, Y, square);
    add_transposed(m->W, square, out);
}

/* a = D_0 mu, and how it changes */
static void weights(const ac_meeting *m, const double *mu, double *a, double *A)
{
    const double *D = m->start.D;
    for (int i = 0; i < m->n; ++i) {
        a[i] = 0.0;
        for (int f = 0; f < m->T; ++f) a[i] += D[i * m->W + f] * mu[f];
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
    for (int f = 0; f < m->W && m->j->shift; ++f) {
        double along = 0.0;
        for (int i = 0; i < m->n; ++i) along += A[i * m->W + f] * m->j->shift[i];
        put(s, ac_meeting_unknown(m, m->yb, f), m->j->length, along);
    }
}

/* Second derivatives of w . grad s(q_0), with w fixed: by local coordinates. */
static void of_gradient(const curve *s, const ac_meeting *m, const ac_strike *strike, double factor,
                        const double *w, double *own)
{
    const double *D = m->start.D;
    double *pull = ac_meeting_vector(s->o, m, 3), third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int W = m->W, count = strike->count;
    memset(pull, 0, (size_t)m->n * sizeof *pull);
    ac_strike_third(m, strike, w, third);
    for (int i = 0; i < count; ++i) {
        double along = 0.0;
        for (int l = 0; l < strike->plain; ++l)
            along += factor * strike->hessian[i * count + l] * w[strike->at[l]];
        if (i < strike->plain)
            pull[strike->at[i]] += along;
        else
            put_bends(s, m, ac_strike_jet(m, strike, i), along);
        for (int l = 0; l < count; ++l) {
            double bend = factor * third[i * count + l];
            for (int f = 0; bend != 0.0 && f < W; ++f)
                for (int g = 0; g < W; ++g)
                    own[f * W + g] += bend * D[strike->at[i] * W + f] * D[strike->at[l] * W + g];
        }
    }
    ac_chart_second(&m->b->description.chart, &m->start, pull, own);
}

/* out (n x W) = H D: rows of the function's coordinates only */
static void bend(const ac_meeting *m, const ac_strike *s, double *out)
{
    int W = m->W;
    memset(out, 0, (size_t)m->n * (size_t)W * sizeof *out);
    for (int i = 0; i < s->plain; ++i)
        for (int l = 0; l < s->count; ++l)
            for (int f = 0; f < W; ++f)
                out[s->at[i] * W + f] += s->hessian[i * s->count + l] * m->start.D[s->at[l] * W + f];
}

/* Impulse k, the unknown `variable`. */
static void impulse(const curve *s, const ac_meeting *m, int k, int variable, const double *a,
                    const double *A, double *own)
{
    double size = s->o->point.x[variable], *HD = ac_meeting_matrix(s->o, m, 1);
    int W = m->W;
    ac_strike strike;
    ac_strike_evaluate(m, k, &strike);
    bend(m, &strike, HD);
    both_ways(s, m, -size, A, HD, own);
    of_gradient(s, m, &strike, -size, a, own);
    for (int f = 0; f < W; ++f) {
        double along = 0.0;
        for (int i = 0; i < strike.plain; ++i)
            along += A[strike.at[i] * W + f] * strike.gradient[i] +
                     HD[strike.at[i] * W + f] * a[strike.at[i]];
        put(s, ac_meeting_unknown(m, m->yb, f), variable, -along);
    }
}

/* a . (dM) (v - S v_N): masses by parameters */
typedef struct mass_pass {
    const curve *s;
    const ac_meeting *m;
    const ac_behind *behind;
    const double *a, *A;
} mass_pass;

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const mass_pass *own = user;
    const ac_meeting *m = own->m;
    double jump = own->behind->v[column] - m->Sv[column], weight = own->a[row];
    int W = m->W, r = row * W, c = column * W;
    for (int k = 0; k < jet->count; ++k) {
        int variable = m->parameter + jet->by[k];
        double d = jet->d[k];
        for (int f = 0; f < W; ++f) {
            put_distinct(own->s, variable, ac_meeting_unknown(m, m->yb, f),
                         d * (own->A[r + f] * jump + weight * own->behind->V[c + f]));
            put_distinct(own->s, variable, ac_meeting_unknown(m, m->ya, f), -d * weight * m->SV[c + f]);
            if (f >= m->T) continue;
            put(own->s, variable, own->behind->rates + f, d * weight * m->start.D[c + f]);
            put(own->s, variable, m->wa + f, -d * weight * m->SD[c + f]);
        }
    }
    put_bends(own->s, m, jet, weight * jump);
}

/* Momenta of one velocity behind. */
static void jumps(const curve *s, const ac_meeting *m, int number, const double *mu)
{
    ac_optimization *o = s->o;
    const ac_behind *behind = &m->behind[number];
    const double *wN = m->a->point.x + m->a->layout.first.velocity[1];
    double *a = ac_meeting_vector(o, m, 0), *Ma = ac_meeting_vector(o, m, 1),
           *back = ac_meeting_vector(o, m, 2), *A = ac_meeting_matrix(o, m, 0);
    weights(m, mu, a, A);
    ac_mass_apply(m->b->system, a, Ma);
    map_back(m, -1.0, Ma, back);
    double *own = zero_square(s, m, 0);
    ac_chart_third(&m->b->description.chart, &m->start, behind->P, mu, own);
    ac_chart_third(&m->b->description.chart, &m->start, Ma, behind->w, own);
    both_ways(s, m, 1.0, A, behind->MV, own);
    for (int k = 0; k < m->j->strikes; ++k) {
        int variable = ac_strike_unknown(m, number, k);
        if (variable >= 0) impulse(s, m, k, variable, a, A, own);
    }
    put_own(s, m, m->yb, own);
    double *square = zero_square(s, m, 0);
    ac_chart_second(&m->b->description.chart, &m->start, Ma, square);
    ac_meeting_product(m, 1.0, m->MD0, A, square);
    put_rates(s, m, behind->rates, m->yb, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, -1.0, A, m->MSV, square);
    put_cross(s, m, m->yb, m->ya, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, -1.0, m->MSD, A, square);
    put_rates(s, m, m->wa, m->yb, square);
    square = zero_square(s, m, 0);
    ac_chart_third(&m->a->description.chart, &m->end, back, wN, square);
    put_own(s, m, m->ya, square);
    square = zero_square(s, m, 0);
    ac_chart_second(&m->a->description.chart, &m->end, back, square);
    put_rates(s, m, m->wa, m->ya, square);
    mass_pass masses = {s, m, behind, a, A};
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, put_mass_jet, &masses);
}

/* The part of one velocity behind in nu times a sum of rates. `pull`: gradient of the function; own: by local coordinates twice. */
static void rates_behind(const curve *s, const ac_meeting *m, const ac_behind *behind, double weight,
                         const double *pull, const double *HD, double *own)
{
    double *force = ac_meeting_vector(s->o, m, 3), *square = zero_square(s, m, 1);
    for (int i = 0; i < m->n; ++i) force[i] = weight * pull[i];
    ac_chart_second(&m->b->description.chart, &m->start, force, square);
    ac_meeting_product(m, weight, m->start.D, HD, square);
    put_rates(s, m, behind->rates, m->yb, square);
    ac_chart_third(&m->b->description.chart, &m->start, force, behind->w, own);
    both_ways(s, m, weight, HD, behind->V, own);
}

/* nu times a sum of rates, its weights fixed */
static void rates(const curve *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, double nu)
{
    ac_optimization *o = s->o;
    double before = nu * sum.before, *pull = ac_meeting_vector(o, m, 0), *u = ac_meeting_vector(o, m, 1),
           *back = ac_meeting_vector(o, m, 2), *HD = ac_meeting_matrix(o, m, 1);
    const double *wN = m->a->point.x + m->a->layout.first.velocity[1];
    memset(pull, 0, (size_t)m->n * sizeof *pull);
    for (int i = 0; i < strike->plain; ++i) pull[strike->at[i]] += strike->gradient[i];
    map_back(m, before, pull, back);
    for (int i = 0; i < m->n; ++i) u[i] = nu * ac_rate_sum_velocity(m, sum, i);
    bend(m, strike, HD);
    double *own = zero_square(s, m, 0);
    for (int b = 0; b < m->behind_count; ++b)
        rates_behind(s, m, &m->behind[b], nu * sum.behind[b], pull, HD, own);
    of_gradient(s, m, strike, 1.0, u, own);
    put_own(s, m, m->yb, own);
    double *square = zero_square(s, m, 0);
    ac_meeting_product(m, before, HD, m->SV, square);
    put_cross(s, m, m->yb, m->ya, square);
    square = zero_square(s, m, 0);
    ac_meeting_product(m, before, m->SD, HD, square);
    put_rates(s, m, m->wa, m->yb, square);
    square = zero_square(s, m, 0);
    ac_chart_third(&m->a->description.chart, &m->end, back, wN, square);
    put_own(s, m, m->ya, square);
    square = zero_square(s, m, 0);
    ac_chart_second(&m->a->description.chart, &m->end, back, square);
    put_rates(s, m, m->wa, m->ya, square);
}

/* A weight of the rates is an unknown: nu times the derivatives of the sum of which it is the factor. */
static void by_weight(const curve *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                      double nu, int weight)
{
    for (int g = 0; g < m->W; ++g) {
        ac_rate_slope slope = ac_rate_sum_slope(m, strike, sum, g);
        put(s, weight, ac_meeting_unknown(m, m->yb, g), nu * slope.yb);
        put(s, weight, ac_meeting_unknown(m, m->ya, g), nu * slope.ya);
        if (g >= m->T) continue;
        put(s, weight, m->wa + g, nu * slope.wa);
        for (int b = 0; b < m->behind_count; ++b) put(s, weight, m->behind[b].rates + g, nu * slope.w[b]);
    }
}

static void rate_row(const curve *s, const ac_meeting *m, int k, double nu)
{
    ac_optimization *o = s->o;
    ac_rate_row row = ac_rate_row_of(m, k);
    ac_strike strike;
    ac_strike_evaluate(m, row.strike, &strike);
    rates(s, m, &strike, ac_rate_row_sum(o, &row, -1, -1), nu);
    for (int i = 0; i < AC_RATE_WEIGHTS; ++i)
        if (row.weight[i] >= 0)
            by_weight(s, m, &strike, ac_rate_row_sum(o, &row, row.weight[i], -1), nu, row.weight[i]);
    if (row.weight[0] >= 0 && row.weight[1] >= 0)
        put(s, row.weight[0], row.weight[1],
            nu * ac_rate_sum_value(m, &strike, ac_rate_row_sum(o, &row, row.weight[0], row.weight[1])));
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
        places(&s, &m, mu ? mu + j->places : m.SD); /* any numbers, to mark the pattern */
        for (int b = 0; b < m.behind_count; ++b) jumps(&s, &m, b, mu ? mu + m.behind[b].jumps : m.SD);
        for (int r = 0; r < j->rate_count; ++r) rate_row(&s, &m, r, mu ? mu[j->rates + r] : 1.0);
    }
}
