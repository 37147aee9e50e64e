/* Watches the energy of a simulation: see energy.c. */
#ifndef ACTIO_OBSERVE_ENERGY_H
#define ACTIO_OBSERVE_ENERGY_H

#include "actio/simulate.h"

typedef struct ac_energy_watch {
    bool on;
    int hamiltonian, kinetic, projected, drives; /* where they are in a row of a node */
    long rows;
    double start;
    double work;      /* of the loads up to the newest node */
    double gain;      /* the largest energy that came from nowhere */
    double most;      /* the largest kinetic energy */
    double size;      /* the largest energy, of either sign */
    double across;    /* the largest energy of momenta that the joints do not allow */
    double along;     /* the largest kinetic energy of those that they allow */
    double low, high; /* of the energy without them, on whole rows */
} ac_energy_watch;

/* Finds the channels; without them, and with the energy-momentum scheme, nothing is watched. */
void ac_energy_watch_open(ac_energy_watch *watch, const ac_simulation *simulation);
/* The same of the motion of an optimisation, from the channels of its nodes. */
void ac_energy_watch_channels(ac_energy_watch *watch, const ac_channel *channels, int count);
/* A row of the next node; `whole`: all of its numbers are there. */
void ac_energy_watch_row(ac_energy_watch *watch, const double *row, bool whole);
/* The interval that follows on it. */
void ac_energy_watch_interval(ac_energy_watch *watch, const ac_simulation *simulation);
/* A remark if energy came from nowhere, beyond what rounding brings in a step; false and an empty text if none did. */
bool ac_energy_remark(const ac_energy_watch *watch, double rounding, bool beams, char *text, size_t size);
/* Have the momenta of the nodes forces of the joints in them? Then the energy of the motion is that of the projected ones. */
bool ac_energy_is_across(const ac_energy_watch *watch);
/* A remark if they have. */
bool ac_energy_across_remark(const ac_energy_watch *watch, char *text, size_t size);

#endif
