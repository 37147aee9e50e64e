/* Junctions of phases in redundant coordinates: first and second derivatives.
 *
 *   places   q_0 - S q_N + l d
 *   jumps    M v - M S v_N - sum I grad s(q_0), of v_0 and of v_c at the end of compression
 *   rates    grad s(q_0) . (sum of velocities), of which some weights are unknowns: restitutions and impulses
 *
 * Coordinates and velocities are unknowns themselves, so that only the gradients bend, and the entries are as sparse as M and S.
 * Free parameters change M, and the gradients by the moving data behind the coordinates. */
#include "action/inertia.h"
#include "optimize/phases/phases.h"

/* One pass over the derivatives of a junction. */
typedef struct pass {
    ac_optimization *o;
    ac_pattern *pattern;
    double *values; /* NULL: marking */
} pass;

static void put(const pass *s, int row, int column, double value)
{
    if (!s->values) {
        ac_pattern_mark(s->pattern, row, column);
    } else {
        s->values[ac_pattern_find(s->pattern, row, column)] += value;
    }
}

static void put_pair(const pass *s, int i, int j, double value)
{
    put(s, i > j ? i : j, i > j ? j : i, value);
}

/* In a row, or among second derivatives in the lower triangle. */
static void put_any(const pass *s, int row, int column, double value)
{
    if (s->pattern == &s->o->layout.hessian)
        put_pair(s, row, column, value);
    else
        put(s, row, column, value);
}

/* Two factors of a product may depend on the same parameter: it comes twice. */
static void put_distinct(const pass *s, int i, int j, double value)
{
    put_pair(s, i, j, i == j ? 2.0 * value : value);
}

/* What entry i of a function is: an unknown, or a moving datum by its parameters. */
typedef struct entry {
    int count, first;
    const ac_jet *jet; /* NULL: the unknown itself */
} entry;

static entry entry_of(const ac_meeting *m, const ac_strike *strike, int i)
{
    if (i < strike->plain) return (entry){1, m->yb + strike->at[i], NULL};
    const ac_jet *jet = ac_strike_jet(m, strike, i);
    return (entry){jet->count, m->parameter, jet};
}

static int unknown_of(const entry *e, int a)
{
    return e->jet ? e->first + e->jet->by[a] : e->first;
}

static double slope_of(const entry *e, int a)
{
    return e->jet ? e->jet->d[a] : 1.0;
}

/* Derivative of a row by entry i of a function; of second derivatives by the unknown `row` that stands behind the motion. */
static void put_entry(const pass *s, const ac_meeting *m, const ac_strike *strike, int row, int i,
                      double value)
{
    entry e = entry_of(m, strike, i);
    for (int a = 0; a < e.count; ++a) put(s, row, unknown_of(&e, a), value * slope_of(&e, a));
}

/* The same by an unknown that stands anywhere. */
static void put_entry_pair(const pass *s, const ac_meeting *m, const ac_strike *strike, int unknown, int i,
                           double value)
{
    entry e = entry_of(m, strike, i);
    for (int a = 0; a < e.count; ++a) put_pair(s, unknown, unknown_of(&e, a), value * slope_of(&e, a));
}

/* By two entries; each pair comes once. */
static void put_entries(const pass *s, const ac_meeting *m, const ac_strike *strike, int i, int j,
                        double value)
{
    entry u = entry_of(m, strike, i), w = entry_of(m, strike, j);
    for (int a = 0; a < u.count; ++a)
        for (int b = 0; b < (i == j ? a + 1 : w.count); ++b) {
            double product = value * slope_of(&u, a) * slope_of(&w, b);
            if (i == j)
                put_pair(s, unknown_of(&u, a), unknown_of(&w, b), product);
            else
                put_distinct(s, unknown_of(&u, a), unknown_of(&w, b), product);
        }
}

/* value times the second derivatives of a datum */
static void put_bends(const pass *s, const ac_meeting *m, const ac_jet *jet, double value)
{
    for (int a = 0; jet->dd && a < jet->count; ++a)
        for (int b = 0; b <= a; ++b)
            put_pair(s, m->parameter + jet->by[a], m->parameter + jet->by[b],
                     value * jet->dd[a * jet->count + b]);
}

/* (H w)_i */
static double bent(const ac_strike *strike, int i, const double *w)
{
    double sum = 0.0;
    for (int l = 0; l < strike->plain; ++l) sum += strike->hessian[i * strike->count + l] * w[strike->at[l]];
    return sum;
}

/* --- first derivatives --- */

static void place_rows(const pass *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    for (int i = 0; i < m->n; ++i) {
        put(s, j->places + i, m->yb + i, 1.0);
        if (j->shift && j->shift[i] != 0.0) put(s, j->places + i, j->length, j->shift[i]);
    }
    for (int e = 0; e < j->map_count; ++e)
        put(s, j->places + j->map[e].to, m->ya + j->map[e].from, -j->map[e].factor);
}

typedef struct momentum_pass {
    const pass *s;
    const ac_meeting *m;
    const ac_behind *behind;
} momentum_pass;

static void put_mass(void *user, int row, int column, double mass)
{
    const momentum_pass *own = user;
    const ac_junction_data *j = own->m->j;
    put(own->s, own->behind->jumps + row, own->behind->rates + column, mass);
    for (int e = 0; e < j->map_count; ++e)
        if (j->map[e].to == column)
            put(own->s, own->behind->jumps + row, own->m->wa + j->map[e].from, -mass * j->map[e].factor);
}

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const momentum_pass *own = user;
    const ac_meeting *m = own->m;
    for (int a = 0; a < jet->count; ++a)
        put(own->s, own->behind->jumps + row, m->parameter + jet->by[a],
            jet->d[a] * (own->behind->v[column] - m->Sv[column]));
}

static void impulse_row(const pass *s, const ac_meeting *m, const ac_behind *behind, const ac_strike *strike,
                        int impulse)
{
    double size = s->o->point.x[impulse];
    for (int i = 0; i < strike->plain; ++i) {
        int row = behind->jumps + strike->at[i];
        put(s, row, impulse, -strike->gradient[i]);
        for (int l = 0; l < strike->count; ++l)
            put_entry(s, m, strike, row, l, -size * strike->hessian[i * strike->count + l]);
    }
}

/* Momenta of one velocity behind. */
static void jump_rows(const pass *s, const ac_meeting *m, int number)
{
    momentum_pass own = {s, m, &m->behind[number]};
    ac_strike strike;
    ac_mass_each(m->b->system, put_mass, &own);
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, put_mass_jet, &own);
    for (int k = 0; k < m->j->strikes; ++k) {
        int impulse = ac_strike_unknown(m, number, k);
        if (impulse < 0) continue;
        ac_strike_evaluate(m, k, &strike);
        impulse_row(s, m, own.behind, &strike, impulse);
    }
}

/* factor times the derivatives of a sum of rates, in a row or, of second derivatives, by its weight */
static void put_rates(const pass *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                      double factor, int row)
{
    const ac_junction_data *j = m->j;
    for (int i = 0; i < strike->count; ++i) {
        double along = factor * strike->gradient[i], bend = 0.0;
        for (int l = 0; l < strike->plain; ++l)
            bend += factor * strike->hessian[i * strike->count + l] *
                    ac_rate_sum_velocity(m, sum, strike->at[l]);
        if (s->pattern == &s->o->layout.hessian)
            put_entry_pair(s, m, strike, row, i, bend);
        else
            put_entry(s, m, strike, row, i, bend);
        if (i >= strike->plain) continue;
        for (int b = 0; b < m->behind_count; ++b)
            put_any(s, row, m->behind[b].rates + strike->at[i], sum.behind[b] * along);
        for (int t = 0; t < j->map_count; ++t)
            if (j->map[t].to == strike->at[i])
                put_any(s, row, m->wa + j->map[t].from, sum.before * along * j->map[t].factor);
    }
}

static void rate_rows(const pass *s, const ac_meeting *m)
{
    for (int k = 0; k < m->j->rate_count; ++k) {
        ac_rate_row row = ac_rate_row_of(m, k);
        ac_strike strike;
        ac_strike_evaluate(m, row.strike, &strike);
        put_rates(s, m, &strike, ac_rate_row_sum(s->o, &row, -1, -1), 1.0, m->j->rates + k);
        for (int i = 0; i < AC_RATE_WEIGHTS; ++i)
            if (row.weight[i] >= 0)
                put(s, m->j->rates + k, row.weight[i],
                    ac_rate_sum_value(m, &strike, ac_rate_row_sum(s->o, &row, row.weight[i], -1)));
    }
}

void ac_junction_redundant_jacobian(ac_optimization *o, const ac_meeting *m, double *values)
{
    const pass s = {o, &o->layout.jacobian, values};
    place_rows(&s, m);
    for (int b = 0; b < m->behind_count; ++b) jump_rows(&s, m, b);
    rate_rows(&s, m);
}

/* --- second derivatives --- */

/* factor times the second derivatives of w . grad s by the configuration and the data behind it */
static void put_third(const pass *s, const ac_meeting *m, const ac_strike *strike, double factor,
                      const double *w)
{
    double third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    if (strike->scalar < 0 && strike->count == strike->plain) return;
    ac_strike_third(m, strike, w, third);
    for (int i = 0; i < strike->count; ++i) {
        if (i >= strike->plain) put_bends(s, m, ac_strike_jet(m, strike, i), factor * bent(strike, i, w));
        for (int l = 0; l <= i; ++l)
            if (strike->scalar >= 0 || i >= strike->plain)
                put_entries(s, m, strike, i, l, factor * third[i * strike->count + l]);
    }
}

/* Impulse k, the unknown `variable`. */
static void impulse(const pass *s, const ac_meeting *m, int k, int variable, const double *mu)
{
    ac_strike strike;
    ac_strike_evaluate(m, k, &strike);
    for (int i = 0; i < strike.count; ++i) put_entry_pair(s, m, &strike, variable, i, -bent(&strike, i, mu));
    put_third(s, m, &strike, -s->o->point.x[variable], mu);
}

/* nu times a sum of rates, its weights fixed */
static void rates(const pass *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, double nu)
{
    const ac_junction_data *j = m->j;
    double *u = ac_meeting_vector(s->o, m, 1);
    for (int i = 0; i < m->n; ++i) u[i] = ac_rate_sum_velocity(m, sum, i);
    put_third(s, m, strike, nu, u);
    for (int i = 0; i < strike->count; ++i)
        for (int l = 0; l < strike->plain; ++l) {
            double bend = nu * strike->hessian[i * strike->count + l];
            for (int b = 0; b < m->behind_count; ++b)
                put_entry_pair(s, m, strike, m->behind[b].rates + strike->at[l], i, sum.behind[b] * bend);
            for (int t = 0; t < j->map_count; ++t)
                if (j->map[t].to == strike->at[l])
                    put_entry_pair(s, m, strike, m->wa + j->map[t].from, i,
                                   sum.before * bend * j->map[t].factor);
        }
}

/* mu . (dM) (v - S v_N): masses by parameters */
typedef struct mass_bend {
    const pass *s;
    const ac_meeting *m;
    const ac_behind *behind;
    const double *mu;
} mass_bend;

static void bend_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const mass_bend *own = user;
    const ac_meeting *m = own->m;
    const ac_junction_data *j = m->j;
    for (int a = 0; a < jet->count; ++a) {
        int variable = m->parameter + jet->by[a];
        double value = own->mu[row] * jet->d[a];
        put_pair(own->s, variable, own->behind->rates + column, value);
        for (int e = 0; e < j->map_count; ++e)
            if (j->map[e].to == column)
                put_pair(own->s, variable, m->wa + j->map[e].from, -value * j->map[e].factor);
    }
    put_bends(own->s, m, jet, own->mu[row] * (own->behind->v[column] - m->Sv[column]));
}

/* Momenta of one velocity behind. */
static void jumps(const pass *s, const ac_meeting *m, int number, const double *mu)
{
    for (int k = 0; k < m->j->strikes; ++k) {
        int variable = ac_strike_unknown(m, number, k);
        if (variable >= 0) impulse(s, m, k, variable, mu);
    }
    mass_bend masses = {s, m, &m->behind[number], mu};
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, bend_mass_jet, &masses);
}

static void rate_row(const pass *s, const ac_meeting *m, int k, double nu)
{
    ac_optimization *o = s->o;
    ac_rate_row row = ac_rate_row_of(m, k);
    ac_strike strike;
    ac_strike_evaluate(m, row.strike, &strike);
    rates(s, m, &strike, ac_rate_row_sum(o, &row, -1, -1), nu);
    for (int i = 0; i < AC_RATE_WEIGHTS; ++i)
        if (row.weight[i] >= 0)
            put_rates(s, m, &strike, ac_rate_row_sum(o, &row, row.weight[i], -1), nu, row.weight[i]);
    if (row.weight[0] >= 0 && row.weight[1] >= 0)
        put_pair(s, row.weight[0], row.weight[1],
                 nu * ac_rate_sum_value(m, &strike, ac_rate_row_sum(o, &row, row.weight[0], row.weight[1])));
}

void ac_junction_redundant_hessian(ac_optimization *o, const ac_meeting *m, const double *mu, double *values)
{
    const ac_junction_data *j = m->j;
    const pass s = {o, &o->layout.hessian, values};
    for (int b = 0; b < m->behind_count; ++b) /* any numbers, to mark the pattern */
        jumps(&s, m, b, mu ? mu + m->behind[b].jumps : m->Sv);
    for (int r = 0; r < j->rate_count; ++r) rate_row(&s, m, r, mu ? mu[j->rates + r] : 1.0);
}
