/* What the rest of the library needs of an optimal control problem beyond its public face. */
#ifndef ACTIO_CONTROL_PREPARE_H
#define ACTIO_CONTROL_PREPARE_H

#include "actio/optimize.h"

/* Makes it ready for evaluation at its guess. */
ac_status ac_optimization_prepare(ac_optimization *optimization);
/* Another number of intervals; the present motion and controls become the guess. */
ac_status ac_optimization_remesh(ac_optimization *optimization, int intervals);
/* Another formulation; the present motion and controls become the guess. */
ac_status ac_optimization_reformulate(ac_optimization *optimization, const char *formulation);
/* Duration at the present point. */
double ac_optimization_duration(const ac_optimization *optimization);
/* out += factor B(q)^T tau with the controls of an interval; loads are not included. */
void ac_optimization_push(ac_optimization *optimization, int interval, const double *q, double factor,
                          double *out);
/* Values near which the angles of the system are continued, one per measure. */
const double *ac_optimization_near(const ac_optimization *optimization, int node);
/* Velocity at the first node (n numbers), when it is given or an unknown; NULL when it is free. */
const double *ac_optimization_first_velocity(const ac_optimization *optimization);
/* Largest violation of the momentum balance on an interval, in the momentum that the formulation has at its
 * nodes. */
double ac_optimization_momentum_defect(ac_optimization *optimization);

#endif
