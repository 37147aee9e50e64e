/* Measures: one number from the rows of a run, or of two runs compared.
 *
 * A series is made first, the value of the channel or formula in each row of the window, with its time;
 * then one number is taken from it. Columns of a formula that come from another run are matched by time.
 */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "experiment/parts.h"
#include "math/math.h"

typedef struct series {
    long rows;
    int width;
    double *time, *values; /* values: rows x width */
} series;

/* A column of a formula, with the row that belongs to the current time. */
typedef struct source {
    ac_kept_column column;
    bool rate;
    long row;
} source;

static void free_series(ac_context *ctx, series *s)
{
    ac_release(ctx, s->time);
    ac_release(ctx, s->values);
    *s = (series){0};
}

static ac_status find_column(const ac_experiment *e, int run, const char *table, const char *channel,
                             ac_kept_column *column)
{
    const ac_trial *trial = &e->trials[run];
    if (!ac_store_find(&trial->store, table, channel, column))
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the run %s has no channel %s", trial->name, channel);
    const char *first = column->table->channels[0].name; /* iterations of a solver are counted as times are */
    if (strcmp(first, "time") != 0 && strcmp(first, "iteration") != 0)
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the table of %s has no time", channel);
    return AC_OK;
}

static double time_of(const ac_kept_table *table, long row)
{
    return table->channels[0].values[row];
}

/* Times that differ by less belong to the same moment. */
static double same_time(const ac_kept_table *table)
{
    return table->rows > 1 ? 1e-4 * fabs(time_of(table, 1) - time_of(table, 0)) : 1e-12;
}

/* Moves on to the row at time t; false when there is none. Times never decrease from call to call. */
static bool seek(source *s, double t)
{
    const ac_kept_table *table = s->column.table;
    double close = same_time(table);
    while (s->row < table->rows && time_of(table, s->row) < t - close) ++s->row;
    return s->row + (s->rate ? 1 : 0) < table->rows && fabs(time_of(table, s->row) - t) <= close;
}

static double value_of(const source *s, int component)
{
    const ac_kept_channel *channel = s->column.channel;
    const double *row = channel->values + s->row * channel->width + s->column.first + component;
    if (!s->rate) return *row;
    const ac_kept_table *table = s->column.table;
    return (row[channel->width] - *row) / (time_of(table, s->row + 1) - time_of(table, s->row));
}

static bool in_window(const ac_reading *m, double t)
{
    static const double close = 1e-9; /* s: the ends belong to the window in spite of round-off */
    return t >= m->after - close && t <= m->before + close;
}

static ac_status start_series(ac_context *ctx, series *s, long rows, int width)
{
    s->width = width;
    s->time = ac_allocate(ctx, (size_t)rows, sizeof *s->time);
    s->values = ac_allocate(ctx, (size_t)rows * (size_t)width, sizeof *s->values);
    return s->time && s->values ? AC_OK : ac_out_of_memory(ctx);
}

/* All rows of a channel inside the window. */
static ac_status channel_series(const ac_experiment *e, const ac_reading *m, int run, series *s)
{
    source from = {0};
    AC_TRY(find_column(e, run, m->table, m->channel, &from.column));
    const ac_kept_table *table = from.column.table;
    AC_TRY(start_series(e->ctx, s, table->rows, from.column.width));
    for (from.row = 0; from.row < table->rows; ++from.row) {
        double t = time_of(table, from.row);
        if (!in_window(m, t)) continue;
        s->time[s->rows] = t;
        for (int k = 0; k < s->width; ++k) s->values[s->rows * s->width + k] = value_of(&from, k);
        ++s->rows;
    }
    return AC_OK;
}

/* The formula in every row of the first column's table for which all columns have a value. */
static ac_status evaluate_formula(const ac_reading *m, source *from, double *x, series *s)
{
    const ac_kept_table *table = from[0].column.table;
    for (long row = 0; row < table->rows; ++row) {
        double t = time_of(table, row);
        if (!in_window(m, t)) continue;
        bool complete = true;
        for (int c = 0; c < m->column_count && complete; ++c) {
            complete = seek(&from[c], t);
            if (complete) x[c] = value_of(&from[c], 0);
        }
        if (!complete) continue;
        x[m->column_count] = t;
        s->time[s->rows] = t;
        s->values[s->rows++] = ac_expression_value(m->formula, x);
    }
    return AC_OK;
}

static ac_status find_sources(const ac_experiment *e, const ac_reading *m, int run, source *from)
{
    for (int c = 0; c < m->column_count; ++c) {
        const ac_column *column = &m->columns[c];
        int column_run = column->run == m->run ? run : column->run;
        AC_TRY(find_column(e, column_run, m->table, column->channel, &from[c].column));
        from[c].rate = column->rate;
        if (from[c].column.width != 1)
            return ac_fail(e->ctx, AC_NOT_CONVERGED, "%s has several components; say which", column->channel);
    }
    return AC_OK;
}

static ac_status evaluate_columns(const ac_experiment *e, const ac_reading *m, int run, source *from,
                                  double *x, series *s)
{
    AC_TRY(find_sources(e, m, run, from));
    AC_TRY(start_series(e->ctx, s, from[0].column.table->rows, 1));
    return evaluate_formula(m, from, x, s);
}

static ac_status formula_series(const ac_experiment *e, const ac_reading *m, int run, series *s)
{
    source *from = ac_allocate(e->ctx, (size_t)m->column_count, sizeof *from);
    double *x = ac_allocate(e->ctx, (size_t)m->column_count + 1, sizeof *x);
    bool memory = from && x;
    ac_status status = memory ? evaluate_columns(e, m, run, from, x, s) : ac_out_of_memory(e->ctx);
    ac_release(e->ctx, from);
    ac_release(e->ctx, x);
    return status;
}

static ac_status make_series(const ac_experiment *e, const ac_reading *m, int run, series *s)
{
    *s = (series){0};
    ac_status status = m->formula ? formula_series(e, m, run, s) : channel_series(e, m, run, s);
    if (status == AC_OK && s->rows == 0)
        status = ac_fail(e->ctx, AC_NOT_CONVERGED, "the run %s has no rows at the times asked for",
                         e->trials[run].name);
    if (status != AC_OK) free_series(e->ctx, s);
    return status;
}

/* ---- one number from a series ---- */

static double lowest(const series *s)
{
    double low = INFINITY;
    for (long i = 0; i < s->rows * s->width; ++i) low = s->values[i] < low ? s->values[i] : low;
    return low;
}

static double highest(const series *s)
{
    double high = -INFINITY;
    for (long i = 0; i < s->rows * s->width; ++i) high = s->values[i] > high ? s->values[i] : high;
    return high;
}

/* The largest of the ranges of the components. */
static double range(const series *s)
{
    double largest = 0;
    for (int k = 0; k < s->width; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (long i = 0; i < s->rows; ++i) {
            low = ac_min(low, s->values[i * s->width + k]);
            high = ac_max(high, s->values[i * s->width + k]);
        }
        largest = ac_max(largest, high - low);
    }
    return largest;
}

static double mean(const double *values, long count)
{
    double sum = 0;
    for (long i = 0; i < count; ++i) sum += values[i];
    return sum / (double)count;
}

/* Least squares: change per second. */
static double slope(const series *s)
{
    double t0 = mean(s->time, s->rows), y0 = mean(s->values, s->rows), above = 0, below = 0;
    for (long i = 0; i < s->rows; ++i) {
        above += (s->time[i] - t0) * (s->values[i] - y0);
        below += (s->time[i] - t0) * (s->time[i] - t0);
    }
    return below > 0 ? above / below : 0;
}

/* The value in the row that is nearest to a time. */
static double at_time(const series *s, double t)
{
    long best = 0;
    for (long i = 1; i < s->rows; ++i) {
        if (fabs(s->time[i] - t) < fabs(s->time[best] - t)) best = i;
    }
    return s->values[best];
}

/* The largest of |x(t) + sign x(T - t)|, row by row from both ends: zero for odd (+) or even (-) courses. */
static double mirrored(const series *s, double sign)
{
    double most = 0.0;
    for (long i = 0; i < s->rows; ++i)
        for (int k = 0; k < s->width; ++k)
            most = ac_max(
                most, fabs(s->values[i * s->width + k] + sign * s->values[(s->rows - 1 - i) * s->width + k]));
    return most;
}

/* The time of the largest value, or with sign -1 of the smallest. */
static double time_of_extreme(const series *s, double sign)
{
    long best = 0;
    for (long i = 1; i < s->rows; ++i)
        if (sign * s->values[i] > sign * s->values[best]) best = i;
    return s->time[best];
}

static ac_status take(const ac_experiment *e, const ac_reading *m, const series *s, double *value)
{
    bool single = m->take == AC_TAKE_TIME_OF_MAX || m->take == AC_TAKE_TIME_OF_MIN ||
                  m->take == AC_TAKE_MEAN || m->take == AC_TAKE_FIRST || m->take == AC_TAKE_LAST ||
                  m->take == AC_TAKE_AT || m->take == AC_TAKE_SLOPE;
    if (single && s->width != 1)
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "%s has several components; say which", m->channel);
    switch (m->take) {
    case AC_TAKE_MIN: *value = lowest(s); break;
    case AC_TAKE_MEAN: *value = mean(s->values, s->rows); break;
    case AC_TAKE_FIRST: *value = s->values[0]; break;
    case AC_TAKE_LAST: *value = s->values[s->rows - 1]; break;
    case AC_TAKE_RANGE: *value = range(s); break;
    case AC_TAKE_MAXABS: *value = ac_max(fabs(lowest(s)), fabs(highest(s))); break;
    case AC_TAKE_AT: *value = at_time(s, m->time); break;
    case AC_TAKE_SLOPE: *value = slope(s); break;
    case AC_TAKE_MIRROR_SUM: *value = mirrored(s, 1.0); break;
    case AC_TAKE_MIRROR_DIFFERENCE: *value = mirrored(s, -1.0); break;
    case AC_TAKE_TIME_OF_MAX: *value = time_of_extreme(s, 1.0); break;
    case AC_TAKE_TIME_OF_MIN: *value = time_of_extreme(s, -1.0); break;
    default: *value = highest(s); break;
    }
    return AC_OK;
}

/* The largest difference of two series at their common times. */
static ac_status largest_difference(const ac_experiment *e, const series *a, const series *b, double *value)
{
    double close = a->rows > 1 && b->rows > 1
                       ? 1e-4 * ac_min(a->time[1] - a->time[0], b->time[1] - b->time[0])
                       : 1e-12;
    long common = 0;
    *value = 0;
    if (a->width != b->width)
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the two runs have different channels");
    for (long i = 0, j = 0; i < a->rows && j < b->rows;) {
        if (a->time[i] < b->time[j] - close) {
            ++i;
        } else if (a->time[i] > b->time[j] + close) {
            ++j;
        } else {
            for (int k = 0; k < a->width; ++k)
                *value = ac_max(*value, fabs(a->values[i * a->width + k] - b->values[j * b->width + k]));
            ++i, ++j, ++common;
        }
    }
    return common ? AC_OK : ac_fail(e->ctx, AC_NOT_CONVERGED, "the two runs have no common times");
}

/* The largest difference to a finer series, which is taken linearly between its times. */
static ac_status difference_between(const ac_experiment *e, const series *a, const series *b, double *value)
{
    long common = 0, j = 0;
    *value = 0;
    if (a->width != b->width || b->rows < 2)
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the two runs have different channels");
    for (long i = 0; i < a->rows; ++i) {
        if (a->time[i] < b->time[0] || a->time[i] > b->time[b->rows - 1]) continue;
        while (j < b->rows - 2 && b->time[j + 1] < a->time[i]) ++j;
        double share = (a->time[i] - b->time[j]) / (b->time[j + 1] - b->time[j]);
        for (int k = 0; k < a->width; ++k) {
            double other = (1.0 - share) * b->values[j * b->width + k] +
                           share * b->values[(j + 1) * b->width + k];
            *value = ac_max(*value, fabs(a->values[i * a->width + k] - other));
        }
        ++common;
    }
    return common ? AC_OK : ac_fail(e->ctx, AC_NOT_CONVERGED, "the two runs have no common times");
}

static ac_status take_difference(const ac_experiment *e, const ac_reading *m, const series *a, double *value)
{
    series b;
    AC_TRY(make_series(e, m, m->other_run, &b));
    ac_status status = m->interpolated ? difference_between(e, a, &b, value)
                                       : largest_difference(e, a, &b, value);
    free_series(e->ctx, &b);
    return status;
}

/* ---- two meshes of one beam ---- */

static double distance(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* The rotation halfway between two. */
static void halfway(const double a[9], const double b[9], double out[9])
{
    double relative[9], turn[3], half[9];
    transposed_multiply3(a, b, relative);
    ac_rotation_log(relative, turn);
    for (int i = 0; i < 3; ++i) turn[i] *= 0.5;
    ac_rotation_exp(turn, half);
    multiply3(a, half, out);
}

/* In the last rows: the largest Euclidean (Frobenius) distance of what both meshes have at the same place of the beam.
 * Nodes of the coarse mesh are nodes of the fine one; the middle of a coarse edge is a vertex between two fine edges. */
static ac_status mesh_difference(const ac_experiment *e, const ac_reading *m, const series *a,
                                 const series *b, double *value)
{
    bool edges = strstr(m->channel, "edge_rotation") != NULL;
    int size = strstr(m->channel, "rotation") ? 9 : 3, coarse = a->width / size, fine = b->width / size;
    int stretches = edges ? coarse : coarse - 1, pieces = edges ? fine : fine - 1;
    const double *x = a->values + (a->rows - 1) * a->width, *y = b->values + (b->rows - 1) * b->width;
    *value = 0.0;
    if (stretches < 1 || pieces % stretches != 0 || (edges && pieces / stretches % 2 != 0))
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the mesh of the run %s is no part of the mesh of %s",
                       e->trials[m->run].name, e->trials[m->other_run].name);
    int ratio = pieces / stretches;
    for (int k = 0; k < coarse; ++k) {
        double between[9];
        const double *other = y + (long)k * ratio * size;
        if (edges) {
            other = y + ((long)k * ratio + ratio / 2) * size;
            halfway(other - size, other, between);
            other = between;
        }
        *value = ac_max(*value, distance(size, x + (long)k * size, other));
    }
    return AC_OK;
}

static ac_status take_mesh_difference(const ac_experiment *e, const ac_reading *m, const series *a,
                                      double *value)
{
    series b;
    AC_TRY(make_series(e, m, m->other_run, &b));
    ac_status status = mesh_difference(e, m, a, &b, value);
    free_series(e->ctx, &b);
    return status;
}

/* ---- the measure ---- */

static ac_status take_summary(const ac_experiment *e, const ac_reading *m, double *value)
{
    const ac_trial *trial = &e->trials[m->run];
    for (int i = 0; i < trial->summary.count; ++i) {
        if (strcmp(trial->summary.entry[i].name, m->summary) != 0) continue;
        *value = trial->summary.entry[i].value;
        return AC_OK;
    }
    return ac_fail(e->ctx, AC_NOT_CONVERGED, "the summary of the run %s has no %s", trial->name, m->summary);
}

static ac_status need_solved(const ac_experiment *e, int run)
{
    const ac_trial *trial = &e->trials[run];
    if (trial->status == AC_OK) return AC_OK;
    return ac_fail(e->ctx, AC_NOT_CONVERGED, "the run %s failed: %s", trial->name, trial->message);
}

/* 1: the run failed, and for the reason that is asked for. */
static ac_status take_failure(const ac_experiment *e, const ac_reading *m, double *value)
{
    const ac_trial *trial = &e->trials[m->run];
    *value = trial->status != AC_OK;
    if (trial->status == AC_OK || !m->reason || strstr(trial->message, m->reason)) return AC_OK;
    return ac_fail(e->ctx, AC_NOT_CONVERGED, "the run %s failed for another reason: %s", trial->name,
                   trial->message);
}

ac_status ac_reading_take(const ac_experiment *e, const ac_reading *m, double *value)
{
    if (m->take == AC_TAKE_FAILED) return take_failure(e, m, value);
    if (!m->unsolved) AC_TRY(need_solved(e, m->run));
    if (m->other_run >= 0) AC_TRY(need_solved(e, m->other_run));
    for (int c = 0; c < m->column_count; ++c)
        if (m->columns[c].run != m->run) AC_TRY(need_solved(e, m->columns[c].run));
    if (m->summary) return take_summary(e, m, value);
    series s;
    AC_TRY(make_series(e, m, m->run, &s));
    ac_status status = m->take == AC_TAKE_MAX_DIFFERENCE    ? take_difference(e, m, &s, value)
                       : m->take == AC_TAKE_MESH_DIFFERENCE ? take_mesh_difference(e, m, &s, value)
                                                            : take(e, m, &s, value);
    free_series(e->ctx, &s);
    return status;
}
