/* actio compare: how two results differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "math/math.h"

static const app_option options[] = {
    {"output", 'o', "FILE", "writes one page (.html) with both results laid over each other"},
    {"all", 'a', NULL, "lists every component, also those that agree exactly"},
    {"json", 0, NULL, "prints one JSON object"},
    {"from", 0, "T", "the page: from this time on, s"},
    {"to", 0, "T", "the page: up to this time, s"},
    {"frames", 0, "N", "the page: animates at most N moments"},
    {0},
};

enum { LISTED = 20 };

/* ---- as a table ---- */

/* Residuals and iterations are noise; they come last. */
static bool is_noise(const ac_difference *d)
{
    return strncmp(d->name, "residual/", 9) == 0 || strncmp(d->name, "newton/", 7) == 0;
}

static int by_share(const void *a, const void *b)
{
    const ac_difference *first = *(const ac_difference *const *)a, *second = *(const ac_difference *const *)b;
    if (is_noise(first) != is_noise(second)) return is_noise(first) ? 1 : -1;
    double x = first->size > 0 ? first->largest / first->size : first->largest;
    double y = second->size > 0 ? second->largest / second->size : second->largest;
    return (x < y) - (x > y);
}

static int name_width(const ac_difference *d)
{
    return (int)strlen(d->name) + (*d->label ? 1 + (int)strlen(d->label) : 0);
}

static void print_line(const ac_difference *d, int widest)
{
    char number[4][40];
    printf("  %s%s%s%*s  %12s  %12s  %12s  %12s  %s\n", d->name, *d->label ? "." : "", d->label,
           widest - name_width(d), "", app_number(number[0], sizeof number[0], d->largest),
           app_number(number[1], sizeof number[1], d->at),
           app_number(number[2], sizeof number[2], d->mean_square),
           app_number(number[3], sizeof number[3], d->size), strcmp(d->unit, "1") == 0 ? "" : d->unit);
}

/* The largest differences as a share of the quantity's size; those that are zero are only counted. */
static bool print_table(const ac_comparison *comparison, bool all, bool named)
{
    int count = ac_comparison_count(comparison), shown = 0, widest = 8, equal = 0;
    const ac_difference **list = calloc((size_t)count + 1, sizeof(const ac_difference *));
    if (!list) return false;
    bool interpolated = false;
    for (int i = 0; i < count; ++i) {
        const ac_difference *d = ac_comparison_entry(comparison, i);
        interpolated |= d->interpolated;
        equal += d->largest == 0;
        if (d->largest > 0 || all || named) list[shown++] = d;
    }
    if (!named) ac_sort(list, (size_t)shown, sizeof(const ac_difference *), by_share);
    int listed = all || named || shown <= LISTED ? shown : LISTED;
    for (int i = 0; i < listed; ++i) {
        if (name_width(list[i]) > widest) widest = name_width(list[i]);
    }
    if (listed > 0)
        printf("  %-*s  %12s  %12s  %12s  %12s  unit\n", widest, "quantity", "largest", "at time",
               "mean square", "size");
    for (int i = 0; i < listed; ++i) print_line(list[i], widest);
    if (shown > listed) printf("  %d more components differ; --all lists them\n", shown - listed);
    if (equal > 0) printf("  %d of %d components are equal in all rows\n", equal, count);
    if (ac_comparison_unmatched(comparison) > 0)
        printf("  %d channels are in one of the results only\n", ac_comparison_unmatched(comparison));
    if (interpolated)
        printf("  the times differ: the second result was interpolated at those of the first\n");
    free(list);
    return true;
}

/* ---- as JSON ---- */

static bool print_json(ac_context *ctx, const app_arguments *arguments, const ac_comparison *comparison)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "first", arguments->words[0]);
    ac_json_text(json, "second", arguments->words[1]);
    ac_json_integer(json, "unmatched", ac_comparison_unmatched(comparison));
    ac_comparison_put(comparison, json);
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

/* ---- the verb ---- */

static bool is_place(const char *name)
{
    const char *last = strrchr(name, '/');
    bool moving = strncmp(name, "body/", 5) == 0 || strncmp(name, "point/", 6) == 0 ||
                  strncmp(name, "beam/", 5) == 0;
    return moving && last && strcmp(last, "/position") == 0;
}

/* Whether all that has a place in the first has one in the second. */
static bool has_places(const ac_result *first, const ac_result *second)
{
    for (int t = 0; t < ac_result_table_count(first); ++t) {
        int count = 0, table = 0, channel = 0;
        const ac_channel *list = ac_result_channels(first, t, &count);
        for (int c = 0; c < count; ++c) {
            if (is_place(list[c].name) && !ac_result_find(second, list[c].name, &table, &channel))
                return false;
        }
    }
    return true;
}

static bool print_comparison(ac_context *ctx, const app_arguments *arguments, const ac_report_source *sources,
                             const ac_comparison *comparison)
{
    if (app_given(arguments, "json")) return print_json(ctx, arguments, comparison);
    const ac_result *first = sources[0].result, *second = sources[1].result;
    if (!has_places(first, second) || !has_places(second, first))
        printf("  different systems: only what has the same name in both is compared\n");
    return print_table(comparison, app_given(arguments, "all"), arguments->word_count > 2);
}

static ac_status write_page(ac_context *ctx, const app_arguments *arguments, const ac_report_source *sources,
                            const ac_report_window *window, const ac_comparison *comparison)
{
    const char *path = app_value(arguments, "output");
    if (!path) return AC_OK;
    return ac_report_write(ctx, sources, 2, window, comparison, path);
}

static int compare(ac_context *ctx, const app_arguments *arguments)
{
    ac_report_source sources[2] = {{.label = app_file_name(arguments->words[0])},
                                   {.label = app_file_name(arguments->words[1])}};
    ac_comparison *comparison = NULL;
    ac_report_window window;
    ac_status status = AC_OK;
    int opened = 0;
    bool printed = true;
    const char *path = app_value(arguments, "output");
    if (!app_page_name(arguments, "compare") || !app_window(arguments, &window)) return EXIT_BAD_INPUT;
    if (path && !app_spares_inputs(arguments, path, 2)) return EXIT_BAD_INPUT;
    if (app_to_standard_output(arguments))
        return app_refuse(arguments,
                          "compare: standard output is for the table; name a file for the page with -o");
    if (strcmp(sources[0].label, sources[1].label) == 0) {
        sources[0].label = arguments->words[0];
        sources[1].label = arguments->words[1];
    }
    for (; status == AC_OK && opened < 2; opened += status == AC_OK)
        status = ac_result_open(ctx, arguments->words[opened], &sources[opened].result);
    if (status == AC_OK)
        status = ac_compare(ctx, sources[0].result, sources[1].result, arguments->words + 2,
                            arguments->word_count - 2, &comparison);
    if (status == AC_OK) status = write_page(ctx, arguments, sources, &window, comparison);
    if (status == AC_OK) printed = print_comparison(ctx, arguments, sources, comparison);
    if (status == AC_OK && path && !arguments->json) printf("page in %s\n", path);
    ac_comparison_free(comparison);
    for (int i = 0; i < opened; ++i) ac_result_close(sources[i].result);
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, "compare", opened == 2);
    return printed ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

const app_verb app_verb_compare = {
    .name = "compare",
    .words = "OUT1 OUT2",
    .min_words = 2,
    .max_words = -1,
    .summary = "says how far two result files differ",
    .details = "For each component of the channels that both have, or of those named behind OUT2 (* and ? "
               "stand for\n"
               "any text): the largest absolute difference and when it occurs, the root of the mean square, "
               "and the\n"
               "largest absolute value of the first as a measure. Where the times differ the second is "
               "interpolated\n"
               "linearly at those of the first. The exit status says whether the comparison could be made, "
               "not how it\n"
               "came out.",
    .options = options,
    .run = compare,
};
