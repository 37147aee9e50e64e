/* The table of operations: one place for their values, their first and their second derivatives. */
#include "base/number/operation.h"

#include <math.h>

#include "math/math.h"

double ac_operation_power(double x, double p)
{
    return p == 2 ? x * x : p == 1 ? x : p == 0 ? 1 : ac_pow(x, p);
}

double ac_operation_unary(operation op, double x)
{
    switch (op) {
    case OP_SIN: return ac_sin(x);
    case OP_COS: return ac_cos(x);
    case OP_TAN: return ac_tan(x);
    case OP_ASIN: return ac_asin(x);
    case OP_ACOS: return ac_acos(x);
    case OP_ATAN: return ac_atan(x);
    case OP_SINH: return ac_sinh(x);
    case OP_COSH: return ac_cosh(x);
    case OP_TANH: return ac_tanh(x);
    case OP_EXP: return ac_exp(x);
    case OP_LOG: return ac_log(x);
    case OP_SQRT: return sqrt(x);
    case OP_ABS: return fabs(x);
    case OP_STEP: return x < 0 ? 0 : 1;
    default: return -x;
    }
}

double ac_operation_binary(operation op, double x, double y)
{
    switch (op) {
    case OP_ADD: return x + y;
    case OP_SUBTRACT: return x - y;
    case OP_MULTIPLY: return x * y;
    case OP_DIVIDE: return x / y;
    case OP_POWER: return ac_operation_power(x, y);
    case OP_ATAN2: return ac_atan2(x, y);
    case OP_MIN: return x < y ? x : y;
    default: return x > y ? x : y;
    }
}

/* c x^p, where c = 0 wins over x = 0 with a negative exponent */
static double scaled_power(double c, double x, double p)
{
    return c == 0 ? 0 : c * ac_operation_power(x, p);
}

/* x^y: logarithms where the exponent moves, and only there. */
static ac_partials power_partials(double x, double y, double f, bool x_moves, bool y_moves)
{
    ac_partials d = {0};
    if (x_moves) {
        d.x = scaled_power(y, x, y - 1);
        d.xx = scaled_power(y * (y - 1), x, y - 2);
    }
    if (!y_moves || (x_moves && x == 0 && y > 0)) return d;
    double log_x = ac_log(x);
    d.y = f * log_x;
    d.yy = f * log_x * log_x;
    if (x_moves) d.xy = ac_pow(x, y - 1) * (1 + y * log_x);
    return d;
}

static ac_partials angle_partials(double y, double x)
{
    double r2 = x * x + y * y, mixed = 2 * x * y / (r2 * r2);
    return (ac_partials){x / r2, -y / r2, -mixed, (y * y - x * x) / (r2 * r2), mixed};
}

static ac_partials binary_partials(operation op, double x, double y, double f, bool x_moves, bool y_moves)
{
    double q;
    switch (op) {
    case OP_ADD: return (ac_partials){1, 1, 0, 0, 0};
    case OP_SUBTRACT: return (ac_partials){1, -1, 0, 0, 0};
    case OP_MULTIPLY: return (ac_partials){y, x, 0, 1, 0};
    case OP_DIVIDE: q = 1 / y; return (ac_partials){q, -f * q, 0, -q * q, 2 * f * q * q};
    case OP_POWER: return power_partials(x, y, f, x_moves, y_moves);
    case OP_ATAN2: return angle_partials(x, y);
    case OP_MIN: return (ac_partials){x < y, !(x < y), 0, 0, 0};
    default: return (ac_partials){x > y, !(x > y), 0, 0, 0};
    }
}

static ac_partials of_one(double x, double xx)
{
    return (ac_partials){.x = x, .xx = xx};
}

static ac_partials unary_partials(operation op, double x, double f)
{
    double s;
    switch (op) {
    case OP_SIN: return of_one(ac_cos(x), -f);
    case OP_COS: return of_one(-ac_sin(x), -f);
    case OP_TAN: return of_one(1 + f * f, 2 * f * (1 + f * f));
    case OP_ASIN: s = 1 / sqrt(1 - x * x); return of_one(s, x * s * s * s);
    case OP_ACOS: s = 1 / sqrt(1 - x * x); return of_one(-s, -x * s * s * s);
    case OP_ATAN: s = 1 / (1 + x * x); return of_one(s, -2 * x * s * s);
    case OP_SINH: return of_one(ac_cosh(x), f);
    case OP_COSH: return of_one(ac_sinh(x), f);
    case OP_TANH: return of_one(1 - f * f, -2 * f * (1 - f * f));
    case OP_EXP: return of_one(f, f);
    case OP_LOG: return of_one(1 / x, -1 / (x * x));
    case OP_SQRT: return of_one(0.5 / f, -0.25 / (f * x));
    case OP_ABS: return of_one(x < 0 ? -1 : 1, 0);
    case OP_STEP: return of_one(0, 0);
    default: return of_one(-1, 0);
    }
}

ac_partials ac_operation_partials(operation op, double x, double y, double f, bool x_moves, bool y_moves)
{
    if (!x_moves && !y_moves) return (ac_partials){0};
    if (ac_operation_is_binary(op)) return binary_partials(op, x, y, f, x_moves, y_moves);
    return unary_partials(op, x, f);
}
