/* What a page shows of a result: texts, numbers, and thinned tables and motions. */
#include "show/report/data.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/scene/scene.h"
#include "show/scene/motion.h"

enum {
    PLOT_POINTS = 4000,          /* of a curve */
    PLOT_BYTES = 12 << 20,       /* of all curves, but ... */
    PLOT_BYTES_SELDOM = 4 << 20, /* ... those that are seldom looked at only while there are so few */
    FRAMES = 2000,               /* of an animation; more, up to ... */
    FRAMES_MORE = 8000,          /* ... as long as all of them ... */
    FRAME_BYTES = 2 << 20,       /* ... take so little; */
    FRAME_BYTES_MOST = 16 << 20, /* and never so much */
    EVENTS = 2000,               /* rows of the table of events, which is not thinned: a row is an event */
    WIDE = 12,                   /* more components are shown last */
    RANKS = 5
};

static const char *const texts[] = {"title", "task",    "status", "message", "remark",
                                    "notes", "program", "scheme", "problem"};

static void put_texts(ac_json *json, const ac_result *result)
{
    ac_json_open_object(json, "texts");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        const char *text = ac_result_text(result, texts[i]), *warnings = ac_result_text(result, "warnings");
        char both[8192];
        if (strcmp(texts[i], "remark") == 0 && warnings) { /* doubts about the start, then about the result */
            snprintf(both, sizeof both, "%s%s%s", warnings, text ? "\n" : "", text ? text : "");
            text = both;
        }
        ac_json_text(json, texts[i], text ? text : "");
    }
    ac_json_close_object(json);
}

static ac_status put_scene(ac_context *ctx, ac_json *json, ac_result *result)
{
    ac_scene scene;
    char *text = NULL;
    AC_TRY(ac_scene_load(ctx, result, &scene));
    ac_status status = scene.world_count > 0 ? ac_scene_text(ctx, &scene, &text) : AC_OK;
    if (status == AC_OK) ac_json_text(json, "scene", text);
    ac_release(ctx, text);
    ac_scene_free(&scene);
    return status;
}

static void put_summary(ac_json *json, const ac_result *result)
{
    ac_json_open_array(json, "summary");
    for (int i = 0; i < ac_result_number_count(result); ++i) {
        double value = 0;
        const char *unit = "", *name = ac_result_number_name(result, i, &value, &unit);
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", name);
        ac_json_number(json, "value", value);
        ac_json_text(json, "unit", unit);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

/* ---- tables ---- */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Who is shown first when not everything fits: 0 before 1 before ... */
static int rank_of(const ac_channel *channel)
{
    const char *name = channel->name;
    if (channel->width > WIDE) return 4;
    if (strncmp(name, "joint/", 6) == 0) return 1;
    if (strncmp(name, "body/", 5) != 0 && strncmp(name, "point/", 6) != 0) return 0;
    if (ends_with(name, "/position")) return 2;
    return ends_with(name, "/rotation") ? 4 : 3;
}

/* One table on its way into the page. */
typedef struct table_job {
    ac_context *ctx;
    ac_json *json;
    ac_numbers *numbers;
    ac_result *result;
    int table, channel_count;
    const ac_channel *channels;
    ac_bucketing buckets;
    bool *shown;
    long left_out;
} table_job;

/* Marks the channels that fit into the bytes that are left. */
static void choose_channels(table_job *job, double *bytes_left)
{
    for (int rank = 0; rank < RANKS; ++rank) {
        for (int c = 0; c < job->channel_count; ++c) {
            if (rank_of(&job->channels[c]) != rank) continue;
            double bytes = 8.0 * (double)job->buckets.points * job->channels[c].width;
            double room = rank == RANKS - 1 ? *bytes_left - (PLOT_BYTES - PLOT_BYTES_SELDOM) : *bytes_left;
            job->shown[c] = bytes <= room || strcmp(job->channels[c].name, "time") == 0;
            if (job->shown[c])
                *bytes_left -= bytes;
            else
                ++job->left_out;
        }
    }
}

static ac_status put_channel(table_job *job, int c)
{
    const ac_channel *channel = &job->channels[c];
    size_t count = (size_t)(job->buckets.points * channel->width), place = 0;
    double *values;
    AC_NEW(job->ctx, values, count + (size_t)channel->width);
    double *first = values + count;
    bool time = strcmp(channel->name, "time") == 0;
    ac_status status = ac_read_buckets(job->ctx, job->result, job->table, c, &job->buckets, time, values);
    if (status == AC_OK) status = ac_result_read(job->result, job->table, c, job->buckets.first, 1, 1, first);
    if (status == AC_OK) status = ac_numbers_doubles(job->numbers, values, count, &place);
    ac_json *json = job->json;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", channel->name);
    ac_json_text(json, "unit", channel->unit);
    ac_json_text(json, "labels", channel->labels);
    ac_json_integer(json, "width", channel->width);
    ac_json_integer(json, "place", (long)place);
    ac_json_open_array(json, "first");
    for (int k = 0; status == AC_OK && k < channel->width; ++k) ac_json_number(json, NULL, first[k]);
    ac_json_close_array(json);
    ac_json_close_object(json);
    ac_release(job->ctx, values);
    return status;
}

static ac_status put_table(table_job *job, double *bytes_left)
{
    ac_json *json = job->json;
    AC_NEW(job->ctx, job->shown, job->channel_count);
    choose_channels(job, bytes_left);
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", ac_result_table_name(job->result, job->table));
    ac_json_integer(json, "rows", ac_result_rows(job->result, job->table));
    ac_json_integer(json, "first_row", job->buckets.first);
    ac_json_integer(json, "shown_rows", job->buckets.count);
    ac_json_integer(json, "bucket", job->buckets.size);
    ac_json_integer(json, "points", job->buckets.points);
    ac_json_open_array(json, "channels");
    ac_status status = AC_OK;
    for (int c = 0; status == AC_OK && c < job->channel_count; ++c) {
        if (job->shown[c]) status = put_channel(job, c);
    }
    ac_json_close_array(json);
    ac_json_close_object(json);
    ac_release(job->ctx, job->shown);
    return status;
}

static ac_status put_tables(table_job *job, const ac_report_window *window)
{
    double bytes_left = PLOT_BYTES;
    ac_json_open_array(job->json, "tables");
    for (job->table = 0; job->table < ac_result_table_count(job->result); ++job->table) {
        long first = 0, count = 0;
        AC_TRY(ac_rows_between(job->result, job->table, window->from, window->to, &first, &count));
        job->channels = ac_result_channels(job->result, job->table, &job->channel_count);
        if (strcmp(ac_result_table_name(job->result, job->table), "events") == 0 && count > EVENTS)
            count = EVENTS;
        job->buckets = ac_make_buckets(first, count, PLOT_POINTS);
        if (count > 0) AC_TRY(put_table(job, &bytes_left));
    }
    ac_json_close_array(job->json);
    ac_json_integer(job->json, "left_out", job->left_out);
    return AC_OK;
}

/* ---- motions ---- */

/* Force and moment at the places of a beam: where the two arrays are. */
static ac_status put_resultants(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                                const ac_recorded_motion *motion, const ac_mover *mover,
                                const ac_row_choice *choice)
{
    for (int k = 0; k < 2; ++k) {
        if (mover->resultants[k] < 0) continue;
        size_t count = (size_t)choice->count * 3 * (size_t)mover->places, place = 0;
        double *values;
        AC_NEW(ctx, values, count);
        ac_status status = ac_read_chosen(motion->result, motion->table, mover->resultants[k], choice,
                                          values);
        if (status == AC_OK) status = ac_numbers_floats(numbers, values, count, &place);
        ac_release(ctx, values);
        AC_TRY(status);
        ac_json_integer(json, ac_stress_names[k], (long)place);
    }
    return AC_OK;
}

static ac_status put_mover(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                           const ac_recorded_motion *motion, const ac_mover *mover,
                           const ac_row_choice *choice)
{
    size_t count = (size_t)choice->count * (size_t)ac_mover_size(mover), place = 0;
    double *poses;
    AC_NEW(ctx, poses, count);
    ac_status status = ac_recorded_poses(motion, mover, choice, poses);
    if (status == AC_OK) status = ac_numbers_floats(numbers, poses, count, &place);
    ac_release(ctx, poses);
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", mover->name);
    ac_json_text(json, "kind", ac_mover_kind_names[mover->kind]);
    ac_json_integer(json, "places", mover->places);
    ac_json_bool(json, "turned", mover->rotation >= 0);
    ac_json_bool(json, "torque", mover->torque);
    if (mover->kind == AC_MOVER_ARROW) ac_json_text(json, "group", mover->group);
    ac_json_integer(json, "place", (long)place);
    if (status == AC_OK) status = put_resultants(ctx, json, numbers, motion, mover, choice);
    ac_json_close_object(json);
    return status;
}

static ac_status put_times(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                           const ac_recorded_motion *motion, const ac_row_choice *choice)
{
    size_t place = 0;
    double *times;
    AC_NEW(ctx, times, choice->count);
    ac_status status = ac_recorded_times(motion, choice, times);
    if (status == AC_OK) status = ac_numbers_doubles(numbers, times, (size_t)choice->count, &place);
    ac_release(ctx, times);
    ac_json_integer(json, "time", (long)place);
    return status;
}

static long frame_limit(const ac_recorded_motion *motion, const ac_report_window *window)
{
    long bytes = 1, limit;
    if (window->frames > 0) return window->frames;
    for (int m = 0; m < motion->count; ++m) {
        const ac_mover *mover = &motion->movers[m];
        bytes += 4L * ac_mover_size(mover) + (mover->resultants[0] >= 0 ? 24L * mover->places : 0);
    }
    limit = FRAME_BYTES / bytes;
    if (limit < FRAMES) limit = FRAMES < FRAME_BYTES_MOST / bytes ? FRAMES : FRAME_BYTES_MOST / bytes;
    return limit < FRAMES_MORE ? limit : FRAMES_MORE;
}

static ac_status put_motion(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                            const ac_recorded_motion *motion, const ac_report_window *window)
{
    long first = 0, count = 0;
    AC_TRY(ac_rows_between(motion->result, motion->table, window->from, window->to, &first, &count));
    if (count == 0 || motion->count == 0) return AC_OK;
    ac_row_choice choice = ac_choose_rows(first, count, frame_limit(motion, window));
    ac_json_open_object(json, NULL);
    ac_json_text(json, "table", ac_result_table_name(motion->result, motion->table));
    ac_json_integer(json, "frames", choice.count);
    ac_json_integer(json, "stride", choice.stride);
    ac_json_integer(json, "shown_rows", count);
    ac_json_bool(json, "timed", motion->time >= 0);
    ac_status status = put_times(ctx, json, numbers, motion, &choice);
    ac_json_open_array(json, "movers");
    for (int m = 0; status == AC_OK && m < motion->count; ++m)
        status = put_mover(ctx, json, numbers, motion, &motion->movers[m], &choice);
    ac_json_close_array(json);
    ac_json_close_object(json);
    return status;
}

static ac_status put_motions(ac_context *ctx, ac_json *json, ac_numbers *numbers, ac_result *result,
                             const ac_report_window *window)
{
    ac_status status = AC_OK;
    ac_json_open_array(json, "motions");
    for (int t = 0; status == AC_OK && t < ac_result_table_count(result); ++t) {
        ac_recorded_motion motion;
        AC_TRY(ac_recorded_find(ctx, result, t, &motion));
        status = put_motion(ctx, json, numbers, &motion, window);
        ac_recorded_free(&motion);
    }
    ac_json_close_array(json);
    return status;
}

ac_status ac_report_put_result(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                               const ac_report_source *source, const ac_report_window *window)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "label", source->label);
    put_texts(json, source->result);
    AC_TRY(put_scene(ctx, json, source->result));
    put_summary(json, source->result);
    table_job job = {.ctx = ctx, .json = json, .numbers = numbers, .result = source->result};
    AC_TRY(put_tables(&job, window));
    AC_TRY(put_motions(ctx, json, numbers, source->result, window));
    ac_json_close_object(json);
    return AC_OK;
}
