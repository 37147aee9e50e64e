/* Arithmetic that writes down what it computes. */
#include "model/symbol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

enum { NUMBER_SIZE = 32 };

static const char *written(const ac_symbol *a, char number[NUMBER_SIZE])
{
    if (a->text) return a->text;
    snprintf(number, NUMBER_SIZE, "%.17g", a->v);
    return number;
}

/* before (a) between (b) after */
static const char *join(ac_symbols *s, const char *before, const ac_symbol *a, const char *between,
                        const ac_symbol *b, const char *after)
{
    char own[NUMBER_SIZE], other[NUMBER_SIZE];
    if (!s || (!a->text && !b->text)) return NULL;
    const char *left = written(a, own), *right = written(b, other);
    size_t size = strlen(before) + strlen(left) + strlen(between) + strlen(right) + strlen(after) + 5;
    char *text = s->take(s->user, size);
    if (!text) {
        s->failed = true;
        return NULL;
    }
    snprintf(text, size, "%s(%s)%s(%s)%s", before, left, between, right, after);
    return text;
}

static bool is_number(ac_symbol a, double number)
{
    return !a.text && a.v == number;
}

ac_symbol ac_symbol_sum(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    if (is_number(a, 0.0)) return b;
    if (is_number(b, 0.0)) return a;
    return (ac_symbol){a.v + b.v, join(s, "", &a, "+", &b, "")};
}

ac_symbol ac_symbol_difference(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    if (is_number(b, 0.0)) return a;
    return (ac_symbol){a.v - b.v, join(s, "", &a, "-", &b, "")};
}

ac_symbol ac_symbol_product(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    if (is_number(a, 1.0)) return b;
    if (is_number(b, 1.0)) return a;
    return (ac_symbol){a.v * b.v, join(s, "", &a, "*", &b, "")};
}

ac_symbol ac_symbol_quotient(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){a.v / b.v, join(s, "", &a, "/", &b, "")};
}

ac_symbol ac_symbol_scaled(ac_symbols *s, double factor, ac_symbol a)
{
    return factor == 0.0 ? ac_symbol_of(0.0) : ac_symbol_product(s, ac_symbol_of(factor), a);
}

ac_symbol ac_symbol_power(ac_symbols *s, ac_symbol a, int exponent)
{
    const ac_symbol n = ac_symbol_of(exponent);
    return (ac_symbol){ac_pow(a.v, exponent), join(s, "", &a, "^", &n, "")};
}

static ac_symbol function(ac_symbols *s, const char *name, double v, ac_symbol a)
{
    ac_symbol result = {v, NULL};
    if (!s || !a.text) return result;
    size_t size = strlen(name) + strlen(a.text) + 3;
    char *text = s->take(s->user, size);
    if (text) snprintf(text, size, "%s(%s)", name, a.text);
    s->failed = s->failed || !text;
    result.text = text;
    return result;
}

ac_symbol ac_symbol_sin(ac_symbols *s, ac_symbol a)
{
    return function(s, "sin", ac_sin(a.v), a);
}

ac_symbol ac_symbol_cos(ac_symbols *s, ac_symbol a)
{
    return function(s, "cos", ac_cos(a.v), a);
}

ac_symbol ac_symbol_tanh(ac_symbols *s, ac_symbol a)
{
    return function(s, "tanh", ac_tanh(a.v), a);
}

ac_symbol ac_symbol_sqrt(ac_symbols *s, ac_symbol a)
{
    return function(s, "sqrt", sqrt(a.v), a);
}

ac_symbol ac_symbol_larger(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){ac_max(a.v, b.v), join(s, "max(", &a, ",", &b, ")")};
}

ac_symbol ac_symbol_smaller(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){ac_min(a.v, b.v), join(s, "min(", &a, ",", &b, ")")};
}

/* --- vectors --- */

static ac_symbol times(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return is_number(a, 0.0) || is_number(b, 0.0) ? ac_symbol_of(0.0) : ac_symbol_product(s, a, b);
}

ac_symbol ac_symbol_dot3(ac_symbols *s, const ac_symbol a[3], const ac_symbol b[3])
{
    ac_symbol sum = times(s, a[0], b[0]);
    for (int i = 1; i < 3; ++i) sum = ac_symbol_sum(s, sum, times(s, a[i], b[i]));
    return sum;
}

void ac_symbol_cross3(ac_symbols *s, const ac_symbol a[3], const ac_symbol b[3], ac_symbol out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = ac_symbol_difference(s, times(s, a[j], b[k]), times(s, a[k], b[j]));
    }
}

void ac_symbol_apply3(ac_symbols *s, const ac_symbol A[9], bool transposed, const ac_symbol x[3],
                      ac_symbol out[3])
{
    for (int i = 0; i < 3; ++i) {
        const ac_symbol row[3] = {A[transposed ? i : 3 * i], A[transposed ? 3 + i : 3 * i + 1],
                                  A[transposed ? 6 + i : 3 * i + 2]};
        out[i] = ac_symbol_dot3(s, row, x);
    }
}

void ac_symbol_multiply3(ac_symbols *s, const ac_symbol A[9], bool transposed, const ac_symbol B[9],
                         ac_symbol out[9])
{
    for (int j = 0; j < 3; ++j) {
        const ac_symbol column[3] = {B[j], B[3 + j], B[6 + j]};
        ac_symbol x[3];
        ac_symbol_apply3(s, A, transposed, column, x);
        for (int i = 0; i < 3; ++i) out[3 * i + j] = x[i];
    }
}
