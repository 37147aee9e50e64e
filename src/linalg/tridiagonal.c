/* The implicit QL method (Wilkinson's shift): cost of the order of n^3 with vectors, where rotations of the full matrix take
 * ten times that. */
#include "linalg/tridiagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"

enum { ITERATIONS = 60 };

/* Columns k and k + 1 of V turn by an angle with cosine c and sine s. */
static void turn_columns(int n, int k, double c, double s, double *V)
{
    for (int i = 0; i < n; ++i) {
        double *row = V + i * n + k, a = row[0], b = row[1];
        row[0] = c * a - s * b;
        row[1] = s * a + c * b;
    }
}

/* The end of the block that begins in row `from`: the first row behind which the entry beside the diagonal vanishes. */
static int block_end(int n, int from, const double *d, const double *e)
{
    int k = from;
    while (k < n - 1 && !(fabs(e[k]) <= DBL_EPSILON * (fabs(d[k]) + fabs(d[k + 1])))) ++k;
    return k;
}

/* One sweep of rotations from the end of a block to its begin. */
static void sweep(int n, int from, int to, double *d, double *e, double *V)
{
    double g = (d[from + 1] - d[from]) / (2.0 * e[from]), r = ac_hypot(g, 1.0), s = 1.0, c = 1.0, p = 0.0;
    g = d[to] - d[from] + e[from] / (g + copysign(r, g));
    for (int k = to - 1; k >= from; --k) {
        double f = s * e[k], b = c * e[k];
        e[k + 1] = r = ac_hypot(f, g);
        if (r == 0.0) { /* the block falls apart here */
            d[k + 1] -= p;
            e[to] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[k + 1] - p;
        r = (d[k] - g) * s + 2.0 * c * b;
        p = s * r;
        d[k + 1] = g + p;
        g = c * r - b;
        turn_columns(n, k, c, s, V);
    }
    d[from] -= p;
    e[from] = g;
    e[to] = 0.0;
}

bool ac_tridiagonal_eigen(int n, double *values, double *next, double *V)
{
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int i = 0; i < n; ++i) V[i * n + i] = 1.0;
    if (n > 0) next[n - 1] = 0.0;
    for (int k = 0; k < n; ++k) {
        int count = 0;
        for (int end = block_end(n, k, values, next); end != k; end = block_end(n, k, values, next)) {
            if (count++ == ITERATIONS) return false;
            sweep(n, k, end, values, next, V);
        }
    }
    return true;
}
