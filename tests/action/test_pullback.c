/* Transposed products of an interval without matrices against those of its slopes: every mechanism and every kind of
 * beam, in every scheme, at places of no particular motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/interval.h"
#include "problem/build/build.h"
#include "support/mechanisms.h"
#include "test.h"

typedef struct sums {
    const double *w[2];
    double *out[3]; /* by a, b, inputs */
} sums;

static void take_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    const sums *s = user;
    if (by <= AC_BY_TAU) s->out[by][column] += s->w[side][row] * value;
}

static void take_block(void *user, const ac_slope_block *b)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (b->sides & (1 << side)) && i < b->rows; ++i)
            for (int j = 0; j < b->size; ++j) {
                if (b->by_a) take_slope(user, side, b->at[i], AC_BY_A, b->at[j], b->by_a[i * b->size + j]);
                if (b->by_b) take_slope(user, side, b->at[i], AC_BY_B, b->at[j], b->by_b[i * b->size + j]);
            }
}

static void compare(ac_context *ctx, const ac_system *system, const char *name, const char *scheme)
{
    ac_discrete discrete = {0};
    ac_status status = ac_interval_open(ctx, system, scheme, NULL, NULL, &discrete);
    if (status != AC_OK) printf("  %s, %s: %s\n", name, scheme, ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status != AC_OK) return;
    const int n = system->n, inputs = discrete.input_count;
    double *block = calloc(8 * (size_t)n + 3 * (size_t)inputs + (size_t)system->measure_count + 1,
                           sizeof *block);
    double *a = block, *b = a + n, *wl = b + n, *wr = wl + n, *direct = wr + n,
           *summed = direct + 2 * n + inputs, *tau = summed + 2 * n + inputs, *winding = tau + inputs;
    dice d = {5};
    discrete.by_loads = true;
    dice_vector(&d, n, 1.0, wl);
    dice_vector(&d, n, 1.0, wr);
    dice_vector(&d, inputs, 1.0, tau);
    dice_vector(&d, n, 0.02, a);
    dice_vector(&d, n, 0.02, b);
    for (int i = 0; i < n; ++i) {
        a[i] += system->initial.q[i];
        b[i] += system->initial.q[i];
    }
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    const ac_discrete_point point = {.a = a, .b = b, .tau = tau, .winding = winding, .h = 0.01};
    sums s = {{wl, wr}, {summed, summed + n, summed + 2 * n}};
    ac_discrete_slopes(&discrete, &point, false, &(ac_slope_sinks){take_slope, take_block}, &s);
    ac_discrete_pullback(&discrete, &point, wl, wr,
                         &(ac_pullback){.a = direct, .b = direct + n, .inputs = direct + 2 * n});
    double size = largest_entry(2 * n + inputs, summed),
           error = largest_difference(2 * n + inputs, direct, summed);
    if (!(error <= 1e-13 * size)) printf("  %s, %s: %.3g of %.3g\n", name, scheme, error, size);
    CHECK(size > 0.0 && error <= 1e-13 * size);
    ac_discrete_destroy(&discrete);
    free(block);
}

TEST(mechanisms_have_the_same_products)
{
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            rig_open(&r, NULL);
            mechanisms[k].draw(&r);
            CHECK(rig_finish(&r) == AC_OK);
            compare(r.ctx, r.system, mechanisms[k].name, *scheme);
            rig_close(&r);
        }
}

#define STRIP(more)                                                  \
    "gravity: [0, 0, -9.81]\n"                                       \
    "beams:\n"                                                       \
    "  strip:\n"                                                     \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"               \
    "    d1: [0, 0, 1]\n"                                            \
    "    section: {rectangle: {width: 4 cm, height: 5 cm}}\n"        \
    "    material: {young: 1e5, poisson: 0.3, density: 1000}\n" more \
    "joints: [{revolute: [ground, strip.start], axis: [0, 1, 0]}]\n" \
    "loads: [{force: [1, 0, 2], on: strip.end}]\n"                   \
    "simulate: {step: 1 ms, steps: 1}\n"

TEST(beams_have_the_same_products)
{
    static const char *const texts[] = {STRIP("    elements: 3\n"),
                                        STRIP("    elements: 3\n    damping: 0.01\n"),
                                        STRIP("    elements: 2\n    order: 2\n    damping: 0.01\n"),
                                        STRIP("    elements: 3\n    model: vertex\n    damping: 0.01\n"),
                                        STRIP("    elements: 3\n    model: edge\n")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            ac_context *ctx = ac_context_new(NULL);
            ac_problem *problem = NULL;
            ac_status status = ac_problem_parse(ctx, "strip", texts[k], strlen(texts[k]), NULL, 0, &problem);
            if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
            CHECK(status == AC_OK);
            if (problem) compare(ctx, ac_problem_system(problem), "strip", *scheme);
            ac_problem_free(problem);
            ac_context_free(ctx);
        }
}

RUN_TESTS(CASE(mechanisms_have_the_same_products), CASE(beams_have_the_same_products))
