/* Watches the energy of a simulation: see run_energy.c. */
#ifndef ACTIO_TASK_ENERGY_H
#define ACTIO_TASK_ENERGY_H

#include "actio/simulate.h"

typedef struct ac_energy_watch {
    bool on;
    int hamiltonian, kinetic; /* where they are in a row of a node */
    long rows;
    double start;
    double work; /* of the loads up to the newest node */
    double gain; /* the largest energy that came from nowhere */
    double most; /* the largest kinetic energy */
    double size; /* the largest energy, of either sign */
} ac_energy_watch;

/* Finds the channels; without them, and with the energy-momentum scheme, nothing is watched. */
void ac_energy_watch_open(ac_energy_watch *watch, const ac_simulation *simulation);
/* A row of the next node. */
void ac_energy_watch_row(ac_energy_watch *watch, const double *row);
/* The interval that follows on it. */
void ac_energy_watch_interval(ac_energy_watch *watch, const ac_simulation *simulation);
/* A remark if energy came from nowhere, beyond what rounding brings in a step; false and an empty text if none did. */
bool ac_energy_remark(const ac_energy_watch *watch, double rounding, bool beams, char *text, size_t size);

#endif
