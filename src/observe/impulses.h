/* Adjoint variables as channels: how a functional of the motion changes per impulse in a joint, on a body or on the nodes of a
 * beam. Derivatives by the momentum are a velocity of the system, and its rates at these places are those numbers. */
#ifndef ACTIO_OBSERVE_IMPULSES_H
#define ACTIO_OBSERVE_IMPULSES_H

#include "actio/channel.h"
#include "model/system.h"

enum { AC_IMPULSE_NAME = 128 };

typedef struct ac_impulses {
    ac_context *ctx;
    const ac_system *system;
    ac_channel *channels; /* the first is the time */
    char (*names)[AC_IMPULSE_NAME];
    int count, width;
} ac_impulses;

ac_status ac_impulses_create(ac_context *ctx, const ac_system *system, ac_impulses *impulses);
void ac_impulses_destroy(ac_impulses *impulses);
/* The row of a time node. */
void ac_impulses_put(const ac_impulses *impulses, double t, const double *q, const double *by_momentum,
                     double *row);

#endif
