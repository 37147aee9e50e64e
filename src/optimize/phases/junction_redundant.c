/* Junctions of phases in redundant coordinates: first and second derivatives.
 *
 *   places   q_0 - S q_N + l d
 *   jumps    M v_0 - M S v_N - sum I grad s(q_0)
 *   bounces  grad s(q_0) . (v_0 + e S v_N)
 *   losses   I grad s(q_0) . (v_0 + S v_N) / 2 + L
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
} momentum_pass;

static void put_mass(void *user, int row, int column, double mass)
{
    const momentum_pass *own = user;
    const ac_junction_data *j = own->m->j;
    put(own->s, j->jumps + row, own->m->wb + column, mass);
    for (int e = 0; e < j->map_count; ++e)
        if (j->map[e].to == column)
            put(own->s, j->jumps + row, own->m->wa + j->map[e].from, -mass * j->map[e].factor);
}

static void put_mass_jet(void *user, int row, int column, const ac_jet *jet)
{
    const momentum_pass *own = user;
    const ac_meeting *m = own->m;
    for (int a = 0; a < jet->count; ++a)
        put(own->s, m->j->jumps + row, m->parameter + jet->by[a], jet->d[a] * (m->v[column] - m->Sv[column]));
}

static void momentum_rows(const pass *s, const ac_meeting *m)
{
    momentum_pass own = {s, m};
    ac_mass_each(m->b->system, put_mass, &own);
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, put_mass_jet, &own);
}

static void impulse_rows(const pass *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    ac_strike strike;
    for (int k = 0; k < j->strikes; ++k) {
        double size = s->o->point.x[j->impulses + k];
        ac_strike_evaluate(m, k, &strike);
        for (int i = 0; i < strike.plain; ++i) {
            int row = j->jumps + strike.at[i];
            put(s, row, j->impulses + k, -strike.gradient[i]);
            for (int l = 0; l < strike.count; ++l)
                put_entry(s, m, &strike, row, l, -size * strike.hessian[i * strike.count + l]);
        }
    }
}

/* factor times the derivatives of a sum of rates, in a row or, of second derivatives, by its weight */
static void put_rates(const pass *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                      double factor, int row)
{
    const ac_junction_data *j = m->j;
    for (int i = 0; i < strike->count; ++i) {
        double along = factor * strike->gradient[i],
               bend = factor * (sum.behind * bent(strike, i, m->v) + sum.before * bent(strike, i, m->Sv));
        if (s->pattern == &s->o->layout.hessian)
            put_entry_pair(s, m, strike, row, i, bend);
        else
            put_entry(s, m, strike, row, i, bend);
        if (i >= strike->plain) continue;
        put(s, row, m->wb + strike->at[i], sum.behind * along);
        for (int t = 0; t < j->map_count; ++t)
            if (j->map[t].to == strike->at[i])
                put(s, row, m->wa + j->map[t].from, sum.before * along * j->map[t].factor);
    }
}

static void bounce_rows(const pass *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    ac_strike strike;
    for (int k = 0; k < j->bounce_count; ++k) {
        int lossy = j->lossy[k], impulse = j->impulses + m->b->description.phase.hold_count + k;
        ac_bounce_evaluate(m, k, &strike);
        put_rates(s, m, &strike, (ac_rate_sum){1.0, ac_junction_restitution(s->o, j, k)}, 1.0,
                  j->bounces + k);
        if (lossy < 0) continue;
        double half = 0.5 * s->o->point.x[impulse];
        put(s, j->bounces + k, j->restitutions + lossy,
            ac_rate_sum_value(m, &strike, (ac_rate_sum){0.0, 1.0}));
        put_rates(s, m, &strike, (ac_rate_sum){half, half}, 1.0, j->losses + lossy);
        put(s, j->losses + lossy, impulse, ac_rate_sum_value(m, &strike, (ac_rate_sum){0.5, 0.5}));
    }
}

void ac_junction_redundant_jacobian(ac_optimization *o, const ac_meeting *m, double *values)
{
    const pass s = {o, &o->layout.jacobian, values};
    place_rows(&s, m);
    momentum_rows(&s, m);
    impulse_rows(&s, m);
    bounce_rows(&s, m);
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

static void impulse(const pass *s, const ac_meeting *m, int k, const double *mu)
{
    int variable = m->j->impulses + k;
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
    for (int i = 0; i < m->n; ++i) u[i] = sum.behind * m->v[i] + sum.before * m->Sv[i];
    put_third(s, m, strike, nu, u);
    for (int i = 0; i < strike->count; ++i)
        for (int l = 0; l < strike->plain; ++l) {
            double bend = nu * strike->hessian[i * strike->count + l];
            put_entry_pair(s, m, strike, m->wb + strike->at[l], i, sum.behind * bend);
            for (int t = 0; t < j->map_count; ++t)
                if (j->map[t].to == strike->at[l])
                    put_entry_pair(s, m, strike, m->wa + j->map[t].from, i,
                                   sum.before * bend * j->map[t].factor);
        }
}

/* mu . (dM) (v_0 - S v_N): masses by parameters */
typedef struct mass_bend {
    const pass *s;
    const ac_meeting *m;
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
        put_pair(own->s, variable, m->wb + column, value);
        for (int e = 0; e < j->map_count; ++e)
            if (j->map[e].to == column)
                put_pair(own->s, variable, m->wa + j->map[e].from, -value * j->map[e].factor);
    }
    put_bends(own->s, m, jet, own->mu[row] * (m->v[column] - m->Sv[column]));
}

/* Restitutions and impulses, the weights that are unknowns, stand behind the motion: in the lower triangle. */
static void bounce(const pass *s, const ac_meeting *m, int k, const double *mu)
{
    ac_strike strike;
    ac_bounce_part part[AC_BOUNCE_PARTS];
    ac_bounce_evaluate(m, k, &strike);
    for (int i = 0, count = ac_bounce_parts(s->o, m, k, mu, part); i < count; ++i)
        if (part[i].weight < 0)
            rates(s, m, &strike, part[i].sum, part[i].nu);
        else
            put_rates(s, m, &strike, part[i].sum, part[i].nu, part[i].weight);
}

void ac_junction_redundant_hessian(ac_optimization *o, const ac_meeting *m, const double *mu, double *values)
{
    const ac_junction_data *j = m->j;
    const pass s = {o, &o->layout.hessian, values};
    for (int k = 0; k < j->strikes; ++k) impulse(&s, m, k, mu ? mu + j->jumps : m->v); /* any, to mark */
    for (int k = 0; k < j->bounce_count; ++k) bounce(&s, m, k, mu);
    mass_bend masses = {&s, m, mu ? mu + j->jumps : m->v};
    if (m->W > m->T) ac_variation_masses(&m->b->description.variation, bend_mass_jet, &masses);
}
