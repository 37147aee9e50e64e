/* The drawing of a plot: title, legend, axes, curves. The same for every canvas. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"
#include "show/plot/plot.h"

static const unsigned ink = 0x1b2430, faint = 0x5d6876, grid = 0xe3e8ee, frame = 0x9aa4b1;

enum { LEGEND_ROWS_MAX = 12, TICKS = 7, TICK_ROOM = 24 };

typedef struct sheet {
    ac_plot_area area;
    const ac_canvas *canvas;
} sheet;

/* Letters are counted, not bytes; 0.56 is the usual width of one, as a share of the size. */
double ac_plot_text_width(const char *text, double size)
{
    int letters = 0;
    for (; *text; ++text) letters += ((unsigned char)*text & 0xC0) != 0x80;
    return 0.56 * size * letters;
}

static void draw_line(const ac_canvas *c, double x0, double y0, double x1, double y1, double width,
                      unsigned colour)
{
    const double xy[] = {x0, y0, x1, y1};
    c->lines(c->user, xy, 2, width, colour, AC_LINE_SOLID);
}

/* Where the next name of a legend goes. */
typedef struct pen {
    double x, y, right;
    int row;
} pen;

/* A name behind a piece of its line; false when there is no room left. */
static bool put_name(const sheet *s, pen *p, const char *name, unsigned colour, ac_line_style style)
{
    const ac_canvas *c = s->canvas;
    const double size = 12.5, sample = 22, width = sample + 6 + ac_plot_text_width(name, size) + 20;
    if (p->x > s->area.left && p->x + width > p->right) {
        p->x = s->area.left;
        p->y += 18;
        ++p->row;
    }
    const double xy[] = {p->x, p->y - 4, p->x + sample, p->y - 4};
    c->lines(c->user, xy, 2, 2.4, colour, style);
    c->text(c->user, p->x + sample + 6, p->y, size, AC_ANCHOR_START, false, ink, name);
    p->x += width;
    return p->row < LEGEND_ROWS_MAX;
}

/* Rows of names with their lines, from `y` on; returns where they end. */
static double draw_legend(const sheet *s, double y, double right)
{
    const ac_plot *plot = s->area.plot;
    pen p = {s->area.left, y, right, 0};
    bool room = true, unstable = false;
    for (int i = 0; i < plot->curve_count && room; ++i) {
        const ac_plot_curve *curve = &plot->curves[i];
        if (curve->panel != s->area.panel) continue;
        room = put_name(s, &p, curve->name, ac_plot_palette[curve->colour % AC_PLOT_COLOURS],
                        curve->dashed ? AC_LINE_DASHED : AC_LINE_SOLID);
        unstable = unstable || (curve->unstable && !curve->dashed);
    }
    if (room && unstable) put_name(s, &p, "unstable", faint, AC_LINE_DASHED);
    return p.y;
}

static void draw_axes(const sheet *s, const ac_plot_axis *y)
{
    const ac_canvas *c = s->canvas;
    const ac_plot_axis *x = &s->area.plot->x;
    bool last = s->area.panel ==
                s->area.plot->panel_count - 1; /* the panels share the axis below the last one */
    double bottom = s->area.top + s->area.height, right = s->area.left + s->area.width;
    for (int i = 0; i < x->tick_count; ++i) {
        double at = s->area.left + s->area.width * ac_plot_share(x, x->tick[i]);
        draw_line(c, at, s->area.top, at, bottom, 1, grid);
        draw_line(c, at, bottom, at, bottom + 5, 1, frame);
        if (last) c->text(c->user, at, bottom + 19, 12, AC_ANCHOR_MIDDLE, false, ink, x->text[i]);
    }
    for (int i = 0; i < y->tick_count; ++i) {
        double at = bottom - s->area.height * ac_plot_share(y, y->tick[i]);
        draw_line(c, s->area.left, at, right, at, 1, grid);
        draw_line(c, s->area.left - 5, at, s->area.left, at, 1, frame);
        c->text(c->user, s->area.left - 9, at + 4, 12, AC_ANCHOR_END, false, ink, y->text[i]);
    }
    draw_line(c, s->area.left, s->area.top, s->area.left, bottom, 1, frame);
    draw_line(c, s->area.left, bottom, right, bottom, 1, frame);
    if (last)
        c->text(c->user, s->area.left + 0.5 * s->area.width, bottom + 40, 13, AC_ANCHOR_MIDDLE, false, faint,
                x->label);
    c->text(c->user, 22, s->area.top + 0.5 * s->area.height, 13, AC_ANCHOR_MIDDLE, true, faint, y->label);
}

/* A single value: a small square on its corner. */
static void draw_point(const ac_canvas *c, const double at[2], unsigned colour)
{
    const double r = 4.5, x = at[0], y = at[1];
    const double xy[] = {x, y - r, x + r, y, x, y + r, x - r, y, x, y - r, x + r, y};
    c->lines(c->user, xy, 6, 2.6, colour, AC_LINE_SOLID);
}

void ac_plot_place(const ac_plot_area *area, double x, double y, double place[2])
{
    place[0] = area->left + area->width * ac_plot_share(&area->plot->x, x);
    place[1] = area->top + area->height * (1 - ac_plot_share(&area->plot->y[area->panel], y));
}

/* What stretches of a curve are drawn with; those of a second result are dashed as they are. */
static ac_line_style style_of(const ac_plot_curve *curve, bool unstable)
{
    if (curve->dashed) return unstable ? AC_LINE_DOTTED : AC_LINE_DASHED;
    return unstable ? AC_LINE_DASHED : AC_LINE_SOLID;
}

/* Every point alone. */
static void draw_dots(const sheet *s, const ac_plot_curve *curve, const double *xy, long count)
{
    const double r = 1.0;
    for (long i = 0; i < count; ++i) {
        const double x = xy[2 * i], y = xy[2 * i + 1];
        const double diamond[] = {x, y - r, x + r, y, x, y + r, x - r, y, x, y - r, x + r, y};
        s->canvas->lines(s->canvas->user, diamond, 6, 2.2, ac_plot_palette[curve->colour % AC_PLOT_COLOURS],
                         AC_LINE_SOLID);
    }
}

/* The points with their stretches behind them: as many of one style at once as there are. */
static void draw_stretches(const sheet *s, const ac_plot_curve *curve, const double *xy, const bool *unstable,
                           long count)
{
    unsigned colour = ac_plot_palette[curve->colour % AC_PLOT_COLOURS];
    for (long from = 0, to; from + 1 < count; from = to) {
        for (to = from + 1; to + 1 < count && unstable[to] == unstable[from];) ++to;
        s->canvas->lines(s->canvas->user, xy + 2 * from, to - from + 1, 1.7, colour,
                         style_of(curve, unstable[from]));
    }
    if (count == 1) draw_point(s->canvas, xy, colour);
}

static ac_status draw_curve(const sheet *s, const ac_plot_curve *curve)
{
    ac_context *ctx = s->area.plot->ctx;
    double *xy;
    bool *unstable;
    long count = 0;
    AC_NEW(ctx, xy, 2 * curve->count);
    unstable = ac_allocate(ctx, (size_t)curve->count + 1, sizeof *unstable);
    for (long i = 0; i < curve->count && unstable; ++i) {
        if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
        ac_plot_place(&s->area, curve->x[i], curve->y[i], xy + 2 * count);
        if (!isfinite(xy[2 * count]) || !isfinite(xy[2 * count + 1])) continue;
        unstable[count++] = curve->unstable && curve->unstable[i];
    }
    if (unstable && s->area.plot->settings.dots)
        draw_dots(s, curve, xy, count);
    else if (unstable)
        draw_stretches(s, curve, xy, unstable, count);
    ac_release(ctx, xy);
    if (!unstable) return ac_out_of_memory(ctx);
    ac_release(ctx, unstable);
    return AC_OK;
}

/* Widens the axis that is drawn larger than the other, to both sides. */
static void widen(ac_plot_axis *axis, double range, int wanted)
{
    double more = 0.5 * (range - (axis->high - axis->low));
    if (more > 0.0) ac_plot_set_axis(axis, axis->low - more, axis->high + more, wanted);
}

static void set_equal(const ac_plot_area *area, ac_plot_axis *x, ac_plot_axis *y)
{
    double across = (x->high - x->low) / area->width, up = (y->high - y->low) / area->height;
    widen(x, up * area->width, 9);
    widen(y, across * area->height, TICKS);
}

/* Names, axes and curves of a panel that has all from `top` to `bottom`. */
static ac_status draw_panel(sheet *s, ac_plot *plot, double top, double bottom, double right)
{
    const ac_canvas *canvas = s->canvas;
    s->area.top = draw_legend(s, top, right) + 16;
    s->area.width = right - s->area.left;
    s->area.height = bottom - s->area.top;
    if (s->area.width < 50 || s->area.height < 50)
        return ac_fail(plot->ctx, AC_BAD_INPUT, "the plot is too small for its axes and names");
    if (plot->equal) set_equal(&s->area, &plot->x, &plot->y[s->area.panel]);
    ac_plot_axis y = plot->y[s->area.panel];
    int room = (int)(s->area.height / TICK_ROOM);
    if (room < TICKS) ac_plot_fit_ticks(&y, room, room);
    draw_axes(s, &y);
    canvas->clip(canvas->user, s->area.left - 1, s->area.top - 1, s->area.width + 2, s->area.height + 2);
    for (int i = 0; i < plot->curve_count; ++i) {
        if (plot->curves[i].panel == s->area.panel) AC_TRY(draw_curve(s, &plot->curves[i]));
    }
    canvas->clip(canvas->user, 0, 0, 0, 0);
    ac_plot_draw_marks(&s->area, canvas);
    return AC_OK;
}

double ac_plot_height(const ac_plot *plot, double width)
{
    return width * 9 / 16 * (1 + 0.5 * (plot->panel_count - 1));
}

ac_status ac_plot_draw(const ac_plot *plot, const ac_canvas *canvas, double width, double height)
{
    double widest = 0;
    ac_plot own = *plot; /* equal axes follow the size of the drawing */
    for (int k = 0; k < plot->panel_count; ++k) {
        for (int i = 0; i < plot->y[k].tick_count; ++i)
            widest = ac_max(widest, ac_plot_text_width(plot->y[k].text[i], 12));
    }
    sheet s = {.area = {.plot = &own, .left = 46 + widest}, .canvas = canvas};
    double y = 30, right = width - 26, gap = 30;
    if (*plot->title)
        canvas->text(canvas->user, s.area.left, y, 17, AC_ANCHOR_START, false, ink, plot->title);
    if (*plot->title) y += 24;
    double each = (height - 56 - y - gap * (plot->panel_count - 1)) / plot->panel_count;
    for (s.area.panel = 0; s.area.panel < plot->panel_count; ++s.area.panel) {
        double top = y + s.area.panel * (each + gap);
        AC_TRY(draw_panel(&s, &own, top, top + each, right));
    }
    return AC_OK;
}
