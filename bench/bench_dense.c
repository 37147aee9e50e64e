/* Dense linear algebra beside LAPACK, where that is installed: factorisation and solution at most as slow, singular values three times.
 * Random matrices; milliseconds of the fastest of some repeats. */
#include <string.h>

#include "bench.h"
#include "linalg/condition.h"
#include "linalg/dense.h"
#include "linalg/inertia.h"

typedef struct matrices {
    int n;
    double *given, *A, *work, *x;
    int *pivot;
    ac_context *ctx;
} matrices;

static void lu(matrices *m)
{
    if (!ac_lu_factor(m->n, m->A, m->pivot)) exit(1);
}

static void solve(matrices *m)
{
    ac_lu_solve(m->n, m->A, m->pivot, m->x);
    ac_lu_solve_transposed(m->n, m->A, m->pivot, m->x);
}

static void inertia(matrices *m)
{
    m->x[0] = ac_negative_eigenvalues(m->n, m->A);
}

static void condition(matrices *m)
{
    if (ac_condition_number(m->ctx, m->n, m->A, m->x) != AC_OK) exit(1);
}

#ifdef BENCH_HAVE_LAPACK
extern void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
extern void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *,
                    double *, const int *, int *);
extern void dsytrf_(const char *, const int *, double *, const int *, int *, double *, const int *, int *);
extern void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
                    const int *, double *, const int *, double *, const int *, int *, int *);

static void other_lu(matrices *m)
{
    int info;
    dgetrf_(&m->n, &m->n, m->A, &m->n, m->pivot, &info);
}

static void other_solve(matrices *m)
{
    int info, one = 1;
    dgetrs_("T", &m->n, &one, m->A, &m->n, m->pivot, m->x, &m->n, &info);
    dgetrs_("N", &m->n, &one, m->A, &m->n, m->pivot, m->x, &m->n, &info);
}

static void other_inertia(matrices *m)
{
    int info, size = 64 * m->n;
    dsytrf_("U", &m->n, m->A, &m->n, m->pivot, m->work, &size, &info);
}

static void other_condition(matrices *m)
{
    int info, one = 1, size = 64 * m->n;
    double none;
    dgesdd_("N", &m->n, &m->n, m->A, &m->n, m->x, &none, &one, &none, &one, m->work, &size, m->pivot, &info);
}
#endif

static double fastest(matrices *m, void (*run)(matrices *), void (*before)(matrices *))
{
    double least = INFINITY;
    for (int repeat = 0; repeat < 7; ++repeat) {
        double sum = 0.0;
        int count = 0;
        do {
            memcpy(m->A, m->given, (size_t)m->n * (size_t)m->n * sizeof *m->A);
            for (int i = 0; i < m->n; ++i) m->x[i] = 1.0;
            if (before) before(m);
            double start = bench_now();
            run(m);
            sum += bench_now() - start;
        } while (++count < 1000 && sum < 0.01);
        least = fmin(least, sum / count);
    }
    return 1e3 * least;
}

static int compare(matrices *m, const char *what, double bound, void (*own)(matrices *),
                   void (*before)(matrices *), void (*other)(matrices *), void (*other_before)(matrices *))
{
    char name[64];
    double mine = fastest(m, own, before), theirs = other ? fastest(m, other, other_before) : 0.0;
    snprintf(name, sizeof name, "%s, %d rows", what, m->n);
    bench_report(name, mine, "ms", 0.0);
    if (!other) return 0;
    strncat(name, ", in times of LAPACK", sizeof name - strlen(name) - 1);
    return bench_report(name, mine / theirs, "", bound);
}

int main(void)
{
    static const int sizes[] = {6, 25, 50, 100, 200, 400};
    int worse = 0;
    for (int k = 0; k < 6; ++k) {
        const size_t n = (size_t)sizes[k];
        matrices m = {.n = sizes[k], .ctx = ac_context_new(NULL)};
        m.given = malloc(n * n * sizeof(double));
        m.A = malloc(n * n * sizeof(double));
        m.work = malloc(64 * n * sizeof(double));
        m.x = malloc(n * sizeof(double));
        m.pivot = malloc(8 * n * sizeof(int));
        if (!m.given || !m.A || !m.work || !m.x || !m.pivot) return 1;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j <= i; ++j)
                m.given[i * n + j] = m.given[j * n + i] = (double)rand() / RAND_MAX - 0.5;
#ifdef BENCH_HAVE_LAPACK
        worse |= compare(&m, "LU", 1.1, lu, NULL, other_lu, NULL);
        worse |= compare(&m, "two solutions", 1.1, solve, lu, other_solve, other_lu);
        worse |= compare(&m, "inertia", 1.1, inertia, NULL, other_inertia, NULL);
        worse |= compare(&m, "condition", 3.0, condition, NULL, other_condition, NULL);
#else
        compare(&m, "LU", 0.0, lu, NULL, NULL, NULL);
        compare(&m, "two solutions", 0.0, solve, lu, NULL, NULL);
        compare(&m, "inertia", 0.0, inertia, NULL, NULL, NULL);
        compare(&m, "condition", 0.0, condition, NULL, NULL, NULL);
#endif
        free(m.given);
        free(m.A);
        free(m.work);
        free(m.x);
        free(m.pivot);
        ac_context_free(m.ctx);
    }
    return worse;
}
