/* Derivatives of quantities by parameters through numbers of their own: directions, axes, shapes, places that momenta are about,
 * signals.
 *
 * A quantity is y = psi(kappa(x)), and the maps kappa are polynomials of at most fourth degree in these numbers. Along a change of the
 * numbers, the derivative of such a polynomial is (8 (f(1) - f(-1)) - (f(2) - f(-2))) / 12 without remainder; so the quantity is built
 * four times by the functions that build it, and there are no rules of the product for each kind.
 */
#ifndef ACTIO_OPTIMIZE_PROBLEM_QUANTITY_SLOPE_H
#define ACTIO_OPTIMIZE_PROBLEM_QUANTITY_SLOPE_H

#include "optimize/problem/optimization.h"

enum { AC_SLOPE_POINTS = 4 };

/* A given function of time: its derivative by the parameter. */
typedef struct ac_signal_slope {
    void *user;
    double (*at)(void *user, double t);
    void (*free)(ac_context *ctx, void *user);
} ac_signal_slope;

typedef struct ac_quantity_slope {
    int parameter;
    int scalar;              /* of the problem; -1: a signal */
    const ac_signal *signal; /* that one */
    ac_signal_slope of_signal;
    ac_scalars set; /* the quantity with other numbers, */
    int at[AC_SLOPE_POINTS];
    double step; /* so much of the change apart */
    double radius,
        half[3]; /* of shapes: their radii together, half sizes of the box in whose axes the maps are */
} ac_quantity_slope;

typedef struct ac_quantity_slopes ac_quantity_slopes;

/* By a parameter, the numbers of quantity `number` change as `change` says, whose other members are not used. */
ac_status ac_quantity_slopes_add(ac_optimization *optimization, int parameter, int number,
                                 const ac_quantity *given, const ac_quantity *change);
/* A quantity that is a signal; what the slope has is freed with the problem, also when adding it fails. */
ac_status ac_quantity_slopes_add_signal(ac_optimization *optimization, int parameter, int number,
                                        const ac_signal_slope *slope);
void ac_quantity_slopes_free(ac_optimization *optimization);
const ac_signal *ac_optimization_quantity_signal(const ac_optimization *optimization, int number);
/* Those of a name by a parameter; NULL: none. */
const ac_quantity_slope *ac_quantity_slope_of(const ac_optimization *optimization, int parameter,
                                              const ac_leaf *leaf);
/* Derivative at a configuration; with a velocity (may be NULL) also that of the rate. */
double ac_quantity_slope_value(const ac_optimization *optimization, const ac_quantity_slope *slope,
                               const double *q, double winding, const double *velocity, double *rate);
/* The same of an energy or momentum. */
double ac_quantity_slope_motion(const ac_optimization *optimization, const ac_quantity_slope *slope,
                                const ac_leaf *leaf, const ac_term_point *point);

/* describe.c: a quantity as a scalar of the set of the problem; numbers are taken as they are. */
ac_status ac_quantity_scalar(ac_optimization *optimization, const ac_quantity *quantity, int *scalar,
                             int *measure);
/* The axis of swing and twist: a unit vector, the third one where none is given. */
void ac_quantity_settle_axis(ac_quantity *quantity);

#endif
