/* Rotations of space: exponential map, logarithm, tangent, repair. Matrices row by row, columns are directors. */
#ifndef ACTIO_BASE_ROTATION_H
#define ACTIO_BASE_ROTATION_H

#include <math.h>
#include <stdbool.h>

#include "base/vector.h"

/* R = exp(hat(theta)) = I + (sin t / t) hat(theta) + ((1 - cos t) / t^2) hat(theta)^2, t = |theta| */
void ac_rotation_exp(const double theta[3], double R[9]);

/* The rotation vector of R with |theta| <= pi. */
void ac_rotation_log(const double R[9], double theta[3]);

/* T with d(exp(theta) a) = hat(T dtheta) exp(theta) a. */
void ac_rotation_tangent(const double theta[3], double T[9]);

/* Rotation about z. */
void ac_rotation_z(double angle, double R[9]);

/* True if R is a rotation (orthonormal, right handed) within the tolerance. */
bool ac_rotation_check(const double R[9], double tolerance);

/* Two unit vectors e1, e2 perpendicular to d and to each other. */
void ac_perpendicular(const double d[3], double e1[3], double e2[3]);

/* R <- exp(theta) R; rounding only where the change is added, so that small turns cost no digits. Here because beams spend their
 * time with it, as with the next one. */
static inline void ac_rotation_turn(const double theta[3], double R[9])
{
    static const double SERIES = 1e-2; /* up to here four terms are exact */
    double t2 = dot3(theta, theta), s, c;
    if (t2 < SERIES * SERIES) {
        s = 1.0 - t2 * (1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0)));
        c = 0.5 - t2 * (1.0 / 24.0 - t2 * (1.0 / 720.0 - t2 * (1.0 / 40320.0)));
    } else {
        double t = sqrt(t2), half = sin(0.5 * t);
        s = sin(t) / t;
        c = 2.0 * half * half / t2;
    }
    for (int k = 0; k < 3; ++k) {
        const double d[3] = {R[k], R[3 + k], R[6 + k]};
        double once[3], twice[3];
        cross3(theta, d, once);
        cross3(theta, once, twice);
        for (int i = 0; i < 3; ++i) R[3 * i + k] = d[i] + (s * once[i] + c * twice[i]);
    }
}

/* One polar step: an almost orthonormal matrix becomes orthonormal to the square of its error.: R <- R (3 I - R^T R) / 2 */
static inline void ac_rotation_polish(double R[9])
{
    double xx = R[0] * R[0] + R[3] * R[3] + R[6] * R[6], xy = R[0] * R[1] + R[3] * R[4] + R[6] * R[7];
    double yy = R[1] * R[1] + R[4] * R[4] + R[7] * R[7], yz = R[1] * R[2] + R[4] * R[5] + R[7] * R[8];
    double zz = R[2] * R[2] + R[5] * R[5] + R[8] * R[8], zx = R[2] * R[0] + R[5] * R[3] + R[8] * R[6];
    xx = 1.5 - 0.5 * xx;
    yy = 1.5 - 0.5 * yy;
    zz = 1.5 - 0.5 * zz;
    xy *= -0.5;
    yz *= -0.5;
    zx *= -0.5;
    for (int i = 0; i < 9; i += 3) {
        double x = R[i], y = R[i + 1], z = R[i + 2];
        R[i] = x * xx + y * xy + z * zx;
        R[i + 1] = x * xy + y * yy + z * yz;
        R[i + 2] = x * zx + y * yz + z * zz;
    }
}

#endif
