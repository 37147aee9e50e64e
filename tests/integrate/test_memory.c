/* Memory: a step allocates nothing; every allocation may fail, and then the call returns AC_NO_MEMORY, and
 * nothing leaks. */
#include <dlfcn.h>
#include <stdlib.h>

#include "support/memory.h"
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

static const char *const FORMULATIONS[] = {"reduced", "null-space", "multipliers"};

/* --- the memory of the sparse solver, which does not come from the context ------------------- */

static memory solver;

static void *solver_malloc(size_t size)
{
    if (++solver.calls == solver.fail_at) return NULL;
    return malloc(size);
}

static void *solver_calloc(size_t count, size_t size)
{
    if (++solver.calls == solver.fail_at) return NULL;
    return calloc(count, size);
}

static bool refused_resize; /* a block that cannot be made smaller stays as it is, and no harm is done */

static void *solver_realloc(void *block, size_t size)
{
    if (++solver.calls == solver.fail_at) {
        refused_resize = true;
        return NULL;
    }
    return realloc(block, size);
}

/* Functions as they stand at the head of SuiteSparse's configuration. */
typedef struct solver_functions {
    void *(*allocate)(size_t size);
    void *(*allocate_zeroed)(size_t count, size_t size);
    void *(*resize)(void *block, size_t size);
} solver_functions;

/* Counts the solver's allocations from now on; false if this build of it does not let us. */
static bool count_solver(void)
{
    void *program = dlopen(NULL, RTLD_NOW);
    solver_functions *functions = program ? dlsym(program, "SuiteSparse_config") : NULL;
    if (!functions) return false;
    *functions = (solver_functions){solver_malloc, solver_calloc, solver_realloc};
    return true;
}

/* --- no allocation inside the step ----------------------------------------------------------- */

TEST(a_step_allocates_nothing)
{
    bool counted = count_solver();
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                memory m = {0};
                rig r;
                record run;
                ac_context *ctx = memory_context(&m);
                rig_open(&r, ctx);
                mechanisms[k].draw(&r);
                CHECK(rig_finish(&r) == AC_OK);
                ac_simulation_settings settings = record_settings(*scheme, FORMULATIONS[f], mechanisms[k].h);
                CHECK(record_open(&run, ctx, r.system, &settings) == AC_OK);
                solver.calls = 0;
                long before = m.calls;
                CHECK(record_steps(&run, 1) == AC_OK); /* the first one may set the sparse solver up */
                long first = solver.calls;
                if (f == 2 && counted) CHECK(first > 0);
                CHECK(record_steps(&run, 49) == AC_OK);
                CHECK(m.calls == before);
                /* the sparse solver sets itself up anew when its pivots have become bad: seldom, 21
                 * allocations each time */
                CHECK(solver.calls - first <= (f == 2 ? 2 * 21 : 0));
                record_close(&run);
                rig_close(&r);
                ac_context_free(ctx);
                CHECK(m.held == 0);
            }
}

/* --- every allocation fails once ------------------------------------------------------------- */

/* Building, finishing, three steps and their rows. */
static ac_status everything(memory *m, const mechanism *mech, const char *scheme, const char *formulation)
{
    ac_context *ctx = memory_context(m);
    if (!ctx) return AC_NO_MEMORY;
    rig r;
    record run;
    rig_open(&r, ctx);
    mech->draw(&r);
    ac_status status = rig_finish(&r);
    if (status == AC_OK) {
        ac_simulation_settings settings = record_settings(scheme, formulation, mech->h);
        settings.condition = true;
        status = record_open(&run, ctx, r.system, &settings);
        for (int k = 0; k < 3 && status == AC_OK; ++k) {
            record_steps(&run, 1);
            record_node(&run, false);
            status = record_interval(&run);
        }
        if (status == AC_OK) status = record_node(&run, true);
        record_close(&run);
    }
    if (status == AC_NO_MEMORY) CHECK_TEXT(ac_context_message(ctx), "out of memory");
    rig_close(&r);
    ac_context_free(ctx);
    return status;
}

static void fail_one_by_one(const mechanism *mech, const char *scheme, const char *formulation)
{
    memory m = {0};
    CHECK(everything(&m, mech, scheme, formulation) == AC_OK);
    CHECK(m.held == 0);
    long calls = m.calls;
    CHECK(calls > 50);
    for (long k = 1; k <= calls; ++k) {
        m = (memory){.fail_at = k};
        ac_status status = everything(&m, mech, scheme, formulation);
        if (status != AC_NO_MEMORY)
            printf("  %s, %s, %s: allocation %ld of %ld\n", mech->name, scheme, formulation, k, calls);
        CHECK(status == AC_NO_MEMORY);
        CHECK(m.held == 0);
    }
}

TEST(every_allocation_may_fail)
{
    for (int f = 0; f < 3; ++f) {
        fail_one_by_one(mechanism_named("slider-crank"), "midpoint", FORMULATIONS[f]);
        fail_one_by_one(mechanism_named("point pendulum"), "energy-momentum", FORMULATIONS[f]);
    }
    fail_one_by_one(mechanism_named("mixed chain"), "midpoint", "reduced");
    fail_one_by_one(mechanism_named("spatial loop"), "energy-momentum", "multipliers");
    fail_one_by_one(mechanism_named("planar tree"), "trapezoidal", "reduced");
}

TEST(every_allocation_of_the_sparse_solver_may_fail)
{
    if (!count_solver()) {
        printf("  the sparse solver does not let us count\n");
        return;
    }
    const mechanism *mech = mechanism_named("slider-crank");
    memory m = {0};
    solver = (memory){0};
    CHECK(everything(&m, mech, "midpoint", "multipliers") == AC_OK);
    long calls = solver.calls, refused = 0;
    CHECK(calls > 5);
    for (long k = 1; k <= calls; ++k) {
        m = (memory){0};
        solver = (memory){.fail_at = k};
        refused_resize = false;
        ac_status status = everything(&m, mech, "midpoint", "multipliers");
        CHECK(status == AC_NO_MEMORY || (status == AC_OK && refused_resize));
        refused += status == AC_NO_MEMORY;
        CHECK(m.held == 0);
    }
    CHECK(refused >= calls - 4);
    solver = (memory){0};
}

RUN_TESTS(CASE(a_step_allocates_nothing), CASE(every_allocation_may_fail),
          CASE(every_allocation_of_the_sparse_solver_may_fail))
