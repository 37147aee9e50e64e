/* Courses into a tracker. */
#include "track/follow.h"

#include <string.h>

#include "base/vector.h"

void ac_courses_place(ac_track *track, const ac_tracked *targets, int count, long tick)
{
    double step = ac_track_current(track)->step;
    for (int k = 0; k < count; ++k) {
        ac_track_place place;
        double rotation[9];
        if (!ac_course_at(&targets[k].course, tick, step, &place)) continue;
        multiply3(place.rotation, targets[k].axes, rotation);
        memcpy(place.rotation, rotation, sizeof rotation);
        ac_track_set_place(track, k, &place);
    }
}

void ac_reserve_begin(ac_track *track, const int *reserve, int count)
{
    for (int k = 0; k < count; ++k) (void)ac_track_set_node(track, reserve[k], false);
}

bool ac_courses_begin(ac_track *track, const ac_tracked *targets, int count)
{
    for (int k = 0; k < count; ++k)
        if (ac_track_add_target(track, &targets[k].target) != k) return false;
    ac_courses_place(track, targets, count, 0);
    return true;
}
