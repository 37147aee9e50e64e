/* The session: stepping and snapshots. */
#include "live/session.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "actio/json.h"
#include "base/base.h"
#include "base/vector.h"
#include "problem/track/track.h"
#include "problem/tasks.h"

double ac_live_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Settings and targets of the task; a simulation has its own step. */
static ac_status read_task(ac_session *s)
{
    const ac_track_data *track = ac_problem_data(s->problem, &ac_task_track);
    const ac_simulate_data *simulate = ac_problem_data(s->problem, &ac_task_simulate);
    if (track) {
        s->start = track->settings;
        s->targets = track->targets;
        s->target_count = track->target_count;
        s->reserve = track->reserve;
        s->reserve_count = track->reserve_count;
        if (s->start.target_capacity <= s->target_count) s->start.target_capacity = s->target_count + 1;
        return AC_OK;
    }
    if (!simulate)
        return ac_fail(s->ctx, AC_BAD_INPUT, "live shows problems with the task track or simulate, not %s",
                       ac_problem_task(s->problem));
    ac_track_defaults(&s->start);
    s->start.step = simulate->settings.step;
    return ac_live_simulation_new(s->ctx, s->problem, &s->simulation);
}

static ac_status open_track(ac_session *s)
{
    if (s->simulation) return AC_OK;
    AC_TRY(ac_track_new(s->ctx, s->system, &s->start, &s->track));
    ac_reserve_begin(s->track, s->reserve, s->reserve_count);
    if (ac_courses_begin(s->track, s->targets, s->target_count)) return AC_OK;
    return ac_fail(s->ctx, AC_BAD_INPUT, "a target tracks nothing: its body has none of its components");
}

static void put_sliders(ac_json *json, const ac_live_simulation *simulation, bool inputs)
{
    const ac_live_slider *list;
    int count = ac_live_sliders(simulation, inputs, &list);
    ac_json_open_array(json, inputs ? "inputs" : "parameters");
    for (int k = 0; k < count; ++k) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", list[k].name);
        ac_json_text(json, "unit", list[k].unit);
        ac_json_number(json, "value", list[k].value);
        ac_json_number(json, "low", list[k].low);
        ac_json_number(json, "high", list[k].high);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

/* Names and ranges of parameters and inputs. */
static ac_status describe_controls(ac_session *s)
{
    ac_json *json = NULL;
    const char *text = NULL;
    AC_TRY(ac_json_new(s->ctx, &json));
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", s->simulation ? "simulate" : "track");
    if (s->simulation) put_sliders(json, s->simulation, false);
    if (s->simulation) put_sliders(json, s->simulation, true);
    ac_json_close_object(json);
    ac_status status = ac_json_finish(json, &text);
    if (status == AC_OK && !(s->controls = ac_copy_text(s->ctx, text))) status = ac_out_of_memory(s->ctx);
    ac_json_free(json);
    return status;
}

ac_status ac_session_open(ac_context *ctx, const ac_problem *problem, const ac_live_settings *settings,
                          ac_session *s)
{
    *s = (ac_session){.ctx = ctx, .problem = problem, .folder = settings->folder ? settings->folder : "."};
    s->system = ac_problem_system(problem);
    s->running = !settings->paused;
    AC_TRY(read_task(s));
    s->snapshot_size = 4096 + 272 * (size_t)s->system->node_count + 8 * (size_t)s->system->joint_count;
    s->snapshot = ac_allocate(ctx, s->snapshot_size, 1);
    if (s->simulation)
        s->acts = ac_allocate(ctx, AC_LIVE_EVENTS, sizeof *s->acts);
    else
        s->events = ac_allocate(ctx, AC_LIVE_EVENTS, sizeof *s->events);
    if (!s->snapshot || (!s->events && !s->acts)) return ac_out_of_memory(ctx);
    AC_TRY(open_track(s));
    AC_TRY(describe_controls(s));
    ac_deadlines_start(&s->late, s->start.step);
    ac_deadlines_start(&s->computing, s->start.step);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return AC_OK;
}

void ac_session_close(ac_session *s)
{
    ac_track_free(s->track);
    ac_live_simulation_free(s->simulation);
    ac_release(s->ctx, s->controls);
    ac_release(s->ctx, s->snapshot);
    ac_release(s->ctx, s->events);
    ac_release(s->ctx, s->acts);
}

/* Courses first, then what came in, then the step: the order in which a recorded session is replayed. */
static void step(ac_session *s)
{
    if (s->simulation) {
        if (!ac_live_simulation_step(s->simulation)) s->running = false;
        return;
    }
    long number = ac_track_steps(s->track);
    ac_courses_place(s->track, s->targets, s->target_count, number + 1);
    for (int k = 0; k < s->pending_count; ++k) {
        s->pending[k].step = number;
        if (!ac_event_apply(s->track, &s->pending[k])) {
            ++s->refused;
            continue;
        }
        if (s->event_count < AC_LIVE_EVENTS)
            s->events[s->event_count++] = s->pending[k];
        else
            s->limited = true;
    }
    s->pending_count = 0;
    ac_track_step(s->track);
}

bool ac_session_step(ac_session *s, double late)
{
    pthread_mutex_lock(&s->lock);
    bool due = s->running || s->single_steps > 0;
    if (due) {
        double begun = ac_live_clock();
        if (!s->running) --s->single_steps;
        step(s);
        ac_deadlines_add(&s->computing, ac_live_clock() - begun);
        if (s->running) ac_deadlines_add(&s->late, late);
    }
    pthread_mutex_unlock(&s->lock);
    return due;
}

/* --- snapshots --- */

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
    used = put(s->snapshot, used, s->snapshot_size, "%s[%.6g,%.6g,%.6g", i ? "," : "",
               pose.position[0] + arm[0], pose.position[1] + arm[1], pose.position[2] + arm[2]);
    for (int k = 0; k < 9; ++k) used = put(s->snapshot, used, s->snapshot_size, ",%.5g", pose.rotation[k]);
    return put(s->snapshot, used, s->snapshot_size, "]");
}

static size_t put_deadlines(const ac_session *s, const char *name, const ac_deadlines *d, size_t used)
{
    used = put(s->snapshot, used, s->snapshot_size, ",\"%s\":{\"count\":%ld,\"missed\":%ld,\"worst\":%.3g,",
               name, d->count, d->missed, d->worst);
    used = put(s->snapshot, used, s->snapshot_size, "\"mean\":%.3g,\"classes\":[",
               d->count > 0 ? d->sum / (double)d->count : 0.0);
    for (int k = 0; k < 20; ++k)
        used = put(s->snapshot, used, s->snapshot_size, "%s%ld", k ? "," : "", d->classes[k]);
    return put(s->snapshot, used, s->snapshot_size, "]}");
}

static size_t put_state(const ac_session *s, size_t used)
{
    char *text = s->snapshot;
    size_t size = s->snapshot_size;
    double error = 0.0, force = 0.0, e[6], u[6];
    for (int k = 0; k < s->start.target_capacity; ++k) {
        ac_track_error(s->track, k, e);
        ac_track_control(s->track, k, u);
        error = fmax(error, norm3(e));
        force = fmax(force, norm3(u));
    }
    used = put(text, used, size, "\"absent\":[");
    for (int i = 0, listed = 0; i < s->system->node_count; ++i)
        if (!ac_track_has_node(s->track, i)) used = put(text, used, size, "%s%d", listed++ ? "," : "", i);
    used = put(text, used, size, "],");
    const ac_track_settings *now = ac_track_current(s->track);
    ac_track_counts counts = ac_track_counted(s->track);
    used = put(text, used, size, "\"t\":%.6f,\"step\":%ld,\"running\":%s,\"grabbed\":%s,",
               ac_track_time(s->track), ac_track_steps(s->track), s->running ? "true" : "false",
               s->grabbed ? "true" : "false");
    used = put(text, used, size,
               "\"error\":%.4g,\"force\":%.4g,\"residual\":%.3g,\"reaction\":%.4g,\"energy\":%.6g,", error,
               force, ac_track_residual(s->track), ac_track_reaction(s->track), ac_track_energy(s->track));
    used = put(text, used, size,
               "\"method\":\"%s\",\"rho0\":%.6g,\"rho1\":%.6g,\"velocity\":%.6g,\"cancel\":\"%s\",",
               ac_track_methods()[now->method], now->weights.rho0, now->weights.rho1, now->weights.velocity,
               ac_track_cancels()[now->cancel]);
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
        used = put(s->snapshot, used, s->snapshot_size, "%c",
                   *c == '"' || *c == '\\' || (unsigned char)*c < ' ' ? ' ' : *c);
    return used;
}

static size_t put_simulation(const ac_session *s, size_t used)
{
    ac_live_reading r = ac_live_read(s->simulation);
    const ac_live_slider *list;
    char *text = s->snapshot;
    size_t size = s->snapshot_size;
    used = put(text, used, size, "\"t\":%.6f,\"step\":%ld,\"running\":%s,\"grabbed\":%s,", r.t, r.steps,
               s->running ? "true" : "false", s->grabbed ? "true" : "false");
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

static void write_snapshot(ac_session *s)
{
    size_t used = put(s->snapshot, 0, s->snapshot_size, "{");
    used = s->simulation ? put_simulation(s, used) : put_state(s, used);
    used = put(s->snapshot, used, s->snapshot_size, ",\"mark\":%d", s->mark);
    used = put_deadlines(s, "late", &s->late, used);
    used = put_deadlines(s, "computing", &s->computing, used);
    used = put(s->snapshot, used, s->snapshot_size, ",\"poses\":[");
    for (int i = 0; i < s->system->node_count; ++i) used = put_pose(s, i, used);
    used = put(s->snapshot, used, s->snapshot_size, "]}");
    s->snapshot_length = used < s->snapshot_size ? used : 0; /* one that is cut off is none */
    ++s->snapshot_number;
}

void ac_session_publish(ac_session *s)
{
    pthread_mutex_lock(&s->lock);
    write_snapshot(s);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void ac_session_end(ac_session *s)
{
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

long ac_session_wait(ac_session *s, long *number, double seconds, char *text, size_t size)
{
    double until = ac_live_clock() + seconds;
    struct timespec end = {(time_t)until, (long)(1e9 * (until - floor(until)))};
    long length = 0;
    pthread_mutex_lock(&s->lock);
    while (!s->ended && s->snapshot_number == *number)
        if (pthread_cond_timedwait(&s->changed, &s->lock, &end) != 0) break;
    if (s->ended) {
        length = -1;
    } else if (s->snapshot_number != *number && s->snapshot_length < size) {
        *number = s->snapshot_number;
        memcpy(text, s->snapshot, s->snapshot_length);
        length = (long)s->snapshot_length;
    }
    pthread_mutex_unlock(&s->lock);
    return length;
}
