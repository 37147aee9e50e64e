/* Certificates of functions with known diameter and known probability of failure. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/certify.h"
#include "certify/random.h"
#include "test.h"

enum { MOST = 8 };
static const double PI = 3.14159265358979323846;

/* ---- functions of the inputs as systems ---- */

typedef struct function {
    double (*value)(const double *x, int count, const double *weight);
    void (*slope)(const double *x, int count, const double *weight, double *gradient);
    int count;
    double weight[MOST];
    double broken_above; /* runs with x[0] above it fail; 0: none */
} function;

static int run(void *user, const double *x, double *measure)
{
    const function *f = user;
    if (f->broken_above > 0 && x[0] > f->broken_above) return 1;
    *measure = f->value(x, f->count, f->weight);
    return 0;
}

static int run_slope(void *user, const double *x, double *measure, double *gradient)
{
    const function *f = user;
    int outcome = run(user, x, measure);
    f->slope(x, f->count, f->weight, gradient);
    return outcome;
}

static const char *why(void *user)
{
    (void)user;
    return "it broke";
}

static ac_status open_function(void *user, ac_context *ctx, ac_sample_run *out)
{
    const function *f = user;
    (void)ctx;
    *out = (ac_sample_run){.user = user, .run = run, .gradient = f->slope ? run_slope : NULL, .reason = why};
    return AC_OK;
}

static void close_function(void *user, ac_sample_run *out)
{
    (void)user, (void)out;
}

static ac_status certify(ac_context *ctx, const function *f, const ac_uncertain *inputs,
                         const ac_certify_settings *settings, const ac_certify_work *work,
                         ac_certificate *out)
{
    function copy = *f;
    ac_sample_source source = {&copy, open_function, close_function};
    return ac_certify(ctx, inputs, f->count, settings, &source, work, out);
}

static double sum(const double *x, int count, const double *weight)
{
    double total = 0;
    for (int k = 0; k < count; ++k) total += weight[k] * x[k];
    return total;
}

static double product(const double *x, int count, const double *weight)
{
    double total = weight[0];
    for (int k = 0; k < count; ++k) total *= x[k];
    return total;
}

static double largest(const double *x, int count, const double *weight)
{
    double most = weight[0] * x[0];
    for (int k = 1; k < count; ++k) most = fmax(most, weight[k] * x[k]);
    return most;
}

/* |x0 - w0| + w1 (x0 - 0.3)(x1 - 0.6)^2: a kink in the interior, and an extremum of the diameter that is no corner of x0 */
static double kinked(const double *x, int count, const double *weight)
{
    (void)count;
    return fabs(x[0] - weight[0]) + weight[1] * (x[0] - 0.3) * (x[1] - 0.6) * (x[1] - 0.6);
}

static double bump(const double *x, int count, const double *weight)
{
    (void)count;
    return weight[0] * sin(PI * x[0]) * (1 - (x[1] - 0.37) * (x[1] - 0.37));
}

static void bump_slope(const double *x, int count, const double *weight, double *g)
{
    (void)count;
    g[0] = weight[0] * PI * cos(PI * x[0]) * (1 - (x[1] - 0.37) * (x[1] - 0.37));
    g[1] = weight[0] * sin(PI * x[0]) * -2 * (x[1] - 0.37);
}

/* The largest deflection of an oscillator (frequency w, damping ratio z) that is let go at x0: over one period
 * sampled, which for z = 0 is |x0|; here the position at time weight[0]. */
static double oscillator(const double *x, int count, const double *weight)
{
    (void)count;
    return x[1] * cos(x[0] * weight[0]);
}

static void unit_inputs(ac_uncertain *inputs, int count)
{
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (int k = 0; k < count; ++k) inputs[k] = (ac_uncertain){.name = names[k], .low = 0, .high = 1};
}

/* ---- diameters ---- */

static const ac_diameter_search searches[] = {AC_SEARCH_STARTS, AC_SEARCH_GRID, AC_SEARCH_ANNEALING};

/* Sum: D_k = |c_k| range, exactly. Product of numbers in [0, 1]: 1. Largest of weighted numbers: w_k. */
TEST(diameters_of_sums_products_and_maxima)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[MOST];
    for (int s = 0; s < 3; ++s) {
        double tolerance = searches[s] == AC_SEARCH_ANNEALING ? 0.05 : 1e-12;
        ac_certify_settings settings;
        ac_certify_defaults(&settings);
        settings.search = searches[s];
        settings.grid = 5;
        settings.annealing.evaluations = 6000;
        settings.annealing.boltzmann = 0.1;
        settings.threshold = 10;
        unit_inputs(inputs, 3);
        inputs[1].low = -2;
        ac_certificate c;
        function f = {.value = sum, .count = 3, .weight = {1.5, -0.5, 2}};
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        CHECK_NEAR(c.inputs[0].value, 1.5, 1.5 * tolerance);
        CHECK_NEAR(c.inputs[1].value, 1.5, 1.5 * tolerance);
        CHECK_NEAR(c.inputs[2].value, 2.0, 2.0 * tolerance);
        CHECK_NEAR(c.diameter, sqrt(1.5 * 1.5 + 1.5 * 1.5 + 4), 3 * tolerance);
        CHECK(c.diameter <= sqrt(1.5 * 1.5 + 1.5 * 1.5 + 4) + 1e-12);
        ac_certificate_clear(ctx, &c);

        unit_inputs(inputs, 3);
        f = (function){.value = product, .count = 3, .weight = {2}};
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(c.inputs[k].value, 2.0, 6 * tolerance);
        ac_certificate_clear(ctx, &c);

        f = (function){.value = largest, .count = 3, .weight = {1, 2, 3}};
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(c.inputs[k].value, k + 1.0, 6 * tolerance);
        ac_certificate_clear(ctx, &c);
    }
    ac_context_free(ctx);
}

/* Interior extrema and kinks. */
TEST(interior_extrema_and_kinks_are_found)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    settings.threshold = 10;
    unit_inputs(inputs, 2);
    function f = {.value = kinked, .count = 2, .weight = {0.413, 0}};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK_NEAR(c.inputs[0].value, 1 - 0.413, 1e-6);
    CHECK_NEAR(c.inputs[0].b, 0.413, 1e-6);
    CHECK_NEAR(c.inputs[1].value, 0.0, 1e-12);
    ac_certificate_clear(ctx, &c);
    for (int exact = 0; exact < 2; ++exact) {
        f = (function){.value = bump, .slope = exact ? bump_slope : NULL, .count = 2, .weight = {2.0}};
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        CHECK_NEAR(c.inputs[0].value, 2.0, 2e-4);
        CHECK_NEAR(c.inputs[0].a, 0.5, 2e-3);
        CHECK_NEAR(c.inputs[1].value, 2.0 * 0.63 * 0.63, 1e-5);
        ac_certificate_clear(ctx, &c);
    }
    ac_context_free(ctx);
}

/* Gradients need a tenth of the runs of the published annealing, for at least its diameter. */
TEST(starts_need_a_tenth_of_the_runs_of_annealing)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate starts, annealing;
    ac_certify_defaults(&settings);
    settings.threshold = 10;
    unit_inputs(inputs, 2);
    function f = {.value = bump, .slope = bump_slope, .count = 2, .weight = {2.0}};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &starts) == AC_OK);
    settings.search = AC_SEARCH_ANNEALING;
    settings.starts = 1;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &annealing) == AC_OK);
    CHECK(starts.diameter >= annealing.diameter);
    CHECK(starts.search_runs * 10 <= annealing.search_runs);
    printf("  runs: starts %ld, annealing %ld; diameters %.6f, %.6f\n", starts.search_runs,
           annealing.search_runs, starts.diameter, annealing.diameter);
    ac_certificate_clear(ctx, &starts);
    ac_certificate_clear(ctx, &annealing);
    ac_context_free(ctx);
}

/* Position of an undamped oscillator at a time: frequency in [1, 3], amplitude in [0.5, 1.5]. At t = 2 the phase runs
 * from 2 to 6 over the lowest point at pi: D_1 = 1.5 (cos 6 + 1), D_2 = 1 (range times the largest |cos|). */
TEST(diameter_of_an_oscillator)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    settings.threshold = 3;
    unit_inputs(inputs, 2);
    inputs[0].low = 1, inputs[0].high = 3;
    inputs[1].low = 0.5, inputs[1].high = 1.5;
    function f = {.value = oscillator, .count = 2, .weight = {2.0}};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK_NEAR(c.inputs[0].value, 1.5 * (cos(6.0) + 1.0), 1e-6);
    CHECK_NEAR(c.inputs[1].value, 1.0, 1e-4);
    ac_certificate_clear(ctx, &c);
    ac_context_free(ctx);
}

/* ---- bounds ---- */

/* The printed bounds as confidence factors (digest of chapter 6): CF = sqrt(-ln(P)/2). */
TEST(bounds_and_confidence_factors)
{
    CHECK_NEAR(ac_mcdiarmid(0.5972, 1), 0.49, 1e-4);
    CHECK_NEAR(ac_mcdiarmid(1.4644, 1), 0.013722, 1e-5);
    CHECK_NEAR(ac_mcdiarmid(1.9568, 1), 0.00047207, 2e-7);
    CHECK_NEAR(ac_mcdiarmid(-1, 1), 1.0, 0.0);
    CHECK_NEAR(ac_mcdiarmid(1, 0), 0.0, 0.0);
    CHECK_NEAR(ac_margin_share(0.99, 100, false), 0.2146, 5e-5);
    CHECK_NEAR(ac_margin_share(0.99, 100, true), 0.2146 / sqrt(2), 5e-5);
    CHECK_NEAR(ac_hoeffding(3, 100, 0.99), 0.03 + sqrt(-log(0.01) / 200), 1e-15);
}

/* P[a X + b Y > z] for X, Y uniform in [0, 1]. */
static double sum_probability(double a, double b, double z)
{
    double area = z * z;
    if (z > a) area -= (z - a) * (z - a);
    if (z > b) area -= (z - b) * (z - b);
    if (z > a + b) area += (z - a - b) * (z - a - b);
    return 1 - area / (2 * a * b);
}

/* The smallest of the three bounds decides, each at a third of the error; one that is named decides with all of it. */
TEST(the_best_bound_decides)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    unit_inputs(inputs, 2);
    for (int n = 0; n < 60; ++n) {
        ac_dice dice = {23, (uint64_t)n, 98, 0};
        function f = {.value = n % 2 ? sum : largest, .count = 2, .weight = {ac_roll(&dice), ac_roll(&dice)}};
        settings.threshold = (f.weight[0] + f.weight[1]) * (0.5 + 1.5 * ac_roll(&dice));
        settings.samples = 20 + (long)(3000 * ac_roll(&dice));
        settings.tolerance = pow(10.0, -4.0 * ac_roll(&dice));
        settings.bound = (ac_certify_bound)(n % 4);
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        double error = settings.bound == AC_CERTIFY_BEST ? 0.01 / 3 : 0.01, m = (double)settings.samples;
        const double bounds[] = {0, c.mcdiarmid, c.hoeffding, c.clopper_pearson};
        double alpha = c.diameter * sqrt(-log(error) / m);
        CHECK_NEAR(c.mcdiarmid, ac_mcdiarmid(settings.threshold - c.mean - alpha, c.diameter), 1e-14);
        CHECK_NEAR(c.hoeffding, fmin(1, (double)c.failures / m + sqrt(-log(error) / (2 * m))), 1e-14);
        if (c.failures == 0) CHECK_NEAR(c.clopper_pearson, 1 - pow(error, 1 / m), 1e-14);
        CHECK(c.bound == bounds[c.decisive] && c.certified == (c.bound <= settings.tolerance));
        for (int k = 1; k < 4; ++k)
            CHECK(settings.bound == AC_CERTIFY_BEST ? c.bound <= bounds[k] : c.decisive == settings.bound);
        ac_certificate_clear(ctx, &c);
    }
    ac_context_free(ctx);
}

/* A random case: the function, a threshold, and the true probability of exceeding it. */
static double random_case(ac_dice *dice, function *f, double *threshold)
{
    double u = ac_roll(dice);
    *f = (function){.count = 2};
    if (u < 0.34) {
        f->value = sum;
        f->weight[0] = 0.1 + ac_roll(dice);
        f->weight[1] = 0.1 + ac_roll(dice);
        *threshold = (f->weight[0] + f->weight[1]) * (0.3 + 0.69 * ac_roll(dice));
        return sum_probability(f->weight[0], f->weight[1], *threshold);
    }
    if (u < 0.67) {
        f->value = product;
        f->weight[0] = 0.1 + ac_roll(dice);
        double z = 0.2 + 0.79 * ac_roll(dice);
        *threshold = f->weight[0] * z;
        return 1 - z + z * log(z);
    }
    f->value = largest;
    f->count = 2 + (int)(4 * ac_roll(dice));
    for (int k = 0; k < f->count; ++k) f->weight[k] = 1;
    *threshold = 0.5 + 0.49 * ac_roll(dice);
    return 1 - pow(*threshold, f->count);
}

/* No bound is below the true probability in 1000 random cases; intervals of Clopper and Pearson hold it. */
TEST(bounds_are_never_below_the_true_probability)
{
    ac_context *ctx = ac_context_new(NULL);
    int below = 0, below_exact = 0, outside = 0, below_counted = 0;
    for (int n = 0; n < 1000; ++n) {
        ac_dice dice = {11, (uint64_t)n, 99, 0};
        ac_uncertain inputs[MOST];
        ac_certify_settings settings;
        ac_certificate c;
        function f;
        ac_certify_defaults(&settings);
        double truth = random_case(&dice, &f, &settings.threshold);
        unit_inputs(inputs, f.count);
        settings.starts = 2;
        settings.seed = 1000 + (uint64_t)n;
        settings.confidence = 0.9999;
        settings.sharp_margin = n % 2;
        settings.mean_samples = 400;
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
        below += c.bound < truth || c.mcdiarmid < truth;
        below_exact += c.bound_exact < truth * (1 - 0.1); /* 400 samples are not quite exact */
        below_counted += c.hoeffding < truth || c.clopper_pearson < truth;
        outside += !(c.rate_low <= truth && truth <= c.rate_high);
        ac_certificate_clear(ctx, &c);
    }
    CHECK(below == 0 && below_exact == 0 && below_counted == 0);
    CHECK(outside <= 1); /* 1000 times 1e-4 */
    ac_context_free(ctx);
}

TEST(verdict_and_what_a_larger_search_would_have_to_find)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    unit_inputs(inputs, 2);
    function f = {.value = sum, .count = 2, .weight = {0.1, 0.1}};
    settings.threshold = 0.5;
    settings.bound = AC_CERTIFY_MCDIARMID;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(c.certified && c.bound <= settings.tolerance);
    CHECK(c.largest_diameter > c.diameter);
    /* at that diameter the factor is exactly the needed one */
    double share = ac_margin_share(0.99, 100, false);
    CHECK_NEAR((0.5 - c.mean) / c.largest_diameter - share, c.needed_factor, 1e-12);
    CHECK_NEAR(c.runs_hoeffding, ceil(-log(0.01) / 2e-4), 1.0);
    CHECK_NEAR(c.runs_monte_carlo, 459, 0.0);
    ac_certificate_clear(ctx, &c);

    /* the same from the other side: -measure must be at least -threshold */
    ac_certificate mirrored;
    f.weight[0] = f.weight[1] = -0.1;
    settings.threshold = -0.5;
    settings.at_least = true;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &mirrored) == AC_OK);
    CHECK_NEAR(mirrored.bound, c.bound, 1e-15);
    ac_certificate_clear(ctx, &mirrored);

    /* a known slope makes the diameter rigorous */
    settings.at_least = false;
    settings.threshold = 0.5;
    f.weight[0] = f.weight[1] = 0.1;
    inputs[0].slope_limit = 0.2;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(c.inputs[0].by_slope && !c.inputs[1].by_slope);
    CHECK_NEAR(c.inputs[0].value, 0.2, 1e-15);
    CHECK_NEAR(c.inputs[0].found, 0.1, 1e-12);
    ac_certificate_clear(ctx, &c);

    /* one that two runs disprove is refused: a certificate with it would be false */
    inputs[0].slope_limit = 0.09;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "the slope 0.09 of the input") != NULL);
    ac_context_free(ctx);
}

/* The steepest slope over the whole range: the diameter itself for a sum, larger for what bends, never smaller. */
TEST(diameters_by_gradients)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    unit_inputs(inputs, 2);
    settings.threshold = 2.0;
    function f = {.value = sum, .count = 2, .weight = {0.3, 0.4}};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK_NEAR(c.gradient_diameter, 0.5, 1e-6);
    CHECK_NEAR(c.gradient_bound, c.mcdiarmid, 1e-6);
    ac_certificate_clear(ctx, &c);
    f.value = product;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(c.gradient_diameter >= c.diameter && c.gradient_bound >= c.mcdiarmid);
    ac_certificate_clear(ctx, &c);
    ac_context_free(ctx);
}

/* ---- failures ---- */

TEST(failed_runs_count_and_are_named)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate c;
    ac_certify_defaults(&settings);
    unit_inputs(inputs, 2);
    function f = {.value = sum, .count = 2, .weight = {0.1, 0.1}, .broken_above = 0.9};
    settings.threshold = 0.5;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(c.failed > 0 && c.failures == c.failed && c.search_failed && !c.certified);
    CHECK(c.mcdiarmid == 1.0 && c.decisive == AC_CERTIFY_CLOPPER_PEARSON && c.bound < 1.0);
    CHECK(c.rate_low <= 0.1 && 0.1 <= c.rate_high);
    CHECK_TEXT(c.reason, "it broke");
    double x0 = ac_uncertain_draw(&inputs[0], settings.seed, 0, (uint64_t)c.first_failed, 0);
    CHECK(x0 > 0.9);
    ac_certificate_clear(ctx, &c);

    /* with a measure for failed runs the bound is one of the function that has it */
    settings.has_failed_measure = true;
    settings.failed_measure = 0.6;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(c.failed > 0 && !c.search_failed && c.bound < 1.0);
    CHECK_NEAR(c.inputs[0].value, 0.6, 0.05);
    CHECK(c.bound >= 0.1);
    ac_certificate_clear(ctx, &c);

    settings.has_failed_measure = false;
    f.broken_above = 1e-9;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "never evaluated") && strstr(ac_context_message(ctx), "it broke"));
    f.broken_above = 0;
    settings.threshold = -1;
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_OK);
    CHECK(!c.certified && c.rate == 1.0 && c.rate_high == 1.0 && c.bound == 1.0);
    CHECK_NEAR(c.rate_low, pow(0.005, 1.0 / 100), 1e-12); /* no success among 100, both sides 0.99 */
    ac_certificate_clear(ctx, &c);
    ac_context_free(ctx);
}

/* ---- workers, shards, journals ---- */

static void check_same(const ac_certificate *a, const ac_certificate *b, int count)
{
    CHECK(a->mean == b->mean && a->mean_exact == b->mean_exact && a->bound == b->bound);
    CHECK(a->diameter == b->diameter && a->deviation == b->deviation && a->failures == b->failures);
    CHECK(a->bound_exact == b->bound_exact && a->rate_high == b->rate_high && a->runs == b->runs);
    for (int k = 0; k < count; ++k)
        CHECK(a->inputs[k].value == b->inputs[k].value && a->inputs[k].a == b->inputs[k].a &&
              a->inputs[k].b == b->inputs[k].b);
    for (int k = 0; k < count * count; ++k) CHECK(a->where[k] == b->where[k]);
}

static void scratch(char *path, size_t size, const char *name)
{
    snprintf(path, size, "/tmp/actio-certify-%ld-%s", (long)getpid(), name);
    unlink(path);
}

static int stop_early(void *user, double done, const char *words)
{
    (void)user, (void)words;
    return done > 0.3;
}

static double slow_sum(const double *x, int count, const double *weight)
{
    usleep(200);
    return sum(x, count, weight);
}

TEST(results_do_not_depend_on_the_number_of_workers)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[4];
    unit_inputs(inputs, 4);
    inputs[1] = (ac_uncertain){.name = "b", .distribution = AC_TRIANGULAR, .low = 0, .high = 1, .mode = 0.2};
    inputs[2] = (ac_uncertain){
        .name = "c", .distribution = AC_TRUNCATED_NORMAL, .low = 0, .high = 1, .mean = 0.5, .deviation = 0.2};
    for (int s = 0; s < 3; ++s) {
        ac_certify_settings settings;
        ac_certify_defaults(&settings);
        settings.threshold = 1.2;
        settings.samples = 3001;
        settings.mean_samples = 5000;
        settings.search = searches[s];
        settings.grid = 6;
        function f = {.value = largest, .count = 4, .weight = {1, 1.1, 1.2, 1.3}};
        ac_certificate one, other;
        CHECK(certify(ctx, &f, inputs, &settings, NULL, &one) == AC_OK);
        for (int workers = 2; workers <= 4; workers += 2) {
            ac_certify_work work = {.workers = workers};
            CHECK(certify(ctx, &f, inputs, &settings, &work, &other) == AC_OK);
            check_same(&one, &other, 4);
            ac_certificate_clear(ctx, &other);
        }
        /* shards, each by itself, then together */
        char paths[3][96];
        for (int k = 0; k < 3; ++k) {
            char name[16];
            snprintf(name, sizeof name, "part%d", k);
            scratch(paths[k], sizeof paths[k], name);
            ac_certify_work work = {
                .workers = 1 + k, .journal = paths[k], .fingerprint = 5, .shard = k + 1, .shards = 3};
            CHECK(certify(ctx, &f, inputs, &settings, &work, &other) == AC_OK);
            CHECK(!other.complete);
            ac_certificate_clear(ctx, &other);
        }
        const char *parts[3] = {paths[0], paths[1], paths[2]};
        ac_certify_work merge = {.fingerprint = 5, .parts = parts, .part_count = 3, .shard = 4, .shards = 4};
        CHECK(certify(ctx, &f, inputs, &settings, &merge, &other) == AC_OK);
        CHECK(other.complete);
        check_same(&one, &other, 4);
        ac_certificate_clear(ctx, &other);
        merge.fingerprint = 6;
        CHECK(certify(ctx, &f, inputs, &settings, &merge, &other) == AC_BAD_INPUT);
        for (int k = 0; k < 3; ++k) unlink(paths[k]);
        ac_certificate_clear(ctx, &one);
    }
    ac_context_free(ctx);
}

TEST(a_stopped_run_goes_on)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[2];
    ac_certify_settings settings;
    ac_certificate one, other;
    char path[96];
    unit_inputs(inputs, 2);
    ac_certify_defaults(&settings);
    settings.threshold = 1.8;
    settings.samples = 2000;
    function f = {.value = sum, .count = 2, .weight = {1, 1}};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &one) == AC_OK);
    scratch(path, sizeof path, "journal");
    f.value = slow_sum;
    ac_certify_work work = {.journal = path, .progress = stop_early};
    CHECK(certify(ctx, &f, inputs, &settings, &work, &other) == AC_INTERRUPTED);
    /* the last record is cut off, as by a kill in the middle of a write */
    FILE *file = fopen(path, "ab");
    CHECK(file && fwrite("half a record", 13, 1, file) == 1);
    if (file) fclose(file);
    work.progress = NULL;
    CHECK(certify(ctx, &f, inputs, &settings, &work, &other) == AC_OK);
    check_same(&one, &other, 2);
    ac_certificate_clear(ctx, &other);
    /* everything is known now: nothing runs any more */
    f.broken_above = 1e-9;
    CHECK(certify(ctx, &f, inputs, &settings, &work, &other) == AC_OK);
    check_same(&one, &other, 2);
    ac_certificate_clear(ctx, &other);
    ac_certificate_clear(ctx, &one);
    unlink(path);
    ac_context_free(ctx);
}

/* ---- bad settings ---- */

static void refuse(ac_certify_settings settings, const char *word)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain inputs[8];
    ac_certificate c;
    unit_inputs(inputs, 8);
    function f = {.value = sum, .count = 8};
    CHECK(certify(ctx, &f, inputs, &settings, NULL, &c) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), word) != NULL);
    ac_context_free(ctx);
}

TEST(bad_settings_are_refused)
{
    ac_certify_settings good, s;
    ac_certify_defaults(&good);
    s = good, s.threshold = NAN, refuse(s, "threshold");
    s = good, s.tolerance = 0, refuse(s, "tolerance");
    s = good, s.confidence = 1, refuse(s, "confidence");
    s = good, s.samples = 0, refuse(s, "sample");
    s = good, s.search = AC_SEARCH_GRID, refuse(s, "too large");
    s = good, s.annealing.factor = 1, refuse(s, "factor");
    s = good, s.starts = 0, refuse(s, "start");
}

RUN_TESTS(CASE(diameters_of_sums_products_and_maxima), CASE(interior_extrema_and_kinks_are_found),
          CASE(starts_need_a_tenth_of_the_runs_of_annealing), CASE(diameter_of_an_oscillator),
          CASE(bounds_and_confidence_factors), CASE(the_best_bound_decides),
          CASE(bounds_are_never_below_the_true_probability),
          CASE(verdict_and_what_a_larger_search_would_have_to_find), CASE(diameters_by_gradients),
          CASE(failed_runs_count_and_are_named), CASE(results_do_not_depend_on_the_number_of_workers),
          CASE(a_stopped_run_goes_on), CASE(bad_settings_are_refused))
