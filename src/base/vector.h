/* Vectors of three, 3 x 3 and 6 x 6 matrices, written out so that the compiler sees their size. Matrices
 * are stored row by row. A twist or wrench is six numbers: linear part first, then the angular part. */
#ifndef ACTIO_BASE_VECTOR_H
#define ACTIO_BASE_VECTOR_H

#include <math.h>
#include <string.h>

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double norm3(const double a[3])
{
    return sqrt(dot3(a, a));
}

static inline void copy3(const double a[3], double out[3])
{
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
}

static inline void add3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = a[i] + b[i];
}

static inline void sub3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}

/* out = a x b; out must not be a or b. */
static inline void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += a x b */
static inline void add_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out = A x */
static inline void apply3(const double A[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* out = A^T x */
static inline void apply_transposed3(const double A[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* out = A B; out must not be A or B. */
static inline void multiply3(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* out = A B^T */
static inline void multiply_transposed3(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

/* out = A^T B */
static inline void transposed_multiply3(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static inline void identity3(double A[9])
{
    memset(A, 0, 9 * sizeof *A);
    A[0] = A[4] = A[8] = 1.0;
}

static inline double dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* out = A x for a 6 x 6 matrix */
static inline void apply6(const double A[36], const double x[6], double out[6])
{
    for (int i = 0; i < 6; ++i) out[i] = dot6(A + 6 * i, x);
}

/* out = A^T x for a 6 x 6 matrix */
static inline void apply_transposed6(const double A[36], const double x[6], double out[6])
{
    for (int j = 0; j < 6; ++j) out[j] = A[j] * x[0];
    for (int i = 1; i < 6; ++i)
        for (int j = 0; j < 6; ++j) out[j] += A[6 * i + j] * x[i];
}

#endif
