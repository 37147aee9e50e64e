/* The doors of the action: what tasks may ask of it. Nothing behind them allocates, except what opens and closes.
 *
 * Point (one configuration q; energies, equilibrium, stability)
 *   ac_potential_energy, ac_potential_add_gradient    element.h: of the whole system
 *   ac_element_*                                      element.h: of one element: energy, gradient, Hessian, damping
 *   ac_loads_add, ac_load_slope                       load.h: loads at a time
 *   ac_mass_*, ac_gravity_*                           inertia.h: mass matrix, momenta, gravity
 *   ac_discrete_energy                                of one part of an element, also by parameters (ac_discrete_law_jets)
 *
 * Interval (a, b, inputs, step h; sums over the terms of term.h; simulation, adjoints, optimal control)
 *   ac_interval_open, ac_discrete_destroy             the mechanics of a system in one scheme, with its loads as inputs
 *   ac_discrete_add_*                                 further inputs (controls), before it is opened for use
 *   ac_discrete_action                                value of L_d
 *   ac_discrete_values                                left = D1 L_d + f^-, right = D2 L_d + f^+
 *   ac_discrete_by_step                               derivatives of both by the step; without inputs and dampers those of the energy
 *                                                     E = -dL_d/dh by a and b, with the other sign; ac_numbers_pull_energy: by numbers
 *   ac_discrete_slopes                                all first derivatives, to sinks
 *   ac_discrete_pullback                              (wl, wr)^T d(left, right)/dz for z = a, b, inputs, h, stresses,
 *                                                     parameters
 *   ac_discrete_curvature                             second derivatives of wl . left + wr . right, to sinks; not for
 *                                                     energy-momentum
 *   ac_discrete_along, ac_discrete_bend               first derivatives and changes of the pullback along a direction
 * The simulator has the same numbers by scheme.h, with loops (ac_scheme, ac_stepper_slopes: slopes of left by b only);
 * tests/action/test_one_action.c compares both.
 *
 * Constraints (rows g(q) = 0 and forces G(q)^T lambda)
 *   ac_constraints_value, ac_constraint_gradient, ac_constraints_add_force      tree/kinematics.h
 *   ac_constraints_along                              G(q) w
 *   ac_constraints_pull                               (d/dq) of w . G(q)^T lambda
 *   ac_constraints_curve                              a . g'' b of every row
 * At time nodes (midpoint, trapezoidal) take q = a or b; energy-momentum takes the mean of both, so that derivatives by a
 * and by b are half of those by q.
 *
 * A step with momentum p at a and multipliers lambda, c = 1/2 on the first interval, else 1 (energy-momentum: always 1/2):
 *   midpoint, trapezoidal   p + left - c h G(a)^T lambda = 0,    g(b) = 0,   p_next = right
 *   energy-momentum         p + left - h/2 G(mean)^T lambda = 0, g(b) = 0,   p_next = right - (p + left)
 */
#ifndef ACTIO_ACTION_INTERVAL_H
#define ACTIO_ACTION_INTERVAL_H

#include "action/describe/discrete.h"
#include "action/element.h"
#include "action/load.h"
#include "tree/kinematics.h"

/* Opens the interval of a system in a scheme ("midpoint", "trapezoidal", "energy-momentum"): elements, then the loads as
 * inputs behind the controls. `controls` (may be NULL) adds these; it is called in between. On failure nothing is kept. */
typedef ac_status (*ac_add_controls)(void *user, ac_discrete *discrete);
ac_status ac_interval_open(ac_context *ctx, const ac_system *system, const char *scheme,
                           ac_add_controls controls, void *user, ac_discrete *discrete);
/* The scheme of a name; fails for one that there is not, and for what the scheme cannot take. */
ac_status ac_discrete_set_scheme(ac_discrete *discrete, const char *scheme);

/* Fails with the reason if a system cannot be discretised by the scheme. */
ac_status ac_scheme_check(ac_context *ctx, const ac_system *system, const char *scheme);

/* out (rows) = G(q) w */
void ac_constraints_along(const ac_system *system, const double *q, const double *w, double *out);
/* out (n) += factor (d/dq) (w . G(q)^T lambda) = factor sum lambda_k g_k'' w */
void ac_constraints_pull(const ac_system *system, const double *lambda, const double *w, double factor,
                         double *out);
/* out (rows): a . g_k'' b */
void ac_constraints_curve(const ac_system *system, const double *a, const double *b, double *out);

#endif
