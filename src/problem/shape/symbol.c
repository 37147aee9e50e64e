/* Arithmetic that writes down what it computes. */
#include "problem/shape/symbol.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_SIZE = 32 };

static const char *written(const ac_symbol *a, char number[NUMBER_SIZE])
{
    if (a->text) return a->text;
    snprintf(number, NUMBER_SIZE, "%.17g", a->v);
    return number;
}

/* (a) sign (b) */
static const char *join(ac_symbols *s, const ac_symbol *a, char sign, const ac_symbol *b)
{
    char own[NUMBER_SIZE], other[NUMBER_SIZE];
    if (!a->text && !b->text) return NULL;
    const char *left = written(a, own), *right = written(b, other);
    size_t size = strlen(left) + strlen(right) + 6;
    char *text = ac_arena_take(s->arena, size, 1);
    if (!text) {
        s->failed = true;
        return NULL;
    }
    snprintf(text, size, "(%s)%c(%s)", left, sign, right);
    return text;
}

ac_symbol ac_symbol_sum(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){a.v + b.v, join(s, &a, '+', &b)};
}

ac_symbol ac_symbol_difference(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){a.v - b.v, join(s, &a, '-', &b)};
}

ac_symbol ac_symbol_product(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){a.v * b.v, join(s, &a, '*', &b)};
}

ac_symbol ac_symbol_quotient(ac_symbols *s, ac_symbol a, ac_symbol b)
{
    return (ac_symbol){a.v / b.v, join(s, &a, '/', &b)};
}
