/* What is to be large is reported as what it is: in the outcome, the summary, the history and the multipliers. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "task/task.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;

/* A mass on a rail, pushed by at most 2 N for 1 s: it gets 0.5 m far, and -0.5 m far when it is to be
 * small. */
static const char CART[] = "title: cart\n"
                           "points:\n"
                           "  cart: {mass: 2, position: [0, 0, 0]}\n"
                           "optimize:\n"
                           "  intervals: 10\n"
                           "  duration: 1\n"
                           "  starts: %d\n"
                           "  controls: [{force: cart, name: f, component: x, low: -2, high: 2}]\n"
                           "  quantities: {x: {of: cart, point: centre, along: x}}\n"
                           "  conditions: [{expression: x, at_most: 0.3, at: end, name: wall}]\n"
                           "  objective: [%s]\n";

static ac_problem *cart(int starts, const char *objective)
{
    ac_problem *problem = NULL;
    char scratch[SCRATCH_SIZE], text[sizeof CART + 200];
    if (!ctx) ctx = ac_context_new(NULL);
    const char *path = scratch_path(scratch, "maximise.yaml");
    snprintf(text, sizeof text, CART, starts, objective);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    remove(path);
    return problem;
}

/* The table of iterations: its last objective. */
typedef struct history {
    int tables, wanted;
    double last;
} history;

static ac_status take_table(void *user, const char *name, const ac_channel *channels, int count, int *table)
{
    history *h = user;
    (void)channels, (void)count;
    *table = h->tables++;
    if (strcmp(name, "iterations") == 0) h->wanted = *table;
    return AC_OK;
}

static ac_status take_row(void *user, int table, const double *row)
{
    history *h = user;
    if (table == h->wanted) h->last = row[1];
    return AC_OK;
}

static void run(int starts, const char *objective, double expected, double price)
{
    ac_problem *problem = cart(starts, objective);
    if (!problem) return;
    history h = {.wanted = -1};
    const ac_sink sink = {&h, take_table, take_row};
    ac_summary summary;
    const ac_run_job job = {.ctx = ctx, .problem = problem, .sink = &sink, .summary = &summary};
    CHECK(ac_run_into(&job) == AC_OK);
    CHECK(strcmp(summary.entry[0].name, "objective") == 0);
    CHECK_NEAR(summary.entry[0].value, expected, 1e-6);
    CHECK_NEAR(h.last, expected, 1e-6);
    const ac_optimization *o = ac_problem_optimization(problem);
    CHECK_NEAR(ac_optimization_result(o)->objective, expected, 1e-6);
    CHECK_NEAR(-ac_optimization_multiplier(o, 0), price, 1e-6); /* of a bound raised by one */
    ac_problem_free(problem);
}

TEST(what_is_maximised_is_told_as_it_is)
{
    run(1, "{end: x, maximise: true}", 0.3, 1.0);
    run(4, "{end: x, maximise: true}", 0.3, 1.0);
    run(1, "{end: 2*x, weight: 3, maximise: true}", 1.8, 6.0);
    run(1, "{end: x, maximise: true}, {end: x, maximise: true}", 0.6, 2.0);
    run(1, "{end: x, maximise: false}", -0.5, 0.0);
}

/* Beside something that is to be small, it counts against it. */
TEST(mixed_objectives_are_minimised)
{
    run(1, "{end: x, maximise: true}, {duration: 1}", 0.7, -1.0);
}

TEST(an_absolute_value_is_not_maximised)
{
    ac_problem *problem = cart(1, "{effort: 1}");
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_objective large = {.type = AC_OBJECTIVE_ABSOLUTE, .weight = 1.0, .expression = "f", .maximise = true};
    CHECK(!ac_optimization_maximises(o));
    CHECK(ac_optimization_add_objective(o, &large, NULL, NULL) == AC_BAD_INPUT);
    large.weight = -1.0; /* twice turned round */
    CHECK(ac_optimization_add_objective(o, &large, NULL, NULL) == AC_OK);
    ac_problem_free(problem);
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(what_is_maximised_is_told_as_it_is), CASE(mixed_objectives_are_minimised),
          CASE(an_absolute_value_is_not_maximised))
