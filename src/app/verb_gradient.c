/* actio gradient: the objective of a problem at its guessed controls, and its exact gradient by them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "math/math.h"

static const app_option options[] = {
    {"output", 'o', "OUT",
     "a result file with controls, gradient and adjoint variables over time, for plot and export"},
    {"set", 's', "KEY=VALUE", "replaces a value of the file; may be repeated"},
    {"parameter", 'p', "NAME", "the gradient by this parameter of the file; may be repeated"},
    {"memory", 'm', "MB",
     "by parameters: the motion and what is given over time use at most so many megabytes; parts of a longer "
     "motion are re-simulated"},
    {"second", 0, NULL, "also the second derivative along the gradient, and how the gradient changes"},
    {"along", 0, "NAME=NUMBER,..", "by parameters: second derivatives along this change of them instead"},
    {"hessian", 0, NULL, "by parameters: all second derivatives"},
    {"check", 0, NULL, "compares the gradient with differences of whole simulations"},
    {"json", 0, NULL, "prints one JSON object"},
    {0},
};

/* Objective and gradient, interval by interval, at the controls u. */
typedef struct gradient_data {
    ac_optimization *o;
    int intervals, controls;
    double value, *u, *by;
    double error; /* against differences, relative; negative: not asked for */
    bool second;
    double *along;       /* second derivatives times the unit vector of the gradient */
    double curvature;    /* second derivative along it */
    double second_error; /* of `along` against differences of gradients; negative: not asked for */
} gradient_data;

static bool allocate(gradient_data *d, const ac_problem *problem)
{
    d->o = ac_problem_optimization(problem);
    d->intervals = ac_optimization_intervals(d->o);
    d->controls = ac_optimization_controls(d->o);
    size_t count = (size_t)d->intervals * (size_t)d->controls + 1;
    d->u = calloc(count, sizeof *d->u);
    d->by = calloc(count, sizeof *d->by);
    d->along = calloc(count, sizeof *d->along);
    d->error = d->second_error = -1.0;
    return d->u && d->by && d->along;
}

static double norm(const gradient_data *d)
{
    double square = 0.0;
    for (int k = 0; k < d->intervals * d->controls; ++k) square += d->by[k] * d->by[k];
    return sqrt(square);
}

/* The unit vector of the gradient, or the first control where it vanishes. */
static void put_direction(const gradient_data *d, double *direction)
{
    double length = norm(d);
    for (int k = 0; k < d->intervals * d->controls; ++k)
        direction[k] = length > 0.0 ? d->by[k] / length : k == 0;
}

static ac_status bend(gradient_data *d)
{
    int n = d->intervals * d->controls;
    double *direction = malloc((size_t)n * sizeof *direction + 1);
    if (!direction) return AC_NO_MEMORY;
    put_direction(d, direction);
    ac_status status = ac_optimization_second(d->o, d->u, direction, NULL, d->along);
    d->curvature = 0.0;
    for (int k = 0; k < n; ++k) d->curvature += direction[k] * d->along[k];
    d->second = status == AC_OK;
    free(direction);
    return status;
}

/* `along` against central differences of gradients with one step of Richardson. */
static ac_status compare_second(gradient_data *d)
{
    int n = d->intervals * d->controls;
    size_t bytes = (size_t)n * sizeof(double);
    double *block = malloc(6 * bytes + 1), size = 0.0, error = 0.0, most = 0.0, value;
    if (!block) return AC_NO_MEMORY;
    double *direction = block, *moved = block + n, *g = block + 2 * n;
    ac_status status = AC_OK;
    put_direction(d, direction);
    for (int k = 0; k < n; ++k) size = ac_max(size, fabs(d->u[k]));
    double h = 1e-3 * (1.0 + size);
    for (int e = 0; e < 4 && status == AC_OK; ++e) {
        double step = (e < 2 ? h : 0.5 * h) * (e % 2 ? -1.0 : 1.0);
        for (int k = 0; k < n; ++k) moved[k] = d->u[k] + step * direction[k];
        status = ac_optimization_gradient(d->o, moved, &value, g + e * n);
    }
    for (int k = 0; status == AC_OK && k < n; ++k) {
        double whole = (g[k] - g[n + k]) / (2.0 * h), half = (g[2 * n + k] - g[3 * n + k]) / h;
        error = ac_max(error, fabs((4.0 * half - whole) / 3.0 - d->along[k]));
        most = ac_max(most, fabs(d->along[k]));
    }
    free(block);
    d->second_error = most > 0.0 ? error / most : error;
    return status;
}

static double largest(const gradient_data *d, int control, int *where)
{
    double most = 0.0;
    *where = 0;
    for (int n = 0; n < d->intervals; ++n) {
        double size = fabs(d->by[n * d->controls + control]);
        if (!(size > most)) continue;
        most = size;
        *where = n;
    }
    return most;
}

static void print_table(const ac_problem *problem, const gradient_data *d)
{
    printf("%s: gradient by the controls at the guess\n", ac_problem_title(problem));
    app_print_start(problem);
    printf("  objective                %.12g\n", d->value);
    printf("  norm of the gradient     %.12g\n", norm(d));
    for (int k = 0; k < d->controls; ++k) {
        int at;
        double most = largest(d, k, &at);
        printf("  %-24s largest %.6g on interval %d of %d\n", ac_optimization_control_name(d->o, k), most,
               at + 1, d->intervals);
    }
    if (d->error >= 0.0) printf("  error against differences %.2e\n", d->error);
    if (!d->second) return;
    printf("  second derivative along it %.12g\n", d->curvature);
    if (d->curvature > 0.0) printf("  least along it at a step %.6g\n", norm(d) / d->curvature);
    if (d->second_error >= 0.0) printf("  error against differences of gradients %.2e\n", d->second_error);
}

static void put_second(ac_json *json, const gradient_data *d)
{
    ac_json_number(json, "second_derivative_along_gradient", d->curvature);
    if (d->second_error >= 0.0)
        ac_json_number(json, "error_against_differences_of_gradients", d->second_error);
    ac_json_open_object(json, "second");
    for (int k = 0; k < d->controls; ++k) {
        ac_json_open_array(json, ac_optimization_control_name(d->o, k));
        for (int n = 0; n < d->intervals; ++n) ac_json_number(json, NULL, d->along[n * d->controls + k]);
        ac_json_close_array(json);
    }
    ac_json_close_object(json);
}

static bool print_json(ac_context *ctx, const ac_problem *problem, const gradient_data *d, const char *output)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", ac_problem_task(problem));
    ac_json_text(json, "status", "solved");
    ac_json_text(json, "output", output);
    ac_json_number(json, "objective", d->value);
    ac_json_number(json, "norm", norm(d));
    if (d->error >= 0.0) ac_json_number(json, "error_against_differences", d->error);
    ac_json_open_object(json, "gradient");
    for (int k = 0; k < d->controls; ++k) {
        ac_json_open_array(json, ac_optimization_control_name(d->o, k));
        for (int n = 0; n < d->intervals; ++n) ac_json_number(json, NULL, d->by[n * d->controls + k]);
        ac_json_close_array(json);
    }
    ac_json_close_object(json);
    if (d->second) put_second(json, d);
    app_put_assembly(json, problem);
    app_put_warnings(json, ac_problem_system(problem));
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

/* --- the result file --- */

enum { NAME = 128 };

static ac_status put_rows(ac_result_writer *writer, const gradient_data *d, double step, char (*names)[NAME],
                          ac_channel *channels, double *row)
{
    int table = 0, each = d->second ? 3 : 2, width = 1 + each * d->controls;
    channels[0] = (ac_channel){"time", "s", "", 1};
    for (int k = 0; k < d->controls; ++k) {
        static const char *const words[] = {"control", "gradient", "second"};
        for (int e = 0; e < each; ++e) {
            int at = each * k + e;
            snprintf(names[at], NAME, "%s/%.100s", words[e], ac_optimization_control_name(d->o, k));
            channels[1 + at] = (ac_channel){names[at], e ? "1" : ac_optimization_control_unit(d->o, k), "",
                                            1};
        }
    }
    ac_status status = ac_result_put_table(writer, "intervals", channels, width, &table);
    for (int n = 0; n < d->intervals && status == AC_OK; ++n) {
        row[0] = (n + 0.5) * step;
        for (int k = 0; k < d->controls; ++k) {
            const double *all[] = {d->u, d->by, d->along};
            for (int e = 0; e < each; ++e) row[1 + each * k + e] = all[e][n * d->controls + k];
        }
        status = ac_result_append(writer, table, row);
    }
    return status;
}

static ac_status put_texts(ac_result_writer *writer, const ac_problem *problem, const gradient_data *d)
{
    ac_status status = ac_result_put_text(writer, "title", ac_problem_title(problem));
    if (status == AC_OK) status = ac_result_put_text(writer, "task", "gradient");
    if (status == AC_OK) status = ac_result_put_text(writer, "status", "solved");
    if (status == AC_OK) status = ac_result_put_text(writer, "problem", ac_problem_text(problem));
    if (status == AC_OK) status = ac_result_put_number(writer, "objective", d->value, "1");
    if (status == AC_OK) status = ac_result_put_number(writer, "gradient_norm", norm(d), "1");
    if (status == AC_OK && d->second)
        status = ac_result_put_number(writer, "second_derivative_along_gradient", d->curvature, "1");
    return status;
}

/* The adjoint variables at the guessed controls. */
static ac_status put_adjoint(ac_context *ctx, ac_result_writer *writer, const ac_problem *problem)
{
    static const char *const no_parameters[] = {NULL};
    ac_gradient *gradient = NULL;
    ac_status status = ac_gradient_new(ctx, problem, no_parameters, 0, 0, &gradient);
    if (status == AC_OK) status = ac_gradient_keep_adjoint(gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, NULL);
    if (status == AC_OK) status = app_put_adjoint(writer, gradient);
    ac_gradient_free(gradient);
    return status;
}

static ac_status write_result(ac_context *ctx, const ac_problem *problem, const gradient_data *d,
                              const char *path)
{
    ac_result_writer *writer = NULL;
    size_t columns = 1 + 3 * (size_t)d->controls;
    char(*names)[NAME] = calloc(columns, sizeof *names);
    ac_channel *channels = calloc(columns, sizeof *channels);
    double *row = calloc(columns, sizeof *row);
    ac_status status = names && channels && row ? ac_result_create(ctx, path, &writer) : AC_NO_MEMORY;
    if (status == AC_OK) status = put_texts(writer, problem, d);
    if (status == AC_OK)
        status = put_rows(writer, d, ac_optimization_given(d->o)->duration / d->intervals, names, channels,
                          row);
    if (status == AC_OK) status = put_adjoint(ctx, writer, problem);
    if (status == AC_OK)
        status = ac_result_commit(writer);
    else
        ac_result_abandon(writer);
    free(names);
    free(channels);
    free(row);
    return status;
}

/* --- the verb --- */

static ac_status find(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem,
                      gradient_data *d)
{
    if (!allocate(d, problem)) return AC_NO_MEMORY;
    ac_optimization_guessed_controls(d->o, d->u);
    double value = 0.0;
    ac_status status = ac_optimization_gradient(d->o, d->u, &value, d->by);
    d->value = value;
    if (status == AC_OK && app_given(arguments, "check")) {
        double error = 0.0;
        status = ac_optimization_check_gradient(d->o, d->u, d->by, &error, NULL);
        d->error = error;
    }
    if (status == AC_OK && app_given(arguments, "second")) status = bend(d);
    if (status == AC_OK && d->second && app_given(arguments, "check")) status = compare_second(d);
    if (status == AC_OK && app_value(arguments, "output"))
        status = write_result(ctx, problem, d, app_value(arguments, "output"));
    return status;
}

/* Is the memory given a size, and for a gradient by parameters? */
static bool memory_makes_sense(const app_arguments *arguments, bool by_parameters)
{
    const char *text = app_value(arguments, "memory");
    char *end;
    if (!text) return true;
    if (!by_parameters) return false;
    return strtod(text, &end) > 0.0 && !*end;
}

static int gradient(ac_context *ctx, const app_arguments *arguments)
{
    ac_problem *problem = NULL;
    gradient_data d = {0};
    ac_status status = app_read_problem(ctx, arguments, &problem);
    if (status != AC_OK) {
        fprintf(stderr, "%s\n", ac_context_message(ctx));
        if (app_given(arguments, "json")) app_print_failure(ctx, NULL);
        return app_input_exit(status);
    }
    int exit_status = EXIT_NOT_SOLVED;
    bool by_parameters = !ac_problem_optimization(problem) || app_given(arguments, "parameter");
    if (!memory_makes_sense(arguments, by_parameters)) {
        exit_status = app_refuse(
            arguments, "gradient: --memory is a number of megabytes above 0, for a gradient by parameters");
    } else if (!ac_problem_functional(problem)) {
        exit_status = app_refuse(
            arguments,
            "gradient: there is no functional; it is functional of the task simulate, or the objective of "
            "the task optimize, and the file has the task %s",
            ac_problem_task(problem));
    } else if (!by_parameters && (app_given(arguments, "along") || app_given(arguments, "hessian"))) {
        exit_status = app_refuse(arguments,
                                 "gradient: --along and --hessian are by parameters: name them with -p");
    } else if (by_parameters) {
        exit_status = app_gradient_by_parameters(ctx, arguments, problem);
    } else {
        status = find(ctx, arguments, problem, &d);
        bool done = status == AC_OK;
        if (!done) app_complain("no gradient: %s", ac_context_message(ctx));
        if (!done && app_given(arguments, "json")) app_print_failure(ctx, problem);
        if (done && app_given(arguments, "json")) {
            done = print_json(ctx, problem, &d, app_value(arguments, "output"));
        } else if (done) {
            print_table(problem, &d);
            if (app_value(arguments, "output")) printf("results in %s\n", app_value(arguments, "output"));
        }
        exit_status = done ? EXIT_SOLVED : status == AC_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_NOT_SOLVED;
    }
    free(d.u);
    free(d.by);
    free(d.along);
    ac_problem_free(problem);
    return exit_status;
}

const app_verb app_verb_gradient = {
    .name = "gradient",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .summary = "gradient of the functional in FILE by parameters, loads and controls, by the adjoint",
    .details =
        "The motion is simulated; one sweep backwards (the discrete adjoint) gives the derivatives of "
        "a functional\n"
        "of it, for the discrete equations. With the task simulate the functional is its key "
        "functional, and the\n"
        "gradient is by all parameters of the file that are numbers, or those named, and by the "
        "amplitudes of loads.\n"
        "With the task optimize it is the objective at the guessed controls, and the gradient is by "
        "the control on\n"
        "every interval, or by the parameters named; the start must be given, and conditions play no "
        "part. Plot the\n"
        "sensitivity over time with 'actio plot OUT gradient/NAME', or to an impulse at each time with\n"
        "'actio plot OUT adjoint/joint/NAME/angle'; 'actio report OUT' shows both.\n"
        "With --second the second derivative along the gradient is printed, too, and how the gradient "
        "changes "
        "along it,\n"
        "from the adjoint of the tangent: by controls in second/NAME, by parameters as numbers. --along "
        "crank=1,rod=-2 takes\n"
        "another direction of parameters, --hessian all their second derivatives.",
    .options = options,
    .run = gradient,
};
