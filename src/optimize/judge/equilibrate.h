/* Controls whose effort is paid for: a Lagrangian that bends down along a control has no minimum where that control is free, but
 * in the units of the programme this may be lost in rounding, for the motion of a light body in a long time needs next to no force. */
#ifndef ACTIO_OPTIMIZE_JUDGE_EQUILIBRATE_H
#define ACTIO_OPTIMIZE_JUDGE_EQUILIBRATE_H

#include "optimize/nlp/convex.h"
#include "optimize/problem/optimization.h"

/* Whether the second derivative of the Lagrangian by some free control is negative; H: its entries. */
bool ac_control_bends_down(const ac_optimization *o, const double *H);
/* New units of the unknowns (`column`) and equations, in which the largest entries of all rows and columns are one. `jacobian` and
 * `hessian` are the values of the form. */
ac_status ac_form_equilibrate(ac_context *ctx, const ac_form *form, double *jacobian, double *hessian,
                              double *column);

#endif
