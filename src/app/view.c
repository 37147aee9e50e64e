/* What the verbs that look at results share: their options and their complaints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"

const char *app_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The value of an option as a number that is not NaN; unchanged when the option was not given. */
static bool number_option(const app_arguments *arguments, const char *name, double *value)
{
    const char *text = app_value(arguments, name);
    if (!text) return true;
    char *end = NULL;
    *value = strtod(text, &end);
    if (end != text && !*end && !isnan(*value)) return true;
    app_refuse(arguments, "--%s takes a number, not \"%s\"", name, text);
    return false;
}

bool app_count_option(const app_arguments *arguments, const char *name, long *value)
{
    double number = (double)*value;
    if (!number_option(arguments, name, &number)) return false;
    if (app_value(arguments, name) && !(number >= 1 && number <= 1e9 && number == floor(number))) {
        app_refuse(arguments, "--%s takes a whole number from 1 on, not \"%s\"", name,
                   app_value(arguments, name));
        return false;
    }
    *value = (long)number;
    return true;
}

bool app_window(const app_arguments *arguments, ac_report_window *window)
{
    *window = ac_report_everything();
    if (!number_option(arguments, "from", &window->from) || !number_option(arguments, "to", &window->to) ||
        !app_count_option(arguments, "frames", &window->frames))
        return false;
    if (window->from <= window->to) return true;
    app_refuse(arguments, "--from %s is later than --to %s", app_value(arguments, "from"),
               app_value(arguments, "to"));
    return false;
}

bool app_to_standard_output(const app_arguments *arguments)
{
    const char *given = app_value(arguments, "output");
    return given && strcmp(given, "-") == 0;
}

/* A folder of its own among the temporary files. */
static bool make_folder(const app_arguments *arguments, const char *ending, app_output *output)
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(output->folder, sizeof output->folder, "%s/actio-XXXXXX",
                          base && *base ? base : "/tmp");
    bool fits = length > 0 && (size_t)length + 32 < sizeof output->path;
    if (!fits || !mkdtemp(output->folder)) {
        app_refuse(arguments, "no folder for temporary files could be made; TMPDIR may name one");
        output->folder[0] = '\0';
        return false;
    }
    snprintf(output->path, sizeof output->path, "%.*s/output%s", length, output->folder, ending);
    return true;
}

static bool same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

bool app_spares_inputs(const app_arguments *arguments, const char *path, int count)
{
    struct stat output;
    const char *input = NULL;
    if (stat(path, &output) != 0 || !S_ISREG(output.st_mode)) return true;
    for (int i = 0; i < count && i < arguments->word_count; ++i) {
        if (same_file(&output, arguments->words[i])) input = arguments->words[i];
    }
    for (int i = 0; i < arguments->given_count; ++i) {
        const app_given_option *given = &arguments->given[i];
        if (strcmp(given->option->name, "with") == 0 && same_file(&output, given->value))
            input = given->value;
    }
    if (!input) return true;
    app_refuse(arguments, "the output \"%s\" would overwrite %s, which is read; name another file with -o",
               path, input);
    return false;
}

bool app_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool app_page_name(const app_arguments *arguments, const char *verb)
{
    const char *path = app_value(arguments, "output");
    if (!path || app_to_standard_output(arguments)) return true;
    if (app_has_ending(path, ".html") || app_has_ending(path, ".htm")) return true;
    app_refuse(arguments, "%s: the ending of \"%s\" must be .html or .htm", verb, path);
    return false;
}

bool app_output_begin(const app_arguments *arguments, const char *input, const char *ending,
                      app_output *output)
{
    const char *given = app_value(arguments, "output"), *name = app_file_name(input),
               *dot = strrchr(name, '.');
    output->folder[0] = '\0';
    if (app_to_standard_output(arguments)) {
        if (!arguments->json) return make_folder(arguments, ending, output);
        app_refuse(arguments, "--json needs standard output for itself; name a file with -o");
        return false;
    }
    int stem = dot && dot != name ? (int)(dot - input) : (int)strlen(input);
    int length = given ? snprintf(output->path, sizeof output->path, "%s", given)
                       : snprintf(output->path, sizeof output->path, "%.*s%s", stem, input, ending);
    if (length > 0 && (size_t)length < sizeof output->path)
        return app_spares_inputs(arguments, output->path, 1);
    app_refuse(arguments, "the name of the output is %s", length > 0 ? "too long" : "empty");
    return false;
}

static bool copy_to_standard_output(const char *path)
{
    char block[1 << 14];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        if (fwrite(block, 1, count, stdout) != count) break;
    bool done = !ferror(file) && !ferror(stdout);
    fclose(file);
    return done;
}

int app_output_end(ac_context *ctx, const app_arguments *arguments, app_output *output, ac_status status,
                   const char *what)
{
    bool standard = output->folder[0] != '\0', copied = true;
    if (status == AC_OK && standard) copied = copy_to_standard_output(output->path);
    if (standard) {
        unlink(output->path);
        rmdir(output->folder);
    }
    if (status != AC_OK) return app_view_failed(ctx, arguments, status, arguments->words[0], true);
    if (!copied) app_complain("standard output could not be written");
    if (standard) return copied ? EXIT_SOLVED : EXIT_NOT_SOLVED;
    return app_print_done(arguments, what, output->path);
}

int app_view_failed(ac_context *ctx, const app_arguments *arguments, ac_status status, const char *input,
                    bool opened)
{
    const char *message = ac_context_message(ctx);
    if (status == AC_NO_MEMORY)
        app_refuse(arguments, "out of memory");
    else if (opened && status == AC_BAD_INPUT && strncmp(message, input, strlen(input)) != 0)
        app_refuse(arguments, "%s: %s", input, message);
    else
        app_refuse(arguments, "%s", message);
    if (opened && status == AC_IO_FAILED) return EXIT_NOT_SOLVED;
    return app_input_exit(status);
}
