/* Does the step resolve the motion? Watches how far bodies turn in one step, and names what a step cannot resolve. */
#ifndef ACTIO_TASK_RESOLUTION_H
#define ACTIO_TASK_RESOLUTION_H

#include "actio/simulate.h"
#include "model/system.h"
#include "task/task.h"

typedef struct ac_resolution {
    const ac_system *system;
    double h;
    double turn; /* the largest of a body in one step so far, rad */
    int node;    /* which one */
    double far;  /* the largest coordinate so far */
    long steps;
} ac_resolution;

void ac_resolution_open(ac_resolution *resolution, const ac_system *system, double h);
/* After each step. */
void ac_resolution_watch(ac_resolution *resolution, const ac_simulation *simulation);
/* Why energy may come from nowhere, other than by vibrations: false if nothing is known. */
bool ac_resolution_cause(const ac_resolution *resolution, char *text, size_t size);
/* Remarks where less than about 20 steps resolve a turn. */
void ac_resolution_remarks(const ac_resolution *resolution, ac_summary *summary);

#endif
