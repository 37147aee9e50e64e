/* Numbers that depend on time. A signal is constant once made and may be shared. */
#include "base/signal.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "base/quadrature.h"
#include "math/math.h"

typedef enum signal_kind { SIGNAL_CONSTANT, SIGNAL_TABLE, SIGNAL_EXPRESSION, SIGNAL_NUMBERS } signal_kind;

struct ac_signal {
    ac_context *ctx;
    signal_kind kind;
    double constant;
    int count;
    double *time, *value; /* one block, owned through `time` */
    bool held;            /* a table whose values hold until its next point */
    ac_expression *expression;
    double *x;   /* numbers that the expression depends on besides, not owned; then t */
    bool middle; /* its value on an interval is that in the middle, not the mean */
};

/* NULL when out of memory. */
static ac_signal *new_signal(ac_context *ctx, signal_kind kind)
{
    ac_signal *s = ac_allocate(ctx, 1, sizeof *s);
    if (!s) return NULL;
    s->ctx = ctx;
    s->kind = kind;
    return s;
}

ac_status ac_signal_constant(ac_context *ctx, double value, ac_signal **signal)
{
    ac_signal *s = new_signal(ctx, SIGNAL_CONSTANT);
    *signal = s;
    if (!s) return ac_out_of_memory(ctx);
    s->constant = value;
    return AC_OK;
}

static ac_status check_table(ac_context *ctx, int count, const double *time, const double *value)
{
    if (count < 1) return ac_fail(ctx, AC_BAD_INPUT, "a table needs at least one point");
    for (int k = 0; k < count; ++k) {
        if (!isfinite(time[k]) || !isfinite(value[k]))
            return ac_fail(ctx, AC_BAD_INPUT, "point %d of the table is not a finite number", k + 1);
        if (k > 0 && time[k] <= time[k - 1])
            return ac_fail(ctx, AC_BAD_INPUT, "times of a table must increase: %g follows %g", time[k],
                           time[k - 1]);
    }
    return AC_OK;
}

ac_status ac_signal_table(ac_context *ctx, int count, const double *time, const double *value,
                          ac_signal **signal)
{
    *signal = NULL;
    AC_TRY(check_table(ctx, count, time, value));
    ac_signal *s = new_signal(ctx, SIGNAL_TABLE);
    if (!s) return ac_out_of_memory(ctx);
    s->count = count;
    s->time = ac_allocate(ctx, 2 * (size_t)count, sizeof *s->time);
    if (!s->time) {
        ac_signal_free(s);
        return ac_out_of_memory(ctx);
    }
    s->value = s->time + count;
    memcpy(s->time, time, (size_t)count * sizeof *time);
    memcpy(s->value, value, (size_t)count * sizeof *value);
    *signal = s;
    return AC_OK;
}

ac_status ac_signal_steps(ac_context *ctx, int count, const double *time, const double *value,
                          ac_signal **signal)
{
    AC_TRY(ac_signal_table(ctx, count, time, value, signal));
    (*signal)->held = true;
    return AC_OK;
}

ac_status ac_signal_from_expression(ac_context *ctx, ac_expression *expression, ac_signal **signal)
{
    ac_signal *s = new_signal(ctx, SIGNAL_EXPRESSION);
    *signal = s;
    if (!s) {
        ac_expression_free(expression);
        return ac_out_of_memory(ctx);
    }
    s->expression = expression;
    return AC_OK;
}

ac_status ac_signal_expression(ac_context *ctx, const char *text, ac_signal **signal)
{
    static const char *const variables[] = {"t"};
    ac_expression *expression = NULL;
    *signal = NULL;
    AC_TRY(ac_expression_parse(ctx, text, variables, 1, NULL, NULL, NULL, &expression));
    return ac_signal_from_expression(ctx, expression, signal);
}

ac_status ac_signal_of_numbers(ac_context *ctx, ac_expression *expression, int count, double *x,
                               ac_signal **signal)
{
    AC_TRY(ac_signal_from_expression(ctx, expression, signal));
    (*signal)->kind = SIGNAL_NUMBERS;
    (*signal)->count = count;
    (*signal)->x = x;
    return AC_OK;
}

int ac_signal_points(ac_signal *s, double **time, double **value)
{
    if (s->kind != SIGNAL_TABLE) return 0;
    *time = s->time;
    *value = s->value;
    return s->count;
}

static double numbers_value(const ac_signal *s, double t)
{
    s->x[s->count] = t;
    return ac_expression_value(s->expression, s->x);
}

/* linear between the points or held from each to the next, constant outside */
static double table_value(const ac_signal *s, double t, double *slope)
{
    int low = 0, high = s->count - 1;
    *slope = 0.0;
    if (!(t > s->time[low])) return s->value[low];
    if (t >= s->time[high]) return s->value[high];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (s->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    if (s->held) return s->value[low];
    double share = (t - s->time[low]) / (s->time[high] - s->time[low]);
    *slope = (s->value[high] - s->value[low]) / (s->time[high] - s->time[low]);
    return s->value[low] + share * (s->value[high] - s->value[low]);
}

double ac_signal_value(const ac_signal *signal, double t)
{
    double slope;
    switch (signal->kind) {
    case SIGNAL_CONSTANT: return signal->constant;
    case SIGNAL_TABLE: return table_value(signal, t, &slope);
    case SIGNAL_NUMBERS: return numbers_value(signal, t);
    default: return ac_expression_value(signal->expression, &t);
    }
}

double ac_signal_derivatives(const ac_signal *signal, double t, double *first, double *second)
{
    *first = *second = 0.0;
    switch (signal->kind) {
    case SIGNAL_CONSTANT: return signal->constant;
    case SIGNAL_TABLE: return table_value(signal, t, first);
    case SIGNAL_NUMBERS:
        signal->x[signal->count] = t;
        return ac_expression_along(signal->expression, signal->x, signal->count, signal->count, first,
                                   second);
    default: return ac_expression_derivatives(signal->expression, &t, first, second);
    }
}

/* The first point of a table behind t; their number if there is none. */
static int first_after(const ac_signal *s, double t)
{
    int low = 0, high = s->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->time[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The integral of a table from `from` to `to`, stretch by stretch. */
static double table_integral(const ac_signal *s, double from, double to)
{
    double sum = 0.0, slope, before = from, value = table_value(s, from, &slope);
    for (int k = first_after(s, from); k < s->count && before < to; ++k) {
        double next = ac_min(s->time[k], to), there = table_value(s, next, &slope);
        sum += (next - before) * (s->held ? value : 0.5 * (value + there));
        before = next;
        value = there;
    }
    return before < to ? sum + (to - before) * s->value[s->count - 1] : sum;
}

static double signal_at(const void *user, double t)
{
    return ac_signal_value(user, t);
}

static bool signal_switches(const void *user, double from, double to)
{
    const ac_signal *s = user;
    const double none = 0.0;
    bool numbers = s->kind == SIGNAL_NUMBERS;
    return ac_expression_switches(s->expression, numbers ? s->x : &none, numbers ? s->count : 0, from, to);
}

void ac_signal_sample_middle(ac_signal *signal)
{
    signal->middle = true;
}

bool ac_signal_is_sampled(const ac_signal *signal)
{
    return signal->middle;
}

/* Halves the interval down to where the expression switches; a jump is a difference that does not become less. */
static bool find_jump(const ac_signal *s, double from, double to, int *looks, double *at)
{
    if (--*looks < 0 || !signal_switches(s, from, to)) return false;
    double middle = 0.5 * (from + to);
    if (from < middle && middle < to && to - from > 1e-12 * (1.0 + fabs(to)))
        return find_jump(s, from, middle, looks, at) || find_jump(s, middle, to, looks, at);
    double before = ac_signal_value(s, from), after = ac_signal_value(s, to);
    *at = to;
    return fabs(after - before) > 1e-9 * (1.0 + fabs(before));
}

bool ac_signal_jumps(const ac_signal *signal, double from, double to, double *at)
{
    enum { MOST_LOOKS = 1000 };
    int looks = MOST_LOOKS;
    if (signal->kind == SIGNAL_CONSTANT) return false;
    if (signal->kind == SIGNAL_TABLE) {
        for (int k = 1; signal->held && k < signal->count; ++k) {
            *at = signal->time[k];
            if (*at > from && *at <= to && signal->value[k] != signal->value[k - 1]) return true;
        }
        return false;
    }
    return !ac_expression_is_smooth(signal->expression) && find_jump(signal, from, to, &looks, at);
}

double ac_signal_mean(const ac_signal *signal, double t, double h)
{
    if (signal->middle) return ac_signal_value(signal, t + 0.5 * h);
    if (!(h > 0.0)) return ac_signal_value(signal, t);
    if (signal->kind == SIGNAL_CONSTANT) return signal->constant;
    if (signal->kind == SIGNAL_TABLE) return table_integral(signal, t, t + h) / h;
    ac_integrand f = {signal, signal_at, ac_expression_is_smooth(signal->expression) ? NULL : signal_switches,
                      NULL};
    return ac_mean_over(&f, t, h);
}

/* The integral over [from, to] of the function that is 0 at x, 1 at y, linear between them and zero elsewhere. */
static double ramp_integral(double x, double y, double from, double to)
{
    double low = ac_max(ac_min(x, y), from), high = ac_min(ac_max(x, y), to);
    return low < high ? (high - low) * (0.5 * (low + high) - x) / (y - x) : 0.0;
}

/* The integral of a table over [from, to] by the value of a point: that of its hat. With slope s on one side of it, the time
 * of the point acts as -s times its value does on that side. */
static double integral_by_point(const ac_signal *s, int k, bool by_time, double from, double to)
{
    const double *time = s->time, *value = s->value;
    bool first = k == 0, last = k == s->count - 1;
    if (s->held) {
        double begin = first ? from : time[k], end = last ? to : time[k + 1];
        if (by_time) return !first && from < time[k] && time[k] < to ? value[k - 1] - value[k] : 0.0;
        return ac_max(0.0, ac_min(end, to) - ac_max(begin, from));
    }
    double left = first ? ac_max(0.0, ac_min(time[k], to) - from)
                        : ramp_integral(time[k - 1], time[k], from, to),
           right = last ? ac_max(0.0, to - ac_max(time[k], from))
                        : ramp_integral(time[k + 1], time[k], from, to);
    if (!by_time) return left + right;
    double rise = first ? 0.0 : (value[k] - value[k - 1]) / (time[k] - time[k - 1]),
           fall = last ? 0.0 : (value[k + 1] - value[k]) / (time[k + 1] - time[k]);
    return -rise * left - fall * right;
}

/* The same at one time, where the table is linear. */
static double value_by_point(const ac_signal *s, int k, bool by_time, double t)
{
    const double *time = s->time;
    bool before = t < time[k], last = k == s->count - 1, first = k == 0;
    int other = before ? k - 1 : k + 1;
    if (s->held) return !by_time && (before ? first : last || t < time[k + 1]) ? 1.0 : 0.0;
    if (before ? first : last) return by_time ? 0.0 : 1.0;
    double share = (t - time[other]) / (time[k] - time[other]);
    if (share < 0.0) return 0.0;
    return by_time ? -share * (s->value[k] - s->value[other]) / (time[k] - time[other]) : share;
}

double ac_signal_mean_by_point(const ac_signal *signal, int point, bool by_time, double t, double h)
{
    if (signal->middle) return value_by_point(signal, point, by_time, t + 0.5 * h);
    if (!(h > 0.0)) return value_by_point(signal, point, by_time, t);
    return integral_by_point(signal, point, by_time, t, t + h) / h;
}

double ac_signal_mean_slopes(const ac_signal *signal, double n, double h, double *first, double *second)
{
    if (signal->middle) {
        double value = ac_signal_derivatives(signal, (n + 0.5) * h, first, second);
        *first *= n + 0.5;
        *second *= (n + 0.5) * (n + 0.5);
        return value;
    }
    double a1, b1, unused, mean = ac_signal_mean(signal, n * h, h);
    double a = ac_signal_derivatives(signal, n * h, &a1, &unused);
    double b = ac_signal_derivatives(signal, (n + 1.0) * h, &b1, &unused);
    /* mean = I / h with I' = (n + 1) f(b) - n f(a) */
    double slope = (n + 1.0) * b - n * a, bend = (n + 1.0) * (n + 1.0) * b1 - n * n * a1;
    *first = (slope - mean) / h;
    *second = (bend - 2.0 * *first) / h;
    return mean;
}

void ac_signal_mean_by_times(const ac_signal *signal, double t, double h, double *by_t, double *by_h)
{
    double unused;
    if (signal->middle) {
        ac_signal_derivatives(signal, t + 0.5 * h, by_t, &unused);
        *by_h = 0.5 * *by_t;
        return;
    }
    double end = ac_signal_value(signal, t + h);
    *by_t = (end - ac_signal_value(signal, t)) / h;
    *by_h = (end - ac_signal_mean(signal, t, h)) / h;
}

void ac_signal_free(ac_signal *signal)
{
    if (!signal) return;
    ac_expression_free(signal->expression);
    ac_release(signal->ctx, signal->time);
    ac_release(signal->ctx, signal);
}
