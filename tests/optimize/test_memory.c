/* Every allocation of an optimal control problem may fail: a clean failure, nothing lost. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "test.h"

typedef struct failing {
    long left, blocks;
} failing;

static void *allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    ++f->blocks;
    return malloc(size);
}

static void release(void *user, void *block)
{
    failing *f = user;
    if (block) --f->blocks;
    free(block);
}

static const char *const PATHS[] = {"examples/control/crane.yaml",
                                    "examples/control/four-bar.yaml",
                                    "examples/control/pendulum-swing-up.yaml",
                                    "examples/control/balanced-arm.yaml",
                                    "examples/control/obstacle.yaml",
                                    "examples/control/over-the-wall.yaml",
                                    "examples/control/two-link-pendulum.yaml",
                                    "examples/control/flexible-arm.yaml",
                                    "examples/control/quiet-arm.yaml",
                                    "examples/control/tuned-arm.yaml",
                                    "examples/walking/compass-gait.yaml"};

/* Reads and prepares with `count` allocations allowed; returns whether that was enough. */
static bool attempt(const char *path, const char *formulation, long count)
{
    failing f = {1000000, 0};
    const ac_allocator allocator = {allocate, release, &f};
    ac_context *ctx = ac_context_new(&allocator);
    long base = f.blocks;
    char word[64];
    snprintf(word, sizeof word, "optimize.formulation=%s", formulation);
    const char *settings[] = {"optimize.intervals=3", word};
    ac_problem *problem = NULL;
    f.left = count;
    ac_status status = ac_problem_read(ctx, path, settings, formulation[0] ? 2 : 1, &problem);
    if (status == AC_OK) {
        status = ac_optimization_prepare(ac_problem_optimization(problem));
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
    }
    ac_problem_free(problem);
    CHECK(f.blocks == base);
    f.left = 1000000;
    ac_context_free(ctx);
    CHECK(f.blocks == 0);
    return status == AC_OK;
}

TEST(every_allocation_may_fail)
{
    for (size_t k = 0; k < sizeof PATHS / sizeof *PATHS; ++k) {
        static const char *const words[] = {"reduced", "multipliers", "minimal"};
        const char *formulation = words[k == 2 ? 2 : k % 2];
        long count = 1;
        while (count < 200000 && !attempt(PATHS[k], formulation, count)) count += 1 + count / 40;
        CHECK(count < 200000);
    }
}

RUN_TESTS(CASE(every_allocation_may_fail))
