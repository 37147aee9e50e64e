/* Junctions of phases: first derivatives by local coordinates, which are freedoms and free parameters. */
#include <string.h>

#include "optimize/phases/phases.h"

void ac_meeting_product(const ac_meeting *m, double factor, const double *X, const double *Y, double *out)
{
    int W = m->W;
    for (int i = 0; i < m->n; ++i)
        for (int f = 0; f < W; ++f) {
            double x = factor * X[i * W + f];
            for (int g = 0; x != 0.0 && g < W; ++g) out[f * W + g] += x * Y[i * W + g];
        }
}

typedef struct sweep {
    ac_optimization *o;
    double *values;
} sweep;

static void put(const sweep *s, int row, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(&s->o->layout.jacobian, row, column);
    } else {
        s->values[ac_pattern_find(&s->o->layout.jacobian, row, column)] += value;
    }
}

/* Rows of the freedoms, by local coordinates. */
static void put_square(const sweep *s, const ac_meeting *m, int row, int column, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g < m->W; ++g)
            put(s, row + f, ac_meeting_unknown(m, column, g), square[f * m->W + g]);
}

/* The same by rates. */
static void put_rates(const sweep *s, const ac_meeting *m, int row, int column, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g < m->T; ++g) put(s, row + f, column + g, square[f * m->W + g]);
}

static double *zero_square(const ac_optimization *o, const ac_meeting *m)
{
    double *square = ac_meeting_square(o, m, 0);
    memset(square, 0, (size_t)m->W * (size_t)m->W * sizeof *square);
    return square;
}

static void place_rows(const sweep *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    double *square = zero_square(s->o, m);
    ac_meeting_product(m, 1.0, m->start.D, m->start.D, square);
    ac_chart_second(&m->b->description.chart, &m->start, m->F, square);
    put_square(s, m, j->places, m->yb, square);
    square = zero_square(s->o, m);
    ac_meeting_product(m, -1.0, m->start.D, m->SD, square);
    put_square(s, m, j->places, m->ya, square);
    for (int f = 0; f < m->T && j->shift; ++f) {
        double along = 0.0;
        for (int i = 0; i < m->n; ++i) along += m->start.D[i * m->W + f] * j->shift[i];
        put(s, j->places + f, j->length, along);
    }
}

/* out (W x W) += factor D^T H D over the coordinates of a function, and the data behind them */
static void bent_product(const ac_meeting *m, const ac_strike *s, double factor, double *out)
{
    int W = m->W;
    for (int i = 0; i < s->plain; ++i)
        for (int l = 0; l < s->count; ++l) {
            double bend = factor * s->hessian[i * s->count + l];
            const double *x = m->start.D + s->at[i] * W, *y = m->start.D + s->at[l] * W;
            for (int f = 0; bend != 0.0 && f < W; ++f)
                for (int g = 0; g < W; ++g) out[f * W + g] += bend * x[f] * y[g];
        }
}

/* Masses by parameters: D^T (dM) (v_0 - S v_N) */
typedef struct mass_pass {
    const sweep *s;
    const ac_meeting *m;
    const ac_behind *behind;
} mass_pass;

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const mass_pass *own = user;
    const ac_meeting *m = own->m;
    double jump = own->behind->v[column] - m->Sv[column];
    for (int a = 0; a < jet->count; ++a)
        for (int f = 0; f < m->T; ++f)
            put(own->s, own->behind->jumps + f, m->parameter + jet->by[a],
                jet->d[a] * jump * m->start.D[row * m->W + f]);
}

/* Momenta of one velocity behind. */
static void jump_rows(const sweep *s, const ac_meeting *m, int number)
{
    const ac_behind *behind = &m->behind[number];
    const double *D = m->start.D;
    double *square = zero_square(s->o, m);
    ac_chart_second(&m->b->description.chart, &m->start, behind->P, square);
    ac_meeting_product(m, 1.0, D, behind->MV, square);
    for (int k = 0; k < m->j->strikes; ++k) {
        ac_strike strike;
        int impulse = ac_strike_unknown(m, number, k);
        if (impulse < 0) continue;
        ac_strike_evaluate(m, k, &strike);
        bent_product(m, &strike, -s->o->point.x[impulse], square);
        for (int f = 0; f < m->T; ++f) {
            double along = 0.0;
            for (int i = 0; i < strike.plain; ++i) along += D[strike.at[i] * m->W + f] * strike.gradient[i];
            put(s, behind->jumps + f, impulse, -along);
        }
    }
    put_square(s, m, behind->jumps, m->yb, square);
    square = zero_square(s->o, m);
    ac_meeting_product(m, -1.0, D, m->MSV, square);
    put_square(s, m, behind->jumps, m->ya, square);
    square = zero_square(s->o, m);
    ac_meeting_product(m, 1.0, D, m->MD0, square);
    put_rates(s, m, behind->jumps, behind->rates, square);
    square = zero_square(s->o, m);
    ac_meeting_product(m, -1.0, D, m->MSD, square);
    put_rates(s, m, behind->jumps, m->wa, square);
    mass_pass masses = {s, m, behind};
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, put_mass_jet, &masses);
}

ac_rate_slope ac_rate_sum_slope(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, int g)
{
    ac_rate_slope slope = {0.0, {0.0, 0.0}, 0.0, 0.0};
    for (int i = 0; i < strike->count; ++i) {
        int at = strike->at[i] * m->W + g;
        double bend = 0.0, along = strike->gradient[i];
        for (int l = 0; l < strike->plain; ++l)
            bend += strike->hessian[i * strike->count + l] * ac_rate_sum_velocity(m, sum, strike->at[l]);
        slope.yb += bend * m->start.D[at];
        if (i >= strike->plain) continue;
        for (int b = 0; b < m->behind_count; ++b) {
            slope.yb += sum.behind[b] * along * m->behind[b].V[at];
            slope.w[b] += sum.behind[b] * along * m->start.D[at];
        }
        slope.ya += sum.before * along * m->SV[at];
        slope.wa += sum.before * along * m->SD[at];
    }
    return slope;
}

static void put_rate_row(const sweep *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                         int row)
{
    for (int g = 0; g < m->W; ++g) {
        ac_rate_slope slope = ac_rate_sum_slope(m, strike, sum, g);
        put(s, row, ac_meeting_unknown(m, m->yb, g), slope.yb);
        put(s, row, ac_meeting_unknown(m, m->ya, g), slope.ya);
        if (g >= m->T) continue;
        for (int b = 0; b < m->behind_count; ++b) put(s, row, m->behind[b].rates + g, slope.w[b]);
        put(s, row, m->wa + g, slope.wa);
    }
}

static void rate_rows(const sweep *s, const ac_meeting *m)
{
    for (int k = 0; k < m->j->rate_count; ++k) {
        ac_rate_row row = ac_rate_row_of(m, k);
        ac_strike strike;
        ac_strike_evaluate(m, row.strike, &strike);
        put_rate_row(s, m, &strike, ac_rate_row_sum(s->o, &row, -1, -1), m->j->rates + k);
        for (int i = 0; i < AC_RATE_WEIGHTS; ++i)
            if (row.weight[i] >= 0)
                put(s, m->j->rates + k, row.weight[i],
                    ac_rate_sum_value(m, &strike, ac_rate_row_sum(s->o, &row, row.weight[i], -1)));
    }
}

void ac_junction_jacobian(ac_optimization *o, double *values)
{
    const sweep s = {o, values};
    for (int k = 0; k < o->description.phases->junction_count; ++k) {
        ac_meeting m;
        ac_meet(o, &o->description.phases->junctions[k], &m);
        if (!m.charted) {
            ac_junction_redundant_jacobian(o, &m, values);
            continue;
        }
        place_rows(&s, &m);
        for (int b = 0; b < m.behind_count; ++b) jump_rows(&s, &m, b);
        rate_rows(&s, &m);
    }
}
