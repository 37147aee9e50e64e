/* What the tasks have in common: tables on their way to the sink, clocks, and how a run ends. */
#include "task/stream.h"

#include <math.h>
#include <time.h>

#include "base/base.h"

ac_status ac_stream_open(ac_stream *s, const ac_run_job *job, const char *name, const ac_channel *channels,
                         int count)
{
    s->job = job;
    s->channels = channels;
    for (int c = 0; c < count; ++c) s->width += channels[c].width;
    AC_NEW(job->ctx, s->row, s->width);
    return job->sink->table(job->sink->user, name, channels, count, &s->table);
}

/* Zero times a number is zero, or it is not a number; four sums, so that none waits for the one before. */
static bool all_finite(int n, const double *x)
{
    double sum[4] = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
    for (; i < n; ++i) sum[0] += 0.0 * x[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

const char *ac_stream_not_finite(const ac_stream *s)
{
    if (all_finite(s->width, s->row)) return NULL;
    int i = 0;
    while (isfinite(s->row[i])) ++i;
    const ac_channel *channel = s->channels;
    for (int end = channel->width; end <= i; end += (++channel)->width) continue;
    return channel->name;
}

ac_status ac_stream_put(const ac_stream *s)
{
    const char *wrong = ac_stream_not_finite(s);
    if (wrong) return ac_fail(s->job->ctx, AC_NOT_CONVERGED, "%s is not a finite number", wrong);
    return ac_stream_pass_on(s);
}

ac_status ac_stream_put_diagnostic(const ac_stream *s)
{
    const char *wrong = ac_stream_not_finite(s);
    if (!wrong) return ac_stream_pass_on(s);
    ac_summary_note(s->job->summary, AC_NOTE_REMARK, "%s is not a finite number, and left out", wrong);
    return AC_OK;
}

ac_status ac_stream_pass_on(const ac_stream *s)
{
    return s->job->sink->row(s->job->sink->user, s->table, s->row);
}

void ac_stream_close(ac_stream *s)
{
    if (s->job) ac_release(s->job->ctx, s->row);
    s->row = NULL;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ac_wall_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double ac_cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

bool ac_ended_early(ac_status status)
{
    return status == AC_NOT_CONVERGED || status == AC_INTERRUPTED || status == AC_SINGULAR;
}

ac_status ac_finish_run(ac_context *ctx, ac_status status, ac_status (*finish)(void *user), void *user)
{
    if (status != AC_OK && !ac_ended_early(status)) return status;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    ac_status finished = finish(user);
    if (status != AC_OK && (finished == AC_OK || ac_ended_early(finished))) {
        ac_fail(ctx, status, "%s", message);
        finished = status;
    }
    ac_release(ctx, message);
    return finished;
}
