/* actio export: the rows of a result file as comma-separated values, its motion as glTF or VTK files. */
#include <errno.h>
#include <stdbool.h>
#include <limits.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"

enum { BLOCK_ROWS = 1024, PATH_SIZE = 4096 };

static const app_option options[] = {
    {"output", 'o', "FILE", "writes FILE instead of standard output, which - is, too"},
    {"channels", 'c', "A,B,...",
     "only these channels, or components of them, in this order, after the time; * and ? stand for any "
     "text"},
    {"table", 't', "NAME", "the table: nodes (default), intervals or another that 'actio info' lists"},
    {"every", 'e', "N", "only every N-th row"},
    {"format", 'f', "NAME", "csv, gltf, glb or vtk; by the ending of FILE by default"},
    {"from", 0, "T", "from this time on, s"},
    {"to", 0, "T", "up to this time, s"},
    {"frames", 0, "N", "gltf, glb, vtk: at most N moments (2000; vtk 200)"},
    {"json", 0, NULL, "prints one JSON object; the output goes to the file of -o"},
    {0},
};

/* A channel, or one component of it. */
typedef struct chosen_channel {
    int channel, component; /* component -1: all of them */
} chosen_channel;

/* What is written: channels of one table. */
typedef struct selection {
    const app_arguments *arguments;
    ac_result *result;
    int table;
    const ac_channel *channels; /* of the table */
    int channel_count;
    chosen_channel *chosen;
    int chosen_count, capacity;
    long first, rows, stride; /* the rows between --from and --to */
} selection;

static bool is_chosen(const selection *s, int channel, int component)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        const chosen_channel *chosen = &s->chosen[i];
        if (chosen->channel == channel && (chosen->component < 0 || chosen->component == component))
            return true;
    }
    return false;
}

/* Returns false when there is no memory. */
static bool choose(selection *s, int channel, int component)
{
    if (is_chosen(s, channel, component)) return true;
    if (s->chosen_count == s->capacity) {
        int capacity = 2 * s->capacity + 16;
        chosen_channel *more = realloc(s->chosen, (size_t)capacity * sizeof *more);
        if (!more) {
            app_refuse(s->arguments, "out of memory");
            return false;
        }
        s->chosen = more;
        s->capacity = capacity;
    }
    s->chosen[s->chosen_count++] = (chosen_channel){channel, component};
    return true;
}

static int find_channel(const selection *s, const char *name)
{
    for (int c = 0; c < s->channel_count; ++c) {
        if (strcmp(s->channels[c].name, name) == 0) return c;
    }
    return -1;
}

/* The first component from `from` on that has this label, or one that the pattern fits; -1 when there is
 * none. */
static int next_labelled(const ac_channel *channel, const char *label, int from)
{
    char own[AC_LABEL_SIZE];
    int component = ac_component_find(channel, label);
    if (component >= from) return component;
    if (component >= 0 || !strpbrk(label, "*?[")) return -1;
    for (component = from; component < channel->width; ++component) {
        if (fnmatch(label, ac_component_label(channel, component, own), 0) == 0) return component;
    }
    return -1;
}

/* The first component of the channel from `from` on that the word means, if it has the channel's name, or a
 * pattern for it, and a label, or a pattern for that, behind a dot; -1 when there is none. */
static int next_component(const ac_channel *channel, const char *word, int from)
{
    int next = -1;
    for (const char *dot = strchr(word, '.'); dot; dot = strchr(dot + 1, '.')) {
        char *front = strndup(word, (size_t)(dot - word));
        if (front && channel->width > 1 && fnmatch(front, channel->name, 0) == 0) {
            int component = next_labelled(channel, dot + 1, from);
            if (component >= 0 && (next < 0 || component < next)) next = component;
        }
        free(front);
    }
    return next;
}

/* What a word means of one channel: all of it, some components or nothing. */
static bool choose_of(selection *s, int channel, const char *word, bool *found)
{
    const ac_channel *all = &s->channels[channel];
    if (fnmatch(word, all->name, 0) == 0) {
        *found = true;
        return choose(s, channel, -1);
    }
    for (int c = next_component(all, word, 0); c >= 0; c = next_component(all, word, c + 1)) {
        *found = true;
        if (!choose(s, channel, c)) return false;
    }
    return true;
}

/* One word of --channels: a name, or a pattern where no channel has that name. */
static bool choose_word(selection *s, const char *word)
{
    int channel = find_channel(s, word);
    if (channel >= 0) return choose(s, channel, -1);
    bool found = false;
    for (int c = 0; c < s->channel_count; ++c) {
        if (!choose_of(s, c, word, &found)) return false;
    }
    if (!found)
        app_refuse(s->arguments, "the table %s has no channel \"%s\"; 'actio info' lists them",
                   ac_result_table_name(s->result, s->table), word);
    return found;
}

static bool choose_words(selection *s, const char *words)
{
    int time = find_channel(s, "time");
    if (time >= 0 && !choose(s, time, -1)) return false;
    char *copy = strdup(words);
    bool done = copy != NULL;
    for (char *rest = copy, *word; done && (word = strsep(&rest, ",")) != NULL;) {
        if (*word) done = choose_word(s, word);
    }
    free(copy);
    return done;
}

/* The first table with a channel, or a component of one, that the word means; the first of all when there is
 * none. */
static void find_table(selection *s, const char *word)
{
    for (s->table = 0; s->table < ac_result_table_count(s->result); ++s->table) {
        int count = 0;
        const ac_channel *channels = ac_result_channels(s->result, s->table, &count);
        for (int c = 0; c < count; ++c) {
            if (fnmatch(word, channels[c].name, 0) == 0 || next_component(&channels[c], word, 0) >= 0) return;
        }
    }
    s->table = 0;
}

/* The table asked for; without that, the one that holds the first channel asked for; else the first. */
static bool choose_table(selection *s, const char *name, const char *words)
{
    char first[256] = "";
    int channel = 0;
    s->table = 0;
    if (words) snprintf(first, sizeof first, "%.*s", (int)strcspn(words, ","), words);
    if (!name && words && !ac_result_find(s->result, first, &s->table, &channel)) find_table(s, first);
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
        app_refuse(arguments, "export: --every takes a whole number from 1 on, not \"%s\"", every);
        return false;
    }
    if (!choose_table(s, table, words)) {
        app_refuse(arguments, "%s has no table \"%s\"", arguments->words[0], table ? table : "nodes");
        return false;
    }
    s->channels = ac_result_channels(s->result, s->table, &s->channel_count);
    if (words) return choose_words(s, words);
    for (int c = 0; c < s->channel_count; ++c) {
        if (!choose(s, c, -1)) return false;
    }
    return true;
}

/* The rows between --from and --to. */
static bool choose_rows(ac_context *ctx, selection *s, const ac_report_window *window)
{
    ac_status status = ac_rows_between(s->result, s->table, window->from, window->to, &s->first, &s->rows);
    if (status != AC_OK) {
        app_refuse(s->arguments, "%s", ac_context_message(ctx));
        return false;
    }
    if (s->stride > s->rows)
        s->stride = s->rows > 0 ? s->rows : 1; /* the first row alone, without overflow */
    if (s->rows > 0 || ac_result_rows(s->result, s->table) == 0) return true;
    app_refuse(s->arguments, "%s: there are no rows in this range of time", s->arguments->words[0]);
    return false;
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

/* The components that are written: from `*first` up to the one returned. */
static int components(const selection *s, int i, int *first)
{
    int component = s->chosen[i].component;
    *first = component < 0 ? 0 : component;
    return component < 0 ? s->channels[s->chosen[i].channel].width : component + 1;
}

static void put_header(FILE *out, const selection *s)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        const ac_channel *channel = &s->channels[s->chosen[i].channel];
        int first, end = components(s, i, &first);
        for (int k = first; k < end; ++k) {
            char label[AC_LABEL_SIZE] = "", field[1024];
            if (channel->width > 1) ac_component_label(channel, k, label);
            snprintf(field, sizeof field, "%s%s%s [%s]", channel->name, *label ? "." : "", label,
                     channel->unit);
            if (i > 0 || k > first) fputc(',', out);
            put_field(out, field);
        }
    }
    fputc('\n', out);
}

static ac_status put_block(FILE *out, const selection *s, long first, long count, double **blocks)
{
    for (int i = 0; i < s->chosen_count; ++i) {
        ac_status status = ac_result_read(s->result, s->table, s->chosen[i].channel, first, s->stride, count,
                                          blocks[i]);
        if (status != AC_OK) return status;
    }
    for (long row = 0; row < count; ++row) {
        for (int i = 0; i < s->chosen_count; ++i) {
            int width = s->channels[s->chosen[i].channel].width, begin, end = components(s, i, &begin);
            for (int k = begin; k < end; ++k)
                fprintf(out, i > 0 || k > begin ? ",%.17g" : "%.17g", blocks[i][row * width + k]);
        }
        fputc('\n', out);
    }
    return AC_OK;
}

static ac_status put_rows(FILE *out, const selection *s, double **blocks)
{
    long rows = s->rows > 0 ? (s->rows - 1) / s->stride + 1 : 0;
    for (long done = 0; done < rows && !ferror(out); done += BLOCK_ROWS) {
        long count = rows - done < BLOCK_ROWS ? rows - done : BLOCK_ROWS;
        ac_status status = put_block(out, s, s->first + done * s->stride, count, blocks);
        if (status != AC_OK) return status;
    }
    return AC_OK;
}

static ac_status put_table(FILE *out, const selection *s)
{
    double **blocks = calloc((size_t)s->chosen_count + 1, sizeof *blocks);
    ac_status status = blocks ? AC_OK : AC_NO_MEMORY;
    for (int i = 0; status == AC_OK && i < s->chosen_count; ++i) {
        blocks[i] = calloc(BLOCK_ROWS * (size_t)s->channels[s->chosen[i].channel].width, sizeof **blocks);
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

/* Why writing to a stream failed: the stream does not keep its reason, the next byte has the same one. */
static int write_error(FILE *out)
{
    if (!ferror(out)) return 0;
    errno = 0;
    return write(fileno(out), "\n", 1) < 0 && errno != 0 ? errno : EIO;
}

/* Writes beside the name and renames, so that a file is there whole or not at all. A link stays a link; devices and
 * pipes are written as they are. */
static int write_file(const selection *s, const char *path, ac_status *status)
{
    char part[PATH_SIZE], target[PATH_MAX];
    struct stat state;
    if (lstat(path, &state) == 0 && S_ISLNK(state.st_mode) && realpath(path, target)) path = target;
    bool direct = stat(path, &state) == 0 && !S_ISREG(state.st_mode);
    int length = direct ? snprintf(part, sizeof part, "%s", path)
                        : snprintf(part, sizeof part, "%s.part-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof part) return ENAMETOOLONG;
    if (!direct) unlink(part); /* of a run that was killed, or a link: not followed */
    FILE *out = fopen(part, direct ? "w" : "wx");
    if (!out) return errno;
    *status = put_table(out, s);
    int error = write_error(out);
    if (fclose(out) != 0 && error == 0) error = errno;
    if (!direct && error == 0 && *status == AC_OK && rename(part, path) != 0) error = errno;
    if (!direct && (error != 0 || *status != AC_OK)) unlink(part);
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
        app_refuse(s->arguments, "%s: could not be written: %s", path, strerror(error));
    else if (status == AC_NO_MEMORY)
        app_refuse(s->arguments, "out of memory");
    else if (status != AC_OK)
        app_refuse(s->arguments, "%s", ac_context_message(ctx));
    if (status != AC_OK) return app_input_exit(status);
    if (error) return EXIT_NOT_SOLVED;
    return s->arguments->json ? app_print_done(s->arguments, "table", path) : EXIT_SOLVED;
}

/* ---- motions ---- */

typedef enum export_format { FORMAT_CSV, FORMAT_GLTF, FORMAT_GLB, FORMAT_VTK, FORMAT_COUNT } export_format;

static const char *const format_names[FORMAT_COUNT] = {"csv", "gltf", "glb", "vtk"};

/* Not a device such as /dev/stdout. */
static bool is_plain_file(const char *path)
{
    struct stat state;
    return stat(path, &state) != 0 || S_ISREG(state.st_mode);
}

/* By --format, else by the ending of the output; FORMAT_COUNT, and a complaint, when there is none such. */
static export_format find_format(const app_arguments *arguments)
{
    const char *path = app_value(arguments, "output"), *name = app_value(arguments, "format");
    const char *dot = path ? strrchr(app_file_name(path), '.') : NULL;
    if (!name && dot && strcmp(dot, ".pvd") == 0) return FORMAT_VTK;
    for (int f = 0; f < FORMAT_COUNT; ++f) {
        if (strcmp(name ? name : dot ? dot + 1 : "", format_names[f]) == 0) return (export_format)f;
    }
    if (!name && (!path || app_to_standard_output(arguments) || !is_plain_file(path))) return FORMAT_CSV;
    if (!name) {
        app_refuse(
            arguments,
            "export: the ending of \"%s\" says no format; it is .csv, .gltf, .glb or .pvd, or name one "
            "with --format",
            path);
        return FORMAT_COUNT;
    }
    app_refuse(arguments, "export: the format is csv, gltf, glb or vtk, not \"%s\"", name);
    return FORMAT_COUNT;
}

static int export_motion(ac_context *ctx, const app_arguments *arguments, export_format format)
{
    static const char *const endings[FORMAT_COUNT] = {".csv", ".gltf", ".glb", ".pvd"};
    const char *input = arguments->words[0];
    app_output output;
    ac_report_window window;
    ac_result *result = NULL;
    if (!app_window(arguments, &window)) return EXIT_BAD_INPUT;
    if (format == FORMAT_VTK && app_to_standard_output(arguments))
        return app_refuse(arguments, "export: VTK is a folder of files and cannot go to standard output");
    ac_status status = ac_result_open(ctx, input, &result);
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, input, false);
    int exit_status = EXIT_BAD_INPUT;
    if (app_output_begin(arguments, input, endings[format], &output)) {
        status = format == FORMAT_VTK
                     ? ac_export_vtk(ctx, result, &window, output.path)
                     : ac_export_gltf(ctx, result, &window, format == FORMAT_GLB, output.path);
        exit_status = app_output_end(ctx, arguments, &output, status, "motion");
    }
    ac_result_close(result);
    return exit_status;
}

static int export(ac_context *ctx, const app_arguments *arguments)
{
    selection s = {.arguments = arguments};
    export_format format = find_format(arguments);
    if (format == FORMAT_COUNT) return EXIT_BAD_INPUT;
    if (format != FORMAT_CSV) return export_motion(ctx, arguments, format);
    const char *path = app_to_standard_output(arguments) ? NULL : app_value(arguments, "output");
    ac_report_window window;
    if (!app_window(arguments, &window) || (path && !app_spares_inputs(arguments, path, 1)))
        return EXIT_BAD_INPUT;
    if (!path && arguments->json)
        return app_refuse(arguments, "export: --json needs a file for the table, -o FILE");
    ac_status status = ac_result_open(ctx, arguments->words[0], &s.result);
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, arguments->words[0], false);
    int exit_status = EXIT_BAD_INPUT;
    if (make_selection(&s, arguments) && choose_rows(ctx, &s, &window))
        exit_status = write_selection(ctx, &s, path);
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
