/* Robust controls of systems whose best ones are known, and of random ones. */
#include "actio/certify.h"
#include "certify/certify.h"
#include "certify/robust.h"
#include "test.h"

/* What a search is asked, and what its runs do. */
typedef struct task {
    ac_robust_search method;
    bool exact; /* runs have derivatives */
    int workers;
    double start[2], highest; /* of the second control */
    double threshold;
    bool at_least;
    double
        fails; /* runs whose first input is above it, and whose second control is above 0.5, fail; 0: none */
    double
        limit; /* of u1 (1 + 0.2 x0): runs beyond it fail, and those from 0.8 of it on say that they are near; 0: none */
    long iterations;
    double effort_weight;
    double c[4]; /* of the runs of random systems */
    bool random;
} task;

static int fails(const task *t, const double *x)
{
    if (t->limit > 0.0 && x[3] * (1 + 0.2 * x[0]) > t->limit) return 1;
    return t->fails != 0.0 && x[0] > t->fails && x[3] > 0.5;
}

/* The distance of the point (u0 + u1 x0 - (1 + x0), 0.3 x1) from 0. With u1 = 1 it is sqrt((u0 - 1)^2 + 0.09 x1^2). */
static int measure_distance(void *user, const double *x, double *measure)
{
    *measure = hypot(x[2] + x[3] * x[0] - (1 + x[0]), 0.3 * x[1]);
    return fails(user, x);
}

static int measure_tight(void *user, const double *x, double *measure, double *tight)
{
    const task *t = user;
    double above = fmax(0.0, x[3] * (1 + 0.2 * x[0]) - 0.8 * t->limit);
    *tight = t->limit > 0.0 ? above * above : 0.0;
    return measure_distance(user, x, measure);
}

static int slopes_of_distance(void *user, const double *x, double *measure, double *tight, double *slopes)
{
    int outcome = measure_tight(user, x, measure, tight);
    double r = x[2] + x[3] * x[0] - (1 + x[0]);
    slopes[2] = 0.0;
    slopes[3] = 2.0 * sqrt(*tight) * (1 + 0.2 * x[0]);
    slopes[0] = r / *measure;
    slopes[1] = r / *measure * x[0];
    return outcome;
}

static int measure_random(void *user, const double *x, double *measure)
{
    const task *t = user;
    *measure = sin(t->c[0] * x[2] + x[0]) * t->c[1] + cos(t->c[2] * x[3] + t->c[3] * x[1]) +
               0.2 * x[2] * x[3];
    return fails(user, x);
}

static ac_status open_run(void *user, ac_context *ctx, ac_sample_run *run)
{
    const task *t = user;
    (void)ctx;
    *run = (ac_sample_run){.user = user,
                           .run = t->random ? measure_random : measure_distance,
                           .run_tight = t->limit > 0.0 ? measure_tight : NULL,
                           .slopes = t->exact && !t->random ? slopes_of_distance : NULL};
    return AC_OK;
}

static void close_run(void *user, ac_sample_run *run)
{
    (void)user, (void)run;
}

/* The start, and how many iterations were reported. */
typedef struct history {
    ac_robust_state start;
    long last;
} history;

static ac_status keep_state(void *user, const ac_robust_state *state)
{
    history *h = user;
    if (state->iteration == 0) h->start = *state;
    h->last = state->iteration > h->last ? state->iteration : h->last;
    return AC_OK;
}

static ac_status search(ac_context *ctx, task *t, double u[2], ac_robust_state *state, history *h)
{
    static const ac_uncertain inputs[2] = {{.name = "x0", .low = -1, .high = 1},
                                           {.name = "x1", .low = -1, .high = 1}};
    const double low[2] = {-2, -2}, high[2] = {2, t->highest};
    const ac_sample_source source = {t, open_run, close_run};
    const ac_certify_work work = {.workers = t->workers};
    ac_certify_settings settings;
    ac_certify_defaults(&settings);
    settings.threshold = t->threshold;
    settings.at_least = t->at_least;
    ac_robust robust = {.ctx = ctx,
                        .inputs = inputs,
                        .input_count = 2,
                        .settings = &settings,
                        .source = &source,
                        .work = &work,
                        .control_count = 2,
                        .start = t->start,
                        .low = low,
                        .high = high,
                        .search = t->method,
                        .iterations = t->iterations,
                        .samples = 100,
                        .grid = 5,
                        .annealing = settings.annealing,
                        .effort_weight = t->effort_weight,
                        .report = h ? keep_state : NULL,
                        .user = h};
    robust.annealing.evaluations = t->iterations;
    robust.annealing.width = 0.05;
    robust.annealing.boltzmann = 0.1;
    return ac_robust_search_controls(&robust, u, state);
}

static task near_goal(ac_robust_search method)
{
    return (task){
        .method = method, .workers = 1, .start = {0.3, 0.2}, .highest = 2, .threshold = 1, .iterations = 200};
}

/* The confidence factor with u = (1 + c, 1) but for the part of the samples: the mean and the diameter are known. */
static double exact_factor(double c)
{
    double b = 0.3, r = sqrt(c * c + b * b);
    double mean = 0.5 * (r + c * c / b * asinh(b / c));
    return (1.0 - mean) / (r - c);
}

/* By derivatives, and by differences of runs: the search passes the best of these controls, whose miss is the same for all x0. */
TEST(the_best_controls_are_found)
{
    double best = 0.0, at = 0.0;
    ac_certify_settings settings;
    ac_certify_defaults(&settings);
    for (double c = 0.01; c < 1.0; c += 0.01) {
        if (exact_factor(c) > best) at = c;
        best = fmax(best, exact_factor(c));
    }
    for (int exact = 0; exact < 2; ++exact) {
        ac_context *ctx = ac_context_new(NULL);
        ac_robust_state state;
        double u[2];
        task t = near_goal(AC_ROBUST_SMOOTHED);
        t.exact = exact;
        CHECK(search(ctx, &t, u, &state, NULL) == AC_OK);
        double share = ac_margin_share(ac_bound_confidence(&settings), settings.samples,
                                       settings.sharp_margin);
        CHECK(state.factor + share > 0.98 * best);
        CHECK_NEAR(u[1], 1, 0.05);
        CHECK_NEAR(fabs(u[0] - 1), at, 0.15);
        ac_context_free(ctx);
    }
}

/* Random systems and starts, on both sides of random thresholds: neither the mean of those beyond it nor the factor of the
 * others becomes worse, with any number of iterations, and these are counted. */
TEST(a_start_is_never_made_worse)
{
    unsigned dice = 7;
    int beyond = 0, improved = 0;
    for (int k = 0; k < 120; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        double r[8];
        for (int i = 0; i < 8; ++i) {
            dice = dice * 1664525u + 1013904223u;
            r[i] = (double)(dice >> 8) / (1 << 23) - 1.0;
        }
        task t = {.method = k % 3 == 0 ? AC_ROBUST_ANNEALED : AC_ROBUST_SMOOTHED,
                  .workers = 1,
                  .start = {2 * r[0], 2 * r[1]},
                  .highest = 2,
                  .threshold = r[2],
                  .at_least = k % 2,
                  .iterations = 1 + k % 12,
                  .c = {2 * r[3], r[4], 2 * r[5], 2 * r[6]},
                  .random = true};
        ac_robust_state state;
        history h = {.last = 0};
        double u[2], sign = t.at_least ? -1.0 : 1.0;
        CHECK(search(ctx, &t, u, &state, &h) == AC_OK);
        CHECK(h.last <= t.iterations && state.iteration <= t.iterations);
        double margin = sign * (t.threshold - state.mean), first = sign * (t.threshold - h.start.mean);
        CHECK(margin >= first || (first > 0.0 && margin > 0.0));
        if (first > 0.0) CHECK(state.factor >= h.start.factor);
        beyond += first <= 0.0;
        improved += margin > first || state.factor > h.start.factor;
        ac_context_free(ctx);
    }
    CHECK(beyond > 20 && beyond < 100 && improved > 80);
}

/* Runs fail in a part of the inputs: a search that starts away from there stays away, one that starts there leaves. */
TEST(failed_runs_are_left_and_avoided)
{
    for (int there = 0; there < 2; ++there) {
        ac_context *ctx = ac_context_new(NULL);
        ac_robust_state state;
        history h;
        double u[2];
        task t = near_goal(AC_ROBUST_SMOOTHED);
        t.exact = true;
        t.fails = there ? 2.0 : 0.6;
        CHECK(search(ctx, &t, u, &state, &h) == AC_OK);
        CHECK(state.failed == 0 && isfinite(state.factor) && state.factor > h.start.factor);
        CHECK(there ? u[1] > 0.9 : u[1] <= 0.5);
        t.fails = -2.0; /* every run with u1 above 0.5 */
        t.start[1] = 0.6;
        CHECK(search(ctx, &t, u, &state, &h) == AC_OK);
        CHECK(state.failed <= h.start.failed);
        ac_context_free(ctx);
    }
}

/* Runs that say how near they are to a failure: a start where more than half of them fail is left. */
TEST(a_start_among_failures_is_left)
{
    for (int exact = 0; exact < 2; ++exact) {
        ac_context *ctx = ac_context_new(NULL);
        ac_robust_state state;
        history h;
        double u[2];
        task t = near_goal(AC_ROBUST_SMOOTHED);
        t.exact = exact;
        t.limit = 0.7;
        t.start[1] = 0.72;
        CHECK(search(ctx, &t, u, &state, &h) == AC_OK);
        CHECK(h.start.failed > 50 && state.failed == 0 && u[1] < 0.7 / 1.2 && state.factor > 1.0);
        ac_context_free(ctx);
    }
}

TEST(limits_are_respected)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state state;
    double u[2];
    for (int method = 0; method < 2; ++method) {
        task t = near_goal((ac_robust_search)method);
        t.highest = 0.6;
        CHECK(search(ctx, &t, u, &state, NULL) == AC_OK);
        CHECK(u[1] <= 0.6 && u[0] >= -2 && u[0] <= 2);
        if (method == AC_ROBUST_SMOOTHED) CHECK_NEAR(u[1], 0.6, 1e-9);
    }
    ac_context_free(ctx);
}

TEST(effort_costs_confidence)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state state, last = {.factor = INFINITY, .effort = INFINITY};
    double u[2];
    for (double weight = 0.0; weight < 5.0; weight = weight == 0.0 ? 0.5 : 4.0 * weight) {
        task t = near_goal(AC_ROBUST_SMOOTHED);
        t.exact = true;
        t.effort_weight = weight;
        CHECK(search(ctx, &t, u, &state, NULL) == AC_OK);
        CHECK(state.factor < last.factor && state.effort < last.effort);
        last = state;
    }
    ac_context_free(ctx);
}

TEST(annealing_improves_and_can_be_repeated)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state first, second;
    double u[2], v[2];
    task t = near_goal(AC_ROBUST_ANNEALED);
    CHECK(search(ctx, &t, u, &first, NULL) == AC_OK);
    CHECK(search(ctx, &t, v, &second, NULL) == AC_OK);
    CHECK(u[0] == v[0] && u[1] == v[1] && first.factor == second.factor);
    CHECK(first.factor > 1.0); /* at the start it is negative */
    ac_context_free(ctx);
}

TEST(the_number_of_workers_does_not_matter)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state one, other;
    double u[2], v[2];
    for (int method = 0; method < 2; ++method) {
        task t = near_goal((ac_robust_search)method);
        t.iterations = 40;
        CHECK(search(ctx, &t, u, &one, NULL) == AC_OK);
        t.workers = 3;
        CHECK(search(ctx, &t, v, &other, NULL) == AC_OK);
        CHECK(u[0] == v[0] && u[1] == v[1] && one.factor == other.factor && one.runs == other.runs);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(the_best_controls_are_found), CASE(a_start_is_never_made_worse),
          CASE(failed_runs_are_left_and_avoided), CASE(a_start_among_failures_is_left),
          CASE(limits_are_respected), CASE(effort_costs_confidence),
          CASE(annealing_improves_and_can_be_repeated), CASE(the_number_of_workers_does_not_matter))
