/* Derivatives of the system of an object of values by one of its parameters; see slopes.c. */
#ifndef ACTIO_PROBLEM_BUILD_SLOPES_H
#define ACTIO_PROBLEM_BUILD_SLOPES_H

#include "model/slope.h"
#include "problem/build/values.h"

/* A new slope of the values' system, with its start; at the present values. AC_BAD_INPUT: there is none, with the reason
 * ("the length .."), which follows the name of the parameter. */
ac_status ac_values_slope(ac_values *values, int parameter, ac_system_slope **slope);
/* Does a component of a load depend on the parameter? Its mean over [t, t + h] by the parameter. */
bool ac_values_load_varies(const ac_values *values, int parameter, int load, int component);
double ac_values_load_slope(ac_values *values, int parameter, int load, int component, double t, double h);
/* A slope of a place of a node in its frame becomes that of the place relative to its reference point. */
void ac_slope_off_centre(const ac_system_slope *slope, int node, double place[3]);

/* The slope of the data along a direction of parameters, without its start; how the slope by a parameter changes along the direction,
 * with its start, `along` being the former. The caller frees them, and `of` of the latter before it. AC_BAD_INPUT: one of the data has no
 * exact second derivative, with the reason. */
ac_status ac_values_slope_along(ac_values *values, const double *direction, ac_system_slope **slope);
ac_status ac_values_bend(ac_values *values, const double *direction, const ac_system_slope *along,
                         int parameter, ac_system_slope **slope);
/* Do loads jump and bend in the same intervals of length h, at the values of a and of b? Two objects of the same parameters. */
bool ac_values_loads_switch_alike(const ac_values *a, const ac_values *b, long steps, double h);
/* Is the second derivative of a load over time known (-1: of all loads)? The one of a mean over [t, t + h]. */
bool ac_values_load_bends(const ac_values *values, int load);
double ac_values_load_bend(ac_values *values, const double *direction, int parameter, int load, int component,
                           double t, double h);

/* functional.c: the functional of the problem with all parameters of the values as parameters of it; the caller frees it. AC_BAD_INPUT:
 * the functional depends on a parameter in a way that is not followed. */
ac_status ac_values_functional(ac_values *values, ac_optimization **functional);
/* How the quantities of the one that was made last change with a parameter, and the places of forces of its controls, which go into
 * the slope. */
ac_status ac_values_functional_slope(ac_values *values, ac_optimization *functional, int parameter,
                                     ac_system_slope *slope);

/* Does the functional have energies or momenta of beams whose curve, rest length or precurvature varies? They have first derivatives
 * only. */
bool ac_values_weigh_curves(const ac_values *values, const ac_optimization *functional);

#endif
