/* The state as one line of JSON, many times a second. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "live/session.h"
#include "math/math.h"

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

/* Numbers between commas; JSON has none that are not finite. */
static size_t put_numbers(const ac_session *s, size_t used, int digits, const double *x, int count)
{
    for (int k = 0; k < count; ++k)
        used = isfinite(x[k])
                   ? put(s->snapshot.text, used, s->snapshot.size, "%s%.*g", k ? "," : "", digits, x[k])
                   : put(s->snapshot.text, used, s->snapshot.size, "%snull", k ? "," : "");
    return used;
}

/* "key":number, */
static size_t put_field(const ac_session *s, size_t used, const char *key, int digits, double x)
{
    used = put(s->snapshot.text, used, s->snapshot.size, "\"%s\":", key);
    used = put_numbers(s, used, digits, &x, 1);
    return put(s->snapshot.text, used, s->snapshot.size, ",");
}

/* "key":[numbers], */
static size_t put_list(const ac_session *s, size_t used, const char *key, int digits, const double *x,
                       int count)
{
    used = put(s->snapshot.text, used, s->snapshot.size, "\"%s\":[", key);
    used = put_numbers(s, used, digits, x, count);
    return put(s->snapshot.text, used, s->snapshot.size, "],");
}

/* Centre of mass, and rotation row by row if the node has one. */
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
    add3(pose.position, arm, pose.position);
    used = put(s->snapshot.text, used, s->snapshot.size, i ? ",[" : "[");
    used = put_numbers(s, used, 6, pose.position, 3);
    if (ac_node_turns(node) > 0) {
        used = put(s->snapshot.text, used, s->snapshot.size, ",");
        used = put_numbers(s, used, 5, pose.rotation, 9);
    }
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
        double arm[3], at[3];
        if (turns)
            apply3(pose.rotation, point, arm);
        else
            memset(arm, 0, sizeof arm);
        add3(pose.position, arm, at);
        used = put(text, used, size, "%s{\"number\":%d,\"node\":%d,\"own\":%s,\"followed\":%s,\"led\":%s,",
                   listed++ ? "," : "", k, node, hold ? "false" : "true",
                   ac_track_is_followed(s->track, k) ? "true" : "false",
                   s->grip.held && hold && s->grip.slot == k ? "true" : "false");
        used = put_list(s, used, "at", 6, place.position, 3);
        used = put(text, used, size, "\"point\":[");
        used = put_numbers(s, used, 6, at, 3);
        used = put(text, used, size, "]}");
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
        error = ac_max(error, norm3(e));
        force = ac_max(force, norm3(u));
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
    used = put_field(s, used, "error", 4, error);
    used = put_field(s, used, "force", 4, force);
    used = put_field(s, used, "residual", 3, ac_track_residual(s->track));
    used = put_field(s, used, "reaction", 4, ac_track_reaction(s->track));
    used = put_field(s, used, "energy", 6, ac_track_energy(s->track));
    used = put(text, used, size, "\"method\":\"%s\",\"cancel\":\"%s\",\"by_mass\":%s,\"yukawa\":\"%s\",",
               ac_track_methods()[now->method], ac_track_cancels()[now->cancel],
               now->weights.by_mass ? "true" : "false", ac_track_yukawas()[now->yukawa]);
    used = put_field(s, used, "rho0", 6, now->weights.rho0);
    used = put_field(s, used, "rho1", 6, now->weights.rho1);
    used = put_field(s, used, "velocity", 6, now->weights.velocity);
    used = put_field(s, used, "running_weight", 6, now->weights.running);
    used = put_field(s, used, "joints", 6, now->joint_stabilisation);
    used = put_field(s, used, "servo", 6, now->servo_stabilisation);
    used = put_list(s, used, "limits", 6, s->limits, 3);
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
    used = put_field(s, used, "energy", 6, r.energy);
    used = put_field(s, used, "residual", 3, r.residual);
    used = put_field(s, used, "force", 4, r.force);
    used = put_field(s, used, "error", 4, r.distance);
    used = put(text, used, size, "\"scene\":%ld,", s->scene.number);
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
