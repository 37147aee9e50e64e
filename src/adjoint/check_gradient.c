/* A gradient by controls against differences of whole simulations: central ones with one step of Richardson, along the gradient
 * itself. */
#include <math.h>

#include "actio/adjoint.h"
#include "base/base.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"

/* The slope of the objective along the unit vector of the gradient, between controls that are `step` away on both sides. */
static ac_status slope_along(ac_optimization *o, const double *u, const double *gradient, double length,
                             double step, double *moved, double *slope)
{
    int n = ac_optimization_intervals(o) * ac_optimization_controls(o);
    double end[2] = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < n; ++k) moved[k] = u[k] + (side ? -step : step) * gradient[k] / length;
        AC_TRY(ac_optimization_gradient(o, moved, &end[side], NULL));
    }
    *slope = (end[0] - end[1]) / (2.0 * step);
    return AC_OK;
}

ac_status ac_optimization_check_gradient(ac_optimization *o, const double *controls, const double *gradient,
                                         double *error, double *doubt)
{
    int n = ac_optimization_intervals(o) * ac_optimization_controls(o);
    double squares = 0.0, size = 0.0, whole, half = 0.0, *moved;
    *error = 0.0;
    if (doubt) *doubt = 0.0;
    for (int k = 0; k < n; ++k) {
        squares += gradient[k] * gradient[k];
        size = ac_max(size, fabs(controls[k]));
    }
    double length = sqrt(squares), step = 1e-3 * (1.0 + size);
    if (!(length > 0.0)) return AC_OK;
    AC_NEW(o->ctx, moved, n + 1);
    ac_status status = slope_along(o, controls, gradient, length, step, moved, &whole);
    if (status == AC_OK) status = slope_along(o, controls, gradient, length, 0.5 * step, moved, &half);
    ac_release(o->ctx, moved);
    AC_TRY(status);
    *error = fabs((4.0 * half - whole) / 3.0 - length) / length;
    if (doubt) *doubt = fabs(half - whole) / length;
    return AC_OK;
}
