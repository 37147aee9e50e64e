/* A certification: samples of the measure, diameters of the inputs, and the bounds that follow. */
#include "actio/certify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "certify/certify.h"
#include "certify/diameter.h"
#include "certify/pieces.h"
#include "certify/random.h"
#include "math/math.h"

enum {
    SERIES_SAMPLES = 1,
    SERIES_MEAN,
    SERIES_SEARCH,
    SERIES_SCAN,
    SAMPLE_NUMBERS = 2,
    BLOCKS = 64,
    BLOCK_MAX = 1024
};

void ac_certify_defaults(ac_certify_settings *settings)
{
    *settings = (ac_certify_settings){
        .tolerance = 0.01,
        .confidence = 0.99,
        .samples = 100,
        .seed = 1,
        .search = AC_SEARCH_STARTS,
        .starts = 4,
        .grid = 21,
        .annealing = {.evaluations = 2000,
                      .per_temperature = 30,
                      .accepted = 20,
                      .rejected = 300,
                      .factor = 0.8,
                      .lowest = 1e-8,
                      .boltzmann = 1.0,
                      .width = 0.25},
    };
}

/* ---- settings ---- */

static ac_status check_annealing(ac_context *ctx, const ac_annealing *a)
{
    if (a->evaluations < 1 || a->per_temperature < 1 || a->accepted < 1 || a->rejected < 1)
        return ac_fail(ctx, AC_BAD_INPUT, "the counts of an annealing must be positive");
    if (!(a->factor > 0.0 && a->factor < 1.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the temperature must fall by a factor between 0 and 1");
    if (!(a->width > 0.0) || !(a->boltzmann > 0.0) || !(a->lowest > 0.0))
        return ac_fail(ctx, AC_BAD_INPUT,
                       "width, boltzmann and lowest temperature of an annealing must be positive");
    return AC_OK;
}

static ac_status check_settings(ac_context *ctx, const ac_certify_settings *s, int count)
{
    if (count < 1) return ac_fail(ctx, AC_BAD_INPUT, "there is no uncertain input");
    if (!isfinite(s->threshold)) return ac_fail(ctx, AC_BAD_INPUT, "the threshold must be a finite number");
    if (!(s->tolerance > 0.0 && s->tolerance < 1.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the tolerance is a probability between 0 and 1");
    if (!(s->confidence > 0.0 && s->confidence < 1.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the confidence is a probability between 0 and 1");
    if (s->samples < 1) return ac_fail(ctx, AC_BAD_INPUT, "at least one sample is needed");
    if (s->mean_samples < 0) return ac_fail(ctx, AC_BAD_INPUT, "mean_samples must not be negative");
    if (s->starts < 1) return ac_fail(ctx, AC_BAD_INPUT, "at least one start is needed");
    if (s->line_points != 0 && s->line_points < 3)
        return ac_fail(ctx, AC_BAD_INPUT, "at least three points along an input are needed");
    if (s->grid < 2) return ac_fail(ctx, AC_BAD_INPUT, "a grid needs at least two points for each input");
    if (s->search == AC_SEARCH_GRID && ac_grid_points(s->grid, count) < 0)
        return ac_fail(ctx, AC_BAD_INPUT,
                       "a grid of %d points for each of %d inputs is too large; search from starts instead",
                       s->grid, count);
    if (s->has_failed_measure && !isfinite(s->failed_measure))
        return ac_fail(ctx, AC_BAD_INPUT, "the measure of a failed run must be a finite number");
    return check_annealing(ctx, &s->annealing);
}

/* ---- samples ---- */

/* Sums in the order of the samples. */
typedef struct tally {
    long count, measured, failures, failed, first_failed;
    double mean, squares; /* Welford */
    double low, high;
} tally;

typedef struct certification {
    ac_context *ctx;
    const ac_uncertain *inputs;
    int count;
    const ac_certify_settings *settings;
    const ac_certify_work *work;
    ac_certificate *out;
    ac_pieces *pieces;
    double sign; /* the measure times sign must not exceed the threshold times sign */
    int set;     /* of the samples at hand */
    int grid;    /* points for each input of the grid at hand */
    tally tallies[2];
    double *x;        /* inputs of one sample */
    double *measures; /* of the grid; NULL: there is none */
} certification;

void ac_draw_inputs(const ac_uncertain *inputs, int count, uint64_t seed, unsigned stream, long sample,
                    double *x)
{
    for (int k = 0; k < count; ++k)
        x[k] = ac_uncertain_draw(&inputs[k], seed, stream, (uint64_t)sample, (unsigned)k);
}

static unsigned stream_of(int set)
{
    return set == 0 ? AC_STREAM_SAMPLES : AC_STREAM_MEAN;
}

ac_status ac_measure_once(ac_context *ctx, const ac_sample_run *run, const double *x, double *measure,
                          bool *failed)
{
    *measure = 0.0;
    int outcome = run->run(run->user, x, measure);
    if (outcome < 0) {
        if (!ac_context_message(ctx)[0]) ac_fail(ctx, AC_NOT_CONVERGED, "a run gave up");
        return AC_NOT_CONVERGED;
    }
    *failed = outcome > 0 || !isfinite(*measure);
    if (*failed) *measure = 0.0;
    return AC_OK;
}

ac_status ac_measure_several(ac_context *ctx, const ac_sample_run *run, int count, const double *x, int width,
                             double *numbers)
{
    const double *rows[AC_RUNS_TOGETHER] = {NULL};
    double measures[AC_RUNS_TOGETHER] = {0};
    int outcomes[AC_RUNS_TOGETHER] = {0};
    if (count == 1) {
        bool failed = false;
        AC_TRY(ac_measure_once(ctx, run, x, &numbers[0], &failed));
        numbers[1] = failed;
        return AC_OK;
    }
    for (int k = 0; k < count; ++k) rows[k] = x + k * width;
    if (run->run_together(run->user, count, rows, measures, NULL, outcomes) < 0) {
        if (!ac_context_message(ctx)[0]) ac_fail(ctx, AC_NOT_CONVERGED, "a run gave up");
        return AC_NOT_CONVERGED;
    }
    for (int k = 0; k < count; ++k) {
        bool failed = outcomes[k] > 0 || !isfinite(measures[k]);
        numbers[2 * k] = failed ? 0.0 : measures[k];
        numbers[2 * k + 1] = failed;
    }
    return AC_OK;
}

static ac_status work_samples(void *user, ac_context *ctx, const ac_sample_run *run, long first, int count,
                              double *x, double *numbers)
{
    const certification *c = user;
    for (int k = 0; k < count; ++k)
        ac_draw_inputs(c->inputs, c->count, c->settings->seed, stream_of(c->set), first + k,
                       x + k * c->count);
    return ac_measure_several(ctx, run, count, x, c->count, numbers);
}

static void count_sample(tally *t, long number, double measure, bool failed, bool measured, bool beyond)
{
    ++t->count;
    t->failures += failed || beyond;
    t->failed += failed;
    if (failed && t->first_failed < 0) t->first_failed = number;
    if (!measured) return;
    ++t->measured;
    double change = measure - t->mean;
    t->mean += change / (double)t->measured;
    t->squares += change * (measure - t->mean);
    t->low = ac_min(t->low, measure);
    t->high = ac_max(t->high, measure);
}

static ac_status take_samples(void *user, long first, long count, const double *numbers)
{
    certification *c = user;
    const ac_certify_settings *s = c->settings;
    for (long k = 0; k < count; ++k, numbers += SAMPLE_NUMBERS) {
        bool failed = numbers[1] != 0.0;
        double measure = failed ? s->failed_measure : numbers[0];
        count_sample(&c->tallies[c->set], first + k, measure, failed, !failed || s->has_failed_measure,
                     c->sign * measure > c->sign * s->threshold);
        if (!c->work->sample) continue;
        ac_draw_inputs(c->inputs, c->count, s->seed, stream_of(c->set), first + k, c->x);
        AC_TRY(c->work->sample(c->work->sample_user, c->set, first + k, c->x, measure, failed));
    }
    return AC_OK;
}

static int block_of(long items)
{
    long block = (items + BLOCKS - 1) / BLOCKS;
    return (int)(block < BLOCK_MAX ? block : BLOCK_MAX);
}

/* Runs that all series need, roughly, for the shares of the progress. */
static double expected_search(const certification *c)
{
    const ac_certify_settings *s = c->settings;
    if (s->search == AC_SEARCH_GRID) return (double)ac_grid_points(s->grid, c->count);
    if (s->search == AC_SEARCH_ANNEALING)
        return 2.0 * (double)s->annealing.evaluations * s->starts * c->count;
    double scan = ac_scan_is_grid(s, c->count) ? (double)ac_grid_points(ac_scan_points(s, c->count), c->count)
                                               : 0.0;
    return scan + 40.0 * s->starts * c->count;
}

static double expected_runs(const certification *c)
{
    return (double)(c->settings->samples + c->settings->mean_samples) + expected_search(c);
}

static ac_status run_samples(certification *c, int set, bool *complete)
{
    const ac_certify_settings *s = c->settings;
    long items = set == 0 ? s->samples : s->mean_samples;
    double all = expected_runs(c);
    ac_series series = {.number = set == 0 ? SERIES_SAMPLES : SERIES_MEAN,
                        .name = set == 0 ? "samples" : "samples of the mean",
                        .items = items,
                        .block = block_of(items),
                        .width = SAMPLE_NUMBERS,
                        .user = c,
                        .together = true,
                        .scratch = c->count,
                        .work = work_samples,
                        .take = take_samples,
                        .before = set == 0 ? 0.0 : (double)s->samples / all,
                        .share = (double)items / all};
    c->set = set;
    c->tallies[set] = (tally){.first_failed = -1, .low = INFINITY, .high = -INFINITY};
    c->out->sample_runs += items;
    return items > 0 ? ac_pieces_run(c->pieces, &series, complete) : AC_OK;
}

/* ---- diameters ---- */

/* Annealing is repeated from each start; the search from starts goes through all of them itself. */
static int searches_each(const ac_certify_settings *settings)
{
    return settings->search == AC_SEARCH_ANNEALING ? settings->starts : 1;
}

static ac_status work_search(void *user, ac_context *ctx, const ac_sample_run *run, long item, int count,
                             double *scratch, double *numbers)
{
    const certification *c = user;
    (void)count, (void)scratch;
    int each = searches_each(c->settings);
    ac_status status = ac_diameter_search_once(ctx, c->inputs, c->count, c->settings, run, c->measures,
                                               (int)(item / each), item % each, numbers);
    if (status != AC_OK && !ac_context_message(ctx)[0]) ac_fail(ctx, status, "a run gave up");
    return status;
}

static ac_status take_search(void *user, long first, long count, const double *numbers)
{
    certification *c = user;
    int each = searches_each(c->settings);
    for (long k = 0; k < count; ++k, numbers += AC_DIAMETER_NUMBERS + c->count) {
        int input = (int)((first + k) / each);
        ac_sub_diameter *sub = &c->out->inputs[input];
        double *where = c->out->where + (size_t)input * (size_t)c->count;
        sub->runs += (long)numbers[3];
        c->out->search_runs += (long)numbers[3];
        sub->slope = ac_max(sub->slope, numbers[5]);
        if (!isfinite(sub->found)) continue;
        bool failed = numbers[4] != 0.0, fresh = (first + k) % each == 0;
        if (!failed && !fresh && !(numbers[0] > sub->found)) continue;
        sub->found = failed ? INFINITY : numbers[0];
        sub->a = numbers[1];
        sub->b = numbers[2];
        memcpy(where, numbers + AC_DIAMETER_NUMBERS, (size_t)c->count * sizeof *where);
    }
    return AC_OK;
}

static ac_status work_grid(void *user, ac_context *ctx, const ac_sample_run *run, long first, int count,
                           double *x, double *numbers)
{
    const certification *c = user;
    for (int k = 0; k < count; ++k) ac_grid_values(c->inputs, c->count, c->grid, first + k, x + k * c->count);
    return ac_measure_several(ctx, run, count, x, c->count, numbers);
}

static ac_status take_grid(void *user, long first, long count, const double *numbers)
{
    certification *c = user;
    const ac_certify_settings *s = c->settings;
    c->out->search_runs += count;
    for (long k = 0; k < count; ++k, numbers += SAMPLE_NUMBERS) {
        bool failed = numbers[1] != 0.0;
        c->measures[first + k] = failed ? s->failed_measure : numbers[0];
        if (!failed || s->has_failed_measure || c->out->search_failed) continue;
        c->out->search_failed = true;
        for (int i = 0; i < c->count; ++i)
            ac_grid_values(c->inputs, c->count, c->grid, first + k,
                           c->out->where + (size_t)i * (size_t)c->count);
    }
    return AC_OK;
}

/* Measures of all points of a grid; a failed run among them leaves every diameter without a bound. */
static ac_status run_grid(certification *c, ac_series *series, int grid, bool *complete)
{
    c->grid = grid;
    series->items = ac_grid_points(grid, c->count);
    series->block = block_of(series->items);
    series->width = SAMPLE_NUMBERS;
    series->together = true;
    series->scratch = c->count;
    series->work = work_grid;
    series->take = take_grid;
    AC_NEW(c->ctx, c->measures, series->items);
    AC_TRY(ac_pieces_run(c->pieces, series, complete));
    for (int k = 0; k < c->count; ++k) {
        c->out->inputs[k].found = c->out->search_failed ? INFINITY : 0.0;
        c->out->inputs[k].runs = series->items;
    }
    return AC_OK;
}

static void take_diameters(certification *c)
{
    for (int k = 0; k < c->count && !c->out->search_failed; ++k)
        ac_grid_diameter(c->inputs, c->count, c->grid, c->measures, k, &c->out->inputs[k],
                         c->out->where + (size_t)k * (size_t)c->count);
}

static ac_status run_searches(certification *c, ac_series *series, bool *complete)
{
    series->items = (long)c->count * searches_each(c->settings);
    series->block = 1;
    series->width = AC_DIAMETER_NUMBERS + c->count;
    series->work = work_search;
    series->take = take_search;
    return ac_pieces_run(c->pieces, series, complete);
}

static ac_status run_search(certification *c, bool *complete)
{
    const ac_certify_settings *s = c->settings;
    double share = expected_search(c) / expected_runs(c);
    ac_series series = {
        .number = SERIES_SEARCH, .name = "searches", .user = c, .before = 1.0 - share, .share = share};
    if (s->search == AC_SEARCH_GRID) {
        AC_TRY(run_grid(c, &series, s->grid, complete));
        if (*complete) take_diameters(c);
        return AC_OK;
    }
    if (s->search == AC_SEARCH_STARTS && ac_scan_is_grid(s, c->count)) {
        ac_series scan = {.number = SERIES_SCAN,
                          .name = "points of the grid",
                          .user = c,
                          .everywhere = true,
                          .before = 1.0 - share};
        AC_TRY(run_grid(c, &scan, ac_scan_points(s, c->count), complete));
        if (c->out->search_failed || !*complete) return AC_OK;
    }
    return run_searches(c, &series, complete);
}

/* ---- the certificate ---- */

double ac_bound_confidence(const ac_certify_settings *s)
{
    return s->bound == AC_CERTIFY_BEST ? 1.0 - (1.0 - s->confidence) / 3.0 : s->confidence;
}

static double sum_diameter(certification *c)
{
    double squares = 0.0;
    for (int k = 0; k < c->count; ++k) {
        ac_sub_diameter *sub = &c->out->inputs[k];
        const ac_uncertain *input = &c->inputs[k];
        double limit = input->slope_limit * (input->high - input->low);
        sub->by_slope = limit > 0.0;
        sub->value = sub->by_slope ? limit : sub->found;
        c->out->search_failed = c->out->search_failed || !isfinite(sub->found);
        squares += sub->value * sub->value;
    }
    return sqrt(squares);
}

/* With the steepest slope of each input in place of what was found; never less than that. */
static double sum_slopes(const certification *c)
{
    double squares = 0.0;
    for (int k = 0; k < c->count; ++k) {
        const ac_sub_diameter *sub = &c->out->inputs[k];
        double value = sub->by_slope ? sub->value : ac_max(sub->value, sub->slope);
        squares += value * value;
    }
    return sqrt(squares);
}

/* A slope that is given as proven must not be exceeded between two runs. */
static ac_status check_slopes(const certification *c)
{
    static const double ROUNDING = 1e-9;
    for (int k = 0; k < c->count; ++k) {
        const ac_uncertain *input = &c->inputs[k];
        const ac_sub_diameter *sub = &c->out->inputs[k];
        double limit = input->slope_limit * (input->high - input->low);
        if (!(limit > 0.0) || !isfinite(sub->found) || sub->found <= (1.0 + ROUNDING) * limit) continue;
        return ac_fail(
            c->ctx, AC_BAD_INPUT,
            "the slope %g of the input '%s' is no bound: from %g to %g the measure changes by %g, more "
            "than the slope allows over the whole range (%g)",
            input->slope_limit, input->name, sub->b, sub->a, sub->found, limit);
    }
    return AC_OK;
}

static double factor_of(double margin, double diameter)
{
    if (!(margin > 0.0) || !isfinite(diameter)) return 0.0;
    return margin / diameter;
}

static void decide(const certification *c)
{
    const ac_certify_settings *s = c->settings;
    ac_certificate *out = c->out;
    const double bounds[] = {[AC_CERTIFY_MCDIARMID] = out->mcdiarmid,
                             [AC_CERTIFY_HOEFFDING] = out->hoeffding,
                             [AC_CERTIFY_CLOPPER_PEARSON] = out->clopper_pearson};
    out->decisive = s->bound == AC_CERTIFY_BEST ? AC_CERTIFY_MCDIARMID : s->bound;
    for (int k = AC_CERTIFY_HOEFFDING; k <= AC_CERTIFY_CLOPPER_PEARSON && s->bound == AC_CERTIFY_BEST; ++k)
        if (bounds[k] < bounds[out->decisive]) out->decisive = (ac_certify_bound)k;
    out->bound = bounds[out->decisive];
    out->certified = out->bound <= s->tolerance;
}

static void put_mcdiarmid(certification *c, bool measured)
{
    const ac_certify_settings *s = c->settings;
    ac_certificate *out = c->out;
    double share = ac_margin_share(ac_bound_confidence(s), s->samples, s->sharp_margin);
    double margin = c->sign * (s->threshold - out->mean);
    out->diameter = sum_diameter(c);
    out->margin_hit = share * out->diameter;
    out->needed_factor = sqrt(-0.5 * ac_log(s->tolerance));
    out->mcdiarmid = out->bound_exact = out->gradient_bound = 1.0;
    out->gradient_diameter = sum_slopes(c);
    if (!measured || !isfinite(out->diameter)) return;
    out->confidence_factor = factor_of(margin - out->margin_hit, out->diameter);
    out->mcdiarmid = ac_mcdiarmid(margin - out->margin_hit, out->diameter);
    out->gradient_bound = ac_mcdiarmid(margin - share * out->gradient_diameter, out->gradient_diameter);
    out->largest_diameter = margin > 0.0 ? margin / (out->needed_factor + share) : 0.0;
    if (s->mean_samples < 1) return;
    double exact = c->sign * (s->threshold - out->mean_exact);
    out->confidence_factor_exact = factor_of(exact, out->diameter);
    out->bound_exact = ac_mcdiarmid(exact, out->diameter);
}

static void put_counts(certification *c)
{
    const ac_certify_settings *s = c->settings;
    ac_certificate *out = c->out;
    const tally *a = &c->tallies[0], *b = &c->tallies[1];
    long runs = a->count + b->count, measured = a->measured + b->measured;
    double apart = a->mean - b->mean;
    out->failures = a->failures + b->failures;
    out->failed = a->failed + b->failed;
    out->first_failed = a->first_failed >= 0 ? a->first_failed : b->first_failed;
    out->mean = a->mean;
    out->mean_exact = b->mean;
    out->lowest = ac_min(a->low, b->low);
    out->highest = ac_max(a->high, b->high);
    double squares = a->squares + b->squares;
    if (a->measured > 0 && b->measured > 0)
        squares += apart * apart * (double)a->measured * (double)b->measured / (double)measured;
    out->deviation = measured > 1 ? sqrt(squares / (double)(measured - 1)) : 0.0;
    out->rate = (double)out->failures / (double)runs;
    out->hoeffding = ac_hoeffding(out->failures, runs, ac_bound_confidence(s));
    double one_sided = 2.0 * ac_bound_confidence(s) - 1.0, low; /* its upper end alone may be wrong */
    ac_clopper_pearson(out->failures, runs, one_sided, &low, &out->clopper_pearson);
    ac_clopper_pearson(out->failures, runs, s->confidence, &out->rate_low, &out->rate_high);
    double unsure = 1.0 - s->confidence;
    out->runs_hoeffding = ceil(-ac_log(unsure) / (2.0 * s->tolerance * s->tolerance));
    out->runs_monte_carlo = ceil(ac_log(unsure) / ac_log1p(-s->tolerance));
}

/* Runs a failed point again for its reason. */
static void keep_reason(certification *c, const double *x)
{
    const ac_sample_run *run = ac_pieces_runner(c->pieces);
    double measure;
    if (!run->reason || run->run(run->user, x, &measure) <= 0) return;
    snprintf(c->out->reason, sizeof c->out->reason, "%s", run->reason(run->user));
}

static void find_reason(certification *c)
{
    const tally *a = &c->tallies[0];
    if (c->out->failed > 0) {
        int set = a->first_failed >= 0 ? 0 : 1;
        ac_draw_inputs(c->inputs, c->count, c->settings->seed, stream_of(set), c->out->first_failed, c->x);
        keep_reason(c, c->x);
        return;
    }
    for (int k = 0; k < c->count; ++k)
        if (!isfinite(c->out->inputs[k].found)) {
            keep_reason(c, c->out->where + (size_t)k * (size_t)c->count);
            return;
        }
}

/* Problems that no number would show. */
static ac_status check_samples(certification *c)
{
    const tally *t = &c->tallies[0];
    if (t->failed == t->count) {
        c->out->failed = t->failed;
        c->out->first_failed = t->first_failed;
        find_reason(c);
        return ac_fail(c->ctx, AC_BAD_INPUT, "the measure was never evaluated: all %ld runs failed%s%s",
                       t->count, c->out->reason[0] ? "; the first because " : "", c->out->reason);
    }
    return AC_OK;
}

static ac_status certify(certification *c)
{
    bool complete[3] = {true, true, true};
    AC_TRY(run_samples(c, 0, &complete[0]));
    if (complete[0]) AC_TRY(check_samples(c));
    AC_TRY(run_samples(c, 1, &complete[1]));
    AC_TRY(run_search(c, &complete[2]));
    ac_certificate *out = c->out;
    out->complete = complete[0] && complete[1] && complete[2];
    if (!out->complete) return AC_OK;
    AC_TRY(check_slopes(c));
    put_counts(c);
    put_mcdiarmid(c, c->settings->has_failed_measure || out->failed == 0);
    decide(c);
    if (out->failed > 0 || out->search_failed) find_reason(c);
    out->runs = out->sample_runs + out->search_runs;
    return AC_OK;
}

static ac_status begin(certification *c, const ac_sample_source *source)
{
    size_t count = (size_t)c->count;
    AC_TRY(check_settings(c->ctx, c->settings, c->count));
    for (int k = 0; k < c->count; ++k) {
        ac_uncertain copy = c->inputs[k];
        AC_TRY(ac_uncertain_check(c->ctx, &copy));
        if (copy.low != c->inputs[k].low || copy.high != c->inputs[k].high)
            return ac_fail(c->ctx, AC_BAD_INPUT, "the input '%s' was not checked", copy.name);
    }
    AC_NEW(c->ctx, c->x, count);
    AC_NEW(c->ctx, c->out->inputs, count);
    AC_NEW(c->ctx, c->out->where, count * count);
    AC_TRY(ac_pieces_open(c->ctx, source, c->work, &c->pieces));
    c->out->kept = ac_pieces_kept(c->pieces);
    return certify(c);
}

ac_status ac_certify(ac_context *ctx, const ac_uncertain *inputs, int input_count,
                     const ac_certify_settings *settings, const ac_sample_source *source,
                     const ac_certify_work *work, ac_certificate *certificate)
{
    static const ac_certify_work alone = {0};
    memset(certificate, 0, sizeof *certificate);
    certificate->first_failed = -1;
    certification c = {.ctx = ctx,
                       .inputs = inputs,
                       .count = input_count,
                       .settings = settings,
                       .work = work ? work : &alone,
                       .out = certificate,
                       .sign = settings->at_least ? -1.0 : 1.0};
    ac_status status = begin(&c, source);
    if (status == AC_BAD_INPUT) ac_pieces_forget(c.pieces);
    ac_pieces_close(c.pieces);
    ac_release(ctx, c.x);
    ac_release(ctx, c.measures);
    if (status != AC_OK) ac_certificate_clear(ctx, certificate);
    return status;
}

void ac_certificate_clear(ac_context *ctx, ac_certificate *certificate)
{
    ac_release(ctx, certificate->inputs);
    ac_release(ctx, certificate->where);
    certificate->inputs = NULL;
    certificate->where = NULL;
}
