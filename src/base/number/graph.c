/* Records of numbers: written once while something is built, then evaluated and differentiated as often as wanted. */
#include "base/number/graph.h"

#include <string.h>

#include "base/base.h"

/* --- making and freeing --- */

ac_status ac_graph_new(ac_context *ctx, ac_graph **graph)
{
    ac_graph *g;
    AC_NEW(ctx, g, 1);
    g->ctx = ctx;
    g->count = 1;
    ac_status status = ac_grow(ctx, (void **)&g->records, &g->capacity, 1, sizeof *g->records);
    if (status == AC_OK)
        *graph = g;
    else
        ac_graph_free(g);
    return status;
}

void ac_graph_free(ac_graph *g)
{
    if (!g) return;
    ac_release(g->ctx, g->records);
    ac_release(g->ctx, g->input);
    ac_release(g->ctx, g);
}

void ac_graph_cut(ac_graph *g, int count)
{
    while (g->inputs > 0 && g->input[g->inputs - 1] >= count) --g->inputs;
    g->count = count;
}

void ac_graph_reach(const ac_graph *g, const bool *inputs, bool *reached)
{
    reached[0] = false;
    for (int k = 1; k < g->count; ++k) {
        const ac_record *r = &g->records[k];
        reached[k] = r->op == OP_VARIABLE ? inputs[r->a] : reached[r->a] || reached[r->b];
    }
}

/* --- recording --- */

static ac_num put(ac_graph *g, ac_record record, double v)
{
    if (!g || g->failed) return ac_num_of(v);
    if (ac_grow(g->ctx, (void **)&g->records, &g->capacity, g->count + 1, sizeof *g->records) != AC_OK) {
        g->failed = true;
        return ac_num_of(v);
    }
    g->records[g->count] = record;
    return (ac_num){v, g->count++};
}

ac_num ac_num_input(ac_graph *g, double v)
{
    if (ac_grow(g->ctx, (void **)&g->input, &g->input_capacity, g->inputs + 1, sizeof *g->input) != AC_OK) {
        g->failed = true;
        return ac_num_of(v);
    }
    g->input[g->inputs] = g->count;
    return put(g, (ac_record){.op = OP_VARIABLE, .a = g->inputs++}, v);
}

int ac_num_node(ac_graph *g, ac_num a)
{
    return a.node ? a.node : put(g, (ac_record){.op = OP_NUMBER, .number = a.v}, a.v).node;
}

ac_num ac_num_unary(ac_graph *g, operation op, ac_num a)
{
    double v = ac_operation_unary(op, a.v);
    return a.node ? put(g, (ac_record){.op = op, .a = a.node}, v) : ac_num_of(v);
}

ac_num ac_num_binary(ac_graph *g, operation op, ac_num a, ac_num b)
{
    double v = ac_operation_binary(op, a.v, b.v);
    if (!g || (!a.node && !b.node)) return ac_num_of(v);
    int left = ac_num_node(g, a), right = ac_num_node(g, b);
    return put(g, (ac_record){.op = op, .a = left, .b = right}, v);
}

static bool is_number(ac_num a, double number)
{
    return !a.node && a.v == number;
}

ac_num ac_num_add(ac_graph *g, ac_num a, ac_num b)
{
    if (is_number(a, 0.0)) return b;
    return is_number(b, 0.0) ? a : ac_num_binary(g, OP_ADD, a, b);
}

ac_num ac_num_subtract(ac_graph *g, ac_num a, ac_num b)
{
    return is_number(b, 0.0) ? a : ac_num_binary(g, OP_SUBTRACT, a, b);
}

ac_num ac_num_multiply(ac_graph *g, ac_num a, ac_num b)
{
    if (is_number(a, 1.0)) return b;
    return is_number(b, 1.0) ? a : ac_num_binary(g, OP_MULTIPLY, a, b);
}

ac_num ac_num_divide(ac_graph *g, ac_num a, ac_num b)
{
    return ac_num_binary(g, OP_DIVIDE, a, b);
}

ac_num ac_num_scale(ac_graph *g, double factor, ac_num a)
{
    return factor == 0.0 ? ac_num_of(0.0) : ac_num_multiply(g, ac_num_of(factor), a);
}

ac_num ac_num_power(ac_graph *g, ac_num a, int exponent)
{
    return ac_num_binary(g, OP_POWER, a, ac_num_of(exponent));
}

/* --- vectors --- */

static ac_num times(ac_graph *g, ac_num a, ac_num b)
{
    return is_number(a, 0.0) || is_number(b, 0.0) ? ac_num_of(0.0) : ac_num_multiply(g, a, b);
}

ac_num ac_num_dot3(ac_graph *g, const ac_num a[3], const ac_num b[3])
{
    ac_num sum = times(g, a[0], b[0]);
    for (int i = 1; i < 3; ++i) sum = ac_num_add(g, sum, times(g, a[i], b[i]));
    return sum;
}

void ac_num_cross3(ac_graph *g, const ac_num a[3], const ac_num b[3], ac_num out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = ac_num_subtract(g, times(g, a[j], b[k]), times(g, a[k], b[j]));
    }
}

void ac_num_apply3(ac_graph *g, const ac_num A[9], bool transposed, const ac_num x[3], ac_num out[3])
{
    for (int i = 0; i < 3; ++i) {
        const ac_num row[3] = {A[transposed ? i : 3 * i], A[transposed ? 3 + i : 3 * i + 1],
                               A[transposed ? 6 + i : 3 * i + 2]};
        out[i] = ac_num_dot3(g, row, x);
    }
}

void ac_num_multiply3(ac_graph *g, const ac_num A[9], bool transposed, const ac_num B[9], ac_num out[9])
{
    for (int j = 0; j < 3; ++j) {
        const ac_num column[3] = {B[j], B[3 + j], B[6 + j]};
        ac_num x[3];
        ac_num_apply3(g, A, transposed, column, x);
        for (int i = 0; i < 3; ++i) out[3 * i + j] = x[i];
    }
}

/* --- workspaces --- */

ac_status ac_graph_fit(const ac_graph *g, ac_context *ctx, ac_graph_work *w)
{
    if (g->failed) return AC_NO_MEMORY;
    w->ctx = ctx;
    if (g->count <= w->capacity) return AC_OK;
    const size_t room = (size_t)g->capacity;
    double *all;
    AC_NEW(ctx, all, 4 * room);
    ac_release(ctx, w->v);
    *w = (ac_graph_work){ctx, g->capacity, all, all + room, all + 2 * room, all + 3 * room};
    return AC_OK;
}

void ac_graph_work_free(ac_graph_work *w)
{
    if (w->ctx) ac_release(w->ctx, w->v);
    *w = (ac_graph_work){0};
}

/* --- the four loops --- */

static ac_partials partials_of(const ac_graph *g, const ac_graph_work *w, int k)
{
    const ac_record *r = &g->records[k];
    return ac_operation_partials(r->op, w->v[r->a], w->v[r->b], w->v[k], g->records[r->a].op != OP_NUMBER,
                                 r->b && g->records[r->b].op != OP_NUMBER);
}

/* A derivative that is not finite does no harm where nothing moves. */
static double chain(double partial, double change)
{
    return change == 0.0 ? 0.0 : partial * change;
}

void ac_graph_evaluate(const ac_graph *g, ac_graph_work *w, const double *x)
{
    for (int k = 1; k < g->count; ++k) {
        const ac_record *r = &g->records[k];
        if (r->op == OP_VARIABLE)
            w->v[k] = x[r->a];
        else if (ac_operation_is_binary(r->op))
            w->v[k] = ac_operation_binary(r->op, w->v[r->a], w->v[r->b]);
        else
            w->v[k] = r->op == OP_NUMBER ? r->number : ac_operation_unary(r->op, w->v[r->a]);
    }
}

void ac_graph_tangent(const ac_graph *g, ac_graph_work *w, const double *dx)
{
    for (int k = 1; k < g->count; ++k) {
        const ac_record *r = &g->records[k];
        double a = w->d[r->a], b = w->d[r->b];
        w->d[k] = r->op == OP_VARIABLE ? dx[r->a] : 0.0;
        if (r->op <= OP_VARIABLE || (a == 0.0 && b == 0.0)) continue;
        const ac_partials p = partials_of(g, w, k);
        w->d[k] = chain(p.x, a) + chain(p.y, b);
    }
}

void ac_graph_mixed(const ac_graph *g, ac_graph_work *w, const double *dx)
{
    double *e = w->bar, *de = w->dbar;
    e[0] = de[0] = 0.0;
    for (int k = 1; k < g->count; ++k) {
        const ac_record *r = &g->records[k];
        const int a = r->a, b = r->b;
        e[k] = r->op == OP_VARIABLE ? dx[a] : 0.0;
        de[k] = 0.0;
        if (r->op <= OP_VARIABLE || (e[a] == 0.0 && e[b] == 0.0 && de[a] == 0.0 && de[b] == 0.0)) continue;
        const ac_partials p = partials_of(g, w, k);
        e[k] = chain(p.x, e[a]) + chain(p.y, e[b]);
        de[k] = chain(p.x, de[a]) + chain(p.y, de[b]) + chain(p.xx, w->d[a] * e[a]) +
                chain(p.xy, w->d[a] * e[b] + w->d[b] * e[a]) + chain(p.yy, w->d[b] * e[b]);
    }
}

void ac_graph_clear(const ac_graph *g, ac_graph_work *w)
{
    memset(w->bar, 0, (size_t)g->count * sizeof *w->bar);
    memset(w->dbar, 0, (size_t)g->count * sizeof *w->dbar);
}

/* A node hands its bar on to what it was computed from and keeps none. */
static void pull(const ac_graph *g, ac_graph_work *w, bool second)
{
    for (int k = g->count - 1; k > 0; --k) {
        const ac_record *r = &g->records[k];
        double bar = w->bar[k], change = second ? w->dbar[k] : 0.0;
        if (r->op <= OP_VARIABLE || (bar == 0.0 && change == 0.0)) continue;
        const ac_partials p = partials_of(g, w, k);
        w->bar[k] = 0.0;
        w->bar[r->a] += chain(p.x, bar);
        if (r->b) w->bar[r->b] += chain(p.y, bar);
        if (!second) continue;
        double da = w->d[r->a], db = w->d[r->b];
        w->dbar[k] = 0.0;
        w->dbar[r->a] += chain(p.x, change) + bar * (chain(p.xx, da) + chain(p.xy, db));
        if (r->b) w->dbar[r->b] += chain(p.y, change) + bar * (chain(p.xy, da) + chain(p.yy, db));
    }
}

void ac_graph_reverse(const ac_graph *g, ac_graph_work *w, double *x_bar)
{
    pull(g, w, false);
    for (int k = 0; k < g->inputs; ++k) x_bar[k] = w->bar[g->input[k]];
}

void ac_graph_second(const ac_graph *g, ac_graph_work *w, double *x_bar, double *change)
{
    pull(g, w, true);
    for (int k = 0; k < g->inputs; ++k) {
        x_bar[k] = w->bar[g->input[k]];
        change[k] = w->dbar[g->input[k]];
    }
}
