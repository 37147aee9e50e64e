/* Robust controls of a system whose best ones are known. */
#include "actio/certify.h"
#include "certify/robust.h"
#include "test.h"

/* Residuals u0 + u1 x0 - (1 + x0) and 0.3 x1; the measure is their norm. Best: u = (1, 1), measure 0.3 |x1|. */
static int run_residuals(void *user, const double *x, double *measure, double *residuals)
{
    double r[2] = {x[2] + x[3] * x[0] - (1 + x[0]), 0.3 * x[1]};
    (void)user;
    *measure = sqrt(r[0] * r[0] + r[1] * r[1]);
    for (int k = 0; k < 2 && residuals; ++k) residuals[k] = r[k];
    return 0;
}

static int run_measure(void *user, const double *x, double *measure)
{
    return run_residuals(user, x, measure, NULL);
}

/* Derivatives by u: of the residuals, or of their norm. */
static int run_slopes(void *user, const double *x, double *measure, double *residuals, double *slopes)
{
    double r[2];
    run_residuals(user, x, measure, r);
    double by[2] = {1, x[0]};
    for (int k = 0; k < 2; ++k) {
        if (residuals) residuals[k] = r[k];
        slopes[k] = residuals ? by[k] : r[0] / *measure * by[k];
        if (residuals) slopes[2 + k] = 0.0;
    }
    return 0;
}

/* user: not NULL for runs with derivatives */
static ac_status open_run(void *user, ac_context *ctx, ac_sample_run *run)
{
    (void)ctx;
    *run = (ac_sample_run){
        .run = run_measure, .residuals = run_residuals, .slopes = user ? run_slopes : NULL};
    return AC_OK;
}

static void close_run(void *user, ac_sample_run *run)
{
    (void)user, (void)run;
}

static ac_status search_with(void *exact, ac_context *ctx, ac_robust_search method, int workers,
                             double highest, double u[2], ac_robust_state *state)
{
    static const ac_uncertain inputs[2] = {{.name = "x0", .low = -1, .high = 1},
                                           {.name = "x1", .low = -1, .high = 1}};
    const double start[2] = {0.3, 0.2}, low[2] = {-2, -2}, high[2] = {2, highest};
    const ac_sample_source source = {exact, open_run, close_run};
    const ac_certify_work work = {.workers = workers};
    ac_certify_settings settings;
    ac_certify_defaults(&settings);
    settings.threshold = 1;
    ac_robust robust = {.ctx = ctx,
                        .inputs = inputs,
                        .input_count = 2,
                        .settings = &settings,
                        .source = &source,
                        .work = &work,
                        .residual_count = 2,
                        .control_count = 2,
                        .start = start,
                        .low = low,
                        .high = high,
                        .search = method,
                        .iterations = 40,
                        .samples = 100,
                        .grid = 5,
                        .annealing = settings.annealing};
    robust.annealing.width = 0.05;
    robust.annealing.boltzmann = 0.1;
    return ac_robust_search_controls(&robust, u, state);
}

static ac_status search(ac_context *ctx, ac_robust_search method, int workers, double highest, double u[2],
                        ac_robust_state *state)
{
    return search_with(NULL, ctx, method, workers, highest, u, state);
}

/* Derivatives replace differences: the same controls with fewer runs. */
TEST(derivatives_of_runs_are_used)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state by_differences, exact;
    double u[2], v[2];
    for (int method = 0; method < 3; method += 2) {
        CHECK(search(ctx, (ac_robust_search)method, 1, 2, u, &by_differences) == AC_OK);
        CHECK(search_with(&exact, ctx, (ac_robust_search)method, 3, 2, v, &exact) == AC_OK);
        CHECK_NEAR(v[0], u[0], 1e-3);
        CHECK_NEAR(v[1], u[1], 1e-3);
        CHECK_NEAR(exact.factor, by_differences.factor, 1e-3 * by_differences.factor);
    }
    ac_context_free(ctx);
}

TEST(gauss_newton_finds_the_best_controls)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state state;
    double u[2];
    for (int method = 0; method < 3; method += 2) {
        CHECK(search(ctx, (ac_robust_search)method, 1, 2, u, &state) == AC_OK);
        CHECK_NEAR(u[0], 1, 1e-2);
        CHECK_NEAR(u[1], 1, 1e-2);
        CHECK_NEAR(state.diameter, 0.3, 1e-2);
    }
    ac_context_free(ctx);
}

TEST(limits_are_respected)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state state;
    double u[2];
    for (int method = 0; method < 3; ++method) {
        CHECK(search(ctx, (ac_robust_search)method, 1, 0.6, u, &state) == AC_OK);
        CHECK(u[1] <= 0.6 && u[0] >= -2 && u[0] <= 2);
        if (method == AC_ROBUST_SCENARIOS) CHECK_NEAR(u[1], 0.6, 1e-9);
    }
    ac_context_free(ctx);
}

TEST(annealing_improves_and_can_be_repeated)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state first, second;
    double u[2], v[2];
    CHECK(search(ctx, AC_ROBUST_ANNEALED, 1, 2, u, &first) == AC_OK);
    CHECK(search(ctx, AC_ROBUST_ANNEALED, 1, 2, v, &second) == AC_OK);
    CHECK(u[0] == v[0] && u[1] == v[1] && first.factor == second.factor);
    CHECK(first.factor > 1.0); /* at the start it is negative: the mean is beyond the threshold */
    ac_context_free(ctx);
}

TEST(the_number_of_workers_does_not_matter)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_robust_state one, other;
    double u[2], v[2];
    for (int method = 0; method < 3; ++method) {
        CHECK(search(ctx, (ac_robust_search)method, 1, 2, u, &one) == AC_OK);
        CHECK(search(ctx, (ac_robust_search)method, 3, 2, v, &other) == AC_OK);
        CHECK(u[0] == v[0] && u[1] == v[1] && one.factor == other.factor && one.runs == other.runs);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(derivatives_of_runs_are_used), CASE(gauss_newton_finds_the_best_controls),
          CASE(limits_are_respected), CASE(annealing_improves_and_can_be_repeated),
          CASE(the_number_of_workers_does_not_matter))
