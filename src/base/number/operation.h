/* The table of operations: values and derivatives of what expressions and graphs are made of. */
#ifndef ACTIO_BASE_NUMBER_OPERATION_H
#define ACTIO_BASE_NUMBER_OPERATION_H

#include <stdbool.h>

typedef enum operation {
    OP_NUMBER,
    OP_VARIABLE,
    OP_KEPT,  /* of a postfix code: a value that was stored, once more */
    OP_STORE, /* of a postfix code: the value on top of the stack goes to a place at its bottom */
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

/* Derivatives of f(x, y), or of f(x). */
typedef struct ac_partials {
    double x, y, xx, xy, yy;
} ac_partials;

static inline bool ac_operation_is_binary(operation op)
{
    return (op >= OP_ADD && op <= OP_POWER) || op >= OP_ATAN2;
}

/* The value of a function of one number, and of an operation on two. */
double ac_operation_unary(operation op, double x);
double ac_operation_binary(operation op, double x, double y);
/* x^p; the powers that are frequent without logarithms. */
double ac_operation_power(double x, double p);
/* Derivatives where the value is f. What does not move has none, so that x^2 has derivatives for negative x, too. */
ac_partials ac_operation_partials(operation op, double x, double y, double f, bool x_moves, bool y_moves);

#endif
