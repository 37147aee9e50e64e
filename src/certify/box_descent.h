/* Minimises a function on a box: quasi-Newton steps of limited memory (L-BFGS), projected on the box.
 *
 * Values that are not finite are refused steps, so a function may have holes. Values are asked for along a step, gradients
 * only where a step ended: they may cost more. With a metric, a guess of the second derivatives up to a factor, steps begin
 * from its inverse instead of from a multiple of the gradient. */
#ifndef ACTIO_CERTIFY_BOX_DESCENT_H
#define ACTIO_CERTIFY_BOX_DESCENT_H

#include <stdbool.h>

#include "actio/context.h"

typedef struct ac_box_descent {
    ac_context *ctx;
    int n, pairs; /* unknowns; changes of point and gradient that the matrix is made of */
    const double *low, *high;
    double first;         /* largest change of an unknown in the first step */
    bool corner;          /* the first step goes to the corner of the box that the gradient points at */
    double gain;          /* relative decrease below which a step is the last one */
    const double *enough; /* a value with which it ends; NULL: none */
    const double
        *metric; /* lower triangle of n x n numbers, which `gradient` may set anew; NULL: there is none */
    ac_status (*value)(void *user, const double *x, double *value);
    ac_status (*gradient)(void *user, const double *x, double *gradient);
    ac_status (*report)(void *user, const double *x, double value); /* after every step; may be NULL */
    void *user;
} ac_box_descent;

/* From x with this value; takes *steps at most and returns how many it took. */
ac_status ac_box_descend(const ac_box_descent *descent, double *x, double *value, long *steps);

#endif
