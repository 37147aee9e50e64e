/* Bounds of the probability of a failure: McDiarmid, Hoeffding, Clopper and Pearson. */
#include <math.h>

#include "actio/certify.h"
#include "certify/chance.h"
#include "math/math.h"

double ac_margin_share(double confidence, long samples, bool sharp)
{
    return sqrt(-ac_log(1.0 - confidence) / ((sharp ? 2.0 : 1.0) * (double)samples));
}

double ac_mcdiarmid(double margin, double diameter)
{
    if (!(margin > 0.0) || !isfinite(diameter)) return 1.0;
    double factor = margin / diameter; /* infinite for a system that depends on nothing */
    return ac_exp(-2.0 * factor * factor);
}

double ac_hoeffding(long failures, long samples, double confidence)
{
    if (samples < 1) return 1.0;
    double m = (double)samples;
    return ac_min(1.0, (double)failures / m + sqrt(-ac_log(1.0 - confidence) / (2.0 * m)));
}

void ac_clopper_pearson(long failures, long samples, double confidence, double *low, double *high)
{
    double k = (double)failures, m = (double)samples, tail = 0.5 * (1.0 - confidence);
    *low = failures > 0 ? ac_beta_inverse(k, m - k + 1.0, tail) : 0.0;
    *high = failures < samples ? ac_beta_inverse(k + 1.0, m - k, 1.0 - tail) : 1.0;
}
