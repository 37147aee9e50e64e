/* Signals: constant, table and expression of time. */
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

RUN_TESTS(CASE(derivatives_by_time), CASE(a_constant_does_not_change),
          CASE(a_table_is_linear_between_and_constant_outside), CASE(bad_tables_are_refused),
          CASE(an_expression_of_time))
