/* Studies with known minima: the published strawman, splines, Gaussian processes, polls, failed samples. */
#include "actio/design.h"

#include "design/surrogate.h"
#include "support/memory.h"
#include "test.h"

static ac_context *ctx;

static ac_context *context(void)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ctx;
}

typedef double (*cost_function)(const double *x);

static double forrester(const double *x)
{
    double a = 6 * x[0] - 2;
    return a * a * sin(12 * x[0] - 4) + 7;
}

static ac_design *study(cost_function f, const ac_design_variable *v, int n, const ac_design_settings *s,
                        const double *given, int given_count)
{
    ac_design *d = NULL;
    CHECK(ac_design_new(context(), v, n, s, given, given_count, &d) == AC_OK);
    for (int count = 1; d && count > 0;) {
        double costs[AC_DESIGN_BATCH_MAX];
        CHECK(ac_design_ask(d, &count) == AC_OK);
        for (int k = 0; k < count; ++k) costs[k] = f(ac_design_asked(d, k));
        if (count > 0) CHECK(ac_design_tell(d, costs) == AC_OK);
    }
    return d;
}

/* Values from an independent script (natural spline on the function of Forrester, lifted by 7). */
TEST(the_strawman_finds_the_minimum_in_ten_evaluations)
{
    const ac_design_variable v = {"x", 0.4, 1.0};
    const double given[] = {0.6, 0.7};
    ac_design_settings s;
    ac_design_defaults(1, &s);
    s.evaluations = 40;
    ac_design *d = study(forrester, &v, 1, &s, given, 2);
    int best = ac_design_best(d);
    CHECK(ac_design_evaluations(d) == 10);
    CHECK_NEAR(ac_design_sample_of(d, best).x[0], 0.757248, 2e-6);
    CHECK_NEAR(ac_design_sample_of(d, best).cost, 0.979260, 1e-6);
    CHECK(ac_design_end(d)[0] != '\0');
    ac_design_free(d);
}

/* ---- surrogates ---- */

/* A cubic is its own not-a-knot spline; a natural one of a line has no curvature. */
TEST(splines_reproduce_what_they_can)
{
    const double x[] = {0.5, 0.1, 0.9, 0.3, 0.0};
    double y[5], line[5];
    ac_spline s;
    for (int k = 0; k < 5; ++k) {
        y[k] = x[k] * (2 + x[k] * (-7 + 5 * x[k]));
        line[k] = 3 - 2 * x[k];
    }
    CHECK(ac_spline_fit(context(), AC_SPLINE_NOT_A_KNOT, 5, x, y, -1, &s) == AC_OK);
    for (double at = 0; at <= 1; at += 0.05)
        CHECK_NEAR(ac_spline_value(&s, at), at * (2 + at * (-7 + 5 * at)), 1e-13);
    CHECK_NEAR(ac_spline_minimum(&s), (7 + sqrt(19)) / 15, 1e-12); /* 2 - 14 x + 15 x^2 = 0 */
    ac_spline_clear(ctx, &s);
    CHECK(ac_spline_fit(ctx, AC_SPLINE_NATURAL, 5, x, line, 2, &s) == AC_OK);
    CHECK(s.count == 4);
    CHECK_NEAR(ac_spline_value(&s, 0.77), 3 - 2 * 0.77, 1e-13);
    CHECK_NEAR(ac_spline_minimum(&s), 1.0, 0);
    ac_spline_clear(ctx, &s);
    const double twice[] = {0.2, 0.2, 0.6, 0.8};
    CHECK(ac_spline_fit(ctx, AC_SPLINE_NATURAL, 4, twice, line, -1, &s) == AC_SINGULAR);
}

TEST(a_gaussian_process_interpolates_and_knows_where_it_does_not_know)
{
    enum { N = 9 };
    double x[N], y[N], mean, deviation, far;
    ac_gaussian g;
    for (int k = 0; k < N; ++k) {
        x[k] = 0.1 * k;
        y[k] = 100 + 30 * sin(5 * x[k]);
    }
    CHECK(ac_gaussian_fit(context(), N, 1, x, y, &g) == AC_OK);
    for (int k = 0; k < N; ++k) {
        ac_gaussian_predict(&g, &x[k], &mean, &deviation);
        CHECK_NEAR(mean, y[k], 0.05);
        CHECK(deviation < 0.2);
    }
    const double between = 0.45, outside = 1.0;
    ac_gaussian_predict(&g, &between, &mean, &deviation);
    CHECK_NEAR(mean, 100 + 30 * sin(5 * between), 0.2);
    ac_gaussian_predict(&g, &outside, &mean, &far);
    CHECK(far > 10 * deviation);

    /* the expected improvement is the mean of max(best - Y, 0), Y normal: by a sum over its density */
    double best = mean - 0.3 * far, sum = 0, h = 1e-4;
    for (double z = -12; z < 12; z += h) {
        double gain = best - (mean + far * z);
        if (gain > 0) sum += h * gain * exp(-0.5 * z * z) / sqrt(2 * acos(-1.0));
    }
    CHECK_NEAR(ac_gaussian_improvement(&g, best, &outside), sum, 1e-4 * sum);
    ac_gaussian_clear(ctx, &g);
}

/* ---- several variables ---- */

/* Branin: three minima of 0.397887 in [-5, 10] x [0, 15]. */
static double branin(const double *x)
{
    double pi = acos(-1.0), a = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
    return a * a + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 10;
}

static const ac_design_variable branin_range[] = {{"x", -5, 10}, {"y", 0, 15}};

TEST(expected_improvement_finds_a_minimum_of_two_variables)
{
    ac_design_settings s;
    ac_design_defaults(2, &s);
    ac_design *d = study(branin, branin_range, 2, &s, NULL, 0);
    CHECK_NEAR(ac_design_sample_of(d, ac_design_best(d)).cost, 0.397887, 5e-3);
    CHECK(ac_design_evaluations(d) <= 60);
    ac_design_free(d);
    s.poll = false;
    d = study(branin, branin_range, 2, &s, NULL, 0);
    CHECK_NEAR(ac_design_sample_of(d, ac_design_best(d)).cost, 0.397887, 2e-2);
    ac_design_free(d);
}

TEST(samples_of_a_batch_differ_and_the_minimum_is_found)
{
    ac_design_settings s;
    ac_design_defaults(2, &s);
    s.batch = 4;
    ac_design *d = study(branin, branin_range, 2, &s, NULL, 0);
    for (int i = 0; i < ac_design_evaluations(d); ++i)
        for (int k = 0; k < i; ++k) {
            const double *a = ac_design_sample_of(d, i).x, *b = ac_design_sample_of(d, k).x;
            CHECK(fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])) > 1e-8);
        }
    CHECK_NEAR(ac_design_sample_of(d, ac_design_best(d)).cost, 0.397887, 2e-2);
    ac_design_free(d);
}

/* A kink: the poll ends within its finest mesh, whatever the surrogate says. */
static double kink(const double *x)
{
    return fabs(x[0] - 0.3137) + 2 * fabs(x[1] + 0.21);
}

TEST(the_poll_ends_at_a_kink)
{
    const ac_design_variable v[] = {{"x", -1, 1}, {"y", -1, 1}};
    ac_design_settings s;
    ac_design_defaults(2, &s);
    s.evaluations = 200;
    ac_design *d = study(kink, v, 2, &s, NULL, 0);
    const double *x = ac_design_sample_of(d, ac_design_best(d)).x;
    CHECK_NEAR(x[0], 0.3137, 4e-3);
    CHECK_NEAR(x[1], -0.21, 4e-3);
    CHECK(strstr(ac_design_end(d), "finest mesh") != NULL);
    ac_design_free(d);
}

/* Below 0.5 nothing can be evaluated. */
static double half_failing(const double *x)
{
    return x[0] < 0.5 ? NAN : (x[0] - 0.6) * (x[0] - 0.6);
}

static double always_failing(const double *x)
{
    (void)x;
    return INFINITY;
}

TEST(samples_that_fail_are_kept_away_from)
{
    const ac_design_variable v = {"x", 0, 1};
    ac_design_settings s;
    ac_design_defaults(1, &s);
    ac_design *d = study(half_failing, &v, 1, &s, NULL, 0);
    CHECK_NEAR(ac_design_sample_of(d, ac_design_best(d)).x[0], 0.6, 1e-2);
    ac_design_free(d);
    d = study(always_failing, &v, 1, &s, NULL, 0);
    CHECK(ac_design_best(d) == -1);
    CHECK(ac_design_evaluations(d) == s.evaluations);
    CHECK_TEXT(ac_design_end(d), "all evaluations are used");
    CHECK(ac_design_fit(d) == AC_BAD_INPUT);
    ac_design_free(d);
}

TEST(the_same_costs_give_the_same_samples)
{
    ac_design_settings s;
    ac_design_defaults(2, &s);
    ac_design *a = study(branin, branin_range, 2, &s, NULL, 0),
              *b = study(branin, branin_range, 2, &s, NULL, 0);
    CHECK(ac_design_evaluations(a) == ac_design_evaluations(b));
    for (int k = 0; k < ac_design_evaluations(a); ++k)
        for (int i = 0; i < 2; ++i)
            CHECK_NEAR(ac_design_sample_of(a, k).x[i], ac_design_sample_of(b, k).x[i], 0.0);
    ac_design_free(a);
    ac_design_free(b);
}

TEST(what_makes_no_study_is_refused)
{
    const ac_design_variable good = {"x", 0, 1}, empty = {"x", 1, 1}, two[] = {{"x", 0, 1}, {"y", 0, 1}};
    const double outside = 2, twice[] = {0.5, 0.5};
    ac_design_settings s, few;
    ac_design *d = NULL;
    ac_design_defaults(1, &s);
    few = s;
    few.evaluations = 1;
    CHECK(ac_design_new(context(), &empty, 1, &s, NULL, 0, &d) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "range of 'x'") != NULL);
    CHECK(ac_design_new(ctx, two, 2, &s, NULL, 0, &d) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "one variable") != NULL);
    CHECK(ac_design_new(ctx, &good, 1, &s, &outside, 1, &d) == AC_BAD_INPUT);
    CHECK(ac_design_new(ctx, &good, 1, &s, twice, 2, &d) == AC_BAD_INPUT);
    CHECK(ac_design_new(ctx, &good, 1, &few, NULL, 0, &d) == AC_BAD_INPUT);
    CHECK(ac_design_new(ctx, &good, 0, &s, NULL, 0, &d) == AC_BAD_INPUT);
    CHECK(d == NULL);
}

/* Every allocation of a study may fail. */
TEST(a_study_without_memory_ends)
{
    const ac_design_variable v = {"x", 0.4, 1.0};
    ac_design_settings s;
    ac_design_defaults(1, &s);
    s.evaluations = 8;
    for (long fail_at = 1;; ++fail_at) {
        memory m = {.fail_at = fail_at};
        ac_context *own = memory_context(&m);
        ac_design *d = NULL;
        ac_status status = own ? ac_design_new(own, &v, 1, &s, NULL, 0, &d) : AC_NO_MEMORY;
        for (int count = 1; status == AC_OK && count > 0;) {
            double costs[AC_DESIGN_BATCH_MAX];
            status = ac_design_ask(d, &count);
            for (int k = 0; k < count; ++k) costs[k] = forrester(ac_design_asked(d, k));
            if (status == AC_OK && count > 0) status = ac_design_tell(d, costs);
        }
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
        ac_design_free(d);
        ac_context_free(own);
        CHECK(m.held == 0);
        if (status == AC_OK) break;
    }
}

RUN_TESTS(CASE(the_strawman_finds_the_minimum_in_ten_evaluations), CASE(splines_reproduce_what_they_can),
          CASE(a_gaussian_process_interpolates_and_knows_where_it_does_not_know),
          CASE(expected_improvement_finds_a_minimum_of_two_variables),
          CASE(samples_of_a_batch_differ_and_the_minimum_is_found), CASE(the_poll_ends_at_a_kink),
          CASE(samples_that_fail_are_kept_away_from), CASE(the_same_costs_give_the_same_samples),
          CASE(what_makes_no_study_is_refused), CASE(a_study_without_memory_ends))
