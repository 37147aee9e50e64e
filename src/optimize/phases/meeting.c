/* The point where two phases meet: configurations, momenta and impulses there, and the rows of a junction. */
#include <math.h>
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

/* --- the point --- */

/* A constraint of the next phase at its start. */
static void constraint_strike(const ac_meeting *m, int k, ac_strike *strike)
{
    const ac_constraints *c = &m->b->system->constraints;
    int row = m->b->layout.constraint_rows[k], count = c->start[row + 1] - c->start[row];
    *strike = (ac_strike){.count = count, .scalar = -1, .at = c->coordinate + c->start[row]};
    ac_constraint_gradient(m->b->system, row, ac_q(m->b, 0), strike->gradient);
    for (int t = c->forms.product_start[row]; t < c->forms.product_start[row + 1]; ++t) {
        const ac_product *product = &c->forms.products[t];
        strike->hessian[product->i * count + product->j] += product->a;
        strike->hessian[product->j * count + product->i] += product->a;
    }
}

void ac_strike_evaluate(const ac_meeting *m, int k, ac_strike *strike)
{
    const ac_optimization *b = m->b;
    if (k >= m->j->impulse_count) {
        constraint_strike(m, k - m->j->impulse_count, strike);
        return;
    }
    int scalar = k < b->description.phase.hold_count ? b->description.phase.holds[k]
                                                     : m->j->bounce[k - b->description.phase.hold_count];
    strike->scalar = scalar;
    strike->count = b->description.scalars.list[scalar].count;
    strike->at = ac_scalar_coordinates(&b->description.scalars, scalar);
    ac_scalar_evaluate(&b->description.scalars, scalar, ac_q(b, 0), b->point.scalar_windings[scalar],
                       strike->gradient, strike->hessian);
}

void ac_bounce_evaluate(const ac_meeting *m, int bounce, ac_strike *strike)
{
    ac_strike_evaluate(m, m->b->description.phase.hold_count + bounce, strike);
}

double ac_junction_restitution(const ac_optimization *o, const ac_junction_data *j, int bounce)
{
    int lossy = j->lossy[bounce];
    return lossy < 0 ? j->restitution[bounce] : o->point.x[j->restitutions + lossy];
}

int ac_bounce_parts(const ac_optimization *o, const ac_meeting *m, int bounce, const double *mu,
                    ac_bounce_part part[AC_BOUNCE_PARTS])
{
    const ac_junction_data *j = m->j;
    int lossy = j->lossy[bounce], impulse = j->impulses + m->b->description.phase.hold_count + bounce;
    double nu = mu ? mu[j->bounces + bounce] : 1.0;
    part[0] = (ac_bounce_part){{1.0, ac_junction_restitution(o, j, bounce)}, nu, -1};
    if (lossy < 0) return 1;
    part[1] = (ac_bounce_part){{0.0, 1.0}, nu, j->restitutions + lossy};
    double half = 0.5 * o->point.x[impulse];
    nu = mu ? mu[j->losses + lossy] : 1.0;
    part[2] = (ac_bounce_part){{half, half}, nu, -1};
    part[3] = (ac_bounce_part){{0.5, 0.5}, nu, impulse};
    return AC_BOUNCE_PARTS;
}

double ac_rate_sum_value(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum)
{
    double value = 0.0;
    for (int i = 0; i < strike->count; ++i) {
        int at = strike->at[i];
        value += strike->gradient[i] * (sum.behind * m->v[at] + sum.before * m->Sv[at]);
    }
    return value;
}

void ac_strike_third(const ac_meeting *m, const ac_strike *strike, const double *w, double *third)
{
    if (strike->scalar >= 0) {
        ac_scalar_third(&m->b->description.scalars, strike->scalar, ac_q(m->b, 0), w, third);
    } else {
        memset(third, 0, (size_t)strike->count * (size_t)strike->count * sizeof *third);
    }
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
    m->v = m->Sv + m->n;
}

/* How the velocities change with the local coordinates, and what S and M make of that. */
static void differentiate(ac_optimization *o, ac_meeting *m)
{
    const ac_optimization *a = m->a, *b = m->b;
    int n = m->n, T = m->T;
    ac_chart_along(&b->description.chart, &m->start, b->point.x + b->layout.first.velocity[0], m->V0);
    ac_chart_along(&a->description.chart, &m->end, a->point.x + a->layout.first.velocity[1], m->VN);
    apply_map(m->j, n, T, m->end.D, m->SD);
    apply_map(m->j, n, T, m->VN, m->SV);
    ac_mass_apply_rows(o->system, T, m->start.D, m->MD0);
    ac_mass_apply_rows(o->system, T, m->V0, m->MV0);
    ac_mass_apply_rows(o->system, T, m->SD, m->MSD);
    ac_mass_apply_rows(o->system, T, m->SV, m->MSV);
}

/* The gaps F and P. */
static void compare_sides(ac_optimization *o, ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    double *jump = ac_meeting_vector(o, m, 0);
    apply_map(j, m->n, 1, m->a->point.velocity[1], m->Sv);
    apply_map(j, m->n, 1, m->end.q, m->F);
    for (int i = 0; i < m->n; ++i) {
        m->F[i] = m->start.q[i] - m->F[i] + (j->shift ? m->length * j->shift[i] : 0.0);
        m->v[i] = m->b->point.velocity[0][i];
        jump[i] = m->v[i] - m->Sv[i];
    }
    ac_mass_apply_rows(o->system, 1, jump, m->P);
    for (int k = 0; k < j->strikes; ++k) {
        ac_strike s;
        ac_strike_evaluate(m, k, &s);
        for (int i = 0; i < s.count; ++i) m->P[s.at[i]] -= o->point.x[j->impulses + k] * s.gradient[i];
    }
}

void ac_meet(ac_optimization *o, const ac_junction_data *j, ac_meeting *m)
{
    const ac_phases *p = o->description.phases;
    ac_optimization *a = p->list[j->from], *b = p->list[j->to];
    *m = (ac_meeting){.j = j, .a = a, .b = b, .n = a->layout.n, .T = a->layout.freedoms};
    m->charted = a->layout.charted;
    m->ya = p->first_variable[j->from] + ac_y(a, a->layout.N);
    m->wa = p->first_variable[j->from] + a->layout.first.velocity[1];
    m->yb = p->first_variable[j->to] + ac_y(b, 0);
    m->wb = p->first_variable[j->to] + b->layout.first.velocity[0];
    m->end = ac_point_of(a, a->layout.N);
    m->start = ac_point_of(b, 0);
    m->length = j->length >= 0 ? o->point.x[j->length] : 0.0;
    share_workspace(o, m);
    if (m->charted) differentiate(o, m);
    compare_sides(o, m);
}

/* --- values --- */

static void one_junction(ac_optimization *o, const ac_junction_data *j, double *c)
{
    ac_meeting m;
    ac_meet(o, j, &m);
    for (int i = 0; i < m.n && !m.charted; ++i) {
        c[j->places + i] = m.F[i];
        c[j->jumps + i] = m.P[i];
    }
    for (int f = 0; f < m.T && m.charted; ++f) {
        c[j->places + f] = c[j->jumps + f] = 0.0;
        for (int i = 0; i < m.n; ++i) {
            c[j->places + f] += m.start.D[i * m.T + f] * m.F[i];
            c[j->jumps + f] += m.start.D[i * m.T + f] * m.P[i];
        }
    }
    for (int k = 0; k < j->bounce_count; ++k) {
        ac_strike s;
        ac_bounce_evaluate(&m, k, &s);
        c[j->bounces + k] = ac_rate_sum_value(&m, &s, (ac_rate_sum){1.0, ac_junction_restitution(o, j, k)});
        if (j->lossy[k] < 0) continue;
        double half = 0.5 * o->point.x[j->impulses + m.b->description.phase.hold_count + k];
        c[j->losses + j->lossy[k]] = ac_rate_sum_value(&m, &s, (ac_rate_sum){half, half}) + j->loss[k];
    }
}

double ac_junction_gap(ac_optimization *o, int *from, int *to)
{
    double most = 0.0;
    for (int k = 0; k < o->description.phases->junction_count; ++k) {
        const ac_junction_data *j = &o->description.phases->junctions[k];
        ac_meeting m;
        ac_meet(o, j, &m);
        for (int i = 0; i < m.n; ++i) {
            if (fabs(m.F[i]) <= most) continue;
            most = fabs(m.F[i]);
            *from = j->from;
            *to = j->to;
        }
    }
    return most;
}

void ac_junction_rows(ac_optimization *o, double *c)
{
    for (int k = 0; k < o->description.phases->junction_count; ++k)
        one_junction(o, &o->description.phases->junctions[k], c);
}
