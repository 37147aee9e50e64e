/* The diameter of one input by a joint search over its two values A, B and all other inputs.
 *
 * F(A) - F(B) is a function of count + 1 numbers, with several maxima. Lines along the input are scanned: all of a grid
 * over the inputs, which the searches for all diameters share, where there are few inputs; else lines through the middle,
 * through corners and through random points. Each pair of a local maximum and a local minimum on a line is a candidate.
 * The best ones that lie apart ascend in all numbers together, with exact gradients. The best of all is refined by Brent's
 * method along A, B and, on a grid, the others: kinks such as that of |x| have no gradient. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/box_descent.h"
#include "certify/diameter.h"
#include "certify/random.h"
#include "math/math.h"

enum { PAIRS = 8, STEPS = 12, FINE_STEPS = 40, ROUNDS = 4, SECTIONS = 40 };
static const double GOLD = 0.38196601125010515180; /* 1 - 0.618.. */
/* Relative gains of last steps: along lines, on a grid, of the best. */
static const double ROUGH = 1e-2, CLOSE = 1e-4, FINE = 1e-7;
static const double GAIN = 1e-5;  /* the same of a round */
static const double EXACT = 1e-7; /* of the range: where a kink is */
static const double APART = 1.2;  /* spacings of a line between candidates */

/* z: parts of the ranges of all inputs, that of the input itself for A, then the part for B. */
typedef struct joint {
    ac_search *s;
    double *z, *best, *last, *line, *picked, *low, *high;
    int points; /* of a line */
    double found, measure[2];
    bool known; /* the measures are those of `last` */
} joint;

/* ---- the function ---- */

static ac_status measure_pair(joint *j, const double *z)
{
    ac_search *s = j->s;
    bool same = j->known;
    for (int k = 0; k < s->count; ++k) same = same && (k == s->input || z[k] == j->last[k]);
    for (int e = 0; e < 2 && !s->failed; ++e) {
        int k = e == 0 ? s->input : s->count;
        if (!same || z[k] != j->last[k]) AC_TRY(ac_search_measure(s, z, z[k], &j->measure[e]));
    }
    memcpy(j->last, z, ((size_t)s->count + 1) * sizeof *z);
    j->known = !s->failed;
    return AC_OK;
}

static ac_status minus_change(void *user, const double *z, double *value)
{
    joint *j = user;
    *value = INFINITY;
    if (j->s->failed) return AC_OK;
    AC_TRY(measure_pair(j, z));
    if (!j->s->failed) *value = j->measure[1] - j->measure[0];
    return AC_OK;
}

static ac_status minus_slopes(void *user, const double *z, double *gradient)
{
    joint *j = user;
    ac_search *s = j->s;
    double **g = s->gradient;
    memset(gradient, 0, ((size_t)s->count + 1) * sizeof *gradient);
    if (!s->failed) AC_TRY(measure_pair(j, z));
    for (int e = 0; e < 2 && !s->failed; ++e)
        AC_TRY(ac_search_gradient(s, z, z[e == 0 ? s->input : s->count], j->measure[e], g[e]));
    for (int k = 0; k < s->count && !s->failed; ++k)
        gradient[k] = k == s->input ? -g[0][k] : g[1][k] - g[0][k];
    if (!s->failed) gradient[s->count] = g[1][s->input];
    return AC_OK;
}

static void keep_better(joint *j, double value)
{
    if (j->s->failed || !(-value > j->found)) return;
    j->found = -value;
    memcpy(j->best, j->z, ((size_t)j->s->count + 1) * sizeof *j->z);
}

static ac_status ascend(joint *j, double *value, double gain, long steps)
{
    const ac_box_descent descent = {.ctx = j->s->ctx,
                                    .n = j->s->count + 1,
                                    .pairs = PAIRS,
                                    .low = j->low,
                                    .high = j->high,
                                    .first = 0.5 / (j->points - 1),
                                    .corner = !j->s->scan,
                                    .gain = gain,
                                    .value = minus_change,
                                    .gradient = minus_slopes,
                                    .user = j};
    AC_TRY(ac_box_descend(&descent, j->z, value, &steps));
    keep_better(j, *value);
    return AC_OK;
}

/* ---- lines ---- */

static bool is_extremum(const joint *j, int k, double sign)
{
    const double *y = j->line;
    return (k == 0 || sign * y[k] >= sign * y[k - 1]) &&
           (k == j->points - 1 || sign * y[k] >= sign * y[k + 1]);
}

/* Is the candidate z apart from the first `count` that were picked? */
static bool is_apart(const joint *j, int count)
{
    int n = j->s->count + 1;
    for (int i = 0; i < count; ++i) {
        double distance = 0.0;
        for (int k = 0; k < n; ++k) distance = ac_max(distance, fabs(j->z[k] - j->picked[i * n + k]));
        if (distance * (j->points - 1) <= APART) return false;
    }
    return true;
}

/* The candidates of the line at hand; the best one that is apart becomes the next one picked where it is more than *most. */
static void take_line(joint *j, int picked, double *most)
{
    int n = j->s->count + 1;
    for (int p = 0; p < j->points; ++p)
        for (int q = 0; q < j->points && is_extremum(j, p, 1.0); ++q) {
            if (!(j->line[p] - j->line[q] > *most) || !is_extremum(j, q, -1.0)) continue;
            j->z[j->s->input] = (double)p / (j->points - 1);
            j->z[n - 1] = (double)q / (j->points - 1);
            if (!is_apart(j, picked)) continue;
            *most = j->line[p] - j->line[q];
            memcpy(j->picked + picked * n, j->z, (size_t)n * sizeof *j->z);
        }
}

/* The best candidate of the grid that is apart from those picked before; -1: there is none. */
static double pick_from_grid(joint *j, int picked)
{
    const ac_search *s = j->s;
    long points = ac_grid_points(j->points, s->count), stride = ac_grid_points(j->points, s->input);
    double most = -1.0;
    for (long base = 0; base < points; ++base) {
        if (base / stride % j->points != 0) continue;
        long rest = base;
        for (int k = 0; k < s->count; ++k, rest /= j->points)
            j->z[k] = (double)(rest % j->points) / (j->points - 1);
        for (int i = 0; i < j->points; ++i) j->line[i] = s->scan[base + i * stride];
        take_line(j, picked, &most);
    }
    return most;
}

/* Measures along the input through the other inputs of z. */
static ac_status scan_line(joint *j)
{
    for (int k = 0; k < j->points && !j->s->failed; ++k)
        AC_TRY(ac_search_measure(j->s, j->z, (double)k / (j->points - 1), &j->line[k]));
    return AC_OK;
}

/* The middle, both corners where all inputs are low or high, then random corners and random points: a measure that is flat in
 * the middle (the largest of several numbers) shows its changes in corners. */
static void begin(joint *j, int start)
{
    const ac_certify_settings *settings = j->s->settings;
    for (int k = 0; k < j->s->count; ++k) {
        double part = ac_random(settings->seed, AC_STREAM_SEARCH, (uint64_t)start, (unsigned)k);
        if (start % 2) part = part < 0.5 ? 0.0 : 1.0;
        j->z[k] = start == 0 ? 0.5 : start == 1 ? 0.0 : start == 2 ? 1.0 : part;
    }
}

/* The line through z again, at the others that the ascent found: z becomes its best candidate where that is more. */
static ac_status scan_again(joint *j, double *value, bool *gained)
{
    double most = -*value;
    *gained = false;
    AC_TRY(scan_line(j));
    if (j->s->failed) return AC_OK;
    take_line(j, 0, &most);
    *gained = most > -*value * (1.0 + ROUGH);
    memcpy(j->z, *gained ? j->picked : j->best, ((size_t)j->s->count + 1) * sizeof *j->z);
    if (*gained) *value = -most;
    return AC_OK;
}

static ac_status climb_from_line(joint *j, int start)
{
    double value, most = -1.0;
    bool gained = true;
    begin(j, start);
    AC_TRY(scan_line(j));
    if (j->s->failed) return AC_OK;
    take_line(j, 0, &most);
    memcpy(j->z, j->picked, ((size_t)j->s->count + 1) * sizeof *j->z);
    value = -most;
    for (int round = 0; round < ROUNDS && gained && !j->s->failed; ++round) {
        AC_TRY(ascend(j, &value, ROUGH, STEPS));
        gained = -value >= j->found && !j->s->failed; /* only the best line is looked at again */
        if (gained) AC_TRY(scan_again(j, &value, &gained));
    }
    keep_better(j, value);
    return AC_OK;
}

/* ---- kinks ---- */

/* The lowest value along number k of z on (low, high) by Brent's method from where it is. */
static ac_status refine(joint *j, int k, double low, double high, double *value)
{
    double x = j->z[k], w = x, v = x, fx = *value, fw = fx, fv = fx, step = 0.0, before = 0.0;
    for (int n = 0; n < SECTIONS && !j->s->failed; ++n) {
        double middle = 0.5 * (low + high), width = EXACT;
        if (fabs(x - middle) <= 2 * width - 0.5 * (high - low)) break;
        double p = 0, q = 0, r = 0;
        if (fabs(before) > width) {
            r = (x - w) * (fx - fv);
            q = (x - v) * (fx - fw);
            p = (x - v) * q - (x - w) * r;
            q = 2 * (q - r);
            if (q > 0) p = -p;
            q = fabs(q);
            r = before;
            before = step;
        }
        if (fabs(p) < fabs(0.5 * q * r) && p > q * (low - x) && p < q * (high - x)) {
            step = p / q;
            double next = x + step;
            if (next - low < 2 * width || high - next < 2 * width) step = x < middle ? width : -width;
        } else {
            before = x < middle ? high - x : low - x;
            step = GOLD * before;
        }
        double u = x + (fabs(step) >= width ? step : step > 0 ? width : -width), fu;
        j->z[k] = u;
        AC_TRY(minus_change(j, j->z, &fu));
        if (fu <= fx) {
            *(u < x ? &high : &low) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
            continue;
        }
        *(u < x ? &low : &high) = u;
        if (fu <= fw || w == x) {
            v = w, fv = fw, w = u, fw = fu;
        } else if (fu <= fv || v == x || v == w) {
            v = u, fv = fu;
        }
    }
    j->z[k] = x;
    *value = fx;
    return AC_OK;
}

/* Brent's method and ascent in turn, from the best, until a round gains little. At an end of a range the gradient decides. */
static ac_status polish(joint *j)
{
    const ac_search *s = j->s;
    double spacing = 1.0 / (j->points - 1), value = -j->found;
    memcpy(j->z, j->best, ((size_t)s->count + 1) * sizeof *j->z);
    for (int round = 0; round < ROUNDS && !s->failed; ++round) {
        double before = value;
        AC_TRY(ascend(j, &value, FINE, FINE_STEPS));
        for (int k = 0; k <= s->count && !s->failed; ++k) {
            bool own = k == s->input || k == s->count, inside = j->z[k] > 0.0 && j->z[k] < 1.0;
            if (inside && (own || s->scan))
                AC_TRY(refine(j, k, ac_max(0.0, j->z[k] - spacing), ac_min(1.0, j->z[k] + spacing), &value));
        }
        keep_better(j, value);
        if (before - value <= GAIN * fabs(value)) break;
    }
    return AC_OK;
}

/* ---- the whole ---- */

static ac_status search_all(joint *j)
{
    const ac_search *s = j->s;
    int starts = s->settings->starts, n = s->count + 1;
    for (int start = 0; start < starts && !s->failed; ++start) {
        if (!s->scan) {
            AC_TRY(climb_from_line(j, start));
            continue;
        }
        double value = -pick_from_grid(j, start);
        if (value > 0.0) break;
        memcpy(j->z, j->picked + start * n, (size_t)n * sizeof *j->z);
        AC_TRY(ascend(j, &value, CLOSE, STEPS));
    }
    return s->failed ? AC_OK : polish(j);
}

ac_status ac_search_joint(ac_search *s, ac_pair *best)
{
    size_t n = (size_t)s->count + 1, points = (size_t)ac_scan_points(s->settings, s->count);
    double *space = ac_allocate(s->ctx, 5 * n + points + (size_t)s->settings->starts * n, sizeof *space);
    if (!space) return ac_out_of_memory(s->ctx);
    joint j = {
        .s = s, .z = space, .best = space + n, .last = space + 2 * n, .low = space + 3 * n, .found = -1.0};
    j.high = space + 4 * n;
    j.line = space + 5 * n;
    j.picked = j.line + points;
    j.points = (int)points;
    for (size_t k = 0; k < n; ++k) j.high[k] = 1.0;
    ac_status status = search_all(&j);
    best->found = ac_max(0.0, j.found);
    best->a = j.best[s->input];
    best->b = j.best[s->count];
    memcpy(best->others, j.best, (size_t)s->count * sizeof *j.best);
    ac_release(s->ctx, space);
    return status;
}
