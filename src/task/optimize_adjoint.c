/* The table of adjoint variables of an optimisation: how the objective changes per impulse, over time. */
#include "base/base.h"
#include "observe/impulses.h"
#include "task/optimize.h"

static ac_status put_rows(const ac_optimize_run *run, const ac_impulses *impulses, ac_stream *stream,
                          double *by_momentum)
{
    double h = ac_optimization_duration(run->o) / ac_optimization_intervals(run->o);
    for (int k = 0; k <= ac_optimization_intervals(run->o); ++k) {
        if (!ac_optimization_adjoint(run->o, k, by_momentum)) return AC_OK;
        ac_impulses_put(impulses, k * h, ac_optimization_configuration(run->o, k), by_momentum, stream->row);
        AC_TRY(ac_stream_put_diagnostic(stream));
    }
    return AC_OK;
}

ac_status ac_write_adjoint(const ac_optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    ac_impulses impulses = {0};
    ac_stream stream = {0};
    double *by_momentum = NULL;
    if (!run->options->adjoint) return AC_OK;
    if (!(by_momentum = ac_allocate(ctx, (size_t)run->system->n, sizeof *by_momentum)))
        return ac_out_of_memory(ctx);
    if (!ac_optimization_adjoint(run->o, 0, by_momentum)) {
        ac_summary_note(run->job->summary, AC_NOTE_REMARK,
                        "there is no table of adjoint variables: phases and collocation have none");
        ac_release(ctx, by_momentum);
        return AC_OK;
    }
    ac_status status = ac_impulses_create(ctx, run->system, &impulses);
    if (status == AC_OK)
        status = ac_stream_open(&stream, run->job, "adjoint", impulses.channels, impulses.count);
    if (status == AC_OK) status = put_rows(run, &impulses, &stream, by_momentum);
    ac_stream_close(&stream);
    ac_impulses_destroy(&impulses);
    ac_release(ctx, by_momentum);
    return status;
}
