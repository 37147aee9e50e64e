/* Between expressions and records: an expression of a file on a graph, and the records behind a number as an expression. */
#ifndef ACTIO_BASE_NUMBER_FORMULA_H
#define ACTIO_BASE_NUMBER_FORMULA_H

#include "actio/expression.h"
#include "base/number/graph.h"

/* Records an expression; `numbers` stand for its variables. */
ac_num ac_graph_record(ac_graph *graph, const ac_expression *expression, const ac_num *numbers);
/* The records behind a node as an expression of its own, where input k is variable[k] of `variables` (-1: it must not be there). What is
 * used several times is computed once. */
ac_status ac_graph_expression(ac_context *ctx, const ac_graph *graph, int node, const int *variable,
                              int variables, ac_expression **expression);

/* Names that stand for expressions, beside variables and constants. */
typedef struct ac_definition {
    const char *name;
    const ac_expression *expression;
    const int *variable; /* which variable of the whole each of its variables is */
} ac_definition;

/* Compiles a text as ac_expression_parse does, with names that are defined. */
ac_status ac_expression_parse_defined(ac_context *ctx, const char *text, const char *const *variables,
                                      int count, const ac_definition *definitions, int defined,
                                      ac_constant_lookup lookup, void *user, int *column,
                                      ac_expression **expression);

#endif
