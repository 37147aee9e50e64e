/* The postfix code of an expression, for the files that evaluate it: expression.c (values, derivatives, form),
 * expression_breaks.c (ranges, jumps), expression_third.c (third derivatives) and number/formula.c (records). The result is on top of the stack.
 */
#ifndef ACTIO_BASE_EXPRESSION_CODE_H
#define ACTIO_BASE_EXPRESSION_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "actio/expression.h"
#include "base/number/operation.h"

enum { AC_EXPRESSION_STACK = 512 };

typedef struct instruction {
    operation op;
    int variable; /* OP_KEPT, OP_STORE: a place at the bottom of the stack */
    double number;
} instruction;

struct ac_expression {
    ac_context *ctx;
    instruction *code;
    int length, capacity;
    int kept; /* places at the bottom of the stack */
    int variables;
    /* per pair of variables i >= j, one after another: can the second derivative be anything but zero? */
    bool *bends;
};

static inline size_t pair_of(int i, int j)
{
    return i >= j ? (size_t)i * (size_t)(i + 1) / 2 + (size_t)j : (size_t)j * (size_t)(j + 1) / 2 + (size_t)i;
}

/* Finds out what bends, once the code is complete. */
ac_status ac_expression_finish(ac_expression *expression);

#endif
