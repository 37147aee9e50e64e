/* The diameter of one input from several starts.
 *
 * Along the input itself the measure is scanned for its highest and its lowest point. The other inputs then move along
 * the gradient of F(A) - F(B), with A and B fixed: first to the corner that the signs point at, then half as far, and so
 * on; scan and ascent alternate until little is gained. For the best of all starts both points are refined between their
 * neighbours by parabolas and golden sections (Brent): extrema in the interior and kinks such as that of |x| are found
 * as well as corners. Starts are the middle, both corners where all inputs are low or high, then random corners and
 * random points: a measure that is flat in the middle (the largest of several numbers) shows its changes in corners. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/diameter.h"
#include "certify/random.h"

enum {
    ROUNDS = 3,
    POLISHING_ROUNDS = 4,
    HALVINGS = 2,
    FINE_HALVINGS = 8,
    SECTIONS = 40,
    SHARE_SECTIONS = 12
};
static const double GOLD = 0.38196601125010515180; /* 1 - 0.618.. */
static const double ROUGH = 1e-2, FINE = 1e-7;     /* relative gain below which a round was the last */
static const double EXACT = 1e-7;                  /* of the range: where an extremum is */
static const double SMALL_SLOPE = 1e-6;            /* of the largest: inputs that do not matter stay */

/* ---- along the input ---- */

/* The lowest value of -sign F on (low, high) by Brent's method from `at`, whose measure is known. */
static ac_status refine(ac_search *s, const double *others, double sign, double low, double high, double *at,
                        double *measure)
{
    double x = *at, w = x, v = x, fx = -sign * *measure, fw = fx, fv = fx, step = 0.0, before = 0.0;
    for (int n = 0; n < SECTIONS; ++n) {
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
        double u = x + (fabs(step) >= width ? step : step > 0 ? width : -width), y;
        AC_TRY(ac_search_measure(s, others, u, &y));
        if (s->failed) return AC_OK;
        double fu = -sign * y;
        if (fu <= fx) {
            if (u < x)
                high = x;
            else
                low = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
            *at = u;
            *measure = y;
            continue;
        }
        if (u < x)
            low = u;
        else
            high = u;
        if (fu <= fw || w == x) {
            v = w, fv = fw, w = u, fw = fu;
        } else if (fu <= fv || v == x || v == w) {
            v = u, fv = fu;
        }
    }
    return AC_OK;
}

/* An extremum of the scan between its neighbours. At an end of the range one look inside decides whether it is there. */
static ac_status refine_extremum(ac_search *s, const double *others, double sign, double spacing, double *at,
                                 double *measure)
{
    double low = fmax(0.0, *at - spacing), high = fmin(1.0, *at + spacing);
    if (*at <= 0.0 || *at >= 1.0) {
        double inside = *at <= 0.0 ? 0.05 * spacing : 1.0 - 0.05 * spacing, y;
        AC_TRY(ac_search_measure(s, others, inside, &y));
        if (s->failed || sign * y <= sign * *measure) return AC_OK;
        *at = inside;
        *measure = y;
    }
    return refine(s, others, sign, low, high, at, measure);
}

/* Highest and lowest measure along the input; `best` becomes what was found where that is more. */
static ac_status scan(ac_search *s, const double *others, bool refined, ac_pair *best)
{
    int points = s->settings->line_points;
    double at[2] = {0, 0}, measure[2] = {-INFINITY, INFINITY}, spacing = 1.0 / (points - 1);
    for (int k = 0; k < points && !s->failed; ++k) {
        double part = k < points - 1 ? k * spacing : 1.0, y;
        AC_TRY(ac_search_measure(s, others, part, &y));
        for (int e = 0; e < 2; ++e)
            if (e == 0 ? y > measure[e] : y < measure[e]) {
                measure[e] = y;
                at[e] = part;
            }
    }
    for (int e = 0; e < 2 && refined && !s->failed; ++e)
        AC_TRY(refine_extremum(s, others, e == 0 ? 1.0 : -1.0, spacing, &at[e], &measure[e]));
    if (s->failed || !(measure[0] - measure[1] > best->found)) return AC_OK;
    best->found = measure[0] - measure[1];
    best->a = at[0];
    best->b = at[1];
    best->measure_a = measure[0];
    best->measure_b = measure[1];
    memmove(best->others, others, (size_t)s->count * sizeof *others);
    return AC_OK;
}

/* ---- the other inputs ---- */

/* Gradient of F(A) - F(B) by the parts of the other inputs, in s->gradient[0]; its largest component. */
static ac_status slope_of_pair(ac_search *s, const ac_pair *best, double *largest)
{
    *largest = 0.0;
    AC_TRY(ac_search_gradient(s, best->others, best->a, best->measure_a, s->gradient[0]));
    if (!s->failed) AC_TRY(ac_search_gradient(s, best->others, best->b, best->measure_b, s->gradient[1]));
    for (int k = 0; k < s->count; ++k) {
        s->gradient[0][k] = k == s->input ? 0.0 : s->gradient[0][k] - s->gradient[1][k];
        *largest = fmax(*largest, fabs(s->gradient[0][k]));
    }
    return AC_OK;
}

/* What the pair gives with the other inputs at a share of the way to the corner; `best` becomes that where it is more. */
static ac_status try_share(ac_search *s, const double *from, const double *corner, double share,
                           ac_pair *best, double *trial, double *change)
{
    double y[2] = {0, 0};
    for (int k = 0; k < s->count; ++k) trial[k] = from[k] + share * (corner[k] - from[k]);
    AC_TRY(ac_search_measure(s, trial, best->a, &y[0]));
    if (!s->failed) AC_TRY(ac_search_measure(s, trial, best->b, &y[1]));
    *change = y[0] - y[1];
    if (s->failed || !(*change > best->found)) return AC_OK;
    best->found = *change;
    best->measure_a = y[0];
    best->measure_b = y[1];
    memcpy(best->others, trial, (size_t)s->count * sizeof *trial);
    return AC_OK;
}

/* The best share between 0 and `high`, by golden sections. */
static ac_status refine_share(ac_search *s, const double *from, const double *corner, double high,
                              ac_pair *best, double *trial)
{
    double low = 0.0, x[2] = {GOLD * high, (1.0 - GOLD) * high}, y[2];
    for (int k = 0; k < 2; ++k) AC_TRY(try_share(s, from, corner, x[k], best, trial, &y[k]));
    for (int n = 0; n < SHARE_SECTIONS && !s->failed; ++n) {
        int better = y[1] > y[0];
        if (better)
            low = x[0];
        else
            high = x[1];
        x[!better] = x[better];
        y[!better] = y[better];
        x[better] = better ? high - GOLD * (high - low) : low + GOLD * (high - low);
        AC_TRY(try_share(s, from, corner, x[better], best, trial, &y[better]));
    }
    return AC_OK;
}

/* The corner that the gradient points at; false when the others are there already, or nothing changes. */
static bool find_corner(const ac_search *s, const double *from, double largest, double *corner)
{
    bool away = false;
    for (int k = 0; k < s->count && largest > 0.0; ++k) {
        bool matters = fabs(s->gradient[0][k]) > SMALL_SLOPE * largest;
        corner[k] = !matters ? from[k] : s->gradient[0][k] > 0.0 ? 1.0 : 0.0;
        away = away || corner[k] != from[k];
    }
    return away;
}

/* Moves the other inputs from those of `best`; true in *moved when that gained something. */
static ac_status ascend(ac_search *s, ac_pair *best, double *space, bool refined, bool *moved)
{
    double *corner = space, *trial = space + s->count, *from = space + 4 * s->count, largest, share = 1.0;
    double change, before = best->found;
    *moved = false;
    AC_TRY(slope_of_pair(s, best, &largest));
    memcpy(from, best->others, (size_t)s->count * sizeof *from);
    if (s->failed || !find_corner(s, from, largest, corner)) return AC_OK;
    for (int n = 0; n < (refined ? FINE_HALVINGS : HALVINGS) && !*moved && !s->failed; ++n, share *= 0.5) {
        AC_TRY(try_share(s, from, corner, share, best, trial, &change));
        *moved = best->found > before;
    }
    if (!*moved || !refined || s->failed || share >= 0.5) return AC_OK;
    return refine_share(s, from, corner, fmin(1.0, 4.0 * share), best, trial);
}

/* ---- all starts ---- */

static void begin(const ac_search *s, int start, double *others)
{
    for (int k = 0; k < s->count; ++k) {
        double part = ac_random(s->settings->seed, AC_STREAM_SEARCH, (uint64_t)start, (unsigned)k);
        if (start % 2) part = part < 0.5 ? 0.0 : 1.0;
        others[k] = start == 0 ? 0.5 : start == 1 ? 0.0 : start == 2 ? 1.0 : part;
    }
}

/* Ascent and scan in turn until a round gains less than `gain`. */
static ac_status climb(ac_search *s, ac_pair *pair, double *space, bool refined, int rounds, double gain)
{
    for (int round = 0; round < rounds && !s->failed && s->count > 1; ++round) {
        double before = pair->found;
        bool moved;
        AC_TRY(ascend(s, pair, space, refined, &moved));
        if (s->failed || !moved) return AC_OK;
        AC_TRY(scan(s, pair->others, refined, pair));
        if (!(pair->found > before * (1.0 + gain))) return AC_OK;
    }
    return AC_OK;
}

static void keep_better(const ac_search *s, const ac_pair *pair, ac_pair *best)
{
    double *others = best->others;
    if (!(pair->found > best->found)) return;
    memcpy(others, pair->others, (size_t)s->count * sizeof *others);
    *best = *pair;
    best->others = others;
}

static ac_status search_all(ac_search *s, ac_pair *best, double *space)
{
    ac_pair pair = {.others = space + 2 * s->count};
    double *first = space + 3 * s->count;
    for (int start = 0; start < s->settings->starts && !s->failed; ++start) {
        pair.found = -1.0;
        begin(s, start, first);
        AC_TRY(scan(s, first, false, &pair));
        AC_TRY(climb(s, &pair, space, false, ROUNDS, ROUGH));
        if (!s->failed) keep_better(s, &pair, best);
    }
    if (s->failed) return AC_OK;
    memcpy(first, best->others, (size_t)s->count * sizeof *first);
    AC_TRY(scan(s, first, true, best));
    return climb(s, best, space, true, POLISHING_ROUNDS, FINE);
}

ac_status ac_search_starts(ac_search *s, ac_pair *best)
{
    double *space = ac_allocate(s->ctx, 5 * (size_t)s->count, sizeof *space);
    if (!space) return ac_out_of_memory(s->ctx);
    best->found = -1.0;
    ac_status status = search_all(s, best, space);
    if (best->found < 0.0) best->found = 0.0;
    ac_release(s->ctx, space);
    return status;
}
