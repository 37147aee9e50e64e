/* Angles from their tangent, sine or cosine. */
#include <math.h>

#include "math/math.h"
#include "math/one.h"

double ac_atan2(double y, double x)
{
    double out;
    one_angle(&y, NULL, &x, NULL, &out);
    return out;
}

double ac_atan(double x)
{
    return ac_atan2(x, 1.0);
}

/* sqrt(1 - x^2) as a sum of two numbers */
static void other_side(double x, double *root, double *low)
{
    TWO_PRODUCT(square, square_error, x, x);
    FAST_TWO_SUM(rest, rest_error, 1.0, -square);
    FAST_TWO_SUM(sum, sum_error, rest, rest_error - square_error);
    const double s = sqrt(sum);
    TWO_PRODUCT(back, back_error, s, s);
    *root = s;
    *low = s > 0.0 ? (((sum - back) - back_error) + sum_error) / (2.0 * s) : 0.0;
}

/* Not a number for |x| > 1: the root of a negative number. */
double ac_asin(double x)
{
    double side, low, out, zero = 0.0;
    other_side(x, &side, &low);
    one_angle(&x, &zero, &side, &low, &out);
    return out;
}

double ac_acos(double x)
{
    double side, low, out, zero = 0.0;
    other_side(x, &side, &low);
    one_angle(&side, &low, &x, &zero, &out);
    return out;
}
