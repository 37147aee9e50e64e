/* Recording every k-th step: the rows are those of a full run to the last bit, the last row is always there,
 * the numbers of the summary are those of every step, and what ends a run is seen at the step where it
 * happens. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "support/scratch.h"
#include "test.h"

#define BEAM                                                                   \
    "gravity: [0, 0, -9.81]\n"                                                 \
    "beams:\n"                                                                 \
    "  arm:\n"                                                                 \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"                         \
    "    elements: 6\n"                                                        \
    "    section: {circle: {radius: 0.01}}\n"                                  \
    "    material: {young: 1e7, poisson: 0.5, density: 1000}\n"                \
    "joints:\n"                                                                \
    "  - {revolute: [ground, arm.start], axis: [0.1, 1, 0], name: shoulder}\n" \
    "  - {spherical: [ground, arm.end], name: loop}\n"

#define FOUR_BAR                                                                     \
    "gravity: [0, -9.81, 0]\n"                                                       \
    "planar_bodies:\n"                                                               \
    "  crank: {solid: {rod: {length: 1, mass: 1}}}\n"                                \
    "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"                              \
    "  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\n"                           \
    "joints:\n"                                                                      \
    "  - {revolute: [ground, crank], at: {crank: start}, angle: 1, angle_rate: 3}\n" \
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}}\n"           \
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}}\n"           \
    "  - {revolute: [ground, rocker], at: {ground: [3, 0], rocker: start}}\n"

#define BODIES                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                 \
    "bodies:\n"                                                                                \
    "  upper: {solid: {cylinder: {length: 1, mass: 1, radius: 0.05}}}\n"                       \
    "  lower: {solid: {box: {size: [0.5, 0.1, 0.1], mass: 1}}, angular_velocity: [1, 2, 3]}\n" \
    "joints:\n"                                                                                \
    "  - {revolute: [ground, upper], at: {upper: start}, axis: [0, 1, 0]}\n"                   \
    "  - {spherical: [upper, lower], at: {upper: end, lower: [-0.25, 0, 0]}}\n"

/* A run with its result file. */
typedef struct run {
    ac_context *ctx;
    ac_status status;
    ac_summary summary;
    ac_result *result;
    char message[500];
} run;

static run run_of(const char *text, const char *settings, int every)
{
    run r = {.ctx = ac_context_new(NULL)};
    char whole[2000], scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "every.h5");
    ac_problem *problem = NULL;
    snprintf(whole, sizeof whole, "%ssimulate: {%s, record_every: %d}\n", text, settings, every);
    CHECK(ac_problem_parse(r.ctx, "f.yaml", whole, strlen(whole), NULL, 0, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(r.ctx));
    if (!problem) return r;
    r.status = ac_run(r.ctx, problem, path, NULL, NULL, &r.summary);
    snprintf(r.message, sizeof r.message, "%s", r.status == AC_OK ? "" : ac_context_message(r.ctx));
    CHECK(ac_result_open(r.ctx, path, &r.result) == AC_OK);
    ac_problem_free(problem);
    unlink(path);
    return r;
}

static void run_end(run *r)
{
    ac_result_close(r->result);
    ac_context_free(r->ctx);
}

static double *channel_of(const run *r, int table, int channel, int width, long *rows)
{
    *rows = ac_result_rows(r->result, table);
    double *values = malloc((size_t)(*rows * width + 1) * sizeof *values);
    CHECK(values && ac_result_read(r->result, table, channel, 0, 1, *rows, values) == AC_OK);
    return values;
}

/* Every row of `few` is the row of `all` that belongs there; the last is the last. */
static void check_rows(const run *all, const run *few, int every)
{
    for (int t = 0; t < 2; ++t) {
        int count = 0, same = 0;
        const ac_channel *channels = ac_result_channels(all->result, t, &count);
        CHECK(count > 8);
        for (int c = 0; c < count; ++c) {
            long rows, few_rows;
            int width = channels[c].width;
            double *full = channel_of(all, t, c, width, &rows),
                   *kept = channel_of(few, t, c, width, &few_rows);
            long last = rows - 1, expected = last / every + 1 + (last % every != 0);
            CHECK(rows > 2 * every && few_rows == expected);
            bool equal = few_rows == expected;
            for (long i = 0; equal && i < few_rows; ++i) {
                long from = i * every < last ? i * every : last;
                equal = memcmp(full + from * width, kept + i * width, (size_t)width * sizeof *full) == 0;
            }
            if (!equal) printf("  %s differs\n", channels[c].name);
            same += equal;
            free(full);
            free(kept);
        }
        CHECK(same == count);
    }
}

static bool is_clock(const char *name)
{
    return !strcmp(name, "wall_time") || !strcmp(name, "cpu_time") || !strcmp(name, "time_per_step");
}

static void check_summaries(const ac_summary *all, const ac_summary *few)
{
    CHECK(all->count > 15 && all->count == few->count);
    CHECK_TEXT(few->remark, all->remark);
    for (int k = 0; k < all->count && k < few->count; ++k) {
        CHECK_TEXT(few->entry[k].name, all->entry[k].name);
        bool equal = is_clock(all->entry[k].name) || all->entry[k].value == few->entry[k].value;
        if (!equal)
            printf("  %s: %.17g %.17g\n", few->entry[k].name, all->entry[k].value, few->entry[k].value);
        CHECK(equal);
    }
}

static double number_of(const run *r, const char *name)
{
    for (int k = 0; k < r->summary.count; ++k)
        if (strcmp(r->summary.entry[k].name, name) == 0) return r->summary.entry[k].value;
    return NAN;
}

static void compare(const char *text, const char *settings)
{
    static const int every[] = {2, 7, 10};
    run all = run_of(text, settings, 1);
    CHECK(all.status == AC_OK);
    if (all.status != AC_OK) printf("  %s\n", all.message);
    for (int k = 0; k < 3 && all.result; ++k) {
        run few = run_of(text, settings, every[k]);
        CHECK(few.status == AC_OK);
        check_rows(&all, &few, every[k]);
        check_summaries(&all.summary, &few.summary);
        run_end(&few);
    }
    run_end(&all);
}

#define ALL_CHANNELS "multipliers: true, momenta: true, energies: true, reactions: true"

TEST(rows_of_beams)
{
    compare(BEAM, "step: 1 ms, steps: 40, scheme: midpoint");
    compare(BEAM, "step: 0.02 ms, steps: 40, scheme: trapezoidal");
    compare(BEAM, "step: 1 ms, steps: 43, scheme: energy-momentum, momenta: true");
}

TEST(rows_of_bodies)
{
    compare(BODIES, "step: 1 ms, steps: 40, scheme: midpoint, " ALL_CHANNELS);
    compare(BODIES, "step: 1 ms, steps: 41, scheme: trapezoidal, formulation: multipliers, " ALL_CHANNELS);
}

TEST(rows_of_planar_loops)
{
    compare(FOUR_BAR, "step: 1 ms, steps: 40, scheme: energy-momentum, condition: true, " ALL_CHANNELS);
    compare(FOUR_BAR, "step: 1 ms, steps: 39, scheme: trapezoidal, formulation: null-space, " ALL_CHANNELS);
}

/* The largest energy of this run is between two recorded rows. */
TEST(summary_has_extremes_of_steps_that_are_not_recorded)
{
    run few = run_of(FOUR_BAR, "step: 10 ms, steps: 400", 400);
    long rows;
    int table = -1, channel = -1;
    CHECK(ac_result_find(few.result, "energy/hamiltonian", &table, &channel));
    double *energy = channel_of(&few, table, channel, 1, &rows);
    CHECK(rows == 2);
    CHECK(number_of(&few, "energy_hamiltonian_max") > fmax(energy[0], energy[1]));
    CHECK(number_of(&few, "energy_hamiltonian_min") < fmin(energy[0], energy[1]));
    free(energy);
    run_end(&few);
}

/* A run that ends early ends at the same step with the same words, however few rows are recorded. */
static void check_end(const char *text, const char *message, double steps)
{
    static const int every[] = {1, 5, 1000};
    for (int k = 0; k < 3; ++k) {
        run r = run_of(text, "step: 1 ms, steps: 1000", every[k]);
        CHECK(r.status == AC_NOT_CONVERGED);
        CHECK(strncmp(r.message, message, strlen(message)) == 0);
        if (strncmp(r.message, message, strlen(message)) != 0) printf("  %s\n", r.message);
        CHECK(number_of(&r, "steps") == steps);
        run_end(&r);
    }
}

TEST(failures_are_seen_at_every_step)
{
    check_end("points:\n  bob: {mass: 1 kg, position: [1, 0]}\n"
              "loads:\n  - {force: [=exp(1000*t), 0], on: bob}\n",
              "step 20, t = 0.019 s: Newton's method did not converge", 19);
    check_end("points:\n  bob: {mass: 1e300 kg, position: [1, 0]}\n"
              "loads:\n  - {force: [1e306, 0], on: bob}\n",
              "step 15, t = 0.015 s: energy/hamiltonian is not a finite number", 15);
    check_end("points:\n  bob: {mass: 1e290 kg, position: [0, 1e10]}\n"
              "loads:\n  - {force: [1e300, 0], on: bob}\n",
              "step 19, t = 0.019 s: momentum/angular is not a finite number", 19);
}

RUN_TESTS(CASE(rows_of_beams), CASE(rows_of_bodies), CASE(rows_of_planar_loops),
          CASE(summary_has_extremes_of_steps_that_are_not_recorded), CASE(failures_are_seen_at_every_step))
