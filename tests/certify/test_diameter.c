/* Diameters of measures with many extrema: sums of three sines over up to two periods. tests/long has more of them. */
#include "support/sines.h"

TEST(the_search_finds_the_diameters_of_sums_of_sines)
{
    long runs = 0;
    CHECK(short_diameters(1, 12.0, 20, 4001, &runs) == 0);
    CHECK(short_diameters(2, 12.0, 25, 161, &runs) <= 2); /* of 50 */
    printf("  %ld runs for 45 searches\n", runs);
}

RUN_TESTS(CASE(the_search_finds_the_diameters_of_sums_of_sines))
