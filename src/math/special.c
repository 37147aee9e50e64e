/* Length of a plane vector, complement of the error function, logarithm of the gamma function. */
#include <math.h>

#include "math/math.h"
#include "math/logarithm.h"
#include "math/one.h"

/* sqrt(x^2 + y^2), the sum of squares as a sum of two numbers, without overflow */
double ac_hypot(double x, double y)
{
    double a = ac_max(fabs(x), fabs(y)), b = ac_min(fabs(x), fabs(y)), scale = 1.0;
    if (a == INFINITY) return a;
    if (x != x || y != y) return x + y;
    if (a == 0.0) return 0.0;
    if (a > 0x1p500) scale = 0x1p-600;
    if (b < 0x1p-450) scale = a < 0x1p-400 ? 0x1p600 : scale;
    a *= scale;
    b *= scale;
    TWO_PRODUCT(first, first_error, a, a);
    TWO_PRODUCT(second, second_error, b, b);
    FAST_TWO_SUM(sum, error, first, second);
    const double root = sqrt(sum);
    TWO_PRODUCT(back, back_error, root, root);
    const double rest = ((sum - back) - back_error) + (error + (first_error + second_error));
    return (root + rest / (2.0 * root)) / scale;
}

/* (1 + 2 a) exp(a^2) erfc(a) as a series of Chebyshev polynomials in t = (a - 3.75)/(a + 3.75) (Schonfelder 1978), by powers of t */
static void scaled_complement(double a, double out[2])
{
    static const double c[] = {
        1.2375126308378275,     -0.14024059858554702,   0.0035854154854644293,   0.08227673849015102,
        -0.10880393014174886,   0.09230432116019834,    -0.05869339858963677,    0.0283622774215156,
        -0.009746579558029276,  0.0017556258324217529,  0.0002937136655913448,   -0.00029015397928986765,
        5.164909889268241e-05,  2.2383912036550678e-05, -1.1444146237700524e-05, -9.72849582211122e-07,
        1.751637648849062e-06,  -5.826281078800777e-08, -2.5866850716155884e-07, 2.4289762925488707e-08,
        3.8675334242222354e-08, -4.389284159986328e-09, -5.1739902140113095e-09, 5.457157304704688e-10,
        4.2514714447963895e-10, -3.75315827795962e-11,
    };
    const double t = (a - 3.75) / (a + 3.75);
    double sum = 0.0;
    for (int k = (int)(sizeof c / sizeof *c) - 1; k > 0; --k) sum = c[k] + t * sum;
    FAST_TWO_SUM(whole, part, c[0], t * sum);
    out[0] = whole;
    out[1] = part;
}

/* erf x for |x| <= 1/2, relative error 2^-56 */
static double error_function(double x)
{
    const double z = x * x, w = z * z, v = w * w;
    return x + x * (((0.12837916709551256 - z * 0.37612638903183176) +
                     w * (0.11283791670904218 - z * 0.026866170626479283)) +
                    v * (((0.005223977273411884 - z * 0.0008548289182074455) +
                          w * (0.00012052922693868177 - z * 1.483547035095026e-05)) +
                         v * 1.4619561679680954e-06));
}

double ac_erfc(double x)
{
    const double a = fabs(x);
    if (x != x) return x;
    if (a <= 0.5) return 1.0 - error_function(x);
    double value = 0.0;
    if (a < 28.0) {
        double e[2], top[2];
        uint64_t twice[2];
        TWO_PRODUCT(square, error, a, a);
        const double power = -square, low = -error;
        one_exponential(&power, &low, e, twice);
        scaled_complement(a, top);
        FAST_TWO_SUM(bottom, bottom_low, 2.0 * a, 1.0);
        const double quotient = top[0] / bottom;
        TWO_PRODUCT(back, back_error, quotient, bottom);
        const double low_part = (((top[0] - back) - back_error) + (top[1] - quotient * bottom_low)) / bottom;
        TWO_PRODUCT(product, product_low, e[0], quotient);
        value = product + (product_low + (e[1] * quotient + e[0] * low_part));
        value = SCALED(SCALED(value, twice[0]), twice[1]);
    }
    return x < 0.0 ? 2.0 - value : value;
}

/* a - b for sums of two numbers */
static void subtract(const double a[2], const double b[2], double out[2])
{
    TWO_SUM(sum, error, a[0], -b[0]);
    const double low = error + (a[1] - b[1]);
    out[0] = sum + low;
    out[1] = (sum - out[0]) + low;
}

/* log Gamma(x + y), y an error of x >= 16: Stirling's series */
static void stirling(const double x[2], double out[2])
{
    double log[2], low;
    ac_accurate_log(x[0], log);
    log[1] += x[1] / x[0];
    const double u = 1.0 / x[0], z = u * u;
    const double series =
        u * (1.0 / 12.0 +
             z * (-1.0 / 360.0 +
                  z * (1.0 / 1260.0 +
                       z * (-1.0 / 1680.0 + z * (1.0 / 1188.0 + z * (-691.0 / 360360.0 + z / 156.0))))));
    const double half_less = x[0] - 0.5;
    TWO_PRODUCT(product, error, half_less, log[0]);
    low = error + (half_less * log[1] + x[1] * log[0]) - x[1];
    TWO_SUM(less, less_error, product, -x[0]);
    TWO_SUM(sum, sum_error, less, 0x1.d67f1c864beb5p-1); /* log(2 pi)/2 */
    low += less_error + (sum_error + (series - 0x1.65b5a1b7ff5dfp-55));
    out[0] = sum + low;
    out[1] = (sum - out[0]) + low;
}

/* log Gamma(1 + e) = -gamma e + sum zeta(k)/k (-e)^k, and without `one` log Gamma(2 + e), which has zeta(k) - 1, for |e| <= 1/4 */
static double near_root(double e, int one)
{
    static const double zeta[] = {
        0.6449340668482264,     0.2020569031595943,     0.08232323371113819,   0.03692775514336993,
        0.01734306198444914,    0.008349277381922827,   0.00407735619794434,   0.0020083928260822143,
        0.0009945751278180853,  0.0004941886041194645,  0.0002460865533080483, 0.00012271334757848915,
        6.124813505870483e-05,  3.058823630702049e-05,  1.528225940865187e-05, 7.637197637899763e-06,
        3.81729326499984e-06,   1.908212716553939e-06,  9.539620338727962e-07, 4.769329867878064e-07,
        2.38450502727733e-07,   1.1921992596531106e-07, 5.960818905125948e-08, 2.980350351465228e-08,
        1.4901554828365043e-08, 7.45071178983543e-09,
    }; /* zeta(k) - 1, k >= 2 */
    double sum = 0.0;
    for (int k = (int)(sizeof zeta / sizeof *zeta) + 1; k >= 2; --k)
        sum = (zeta[k - 2] + (double)one) / k - e * sum;
    return one ? (sum * e - 0.5772156649015329) * e : (sum * e + 0.42278433509846713) * e;
}

/* log Gamma(x + n) - log(x (x + 1) ... (x + n - 1)) with x + n >= 16; near its roots 1 and 2 the series there */
double ac_lgamma(double x)
{
    if (!(x >= 0.0)) return NAN;
    if (x < 0x1p-60) return -ac_log(x);
    if (x > 1e290) return x * (ac_log(x) - 1.0);
    if (fabs(x - 1.0) <= 0.25) return near_root(x - 1.0, 1);
    if (fabs(x - 2.0) <= 0.25) return near_root(x - 2.0, 0);
    double product[2] = {1.0, 0.0}, moved[2] = {x, 0.0}, large[2], log[2];
    for (int n = 0; moved[0] < 16.0; ++n) {
        TWO_PRODUCT(next, next_error, product[0], moved[0]);
        const double low = next_error + (product[0] * moved[1] + product[1] * moved[0]);
        product[0] = next + low;
        product[1] = (next - product[0]) + low;
        TWO_SUM(sum, sum_error, x, n + 1.0);
        moved[0] = sum;
        moved[1] = sum_error;
    }
    stirling(moved, large);
    ac_accurate_log(product[0], log);
    log[1] += product[1] / product[0];
    subtract(large, log, large);
    return large[0] + large[1];
}
