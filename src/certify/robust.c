/* Robust controls: runs, what controls are worth by them, and the searches. */
#include "certify/robust.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/annealing.h"
#include "certify/certify.h"
#include "certify/diameter.h"
#include "certify/random.h"
#include "certify/robust_work.h"
#include "math/math.h"

enum { SCENARIOS_MAX = 4096, LARGEST_BLOCK = 64 };
static const double FAILED = 1e3; /* what a failed run costs the annealing, beside the factor */

/* One batch of runs: variants of the controls, each with all scenarios or samples. */
typedef struct batch {
    const ac_robust_work *w;
    bool sampled;           /* random samples, else scenarios */
    const double *controls; /* variants x control_count */
    double *out;            /* variants x runs x AC_ROBUST_WIDTH */
} batch;

/* ---- runs ---- */

static long runs_of(const ac_robust_work *w, bool sampled)
{
    return sampled ? w->r->samples : w->scenarios;
}

void ac_robust_inputs(const ac_robust_work *w, bool sampled, long run, double *x)
{
    const ac_robust *r = w->r;
    if (!sampled && w->gridded)
        ac_grid_values(r->inputs, r->input_count, r->grid, run, x);
    else
        ac_draw_inputs(r->inputs, r->input_count, r->settings->seed, AC_STREAM_ROBUST + (sampled ? 0u : 1u),
                       run, x);
}

void ac_robust_settle(const ac_robust_work *w, int outcome, double *numbers)
{
    numbers[1] = outcome > 0 || !isfinite(numbers[0]);
    if (numbers[1] == 0.0) return;
    numbers[0] = w->r->settings->has_failed_measure ? w->r->settings->failed_measure : 0.0;
    numbers[2] = 0.0;
}

bool ac_robust_failed(const ac_robust_work *w, const double *numbers)
{
    return numbers[1] != 0.0 && !w->r->settings->has_failed_measure;
}

static ac_status run_some(void *user, ac_context *ctx, const ac_sample_run *run, long first, int count,
                          double *x, double *numbers)
{
    const batch *b = user;
    const ac_robust_work *w = b->w;
    const double *rows[AC_RUNS_TOGETHER] = {NULL};
    double measures[AC_RUNS_TOGETHER] = {0}, tight[AC_RUNS_TOGETHER] = {0};
    int outcomes[AC_RUNS_TOGETHER] = {0}, outcome;
    long runs = runs_of(w, b->sampled), width = w->r->input_count + w->n;
    (void)ctx;
    for (int k = 0; k < count; ++k) {
        rows[k] = x + k * width;
        ac_robust_inputs(w, b->sampled, (first + k) % runs, x + k * width);
        memcpy(x + k * width + w->r->input_count, b->controls + (first + k) / runs * w->n,
               (size_t)w->n * sizeof *x);
    }
    if (count > 1)
        outcome = run->run_together(run->user, count, rows, measures, tight, outcomes);
    else
        outcome = outcomes[0] = run->run_tight ? run->run_tight(run->user, x, measures, tight)
                                               : run->run(run->user, x, measures);
    if (outcome < 0) return AC_NO_MEMORY;
    for (int k = 0; k < count; ++k) {
        numbers[k * AC_ROBUST_WIDTH] = measures[k];
        numbers[k * AC_ROBUST_WIDTH + 2] = tight[k];
        ac_robust_settle(w, outcomes[k], numbers + k * AC_ROBUST_WIDTH);
    }
    return AC_OK;
}

static ac_status keep_numbers(void *user, long first, long count, const double *numbers)
{
    const batch *b = user;
    memcpy(b->out + first * AC_ROBUST_WIDTH, numbers, (size_t)(count * AC_ROBUST_WIDTH) * sizeof *numbers);
    return AC_OK;
}

ac_status ac_robust_next_series(ac_robust_work *w, unsigned *number)
{
    *number = w->series_count++;
    return w->series_count < AC_SERIES_MAX
               ? AC_OK
               : ac_fail(w->r->ctx, AC_BAD_INPUT, "the search has too many iterations");
}

ac_status ac_robust_run(ac_robust_work *w, bool sampled, const double *controls, long variants, double *out)
{
    batch b = {w, sampled, controls, out};
    bool complete;
    unsigned number;
    AC_TRY(ac_robust_next_series(w, &number));
    ac_series series = {.number = number,
                        .name = "runs for robust controls",
                        .items = variants * runs_of(w, sampled),
                        .block = LARGEST_BLOCK,
                        .width = AC_ROBUST_WIDTH,
                        .user = &b,
                        .together = true,
                        .scratch = w->r->input_count + w->n,
                        .work = run_some,
                        .take = keep_numbers,
                        .before = ac_min(1.0, (double)w->state.iteration / (double)w->r->iterations)};
    w->runs += series.items;
    return ac_pieces_run(w->pieces, &series, &complete);
}

ac_status ac_robust_scenarios(ac_robust_work *w, const double *controls)
{
    size_t bytes = (size_t)w->n * sizeof *controls;
    if (w->runs > 0 && memcmp(w->known, controls, bytes) == 0) return AC_OK;
    AC_TRY(ac_robust_run(w, false, controls, 1, w->numbers));
    memcpy(w->known, controls, bytes);
    return AC_OK;
}

/* ---- what controls are worth ---- */

static double margin_of(const ac_robust_work *w, const ac_robust_state *state)
{
    const ac_certify_settings *s = w->r->settings;
    return s->at_least ? state->mean - s->threshold : s->threshold - state->mean;
}

/* Without a lower limit, so that it says also beyond the threshold what is better. */
static double factor_of(const ac_robust_work *w, const ac_robust_state *state, double diameter)
{
    const ac_certify_settings *s = w->r->settings;
    double share = ac_margin_share(ac_bound_confidence(s), s->samples, s->sharp_margin);
    double margin = margin_of(w, state);
    return diameter > 0 ? margin / diameter - share : margin > 0 ? INFINITY : -INFINITY;
}

/* Diameter from the measures of all scenarios that did not fail: that of the grid, or how far apart they are. */
static double diameter_of(ac_robust_work *w)
{
    const ac_robust *r = w->r;
    double squares = 0.0, lowest = INFINITY, highest = -INFINITY;
    for (long k = 0; k < w->scenarios; ++k) {
        if (ac_robust_failed(w, w->numbers + k * AC_ROBUST_WIDTH)) continue;
        lowest = ac_min(lowest, w->numbers[k * AC_ROBUST_WIDTH]);
        highest = ac_max(highest, w->numbers[k * AC_ROBUST_WIDTH]);
    }
    if (!w->gridded || !(lowest <= highest)) return ac_max(0.0, highest - lowest);
    for (long k = 0; k < w->scenarios; ++k) {
        bool failed = ac_robust_failed(w, w->numbers + k * AC_ROBUST_WIDTH);
        w->measures[k] = failed ? highest : w->numbers[k * AC_ROBUST_WIDTH];
    }
    for (int k = 0; k < r->input_count; ++k) {
        long high, low;
        double found = ac_grid_extremes(r->input_count, r->grid, w->measures, k, &high, &low);
        squares += found * found;
    }
    return sqrt(squares);
}

static ac_status judge(ac_robust_work *w, const double *controls, ac_robust_state *state)
{
    const ac_robust *r = w->r;
    *state = (ac_robust_state){.iteration = w->state.iteration};
    AC_TRY(ac_robust_scenarios(w, controls));
    state->diameter = diameter_of(w);
    for (long k = 0; k < w->scenarios; ++k) {
        const double *run = w->numbers + k * AC_ROBUST_WIDTH;
        state->failed += ac_robust_failed(w, run);
        state->squares += run[0] * run[0] / (double)w->scenarios;
    }
    AC_TRY(ac_robust_run(w, true, controls, 1, w->samples));
    long failed = 0;
    for (long k = 0; k < r->samples; ++k) {
        failed += ac_robust_failed(w, w->samples + k * AC_ROBUST_WIDTH);
        state->mean += w->samples[k * AC_ROBUST_WIDTH];
    }
    state->mean /= (double)(r->samples - failed); /* not a number where all failed */
    state->failed += failed;
    for (int j = 0; j < w->n; ++j) {
        state->effort += controls[j] * controls[j];
        state->moved = ac_max(state->moved, fabs(controls[j] - r->start[j]));
    }
    state->factor = factor_of(w, state, state->diameter);
    state->runs = w->runs;
    return AC_OK;
}

/* Fewer failed runs first. (a - mean)/D rewards a large diameter where the mean is beyond the threshold: there the mean
 * alone counts. */
static bool is_better(const ac_robust_work *w, const ac_robust_state *a, const ac_robust_state *b)
{
    if (a->failed != b->failed) return a->failed < b->failed;
    double weight = w->r->effort_weight, margin = margin_of(w, a), other = margin_of(w, b);
    if (!(margin > 0.0 && other > 0.0)) return margin > other;
    return a->factor - weight * a->effort > b->factor - weight * b->effort;
}

static ac_status report(ac_robust_work *w, const ac_robust_state *state)
{
    return w->r->report ? w->r->report(w->r->user, state) : AC_OK;
}

/* Keeps controls that are better than the best ones so far. */
static bool keep_better(ac_robust_work *w, const double *controls, const ac_robust_state *state)
{
    if (!is_better(w, state, &w->state)) return false;
    memcpy(w->best, controls, (size_t)w->n * sizeof *controls);
    w->state = *state;
    return true;
}

ac_status ac_robust_candidate(ac_robust_work *w, const double *controls)
{
    ac_robust_state state;
    ++w->state.iteration;
    AC_TRY(judge(w, controls, &state));
    w->diameter = state.diameter;
    keep_better(w, controls, &state);
    return report(w, &state);
}

/* ---- annealing ---- */

static double inside(const ac_robust_work *w, int j, double value)
{
    return ac_min(w->r->high[j], ac_max(w->r->low[j], value));
}

static void from_parts(const ac_robust_work *w, const double *parts, double *controls)
{
    for (int j = 0; j < w->n; ++j)
        controls[j] = inside(w, j, w->r->low[j] + parts[j] * (w->r->high[j] - w->r->low[j]));
}

/* Beyond the threshold with the diameter of the start. */
static ac_status minus_factor(void *user, const double *parts, double *value)
{
    ac_robust_work *w = user;
    ac_robust_state state;
    from_parts(w, parts, w->trial);
    ++w->state.iteration;
    AC_TRY(judge(w, w->trial, &state));
    double factor = margin_of(w, &state) > 0.0 ? state.factor : factor_of(w, &state, w->scale);
    *value = isnan(factor) ? INFINITY : FAILED * (double)state.failed - factor;
    return keep_better(w, w->trial, &state) ? report(w, &state) : AC_OK;
}

static ac_status by_annealing(ac_robust_work *w)
{
    const ac_robust *r = w->r;
    double *space = ac_allocate(r->ctx, 2 * (size_t)w->n, sizeof *space);
    if (!space) return ac_out_of_memory(r->ctx);
    ac_anneal anneal = {.schedule = &r->annealing,
                        .dice = {r->settings->seed, 0, AC_STREAM_ROBUST + 8u, 0},
                        .count = w->n,
                        .value = minus_factor,
                        .user = w,
                        .parts = space,
                        .trial = space + w->n};
    w->scale = w->state.diameter;
    for (int j = 0; j < w->n; ++j) space[j] = (r->start[j] - r->low[j]) / (r->high[j] - r->low[j]);
    ac_status status = ac_anneal_run(&anneal);
    ac_release(r->ctx, space);
    return status;
}

/* ---- the whole ---- */

static ac_status make_room(ac_robust_work *w)
{
    const ac_robust *r = w->r;
    size_t n = (size_t)w->n, scenarios = (size_t)w->scenarios;
    AC_NEW(r->ctx, w->best, n);
    AC_NEW(r->ctx, w->trial, n);
    AC_NEW(r->ctx, w->known, n);
    AC_NEW(r->ctx, w->size, n);
    AC_NEW(r->ctx, w->numbers, scenarios * AC_ROBUST_WIDTH);
    AC_NEW(r->ctx, w->samples, (size_t)r->samples * AC_ROBUST_WIDTH);
    AC_NEW(r->ctx, w->measures, scenarios);
    return AC_OK;
}

static ac_status begin(ac_robust_work *w)
{
    const ac_robust *r = w->r;
    long grid = ac_grid_points(r->grid, r->input_count);
    for (int j = 0; j < w->n; ++j)
        if (!(r->low[j] < r->high[j]) || !isfinite(r->low[j]) || !isfinite(r->high[j]))
            return ac_fail(r->ctx, AC_BAD_INPUT,
                           "a control needs a limit, or 'near': annealing and differences move in its range");
    w->gridded = grid > 0 && grid <= SCENARIOS_MAX && r->input_count <= 6;
    w->scenarios = w->gridded ? grid : r->samples;
    AC_TRY(make_room(w));
    for (int j = 0; j < w->n; ++j) {
        w->best[j] = inside(w, j, r->start[j]);
        w->size[j] = 0.5 * (r->high[j] - r->low[j]);
    }
    AC_TRY(ac_pieces_open(r->ctx, r->source, r->work, &w->pieces));
    AC_TRY(judge(w, w->best, &w->state));
    AC_TRY(report(w, &w->state));
    return r->search == AC_ROBUST_ANNEALED ? by_annealing(w) : ac_robust_by_gradients(w);
}

ac_status ac_robust_search_controls(const ac_robust *robust, double *controls, ac_robust_state *state)
{
    ac_robust_work w = {.r = robust, .n = robust->control_count};
    ac_context *ctx = robust->ctx;
    ac_status status = begin(&w);
    if (status == AC_OK) {
        memcpy(controls, w.best, (size_t)w.n * sizeof *controls);
        *state = w.state;
        state->runs = w.runs;
    }
    ac_pieces_close(w.pieces);
    void *blocks[] = {w.best, w.trial, w.known, w.size, w.numbers, w.samples, w.measures};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    return status;
}
