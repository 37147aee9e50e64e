/* Does the step resolve the motion? Watches how far bodies turn in one step, the fastest oscillation by springs and joint
 * forces, dampers and beams that reverse their motion, and what loads do inside of a step; names what a step cannot resolve. */
#ifndef ACTIO_TASK_RESOLUTION_H
#define ACTIO_TASK_RESOLUTION_H

#include "actio/simulate.h"
#include "model/system.h"
#include "observe/fastest.h"
#include "task/reversals.h"
#include "task/task.h"

typedef struct ac_resolution {
    const ac_system *system;
    double h;
    double turn;  /* the largest of a body in one step so far, rad */
    int node;     /* which one */
    double far;   /* the largest coordinate so far */
    double moved; /* the largest change of one in a step */
    long steps;
    ac_fastest fastest; /* oscillation so far */
    double load_scale;  /* the largest mean of a load so far */
    int load;           /* one with a feature inside of a step, -1: none */
    double feature;     /* a step that resolves it */
    double feature_time;
    ac_reversals reversals;
} ac_resolution;

ac_status ac_resolution_open(ac_resolution *resolution, ac_context *ctx, const ac_system *system, double h);
void ac_resolution_close(ac_resolution *resolution);
/* After each step. */
ac_status ac_resolution_watch(ac_resolution *resolution, ac_simulation *simulation);
/* Why energy may come from nowhere, other than by vibrations: false if nothing is known. */
bool ac_resolution_cause(ac_resolution *resolution, const ac_simulation *simulation, char *text, size_t size);
/* AC_NOT_CONVERGED if rounding of the places leaves nothing of the motion. */
ac_status ac_resolution_refuse(ac_context *ctx, const ac_resolution *resolution);
/* Kinetic energy that rounding of the places makes, J. */
double ac_resolution_energy(const ac_resolution *resolution);
/* Remarks where places are rounded by more than a part of the motion, where less than about 20 steps resolve a turn or an oscillation, where
 * a damper rings and most of the motion of a beam is unresolved, and where a load rises and falls within a step. */
void ac_resolution_remarks(const ac_resolution *resolution, ac_summary *summary);

#endif
