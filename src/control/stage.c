/* Rows of a projection, gathered and then multiplied. */
#include "control/stage.h"

#include <string.h>

ac_status ac_stage_create(ac_context *ctx, int rows, int width, ac_stage *s)
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

void ac_stage_destroy(ac_stage *s)
{
    if (!s->ctx) return;
    ac_release(s->ctx, s->values);
    ac_release(s->ctx, s->low);
    ac_release(s->ctx, s->high);
    memset(s, 0, sizeof *s);
}

void ac_stage_add(ac_stage *s, int i, const int *path, int count, const double *run, double value)
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

void ac_stage_flush(ac_stage *s, int i, const int *path, int count, const double *left, bool both,
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
