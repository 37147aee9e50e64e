/* The gradient of a million steps within two megabytes: that of the stored motion, which takes a hundred times as much. */
#include <math.h>

#include "support/long_gradient.h"

TEST(a_million_steps_in_bounded_memory)
{
    const long_gradient stored = long_gradient_of(1000000, 0), limited = long_gradient_of(1000000, 2000000);
    printf("  stored %zu bytes; limited %zu bytes, %ld steps taken, rows of %ld intervals\n", stored.bytes,
           limited.bytes, limited.steps_taken, limited.stretch);
    CHECK(limited.bytes < 4000000);
    CHECK(stored.bytes > 100000000);
    CHECK_NEAR(limited.value, stored.value, 1e-11 * fabs(stored.value));
    for (int k = 0; k < LONG_PARAMETERS; ++k)
        CHECK_NEAR(limited.by[k], stored.by[k], 1e-10 * fabs(stored.by[k]));
}

RUN_TESTS(CASE(a_million_steps_in_bounded_memory))
