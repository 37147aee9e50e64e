/* Load paths in plots: which stretches are unstable, and where limit points and bifurcations are.
 *
 * The table of an equilibrium has the channels `stability/negative` (eigenvalues below zero; -1: not
 * judged) and `event`. At an event an eigenvalue is zero and may have either sign, so that a stretch there is
 * what its other end is.
 */
#include <stdio.h>

#include "actio/equilibrium.h"
#include "base/base.h"
#include "show/plot/plot.h"
#include "show/scene/sampling.h"

static const char *word_of(double event)
{
    if (event == AC_EVENT_LIMIT) return "limit";
    return event == AC_EVENT_BIFURCATION ? "bifurcation" : NULL;
}

/* A channel of single numbers in a range of rows; NULL when there is none. */
static ac_status read_channel(ac_context *ctx, ac_result *result, int table, const char *name, long first,
                              long count, double **values)
{
    int channels = 0, channel = ac_table_channel(result, table, name);
    *values = NULL;
    if (channel < 0 || ac_result_channels(result, table, &channels)[channel].width != 1) return AC_OK;
    AC_NEW(ctx, *values, count);
    return ac_result_read(result, table, channel, first, 1, count, *values);
}

static ac_status find_events(ac_context *ctx, const double *event, long count, ac_path_rows *path)
{
    int found = 0;
    for (long i = 0; i < count; ++i) found += word_of(event[i]) != NULL;
    if (found == 0) return AC_OK;
    AC_NEW(ctx, path->events, found);
    AC_NEW(ctx, path->words, found);
    for (long i = 0; i < count; ++i) {
        if (!word_of(event[i])) continue;
        path->events[path->event_count] = i;
        path->words[path->event_count++] = word_of(event[i]);
    }
    return AC_OK;
}

static ac_status find_unstable(ac_context *ctx, const double *negative, const double *event, long count,
                               ac_path_rows *path)
{
    bool any = false;
    AC_NEW(ctx, path->unstable, count);
    for (long i = 0; i < count; ++i) {
        bool a = negative[i] > 0, b = i + 1 < count ? negative[i + 1] > 0 : a;
        bool at_a = event && word_of(event[i]), at_b = event && i + 1 < count && word_of(event[i + 1]);
        path->unstable[i] = at_a && !at_b ? b : at_b && !at_a ? a : a || b;
        any = any || path->unstable[i];
    }
    if (any) return AC_OK;
    ac_release(ctx, path->unstable);
    path->unstable = NULL;
    return AC_OK;
}

ac_status ac_path_read(ac_context *ctx, ac_result *result, int table, long first, long count,
                       ac_path_rows *path)
{
    double *event = NULL, *negative = NULL;
    *path = (ac_path_rows){0};
    if (count < 1) return AC_OK;
    ac_status status = read_channel(ctx, result, table, "event", first, count, &event);
    if (status == AC_OK && event)
        status = read_channel(ctx, result, table, "stability/negative", first, count, &negative);
    if (status == AC_OK && event) status = find_events(ctx, event, count, path);
    if (status == AC_OK && negative) status = find_unstable(ctx, negative, event, count, path);
    ac_release(ctx, event);
    ac_release(ctx, negative);
    if (status != AC_OK) ac_path_free(ctx, path);
    return status;
}

void ac_path_free(ac_context *ctx, ac_path_rows *path)
{
    ac_release(ctx, path->unstable);
    ac_release(ctx, path->events);
    ac_release(ctx, (void *)path->words);
    *path = (ac_path_rows){0};
}
