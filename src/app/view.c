/* What the verbs that look at results share: their options and their complaints. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    app_complain("--%s takes a number, not \"%s\"", name, text);
    return false;
}

bool app_count_option(const app_arguments *arguments, const char *name, long *value)
{
    double number = (double)*value;
    if (!number_option(arguments, name, &number)) return false;
    if (app_value(arguments, name) && !(number >= 1 && number <= 1e9 && number == floor(number))) {
        app_complain("--%s takes a whole number from 1 on, not \"%s\"", name, app_value(arguments, name));
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
    app_complain("--from %s is later than --to %s", app_value(arguments, "from"), app_value(arguments, "to"));
    return false;
}

bool app_output_path(const app_arguments *arguments, const char *input, const char *ending, char *path,
                     size_t size)
{
    const char *given = app_value(arguments, "output"), *name = app_file_name(input),
               *dot = strrchr(name, '.');
    int stem = dot && dot != name ? (int)(dot - input) : (int)strlen(input);
    int length = given ? snprintf(path, size, "%s", given)
                       : snprintf(path, size, "%.*s%s", stem, input, ending);
    if (length > 0 && (size_t)length < size) return true;
    app_complain("the name of the output is %s", length > 0 ? "too long" : "empty");
    return false;
}

int app_view_failed(ac_context *ctx, ac_status status, const char *input, bool opened)
{
    const char *message = ac_context_message(ctx);
    if (status == AC_NO_MEMORY)
        app_complain("out of memory");
    else if (opened && status == AC_BAD_INPUT && strncmp(message, input, strlen(input)) != 0)
        app_complain("%s: %s", input, message);
    else
        app_complain("%s", message);
    if (opened && status == AC_IO_FAILED) return EXIT_NOT_SOLVED;
    return app_input_exit(status);
}
