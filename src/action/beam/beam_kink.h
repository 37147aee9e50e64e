/* Beams under a tension that their elements are too long for. */
#ifndef ACTIO_ACTION_BEAM_BEAM_KINK_H
#define ACTIO_ACTION_BEAM_BEAM_KINK_H

#include "model/system.h"

typedef struct ac_kink {
    int beam;       /* -1: no beam is pulled */
    double tension; /* N */
    double ratio;   /* of the tension to the one that an element of this length bears; kinks beyond 1 */
    double full; /* the tension that the load is known to bring in the end over this one; 0: not known, ... */
    bool moves;  /* ... and it changes with the motion */
} ac_kink;

/* The largest ratio of all elements; `seen`: only of those whose curvature changes its sign to both sides. */
ac_kink ac_beam_kink(const ac_system *system, const double *q, bool seen);
/* How many elements the beam needs to bear that tension, and what follows from it. */
int ac_kink_elements(const ac_system *system, const ac_kink *kink);
/* Writes what it means and helps; an empty text and false up to the ratio 1. */
bool ac_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size);
/* The same for ratios that are felt before. */
bool ac_near_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size);

#endif
