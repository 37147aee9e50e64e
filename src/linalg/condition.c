/* Condition numbers by LAPACK's singular values. */
#include "linalg/condition.h"

#include <math.h>

extern void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s,
                    double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
                    int *iwork, int *info);

ac_status ac_condition_number(ac_context *ctx, int n, double *matrix, double *condition)
{
    *condition = 1.0;
    if (n == 0) return AC_OK;
    int one = 1, info = 0, lwork = 12 * n + 64;
    ac_status status = AC_OK;
    double *sigma = ac_allocate(ctx, (size_t)n, sizeof *sigma);
    double *work = ac_allocate(ctx, (size_t)lwork, sizeof *work);
    int *iwork = ac_allocate(ctx, 8 * (size_t)n, sizeof *iwork);
    if (!sigma || !work || !iwork) {
        status = ac_out_of_memory(ctx);
    } else {
        double none = 0.0;
        dgesdd_("N", &n, &n, matrix, &n, sigma, &none, &one, &none, &one, work, &lwork, iwork, &info);
        if (info != 0)
            status = ac_fail(ctx, AC_NOT_CONVERGED, "the singular values did not converge");
        else
            *condition = sigma[n - 1] > 0.0 ? sigma[0] / sigma[n - 1] : INFINITY;
    }
    ac_release(ctx, sigma);
    ac_release(ctx, work);
    ac_release(ctx, iwork);
    return status;
}
