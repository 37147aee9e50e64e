/* Long runs: does the energy drift, and do the loops stay closed? */
#ifndef ACTIO_TESTS_SUPPORT_DRIFT_H
#define ACTIO_TESTS_SUPPORT_DRIFT_H

#include "support/mechanisms.h"

typedef struct drift {
    ac_status status;
    trend discrete, hamiltonian; /* E_d of every interval, H_d of every node */
    double residual;             /* largest residual of a constraint at any node */
} drift;

/* The crank-rocker four-bar (crank 0.7, coupler 1.8, rocker 1.3, base 2.0 m; uniform bars of 1 kg per metre;
 * crank upright, released from rest in gravity), midpoint rule. */
drift drift_of_four_bar(bool planar, const char *formulation, double h, long steps);

#endif
