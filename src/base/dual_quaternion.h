/* Quaternions and dual quaternions, real part first: q = (q_r, q_e), eight numbers, q~ = q_r + eps q_e with eps^2 = 0.
 *
 * A pose (place x, rotation R) is the unit dual quaternion q_r = cos(t/2) + n sin(t/2), q_e = 1/2 x q_r, and so is its
 * negative. Units form the constraint manifold |q_r| = 1, q_r . q_e = 0. A motion by the angular velocity w and the
 * velocity v of the place, world axes, is q~' = 1/2 (w + eps (v - w x x)) q~; in body axes it is 1/2 q~ (W + eps V).
 */
#ifndef ACTIO_BASE_DUAL_QUATERNION_H
#define ACTIO_BASE_DUAL_QUATERNION_H

/* out = a b; may not be one of them. */
static inline void ac_quaternion_multiply(const double *restrict a, const double *restrict b,
                                          double *restrict out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* out = conj(a) b */
static inline void ac_quaternion_divide(const double *restrict a, const double *restrict b,
                                        double *restrict out)
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    out[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    out[2] = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    out[3] = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
}

/* out = a conj(b) */
static inline void ac_quaternion_quotient(const double *restrict a, const double *restrict b,
                                          double *restrict out)
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    out[1] = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    out[2] = -a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    out[3] = -a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
}

/* out = a b, and conj(a) b: the relative pose of b seen from a, bilinear in both */
void ac_dual_multiply(const double a[8], const double b[8], double out[8]);
void ac_dual_relative(const double a[8], const double b[8], double out[8]);
/* Derivatives of s . (conj(a) b) by a (which does not enter) and by b. */
void ac_dual_pull_left(const double s[8], const double b[8], double out[8]);
void ac_dual_pull_right(const double s[8], const double a[8], double out[8]);

/* The unit dual quaternion of a pose; of both signs the one nearer to what `q` holds, or with a positive scalar
 * part. The pose of a unit dual quaternion. */
void ac_dual_from_pose(const double place[3], const double rotation[9], double q[8]);
void ac_dual_pose(const double q[8], double place[3], double rotation[9]);

/* q = exp(1/2 (turn + eps shift)): q~ times it moves by the body twist (turn, shift). */
void ac_dual_exp(const double turn[3], const double shift[3], double q[8]);
/* The inverse for |turn| < 2 pi. */
void ac_dual_log(const double q[8], double turn[3], double shift[3]);
/* q <- the unit next to it */
void ac_dual_normalise(double q[8]);

/* Null space matrix 8 x 6 of the unit constraints, row by row: q~' = P (W, V), body axes, angular velocity first. */
void ac_dual_null_space(const double q[8], double P[48]);
/* The same motion by a twist in world axes, (v, w) with the velocity of the place x of q; and the transposed product:
 * the force f on the eight numbers as force and torque about x, added to the wrench. */
void ac_dual_move(const double q[8], const double x[3], const double twist[6], double out[8]);
void ac_dual_add_wrench(const double q[8], const double x[3], const double f[8], double wrench[6]);

#endif
