/* A small test harness: a test file includes this, writes TEST(name) { ... } functions and lists them in
 * RUN_TESTS(...). A failed check prints place and values and lets the test go on; the program's exit status
 * tells ctest. */
#ifndef ACTIO_TESTS_TEST_H
#define ACTIO_TESTS_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int test_failures;
static int test_checks;

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

#define TEST(name) static void name(void)

#define CHECK(condition)                                                   \
    do {                                                                   \
        ++test_checks;                                                     \
        if (!(condition)) {                                                \
            ++test_failures;                                               \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                  \
    } while (0)

/* |actual - expected| <= tolerance; fails for NaN. */
#define CHECK_NEAR(actual, expected, tolerance)                                                       \
    do {                                                                                              \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);                  \
        ++test_checks;                                                                                \
        if (!(fabs(actual_ - expected_) <= tolerance_)) {                                             \
            ++test_failures;                                                                          \
            printf("%s:%d: %s = %.17g, expected %.17g within %g (off by %.3g)\n", __FILE__, __LINE__, \
                   #actual, actual_, expected_, tolerance_, actual_ - expected_);                     \
        }                                                                                             \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                                 \
    do {                                                                                             \
        const char *actual_ = (actual), *expected_ = (expected);                                     \
        ++test_checks;                                                                               \
        if (!actual_ || strcmp(actual_, expected_) != 0) {                                           \
            ++test_failures;                                                                         \
            printf("%s:%d: %s\n  is       \"%s\"\n  expected \"%s\"\n", __FILE__, __LINE__, #actual, \
                   actual_ ? actual_ : "(null)", expected_);                                         \
        }                                                                                            \
    } while (0)

/* clang-format off */
#define CASE(function) {#function, function}
/* clang-format on */

#define RUN_TESTS(...)                                                                   \
    int main(void)                                                                       \
    {                                                                                    \
        const test_case cases[] = {__VA_ARGS__};                                         \
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {                      \
            int before = test_failures;                                                  \
            cases[i].run();                                                              \
            printf("%s %s\n", test_failures == before ? "ok  " : "FAIL", cases[i].name); \
        }                                                                                \
        printf("%d checks, %d failed\n", test_checks, test_failures);                    \
        return test_failures ? 1 : 0;                                                    \
    }

#endif
