/* Signs of eigenvalues by the factorisation of Bunch and Kaufman, whose pivoting keeps them right for any
 * matrix. */
#include "linalg/inertia.h"

#include <stdbool.h>

extern void dsytrf_(const char *half, const int *n, double *a, const int *lda, int *pivot, double *work,
                    const int *lwork, int *info);

/* D has blocks of one and two rows; those of two have one eigenvalue of each sign. */
static int count_blocks(int n, const double *matrix, const int *pivot)
{
    int negative = 0;
    for (int i = 0; i < n; ++i) {
        bool pair = pivot[i] < 0;
        if (pair || matrix[(size_t)i * (size_t)n + (size_t)i] < 0.0) ++negative;
        if (pair) ++i;
    }
    return negative;
}

ac_status ac_negative_eigenvalues(ac_context *ctx, int n, double *matrix, int *negative)
{
    int info = 0, lwork = 64 * n;
    ac_status status = AC_OK;
    *negative = 0;
    if (n == 0) return AC_OK;
    double *work = ac_allocate(ctx, (size_t)lwork, sizeof *work);
    int *pivot = ac_allocate(ctx, (size_t)n, sizeof *pivot);
    if (!work || !pivot) {
        status = ac_out_of_memory(ctx);
    } else {
        dsytrf_("U", &n, matrix, &n, pivot, work, &lwork, &info); /* rows here are columns there */
        *negative = count_blocks(n, matrix, pivot);
    }
    ac_release(ctx, work);
    ac_release(ctx, pivot);
    return status;
}
