/* Mathematics of our own: what C's annex F says of special values, the same bits in lanes, exact values, stable sorting.
 * Errors against MPFR: test_accuracy.c. */
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "math/math.h"
#include "test.h"

static const double special[] = {0.0,     -0.0,  1.0,     -1.0,    INFINITY, -INFINITY, NAN,    0.5,
                                 -0.5,    2.0,   -2.0,    3.0,     -3.0,     1e308,     5e-324, -5e-324,
                                 DBL_MIN, 1e17,  -1e17,   DBL_MAX, -DBL_MAX, 745.0,     -746.0, 710.0,
                                 -708.5,  2e-16, -1e-300, 0x1p20,  -0x1p20};
enum { SPECIAL = sizeof special / sizeof *special };

/* Both not a number, the same zero, or numbers that differ by rounding; libm is the oracle here. */
static bool agree(double a, double b)
{
    if (b != b) return a != a;
    if (b == 0.0 || isinf(b)) return a == b && !signbit(a) == !signbit(b);
    return fabs(a - b) <= 4.0 * DBL_EPSILON * fabs(b) + 1e-323;
}

TEST(special_values_are_those_of_annex_f)
{
    static const struct {
        const char *name;
        double (*own)(double), (*libm)(double);
    } functions[] = {{"sin", ac_sin, sin},       {"cos", ac_cos, cos},    {"tan", ac_tan, tan},
                     {"asin", ac_asin, asin},    {"acos", ac_acos, acos}, {"atan", ac_atan, atan},
                     {"exp", ac_exp, exp},       {"sinh", ac_sinh, sinh}, {"cosh", ac_cosh, cosh},
                     {"tanh", ac_tanh, tanh},    {"log", ac_log, log},    {"log1p", ac_log1p, log1p},
                     {"log10", ac_log10, log10}, {"erfc", ac_erfc, erfc}};
    static const struct {
        const char *name;
        double (*own)(double, double), (*libm)(double, double);
    } pairs[] = {{"atan2", ac_atan2, atan2}, {"pow", ac_pow, pow}, {"hypot", ac_hypot, hypot}};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
        for (int i = 0; i < SPECIAL; ++i) {
            double own = functions[f].own(special[i]), libm = functions[f].libm(special[i]);
            if (!agree(own, libm))
                printf("%s(%g) = %.17g, libm %.17g\n", functions[f].name, special[i], own, libm);
            CHECK(agree(own, libm));
        }
    for (size_t f = 0; f < sizeof pairs / sizeof *pairs; ++f)
        for (int i = 0; i < SPECIAL * SPECIAL; ++i) {
            double x = special[i / SPECIAL], y = special[i % SPECIAL];
            double own = pairs[f].own(x, y), libm = pairs[f].libm(x, y);
            if (!agree(own, libm)) printf("%s(%g, %g) = %.17g, libm %.17g\n", pairs[f].name, x, y, own, libm);
            CHECK(agree(own, libm));
        }
    CHECK(ac_lgamma(0.0) == INFINITY && ac_lgamma(INFINITY) == INFINITY && isnan(ac_lgamma(-1.5)));
    CHECK(ac_lgamma(1.0) == 0.0 && ac_lgamma(2.0) == 0.0);
}

TEST(exact_values_are_exact)
{
    CHECK(ac_acos(-1.0) == M_PI && ac_asin(1.0) == M_PI_2 && ac_atan2(0.0, -1.0) == M_PI &&
          ac_atan(1.0) == M_PI_4);
    CHECK(ac_exp(0.0) == 1.0 && ac_cos(0.0) == 1.0 && ac_cosh(0.0) == 1.0 && ac_log(1.0) == 0.0);
    for (int k = -22; k <= 22; ++k) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        double power = strtod(text, NULL);
        CHECK(k < 0 || ac_pow(10.0, k) == power);
        CHECK(ac_log10(power) == k);
    }
    for (int k = -1074; k < 1024; ++k) CHECK(ac_pow(2.0, k) == ldexp(1.0, k));
    CHECK(ac_hypot(3.0 * 0x1p600, 0x1p602) == 5.0 * 0x1p600 && ac_hypot(-5e-320, 0.0) == 5e-320);
}

TEST(a_lane_has_the_bits_of_one_number)
{
    for (int k = 0; k < 50000; ++k) {
        ac_four x, y, out[4];
        for (int l = 0; l < 4; ++l) {
            double u = (double)rand() / RAND_MAX, v = (double)rand() / RAND_MAX;
            x[l] = k < SPECIAL ? special[(k + l * k) % SPECIAL] : (u - 0.5) * pow(10.0, 6.0 * v);
            y[l] = k < SPECIAL * SPECIAL ? special[k / SPECIAL] : (v - 0.5) * pow(10.0, 6.0 * u);
        }
        ac_four_sincos(&x, &out[0], &out[1]);
        ac_four_exp(&x, &out[2]);
        ac_four_atan2(&y, &x, &out[3]);
        for (int l = 0; l < 4; ++l) {
            double own[4] = {ac_sin(x[l]), ac_cos(x[l]), ac_exp(x[l]), ac_atan2(y[l], x[l])};
            for (int i = 0; i < 4; ++i) {
                double lane = out[i][l];
                CHECK(isnan(own[i]) ? isnan(lane) : memcmp(&own[i], &lane, sizeof lane) == 0);
            }
        }
    }
}

TEST(odd_functions_are_odd_and_cosine_is_even)
{
    for (int k = 0; k < 10000; ++k) {
        double x = pow(10.0, 20.0 * rand() / RAND_MAX - 10.0);
        CHECK(ac_sin(-x) == -ac_sin(x) && ac_tan(-x) == -ac_tan(x) && ac_cos(-x) == ac_cos(x));
        CHECK(ac_atan(-x) == -ac_atan(x) && ac_sinh(-x) == -ac_sinh(x) && ac_tanh(-x) == -ac_tanh(x));
    }
}

TEST(larger_and_smaller)
{
    CHECK(ac_max(1.0, 2.0) == 2.0 && ac_min(1.0, 2.0) == 1.0 && ac_max(2.0, 1.0) == 2.0 &&
          ac_min(2.0, 1.0) == 1.0);
    CHECK(ac_max(NAN, 1.0) == 1.0 && ac_max(1.0, NAN) == 1.0 && ac_min(NAN, 1.0) == 1.0 &&
          ac_min(1.0, NAN) == 1.0);
    CHECK(signbit(ac_max(-0.0, 0.0)) && !signbit(ac_max(0.0, -0.0)) && signbit(ac_min(-0.0, 0.0)));
}

typedef struct entry {
    int key, place;
    char rest[70];
} entry;

static int by_key(const void *a, const void *b)
{
    return ((const entry *)a)->key - ((const entry *)b)->key;
}

TEST(sorting_keeps_the_order_of_equal_keys)
{
    for (int count = 0; count < 300; count = count < 40 ? count + 1 : 2 * count) {
        for (int keys = 1; keys <= 1000; keys *= 10) {
            entry list[300];
            long sum = 0;
            for (int k = 0; k < count; ++k) {
                list[k] = (entry){.key = rand() % keys, .place = k};
                list[k].rest[69] = (char)(k % 100);
                sum += list[k].key;
            }
            ac_sort(list, (size_t)count, sizeof *list, by_key);
            for (int k = 0; k < count; ++k) {
                sum -= list[k].key;
                CHECK(list[k].rest[69] == list[k].place % 100);
                if (k > 0)
                    CHECK(list[k - 1].key < list[k].key ||
                          (list[k - 1].key == list[k].key && list[k - 1].place < list[k].place));
            }
            CHECK(sum == 0);
        }
    }
}

RUN_TESTS(CASE(special_values_are_those_of_annex_f), CASE(exact_values_are_exact),
          CASE(a_lane_has_the_bits_of_one_number), CASE(odd_functions_are_odd_and_cosine_is_even),
          CASE(larger_and_smaller), CASE(sorting_keeps_the_order_of_equal_keys))
