/* Diameters of sums of three sines over up to two periods, 200 of each kind: at most 1 in 25 more than one percent too small. */
#include "support/sines.h"

TEST(few_diameters_of_sums_of_sines_are_short)
{
    static const struct {
        int count, dense;
        double fastest;
    } kinds[] = {{1, 4001, 12}, {1, 4001, 25}, {2, 201, 3}, {2, 201, 6},
                 {2, 201, 12},  {3, 61, 6},    {3, 61, 12}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        long runs = 0;
        int count = kinds[k].count, seeds = count == 3 ? 50 : 200;
        int missed = short_diameters(count, kinds[k].fastest, seeds, kinds[k].dense, &runs);
        printf("  %d inputs, up to %g rad: %d of %d short, %ld runs for each\n", count, kinds[k].fastest,
               missed, count * seeds, runs / seeds);
        CHECK(missed * 25 <= count * seeds);
    }
}

RUN_TESTS(CASE(few_diameters_of_sums_of_sines_are_short))
