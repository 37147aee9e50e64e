/* The point where two phases meet: configurations, momenta and impulses there, and the rows of a junction. */
#include <math.h>
#include <string.h>

#include "optimize/phases/phases.h"
#include "action/inertia.h"

/* --- workspace --- */

size_t ac_junction_doubles(const ac_optimization *o)
{
    size_t n = (size_t)o->system->n, W = (size_t)o->system->tree.freedoms + (size_t)o->layout.parameters;
    return (AC_MEETING_MATRICES + AC_MORE_MATRICES) * n * W + (AC_MEETING_VECTORS + AC_MORE_VECTORS) * n +
           AC_MORE_SQUARES * W * W;
}

double *ac_meeting_matrix(const ac_optimization *o, const ac_meeting *m, int k)
{
    return o->description.phases->work + (size_t)(AC_MEETING_MATRICES + k) * (size_t)m->n * (size_t)m->W;
}

double *ac_meeting_vector(const ac_optimization *o, const ac_meeting *m, int k)
{
    return ac_meeting_matrix(o, m, AC_MORE_MATRICES) + (size_t)(AC_MEETING_VECTORS + k) * (size_t)m->n;
}

double *ac_meeting_square(const ac_optimization *o, const ac_meeting *m, int k)
{
    return ac_meeting_vector(o, m, AC_MORE_VECTORS) + (size_t)k * (size_t)m->W * (size_t)m->W;
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

/* Entry of a strike for a coordinate, which is new where nothing depended on it yet. */
static int entry_of(ac_strike *strike, int coordinate)
{
    int i = 0;
    while (i < strike->plain && strike->at[i] != coordinate) ++i;
    if (i == strike->plain) strike->at[strike->plain++] = coordinate;
    return i;
}

/* All coordinates of a map get their entries. */
static void take_coordinates(const ac_forms *f, int map, ac_strike *strike)
{
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e) entry_of(strike, f->linears[e].i);
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        entry_of(strike, f->products[e].i);
        entry_of(strike, f->products[e].j);
    }
}

/* out_i, `count` numbers apart, += the gradient of a map of a varied row at x; `along`: its derivative along x */
static void add_map_gradient(const ac_meeting *m, const ac_strike *strike, int map, const double *x,
                             bool along, double *out)
{
    const ac_forms *f = &m->b->description.variation.forms;
    for (int i = 0; i < strike->plain; ++i) {
        double *to = out + (size_t)i * (size_t)strike->count;
        for (int e = f->linear_start[map]; !along && e < f->linear_start[map + 1]; ++e)
            if (f->linears[e].i == strike->at[i]) *to += f->linears[e].b;
        for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
            const ac_product *p = &f->products[e];
            if (p->i == strike->at[i]) *to += p->a * x[p->j];
            if (p->j == strike->at[i]) *to += p->a * x[p->i];
        }
    }
}

/* The moving data of a constraint, NULL: it has none. */
static const ac_row_data *varied_row(const ac_meeting *m, const ac_strike *strike)
{
    if (m->b->layout.parameters == 0) return NULL;
    const ac_row_data *data = &m->b->description.variation.rows[strike->row];
    return data->first < 0 ? NULL : data;
}

/* Its force changes with them; values, which take no force, are not asked for. */
static void vary_constraint(const ac_meeting *m, const double *q, ac_strike *strike)
{
    const ac_row_data *data = varied_row(m, strike);
    for (int j = 0; data && j < data->count; ++j) {
        int at = strike->plain + j;
        add_map_gradient(m, strike, ac_first_map(data->first, j), q, false, strike->hessian + at);
        for (int i = 0; i < strike->plain; ++i)
            strike->hessian[at * strike->count + i] = strike->hessian[i * strike->count + at];
    }
}

/* A constraint of the next phase at its start. */
static void constraint_strike(const ac_meeting *m, int k, ac_strike *strike)
{
    const ac_constraints *c = &m->b->system->constraints;
    int row = m->b->layout.constraint_rows[k], own = c->start[row + 1] - c->start[row];
    *strike = (ac_strike){.plain = own, .row = row, .scalar = -1};
    const ac_row_data *data = varied_row(m, strike);
    memcpy(strike->at, c->coordinate + c->start[row], (size_t)own * sizeof *strike->at);
    for (int j = 0; data && j < data->count; ++j)
        take_coordinates(&m->b->description.variation.forms, ac_first_map(data->first, j), strike);
    strike->count = strike->plain + (data ? data->count : 0);
    for (int j = 0; data && j < data->count; ++j) strike->at[strike->plain + j] = m->n + data->moving[j];
    ac_constraint_gradient(m->b->system, row, ac_q(m->b, 0), strike->gradient);
    for (int t = c->forms.product_start[row]; t < c->forms.product_start[row + 1]; ++t) {
        const ac_product *product = &c->forms.products[t];
        strike->hessian[product->i * strike->count + product->j] += product->a;
        strike->hessian[product->j * strike->count + product->i] += product->a;
    }
    vary_constraint(m, ac_q(m->b, 0), strike);
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
    strike->plain = b->description.scalars.list[scalar].plain;
    memcpy(strike->at, ac_scalar_coordinates(&b->description.scalars, scalar),
           (size_t)strike->count * sizeof *strike->at);
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
    for (int i = 0; i < strike->plain; ++i) {
        int at = strike->at[i];
        value += strike->gradient[i] * (sum.behind * m->v[at] + sum.before * m->Sv[at]);
    }
    return value;
}

/* A constraint is quadratic for fixed data. */
static void third_of_constraint(const ac_meeting *m, const ac_strike *strike, const double *w, double *third)
{
    const ac_row_data *data = varied_row(m, strike);
    const ac_forms *forms = &m->b->description.variation.forms;
    int count = strike->count, plain = strike->plain;
    memset(third, 0, (size_t)count * (size_t)count * sizeof *third);
    for (int j = 0; data && j < data->count; ++j) {
        int at = plain + j;
        add_map_gradient(m, strike, ac_first_map(data->first, j), w, true, third + at);
        for (int i = 0; i < plain; ++i) third[at * count + i] = third[i * count + at];
        for (int k = 0; k < data->count; ++k)
            third[at * count + plain + k] = ac_form_along(
                forms, ac_second_map(data->first, data->count, j, k), ac_q(m->b, 0), w);
    }
}

void ac_strike_third(const ac_meeting *m, const ac_strike *strike, const double *w, double *third)
{
    if (strike->scalar >= 0) {
        ac_scalar_third(&m->b->description.scalars, strike->scalar, ac_q(m->b, 0), w, third);
    } else {
        third_of_constraint(m, strike, w, third);
    }
}

static void share_workspace(const ac_optimization *o, ac_meeting *m)
{
    double **matrices[AC_MEETING_MATRICES] = {&m->V0,  &m->VN,  &m->SD,  &m->SV,
                                              &m->MD0, &m->MV0, &m->MSD, &m->MSV};
    size_t size = (size_t)m->n * (size_t)m->W;
    for (int k = 0; k < AC_MEETING_MATRICES; ++k)
        *matrices[k] = o->description.phases->work + (size_t)k * size;
    m->F = ac_meeting_matrix(o, m, AC_MORE_MATRICES);
    m->P = m->F + m->n;
    m->Sv = m->P + m->n;
    m->v = m->Sv + m->n;
}

/* How the velocities change with the local coordinates, and what S and M make of that. */
static void differentiate(ac_meeting *m)
{
    const ac_optimization *a = m->a, *b = m->b;
    int n = m->n, W = m->W;
    ac_chart_along(&b->description.chart, &m->start, b->point.x + b->layout.first.velocity[0], m->V0);
    ac_chart_along(&a->description.chart, &m->end, a->point.x + a->layout.first.velocity[1], m->VN);
    apply_map(m->j, n, W, m->end.D, m->SD);
    apply_map(m->j, n, W, m->VN, m->SV);
    ac_mass_apply_rows(b->system, W, m->start.D, m->MD0);
    ac_mass_apply_rows(b->system, W, m->V0, m->MV0);
    ac_mass_apply_rows(b->system, W, m->SD, m->MSD);
    ac_mass_apply_rows(b->system, W, m->SV, m->MSV);
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
    ac_mass_apply_rows(m->b->system, 1, jump, m->P);
    for (int k = 0; k < j->strikes; ++k) {
        ac_strike s;
        ac_strike_evaluate(m, k, &s);
        for (int i = 0; i < s.plain; ++i) m->P[s.at[i]] -= o->point.x[j->impulses + k] * s.gradient[i];
    }
}

void ac_meet(ac_optimization *o, const ac_junction_data *j, ac_meeting *m)
{
    const ac_phases *p = o->description.phases;
    ac_optimization *a = p->list[j->from], *b = p->list[j->to];
    *m = (ac_meeting){.j = j,
                      .a = a,
                      .b = b,
                      .n = a->layout.n,
                      .T = a->layout.freedoms,
                      .W = a->layout.span,
                      .parameter = o->layout.first.parameter};
    m->charted = a->layout.charted;
    m->ya = p->first_variable[j->from] + ac_y(a, a->layout.N);
    m->wa = p->first_variable[j->from] + a->layout.first.velocity[1];
    m->yb = p->first_variable[j->to] + ac_y(b, 0);
    m->wb = p->first_variable[j->to] + b->layout.first.velocity[0];
    m->end = ac_point_of(a, a->layout.N);
    m->start = ac_point_of(b, 0);
    m->length = j->length >= 0 ? o->point.x[j->length] : 0.0;
    share_workspace(o, m);
    if (m->charted) differentiate(m);
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
            c[j->places + f] += m.start.D[i * m.W + f] * m.F[i];
            c[j->jumps + f] += m.start.D[i * m.W + f] * m.P[i];
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
