/* Dual quaternions: products and their derivatives, poses, exponential map, motions by a twist. */
#include "base/dual_quaternion.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"

/* Below this angle the series of the exponential are exact to rounding. */
static const double SERIES = 1e-2;

void ac_dual_multiply(const double a[8], const double b[8], double out[8])
{
    double second[4];
    ac_quaternion_multiply(a, b, out);
    ac_quaternion_multiply(a, b + 4, out + 4);
    ac_quaternion_multiply(a + 4, b, second);
    for (int i = 0; i < 4; ++i) out[4 + i] += second[i];
}

void ac_dual_relative(const double a[8], const double b[8], double out[8])
{
    double second[4];
    ac_quaternion_divide(a, b, out);
    ac_quaternion_divide(a, b + 4, out + 4);
    ac_quaternion_divide(a + 4, b, second);
    for (int i = 0; i < 4; ++i) out[4 + i] += second[i];
}

void ac_dual_pull_left(const double s[8], const double b[8], double out[8])
{
    double second[4];
    ac_quaternion_quotient(b, s, out);
    ac_quaternion_quotient(b + 4, s + 4, second);
    ac_quaternion_quotient(b, s + 4, out + 4);
    for (int i = 0; i < 4; ++i) out[i] += second[i];
}

void ac_dual_pull_right(const double s[8], const double a[8], double out[8])
{
    double second[4];
    ac_quaternion_multiply(a, s, out);
    ac_quaternion_multiply(a + 4, s + 4, second);
    ac_quaternion_multiply(a, s + 4, out + 4);
    for (int i = 0; i < 4; ++i) out[i] += second[i];
}

/* --- poses --- */

/* The quaternion of a rotation, from its largest component, which loses no digits. */
static void quaternion_of(const double R[9], double q[4])
{
    const double square[4] = {1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8],
                              1.0 - R[0] - R[4] + R[8]};
    const double odd[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
    const double even[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]}; /* yz, zx, xy */
    int most = 0;
    for (int i = 1; i < 4; ++i)
        if (square[i] > square[most]) most = i;
    double root = sqrt(square[most]), over = 0.5 / root;
    q[most] = 0.5 * root;
    if (most == 0) {
        for (int i = 0; i < 3; ++i) q[1 + i] = over * odd[i];
        return;
    }
    int i = most - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = over * odd[i];
    q[1 + j] = over * even[k];
    q[1 + k] = over * even[j];
}

void ac_dual_from_pose(const double place[3], const double rotation[9], double q[8])
{
    double own[4], size = 0.0, side = 0.0;
    const double x[4] = {0.0, 0.5 * place[0], 0.5 * place[1], 0.5 * place[2]};
    quaternion_of(rotation, own);
    for (int i = 0; i < 4; ++i) {
        size += own[i] * own[i];
        side += own[i] * q[i];
    }
    double factor = (side < 0.0 || (side == 0.0 && own[0] < 0.0) ? -1.0 : 1.0) / sqrt(size);
    for (int i = 0; i < 4; ++i) q[i] = factor * own[i];
    ac_quaternion_multiply(x, q, q + 4);
}

void ac_dual_pose(const double q[8], double place[3], double rotation[9])
{
    double x[4];
    ac_quaternion_quotient(q + 4, q, x);
    for (int i = 0; i < 3; ++i) place[i] = 2.0 * x[1 + i];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const double *v = q + 1;
        rotation[4 * i] = q[0] * q[0] + v[i] * v[i] - v[j] * v[j] - v[k] * v[k];
        rotation[3 * i + j] = 2.0 * (v[i] * v[j] - q[0] * v[k]);
        rotation[3 * j + i] = 2.0 * (v[i] * v[j] + q[0] * v[k]);
    }
}

/* --- exponential map --- */

/* s = sin(t/2)/t and k = (cos(t/2)/2 - s)/t^2; gives cos(t/2) */
static double exponential_factors(double t2, double *s, double *k)
{
    double t = sqrt(t2), sine, cosine;
    ac_sincos(0.5 * t, &sine, &cosine);
    if (t2 < SERIES * SERIES) {
        *s = 0.5 - t2 * (1.0 / 48.0 - t2 * (1.0 / 3840.0 - t2 / 645120.0));
        *k = -1.0 / 24.0 + t2 * (1.0 / 960.0 - t2 * (1.0 / 107520.0));
        return cosine;
    }
    *s = sine / t;
    *k = (0.5 * cosine - *s) / t2;
    return cosine;
}

void ac_dual_exp(const double turn[3], const double shift[3], double q[8])
{
    double t2 = dot3(turn, turn), along = dot3(turn, shift), s, k;
    q[0] = exponential_factors(t2, &s, &k);
    q[4] = -0.5 * s * along;
    for (int i = 0; i < 3; ++i) {
        q[1 + i] = s * turn[i];
        q[5 + i] = s * shift[i] + k * along * turn[i];
    }
}

void ac_dual_log(const double q[8], double turn[3], double shift[3])
{
    double sine = norm3(q + 1), t = 2.0 * ac_atan2(sine, q[0]), s, k;
    exponential_factors(t * t, &s, &k);
    for (int i = 0; i < 3; ++i) turn[i] = q[1 + i] / s;
    /* the dual vector part is s shift + k (turn . shift) turn; along turn it is (s + k t^2) (turn . shift) */
    double along = dot3(turn, q + 5) / (s + k * t * t);
    for (int i = 0; i < 3; ++i) shift[i] = (q[5 + i] - k * along * turn[i]) / s;
}

void ac_dual_normalise(double q[8])
{
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), along = 0.0;
    for (int i = 0; i < 8; ++i) q[i] /= size;
    for (int i = 0; i < 4; ++i) along += q[i] * q[4 + i];
    for (int i = 0; i < 4; ++i) q[4 + i] -= along * q[i];
}

/* --- motions --- */

/* column of 1/2 q i_k, k = 1, 2, 3 */
static void half_column(const double q[4], int k, double out[4])
{
    double unit[4] = {0.0, 0.0, 0.0, 0.0};
    unit[k] = 0.5;
    ac_quaternion_multiply(q, unit, out);
}

void ac_dual_null_space(const double q[8], double P[48])
{
    memset(P, 0, 48 * sizeof *P);
    for (int k = 0; k < 3; ++k) {
        double real[4], dual[4];
        half_column(q, 1 + k, real);
        half_column(q + 4, 1 + k, dual);
        for (int i = 0; i < 4; ++i) {
            P[6 * i + k] = P[6 * (4 + i) + 3 + k] = real[i];
            P[6 * (4 + i) + k] = dual[i];
        }
    }
}

/* out = 1/2 v q for a vector v */
static inline void half_turn(const double v[3], const double q[4], double out[4])
{
    out[0] = 0.5 * (-v[0] * q[1] - v[1] * q[2] - v[2] * q[3]);
    out[1] = 0.5 * (v[0] * q[0] + v[1] * q[3] - v[2] * q[2]);
    out[2] = 0.5 * (v[1] * q[0] + v[2] * q[1] - v[0] * q[3]);
    out[3] = 0.5 * (v[2] * q[0] + v[0] * q[2] - v[1] * q[1]);
}

/* The vector u with (1/2 v q) . f = v . u. */
static inline void half_moment(const double q[4], const double f[4], double u[3])
{
    u[0] = 0.5 * (-f[0] * q[1] + f[1] * q[0] + f[3] * q[2] - f[2] * q[3]);
    u[1] = 0.5 * (-f[0] * q[2] + f[1] * q[3] + f[2] * q[0] - f[3] * q[1]);
    u[2] = 0.5 * (-f[0] * q[3] - f[1] * q[2] + f[2] * q[1] + f[3] * q[0]);
}

void ac_dual_move(const double q[8], const double x[3], const double twist[6], double out[8])
{
    double origin[3], second[4]; /* velocity of the point of the body at the origin */
    cross3(x, twist + 3, origin);
    add3(twist, origin, origin);
    half_turn(twist + 3, q, out);
    half_turn(twist + 3, q + 4, out + 4);
    half_turn(origin, q, second);
    for (int i = 0; i < 4; ++i) out[4 + i] += second[i];
}

void ac_dual_add_wrench(const double q[8], const double x[3], const double f[8], double wrench[6])
{
    double real[3], dual[3], force[3], arm[3];
    half_moment(q, f, real);
    half_moment(q + 4, f + 4, dual);
    half_moment(q, f + 4, force);
    cross3(force, x, arm);
    for (int i = 0; i < 3; ++i) {
        wrench[i] += force[i];
        wrench[3 + i] += real[i] + dual[i] + arm[i];
    }
}
