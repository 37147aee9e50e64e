/* What must not bring a solve down: numbers that are not finite, two threads, an option file that happens to
 * lie in the current folder. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "test.h"

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static ac_status run_file(ac_context *ctx, const char *path, const char *const *settings, int count,
                          ac_summary *summary)
{
    ac_problem *problem = NULL;
    memset(summary, 0, sizeof *summary);
    ac_status status = ac_problem_read(ctx, path, settings, count, &problem);
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    ac_problem_free(problem);
    return status;
}

/* Overflow in the dynamics once crashed the linear solver. */
TEST(gravity_that_overflows_is_refused_by_the_callbacks)
{
    static const char *const formulations[] = {"optimize.formulation=minimal", "optimize.formulation=reduced",
                                               "optimize.formulation=multipliers",
                                               "optimize.formulation=collocation-qp"};
    for (int k = 0; k < 4; ++k) {
        const char *settings[] = {formulations[k], "gravity.1=1e308", "optimize.intervals=6"};
        ac_context *ctx = ac_context_new(NULL);
        ac_summary summary;
        ac_status status = run_file(ctx, "examples/control/pendulum-swing-up.yaml", settings, 3, &summary);
        CHECK(status == AC_NOT_CONVERGED);
        ac_context_free(ctx);
    }
}

typedef struct worker {
    ac_context *ctx;
    const char *path;
    double objective[2];
    int solved;
} worker;

static void *work(void *user)
{
    worker *w = user;
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        w->solved += run_file(w->ctx, w->path, NULL, 0, &summary) == AC_OK;
        w->objective[k] = summary_of(&summary, "objective");
    }
    return NULL;
}

/* Each thread has its own context; the results are those of a single thread, to the last bit. */
TEST(threads_with_contexts_of_their_own_optimise_at_the_same_time)
{
    static const char *const paths[] = {"examples/control/pendulum-swing-up.yaml",
                                        "examples/control/crane.yaml", "examples/control/four-bar.yaml",
                                        "examples/control/pendulum-swing-up.yaml"};
    worker alone[4], together[4];
    pthread_t threads[4];
    for (int k = 0; k < 4; ++k) {
        alone[k] = (worker){.ctx = ac_context_new(NULL), .path = paths[k]};
        work(&alone[k]);
        together[k] = (worker){.ctx = ac_context_new(NULL), .path = paths[k]};
    }
    for (int k = 0; k < 4; ++k) CHECK(pthread_create(&threads[k], NULL, work, &together[k]) == 0);
    for (int k = 0; k < 4; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
    for (int k = 0; k < 4; ++k) {
        CHECK(together[k].solved == 2);
        CHECK(together[k].objective[0] == alone[k].objective[0]);
        CHECK(together[k].objective[1] == alone[k].objective[1]);
        ac_context_free(alone[k].ctx);
        ac_context_free(together[k].ctx);
    }
}

TEST(an_option_file_in_the_current_folder_is_not_read)
{
    char here[1024], folder[] = "/tmp/actio-robust-XXXXXX", path[1100];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(path, sizeof path, "%s/examples/control/pendulum-swing-up.yaml", here);
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    FILE *file = fopen("ipopt.opt", "w");
    CHECK(file != NULL);
    if (file) {
        fputs("max_iter 0\n", file);
        fclose(file);
    }
    ac_context *ctx = ac_context_new(NULL);
    ac_summary summary;
    CHECK(run_file(ctx, path, NULL, 0, &summary) == AC_OK);
    CHECK(summary_of(&summary, "iterations") > 0.0);
    ac_context_free(ctx);
    CHECK(remove("ipopt.opt") == 0 && chdir(here) == 0 && rmdir(folder) == 0);
}

RUN_TESTS(CASE(gravity_that_overflows_is_refused_by_the_callbacks),
          CASE(threads_with_contexts_of_their_own_optimise_at_the_same_time),
          CASE(an_option_file_in_the_current_folder_is_not_read))
