/* The fastest oscillation of a system as it moves now.
 *
 *   M x'' = - (V'' + sum lambda_k g_k'') x        on the motions that the constraints allow
 *
 * The forces of the joints act as springs: a chain under tension swings like a string. Schemes whose constraint forces
 * act at time nodes treat them explicitly; their motion grows without bound where step times frequency exceeds 2.
 */
#ifndef ACTIO_OBSERVE_FASTEST_H
#define ACTIO_OBSERVE_FASTEST_H

#include "actio/simulate.h"

typedef struct ac_fastest {
    double all, joints; /* rad/s; by springs and joint forces, by joint forces alone; 0: there is none */
    int node;           /* that moves most in the first one */
} ac_fastest;

/* On the interval that was solved last. Springs and joint forces count, the material of beams does not: its
 * vibrations are seldom meant to be resolved. */
ac_status ac_simulation_fastest(ac_simulation *simulation, ac_fastest *fastest);

#endif
