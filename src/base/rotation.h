/* Rotations of space: exponential map, logarithm, tangent, repair. Matrices row by row, columns are directors. */
#ifndef ACTIO_BASE_ROTATION_H
#define ACTIO_BASE_ROTATION_H

#include <stdbool.h>

/* R = exp(hat(theta)) = I + (sin t / t) hat(theta) + ((1 - cos t) / t^2) hat(theta)^2, t = |theta| */
void ac_rotation_exp(const double theta[3], double R[9]);

/* The rotation vector of R with |theta| <= pi. */
void ac_rotation_log(const double R[9], double theta[3]);

/* T with d(exp(theta) a) = hat(T dtheta) exp(theta) a. */
void ac_rotation_tangent(const double theta[3], double T[9]);

/* Rotation about z. */
void ac_rotation_z(double angle, double R[9]);

/* One polar step: an almost orthonormal matrix becomes orthonormal to the square of its error. */
void ac_rotation_polish(double R[9]);

/* True if R is a rotation (orthonormal, right handed) within the tolerance. */
bool ac_rotation_check(const double R[9], double tolerance);

/* Two unit vectors e1, e2 perpendicular to d and to each other. */
void ac_perpendicular(const double d[3], double e1[3], double e2[3]);

#endif
