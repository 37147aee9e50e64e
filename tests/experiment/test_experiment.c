/* Experiments: measures taken from runs in memory, and what happens without memory. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/experiment.h"
#include "support/memory.h"
#include "test.h"

static char folder[] = "/tmp/actio-experiment-XXXXXX";

static void put_file(const char *name, const char *text, char *path)
{
    snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static const char problem_text[] = "title: Free flight\n"
                                   "gravity: [0, -10]\n"
                                   "points:\n"
                                   "  stone: {mass: 2, position: [0, 0], velocity: [3, 5]}\n"
                                   "simulate: {step: 0.1, duration: 1}\n";

/* The midpoint rule is exact for a parabola: x = 3 t, y = 5 t - 5 t^2. */
static const char experiment_text[] =
    "title: Measures\n"
    "source: by hand\n"
    "verified_by: the parabola\n"
    "runs:\n"
    "  coarse: {problem: problem.yaml}\n"
    "  fine: {problem: problem.yaml, set: {simulate.step: 0.05}}\n"
    "  other: {problem: problem.yaml, set: {gravity: '[0, -9]'}}\n"
    "measures:\n"
    "  top: {run: coarse, channel: point/stone/position.y, take: max}\n"
    "  end: {run: coarse, channel: point/stone/position, component: x, take: last}\n"
    "checks:\n"
    "  - {name: top, value: =top, verified: 1.25, tolerance: 1e-12}\n"
    "  - {name: both, value: =top+end, reported: 4.25, tolerance: 1e-12, relative: true}\n"
    "  - {name: at, measure: {run: fine, channel: point/stone/position.y, take: at, time: 0.15}, verified: "
    "0.6375, "
    "tolerance: 1e-12}\n"
    "  - {name: window, measure: {run: fine, channel: point/stone/position.y, take: min, after: 0.2, before: "
    "0.6}, "
    "verified: 0.8, tolerance: 1e-12}\n"
    "  - {name: slope, measure: {run: fine, channel: point/stone/position.x, take: slope}, verified: 3, "
    "tolerance: 1e-12}\n"
    "  - {name: range, measure: {run: fine, channel: point/stone/position, take: range}, verified: 3, "
    "tolerance: "
    "1e-12}\n"
    "  - {name: rate, measure: {run: fine, columns: {v: {channel: point/stone/position.y, rate: true}}, "
    "formula: "
    "v+10*t, take: mean}, verified: 4.75, tolerance: 1e-11}\n"
    "  - {name: two runs, measure: {run: coarse, other_run: fine, channel: point/stone/position, take: "
    "max_difference}, at_most: 1e-12}\n"
    "  - {name: columns of two runs, measure: {run: coarse, columns: {a: point/stone/position.y, b: "
    "{channel: "
    "point/stone/position.y, run: other}}, formula: b-a, take: last}, verified: 0.5, tolerance: 1e-12}\n"
    "  - {name: steps, measure: {run: fine, summary: steps}, between: [20, 20]}\n"
    "  - {name: solved, measure: {run: fine, take: failed}, at_most: 0}\n"
    "  - {name: wrong, value: =end, at_least: 3.1}\n"
    "  - {name: absent, measure: {run: fine, channel: nothing, take: max}, report_only: true}\n";

enum { CHECKS = 13 };

TEST(measures_give_the_known_numbers)
{
    char path[256], problem[256];
    CHECK(mkdtemp(folder) != NULL);
    put_file("problem.yaml", problem_text, problem);
    put_file("measures.yaml", experiment_text, path);
    ac_context *ctx = ac_context_new(NULL);
    ac_experiment *experiment = NULL;
    CHECK(ac_experiment_read(ctx, path, &experiment) == AC_OK);
    CHECK_TEXT(ac_context_message(ctx), "");
    if (experiment) {
        CHECK_TEXT(ac_experiment_id(experiment), "measures");
        CHECK_TEXT(ac_experiment_title(experiment), "Measures");
        CHECK_TEXT(ac_experiment_source(experiment), "by hand");
        CHECK(ac_experiment_run(experiment, NULL, NULL) == AC_OK);
        CHECK(ac_experiment_check_count(experiment) == CHECKS);
        for (int i = 0; i < CHECKS; ++i) {
            const ac_check *check = ac_experiment_check(experiment, i);
            if (check->pass != (i < CHECKS - 2))
                printf("%s: obtained %.17g %s\n", check->name, check->obtained, check->message);
            CHECK(check->pass == (i < CHECKS - 2));
        }
        CHECK_TEXT(ac_experiment_check(experiment, CHECKS - 1)->message,
                   "the run fine has no channel nothing");
        CHECK(isnan(ac_experiment_check(experiment, CHECKS - 1)->obtained));
        CHECK(ac_experiment_run(experiment, NULL, NULL) == AC_OK); /* once more */
        CHECK(ac_experiment_check(experiment, 0)->pass);
    }
    ac_experiment_free(experiment);
    ac_context_free(ctx);
}

static int stop_at_once(void *user, double done, const char *words)
{
    (void)user, (void)done, (void)words;
    return 1;
}

TEST(a_stopped_experiment_says_so)
{
    char path[256];
    snprintf(path, sizeof path, "%s/slow.yaml", folder);
    put_file(
        "slow.yaml",
        "{title: slow, runs: {a: {problem: problem.yaml, set: {simulate.step: 1e-7}}}, checks: [{name: c, "
        "measure: {channel: time, take: max}, at_most: 1}]}",
        path);
    ac_context *ctx = ac_context_new(NULL);
    ac_experiment *experiment = NULL;
    CHECK(ac_experiment_read(ctx, path, &experiment) == AC_OK);
    if (experiment) CHECK(ac_experiment_run(experiment, stop_at_once, NULL) == AC_INTERRUPTED);
    ac_experiment_free(experiment);
    ac_context_free(ctx);
    unlink(path);
}

/* A pendulum turns too far in its second step. What the run reached is measured where the check says so, columns too. */
TEST(a_run_that_failed_is_measured_on_demand)
{
    char path[256], problem[256];
    put_file("stuck.yaml",
             "{gravity: [0, -10], points: {stone: {mass: 2, position: [1, 0]}}, joints: [{distance: "
             "[ground, stone]}], simulate: {step: 0.4, duration: 4}}",
             problem);
    put_file("reached.yaml",
             "{title: reached, verified_by: the start, runs: {a: {problem: stuck.yaml}}, checks: ["
             "{name: channel, measure: {channel: point/stone/position.x, take: first, unsolved: true}, "
             "verified: 1, tolerance: 0}, "
             "{name: column, measure: {columns: {x: point/stone/position.x}, formula: 2*x, take: first, "
             "unsolved: true}, verified: 2, tolerance: 0}, "
             "{name: solved only, measure: {columns: {x: point/stone/position.x}, formula: 2*x, take: "
             "first}, verified: 2, tolerance: 0}]}",
             path);
    ac_context *ctx = ac_context_new(NULL);
    ac_experiment *experiment = NULL;
    CHECK(ac_experiment_read(ctx, path, &experiment) == AC_OK);
    if (experiment && ac_experiment_run(experiment, NULL, NULL) == AC_OK) {
        CHECK(ac_experiment_check(experiment, 0)->pass);
        CHECK(ac_experiment_check(experiment, 1)->pass);
        CHECK(!ac_experiment_check(experiment, 2)->pass);
    }
    ac_experiment_free(experiment);
    ac_context_free(ctx);
    unlink(path);
    unlink(problem);
}

TEST(every_allocation_may_fail)
{
    char path[256];
    snprintf(path, sizeof path, "%s/measures.yaml", folder);
    ac_status status = AC_NO_MEMORY;
    for (long blocks = 0; status != AC_OK && blocks < 100000; blocks += 1 + blocks / 50) {
        memory m = {0};
        ac_context *ctx = memory_context(&m);
        ac_experiment *experiment = NULL;
        m.calls = 0;
        m.fail_from = blocks + 1;
        status = ac_experiment_read(ctx, path, &experiment);
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
        if (status == AC_OK) status = ac_experiment_run(experiment, NULL, NULL);
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
        if (status != AC_OK) CHECK_TEXT(ac_context_message(ctx), "out of memory");
        ac_experiment_free(experiment);
        ac_context_free(ctx);
    }
    CHECK(status == AC_OK);
}

TEST(the_folder_is_removed)
{
    char path[256];
    snprintf(path, sizeof path, "%s/problem.yaml", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/measures.yaml", folder);
    unlink(path);
    CHECK(rmdir(folder) == 0);
}

RUN_TESTS(CASE(measures_give_the_known_numbers), CASE(a_stopped_experiment_says_so),
          CASE(a_run_that_failed_is_measured_on_demand), CASE(every_allocation_may_fail),
          CASE(the_folder_is_removed))
