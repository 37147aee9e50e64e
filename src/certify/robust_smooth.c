/* Robust controls along gradients of a confidence factor that is made smooth.
 *
 * The factor has kinks: the largest and the smallest measure of a diameter change places, and a measure that is a distance
 * has one at the goal. All of them are rounded off with one length, which shrinks from stage to stage: a distance Y becomes
 * sqrt(Y^2 + s^2) - s, and a maximum s log mean exp(Y/s). Every stage is a quasi-Newton search from the end of the last one.
 *
 * (a - mean)/D rewards a large diameter where the mean is beyond the threshold a, so that there the mean alone is lowered. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/box_descent.h"
#include "certify/diameter.h"
#include "certify/random.h"
#include "certify/robust_work.h"
#include "math/math.h"

enum { STAGES = 8, PAIRS = 30, QUANTILES = 1000, FRUITLESS = 4 };
static const double FIRST_LENGTH = 1.0; /* of the diameter at the start; halved from stage to stage */
static const double NEXT_LENGTH = 1.0;  /* of the diameter that the last stage found, at most */
static const double FIRST_STEP = 1e-3;  /* of the range of a control */
static const double KICK = 0.1;         /* of the range of a control: where a search begins again */
static const double GAIN = 1e-7;
static const double TIGHT = 3e3; /* weight of the mean of how near scenarios come to a failure */

/* What is made small: how many scenarios fail, the mean alone, or minus the factor. */
typedef enum search_aim { LEAVE, LOWER, RAISE } search_aim;

typedef struct smooth {
    ac_robust_work *w;
    double margin;       /* of the last value */
    double tight;        /* derivative of the value by how near all scenarios together come to a failure */
    double length, sign; /* sign -1: the measure must not fall below the threshold */
    bool distance;       /* no measure was negative so far: it may have a kink at 0 */
    search_aim aim;
    long allowed;                 /* scenarios that may fail */
    double *share;                /* of every scenario in the mean */
    double *y, *slope;            /* smooth measures, and their derivatives by the measures */
    double *by;                   /* derivatives of the value by the smooth measures, then by the measures */
    double *spread, *line, *part; /* scratch of the diameter */
    double *metric; /* how different the derivatives of the scenarios are: controls x controls */
    double *low, *high, *at, *control; /* in parts of the sizes of the controls, but for `control` */
} smooth;

/* ---- shares of the scenarios in the mean ---- */

/* Adds the share of every point along an input: hats between the points of the grid. */
static void put_shares(const ac_uncertain *input, int grid, double *shares)
{
    memset(shares, 0, (size_t)grid * sizeof *shares);
    for (int i = 0; i < QUANTILES; ++i) {
        double x = ac_uncertain_quantile(input, (i + 0.5) / QUANTILES);
        double place = (grid - 1) * ac_min(1.0, ac_max(0.0, (x - input->low) / (input->high - input->low)));
        int below = place >= grid - 1 ? grid - 2 : (int)place;
        shares[below] += (1.0 - (place - below)) / QUANTILES;
        shares[below + 1] += (place - below) / QUANTILES;
    }
}

static ac_status share_scenarios(smooth *m)
{
    const ac_robust *r = m->w->r;
    for (long k = 0; k < m->w->scenarios; ++k)
        m->share[k] = m->w->gridded ? 1.0 : 1.0 / (double)m->w->scenarios;
    if (!m->w->gridded) return AC_OK;
    double *along = ac_allocate(r->ctx, (size_t)r->grid, sizeof *along);
    if (!along) return ac_out_of_memory(r->ctx);
    for (int i = 0; i < r->input_count; ++i) {
        long stride = ac_grid_points(r->grid, i);
        put_shares(&r->inputs[i], r->grid, along);
        for (long k = 0; k < m->w->scenarios; ++k) m->share[k] *= along[k / stride % r->grid];
    }
    ac_release(r->ctx, along);
    return AC_OK;
}

/* ---- smooth maxima ---- */

/* Largest of sign * y[first + i stride]; its derivatives, times the sign, are added to `by` in the same places. */
static double soft_largest(const double *y, long stride, long count, double sign, double length, double *by)
{
    double most = -INFINITY, sum = 0.0;
    for (long i = 0; i < count; ++i) most = ac_max(most, sign * y[i * stride]);
    for (long i = 0; i < count; ++i) sum += ac_exp((sign * y[i * stride] - most) / length);
    for (long i = 0; i < count; ++i)
        by[i * stride] += sign * ac_exp((sign * y[i * stride] - most) / length) / sum;
    return most + length * ac_log(sum / (double)count);
}

/* The largest change along `count` points of each line that begins at a point of the first `lines`; derivatives are added
 * to `by`, times the change itself. */
static double soft_change(smooth *m, int input, double *by)
{
    const ac_robust *r = m->w->r;
    long count = m->w->gridded ? r->grid : m->w->scenarios, lines = m->w->scenarios / count;
    long stride = m->w->gridded ? ac_grid_points(r->grid, input) : 1;
    memset(m->spread, 0, (size_t)m->w->scenarios * sizeof *m->spread);
    memset(m->part, 0, (size_t)lines * sizeof *m->part);
    for (long l = 0; l < lines; ++l) {
        long first = l / stride * stride * count + l % stride;
        m->line[l] = soft_largest(m->y + first, stride, count, 1.0, m->length, m->spread + first) +
                     soft_largest(m->y + first, stride, count, -1.0, m->length, m->spread + first);
    }
    double change = soft_largest(m->line, 1, lines, 1.0, m->length, m->part);
    for (long l = 0; l < lines; ++l)
        for (long i = 0; i < count; ++i) {
            long k = l / stride * stride * count + l % stride + i * stride;
            by[k] += change * m->part[l] * m->spread[k];
        }
    return change;
}

/* The diameter, and its derivatives by the smooth measures. */
static double soft_diameter(smooth *m, double *by)
{
    double squares = 1e-12 * m->length * m->length;
    memset(by, 0, (size_t)m->w->scenarios * sizeof *by);
    for (int i = 0; i < (m->w->gridded ? m->w->r->input_count : 1); ++i) {
        double change = soft_change(m, i, by);
        squares += change * change;
    }
    double diameter = sqrt(squares);
    for (long k = 0; k < m->w->scenarios; ++k) by[k] /= diameter;
    return diameter;
}

/* ---- value and gradient ---- */

/* The smooth measures of all scenarios; a failed one counts as the worst of the others. Returns how many failed. */
static long put_measures(smooth *m, const double *numbers, long stride)
{
    const ac_robust_work *w = m->w;
    long failed = 0;
    double worst = -INFINITY;
    for (long k = 0; k < w->scenarios; ++k)
        if (numbers[k * stride] < 0.0) m->distance = false;
    for (long k = 0; k < w->scenarios; ++k) {
        if (ac_robust_failed(w, numbers + k * stride)) continue;
        double y = numbers[k * stride], root = ac_hypot(y, m->length);
        m->y[k] = m->distance ? root - m->length : y;
        m->slope[k] = m->distance ? y / root : 1.0;
        worst = ac_max(worst, m->sign * m->y[k]);
    }
    for (long k = 0; k < w->scenarios; ++k) {
        if (!ac_robust_failed(w, numbers + k * stride)) continue;
        m->y[k] = m->sign * worst;
        m->slope[k] = 0.0;
        ++failed;
    }
    return failed;
}

/* What is made small, from the smooth measures; `by` gets its derivatives by the measures. */
static double value_of(smooth *m, const double *numbers, long stride, const double *control)
{
    const ac_robust_work *w = m->w;
    long failed = put_measures(m, numbers, stride);
    double mean = 0.0, effort = 0.0, tight = 0.0;
    if (failed == w->scenarios || (m->aim != LEAVE && failed > m->allowed)) return INFINITY;
    for (long k = 0; k < w->scenarios; ++k) {
        mean += m->share[k] * m->y[k];
        tight += TIGHT / (double)w->scenarios * numbers[k * stride + 2];
    }
    m->tight = m->aim == LEAVE ? 1.0 / ((1.0 + tight) * (1.0 + tight)) : 1.0;
    for (int j = 0; j < w->n; ++j) effort += control[j] * control[j];
    double margin = m->margin = m->sign * (w->r->settings->threshold - mean), diameter = 1.0;
    memset(m->by, 0, (size_t)w->scenarios * sizeof *m->by);
    if (m->aim == LEAVE) return (double)failed + tight / (1.0 + tight);
    if (m->aim == RAISE) diameter = soft_diameter(m, m->by);
    for (long k = 0; k < w->scenarios; ++k)
        m->by[k] = (margin / diameter * m->by[k] + m->sign * m->share[k]) / diameter * m->slope[k];
    return tight - margin / diameter + (m->aim == RAISE ? w->r->effort_weight * effort : 0.0);
}

static const double *controls_of(smooth *m, const double *z)
{
    const ac_robust_work *w = m->w;
    for (int j = 0; j < w->n; ++j)
        m->control[j] = ac_min(w->r->high[j], ac_max(w->r->low[j], z[j] * w->size[j]));
    return m->control;
}

static ac_status find_value(void *user, const double *z, double *value)
{
    smooth *m = user;
    const double *control = controls_of(m, z);
    AC_TRY(ac_robust_scenarios(m->w, control));
    *value = value_of(m, m->w->numbers, AC_ROBUST_WIDTH, control);
    return AC_OK;
}

/* The covariance of the derivatives of all scenarios: what bends a smooth maximum, and the diameter with it. A part of the
 * measures that changes alike in all scenarios bends nothing there; it bends the mean of distances near 0. */
static void put_metric(smooth *m, const ac_robust_slopes *all, double *mean)
{
    const ac_robust_work *w = m->w;
    int n = w->n;
    memset(m->metric, 0, (size_t)n * (size_t)n * sizeof *m->metric);
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (long k = 0; k < w->scenarios && m->aim == RAISE; ++k)
        for (int j = 0; j < n; ++j)
            mean[j] += m->share[k] * all->numbers[k * all->stride + AC_ROBUST_WIDTH + j];
    for (long k = 0; k < w->scenarios; ++k) {
        const double *of = all->numbers + k * all->stride + AC_ROBUST_WIDTH;
        for (int a = 0; a < n; ++a)
            for (int b = 0; b <= a; ++b)
                m->metric[a * n + b] += w->size[a] * (of[a] - mean[a]) * w->size[b] * (of[b] - mean[b]);
    }
}

static ac_status find_gradient(void *user, const double *z, double *gradient)
{
    smooth *m = user;
    ac_robust_work *w = m->w;
    ac_robust_slopes all;
    const double *control = controls_of(m, z);
    AC_TRY(ac_robust_find_slopes(w, control, &all));
    value_of(m, all.numbers, all.stride, control);
    memset(gradient, 0, (size_t)w->n * sizeof *gradient);
    for (long k = 0; k < w->scenarios; ++k) {
        const double *of_measure = all.numbers + k * all.stride + AC_ROBUST_WIDTH;
        for (int j = 0; j < w->n; ++j)
            gradient[j] += m->by[k] * of_measure[j] +
                           m->tight * TIGHT / (double)w->scenarios * of_measure[w->n + j];
    }
    put_metric(m, &all, w->trial);
    ac_robust_drop_slopes(w, &all);
    for (int j = 0; j < w->n; ++j) {
        if (m->aim == RAISE) gradient[j] += 2.0 * w->r->effort_weight * control[j];
        gradient[j] *= w->size[j];
    }
    return AC_OK;
}

/* ---- stages ---- */

static ac_status take_step(void *user, const double *z, double value)
{
    smooth *m = user;
    (void)value;
    return ac_robust_candidate(m->w, controls_of(m, z));
}

/* At most `most` steps towards an aim. */
static ac_status descend(smooth *m, search_aim aim, long most)
{
    static const double enough[] = {[LEAVE] = 1.0 - DBL_EPSILON, [LOWER] = 0.0, [RAISE] = -INFINITY};
    const ac_box_descent descent = {.ctx = m->w->r->ctx,
                                    .n = m->w->n,
                                    .pairs = PAIRS,
                                    .low = m->low,
                                    .high = m->high,
                                    .first = FIRST_STEP,
                                    .gain = GAIN,
                                    .enough = &enough[aim],
                                    .metric = aim == LEAVE ? NULL : m->metric,
                                    .value = find_value,
                                    .gradient = find_gradient,
                                    .report = take_step,
                                    .user = m};
    double value;
    m->aim = aim;
    AC_TRY(find_value(m, m->at, &value));
    return isfinite(value) ? ac_box_descend(&descent, m->at, &value, &most) : AC_OK;
}

static long left_of(const smooth *m)
{
    return m->w->r->iterations - m->w->state.iteration;
}

/* Looks at m->at: how many scenarios fail there; they may fail until the next look. */
static ac_status look(smooth *m)
{
    double value;
    m->aim = LOWER;
    m->allowed = m->w->scenarios;
    AC_TRY(find_value(m, m->at, &value));
    m->allowed = put_measures(m, m->w->numbers, AC_ROBUST_WIDTH);
    return AC_OK;
}

/* One stage: away from failures, then the mean until it meets the threshold, each with half of the iterations that are left at
 * most, then the factor with `most`. */
static ac_status run_stage(smooth *m, long most)
{
    AC_TRY(look(m));
    if (m->allowed > 0) {
        AC_TRY(descend(m, LEAVE, (left_of(m) + 1) / 2));
        AC_TRY(look(m));
    }
    if (m->margin <= 0.0 && left_of(m) > 0) {
        AC_TRY(descend(m, LOWER, (left_of(m) + 1) / 2));
        AC_TRY(look(m));
    }
    most = most < left_of(m) ? most : left_of(m);
    return m->margin > 0.0 && most > 0 ? descend(m, RAISE, most) : AC_OK;
}

/* From smooth to sharp, from m->at; `diameter` is that of the controls there. */
static ac_status run_stages(smooth *m, double diameter)
{
    ac_robust_work *w = m->w;
    double length = FIRST_LENGTH * diameter;
    for (int k = 0; k < STAGES && left_of(m) > 0; ++k) {
        long stages = STAGES - k;
        if (k > 0) length = ac_min(0.5 * length, NEXT_LENGTH * w->diameter);
        if (length > 0.0) m->length = length;
        AC_TRY(run_stage(m, (left_of(m) + stages - 1) / stages));
    }
    return AC_OK;
}

/* Iterations that are left begin again near the best controls, which may be the best of their neighbourhood only. */
static ac_status search(smooth *m)
{
    ac_robust_work *w = m->w;
    ac_dice dice = {w->r->settings->seed, 0, AC_STREAM_ROBUST + 9u, 0};
    AC_TRY(share_scenarios(m));
    for (int j = 0; j < w->n; ++j) {
        m->low[j] = w->r->low[j] / w->size[j];
        m->high[j] = w->r->high[j] / w->size[j];
        m->at[j] = w->best[j] / w->size[j];
    }
    m->length = fabs(w->state.mean) + DBL_MIN;
    for (int fruitless = 0; fruitless < FRUITLESS && left_of(m) > 0; ++fruitless) {
        double before = w->state.factor;
        long first = w->state.iteration;
        AC_TRY(run_stages(m, w->state.diameter));
        if (w->state.iteration == first) break; /* no step gains anything */
        if (w->state.factor > before + 0.01 * fabs(before)) fruitless = -1;
        for (int j = 0; j < w->n; ++j) {
            double moved = w->best[j] / w->size[j] + 2.0 * KICK * (2.0 * ac_roll(&dice) - 1.0);
            m->at[j] = ac_min(m->high[j], ac_max(m->low[j], moved));
        }
    }
    return AC_OK;
}

ac_status ac_robust_by_gradients(ac_robust_work *w)
{
    size_t n = (size_t)w->n, runs = (size_t)w->scenarios;
    double *space = ac_allocate(w->r->ctx, 7 * runs + 4 * n + n * n, sizeof *space);
    if (!space) return ac_out_of_memory(w->r->ctx);
    smooth m = {.w = w, .sign = w->r->settings->at_least ? -1.0 : 1.0, .distance = true};
    double **const of_runs[] = {&m.share, &m.y, &m.slope, &m.by, &m.spread, &m.line, &m.part};
    double **const of_controls[] = {&m.low, &m.high, &m.at, &m.control};
    for (size_t k = 0; k < 7; ++k) *of_runs[k] = space + k * runs;
    for (size_t k = 0; k < 4; ++k) *of_controls[k] = space + 7 * runs + k * n;
    m.metric = space + 7 * runs + 4 * n;
    ac_status status = search(&m);
    ac_release(w->r->ctx, space);
    return status;
}
