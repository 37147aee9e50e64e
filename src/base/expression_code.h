/* The postfix code of an expression, for the files that evaluate it: expression.c (values, derivatives, form),
 * expression_breaks.c (ranges, jumps) and expression_third.c (third derivatives).
 */
#ifndef ACTIO_BASE_EXPRESSION_CODE_H
#define ACTIO_BASE_EXPRESSION_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "actio/expression.h"

enum { AC_EXPRESSION_STACK = 64 };

typedef enum operation {
    OP_NUMBER,
    OP_VARIABLE,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_SQRT,
    OP_ABS,
    OP_STEP,
    OP_ATAN2,
    OP_MIN,
    OP_MAX
} operation;

typedef struct instruction {
    operation op;
    int variable;
    double number;
} instruction;

struct ac_expression {
    ac_context *ctx;
    instruction *code;
    int length, capacity;
    int variables;
    /* per pair of variables i >= j, one after another: can the second derivative be anything but zero? */
    bool *bends;
};

static inline size_t pair_of(int i, int j)
{
    return i >= j ? (size_t)i * (size_t)(i + 1) / 2 + (size_t)j : (size_t)j * (size_t)(j + 1) / 2 + (size_t)i;
}

/* The value of a function of one number. */
double ac_expression_function(operation op, double x);
/* The value of an operation on two numbers. */
double ac_expression_binary(operation op, double x, double y);
/* x^p; the powers that are frequent without logarithms. */
double ac_expression_power(double x, double p);

static inline bool is_binary(operation op)
{
    return (op >= OP_ADD && op <= OP_POWER) || op >= OP_ATAN2;
}

#endif
