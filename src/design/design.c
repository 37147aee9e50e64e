/* A study: first samples, then searches by the surrogate, and polls where the surrogate does not lead further.
 *
 * Samples are kept in the unit cube. Samples that failed enter the surrogate with a cost above the worst one, so that the
 * search keeps away from them. */
#include "actio/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "design/surrogate.h"
#include "math/math.h"

static const double SAME = 1e-9;    /* samples closer than this, in parts of the range, are one */
static const double NEAR_BY = 1e-3; /* a sample so close to the best one has the same cost */
enum { CANDIDATES = 400, CLIMBS = 4 };

typedef enum study_step { FIRST, SEARCH, POLL, ENDED } study_step;

typedef struct study_sample {
    double cost, predicted, deviation;
    ac_sample_origin origin;
} study_sample;

struct ac_design {
    ac_context *ctx;
    ac_design_settings settings;
    int variables;
    double low[AC_DESIGN_VARIABLES_MAX], high[AC_DESIGN_VARIABLES_MAX];
    study_step step;
    int given, evaluated, asked; /* samples: given at first, with costs, proposed beyond these */
    int offered;                 /* of those proposed, by the last question */
    int best;                    /* -1: none */
    long spread;                 /* samples spread so far */
    double mesh;
    char end[160];
    double *u, *x; /* samples in the unit cube, and as they are: rows */
    study_sample *samples;
    double *values;             /* that the surrogate is fitted to */
    ac_spline spline, *without; /* and without each of its samples */
    int without_count;
    ac_gaussian process;
};

void ac_design_defaults(int variables, ac_design_settings *s)
{
    bool one = variables == 1;
    *s = (ac_design_settings){.surrogate = one ? AC_SURROGATE_SPLINE : AC_SURROGATE_GAUSSIAN,
                              .samples = one ? 2 : 2 * variables + 2,
                              .evaluations = one ? 20 : 30 * variables,
                              .batch = 1,
                              .tolerance = one ? 1e-7 : 1e-4,
                              .poll = !one,
                              .mesh = 0.1,
                              .least_mesh = 1e-3,
                              .seed = 1};
}

/* ---- samples ---- */

static double *unit(const ac_design *d, int k)
{
    return d->u + (size_t)k * (size_t)d->variables;
}

static double distance(const ac_design *d, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < d->variables; ++i) most = ac_max(most, fabs(a[i] - b[i]));
    return most;
}

/* Proposes a point, unless it is a sample already or all evaluations are used. */
static bool propose(ac_design *d, const double *u, ac_sample_origin origin, double predicted,
                    double deviation)
{
    int k = d->evaluated + d->asked;
    if (k >= d->settings.evaluations || d->asked == AC_DESIGN_BATCH_MAX) return false;
    for (int i = 0; i < k; ++i)
        if (distance(d, unit(d, i), u) < SAME) return false;
    double *x = d->x + (size_t)k * (size_t)d->variables;
    memcpy(unit(d, k), u, (size_t)d->variables * sizeof *u);
    for (int i = 0; i < d->variables; ++i) x[i] = d->low[i] + u[i] * (d->high[i] - d->low[i]);
    d->samples[k] = (study_sample){NAN, predicted, deviation, origin};
    ++d->asked;
    return true;
}

static void spread_one(ac_design *d)
{
    double u[AC_DESIGN_VARIABLES_MAX];
    for (int tries = 0; tries < 100; ++tries) {
        if (d->variables == 1 && d->settings.samples > d->given) { /* thirds, fifths, ... of the range */
            int count = d->settings.samples - d->given;
            if (d->spread < count)
                u[0] = (double)(d->spread + 1) / (count + 1);
            else
                ac_halton(d->spread, d->settings.seed, 1, u);
        } else {
            ac_halton(d->spread, d->settings.seed, d->variables, u);
        }
        ++d->spread;
        if (propose(d, u, AC_SAMPLE_SPREAD, NAN, NAN)) return;
    }
}

/* ---- surrogates ---- */

static void drop_surrogate(ac_design *d)
{
    ac_spline_clear(d->ctx, &d->spline);
    for (int k = 0; k < d->without_count; ++k) ac_spline_clear(d->ctx, &d->without[k]);
    ac_release(d->ctx, d->without);
    d->without = NULL;
    d->without_count = 0;
    ac_gaussian_clear(d->ctx, &d->process);
}

/* Costs, with a high one for samples that failed; the number of those that did not. */
static int fill_values(ac_design *d)
{
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (int k = 0; k < d->evaluated; ++k) {
        double cost = d->samples[k].cost;
        if (!isfinite(cost)) continue;
        low = ac_min(low, cost);
        high = ac_max(high, cost);
        ++count;
    }
    for (int k = 0; k < d->evaluated; ++k) {
        double cost = d->samples[k].cost;
        d->values[k] = isfinite(cost) ? cost : high + (high - low);
    }
    return count;
}

static ac_status fit_without(ac_design *d)
{
    if (d->evaluated < 3) return AC_OK;
    AC_NEW(d->ctx, d->without, d->evaluated);
    for (; d->without_count < d->evaluated; ++d->without_count)
        AC_TRY(ac_spline_fit(d->ctx, d->settings.ends, d->evaluated, d->u, d->values, d->without_count,
                             &d->without[d->without_count]));
    return AC_OK;
}

/* `more`: proposals whose predictions count as costs. */
static ac_status fit(ac_design *d, int more)
{
    drop_surrogate(d);
    if (fill_values(d) < 2) return ac_fail(d->ctx, AC_BAD_INPUT, "a surrogate needs two samples with costs");
    for (int k = d->evaluated; k < d->evaluated + more; ++k) d->values[k] = d->samples[k].predicted;
    if (d->settings.surrogate == AC_SURROGATE_SPLINE) {
        AC_TRY(ac_spline_fit(d->ctx, d->settings.ends, d->evaluated, d->u, d->values, -1, &d->spline));
        return fit_without(d);
    }
    return ac_gaussian_fit(d->ctx, d->evaluated + more, d->variables, d->u, d->values, &d->process);
}

ac_status ac_design_fit(ac_design *d)
{
    return fit(d, 0);
}

static void predict_unit(const ac_design *d, const double *u, double *mean, double *deviation)
{
    if (d->settings.surrogate == AC_SURROGATE_GAUSSIAN) {
        ac_gaussian_predict(&d->process, u, mean, deviation);
        return;
    }
    *mean = ac_spline_value(&d->spline, u[0]);
    *deviation = 0.0;
    for (int k = 0; k < d->without_count; ++k)
        *deviation = ac_max(*deviation, fabs(ac_spline_value(&d->without[k], u[0]) - *mean));
}

void ac_design_predict(const ac_design *d, const double *x, double *mean, double *deviation)
{
    double u[AC_DESIGN_VARIABLES_MAX];
    for (int i = 0; i < d->variables; ++i) u[i] = (x[i] - d->low[i]) / (d->high[i] - d->low[i]);
    predict_unit(d, u, mean, deviation);
}

/* ---- search ---- */

static double improvement_at(void *user, const double *u)
{
    const ac_design *d = user;
    return ac_gaussian_improvement(&d->process, d->samples[d->best].cost, u);
}

/* The point of the largest expected improvement: the best of many points, climbed from. */
static double best_improvement(ac_design *d, double *u)
{
    double chosen[CLIMBS][AC_DESIGN_VARIABLES_MAX], value[CLIMBS], most = -1.0;
    int count = 0;
    for (long k = 0; k < (long)CANDIDATES * d->variables; ++k) {
        double point[AC_DESIGN_VARIABLES_MAX];
        ac_halton(k, d->settings.seed + 1, d->variables, point);
        double here = improvement_at(d, point);
        int at = count < CLIMBS ? count++ : CLIMBS;
        for (; at > 0 && value[at - 1] < here; --at) {
            if (at == CLIMBS) continue;
            value[at] = value[at - 1];
            memcpy(chosen[at], chosen[at - 1], sizeof point);
        }
        if (at == CLIMBS) continue;
        value[at] = here;
        memcpy(chosen[at], point, sizeof point);
    }
    for (int k = 0; k <= count; ++k) { /* and from the best sample */
        double *from = k < count ? chosen[k] : chosen[0];
        if (k == count) memcpy(from, unit(d, d->best), (size_t)d->variables * sizeof *from);
        double here = ac_climb(improvement_at, d, d->variables, 0.05, 1e-6, from);
        if (here <= most) continue;
        most = here;
        memcpy(u, from, (size_t)d->variables * sizeof *u);
    }
    return most;
}

/* What an improvement is measured by: the half of the samples that is better lies within it. */
static double worth(const ac_design *d)
{
    double best = d->samples[d->best].cost, median = INFINITY;
    int count = 0;
    for (int k = 0; k < d->evaluated; ++k) count += isfinite(d->samples[k].cost);
    for (int k = 0; k < d->evaluated; ++k) {
        int below = 0;
        if (!isfinite(d->samples[k].cost)) continue;
        for (int i = 0; i < d->evaluated; ++i) below += d->samples[i].cost <= d->samples[k].cost;
        if (2 * below >= count) median = ac_min(median, d->samples[k].cost);
    }
    return ac_max(median - best, 1e-300);
}

/* Proposes what the surrogate promises most of; nothing if that is a sample already, or too little. */
static ac_status search(ac_design *d)
{
    double u[AC_DESIGN_VARIABLES_MAX] = {0}, mean, deviation;
    int batch = d->settings.surrogate == AC_SURROGATE_SPLINE ? 1 : d->settings.batch;
    for (int k = 0; k < batch; ++k) {
        AC_TRY(fit(d, d->asked));
        if (d->settings.surrogate == AC_SURROGATE_SPLINE) {
            u[0] = ac_spline_minimum(&d->spline);
        } else if (best_improvement(d, u) <= d->settings.tolerance * worth(d)) {
            return AC_OK;
        }
        predict_unit(d, u, &mean, &deviation);
        if (!propose(d, u, AC_SAMPLE_SURROGATE, mean, deviation)) return AC_OK;
    }
    return AC_OK;
}

/* The neighbours of the best sample at the distance of the mesh. */
static void poll(ac_design *d)
{
    for (int i = 0; i < 2 * d->variables; ++i) {
        double u[AC_DESIGN_VARIABLES_MAX], mean = NAN, deviation = NAN;
        memcpy(u, unit(d, d->best), sizeof(double) * (size_t)d->variables);
        u[i / 2] = ac_min(1.0, ac_max(0.0, u[i / 2] + (i % 2 ? -d->mesh : d->mesh)));
        propose(d, u, AC_SAMPLE_POLL, mean, deviation);
    }
}

/* ---- the order of things ---- */

static void finish(ac_design *d, const char *why)
{
    d->step = ENDED;
    snprintf(d->end, sizeof d->end, "%s", why);
}

static void coarsen(ac_design *d)
{
    d->mesh *= 0.5;
    if (d->mesh >= d->settings.least_mesh) return;
    finish(d, "no neighbour on the finest mesh is better than the best sample");
}

static ac_status fill(ac_design *d)
{
    while (d->asked == 0 && d->step != ENDED) {
        if (d->evaluated >= d->settings.evaluations) {
            finish(d, "all evaluations are used");
        } else if (d->step == FIRST || fill_values(d) < 2) {
            int wanted = d->evaluated < d->settings.samples ? d->settings.samples - d->evaluated : 1;
            for (int k = 0; k < wanted; ++k) spread_one(d);
            if (d->asked == 0) finish(d, "no further samples could be found");
        } else if (d->step == SEARCH) {
            AC_TRY(search(d));
            if (d->asked > 0) break;
            if (d->settings.poll)
                d->step = POLL;
            else
                finish(d, d->settings.surrogate == AC_SURROGATE_SPLINE
                              ? "the minimum of the surrogate is a sample"
                              : "the improvement that can be expected is below the tolerance");
        } else {
            poll(d);
            if (d->asked == 0) coarsen(d);
        }
    }
    return AC_OK;
}

ac_status ac_design_ask(ac_design *d, int *count)
{
    *count = 0;
    AC_TRY(fill(d));
    bool single = d->step == FIRST && d->settings.in_turn && d->asked > 1;
    *count = d->offered = single ? 1 : d->asked;
    return AC_OK;
}

const double *ac_design_asked(const ac_design *d, int sample)
{
    return d->x + (size_t)(d->evaluated + sample) * (size_t)d->variables;
}

/* The published rule, least cost unchanged, is met at once by a sample that is worse; so the sample must also lie at the
 * best one, or be as good as the surrogate predicted. */
static bool settled(const ac_design *d, int sample, double before)
{
    const study_sample *s = &d->samples[sample];
    double allowed = d->settings.tolerance * fabs(before);
    if (d->evaluated < 4 || before - d->samples[d->best].cost > allowed) return false;
    bool close = distance(d, unit(d, sample), unit(d, d->best)) <= NEAR_BY;
    return close || fabs(s->cost - s->predicted) <= allowed;
}

ac_status ac_design_tell(ac_design *d, const double *costs)
{
    int first = d->evaluated, count = d->offered;
    double before = d->best >= 0 ? d->samples[d->best].cost : INFINITY;
    for (int k = 0; k < count; ++k) {
        int sample = first + k;
        d->samples[sample].cost = isfinite(costs[k]) ? costs[k] : NAN;
        if (isfinite(costs[k]) && (d->best < 0 || costs[k] < d->samples[d->best].cost)) d->best = sample;
    }
    d->evaluated += count;
    d->asked -= count;
    d->offered = 0;
    if (d->best < 0 || d->asked > 0 || d->step == ENDED) return AC_OK;
    bool better = before - d->samples[d->best].cost > d->settings.tolerance * fabs(before);
    if (d->step == FIRST) {
        d->step = SEARCH;
    } else if (d->step == SEARCH && d->settings.poll) {
        if (!better) d->step = POLL;
    } else if (d->step == SEARCH && d->settings.surrogate == AC_SURROGATE_SPLINE) {
        if (settled(d, d->evaluated - 1, before)) finish(d, "the least cost no longer changes");
    } else if (d->step == POLL) {
        d->step = SEARCH;
        if (!better) coarsen(d);
    }
    return AC_OK;
}

const char *ac_design_end(const ac_design *d)
{
    return d->end;
}

int ac_design_evaluations(const ac_design *d)
{
    return d->evaluated;
}

ac_design_sample ac_design_sample_of(const ac_design *d, int k)
{
    const study_sample *s = &d->samples[k];
    return (ac_design_sample){d->x + (size_t)k * (size_t)d->variables, s->cost, s->predicted, s->deviation,
                              s->origin};
}

int ac_design_best(const ac_design *d)
{
    return d->best;
}

/* ---- life ---- */

static ac_status check_settings(ac_context *ctx, const ac_design_variable *v, int count,
                                const ac_design_settings *s)
{
    if (count < 1 || count > AC_DESIGN_VARIABLES_MAX)
        return ac_fail(ctx, AC_BAD_INPUT, "a study has 1 to %d variables, not %d", AC_DESIGN_VARIABLES_MAX,
                       count);
    if (s->surrogate == AC_SURROGATE_SPLINE && count > 1)
        return ac_fail(ctx, AC_BAD_INPUT,
                       "a spline is a surrogate of one variable; for %d take the Gaussian process", count);
    for (int i = 0; i < count; ++i)
        if (!(v[i].high > v[i].low) || !isfinite(v[i].low) || !isfinite(v[i].high))
            return ac_fail(ctx, AC_BAD_INPUT, "the range of '%s' is empty or not finite: %g to %g", v[i].name,
                           v[i].low, v[i].high);
    if (s->evaluations < 2 || s->evaluations > AC_DESIGN_EVALUATIONS_MAX)
        return ac_fail(ctx, AC_BAD_INPUT, "a study has 2 to %d evaluations, not %d",
                       AC_DESIGN_EVALUATIONS_MAX, s->evaluations);
    if (s->batch < 1 || s->batch > AC_DESIGN_BATCH_MAX)
        return ac_fail(ctx, AC_BAD_INPUT, "a batch has 1 to %d samples, not %d", AC_DESIGN_BATCH_MAX,
                       s->batch);
    if (!(s->tolerance > 0.0) || !(s->mesh > 0.0) || !(s->least_mesh > 0.0))
        return ac_fail(ctx, AC_BAD_INPUT, "tolerance and mesh must be positive");
    return AC_OK;
}

static ac_status take_given(ac_design *d, const ac_design_variable *v, const double *given, int count)
{
    for (int k = 0; k < count; ++k, given += d->variables) {
        double u[AC_DESIGN_VARIABLES_MAX];
        for (int i = 0; i < d->variables; ++i) {
            u[i] = (given[i] - d->low[i]) / (d->high[i] - d->low[i]);
            if (!(u[i] >= -SAME && u[i] <= 1.0 + SAME))
                return ac_fail(d->ctx, AC_BAD_INPUT, "%s = %.10g lies outside its range of %.10g to %.10g",
                               v[i].name, given[i], d->low[i], d->high[i]);
        }
        if (!propose(d, u, AC_SAMPLE_GIVEN, NAN, NAN))
            return ac_fail(d->ctx, AC_BAD_INPUT, "given sample %d is there twice, or there are too many",
                           k + 1);
        /* the number itself, not the one that goes to the unit cube and back */
        memcpy(d->x + (size_t)k * (size_t)d->variables, given, (size_t)d->variables * sizeof *given);
    }
    d->given = count;
    for (int k = count; k < d->settings.samples; ++k) spread_one(d);
    return AC_OK;
}

ac_status ac_design_new(ac_context *ctx, const ac_design_variable *variables, int count,
                        const ac_design_settings *settings, const double *given, int given_count,
                        ac_design **design)
{
    *design = NULL;
    AC_TRY(check_settings(ctx, variables, count, settings));
    ac_design *d;
    size_t n = (size_t)settings->evaluations, numbers = n * (size_t)count;
    AC_NEW(ctx, d, 1);
    *d = (ac_design){
        .ctx = ctx, .settings = *settings, .variables = count, .best = -1, .mesh = settings->mesh};
    for (int i = 0; i < count; ++i) {
        d->low[i] = variables[i].low;
        d->high[i] = variables[i].high;
    }
    d->u = ac_allocate(ctx, 2 * numbers + n, sizeof *d->u);
    d->samples = ac_allocate(ctx, n, sizeof *d->samples);
    ac_status status = d->u && d->samples ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        d->x = d->u + numbers;
        d->values = d->x + numbers;
        status = take_given(d, variables, given, given_count);
    }
    if (status != AC_OK) {
        ac_design_free(d);
        return status;
    }
    *design = d;
    return AC_OK;
}

void ac_design_free(ac_design *d)
{
    if (!d) return;
    drop_surrogate(d);
    ac_release(d->ctx, d->u);
    ac_release(d->ctx, d->samples);
    ac_release(d->ctx, d);
}
