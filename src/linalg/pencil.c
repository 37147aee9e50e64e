/* Modes of M x'' + C x' + K x = 0.
 *
 * Without C: with B = K + d M = L L^T the symmetric matrix L^-1 M L^-T has the eigenvalues 1/(w + d), w = -s^2. The slow
 * modes are its large eigenvalues, known best, and motions without inertia are eigenvalues 0; w is then the Rayleigh
 * quotient. With C: s = r + 1/v with the eigenvalues v of
 *
 *   [ -Q^-1 (C + 2 r M)   -Q^-1 M ]
 *   [         I               0   ],     Q = K + r C + r^2 M,
 *
 * for a small positive r, which keeps Q regular where motions have no resistance; vectors by inverse iteration. The matrices are
 * taken in the basis of the motions without C first. */
#include "linalg/pencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "math/math.h"

static const double SHIFT = 1e-6;       /* d beside trace K / trace M, and r^2 likewise */
static const double PIVOT = 1e-13;      /* of the Cholesky factorisation, beside the diagonal */
static const double NO_INERTIA = 1e-13; /* 1 / (w + d), or v, beside the largest */
static const double NO_FORCE = 1e-12;   /* x . K x beside the sum of its terms */
static const double AT_REST = 1e-4;     /* |s| beside r */

/* A mode before its vector is wanted. */
typedef struct candidate {
    double re, im;
    int index;
} candidate;

static double trace_ratio(const ac_pencil *p)
{
    double k = 0.0, m = 0.0;
    for (int i = 0; i < p->n; ++i) {
        k += fabs(p->K[(size_t)i * (size_t)(p->n + 1)]);
        m += fabs(p->M[(size_t)i * (size_t)(p->n + 1)]);
    }
    return k > 0.0 && m > 0.0 ? k / m : 1.0;
}

/* |s|, a little less for what grows, so that it stands before what decays as fast. */
static double rank(const candidate *c)
{
    return ac_hypot(c->re, c->im) * (c->re > 0.0 ? 1.0 - 1e-9 : 1.0);
}

/* Takes the `count` candidates nearest to `near`, then puts them in ascending order; insertion is stable. */
static int choose(candidate *list, int all, double near, int count)
{
    for (int pass = 0; pass < 2; ++pass) {
        double origin = pass == 0 ? near : 0.0;
        for (int i = 1; i < all; ++i) {
            candidate c = list[i];
            int k = i;
            for (; k > 0 && fabs(rank(&list[k - 1]) - origin) > fabs(rank(&c) - origin); --k)
                list[k] = list[k - 1];
            list[k] = c;
        }
        if (all > count) all = count;
    }
    return all;
}

/* --- without C --- */

/* L of A = L L^T in the lower half; false: a pivot is not positive. */
static bool cholesky(int n, double *A)
{
    for (int j = 0; j < n; ++j) {
        double *row = A + (size_t)j * (size_t)n, diagonal = fabs(row[j]);
        for (int i = 0; i < j; ++i) {
            const double *other = A + (size_t)i * (size_t)n;
            double sum = row[i];
            for (int k = 0; k < i; ++k) sum -= row[k] * other[k];
            row[i] = sum / other[i];
        }
        double pivot = row[j];
        for (int k = 0; k < j; ++k) pivot -= row[k] * row[k];
        if (!(pivot > PIVOT * diagonal)) return false;
        row[j] = sqrt(pivot);
    }
    return true;
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* x <- L^-1 x, and x <- L^-T x, for vectors whose entries are `step` apart. */
static void lower_solve(int n, const double *L, double *x, int step)
{
    for (int i = 0; i < n; ++i) {
        const double *row = L + (size_t)i * (size_t)n;
        double sum = x[i * step];
        for (int k = 0; k < i; ++k) sum -= row[k] * x[k * step];
        x[i * step] = sum / row[i];
    }
}

static void upper_solve(int n, const double *L, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        const double *row = L + (size_t)i * (size_t)n;
        x[i] /= row[i];
        for (int k = 0; k < i; ++k) x[k] -= row[k] * x[i];
    }
}

/* w = x . K x / x . M x; 0 where the numerator is the rounding of its terms. */
static double rayleigh(const ac_pencil *p, const double *x)
{
    double k = 0.0, m = 0.0, terms = 0.0;
    for (int i = 0; i < p->n; ++i)
        for (int j = 0; j < p->n; ++j) {
            size_t place = (size_t)i * (size_t)p->n + (size_t)j;
            double term = x[i] * p->K[place] * x[j];
            k += term;
            terms += fabs(term);
            m += x[i] * p->M[place] * x[j];
        }
    return fabs(k) <= NO_FORCE * terms ? 0.0 : k / m;
}

/* L of K + d M, K made symmetric, with the smallest of a few d >= 0 for which it is positive. */
static ac_status factor_shifted(ac_context *ctx, const ac_pencil *p, double *L)
{
    size_t n = (size_t)p->n;
    double d = 0.0, first = SHIFT * trace_ratio(p);
    for (int k = 0; k < 8; ++k) {
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j)
                L[i * n + j] = 0.5 * (p->K[i * n + j] + p->K[j * n + i]) + d * p->M[i * n + j];
        if (cholesky(p->n, L)) return AC_OK;
        d = k == 0 ? first : 100.0 * d;
    }
    return ac_fail(ctx, AC_SINGULAR, "some motion has no inertia, and no stiffness holds it");
}

/* X with X^T (K + d M) X = I and X^T M X = diag(values), ascending, K made symmetric; a row of X is a motion.
 * L, work: n^2 and n (n + 3) numbers. */
static ac_status find_basis(ac_context *ctx, const ac_pencil *p, double *X, double *values, double *L,
                            double *work)
{
    int n = p->n;
    size_t width = (size_t)n;
    AC_TRY(factor_shifted(ctx, p, L));
    memcpy(X, p->M, width * width * sizeof *X);
    for (int j = 0; j < n; ++j) lower_solve(n, L, X + j, n);
    for (int i = 0; i < n; ++i) lower_solve(n, L, X + (size_t)i * width, 1);
    for (size_t i = 0; i < width; ++i)
        for (size_t j = 0; j < i; ++j)
            X[i * width + j] = X[j * width + i] = 0.5 * (X[i * width + j] + X[j * width + i]);
    if (!ac_symmetric_eigen(n, X, values, work)) return ac_fail(ctx, AC_NOT_CONVERGED, "no modes found");
    for (size_t i = 0; i < width; ++i) /* vectors into rows */
        for (size_t j = 0; j < i; ++j) swap(&X[i * width + j], &X[j * width + i]);
    for (int i = 0; i < n; ++i) upper_solve(n, L, X + (size_t)i * width);
    return AC_OK;
}

static ac_status symmetric_modes(ac_context *ctx, const ac_pencil *p, double near, int count,
                                 ac_exponent *modes, int *found, double *block, candidate *list)
{
    int n = p->n, all = 0;
    size_t width = (size_t)n, entries = width * width;
    double *X = block, *L = X + entries, *work = L + entries, *values = work + entries + 3 * width;
    AC_TRY(find_basis(ctx, p, X, values, L, work));
    for (int c = n - 1; c >= 0 && values[c] > NO_INERTIA * values[n - 1]; --c) {
        double w = rayleigh(p, X + (size_t)c * width);
        list[all++] = (candidate){w < 0.0 ? sqrt(-w) : 0.0, w > 0.0 ? sqrt(w) : 0.0, c};
    }
    *found = choose(list, all, near, count);
    for (int k = 0; k < *found; ++k) {
        modes[k].re = list[k].re;
        modes[k].im = list[k].im;
        memcpy(modes[k].x, X + (size_t)list[k].index * width, width * sizeof *X);
        memset(modes[k].x + n, 0, width * sizeof *X);
    }
    return AC_OK;
}

/* --- with C --- */

/* The matrix whose eigenvalues are 1/(s - r), 2 n rows. */
static ac_status linearise(ac_context *ctx, const ac_pencil *p, double r, double *Q, int *pivot, double *T)
{
    int n = p->n;
    size_t entries = (size_t)n * (size_t)n, width = 2 * (size_t)n;
    for (size_t i = 0; i < entries; ++i) Q[i] = p->K[i] + r * p->C[i] + r * r * p->M[i];
    if (!ac_lu_factor(n, Q, pivot))
        return ac_fail(ctx, AC_SINGULAR, "some motion has no inertia, and neither stiffness nor damping");
    double *column = T + width * (size_t)n; /* rows n .. 2 n - 1 are filled last */
    for (int part = 0; part < 2; ++part)
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                size_t place = (size_t)i * (size_t)n + (size_t)j;
                column[i] = part == 0 ? -p->C[place] - 2.0 * r * p->M[place] : -p->M[place];
            }
            ac_lu_solve(n, Q, pivot, column);
            for (int i = 0; i < n; ++i) T[(size_t)i * width + (size_t)(part * n + j)] = column[i];
        }
    memset(column, 0, width * (size_t)n * sizeof *T);
    for (int i = 0; i < n; ++i) T[(size_t)(n + i) * width + (size_t)i] = 1.0;
    return AC_OK;
}

/* Q(s) = s^2 M + s C + K as a real matrix of `rows` rows, n for a real s, else 2 n for real and imaginary parts. */
static void fill_at(const ac_pencil *p, double re, double im, int rows, double *A)
{
    size_t n = (size_t)p->n, width = (size_t)rows;
    double square_re = re * re - im * im, square_im = 2.0 * re * im;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            size_t place = i * n + j;
            double real = square_re * p->M[place] + re * p->C[place] + p->K[place],
                   imaginary = square_im * p->M[place] + im * p->C[place];
            A[i * width + j] = real;
            if (rows == p->n) continue;
            A[i * width + n + j] = -imaginary;
            A[(n + i) * width + j] = imaginary;
            A[(n + i) * width + n + j] = real;
        }
}

/* y = Q'(s) x = (2 s M + C) x, real and imaginary parts. */
static void slope_times(const ac_pencil *p, double re, double im, const double *x, double *y)
{
    size_t n = (size_t)p->n;
    memset(y, 0, 2 * n * sizeof *y);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            double real = 2.0 * re * p->M[i * n + j] + p->C[i * n + j],
                   imaginary = 2.0 * im * p->M[i * n + j];
            y[i] += real * x[j] - imaginary * x[n + j];
            y[n + i] += imaginary * x[j] + real * x[n + j];
        }
}

/* Inverse iteration x <- Q(s)^-1 Q'(s) x beside mode->re + i mode->im, with Newton's correction s - x_k / (Q^-1 Q' x)_k; a mode
 * with s = 0 keeps it. `seed` tells vectors of equal s apart; y: 2 n numbers. */
static bool refine(const ac_pencil *p, double beside, int seed, double *A, int *pivot, double *y,
                   ac_exponent *mode)
{
    int n = p->n, rows = mode->im != 0.0 ? 2 * n : n, k = 0;
    bool zero = mode->re == 0.0 && mode->im == 0.0;
    double re = zero ? beside : (1.0 + 1e-9) * mode->re, im = (1.0 + 1e-9) * mode->im, *x = mode->x;
    fill_at(p, re, im, rows, A);
    if (!ac_lu_factor(rows, A, pivot)) return false;
    memset(x, 0, 2 * (size_t)n * sizeof *x);
    for (int i = 0; i < rows; ++i) x[i] = 1.0 + 0.5 * ((i * (7 + seed) + 3 * seed) % 11);
    for (int pass = 0; pass < 4; ++pass) {
        slope_times(p, re, im, x, y);
        ac_lu_solve(rows, A, pivot, y);
        for (int i = k = 0; i < n; ++i)
            if (ac_hypot(y[i], y[n + i]) > ac_hypot(y[k], y[n + k])) k = i;
        double square = y[k] * y[k] + y[n + k] * y[n + k], size = sqrt(square);
        if (!(size > 0.0) || !isfinite(size)) return false;
        if (!zero && pass == 3) {
            mode->re = re - (x[k] * y[k] + x[n + k] * y[n + k]) / square;
            mode->im = im - (x[n + k] * y[k] - x[k] * y[n + k]) / square;
        }
        for (int i = 0; i < 2 * n; ++i) x[i] = y[i] / size;
    }
    return true;
}

/* B = X A X^T, rows of X are motions; work: n^2 numbers. */
static void transform(int n, const double *X, const double *A, double *work, double *B)
{
    size_t width = (size_t)n;
    memset(work, 0, width * width * sizeof *work);
    memset(B, 0, width * width * sizeof *B);
    for (size_t i = 0; i < width; ++i)
        for (size_t k = 0; k < width; ++k)
            for (size_t j = 0; j < width; ++j) work[i * width + j] += X[i * width + k] * A[k * width + j];
    for (size_t i = 0; i < width; ++i)
        for (size_t j = 0; j < width; ++j)
            for (size_t k = 0; k < width; ++k) B[i * width + j] += work[i * width + k] * X[j * width + k];
}

/* The modes of a pencil in its own basis, in which M is diagonal and K nearly so. */
static ac_status modes_in_basis(ac_context *ctx, const ac_pencil *p, double near, int count,
                                ac_exponent *modes, int *found, double *block, candidate *list, int *pivot)
{
    int n = p->n, all = 0, resting = 0;
    size_t entries = (size_t)n * (size_t)n;
    double *Q = block, *T = Q + entries, *re = T + 4 * entries, *im = re + 2 * (size_t)n;
    double r = sqrt(SHIFT * trace_ratio(p)), largest = 0.0;
    AC_TRY(linearise(ctx, p, r, Q, pivot, T));
    if (!ac_real_eigenvalues(2 * n, T, re, im)) return ac_fail(ctx, AC_NOT_CONVERGED, "no modes found");
    for (int k = 0; k < 2 * n; ++k) largest = ac_max(largest, ac_hypot(re[k], im[k]));
    for (int k = 0; k < 2 * n; ++k) {
        double square = re[k] * re[k] + im[k] * im[k];
        if (!(sqrt(square) > 10.0 * NO_INERTIA * largest)) continue;
        candidate c = {r + re[k] / square, -im[k] / square, k};
        if (ac_hypot(c.re, c.im) <= AT_REST * r) {
            if (resting++ % 2 == 0)
                list[all++] = (candidate){0.0, 0.0, k}; /* place and velocity: two zeros */
        } else if (c.im >= 0.0) {
            list[all++] = c;
        }
    }
    *found = choose(list, all, near, count);
    for (int k = 0; k < *found; ++k) {
        modes[k].re = list[k].re;
        modes[k].im = list[k].im;
        if (!refine(p, r, k, T, pivot, re, &modes[k]))
            return ac_fail(ctx, AC_NOT_CONVERGED, "no shape found for the mode with exponent %g %+g i",
                           list[k].re, list[k].im);
    }
    return AC_OK;
}

/* In the basis of the undamped motions, which brings together what belongs together; rounding leaves nothing big beside it. */
static ac_status general_modes(ac_context *ctx, const ac_pencil *p, double near, int count,
                               ac_exponent *modes, int *found, double *block, candidate *list, int *pivot)
{
    int n = p->n;
    size_t width = (size_t)n, entries = width * width;
    double *X = block, *M = X + entries, *C = M + entries, *K = C + entries, *rest = K + entries;
    AC_TRY(find_basis(ctx, p, X, rest, M, rest + n));
    transform(n, X, p->M, rest, M);
    transform(n, X, p->C, rest, C);
    transform(n, X, p->K, rest, K);
    ac_pencil own = {n, M, C, K};
    AC_TRY(modes_in_basis(ctx, &own, near, count, modes, found, rest, list, pivot));
    for (int m = 0; m < *found; ++m) { /* shapes back: x <- X^T x */
        memcpy(rest, modes[m].x, 2 * width * sizeof *rest);
        memset(modes[m].x, 0, 2 * width * sizeof *rest);
        for (int part = 0; part < 2; ++part)
            for (int k = 0; k < n; ++k)
                for (int i = 0; i < n; ++i)
                    modes[m].x[part * n + i] += rest[part * n + k] * X[(size_t)k * width + (size_t)i];
    }
    return AC_OK;
}

ac_status ac_pencil_modes(ac_context *ctx, const ac_pencil *pencil, double near, int count,
                          ac_exponent *modes, int *found)
{
    size_t n = (size_t)pencil->n;
    *found = 0;
    if (n == 0 || count < 1) return AC_OK;
    double *block = ac_allocate(ctx, (pencil->C ? 9 : 3) * n * n + 5 * n, sizeof *block);
    candidate *list = ac_allocate(ctx, 2 * n, sizeof *list);
    int *pivot = ac_allocate(ctx, 2 * n, sizeof *pivot);
    ac_status status = block && list && pivot ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK)
        status = pencil->C ? general_modes(ctx, pencil, near, count, modes, found, block, list, pivot)
                           : symmetric_modes(ctx, pencil, near, count, modes, found, block, list);
    ac_release(ctx, block);
    ac_release(ctx, list);
    ac_release(ctx, pivot);
    return status;
}
