/* Adjoint variables beside a gradient by parameters: against impulses whose effect is known in closed form, at every time node,
 * and at the ends of stretches where the memory is limited. */
#include <math.h>
#include <string.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

/* A point on which an impulse I along z at the time t moves the end by (T - t) I / m; along x it moves nothing that counts. */
static const char POINT[] = "parameters: {m: 2}\n"
                            "points: {p: {mass: =m, position: [0, 0, 0]}}\n"
                            "loads: [{force: [0, 0, 3], on: p, name: push}]\n"
                            "simulate: {step: 0.01, steps: 1000, quantities: {a: {point: centre, of: p, "
                            "along: z}}, functional: [{end: a}]}\n";

static const double END = 10.0, MASS = 2.0;

static int place_of(const ac_gradient *gradient, const char *name)
{
    int count, at = 0;
    const ac_channel *channels = ac_gradient_adjoint_channels(gradient, &count);
    for (int k = 0; k < count; ++k) {
        if (strcmp(channels[k].name, name) == 0) return at;
        at += channels[k].width;
    }
    return -1;
}

/* The number of rows. */
static long compare_rows(const ac_gradient *gradient)
{
    int force = place_of(gradient, "adjoint/point/p/force");
    const double *row;
    long k = 0;
    double last = -1.0;
    CHECK(force > 0);
    for (; force > 0 && (row = ac_gradient_adjoint_row(gradient, k)); ++k) {
        CHECK(row[0] > last);
        CHECK_NEAR(row[force], 0.0, 1e-12);
        CHECK_NEAR(row[force + 2], (END - row[0]) / MASS, 1e-10);
        last = row[0];
    }
    CHECK_NEAR(last, END, 1e-12);
    return k;
}

static long rows_with(size_t memory)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    double value = NAN;
    CHECK(ac_problem_parse(ctx, "f.yaml", POINT, strlen(POINT), NULL, 0, &problem) == AC_OK);
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, memory, &gradient) == AC_OK);
    CHECK(!ac_gradient_adjoint_row(gradient, 0)); /* not asked for */
    CHECK(ac_gradient_keep_adjoint(gradient) == AC_OK);
    CHECK(ac_gradient_run(gradient, &value) == AC_OK);
    CHECK_NEAR(value, 0.5 * 3.0 / MASS * END * END, 1e-8);
    long stretch = ac_adjoint_stretch(ac_gradient_adjoint(gradient));
    long rows = compare_rows(gradient);
    CHECK(rows == (1000 + stretch - 1) / stretch + 1);
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return rows;
}

TEST(an_impulse_moves_the_end)
{
    CHECK(rows_with(0) == 1001);
}

TEST(limited_memory_keeps_fewer_rows)
{
    long rows = rows_with(30000);
    CHECK(rows > 2 && rows < 1001);
}

/* Without parameters: the objective of an optimal control problem at its guess. */
TEST(objectives_have_them_too)
{
    static const char text[] =
        "points: {p: {mass: 2, position: [0, 0, 0]}}\n"
        "optimize: {intervals: 20, duration: 10, start: initial, start_velocity: initial, quantities: {a: "
        "{point: "
        "centre, of: p, along: z}}, controls: [{force: p, component: z, name: f}], objective: [{end: a}]}\n";
    static const char *const none[] = {NULL};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem);
    if (status == AC_OK) status = ac_gradient_new(ctx, problem, none, 0, 0, &gradient);
    if (status == AC_OK) status = ac_gradient_keep_adjoint(gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, NULL);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) CHECK(compare_rows(gradient) == 21);
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(an_impulse_moves_the_end), CASE(limited_memory_keeps_fewer_rows),
          CASE(objectives_have_them_too))
