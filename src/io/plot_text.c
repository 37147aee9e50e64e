/* Plots as text: curves made of Braille patterns, eight dots to a character. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "io/plot.h"

enum { WIDTH = 80, HEIGHT = 24, LEAST_WIDTH = 30, LEAST_HEIGHT = 8, DOTS_WIDE = 2, DOTS_HIGH = 4 };

static const char *const colours[AC_PLOT_COLOURS] = {"\033[34m", "\033[31m", "\033[32m", "\033[35m",
                                                     "\033[33m", "\033[95m", "\033[36m", "\033[90m"};

typedef struct text_sheet {
    const ac_plot *plot;
    int columns, rows;     /* characters of the area of the curves */
    unsigned char *dots;   /* pattern of each character */
    unsigned char *colour; /* of each character: number of the last curve there, from 1 */
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

static void set_dot(text_sheet *s, int x, int y, int curve)
{
    static const unsigned char bits[DOTS_HIGH][DOTS_WIDE] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= s->columns * DOTS_WIDE || y >= s->rows * DOTS_HIGH) return;
    size_t at = (size_t)(y / DOTS_HIGH) * (size_t)s->columns + (size_t)(x / DOTS_WIDE);
    s->dots[at] |= bits[y % DOTS_HIGH][x % DOTS_WIDE];
    s->colour[at] = (unsigned char)(curve % AC_PLOT_COLOURS + 1);
}

static void draw_line(text_sheet *s, double x0, double y0, double x1, double y1, int curve)
{
    double steps = ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
    if (!(steps < 1e6)) return;
    for (double k = 0; k <= steps; ++k) {
        double share = steps > 0 ? k / steps : 0;
        set_dot(s, (int)floor(x0 + share * (x1 - x0) + 0.5), (int)floor(y0 + share * (y1 - y0) + 0.5), curve);
    }
}

static void draw_curves(text_sheet *s)
{
    double width = s->columns * DOTS_WIDE - 1, height = s->rows * DOTS_HIGH - 1;
    for (int c = 0; c < s->plot->curve_count; ++c) {
        const ac_plot_curve *curve = &s->plot->curves[c];
        double last[2] = {0, 0};
        for (long i = 0; i < curve->count; ++i) {
            double x = width * ac_plot_share(&s->plot->x, curve->x[i]);
            double y = height * (1 - ac_plot_share(&s->plot->y, curve->y[i]));
            draw_line(s, i > 0 ? last[0] : x, i > 0 ? last[1] : y, x, y, c);
            last[0] = x;
            last[1] = y;
        }
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
    const char *mark = mark_in_row(&s->plot->y, s->rows, row);
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
        put(s, s->dots[at] ? (const char *)cell : " ");
    }
    if (colour) put(s, "\033[0m");
    put(s, "\n");
}

/* The line below the curves, and the marks of the horizontal axis where they have room. */
static void put_bottom(text_sheet *s, int margin)
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
        if (s->plot->settings.colour) put(s, colours[c % AC_PLOT_COLOURS]);
        put(s, "  \u28d2 ");
        if (s->plot->settings.colour) put(s, "\033[0m");
        put(s, s->plot->curves[c].name);
        put(s, "\n");
    }
}

static ac_status write_text(text_sheet *s, int margin)
{
    ac_context *ctx = s->plot->ctx;
    size_t cells = (size_t)s->columns * (size_t)s->rows;
    s->size = 16 * cells + 512 * (size_t)(s->rows + 8) + 8 * (size_t)s->columns + strlen(s->plot->title) +
              strlen(s->plot->x.label) + strlen(s->plot->y.label) + (size_t)margin;
    for (int c = 0; c < s->plot->curve_count; ++c) s->size += strlen(s->plot->curves[c].name) + 64;
    AC_NEW(ctx, s->text, s->size);
    draw_curves(s);
    if (*s->plot->title) {
        put(s, s->plot->title);
        put(s, "\n");
    }
    put(s, s->plot->y.label);
    if (*s->plot->y.label) put(s, "\n");
    for (int row = 0; row < s->rows; ++row) put_row(s, row, margin);
    put_bottom(s, margin);
    put_legend(s);
    return AC_OK;
}

ac_status ac_plot_text(const ac_plot *plot, char **text)
{
    const ac_plot_settings *set = &plot->settings;
    int width = set->width > 0 ? set->width : WIDTH, height = set->height > 0 ? set->height : HEIGHT,
        margin = 0;
    if (width < LEAST_WIDTH) width = LEAST_WIDTH;
    if (height < LEAST_HEIGHT) height = LEAST_HEIGHT;
    for (int i = 0; i < plot->y.tick_count; ++i) {
        int length = (int)strlen(plot->y.text[i]);
        if (length > margin) margin = length;
    }
    text_sheet s = {.plot = plot, .columns = width - margin - 3, .rows = height - 4};
    *text = NULL;
    size_t cells = (size_t)s.columns * (size_t)s.rows;
    s.dots = ac_allocate(plot->ctx, cells, 1);
    s.colour = ac_allocate(plot->ctx, cells, 1);
    ac_status status = s.dots && s.colour ? write_text(&s, margin) : ac_out_of_memory(plot->ctx);
    ac_release(plot->ctx, s.dots);
    ac_release(plot->ctx, s.colour);
    if (status == AC_OK) *text = s.text;
    return status;
}
