/* Cubic splines through samples: second derivatives at the knots from continuity of the slopes,
 *
 *   h[i-1] M[i-1] + 2 (h[i-1] + h[i]) M[i] + h[i] M[i+1] = 6 ((y[i+1] - y[i])/h[i] - (y[i] - y[i-1])/h[i-1]).
 */
#include <math.h>
#include <string.h>

#include "design/surrogate.h"
#include "linalg/dense.h"

static void sort_samples(ac_spline *s, int count, const double *x, const double *y, int omitted)
{
    for (int k = 0; k < count; ++k) {
        if (k == omitted) continue;
        int at = s->count++;
        for (; at > 0 && s->x[at - 1] > x[k]; --at) {
            s->x[at] = s->x[at - 1];
            s->y[at] = s->y[at - 1];
        }
        s->x[at] = x[k];
        s->y[at] = y[k];
    }
}

/* The condition at one end: `a`, `b`, `c` are the knots from that end on. */
static void end_row(ac_spline_ends ends, int n, const double *x, double *row, int a, int b, int c)
{
    if (ends == AC_SPLINE_NATURAL) {
        row[a] = 1.0;
    } else if (n == 3) { /* one parabola */
        row[a] = 1.0;
        row[b] = -1.0;
    } else { /* equal third derivatives on both sides of b */
        double first = fabs(x[b] - x[a]), second = fabs(x[c] - x[b]);
        row[a] = second;
        row[b] = -(first + second);
        row[c] = first;
    }
}

static ac_status find_curvature(ac_context *ctx, ac_spline_ends ends, ac_spline *s)
{
    int n = s->count;
    if (n < 3) return AC_OK; /* a line */
    size_t size = (size_t)n * (size_t)n;
    double *A = ac_allocate(ctx, size, sizeof *A);
    int *pivot = ac_allocate(ctx, (size_t)n, sizeof *pivot);
    bool solved = false;
    if (A && pivot) {
        end_row(ends, n, s->x, A, 0, 1, 2);
        end_row(ends, n, s->x, A + size - (size_t)n, n - 1, n - 2, n - 3);
        for (int i = 1; i < n - 1; ++i) {
            double before = s->x[i] - s->x[i - 1], after = s->x[i + 1] - s->x[i],
                   *row = A + (size_t)i * (size_t)n;
            row[i - 1] = before;
            row[i] = 2.0 * (before + after);
            row[i + 1] = after;
            s->curvature[i] = 6.0 * ((s->y[i + 1] - s->y[i]) / after - (s->y[i] - s->y[i - 1]) / before);
        }
        solved = ac_lu_factor(n, A, pivot);
        if (solved) ac_lu_solve(n, A, pivot, s->curvature);
    }
    bool memory = A && pivot;
    ac_release(ctx, A);
    ac_release(ctx, pivot);
    if (!memory) return ac_out_of_memory(ctx);
    return solved ? AC_OK : ac_fail(ctx, AC_SINGULAR, "the spline has no solution");
}

ac_status ac_spline_fit(ac_context *ctx, ac_spline_ends ends, int count, const double *x, const double *y,
                        int omitted, ac_spline *s)
{
    *s = (ac_spline){0};
    AC_NEW(ctx, s->x, 3 * count);
    s->y = s->x + count;
    s->curvature = s->y + count;
    sort_samples(s, count, x, y, omitted);
    ac_status status = AC_OK;
    for (int k = 1; k < s->count && status == AC_OK; ++k)
        if (!(s->x[k] > s->x[k - 1]))
            status = ac_fail(ctx, AC_SINGULAR, "two samples of the spline coincide");
    if (status == AC_OK) status = find_curvature(ctx, ends, s);
    if (status != AC_OK) ac_spline_clear(ctx, s);
    return status;
}

void ac_spline_clear(ac_context *ctx, ac_spline *s)
{
    ac_release(ctx, s->x);
    *s = (ac_spline){0};
}

/* The piece after knot i as y + b u + c u^2 + d u^3 of u = x - x[i]. */
static void piece_of(const ac_spline *s, int i, double *b, double *c, double *d)
{
    double h = s->x[i + 1] - s->x[i], M = s->curvature[i], next = s->curvature[i + 1];
    *b = (s->y[i + 1] - s->y[i]) / h - h * (2.0 * M + next) / 6.0;
    *c = 0.5 * M;
    *d = (next - M) / (6.0 * h);
}

static double piece_value(const ac_spline *s, int i, double x)
{
    double b, c, d, u = x - s->x[i];
    piece_of(s, i, &b, &c, &d);
    return s->y[i] + u * (b + u * (c + u * d));
}

double ac_spline_value(const ac_spline *s, double x)
{
    int i = 0;
    if (s->count == 1) return s->y[0];
    while (i < s->count - 2 && x > s->x[i + 1]) ++i;
    return piece_value(s, i, x);
}

/* Where the slope of a piece vanishes from below to above zero; NaN: nowhere. */
static double valley(const ac_spline *s, int i)
{
    double b, c, d;
    piece_of(s, i, &b, &c, &d);
    double root = c * c - 3.0 * b * d;
    if (!(root >= 0.0)) return NAN;
    double sum = c + copysign(sqrt(root), c); /* without cancellation */
    double u = c >= 0.0 ? (sum > 0.0 ? -b / sum : NAN) : -sum / (3.0 * d);
    return s->x[i] + u;
}

double ac_spline_minimum(const ac_spline *s)
{
    double best = ac_spline_value(s, 0.0) <= ac_spline_value(s, 1.0) ? 0.0 : 1.0,
           least = ac_spline_value(s, best);
    for (int i = 0; i < s->count - 1; ++i) {
        double low = i == 0 ? 0.0 : s->x[i], high = i == s->count - 2 ? 1.0 : s->x[i + 1];
        const double candidates[] = {valley(s, i), s->x[i], s->x[i + 1]};
        for (int k = 0; k < 3; ++k) {
            double x = candidates[k];
            if (!(x >= low && x <= high) || !(piece_value(s, i, x) < least)) continue;
            best = x;
            least = piece_value(s, i, x);
        }
    }
    return best;
}
