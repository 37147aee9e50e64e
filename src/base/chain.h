/* A function of a few coordinates x that is a small function psi of quadratic maps, y = psi(kappa(x)): the chain rule to
 * third derivatives, and the discrete derivative. Joint coordinates, lengths, strains and clearances are all of this
 * form, and this is the only place where they are differentiated.
 */
#ifndef ACTIO_BASE_CHAIN_H
#define ACTIO_BASE_CHAIN_H

#include "base/forms.h"
#include "base/outer.h"

enum { AC_CHAIN_MAX = 40 }; /* most coordinates */

/* psi of the maps `first`, first + 1, .. of a list, on n coordinates. */
typedef struct ac_chain {
    const ac_forms *forms;
    int first, n;
    ac_outer outer;
} ac_chain;

/* y at x; angles are continued from winding. gradient (n) and hessian (n x n) may be NULL. */
double ac_chain_evaluate(const ac_chain *chain, const double *x, double winding, double *gradient,
                         double *hessian);
/* The same without y, on which dampers do not depend. */
void ac_chain_slopes(const ac_chain *chain, const double *x, double *gradient, double *hessian);
/* third (n x n) = derivative of the Hessian along w. */
void ac_chain_third(const ac_chain *chain, const double *x, const double *w, double *third);
/* Discrete derivative D (n) with D . (xb - xa) = y(xb) - y(xa), at the mean of xa and xb, and its derivatives by both
 * (n x n each, may be NULL). ends: y at xa and xb. */
void ac_chain_secant(const ac_chain *chain, const double *xa, const double *xb, double winding,
                     double ends[2], double *D, double *by_a, double *by_b);

#endif
