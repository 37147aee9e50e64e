/* Workers of a certification: --jobs, --shard, the journal. */
#include "app/workers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOBS_MAX = 1024 };

static bool read_shard(const app_arguments *arguments, const char *text, ac_certify_work *work)
{
    char *end;
    long shard = strtol(text, &end, 10), shards = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end == '\0' && shard >= 1 && shard <= shards && shards < INT_MAX) {
        work->shard = (int)shard;
        work->shards = (int)shards;
        return true;
    }
    app_refuse(arguments, "--shard is K/N, such as 3/8 for the third of eight; not %s", text);
    return false;
}

/* All cores, unless ranks share them. */
static bool read_jobs(const app_arguments *arguments, bool alone, int *workers)
{
    long jobs = alone ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    if (!app_count_option(arguments, "jobs", &jobs)) return false;
    *workers = jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : (int)jobs;
    return true;
}

/* Tasks that are not certify: a study has processes, others have neither. */
static bool other_task(const app_arguments *arguments, const ac_problem *problem)
{
    int *jobs = ac_problem_design_jobs(problem);
    if (app_value(arguments, "shard")) {
        app_refuse(arguments, "--shard belongs to the task certify");
        return false;
    }
    if (jobs) return read_jobs(arguments, true, jobs);
    if (!app_value(arguments, "jobs")) return true;
    app_refuse(arguments, "--jobs belongs to the tasks certify and design");
    return false;
}

/* Beside the result: a shard keeps it, a run removes it when it is complete. */
static bool name_journal(const app_arguments *arguments, const char *output, app_workers *w)
{
    const ac_certify_work *work = w->work;
    size_t length = output ? strlen(output) : 0;
    if (length > 3 && strcmp(output + length - 3, ".h5") == 0) length -= 3;
    int used = work->shards > 0 ? snprintf(w->journal, sizeof w->journal, "%.*s.%d-of-%d.part", (int)length,
                                           output ? output : "", work->shard, work->shards)
                                : snprintf(w->journal, sizeof w->journal, "%.*s.journal", (int)length,
                                           output ? output : "");
    if (output && used < (int)sizeof w->journal) return true;
    app_refuse(arguments, output ? "the name of the result is too long" : "a shard needs a name: -o OUT");
    return false;
}

bool app_workers_begin(const app_arguments *arguments, const ac_problem *problem, const char **output,
                       app_workers *w)
{
    *w = (app_workers){.work = ac_problem_certify_work(problem)};
    if (!w->work) return other_task(arguments, problem);
    const char *shard = app_value(arguments, "shard");
    bool wanted;
    if (shard && !read_shard(arguments, shard, w->work)) return false;
    w->ranks = app_ranks_begin(w->work, &wanted);
    if (wanted && !w->ranks) {
        app_refuse(arguments, "this is a parallel run, but libmpi.so.40 of Open MPI cannot be used");
        return false;
    }
    w->silent = w->work->ranks > 1 && w->work->rank > 0;
    if (!read_jobs(arguments, w->work->ranks <= 1, &w->work->workers)) return false;
    if (*output || shard) {
        if (!name_journal(arguments, *output, w)) return false;
        w->work->journal = w->journal;
        w->temporary = !shard;
    }
    if (shard || w->silent) *output = NULL;
    return true;
}

void app_workers_end(app_workers *w)
{
    if (!w->work) return;
    if (w->complete && w->temporary && !w->silent) unlink(w->journal);
    app_ranks_end(w->ranks);
}
