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

#endif
