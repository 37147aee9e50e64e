/* Junctions of phases in redundant coordinates: first and second derivatives.
 *
 *   places   q_0 - S q_N + l d
 *   jumps    M v_0 - M S v_N - sum I grad s(q_0)
 *   bounces  grad s(q_0) . (v_0 + e S v_N)
 *   losses   I grad s(q_0) . (v_0 + S v_N) / 2 + L
 *
 * Coordinates and velocities are unknowns themselves and M is constant, so that only the gradients bend, and the entries are as
 * sparse as M and S. */
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

/* (H w)_i */
static double bent(const ac_strike *strike, int i, const double *w)
{
    double sum = 0.0;
    for (int l = 0; l < strike->count; ++l) sum += strike->hessian[i * strike->count + l] * w[strike->at[l]];
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

static void momentum_rows(const pass *s, const ac_meeting *m)
{
    momentum_pass own = {s, m};
    ac_mass_each(m->b->system, put_mass, &own);
}

static void impulse_rows(const pass *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    ac_strike strike;
    for (int k = 0; k < j->strikes; ++k) {
        double size = s->o->point.x[j->impulses + k];
        ac_strike_evaluate(m, k, &strike);
        for (int i = 0; i < strike.count; ++i) {
            int row = j->jumps + strike.at[i];
            put(s, row, j->impulses + k, -strike.gradient[i]);
            for (int l = 0; l < strike.count; ++l)
                put(s, row, m->yb + strike.at[l], -size * strike.hessian[i * strike.count + l]);
        }
    }
}

/* factor times the derivatives of a sum of rates, in a row or, of second derivatives, by its weight */
static void put_rates(const pass *s, const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum,
                      double factor, int row)
{
    const ac_junction_data *j = m->j;
    for (int i = 0; i < strike->count; ++i) {
        double along = factor * strike->gradient[i];
        put(s, row, m->yb + strike->at[i],
            factor * (sum.behind * bent(strike, i, m->v) + sum.before * bent(strike, i, m->Sv)));
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

/* factor times the second derivatives of w . grad s by the configuration */
static void put_third(const pass *s, const ac_meeting *m, const ac_strike *strike, double factor,
                      const double *w)
{
    double third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    if (strike->scalar < 0) return;
    ac_strike_third(m, strike, w, third);
    for (int i = 0; i < strike->count; ++i)
        for (int l = 0; l <= i; ++l)
            put_pair(s, m->yb + strike->at[i], m->yb + strike->at[l], factor * third[i * strike->count + l]);
}

static void impulse(const pass *s, const ac_meeting *m, int k, const double *mu)
{
    int variable = m->j->impulses + k;
    ac_strike strike;
    ac_strike_evaluate(m, k, &strike);
    for (int i = 0; i < strike.count; ++i) put_pair(s, m->yb + strike.at[i], variable, -bent(&strike, i, mu));
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
        for (int l = 0; l < strike->count; ++l) {
            double bend = nu * strike->hessian[i * strike->count + l];
            put_pair(s, m->yb + strike->at[i], m->wb + strike->at[l], sum.behind * bend);
            for (int t = 0; t < j->map_count; ++t)
                if (j->map[t].to == strike->at[l])
                    put_pair(s, m->yb + strike->at[i], m->wa + j->map[t].from,
                             sum.before * bend * j->map[t].factor);
        }
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
}
