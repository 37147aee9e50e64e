/* The least curvature of a function that is known by products with its second derivatives: Lanczos' method with full
 * orthogonalisation on the variables that are free. The error of a Ritz value is at most the residual of its vector. */
#include <math.h>
#include <string.h>

#include "adjoint/newton.h"
#include "linalg/tridiagonal.h"
#include "math/math.h"

enum { DIRECTIONS = 40 };

typedef struct lanczos {
    const ac_newton_problem *problem;
    const bool *held;
    int count;
    double *basis; /* DIRECTIONS + 1 rows */
    double diagonal[DIRECTIONS], next[DIRECTIONS];
    double vectors[DIRECTIONS * DIRECTIONS], values[DIRECTIONS];
} lanczos;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Makes row k orthogonal to those before it and normal; false: nothing is left of it. */
static bool normalise(lanczos *s, int k)
{
    int n = s->problem->n;
    double *v = s->basis + k * n, before = sqrt(dot(n, v, v));
    for (int i = 0; i < n; ++i)
        if (s->held[i]) v[i] = 0.0;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < k; ++j) {
            const double *u = s->basis + j * n;
            double share = dot(n, u, v);
            for (int i = 0; i < n; ++i) v[i] -= share * u[i];
        }
    double size = sqrt(dot(n, v, v));
    if (k > 0) s->next[k - 1] = size;
    if (!(size > 1e-10 * before) || size == 0.0) return false;
    for (int i = 0; i < n; ++i) v[i] /= size;
    return true;
}

/* Eigenvalues of the projected matrix; vectors in columns. */
static bool diagonalise(lanczos *s)
{
    double next[DIRECTIONS];
    memcpy(s->values, s->diagonal, (size_t)s->count * sizeof *next);
    memcpy(next, s->next, (size_t)s->count * sizeof *next);
    return ac_tridiagonal_eigen(s->count, s->values, next, s->vectors);
}

/* Least and largest Ritz value, and the error of the least. */
static int judge(lanczos *s, ac_curvature_found *found)
{
    int least = 0, most = 0;
    bool known = diagonalise(s);
    for (int i = 1; i < s->count; ++i) {
        if (s->values[i] < s->values[least]) least = i;
        if (s->values[i] > s->values[most]) most = i;
    }
    found->least = s->values[least];
    found->most = ac_max(fabs(s->values[most]), fabs(found->least));
    found->error = !known ? INFINITY
                          : fabs(s->next[s->count - 1] * s->vectors[(s->count - 1) * s->count + least]);
    return least;
}

static ac_status run(lanczos *s, double *direction, ac_curvature_found *found)
{
    int n = s->problem->n, free = 0, least = 0;
    unsigned seed = 1;
    for (int i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        s->basis[i] = (double)(seed >> 8) / 8388608.0 - 1.0;
        free += !s->held[i];
    }
    *found = (ac_curvature_found){0};
    if (free == 0 || !normalise(s, 0)) return AC_OK;
    int most = s->problem->looks < DIRECTIONS ? s->problem->looks : DIRECTIONS;
    for (int k = 0, more = 1; more && k < most && k < free; ++k) {
        double *next = s->basis + (k + 1) * n;
        AC_TRY(s->problem->multiply(s->problem->user, s->basis + k * n, next));
        s->diagonal[k] = dot(n, s->basis + k * n, next);
        s->count = k + 1;
        ++found->products;
        more = normalise(s, k + 1);
        least = judge(s, found);
        if (found->least < 0.0 && found->error < 0.1 * fabs(found->least)) break; /* negative for sure */
    }
    memset(direction, 0, (size_t)n * sizeof *direction);
    for (int j = 0; j < s->count; ++j)
        for (int i = 0; i < n; ++i) direction[i] += s->vectors[j * s->count + least] * s->basis[j * n + i];
    return AC_OK;
}

ac_status ac_least_curvature(const ac_newton_problem *problem, const bool *held, double *direction,
                             ac_curvature_found *found)
{
    lanczos *s = ac_allocate(problem->ctx, 1, sizeof *s);
    if (!s) return ac_out_of_memory(problem->ctx);
    s->problem = problem;
    s->held = held;
    s->basis = ac_allocate(problem->ctx, (DIRECTIONS + 1) * (size_t)problem->n + 1, sizeof *s->basis);
    ac_status status = s->basis ? run(s, direction, found) : ac_out_of_memory(problem->ctx);
    ac_release(problem->ctx, s->basis);
    ac_release(problem->ctx, s);
    return status;
}
