/* Junctions of phases: values and first derivatives. */
#include <string.h>

#include "optimize/phases/phases.h"
#include "action/inertia.h"

/* --- workspace --- */

size_t ac_junction_doubles(const ac_optimization *o)
{
    size_t n = (size_t)o->system->n, T = (size_t)o->system->tree.freedoms;
    return (AC_MEETING_MATRICES + AC_MORE_MATRICES) * n * T + (AC_MEETING_VECTORS + AC_MORE_VECTORS) * n +
           AC_MORE_SQUARES * T * T;
}

double *ac_meeting_matrix(const ac_optimization *o, const ac_meeting *m, int k)
{
    return o->description.phases->work + (size_t)(AC_MEETING_MATRICES + k) * (size_t)m->n * (size_t)m->T;
}

double *ac_meeting_vector(const ac_optimization *o, const ac_meeting *m, int k)
{
    return ac_meeting_matrix(o, m, AC_MORE_MATRICES) + (size_t)(AC_MEETING_VECTORS + k) * (size_t)m->n;
}

double *ac_meeting_square(const ac_optimization *o, const ac_meeting *m, int k)
{
    return ac_meeting_vector(o, m, AC_MORE_VECTORS) + (size_t)k * (size_t)m->T * (size_t)m->T;
}

/* --- linear maps on rows of `width` numbers --- */

static void apply_map(const ac_junction_data *j, int n, int width, const double *x, double *out)
{
    memset(out, 0, (size_t)n * (size_t)width * sizeof *out);
    for (int e = 0; e < j->map_count; ++e) {
        const ac_map_entry *m = &j->map[e];
        for (int f = 0; f < width; ++f) out[m->to * width + f] += m->factor * x[m->from * width + f];
    }
}

void ac_meeting_product(const ac_meeting *m, double factor, const double *X, const double *Y, double *out)
{
    int T = m->T;
    for (int i = 0; i < m->n; ++i)
        for (int f = 0; f < T; ++f) {
            double x = factor * X[i * T + f];
            for (int g = 0; x != 0.0 && g < T; ++g) out[f * T + g] += x * Y[i * T + g];
        }
}

/* --- the point --- */

void ac_strike_evaluate(const ac_meeting *m, int k, ac_strike *strike)
{
    const ac_optimization *b = m->b;
    int scalar = k < b->description.phase.hold_count ? b->description.phase.holds[k]
                                                     : m->j->bounce[k - b->description.phase.hold_count];
    strike->scalar = scalar;
    strike->count = b->description.scalars.list[scalar].count;
    strike->at = ac_scalar_coordinates(&b->description.scalars, scalar);
    ac_scalar_evaluate(&b->description.scalars, scalar, ac_q(b, 0), b->point.scalar_windings[scalar],
                       strike->gradient, strike->hessian);
}

static void share_workspace(const ac_optimization *o, ac_meeting *m)
{
    double **matrices[AC_MEETING_MATRICES] = {&m->V0,  &m->VN,  &m->SD,  &m->SV,
                                              &m->MD0, &m->MV0, &m->MSD, &m->MSV};
    size_t size = (size_t)m->n * (size_t)m->T;
    for (int k = 0; k < AC_MEETING_MATRICES; ++k)
        *matrices[k] = o->description.phases->work + (size_t)k * size;
    m->F = ac_meeting_matrix(o, m, AC_MORE_MATRICES);
    m->P = m->F + m->n;
    m->Sv = m->P + m->n;
}

void ac_meet(ac_optimization *o, const ac_junction_data *j, ac_meeting *m)
{
    const ac_phases *p = o->description.phases;
    ac_optimization *a = p->list[j->from], *b = p->list[j->to];
    *m = (ac_meeting){.j = j, .a = a, .b = b, .n = a->layout.n, .T = a->layout.freedoms};
    m->ya = p->first_variable[j->from] + ac_y(a, a->layout.N);
    m->wa = p->first_variable[j->from] + a->layout.first.velocity[1];
    m->yb = p->first_variable[j->to] + ac_y(b, 0);
    m->wb = p->first_variable[j->to] + b->layout.first.velocity[0];
    m->end = ac_point_of(a, a->layout.N);
    m->start = ac_point_of(b, 0);
    m->length = j->length >= 0 ? o->point.x[j->length] : 0.0;
    share_workspace(o, m);
    int n = m->n, T = m->T;
    ac_chart_along(&b->description.chart, &m->start, b->point.x + b->layout.first.velocity[0], m->V0);
    ac_chart_along(&a->description.chart, &m->end, a->point.x + a->layout.first.velocity[1], m->VN);
    apply_map(j, n, T, m->end.D, m->SD);
    apply_map(j, n, T, m->VN, m->SV);
    apply_map(j, n, 1, a->point.velocity[1], m->Sv);
    ac_mass_apply_rows(o->system, T, m->start.D, m->MD0);
    ac_mass_apply_rows(o->system, T, m->V0, m->MV0);
    ac_mass_apply_rows(o->system, T, m->SD, m->MSD);
    ac_mass_apply_rows(o->system, T, m->SV, m->MSV);
    apply_map(j, n, 1, m->end.q, m->F);
    double *jump = ac_meeting_vector(o, m, 0);
    for (int i = 0; i < n; ++i) {
        m->F[i] = m->start.q[i] - m->F[i] + (j->shift ? m->length * j->shift[i] : 0.0);
        jump[i] = b->point.velocity[0][i] - m->Sv[i];
    }
    ac_mass_apply_rows(o->system, 1, jump, m->P);
    for (int k = 0; k < j->impulse_count; ++k) {
        ac_strike s;
        ac_strike_evaluate(m, k, &s);
        for (int i = 0; i < s.count; ++i) m->P[s.at[i]] -= o->point.x[j->impulses + k] * s.gradient[i];
    }
}

/* --- values --- */

static void one_junction(ac_optimization *o, const ac_junction_data *j, double *c)
{
    ac_meeting m;
    ac_meet(o, j, &m);
    for (int f = 0; f < m.T; ++f) {
        c[j->places + f] = c[j->jumps + f] = 0.0;
        for (int i = 0; i < m.n; ++i) {
            c[j->places + f] += m.start.D[i * m.T + f] * m.F[i];
            c[j->jumps + f] += m.start.D[i * m.T + f] * m.P[i];
        }
    }
    for (int k = 0; k < j->bounce_count; ++k) {
        ac_strike s;
        ac_strike_evaluate(&m, m.b->description.phase.hold_count + k, &s);
        c[j->bounces + k] = 0.0;
        for (int i = 0; i < s.count; ++i)
            c[j->bounces + k] += s.gradient[i] *
                                 (m.b->point.velocity[0][s.at[i]] + j->restitution[k] * m.Sv[s.at[i]]);
    }
}

void ac_junction_rows(ac_optimization *o, double *c)
{
    for (int k = 0; k < o->description.phases->junction_count; ++k)
        one_junction(o, &o->description.phases->junctions[k], c);
}

/* --- first derivatives --- */

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

static void put_square(const sweep *s, const ac_meeting *m, int row, int column, const double *square)
{
    for (int f = 0; f < m->T; ++f)
        for (int g = 0; g < m->T; ++g) put(s, row + f, column + g, square[f * m->T + g]);
}

static double *zero_square(const ac_optimization *o, const ac_meeting *m)
{
    double *square = ac_meeting_square(o, m, 0);
    memset(square, 0, (size_t)m->T * (size_t)m->T * sizeof *square);
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
        for (int i = 0; i < m->n; ++i) along += m->start.D[i * m->T + f] * j->shift[i];
        put(s, j->places + f, j->length, along);
    }
}

/* out (T x T) += factor X^T H Y over the coordinates of a function */
static void bent_product(const ac_meeting *m, const ac_strike *s, double factor, const double *X,
                         const double *Y, double *out)
{
    int T = m->T;
    for (int i = 0; i < s->count; ++i)
        for (int l = 0; l < s->count; ++l) {
            double bend = factor * s->hessian[i * s->count + l];
            const double *x = X + s->at[i] * T, *y = Y + s->at[l] * T;
            for (int f = 0; bend != 0.0 && f < T; ++f)
                for (int g = 0; g < T; ++g) out[f * T + g] += bend * x[f] * y[g];
        }
}

static void jump_rows(const sweep *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    const double *D = m->start.D;
    double *square = zero_square(s->o, m);
    ac_chart_second(&m->b->description.chart, &m->start, m->P, square);
    ac_meeting_product(m, 1.0, D, m->MV0, square);
    for (int k = 0; k < j->impulse_count; ++k) {
        ac_strike strike;
        ac_strike_evaluate(m, k, &strike);
        bent_product(m, &strike, -s->o->point.x[j->impulses + k], D, D, square);
        for (int f = 0; f < m->T; ++f) {
            double along = 0.0;
            for (int i = 0; i < strike.count; ++i) along += D[strike.at[i] * m->T + f] * strike.gradient[i];
            put(s, j->jumps + f, j->impulses + k, -along);
        }
    }
    put_square(s, m, j->jumps, m->yb, square);
    const double *right[3] = {m->MD0, m->MSV, m->MSD};
    const int column[3] = {m->wb, m->ya, m->wa};
    for (int k = 0; k < 3; ++k) {
        square = zero_square(s->o, m);
        ac_meeting_product(m, k == 0 ? 1.0 : -1.0, D, right[k], square);
        put_square(s, m, j->jumps, column[k], square);
    }
}

static void bounce_rows(const sweep *s, const ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    int T = m->T;
    for (int k = 0; k < j->bounce_count; ++k) {
        ac_strike strike;
        double e = j->restitution[k];
        ac_strike_evaluate(m, m->b->description.phase.hold_count + k, &strike);
        for (int g = 0; g < T; ++g) {
            double by_y = 0.0, by_w = 0.0, by_end = 0.0, by_rate = 0.0;
            for (int i = 0; i < strike.count; ++i) {
                int at = strike.at[i] * T + g;
                double bend = 0.0;
                for (int l = 0; l < strike.count; ++l)
                    bend += strike.hessian[i * strike.count + l] *
                            (m->b->point.velocity[0][strike.at[l]] + e * m->Sv[strike.at[l]]);
                by_y += strike.gradient[i] * m->V0[at] + bend * m->start.D[at];
                by_w += strike.gradient[i] * m->start.D[at];
                by_end += e * strike.gradient[i] * m->SV[at];
                by_rate += e * strike.gradient[i] * m->SD[at];
            }
            put(s, j->bounces + k, m->yb + g, by_y);
            put(s, j->bounces + k, m->wb + g, by_w);
            put(s, j->bounces + k, m->ya + g, by_end);
            put(s, j->bounces + k, m->wa + g, by_rate);
        }
    }
}

void ac_junction_jacobian(ac_optimization *o, double *values)
{
    const sweep s = {o, values};
    for (int k = 0; k < o->description.phases->junction_count; ++k) {
        ac_meeting m;
        ac_meet(o, &o->description.phases->junctions[k], &m);
        place_rows(&s, &m);
        jump_rows(&s, &m);
        bounce_rows(&s, &m);
    }
}
