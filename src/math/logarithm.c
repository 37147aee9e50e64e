/* Logarithms and powers. */
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "math/logarithm.h"
#include "math/one.h"

/* x = 2^k m with m between sqrt(1/2) and sqrt(2), for finite x > 0 */
static double take_apart(double x, double *k)
{
    int more = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        more = 54;
    }
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const uint64_t bits = one_as_word(x) + (one - root);
    *k = (double)((int)(bits >> 52) - 1023 - more);
    return one_as_number((bits & ((UINT64_C(1) << 52) - 1)) + root);
}

/* What log gives for numbers without a logarithm and for infinity. */
static double no_logarithm(double x)
{
    return x == 0.0 ? -INFINITY : x > 0.0 ? x : NAN;
}

/* k log 2 + log(1 + f) with s = f/(2 + f): log(1 + f) = 2 s + s^3 R(s^2) = f - (f^2/2 - s (f^2/2 + s^2 R)) */
double ac_log(double x)
{
    if (!(x > 0.0 && x < INFINITY)) return no_logarithm(x);
    double k, f = take_apart(x, &k) - 1.0;
    const double s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    /* 2^-59 */
    const double R = z *
                     ((0.6666666666666734 + z * 0.3999999999941656) +
                      w * ((0.28571428742048455 + z * 0.22222198602256116) +
                           w * ((0.18183563048643014 + z * 0.15314078480422277) + w * 0.14795708113215028)));
    return k * 0x1.62e42fefa2p-1 - ((half - (s * (half + R) + k * 0x1.9ef35793c7673p-41)) - f);
}

void ac_accurate_log(double x, double out[2])
{
    double k, m = take_apart(x, &k);
    const double f = m - 1.0;
    FAST_TWO_SUM(d, d_error, 1.0, m);
    const double s = f / d;
    TWO_PRODUCT(back, back_error, s, d);
    const double s_low = (((f - back) - back_error) - s * (d_error)) / d;
    TWO_PRODUCT(z, z_error, s, s);
    const double z_low = z_error + 2.0 * s * s_low;
    TWO_PRODUCT(cube, cube_error, s, z);
    const double cube_low = cube_error + (s * z_low + s_low * z);
    TWO_PRODUCT(third, third_error, cube, 0x1.5555555555555p-1);
    const double third_low = third_error + (cube * 0x1.5555555555555p-55 + cube_low * 0x1.5555555555555p-1);
    const double w = z * z;
    /* 2^-66 */
    const double rest =
        cube * z *
        ((0.40000000000002256 + z * 0.28571428570100077) +
         w * ((0.22222222519790705 + z * 0.1818178437999765) +
              w * ((0.15386756742072896 + z * 0.1325683062020193) + w * 0.13196219892102065)));
    FAST_TWO_SUM(first, first_error, k * 0x1.62e42fefa2p-1, 2.0 * s);
    FAST_TWO_SUM(second, second_error, first, third);
    const double low = first_error +
                       (second_error + (rest + (k * 0x1.9ef35793c7673p-41 + (2.0 * s_low + third_low))));
    out[0] = second + low;
    out[1] = (second - out[0]) + low;
}

double ac_log1p(double x)
{
    if (!(x > -1.0 && x < INFINITY)) return no_logarithm(1.0 + x);
    if (fabs(x) < 0x1p-60) return x;
    TWO_SUM(sum, error, 1.0, x);
    double log[2];
    ac_accurate_log(sum, log);
    return log[0] + (log[1] + error / sum);
}

double ac_log10(double x)
{
    if (!(x > 0.0 && x < INFINITY)) return no_logarithm(x);
    double log[2];
    ac_accurate_log(x, log);
    TWO_PRODUCT(product, error, log[0], 0x1.bcb7b1526e50ep-2);
    return product + (error + (log[0] * 0x1.95355baaafad3p-57 + log[1] * 0x1.bcb7b1526e50ep-2));
}

/* exp(y log x) for finite x > 0 */
static double power(double x, double y)
{
    double log[2], e[2];
    uint64_t twice[2];
    ac_accurate_log(x, log);
    y = ac_max(-0x1p64, ac_min(y, 0x1p64)); /* a larger one gives 0, 1 or infinity as well */
    TWO_PRODUCT(product, error, y, log[0]);
    const double low = fabs(product) < 1000.0 ? error + y * log[1] : 0.0;
    one_exponential(&product, &low, e, twice);
    return SCALED(SCALED(e[0], twice[0]), twice[1]);
}

/* Special cases as C has them (annex F). */
double ac_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return x + y;
    const double size = fabs(x);
    const int whole = fabs(y) >= 0x1p53 || y == trunc(y);
    const int odd = whole && fabs(y) < 0x1p53 && fmod(y, 2.0) != 0.0;
    double value;
    if (fabs(y) == INFINITY)
        value = size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    else if (size == 0.0 || size == INFINITY)
        value = (size > 0.0) == (y > 0.0) ? INFINITY : 0.0;
    else if (x < 0.0 && !whole)
        value = NAN;
    else
        value = power(size, y);
    return odd ? copysign(value, x) : value;
}
