/* Reading the problem file that a verb was given, with the overrides of the command line. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

ac_status app_read_problem(ac_context *ctx, const app_arguments *arguments, ac_problem **problem)
{
    const char **settings = calloc((size_t)arguments->given_count + 1, sizeof *settings);
    if (!settings) {
        app_complain("out of memory");
        return AC_NO_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < arguments->given_count; ++i) {
        if (strcmp(arguments->given[i].option->name, "set") == 0)
            settings[count++] = arguments->given[i].value;
    }
    ac_status status = ac_problem_read(ctx, arguments->words[0], settings, count, problem);
    free(settings);
    return status;
}
