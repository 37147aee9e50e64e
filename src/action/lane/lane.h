/* Numbers of all lanes, and vectors and matrices of them.
 *
 * Vectors of a compiler extension, as in base/triple.h: the operations and their order in a lane are those of plain C.
 * Matrices are row by row; the columns of a rotation are its directors. */
#ifndef ACTIO_ACTION_LANE_LANE_H
#define ACTIO_ACTION_LANE_LANE_H

#include <stdint.h>

enum { AC_LANES = 4 };

typedef double ac_lane __attribute__((vector_size(AC_LANES * sizeof(double)), aligned(16)));
typedef int64_t ac_lane_mask __attribute__((vector_size(AC_LANES * sizeof(double)), aligned(16)));

#define LANE_INLINE static inline __attribute__((always_inline))

LANE_INLINE void lane_fill(double x, ac_lane *out)
{
    for (int l = 0; l < AC_LANES; ++l) (*out)[l] = x;
}

/* out = a where the mask is set */
LANE_INLINE void lane_pick(const ac_lane_mask *mask, const ac_lane *a, ac_lane *out)
{
    *out = (ac_lane)((*mask & (ac_lane_mask)*a) | (~*mask & (ac_lane_mask)*out));
}

/* most = the larger of most and |x|; what is not a number stays none */
LANE_INLINE void lane_raise(const ac_lane *x, ac_lane *most)
{
    const ac_lane size = (ac_lane)((ac_lane_mask)*x & INT64_MAX);
    const ac_lane_mask larger = ~(size <= *most) & (*most == *most);
    lane_pick(&larger, &size, most);
}

LANE_INLINE void lane_cross(const ac_lane *a, const ac_lane *b, ac_lane *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += a x b */
LANE_INLINE void lane_add_cross(const ac_lane *a, const ac_lane *b, ac_lane *out)
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out = A x */
LANE_INLINE void lane_apply(const ac_lane *A, const ac_lane *x, ac_lane *out)
{
    for (int i = 0; i < 3; ++i) out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* out = A B */
LANE_INLINE void lane_multiply(const ac_lane *A, const ac_lane *B, ac_lane *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* out = A B^T */
LANE_INLINE void lane_multiply_transposed(const ac_lane *A, const ac_lane *B, ac_lane *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

#endif
