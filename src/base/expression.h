/* What the library knows of an expression beyond its public face. */
#ifndef ACTIO_BASE_EXPRESSION_H
#define ACTIO_BASE_EXPRESSION_H

#include <stdbool.h>

#include "actio/expression.h"

/* Whether the second derivative by variables i and j can be anything but zero, judged by the form alone. */
bool ac_expression_bends(const ac_expression *expression, int i, int j);
/* Does variable i stand in it? */
bool ac_expression_has(const ac_expression *expression, int i);
/* The value at x, its derivative by variable i, and the one by variables i and j. */
double ac_expression_along(const ac_expression *expression, const double *x, int i, int j, double *first,
                           double *second);

#endif
