/* actio gradient --second, --along, --hessian: second derivatives of a functional by parameters, printed and stored. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/second.h"
#include "math/math.h"

enum { MOST_PARAMETERS = 100, NAME = 220 };

/* --- what is asked for --- */

bool app_second_asked(const app_arguments *arguments)
{
    return app_given(arguments, "second") || app_given(arguments, "along") || app_given(arguments, "hessian");
}

/* The reason is kept for the caller. */
static AC_PRINTF(2, 3) ac_status refuse(app_second *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->refusal, sizeof s->refusal, format, list);
    va_end(list);
    return AC_BAD_INPUT;
}

static int number_of(const ac_gradient *g, const char *name, size_t length)
{
    for (int k = 0; k < ac_gradient_parameters(g); ++k) {
        const char *own = ac_gradient_parameter(g, k, NULL);
        if (strlen(own) == length && strncmp(own, name, length) == 0) return k;
    }
    return -1;
}

/* NAME=NUMBER,.. */
static ac_status read_direction(const ac_gradient *g, const char *text, app_second *s)
{
    double most = 0.0;
    for (const char *at = text; *at;) {
        const char *equals = strchr(at, '=');
        char *end = NULL;
        if (!equals) return refuse(s, "--along is NAME=NUMBER,NAME=NUMBER,.. and not '%.60s'", text);
        int number = number_of(g, at, (size_t)(equals - at));
        if (number < 0)
            return refuse(s, "--along: there is no gradient by a parameter '%.*s'",
                          (int)(equals - at < 60 ? equals - at : 60), at);
        double value = strtod(equals + 1, &end);
        if (end == equals + 1 || (*end && *end != ',') || !isfinite(value))
            return refuse(s, "--along: '%.60s' must begin with a number", equals + 1);
        s->direction[number] += value;
        most = ac_max(most, fabs(value));
        at = *end ? end + 1 : end;
    }
    return most > 0.0 ? AC_OK : refuse(s, "--along: no parameter changes");
}

/* The unit vector of the gradient; where that vanishes, the first parameter. */
static void take_gradient(const ac_gradient *g, double *direction)
{
    double square = 0.0;
    int count = ac_gradient_parameters(g);
    for (int k = 0; k < count; ++k) {
        direction[k] = ac_gradient_by_parameter(g, k);
        square += direction[k] * direction[k];
    }
    for (int k = 0; k < count; ++k) direction[k] = square > 0.0 ? direction[k] / sqrt(square) : k == 0;
}

/* --- finding --- */

static ac_status allocate(app_second *s, int count)
{
    size_t n = (size_t)count;
    if (count == 0) return refuse(s, "there is no parameter to change");
    if (count > MOST_PARAMETERS && s->wants_hessian)
        return refuse(s,
                      "--hessian is for at most %d parameters and there are %d: name some with -p, or take "
                      "products with --second --along",
                      MOST_PARAMETERS, count);
    s->count = count;
    s->direction = calloc(n, sizeof *s->direction);
    s->product = calloc(n, sizeof *s->product);
    s->differences = calloc(n, sizeof *s->differences);
    s->hessian = calloc(n * n, sizeof *s->hessian);
    return s->direction && s->product && s->differences && s->hessian ? AC_OK : AC_NO_MEMORY;
}

/* The largest difference of the Hessian from differences of gradients along each parameter, in parts of its largest entry, where
 * parameters are measured by their values. */
static ac_status compare_hessian(ac_gradient *g, app_second *s)
{
    const int n = s->count;
    double error = 0.0, most = 0.0, *direction = calloc((size_t)n, sizeof *direction),
           *near = calloc((size_t)n, sizeof *near);
    ac_status status = direction && near ? AC_OK : AC_NO_MEMORY;
    for (int i = 0; i < n && status == AC_OK; ++i) {
        double here, there;
        direction[i] = 1.0;
        status = ac_gradient_second_difference(g, direction, near);
        direction[i] = 0.0;
        ac_gradient_parameter(g, i, &here);
        for (int j = 0; j < n; ++j) {
            ac_gradient_parameter(g, j, &there);
            double size = (here != 0.0 ? fabs(here) : 1.0) * (there != 0.0 ? fabs(there) : 1.0);
            error = ac_max(error, fabs(near[j] - s->hessian[i * n + j]) * size);
            most = ac_max(most, fabs(s->hessian[i * n + j]) * size);
        }
    }
    s->hessian_error = most > 0.0 ? error / most : error;
    free(direction);
    free(near);
    return status;
}

static ac_status compare(ac_gradient *g, app_second *s)
{
    ac_status status = ac_gradient_second_difference(g, s->direction, s->differences);
    double error = 0.0, most = 0.0;
    for (int k = 0; k < s->count; ++k) {
        double value;
        ac_gradient_parameter(g, k, &value);
        double size = value != 0.0 ? fabs(value) : 1.0;
        error = ac_max(error, size * fabs(s->product[k] - s->differences[k]));
        most = ac_max(most, size * fabs(s->product[k]));
    }
    s->against_differences = most > 0.0 ? error / most : error;
    s->compared = status == AC_OK;
    return status == AC_OK && s->wants_hessian ? compare_hessian(g, s) : status;
}

ac_status app_second_find(const app_arguments *arguments, ac_gradient *g, app_second *s)
{
    const char *along = app_value(arguments, "along");
    s->along_gradient = !along;
    s->wants_hessian = app_given(arguments, "hessian");
    ac_status status = allocate(s, ac_gradient_parameters(g));
    if (status != AC_OK) return status;
    if (along)
        status = read_direction(g, along, s);
    else
        take_gradient(g, s->direction);
    if (status == AC_OK) status = ac_gradient_second(g, s->direction, NULL, s->product, NULL);
    s->error = ac_gradient_second_error(g);
    if (status == AC_OK && s->wants_hessian) status = ac_gradient_hessian(g, s->hessian);
    s->hessian_off = ac_gradient_second_error(g);
    for (int k = 0; k < s->count; ++k) {
        s->slope += s->direction[k] * ac_gradient_by_parameter(g, k);
        s->curvature += s->direction[k] * s->product[k];
    }
    return status == AC_OK && app_given(arguments, "check") ? compare(g, s) : status;
}

void app_second_free(app_second *s)
{
    free(s->direction);
    free(s->product);
    free(s->differences);
    free(s->hessian);
    memset(s, 0, sizeof *s);
}

/* --- printing --- */

void app_second_print(const ac_gradient *g, const app_second *s)
{
    const char *direction = s->along_gradient ? "the gradient" : "the direction";
    if (s->count == 0) return;
    if (!s->along_gradient) printf("  derivative along the direction %.12g\n", s->slope);
    printf("  second derivative along %s %.12g\n", direction, s->curvature);
    for (int k = 0; k < s->count; ++k) {
        printf("  change of by %-11s %.12g", ac_gradient_parameter(g, k, NULL), s->product[k]);
        if (s->compared) printf("  differences %.12g", s->differences[k]);
        printf("\n");
    }
    for (int i = 0; s->wants_hessian && i < s->count; ++i)
        for (int j = 0; j <= i; ++j) {
            char names[NAME];
            snprintf(names, sizeof names, "%.100s and %.100s", ac_gradient_parameter(g, j, NULL),
                     ac_gradient_parameter(g, i, NULL));
            printf("  by %-21s %.12g\n", names, s->hessian[i * s->count + j]);
        }
    if (ac_gradient_second_differs(g))
        printf("  some data by parameters: differences of exact derivatives, error %.1e, because %s\n",
               ac_max(s->error, s->wants_hessian ? s->hessian_off : 0.0), ac_gradient_second_differs(g));
    if (s->compared) printf("  error against differences of gradients %.1e\n", s->against_differences);
    if (s->wants_hessian && s->compared)
        printf("  error of the Hessian against differences of gradients %.1e\n", s->hessian_error);
}

static void put_vector(ac_json *json, const ac_gradient *g, const char *key, const double *x, int count)
{
    ac_json_open_object(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, ac_gradient_parameter(g, k, NULL), x[k]);
    ac_json_close_object(json);
}

void app_second_put_json(ac_json *json, const ac_gradient *g, const app_second *s)
{
    if (s->count == 0) return;
    put_vector(json, g, "direction", s->direction, s->count);
    ac_json_number(json, "derivative_along_direction", s->slope);
    ac_json_number(json, "second_derivative_along_direction", s->curvature);
    put_vector(json, g, "second", s->product, s->count);
    if (s->compared) put_vector(json, g, "second_differences", s->differences, s->count);
    if (s->compared) ac_json_number(json, "second_error_against_differences", s->against_differences);
    if (ac_gradient_second_differs(g)) {
        ac_json_text(json, "second_differs", ac_gradient_second_differs(g));
        ac_json_number(json, "second_derivative_error", s->error);
        if (s->wants_hessian) ac_json_number(json, "hessian_error", s->hessian_off);
    }
    if (!s->wants_hessian) return;
    ac_json_open_object(json, "hessian");
    for (int k = 0; k < s->count; ++k)
        put_vector(json, g, ac_gradient_parameter(g, k, NULL), s->hessian + k * s->count, s->count);
    ac_json_close_object(json);
    if (s->compared) ac_json_number(json, "hessian_error_against_differences", s->hessian_error);
}

/* --- the result file --- */

static ac_status put_hessian(ac_result_writer *writer, const ac_gradient *g, const app_second *s)
{
    ac_status status = AC_OK;
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j <= i && status == AC_OK; ++j) {
            char name[NAME];
            snprintf(name, sizeof name, "hessian_%.100s_%.100s", ac_gradient_parameter(g, j, NULL),
                     ac_gradient_parameter(g, i, NULL));
            status = ac_result_put_number(writer, name, s->hessian[i * s->count + j], "1");
        }
    return status;
}

ac_status app_second_put_result(ac_result_writer *writer, const ac_gradient *g, const app_second *s)
{
    if (s->count == 0) return AC_OK;
    ac_status status = ac_result_put_number(writer, "second_derivative_along_direction", s->curvature, "1");
    for (int k = 0; k < s->count && status == AC_OK; ++k) {
        char name[NAME];
        snprintf(name, sizeof name, "direction_%.100s", ac_gradient_parameter(g, k, NULL));
        status = ac_result_put_number(writer, name, s->direction[k], "1");
        snprintf(name, sizeof name, "second_%.100s", ac_gradient_parameter(g, k, NULL));
        if (status == AC_OK) status = ac_result_put_number(writer, name, s->product[k], "1");
    }
    return status == AC_OK && s->wants_hessian ? put_hessian(writer, g, s) : status;
}
