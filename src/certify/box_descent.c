/* Projected L-BFGS. */
#include "certify/box_descent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"

enum { CUTS = 20, DOUBLINGS = 8 };
static const double SUFFICIENT = 1e-4;  /* of the decrease that the slope promises */
static const double CURVED = 1e-10;     /* cosine of the angle between changes of point and gradient */
static const double SMALL_SLOPE = 1e-6; /* of the largest: unknowns that do not matter stay */
static const double REGULAR = 1e-4;     /* of the largest number of a metric, on its diagonal */

typedef struct search {
    const ac_box_descent *d;
    int kept; /* pairs, the newest first */
    double *x, *g, *next, *next_g, *step, *s, *y, *share, *curve, *factor;
    double value;
} search;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

/* The gradient pushes this unknown against its bound. */
static bool is_held(const search *w, int k)
{
    return (w->x[k] <= w->d->low[k] && w->g[k] > 0.0) || (w->x[k] >= w->d->high[k] && w->g[k] < 0.0);
}

static void keep_free(const search *w, double *v)
{
    for (int k = 0; k < w->d->n; ++k)
        if (is_held(w, k)) v[k] = 0.0;
}

/* Of the unknowns that no bound holds. */
static double dot_free(const search *w, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < w->d->n; ++k)
        if (!is_held(w, k)) sum += a[k] * b[k];
    return sum;
}

/* Cholesky factor of the metric in the free unknowns, with a part of its largest number on the diagonal. */
static void factorise(search *w)
{
    int n = w->d->n;
    const double *M = w->d->metric;
    double largest = 0.0, *A = w->factor;
    for (int a = 0; a < n; ++a)
        if (!is_held(w, a)) largest = ac_max(largest, M[a * n + a]);
    for (int a = 0; a < n; ++a)
        for (int b = 0; b <= a; ++b) {
            bool held = is_held(w, a) || is_held(w, b) || !(largest > 0.0);
            double sum = (held ? 0.0 : M[a * n + b]) + (a != b ? 0.0 : held ? 1.0 : REGULAR * largest);
            for (int k = 0; k < b; ++k) sum -= A[a * n + k] * A[b * n + k];
            A[a * n + b] = a == b ? sqrt(ac_max(sum, DBL_MIN)) : sum / A[b * n + b];
        }
}

/* v becomes the solution of metric x = v. */
static void solve_metric(const search *w, double *v)
{
    int n = w->d->n;
    const double *A = w->factor;
    for (int a = 0; a < n; ++a) {
        for (int k = 0; k < a; ++k) v[a] -= A[a * n + k] * v[k];
        v[a] /= A[a * n + a];
    }
    for (int a = n - 1; a >= 0; --a) {
        for (int k = a + 1; k < n; ++k) v[a] -= A[k * n + a] * v[k];
        v[a] /= A[a * n + a];
    }
    keep_free(w, v);
}

/* The first guess of the inverse on the step: that of the metric, or of 1, times what the newest pair says. */
static void begin_inverse(search *w, const double *y, double curve)
{
    int n = w->d->n;
    double *changed = w->next; /* not needed here */
    memcpy(changed, y, (size_t)n * sizeof *y);
    keep_free(w, changed);
    if (w->d->metric) {
        factorise(w);
        solve_metric(w, changed);
        solve_metric(w, w->step);
    }
    double scale = curve / dot(n, y, changed);
    for (int k = 0; k < n; ++k) w->step[k] *= scale;
}

/* step = -H g in the free unknowns, by the two loops over the pairs that curve upwards there. */
static bool apply_inverse(search *w)
{
    int n = w->d->n, newest = -1;
    for (int i = 0; i < w->kept; ++i) {
        const double *s = w->s + i * n, *y = w->y + i * n;
        double ss = dot_free(w, s, s), yy = dot_free(w, y, y), sy = dot_free(w, s, y);
        w->curve[i] = sy > CURVED * sqrt(ss * yy) ? sy : 0.0;
        if (w->curve[i] == 0.0) continue;
        if (newest < 0) newest = i;
        w->share[i] = dot(n, s, w->step) / sy;
        for (int k = 0; k < n; ++k) w->step[k] -= w->share[i] * y[k];
        keep_free(w, w->step);
    }
    if (newest < 0) return false;
    begin_inverse(w, w->y + newest * n, w->curve[newest]);
    for (int i = w->kept - 1; i >= 0; --i) {
        const double *s = w->s + i * n, *y = w->y + i * n;
        if (w->curve[i] == 0.0) continue;
        double share = w->share[i] - dot(n, y, w->step) / w->curve[i];
        for (int k = 0; k < n; ++k) w->step[k] += share * s[k];
        keep_free(w, w->step);
    }
    return true;
}

static void to_corner(search *w)
{
    double largest = 0.0;
    for (int k = 0; k < w->d->n; ++k) largest = ac_max(largest, fabs(w->g[k]));
    for (int k = 0; k < w->d->n; ++k) {
        bool matters = fabs(w->g[k]) > SMALL_SLOPE * largest;
        w->step[k] = !matters ? 0.0 : (w->g[k] > 0.0 ? w->d->low[k] : w->d->high[k]) - w->x[k];
    }
}

/* A direction downwards in the free unknowns; false where there is none. */
static bool find_step(search *w, bool corner)
{
    int n = w->d->n;
    double largest = 0.0;
    memcpy(w->step, w->g, (size_t)n * sizeof *w->step);
    keep_free(w, w->step);
    if (w->kept > 0) {
        if (apply_inverse(w) && dot(n, w->step, w->g) > 0.0) {
            for (int k = 0; k < n; ++k) w->step[k] = -w->step[k];
            return true;
        }
        w->kept = 0;
        memcpy(w->step, w->g, (size_t)n * sizeof *w->step);
        keep_free(w, w->step);
    }
    for (int k = 0; k < n; ++k) largest = ac_max(largest, fabs(w->step[k]));
    for (int k = 0; k < n && largest > 0.0; ++k) w->step[k] *= -w->d->first / largest;
    if (corner && largest > 0.0) to_corner(w);
    return largest > 0.0;
}

/* next: a length of the step, inside the box. Returns the change that the slope promises. */
static double go(search *w, double length)
{
    const ac_box_descent *d = w->d;
    double promised = 0.0;
    for (int k = 0; k < d->n; ++k) {
        w->next[k] = ac_min(d->high[k], ac_max(d->low[k], w->x[k] + length * w->step[k]));
        promised += w->g[k] * (w->next[k] - w->x[k]);
    }
    return promised;
}

static ac_status look(search *w, double length, double *value, double *promised)
{
    *promised = go(w, length);
    AC_TRY(w->d->value(w->d->user, w->next, value));
    if (!isfinite(*value)) *value = INFINITY;
    return AC_OK;
}

/* Shortens the step until it gains enough; doubles it while that gains, where its length is a guess. */
static ac_status search_line(search *w, bool guessed, double *value, bool *gained)
{
    double length = 1.0, promised, longer;
    *gained = false;
    for (int k = 0; k < CUTS && !*gained; ++k) {
        AC_TRY(look(w, length, value, &promised));
        *gained = promised < 0.0 && *value <= w->value + SUFFICIENT * promised;
        if (*gained) break;
        guessed = false;
        double best = 0.5 * promised / (promised - (*value - w->value)); /* of a parabola */
        length *= isfinite(*value) && promised < 0.0 ? ac_min(0.5, ac_max(0.1, best)) : 0.25;
    }
    for (int k = 0; k < DOUBLINGS && *gained && guessed; ++k) {
        AC_TRY(look(w, 2.0 * length, &longer, &promised));
        if (!(longer < *value)) break;
        *value = longer;
        length *= 2.0;
    }
    go(w, length);
    return AC_OK;
}

/* The changes of point and gradient become the newest pair, where the function curves upwards between them. */
static void keep_pair(search *w)
{
    int n = w->d->n, most = w->d->pairs;
    double *s = w->step; /* not needed any more */
    double ss = 0.0, yy = 0.0, sy = 0.0;
    for (int k = 0; k < n; ++k) {
        double y = w->next_g[k] - w->g[k];
        s[k] = w->next[k] - w->x[k];
        ss += s[k] * s[k];
        yy += y * y;
        sy += s[k] * y;
    }
    if (!(sy > CURVED * sqrt(ss * yy))) return;
    int kept = w->kept < most ? w->kept : most - 1;
    memmove(w->s + n, w->s, (size_t)(kept * n) * sizeof *s);
    memmove(w->y + n, w->y, (size_t)(kept * n) * sizeof *s);
    memcpy(w->s, s, (size_t)n * sizeof *s);
    for (int k = 0; k < n; ++k) w->y[k] = w->next_g[k] - w->g[k];
    w->kept = kept + 1;
}

static ac_status descend(search *w, long *steps)
{
    const ac_box_descent *d = w->d;
    size_t bytes = (size_t)d->n * sizeof *w->x;
    long most = *steps;
    *steps = 0;
    AC_TRY(d->gradient(d->user, w->x, w->g));
    bool corner = d->corner, going = most > 0;
    while (going && find_step(w, corner)) {
        double value;
        bool gained, plain = w->kept == 0 && !corner;
        AC_TRY(search_line(w, plain, &value, &gained));
        corner = false;
        if (!gained && plain) break;
        if (!gained) {
            w->kept = 0; /* once more along the gradient */
            continue;
        }
        going = w->value - value > d->gain * fabs(value) && *steps + 1 < most &&
                !(d->enough && value <= *d->enough);
        if (going) AC_TRY(d->gradient(d->user, w->next, w->next_g));
        if (going) keep_pair(w);
        memcpy(w->x, w->next, bytes);
        memcpy(w->g, w->next_g, bytes);
        w->value = value;
        ++*steps;
        if (d->report) AC_TRY(d->report(d->user, w->x, value));
    }
    return AC_OK;
}

ac_status ac_box_descend(const ac_box_descent *d, double *x, double *value, long *steps)
{
    size_t n = (size_t)d->n, pairs = (size_t)d->pairs, squares = d->metric ? n * n : 0;
    double *space = ac_allocate(d->ctx, 4 * n + 2 * n * pairs + 2 * pairs + squares, sizeof *space);
    if (!space) return ac_out_of_memory(d->ctx);
    search w = {.d = d, .x = x, .value = *value, .g = space, .next = space + n, .next_g = space + 2 * n};
    w.step = space + 3 * n;
    w.s = space + 4 * n;
    w.y = w.s + n * pairs;
    w.share = w.y + n * pairs;
    w.curve = w.share + pairs;
    w.factor = w.curve + pairs;
    ac_status status = descend(&w, steps);
    *value = w.value;
    ac_release(d->ctx, space);
    return status;
}
