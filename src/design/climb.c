/* Maxima of cheap functions on the unit cube, and points spread evenly in it. */
#include <math.h>

#include "design/surrogate.h"
#include "math/math.h"

void ac_halton(long k, unsigned long seed, int variables, double *x)
{
    static const int primes[AC_DESIGN_VARIABLES_MAX] = {2,  3,  5,  7,  11, 13, 17, 19,
                                                        23, 29, 31, 37, 41, 43, 47, 53};
    for (int i = 0; i < variables; ++i) {
        double share = 1.0, sum = 0.0, shift = fmod((double)seed * sqrt((double)primes[i]), 1.0);
        for (long rest = k + 1; rest > 0; rest /= primes[i]) {
            share /= primes[i];
            sum += share * (double)(rest % primes[i]);
        }
        x[i] = fmod(sum + shift, 1.0);
    }
}

double ac_climb(double (*f)(void *user, const double *x), void *user, int variables, double step,
                double least, double *x)
{
    double value = f(user, x);
    while (step >= least) {
        bool better = false;
        for (int i = 0; i < 2 * variables; ++i) {
            double before = x[i / 2];
            x[i / 2] = ac_min(1.0, ac_max(0.0, before + (i % 2 ? -step : step)));
            double there = f(user, x);
            if (there > value) {
                value = there;
                better = true;
            } else {
                x[i / 2] = before;
            }
        }
        if (!better) step *= 0.5;
    }
    return value;
}
