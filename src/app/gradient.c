/* actio gradient: the gradient of a functional by parameters of the file, printed and stored. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/second.h"

enum { NAME = 160 };

typedef struct found {
    const ac_problem *problem;
    ac_gradient *gradient;
    double value;
    double *differences; /* per parameter; NULL: not asked for */
    app_second second;
} found;

/* --- finding --- */

static ac_status open_gradient(ac_context *ctx, const app_arguments *arguments, found *f)
{
    const char **names = calloc((size_t)arguments->given_count + 1, sizeof *names);
    int count = 0;
    if (!names) return AC_NO_MEMORY;
    for (int k = 0; k < arguments->given_count; ++k)
        if (strcmp(arguments->given[k].option->name, "parameter") == 0)
            names[count++] = arguments->given[k].value;
    const char *memory = app_value(arguments, "memory");
    size_t bytes = memory ? (size_t)(1e6 * strtod(memory, NULL)) : 0;
    ac_status status = ac_gradient_new(ctx, f->problem, count > 0 ? names : NULL, count, bytes, &f->gradient);
    free(names);
    return status;
}

static ac_status compare(found *f)
{
    int count = ac_gradient_parameters(f->gradient);
    ac_status status = AC_OK;
    f->differences = calloc((size_t)count + 1, sizeof *f->differences);
    if (!f->differences) return AC_NO_MEMORY;
    for (int k = 0; k < count && status == AC_OK; ++k)
        status = ac_gradient_difference(f->gradient, k, &f->differences[k], NULL);
    return status;
}

/* --- printing --- */

static void print_table(const found *f)
{
    const ac_gradient *g = f->gradient;
    printf("%s: gradient of the functional\n", ac_problem_title(f->problem));
    app_print_start(f->problem);
    printf("  functional               %.12g\n", f->value);
    for (int k = 0; k < ac_gradient_parameters(g); ++k) {
        double value;
        const char *name = ac_gradient_parameter(g, k, &value);
        printf("  by %-21s %.12g  at %.6g", name, ac_gradient_by_parameter(g, k), value);
        if (f->differences)
            printf(", differences %.12g, error %.1e", f->differences[k],
                   ac_gradient_error(g, k, f->differences[k]));
        printf("\n");
    }
    for (int k = 0; k < ac_gradient_loads(g); ++k) {
        double by;
        const char *name = ac_gradient_load(g, k, &by);
        char shown[NAME];
        snprintf(shown, sizeof shown, "load %.100s", name[0] ? name : "without name");
        printf("  by %-21s %.12g  by its amplitude\n", shown, by);
    }
    app_second_print(g, &f->second);
    for (int k = 0; ac_gradient_skipped(g, k); ++k) printf("  note: %s\n", ac_gradient_skipped(g, k));
}

static void put_json(ac_json *json, const found *f, const char *output)
{
    const ac_gradient *g = f->gradient;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", ac_problem_task(f->problem));
    ac_json_text(json, "status", "solved");
    ac_json_text(json, "output", output);
    ac_json_number(json, "functional", f->value);
    ac_json_open_object(json, "gradient");
    for (int k = 0; k < ac_gradient_parameters(g); ++k)
        ac_json_number(json, ac_gradient_parameter(g, k, NULL), ac_gradient_by_parameter(g, k));
    ac_json_close_object(json);
    if (f->differences) {
        ac_json_open_object(json, "differences");
        for (int k = 0; k < ac_gradient_parameters(g); ++k)
            ac_json_number(json, ac_gradient_parameter(g, k, NULL), f->differences[k]);
        ac_json_close_object(json);
    }
    ac_json_open_array(json, "loads");
    for (int k = 0; k < ac_gradient_loads(g); ++k) {
        double by;
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", ac_gradient_load(g, k, &by));
        ac_json_number(json, "by_amplitude", by);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
    app_second_put_json(json, g, &f->second);
    ac_json_open_array(json, "skipped");
    for (int k = 0; ac_gradient_skipped(g, k); ++k) ac_json_text(json, NULL, ac_gradient_skipped(g, k));
    ac_json_close_array(json);
    app_put_assembly(json, f->problem);
    app_put_warnings(json, ac_problem_system(f->problem));
    ac_json_close_object(json);
}

static bool print_json(ac_context *ctx, const found *f, const char *output)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    put_json(json, f, output);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

/* --- the result file --- */

typedef struct columns {
    int count;
    char (*names)[NAME];
    ac_channel *channels;
    double *row;
} columns;

static bool begin_columns(columns *c, int count)
{
    c->count = 0;
    c->names = calloc((size_t)count, sizeof *c->names);
    c->channels = calloc((size_t)count, sizeof *c->channels);
    c->row = calloc((size_t)count, sizeof *c->row);
    return c->names && c->channels && c->row;
}

static void end_columns(columns *c)
{
    free(c->names);
    free(c->channels);
    free(c->row);
}

static void add_column(columns *c, const char *group, const char *name, const char *component)
{
    snprintf(c->names[c->count], NAME, "%s%.100s%s", group, name, component);
    c->channels[c->count] = (ac_channel){c->names[c->count], "1", "", 1};
    ++c->count;
}

/* Shares of parameters per time; derivatives by the values of loads per time. */
static void name_columns(const found *f, columns *c)
{
    static const char *const components[] = {"/x", "/y", "/z"};
    const ac_gradient *g = f->gradient;
    const ac_adjoint *adjoint = ac_gradient_adjoint(g);
    add_column(c, "time", "", "");
    c->channels[0].unit = "s";
    for (int k = 0; k < ac_gradient_parameters(g); ++k)
        add_column(c, "gradient/", ac_gradient_parameter(g, k, NULL), "");
    for (int k = 0; k < ac_adjoint_inputs(adjoint); ++k) {
        int load, component;
        char own[NAME];
        ac_adjoint_input(adjoint, k, &load, &component);
        if (load < 0) continue;
        const char *name = ac_gradient_load(g, load, NULL);
        snprintf(own, sizeof own, "%.100s", name);
        if (!name[0]) snprintf(own, sizeof own, "%d", load + 1);
        add_column(c, "gradient/load/", own, components[component]);
    }
}

static ac_status put_rows(ac_result_writer *writer, const found *f, columns *c)
{
    const ac_gradient *g = f->gradient;
    const ac_adjoint *adjoint = ac_gradient_adjoint(g);
    int table = 0;
    long steps = ac_gradient_steps(g, NULL), stretch = ac_adjoint_stretch(adjoint);
    ac_status status = ac_result_put_table(writer, "intervals", c->channels, c->count, &table);
    for (long n = 0; n < steps && status == AC_OK; n += stretch) {
        int at = 0;
        double begin = ac_gradient_time(g, n),
               end = ac_gradient_time(g, n + stretch < steps ? n + stretch : steps), duration = end - begin;
        c->row[at++] = begin + 0.5 * duration;
        for (int k = 0; k < ac_gradient_parameters(g); ++k)
            c->row[at++] = ac_gradient_over_time(g, n, k) / duration;
        for (int k = 0; k < ac_adjoint_inputs(adjoint); ++k) {
            int load, component;
            ac_adjoint_input(adjoint, k, &load, &component);
            if (load >= 0) c->row[at++] = ac_adjoint_by_input(adjoint, n)[k] / duration;
        }
        status = ac_result_append(writer, table, c->row);
    }
    return status;
}

ac_status app_put_adjoint(ac_result_writer *writer, const ac_gradient *gradient)
{
    int table = 0, count = 0;
    const double *row;
    const ac_channel *channels = ac_gradient_adjoint_channels(gradient, &count);
    ac_status status = ac_result_put_table(writer, "adjoint", channels, count, &table);
    for (long k = 0; status == AC_OK && (row = ac_gradient_adjoint_row(gradient, k)); ++k)
        status = ac_result_append(writer, table, row);
    return status;
}

static ac_status put_numbers(ac_result_writer *writer, const found *f)
{
    ac_status status = ac_result_put_text(writer, "title", ac_problem_title(f->problem));
    if (status == AC_OK) status = ac_result_put_text(writer, "task", "gradient");
    if (status == AC_OK) status = ac_result_put_text(writer, "status", "solved");
    if (status == AC_OK) status = ac_result_put_text(writer, "problem", ac_problem_text(f->problem));
    if (status == AC_OK) status = ac_result_put_number(writer, "functional", f->value, "1");
    for (int k = 0; k < ac_gradient_parameters(f->gradient) && status == AC_OK; ++k) {
        char name[NAME];
        snprintf(name, sizeof name, "gradient_%.100s", ac_gradient_parameter(f->gradient, k, NULL));
        status = ac_result_put_number(writer, name, ac_gradient_by_parameter(f->gradient, k), "1");
    }
    return status == AC_OK ? app_second_put_result(writer, f->gradient, &f->second) : status;
}

static ac_status write_result(ac_context *ctx, const found *f, const char *path)
{
    ac_result_writer *writer = NULL;
    columns c;
    bool room = begin_columns(&c, 1 + ac_gradient_parameters(f->gradient) +
                                      ac_adjoint_inputs(ac_gradient_adjoint(f->gradient)));
    ac_status status = room ? ac_result_create(ctx, path, &writer) : AC_NO_MEMORY;
    if (status == AC_OK) status = put_numbers(writer, f);
    if (status == AC_OK) {
        name_columns(f, &c);
        status = put_rows(writer, f, &c);
    }
    if (status == AC_OK) status = app_put_adjoint(writer, f->gradient);
    if (status == AC_OK)
        status = ac_result_commit(writer);
    else
        ac_result_abandon(writer);
    end_columns(&c);
    return status;
}

/* --- all of it --- */

static ac_status find(ac_context *ctx, const app_arguments *arguments, found *f)
{
    ac_status status = open_gradient(ctx, arguments, f);
    if (status == AC_OK && app_value(arguments, "output")) status = ac_gradient_keep_adjoint(f->gradient);
    if (status == AC_OK) status = ac_gradient_run(f->gradient, &f->value);
    if (status == AC_OK && app_given(arguments, "check")) status = compare(f);
    if (status == AC_OK && app_second_asked(arguments))
        status = app_second_find(arguments, f->gradient, &f->second);
    if (status == AC_OK && app_value(arguments, "output"))
        status = write_result(ctx, f, app_value(arguments, "output"));
    return status;
}

int app_gradient_by_parameters(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem)
{
    found f = {.problem = problem};
    const char *output = app_value(arguments, "output");
    ac_status status = find(ctx, arguments, &f);
    bool done = status == AC_OK;
    if (f.second.refusal[0]) {
        app_refuse(arguments, "gradient: %s", f.second.refusal);
    } else if (!done) {
        app_complain("no gradient: %s", ac_context_message(ctx));
        if (app_given(arguments, "json")) app_print_failure(ctx, problem);
    } else if (app_given(arguments, "json")) {
        done = print_json(ctx, &f, output);
    } else {
        print_table(&f);
        if (output) printf("results in %s\n", output);
    }
    ac_gradient_free(f.gradient);
    app_second_free(&f.second);
    free(f.differences);
    return done ? EXIT_SOLVED : status == AC_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_NOT_SOLVED;
}
