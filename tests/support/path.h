/* Runs the task "equilibrium" of a problem file, point by point. */
#ifndef ACTIO_TESTS_SUPPORT_PATH_H
#define ACTIO_TESTS_SUPPORT_PATH_H

#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

/* Looks at a point; false ends the run. */
typedef bool (*path_visitor)(void *user, const ac_problem *problem, const ac_equilibrium *equilibrium);

/* Settings replace values of the file; `message` (may be NULL) is empty unless the run fails. */
static inline ac_status follow_path(const char *text, const char *const *settings, int count,
                                    path_visitor visit, void *user, char *message, size_t size)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *equilibrium = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, count, &problem);
    CHECK(status == AC_OK);
    if (status == AC_OK)
        status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem),
                                    &equilibrium);
    for (bool done = false; status == AC_OK && !done;) {
        status = ac_equilibrium_next(equilibrium, &done);
        if (status == AC_OK && !done) done = !visit(user, problem, equilibrium);
    }
    if (message) snprintf(message, size, "%s", status == AC_OK ? "" : ac_context_message(ctx));
    if (!message && status != AC_OK) printf("%s\n", ac_context_message(ctx));
    ac_equilibrium_free(equilibrium);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

#endif
