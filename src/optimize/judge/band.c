/* Elimination along time: columns are taken from the first node to the last, each with the largest entry
 * among the rows that have begun; what a row couples is near in time, so few rows are open at once and the
 * work grows with the number of intervals only. A row in which nothing is left depends on those before.
 * Columns that many times share (the duration, parameters, the first node of a periodic motion) come last. */
#include "optimize/judge/band.h"

#include "math/math.h"
#include "optimize/phases/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct key { /* for sorting */
    double time;
    int index;
} key;

typedef struct elimination {
    ac_optimization *o;
    int *place; /* per unknown: where its column stands */
    key *rows;  /* equations by the first column they have */
    int *first, *last;
    int row_count;
    double **open; /* rows that have begun: entries of all columns from `shift` on */
    int *number, *end;
    int open_count, open_capacity;
} elimination;

static int by_time(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->index - y->index;
}

/* How many whole parts fit. */
static int quotient(int whole, int part)
{
    return whole / part;
}

/* Phases follow one another. What all share comes last: lengths, durations, and the start of a cycle. */
static double time_among_phases(const ac_optimization *o, int i)
{
    const ac_phases *p = o->description.phases;
    double before = 0.0, all = 2.0;
    for (int k = 0; k < p->count; ++k) all += p->list[k]->layout.N + 1.0;
    for (int k = 0; k < p->count; ++k) {
        const ac_optimization *phase = p->list[k];
        double time = i < p->first_variable[k + 1] ? ac_unknown_time(phase, i - p->first_variable[k]) : 0.0;
        bool again = k == 0 && phase->description.phase.meets[0] && time == 0.0;
        if (i < p->first_variable[k + 1]) return again || time > phase->layout.N ? all : before + time;
        before += phase->layout.N + 1.0;
    }
    return all;
}

double ac_unknown_time(const ac_optimization *o, int i)
{
    double late = o->layout.N + 2.0;
    if (o->description.phases) return time_among_phases(o, i);
    if (i < ac_y(o, o->layout.N + 1)) {
        int node = i / o->layout.width;
        return node == 0 && o->settings.periodic ? late : node;
    }
    for (int e = 0; e < 2; ++e)
        if (o->layout.first.velocity[e] >= 0 && i >= o->layout.first.velocity[e] &&
            i < o->layout.first.velocity[e] + o->layout.width)
            return e == 1 ? o->layout.N : o->settings.periodic ? late : 0.0;
    for (int e = 0; e < 2 && !o->layout.charted; ++e)
        if (o->layout.first.start[e] >= 0 && i >= o->layout.first.start[e] &&
            i < o->layout.first.start[e] + o->layout.freedoms)
            return 0.0;
    if (o->layout.first.momentum >= 0 && i >= o->layout.first.momentum &&
        i < o->layout.first.momentum + (o->layout.N + 1) * o->layout.width)
        return quotient(i - o->layout.first.momentum, o->layout.width);
    if (o->description.control_count > 0 && i >= o->layout.first.control &&
        i < o->layout.first.control + o->layout.N * o->description.control_count)
        return quotient(i - o->layout.first.control, o->description.control_count) + 0.5;
    if (o->layout.slack_count > 0 && i >= o->layout.first.slack &&
        i < o->layout.first.slack + o->layout.N * o->layout.slack_count)
        return quotient(i - o->layout.first.slack, o->layout.slack_count) + 0.5;
    int stresses = o->description.discrete.stress_count;
    if (stresses > 0 && i >= o->layout.first.stress && i < o->layout.first.stress + o->layout.N * stresses)
        return quotient(i - o->layout.first.stress, stresses) + 0.5;
    if (o->description.shapes.helper_count > 0 && i >= o->layout.first.helper &&
        i < ac_helper(o, o->layout.N + 1))
        return quotient(i - o->layout.first.helper, o->description.shapes.helper_count);
    int holds = o->description.phase.hold_count;
    if (holds > 0 && i >= o->layout.first.hold && i < ac_hold_variable(o, o->layout.N + 1))
        return quotient(i - o->layout.first.hold, holds);
    int multiplier = i - o->layout.first.multiplier;
    if (o->layout.used_constraints > 0 && multiplier >= 0 &&
        multiplier < (o->layout.N + 1) * o->layout.used_constraints)
        return quotient(multiplier, o->layout.used_constraints);
    return late;
}

static bool is_free(const ac_optimization *o, int i)
{
    return o->layout.bounds.lower[i] != o->layout.bounds.upper[i];
}

static ac_status order(elimination *s, const bool *taken)
{
    ac_optimization *o = s->o;
    const ac_pattern *p = &o->layout.jacobian;
    key *columns;
    AC_NEW(o->ctx, s->place, o->layout.variables);
    AC_NEW(o->ctx, s->rows, o->layout.rows);
    AC_NEW(o->ctx, s->first, o->layout.rows);
    AC_NEW(o->ctx, s->last, o->layout.rows);
    AC_NEW(o->ctx, columns, o->layout.variables);
    for (int i = 0; i < o->layout.variables; ++i) columns[i] = (key){ac_unknown_time(o, i), i};
    ac_sort(columns, (size_t)o->layout.variables, sizeof *columns, by_time);
    for (int k = 0; k < o->layout.variables; ++k) s->place[columns[k].index] = k;
    ac_release(o->ctx, columns);
    for (int r = 0; r < o->layout.rows; ++r) {
        if (!taken[r]) continue;
        s->first[r] = o->layout.variables;
        s->last[r] = -1;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e) {
            if (!is_free(o, p->column[e])) continue;
            int at = s->place[p->column[e]];
            if (at < s->first[r]) s->first[r] = at;
            if (at > s->last[r]) s->last[r] = at;
        }
        s->rows[s->row_count++] = (key){s->first[r], r};
    }
    ac_sort(s->rows, (size_t)s->row_count, sizeof *s->rows, by_time);
    return AC_OK;
}

/* Row r enters, scaled to its largest entry; it owns the columns from `column` to the last of all open
 * rows. */
static ac_status open_row(elimination *s, int r, const double *entries)
{
    ac_optimization *o = s->o;
    const ac_pattern *p = &o->layout.jacobian;
    int k = s->open_count, capacity[3] = {s->open_capacity, s->open_capacity, s->open_capacity};
    double most = 0.0;
    AC_TRY(ac_grow(o->ctx, (void **)&s->open, &capacity[0], k + 1, sizeof *s->open));
    AC_TRY(ac_grow(o->ctx, (void **)&s->number, &capacity[1], k + 1, sizeof *s->number));
    AC_TRY(ac_grow(o->ctx, (void **)&s->end, &capacity[2], k + 1, sizeof *s->end));
    s->open_capacity = capacity[0];
    s->open[k] = ac_allocate(o->ctx, (size_t)s->last[r] - (size_t)s->first[r] + 1, sizeof **s->open);
    if (!s->open[k]) return ac_out_of_memory(o->ctx);
    s->number[k] = r;
    s->end[k] = s->last[r];
    ++s->open_count;
    for (int e = p->start[r]; e < p->start[r + 1]; ++e)
        if (is_free(o, p->column[e])) most = ac_max(most, fabs(entries[e]));
    for (int e = p->start[r]; e < p->start[r + 1] && most > 0.0; ++e)
        if (is_free(o, p->column[e])) s->open[k][s->place[p->column[e]] - s->first[r]] += entries[e] / most;
    return AC_OK;
}

static double entry(const elimination *s, int k, int column)
{
    int from = s->first[s->number[k]];
    return column < from || column > s->end[k] ? 0.0 : s->open[k][column - from];
}

static void close_row(elimination *s, int k)
{
    ac_release(s->o->ctx, s->open[k]);
    --s->open_count;
    s->open[k] = s->open[s->open_count];
    s->number[k] = s->number[s->open_count];
    s->end[k] = s->end[s->open_count];
}

/* Row k gets room up to column `end`. */
static ac_status widen(elimination *s, int k, int end)
{
    if (end <= s->end[k]) return AC_OK;
    int from = s->first[s->number[k]];
    double *wider = ac_allocate(s->o->ctx, (size_t)end - (size_t)from + 1, sizeof *wider);
    if (!wider) return ac_out_of_memory(s->o->ctx);
    memcpy(wider, s->open[k], (size_t)(s->end[k] - from + 1) * sizeof *wider);
    ac_release(s->o->ctx, s->open[k]);
    s->open[k] = wider;
    s->end[k] = end;
    return AC_OK;
}

/* Takes the column out of all other open rows; the pivot row leaves. */
static ac_status eliminate(elimination *s, int column, double tolerance)
{
    int pivot = -1;
    double most = tolerance;
    for (int k = 0; k < s->open_count; ++k) {
        double size = fabs(entry(s, k, column));
        if (size <= most) continue;
        most = size;
        pivot = k;
    }
    if (pivot < 0) return AC_OK;
    int from = s->first[s->number[pivot]], end = s->end[pivot];
    for (int k = 0; k < s->open_count; ++k) {
        double factor = entry(s, k, column) / entry(s, pivot, column);
        if (k == pivot || factor == 0.0) continue;
        AC_TRY(widen(s, k, end));
        double *row = s->open[k] + (column - s->first[s->number[k]]);
        const double *other = s->open[pivot] + (column - from);
        for (int c = 1; c <= end - column; ++c) row[c] -= factor * other[c];
        row[0] = 0.0;
    }
    close_row(s, pivot);
    return AC_OK;
}

/* Rows in which nothing is left from a column on. */
static void drop_empty(elimination *s, int column, double tolerance, int *count)
{
    for (int k = s->open_count - 1; k >= 0; --k) {
        double most = 0.0;
        for (int c = column; c <= s->end[k]; ++c) most = ac_max(most, fabs(entry(s, k, c)));
        if (most > tolerance) continue;
        ac_note_dependent(s->o, s->number[k]);
        ++*count;
        close_row(s, k);
    }
}

ac_status ac_band_dependent(ac_optimization *o, const double *entries, double tolerance, const bool *taken,
                            int *count)
{
    elimination s = {.o = o};
    *count = 0;
    ac_status status = order(&s, taken);
    int next = 0;
    for (int column = 0; column < o->layout.variables && status == AC_OK; ++column) {
        for (; next < s.row_count && s.rows[next].time <= column && status == AC_OK; ++next)
            status = open_row(&s, s.rows[next].index, entries);
        if (status == AC_OK) status = eliminate(&s, column, tolerance);
        if (status == AC_OK) drop_empty(&s, column + 1, tolerance, count);
    }
    for (; next < s.row_count; ++next) { /* no free unknown in them */
        ac_note_dependent(o, s.rows[next].index);
        ++*count;
    }
    while (s.open_count > 0) close_row(&s, 0);
    void *blocks[] = {s.place, s.rows, s.first, s.last, s.open, s.number, s.end};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(o->ctx, blocks[k]);
    return status;
}
