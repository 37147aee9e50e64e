/* Running a problem: finds the task and leads its results into a result file. */
#include <stdio.h>
#include <string.h>

#include "actio/result.h"
#include "base/base.h"
#include "task/checkpoint.h"
#include "task/task.h"

/* What assembly did, and what is doubtful about the start. */
static void note_start(const ac_problem *problem, ac_summary *summary)
{
    const ac_system *system = ac_problem_system(problem);
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_system_assembly_text(system, k, text, sizeof text); ++k)
        ac_summary_note(summary, AC_NOTE_ASSEMBLY, "%s", text);
    for (int k = 0; ac_system_warning(system, k, text, sizeof text); ++k)
        ac_summary_note(summary, AC_NOTE_WARNING, "%s", text);
}

bool ac_pace_due(ac_pace *pace, double now, long taken, long steps)
{
    static const double interval = 0.05; /* s */
    long part = steps > 0 ? (long)(100.0 * (double)taken / (double)steps) : 0;
    if (taken >= steps || (part == pace->part && now - pace->reported < interval)) return false;
    *pace = (ac_pace){.reported = now, .part = part};
    return true;
}

ac_status ac_run_into(const ac_run_job *job)
{
    ac_summary_begin(job->summary);
    note_start(job->problem, job->summary);
    if (job->checkpoint && job->checkpoint->resume && !job->checkpoint->found)
        ac_summary_note(job->summary, AC_NOTE_CHOICE,
                        "there is no checkpoint: the run starts at the beginning");
    ac_status status = ac_problem_task_of(job->problem)->run(job);
    ac_summary_end(job->summary, status);
    return status;
}

/* ---- no file ---- */

static ac_status ignore_table(void *user, const char *name, const ac_channel *channels, int count, int *table)
{
    (void)user, (void)name, (void)channels, (void)count;
    *table = 0;
    return AC_OK;
}

static ac_status ignore_row(void *user, int table, const double *row)
{
    (void)user, (void)table, (void)row;
    return AC_OK;
}

/* ---- a file ---- */

static ac_status file_table(void *user, const char *name, const ac_channel *channels, int count, int *table)
{
    return ac_result_put_table(user, name, channels, count, table);
}

static ac_status file_row(void *user, int table, const double *row)
{
    return ac_result_append(user, table, row);
}

/* Whether a run that ended like this has something to keep: one that was refused has no summary. */
static bool keeps_results(ac_status status, const ac_summary *summary)
{
    if (status != AC_OK && summary->count == 0) return false;
    return status == AC_OK || status == AC_NOT_CONVERGED || status == AC_INTERRUPTED || status == AC_SINGULAR;
}

static ac_status put_scheme(ac_result_writer *writer, const ac_summary *summary)
{
    if (!summary->scheme[0]) return AC_OK;
    AC_TRY(ac_result_put_text(writer, "scheme", summary->scheme));
    return ac_result_put_text(writer, "scheme_reason", summary->scheme_reason);
}

/* The notes of some kinds, a bit each, that the remark does not say anyway: one line each; no text if there are none. */
static ac_status put_notes(ac_result_writer *writer, const ac_summary *summary, const char *name,
                           unsigned kinds)
{
    char all[4 * AC_REMARK_SIZE] = "";
    size_t used = 0;
    for (int k = 0; k < summary->note_count && used < sizeof all; ++k) {
        const ac_note *note = &summary->note[k];
        if (!(kinds & 1u << note->kind) || strstr(summary->remark, note->text)) continue;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? "\n" : "", note->text);
    }
    return *all ? ac_result_put_text(writer, name, all) : AC_OK;
}

static ac_status put_problem(ac_result_writer *writer, const ac_problem *problem)
{
    AC_TRY(ac_result_put_text(writer, "program", "actio " ACTIO_VERSION));
    AC_TRY(ac_result_put_text(writer, "title", ac_problem_title(problem)));
    AC_TRY(ac_result_put_text(writer, "task", ac_problem_task(problem)));
    return ac_result_put_text(writer, "problem", ac_problem_text(problem));
}

static ac_status put_outcome(ac_result_writer *writer, const ac_run_job *job, ac_status status,
                             const char *message, const ac_summary *summary)
{
    bool changed = job->scene->world_count > 0;
    AC_TRY(ac_scene_store(job->ctx, writer, changed ? job->scene : ac_problem_scene_data(job->problem)));
    AC_TRY(ac_result_put_text(writer, "status", summary->status));
    if (status != AC_OK) AC_TRY(ac_result_put_text(writer, "message", message));
    if (summary->remark[0]) AC_TRY(ac_result_put_text(writer, "remark", summary->remark));
    AC_TRY(put_scheme(writer, summary));
    AC_TRY(put_notes(writer, summary, "warnings", 1u << AC_NOTE_WARNING));
    AC_TRY(put_notes(writer, summary, "notes", 1u << AC_NOTE_ASSEMBLY | 1u << AC_NOTE_VERDICT));
    for (int i = 0; i < summary->count; ++i) {
        const ac_summary_entry *entry = &summary->entry[i];
        AC_TRY(ac_result_put_number(writer, entry->name, entry->value, entry->unit));
    }
    return AC_OK;
}

static ac_status run_into_file(const ac_run_job *job, ac_result_writer *writer)
{
    AC_TRY(put_problem(writer, job->problem));
    ac_status status = ac_run_into(job);
    if (!keeps_results(status, job->summary)) return status;
    char *message = ac_copy_text(job->ctx, ac_context_message(job->ctx));
    if (!message) return ac_out_of_memory(job->ctx);
    ac_status written = put_outcome(writer, job, status, message, job->summary);
    if (written == AC_OK && status != AC_OK) ac_fail(job->ctx, status, "%s", message);
    ac_release(job->ctx, message);
    return written == AC_OK ? status : written;
}

/* Completes the file of a run; a failure to do so matters more than how the run ended, and leaves no file to name. */
static ac_status keep_file(ac_context *ctx, ac_result_writer *writer, ac_status status, ac_summary *summary)
{
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    ac_status written = ac_result_commit(writer);
    if (written != AC_OK) summary->path[0] = '\0';
    if (written == AC_OK && status != AC_OK && message) ac_fail(ctx, status, "%s", message);
    ac_release(ctx, message);
    return written == AC_OK ? status : written;
}

/* ---- what is there already ---- */

/* Is there a complete result under this name? Messages are not ours. */
static bool holds_solution(const char *path)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    bool solved = false;
    if (ctx && ac_result_open(ctx, path, &result) == AC_OK) {
        const char *status = ac_result_text(result, "status");
        solved = status && strcmp(status, "not_solved") != 0;
        ac_result_close(result);
    }
    ac_context_free(ctx);
    return solved;
}

/* "motion.h5" -> "motion.unsolved.h5" */
static void name_beside(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    bool ending = dot && dot != path && (!slash || dot > slash + 1);
    int stem = (int)(ending ? (size_t)(dot - path) : strlen(path));
    snprintf(name, size, "%.*s.unsolved%s", stem, path, ending ? dot : "");
}

/* A solution is not replaced by less. */
static ac_status keep_solution(ac_result_writer *writer, ac_status status, const char *path,
                               ac_summary *summary)
{
    snprintf(summary->path, sizeof summary->path, "%s", path);
    if (status == AC_OK || !holds_solution(path)) return AC_OK;
    name_beside(path, summary->path, sizeof summary->path);
    ac_summary_note(summary, AC_NOTE_REMARK, "%s holds an earlier solution and is left as it was", path);
    return ac_result_rename(writer, summary->path);
}

/* ---- the whole ---- */

static ac_status run_to_path(ac_run_job *job, const char *path)
{
    ac_result_writer *writer = NULL;
    AC_TRY(ac_result_create(job->ctx, path, &writer));
    ac_sink sink = {writer, file_table, file_row};
    job->sink = &sink;
    ac_status status = run_into_file(job, writer);
    ac_scene_free(job->scene);
    if (!keeps_results(status, job->summary)) {
        ac_result_abandon(writer);
        return status;
    }
    if (keep_solution(writer, status, path, job->summary) == AC_OK)
        return keep_file(job->ctx, writer, status, job->summary);
    ac_result_abandon(writer);
    return ac_out_of_memory(job->ctx);
}

static ac_status run(ac_run_job *job, const char *path, bool resume)
{
    const ac_sink nowhere = {NULL, ignore_table, ignore_row};
    ac_scene scene = {.node_count = 0};
    ac_checkpoint checkpoint;
    ac_summary_begin(job->summary);
    job->sink = &nowhere;
    if (!path) return ac_run_into(job);
    job->scene = &scene;
    job->checkpoint = &checkpoint;
    ac_status status = ac_checkpoint_begin(&checkpoint, job->ctx, job->problem, path, resume);
    bool refused = status != AC_OK;
    if (status == AC_OK) status = run_to_path(job, path);
    ac_checkpoint_end(&checkpoint, refused || status == AC_INTERRUPTED || status == AC_IO_FAILED);
    ac_summary_end(job->summary, status); /* the file may have failed */
    return status;
}

ac_status ac_run(ac_context *ctx, const ac_problem *problem, const char *path, ac_progress progress,
                 void *user, ac_summary *summary)
{
    ac_run_job job = {
        .ctx = ctx, .problem = problem, .progress = progress, .progress_user = user, .summary = summary};
    return run(&job, path, false);
}

ac_status ac_run_resume(ac_context *ctx, const ac_problem *problem, const char *path, ac_progress progress,
                        void *user, ac_summary *summary)
{
    ac_run_job job = {
        .ctx = ctx, .problem = problem, .progress = progress, .progress_user = user, .summary = summary};
    return run(&job, path, true);
}
