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
    int held = b->description.phase.hold_count;
    if (k >= m->j->impulse_count) {
        constraint_strike(m, k - m->j->impulse_count, strike);
        return;
    }
    int scalar = k < held ? b->description.phase.holds[k] : m->j->bounce[k - held].scalar;
    strike->scalar = scalar;
    strike->count = b->description.scalars.list[scalar].count;
    strike->plain = b->description.scalars.list[scalar].plain;
    memcpy(strike->at, ac_scalar_coordinates(&b->description.scalars, scalar),
           (size_t)strike->count * sizeof *strike->at);
    ac_scalar_evaluate(&b->description.scalars, scalar, ac_q(b, 0), b->point.scalar_windings[scalar],
                       strike->gradient, strike->hessian);
}

int ac_strike_unknown(const ac_meeting *m, int behind, int k)
{
    const ac_junction_data *j = m->j;
    int along = m->b->description.phase.hold_count + j->bounce_count;
    if (behind == AC_AFTER) return j->impulses + k;
    if (k < along) return j->pressures + k;
    return k < along + j->along_count ? -1 : j->pressures + k - j->along_count;
}

double ac_junction_restitution(const ac_optimization *o, const ac_junction_data *j, int bounce)
{
    const ac_bounce_data *b = &j->bounce[bounce];
    if (b->normal >= 0) b = &j->bounce[b->normal];
    return b->lossy < 0 ? b->restitution : o->point.x[j->restitutions + b->lossy];
}

/* --- rows of rates --- */

/* A quantity that bounces, or one along the surface: without e, and e times what stands with it. */
static ac_rate_row bounce_row(const ac_meeting *m, int k)
{
    const ac_junction_data *j = m->j;
    const ac_bounce_data *own = &j->bounce[k], *normal = own->normal < 0 ? own : &j->bounce[own->normal];
    ac_rate_sum fixed = {{1.0, 0.0}, 0.0}, with_e = {{0.0, 0.0}, 1.0};
    if (own->normal >= 0) {
        fixed.behind[AC_ENDED] = normal->tangential - 1.0;
        with_e.behind[AC_ENDED] = -1.0;
    }
    ac_rate_row row = {.strike = m->b->description.phase.hold_count + k, .count = 2, .weight = {-1, -1}};
    row.term[0] = (ac_rate_term){fixed, {-1, -1}};
    row.term[1] = (ac_rate_term){with_e, {-1, -1}};
    if (normal->lossy >= 0) {
        row.weight[0] = row.term[1].weight[0] = j->restitutions + normal->lossy;
    } else {
        for (int b = 0; b < AC_BEHIND_MOST; ++b)
            row.term[0].sum.behind[b] += normal->restitution * with_e.behind[b];
        row.term[0].sum.before += normal->restitution * with_e.before;
        row.count = 1;
    }
    return row;
}

/* I s' (v_0 + S v_N) / 2 + L, or with the impulse C of compression: C s' (S v_N + e v_0) / 2 + L */
static ac_rate_row loss_row(const ac_meeting *m, int lossy)
{
    const ac_junction_data *j = m->j;
    int k = 0, held = m->b->description.phase.hold_count;
    while (j->bounce[k].lossy != lossy) ++k;
    ac_rate_row row = {.strike = held + k, .count = 1, .add = j->bounce[k].loss};
    int impulse = ac_strike_unknown(m, ac_has_compression(j) ? AC_ENDED : AC_AFTER, held + k);
    row.weight[0] = impulse;
    row.weight[1] = -1;
    row.term[0] = (ac_rate_term){{{0.5, 0.0}, 0.5}, {impulse, -1}};
    if (!ac_has_compression(j)) return row;
    row.count = 2;
    row.weight[1] = j->restitutions + lossy;
    row.term[0].sum.behind[AC_AFTER] = 0.0;
    row.term[1] = (ac_rate_term){{{0.5, 0.0}, 0.0}, {impulse, row.weight[1]}};
    return row;
}

/* No rate at the end of compression. */
static ac_rate_row ended_row(const ac_meeting *m, int k)
{
    int along = m->b->description.phase.hold_count + m->j->bounce_count;
    ac_rate_row row = {.strike = k < along ? k : k + m->j->along_count, .count = 1, .weight = {-1, -1}};
    row.term[0] = (ac_rate_term){{{0.0, 1.0}, 0.0}, {-1, -1}};
    return row;
}

ac_rate_row ac_rate_row_of(const ac_meeting *m, int k)
{
    const ac_junction_data *j = m->j;
    int bounces = j->bounce_count + j->along_count, losses = bounces + j->lossy_count;
    if (k < bounces) return bounce_row(m, k);
    return k < losses ? loss_row(m, k - bounces) : ended_row(m, k - losses);
}

/* The product of the weights of a term, or its derivative; each unknown is one weight at most. */
static double weight_of(const ac_optimization *o, const ac_rate_term *term, int by, int and_by)
{
    double product = 1.0;
    bool has[2] = {by < 0, and_by < 0};
    for (int i = 0; i < AC_RATE_WEIGHTS; ++i) {
        int unknown = term->weight[i];
        if (unknown < 0) continue;
        has[0] = has[0] || unknown == by;
        has[1] = has[1] || unknown == and_by;
        if (unknown != by && unknown != and_by) product *= o->point.x[unknown];
    }
    return has[0] && has[1] ? product : 0.0;
}

ac_rate_sum ac_rate_row_sum(const ac_optimization *o, const ac_rate_row *row, int by, int and_by)
{
    ac_rate_sum sum = {{0.0, 0.0}, 0.0};
    for (int t = 0; t < row->count; ++t) {
        double weight = weight_of(o, &row->term[t], by, and_by);
        for (int b = 0; b < AC_BEHIND_MOST; ++b) sum.behind[b] += weight * row->term[t].sum.behind[b];
        sum.before += weight * row->term[t].sum.before;
    }
    return sum;
}

double ac_rate_sum_velocity(const ac_meeting *m, ac_rate_sum sum, int coordinate)
{
    double velocity = sum.before * m->Sv[coordinate];
    for (int b = 0; b < m->behind_count; ++b) velocity += sum.behind[b] * m->behind[b].v[coordinate];
    return velocity;
}

double ac_rate_sum_value(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum)
{
    double value = 0.0;
    for (int i = 0; i < strike->plain; ++i)
        value += strike->gradient[i] * ac_rate_sum_velocity(m, sum, strike->at[i]);
    return value;
}

/* --- third derivatives --- */

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

/* --- the point where they meet --- */

static void share_workspace(const ac_optimization *o, ac_meeting *m)
{
    ac_behind *after = &m->behind[AC_AFTER], *ended = &m->behind[AC_ENDED];
    double **matrices[AC_MEETING_MATRICES] = {&m->VN,  &m->SD,    &m->SV,     &m->MD0,   &m->MSD,
                                              &m->MSV, &after->V, &after->MV, &ended->V, &ended->MV};
    double **vectors[AC_MEETING_VECTORS] = {&m->F, &m->Sv, &after->v, &after->P, &ended->v, &ended->P};
    size_t size = (size_t)m->n * (size_t)m->W;
    for (int k = 0; k < AC_MEETING_MATRICES; ++k)
        *matrices[k] = o->description.phases->work + (size_t)k * size;
    double *first = ac_meeting_matrix(o, m, AC_MORE_MATRICES);
    for (int k = 0; k < AC_MEETING_VECTORS; ++k) *vectors[k] = first + k * m->n;
}

/* How the velocities change with the local coordinates, and what S and M make of that. */
static void differentiate(ac_meeting *m)
{
    const ac_optimization *a = m->a, *b = m->b;
    int n = m->n, W = m->W;
    ac_chart_along(&a->description.chart, &m->end, a->point.x + a->layout.first.velocity[1], m->VN);
    apply_map(m->j, n, W, m->end.D, m->SD);
    apply_map(m->j, n, W, m->VN, m->SV);
    ac_mass_apply_rows(b->system, W, m->start.D, m->MD0);
    ac_mass_apply_rows(b->system, W, m->SD, m->MSD);
    ac_mass_apply_rows(b->system, W, m->SV, m->MSV);
    for (int k = 0; k < m->behind_count; ++k) {
        ac_chart_along(&b->description.chart, &m->start, m->behind[k].w, m->behind[k].V);
        ac_mass_apply_rows(b->system, W, m->behind[k].V, m->behind[k].MV);
    }
}

/* Which unknowns and rows belong to the velocities behind, and these. */
static void find_velocities(const ac_optimization *o, ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    ac_behind *after = &m->behind[AC_AFTER], *ended = &m->behind[AC_ENDED];
    after->rates = o->description.phases->first_variable[j->to] + m->b->layout.first.velocity[0];
    after->jumps = j->jumps;
    after->w = m->b->point.x + m->b->layout.first.velocity[0];
    memcpy(after->v, m->b->point.velocity[0], (size_t)m->n * sizeof *after->v);
    m->behind_count = ac_has_compression(j) ? 2 : 1;
    if (!ac_has_compression(j)) return;
    ended->rates = j->ended;
    ended->jumps = j->compressions;
    ended->w = o->point.x + j->ended;
    for (int i = 0; i < m->n; ++i) {
        ended->v[i] = m->charted ? 0.0 : ended->w[i];
        for (int f = 0; f < m->T && m->charted; ++f) ended->v[i] += m->start.D[i * m->W + f] * ended->w[f];
    }
}

/* The gap of the configurations, and those of the momenta. */
static void compare_sides(ac_optimization *o, ac_meeting *m)
{
    const ac_junction_data *j = m->j;
    double *jump = ac_meeting_vector(o, m, 0);
    apply_map(j, m->n, 1, m->a->point.velocity[1], m->Sv);
    apply_map(j, m->n, 1, m->end.q, m->F);
    for (int i = 0; i < m->n; ++i)
        m->F[i] = m->start.q[i] - m->F[i] + (j->shift ? m->length * j->shift[i] : 0.0);
    for (int b = 0; b < m->behind_count; ++b) {
        for (int i = 0; i < m->n; ++i) jump[i] = m->behind[b].v[i] - m->Sv[i];
        ac_mass_apply_rows(m->b->system, 1, jump, m->behind[b].P);
    }
    for (int k = 0; k < j->strikes; ++k) {
        ac_strike s;
        ac_strike_evaluate(m, k, &s);
        for (int b = 0; b < m->behind_count; ++b) {
            int unknown = ac_strike_unknown(m, b, k);
            for (int i = 0; unknown >= 0 && i < s.plain; ++i)
                m->behind[b].P[s.at[i]] -= o->point.x[unknown] * s.gradient[i];
        }
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
    m->end = ac_point_of(a, a->layout.N);
    m->start = ac_point_of(b, 0);
    m->length = j->length >= 0 ? o->point.x[j->length] : 0.0;
    share_workspace(o, m);
    find_velocities(o, m);
    if (m->charted) differentiate(m);
    compare_sides(o, m);
}

/* --- values --- */

/* D^T x, or x itself. */
static void project(const ac_meeting *m, const double *x, double *out)
{
    if (!m->charted) memcpy(out, x, (size_t)m->n * sizeof *out);
    for (int f = 0; f < m->T && m->charted; ++f) {
        out[f] = 0.0;
        for (int i = 0; i < m->n; ++i) out[f] += m->start.D[i * m->W + f] * x[i];
    }
}

static void one_junction(ac_optimization *o, const ac_junction_data *j, double *c)
{
    ac_meeting m;
    ac_meet(o, j, &m);
    project(&m, m.F, c + j->places);
    for (int b = 0; b < m.behind_count; ++b) project(&m, m.behind[b].P, c + m.behind[b].jumps);
    for (int k = 0; k < j->rate_count; ++k) {
        ac_rate_row row = ac_rate_row_of(&m, k);
        ac_strike s;
        ac_strike_evaluate(&m, row.strike, &s);
        c[j->rates + k] = ac_rate_sum_value(&m, &s, ac_rate_row_sum(o, &row, -1, -1)) + row.add;
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
