/* Plots as text: curves of Braille patterns, eight dots to a character. Where there are several, each
 * has a mark that stands on it now and then and in the legend, so that they can be distinguished without
 * colours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"
#include "show/plot/plot.h"

enum { MARKS = 16, MARK_SPACING = 12 };

static const char *const marks[MARKS] = {"\u25cf", "\u25b2", "\u25a0", "\u25c6", "\u25cb", "\u25b3",
                                         "\u25a1", "\u25c7", "a",      "b",      "c",      "d",
                                         "e",      "f",      "g",      "h"};

enum { WIDTH = 80, HEIGHT = 24, LEAST_WIDTH = 30, LEAST_HEIGHT = 8, DOTS_WIDE = 2, DOTS_HIGH = 4, TICKS = 7 };

static const char *const colours[AC_PLOT_COLOURS] = {"\033[34m", "\033[31m", "\033[32m", "\033[35m",
                                                     "\033[33m", "\033[95m", "\033[36m", "\033[90m"};

typedef struct text_sheet {
    const ac_plot *plot;
    ac_plot_axis y;        /* of the present panel */
    int panel, curves;     /* the present panel, and the number of curves in it */
    int columns, rows;     /* characters of the area of the curves */
    unsigned char *dots;   /* pattern of each character */
    unsigned char *colour; /* of each character: number of the last curve there, from 1 */
    unsigned char *mark;   /* of each character: number of the curve whose mark is there, from 1; 0: none */
    unsigned char *done;   /* of each column: the present curve has its mark there */
    char *text;
    size_t length, size;
} text_sheet;

static void put(text_sheet *s, const char *words)
{
    size_t count = strlen(words);
    if (s->length + count >= s->size) return; /* never: the size was counted before */
    memcpy(s->text + s->length, words, count + 1);
    s->length += count;
}

/* The mark of a curve, in columns of its own; `number` counts the curves of the panel. */
static void set_mark(text_sheet *s, size_t at, int column, int number, int curve)
{
    int count = s->curves, spacing = count > MARK_SPACING ? count : MARK_SPACING;
    if (count < 2 || s->done[column] || column % spacing != (2 * number + 1) * spacing / (2 * count)) return;
    s->done[column] = 1;
    s->mark[at] = (unsigned char)(curve % MARKS + 1);
}

static void set_dot(text_sheet *s, int x, int y, int number, int curve)
{
    static const unsigned char bits[DOTS_HIGH][DOTS_WIDE] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= s->columns * DOTS_WIDE || y >= s->rows * DOTS_HIGH) return;
    size_t at = (size_t)(y / DOTS_HIGH) * (size_t)s->columns + (size_t)(x / DOTS_WIDE);
    s->dots[at] |= bits[y % DOTS_HIGH][x % DOTS_WIDE];
    s->colour[at] = (unsigned char)(curve % AC_PLOT_COLOURS + 1);
    set_mark(s, at, x / DOTS_WIDE, number, curve);
}

/* Places of dots, and whose line it is. */
typedef struct text_line {
    double x0, y0, x1, y1;
    int number, curve;
} text_line;

static void draw_line(text_sheet *s, const text_line *l)
{
    double wide = l->x1 - l->x0, high = l->y1 - l->y0, steps = ceil(ac_max(fabs(wide), fabs(high)));
    if (!(steps < 1e6)) return;
    for (double k = 0; k <= steps; ++k) {
        double share = steps > 0 ? k / steps : 0;
        set_dot(s, (int)floor(l->x0 + share * wide + 0.5), (int)floor(l->y0 + share * high + 0.5), l->number,
                l->curve);
    }
}

/* A single value is a mark, which a dot would not be. */
static void draw_point(text_sheet *s, const text_line *l)
{
    if (!isfinite(l->x1) || !isfinite(l->y1)) return;
    int column = (int)(l->x1 + 0.5) / DOTS_WIDE, row = (int)(l->y1 + 0.5) / DOTS_HIGH;
    s->mark[(size_t)row * (size_t)s->columns + (size_t)column] = (unsigned char)(l->curve % MARKS + 1);
}

static void draw_curve(text_sheet *s, int number, int c)
{
    double width = s->columns * DOTS_WIDE - 1, height = s->rows * DOTS_HIGH - 1;
    const ac_plot_curve *curve = &s->plot->curves[c];
    text_line line = {.number = number, .curve = c};
    memset(s->done, 0, (size_t)s->columns);
    for (long i = 0; i < curve->count; ++i) {
        line.x1 = width * ac_plot_share(&s->plot->x, curve->x[i]);
        line.y1 = height * (1 - ac_plot_share(&s->y, curve->y[i]));
        if (i == 0) {
            line.x0 = line.x1;
            line.y0 = line.y1;
        }
        draw_line(s, &line);
        line.x0 = line.x1;
        line.y0 = line.y1;
    }
    if (curve->count == 1) draw_point(s, &line);
}

static void draw_curves(text_sheet *s)
{
    int number = 0;
    for (int c = 0; c < s->plot->curve_count; ++c) {
        if (s->plot->curves[c].panel == s->panel) draw_curve(s, number++, c);
    }
}

/* The mark of the vertical axis in this row, "" when there is none. */
static const char *mark_in_row(const ac_plot_axis *axis, int rows, int row)
{
    for (int i = 0; i < axis->tick_count; ++i) {
        double at = (rows * DOTS_HIGH - 1) * (1 - ac_plot_share(axis, axis->tick[i]));
        if ((int)floor(at + 0.5) / DOTS_HIGH == row) return axis->text[i];
    }
    return "";
}

static void put_row(text_sheet *s, int row, int margin)
{
    char words[64];
    const char *mark = mark_in_row(&s->y, s->rows, row);
    snprintf(words, sizeof words, "%*s %s", margin, mark, *mark ? "\u2524" : "\u2502");
    put(s, words);
    int colour = 0;
    for (int x = 0; x < s->columns; ++x) {
        size_t at = (size_t)row * (size_t)s->columns + (size_t)x;
        if (s->plot->settings.colour && s->colour[at] != colour && s->dots[at]) {
            colour = s->colour[at];
            put(s, colours[colour - 1]);
        }
        unsigned char cell[4] = {0xE2, (unsigned char)(0xA0 + (s->dots[at] >> 6)),
                                 (unsigned char)(0x80 + (s->dots[at] & 63)), 0};
        put(s, s->mark[at] ? marks[s->mark[at] - 1] : s->dots[at] ? (const char *)cell : " ");
    }
    if (colour) put(s, "\033[0m");
    put(s, "\n");
}

/* The line below the curves. */
static void put_base(text_sheet *s, int margin)
{
    char words[32];
    const ac_plot_axis *x = &s->plot->x;
    snprintf(words, sizeof words, "%*s \u2514", margin, "");
    put(s, words);
    for (int k = 0; k < s->columns; ++k) {
        bool mark = false;
        for (int i = 0; i < x->tick_count; ++i)
            mark |= (int)((s->columns - 1) * ac_plot_share(x, x->tick[i]) + 0.5) == k;
        put(s, mark ? "\u252c" : "\u2500");
    }
    put(s, "\n");
}

/* The marks of the horizontal axis where they have room. */
static void put_bottom(text_sheet *s, int margin)
{
    const ac_plot_axis *x = &s->plot->x;
    int column = -margin - 2;
    for (int i = 0; i < x->tick_count; ++i) {
        int length = (int)strlen(x->text[i]);
        int at = (int)((s->columns - 1) * ac_plot_share(x, x->tick[i]) + 0.5) - length / 2;
        if (at < column + (i > 0) || at + length > s->columns) continue;
        for (; column < at; ++column) put(s, " ");
        put(s, x->text[i]);
        column += length;
    }
    /* the label behind the marks where it has room, else below them */
    bool room = column + 3 + (int)strlen(x->label) <= s->columns + 12;
    put(s, room ? "   " : "\n");
    for (int k = 0; !room && k < margin + 2; ++k) put(s, " ");
    put(s, x->label);
    put(s, "\n");
}

static void put_legend(text_sheet *s)
{
    for (int c = 0; c < s->plot->curve_count; ++c) {
        const ac_plot_curve *curve = &s->plot->curves[c];
        if (curve->panel != s->panel) continue;
        if (s->plot->settings.colour) put(s, colours[c % AC_PLOT_COLOURS]);
        put(s, "  ");
        put(s, s->curves < 2 && curve->count != 1 ? "\u28d2" : marks[c % MARKS]);
        put(s, " ");
        if (s->plot->settings.colour) put(s, "\033[0m");
        put(s, curve->name);
        put(s, "\n");
    }
}

/* Marks of the vertical axis: at most every second line. */
static void begin_panel(text_sheet *s, int panel)
{
    size_t cells = (size_t)s->columns * (size_t)s->rows;
    s->panel = panel;
    s->y = s->plot->y[panel];
    if (s->rows / 2 < TICKS) ac_plot_fit_ticks(&s->y, s->rows / 2, s->rows - 1);
    s->curves = 0;
    for (int c = 0; c < s->plot->curve_count; ++c) s->curves += s->plot->curves[c].panel == panel;
    memset(s->dots, 0, cells);
    memset(s->colour, 0, cells);
    memset(s->mark, 0, cells);
}

static void put_panel(text_sheet *s, int panel, int margin)
{
    begin_panel(s, panel);
    draw_curves(s);
    put(s, s->y.label);
    if (*s->y.label) put(s, "\n");
    for (int row = 0; row < s->rows; ++row) put_row(s, row, margin);
    put_base(s, margin);
    if (panel == s->plot->panel_count - 1) put_bottom(s, margin);
    put_legend(s);
}

static ac_status write_text(text_sheet *s, int margin)
{
    ac_context *ctx = s->plot->ctx;
    size_t cells = (size_t)s->columns * (size_t)s->rows, panels = (size_t)s->plot->panel_count;
    s->size = panels * (16 * cells + 512 * (size_t)(s->rows + 8) + 8 * (size_t)s->columns + (size_t)margin) +
              strlen(s->plot->title) + strlen(s->plot->x.label);
    for (int i = 0; i < s->plot->panel_count; ++i) s->size += strlen(s->plot->y[i].label);
    for (int c = 0; c < s->plot->curve_count; ++c) s->size += strlen(s->plot->curves[c].name) + 64;
    AC_NEW(ctx, s->text, s->size);
    if (*s->plot->title) {
        put(s, s->plot->title);
        put(s, "\n");
    }
    for (int i = 0; i < s->plot->panel_count; ++i) put_panel(s, i, margin);
    return AC_OK;
}

static int widest_tick(const ac_plot *plot)
{
    int margin = 0;
    for (int k = 0; k < plot->panel_count; ++k) {
        for (int i = 0; i < plot->y[k].tick_count; ++i) {
            int length = (int)strlen(plot->y[k].text[i]);
            if (length > margin) margin = length;
        }
    }
    return margin;
}

ac_status ac_plot_text(const ac_plot *plot, char **text)
{
    const ac_plot_settings *set = &plot->settings;
    int width = set->width > 0 ? set->width : WIDTH, height = set->height > 0 ? set->height : HEIGHT,
        margin = widest_tick(plot), others = plot->panel_count - 1;
    if (width < LEAST_WIDTH) width = LEAST_WIDTH;
    if (height < LEAST_HEIGHT) height = LEAST_HEIGHT;
    text_sheet s = {.plot = plot, .columns = width - margin - 3};
    s.rows = (height - 4 - 3 * others) / plot->panel_count;
    if (s.rows < LEAST_HEIGHT - 4) s.rows = LEAST_HEIGHT - 4;
    *text = NULL;
    size_t cells = (size_t)s.columns * (size_t)s.rows;
    s.dots = ac_allocate(plot->ctx, cells, 1);
    s.colour = ac_allocate(plot->ctx, cells, 1);
    s.mark = ac_allocate(plot->ctx, cells, 1);
    s.done = ac_allocate(plot->ctx, (size_t)s.columns, 1);
    bool memory = s.dots && s.colour && s.mark && s.done;
    ac_status status = memory ? write_text(&s, margin) : ac_out_of_memory(plot->ctx);
    void *blocks[] = {s.dots, s.colour, s.mark, s.done};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(plot->ctx, blocks[k]);
    if (status == AC_OK) *text = s.text;
    return status;
}
