/* Robust controls. */
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

enum { SCENARIOS_MAX = 4096, HALVINGS = 8, LARGEST_BLOCK = 64 };
static const double FAILED = 1e3; /* residual of a run that failed: far beyond any other */
static const double SMALL = 1e-5; /* relative change below which an iteration was the last */
static const double DAMPING[3] = {1e-3, 1e-12, 1e12}; /* Levenberg and Marquardt: first, least, most */

/* One batch of runs: variants of the controls, each with all scenarios or samples. */
typedef struct batch {
    const ac_robust_work *w;
    bool sampled;           /* random samples, else scenarios */
    const double *controls; /* variants x control_count */
    double *out;            /* variants x runs x (1 + residuals) */
} batch;

/* ---- runs ---- */

void ac_robust_inputs(const ac_robust_work *w, bool sampled, long run, double *x)
{
    const ac_robust *r = w->r;
    if (!sampled && w->gridded)
        ac_grid_values(r->inputs, r->input_count, r->grid, run, x);
    else
        ac_draw_inputs(r->inputs, r->input_count, r->settings->seed, AC_STREAM_ROBUST + (sampled ? 0u : 1u),
                       run, x);
}

long ac_robust_runs(const ac_robust_work *w, bool sampled)
{
    return sampled ? w->r->samples : w->scenarios;
}

void ac_robust_settle(const ac_robust_work *w, int outcome, double *numbers)
{
    const ac_robust *r = w->r;
    bool failed = outcome > 0 || !isfinite(numbers[0]);
    if (failed) numbers[0] = r->settings->has_failed_measure ? r->settings->failed_measure : FAILED;
    for (int k = 1; k < w->width; ++k)
        if (failed || r->residual_count == 0) numbers[k] = failed ? FAILED : numbers[0];
}

static int run_together(const ac_robust_work *w, const ac_sample_run *run, int count, const double *x,
                        int *outcomes, double *numbers)
{
    const double *rows[AC_RUNS_TOGETHER] = {NULL};
    double measures[AC_RUNS_TOGETHER] = {0}, *residuals[AC_RUNS_TOGETHER] = {NULL};
    for (int k = 0; k < count; ++k) {
        rows[k] = x + k * (w->r->input_count + w->n);
        residuals[k] = numbers + k * w->width + 1;
    }
    int outcome = run->run_together(run->user, count, rows, measures,
                                    w->r->residual_count > 0 ? residuals : NULL, outcomes);
    for (int k = 0; k < count; ++k) numbers[k * w->width] = measures[k];
    return outcome;
}

static ac_status run_some(void *user, ac_context *ctx, const ac_sample_run *run, long first, int count,
                          double *x, double *numbers)
{
    const batch *b = user;
    const ac_robust_work *w = b->w;
    const ac_robust *r = w->r;
    long runs = ac_robust_runs(w, b->sampled);
    int outcomes[AC_RUNS_TOGETHER] = {0}, outcome = 0;
    (void)ctx;
    for (int k = 0; k < count; ++k) {
        double *row = x + k * (r->input_count + w->n);
        ac_robust_inputs(w, b->sampled, (first + k) % runs, row);
        memcpy(row + r->input_count, b->controls + (first + k) / runs * w->n, (size_t)w->n * sizeof *x);
    }
    if (count > 1)
        outcome = run_together(w, run, count, x, outcomes, numbers);
    else
        outcome = outcomes[0] = r->residual_count > 0 ? run->residuals(run->user, x, numbers, numbers + 1)
                                                      : run->run(run->user, x, numbers);
    if (outcome < 0) return AC_NO_MEMORY;
    for (int k = 0; k < count; ++k) ac_robust_settle(w, outcomes[k], numbers + k * w->width);
    return AC_OK;
}

static ac_status keep_numbers(void *user, long first, long count, const double *numbers)
{
    const batch *b = user;
    memcpy(b->out + first * b->w->width, numbers, (size_t)(count * b->w->width) * sizeof *numbers);
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
                        .items = variants * ac_robust_runs(w, sampled),
                        .block = LARGEST_BLOCK,
                        .width = w->width,
                        .user = &b,
                        .together = true,
                        .scratch = w->r->input_count + w->n,
                        .work = run_some,
                        .take = keep_numbers,
                        .before = ac_min(1.0, (double)w->state.iteration / (double)w->r->iterations)};
    w->runs += series.items;
    return ac_pieces_run(w->pieces, &series, &complete);
}

/* ---- the confidence factor ---- */

/* Without a lower limit, so that it says also beyond the threshold what is better. */
static double factor_of(const ac_robust_work *w, double mean, double diameter)
{
    const ac_certify_settings *s = w->r->settings;
    double share = ac_margin_share(ac_bound_confidence(s), s->samples, s->sharp_margin);
    double margin = (s->at_least ? -1.0 : 1.0) * (s->threshold - mean);
    return diameter > 0 ? margin / diameter - share : margin > 0 ? INFINITY : -INFINITY;
}

/* Diameter from the measures of all scenarios: that of the grid, or what the inputs change on average. Its derivative by
 * a measure is added to `by` (NULL: not wanted). */
static double diameter_of(ac_robust_work *w, const double *numbers, long stride, double *by)
{
    const ac_robust *r = w->r;
    double squares = 0.0, *measures = w->numbers;
    for (long k = 0; k < w->scenarios; ++k) measures[k] = numbers[k * stride];
    for (int k = 0; k < r->input_count && w->gridded; ++k) {
        long high, low;
        double found = ac_grid_extremes(r->input_count, r->grid, measures, k, &high, &low);
        squares += found * found;
        if (by) by[high] += found;
        if (by) by[low] -= found;
    }
    double diameter = sqrt(squares);
    for (long k = 0; k < w->scenarios && by && diameter > 0.0; ++k) by[k] /= diameter;
    if (w->gridded) return diameter;
    long high = 0, low = 0;
    for (long k = 0; k < w->scenarios; ++k) {
        if (measures[k] < measures[low]) low = k;
        if (measures[k] > measures[high]) high = k;
    }
    if (by) by[high] += 1.0;
    if (by) by[low] -= 1.0;
    return measures[high] - measures[low];
}

/* The square of the residuals of one scenario, over the reference. */
static double square_of(const ac_robust_work *w, const double *numbers)
{
    double sum = 0.0;
    for (int i = 1; i < w->width; ++i) sum += numbers[i] * numbers[i];
    return sum / w->reference;
}

/* Mean over the scenarios of |residuals|^power: squares for the mean, higher powers for the largest, which decide the
 * diameter. */
static double squares_of(const ac_robust_work *w, const double *numbers, long stride, const double *controls)
{
    double sum = 0.0, effort = 0.0;
    for (long k = 0; k < w->scenarios; ++k)
        sum += w->reference * ac_pow(square_of(w, numbers + k * stride), 0.5 * w->power);
    for (int j = 0; j < w->n; ++j) effort += controls[j] * controls[j];
    return sum / (double)w->scenarios + w->r->effort_weight * effort;
}

static ac_status judge(ac_robust_work *w, const double *controls, ac_robust_state *state)
{
    const ac_robust *r = w->r;
    AC_TRY(ac_robust_run(w, false, controls, 1, w->residuals));
    state->squares = squares_of(w, w->residuals, w->width, controls);
    state->diameter = diameter_of(w, w->residuals, w->width, NULL);
    AC_TRY(ac_robust_run(w, true, controls, 1, w->residuals));
    state->mean = state->effort = state->moved = 0.0;
    for (long k = 0; k < r->samples; ++k) state->mean += w->residuals[k * w->width] / (double)r->samples;
    for (int j = 0; j < w->n; ++j) {
        state->effort += controls[j] * controls[j];
        state->moved = ac_max(state->moved, fabs(controls[j] - r->start[j]));
    }
    state->factor = factor_of(w, state->mean, state->diameter);
    state->runs = w->runs;
    return AC_OK;
}

static ac_status report(ac_robust_work *w, ac_robust_state *state, long iteration)
{
    state->iteration = iteration;
    w->state.iteration = iteration;
    return w->r->report ? w->r->report(w->r->user, state) : AC_OK;
}

static double inside(const ac_robust_work *w, int j, double value)
{
    return ac_min(w->r->high[j], ac_max(w->r->low[j], value));
}

/* ---- scenarios: Gauss-Newton with bounds ---- */

/* gradient and matrix (J^T J) of the squares of all residuals */
static void normal_equations(ac_robust_work *w, const ac_robust_slopes *all, const double *at)
{
    long rows = w->scenarios;
    memset(w->matrix, 0, (size_t)w->n * (size_t)w->n * sizeof *w->matrix);
    memset(w->gradient, 0, (size_t)w->n * sizeof *w->gradient);
    for (long k = 0; k < rows; ++k) {
        const double *numbers = all->numbers + k * all->stride;
        double weight = 0.5 * w->power * ac_pow(square_of(w, numbers), 0.5 * w->power - 1.0) / (double)rows;
        for (int i = 1; i < w->width; ++i) {
            const double *row = numbers + w->width + (i - 1) * w->n;
            for (int a = 0; a < w->n; ++a) {
                w->gradient[a] += weight * row[a] * numbers[i];
                for (int b = 0; b <= a; ++b) w->matrix[a * w->n + b] += weight * row[a] * row[b];
            }
        }
    }
    for (int j = 0; j < w->n; ++j) {
        w->gradient[j] += w->r->effort_weight * at[j];
        w->matrix[j * w->n + j] += w->r->effort_weight;
    }
}

/* Solves (A + damping diag A) s = -g for controls that are free to move; A is in the lower triangle. */
static ac_status damped_step(const ac_robust_work *w, double damping, const double *at, double *A, double *s)
{
    int n = w->n;
    double largest = 0.0;
    for (int a = 0; a < n; ++a) largest = ac_max(largest, w->matrix[a * n + a]);
    for (int a = 0; a < n; ++a) {
        bool held = (at[a] <= w->r->low[a] && w->gradient[a] > 0) ||
                    (at[a] >= w->r->high[a] && w->gradient[a] < 0);
        s[a] = held ? 0.0 : -w->gradient[a];
        for (int b = 0; b <= a; ++b) A[a * n + b] = w->matrix[a * n + b];
        A[a * n + a] += damping * largest;
        for (int b = 0; b < a && held; ++b) A[a * n + b] = 0.0;
        for (int b = a + 1; b < n && held; ++b) A[b * n + a] = 0.0;
        if (held) A[a * n + a] = 1.0;
    }
    /* rows below a held one were filled after it: clear its column again */
    for (int a = 0; a < n; ++a) {
        bool held = s[a] == 0.0 && w->gradient[a] != 0.0;
        for (int b = a + 1; b < n && held; ++b) A[b * n + a] = 0.0;
    }
    for (int a = 0; a < n; ++a) { /* Cholesky, row by row, and the forward solve */
        for (int b = 0; b <= a; ++b) {
            double sum = A[a * n + b];
            for (int k = 0; k < b; ++k) sum -= A[a * n + k] * A[b * n + k];
            if (a == b && !(sum > 0.0)) return AC_SINGULAR;
            A[a * n + b] = a == b ? sqrt(sum) : sum / A[b * n + b];
        }
        for (int k = 0; k < a; ++k) s[a] -= A[a * n + k] * s[k];
        s[a] /= A[a * n + a];
    }
    for (int a = n - 1; a >= 0; --a) {
        for (int k = a + 1; k < n; ++k) s[a] -= A[k * n + a] * s[k];
        s[a] /= A[a * n + a];
    }
    return AC_OK;
}

/* One iteration from w->trial; false in *going when nothing is gained any more. */
static ac_status scenario_step(ac_robust_work *w, double *at, double *factor, double *space, bool *going)
{
    double *A = space, *s = space + (size_t)w->n * (size_t)w->n, *next = s + w->n;
    ac_robust_slopes all;
    AC_TRY(ac_robust_find_slopes(w, false, false, at, &all));
    double before = squares_of(w, all.numbers, all.stride, at);
    normal_equations(w, &all, at);
    ac_robust_drop_slopes(w, &all);
    *going = false;
    for (int k = 0; k < HALVINGS && *factor < DAMPING[2]; ++k) {
        if (damped_step(w, *factor, at, A, s) == AC_OK) {
            for (int j = 0; j < w->n; ++j) next[j] = inside(w, j, at[j] + s[j]);
            AC_TRY(ac_robust_run(w, false, next, 1, w->residuals));
            double after = squares_of(w, w->residuals, w->width, next);
            if (after < before) {
                memcpy(at, next, (size_t)w->n * sizeof *at);
                *factor = ac_max(DAMPING[1], 0.2 * *factor);
                *going = after < before * (1.0 - SMALL);
                return AC_OK;
            }
        }
        *factor *= 5.0;
    }
    return AC_OK;
}

static void keep_best(ac_robust_work *w, const double *controls, const ac_robust_state *state)
{
    if (!(state->factor > w->state.factor)) return;
    memcpy(w->best, controls, (size_t)w->n * sizeof *controls);
    w->state = *state;
}

/* The largest square of the scenarios at w->trial becomes the reference. */
static ac_status set_power(ac_robust_work *w, double power)
{
    w->power = power;
    w->reference = 1.0;
    double largest = 0.0;
    AC_TRY(ac_robust_run(w, false, w->trial, 1, w->residuals));
    for (long k = 0; k < w->scenarios; ++k)
        largest = ac_max(largest, square_of(w, w->residuals + k * w->width));
    w->reference = largest > 0.0 ? largest : 1.0;
    return AC_OK;
}

static ac_status by_scenarios(ac_robust_work *w, double power, long *iteration)
{
    size_t n = (size_t)w->n;
    double damping = DAMPING[0];
    AC_TRY(set_power(w, power));
    double *space = ac_allocate(w->r->ctx, n * n + 2 * n, sizeof *space);
    ac_status status = space ? AC_OK : ac_out_of_memory(w->r->ctx);
    bool going = true;
    for (long k = 1; k <= w->r->iterations && going && status == AC_OK; ++k) {
        ac_robust_state state = {0};
        status = scenario_step(w, w->trial, &damping, space, &going);
        if (status == AC_OK) status = judge(w, w->trial, &state);
        if (status == AC_OK) status = report(w, &state, ++*iteration);
        if (status == AC_OK) keep_best(w, w->trial, &state);
    }
    ac_release(w->r->ctx, space);
    return status;
}

/* Squares first, then powers that count the largest residuals more and more. */
static ac_status by_powers(ac_robust_work *w, long *iteration)
{
    static const double powers[] = {2.0, 4.0, 8.0};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        memcpy(w->trial, w->best, (size_t)w->n * sizeof *w->trial);
        AC_TRY(by_scenarios(w, powers[k], iteration));
    }
    w->power = 2.0;
    w->reference = 1.0;
    return AC_OK;
}

/* ---- ascent of the confidence factor ---- */

/* gradient += factor times the derivatives of the measures, each with its weight. */
static void add_slopes(const ac_robust_work *w, const ac_robust_slopes *all, long runs, const double *weights,
                       double factor, double *gradient)
{
    for (long k = 0; k < runs; ++k)
        for (int j = 0; j < w->n && (!weights || weights[k] != 0.0); ++j)
            gradient[j] += factor * (weights ? weights[k] : 1.0) *
                           all->numbers[k * all->stride + w->width + j];
}

/* Gradient of the factor margin/D - share at w->best, by parts of the sizes of the controls. */
static ac_status factor_gradient(ac_robust_work *w, double *by, double *gradient)
{
    ac_robust_slopes sampled, gridded;
    long runs = w->r->samples;
    double mean = 0.0, sign = w->r->settings->at_least ? -1.0 : 1.0;
    memset(gradient, 0, (size_t)w->n * sizeof *gradient);
    memset(by, 0, (size_t)w->scenarios * sizeof *by);
    AC_TRY(ac_robust_find_slopes(w, true, true, w->best, &sampled));
    ac_status status = ac_robust_find_slopes(w, false, true, w->best, &gridded);
    if (status == AC_OK) {
        double diameter = diameter_of(w, gridded.numbers, gridded.stride, by);
        for (long k = 0; k < runs; ++k) mean += sampled.numbers[k * sampled.stride] / (double)runs;
        double margin = sign * (w->r->settings->threshold - mean);
        add_slopes(w, &sampled, runs, NULL, -sign / (diameter * (double)runs), gradient);
        add_slopes(w, &gridded, w->scenarios, by, -margin / (diameter * diameter), gradient);
        ac_robust_drop_slopes(w, &gridded);
    }
    ac_robust_drop_slopes(w, &sampled);
    for (int j = 0; j < w->n; ++j) {
        gradient[j] *= w->size[j];
        bool held = (w->best[j] <= w->r->low[j] && gradient[j] < 0) ||
                    (w->best[j] >= w->r->high[j] && gradient[j] > 0);
        if (held) gradient[j] = 0.0;
    }
    return status;
}

/* A step along `direction` that gains something; halved until it does. */
static ac_status climb(ac_robust_work *w, const double *direction, double *length, ac_robust_state *state,
                       bool *gained)
{
    *gained = false;
    for (int k = 0; k < HALVINGS && !*gained; ++k) {
        for (int j = 0; j < w->n; ++j)
            w->trial[j] = inside(w, j, w->best[j] + *length * w->size[j] * direction[j]);
        AC_TRY(judge(w, w->trial, state));
        *gained = state->factor > w->state.factor * (1.0 + SMALL);
        *length *= *gained ? 2.0 : 0.35;
    }
    return AC_OK;
}

static ac_status by_ascent(ac_robust_work *w)
{
    int n = w->n;
    double length = 1e-3;
    long first = 0;
    AC_TRY(by_powers(w, &first));
    if (w->r->effort_weight > 0.0) return AC_OK; /* the factor knows nothing of effort */
    double *gradient = ac_allocate(w->r->ctx, (size_t)n + (size_t)w->scenarios, sizeof *gradient);
    ac_status status = gradient ? AC_OK : ac_out_of_memory(w->r->ctx);
    bool gained = true;
    for (long k = 1; k <= w->r->iterations && gained && status == AC_OK; ++k) {
        double norm = 0.0;
        ac_robust_state state = {0};
        status = factor_gradient(w, gradient + n, gradient);
        for (int j = 0; j < n; ++j) norm = ac_max(norm, fabs(gradient[j]));
        if (!(norm > 0.0)) break;
        for (int j = 0; j < n; ++j) gradient[j] /= norm;
        if (status == AC_OK) status = climb(w, gradient, &length, &state, &gained);
        if (status != AC_OK || !gained) break;
        status = report(w, &state, first + k);
        keep_best(w, w->trial, &state);
    }
    ac_release(w->r->ctx, gradient);
    return status;
}

/* ---- annealing ---- */

static void from_parts(const ac_robust_work *w, const double *parts, double *controls)
{
    for (int j = 0; j < w->n; ++j)
        controls[j] = inside(w, j, w->r->low[j] + parts[j] * (w->r->high[j] - w->r->low[j]));
}

static ac_status minus_factor(void *user, const double *parts, double *value)
{
    ac_robust_work *w = user;
    ac_robust_state state = {0};
    from_parts(w, parts, w->trial);
    AC_TRY(judge(w, w->trial, &state));
    *value = -state.factor;
    state.iteration = ++w->state.iteration;
    if (state.factor > w->state.factor) {
        keep_best(w, w->trial, &state);
        return report(w, &state, state.iteration);
    }
    return AC_OK;
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
    for (int j = 0; j < w->n; ++j) space[j] = (r->start[j] - r->low[j]) / (r->high[j] - r->low[j]);
    ac_status status = ac_anneal_run(&anneal);
    ac_release(r->ctx, space);
    return status;
}

/* ---- the whole ---- */

static ac_status begin(ac_robust_work *w)
{
    const ac_robust *r = w->r;
    long grid = ac_grid_points(r->grid, r->input_count);
    size_t n = (size_t)w->n;
    for (int j = 0; j < w->n; ++j)
        if (!(r->low[j] < r->high[j]) || !isfinite(r->low[j]) || !isfinite(r->high[j]))
            return ac_fail(r->ctx, AC_BAD_INPUT,
                           "a control needs a limit, or 'near': annealing and differences move in its range");
    w->gridded = grid > 0 && grid <= SCENARIOS_MAX && r->input_count <= 6;
    w->scenarios = w->gridded ? grid : r->samples;
    long most = w->scenarios > r->samples ? w->scenarios : r->samples;
    AC_NEW(r->ctx, w->best, n);
    AC_NEW(r->ctx, w->trial, n);
    AC_NEW(r->ctx, w->gradient, n);
    AC_NEW(r->ctx, w->matrix, n * n);
    AC_NEW(r->ctx, w->size, n);
    AC_NEW(r->ctx, w->residuals, (size_t)most * (size_t)w->width);
    AC_NEW(r->ctx, w->numbers, (size_t)most + n);
    for (int j = 0; j < w->n; ++j) {
        w->best[j] = w->trial[j] = inside(w, j, r->start[j]);
        w->size[j] = ac_min(0.5 * (r->high[j] - r->low[j]), ac_max(1.0, 0.5 * (r->high[j] - r->low[j])));
    }
    AC_TRY(ac_pieces_open(r->ctx, r->source, r->work, &w->pieces));
    AC_TRY(judge(w, w->best, &w->state));
    AC_TRY(report(w, &w->state, 0));
    switch (r->search) {
    case AC_ROBUST_ANNEALED: return by_annealing(w);
    case AC_ROBUST_ASCENT: return by_ascent(w);
    default: return by_powers(w, &(long){0});
    }
}

ac_status ac_robust_search_controls(const ac_robust *robust, double *controls, ac_robust_state *state)
{
    ac_robust_work w = {.r = robust,
                        .n = robust->control_count,
                        .power = 2.0,
                        .reference = 1.0,
                        .width = 1 + (robust->residual_count > 0 ? robust->residual_count : 1)};
    ac_context *ctx = robust->ctx;
    ac_status status = begin(&w);
    if (status == AC_OK) {
        memcpy(controls, w.best, (size_t)w.n * sizeof *controls);
        *state = w.state;
        state->runs = w.runs;
    }
    ac_pieces_close(w.pieces);
    void *blocks[] = {w.best, w.trial, w.gradient, w.matrix, w.size, w.residuals, w.numbers};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    return status;
}
