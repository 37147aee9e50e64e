/* A session: a tracker, the courses of its targets and events, step by step. The task and the live page both go
 * through here, so that a recorded session is replayed to the last bit. */
#ifndef ACTIO_TRACK_FOLLOW_H
#define ACTIO_TRACK_FOLLOW_H

#include "track/course.h"
#include "track/events.h"

typedef struct ac_tracked { /* a target and its course */
    char name[96];
    ac_track_target target;
    double axes[9]; /* of the simulated directors in the body frame */
    ac_course course;
} ac_tracked;

/* Takes out what waits for its time. */
void ac_reserve_begin(ac_track *track, const int *reserve, int count);
/* Adds all targets in order, so that their numbers are 0, 1, ..., and places them for tick 0. False: one was refused. */
bool ac_courses_begin(ac_track *track, const ac_tracked *targets, int count);
/* Places all targets for the end of the next step. */
void ac_courses_place(ac_track *track, const ac_tracked *targets, int count, long tick);

#endif
