/* Inside of a simulation. */
#ifndef ACTIO_INTEGRATE_SIMULATION_H
#define ACTIO_INTEGRATE_SIMULATION_H

#include "integrate/monitor.h"
#include "integrate/stepper.h"

struct ac_simulation {
    ac_context *ctx;
    ac_stepper stepper;
    ac_monitor monitor;
    bool solved; /* the stepper holds a solved interval; otherwise only its left node is valid */
};

#endif
