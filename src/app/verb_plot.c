/* actio plot: quantities of result files as curves, in a file or on the terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/app.h"

static const app_option options[] = {
    {"output", 'o', "FILE",
     "writes FILE, .svg, .png or .pdf; - is SVG on standard output; without it the plot is text"},
    {"against", 'x', "QUANTITY", "draws against QUANTITY instead of time"},
    {"from", 0, "T", "from this time on, s"},
    {"to", 0, "T", "up to this time, s"},
    {"log", 0, NULL, "absolute values on a logarithmic axis"},
    {"change", 0, NULL, "the change since the start"},
    {"dots", 0, NULL, "points alone, without lines between them"},
    {"title", 0, "TEXT", "the title; that of the problem by default"},
    {"width", 0, "N", "pixels, or columns of text"},
    {"height", 0, "N", "pixels, or lines of text"},
    {"with", 'w', "OUT", "draws the same quantities of this result, too, dashed; may be repeated"},
    {"json", 0, NULL, "prints one JSON object; the plot goes to the file of -o"},
    {0},
};

enum { SOURCES_MAX = 8, SIDE_MAX = 20000 };

static bool read_settings(const app_arguments *arguments, ac_plot_settings *settings)
{
    ac_report_window window;
    long width = 0, height = 0;
    if (!app_window(arguments, &window) || !app_count_option(arguments, "width", &width) ||
        !app_count_option(arguments, "height", &height))
        return false;
    if (width > SIDE_MAX || height > SIDE_MAX) {
        app_refuse(arguments, "plot: --width and --height go up to %d", SIDE_MAX);
        return false;
    }
    *settings = ac_plot_defaults();
    settings->from = window.from;
    settings->to = window.to;
    settings->width = (int)width;
    settings->height = (int)height;
    settings->title = app_value(arguments, "title");
    settings->against = app_value(arguments, "against");
    settings->logarithmic = app_given(arguments, "log");
    settings->change = app_given(arguments, "change");
    settings->dots = app_given(arguments, "dots");
    return true;
}

/* A text fills the terminal's width; colours only there. */
static void fit_terminal(ac_plot_settings *settings)
{
    struct winsize size;
    const char *plain = getenv("NO_COLOR");
    if (!isatty(STDOUT_FILENO)) return;
    settings->colour = !plain || !*plain;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
    if (settings->width == 0) settings->width = size.ws_col;
    if (settings->height == 0 && size.ws_row > 12) settings->height = size.ws_row < 42 ? size.ws_row - 4 : 38;
}

static ac_status print_text(ac_context *ctx, const ac_plot *plot)
{
    char *text = NULL;
    ac_status status = ac_plot_text(plot, &text);
    if (status != AC_OK) return status;
    fputs(text, stdout);
    ac_text_free(ctx, text);
    return AC_OK;
}

static int draw(ac_context *ctx, const app_arguments *arguments, const ac_report_source *sources, int count,
                const ac_plot_settings *settings)
{
    ac_plot *plot = NULL;
    app_output output;
    ac_status status = ac_plot_new(ctx, sources, count, arguments->words + 1, arguments->word_count - 1,
                                   settings, &plot);
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, arguments->words[0], true);
    int exit_status = EXIT_BAD_INPUT;
    if (!app_value(arguments, "output")) {
        status = print_text(ctx, plot);
        exit_status = status == AC_OK ? EXIT_SOLVED
                                      : app_view_failed(ctx, arguments, status, arguments->words[0], true);
    } else if (app_output_begin(arguments, arguments->words[0], ".svg", &output)) {
        status = app_has_ending(output.path, ".png")   ? ac_plot_write_png(plot, output.path)
                 : app_has_ending(output.path, ".pdf") ? ac_plot_write_pdf(plot, output.path)
                                                       : ac_plot_write_svg(plot, output.path);
        exit_status = app_output_end(ctx, arguments, &output, status, "plot");
    }
    ac_plot_free(plot);
    return exit_status;
}

/* Opens OUT and what was named by --with; `*name` is the one that was opened last. */
static ac_status open_sources(ac_context *ctx, const app_arguments *arguments, ac_report_source *sources,
                              int *count, const char **name)
{
    ac_status status = AC_OK;
    for (int i = -1; status == AC_OK && i < arguments->given_count && *count < SOURCES_MAX; ++i) {
        if (i >= 0 && strcmp(arguments->given[i].option->name, "with") != 0) continue;
        *name = i < 0 ? arguments->words[0] : arguments->given[i].value;
        ac_report_source *source = &sources[*count];
        source->label = app_file_name(*name);
        status = ac_result_open(ctx, *name, &source->result);
        if (status == AC_OK) ++*count;
    }
    return status;
}

static int plot_verb(ac_context *ctx, const app_arguments *arguments)
{
    const char *path = app_value(arguments, "output"), *name = arguments->words[0];
    ac_plot_settings settings;
    ac_report_source sources[SOURCES_MAX] = {{0}};
    int count = 0;
    if (!read_settings(arguments, &settings)) return EXIT_BAD_INPUT;
    if (!path && arguments->json)
        return app_refuse(arguments, "plot: --json needs a file for the plot, -o FILE");
    if (path && !app_to_standard_output(arguments) && !app_has_ending(path, ".png") &&
        !app_has_ending(path, ".svg") && !app_has_ending(path, ".pdf"))
        return app_refuse(arguments, "plot: the ending of \"%s\" must be .svg, .png or .pdf", path);
    if (!path) fit_terminal(&settings);
    ac_status status = open_sources(ctx, arguments, sources, &count, &name);
    int exit_status = status == AC_OK ? draw(ctx, arguments, sources, count, &settings)
                                      : app_view_failed(ctx, arguments, status, name, false);
    for (int i = 0; i < count; ++i) ac_result_close(sources[i].result);
    return exit_status;
}

const app_verb app_verb_plot = {
    .name = "plot",
    .words = "OUT QUANTITY...",
    .min_words = 2,
    .max_words = -1,
    .summary = "draws quantities of the result file OUT over time",
    .details = "A quantity is a channel (energy/hamiltonian), one component of it (momentum/linear.z), or a "
               "pattern\n"
               "in which * and ? stand for any text ('joint/*/angle'); 'actio info OUT' lists the channels. "
               "Of a long\n"
               "result the smallest and the largest value of each stretch of time are drawn, so that no peak "
               "is lost.\n"
               "Load paths of equilibria have their unstable stretches dashed, and marks at limit points "
               "and bifurcations.",
    .options = options,
    .run = plot_verb,
};
