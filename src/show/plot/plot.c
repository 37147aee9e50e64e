/* Gathering a plot: finds the quantities, reads their rows, sets the axes. */
#include "show/plot/plot.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"
#include "show/scene/sampling.h"

enum { POINTS = 4000, PHASE_POINTS = 20000, NAME_SIZE = 1024, CURVES_MAX = 200 };

const unsigned ac_plot_palette[AC_PLOT_COLOURS] = {0x1f6feb, 0xd9480f, 0x0f8a6d, 0x8250df,
                                                   0xa67c00, 0xd6336c, 0x0b7285, 0x5c6773};

ac_plot_settings ac_plot_defaults(void)
{
    return (ac_plot_settings){.from = -INFINITY, .to = INFINITY};
}

void ac_plot_free(ac_plot *plot)
{
    if (!plot) return;
    for (int i = 0; i < plot->curve_count; ++i) {
        ac_release(plot->ctx, plot->curves[i].name);
        ac_release(plot->ctx, plot->curves[i].x);
        ac_release(plot->ctx, plot->curves[i].y);
        ac_release(plot->ctx, plot->curves[i].unstable);
        ac_release(plot->ctx, plot->curves[i].marks);
    }
    ac_release(plot->ctx, plot->curves);
    ac_release(plot->ctx, plot->title);
    ac_release(plot->ctx, plot->x.label);
    for (int i = 0; i < AC_PANELS_MAX; ++i) ac_release(plot->ctx, plot->y[i].label);
    ac_release(plot->ctx, plot);
}

/* ---- quantities ---- */

/* A component of a channel, -1 for all of them. */
typedef struct quantity {
    int table, channel, component;
} quantity;

typedef struct gathering {
    ac_plot *plot;
    const ac_report_source *source;
    int source_number, source_count;
    quantity against;                 /* table -1: time */
    const char *units[AC_PANELS_MAX]; /* of the panels */
} gathering;

/* Whether the word means this channel, or a component of it ("momentum/linear.z"). */
static bool means(const char *word, const ac_channel *channel, bool pattern, int *component)
{
    *component = -1;
    if (pattern ? fnmatch(word, channel->name, 0) == 0 : strcmp(word, channel->name) == 0) return true;
    if (channel->width < 2) return false;
    for (const char *dot = strchr(word, '.'); dot && *component < 0; dot = strchr(dot + 1, '.')) {
        char front[NAME_SIZE];
        size_t length = (size_t)(dot - word);
        if (length >= sizeof front) return false;
        memcpy(front, word, length);
        front[length] = '\0';
        if (pattern ? fnmatch(front, channel->name, 0) == 0 : strcmp(front, channel->name) == 0)
            *component = ac_component_find(channel, dot + 1);
    }
    return *component >= 0;
}

/* Calls take(user, quantity) for every quantity that the word means: by its name, else as a pattern. */
static ac_status for_each(const ac_result *result, const char *word,
                          ac_status (*take)(void *user, const quantity *found), void *user, int *count)
{
    *count = 0;
    for (int pattern = 0; pattern < 2 && *count == 0; ++pattern) {
        for (int t = 0; t < ac_result_table_count(result); ++t) {
            int channels = 0;
            const ac_channel *list = ac_result_channels(result, t, &channels);
            for (int c = 0; c < channels; ++c) {
                quantity found = {t, c, -1};
                if (!means(word, &list[c], pattern, &found.component)) continue;
                if (pattern && strcmp(list[c].name, "time") == 0) continue;
                ++*count;
                AC_TRY(take(user, &found));
            }
        }
    }
    return AC_OK;
}

/* ---- reading ---- */

static ac_status read_time_curve(gathering *g, const quantity *q, double *block, ac_plot_curve *curve,
                                 const ac_bucketing *buckets, int component, int width)
{
    ac_context *ctx = g->plot->ctx;
    ac_result *result = g->source->result;
    int time = ac_table_channel(result, q->table, "time");
    AC_TRY(ac_read_buckets(ctx, result, q->table, q->channel, buckets, false, block));
    for (long i = 0; i < buckets->points; ++i) curve->y[i] = block[i * width + component];
    if (time >= 0) return ac_read_buckets(ctx, result, q->table, time, buckets, true, curve->x);
    for (long i = 0; i < buckets->points; ++i)
        curve->x[i] = (double)(buckets->first + (buckets->size > 1 ? i * buckets->size / 2 : i));
    return AC_OK;
}

static ac_status read_component(ac_result *result, const quantity *q, const ac_row_choice *choice,
                                int component, double *block, double *values)
{
    int count = 0, width = ac_result_channels(result, q->table, &count)[q->channel].width;
    AC_TRY(ac_read_chosen(result, q->table, q->channel, choice, block));
    for (long i = 0; i < choice->count; ++i) values[i] = block[i * width + component];
    return AC_OK;
}

static ac_status read_phase_curve(gathering *g, const quantity *q, double *block, ac_plot_curve *curve,
                                  const ac_row_choice *choice, int component)
{
    ac_result *result = g->source->result;
    if (g->against.table != q->table)
        return ac_fail(g->plot->ctx, AC_BAD_INPUT, "\"%s\" is in another table than what it is drawn against",
                       curve->name);
    AC_TRY(read_component(result, &g->against, choice, g->against.component < 0 ? 0 : g->against.component,
                          block, curve->x));
    return read_component(result, q, choice, component, block, curve->y);
}

/* The place of one row on a curve. */
static ac_status read_place(gathering *g, const quantity *q, int component, long row, double *block,
                            ac_plot_mark *mark)
{
    ac_result *result = g->source->result;
    ac_row_choice choice = ac_choose_rows(row, 1, 1);
    quantity across = g->against;
    if (across.table < 0) across = (quantity){q->table, ac_table_channel(result, q->table, "time"), 0};
    mark->x = (double)row;
    if (across.channel >= 0)
        AC_TRY(read_component(result, &across, &choice, across.component < 0 ? 0 : across.component, block,
                              &mark->x));
    return read_component(result, q, &choice, component, block, &mark->y);
}

/* Rows that the points of a curve stand for, counted from the first one drawn. */
typedef struct standing {
    long first, rows, points;
    long stride, size; /* of chosen rows, of buckets; one of them is 0 */
} standing;

static long row_of(const standing *s, long point)
{
    long row = s->stride > 0 ? point * s->stride : s->size > 1 ? point * s->size / 2 : point;
    return row < s->rows ? row : s->rows - 1;
}

/* Unstable stretches and events, where the table is that of a load path. */
static ac_status follow_path(gathering *g, const quantity *q, int component, const standing *s, double *block,
                             ac_plot_curve *curve)
{
    ac_context *ctx = g->plot->ctx;
    ac_path_rows path;
    AC_TRY(ac_path_read(ctx, g->source->result, q->table, s->first, s->rows, &path));
    ac_status status = AC_OK;
    if (path.unstable) curve->unstable = ac_allocate(ctx, (size_t)s->points, sizeof *curve->unstable);
    if (path.event_count > 0) curve->marks = ac_allocate(ctx, (size_t)path.event_count, sizeof *curve->marks);
    if ((path.unstable && !curve->unstable) || (path.event_count > 0 && !curve->marks))
        status = ac_out_of_memory(ctx);
    for (long i = 0; status == AC_OK && path.unstable && i < s->points; ++i)
        curve->unstable[i] = path.unstable[row_of(s, i)];
    for (int k = 0; status == AC_OK && k < path.event_count; ++k) {
        ac_plot_mark *mark = &curve->marks[curve->mark_count++];
        mark->word = path.words[k];
        status = read_place(g, q, component, s->first + path.events[k], block, mark);
    }
    ac_path_free(ctx, &path);
    return status;
}

static void transform(const ac_plot_settings *settings, double start, ac_plot_curve *curve)
{
    double least = INFINITY;
    for (long i = 0; i < curve->count; ++i) {
        if (settings->change) curve->y[i] -= start;
        if (!settings->logarithmic) continue;
        curve->y[i] = fabs(curve->y[i]);
        if (curve->y[i] > 0 && curve->y[i] < least) least = curve->y[i];
    }
    /* zero has no place on a logarithmic axis: it is drawn at the smallest value there is */
    for (long i = 0; settings->logarithmic && i < curve->count; ++i) curve->y[i] = ac_max(curve->y[i], least);
    for (int k = 0; k < curve->mark_count; ++k) {
        double *y = &curve->marks[k].y;
        if (settings->change) *y -= start;
        if (settings->logarithmic) *y = ac_max(fabs(*y), least);
    }
}

static ac_status fill_curve(gathering *g, const quantity *q, int component, ac_plot_curve *curve)
{
    ac_plot *plot = g->plot;
    ac_result *result = g->source->result;
    bool phase = g->against.table >= 0;
    long first = 0, rows = 0;
    int count = 0, width = ac_result_channels(result, q->table, &count)[q->channel].width, other = 1;
    AC_TRY(ac_rows_between(result, q->table, plot->settings.from, plot->settings.to, &first, &rows));
    ac_bucketing buckets = ac_make_buckets(first, rows, POINTS);
    ac_row_choice choice = ac_choose_rows(first, rows, PHASE_POINTS);
    if (phase) other = ac_result_channels(result, g->against.table, &count)[g->against.channel].width;
    long points = phase ? choice.count : buckets.points;
    if (rows < 1) return AC_OK;
    AC_NEW(plot->ctx, curve->x, points);
    AC_NEW(plot->ctx, curve->y, points);
    double *block;
    AC_NEW(plot->ctx, block, points * (width > other ? width : other));
    curve->count = points;
    ac_status status = phase ? read_phase_curve(g, q, block, curve, &choice, component)
                             : read_time_curve(g, q, block, curve, &buckets, component, width);
    const standing stand = {first, rows, points, phase ? choice.stride : 0, phase ? 0 : buckets.size};
    if (status == AC_OK) status = follow_path(g, q, component, &stand, block, curve);
    if (status == AC_OK) status = ac_result_read(result, q->table, q->channel, first, 1, 1, block);
    if (status == AC_OK) transform(&plot->settings, block[component], curve);
    ac_release(plot->ctx, block);
    return status;
}

/* Curves of one unit share a panel. */
static ac_status choose_panel(gathering *g, const char *unit, int *panel)
{
    ac_plot *plot = g->plot;
    if (strcmp(unit, "1") == 0) unit = "";
    for (*panel = 0; *panel < plot->panel_count; ++*panel) {
        if (strcmp(g->units[*panel], unit) == 0) return AC_OK;
    }
    if (plot->panel_count == AC_PANELS_MAX)
        return ac_fail(plot->ctx, AC_BAD_INPUT, "quantities of more than %d units are too many for one plot",
                       AC_PANELS_MAX);
    g->units[plot->panel_count++] = unit;
    return AC_OK;
}

static ac_status add_curve(gathering *g, const quantity *q, int component)
{
    ac_plot *plot = g->plot;
    int count = 0;
    const ac_channel *channel = &ac_result_channels(g->source->result, q->table, &count)[q->channel];
    if (plot->curve_count >= CURVES_MAX)
        return ac_fail(plot->ctx, AC_BAD_INPUT, "more than %d curves are too many for one plot", CURVES_MAX);
    AC_TRY(ac_grow(plot->ctx, (void **)&plot->curves, &plot->curve_capacity, plot->curve_count + 1,
                   sizeof *plot->curves));
    char name[NAME_SIZE], label[AC_LABEL_SIZE];
    snprintf(name, sizeof name, "%.700s%s%s%s%.200s%s", channel->name, channel->width > 1 ? "." : "",
             channel->width > 1 ? ac_component_label(channel, component, label) : "",
             g->source_count > 1 ? " (" : "", g->source_count > 1 ? g->source->label : "",
             g->source_count > 1 ? ")" : "");
    ac_plot_curve *curve = &plot->curves[plot->curve_count];
    *curve = (ac_plot_curve){.name = ac_copy_text(plot->ctx, name), .dashed = g->source_number > 0};
    if (!curve->name) return ac_out_of_memory(plot->ctx);
    curve->colour = plot->curve_count++;
    AC_TRY(choose_panel(g, channel->unit, &curve->panel));
    return fill_curve(g, q, component, curve);
}

static ac_status take_quantity(void *user, const quantity *q)
{
    gathering *g = user;
    int count = 0, width = ac_result_channels(g->source->result, q->table, &count)[q->channel].width;
    if (q->component >= 0) return add_curve(g, q, q->component);
    for (int k = 0; k < width; ++k) AC_TRY(add_curve(g, q, k));
    return AC_OK;
}

static const ac_channel *channel_of(const ac_result *result, const quantity *q)
{
    int count = 0;
    return &ac_result_channels(result, q->table, &count)[q->channel];
}

static ac_status take_against(void *user, const quantity *q)
{
    gathering *g = user;
    ac_context *ctx = g->plot->ctx;
    const char *word = g->plot->settings.against;
    const ac_channel *channel = channel_of(g->source->result, q);
    char first[AC_LABEL_SIZE], last[AC_LABEL_SIZE];
    if (g->against.table < 0) g->against = *q;
    if (strcmp(channel_of(g->source->result, &g->against)->name, channel->name) != 0)
        return ac_fail(ctx, AC_BAD_INPUT, "\"%s\" means several quantities; only one can be drawn against",
                       word);
    if (q->component >= 0 || channel->width == 1) return AC_OK;
    return ac_fail(ctx, AC_BAD_INPUT,
                   "\"%s\" has %d components and only one can be drawn against: %s.%s to %s.%s", word,
                   channel->width, channel->name, ac_component_label(channel, 0, first), channel->name,
                   ac_component_label(channel, channel->width - 1, last));
}

static ac_status gather_source(gathering *g, const char *const *quantities, int count)
{
    const ac_result *result = g->source->result;
    ac_plot *plot = g->plot;
    int found = 0, before = plot->curve_count;
    g->against = (quantity){-1, 0, 0};
    if (plot->settings.against) {
        AC_TRY(for_each(result, plot->settings.against, take_against, g, &found));
        if (found == 0)
            return ac_fail(plot->ctx, AC_BAD_INPUT, "there is no quantity \"%s\"; 'actio info' lists them",
                           plot->settings.against);
    }
    for (int i = 0; i < count; ++i) {
        AC_TRY(for_each(result, quantities[i], take_quantity, g, &found));
        if (found == 0)
            return ac_fail(plot->ctx, AC_BAD_INPUT, "there is no quantity \"%s\"; 'actio info' lists them",
                           quantities[i]);
    }
    /* in two results the same quantity has the same colour; with more of them every curve has its own */
    for (int i = before; g->source_number > 0 && i < plot->curve_count; ++i) {
        if (g->source_count == 2) plot->curves[i].colour = i - before;
        if (g->source_count > 2) plot->curves[i].dashed = false;
    }
    return AC_OK;
}

/* ---- axes and texts ---- */

/* Of the curves in a panel upwards, or of all of them across (panel -1). */
static void range_of(const ac_plot *plot, int panel, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int c = 0; c < plot->curve_count; ++c) {
        const double *values = panel >= 0 ? plot->curves[c].y : plot->curves[c].x;
        if (panel >= 0 && plot->curves[c].panel != panel) continue;
        for (long i = 0; i < plot->curves[c].count; ++i) {
            if (!isfinite(values[i])) continue;
            *low = ac_min(*low, values[i]);
            *high = ac_max(*high, values[i]);
        }
    }
}

/* Returns whether there is something to draw in it. */
static bool set_panel_axis(ac_plot *plot, int panel)
{
    double low, high;
    range_of(plot, panel, &low, &high);
    ac_plot_axis *axis = &plot->y[panel];
    axis->logarithmic = plot->settings.logarithmic;
    bool empty = low > high || (axis->logarithmic && !(low > 0));
    if (empty) {
        low = 0.1;
        high = 1;
    }
    double margin = axis->logarithmic ? 0 : 0.05 * (high - low);
    ac_plot_set_axis(axis, low - margin, high + margin, 7);
    return !empty;
}

static ac_status set_axes(ac_plot *plot)
{
    double low, high;
    bool any = false;
    range_of(plot, -1, &low, &high);
    if (low > high) return ac_fail(plot->ctx, AC_BAD_INPUT, "there are no rows to draw");
    ac_plot_set_axis(&plot->x, low, high, 9);
    for (int i = 0; i < plot->panel_count; ++i) any |= set_panel_axis(plot, i);
    if (plot->settings.logarithmic && !any)
        return ac_fail(plot->ctx, AC_BAD_INPUT,
                       "all values are zero and have no place on a logarithmic axis");
    return AC_OK;
}

/* "kg m^2/s" with raised digits, in UTF-8. */
static void raise_digits(const char *text, char *out, size_t size)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    size_t used = 0;
    for (; *text && used + 4 < size; ++text) {
        if (*text == '^' && text[1] >= '0' && text[1] <= '9')
            used += (size_t)snprintf(out + used, size - used, "%s", raised[*++text - '0']);
        else
            out[used++] = *text;
    }
    out[used] = '\0';
}

/* Load paths have a number that grows along them where motions have the time. */
static const char *time_label(const ac_result *result)
{
    int table = 0, channel = 0, count = 0;
    if (!ac_result_find(result, "time", &table, &channel)) return "row";
    const char *unit = ac_result_channels(result, table, &count)[channel].unit;
    return strcmp(unit, "s") == 0 ? "time [s]" : "along the path";
}

static ac_status set_panel_label(gathering *g, int panel)
{
    const ac_plot_settings *s = &g->plot->settings;
    char units[320], label[512];
    raise_digits(g->units[panel], units, sizeof units);
    const char *what = s->change ? "change since the start" : s->logarithmic ? "absolute value" : "";
    snprintf(label, sizeof label, "%s%s%s%s%s", what, *what && *units ? " " : "", *units ? "[" : "", units,
             *units ? "]" : "");
    g->plot->y[panel].label = ac_copy_text(g->plot->ctx, label);
    return g->plot->y[panel].label ? AC_OK : ac_out_of_memory(g->plot->ctx);
}

static ac_status set_texts(gathering *g, const ac_report_source *sources)
{
    ac_plot *plot = g->plot;
    const ac_plot_settings *s = &plot->settings;
    char units[320], label[512];
    for (int i = 0; i < plot->panel_count; ++i) AC_TRY(set_panel_label(g, i));
    if (s->against) {
        int count = 0;
        const ac_channel *channel = &ac_result_channels(g->source->result, g->against.table,
                                                        &count)[g->against.channel];
        raise_digits(channel->unit, units, sizeof units);
        snprintf(label, sizeof label, "%s%s%s%s", s->against, strcmp(units, "1") != 0 ? " [" : "",
                 strcmp(units, "1") != 0 ? units : "", strcmp(units, "1") != 0 ? "]" : "");
        plot->equal = plot->panel_count == 1 && !s->logarithmic && !s->change &&
                      strcmp(channel->unit, "m") == 0 && strcmp(g->units[0], "m") == 0;
    } else {
        snprintf(label, sizeof label, "%s", time_label(sources[0].result));
    }
    plot->x.label = ac_copy_text(plot->ctx, label);
    const char *title = s->title ? s->title : ac_result_text(sources[0].result, "title");
    plot->title = ac_copy_text(plot->ctx, title ? title : "");
    return plot->x.label && plot->title ? AC_OK : ac_out_of_memory(plot->ctx);
}

static ac_status gather(ac_plot *plot, const ac_report_source *sources, int source_count,
                        const char *const *quantities, int quantity_count)
{
    gathering g = {.plot = plot, .source_count = source_count};
    for (int i = 0; i < source_count; ++i) {
        g.source = &sources[i];
        g.source_number = i;
        AC_TRY(gather_source(&g, quantities, quantity_count));
    }
    AC_TRY(set_axes(plot));
    return set_texts(&g, sources);
}

ac_status ac_plot_new(ac_context *ctx, const ac_report_source *sources, int source_count,
                      const char *const *quantities, int quantity_count, const ac_plot_settings *settings,
                      ac_plot **plot)
{
    ac_plot *p;
    *plot = NULL;
    if (source_count < 1 || quantity_count < 1) return ac_fail(ctx, AC_BAD_INPUT, "a plot needs a quantity");
    AC_NEW(ctx, p, 1);
    p->ctx = ctx;
    p->settings = *settings;
    ac_status status = gather(p, sources, source_count, quantities, quantity_count);
    if (status == AC_OK)
        *plot = p;
    else
        ac_plot_free(p);
    return status;
}
