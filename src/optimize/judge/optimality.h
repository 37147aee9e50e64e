/* Is the point that a solver has left an optimum? Tested apart from the solver: without its scaling, in the units of
 * the layout (solve/sizes.h), at the present point, with the exact Hessian. */
#ifndef ACTIO_OPTIMIZE_JUDGE_OPTIMALITY_H
#define ACTIO_OPTIMIZE_JUDGE_OPTIMALITY_H

#include "optimize/problem/optimization.h"

typedef enum ac_second_order {
    AC_SECOND_UNKNOWN, /* not tested, or undecided within round-off */
    AC_SECOND_HOLDS,   /* no direction along which the active conditions hold has negative curvature */
    AC_SECOND_FAILS    /* such a direction was found: a saddle or a maximum */
} ac_second_order;

typedef struct ac_optimality {
    double error; /* largest entry of the gradient of the Lagrangian, and of products of multipliers with
                     distances to bounds, in parts of `size` */
    double
        terms; /* the largest sum of the sizes of what makes up an entry of that gradient, in the same parts */
    double size;   /* of the objective: of its gradient or, up to one, of its curvature */
    bool replaced; /* the multipliers of the solver did not serve: least squares took their place */
    ac_second_order second;
    double curvature;  /* along `direction`, in parts of the sizes that it is the difference of */
    double *direction; /* one entry per unknown; NULL: none. To be released. */
} ac_optimality;

/* How large the objective is at the present point, in its unit: its gradient and its curvature by all unknowns. */
ac_status ac_objective_size(ac_optimization *o, double *slope, double *bend);
/* What the error may be: the tolerance, in parts of the terms of the gradient where these are above one (up to 1000). */
double ac_optimality_limit(const ac_optimization *o, const ac_optimality *result);
/* First order: gradient of the Lagrangian. When it is above `limit`, multipliers by least squares on the
 * active conditions are tried, and kept if they are better. */
ac_status ac_judge_first_order(ac_optimization *o, double limit, ac_optimality *result);
/* Second order: curvature on the null space of the active conditions. A direction counts as negative only if it is so
 * with the multipliers by least squares, too, should their error be below `limit`; otherwise those are kept. */
ac_status ac_judge_second_order(ac_optimization *o, double limit, ac_optimality *result);
/* One Newton step on the first-order conditions, with what is active by the present multipliers: the point and all multipliers move.
 * anew: of multipliers that are not unique small ones are taken. `made` false: there is no step. */
ac_status ac_newton_step(ac_optimization *o, bool anew, bool *made);
/* polish.c: a few of these steps from a point whose error is above the tolerance; kept as far as the error falls. */
ac_status ac_polish(ac_optimization *o, ac_optimality *result);

#endif
