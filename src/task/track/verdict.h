/* Whether a tracked motion is one: joints that hold, steps that were taken; and which targets were never reached. */
#ifndef ACTIO_TASK_TRACK_VERDICT_H
#define ACTIO_TASK_TRACK_VERDICT_H

#include "problem/track/track.h"
#include "task/stream.h"

/* A target that stands still after a jump: where, the error at first, and by how much of it the motion went past. */
typedef struct ac_track_jump {
    bool seen;
    double place[3], error[3], past;
} ac_track_jump;

typedef struct ac_track_verdict {
    double gap, gap_time; /* the widest joint that could not be closed, and when; gap 0: none */
    int joint;
    double fault_time; /* of the first step without finite numbers */
    double *nearest;   /* m, of each target: its least distance */
    ac_track_jump *jump;
    double length; /* typical */
} ac_track_verdict;

/* Afterwards, also after an error: ac_track_verdict_free. */
ac_status ac_track_verdict_start(ac_context *ctx, const ac_system *system, int targets, ac_track_verdict *v);
void ac_track_verdict_free(ac_context *ctx, ac_track_verdict *v);
/* A step with its events. */
void ac_track_verdict_step(ac_track_verdict *v, const ac_track *track, unsigned what);
/* The place and the error of a target after a step. */
void ac_track_verdict_error(ac_track_verdict *v, int target, const double place[3], const double error[3]);
/* AC_OK: all joints held and all steps were taken; else AC_NOT_CONVERGED with what did not hold, when and by how much. */
ac_status ac_track_verdict_give(ac_context *ctx, const ac_track_verdict *v, const ac_track *track,
                                const ac_system *system);
/* Remarks on targets out of reach, or that were passed by far: errors of the tracking, not of the mechanism. */
void ac_track_verdict_note(const ac_track_verdict *v, const ac_track_data *data, const ac_system *system,
                           ac_summary *summary);

#endif
