/* Signals: constant, table and expression of time. */
#include <math.h>

#include "actio/signal.h"
#include "test.h"

TEST(a_constant_does_not_change)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_signal *s;
    CHECK(ac_signal_constant(ctx, 2.5, &s) == AC_OK);
    CHECK(ac_signal_value(s, -1) == 2.5);
    CHECK(ac_signal_value(s, 1e9) == 2.5);
    ac_signal_free(s);
    ac_context_free(ctx);
}

TEST(a_table_is_linear_between_and_constant_outside)
{
    ac_context *ctx = ac_context_new(NULL);
    const double time[] = {0, 1, 3, 4}, value[] = {1, 3, -1, 0};
    ac_signal *s;
    CHECK(ac_signal_table(ctx, 4, time, value, &s) == AC_OK);
    CHECK(ac_signal_value(s, -5) == 1);
    CHECK(ac_signal_value(s, 9) == 0);
    for (int k = 0; k < 4; ++k) CHECK(ac_signal_value(s, time[k]) == value[k]);
    CHECK_NEAR(ac_signal_value(s, 0.25), 1.5, 1e-15);
    CHECK_NEAR(ac_signal_value(s, 2), 1, 1e-15);
    CHECK_NEAR(ac_signal_value(s, 3.5), -0.5, 1e-15);
    ac_signal_free(s);
    CHECK(ac_signal_table(ctx, 1, time, value, &s) == AC_OK);
    CHECK(ac_signal_value(s, 7) == 1);
    ac_signal_free(s);
    ac_context_free(ctx);
}

/* Controls that are constant in every step act with their own value there, also where times are rounded. */
TEST(steps_hold_until_the_next_time)
{
    ac_context *ctx = ac_context_new(NULL);
    const double time[] = {0, 0.1, 0.2, 0.3, 0.4}, value[] = {1, -3, 5, 0, 7};
    double first, second;
    ac_signal *s = NULL;
    CHECK(ac_signal_steps(ctx, 5, time, value, &s) == AC_OK);
    CHECK(ac_signal_value(s, -1) == 1);
    CHECK(ac_signal_value(s, 9) == 7);
    for (int k = 0; k < 5; ++k) {
        CHECK(ac_signal_value(s, time[k]) == value[k]);
        CHECK(ac_signal_derivatives(s, time[k] + 0.09, &first, &second) == value[k]);
        CHECK(first == 0 && second == 0);
        CHECK_NEAR(ac_signal_mean(s, k * 0.1, 0.1), value[k], 1e-13);
    }
    CHECK_NEAR(ac_signal_mean(s, 0.05, 0.1), -1, 1e-14);
    CHECK_NEAR(ac_signal_mean(s, -0.1, 1), 0.2 - 0.3 + 0.5 + 0.5 * 7, 1e-14);
    ac_signal_free(s);
    CHECK(ac_signal_steps(ctx, 0, time, value, &s) == AC_BAD_INPUT);
    CHECK(s == NULL);
    ac_context_free(ctx);
}

TEST(bad_tables_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    const double time[] = {0, 1, 1}, value[] = {0, NAN, 0};
    ac_signal *s;
    CHECK(ac_signal_table(ctx, 0, time, value, &s) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "a table needs at least one point");
    CHECK(ac_signal_table(ctx, 2, time, value, &s) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "point 2 of the table is not a finite number");
    CHECK(ac_signal_table(ctx, 3, time, time, &s) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "times of a table must increase: 1 follows 1");
    CHECK(s == NULL);
    ac_context_free(ctx);
}

TEST(an_expression_of_time)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_signal *s;
    CHECK(ac_signal_expression(ctx, "2*sin(3*t)", &s) == AC_OK);
    CHECK_NEAR(ac_signal_value(s, 0.5), 2 * sin(1.5), 1e-15);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "2*x", &s) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "unknown name 'x'");
    CHECK(s == NULL);
    ac_signal_free(NULL);
    ac_context_free(ctx);
}

/* Against differences; of a table the slope of its piece. */
TEST(derivatives_by_time)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_signal *wave = NULL, *table = NULL;
    double first, second;
    const double time[] = {0, 1, 3}, value[] = {2, 4, 0}, e = 1e-4;
    CHECK(ac_signal_expression(ctx, "2*sin(3*t) + t^3", &wave) == AC_OK);
    CHECK(ac_signal_table(ctx, 3, time, value, &table) == AC_OK);
    CHECK_NEAR(ac_signal_derivatives(wave, 0.7, &first, &second), ac_signal_value(wave, 0.7), 0);
    double up = ac_signal_value(wave, 0.7 + e), down = ac_signal_value(wave, 0.7 - e);
    CHECK_NEAR(first, (up - down) / (2 * e), 1e-6);
    CHECK_NEAR(second, (up + down - 2 * ac_signal_value(wave, 0.7)) / (e * e), 1e-5);
    CHECK_NEAR(ac_signal_derivatives(table, 2, &first, &second), 2, 1e-15);
    CHECK_NEAR(first, -2, 1e-15);
    CHECK_NEAR(second, 0, 0);
    ac_signal_derivatives(table, 5, &first, &second);
    CHECK_NEAR(first, 0, 0);
    ac_signal_free(wave);
    ac_signal_free(table);
    ac_context_free(ctx);
}

/* Means over an interval against integrals by hand: a table with a pulse shorter than the interval, jumps and pulses of
 * expressions, a smooth function against its integral. */
TEST(means_over_an_interval)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_signal *s = NULL;
    const double time[] = {0, 0.01021, 0.01026, 0.01031}, value[] = {0, 0, 2000, 0};
    CHECK(ac_signal_table(ctx, 4, time, value, &s) == AC_OK);
    CHECK_NEAR(ac_signal_mean(s, 0.010, 0.001), 100, 1e-9); /* 1/2 0.0001 2000 / 0.001 */
    CHECK_NEAR(ac_signal_mean(s, 0.011, 0.001), 0, 0);
    CHECK_NEAR(ac_signal_mean(s, 0.01026, 0), 2000, 0);
    CHECK_NEAR(ac_signal_mean(s, -1, 2), 0.05, 1e-15);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "3*(step(t-0.30001)-step(t-0.30002))", &s) == AC_OK);
    CHECK_NEAR(ac_signal_mean(s, 0, 1), 3e-5, 1e-14);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "abs(t-0.3)", &s) == AC_OK);
    CHECK_NEAR(ac_signal_mean(s, 0, 1), 0.5 * (0.09 + 0.49), 1e-14);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "max(0, min(1, 10*t - 2))", &s) == AC_OK);
    CHECK_NEAR(ac_signal_mean(s, 0, 1), 0.05 + 0.7, 1e-13);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "max(t, t) + min(tan(t), 1e9)", &s) ==
          AC_OK); /* may switch everywhere: it ends */
    CHECK_NEAR(ac_signal_mean(s, 0, 1), 0.5 - log(cos(1)), 1e-9);
    ac_signal_free(s);
    CHECK(ac_signal_expression(ctx, "sin(50*t)", &s) == AC_OK);
    CHECK_NEAR(ac_signal_mean(s, 0, 1), (1 - cos(50)) / 50, 1e-11);
    ac_signal_free(s);
    ac_context_free(ctx);
}

/* By the step, against differences: on [n h, (n + 1) h]. */
TEST(slopes_of_means)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_signal *s[2] = {NULL, NULL};
    const double time[] = {0, 0.5, 2}, value[] = {1, 3, -2}, n = 3, h = 0.13, e = 1e-5;
    CHECK(ac_signal_expression(ctx, "2*sin(3*t) + t^3", &s[0]) == AC_OK);
    CHECK(ac_signal_table(ctx, 3, time, value, &s[1]) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        double first, second, up, down, unused;
        CHECK_NEAR(ac_signal_mean_slopes(s[k], n, h, &first, &second), ac_signal_mean(s[k], n * h, h), 0);
        ac_signal_mean_slopes(s[k], n, h + e, &up, &unused);
        ac_signal_mean_slopes(s[k], n, h - e, &down, &unused);
        double value_up = ac_signal_mean(s[k], n * (h + e), h + e),
               value_down = ac_signal_mean(s[k], n * (h - e), h - e);
        CHECK_NEAR(first, (value_up - value_down) / (2 * e), 1e-6);
        CHECK_NEAR(second, (up - down) / (2 * e), 1e-7 * (1 + fabs(second)));
        ac_signal_free(s[k]);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(means_over_an_interval), CASE(slopes_of_means), CASE(derivatives_by_time),
          CASE(a_constant_does_not_change), CASE(a_table_is_linear_between_and_constant_outside),
          CASE(steps_hold_until_the_next_time), CASE(bad_tables_are_refused), CASE(an_expression_of_time))
