/* What the verbs print: complaints, JSON, tables of numbers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"

enum { MESSAGE_SIZE = 4096 };

/* Control characters, also those of two bytes (U+0080 to U+009F), could steer a terminal. */
static void put_plain(const char *text, FILE *out)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        bool two = *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0;
        bool control = (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F || two;
        fputc(control ? '?' : *c, out);
        c += two;
    }
}

void app_print_text(const char *text)
{
    put_plain(text, stdout);
}

void app_complain(const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("actio: ", stderr);
    put_plain(text, stderr);
    fputc('\n', stderr);
}

/* One object with a word for the status and one more text. */
static bool print_object(const char *status, const char *key, const char *text)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_json *json = NULL;
    bool done = ctx && ac_json_new(ctx, &json) == AC_OK;
    if (done) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "status", status);
        ac_json_text(json, key, text);
        ac_json_close_object(json);
        done = app_print_json(json);
    }
    ac_json_free(json);
    ac_context_free(ctx);
    return done;
}

int app_refuse(const app_arguments *arguments, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    app_complain("%s", message);
    if (arguments->json) print_object("bad_input", "message", message);
    return EXIT_BAD_INPUT;
}

int app_print_done(const app_arguments *arguments, const char *what, const char *path)
{
    if (!arguments->json)
        printf("%s in %s\n", what, path);
    else if (!print_object("done", "output", path))
        return EXIT_NOT_SOLVED;
    return EXIT_SOLVED;
}

bool app_print_json(ac_json *json)
{
    const char *text = NULL;
    if (ac_json_finish(json, &text) != AC_OK) {
        app_complain("out of memory");
        return false;
    }
    return puts(text) >= 0;
}

const char *app_number(char *text, size_t size, double value)
{
    double magnitude = fabs(value);
    bool plain = magnitude >= 1e-3 && magnitude < 1e6;
    if (value == floor(value) && magnitude < 1e15)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, plain ? "%.9g" : "%.4g", value);
    return text;
}

/* Columns that a text takes on a terminal: the bytes that do not continue a character. */
static int columns(const char *text)
{
    int count = 0;
    for (; *text; ++text) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

void app_print_numbers(int count,
                       const char *(*entry)(const void *list, int index, double *value, const char **unit),
                       const void *list)
{
    int widest = 0;
    double value;
    const char *unit;
    for (int i = 0; i < count; ++i) {
        int width = columns(entry(list, i, &value, &unit));
        if (width > widest) widest = width;
    }
    for (int i = 0; i < count; ++i) {
        char number[40];
        const char *name = entry(list, i, &value, &unit);
        fputs("  ", stdout);
        for (const char *c = name; *c; ++c) putchar(*c == '_' ? ' ' : *c);
        printf("%*s  %14s", widest - columns(name), "", app_number(number, sizeof number, value));
        if (*unit && strcmp(unit, "1") != 0) printf(" %s", unit);
        putchar('\n');
    }
}

int app_input_exit(ac_status status)
{
    return status == AC_NO_MEMORY ? EXIT_NOT_SOLVED : EXIT_BAD_INPUT;
}

void app_put_warnings(ac_json *json, const ac_system *system)
{
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_system_warning(system, k, text, sizeof text); ++k) {
        if (k == 0) ac_json_open_array(json, "warnings");
        ac_json_text(json, NULL, text);
    }
    if (ac_system_warning(system, 0, text, sizeof text)) ac_json_close_array(json);
}

void app_print_start(const ac_problem *problem)
{
    const ac_system *system = ac_problem_system(problem);
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_system_assembly_text(system, k, text, sizeof text); ++k) printf("  %s\n", text);
    for (int k = 0; ac_system_warning(system, k, text, sizeof text); ++k) printf("  warning: %s\n", text);
}

bool app_print_failure(ac_context *ctx, const ac_problem *problem)
{
    char message[4096];
    ac_json *json = NULL;
    snprintf(message, sizeof message, "%s", ac_context_message(ctx));
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", problem ? ac_problem_task(problem) : NULL);
    ac_json_text(json, "status", "not_solved");
    if (problem) app_put_assembly(json, problem);
    if (problem) app_put_warnings(json, ac_problem_system(problem));
    ac_json_text(json, "message", message);
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

void app_put_assembly(ac_json *json, const ac_problem *problem)
{
    const ac_system *system = ac_problem_system(problem);
    const ac_assembly *a = ac_problem_assembly(problem);
    char text[AC_REMARK_SIZE];
    ac_json_open_object(json, "assembly");
    ac_json_number(json, "moved", a->moved);
    ac_json_number(json, "turned", a->turned);
    ac_json_number(json, "velocity_change", a->velocity_change);
    ac_json_number(json, "coordinate_change", a->coordinate_change);
    ac_json_number(json, "residual", a->residual);
    ac_json_integer(json, "extra_motions", a->extra_motions);
    ac_json_bool(json, "alone", a->alone);
    ac_json_integer(json, "held_spins", a->held_count);
    ac_json_open_array(json, "changes");
    for (int k = 0; ac_system_assembly_text(system, k, text, sizeof text); ++k)
        ac_json_text(json, NULL, text);
    ac_json_close_array(json);
    ac_json_close_object(json);
}
