/* Arithmetic expressions: text -> postfix code -> value and exact derivatives.
 *
 * Derivatives come from hyper-dual numbers: v + a e1 + b e2 + ab e1 e2 with e1^2 = e2^2 = 0. With e1 on x_i
 * and e2 on x_j the coefficient ab is exactly d2f / dx_i dx_j. One evaluation per pair of variables, on a
 * stack of fixed size, so that nothing is allocated and an expression may be shared between threads.
 */
#include "base/expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/expression_code.h"
#include "base/number.h"

enum { STACK_MAX = AC_EXPRESSION_STACK, DEPTH_MAX = 64, NAME_MAX_LENGTH = 63 };

static const double pi = 3.14159265358979323846;

typedef struct function_entry {
    const char *name;
    operation op;
    int arguments;
} function_entry;

static const function_entry functions[] = {
    {"sin", OP_SIN, 1},   {"cos", OP_COS, 1},   {"tan", OP_TAN, 1},     {"asin", OP_ASIN, 1},
    {"acos", OP_ACOS, 1}, {"atan", OP_ATAN, 1}, {"sinh", OP_SINH, 1},   {"cosh", OP_COSH, 1},
    {"tanh", OP_TANH, 1}, {"exp", OP_EXP, 1},   {"log", OP_LOG, 1},     {"sqrt", OP_SQRT, 1},
    {"abs", OP_ABS, 1},   {"step", OP_STEP, 1}, {"atan2", OP_ATAN2, 2}, {"min", OP_MIN, 2},
    {"max", OP_MAX, 2},
};

/* ---- reading ---- */

typedef struct parser {
    ac_context *ctx;
    ac_expression *expression;
    const char *text, *at;
    const char *const *variables;
    ac_constant_lookup lookup;
    void *user;
    int stack, depth;
    const char *wrong; /* place of the failure */
} parser;

static ac_status read_sum(parser *p);

static void skip_spaces(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') ++p->at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static ac_status emit(parser *p, instruction next, int stack_change)
{
    ac_expression *e = p->expression;
    p->stack += stack_change;
    if (p->stack > DEPTH_MAX) {
        p->wrong = p->at;
        return ac_fail(p->ctx, AC_BAD_INPUT, "the expression is nested too deeply (more than %d levels)",
                       DEPTH_MAX);
    }
    AC_TRY(ac_grow(p->ctx, (void **)&e->code, &e->capacity, e->length + 1, sizeof *e->code));
    e->code[e->length++] = next;
    return AC_OK;
}

static ac_status emit_operation(parser *p, operation op, int stack_change)
{
    return emit(p, (instruction){.op = op}, stack_change);
}

static ac_status emit_number(parser *p, double number)
{
    return emit(p, (instruction){.op = OP_NUMBER, .number = number}, 1);
}

static ac_status enter(parser *p)
{
    if (++p->depth <= DEPTH_MAX) return AC_OK;
    p->wrong = p->at;
    return ac_fail(p->ctx, AC_BAD_INPUT, "the expression is nested too deeply (more than %d levels)",
                   DEPTH_MAX);
}

static ac_status expect(parser *p, char wanted)
{
    skip_spaces(p);
    if (*p->at == wanted) {
        ++p->at;
        return AC_OK;
    }
    p->wrong = p->at;
    if (*p->at == '\0')
        return ac_fail(p->ctx, AC_BAD_INPUT, "'%c' is missing at the end of the expression", wanted);
    return ac_fail(p->ctx, AC_BAD_INPUT, "'%c' is expected here", wanted);
}

static ac_status read_call(parser *p, const function_entry *function)
{
    AC_TRY(enter(p));
    AC_TRY(expect(p, '('));
    for (int k = 0; k < function->arguments; ++k) {
        if (k > 0) AC_TRY(expect(p, ','));
        AC_TRY(read_sum(p));
    }
    AC_TRY(expect(p, ')'));
    --p->depth;
    return emit_operation(p, function->op, 1 - function->arguments);
}

static ac_status read_variable_or_constant(parser *p, const char *name, const char *start)
{
    for (int k = 0; k < p->expression->variables; ++k)
        if (strcmp(name, p->variables[k]) == 0)
            return emit(p, (instruction){.op = OP_VARIABLE, .variable = k}, 1);
    if (strcmp(name, "pi") == 0) return emit_number(p, pi);
    double value;
    if (p->lookup && p->lookup(p->user, name, &value)) return emit_number(p, value);
    p->wrong = start;
    return ac_fail(p->ctx, AC_BAD_INPUT, "unknown name '%s'", name);
}

static ac_status read_name(parser *p)
{
    const char *start = p->at;
    while (is_letter(*p->at) || (*p->at >= '0' && *p->at <= '9')) ++p->at;
    size_t length = (size_t)(p->at - start);
    if (length > NAME_MAX_LENGTH) {
        p->wrong = start;
        return ac_fail(p->ctx, AC_BAD_INPUT, "a name may have at most %d letters", NAME_MAX_LENGTH);
    }
    char name[NAME_MAX_LENGTH + 1];
    memcpy(name, start, length);
    name[length] = '\0';

    skip_spaces(p);
    if (*p->at != '(') return read_variable_or_constant(p, name, start);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k)
        if (strcmp(name, functions[k].name) == 0) return read_call(p, &functions[k]);
    p->wrong = start;
    return ac_fail(
        p->ctx, AC_BAD_INPUT,
        "unknown function '%s'; there are sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt "
        "abs min max step",
        name);
}

static ac_status read_primary(parser *p)
{
    double number;
    const char *end;
    skip_spaces(p);
    if (is_letter(*p->at)) return read_name(p);
    if (*p->at == '(') {
        AC_TRY(enter(p));
        ++p->at;
        AC_TRY(read_sum(p));
        AC_TRY(expect(p, ')'));
        --p->depth;
        return AC_OK;
    }
    if (ac_read_decimal(p->at, &number, &end)) {
        if (!isfinite(number)) {
            p->wrong = p->at;
            return ac_fail(p->ctx, AC_BAD_INPUT, "the number is too large");
        }
        p->at = end;
        return emit_number(p, number);
    }
    p->wrong = p->at;
    if (*p->at == '\0')
        return ac_fail(p->ctx, AC_BAD_INPUT, "the expression ends where a number or name is expected");
    return ac_fail(p->ctx, AC_BAD_INPUT, "a number, a name or '(' is expected here");
}

/* signs, then a primary with an optional power: -x^2 is -(x^2), x^-2 and x^y^z = x^(y^z) work */
static ac_status read_factor(parser *p)
{
    AC_TRY(enter(p));
    skip_spaces(p);
    if (*p->at == '-' || *p->at == '+') {
        bool negative = *p->at == '-';
        ++p->at;
        AC_TRY(read_factor(p));
        if (negative) AC_TRY(emit_operation(p, OP_NEGATE, 0));
    } else {
        AC_TRY(read_primary(p));
        skip_spaces(p);
        if (*p->at == '^') {
            ++p->at;
            AC_TRY(read_factor(p));
            AC_TRY(emit_operation(p, OP_POWER, -1));
        }
    }
    --p->depth;
    return AC_OK;
}

static ac_status read_product(parser *p)
{
    AC_TRY(read_factor(p));
    for (skip_spaces(p); *p->at == '*' || *p->at == '/'; skip_spaces(p)) {
        operation op = *p->at == '*' ? OP_MULTIPLY : OP_DIVIDE;
        ++p->at;
        AC_TRY(read_factor(p));
        AC_TRY(emit_operation(p, op, -1));
    }
    return AC_OK;
}

static ac_status read_sum(parser *p)
{
    AC_TRY(read_product(p));
    for (skip_spaces(p); *p->at == '+' || *p->at == '-'; skip_spaces(p)) {
        operation op = *p->at == '+' ? OP_ADD : OP_SUBTRACT;
        ++p->at;
        AC_TRY(read_product(p));
        AC_TRY(emit_operation(p, op, -1));
    }
    return AC_OK;
}

static ac_status read_all(parser *p)
{
    AC_TRY(read_sum(p));
    skip_spaces(p);
    if (*p->at == '\0') return AC_OK;
    p->wrong = p->at;
    return ac_fail(p->ctx, AC_BAD_INPUT, "an operator (+ - * / ^) is expected here");
}

ac_status ac_expression_parse(ac_context *ctx, const char *text, const char *const *variables,
                              int variable_count, ac_constant_lookup lookup, void *user, int *column,
                              ac_expression **expression)
{
    *expression = NULL;
    ac_expression *e;
    AC_NEW(ctx, e, 1);
    e->ctx = ctx;
    e->variables = variable_count;

    parser p = {.ctx = ctx,
                .expression = e,
                .text = text,
                .at = text,
                .variables = variables,
                .lookup = lookup,
                .user = user,
                .wrong = text};
    ac_status status = read_all(&p);
    if (status == AC_OK) status = ac_expression_finish(e);
    if (column) *column = status == AC_OK ? 0 : (int)(p.wrong - text) + 1;
    if (status != AC_OK) {
        ac_expression_free(e);
        return status;
    }
    *expression = e;
    return AC_OK;
}

void ac_expression_free(ac_expression *expression)
{
    if (!expression) return;
    ac_release(expression->ctx, expression->code);
    ac_release(expression->ctx, expression->bends);
    ac_release(expression->ctx, expression);
}

ac_status ac_expression_copy(ac_context *ctx, const ac_expression *expression, ac_expression **copy)
{
    ac_expression *e;
    AC_NEW(ctx, e, 1);
    *e = (ac_expression){.ctx = ctx,
                         .length = expression->length,
                         .kept = expression->kept,
                         .capacity = expression->length,
                         .variables = expression->variables};
    size_t pairs = pair_of(e->variables, 0) + 1;
    e->code = ac_allocate(ctx, (size_t)e->length, sizeof *e->code);
    e->bends = ac_allocate(ctx, pairs, sizeof *e->bends);
    if (!e->code || !e->bends) {
        ac_expression_free(e);
        return ac_out_of_memory(ctx);
    }
    memcpy(e->code, expression->code, (size_t)e->length * sizeof *e->code);
    memcpy(e->bends, expression->bends, pairs * sizeof *e->bends);
    *copy = e;
    return AC_OK;
}

ac_status ac_expression_bind(ac_context *ctx, const ac_expression *expression, int kept, const double *values,
                             ac_expression **bound)
{
    ac_expression *e = NULL;
    AC_TRY(ac_expression_copy(ctx, expression, &e));
    for (int k = 0; k < e->length; ++k) {
        instruction *x = &e->code[k];
        if (x->op == OP_VARIABLE && x->variable >= kept)
            *x = (instruction){.op = OP_NUMBER, .number = values[x->variable - kept]};
    }
    e->variables = kept; /* pairs of the others stand behind those of the kept ones */
    *bound = e;
    return AC_OK;
}

int ac_expression_variables(const ac_expression *expression)
{
    return expression->variables;
}

/* ---- values ---- */

double ac_expression_value(const ac_expression *expression, const double *x)
{
    double stack[STACK_MAX + 1];
    int top = expression->kept;
    stack[0] = 0.0;
    for (int k = 0; k < expression->length; ++k) {
        const instruction *c = &expression->code[k];
        if (c->op == OP_NUMBER) {
            stack[top++] = c->number;
        } else if (c->op == OP_VARIABLE) {
            stack[top++] = x[c->variable];
        } else if (c->op == OP_KEPT) {
            stack[top++] = stack[c->variable];
        } else if (c->op == OP_STORE) {
            stack[c->variable] = stack[--top];
        } else if (ac_operation_is_binary(c->op)) {
            --top;
            stack[top - 1] = ac_operation_binary(c->op, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = ac_operation_unary(c->op, stack[top - 1]);
        }
    }
    return stack[top > 0 ? top - 1 : 0];
}

/* ---- derivatives ---- */

typedef struct dual {
    double v, a, b, ab;
} dual;

static bool is_constant(dual x)
{
    return x.a == 0 && x.b == 0 && x.ab == 0;
}

static dual function_dual(operation op, dual x)
{
    double f = ac_operation_unary(op, x.v);
    if (is_constant(x)) return (dual){f, 0, 0, 0};
    const ac_partials d = ac_operation_partials(op, x.v, 0.0, f, true, false);
    return (dual){f, d.x * x.a, d.x * x.b, d.x * x.ab + d.xx * x.a * x.b};
}

/* Sums and choices need no table. */
static dual binary_dual(operation op, dual x, dual y)
{
    switch (op) {
    case OP_ADD: return (dual){x.v + y.v, x.a + y.a, x.b + y.b, x.ab + y.ab};
    case OP_SUBTRACT: return (dual){x.v - y.v, x.a - y.a, x.b - y.b, x.ab - y.ab};
    case OP_MIN: return x.v < y.v ? x : y;
    case OP_MAX: return x.v > y.v ? x : y;
    default: break;
    }
    double f = ac_operation_binary(op, x.v, y.v);
    const ac_partials d = ac_operation_partials(op, x.v, y.v, f, !is_constant(x), !is_constant(y));
    return (dual){f, d.x * x.a + d.y * y.a, d.x * x.b + d.y * y.b,
                  d.x * x.ab + d.y * y.ab + d.xx * x.a * x.b + d.xy * (x.a * y.b + x.b * y.a) +
                      d.yy * y.a * y.b};
}

/* One instruction on the stack; returns its new top. */
static int step_dual(const instruction *c, const double *x, int i, int j, dual *stack, int top)
{
    if (c->op == OP_NUMBER) {
        stack[top++] = (dual){c->number, 0, 0, 0};
    } else if (c->op == OP_VARIABLE) {
        stack[top++] = (dual){x[c->variable], c->variable == i, c->variable == j, 0};
    } else if (c->op == OP_KEPT) {
        stack[top++] = stack[c->variable];
    } else if (c->op == OP_STORE) {
        stack[c->variable] = stack[--top];
    } else if (ac_operation_is_binary(c->op)) {
        --top;
        stack[top - 1] = binary_dual(c->op, stack[top - 1], stack[top]);
    } else {
        stack[top - 1] = function_dual(c->op, stack[top - 1]);
    }
    return top;
}

/* value, d/dx_i, d/dx_j and d2/dx_i dx_j */
static dual evaluate_dual(const ac_expression *expression, const double *x, int i, int j)
{
    dual stack[STACK_MAX + 1];
    int top = expression->kept;
    stack[0] = (dual){0, 0, 0, 0};
    for (int k = 0; k < expression->length; ++k) top = step_dual(&expression->code[k], x, i, j, stack, top);
    return stack[top > 0 ? top - 1 : 0];
}

double ac_expression_derivatives(const ac_expression *expression, const double *x, double *gradient,
                                 double *hessian)
{
    int n = expression->variables;
    for (int i = 0; i < n; ++i) {
        const dual own = evaluate_dual(expression, x, i, i);
        gradient[i] = own.a;
        for (int j = 0; hessian && j <= i; ++j) {
            bool there = i != j && ac_expression_bends(expression, i, j);
            double second = i == j ? own.ab : there ? evaluate_dual(expression, x, i, j).ab : 0.0;
            hessian[i * n + j] = second;
            hessian[j * n + i] = second;
        }
    }
    return ac_expression_value(expression, x);
}

bool ac_expression_has(const ac_expression *expression, int i)
{
    for (int k = 0; k < expression->length; ++k)
        if (expression->code[k].op == OP_VARIABLE && expression->code[k].variable == i) return true;
    return false;
}

double ac_expression_along(const ac_expression *expression, const double *x, int i, int j, double *first,
                           double *second)
{
    dual all = evaluate_dual(expression, x, i, j);
    *first = all.a;
    *second = all.ab;
    return all.v;
}

/* ---- edges: where an operation has no value, slope or curvature ---- */

static const int FINITE = 3; /* one above the order of what may fail */

/* 0: the value is not finite, 1: the slope, 2: the curvature. */
static int order_of(dual x)
{
    return !isfinite(x.v) ? 0 : !isfinite(x.a) ? 1 : !isfinite(x.ab) ? 2 : FINITE;
}

static void name_edge(const instruction *c, const double arguments[2], char *text, size_t size)
{
    static const char *const signs[] = {"+", "-", "*", "/", "^"};
    const char *name = "-";
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k)
        if (functions[k].op == c->op) name = functions[k].name;
    if (!ac_operation_is_binary(c->op))
        snprintf(text, size, "%s(x) at x = %.6g", name, arguments[0]);
    else if (c->op <= OP_POWER)
        snprintf(text, size, "x%sy at x = %.6g, y = %.6g", signs[c->op - OP_ADD], arguments[0], arguments[1]);
    else
        snprintf(text, size, "%s(x, y) at x = %.6g, y = %.6g", name, arguments[0], arguments[1]);
}

/* The first instruction that loses an order which its arguments have, with derivatives by one variable. */
static int find_edge(const ac_expression *e, const double *x, int variable, char *text, size_t size)
{
    dual stack[STACK_MAX + 1];
    int top = e->kept;
    for (int k = 0; k < e->length; ++k) {
        const instruction *c = &e->code[k];
        bool leaf = c->op <= OP_STORE;
        int first = leaf ? top : top - 1 - ac_operation_is_binary(c->op), before = FINITE;
        double arguments[2] = {0.0};
        for (int a = first; a < top; ++a) {
            arguments[a - first] = stack[a].v;
            if (order_of(stack[a]) < before) before = order_of(stack[a]);
        }
        top = step_dual(c, x, variable, variable, stack, top);
        if (c->op == OP_STORE) continue;
        int order = order_of(stack[top - 1]);
        if (order == FINITE || order >= before) continue;
        name_edge(c, arguments, text, size);
        return order;
    }
    return FINITE;
}

int ac_expression_edge(const ac_expression *expression, const double *x, char *text, size_t size)
{
    int least = FINITE;
    text[0] = '\0';
    for (int i = 0; i < expression->variables; ++i) {
        char own[96];
        int order = find_edge(expression, x, i, own, sizeof own);
        if (order >= least) continue;
        least = order;
        snprintf(text, size, "%s", own);
    }
    return least < FINITE ? least : -1;
}

/* ---- form ---- */

/* Does it depend on either variable, and on both together in a way that bends? */
typedef struct shape {
    bool i, j, bends;
} shape;

static shape joined(shape x, shape y)
{
    return (shape){x.i || y.i, x.j || y.j, x.bends || y.bends};
}

static shape binary_shape(operation op, shape x, shape y)
{
    shape both = joined(x, y);
    bool plain = op == OP_ADD || op == OP_SUBTRACT || op == OP_MIN || op == OP_MAX;
    if (op == OP_MULTIPLY) {
        both.bends = both.bends || (x.i && y.j) || (x.j && y.i);
    } else if (!plain && (op != OP_DIVIDE || y.i || y.j)) {
        both.bends = both.i && both.j;
    }
    return both;
}

static shape function_shape(operation op, shape x)
{
    bool plain = op == OP_NEGATE || op == OP_ABS || op == OP_STEP;
    return plain ? x : (shape){x.i, x.j, x.i && x.j};
}

bool ac_expression_bends(const ac_expression *expression, int i, int j)
{
    return expression->bends[pair_of(i, j)];
}

static bool bends(const ac_expression *expression, int i, int j)
{
    shape stack[STACK_MAX + 1];
    int top = expression->kept;
    stack[0] = (shape){false, false, false};
    for (int k = 0; k < expression->length; ++k) {
        const instruction *c = &expression->code[k];
        if (c->op == OP_NUMBER || c->op == OP_VARIABLE) {
            bool variable = c->op == OP_VARIABLE;
            stack[top++] = (shape){variable && c->variable == i, variable && c->variable == j, false};
        } else if (c->op == OP_KEPT) {
            stack[top++] = stack[c->variable];
        } else if (c->op == OP_STORE) {
            stack[c->variable] = stack[--top];
        } else if (ac_operation_is_binary(c->op)) {
            --top;
            stack[top - 1] = binary_shape(c->op, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = function_shape(c->op, stack[top - 1]);
        }
    }
    return stack[top > 0 ? top - 1 : 0].bends;
}

ac_status ac_expression_finish(ac_expression *expression)
{
    const int n = expression->variables;
    AC_NEW(expression->ctx, expression->bends, pair_of(n, 0) + 1);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) expression->bends[pair_of(i, j)] = bends(expression, i, j);
    return AC_OK;
}
