/* Where an expression of one variable may switch: kinks and jumps of step, abs, min and max.
 *
 * Ranges of all subexpressions over an interval (interval arithmetic) show for certain that none of them switches
 * there; otherwise the interval is halved. So a pulse that is much shorter than the interval is found, too, however
 * the interval is sampled.
 *
 * Jumps whose time s depends on another variable p are impulses of the derivative by it: where f jumps from f- to f+,
 *   d/dp int f dt = int f_p dt + (f- - f+) s'(p),   s' = -g_p / g_t
 * with the argument g of the step that switches.
 */
#include <math.h>

#include "base/expression.h"
#include "base/expression_code.h"
#include "math/math.h"

static const double PI = 3.14159265358979323846;

typedef struct range {
    double low, high;
} range;

static const range ANYTHING = {-INFINITY, INFINITY};

static range hull(double a, double b)
{
    if (isnan(a) || isnan(b)) return ANYTHING;
    return a < b ? (range){a, b} : (range){b, a};
}

/* sin over [low, high]: ends, and the extrema between them */
static range sine(range x)
{
    if (!(x.high - x.low < 2.0 * PI)) return (range){-1.0, 1.0};
    range y = hull(ac_sin(x.low), ac_sin(x.high));
    double top = ceil((x.low - 0.5 * PI) / (2.0 * PI)) * 2.0 * PI + 0.5 * PI;
    double bottom = ceil((x.low + 0.5 * PI) / (2.0 * PI)) * 2.0 * PI - 0.5 * PI;
    if (top <= x.high) y.high = 1.0;
    if (bottom <= x.high) y.low = -1.0;
    return y;
}

static range product(range x, range y)
{
    const double p[4] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
    range z = {p[0], p[0]};
    for (int k = 0; k < 4; ++k) {
        if (isnan(p[k])) return ANYTHING;
        z.low = ac_min(z.low, p[k]);
        z.high = ac_max(z.high, p[k]);
    }
    return z;
}

static range power(range x, range y)
{
    if (y.low != y.high) {
        if (!(x.low > 0.0)) return ANYTHING;
        range a = hull(ac_pow(x.low, y.low), ac_pow(x.high, y.high)),
              b = hull(ac_pow(x.low, y.high), ac_pow(x.high, y.low));
        return (range){ac_min(a.low, b.low), ac_max(a.high, b.high)};
    }
    double p = y.low;
    if (x.low < 0.0 && p != floor(p)) return ANYTHING;
    if (p < 0.0 && x.low <= 0.0 && x.high >= 0.0) return ANYTHING;
    range z = hull(ac_pow(x.low, p), ac_pow(x.high, p));
    if (x.low < 0.0 && x.high > 0.0) z.low = ac_min(z.low, 0.0);
    return z;
}

/* Monotonous functions take their values at the ends. */
static range function_range(operation op, range x, bool *switches)
{
    switch (op) {
    case OP_NEGATE: return (range){-x.high, -x.low};
    case OP_SIN: return sine(x);
    case OP_COS: return sine((range){x.low + 0.5 * PI, x.high + 0.5 * PI});
    case OP_ASIN: return hull(ac_asin(x.low), ac_asin(x.high));
    case OP_ACOS: return hull(ac_acos(x.low), ac_acos(x.high));
    case OP_ATAN: return hull(ac_atan(x.low), ac_atan(x.high));
    case OP_SINH: return hull(ac_sinh(x.low), ac_sinh(x.high));
    case OP_TANH: return hull(ac_tanh(x.low), ac_tanh(x.high));
    case OP_EXP: return hull(ac_exp(x.low), ac_exp(x.high));
    case OP_LOG: return x.low > 0.0 ? hull(ac_log(x.low), ac_log(x.high)) : ANYTHING;
    case OP_SQRT: return x.low >= 0.0 ? hull(sqrt(x.low), sqrt(x.high)) : ANYTHING;
    case OP_ABS:
        if (x.low < 0.0 && x.high > 0.0) {
            *switches = true;
            return (range){0.0, ac_max(-x.low, x.high)};
        }
        return hull(fabs(x.low), fabs(x.high));
    case OP_STEP:
        if (x.low < 0.0 && x.high >= 0.0) *switches = true;
        return (range){x.low < 0.0 ? 0.0 : 1.0, x.high < 0.0 ? 0.0 : 1.0};
    default: return ANYTHING; /* tan, cosh */
    }
}

static range binary_range(operation op, range x, range y, bool *switches)
{
    switch (op) {
    case OP_ADD: return (range){x.low + y.low, x.high + y.high};
    case OP_SUBTRACT: return (range){x.low - y.high, x.high - y.low};
    case OP_MULTIPLY: return product(x, y);
    case OP_DIVIDE:
        if (y.low <= 0.0 && y.high >= 0.0) return ANYTHING;
        return product(x, (range){1.0 / y.high, 1.0 / y.low});
    case OP_POWER: return power(x, y);
    case OP_MIN:
    case OP_MAX:
        if (!(x.high <= y.low) && !(y.high <= x.low)) *switches = true;
        return op == OP_MIN ? (range){ac_min(x.low, y.low), ac_min(x.high, y.high)}
                            : (range){ac_max(x.low, y.low), ac_max(x.high, y.high)};
    default: return ANYTHING;
    }
}

bool ac_expression_switches(const ac_expression *expression, const double *x, int variable, double from,
                            double to)
{
    range stack[AC_EXPRESSION_STACK + 1];
    bool switches = false;
    int top = expression->kept;
    stack[0] = (range){0.0, 0.0};
    for (int k = 0; k < expression->length; ++k) {
        const instruction *c = &expression->code[k];
        if (c->op == OP_NUMBER) {
            stack[top++] = (range){c->number, c->number};
        } else if (c->op == OP_VARIABLE) {
            bool moves = c->variable == variable;
            stack[top++] = moves ? (range){from, to} : (range){x[c->variable], x[c->variable]};
        } else if (c->op == OP_KEPT) {
            stack[top++] = stack[c->variable];
        } else if (c->op == OP_STORE) {
            stack[c->variable] = stack[--top];
        } else if (ac_operation_is_binary(c->op)) {
            --top;
            stack[top - 1] = binary_range(c->op, stack[top - 1], stack[top], &switches);
        } else {
            stack[top - 1] = function_range(c->op, stack[top - 1], &switches);
        }
    }
    return switches;
}

bool ac_expression_is_smooth(const ac_expression *expression)
{
    for (int k = 0; k < expression->length; ++k) {
        operation op = expression->code[k].op;
        if (op == OP_ABS || op == OP_STEP || op == OP_MIN || op == OP_MAX) return false;
    }
    return true;
}

/* --- jumps that move --- */

/* A value at both ends of a short stretch, and between them, where a step has either of its values at the ends. */
typedef struct ends {
    double from, to, between;
} ends;

/* The expression while the steps before number `switched` are as at `to` and the others as at `from`. */
static ends evaluate(const ac_expression *e, const double *x, int time, double from, double to, int switched)
{
    ends stack[AC_EXPRESSION_STACK + 1];
    int top = e->kept, steps = 0;
    stack[0] = (ends){0.0, 0.0, 0.0};
    for (int k = 0; k < e->length; ++k) {
        const instruction *c = &e->code[k];
        ends *last = &stack[top > 0 ? top - 1 : 0];
        if (c->op == OP_NUMBER) {
            stack[top++] = (ends){c->number, c->number, c->number};
        } else if (c->op == OP_VARIABLE && c->variable == time) {
            stack[top++] = (ends){from, to, from + 0.5 * (to - from)};
        } else if (c->op == OP_VARIABLE) {
            stack[top++] = (ends){x[c->variable], x[c->variable], x[c->variable]};
        } else if (c->op == OP_KEPT) {
            stack[top++] = stack[c->variable];
        } else if (c->op == OP_STORE) {
            stack[c->variable] = stack[--top];
        } else if (ac_operation_is_binary(c->op)) {
            const ends y = stack[--top];
            last = &stack[top - 1];
            *last = (ends){ac_operation_binary(c->op, last->from, y.from),
                           ac_operation_binary(c->op, last->to, y.to),
                           ac_operation_binary(c->op, last->between, y.between)};
        } else {
            *last = (ends){ac_operation_unary(c->op, last->from), ac_operation_unary(c->op, last->to),
                           ac_operation_unary(c->op, last->between)};
            if (c->op == OP_STEP) last->between = steps++ < switched ? last->to : last->from;
        }
    }
    return stack[top > 0 ? top - 1 : 0];
}

/* The code before instruction k leaves its argument on top of the stack. */
static ac_expression argument(const ac_expression *e, int k)
{
    ac_expression part = *e;
    part.length = k;
    return part;
}

double ac_expression_impulse(const ac_expression *e, double *x, int i, int time, double from, double to)
{
    double sum = 0.0, shift = 0.0;
    int steps = 0;
    x[time] = from + 0.5 * (to - from);
    for (int k = 0; k < e->length; ++k) {
        if (e->code[k].op != OP_STEP) continue;
        const ac_expression g = argument(e, k);
        double by_i, by_time, second;
        const ends at = evaluate(&g, x, time, from, to, 0);
        int number = steps++;
        if ((at.from < 0.0) == (at.to < 0.0)) continue;
        ac_expression_along(&g, x, i, i, &by_i, &second);
        ac_expression_along(&g, x, time, time, &by_time, &second);
        if (by_time != 0.0) shift = -by_i / by_time; /* else a step inside switched it */
        sum += shift * (evaluate(e, x, time, from, to, number).between -
                        evaluate(e, x, time, from, to, number + 1).between);
    }
    return sum;
}
