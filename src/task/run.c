/* Running a problem: finds the task and leads its results into a result file. */
#include <stdio.h>
#include <string.h>

#include "actio/result.h"
#include "base/base.h"
#include "task/task.h"

/* Below this, assembly has only rounded. m, rad, m/s */
static const double WORTH_NOTING = 1e-9;

/* What assembly did, and what is doubtful about the start. */
static void note_start(const ac_problem *problem, ac_summary *summary)
{
    const ac_system *system = ac_problem_system(problem);
    const ac_assembly *assembly = ac_problem_assembly(problem);
    char text[AC_REMARK_SIZE];
    if (assembly->moved > WORTH_NOTING && assembly->moved_node != AC_GROUND)
        ac_summary_note(summary, AC_NOTE_ASSEMBLY, "assembly moved %s by %.3g m",
                        ac_system_node_name(system, assembly->moved_node), assembly->moved);
    if (assembly->turned > WORTH_NOTING && assembly->turned_node != AC_GROUND)
        ac_summary_note(summary, AC_NOTE_ASSEMBLY, "assembly turned %s by %.3g rad",
                        ac_system_node_name(system, assembly->turned_node), assembly->turned);
    if (assembly->velocity_change > WORTH_NOTING)
        ac_summary_note(summary, AC_NOTE_ASSEMBLY, "assembly changed a given velocity by %.3g",
                        assembly->velocity_change);
    for (int k = 0; ac_system_warning(system, k, text, sizeof text); ++k)
        ac_summary_note(summary, AC_NOTE_WARNING, "%s", text);
}

ac_status ac_run_into(const ac_run_job *job)
{
    ac_summary_begin(job->summary);
    note_start(job->problem, job->summary);
    return ac_problem_task_of(job->problem)->run(job);
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

/* Which scheme a simulation takes, and why. */
static ac_status put_scheme(ac_result_writer *writer, const ac_problem *problem)
{
    const ac_simulation_settings *settings = ac_problem_simulation(problem);
    if (strcmp(ac_problem_task(problem), "simulate") != 0) return AC_OK;
    const ac_system *system = ac_problem_system(problem);
    AC_TRY(ac_result_put_text(writer, "scheme", ac_scheme_for(system, settings->scheme)));
    return ac_result_put_text(writer, "scheme_reason", ac_scheme_reason(system, settings->scheme));
}

static ac_status put_problem(ac_result_writer *writer, const ac_problem *problem)
{
    AC_TRY(ac_result_put_text(writer, "program", "actio " ACTIO_VERSION));
    AC_TRY(ac_result_put_text(writer, "title", ac_problem_title(problem)));
    AC_TRY(ac_result_put_text(writer, "task", ac_problem_task(problem)));
    AC_TRY(put_scheme(writer, problem));
    return ac_result_put_text(writer, "problem", ac_problem_text(problem));
}

static ac_status put_outcome(ac_result_writer *writer, const ac_run_job *job, ac_status status,
                             const char *message, const ac_summary *summary)
{
    const char *scene = *job->scene ? *job->scene : ac_problem_scene(job->problem);
    if (scene) AC_TRY(ac_result_put_text(writer, "scene", scene));
    AC_TRY(ac_result_put_text(writer, "status", status == AC_OK ? "solved" : "not_solved"));
    if (status != AC_OK) AC_TRY(ac_result_put_text(writer, "message", message));
    if (summary->remark[0]) AC_TRY(ac_result_put_text(writer, "remark", summary->remark));
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

/* Completes the file of a run; a failure to do so matters more than how the run ended. */
static ac_status keep_file(ac_context *ctx, ac_result_writer *writer, ac_status status)
{
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    ac_status written = ac_result_commit(writer);
    if (written == AC_OK && status != AC_OK && message) ac_fail(ctx, status, "%s", message);
    ac_release(ctx, message);
    return written == AC_OK ? status : written;
}

ac_status ac_run(ac_context *ctx, const ac_problem *problem, const char *path, ac_progress progress,
                 void *user, ac_summary *summary)
{
    ac_sink sink = {NULL, ignore_table, ignore_row};
    char *scene = NULL;
    ac_run_job job = {ctx, problem, &sink, progress, user, summary, &scene};
    ac_summary_begin(summary);
    if (!path) {
        job.scene = NULL;
        return ac_run_into(&job);
    }
    ac_result_writer *writer = NULL;
    AC_TRY(ac_result_create(ctx, path, &writer));
    sink = (ac_sink){writer, file_table, file_row};
    ac_status status = run_into_file(&job, writer);
    ac_release(ctx, scene);
    if (keeps_results(status, summary)) return keep_file(ctx, writer, status);
    ac_result_abandon(writer);
    return status;
}
