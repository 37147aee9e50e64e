/* The start of the motion by free parameters: what is held, and the state at the present values. */
#include "optimize/problem/start.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/math.h"

enum { ITERATIONS = 60 };
static const double CLOSED = 1e-13, OPEN = 1e-9, RANK_TOLERANCE = 1e-9, LONGEST = 0.3, TURNED = 1e-9;

/* --- velocity --- */

void ac_start_velocity(const ac_start *s, const double *u, double *v)
{
    int T = s->chart.freedoms, W = s->chart.span;
    for (int i = 0; i < s->chart.n; ++i) {
        v[i] = 0.0;
        for (int f = 0; f < T; ++f) v[i] += s->point.D[i * W + f] * u[f];
    }
}

/* D u = v of the given system; in the chart nodes of beams move relative to their neighbours. */
static ac_status solve_rates(ac_start *s, const ac_chart *given)
{
    int n = given->n, T = given->freedoms;
    double *block, *zero, *A = s->point.D; /* its rows are as long as those of D, or longer */
    size_t doubles = ac_row_space_doubles(T, n);
    AC_NEW(s->ctx, block, doubles + (size_t)T);
    zero = block + doubles;
    int *ints = ac_allocate(s->ctx, ac_row_space_ints(T, n), sizeof *ints);
    if (ints) {
        ac_row_space space;
        ac_row_space_place(&space, T, n, block, ints);
        memcpy(s->point.q, given->system->initial.q, (size_t)n * sizeof *zero);
        ac_chart_evaluate(given, ac_chart_start(given), zero, s->state, &s->point);
        ac_least_squares(&space, A, given->system->initial.v, RANK_TOLERANCE, s->u);
    }
    ac_release(s->ctx, block);
    ac_release(s->ctx, ints);
    return ints ? AC_OK : ac_out_of_memory(s->ctx);
}

static ac_status find_rates(ac_start *s)
{
    const ac_system *given = s->vary->given;
    for (int i = 0; i < given->n; ++i) s->moves = s->moves || given->initial.v[i] != 0.0;
    if (!s->moves || given->tree.freedoms == 0) return AC_OK;
    ac_chart chart = {0};
    ac_status status = ac_chart_create(s->ctx, given, &chart);
    if (status == AC_OK) status = solve_rates(s, &chart);
    ac_chart_destroy(&chart);
    return status;
}

/* --- beginning --- */

ac_status ac_start_create(ac_context *ctx, const ac_variation *v, bool velocity, ac_start *s)
{
    *s = (ac_start){.ctx = ctx, .vary = v};
    AC_TRY(ac_chart_create(ctx, &v->system, &s->chart));
    int n = s->chart.n, T = s->chart.freedoms, span = T + v->count;
    AC_TRY(ac_chart_follow(&s->chart, span, v->geometry ? v : NULL));
    AC_NEW(ctx, s->held, 2 * T + 1);
    for (int f = 0; f < 2 * T; ++f) s->held[f] = true;
    AC_NEW(ctx, s->u, T + 1);
    AC_NEW(ctx, s->point.q, n);
    AC_NEW(ctx, s->point.D, (size_t)n * (size_t)span);
    AC_NEW(ctx, s->point.axis, 3 * T + 1);
    AC_NEW(ctx, s->V, (size_t)n * (size_t)span);
    AC_NEW(ctx, s->state, v->system.node_count);
    for (int j = 0; velocity && j < v->given->joint_count; ++j)
        for (int c = 0; c < 3; ++c) s->moves = s->moves || v->of.start[6 * j + 3 + c] >= 0;
    return velocity ? find_rates(s) : AC_OK;
}

void ac_start_destroy(ac_start *s)
{
    if (!s->ctx) return;
    void *blocks[] = {s->held, s->u, s->point.q, s->point.D, s->point.axis, s->V, s->state};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_chart_destroy(&s->chart);
    memset(s, 0, sizeof *s);
}

void ac_start_at(ac_start *s, const double *xi)
{
    const ac_system *given = s->vary->given;
    memcpy(s->point.q, given->initial.q, (size_t)given->n * sizeof *s->point.q); /* signs of quaternions */
    ac_chart_evaluate(&s->chart, ac_chart_start(&s->chart), xi, s->state, &s->point);
}

/* --- loops --- */

typedef struct closing {
    int rows, columns;
    double *J, *g, *x; /* of all freedoms */
    double *block;
    int *ints;
    ac_row_space space;
} closing;

static ac_status begin(const ac_start *s, closing *c)
{
    const ac_constraints *g = &s->vary->system.constraints;
    c->rows = g->count - g->closure;
    c->columns = s->chart.freedoms;
    size_t m = (size_t)c->rows, T = (size_t)c->columns, doubles = ac_row_space_doubles(c->rows, c->columns);
    AC_NEW(s->ctx, c->block, doubles + m * T + m + T);
    AC_NEW(s->ctx, c->ints, ac_row_space_ints(c->rows, c->columns));
    c->J = c->block + doubles;
    c->g = c->J + m * T;
    c->x = c->g + m;
    ac_row_space_place(&c->space, c->rows, c->columns, c->block, c->ints);
    return AC_OK;
}

static void end(const ac_start *s, closing *c)
{
    ac_release(s->ctx, c->block);
    ac_release(s->ctx, c->ints);
}

/* J = G D of the closure in the last evaluation; columns that are held are zero (held NULL: none). */
static void fill(const ac_start *s, const bool *held, closing *c)
{
    const ac_system *system = &s->vary->system;
    const ac_constraints *g = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    int T = c->columns, W = s->chart.span;
    memset(c->J, 0, (size_t)(c->rows * T) * sizeof *c->J);
    for (int r = 0; r < c->rows; ++r) {
        int row = g->closure + r;
        ac_constraint_gradient(system, row, s->point.q, gradient);
        for (int e = g->start[row]; e < g->start[row + 1]; ++e)
            for (int f = 0; f < T; ++f)
                if (!held || !held[f])
                    c->J[r * T + f] += gradient[e - g->start[row]] * s->point.D[g->coordinate[e] * W + f];
    }
}

double ac_start_gap(const ac_start *s)
{
    const ac_system *system = &s->vary->system;
    const ac_constraints *g = &system->constraints;
    double most = 0.0, x[AC_ELEMENT_MAX];
    for (int row = g->closure; row < g->count; ++row) {
        for (int e = g->start[row]; e < g->start[row + 1]; ++e)
            x[e - g->start[row]] = s->point.q[g->coordinate[e]];
        most = ac_max(most, fabs(ac_form_value(&g->forms, row, x)));
    }
    return most;
}

/* Held is what is given, and what turns no loop; the loops must decide the rest, all of it. */
static ac_status decide(const ac_start *s, bool rates, const double *moving, closing *c)
{
    bool *held = s->held + (rates ? c->columns : 0);
    int others = 0;
    ac_system_mark_given(s->vary->given, rates, held);
    for (int f = 0; f < c->columns; ++f) {
        held[f] = held[f] || moving[f] <= TURNED;
        others += !held[f];
    }
    fill(s, held, c);
    ac_row_space_factor(&c->space, c->J, RANK_TOLERANCE, c->rows);
    if (c->space.rank == others) return AC_OK;
    int more = others - c->space.rank;
    return ac_fail(
        s->ctx, AC_BAD_INPUT,
        "a free parameter changes a closed loop whose first %s is not decided by what is given: give "
        "%d more %s of its joints, or let the start be free and give conditions for it",
        rates ? "velocity" : "configuration", more, rates ? "rates" : "coordinates");
}

ac_status ac_start_close(ac_start *s)
{
    closing c = {0};
    double *moving = NULL;
    ac_status status = begin(s, &c);
    if (status == AC_OK) moving = ac_allocate(s->ctx, (size_t)c.columns + 1, sizeof *moving);
    if (status == AC_OK && !moving) status = ac_out_of_memory(s->ctx);
    if (status == AC_OK) {
        fill(s, NULL, &c);
        for (int r = 0; r < c.rows; ++r)
            for (int f = 0; f < c.columns; ++f) moving[f] = ac_max(moving[f], fabs(c.J[r * c.columns + f]));
        status = decide(s, false, moving, &c);
    }
    if (status == AC_OK && s->moves) status = decide(s, true, moving, &c);
    ac_release(s->ctx, moving);
    end(s, &c);
    s->closes = status == AC_OK;
    return status;
}

/* --- the state at the present values --- */

static void given_changes(const ac_start *s, bool rates, double *x)
{
    const ac_system *system = &s->vary->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_variation_start_increments(s->vary, &system->nodes[i], rates, x + system->nodes[i].u);
}

/* Newton's method on the closure. */
static ac_status close_loops(ac_start *s, double *xi, bool *found)
{
    const ac_system *system = &s->vary->system;
    closing c = {0};
    ac_status status = begin(s, &c);
    for (int k = 0; status == AC_OK && k < ITERATIONS && ac_start_gap(s) > CLOSED; ++k) {
        double most = 0.0;
        ac_constraints_value(system, s->point.q, system->constraints.closure, c.g);
        fill(s, s->held, &c);
        ac_row_space_factor(&c.space, c.J, RANK_TOLERANCE, c.rows);
        ac_row_space_solve(&c.space, c.g, c.x);
        for (int f = 0; f < c.columns; ++f) most = ac_max(most, fabs(c.x[f]));
        double scale = most > LONGEST ? LONGEST / most : 1.0;
        for (int f = 0; f < c.columns; ++f)
            if (!s->held[f]) xi[f] -= scale * c.x[f];
        ac_start_at(s, xi);
        if (most < CLOSED) break;
    }
    end(s, &c);
    *found = ac_start_gap(s) <= OPEN;
    return status;
}

/* Rates that are not held: G D u = 0. */
static ac_status close_rates(const ac_start *s, double *u)
{
    int T = s->chart.freedoms;
    const bool *held = s->held + T;
    closing c = {0};
    ac_status status = begin(s, &c);
    if (status == AC_OK) {
        fill(s, NULL, &c);
        for (int r = 0; r < c.rows; ++r) {
            c.g[r] = 0.0;
            for (int f = 0; f < T; ++f)
                if (held[f]) c.g[r] -= c.J[r * T + f] * u[f];
        }
        fill(s, held, &c);
        ac_row_space_factor(&c.space, c.J, RANK_TOLERANCE, c.rows);
        ac_row_space_solve(&c.space, c.g, c.x);
        for (int f = 0; f < T; ++f)
            if (!held[f]) u[f] = c.x[f];
    }
    end(s, &c);
    return status;
}

ac_status ac_start_find(ac_start *s, double *xi, double *u, bool *found)
{
    int T = s->chart.freedoms;
    *found = true;
    given_changes(s, false, xi);
    ac_start_at(s, xi);
    if (s->closes) AC_TRY(close_loops(s, xi, found));
    given_changes(s, true, u);
    for (int f = 0; f < T; ++f) u[f] += s->u[f];
    return s->closes && s->moves ? close_rates(s, u) : AC_OK;
}
