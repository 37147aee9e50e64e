/* Errors of src/math in units in the last place, against MPFR with 160 bits. */
#ifndef ACTIO_TESTS_SUPPORT_ACCURACY_H
#define ACTIO_TESTS_SUPPORT_ACCURACY_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "math/math.h"

typedef struct accuracy_case {
    const char *name;
    double bound;
    double (*one)(double);
    double (*two)(double, double);
    int (*exact_one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*exact_two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
    struct {
        double low, high; /* sizes of both signs between powers of ten, or numbers between low and high */
        bool powers;
    } range[3];
} accuracy_case;

static const accuracy_case accuracy_cases[] = {
    {"sin", 1, ac_sin, NULL, mpfr_sin, NULL, {{-4, 4, false}, {-12, 7, true}, {0, 308, true}}},
    {"cos", 1, ac_cos, NULL, mpfr_cos, NULL, {{-4, 4, false}, {-12, 7, true}, {0, 308, true}}},
    {"tan", 1, ac_tan, NULL, mpfr_tan, NULL, {{-4, 4, false}, {-12, 7, true}, {0, 308, true}}},
    {"asin", 1, ac_asin, NULL, mpfr_asin, NULL, {{-1, 1, false}, {-300, 0, true}, {0.9999, 1, false}}},
    {"acos", 1, ac_acos, NULL, mpfr_acos, NULL, {{-1, 1, false}, {-20, 0, true}, {0.9999, 1, false}}},
    {"atan", 1, ac_atan, NULL, mpfr_atan, NULL, {{-3, 3, false}, {-300, 300, true}, {-2, 2, true}}},
    {"atan2", 1, NULL, ac_atan2, NULL, mpfr_atan2, {{-1, 1, false}, {-150, 150, true}, {-2, 2, true}}},
    {"exp", 1, ac_exp, NULL, mpfr_exp, NULL, {{-1, 1, false}, {-20, 2.85, true}, {-708, 709, false}}},
    {"sinh", 3, ac_sinh, NULL, mpfr_sinh, NULL, {{-1, 1, false}, {-20, 2.85, true}, {-50, 50, false}}},
    {"cosh", 3, ac_cosh, NULL, mpfr_cosh, NULL, {{-1, 1, false}, {-20, 2.85, true}, {-50, 50, false}}},
    {"tanh", 3, ac_tanh, NULL, mpfr_tanh, NULL, {{-1, 1, false}, {-20, 2, true}, {-25, 25, false}}},
    {"log", 1, ac_log, NULL, mpfr_log, NULL, {{0.5, 2, false}, {1e-9, 1e3, false}, {-320, 308, true}}},
    {"log1p",
     1,
     ac_log1p,
     NULL,
     mpfr_log1p,
     NULL,
     {{-0.999, 1, false}, {-1e-3, 1e-3, false}, {-20, 0, true}}},
    {"log10", 3, ac_log10, NULL, mpfr_log10, NULL, {{0.5, 2, false}, {1e-9, 1e3, false}, {-320, 308, true}}},
    {"pow", 1, NULL, ac_pow, NULL, mpfr_pow, {{0.01, 100, false}, {1e-3, 10, false}, {0, 2.1, true}}},
    {"hypot", 1, NULL, ac_hypot, NULL, mpfr_hypot, {{-1, 1, false}, {-300, 300, true}, {-3, 3, true}}},
    {"erfc", 3, ac_erfc, NULL, mpfr_erfc, NULL, {{-3, 3, false}, {0, 26, false}, {-9, 0, true}}},
    {"lgamma",
     3,
     ac_lgamma,
     NULL,
     mpfr_lngamma,
     NULL,
     {{1e-3, 4, false}, {1e-9, 60, false}, {1, 1e6, false}}},
};

enum { ACCURACY_CASES = sizeof accuracy_cases / sizeof *accuracy_cases };

/* between 0 and 1 */
static double accuracy_roll(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double accuracy_argument(const accuracy_case *c, int range, uint64_t *state)
{
    const double low = c->range[range].low, high = c->range[range].high, u = accuracy_roll(state);
    if (!c->range[range].powers) return low + u * (high - low);
    const bool positive = c->exact_one == mpfr_log || c->exact_one == mpfr_log10 || c->exact_two == mpfr_pow;
    return (positive || accuracy_roll(state) < 0.5 ? 1.0 : -1.0) * pow(10.0, low + u * (high - low));
}

/* |value - exact| in units of the last place of the exact value. */
static double accuracy_error(double value, mpfr_t exact)
{
    if (mpfr_zero_p(exact)) return value == 0.0 ? 0.0 : INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, 160);
    mpfr_sub_d(difference, exact, value, MPFR_RNDN);
    mpfr_exp_t e = mpfr_get_exp(exact);
    mpfr_mul_2si(difference, difference, 53 - (e > -1021 ? e : -1021), MPFR_RNDN);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

/* The largest error of a function over `points` arguments, and where. */
static double accuracy_worst(const accuracy_case *c, long points, double at[2])
{
    uint64_t state = 1;
    double worst = 0.0;
    mpfr_t x, y, exact;
    mpfr_inits2(160, x, y, exact, (mpfr_ptr)0);
    for (long k = 0; k < points; ++k) {
        const int range = (int)(k % 3);
        const double a = accuracy_argument(c, range, &state);
        const double b = c->exact_two == mpfr_pow
                             ? 600.0 * (accuracy_roll(&state) - 0.5) / (fabs(log(a)) + 1e-3)
                             : accuracy_argument(c, range, &state);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        if (c->one)
            c->exact_one(exact, x, MPFR_RNDN);
        else
            c->exact_two(exact, x, y, MPFR_RNDN);
        const double error = accuracy_error(c->one ? c->one(a) : c->two(a, b), exact);
        if (!(error <= worst)) {
            worst = error;
            at[0] = a;
            at[1] = b;
        }
    }
    mpfr_clears(x, y, exact, (mpfr_ptr)0);
    return worst;
}

/* The largest error of sine, cosine and tangent at the numbers nearest to `count` multiples of pi/2, small and large, where a reduction
 * of the angle loses most. */
static double accuracy_near_quarters(int count, double at[2])
{
    static int (*const exact[])(mpfr_t, const mpfr_t, mpfr_rnd_t) = {mpfr_sin, mpfr_cos, mpfr_tan};
    static double (*const ours[])(double) = {ac_sin, ac_cos, ac_tan};
    uint64_t state = 2;
    double worst = 0.0;
    mpfr_t angle, value, rounded;
    mpfr_inits2(1300, angle, value, (mpfr_ptr)0);
    mpfr_init2(rounded, 160);
    for (int k = 0; k < count; ++k) {
        const double turns = k % 2 ? 1.0 + k / 2 : floor(pow(2.0, 53.0 * accuracy_roll(&state)));
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_d(angle, angle, 0.5 * turns, MPFR_RNDN);
        const double x = mpfr_get_d(angle, MPFR_RNDN);
        mpfr_set_d(angle, x, MPFR_RNDN);
        for (int i = 0; i < 3; ++i) {
            exact[i](value, angle, MPFR_RNDN);
            mpfr_set(rounded, value, MPFR_RNDN);
            const double error = accuracy_error(ours[i](x), rounded);
            if (!(error <= worst)) {
                worst = error;
                at[0] = x;
            }
        }
    }
    mpfr_clears(angle, value, rounded, (mpfr_ptr)0);
    return worst;
}

/* All functions; `report` prints the table of the README. */
static bool accuracy_check(long points, int quarters, bool report)
{
    bool good = true;
    for (int i = 0; i < ACCURACY_CASES; ++i) {
        const accuracy_case *c = &accuracy_cases[i];
        double at[2] = {0};
        const double worst = accuracy_worst(c, points, at);
        if (report) printf("%-8s %.2f\n", c->name, worst);
        if (worst < c->bound) continue;
        printf("%s(%.17g, %.17g): error %.2f, bound %.0f\n", c->name, at[0], at[1], worst, c->bound);
        good = false;
    }
    double at[2] = {0};
    const double worst = accuracy_near_quarters(quarters, at);
    if (report) printf("near quarter turns %.2f\n", worst);
    if (worst >= 1.0) printf("near quarter turns, %.17g: error %.2f, bound 1\n", at[0], worst);
    return good && worst < 1.0;
}

#endif
