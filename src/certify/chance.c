/* Functions of probability. */
#include "certify/chance.h"

#include <float.h>
#include <math.h>

#include "math/math.h"

static const double ROOT_HALF = 0.70710678118654752440, ROOT_TWO_PI = 2.50662827463100050242;

double ac_normal(double x)
{
    return 0.5 * ac_erfc(-x * ROOT_HALF);
}

/* Rational first guess in the tail variable (Abramowitz and Stegun 26.2.23, error below 4.5e-4), then Newton's method
 * of third order on Phi(x) = p; x <= 0. */
static double lower_inverse(double p)
{
    double t = sqrt(-2.0 * ac_log(p));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                         (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int k = 0; k < 4; ++k) {
        double density = ac_exp(-0.5 * x * x) / ROOT_TWO_PI;
        if (!(density > 0.0)) break;
        double step = (ac_normal(x) - p) / density;
        x -= step / (1.0 + 0.5 * x * step);
    }
    return x;
}

double ac_normal_inverse(double p)
{
    return p <= 0.5 ? lower_inverse(p) : -lower_inverse(1.0 - p);
}

/* Continued fraction of the incomplete beta function by Lentz's method; quick for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    enum { MOST = 10000 };
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
    double h = d;
    for (int m = 1; m <= MOST; ++m) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double parts[2] = {even, odd};
        double change = 1.0;
        for (int k = 0; k < 2; ++k) {
            d = 1.0 + parts[k] * d;
            c = 1.0 + parts[k] / c;
            d = 1.0 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
            c = fabs(c) < DBL_MIN ? DBL_MIN : c;
            change = c * d;
            h *= change;
        }
        if (fabs(change - 1.0) < 4 * DBL_EPSILON) break;
    }
    return h;
}

double ac_beta(double a, double b, double x)
{
    if (!(x > 0.0)) return 0.0;
    if (!(x < 1.0)) return 1.0;
    double front = ac_exp(ac_lgamma(a + b) - ac_lgamma(a) - ac_lgamma(b) + a * ac_log(x) + b * ac_log1p(-x));
    if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double ac_beta_inverse(double a, double b, double p)
{
    enum { HALVINGS = 200 };
    double low = 0.0, high = 1.0;
    for (int k = 0; k < HALVINGS && high - low > DBL_EPSILON * high; ++k) {
        double middle = 0.5 * (low + high);
        if (ac_beta(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
