/* Rotations of space: exponential map, logarithm, tangent, repair. Matrices row by row, columns are
 * directors. */
#ifndef ACTIO_BASE_ROTATION_H
#define ACTIO_BASE_ROTATION_H

#include <math.h>
#include <stdbool.h>

#include "base/triple.h"
#include "base/vector.h"
#include "math/math.h"

/* R = exp(hat(theta)) = I + (sin t / t) hat(theta) + ((1 - cos t) / t^2) hat(theta)^2, t = |theta| */
void ac_rotation_exp(const double theta[3], double R[9]);

/* The rotation vector of R with |theta| <= pi. */
void ac_rotation_log(const double R[9], double theta[3]);

/* T with d(exp(theta) a) = hat(T dtheta) exp(theta) a. */
void ac_rotation_tangent(const double theta[3], double T[9]);

/* Rotation about z; about axis k (0, 1, 2 for x, y, z). */
void ac_rotation_z(double angle, double R[9]);
void ac_rotation_axis(int k, double angle, double R[9]);

/* True if R is a rotation (orthonormal, right handed) within the tolerance. */
bool ac_rotation_check(const double R[9], double tolerance);

/* Two unit vectors e1, e2 perpendicular to d and to each other. */
void ac_perpendicular(const double d[3], double e1[3], double e2[3]);

/* R <- exp(theta) R, by rows; rounding only where the change is added, so that small turns cost no digits.
 * Here because beams spend their time with it, as with the next one. */
static inline void ac_rotation_turn_rows(const double theta[3], ac_triple R[3])
{
    static const double SERIES = 1e-2; /* up to here four terms are exact */
    double t2 = dot3(theta, theta), s, c;
    if (t2 < SERIES * SERIES) {
        s = 1.0 - t2 * (1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0)));
        c = 0.5 - t2 * (1.0 / 24.0 - t2 * (1.0 / 720.0 - t2 * (1.0 / 40320.0)));
    } else {
        double t = sqrt(t2), half, cosine;
        ac_sincos(0.5 * t, &half, &cosine);
        s = 2.0 * half * cosine / t;
        c = 2.0 * half * half / t2;
    }
    /* the change is s hat(theta) + c hat(theta)^2 */
    const double x = theta[0], y = theta[1], z = theta[2], cx = c * x, cy = c * y, cz = c * z;
    const double xy = cx * y, yz = cy * z, zx = cz * x, sx = s * x, sy = s * y, sz = s * z;
    const double xx = cx * x, yy = cy * y, zz = cz * z;
    const ac_triple first = ac_triple_mix3(-(yy + zz), R[0], xy - sz, R[1], zx + sy, R[2]);
    const ac_triple second = ac_triple_mix3(xy + sz, R[0], -(xx + zz), R[1], yz - sx, R[2]);
    const ac_triple third = ac_triple_mix3(zx - sy, R[0], yz + sx, R[1], -(xx + yy), R[2]);
    R[0] = ac_triple_sum(R[0], first);
    R[1] = ac_triple_sum(R[1], second);
    R[2] = ac_triple_sum(R[2], third);
}

static inline void ac_rotation_turn(const double theta[3], double R[9])
{
    ac_triple rows[3] = {ac_triple_of(R), ac_triple_of(R + 3), ac_triple_of(R + 6)};
    ac_rotation_turn_rows(theta, rows);
    for (int i = 0; i < 3; ++i) ac_triple_put(rows[i], R + 3 * i);
}

/* One polar step: an almost orthonormal matrix becomes orthonormal to the square of its error:
 * R <- R (3 I - R^T R) / 2 */
static inline void ac_rotation_polish_rows(ac_triple R[3])
{
    ac_pair squares = R[0].xy * R[0].xy + R[1].xy * R[1].xy + R[2].xy * R[2].xy; /* xx, yy */
    ac_pair with_z = R[0].xy * R[0].z + R[1].xy * R[1].z + R[2].xy * R[2].z;     /* zx, yz */
    double xy = R[0].xy[0] * R[0].xy[1] + R[1].xy[0] * R[1].xy[1] + R[2].xy[0] * R[2].xy[1];
    double zz = R[0].z * R[0].z + R[1].z * R[1].z + R[2].z * R[2].z;
    squares = 1.5 - 0.5 * squares;
    zz = 1.5 - 0.5 * zz;
    with_z *= -0.5;
    xy *= -0.5;
    for (int i = 0; i < 3; ++i) {
        const ac_triple row = R[i];
        const ac_pair swapped = {row.xy[1], row.xy[0]}, part = row.xy * with_z;
        R[i].xy = row.xy * squares + swapped * xy + row.z * with_z;
        R[i].z = part[0] + part[1] + row.z * zz;
    }
}

static inline void ac_rotation_polish(double R[9])
{
    ac_triple rows[3] = {ac_triple_of(R), ac_triple_of(R + 3), ac_triple_of(R + 6)};
    ac_rotation_polish_rows(rows);
    for (int i = 0; i < 3; ++i) ac_triple_put(rows[i], R + 3 * i);
}

#endif
