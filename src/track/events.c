/* Events of a session. */
#include "track/events.h"

#include <math.h>
#include <string.h>

const char *ac_event_name(int kind, int *numbers)
{
    static const struct {
        const char *name;
        int numbers;
    } kinds[AC_EVENT_KINDS] = {{"add", 7},  {"remove", 0}, {"place", 18},    {"joint", 1},
                               {"node", 1}, {"push", 6},   {"settings", 10}, {"follow", 1}};
    if (kind < 0 || kind >= AC_EVENT_KINDS) return NULL;
    *numbers = kinds[kind].numbers;
    return kinds[kind].name;
}

static bool add(ac_track *track, const ac_track_event *event)
{
    ac_track_target target = {
        .node = event->index, .max_force = event->x[4], .max_torque = event->x[5], .max_speed = event->x[6]};
    memcpy(target.place, event->x, sizeof target.place);
    if (!(event->x[3] >= 0.0 && event->x[3] < 64.0)) return false;
    unsigned mask = (unsigned)event->x[3];
    for (int c = 0; c < 3; ++c) {
        target.position[c] = mask >> c & 1U;
        target.rotation[c] = mask >> (c + 3) & 1U;
    }
    return ac_track_add_target(track, &target) >= 0;
}

static bool place(ac_track *track, const ac_track_event *event)
{
    ac_track_place at;
    memcpy(at.position, event->x, sizeof at.position);
    memcpy(at.rotation, event->x + 3, sizeof at.rotation);
    memcpy(at.velocity, event->x + 12, sizeof at.velocity);
    memcpy(at.spin, event->x + 15, sizeof at.spin);
    return ac_track_set_place(track, event->index, &at);
}

/* A choice among `count`; -1: none. */
static int choice(double x, int count)
{
    return x >= 0.0 && x < count ? (int)x : -1;
}

static bool change(ac_track *track, const double *x)
{
    ac_track_settings settings = *ac_track_current(track);
    int method = choice(x[0], AC_TRACK_MIXED + 1), yukawa = choice(x[6], AC_YUKAWA_GREEN + 1),
        cancel = choice(x[7], AC_CANCEL_NONE + 1);
    if (method < 0 || yukawa < 0 || cancel < 0) return false;
    settings.method = (ac_track_method)method;
    settings.weights = (ac_track_weights){x[1], x[2], x[3], x[4], x[5] != 0.0};
    settings.yukawa = (ac_track_yukawa)yukawa;
    settings.cancel = (ac_track_cancel)cancel;
    settings.joint_stabilisation = x[8];
    settings.servo_stabilisation = x[9];
    return ac_track_change(track, &settings);
}

bool ac_event_apply(ac_track *track, const ac_track_event *event)
{
    switch (event->kind) {
    case AC_EVENT_ADD: return add(track, event);
    case AC_EVENT_REMOVE: ac_track_remove_target(track, event->index); return true;
    case AC_EVENT_PLACE: return place(track, event);
    case AC_EVENT_JOINT: return ac_track_set_joint(track, event->index, event->x[0] != 0.0);
    case AC_EVENT_NODE: return ac_track_set_node(track, event->index, event->x[0] != 0.0);
    case AC_EVENT_PUSH: return ac_track_push(track, event->index, event->x, event->x + 3);
    case AC_EVENT_SETTINGS: return change(track, event->x);
    case AC_EVENT_FOLLOW: return ac_track_set_followed(track, event->index, event->x[0] != 0.0);
    default: return false;
    }
}
