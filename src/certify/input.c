/* Uncertain inputs: ranges, distributions, and their values for a sample. */
#include <math.h>

#include "actio/certify.h"
#include "base/base.h"
#include "certify/chance.h"
#include "certify/random.h"
#include "math/math.h"

static ac_status check_list(ac_context *ctx, ac_uncertain *input)
{
    if (input->sample_count < 1)
        return ac_fail(ctx, AC_BAD_INPUT, "the input '%s' has an empty list of samples", input->name);
    input->low = INFINITY;
    input->high = -INFINITY;
    for (int k = 0; k < input->sample_count; ++k) {
        if (!isfinite(input->samples[k]))
            return ac_fail(ctx, AC_BAD_INPUT, "sample %d of the input '%s' is not a finite number", k + 1,
                           input->name);
        input->low = ac_min(input->low, input->samples[k]);
        input->high = ac_max(input->high, input->samples[k]);
    }
    return AC_OK;
}

ac_status ac_uncertain_check(ac_context *ctx, ac_uncertain *input)
{
    if (input->distribution == AC_GIVEN_SAMPLES) AC_TRY(check_list(ctx, input));
    if (!isfinite(input->low) || !isfinite(input->high))
        return ac_fail(
            ctx, AC_BAD_INPUT,
            "the range of the input '%s' is not bounded; concentration of measure needs finite ranges",
            input->name);
    if (!(input->low < input->high))
        return ac_fail(ctx, AC_BAD_INPUT, "the range of the input '%s' is empty: from %g to %g", input->name,
                       input->low, input->high);
    if (input->distribution == AC_TRUNCATED_NORMAL && !(input->deviation > 0.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the deviation of the input '%s' must be positive", input->name);
    if (input->distribution == AC_TRUNCATED_NORMAL &&
        !(input->mean >= input->low && input->mean <= input->high))
        return ac_fail(ctx, AC_BAD_INPUT, "the mean %g of the input '%s' is outside of its range %g to %g",
                       input->mean, input->name, input->low, input->high);
    if (input->distribution == AC_TRIANGULAR && !(input->mode >= input->low && input->mode <= input->high))
        return ac_fail(ctx, AC_BAD_INPUT, "the mode %g of the input '%s' is outside of its range %g to %g",
                       input->mode, input->name, input->low, input->high);
    if (!(input->slope_limit >= 0.0) || !isfinite(input->slope_limit))
        return ac_fail(ctx, AC_BAD_INPUT, "the slope limit of the input '%s' must not be negative",
                       input->name);
    return AC_OK;
}

static double between(const ac_uncertain *input, double x)
{
    return ac_min(input->high, ac_max(input->low, x));
}

static double truncated_normal(const ac_uncertain *input, double p)
{
    double low = ac_normal((input->low - input->mean) / input->deviation);
    double high = ac_normal((input->high - input->mean) / input->deviation);
    double share = low + p * (high - low);
    if (!(share > 0.0)) return input->low;
    if (!(share < 1.0)) return input->high;
    return between(input, input->mean + input->deviation * ac_normal_inverse(share));
}

static double triangular(const ac_uncertain *input, double p)
{
    double width = input->high - input->low, rise = input->mode - input->low;
    if (p * width < rise) return input->low + sqrt(p * width * rise);
    return input->high - sqrt((1.0 - p) * width * (input->high - input->mode));
}

double ac_uncertain_quantile(const ac_uncertain *input, double p)
{
    switch (input->distribution) {
    case AC_UNIFORM: return between(input, input->low + p * (input->high - input->low));
    case AC_TRUNCATED_NORMAL: return truncated_normal(input, p);
    case AC_TRIANGULAR: return between(input, triangular(input, p));
    default: break;
    }
    int k = (int)(p * input->sample_count);
    return input->samples[k < input->sample_count ? k : input->sample_count - 1];
}

double ac_uncertain_draw(const ac_uncertain *input, uint64_t seed, unsigned stream, uint64_t sample,
                         unsigned number)
{
    return ac_uncertain_quantile(input, ac_random(seed, stream, sample, number));
}
