/* How the next increment follows from the last ones.
 *
 * Smooth motion is best continued by a parabola. But vibrations that the step does not resolve change their
 * sign from step to step, and stiff beams ring with them unless they are damped: a parabola through three
 * such increments is seven times too large, has the wrong shape, and Newton's method gets lost from there. So
 * of a few continuations the one is taken that would have predicted the last increment best.
 */
#include "integrate/stepper.h"

static const double WEIGHTS[AC_TREND_COUNT][3] = {
    [AC_TREND_PARABOLA] = {3.0, -3.0, 1.0}, [AC_TREND_LINE] = {2.0, -1.0, 0.0},
    [AC_TREND_RINGING] = {1.0, 1.0, -1.0},  [AC_TREND_SWAPPED] = {0.0, 1.0, 0.0},
    [AC_TREND_REPEATED] = {1.0, 0.0, 0.0},  [AC_TREND_RESTING] = {0.0, 0.0, 0.0},
};

void ac_trend_continue(ac_trend trend, int n, double *const u[4])
{
    const double *w = WEIGHTS[trend];
    for (int j = 0; j < n; ++j) u[0][j] = w[0] * u[1][j] + w[1] * u[2][j] + w[2] * u[3][j];
}

ac_trend ac_trend_of(int n, const double *unit, double *const u[4])
{
    double error[AC_TREND_COUNT] = {0};
    for (int j = 0; j < n; ++j) {
        double square = unit[j] * unit[j];
        for (int k = 0; k < AC_TREND_COUNT; ++k) {
            const double *w = WEIGHTS[k];
            double e = u[0][j] - w[0] * u[1][j] - w[1] * u[2][j] - w[2] * u[3][j];
            error[k] += square * e * e;
        }
    }
    int best = AC_TREND_PARABOLA;
    for (int k = 0; k < AC_TREND_COUNT; ++k)
        if (error[k] < error[best]) best = k;
    return (ac_trend)best;
}
