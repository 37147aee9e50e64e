/* Expressions as records, and records as expressions.
 *
 * The code of an expression is postfix. What several records use is computed first and stored at the bottom of the stack (OP_STORE), from
 * where it is copied (OP_KEPT) until its last use, so that the code is no longer than the records. */
#include "base/number/formula.h"

#include <string.h>

#include "base/base.h"
#include "base/expression_code.h"

/* --- to records --- */

ac_num ac_graph_record(ac_graph *g, const ac_expression *e, const ac_num *numbers)
{
    ac_num stack[AC_EXPRESSION_STACK + 1] = {{0.0, 0}};
    int top = e->kept;
    for (int k = 0; k < e->length; ++k) {
        const instruction *c = &e->code[k];
        if (c->op == OP_STORE) {
            stack[c->variable] = stack[--top];
        } else if (c->op <= OP_KEPT) {
            stack[top++] = c->op == OP_NUMBER     ? ac_num_of(c->number)
                           : c->op == OP_VARIABLE ? numbers[c->variable]
                                                  : stack[c->variable];
        } else if (ac_operation_is_binary(c->op)) {
            --top;
            stack[top - 1] = ac_num_binary(g, c->op, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = ac_num_unary(g, c->op, stack[top - 1]);
        }
    }
    return stack[top > 0 ? top - 1 : 0];
}

/* --- to an expression --- */

enum { DEPTH_MAX = 200 }; /* values on the stack beside those that are stored */

typedef struct writer {
    ac_context *ctx;
    const ac_graph *graph;
    const int *variable;
    ac_expression *out;
    int *uses;  /* per node: how many records need it */
    int *place; /* per node that is stored: where, from 1 on */
    int *owner; /* per node: the stored one, or the last, in whose code it stands */
    int *last;  /* per node that is stored: the owner of its last use */
    int *next;  /* per node: of those with the same last owner */
    int *first; /* per node: of those whose last owner it is */
    int top, free;
} writer;

static ac_status emit(writer *w, instruction next, int change)
{
    ac_expression *e = w->out;
    w->top += change;
    if (w->top > DEPTH_MAX)
        return ac_fail(w->ctx, AC_BAD_INPUT, "the expression is nested too deeply (more than %d levels)",
                       DEPTH_MAX);
    AC_TRY(ac_grow(w->ctx, (void **)&e->code, &e->capacity, e->length + 1, sizeof *e->code));
    e->code[e->length++] = next;
    return AC_OK;
}

static bool is_leaf(const ac_record *r)
{
    return r->op <= OP_VARIABLE;
}

static bool is_stored(const writer *w, int node)
{
    return w->uses[node] > 1 && !is_leaf(&w->graph->records[node]);
}

static void count_uses(const ac_graph *g, int node, int *uses)
{
    uses[node] = 1;
    for (int k = node; k > 0; --k) {
        const ac_record *r = &g->records[k];
        if (uses[k] == 0 || is_leaf(r)) continue;
        ++uses[r->a];
        if (r->b) ++uses[r->b];
    }
}

static void note_use(writer *w, int node, int owner)
{
    if (!is_stored(w, node))
        w->owner[node] = owner;
    else if (w->last[node] < owner)
        w->last[node] = owner;
}

/* Where each stored value is needed for the last time. */
static void find_last_uses(writer *w, int node)
{
    for (int k = node; k > 0; --k) {
        const ac_record *r = &w->graph->records[k];
        if (w->uses[k] == 0 || is_leaf(r)) continue;
        int own = k == node || is_stored(w, k) ? k : w->owner[k];
        note_use(w, r->a, own);
        if (r->b) note_use(w, r->b, own);
    }
    for (int k = 1; k < node; ++k) {
        if (!is_stored(w, k)) continue;
        w->next[k] = w->first[w->last[k]];
        w->first[w->last[k]] = k;
    }
}

/* The value of a node on top of the stack; `open`: its records, although it may be kept. */
static ac_status write(writer *w, int node, bool open)
{
    const ac_record *r = &w->graph->records[node];
    if (w->place[node] && !open)
        return emit(w, (instruction){.op = OP_KEPT, .variable = w->place[node] - 1}, 1);
    if (r->op == OP_NUMBER) return emit(w, (instruction){.op = OP_NUMBER, .number = r->number}, 1);
    if (r->op == OP_VARIABLE && w->variable[r->a] < 0)
        return ac_fail(w->ctx, AC_BAD_INPUT, "a number depends here on what is no variable");
    if (r->op == OP_VARIABLE)
        return emit(w, (instruction){.op = OP_VARIABLE, .variable = w->variable[r->a]}, 1);
    AC_TRY(write(w, r->a, false));
    if (r->b) AC_TRY(write(w, r->b, false));
    return emit(w, (instruction){.op = r->op}, r->b ? -1 : 0);
}

/* A node with all its records goes to a place, where values are that are no longer needed. */
static ac_status store(writer *w, int node, int *places)
{
    AC_TRY(write(w, node, true));
    for (int k = w->first[node]; k; k = w->next[k]) places[w->free++] = w->place[k];
    w->place[node] = w->free > 0 ? places[--w->free] : ++w->out->kept;
    return emit(w, (instruction){.op = OP_STORE, .variable = w->place[node] - 1}, -1);
}

static ac_status write_all(writer *w, int node, int *places)
{
    count_uses(w->graph, node, w->uses);
    find_last_uses(w, node);
    for (int k = 1; k < node; ++k)
        if (is_stored(w, k)) AC_TRY(store(w, k, places));
    AC_TRY(write(w, node, true));
    if (w->out->kept + DEPTH_MAX > AC_EXPRESSION_STACK)
        return ac_fail(w->ctx, AC_BAD_INPUT, "a formula has too many parts that are used several times");
    return ac_expression_finish(w->out);
}

ac_status ac_graph_expression(ac_context *ctx, const ac_graph *g, int node, const int *variable,
                              int variables, ac_expression **expression)
{
    int *counts;
    ac_expression *e;
    const size_t room = (size_t)node + 1;
    *expression = NULL;
    if (g->failed) return AC_NO_MEMORY;
    AC_NEW(ctx, counts, 7 * room);
    e = ac_allocate(ctx, 1, sizeof *e);
    ac_status status = e ? AC_OK : ac_out_of_memory(ctx);
    if (e) *e = (ac_expression){.ctx = ctx, .variables = variables};
    writer w = {.ctx = ctx,
                .graph = g,
                .variable = variable,
                .out = e,
                .uses = counts,
                .place = counts + room,
                .owner = counts + 2 * room,
                .last = counts + 3 * room,
                .next = counts + 4 * room,
                .first = counts + 5 * room};
    if (status == AC_OK) status = write_all(&w, node, counts + 6 * room);
    ac_release(ctx, counts);
    if (status == AC_OK)
        *expression = e;
    else
        ac_expression_free(e);
    return status;
}

/* --- expressions with names that are defined --- */

/* The expression over variables and names becomes one over variables. */
static ac_status put_in(ac_graph *g, const ac_expression *outer, int count, const ac_definition *definitions,
                        int defined, ac_num *numbers, int *order, ac_expression **expression)
{
    ac_num *inner = numbers + count + defined;
    for (int k = 0; k < count; ++k) {
        numbers[k] = ac_num_input(g, 0.0);
        order[k] = k;
    }
    for (int k = 0; k < defined; ++k) {
        const ac_expression *own = definitions[k].expression;
        for (int i = 0; i < own->variables; ++i)
            inner[i] = definitions[k].variable[i] < 0 ? ac_num_of(0.0) : numbers[definitions[k].variable[i]];
        numbers[count + k] = ac_graph_record(g, own, inner);
    }
    ac_num whole = ac_graph_record(g, outer, numbers);
    return ac_graph_expression(g->ctx, g, ac_num_node(g, whole), order, count, expression);
}

ac_status ac_expression_parse_defined(ac_context *ctx, const char *text, const char *const *variables,
                                      int count, const ac_definition *definitions, int defined,
                                      ac_constant_lookup lookup, void *user, int *column,
                                      ac_expression **expression)
{
    const char **names;
    ac_expression *outer = NULL;
    ac_graph *g = NULL;
    size_t most = (size_t)count + (size_t)defined + 1;
    if (defined == 0)
        return ac_expression_parse(ctx, text, variables, count, lookup, user, column, expression);
    for (int k = 0; k < defined; ++k) most += (size_t)definitions[k].expression->variables;
    AC_NEW(ctx, names, count + defined + 1);
    for (int k = 0; k < count + defined; ++k)
        names[k] = k < count ? variables[k] : definitions[k - count].name;
    ac_status status = ac_expression_parse(ctx, text, names, count + defined, lookup, user, column, &outer);
    ac_release(ctx, names);
    AC_TRY(status);
    ac_num *numbers = ac_allocate(ctx, most, sizeof *numbers);
    int *order = ac_allocate(ctx, most, sizeof *order);
    status = numbers && order ? ac_graph_new(ctx, &g) : ac_out_of_memory(ctx);
    if (status == AC_OK) status = put_in(g, outer, count, definitions, defined, numbers, order, expression);
    ac_graph_free(g);
    ac_release(ctx, numbers);
    ac_release(ctx, order);
    ac_expression_free(outer);
    return status;
}
