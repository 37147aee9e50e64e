/* Sums of three sines of the inputs as measures: their diameters by the search, against those of a dense grid. */
#ifndef TESTS_SUPPORT_SINES_H
#define TESTS_SUPPORT_SINES_H

#include "actio/certify.h"
#include "certify/random.h"
#include "test.h"

enum { WAVES = 3, SINES_MOST = 3 };

typedef struct sines {
    int count;
    double height[WAVES], phase[WAVES], rate[WAVES][SINES_MOST];
} sines;

static int run_sines(void *user, const double *x, double *measure, double *gradient)
{
    const sines *f = user;
    *measure = 0;
    for (int k = 0; k < f->count && gradient; ++k) gradient[k] = 0;
    for (int w = 0; w < WAVES; ++w) {
        double angle = f->phase[w];
        for (int k = 0; k < f->count; ++k) angle += f->rate[w][k] * x[k];
        *measure += f->height[w] * sin(angle);
        for (int k = 0; k < f->count && gradient; ++k)
            gradient[k] += f->height[w] * cos(angle) * f->rate[w][k];
    }
    return 0;
}

static int measure_sines(void *user, const double *x, double *measure)
{
    return run_sines(user, x, measure, NULL);
}

static ac_status open_sines(void *user, ac_context *ctx, ac_sample_run *run)
{
    (void)ctx;
    *run = (ac_sample_run){.user = user, .run = measure_sines, .gradient = run_sines};
    return AC_OK;
}

static void close_sines(void *user, ac_sample_run *run)
{
    (void)user, (void)run;
}

/* Rates of up to `fastest` radians over the range of an input. */
static sines random_sines(int count, double fastest, uint64_t seed)
{
    ac_dice dice = {seed, 0, 97, 0};
    sines f = {.count = count};
    for (int w = 0; w < WAVES; ++w) {
        f.height[w] = 0.3 + 0.7 * ac_roll(&dice);
        f.phase[w] = 6.28 * ac_roll(&dice);
        for (int k = 0; k < count; ++k) f.rate[w][k] = fastest * (2 * ac_roll(&dice) - 1);
    }
    return f;
}

/* The diameter of an input on a grid of n points for each input. */
static double dense_diameter(sines *f, int input, int n)
{
    long lines = 1;
    double most = 0;
    for (int k = 1; k < f->count; ++k) lines *= n;
    for (long line = 0; line < lines; ++line) {
        double x[SINES_MOST], low = INFINITY, high = -INFINITY, y;
        long rest = line;
        for (int k = 0; k < f->count; ++k) {
            x[k] = (double)(rest % n) / (n - 1);
            if (k != input) rest /= n;
        }
        for (int i = 0; i < n; ++i) {
            x[input] = (double)i / (n - 1);
            measure_sines(f, x, &y);
            low = fmin(low, y);
            high = fmax(high, y);
        }
        most = fmax(most, high - low);
    }
    return most;
}

/* How many of the diameters of random sums are more than one percent too small; none may be too large. */
static int short_diameters(int count, double fastest, int seeds, int dense, long *runs)
{
    static const char *const names[] = {"a", "b", "c"};
    ac_context *ctx = ac_context_new(NULL);
    int missed = 0;
    for (int n = 0; n < seeds; ++n) {
        sines f = random_sines(count, fastest, 100 + (uint64_t)n);
        ac_uncertain inputs[SINES_MOST];
        ac_certify_settings settings;
        ac_certificate c;
        const ac_sample_source source = {&f, open_sines, close_sines};
        ac_certify_defaults(&settings);
        settings.threshold = 100;
        for (int k = 0; k < count; ++k) inputs[k] = (ac_uncertain){.name = names[k], .low = 0, .high = 1};
        CHECK(ac_certify(ctx, inputs, count, &settings, &source, NULL, &c) == AC_OK);
        for (int k = 0; k < count; ++k) {
            double truth = dense_diameter(&f, k, dense), x[SINES_MOST], high, low;
            missed += c.inputs[k].value < 0.99 * truth;
            memcpy(x, c.where + k * count, (size_t)count * sizeof *x); /* two runs attain it */
            x[k] = c.inputs[k].a;
            measure_sines(&f, x, &high);
            x[k] = c.inputs[k].b;
            measure_sines(&f, x, &low);
            CHECK_NEAR(high - low, c.inputs[k].value, 1e-12);
        }
        *runs += c.search_runs;
        ac_certificate_clear(ctx, &c);
    }
    ac_context_free(ctx);
    return missed;
}

#endif
