/* Kardan angles w = (alpha, beta, gamma): R = Rx(alpha) Ry(beta) Rz(gamma). An output, and the chart of the
 * published scheme; singular at beta = 90 degrees. */
#include <math.h>

#include "math/math.h"
#include "track/track.h"

void ac_kardan_rotation(const double w[3], double R[9])
{
    double ca, sa, cb, sb, cg, sg;
    ac_sincos(w[0], &sa, &ca);
    ac_sincos(w[1], &sb, &cb);
    ac_sincos(w[2], &sg, &cg);
    R[0] = cb * cg;
    R[1] = -cb * sg;
    R[2] = sb;
    R[3] = ca * sg + sa * sb * cg;
    R[4] = ca * cg - sa * sb * sg;
    R[5] = -sa * cb;
    R[6] = sa * sg - ca * sb * cg;
    R[7] = sa * cg + ca * sb * sg;
    R[8] = ca * cb;
}

/* The angle that is nearest to `near` among those that differ by full turns. */
static double unwound(double angle, double near)
{
    static const double TURN = 6.28318530717958647692;
    return angle + TURN * round((near - angle) / TURN);
}

void ac_kardan_angles(const double R[9], const double winding[3], double w[3])
{
    double cb = ac_hypot(R[0], R[1]);
    w[1] = ac_atan2(R[2], cb);
    if (cb > 1e-12) {
        w[0] = unwound(ac_atan2(-R[5], R[8]), winding[0]);
        w[2] = unwound(ac_atan2(-R[1], R[0]), winding[2]);
    } else { /* only alpha + gamma or their difference is known: keep gamma */
        w[2] = winding[2];
        double sum = ac_atan2(R[3], R[4]);
        w[0] = unwound(R[2] > 0 ? sum - winding[2] : winding[2] - sum, winding[0]);
    }
}

void ac_kardan_rates(const double w[3], const double omega[3], double rate[3])
{
    double ca, sa, cb, sb;
    ac_sincos(w[0], &sa, &ca);
    ac_sincos(w[1], &sb, &cb);
    if (fabs(cb) < 1e-9) cb = copysign(1e-9, cb);
    double along = -sa * omega[1] + ca * omega[2];
    rate[0] = omega[0] - sb / cb * along;
    rate[1] = ca * omega[1] + sa * omega[2];
    rate[2] = along / cb;
}
