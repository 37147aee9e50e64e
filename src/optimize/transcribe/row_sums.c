/* Rows of a projection, gathered and then multiplied. */
#include "optimize/transcribe/row_sums.h"

#include <string.h>

ac_status ac_row_sums_create(ac_context *ctx, int rows, int width, ac_row_sums *s)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->rows = rows;
    s->width = width;
    AC_NEW(ctx, s->values, (size_t)rows * (size_t)width + 1);
    AC_NEW(ctx, s->low, rows + 1);
    AC_NEW(ctx, s->high, rows + 1);
    for (int i = 0; i < rows; ++i) {
        s->low[i] = width;
        s->high[i] = -1;
    }
    return AC_OK;
}

void ac_row_sums_destroy(ac_row_sums *s)
{
    if (!s->ctx) return;
    ac_release(s->ctx, s->values);
    ac_release(s->ctx, s->low);
    ac_release(s->ctx, s->high);
    memset(s, 0, sizeof *s);
}

void ac_row_sums_add(ac_row_sums *s, int i, const int *path, int count, const double *run, double value)
{
    double *row = s->values + (size_t)i * (size_t)s->width;
    if (count == 0) return;
    int first = path[0], last = path[count - 1], along = 1;
    while (along < count && path[along] == first + along) ++along;
    if (along == count) { /* one after another */
        for (int column = first; column <= last; ++column) row[column] += value * run[column];
        if (first < s->low[i]) s->low[i] = first;
        if (last > s->high[i]) s->high[i] = last;
        return;
    }
    for (int g = 0; g < count; ++g) {
        int column = path[g];
        row[column] += value * run[column];
        if (column < s->low[i]) s->low[i] = column;
        if (column > s->high[i]) s->high[i] = column;
    }
}

void ac_row_sums_flush(ac_row_sums *s, int i, const int *path, int count, const double *left, bool both,
                       double *out)
{
    int W = s->width, low = s->low[i], high = s->high[i];
    double *row = s->values + (size_t)i * (size_t)W;
    for (int f = 0; f < count; ++f) {
        int r = path[f];
        double a = left[r], *to = out + (size_t)r * (size_t)W;
        if (a == 0.0) continue;
        int until = both && r < high ? r : high, from = r > low ? r : low;
        for (int g = low; g <= until; ++g) to[g] += a * row[g];
        for (int g = from; both && g <= high; ++g) out[(size_t)g * (size_t)W + (size_t)r] += a * row[g];
    }
    memset(row + low, 0, (size_t)(high - low + 1) * sizeof *row);
    s->low[i] = W;
    s->high[i] = -1;
}

/* --- blocks --- */

/* out += m_0 x_0 + .. over rows x that follow one another, four at a time */
static void add_rows(int count, const double *m, int step, const double *x, int width, int low, int high,
                     double *out)
{
    int c = 0;
    for (; c + 4 <= count; c += 4, m += 4 * step, x += 4 * width) {
        double m0 = m[0], m1 = m[step], m2 = m[2 * step], m3 = m[3 * step];
        const double *x1 = x + width, *x2 = x1 + width, *x3 = x2 + width;
        for (int g = low; g <= high; ++g) out[g] += m0 * x[g] + m1 * x1[g] + m2 * x2[g] + m3 * x3[g];
    }
    for (; c < count; ++c, m += step, x += width)
        for (int g = low; g <= high; ++g) out[g] += m[0] * x[g];
}

void ac_panel_multiply(ac_panel *panel, int rows, int inner, const ac_row_run *runs, const double *M,
                       int row_step, int column_step, const double *X)
{
    int W = panel->width;
    panel->low = W;
    panel->high = -1;
    for (const ac_row_run *run = runs; run->first < inner; ++run) {
        if (run->low < panel->low) panel->low = run->low;
        if (run->high > panel->high) panel->high = run->high;
    }
    for (int r = 0; r < rows; ++r) {
        double *out = panel->values + r * W;
        for (int g = panel->low; g <= panel->high; ++g) out[g] = 0.0;
        for (const ac_row_run *run = runs; run->first < inner; ++run)
            add_rows(run->count, M + r * row_step + run->first * column_step, column_step,
                     X + (size_t)run->coordinate * (size_t)W, W, run->low, run->high, out);
    }
}

void ac_row_sums_add_panel(ac_row_sums *s, const ac_panel *panel, int rows, const int *at, double factor)
{
    int low = panel->low, high = panel->high;
    for (int r = 0; r < rows && low <= high; ++r) {
        const double *from = panel->values + r * panel->width;
        double *row = s->values + (size_t)at[r] * (size_t)s->width;
        for (int g = low; g <= high; ++g) row[g] += factor * from[g];
        if (low < s->low[at[r]]) s->low[at[r]] = low;
        if (high > s->high[at[r]]) s->high[at[r]] = high;
    }
}
