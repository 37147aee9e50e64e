/* Terms of the action: inertia, gravity, elements, inputs. A term is a row of a table (terms.c), and the functions of an interval
 * (describe/discrete.h) are sums over the rows. Elements are a row with a table of kinds of its own (kinds.c), because all
 * of them are laws of functions of quadratic maps; loads and controls are inputs, because both are forces B(q)^T tau.
 * The simulator has the same sums as loops (scheme/); tests/action/test_one_action.c compares both, and tests/action/test_terms.c
 * differentiates each row alone.
 */
#ifndef ACTIO_ACTION_TERM_H
#define ACTIO_ACTION_TERM_H

#include "action/describe/discrete.h"

/* Functions that are NULL add nothing. The mean of the interval is up to date. */
typedef struct ac_term {
    const char *name;
    /* Its part of L_d; inputs and dampers have none. */
    double (*action)(ac_discrete *discrete, const ac_discrete_point *point);
    /* side[0] += left, side[1] += right; and their derivatives by the step. */
    void (*values)(ac_discrete *discrete, const ac_discrete_point *point, double *const side[2]);
    void (*by_step)(ac_discrete *discrete, const ac_discrete_point *point, double *const side[2]);
    /* Derivatives by a, b, inputs, unknown stresses. */
    void (*slopes)(ac_discrete *discrete, const ac_discrete_point *point, const ac_slope_sinks *sinks,
                   void *user);
    /* Optional: their transposed product by a and b, where nothing varies and no stress is unknown; NULL: by `slopes`. */
    void (*pull)(ac_discrete *discrete, const ac_discrete_point *point, const double *wl, const double *wr,
                 const ac_pullback *out);
    /* Second derivatives of wl . left + wr . right by the same and, if asked for, the step. */
    void (*curvature)(ac_discrete *discrete, const ac_discrete_point *point, bool by_h, const double *wl,
                      const double *wr, const ac_curvature_sinks *sinks, void *user);
} ac_term;

extern const ac_term *const ac_terms[]; /* ended by NULL */

#endif
