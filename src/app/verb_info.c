/* actio info: what a result file holds. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"

static const app_option options[] = {
    {"json", 0, NULL, "prints one JSON object"},
    {"text", 't', "NAME", "prints one of the texts inside, such as problem, as it is"},
    {0},
};

static const char *const header_texts[] = {"title",  "task",    "scheme", "scheme_reason",
                                           "status", "message", "remark", "program"};
enum { HEADER_TEXTS = sizeof header_texts / sizeof *header_texts };

static const char *number_entry(const void *list, int index, double *value, const char **unit)
{
    return ac_result_number_name(list, index, value, unit);
}

/* The labels, or the first and the last of them where they are not all in the list. */
static void print_labels(const ac_channel *channel)
{
    char first[AC_LABEL_SIZE], last[AC_LABEL_SIZE];
    int words = 0;
    for (const char *c = channel->labels; *c; ++c) words += *c != ' ' && (c[1] == ' ' || !c[1]);
    if (channel->width == 1) return;
    printf("  %d: ", channel->width);
    if (words == channel->width)
        fputs(channel->labels, stdout);
    else
        printf("%s to %s", ac_component_label(channel, 0, first),
               ac_component_label(channel, channel->width - 1, last));
}

static void print_channels(const ac_result *result, int table)
{
    int count = 0, widest = 0;
    const ac_channel *channels = ac_result_channels(result, table, &count);
    for (int c = 0; c < count; ++c) {
        int length = (int)strlen(channels[c].name);
        if (length > widest) widest = length;
    }
    printf("table %s: %ld rows\n", ac_result_table_name(result, table), ac_result_rows(result, table));
    for (int c = 0; c < count; ++c) {
        printf("  ");
        app_print_text(channels[c].name);
        printf("%*s  ", widest - (int)strlen(channels[c].name), "");
        app_print_text(channels[c].unit);
        printf("%*s", 8 - (int)strlen(channels[c].unit), "");
        print_labels(&channels[c]);
        printf("\n");
    }
}

/* A text of the head on a line of its own; the scheme with its reason. */
static void print_text(const ac_result *result, const char *name)
{
    const char *text = ac_result_text(result, name);
    const char *reason = strcmp(name, "scheme") == 0 ? ac_result_text(result, "scheme_reason") : NULL;
    if (!text || !*text || strcmp(name, "scheme_reason") == 0) return;
    printf("%-8s ", name);
    app_print_text(text);
    if (reason) printf(": ");
    if (reason) app_print_text(reason);
    printf("\n");
}

static void print_plain(const ac_result *result)
{
    for (int i = 0; i < HEADER_TEXTS; ++i) print_text(result, header_texts[i]);
    for (int t = 0; t < ac_result_table_count(result); ++t) print_channels(result, t);
    printf("summary\n");
    app_print_numbers(ac_result_number_count(result), number_entry, result);
}

static void put_table(ac_json *json, const ac_result *result, int table)
{
    int count = 0;
    const ac_channel *channels = ac_result_channels(result, table, &count);
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", ac_result_table_name(result, table));
    ac_json_integer(json, "rows", ac_result_rows(result, table));
    ac_json_open_array(json, "channels");
    for (int c = 0; c < count; ++c) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", channels[c].name);
        ac_json_text(json, "unit", channels[c].unit);
        ac_json_integer(json, "width", channels[c].width);
        ac_json_text(json, "labels", channels[c].labels);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
    ac_json_close_object(json);
}

static void put_summary(ac_json *json, const ac_result *result)
{
    ac_json_open_object(json, "results");
    for (int i = 0; i < ac_result_number_count(result); ++i) {
        double value = 0;
        const char *name = ac_result_number_name(result, i, &value, NULL);
        ac_json_number(json, name, value);
    }
    ac_json_close_object(json);
    ac_json_open_object(json, "units");
    for (int i = 0; i < ac_result_number_count(result); ++i) {
        const char *unit = "";
        const char *name = ac_result_number_name(result, i, NULL, &unit);
        ac_json_text(json, name, unit);
    }
    ac_json_close_object(json);
}

static bool print_json(ac_context *ctx, const char *path, const ac_result *result, const char *message)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "file", path);
    if (!result) ac_json_text(json, "message", message);
    if (result) {
        for (int i = 0; i < HEADER_TEXTS; ++i) {
            const char *text = ac_result_text(result, header_texts[i]);
            if (text) ac_json_text(json, header_texts[i], text);
        }
        ac_json_open_array(json, "tables");
        for (int t = 0; t < ac_result_table_count(result); ++t) put_table(json, result, t);
        ac_json_close_array(json);
        put_summary(json, result);
    }
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

static int print_one_text(const app_arguments *arguments, const ac_result *result, const char *name)
{
    const char *text = ac_result_text(result, name);
    if (text) {
        fputs(text, stdout);
        return EXIT_SOLVED;
    }
    return app_refuse(arguments, "%s holds no text \"%s\"", arguments->words[0], name);
}

static int info(ac_context *ctx, const app_arguments *arguments)
{
    const char *path = arguments->words[0];
    bool json = app_given(arguments, "json");
    ac_result *result = NULL;
    ac_status status = ac_result_open(ctx, path, &result);
    if (status != AC_OK) {
        app_complain("%s", ac_context_message(ctx));
        if (json) print_json(ctx, path, NULL, ac_context_message(ctx));
        return app_input_exit(status);
    }
    int exit_status = EXIT_SOLVED;
    if (app_given(arguments, "text"))
        exit_status = print_one_text(arguments, result, app_value(arguments, "text"));
    else if (!json)
        print_plain(result);
    else if (!print_json(ctx, path, result, NULL))
        exit_status = EXIT_NOT_SOLVED;
    ac_result_close(result);
    return exit_status;
}

const app_verb app_verb_info = {
    .name = "info",
    .words = "OUT",
    .min_words = 1,
    .max_words = 1,
    .summary = "says what the result file OUT holds",
    .details =
        "Title, task and status, the tables with their channels and units, and the numbers of the summary.",
    .options = options,
    .run = info,
};
