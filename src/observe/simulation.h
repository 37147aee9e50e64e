/* Inside of a simulation. */
#ifndef ACTIO_OBSERVE_SIMULATION_H
#define ACTIO_OBSERVE_SIMULATION_H

#include "observe/monitor.h"
#include "integrate/stepper.h"

struct ac_simulation {
    ac_context *ctx;
    ac_stepper stepper;
    ac_monitor monitor;
    bool solved; /* the stepper holds a solved interval; otherwise only its left node is valid */
};

/* As ac_simulation_node_row with `last` false, for a row that is not recorded: fills only time, Hamiltonian,
 * kinetic and potential energy, momenta and residuals, and leaves the rest. */
void ac_simulation_watch_node(ac_simulation *simulation, double *row);

/* A spring that has no direction on the interval solved last, in words; false and an empty text if there is
 * none. */
bool ac_simulation_spring_trouble(const ac_simulation *simulation, char *text, size_t size);
/* As ac_simulation_largest_bend, only of beams of the director model, whose elements yield to a bend, rad. */
double ac_simulation_yielding_bend(const ac_simulation *simulation);

/* Does the scheme keep the energy but for loads and dampers, whatever the step? */
bool ac_simulation_keeps_energy(const ac_simulation *simulation);
/* The work of the loads on the interval that was solved last, by their forces at its mean. */
double ac_simulation_load_work(const ac_simulation *simulation);

#endif
