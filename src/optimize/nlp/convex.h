/* Quadratic forms on the null space of equations: x^T H x for all x with A x = 0. */
#ifndef ACTIO_OPTIMIZE_NLP_CONVEX_H
#define ACTIO_OPTIMIZE_NLP_CONVEX_H

#include <stdbool.h>

#include "base/base.h"

typedef struct ac_form {
    int variables, equations;
    int hessian_entries, jacobian_entries;
    const int *hessian_row, *hessian_column; /* lower triangle; a place may occur once only */
    const int *jacobian_row, *jacobian_column;
    const double *hessian, *jacobian;
} ac_form;

typedef enum ac_convexity { AC_CONVEX, AC_NOT_CONVEX, AC_CONVEXITY_UNKNOWN } ac_convexity;

/* Whether H + shift I is positive definite on the null space of A, by the inertia of
 *   [H + shift I, A^T; A, -delta I]
 * as the sparse linear solver counts it; delta is tiny. "Convex" is certain. "Not convex" may also mean that
 * the equations nearly depend on each other. */
ac_status ac_form_is_convex(ac_context *ctx, const ac_form *form, double shift, ac_convexity *result);

#endif
