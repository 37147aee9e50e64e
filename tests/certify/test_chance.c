/* Random numbers, distributions and functions of probability, against known answers. */
#include "actio/certify.h"
#include "certify/chance.h"
#include "certify/random.h"
#include "test.h"

/* Known answers of Random123 (kat_vectors, philox4x32 10). */
TEST(philox_has_its_known_answers)
{
    static const uint32_t counters[3][4] = {{0, 0, 0, 0},
                                            {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                                            {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
    static const uint32_t keys[3][2] = {{0, 0}, {0xffffffffu, 0xffffffffu}, {0xa4093822u, 0x299f31d0u}};
    static const uint32_t answers[3][4] = {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
                                           {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
                                           {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
    for (int k = 0; k < 3; ++k) {
        uint32_t out[4];
        ac_philox(counters[k], keys[k], out);
        for (int i = 0; i < 4; ++i) CHECK(out[i] == answers[k][i]);
    }
}

TEST(uniform_numbers_have_their_mean_and_variance)
{
    enum { COUNT = 200000 };
    double sum = 0, squares = 0, products = 0, before = 0.5;
    for (int k = 0; k < COUNT; ++k) {
        double x = ac_random(7, 0, (uint64_t)k, 3);
        CHECK(x > 0.0 && x < 1.0);
        sum += x;
        squares += x * x;
        products += (x - 0.5) * (before - 0.5);
        before = x;
    }
    CHECK_NEAR(sum / COUNT, 0.5, 3e-3);
    CHECK_NEAR(squares / COUNT, 1.0 / 3.0, 3e-3);
    CHECK_NEAR(products / COUNT, 0.0, 1e-3);
}

/* Tables of the normal distribution. */
TEST(normal_distribution)
{
    CHECK_NEAR(ac_normal(1.0), 0.84134474606854294859, 1e-15);
    CHECK_NEAR(ac_normal_inverse(0.975), 1.9599639845400542355, 1e-13);
    CHECK_NEAR(ac_normal_inverse(1e-10), -6.3613409024040561991, 1e-12);
    for (double p = 0.001; p < 1; p += 0.013) CHECK_NEAR(ac_normal(ac_normal_inverse(p)), p, 1e-15);
}

/* I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a, I_x(2, 2) = 3 x^2 - 2 x^3. */
TEST(incomplete_beta_function)
{
    for (double x = 0.05; x < 1; x += 0.05) {
        CHECK_NEAR(ac_beta(1, 7.5, x), 1 - pow(1 - x, 7.5), 1e-14);
        CHECK_NEAR(ac_beta(3.2, 1, x), pow(x, 3.2), 1e-14);
        CHECK_NEAR(ac_beta(2, 2, x), x * x * (3 - 2 * x), 1e-14);
        if (x < 0.8) CHECK_NEAR(ac_beta_inverse(4.5, 9.25, ac_beta(4.5, 9.25, x)), x, 1e-10);
    }
}

/* Without a failure the upper limit is 1 - (eps'/2)^(1/m); 10 of 100 at 95 %: 0.0490 to 0.1762 (printed tables). */
TEST(clopper_pearson)
{
    double low, high;
    ac_clopper_pearson(0, 100, 0.95, &low, &high);
    CHECK_NEAR(low, 0.0, 0.0);
    CHECK_NEAR(high, 1 - pow(0.025, 0.01), 1e-12);
    ac_clopper_pearson(100, 100, 0.95, &low, &high);
    CHECK_NEAR(low, pow(0.025, 0.01), 1e-12);
    CHECK_NEAR(high, 1.0, 0.0);
    ac_clopper_pearson(10, 100, 0.95, &low, &high);
    CHECK_NEAR(low, 0.0490, 5e-5);
    CHECK_NEAR(high, 0.1762, 5e-5);
}

TEST(quantiles_of_all_distributions)
{
    static const double list[] = {3.0, -1.0, 2.0, 2.5};
    ac_context *ctx = ac_context_new(NULL);
    ac_uncertain uniform = {.name = "u", .low = -1, .high = 3};
    ac_uncertain normal = {.name = "n",
                           .distribution = AC_TRUNCATED_NORMAL,
                           .low = -1,
                           .high = 1,
                           .mean = 0.2,
                           .deviation = 0.5};
    ac_uncertain triangular = {.name = "t", .distribution = AC_TRIANGULAR, .low = 0, .high = 4, .mode = 1};
    ac_uncertain given = {.name = "g", .distribution = AC_GIVEN_SAMPLES, .samples = list, .sample_count = 4};
    CHECK(ac_uncertain_check(ctx, &uniform) == AC_OK && ac_uncertain_check(ctx, &normal) == AC_OK);
    CHECK(ac_uncertain_check(ctx, &triangular) == AC_OK && ac_uncertain_check(ctx, &given) == AC_OK);
    CHECK_NEAR(given.low, -1.0, 0.0);
    CHECK_NEAR(given.high, 3.0, 0.0);
    CHECK_NEAR(ac_uncertain_quantile(&uniform, 0.25), 0.0, 1e-15);
    /* the cumulative distribution at the quantile is p again */
    for (double p = 0.02; p < 1; p += 0.04) {
        double z = ac_uncertain_quantile(&normal, p);
        double low = ac_normal((-1 - 0.2) / 0.5), high = ac_normal((1 - 0.2) / 0.5);
        CHECK_NEAR((ac_normal((z - 0.2) / 0.5) - low) / (high - low), p, 1e-13);
        double t = ac_uncertain_quantile(&triangular, p);
        CHECK_NEAR(t < 1 ? t * t / 4 : 1 - (4 - t) * (4 - t) / 12, p, 1e-13);
    }
    CHECK_NEAR(ac_uncertain_quantile(&given, 0.3), -1.0, 0.0);
    CHECK_NEAR(ac_uncertain_quantile(&given, 0.99999), 2.5, 0.0);
    ac_context_free(ctx);
}

static void check_refused(ac_uncertain input, const char *word)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(ac_uncertain_check(ctx, &input) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), word) != NULL);
    ac_context_free(ctx);
}

TEST(wrong_inputs_are_refused)
{
    check_refused((ac_uncertain){.name = "x", .low = 1, .high = 1}, "empty");
    check_refused((ac_uncertain){.name = "x", .low = 2, .high = 1}, "from 2 to 1");
    check_refused((ac_uncertain){.name = "x", .low = 0, .high = INFINITY}, "not bounded");
    check_refused(
        (ac_uncertain){.name = "x", .distribution = AC_TRUNCATED_NORMAL, .low = 0, .high = 1, .mean = 0.5},
        "deviation");
    check_refused(
        (ac_uncertain){
            .name = "x", .distribution = AC_TRUNCATED_NORMAL, .low = 0, .high = 1, .mean = 2, .deviation = 1},
        "outside");
    check_refused((ac_uncertain){.name = "x", .distribution = AC_TRIANGULAR, .low = 0, .high = 1, .mode = -1},
                  "mode");
    check_refused((ac_uncertain){.name = "x", .distribution = AC_GIVEN_SAMPLES}, "empty list");
}

RUN_TESTS(CASE(philox_has_its_known_answers), CASE(uniform_numbers_have_their_mean_and_variance),
          CASE(normal_distribution), CASE(incomplete_beta_function), CASE(clopper_pearson),
          CASE(quantiles_of_all_distributions), CASE(wrong_inputs_are_refused))
