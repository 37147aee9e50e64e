/* actio report: one page to look at a result. */
#include "app/app.h"

static const app_option options[] = {
    {"output", 'o', "FILE", "the page; OUT with the ending .html by default; - is standard output"},
    {"from", 0, "T", "shows the motion from this time on, s"},
    {"to", 0, "T", "shows the motion up to this time, s"},
    {"frames", 0, "N", "animates at most N moments (2000)"},
    {"json", 0, NULL, "prints one JSON object"},
    {0},
};

static int report(ac_context *ctx, const app_arguments *arguments)
{
    const char *input = arguments->words[0];
    app_output output;
    ac_report_window window;
    if (!app_page_name(arguments, "report") || !app_window(arguments, &window)) return EXIT_BAD_INPUT;
    ac_report_source source = {.label = app_file_name(input)};
    ac_status status = ac_result_open(ctx, input, &source.result);
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, input, false);
    int exit_status = EXIT_BAD_INPUT;
    if (app_output_begin(arguments, input, ".html", &output)) {
        status = ac_report_write(ctx, &source, 1, &window, NULL, output.path);
        exit_status = app_output_end(ctx, arguments, &output, status, "page");
    }
    ac_result_close(source.result);
    return exit_status;
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
