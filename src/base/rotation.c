/* Rotations of space. Small angles use series, so that every function is smooth to round-off. */
#include "base/rotation.h"

#include "base/vector.h"
#include "math/math.h"

static const double SMALL_ANGLE = 1e-4;

/* A = I + a [theta] + b [theta]^2 with the cross product matrix [theta]. */
static void unit_with_cross(const double theta[3], double a, double b, double A[9])
{
    double x = theta[0], y = theta[1], z = theta[2];
    A[0] = 1.0 - b * (y * y + z * z);
    A[1] = b * x * y - a * z;
    A[2] = b * x * z + a * y;
    A[3] = b * x * y + a * z;
    A[4] = 1.0 - b * (x * x + z * z);
    A[5] = b * y * z - a * x;
    A[6] = b * x * z - a * y;
    A[7] = b * y * z + a * x;
    A[8] = 1.0 - b * (x * x + y * y);
}

void ac_rotation_exp(const double theta[3], double R[9])
{
    double t2 = dot3(theta, theta), t = sqrt(t2);
    double s, c; /* sin t / t and (1 - cos t) / t^2 */
    if (t < SMALL_ANGLE) {
        s = 1.0 - t2 / 6.0;
        c = 0.5 - t2 / 24.0;
    } else {
        double half, cosine; /* of t/2: sin t = 2 sin cos, 1 - cos t = 2 sin^2 */
        ac_sincos(0.5 * t, &half, &cosine);
        s = 2.0 * half * cosine / t;
        c = 2.0 * half * half / t2;
    }
    unit_with_cross(theta, s, c, R);
}

void ac_rotation_log(const double R[9], double theta[3])
{
    double w[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
    double s = norm3(w), c = 0.5 * (R[0] + R[4] + R[8] - 1.0);
    double t = ac_atan2(s, c);
    if (c > -0.9) {
        double factor = s < 1e-8 ? 1.0 : t / s;
        for (int i = 0; i < 3; ++i) theta[i] = factor * w[i];
        return;
    }
    /* near pi the axis comes from the symmetric part: R + R^T = 2 cos t I + 2 (1 - cos t) n n^T */
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (R[4 * i] > R[4 * k]) k = i;
    double n[3];
    for (int i = 0; i < 3; ++i) n[i] = 0.5 * (R[3 * i + k] + R[3 * k + i]) - (i == k ? c : 0.0);
    double length = norm3(n);
    double sign = dot3(n, w) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) theta[i] = sign * t * n[i] / length;
}

void ac_rotation_tangent(const double theta[3], double T[9])
{
    double t2 = dot3(theta, theta), t = sqrt(t2);
    double a, b; /* (1 - cos t) / t^2 and (t - sin t) / t^3 */
    if (t < SMALL_ANGLE) {
        a = 0.5 - t2 / 24.0;
        b = 1.0 / 6.0 - t2 / 120.0;
    } else {
        double half, cosine;
        ac_sincos(0.5 * t, &half, &cosine);
        a = 2.0 * half * half / t2;
        b = (t - 2.0 * half * cosine) / (t2 * t);
    }
    unit_with_cross(theta, a, b, T);
}

void ac_rotation_axis(int k, double angle, double R[9])
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double c, s;
    ac_sincos(angle, &s, &c);
    identity3(R);
    R[3 * i + i] = R[3 * j + j] = c;
    R[3 * i + j] = -s;
    R[3 * j + i] = s;
}

void ac_rotation_z(double angle, double R[9])
{
    ac_rotation_axis(2, angle, R);
}

bool ac_rotation_check(const double R[9], double tolerance)
{
    double S[9], normal[3];
    transposed_multiply3(R, R, S);
    for (int i = 0; i < 9; ++i)
        if (!(fabs(S[i] - (i % 4 == 0 ? 1.0 : 0.0)) <= tolerance)) return false;
    const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]}, z[3] = {R[2], R[5], R[8]};
    cross3(x, y, normal);
    return dot3(normal, z) > 0.0;
}

void ac_perpendicular(const double d[3], double e1[3], double e2[3])
{
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(d[i]) < fabs(d[k])) k = i;
    double axis[3] = {0.0, 0.0, 0.0};
    axis[k] = 1.0;
    cross3(d, axis, e1);
    double length = norm3(e1);
    for (int i = 0; i < 3; ++i) e1[i] /= length;
    cross3(d, e1, e2);
    length = norm3(e2);
    for (int i = 0; i < 3; ++i) e2[i] /= length;
}
