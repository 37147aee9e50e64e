/* Plots as pictures of pixels (PNG), as drawings (SVG) and as pages (PDF), drawn by cairo. The only file that knows it. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "math/math.h"
#include "result/output_file.h"
#include "show/plot/plot.h"

static const double ACROSS = 0.05; /* pixels: how far a curve may pass beside a point that is left out */

static void use_colour(cairo_t *cairo, unsigned colour)
{
    cairo_set_source_rgb(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

/* Directions from the last point drawn: a line in any of them passes all points since then within ACROSS. */
typedef struct cone {
    double axis, low, high, reach; /* low and high from the axis; reach: the farthest point */
} cone;

static void open_cone(const double from[2], const double to[2], cone *c)
{
    double x = to[0] - from[0], y = to[1] - from[1];
    c->reach = ac_hypot(x, y);
    c->axis = ac_atan2(y, x);
    c->high = ac_asin(ac_min(1.0, ACROSS / ac_max(c->reach, ACROSS)));
    c->low = -c->high;
}

/* Narrows the cone by the next point; false: the line must end before it. */
static bool narrow_cone(const double from[2], const double to[2], cone *c)
{
    cone next;
    open_cone(from, to, &next);
    double turn = remainder(next.axis - c->axis, 6.283185307179586);
    if (turn < c->low || turn > c->high || next.reach < c->reach) return false;
    c->low = ac_max(c->low, turn + next.low);
    c->high = ac_min(c->high, turn + next.high);
    c->reach = next.reach;
    return true;
}

/* A line through all points, without those that nobody would miss. */
static void trace(cairo_t *cairo, const double *xy, long count)
{
    const double *from = xy;
    cone c;
    cairo_move_to(cairo, xy[0], xy[1]);
    if (count > 1) open_cone(from, xy + 2, &c);
    for (long i = 1; i + 1 < count; ++i) {
        if (narrow_cone(from, xy + 2 * (i + 1), &c)) continue;
        from = xy + 2 * i;
        cairo_line_to(cairo, from[0], from[1]);
        open_cone(from, from + 2, &c);
    }
    if (count > 1) cairo_line_to(cairo, xy[2 * (count - 1)], xy[2 * (count - 1) + 1]);
}

static void cairo_lines(void *user, const double *xy, long count, double width, unsigned colour,
                        ac_line_style style)
{
    static const double dashed[] = {7, 4}, dotted[] = {2, 4};
    cairo_t *cairo = user;
    if (count < 1) return;
    use_colour(cairo, colour);
    cairo_set_line_width(cairo, width);
    cairo_set_dash(cairo, style == AC_LINE_DASHED ? dashed : dotted, style == AC_LINE_SOLID ? 0 : 2, 0);
    trace(cairo, xy, count);
    if (count == 1) cairo_close_path(cairo); /* a dot */
    cairo_stroke(cairo);
}

static void cairo_text(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                       unsigned colour, const char *text)
{
    static const double shares[] = {0, 0.5, 1};
    cairo_t *cairo = user;
    cairo_text_extents_t extents;
    use_colour(cairo, colour);
    cairo_set_font_size(cairo, size);
    cairo_text_extents(cairo, text, &extents);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    if (upwards) cairo_rotate(cairo, -1.5707963267948966);
    cairo_move_to(cairo, -shares[anchor] * extents.x_advance, 0);
    cairo_show_text(cairo, text);
    cairo_restore(cairo);
}

static void cairo_clip_to(void *user, double x, double y, double width, double height)
{
    cairo_t *cairo = user;
    cairo_reset_clip(cairo);
    if (width <= 0) return;
    cairo_rectangle(cairo, x, y, width, height);
    cairo_clip(cairo);
}

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned length)
{
    ac_output_file *file = user;
    return fwrite(bytes, 1, length, file->stream) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* A picture that cairo cannot make; what the disk refused is reported when the file is closed. */
static ac_status explain(const ac_plot *plot, cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS || status == CAIRO_STATUS_WRITE_ERROR) return AC_OK;
    if (status == CAIRO_STATUS_NO_MEMORY) return ac_out_of_memory(plot->ctx);
    return ac_fail(plot->ctx, AC_IO_FAILED, "the plot cannot be drawn: %s", cairo_status_to_string(status));
}

/* Draws on a surface what is `width` wide and `height` high before it is scaled. */
static ac_status draw_on(const ac_plot *plot, cairo_surface_t *surface, double width, double height,
                         double scale)
{
    cairo_t *cairo = cairo_create(surface);
    ac_status status = explain(plot, cairo_status(cairo));
    if (status == AC_OK) {
        ac_canvas canvas = {.user = cairo, .lines = cairo_lines, .text = cairo_text, .clip = cairo_clip_to};
        cairo_scale(cairo, scale, scale);
        use_colour(cairo, 0xffffff);
        cairo_paint(cairo);
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
        cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        status = ac_plot_draw(plot, &canvas, width, height);
        if (status == AC_OK) status = explain(plot, cairo_status(cairo));
    }
    cairo_destroy(cairo);
    return status;
}

/* Scaled from the width that plots are made for. */
static ac_status draw_scaled(const ac_plot *plot, cairo_surface_t *surface, double width, double height)
{
    double scale = width / AC_PLOT_WIDTH;
    return draw_on(plot, surface, AC_PLOT_WIDTH, height / scale, scale);
}

ac_status ac_plot_write_png(const ac_plot *plot, const char *path)
{
    int width = plot->settings.width > 0 ? plot->settings.width : AC_PLOT_PIXELS;
    int height = plot->settings.height > 0 ? plot->settings.height : (int)ac_plot_height(plot, width);
    ac_output_file file;
    AC_TRY(ac_output_open(plot->ctx, path, &file));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    ac_status status = explain(plot, cairo_surface_status(surface));
    if (status == AC_OK) status = draw_scaled(plot, surface, width, height);
    if (status == AC_OK)
        status = explain(plot, cairo_surface_write_to_png_stream(surface, write_bytes, &file));
    cairo_surface_destroy(surface);
    return ac_output_close(&file, status);
}

ac_status ac_plot_write_pdf(const ac_plot *plot, const char *path)
{
    double width = plot->settings.width > 0 ? plot->settings.width : AC_PLOT_WIDTH;
    double height = plot->settings.height > 0 ? plot->settings.height : ac_plot_height(plot, width);
    ac_output_file file;
    AC_TRY(ac_output_open(plot->ctx, path, &file));
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, &file, width, height);
    ac_status status = explain(plot, cairo_surface_status(surface));
    if (status == AC_OK) {
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, plot->title);
        /* the same bits for the same input: no date of making */
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        status = draw_scaled(plot, surface, width, height);
    }
    cairo_surface_finish(surface);
    if (status == AC_OK) status = explain(plot, cairo_surface_status(surface));
    cairo_surface_destroy(surface);
    return ac_output_close(&file, status);
}

/* An SVG file on its way to the disk. cairo has no title for SVG: it is put behind the opening tag, where programs look for it. */
typedef struct svg_file {
    ac_output_file file;
    const char *title;
    int tags; /* begun so far; the second one, behind the declaration of XML, is <svg ...> */
    bool titled;
} svg_file;

static void put_title(FILE *out, const char *title)
{
    fputs("\n<title>", out);
    for (; *title; ++title) {
        switch (*title) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        default:
            /* XML has no control characters */
            if ((unsigned char)*title >= 0x20) fputc(*title, out);
        }
    }
    fputs("</title>", out);
}

static cairo_status_t write_svg_bytes(void *user, const unsigned char *bytes, unsigned length)
{
    svg_file *svg = user;
    unsigned done = 0;
    while (!svg->titled && done < length) {
        int byte = bytes[done++];
        fputc(byte, svg->file.stream);
        svg->tags += byte == '<';
        svg->titled = svg->tags == 2 && byte == '>';
        if (svg->titled) put_title(svg->file.stream, svg->title);
    }
    return write_bytes(&svg->file, bytes + done, length - done);
}

ac_status ac_plot_write_svg(const ac_plot *plot, const char *path)
{
    double width = plot->settings.width > 0 ? plot->settings.width : AC_PLOT_WIDTH;
    double height = plot->settings.height > 0 ? plot->settings.height : ac_plot_height(plot, width);
    svg_file svg = {.title = plot->title};
    AC_TRY(ac_output_open(plot->ctx, path, &svg.file));
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(write_svg_bytes, &svg, width, height);
    ac_status status = explain(plot, cairo_surface_status(surface));
    if (status == AC_OK) {
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        /* not scaled: letters keep their size in pages that show drawings of several widths */
        status = draw_on(plot, surface, width, height, 1);
    }
    cairo_surface_finish(surface);
    if (status == AC_OK) status = explain(plot, cairo_surface_status(surface));
    cairo_surface_destroy(surface);
    return ac_output_close(&svg.file, status);
}
