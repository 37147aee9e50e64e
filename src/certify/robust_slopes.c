/* Derivatives of runs by the controls. */
#include <string.h>

#include "base/base.h"
#include "certify/robust_work.h"
#include "math/math.h"

enum { LARGEST_BLOCK = 64 };
static const double STEP = 1e-4; /* of the size of a control, for differences */

typedef struct sweep {
    const ac_robust_work *w;
    bool sampled, of_measure;
    const double *at;
    ac_robust_slopes *out;
} sweep;

/* ---- by the adjoint ---- */

static ac_status run_slopes(void *user, ac_context *ctx, const ac_sample_run *run, long item, int count,
                            double *x, double *numbers)
{
    const sweep *s = user;
    const ac_robust_work *w = s->w;
    double *slopes = numbers + w->width;
    bool residuals = !s->of_measure && w->r->residual_count > 0;
    (void)ctx, (void)count;
    ac_robust_inputs(w, s->sampled, item, x);
    memcpy(x + w->r->input_count, s->at, (size_t)w->n * sizeof *x);
    memset(slopes, 0, (size_t)s->out->rows * (size_t)w->n * sizeof *slopes);
    numbers[0] = 0.0;
    for (int k = 1; k < w->width; ++k) numbers[k] = 0.0;
    int outcome = run->slopes(run->user, x, numbers, residuals ? numbers + 1 : NULL, slopes);
    if (outcome < 0) return AC_NO_MEMORY;
    if (outcome > 0) memset(slopes, 0, (size_t)s->out->rows * (size_t)w->n * sizeof *slopes);
    ac_robust_settle(w, outcome, numbers);
    return AC_OK;
}

static ac_status keep_slopes(void *user, long first, long count, const double *numbers)
{
    const sweep *s = user;
    size_t stride = (size_t)s->out->stride;
    memcpy(s->out->numbers + (size_t)first * stride, numbers, (size_t)count * stride * sizeof *numbers);
    return AC_OK;
}

static ac_status by_adjoint(ac_robust_work *w, sweep *s)
{
    bool complete;
    unsigned number;
    AC_TRY(ac_robust_next_series(w, &number));
    ac_series series = {.number = number,
                        .name = "gradients for robust controls",
                        .items = ac_robust_runs(w, s->sampled),
                        .block = LARGEST_BLOCK,
                        .width = (int)s->out->stride,
                        .user = s,
                        .scratch = w->r->input_count + w->n,
                        .work = run_slopes,
                        .take = keep_slopes,
                        .before = ac_min(1.0, (double)w->state.iteration / (double)w->r->iterations)};
    w->runs += series.items * (2 + s->out->rows); /* forward, forward with what is stored, backwards */
    return ac_pieces_run(w->pieces, &series, &complete);
}

/* ---- by differences ---- */

/* The present controls, then each control moved by its step, inwards. */
static void put_variants(const ac_robust_work *w, const double *at, double *step, double *variants)
{
    for (long v = 0; v <= w->n; ++v) memcpy(variants + v * w->n, at, (size_t)w->n * sizeof *at);
    for (int j = 0; j < w->n; ++j) {
        double h = STEP * w->size[j];
        step[j] = at[j] + h <= w->r->high[j] ? h : -h;
        variants[(j + 1) * w->n + j] += step[j];
    }
}

static void take_differences(const ac_robust_work *w, const sweep *s, long runs, const double *step,
                             const double *all)
{
    int first = s->of_measure ? 0 : 1;
    for (long k = 0; k < runs; ++k) {
        double *out = s->out->numbers + k * s->out->stride, *slopes = out + w->width;
        memcpy(out, all + k * w->width, (size_t)w->width * sizeof *out);
        for (int i = 0; i < s->out->rows; ++i)
            for (int j = 0; j < w->n; ++j)
                slopes[i * w->n + j] = (all[((j + 1) * runs + k) * w->width + first + i] - out[first + i]) /
                                       step[j];
    }
}

static ac_status by_differences(ac_robust_work *w, const sweep *s)
{
    size_t n = (size_t)w->n, runs = (size_t)ac_robust_runs(w, s->sampled);
    double *all = ac_allocate(w->r->ctx, (n + 1) * runs * (size_t)w->width, sizeof *all);
    double *variants = ac_allocate(w->r->ctx, n * (n + 2), sizeof *variants);
    ac_status status = all && variants ? AC_OK : ac_out_of_memory(w->r->ctx);
    if (status == AC_OK) {
        double *step = variants + n * (n + 1);
        put_variants(w, s->at, step, variants);
        status = ac_robust_run(w, s->sampled, variants, w->n + 1, all);
        if (status == AC_OK) take_differences(w, s, (long)runs, step, all);
    }
    ac_release(w->r->ctx, all);
    ac_release(w->r->ctx, variants);
    return status;
}

/* ---- both ---- */

ac_status ac_robust_find_slopes(ac_robust_work *w, bool sampled, bool of_measure, const double *at,
                                ac_robust_slopes *slopes)
{
    sweep s = {w, sampled, of_measure, at, slopes};
    slopes->rows = of_measure ? 1 : w->width - 1;
    slopes->stride = w->width + (long)slopes->rows * w->n;
    slopes->numbers = ac_allocate(w->r->ctx, (size_t)ac_robust_runs(w, sampled) * (size_t)slopes->stride,
                                  sizeof *slopes->numbers);
    if (!slopes->numbers) return ac_out_of_memory(w->r->ctx);
    ac_status status = ac_pieces_runner(w->pieces)->slopes ? by_adjoint(w, &s) : by_differences(w, &s);
    if (status != AC_OK) ac_robust_drop_slopes(w, slopes);
    return status;
}

void ac_robust_drop_slopes(ac_robust_work *w, ac_robust_slopes *slopes)
{
    ac_release(w->r->ctx, slopes->numbers);
    slopes->numbers = NULL;
}
