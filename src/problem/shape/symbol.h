/* Numbers that may depend on free parameters: the number, and the expression behind it.
 *
 * A formula that is written with these operations gives both, so that it stands in the code once. A number that does not
 * depend has no text and costs no more than its arithmetic.
 */
#ifndef ACTIO_PROBLEM_SHAPE_SYMBOL_H
#define ACTIO_PROBLEM_SHAPE_SYMBOL_H

#include <stdbool.h>

#include "problem/text/arena.h"

typedef struct ac_symbol {
    double v;
    const char *text; /* NULL: it is the number */
} ac_symbol;

/* Where texts are kept; NULL or without an arena: no number depends. */
typedef struct ac_symbols {
    ac_arena *arena;
    bool failed; /* out of memory: the message is set */
} ac_symbols;

static inline ac_symbol ac_symbol_of(double v)
{
    return (ac_symbol){v, NULL};
}

ac_symbol ac_symbol_sum(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_difference(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_product(ac_symbols *s, ac_symbol a, ac_symbol b);
ac_symbol ac_symbol_quotient(ac_symbols *s, ac_symbol a, ac_symbol b);

#endif
