/* What the task "track" keeps of its section. */
#ifndef ACTIO_PROBLEM_TRACK_TRACK_H
#define ACTIO_PROBLEM_TRACK_TRACK_H

#include "problem/build/build.h"
#include "track/study.h"

typedef struct ac_track_data {
    ac_context *ctx;
    ac_track_settings settings;
    long steps, record_every;
    long course_steps; /* for which samples are taken */
    int target_count, target_capacity;
    ac_tracked *targets;
    bool recorded; /* the file is a recorded session */
    int event_count, event_capacity;
    ac_track_event *events;
    int *reserve, reserve_count; /* nodes that are taken out at the start */
    ac_study study;
    struct {        /* of the tracking functional by the forces on the first target */
        long steps; /* 0: not asked for */
        bool directed;
        ac_signal *force[6], *direction[6]; /* of the components that follow */
    } gradient;
} ac_track_data;

ac_status ac_read_track(ac_builder *builder, const ac_value *section, ac_track_data *data);
void ac_release_track(ac_track_data *data);

#endif
