/* actio examples: the catalogue of problem files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"

enum { PATH_SIZE = 4096, TITLE_SIZE = 200 };

static const app_option options[] = {
    {"copy", 0, NULL, "copies the file into the current folder"},
    {"json", 0, NULL, "prints one JSON object"},
    {0},
};

/* The title of a problem file: the line that starts with "title:". */
static bool read_title(const char *path, char *title, size_t size)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, "title:", 6) != 0) continue;
        char *text = line + 6 + strspn(line + 6, " \"'");
        size_t length = strcspn(text, "\r\n");
        while (length > 0 && strchr(" \"'", text[length - 1])) --length;
        snprintf(title, size, "%.*s", (int)length, text);
        found = true;
    }
    fclose(file);
    return found;
}

static bool is_experiment(const char *path)
{
    return strncmp(path, "reproduce/", sizeof "reproduce/" - 1) == 0;
}

/* The name of an example: its path below examples/ without the ending. */
static void example_name(const char *path, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)(strlen(path) - sizeof ".yaml" + 1), path);
}

typedef struct catalogue {
    char folder[PATH_SIZE];
    const char *wanted; /* NULL: all are printed */
    char found[PATH_SIZE];
    int count;
    const app_arguments *arguments;
    ac_json *json; /* NULL: plain text */
} catalogue;

static int print_example(void *user, const char *path)
{
    catalogue *c = user;
    char full[2 * PATH_SIZE], title[TITLE_SIZE], name[PATH_SIZE];
    snprintf(full, sizeof full, "%s/%s", c->folder, path);
    if (is_experiment(path) || !read_title(full, title, sizeof title)) return 0;
    example_name(path, name, sizeof name);
    if (c->json) {
        ac_json_open_object(c->json, NULL);
        ac_json_text(c->json, "name", name);
        ac_json_text(c->json, "title", title);
        ac_json_text(c->json, "path", full);
        ac_json_close_object(c->json);
    } else {
        printf("  %-32s %s\n", name, title);
    }
    ++c->count;
    return 0;
}

static int match_example(void *user, const char *path)
{
    catalogue *c = user;
    char name[PATH_SIZE];
    if (is_experiment(path)) return 0;
    example_name(path, name, sizeof name);
    const char *slash = strrchr(name, '/');
    bool whole = strcmp(name, c->wanted) == 0;
    if (!whole && (!slash || strcmp(slash + 1, c->wanted) != 0)) return 0;
    if (whole) c->count = 0;
    ++c->count;
    snprintf(c->found, sizeof c->found, "%s", path);
    return whole;
}

/* Prints the path of a file, as an object with --json. */
static int print_path(const app_arguments *arguments, const char *path)
{
    if (arguments->json) return app_print_done(arguments, "", path);
    printf("%s\n", path);
    return EXIT_SOLVED;
}

static int copy_file(const app_arguments *arguments, const char *from, const char *to)
{
    if (access(to, F_OK) == 0) {
        app_refuse(arguments, "%s is there already; it was not overwritten", to);
        return EXIT_NOT_SOLVED;
    }
    FILE *in = fopen(from, "r"), *out = in ? fopen(to, "w") : NULL;
    int error = in && out ? 0 : errno;
    for (int c; !error && (c = fgetc(in)) != EOF;) {
        if (fputc(c, out) == EOF) error = errno;
    }
    if (in) fclose(in);
    if (out && fclose(out) != 0 && !error) error = errno;
    if (!error) return print_path(arguments, to);
    app_refuse(arguments, "%s could not be copied to %s: %s", from, to, strerror(error));
    if (out) unlink(to);
    return EXIT_NOT_SOLVED;
}

static int show_one(catalogue *c, bool copy)
{
    char full[2 * PATH_SIZE];
    app_walk(c->folder, ".yaml", match_example, c);
    if (c->count != 1)
        return app_refuse(c->arguments,
                          c->count == 0 ? "there is no example \"%s\"; 'actio examples' lists them"
                                        : "several examples are called \"%s\"; give the folder, too",
                          c->wanted);
    snprintf(full, sizeof full, "%s/%s", c->folder, c->found);
    const char *slash = strrchr(c->found, '/');
    if (copy) return copy_file(c->arguments, full, slash ? slash + 1 : c->found);
    return print_path(c->arguments, full);
}

static int list_all(ac_context *ctx, catalogue *c)
{
    bool json = c->arguments->json, printed = true;
    if (json && ac_json_new(ctx, &c->json) != AC_OK) return EXIT_NOT_SOLVED;
    if (json) {
        ac_json_open_object(c->json, NULL);
        ac_json_open_array(c->json, "examples");
    }
    app_walk(c->folder, ".yaml", print_example, c);
    if (json) {
        ac_json_close_array(c->json);
        ac_json_close_object(c->json);
        if (c->count > 0) printed = app_print_json(c->json);
        ac_json_free(c->json);
    }
    if (c->count == 0)
        return app_refuse(c->arguments, "there are no examples in %s; ACTIO_DATA may name another folder",
                          c->folder);
    return printed ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

static int examples(ac_context *ctx, const app_arguments *arguments)
{
    catalogue c = {.wanted = arguments->word_count ? arguments->words[0] : NULL, .arguments = arguments};
    if (!app_data_path(c.folder, sizeof c.folder, "examples"))
        return app_refuse(arguments, "the path of the examples is too long");
    return c.wanted ? show_one(&c, app_given(arguments, "copy")) : list_all(ctx, &c);
}

const app_verb app_verb_examples = {
    .name = "examples",
    .words = "[NAME]",
    .min_words = 0,
    .max_words = 1,
    .summary = "lists the examples, or says where the file of one is",
    .details = "With a name: prints the path of its problem file, or copies it.",
    .options = options,
    .run = examples,
};
