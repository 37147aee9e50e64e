/* What the reader of a problem file asks of numbers, asked again of values that are set later: limits as expressions of
 * the parameters, and inertias that a mass can have. */
#ifndef ACTIO_PROBLEM_PARAMETERS_LIMITS_H
#define ACTIO_PROBLEM_PARAMETERS_LIMITS_H

#include "actio/expression.h"
#include "problem/build/build.h"

typedef struct ac_limits {
    ac_context *ctx;
    int count, capacity;
    struct ac_kept_limit {
        const ac_limit *limit; /* of the reader, which must live on */
        ac_expression *expression;
    } * list;
} ac_limits;

/* The limits that a reader has noted, in the order of the file. */
ac_status ac_limits_take(ac_context *ctx, const ac_reader *reader, ac_limits *limits);
void ac_limits_free(ac_limits *limits);
/* AC_BAD_INPUT with place and reason when a limit is broken at x, or a body whose inertia varies has one that no mass can
 * have. Allocates nothing. */
ac_status ac_limits_check(const ac_limits *limits, const double *x);
ac_status ac_description_check(ac_context *ctx, const ac_description *description);
/* What is wrong with an inertia; false: nothing. */
bool ac_inertia_wrong(const double inertia[9], char *words, size_t size);

#endif
