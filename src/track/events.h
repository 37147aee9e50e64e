/* Events of a session: what a user does to a tracker, at which step. Applied in the same order at the same steps they
 * give the same motion to the last bit, whether they come from a page or from a file. */
#ifndef ACTIO_TRACK_EVENTS_H
#define ACTIO_TRACK_EVENTS_H

#include "actio/track.h"
#include "base/base.h"

typedef enum ac_event_kind {
    AC_EVENT_ADD,    /* a target: x = place 3, components as a sum of 2^c, max_force, max_torque, max_speed */
    AC_EVENT_REMOVE, /* the target `index` */
    AC_EVENT_PLACE,  /* of the target `index`: x = position 3, rotation 9, velocity 3, spin 3 */
    AC_EVENT_JOINT,  /* `index`: x = 1 closed, 0 open */
    AC_EVENT_NODE,   /* `index`: x = 1 present, 0 taken out */
    AC_EVENT_PUSH,   /* on the node `index`: x = place 3, force 3 */
    AC_EVENT_SETTINGS, /* x = method, rho0, rho1, running, velocity, by_mass, yukawa, cancel, joint and servo
                          stabilisation */
    AC_EVENT_FOLLOW,   /* the target `index`: x = 1 followed, 0 let go */
    AC_EVENT_KINDS
} ac_event_kind;

enum { AC_EVENT_NUMBERS = 18 };

typedef struct ac_track_event {
    long step; /* it comes before the step with this number (0: the first) */
    ac_event_kind kind;
    int index;
    double x[AC_EVENT_NUMBERS];
} ac_track_event;

/* Name and how many numbers a kind has; NULL: no such kind. */
const char *ac_event_name(int kind, int *numbers);
/* Applies it; false: it was refused. */
bool ac_event_apply(ac_track *track, const ac_track_event *event);

#endif
