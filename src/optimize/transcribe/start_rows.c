/* Rows of a start that depends on free parameters, with their derivatives.
 *
 * Unknowns are the freedoms xi of the start and their rates u: in the reduced formulation those of the first time node, else unknowns of
 * their own beside q and its velocity w. Rows are
 *   xi_f = c_f(p),   u_f = r_f(p)            for what is held,
 *   q = F(xi, p),    w = D(xi, p) u          where q and w are unknowns.
 * Loops add rows of the closure at the first node (jacobian.c, curvature_terms.c).
 */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "optimize/transcribe/curvature.h"
#include "optimize/transcribe/jacobian.h"

/* --- beginning --- */

/* A freedom of the start, or its rate, by parameters; NULL: it is a number. */
static const ac_jet *datum_of(const ac_optimization *o, int e, int f, double *factor, double *change)
{
    const ac_node *node = &o->system->nodes[o->point.start.chart.holder[f]];
    return ac_variation_start(&o->description.variation, node, f - node->u, e == 1, factor, change);
}

/* How fast a closure row opens with a parameter, freedoms being held. */
static double opening(const ac_optimization *o, int row, int parameter)
{
    const ac_variation *v = &o->description.variation;
    const ac_constraints *c = &o->system->constraints;
    const ac_row_data *data = &v->rows[row];
    const ac_start *s = &o->point.start;
    int T = o->layout.freedoms, W = o->layout.span;
    double gradient[AC_ELEMENT_MAX], sum = 0.0;
    for (int k = 0; data->first >= 0 && k < data->count; ++k) {
        const ac_jet *jet = &v->moving[data->moving[k]].jet;
        int at = ac_jet_place(jet->by, jet->count, parameter);
        if (at >= 0) sum += jet->d[at] * ac_form_value(&v->forms, ac_first_map(data->first, k), s->point.q);
    }
    ac_constraint_gradient(o->system, row, s->point.q, gradient);
    for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
        const double *D = s->point.D + c->coordinate[e] * W;
        double by = D[T + parameter], factor, change;
        for (int f = 0; f < T; ++f) {
            const ac_jet *jet = datum_of(o, 0, f, &factor, &change);
            int at = jet ? ac_jet_place(jet->by, jet->count, parameter) : -1;
            if (at >= 0) by += D[f] * factor * jet->d[at];
        }
        sum += gradient[e - c->start[row]] * by;
    }
    return fabs(sum);
}

static bool opens(const ac_optimization *o)
{
    const ac_constraints *c = &o->system->constraints;
    double most = 0.0;
    for (int row = c->closure; row < c->count; ++row)
        for (int j = 0; j < o->layout.parameters; ++j) most = ac_max(most, opening(o, row, j));
    return most > 1e-12;
}

/* A velocity of a start that is free. */
static ac_status check_free(const ac_optimization *o)
{
    const ac_variation *v = &o->description.variation;
    bool moves = v->starts;
    for (int i = 0; i < o->layout.n; ++i) moves = moves || o->system->initial.v[i] != 0.0;
    if (!o->settings.start_velocity || !moves || !(v->geometry || v->starts)) return AC_OK;
    return ac_fail(
        o->ctx, AC_BAD_INPUT,
        "the velocity at the start is given and depends on a free parameter, but the configuration "
        "there is free; let the start be initial, or let its velocity be free and give conditions "
        "for it");
}

ac_status ac_start_begin(ac_optimization *o)
{
    const ac_variation *v = &o->description.variation;
    if (o->layout.parameters == 0 || ac_is_minimal(o)) return AC_OK;
    if (!o->settings.start_fixed) return check_free(o);
    if (!v->geometry && !v->starts) return AC_OK;
    AC_TRY(ac_start_create(o->ctx, v, o->settings.start_velocity, &o->point.start));
    double *zero;
    AC_NEW(o->ctx, zero, o->layout.freedoms + 1);
    ac_start_at(&o->point.start, zero);
    ac_release(o->ctx, zero);
    return opens(o) ? ac_start_close(&o->point.start) : AC_OK;
}

static int held_count(const ac_optimization *o, int e)
{
    int count = 0;
    for (int f = 0; f < o->layout.freedoms; ++f) count += o->point.start.held[e * o->layout.freedoms + f];
    return count;
}

int ac_start_row_count(const ac_optimization *o, int e)
{
    if (!ac_start_follows(o)) return o->layout.width;
    return (o->layout.charted ? 0 : o->layout.n) + held_count(o, e);
}

/* --- values --- */

void ac_start_evaluate(ac_optimization *o)
{
    ac_start *s = &o->point.start;
    if (!ac_start_follows(o) || o->layout.charted) return;
    ac_start_at(s, o->point.x + o->layout.first.start[0]);
    if (s->moves) ac_chart_along(&s->chart, &s->point, o->point.x + o->layout.first.start[1], s->V);
}

void ac_start_guess(ac_optimization *o, const double *xi, const double *u)
{
    size_t T = (size_t)o->layout.freedoms;
    if (o->layout.first.start[0] >= 0) memcpy(o->point.x + o->layout.first.start[0], xi, T * sizeof *xi);
    if (o->layout.first.start[1] >= 0) memcpy(o->point.x + o->layout.first.start[1], u, T * sizeof *u);
}

/* Rows q = F or w = D u, where these are unknowns. */
static int chart_rows(const ac_optimization *o)
{
    return ac_start_follows(o) && !o->layout.charted ? o->layout.n : 0;
}

void ac_start_row_values(const ac_optimization *o, const ac_row_block *block, double *c)
{
    const ac_start *s = &o->point.start;
    int e = block->item, T = o->layout.freedoms, r = chart_rows(o);
    if (!ac_start_follows(o)) {
        for (int i = 0; i < block->count; ++i)
            c[i] = o->point.x[i] - (o->layout.charted ? 0.0 : o->system->initial.q[i]);
        return;
    }
    const double *x = o->point.x + o->layout.first.start[e],
                 *own = o->point.x + (e == 0 ? 0 : o->layout.first.velocity[0]);
    if (r > 0 && e == 1) ac_start_velocity(s, x, c);
    for (int i = 0; i < r; ++i) c[i] = own[i] - (e == 0 ? s->point.q[i] : c[i]);
    for (int f = 0; f < T; ++f) {
        double factor, change;
        if (!s->held[e * T + f]) continue;
        datum_of(o, e, f, &factor, &change);
        c[r++] = x[f] - change - (e == 0 ? 0.0 : s->u[f]);
    }
}

/* --- first derivatives --- */

void ac_start_jacobian(const ac_jacobian_pass *p, const ac_row_block *block)
{
    const ac_optimization *o = p->o;
    const ac_start *s = &o->point.start;
    int e = block->item, T = o->layout.freedoms, P = o->layout.parameters, W = o->layout.span,
        row = block->first, own = e == 0 ? 0 : o->layout.first.velocity[0];
    if (!ac_start_follows(o)) {
        for (int i = 0; i < block->count; ++i) ac_jacobian_put(p, row + i, i, 1.0);
        return;
    }
    for (int i = 0; i < chart_rows(o); ++i, ++row) {
        const double *D = s->point.D + i * W, *V = s->V + i * W;
        ac_jacobian_put(p, row, own + i, 1.0);
        ac_jacobian_put_run(p, row, o->layout.first.start[e], T, D, -1.0);
        if (e == 1) ac_jacobian_put_run(p, row, o->layout.first.start[0], T, V, -1.0);
        ac_jacobian_put_run(p, row, o->layout.first.parameter, P, (e == 0 ? D : V) + T, -1.0);
    }
    for (int f = 0; f < T; ++f) {
        double factor, change;
        if (!s->held[e * T + f]) continue;
        const ac_jet *jet = datum_of(o, e, f, &factor, &change);
        ac_jacobian_put(p, row, o->layout.first.start[e] + f, 1.0);
        if (jet) ac_jacobian_put_jet(p, row, jet, -factor);
        ++row;
    }
}

/* --- second derivatives --- */

/* The unknown that a local coordinate of the chart is. */
static int unknown_of(const ac_optimization *o, int a)
{
    int T = o->layout.freedoms;
    return a < T ? o->layout.first.start[0] + a : o->layout.first.parameter + a - T;
}

/* - mu . F, - mu . D u */
static void chart_curvature(const ac_hessian_pass *p, int e, const double *mu)
{
    ac_optimization *o = p->o;
    const ac_start *s = &o->point.start;
    int T = o->layout.freedoms, W = o->layout.span;
    double *H = o->point.local, *cross = H + W * W;
    memset(H, 0, 2 * (size_t)(W * W) * sizeof *H);
    if (p->values && e == 0) ac_chart_second(&s->chart, &s->point, mu, H);
    if (p->values && e == 1) {
        ac_chart_third(&s->chart, &s->point, mu, o->point.x + o->layout.first.start[1], H);
        ac_chart_second(&s->chart, &s->point, mu, cross);
    }
    for (int a = 0; a < W; ++a) {
        for (int b = 0; b <= a; ++b) ac_hessian_put(p, unknown_of(o, a), unknown_of(o, b), -H[a * W + b]);
        for (int f = 0; e == 1 && f < T; ++f)
            ac_hessian_put(p, o->layout.first.start[1] + f, unknown_of(o, a), -cross[f * W + a]);
    }
}

void ac_start_curvature(const ac_hessian_pass *p, const ac_row_block *block, const double *mu)
{
    const ac_optimization *o = p->o;
    const ac_start *s = &o->point.start;
    int e = block->item, T = o->layout.freedoms, r = chart_rows(o), first = o->layout.first.parameter;
    if (!ac_start_follows(o)) return;
    if (r > 0) chart_curvature(p, e, mu);
    for (int f = 0; f < T; ++f) {
        double factor, change;
        if (!s->held[e * T + f]) continue;
        const ac_jet *jet = datum_of(o, e, f, &factor, &change);
        for (int a = 0; jet && jet->dd && a < jet->count; ++a)
            for (int b = 0; b <= a; ++b)
                ac_hessian_put(p, first + jet->by[a], first + jet->by[b],
                               -mu[r] * factor * jet->dd[a * jet->count + b]);
        ++r;
    }
}
