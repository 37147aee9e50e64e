/* The state as one line of JSON, many times a second. */
#include <math.h>
#include <stdarg.h>

#include "base/base.h"
#include "base/vector.h"
#include "live/session.h"

static size_t put(char *text, size_t used, size_t size, const char *format, ...) AC_PRINTF(4, 5);

static size_t put(char *text, size_t used, size_t size, const char *format, ...)
{
    va_list list;
    if (used >= size) return used;
    va_start(list, format);
    int more = vsnprintf(text + used, size - used, format, list);
    va_end(list);
    return more < 0 ? used : used + (size_t)more;
}

/* Centre of mass and rotation, row by row. */
static size_t put_pose(const ac_session *s, int i, size_t used)
{
    const ac_node *node = &s->system->nodes[i];
    ac_pose pose;
    double arm[3] = {0};
    if (s->simulation) {
        ac_live_pose(s->simulation, i, pose.position, pose.rotation);
    } else {
        ac_track_pose(s->track, i, &pose);
        if (ac_node_turns(node) > 0) apply3(pose.rotation, node->centre, arm);
    }
    used = put(s->snapshot.text, used, s->snapshot.size, "%s[%.6g,%.6g,%.6g", i ? "," : "",
               pose.position[0] + arm[0], pose.position[1] + arm[1], pose.position[2] + arm[2]);
    for (int k = 0; k < 9; ++k)
        used = put(s->snapshot.text, used, s->snapshot.size, ",%.5g", pose.rotation[k]);
    return put(s->snapshot.text, used, s->snapshot.size, "]");
}

static size_t put_deadlines(const ac_session *s, const char *name, const ac_deadlines *d, size_t used)
{
    used = put(s->snapshot.text, used, s->snapshot.size,
               ",\"%s\":{\"count\":%ld,\"missed\":%ld,\"worst\":%.3g,", name, d->count, d->missed, d->worst);
    used = put(s->snapshot.text, used, s->snapshot.size, "\"mean\":%.3g,\"classes\":[",
               d->count > 0 ? d->sum / (double)d->count : 0.0);
    for (int k = 0; k < 20; ++k)
        used = put(s->snapshot.text, used, s->snapshot.size, "%s%ld", k ? "," : "", d->classes[k]);
    return put(s->snapshot.text, used, s->snapshot.size, "]}");
}

/* Where targets are, and the points that follow them. */
static size_t put_targets(const ac_session *s, size_t used)
{
    char *text = s->snapshot.text;
    size_t size = s->snapshot.size;
    int listed = 0;
    used = put(text, used, size, "\"targets\":[");
    for (int k = 0; k < s->start.target_capacity; ++k) {
        const ac_hold *hold = k >= s->target_count ? &s->holds[k] : NULL;
        ac_track_place place;
        if ((hold && !hold->used) || !ac_track_get_place(s->track, k, &place)) continue;
        int node = hold ? hold->node : s->targets[k].target.node;
        double point[3];
        ac_pose pose;
        ac_track_pose(s->track, node, &pose);
        const double *centre = s->system->nodes[node].centre;
        bool turns = ac_node_turns(&s->system->nodes[node]) > 0;
        for (int c = 0; c < 3; ++c)
            point[c] = hold ? hold->place[c] + (turns ? centre[c] : 0.0) : s->targets[k].target.place[c];
        double arm[3] = {0};
        if (turns) apply3(pose.rotation, point, arm);
        used = put(text, used, size, "%s{\"number\":%d,\"node\":%d,\"own\":%s,\"followed\":%s,\"led\":%s,",
                   listed++ ? "," : "", k, node, hold ? "false" : "true",
                   ac_track_is_followed(s->track, k) ? "true" : "false",
                   s->grip.held && hold && s->grip.slot == k ? "true" : "false");
        used = put(text, used, size, "\"at\":[%.6g,%.6g,%.6g],\"point\":[%.6g,%.6g,%.6g]}", place.position[0],
                   place.position[1], place.position[2], pose.position[0] + arm[0], pose.position[1] + arm[1],
                   pose.position[2] + arm[2]);
    }
    return put(text, used, size, "],");
}

static size_t put_state(const ac_session *s, size_t used)
{
    char *text = s->snapshot.text;
    size_t size = s->snapshot.size;
    double error = 0.0, force = 0.0, e[6], u[6];
    for (int k = 0; k < s->start.target_capacity; ++k) {
        if (!ac_track_is_followed(s->track, k)) continue;
        ac_track_error(s->track, k, e);
        ac_track_control(s->track, k, u);
        error = fmax(error, norm3(e));
        force = fmax(force, norm3(u));
    }
    used = put_targets(s, used);
    used = put(text, used, size, "\"absent\":[");
    for (int i = 0, listed = 0; i < s->system->node_count; ++i)
        if (!ac_track_has_node(s->track, i)) used = put(text, used, size, "%s%d", listed++ ? "," : "", i);
    used = put(text, used, size, "],\"open\":[");
    for (int j = 0, listed = 0; j < s->system->joint_count; ++j)
        if (!ac_track_is_closed(s->track, j)) used = put(text, used, size, "%s%d", listed++ ? "," : "", j);
    used = put(text, used, size, "],");
    const ac_track_settings *now = ac_track_current(s->track);
    ac_track_counts counts = ac_track_counted(s->track);
    used = put(text, used, size, "\"t\":%.6f,\"step\":%ld,\"running\":%s,\"grabbed\":%s,",
               ac_track_time(s->track), ac_track_steps(s->track), s->running ? "true" : "false",
               s->grip.held ? "true" : "false");
    used = put(text, used, size,
               "\"error\":%.4g,\"force\":%.4g,\"residual\":%.3g,\"reaction\":%.4g,\"energy\":%.6g,", error,
               force, ac_track_residual(s->track), ac_track_reaction(s->track), ac_track_energy(s->track));
    used = put(text, used, size,
               "\"method\":\"%s\",\"rho0\":%.6g,\"rho1\":%.6g,\"velocity\":%.6g,\"cancel\":\"%s\",",
               ac_track_methods()[now->method], now->weights.rho0, now->weights.rho1, now->weights.velocity,
               ac_track_cancels()[now->cancel]);
    used = put(text, used, size,
               "\"running_weight\":%.6g,\"by_mass\":%s,\"yukawa\":\"%s\",\"joints\":%.6g,\"servo\":%.6g,",
               now->weights.running, now->weights.by_mass ? "true" : "false", ac_track_yukawas()[now->yukawa],
               now->joint_stabilisation, now->servo_stabilisation);
    used = put(text, used, size, "\"limits\":[%.6g,%.6g,%.6g],", s->limits[0], s->limits[1], s->limits[2]);
    used = put(
        text, used, size,
        "\"counts\":{\"refused\":%ld,\"limited\":%ld,\"slowed\":%ld,\"projected\":%ld,\"faults\":%ld},",
        s->refused + counts.refused, counts.force_limited + counts.speed_limited, counts.slowed,
        counts.projected, counts.faults);
    return put(text, used, size, "\"writer\":\"%s\",\"events\":%d,\"full\":%s,\"checksum\":\"%016llx\"",
               s->writer, s->event_count, s->limited ? "true" : "false",
               (unsigned long long)ac_track_checksum(s->track));
}

/* Words of others, without what would end a JSON text. */
static size_t put_words(const ac_session *s, const char *words, size_t used)
{
    for (const char *c = words; *c; ++c)
        used = put(s->snapshot.text, used, s->snapshot.size, "%c",
                   *c == '"' || *c == '\\' || (unsigned char)*c < ' ' ? ' ' : *c);
    return used;
}

static size_t put_simulation(const ac_session *s, size_t used)
{
    ac_live_reading r = ac_live_read(s->simulation);
    const ac_live_slider *list;
    char *text = s->snapshot.text;
    size_t size = s->snapshot.size;
    used = put(text, used, size, "\"t\":%.6f,\"step\":%ld,\"running\":%s,\"grabbed\":%s,", r.t, r.steps,
               s->running ? "true" : "false", s->grip.held ? "true" : "false");
    used = put(text, used, size, "\"energy\":%.6g,\"residual\":%.3g,\"force\":%.4g,\"error\":%.4g,", r.energy,
               r.residual, r.force, r.distance);
    for (int inputs = 0; inputs < 2; ++inputs) {
        int count = ac_live_sliders(s->simulation, inputs, &list);
        used = put(text, used, size, "\"%s\":[", inputs ? "inputs" : "parameters");
        for (int k = 0; k < count; ++k) used = put(text, used, size, "%s%.10g", k ? "," : "", list[k].value);
        used = put(text, used, size, "],");
    }
    used = put(text, used, size, "\"counts\":{\"refused\":%ld},\"message\":\"", s->refused);
    used = put_words(s, r.message, used);
    return put(text, used, size, "\",\"writer\":\"%s\",\"events\":%d,\"full\":%s,\"checksum\":\"%016llx\"",
               s->writer, s->event_count, s->limited ? "true" : "false",
               (unsigned long long)ac_live_checksum(s->simulation));
}

void ac_session_write(ac_session *s)
{
    size_t used = put(s->snapshot.text, 0, s->snapshot.size, "{");
    used = s->simulation ? put_simulation(s, used) : put_state(s, used);
    used = put(s->snapshot.text, used, s->snapshot.size, ",\"mark\":%d", s->mark);
    used = put_deadlines(s, "late", &s->late, used);
    used = put_deadlines(s, "computing", &s->computing, used);
    used = put(s->snapshot.text, used, s->snapshot.size, ",\"poses\":[");
    for (int i = 0; i < s->system->node_count; ++i) used = put_pose(s, i, used);
    used = put(s->snapshot.text, used, s->snapshot.size, "]}");
    s->snapshot.length = used < s->snapshot.size ? used : 0; /* one that is cut off is none */
    ++s->snapshot.number;
}
