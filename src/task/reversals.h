/* Does the motion reverse from step to step? Watches dampers and beams, whose vibrations are often quicker than any step. */
#ifndef ACTIO_TASK_REVERSALS_H
#define ACTIO_TASK_REVERSALS_H

#include "action/element.h"
#include "actio/simulate.h"
#include "task/task.h"

typedef struct ac_reversals {
    ac_context *ctx;
    const ac_system *system;
    double *velocity, *change, *before; /* of the newest interval, to it, and to the one before; n each */
    double *scratch;                    /* n */
    double *along, *size; /* per beam: sums of v_a M v_b and of the mean of v_a M v_a and v_b M v_b */
    double *last;         /* per beam: v_b M v_b of the newest interval */
    bool dampers;         /* there are some */
    long steps;
    int asked;
    const ac_element_kind *kind; /* of the damper that rings; NULL: there is none */
    int damper;
} ac_reversals;

ac_status ac_reversals_open(ac_reversals *reversals, ac_context *ctx, const ac_system *system);
void ac_reversals_close(ac_reversals *reversals);
/* After each step. */
ac_status ac_reversals_watch(ac_reversals *reversals, const ac_simulation *simulation);
/* Where energy comes from nowhere: if no damper rings, finds the stiffest one that answers to rounding. */
void ac_reversals_search(ac_reversals *reversals, const ac_simulation *simulation);
/* The damper that rings, in words; false: there is none. */
bool ac_reversals_damper(const ac_reversals *reversals, char *text, size_t size);
/* A remark for each beam most of whose kinetic energy belongs to vibrations that steps of h do not resolve. */
void ac_reversals_remarks(const ac_reversals *reversals, double h, ac_summary *summary);

#endif
