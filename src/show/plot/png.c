/* Plots as pictures of pixels. */
#include <math.h>

#include "base/base.h"
#include "show/plot/picture.h"
#include "show/plot/plot.h"
#include "show/plot/font.h"

static const double dashes[] = {0, 7, 2}, gap = 4; /* by style */

typedef struct png_canvas {
    ac_picture picture;
    double scale; /* pixels for a unit of the drawing */
} png_canvas;

static void dashed_line(png_canvas *c, const double from[2], const double to[2], double width, double dash,
                        double *along)
{
    double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy), done = 0;
    while (done < length) {
        double in = fmod(*along, dash + gap), left = in < dash ? dash - in : dash + gap - in;
        double next = fmin(length, done + left), a = done / length, b = next / length;
        if (in < dash)
            ac_picture_line(&c->picture, c->scale * (from[0] + a * dx), c->scale * (from[1] + a * dy),
                            c->scale * (from[0] + b * dx), c->scale * (from[1] + b * dy), width);
        *along += next - done + 1e-9;
        done = next + 1e-9;
    }
}

static void png_lines(void *user, const double *xy, long count, double width, unsigned colour,
                      ac_line_style style)
{
    png_canvas *c = user;
    double along = 0, k = c->scale;
    for (long i = 0; i + 1 < count; ++i) {
        const double *p = xy + 2 * i;
        if (style != AC_LINE_SOLID)
            dashed_line(c, p, p + 2, k * width, dashes[style], &along);
        else
            ac_picture_line(&c->picture, k * p[0], k * p[1], k * p[2], k * p[3], k * width);
    }
    if (count == 1) ac_picture_line(&c->picture, k * xy[0], k * xy[1], k * xy[0], k * xy[1], 3 * k * width);
    ac_picture_paint(&c->picture, colour);
}

/* One letter with its base at (x, y); `upwards` turns it to the left. */
static void draw_glyph(png_canvas *c, const ac_glyph *glyph, double x, double y, double size, bool upwards)
{
    double thick = c->scale * fmax(0.085 * size, 0.9), column = AC_FONT_COLUMN * size,
           line = AC_FONT_LINE * size;
    double last[2] = {0, 0};
    bool down = false;
    for (const char *s = glyph->strokes; *s;) {
        if (*s == ' ') {
            down = false;
            ++s;
            continue;
        }
        double across = (s[0] - '0') * column * glyph->scale;
        double above = ((s[1] - AC_FONT_BASE) * glyph->scale + glyph->raised) * line;
        double place[2] = {c->scale * (upwards ? x - above : x + across),
                           c->scale * (upwards ? y - across : y - above)};
        if (down) ac_picture_line(&c->picture, last[0], last[1], place[0], place[1], thick);
        last[0] = place[0];
        last[1] = place[1];
        down = true;
        s += 2;
    }
}

static void png_text(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                     unsigned colour, const char *text)
{
    static const double shares[] = {0, 0.5, 1};
    png_canvas *c = user;
    double back = shares[anchor] * ac_font_width(text, size);
    if (upwards)
        y += back;
    else
        x -= back;
    while (*text) {
        ac_glyph glyph = ac_font_next(&text);
        draw_glyph(c, &glyph, x, y, size, upwards);
        double advance = glyph.width * size * AC_FONT_COLUMN;
        if (upwards)
            y -= advance;
        else
            x += advance;
    }
    ac_picture_paint(&c->picture, colour);
}

static void png_clip(void *user, double x, double y, double width, double height)
{
    png_canvas *c = user;
    ac_picture *p = &c->picture;
    bool whole = width <= 0;
    p->left = whole ? 0 : (int)(c->scale * x);
    p->top = whole ? 0 : (int)(c->scale * y);
    p->right = whole ? p->width : (int)(c->scale * (x + width) + 1);
    p->bottom = whole ? p->height : (int)(c->scale * (y + height) + 1);
    if (p->right > p->width) p->right = p->width;
    if (p->bottom > p->height) p->bottom = p->height;
}

ac_status ac_plot_write_png(const ac_plot *plot, const char *path)
{
    int width = plot->settings.width > 0 ? plot->settings.width : AC_PLOT_PIXELS;
    int height = plot->settings.height > 0 ? plot->settings.height : (int)ac_plot_height(plot, width);
    png_canvas c = {.scale = width / AC_PLOT_WIDTH};
    AC_TRY(ac_picture_new(plot->ctx, width, height, &c.picture));
    ac_canvas canvas = {.user = &c, .lines = png_lines, .text = png_text, .clip = png_clip};
    ac_status status = ac_plot_draw(plot, &canvas, AC_PLOT_WIDTH, height / c.scale);
    if (status == AC_OK) status = ac_picture_write_png(&c.picture, path);
    ac_picture_free(&c.picture);
    return status;
}
