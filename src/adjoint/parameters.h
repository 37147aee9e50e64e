/* Gradients by named parameters: the numbers of the system at neighbouring values, and what the sweep gathers by them;
 * see parameters.c. */
#ifndef ACTIO_ADJOINT_PARAMETERS_H
#define ACTIO_ADJOINT_PARAMETERS_H

#include "action/describe/numbers.h"
#include "action/interval.h"

enum { AC_STENCIL = 6 };

/* A parameter at neighbouring values: the derivative of a number is the sum of weights times its differences from the
 * present one. */
typedef struct ac_stencil {
    const char *name;
    int count;
    const ac_system *systems[AC_STENCIL];
    ac_add_controls controls; /* as for the adjoint, with a user each */
    void *users[AC_STENCIL];
    double weights[AC_STENCIL];
} ac_stencil;

typedef struct ac_number_slope { /* of a number that varies by a parameter */
    int number, parameter;
    double slope;
} ac_number_slope;

typedef struct ac_adjoint_parameters {
    int count;
    const ac_stencil *stencils; /* of the caller, who keeps their systems */
    ac_varying varying;
    int slope_count;
    ac_number_slope *slopes;
    double *by;        /* per number: gathered on the way */
    double *start;     /* per parameter and coordinate: derivatives of q, then of v at the start */
    bool *load_varies; /* per parameter and input */
    double *total;     /* per parameter */
    double *over_time; /* per interval and parameter */
    double *residual, *eta;
} ac_adjoint_parameters;

#endif
