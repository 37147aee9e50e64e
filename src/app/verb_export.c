/* actio export: the rows of a result file as comma-separated values, its motion as glTF or VTK files. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"

enum { BLOCK_ROWS = 1024, PATH_SIZE = 4096 };

static const app_option options[] = {
    {"output", 'o', "FILE", "writes FILE instead of standard output"},
    {"channels", 'c', "A,B,...",
     "only these channels, in this order, after the time; * and ? stand for any text"},
    {"table", 't', "NAME", "the table: nodes (default) or intervals"},
    {"every", 'e', "N", "only every N-th row"},
    {"format", 'f', "NAME", "csv, gltf, glb or vtk; by the ending of FILE if nothing is said"},
    {"from", 0, "T", "gltf, glb, vtk: from this time on, s"},
    {"to", 0, "T", "gltf, glb, vtk: up to this time, s"},
    {"frames", 0, "N", "gltf, glb, vtk: at most N moments (2000; vtk 200)"},
    {0},
};

/* What is to be written: channels of one table. */
typedef struct selection {
    ac_result *result;
    int table;
    const ac_channel *channels; /* of the table */
    int channel_count;
    int *chosen; /* numbers of the channels to write */
    int chosen_count;
    long stride;
} selection;

static bool is_chosen(const selection *s, int channel)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        if (s->chosen[i] == channel) return true;
    }
    return false;
}

static void choose(selection *s, int channel)
{
    if (!is_chosen(s, channel)) s->chosen[s->chosen_count++] = channel;
}

static int find_channel(const selection *s, const char *name)
{
    for (int c = 0; c < s->channel_count; ++c) {
        if (strcmp(s->channels[c].name, name) == 0) return c;
    }
    return -1;
}

/* One word of --channels: a name, or a pattern where no channel has that name. */
static bool choose_word(selection *s, const char *word)
{
    int channel = find_channel(s, word);
    if (channel >= 0) {
        choose(s, channel);
        return true;
    }
    bool found = false;
    for (int c = 0; c < s->channel_count; ++c) {
        if (fnmatch(word, s->channels[c].name, 0) != 0) continue;
        choose(s, c);
        found = true;
    }
    if (!found)
        app_complain("the table %s has no channel \"%s\"; 'actio info' lists them",
                     ac_result_table_name(s->result, s->table), word);
    return found;
}

static bool choose_words(selection *s, const char *words)
{
    int time = find_channel(s, "time");
    if (time >= 0) choose(s, time);
    char *copy = strdup(words);
    bool done = copy != NULL;
    for (char *rest = copy, *word; done && (word = strsep(&rest, ",")) != NULL;) {
        if (*word) done = choose_word(s, word);
    }
    free(copy);
    return done;
}

/* The table asked for; without that, the one that holds the first channel asked for; else the first. */
static bool choose_table(selection *s, const char *name, const char *words)
{
    char first[256] = "";
    int channel = 0;
    s->table = 0;
    if (words) snprintf(first, sizeof first, "%.*s", (int)strcspn(words, ","), words);
    if (!name && words) (void)ac_result_find(s->result, first, &s->table, &channel);
    if (!name) return ac_result_table_count(s->result) > 0;
    for (s->table = 0; s->table < ac_result_table_count(s->result); ++s->table) {
        if (strcmp(ac_result_table_name(s->result, s->table), name) == 0) return true;
    }
    return false;
}

static bool make_selection(selection *s, const app_arguments *arguments)
{
    const char *words = app_value(arguments, "channels"), *every = app_value(arguments, "every");
    const char *table = app_value(arguments, "table");
    char *end = NULL;
    s->stride = every ? strtol(every, &end, 10) : 1;
    if (every && (*end || end == every || s->stride < 1)) {
        app_complain("export: --every takes a whole number from 1 on, not \"%s\"", every);
        return false;
    }
    if (!choose_table(s, table, words)) {
        app_complain("%s has no table \"%s\"", arguments->words[0], table ? table : "nodes");
        return false;
    }
    s->channels = ac_result_channels(s->result, s->table, &s->channel_count);
    s->chosen = calloc((size_t)s->channel_count + 1, sizeof *s->chosen);
    if (!s->chosen) {
        app_complain("out of memory");
        return false;
    }
    if (words) return choose_words(s, words);
    for (int c = 0; c < s->channel_count; ++c) choose(s, c);
    return true;
}

/* ---- writing ---- */

static void put_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* The label of a component: from the list of labels, else its number. */
static void component_label(const ac_channel *channel, int component, char *label, size_t size)
{
    const char *word = channel->labels;
    for (int i = 0; i < component && *word; ++i) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    int length = (int)strcspn(word, " ");
    if (length > 0)
        snprintf(label, size, ".%.*s", length, word);
    else
        snprintf(label, size, ".%d", component + 1);
}

static void put_header(FILE *out, const selection *s)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        const ac_channel *channel = &s->channels[s->chosen[i]];
        for (int k = 0; k < channel->width; ++k) {
            char label[64] = "", field[1024];
            if (channel->width > 1) component_label(channel, k, label, sizeof label);
            snprintf(field, sizeof field, "%s%s [%s]", channel->name, label, channel->unit);
            if (i > 0 || k > 0) fputc(',', out);
            put_field(out, field);
        }
    }
    fputc('\n', out);
}

static ac_status put_block(FILE *out, const selection *s, long first, long count, double **blocks)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        ac_status status = ac_result_read(s->result, s->table, s->chosen[i], first, s->stride, count,
                                          blocks[i]);
        if (status != AC_OK) return status;
    }
    for (long row = 0; row < count; ++row) {
        for (int i = 0; i < s->chosen_count; ++i) {
            int width = s->channels[s->chosen[i]].width;
            for (int k = 0; k < width; ++k)
                fprintf(out, i > 0 || k > 0 ? ",%.17g" : "%.17g", blocks[i][row * width + k]);
        }
        fputc('\n', out);
    }
    return AC_OK;
}

static ac_status put_rows(FILE *out, const selection *s, double **blocks)
{
    long rows = (ac_result_rows(s->result, s->table) + s->stride - 1) / s->stride;
    for (long done = 0; done < rows && !ferror(out); done += BLOCK_ROWS) {
        long count = rows - done < BLOCK_ROWS ? rows - done : BLOCK_ROWS;
        ac_status status = put_block(out, s, done * s->stride, count, blocks);
        if (status != AC_OK) return status;
    }
    return AC_OK;
}

static ac_status put_table(FILE *out, const selection *s)
{
    double **blocks = calloc((size_t)s->chosen_count + 1, sizeof *blocks);
    ac_status status = blocks ? AC_OK : AC_NO_MEMORY;
    for (int i = 0; status == AC_OK && i < s->chosen_count; ++i) {
        blocks[i] = calloc(BLOCK_ROWS * (size_t)s->channels[s->chosen[i]].width, sizeof **blocks);
        if (!blocks[i]) status = AC_NO_MEMORY;
    }
    if (status == AC_OK) {
        put_header(out, s);
        status = put_rows(out, s, blocks);
    }
    for (int i = 0; blocks && i < s->chosen_count; ++i) free(blocks[i]);
    free(blocks);
    return status;
}

/* Writes beside the name and renames, so that a file is there whole or not at all. */
static int write_file(const selection *s, const char *path, ac_status *status)
{
    char part[PATH_SIZE];
    int length = snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof part) return ENAMETOOLONG;
    FILE *out = fopen(part, "w");
    if (!out) return errno;
    *status = put_table(out, s);
    int error = ferror(out) ? EIO : 0;
    if (fclose(out) != 0) error = errno;
    if (error == 0 && *status == AC_OK && rename(part, path) != 0) error = errno;
    if (error != 0 || *status != AC_OK) unlink(part);
    return error;
}

static int write_selection(ac_context *ctx, const selection *s, const char *path)
{
    ac_status status = AC_OK;
    int error = 0;
    if (path)
        error = write_file(s, path, &status);
    else
        status = put_table(stdout, s);
    if (error)
        app_complain("%s: could not be written: %s", path, strerror(error));
    else if (status == AC_NO_MEMORY)
        app_complain("out of memory");
    else if (status != AC_OK)
        app_complain("%s", ac_context_message(ctx));
    if (status != AC_OK) return app_input_exit(status);
    return error ? EXIT_NOT_SOLVED : EXIT_SOLVED;
}

/* ---- motions ---- */

typedef enum export_format { FORMAT_CSV, FORMAT_GLTF, FORMAT_GLB, FORMAT_VTK, FORMAT_COUNT } export_format;

static const char *const format_names[FORMAT_COUNT] = {"csv", "gltf", "glb", "vtk"};

/* By --format, else by the ending of the output; FORMAT_COUNT, and a complaint, when there is none such. */
static export_format find_format(const app_arguments *arguments)
{
    const char *path = app_value(arguments, "output"), *name = app_value(arguments, "format");
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!name && dot && strcmp(dot, ".pvd") == 0) return FORMAT_VTK;
    for (int f = 0; f < FORMAT_COUNT; ++f) {
        if (strcmp(name ? name : dot ? dot + 1 : "", format_names[f]) == 0) return (export_format)f;
    }
    if (!name) return FORMAT_CSV;
    app_complain("export: the format is csv, gltf, glb or vtk, not \"%s\"", name);
    return FORMAT_COUNT;
}

static int export_motion(ac_context *ctx, const app_arguments *arguments, export_format format)
{
    static const char *const endings[FORMAT_COUNT] = {".csv", ".gltf", ".glb", ".pvd"};
    const char *input = arguments->words[0];
    char path[PATH_SIZE];
    ac_report_window window;
    ac_result *result = NULL;
    if (!app_window(arguments, &window)) return EXIT_BAD_INPUT;
    if (!app_output_path(arguments, input, endings[format], path, sizeof path)) return EXIT_BAD_INPUT;
    ac_status status = ac_result_open(ctx, input, &result);
    bool opened = status == AC_OK;
    if (opened && format == FORMAT_VTK)
        status = ac_export_vtk(ctx, result, &window, path);
    else if (opened)
        status = ac_export_gltf(ctx, result, &window, format == FORMAT_GLB, path);
    ac_result_close(result);
    if (status != AC_OK) return app_view_failed(ctx, status, input, opened);
    printf("motion in %s\n", path);
    return EXIT_SOLVED;
}

static int export(ac_context *ctx, const app_arguments *arguments)
{
    selection s = {0};
    export_format format = find_format(arguments);
    if (format == FORMAT_COUNT) return EXIT_BAD_INPUT;
    if (format != FORMAT_CSV) return export_motion(ctx, arguments, format);
    ac_status status = ac_result_open(ctx, arguments->words[0], &s.result);
    if (status != AC_OK) {
        app_complain("%s", ac_context_message(ctx));
        return app_input_exit(status);
    }
    int exit_status = EXIT_BAD_INPUT;
    if (make_selection(&s, arguments)) exit_status = write_selection(ctx, &s, app_value(arguments, "output"));
    free(s.chosen);
    ac_result_close(s.result);
    return exit_status;
}

const app_verb app_verb_export = {
    .name = "export",
    .words = "OUT",
    .min_words = 1,
    .max_words = 1,
    .summary = "writes the result file OUT as CSV, glTF or VTK",
    .details =
        "CSV has the rows of one table. The first line names the columns: channel, component, unit. Numbers\n"
        "have 17 digits, so that they are read back to the same bits.\n"
        "\n"
        "glTF (.gltf, .glb) is the animated scene for 3-D programs; VTK is for ParaView: a .pvd file, and a\n"
        "folder of the same name with one .vtp file per moment.",
    .options = options,
    .run = export,
};
