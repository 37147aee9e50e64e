/* Numbers that may depend on parameters: the number, and the expression behind it.
 *
 * A formula that is written with these operations gives both, so that it stands in the code once. A number that does not
 * depend has no text and costs no more than its arithmetic.
 */
#ifndef ACTIO_MODEL_SYMBOL_H
#define ACTIO_MODEL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ac_symbol {
    double v;
    const char *text; /* NULL: it is the number */
} ac_symbol;

/* Where texts are kept. NULL instead: numbers alone are computed. */
typedef struct ac_symbols {
    void *(*take)(void *user, size_t size); /* NULL: out of memory, and the message is set */
    void *user;
    bool failed; /* out of memory */
} ac_symbols;

static inline ac_symbol ac_symbol_of(double v)
{
    return (ac_symbol){v, NULL};
}

/* Sums with the number zero and products with the number one are the other operand. */
ac_symbol ac_symbol_sum(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_difference(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_product(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_quotient(ac_symbols *s, ac_symbol a, ac_symbol b);
/* A number times a symbol: nothing depends where the number is zero. */
ac_symbol ac_symbol_scaled(ac_symbols *s, double factor, ac_symbol a);
ac_symbol ac_symbol_power(ac_symbols *s, ac_symbol a, int exponent);
ac_symbol ac_symbol_sin(ac_symbols *s, ac_symbol a);
ac_symbol ac_symbol_cos(ac_symbols *s, ac_symbol a);
ac_symbol ac_symbol_tanh(ac_symbols *s, ac_symbol a);
ac_symbol ac_symbol_sqrt(ac_symbols *s, ac_symbol a);
ac_symbol ac_symbol_larger(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_smaller(ac_symbols *s, ac_symbol a, ac_symbol b);

/* Vectors and matrices of three. Products with the number zero do not depend. */
ac_symbol ac_symbol_dot3(ac_symbols *s, const ac_symbol a[3], const ac_symbol b[3]);
void ac_symbol_cross3(ac_symbols *s, const ac_symbol a[3], const ac_symbol b[3], ac_symbol out[3]);
void ac_symbol_apply3(ac_symbols *s, const ac_symbol A[9], bool transposed, const ac_symbol x[3],
                      ac_symbol out[3]);
void ac_symbol_multiply3(ac_symbols *s, const ac_symbol A[9], bool transposed, const ac_symbol B[9],
                         ac_symbol out[9]);

#endif
