/* Exponential and hyperbolic functions. */
#include <math.h>

#include "math/math.h"
#include "math/one.h"

double ac_exp(double x)
{
    double out;
    one_exp(&x, &out);
    return out;
}

/* sinh x - x and cosh x - 1 for |x| < 0.35; relative to x 2^-59, to 1 2^-66 */
static void near_zero(double x, double *sine, double *cosine)
{
    const double z = x * x, w = z * z;
    *sine = x * z *
            ((0.16666666666666666 + z * 0.008333333333333333) +
             w * ((0.0001984126984126277 + z * 2.755731924861721e-06) +
                  w * (2.5052069612234677e-08 + z * 1.6087170907940627e-10)));
    *cosine = z * ((0.5 + z * 0.04166666666666668) +
                   w * ((0.001388888888887828 + z * 2.4801587338540415e-05) +
                        w * (2.7557261055508104e-07 + z * 2.0918952345998524e-09)));
}

/* exp(x)/2 and exp(-x)/2, each as a sum of two numbers, x < 40 */
static void both_halves(double x, double up[2], double down[2])
{
    double e[2];
    uint64_t twice[2];
    const double zero = 0.0;
    one_exponential(&x, &zero, e, twice);
    const double factor = SCALED(0.5, twice[0] + twice[1]), inverse = SCALED(0.5, -(twice[0] + twice[1]));
    const double d = 1.0 / e[0];
    TWO_PRODUCT(back, back_error, d, e[0]);
    up[0] = e[0] * factor;
    up[1] = e[1] * factor;
    down[0] = d * inverse;
    down[1] = d * (((1.0 - back) - back_error) - d * e[1]) * inverse;
}

/* exp(x)/2 where exp(-x) is below its rounding; overflows only where the half does */
static double large_half(double x)
{
    double e[2];
    uint64_t twice[2];
    const double zero = 0.0;
    one_exponential(&x, &zero, e, twice);
    return SCALED(SCALED(0.5 * e[0], twice[0]), twice[1]);
}

double ac_sinh(double x)
{
    const double size = fabs(x);
    double up[2], down[2], value;
    if (size < 0.35) {
        near_zero(x, &up[0], &up[1]);
        return x + up[0];
    }
    if (size < 40.0) {
        both_halves(size, up, down);
        FAST_TWO_SUM(sum, error, up[0], -down[0]);
        value = sum + (error + (up[1] - down[1]));
    } else {
        value = large_half(size);
    }
    return copysign(value, x);
}

double ac_cosh(double x)
{
    const double size = fabs(x);
    double up[2], down[2];
    if (!(size < 40.0)) return large_half(size);
    both_halves(size, up, down);
    FAST_TWO_SUM(sum, error, up[0], down[0]);
    return sum + (error + (up[1] + down[1]));
}

double ac_tanh(double x)
{
    const double size = fabs(x);
    double up[2], down[2], value;
    if (size < 0.35) { /* x + (s - x c)/(1 + c) with sinh x = x + s, cosh x = 1 + c */
        near_zero(size, &up[0], &up[1]);
        value = size + (up[0] - size * up[1]) / (1.0 + up[1]);
    } else if (size < 20.0) { /* (u - d)/(u + d) with exp(x) = u, exp(-x) = d */
        both_halves(size, up, down);
        FAST_TWO_SUM(sine, sine_low, up[0], -down[0]);
        FAST_TWO_SUM(cosine, cosine_low, up[0], down[0]);
        value = sine / cosine;
        value += ((sine_low + (up[1] - down[1])) - value * (cosine_low + (up[1] + down[1]))) / cosine;
    } else {
        value = size >= 20.0 ? 1.0 : x;
    }
    return copysign(value, x);
}
