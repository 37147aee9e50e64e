/* Targets while it runs: those that a user takes with the pointer or pins, and samples for the live targets of the
 * problem. All of it becomes events, so that a recording replays it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "live/session.h"
#include "math/math.h"

int ac_session_push(ac_session *s, const ac_track_event *event, char reply[AC_LIVE_REPLY])
{
    ac_track_event *last = s->pending_count > 0 ? &s->pending[s->pending_count - 1] : NULL;
    bool again = last && event->kind == AC_EVENT_PLACE && last->kind == AC_EVENT_PLACE;
    if (again &&
        last->index == event->index) { /* one that only moves a target further replaces the one before */
        *last = *event;
        return 200;
    }
    if (s->pending_count == AC_LIVE_PENDING) {
        snprintf(reply, AC_LIVE_REPLY, "too many commands at once");
        return 429;
    }
    s->pending[s->pending_count++] = *event;
    return 200;
}

/* --- the pointer and pins --- */

static int push_place(ac_session *s, int slot, char reply[AC_LIVE_REPLY])
{
    const ac_hold *hold = &s->holds[slot];
    ac_track_event event = {.kind = AC_EVENT_PLACE, .index = slot};
    copy3(hold->at, event.x);
    memcpy(event.x + 3, hold->rotation, sizeof hold->rotation);
    return ac_session_push(s, &event, reply);
}

int ac_hold_take(ac_session *s, int node, const double place[3], const double at[3], bool oriented,
                 char reply[AC_LIVE_REPLY])
{
    int slot = s->target_count;
    while (slot < s->start.target_capacity && s->holds[slot].used) ++slot;
    if (slot == s->start.target_capacity) {
        snprintf(reply, AC_LIVE_REPLY, "too many targets: release one, or give target_capacity");
        return 409;
    }
    ac_hold hold = {.used = true, .oriented = oriented, .node = node};
    ac_pose pose;
    ac_track_pose(s->track, node, &pose);
    copy3(place, hold.place);
    copy3(at, hold.at);
    memcpy(hold.first, pose.rotation, sizeof hold.first);
    if (oriented)
        memcpy(hold.rotation, hold.first, sizeof hold.rotation);
    else
        identity3(hold.rotation);
    const double *centre = s->system->nodes[node].centre;
    ac_track_event event = {.kind = AC_EVENT_ADD, .index = node};
    for (int k = 0; k < 3; ++k) event.x[k] = place[k] + centre[k];
    event.x[3] = oriented ? 63.0 : 7.0;
    memcpy(event.x + 4, s->limits, sizeof s->limits);
    int status = ac_session_push(s, &event, reply);
    if (status != 200) return status;
    s->holds[slot] = hold;
    s->grip.slot = slot;
    s->grip.held = true;
    return push_place(s, slot, reply);
}

int ac_hold_move(ac_session *s, const double at[3], char reply[AC_LIVE_REPLY])
{
    copy3(at, s->holds[s->grip.slot].at);
    return push_place(s, s->grip.slot, reply);
}

int ac_hold_turn(ac_session *s, const double theta[3], char reply[AC_LIVE_REPLY])
{
    ac_hold *hold = &s->holds[s->grip.slot];
    double turn[9];
    if (!hold->oriented) return 200;
    ac_rotation_exp(theta, turn);
    multiply3(turn, hold->first, hold->rotation);
    return push_place(s, s->grip.slot, reply);
}

int ac_hold_drop(ac_session *s, int slot, char reply[AC_LIVE_REPLY])
{
    if (slot < s->target_count || slot >= s->start.target_capacity || !s->holds[slot].used) return 200;
    int status = ac_session_push(s, &(ac_track_event){.kind = AC_EVENT_REMOVE, .index = slot}, reply);
    if (status != 200) return status;
    s->holds[slot].used = false;
    if (s->grip.held && s->grip.slot == slot) s->grip.held = false;
    return 200;
}

void ac_holds_forget(ac_session *s)
{
    for (int k = s->target_count; k < s->start.target_capacity; ++k) {
        ac_track_remove_target(s->track, k);
        s->holds[k].used = false;
    }
    for (int k = 0; k < s->target_count; ++k) s->samples[k].known = false;
}

/* --- samples --- */

bool ac_live_is_near(const ac_session *s, const double place[3])
{
    return norm3(place) <= 1e6 * ac_max(1.0, s->system->length_scale);
}

int ac_live_sample_add(ac_session *s, const char *name, const double *x, int count, char reply[AC_LIVE_REPLY])
{
    static const double none[3] = {0};
    ac_track_event event = {.kind = AC_EVENT_PLACE, .index = -1};
    for (int k = 0; k < s->target_count; ++k)
        if (strcmp(s->targets[k].name, name) == 0) event.index = k;
    if (event.index < 0 || s->targets[event.index].course.kind != AC_COURSE_LIVE) {
        ++s->refused;
        snprintf(reply, AC_LIVE_REPLY, "%s",
                 event.index < 0 ? "there is no such target" : "this target has no live course");
        return 400;
    }
    if (!ac_live_is_near(s, x)) {
        ++s->refused;
        snprintf(reply, AC_LIVE_REPLY, "the place is too far away");
        return 400;
    }
    double turn[9];
    copy3(x, event.x);
    ac_rotation_exp(count == 6 ? x + 3 : none, turn);
    multiply3(turn, s->targets[event.index].axes, event.x + 3);
    return ac_session_push(s, &event, reply);
}

void ac_live_sample_velocity(ac_session *s, ac_track_event *event, long number)
{
    static const double pause = 0.5; /* s: after a longer one the signal begins anew */
    if (event->kind != AC_EVENT_PLACE || event->index >= s->target_count) return;
    ac_live_sample *last = &s->samples[event->index];
    double dt = (double)(number - last->step) * s->start.step, between[9], theta[3];
    if (last->known && number > last->step && dt < pause) {
        multiply_transposed3(event->x + 3, last->rotation, between);
        ac_rotation_log(between, theta);
        for (int k = 0; k < 3; ++k) {
            event->x[12 + k] = (event->x[k] - last->position[k]) / dt;
            event->x[15 + k] = theta[k] / dt;
        }
    }
    last->known = true;
    last->step = number;
    copy3(event->x, last->position);
    memcpy(last->rotation, event->x + 3, sizeof last->rotation);
}

void ac_live_sample_line(ac_session *s, char *line)
{
    char reply[AC_LIVE_REPLY], *rest = NULL, *name = strtok_r(line, " \t,;\r", &rest);
    double x[6];
    int count = 0;
    bool good = name != NULL;
    for (char *word; good && (word = strtok_r(NULL, " \t,;\r", &rest)); ++count) {
        char *end;
        if (count == 6) {
            good = false;
            break;
        }
        x[count] = strtod(word, &end);
        good = *end == '\0' && isfinite(x[count]);
    }
    if (!name || name[0] == '#') return;
    pthread_mutex_lock(&s->lock);
    if (good && (count == 3 || count == 6))
        (void)ac_live_sample_add(s, name, x, count, reply);
    else
        ++s->refused;
    pthread_mutex_unlock(&s->lock);
}
