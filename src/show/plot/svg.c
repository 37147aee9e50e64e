/* Plots as SVG. Not by cairo, whose SVG turns letters into outlines: here names and numbers stay text that can be searched,
 * edited and read aloud, and the file has its title. */
#include <stdio.h>

#include "base/base.h"
#include "result/output_file.h"
#include "show/plot/plot.h"

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            /* XML has no control characters */
            if ((unsigned char)*text >= 0x20) fputc(*text, out);
        }
    }
}

/* Hundredths of a pixel, without a decimal point that a locale could change. */
static void put_place(FILE *out, double x)
{
    long hundredths = (long)(x * 100 + (x < 0 ? -0.5 : 0.5));
    unsigned long size = (unsigned long)(hundredths < 0 ? -hundredths : hundredths);
    fprintf(out, "%s%lu", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100) fprintf(out, size % 10 ? ".%02lu" : ".%01lu", size % 10 ? size % 100 : size % 100 / 10);
}

static void put_attribute(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    put_place(out, value);
    fputc('"', out);
}

static void svg_lines(void *user, const double *xy, long count, double width, unsigned colour,
                      ac_line_style style)
{
    FILE *out = user;
    if (count < 1) return;
    fprintf(out, "<path fill=\"none\" stroke=\"#%06x\" stroke-linejoin=\"round\"", colour);
    put_attribute(out, "stroke-width", width);
    if (style != AC_LINE_SOLID)
        fputs(style == AC_LINE_DASHED ? " stroke-dasharray=\"7 4\"" : " stroke-dasharray=\"2 4\"", out);
    fputs(" d=\"M", out);
    for (long i = 0; i < count; ++i) {
        if (i > 0) fputc(i == 1 ? 'L' : ' ', out);
        put_place(out, xy[2 * i]);
        fputc(' ', out);
        put_place(out, xy[2 * i + 1]);
    }
    fputs("\"/>\n", out);
}

static void svg_text(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                     unsigned colour, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = user;
    if (!*text) return;
    fprintf(out, "<text text-anchor=\"%s\" fill=\"#%06x\"", anchors[anchor], colour);
    put_attribute(out, "font-size", size);
    if (upwards) {
        fputs(" transform=\"translate(", out);
        put_place(out, x);
        fputc(' ', out);
        put_place(out, y);
        fputs(") rotate(-90)\"", out);
    } else {
        put_attribute(out, "x", x);
        put_attribute(out, "y", y);
    }
    fputc('>', out);
    put_escaped(out, text);
    fputs("</text>\n", out);
}

static void svg_clip(void *user, double x, double y, double width, double height)
{
    FILE *out = user;
    if (width <= 0) {
        fputs("</g>\n", out);
        return;
    }
    long id = (long)y; /* of several areas one above the other */
    fprintf(out, "<clipPath id=\"area%ld\"><rect", id);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    fprintf(out, "/></clipPath>\n<g clip-path=\"url(#area%ld)\">\n", id);
}

ac_status ac_plot_write_svg(const ac_plot *plot, const char *path)
{
    double width = plot->settings.width > 0 ? plot->settings.width : AC_PLOT_WIDTH;
    double height = plot->settings.height > 0 ? plot->settings.height : ac_plot_height(plot, width);
    ac_output_file file;
    AC_TRY(ac_output_open(plot->ctx, path, &file));
    fprintf(
        file.stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"system-ui, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<title>",
        width, height, width, height);
    put_escaped(file.stream, plot->title);
    fputs("</title>\n", file.stream);
    ac_canvas canvas = {.user = file.stream, .lines = svg_lines, .text = svg_text, .clip = svg_clip};
    ac_status status = ac_plot_draw(plot, &canvas, width, height);
    fputs("</svg>\n", file.stream);
    return ac_output_close(&file, status);
}
