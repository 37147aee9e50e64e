/* The session: stepping and snapshots. */
#include "live/session.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
        s->file = track;
        s->start = track->settings;
        s->targets = track->targets;
        s->target_count = track->target_count;
        s->reserve = track->reserve;
        s->reserve_count = track->reserve_count;
        if (s->start.target_capacity <= s->target_count) s->start.target_capacity = s->target_count + 1;
        AC_NEW(s->ctx, s->holds, s->start.target_capacity);
        AC_NEW(s->ctx, s->samples, s->target_count + 1);
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

/* Recordings are lost if this is noticed at the first of them. */
static ac_status check_folder(ac_context *ctx, const char *folder)
{
    struct stat state;
    if (stat(folder, &state) != 0 || access(folder, W_OK | X_OK) != 0)
        return ac_fail(ctx, AC_BAD_INPUT, "%s: sessions cannot be recorded there: %s", folder,
                       strerror(errno));
    if (S_ISDIR(state.st_mode)) return AC_OK;
    return ac_fail(ctx, AC_BAD_INPUT, "%s: sessions cannot be recorded there: this is no folder", folder);
}

/* A recorded session is shown from its start; events that add targets would take the numbers of the pointer's. */
static ac_status check_events(const ac_session *s)
{
    if (!s->file || s->file->recorded) return AC_OK;
    for (int k = 0; k < s->file->event_count; ++k)
        if (s->file->events[k].kind == AC_EVENT_ADD || s->file->events[k].kind == AC_EVENT_REMOVE)
            return ac_fail(s->ctx, AC_BAD_INPUT,
                           "event %d adds or removes a target: live takes targets from its user; give it in "
                           "'targets', and let it go and follow it by events",
                           k + 1);
    return AC_OK;
}

ac_status ac_session_open(ac_context *ctx, const ac_problem *problem, const ac_live_settings *settings,
                          ac_session *s)
{
    *s = (ac_session){.ctx = ctx, .problem = problem, .folder = settings->folder ? settings->folder : "."};
    AC_TRY(check_folder(ctx, s->folder));
    s->system = ac_problem_system(problem);
    s->running = !settings->paused;
    AC_TRY(read_task(s));
    s->snapshot.size = 4096 + 272 * (size_t)s->system->node_count + 8 * (size_t)s->system->joint_count +
                       320 * (size_t)s->start.target_capacity;
    s->snapshot.text = ac_allocate(ctx, s->snapshot.size, 1);
    if (s->simulation)
        s->acts = ac_allocate(ctx, AC_LIVE_EVENTS, sizeof *s->acts);
    else
        s->events = ac_allocate(ctx, AC_LIVE_EVENTS, sizeof *s->events);
    if (!s->snapshot.text || (!s->events && !s->acts)) return ac_out_of_memory(ctx);
    AC_TRY(check_events(s));
    AC_TRY(open_track(s));
    AC_TRY(ac_session_describe(s));
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
    ac_release(s->ctx, s->scene.text);
    ac_release(s->ctx, s->snapshot.text);
    ac_release(s->ctx, s->events);
    ac_release(s->ctx, s->acts);
    ac_release(s->ctx, s->holds);
    ac_release(s->ctx, s->samples);
}

static void apply(ac_session *s, const ac_track_event *event)
{
    if (!ac_event_apply(s->track, event))
        ++s->refused;
    else if (s->event_count < AC_LIVE_EVENTS)
        s->events[s->event_count++] = *event;
    else
        s->limited = true;
}

/* Courses first, then the events of the file, then what came in, then the step: the order in which a recorded session is
 * replayed. */
static void step(ac_session *s)
{
    if (s->simulation) {
        if (!ac_live_simulation_step(s->simulation)) s->running = false;
        return;
    }
    long number = ac_track_steps(s->track);
    ac_courses_place(s->track, s->targets, s->target_count, number + 1);
    int of_file = s->file->recorded ? 0 : s->file->event_count;
    while (s->file_events < of_file && s->file->events[s->file_events].step <= number)
        apply(s, &s->file->events[s->file_events++]);
    for (int k = 0; k < s->pending_count; ++k) {
        s->pending[k].step = number;
        ac_live_sample_velocity(s, &s->pending[k], number);
        apply(s, &s->pending[k]);
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

void ac_session_publish(ac_session *s)
{
    pthread_mutex_lock(&s->lock);
    ac_session_write(s);
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
    while (!s->ended && s->snapshot.number == *number)
        if (pthread_cond_timedwait(&s->changed, &s->lock, &end) != 0) break;
    if (s->ended) {
        length = -1;
    } else if (s->snapshot.number != *number && s->snapshot.length < size) {
        *number = s->snapshot.number;
        memcpy(text, s->snapshot.text, s->snapshot.length);
        length = (long)s->snapshot.length;
    }
    pthread_mutex_unlock(&s->lock);
    return length;
}
