/* The task "track": bodies follow targets step by step, as they would in real time; every step is timed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"
#include "problem/track/track.h"
#include "task/stream.h"
#include "task/track/gradient.h"
#include "task/track/verdict.h"

typedef struct track_run {
    const ac_run_job *job;
    const ac_track_data *data;
    const ac_system *system;
    ac_track *track;
    ac_channel *channels;
    int channel_count, channel_capacity;
    char **texts;
    int text_count, text_capacity;
    ac_stream rows;
    ac_deadlines deadlines; /* of the computing time, against the step */
    double start;
    ac_pace pace;
    /* what the summary says of all steps */
    double square, error, residual, reaction, force, turn_error;
    long rows_seen;
    ac_track_verdict verdict;
} track_run;

/* ---- channels ---- */

static ac_status add_channel(track_run *run, const char *group, const char *owner, const char *quantity,
                             const char *unit, const char *labels, int width)
{
    ac_context *ctx = run->job->ctx;
    char name[400];
    snprintf(name, sizeof name, "%s/%.300s%s%s", group, owner, quantity ? "/" : "", quantity ? quantity : "");
    AC_TRY(ac_grow(ctx, (void **)&run->channels, &run->channel_capacity, run->channel_count + 1,
                   sizeof *run->channels));
    AC_TRY(ac_grow(ctx, (void **)&run->texts, &run->text_capacity, run->text_count + 1, sizeof *run->texts));
    char *copy = ac_copy_text(ctx, group[0] ? name : owner);
    if (!copy) return ac_out_of_memory(ctx);
    run->texts[run->text_count++] = copy;
    run->channels[run->channel_count++] = (ac_channel){copy, unit, labels, width};
    return AC_OK;
}

static ac_status node_channels(track_run *run, const ac_node *node)
{
    static const char *const axes[] = {"x", "x y", "x y z"};
    int d = node->dimension;
    const char *labels = d == 1 ? "" : axes[d - 1], *group = ac_node_type_of(node)->word;
    AC_TRY(add_channel(run, group, node->name, "position", "m", labels, d));
    if (ac_node_turns(node) == 3)
        AC_TRY(add_channel(run, group, node->name, "rotation", "1", "xx xy xz yx yy yz zx zy zz", 9));
    if (ac_node_turns(node) == 1) AC_TRY(add_channel(run, group, node->name, "director", "1", labels, 2));
    AC_TRY(add_channel(run, group, node->name, "velocity", "m/s", labels, d));
    if (ac_node_turns(node) == 0) return AC_OK;
    if (ac_node_turns(node) == 1)
        return add_channel(run, group, node->name, "angular_velocity", "rad/s", "", 1);
    AC_TRY(add_channel(run, group, node->name, "angular_velocity", "rad/s", labels, 3));
    return add_channel(run, group, node->name, "kardan", "rad", "alpha beta gamma", 3);
}

static ac_status target_channels(track_run *run, const ac_tracked *t)
{
    AC_TRY(add_channel(run, "target", t->name, "position", "m", "x y z", 3));
    AC_TRY(add_channel(run, "target", t->name, "velocity", "m/s", "x y z", 3));
    AC_TRY(add_channel(run, "target", t->name, "error", "m", "x y z", 3));
    AC_TRY(add_channel(run, "target", t->name, "turn_error", "rad", "x y z", 3));
    AC_TRY(add_channel(run, "actuator", t->name, "place", "m", "x y z", 3));
    AC_TRY(add_channel(run, "actuator", t->name, "force", "N", "x y z", 3));
    return add_channel(run, "actuator", t->name, "torque", "N m", "x y z", 3);
}

static ac_status open_table(track_run *run)
{
    AC_TRY(add_channel(run, "", "time", NULL, "s", "", 1));
    AC_TRY(add_channel(run, "energy", "total", NULL, "J", "", 1));
    AC_TRY(add_channel(run, "residual", "constraints", NULL, "1", "", 1));
    AC_TRY(add_channel(run, "residual", "velocity", NULL, "1", "", 1));
    AC_TRY(add_channel(run, "reaction", "largest", NULL, "1", "", 1));
    AC_TRY(add_channel(run, "step", "events", NULL, "1", "", 1));
    for (int i = 0; i < run->system->node_count; ++i) AC_TRY(node_channels(run, &run->system->nodes[i]));
    for (int k = 0; k < run->data->target_count; ++k) AC_TRY(target_channels(run, &run->data->targets[k]));
    return ac_stream_open(&run->rows, run->job, "nodes", run->channels, run->channel_count);
}

/* ---- rows ---- */

static double *put_node(const track_run *run, int i, double *at)
{
    const ac_node *node = &run->system->nodes[i];
    ac_pose pose;
    double v[3], w[3], arm[3], angles[3];
    ac_track_pose(run->track, i, &pose);
    ac_track_twist(run->track, i, v, w);
    if (ac_node_turns(node) > 0) { /* results are at the centre of mass */
        apply3(pose.rotation, node->centre, arm);
        add3(pose.position, arm, pose.position);
        add_cross3(w, arm, v);
    }
    for (int k = 0; k < node->dimension; ++k) *at++ = pose.position[k];
    if (ac_node_turns(node) == 3)
        for (int k = 0; k < 9; ++k) *at++ = pose.rotation[k];
    if (ac_node_turns(node) == 1) {
        *at++ = pose.rotation[0];
        *at++ = pose.rotation[3];
    }
    for (int k = 0; k < node->dimension; ++k) *at++ = v[k];
    if (ac_node_turns(node) == 0) return at;
    if (ac_node_turns(node) == 1) {
        *at++ = w[2];
        return at;
    }
    ac_track_kardan(run->track, i, angles);
    copy3(w, at);
    copy3(angles, at + 3);
    return at + 6;
}

static double *put_target(track_run *run, int k, double *at)
{
    const ac_tracked *t = &run->data->targets[k];
    ac_track_place place;
    ac_pose pose;
    double error[6], control[6], arm[3];
    (void)ac_track_get_place(run->track, k, &place);
    ac_track_error(run->track, k, error);
    ac_track_control(run->track, k, control);
    ac_track_pose(run->track, t->target.node, &pose);
    apply3(pose.rotation, t->target.place, arm);
    copy3(place.position, at);
    copy3(place.velocity, at + 3);
    copy3(error, at + 6);
    copy3(error + 3, at + 9);
    add3(pose.position, arm, at + 12);
    copy3(control, at + 15);
    copy3(control + 3, at + 18);
    run->square += dot3(error, error);
    run->error = ac_max(run->error, norm3(error));
    ac_track_verdict_error(&run->verdict, k, place.position, error);
    run->turn_error = ac_max(run->turn_error, norm3(error + 3));
    run->force = ac_max(run->force, norm3(control));
    return at + 21;
}

static ac_status put_row(track_run *run, unsigned what, bool due)
{
    double *at = run->rows.row;
    *at++ = ac_track_time(run->track);
    *at++ = due ? ac_track_energy(run->track) : 0.0;
    *at++ = ac_track_residual(run->track);
    *at++ = due ? ac_track_rate_residual(run->track) : 0.0;
    *at++ = ac_track_reaction(run->track);
    *at++ = what;
    run->residual = ac_max(run->residual, ac_track_residual(run->track));
    run->reaction = ac_max(run->reaction, ac_track_reaction(run->track));
    for (int i = 0; i < run->system->node_count; ++i) at = put_node(run, i, at);
    for (int k = 0; k < run->data->target_count; ++k) at = put_target(run, k, at);
    ++run->rows_seen;
    return due ? ac_stream_put(&run->rows) : AC_OK;
}

/* ---- steps ---- */

static ac_status report_progress(track_run *run, double now)
{
    const ac_run_job *job = run->job;
    long taken = ac_track_steps(run->track);
    if (!job->progress || !ac_pace_due(&run->pace, now, taken, run->data->steps)) return AC_OK;
    char words[96];
    snprintf(words, sizeof words, "t = %.6g s", ac_track_time(run->track));
    if (job->progress(job->progress_user, (double)taken / (double)run->data->steps, words) == 0) return AC_OK;
    return ac_fail(job->ctx, AC_INTERRUPTED, "interrupted after step %ld, t = %g s", taken,
                   ac_track_time(run->track));
}

static ac_status apply_events(track_run *run, int *next, long step)
{
    const ac_track_data *data = run->data;
    for (; *next < data->event_count && data->events[*next].step == step; ++*next)
        if (!ac_event_apply(run->track, &data->events[*next])) {
            int numbers;
            return ac_fail(run->job->ctx, AC_BAD_INPUT, "event %d, %s at step %ld, is not usable", *next + 1,
                           ac_event_name((int)data->events[*next].kind, &numbers), step);
        }
    return AC_OK;
}

static ac_status take_steps(track_run *run)
{
    const ac_track_data *data = run->data;
    int next = 0;
    AC_TRY(put_row(run, 0, true));
    for (long k = 0; k < data->steps; ++k) {
        ac_courses_place(run->track, data->targets, data->target_count, k + 1);
        AC_TRY(apply_events(run, &next, k));
        double before = ac_wall_seconds();
        unsigned what = ac_track_step(run->track);
        double after = ac_wall_seconds();
        ac_deadlines_add(&run->deadlines, after - before);
        ac_track_verdict_step(&run->verdict, run->track, what);
        bool due = (k + 1) % data->record_every == 0 || k + 1 == data->steps;
        AC_TRY(put_row(run, what, due));
        AC_TRY(report_progress(run, after));
    }
    return ac_track_verdict_give(run->job->ctx, &run->verdict, run->track, run->system);
}

/* ---- the study ---- */

static const ac_channel study_channels[] = {
    {"time", "1", "", 1}, /* the number of the run */
    {"rho0", "1", "", 1},
    {"rho1", "1", "", 1},
    {"velocity_weight", "1", "", 1},
    {"joint_stabilisation", "1", "", 1},
    {"servo_stabilisation", "1", "", 1},
    {"error_rms", "m", "", 1},
    {"error_max", "m", "", 1},
    {"roughness", "N/s", "", 1},
    {"force_max", "N", "", 1},
    {"residual_max", "1", "", 1},
    {"frequency", "1/s", "", 1},
    {"growth", "1", "", 1},
    {"sag", "m", "", 1},
};

static void put_study_row(double *at, long number, const ac_track_settings *s, const ac_study_row *row)
{
    const double values[] = {(double)number,
                             s->weights.rho0,
                             s->weights.rho1,
                             s->weights.velocity,
                             s->joint_stabilisation,
                             s->servo_stabilisation,
                             row->error_rms,
                             row->error_max,
                             row->roughness,
                             row->force_max,
                             row->residual_max,
                             row->frequency,
                             row->growth,
                             row->sag};
    memcpy(at, values, sizeof values);
}

static ac_status study_progress(track_run *run, long row, long rows)
{
    const ac_run_job *job = run->job;
    double now = ac_wall_seconds();
    if (!job->progress || !ac_pace_due(&run->pace, now, row, rows)) return AC_OK;
    char words[64];
    snprintf(words, sizeof words, "study, run %ld of %ld", row, rows);
    if (job->progress(job->progress_user, (double)row / (double)rows, words) == 0) return AC_OK;
    return ac_fail(job->ctx, AC_INTERRUPTED, "interrupted after %ld runs of the study", row);
}

/* The combination with the least error, beside the numbers of the run itself. */
static void name_best(track_run *run, const ac_track_settings *s, const ac_study_row *row)
{
    ac_summary *summary = run->job->summary;
    ac_summary_add(summary, "study_least_error_rms", row->error_rms, "m");
    for (int k = 0; k < AC_STUDY_AXES; ++k) {
        const double values[] = {s->weights.rho0, s->weights.rho1, s->weights.velocity,
                                 s->joint_stabilisation, s->servo_stabilisation};
        char name[64];
        if (run->data->study.count[k] == 0) continue;
        snprintf(name, sizeof name, "study_%s", ac_study_name((ac_study_axis)k));
        ac_summary_add(summary, name, values[k], "1");
    }
}

static ac_status run_study(track_run *run, ac_stream *stream)
{
    const ac_track_data *data = run->data;
    long rows = ac_study_rows(&data->study);
    ac_track_settings best = data->settings;
    ac_study_row least = {.error_rms = INFINITY};
    AC_TRY(ac_stream_open(stream, run->job, "study", study_channels,
                          (int)(sizeof study_channels / sizeof *study_channels)));
    run->pace = (ac_pace){.reported = ac_wall_seconds()};
    for (long k = 0; k < rows; ++k) {
        ac_track_settings settings = data->settings;
        ac_study_row row;
        ac_study_settings(&data->study, k, &settings);
        AC_TRY(ac_study_run(run->job->ctx, run->system, &settings, data->targets, data->target_count,
                            data->course_steps, &row));
        put_study_row(stream->row, k + 1, &settings, &row);
        AC_TRY(ac_stream_put(stream));
        AC_TRY(study_progress(run, k + 1, rows));
        if (row.error_rms >= least.error_rms) continue;
        least = row;
        best = settings;
    }
    name_best(run, &best, &least);
    return AC_OK;
}

/* ---- the end ---- */

/* How the tree of joints is numbered: open or closed, and how far each body is from the root of its tree. */
static void note_topology(track_run *run)
{
    enum { MOST = 12 }; /* bodies that are named */
    char words[512];
    int deepest = 0, nodes = run->system->node_count;
    size_t used = 0;
    for (int i = 0; i < nodes; ++i) {
        int index = ac_track_index(run->track, i);
        if (index > deepest) deepest = index;
        if (nodes <= MOST && used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%.30s %d", i > 0 ? ", " : "",
                                     ac_system_node_name(run->system, i), index);
    }
    ac_summary_add(run->job->summary, "topological_index_max", deepest, "1");
    ac_summary_add(run->job->summary, "loops", run->system->tree.loops, "1");
    if (nodes <= MOST && nodes > 1)
        ac_summary_note(run->job->summary, AC_NOTE_CHOICE, "%s system; topological index: %s",
                        ac_track_open(run->track) ? "open" : "closed", words);
}

static void note_counts(track_run *run)
{
    ac_summary *summary = run->job->summary;
    ac_track_counts counts = ac_track_counted(run->track);
    int refused = 0;
    for (int k = 0; k < run->data->target_count; ++k) refused += run->data->targets[k].course.refused;
    if (refused > 0)
        ac_summary_note(summary, AC_NOTE_WARNING,
                        "%d samples are left out: not finite, not complete, or times that do not increase",
                        refused);
    if (counts.refused > 0)
        ac_summary_note(summary, AC_NOTE_WARNING, "a target was not finite %ld times and was not followed",
                        counts.refused);
    if (counts.force_limited > 0)
        ac_summary_note(summary, AC_NOTE_REMARK, "the control was cut to its limit in %ld steps",
                        counts.force_limited);
    if (counts.speed_limited > 0)
        ac_summary_note(summary, AC_NOTE_REMARK, "the speed was held to its limit in %ld steps",
                        counts.speed_limited);
    if (counts.slowed > 0)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "the motion was slowed down in %ld steps: it was beyond turn_limit or move_limit",
                        counts.slowed);
    if (counts.projected > 0)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "joints were closed again after %ld steps: stabilisation left them open by more than "
                        "joint_tolerance",
                        counts.projected);
}

/* A lower bound on the weight of the published controls: beyond it the explicit loop diverges. */
static void note_bound(track_run *run)
{
    const ac_track_settings *s = &run->data->settings;
    ac_yukawa_gain gain;
    if (s->method < AC_TRACK_L2 || run->data->target_count == 0 ||
        !ac_yukawa_gains(s->method, s->yukawa, s->step, s->weights.rho0, s->weights.rho1, &gain))
        return;
    double m = run->system->nodes[run->data->targets[0].target.node].mass, h = s->step;
    double bound = gain.b * h * h * h * (1.0 - h) / (4.0 * m * m);
    if (s->weights.rho0 < bound)
        ac_summary_note(run->job->summary, AC_NOTE_WARNING,
                        "rho0 is below %.3g, where this control of a free body diverges: use the method "
                        "discrete",
                        bound);
}

/* Weights that suit the sample rate of the first sampled target, as numbers beside those that were used. */
static void suggest_weights(track_run *run)
{
    const ac_track_settings *s = &run->data->settings;
    for (int k = 0; k < run->data->target_count; ++k) {
        const ac_tracked *t = &run->data->targets[k];
        const ac_course *course = &t->course;
        if (course->kind == AC_COURSE_SMOOTH || course->count < 2) continue;
        double interval = (course->samples[course->count - 1].time - course->samples[0].time) /
                          (course->count - 1);
        double mass = run->system->nodes[t->target.node].mass, omega, z;
        ac_track_weights weights;
        ac_track_suggest(s->step, mass, interval, s->method, &weights, &omega, &z);
        ac_summary_add(run->job->summary, "suggested_rho0", weights.rho0, "1");
        if (s->method == AC_TRACK_NEUMANN || s->method == AC_TRACK_MIXED)
            ac_summary_add(run->job->summary, "suggested_rho1", weights.rho1, "1");
        ac_summary_add(run->job->summary, "suggested_frequency", omega, "rad/s");
        ac_summary_add(run->job->summary, "suggested_z", z, "1");
        return;
    }
}

static ac_status finish(void *user)
{
    track_run *run = user;
    ac_summary *summary = run->job->summary;
    uint64_t sum = ac_track_checksum(run->track);
    ac_summary_add(summary, "steps", (double)ac_track_steps(run->track), "1");
    ac_summary_add(summary, "time", ac_track_time(run->track), "s");
    if (run->data->target_count > 0) {
        ac_summary_add(summary, "error_rms", sqrt(run->square / (double)run->rows_seen), "m");
        ac_summary_add(summary, "error_max", run->error, "m");
        ac_summary_add(summary, "turn_error_max", run->turn_error, "rad");
        ac_summary_add(summary, "force_max", run->force, "N");
        ac_track_verdict_note(&run->verdict, run->data, run->system, summary);
    }
    ac_summary_add(summary, "residual_constraints_max", run->residual, "1");
    ac_summary_add(summary, "reaction_max", run->reaction, "1");
    ac_track_counts counts = ac_track_counted(run->track);
    suggest_weights(run);
    ac_summary_add(summary, "steps_limited", (double)(counts.force_limited + counts.speed_limited), "1");
    ac_summary_add(summary, "steps_slowed", (double)counts.slowed, "1");
    ac_summary_add(summary, "steps_projected", (double)counts.projected, "1");
    ac_summary_add(summary, "steps_apart", (double)counts.apart, "1");
    ac_summary_add(summary, "faults", (double)counts.faults, "1");
    ac_summary_add(summary, "checksum_high", (double)(sum >> 32), "1");
    ac_summary_add(summary, "checksum_low", (double)(sum & UINT64_C(0xffffffff)), "1");
    ac_summary_add(summary, "wall_time", ac_wall_seconds() - run->start, "s");
    ac_summary_add(summary, "time_per_step", run->deadlines.sum / ac_max(1.0, (double)run->deadlines.count),
                   "s");
    ac_summary_add(summary, "time_per_step_99", ac_deadlines_quantile(&run->deadlines, 0.99), "s");
    ac_summary_add(summary, "time_per_step_max", run->deadlines.worst, "s");
    ac_summary_add(summary, "deadlines_missed", (double)run->deadlines.missed, "1");
    note_topology(run);
    note_counts(run);
    note_bound(run);
    return AC_OK;
}

static ac_status follow(track_run *run)
{
    ac_context *ctx = run->job->ctx;
    AC_TRY(ac_track_verdict_start(ctx, run->system, run->data->target_count, &run->verdict));
    AC_TRY(ac_track_new(ctx, run->system, &run->data->settings, &run->track));
    ac_reserve_begin(run->track, run->data->reserve, run->data->reserve_count);
    if (!ac_courses_begin(run->track, run->data->targets, run->data->target_count))
        return ac_fail(ctx, AC_BAD_INPUT,
                       "a target tracks nothing: its body has none of its components, or is followed twice");
    AC_TRY(open_table(run));
    ac_deadlines_start(&run->deadlines, run->data->settings.step);
    run->start = run->pace.reported = ac_wall_seconds();
    AC_TRY(ac_finish_run(ctx, take_steps(run), finish, run));
    if (run->data->gradient.steps > 0) AC_TRY(ac_track_gradient_write(run->job, run->data, run->system));
    if (ac_study_rows(&run->data->study) == 0) return AC_OK;
    ac_stream stream = {0};
    ac_status status = run_study(run, &stream);
    ac_stream_close(&stream);
    return status;
}

static ac_status run_track(const ac_run_job *job)
{
    track_run *run;
    AC_NEW(job->ctx, run, 1);
    run->job = job;
    run->data = ac_problem_data(job->problem, &ac_task_track);
    run->system = ac_problem_system(job->problem);
    ac_status status = follow(run);
    ac_track_free(run->track);
    ac_track_verdict_free(job->ctx, &run->verdict);
    ac_stream_close(&run->rows);
    for (int k = 0; k < run->text_count; ++k) ac_release(job->ctx, run->texts[k]);
    ac_release(job->ctx, run->texts);
    ac_release(job->ctx, run->channels);
    ac_release(job->ctx, run);
    return status;
}

static ac_status read_track(ac_builder *b, const ac_value *section, void *data)
{
    return ac_read_track(b, section, data);
}

static void release_track(void *data)
{
    ac_release_track(data);
}

const ac_task ac_task_track = {
    .name = "track",
    .purpose = "track",
    .size = sizeof(ac_track_data),
    .read = read_track,
    .release = release_track,
    .run = run_track,
};
