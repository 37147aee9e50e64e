/* Derivatives of runs by the controls. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/robust_work.h"
#include "math/math.h"

enum { LARGEST_BLOCK = 64 };
static const double STEP = 1e-4; /* of the size of a control, for differences */

typedef struct sweep {
    const ac_robust_work *w;
    const double *at;
    ac_robust_slopes *out;
} sweep;

/* ---- by the adjoint ---- */

static ac_status run_slopes(void *user, ac_context *ctx, const ac_sample_run *run, long item, int count,
                            double *x, double *numbers)
{
    const sweep *s = user;
    const ac_robust_work *w = s->w;
    double *slopes = numbers + AC_ROBUST_WIDTH;
    (void)ctx, (void)count;
    ac_robust_inputs(w, false, item, x);
    memcpy(x + w->r->input_count, s->at, (size_t)w->n * sizeof *x);
    memset(numbers, 0, (size_t)s->out->stride * sizeof *numbers);
    int outcome = run->slopes(run->user, x, numbers, numbers + 2, slopes);
    if (outcome < 0) return AC_NO_MEMORY;
    ac_robust_settle(w, outcome, numbers);
    for (int j = 0; j < 2 * w->n; ++j) /* a distance has no derivative where it is 0 */
        if (numbers[1] != 0.0 || !isfinite(slopes[j])) slopes[j] = 0.0;
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
                        .items = w->scenarios,
                        .block = LARGEST_BLOCK,
                        .width = (int)s->out->stride,
                        .user = s,
                        .scratch = w->r->input_count + w->n,
                        .work = run_slopes,
                        .take = keep_slopes,
                        .before = ac_min(1.0, (double)w->state.iteration / (double)w->r->iterations)};
    w->runs += 3 * series.items; /* forward, forward with what is stored, backwards */
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

static void take_differences(const ac_robust_work *w, const sweep *s, const double *step, const double *all)
{
    for (long k = 0; k < w->scenarios; ++k) {
        const double *here = all + k * AC_ROBUST_WIDTH;
        double *out = s->out->numbers + k * s->out->stride;
        memcpy(out, here, AC_ROBUST_WIDTH * sizeof *out);
        for (int j = 0; j < w->n; ++j) {
            const double *there = here + (j + 1) * w->scenarios * AC_ROBUST_WIDTH;
            bool failed = here[1] != 0.0 || there[1] != 0.0;
            double *own = out + AC_ROBUST_WIDTH + j;
            own[0] = failed ? 0.0 : (there[0] - here[0]) / step[j];
            own[w->n] = failed ? 0.0 : (there[2] - here[2]) / step[j];
        }
    }
}

static ac_status by_differences(ac_robust_work *w, const sweep *s)
{
    size_t n = (size_t)w->n, runs = (size_t)w->scenarios;
    double *all = ac_allocate(w->r->ctx, (n + 1) * runs * AC_ROBUST_WIDTH, sizeof *all);
    double *variants = ac_allocate(w->r->ctx, n * (n + 2), sizeof *variants);
    ac_status status = all && variants ? AC_OK : ac_out_of_memory(w->r->ctx);
    if (status == AC_OK) {
        double *step = variants + n * (n + 1);
        put_variants(w, s->at, step, variants);
        status = ac_robust_run(w, false, variants, w->n + 1, all);
        if (status == AC_OK) take_differences(w, s, step, all);
    }
    ac_release(w->r->ctx, all);
    ac_release(w->r->ctx, variants);
    return status;
}

/* ---- both ---- */

ac_status ac_robust_find_slopes(ac_robust_work *w, const double *at, ac_robust_slopes *slopes)
{
    sweep s = {w, at, slopes};
    slopes->stride = AC_ROBUST_WIDTH + 2 * w->n;
    slopes->numbers = ac_allocate(w->r->ctx, (size_t)w->scenarios * (size_t)slopes->stride,
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
