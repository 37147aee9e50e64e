/* A gradient by parameters takes as much memory as it is allowed, however long the motion is. */
#include <math.h>

#include "support/long_gradient.h"

static void check_same(const long_gradient *a, const long_gradient *b)
{
    CHECK_NEAR(a->value, b->value, 1e-12 * fabs(b->value));
    CHECK_NEAR(a->amplitude, b->amplitude, 1e-11 * fabs(b->amplitude));
    CHECK_NEAR(a->over_time, b->over_time, 1e-11 * fabs(b->over_time));
    for (int k = 0; k < LONG_PARAMETERS; ++k) CHECK_NEAR(a->by[k], b->by[k], 1e-11 * fabs(b->by[k]));
}

TEST(memory_does_not_grow_with_the_steps)
{
    enum { LIMIT = 60000 };
    const long_gradient whole = long_gradient_of(4000, 0), tight = long_gradient_of(4000, LIMIT),
                        longer = long_gradient_of(8000, LIMIT), more = long_gradient_of(8000, 0);
    printf("  4000 steps: %zu bytes, within the limit %zu; 8000 steps: %zu, %zu\n", whole.bytes, tight.bytes,
           more.bytes, longer.bytes);
    check_same(&tight, &whole);
    check_same(&longer, &more);
    CHECK(whole.stretch == 1 && whole.steps_taken == 4000);
    CHECK(tight.stretch > 1 && tight.steps_taken > 4000);
    CHECK(more.bytes > whole.bytes + 4000 * 8 * sizeof(double)); /* what is stored without a limit */
    CHECK(longer.bytes <= tight.bytes + LIMIT / 8);              /* a state more or less */
    CHECK(longer.steps_taken < 6 * 8000);                        /* and the schedule is no worse */
}

/* The last stretch is shorter than the others; a limit below everything still gives the gradient. */
TEST(any_limit_gives_the_same_gradient)
{
    static const size_t limits[] = {1, 3000, 20000, 100000, 1000000};
    const long_gradient whole = long_gradient_of(503, 0);
    for (int k = 0; k < 5; ++k) {
        const long_gradient limited = long_gradient_of(503, limits[k]);
        check_same(&limited, &whole);
    }
}

RUN_TESTS(CASE(memory_does_not_grow_with_the_steps), CASE(any_limit_gives_the_same_gradient))
