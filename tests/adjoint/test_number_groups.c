/* Sums by groups of numbers against the product with all slopes, and how many groups there are. */
#include "adjoint/number_groups.h"
#include "support/rig.h"
#include "test.h"

enum { NUMBERS = 40, PARAMETERS = 3 };

/* Numbers 0 to 19: multiples of one row of slopes; 20 to 29: of another; the others have rows of their own, one of a single
 * parameter. */
static int list_slopes(dice *d, ac_number_slope *slopes)
{
    const double rows[2][PARAMETERS] = {{0.3, -2.0, 7.0}, {1e-9, 4.0, -1e3}};
    int count = 0;
    for (int n = 0; n < NUMBERS; ++n) {
        double factor = dice_between(d, -2.0, 2.0);
        for (int p = 0; p < (n == NUMBERS - 1 ? 1 : PARAMETERS); ++p) {
            double slope = n < 30 ? factor * rows[n >= 20][p] : dice_between(d, -1.0, 1.0);
            slopes[count++] = (ac_number_slope){n, p, slope};
        }
    }
    return count;
}

TEST(sums_by_groups_are_the_whole_product)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {5};
    ac_number_slope slopes[NUMBERS * PARAMETERS];
    ac_number_groups groups;
    double by[NUMBERS], expected[PARAMETERS] = {0.0}, found[PARAMETERS] = {0.0}, size[PARAMETERS] = {0.0};
    int count = list_slopes(&d, slopes);
    for (int n = 0; n < NUMBERS; ++n) by[n] = dice_between(&d, -1.0, 1.0);
    CHECK(ac_number_groups_create(ctx, slopes, count, NUMBERS, &groups) == AC_OK);
    CHECK(groups.count == 12);
    double ratio = slopes[PARAMETERS].slope / slopes[0].slope; /* of number 1 to number 0 */
    CHECK(ac_number_groups_proportional(&groups, 0, 1, ratio));
    CHECK(!ac_number_groups_proportional(&groups, 0, 1, 1.001 * ratio));
    CHECK(!ac_number_groups_proportional(&groups, 0, 20, ratio) &&
          !ac_number_groups_proportional(&groups, 30, 31, 1.0));
    ac_number_groups_add(&groups, slopes, by, found);
    for (int k = 0; k < count; ++k) {
        double own = slopes[k].slope * by[slopes[k].number];
        expected[slopes[k].parameter] += own;
        size[slopes[k].parameter] += fabs(own);
    }
    for (int p = 0; p < PARAMETERS; ++p) CHECK_NEAR((found[p] - expected[p]) / size[p], 0.0, 1e-15);
    ac_number_groups_destroy(ctx, &groups);
    ac_context_free(ctx);
}

TEST(without_numbers_there_are_no_groups)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_number_groups groups;
    double to[1] = {3.0};
    CHECK(ac_number_groups_create(ctx, NULL, 0, 0, &groups) == AC_OK);
    ac_number_groups_add(&groups, NULL, NULL, to);
    CHECK(groups.count == 0 && to[0] == 3.0);
    ac_number_groups_destroy(ctx, &groups);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(sums_by_groups_are_the_whole_product), CASE(without_numbers_there_are_no_groups))
