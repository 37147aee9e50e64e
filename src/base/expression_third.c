/* Third derivatives of expressions: numbers that carry their derivatives along three directions a, b, c at once, with all
 * mixed ones. Energies that are given as expressions need them, because second derivatives of forces are third ones of the
 * energy.
 */
#include <math.h>

#include "base/expression.h"
#include "base/expression_code.h"
#include "math/math.h"

enum { STACK_MAX = AC_EXPRESSION_STACK };

typedef struct cube {
    double v, a, b, c, ab, ac, bc, abc;
} cube;

/* f(x) from its value and its first three derivatives */
static cube chain(cube x, const double f[4])
{
    return (cube){.v = f[0],
                  .a = f[1] * x.a,
                  .b = f[1] * x.b,
                  .c = f[1] * x.c,
                  .ab = f[1] * x.ab + f[2] * x.a * x.b,
                  .ac = f[1] * x.ac + f[2] * x.a * x.c,
                  .bc = f[1] * x.bc + f[2] * x.b * x.c,
                  .abc = f[1] * x.abc + f[2] * (x.ab * x.c + x.ac * x.b + x.bc * x.a) +
                         f[3] * x.a * x.b * x.c};
}

static bool is_constant(cube x)
{
    return x.a == 0 && x.b == 0 && x.c == 0 && x.ab == 0 && x.ac == 0 && x.bc == 0 && x.abc == 0;
}

/* s f(x) of arcus functions, s = 1 or -1 */
static cube arcus_sine(cube x, double f, double sign)
{
    double r = 1 / (1 - x.v * x.v), s = sign * sqrt(r);
    return chain(x, (const double[4]){f, s, x.v * s * r, s * r * (1 + 3 * x.v * x.v * r)});
}

static cube arcus_tangent(cube x, double f, double sign)
{
    double r = 1 / (1 + x.v * x.v), s = sign * r;
    return chain(x, (const double[4]){f, s, -2 * x.v * s * r, s * r * (8 * x.v * x.v * r - 2)});
}

static cube function_cube(operation op, cube x)
{
    const double v = x.v;
    double f, g;
    if (is_constant(x)) return (cube){.v = ac_operation_unary(op, v)};
    switch (op) {
    case OP_SIN: ac_sincos(v, &f, &g); return chain(x, (const double[4]){f, g, -f, -g});
    case OP_COS: ac_sincos(v, &g, &f); return chain(x, (const double[4]){f, -g, -f, g});
    case OP_TAN:
        f = ac_tan(v), g = 1 + f * f;
        return chain(x, (const double[4]){f, g, 2 * f * g, 2 * g * (g + 2 * f * f)});
    case OP_ASIN: return arcus_sine(x, ac_asin(v), 1);
    case OP_ACOS: return arcus_sine(x, ac_acos(v), -1);
    case OP_ATAN: return arcus_tangent(x, ac_atan(v), 1);
    case OP_SINH: f = ac_sinh(v), g = ac_cosh(v); return chain(x, (const double[4]){f, g, f, g});
    case OP_COSH: f = ac_cosh(v), g = ac_sinh(v); return chain(x, (const double[4]){f, g, f, g});
    case OP_TANH:
        f = ac_tanh(v), g = 1 - f * f;
        return chain(x, (const double[4]){f, g, -2 * f * g, 2 * g * (2 * f * f - g)});
    case OP_EXP: f = ac_exp(v); return chain(x, (const double[4]){f, f, f, f});
    case OP_LOG: g = 1 / v; return chain(x, (const double[4]){ac_log(v), g, -g * g, 2 * g * g * g});
    case OP_SQRT:
        f = sqrt(v), g = 0.5 / f;
        return chain(x, (const double[4]){f, g, -0.5 * g / v, 0.75 * g / (v * v)});
    case OP_ABS: return chain(x, (const double[4]){fabs(v), v < 0 ? -1 : 1, 0, 0});
    case OP_STEP: return (cube){.v = v < 0 ? 0 : 1};
    default: return chain(x, (const double[4]){-v, -1, 0, 0});
    }
}

static cube product(cube x, cube y)
{
    return (cube){.v = x.v * y.v,
                  .a = x.a * y.v + x.v * y.a,
                  .b = x.b * y.v + x.v * y.b,
                  .c = x.c * y.v + x.v * y.c,
                  .ab = x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab,
                  .ac = x.ac * y.v + x.a * y.c + x.c * y.a + x.v * y.ac,
                  .bc = x.bc * y.v + x.b * y.c + x.c * y.b + x.v * y.bc,
                  .abc = x.abc * y.v + x.ab * y.c + x.ac * y.b + x.bc * y.a + x.a * y.bc + x.b * y.ac +
                         x.c * y.ab + x.v * y.abc};
}

static cube sum(cube x, cube y, double sign)
{
    return (cube){x.v + sign * y.v,   x.a + sign * y.a,   x.b + sign * y.b,   x.c + sign * y.c,
                  x.ab + sign * y.ab, x.ac + sign * y.ac, x.bc + sign * y.bc, x.abc + sign * y.abc};
}

static cube inverse(cube x)
{
    double q = 1 / x.v;
    return chain(x, (const double[4]){q, -q * q, 2 * q * q * q, -6 * q * q * q * q});
}

/* c x^p, where c = 0 wins over x = 0 with a negative exponent */
static double scaled_power(double c, double x, double p)
{
    return c == 0 ? 0 : c * ac_operation_power(x, p);
}

static cube power(cube x, cube y)
{
    double p = y.v;
    if (is_constant(y) || (x.v == 0 && p > 0))
        return chain(x, (const double[4]){ac_operation_power(x.v, p), scaled_power(p, x.v, p - 1),
                                          scaled_power(p * (p - 1), x.v, p - 2),
                                          scaled_power(p * (p - 1) * (p - 2), x.v, p - 3)});
    return function_cube(OP_EXP, product(y, function_cube(OP_LOG, x)));
}

/* The angle is that of the quotient that is not large, up to a constant. */
static cube angle(cube y, cube x)
{
    double f = ac_atan2(y.v, x.v);
    if (is_constant(x) && is_constant(y)) return (cube){.v = f};
    return fabs(x.v) >= fabs(y.v) ? arcus_tangent(product(y, inverse(x)), f, 1)
                                  : arcus_tangent(product(x, inverse(y)), f, -1);
}

static cube binary_cube(operation op, cube x, cube y)
{
    switch (op) {
    case OP_ADD: return sum(x, y, 1);
    case OP_SUBTRACT: return sum(x, y, -1);
    case OP_MULTIPLY: return product(x, y);
    case OP_DIVIDE: return product(x, inverse(y));
    case OP_POWER: return power(x, y);
    case OP_ATAN2: return angle(x, y);
    case OP_MIN: return x.v < y.v ? x : y;
    default: return x.v > y.v ? x : y;
    }
}

/* The third derivative along s and by variables i and j */
static double third_of(const ac_expression *expression, const double *x, const double *s, int i, int j)
{
    cube stack[STACK_MAX + 1];
    int top = expression->kept;
    stack[0] = (cube){0};
    for (int k = 0; k < expression->length; ++k) {
        const instruction *c = &expression->code[k];
        const int v = c->variable;
        if (c->op == OP_NUMBER) {
            stack[top++] = (cube){.v = c->number};
        } else if (c->op == OP_VARIABLE) {
            stack[top++] = (cube){.v = x[v], .a = s[v], .b = v == i, .c = v == j};
        } else if (c->op == OP_KEPT) {
            stack[top++] = stack[v];
        } else if (c->op == OP_STORE) {
            stack[v] = stack[--top];
        } else if (ac_operation_is_binary(c->op)) {
            --top;
            stack[top - 1] = binary_cube(c->op, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = function_cube(c->op, stack[top - 1]);
        }
    }
    return stack[top > 0 ? top - 1 : 0].abc;
}

void ac_expression_third(const ac_expression *expression, const double *x, const double *s, double *third)
{
    const int n = expression->variables;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            third[i * n + j] = third[j * n + i] = ac_expression_bends(expression, i, j)
                                                      ? third_of(expression, x, s, i, j)
                                                      : 0.0;
}
