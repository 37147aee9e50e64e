/* Making an optimal control problem ready for evaluation at its guess; for solving, checking and tests. */
#ifndef ACTIO_CONTROL_PREPARE_H
#define ACTIO_CONTROL_PREPARE_H

#include "actio/optimize.h"

ac_status ac_optimization_prepare(ac_optimization *optimization);

#endif
