/* Condition numbers: reflections from both sides leave a matrix with two diagonals (Golub and Kahan 1965), whose largest
 * and smallest singular values are found by bisection. With its diagonals d and e, the singular values and their negatives are
 * the eigenvalues of the symmetric matrix with d1, e1, d2, e2, ... beside a diagonal of zeros; how many of these are
 * below a number is counted by Sturm's sequence, which is right to rounding also for small ones. */
#include "linalg/condition.h"

#include <math.h>
#include <string.h>

#include "linalg/row.h"
#include "math/math.h"

typedef struct bidiagonal {
    int n;
    double *d, *e; /* e[n - 1] = 0 */
    double *v, *w; /* workspace */
} bidiagonal;

/* The reflection I - factor v v^T that takes a vector of this head and length to its first axis; answers v's head. */
static double reflection(double head, double length, double *factor)
{
    *factor = length > 0.0 ? 1.0 / (length * (length + fabs(head))) : 0.0;
    return head + copysign(length, head);
}

/* Row and column k: the column by a reflection v from the left, what remains of the row by one from the right, u. The rows
 * below take both at once. */
static void reduce(bidiagonal *b, double *A, int k)
{
    const size_t N = (size_t)b->n;
    const int behind = b->n - 1 - k;
    double *u = A + (size_t)k * N + (size_t)k + 1, *v = b->v, *w = b->w, factor;
    for (int i = k; i < b->n; ++i) v[i] = A[(size_t)i * N + (size_t)k];
    b->d[k] = sqrt(ac_row_dot(behind + 1, v + k, v + k));
    v[k] = reflection(v[k], b->d[k], &factor);
    memset(w, 0, (size_t)behind * sizeof *w);
    for (int i = k; i < b->n; ++i) ac_row_add(behind, factor * v[i], A + (size_t)i * N + (size_t)k + 1, w);
    ac_row_add(behind, -v[k], w, u);

    b->e[k] = sqrt(ac_row_dot(behind, u, u));
    if (behind > 0) u[0] = reflection(u[0], b->e[k], &factor);
    for (int i = k + 1; i < b->n; ++i) {
        double *row = A + (size_t)i * N + (size_t)k + 1;
        ac_row_add(behind, -v[i], w, row);
        ac_row_add(behind, -factor * ac_row_dot(behind, row, u), u, row);
    }
}

/* How many singular values are below x > 0. */
static int count_below(const bidiagonal *b, double x)
{
    static const double LEAST = 1e-290; /* entries are about 1 */
    double q = -x;
    int count = 1 - b->n;
    for (int k = 0; k < 2 * b->n - 1; ++k) {
        const double next = k % 2 ? b->e[k / 2] : b->d[k / 2];
        q = -x - next * next / q;
        if (fabs(q) < LEAST) q = -LEAST;
        count += q < 0.0;
    }
    return count;
}

/* The singular value with `below` of them below it, between two numbers; far apart these come together in their powers. */
static double bisect(const bidiagonal *b, int below, double low, double high)
{
    for (;;) {
        const double middle = high > 4.0 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
        if (!(middle > low && middle < high)) return high;
        if (count_below(b, middle) > below)
            high = middle;
        else
            low = middle;
    }
}

static double ratio_of_extremes(const bidiagonal *b)
{
    static const double NONE = 1e-150; /* squares beside it are lost */
    double most = 0.0, along = 0.0;
    for (int k = 0; k < b->n; ++k) {
        most = ac_max(most, ac_max(b->d[k], b->e[k]));
        along = ac_max(along, b->d[k] + b->e[k]);
    }
    if (count_below(b, NONE * most) > 0) return INFINITY;
    const double largest = bisect(b, b->n - 1, 0.5 * most, 2.0 * along);
    return largest / bisect(b, 0, NONE * most, largest);
}

ac_status ac_condition_number(ac_context *ctx, int n, double *matrix, double *condition)
{
    double size = 0.0;
    *condition = n > 0 ? INFINITY : 1.0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) {
        if (!isfinite(matrix[i])) *condition = NAN;
        size = ac_max(size, fabs(matrix[i]));
    }
    if (!(size > 0.0) || !isfinite(size) || isnan(*condition)) return AC_OK;
    double *work = ac_allocate(ctx, 4 * (size_t)n, sizeof *work);
    if (!work) return ac_out_of_memory(ctx);
    bidiagonal b = {.n = n, .d = work, .e = work + n, .v = work + 2 * n, .w = work + 3 * n};
    for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) matrix[i] /= size;
    for (int k = 0; k < n; ++k) reduce(&b, matrix, k);
    *condition = ratio_of_extremes(&b);
    ac_release(ctx, work);
    return AC_OK;
}
