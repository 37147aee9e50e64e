/* The drawing of a plot: title, legend, axes, curves. The same for every canvas. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "io/plot.h"

static const unsigned ink = 0x1b2430, faint = 0x5d6876, grid = 0xe3e8ee, frame = 0x9aa4b1;

enum { LEGEND_ROWS_MAX = 12, TICKS = 7, TICK_ROOM = 24 };

typedef struct sheet {
    const ac_plot *plot;
    const ac_canvas *canvas;
    int panel;
    double left, top, width, height; /* of the area of the curves */
} sheet;

/* Letters are counted, not bytes; 0.56 is the usual width of one, as a share of the size. */
static double text_width(const char *text, double size)
{
    int letters = 0;
    for (; *text; ++text) letters += ((unsigned char)*text & 0xC0) != 0x80;
    return 0.56 * size * letters;
}

static void draw_line(const ac_canvas *c, double x0, double y0, double x1, double y1, double width,
                      unsigned colour)
{
    const double xy[] = {x0, y0, x1, y1};
    c->lines(c->user, xy, 2, width, colour, false);
}

/* Rows of names with their lines, from `y` on; answers where they end. */
static double draw_legend(const sheet *s, double y, double right)
{
    const ac_canvas *c = s->canvas;
    const double size = 12.5, sample = 22;
    double x = s->left;
    int row = 0;
    for (int i = 0; i < s->plot->curve_count && row < LEGEND_ROWS_MAX; ++i) {
        const ac_plot_curve *curve = &s->plot->curves[i];
        if (curve->panel != s->panel) continue;
        double width = sample + 6 + text_width(curve->name, size) + 20;
        if (x > s->left && x + width > right) {
            x = s->left;
            y += 18;
            ++row;
        }
        const double xy[] = {x, y - 4, x + sample, y - 4};
        c->lines(c->user, xy, 2, 2.4, ac_plot_palette[curve->colour % AC_PLOT_COLOURS], curve->dashed);
        c->text(c->user, x + sample + 6, y, size, AC_ANCHOR_START, false, ink, curve->name);
        x += width;
    }
    return y;
}

static void draw_axes(const sheet *s, const ac_plot_axis *y)
{
    const ac_canvas *c = s->canvas;
    const ac_plot_axis *x = &s->plot->x;
    bool last = s->panel == s->plot->panel_count - 1; /* the panels share the axis below the last one */
    double bottom = s->top + s->height, right = s->left + s->width;
    for (int i = 0; i < x->tick_count; ++i) {
        double at = s->left + s->width * ac_plot_share(x, x->tick[i]);
        draw_line(c, at, s->top, at, bottom, 1, grid);
        draw_line(c, at, bottom, at, bottom + 5, 1, frame);
        if (last) c->text(c->user, at, bottom + 19, 12, AC_ANCHOR_MIDDLE, false, ink, x->text[i]);
    }
    for (int i = 0; i < y->tick_count; ++i) {
        double at = bottom - s->height * ac_plot_share(y, y->tick[i]);
        draw_line(c, s->left, at, right, at, 1, grid);
        draw_line(c, s->left - 5, at, s->left, at, 1, frame);
        c->text(c->user, s->left - 9, at + 4, 12, AC_ANCHOR_END, false, ink, y->text[i]);
    }
    draw_line(c, s->left, s->top, s->left, bottom, 1, frame);
    draw_line(c, s->left, bottom, right, bottom, 1, frame);
    if (last)
        c->text(c->user, s->left + 0.5 * s->width, bottom + 40, 13, AC_ANCHOR_MIDDLE, false, faint, x->label);
    c->text(c->user, 22, s->top + 0.5 * s->height, 13, AC_ANCHOR_MIDDLE, true, faint, y->label);
}

/* A single value: a small square on its corner. */
static void draw_point(const ac_canvas *c, const double at[2], unsigned colour)
{
    const double r = 4.5, x = at[0], y = at[1];
    const double xy[] = {x, y - r, x + r, y, x, y + r, x - r, y, x, y - r, x + r, y};
    c->lines(c->user, xy, 6, 2.6, colour, false);
}

static ac_status draw_curve(const sheet *s, const ac_plot_curve *curve)
{
    ac_context *ctx = s->plot->ctx;
    double *xy;
    long count = 0;
    AC_NEW(ctx, xy, 2 * curve->count);
    for (long i = 0; i < curve->count; ++i) {
        if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
        xy[2 * count] = s->left + s->width * ac_plot_share(&s->plot->x, curve->x[i]);
        xy[2 * count + 1] = s->top + s->height * (1 - ac_plot_share(&s->plot->y[s->panel], curve->y[i]));
        ++count;
    }
    unsigned colour = ac_plot_palette[curve->colour % AC_PLOT_COLOURS];
    if (count == 1)
        draw_point(s->canvas, xy, colour);
    else
        s->canvas->lines(s->canvas->user, xy, count, 1.7, colour, curve->dashed);
    ac_release(ctx, xy);
    return AC_OK;
}

/* Names, axes and curves of a panel that has all from `top` to `bottom`. */
static ac_status draw_panel(sheet *s, double top, double bottom, double right)
{
    const ac_plot *plot = s->plot;
    const ac_canvas *canvas = s->canvas;
    s->top = draw_legend(s, top, right) + 16;
    s->width = right - s->left;
    s->height = bottom - s->top;
    if (s->width < 50 || s->height < 50)
        return ac_fail(plot->ctx, AC_BAD_INPUT, "the plot is too small for its axes and names");
    ac_plot_axis y = plot->y[s->panel];
    int room = (int)(s->height / TICK_ROOM);
    if (room < TICKS) ac_plot_fit_ticks(&y, room, room);
    draw_axes(s, &y);
    canvas->clip(canvas->user, s->left - 1, s->top - 1, s->width + 2, s->height + 2);
    for (int i = 0; i < plot->curve_count; ++i) {
        if (plot->curves[i].panel == s->panel) AC_TRY(draw_curve(s, &plot->curves[i]));
    }
    canvas->clip(canvas->user, 0, 0, 0, 0);
    return AC_OK;
}

double ac_plot_height(const ac_plot *plot, double width)
{
    return width * 9 / 16 * (1 + 0.5 * (plot->panel_count - 1));
}

ac_status ac_plot_draw(const ac_plot *plot, const ac_canvas *canvas, double width, double height)
{
    double widest = 0;
    for (int k = 0; k < plot->panel_count; ++k) {
        for (int i = 0; i < plot->y[k].tick_count; ++i)
            widest = fmax(widest, text_width(plot->y[k].text[i], 12));
    }
    sheet s = {.plot = plot, .canvas = canvas, .left = 46 + widest};
    double y = 30, right = width - 26, gap = 30;
    if (*plot->title) canvas->text(canvas->user, s.left, y, 17, AC_ANCHOR_START, false, ink, plot->title);
    if (*plot->title) y += 24;
    double each = (height - 56 - y - gap * (plot->panel_count - 1)) / plot->panel_count;
    for (s.panel = 0; s.panel < plot->panel_count; ++s.panel) {
        double top = y + s.panel * (each + gap);
        AC_TRY(draw_panel(&s, top, top + each, right));
    }
    return AC_OK;
}
