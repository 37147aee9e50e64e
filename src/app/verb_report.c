/* actio report: one page to look at a result. */
#include <stdio.h>

#include "app/app.h"

enum { PATH_SIZE = 4096 };

static const app_option options[] = {
    {"output", 'o', "FILE", "the page; OUT with the ending .html if nothing is said"},
    {"from", 0, "T", "shows the motion from this time on, s"},
    {"to", 0, "T", "shows the motion up to this time, s"},
    {"frames", 0, "N", "animates at most N moments (2000)"},
    {0},
};

static int report(ac_context *ctx, const app_arguments *arguments)
{
    const char *input = arguments->words[0];
    char path[PATH_SIZE];
    ac_report_window window;
    if (!app_window(arguments, &window)) return EXIT_BAD_INPUT;
    if (!app_output_path(arguments, input, ".html", path, sizeof path)) return EXIT_BAD_INPUT;
    ac_report_source source = {.label = app_file_name(input)};
    ac_status status = ac_result_open(ctx, input, &source.result);
    bool opened = status == AC_OK;
    if (opened) status = ac_report_write(ctx, &source, 1, &window, NULL, path);
    ac_result_close(source.result);
    if (status != AC_OK) return app_view_failed(ctx, status, input, opened);
    printf("page in %s\n", path);
    return EXIT_SOLVED;
}

const app_verb app_verb_report = {
    .name = "report",
    .words = "OUT",
    .min_words = 1,
    .max_words = 1,
    .summary = "makes one page of the result file OUT: animation, plots, tables",
    .details = "The page is one file that opens in a browser without a network. It shows the motion in 3-D, "
               "plots of\n"
               "energies, momenta, residuals and coordinates that follow the animation, the numbers of the "
               "summary and\n"
               "the problem file. Long results are thinned for display, and the page says how; --from and "
               "--to show a\n"
               "part of the motion in full.",
    .options = options,
    .run = report,
};
