/* The extended scheme: the step itself is an unknown, found from the balance of discrete energies.
 *
 * Variations of time give D3 L_d(k-1) + D1 L_d(k) = 0 beside the momentum balance: the energies of neighbouring
 * intervals are equal. The equation has no root everywhere (at turning points of a pendulum none), and spurious ones far
 * away. So the root is sought within a bounded ratio of the steps, and within bounds about the nominal step; where
 * there is none, the nominal step is taken, and the energy wanted stays that of the first interval.
 */
#ifndef ACTIO_INTEGRATE_EXTENDED_H
#define ACTIO_INTEGRATE_EXTENDED_H

#include "integrate/stepper.h"

typedef struct ac_extended {
    double nominal, until; /* step; end of the run */
    double energy;         /* of the first interval */
    double *carried;       /* tree freedoms */
    long found, missed;    /* steps with the energy equation, and without */
    double shortest, longest;
} ac_extended;

ac_status ac_extended_create(ac_stepper *stepper, const ac_simulation_settings *settings);
void ac_extended_restart(ac_stepper *stepper);
void ac_extended_destroy(ac_stepper *stepper);
ac_status ac_extended_solve(ac_stepper *stepper);
/* Nominal steps that fit into the time reached; all of them at the end of the run. */
long ac_extended_mesh_steps(const ac_stepper *stepper, double t);

#endif
