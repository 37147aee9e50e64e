/* Numbers for tests. */
#include "support/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"

/* splitmix64 */
static uint64_t next(dice *d)
{
    uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double dice_between(dice *d, double low, double high)
{
    return low + (high - low) * ((double)(next(d) >> 11) / 9007199254740992.0);
}

void dice_vector(dice *d, int n, double size, double *x)
{
    for (int i = 0; i < n; ++i) x[i] = dice_between(d, -size, size);
}

void dice_rotation(dice *d, double R[9])
{
    double theta[3];
    dice_vector(d, 3, 1.7, theta);
    ac_rotation_exp(theta, R);
}

double largest_entry(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fabs(x[i]) <= most ? most : fabs(x[i]);
    return most;
}

double largest_difference(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fabs(x[i] - y[i]) <= most ? most : fabs(x[i] - y[i]);
    return most;
}

/* One column by the central difference of width h. */
static void central(vector_function f, void *user, int m, double *x, int j, double h, double *out,
                    double *scratch)
{
    double kept = x[j];
    x[j] = kept + h;
    f(user, x, out);
    x[j] = kept - h;
    f(user, x, scratch);
    x[j] = kept;
    for (int i = 0; i < m; ++i) out[i] = (out[i] - scratch[i]) / (2.0 * h);
}

void difference_jacobian(vector_function f, void *user, int n, int m, const double *x, double *J)
{
    const double h = 3e-3;
    double *work = calloc((size_t)(4 * m + n), sizeof *work);
    double *d0 = work, *d1 = work + m, *d2 = work + 2 * m, *scratch = work + 3 * m, *at = work + 4 * m;
    memcpy(at, x, (size_t)n * sizeof *at);
    for (int j = 0; j < n; ++j) {
        central(f, user, m, at, j, h, d0, scratch);
        central(f, user, m, at, j, h / 2.0, d1, scratch);
        central(f, user, m, at, j, h / 4.0, d2, scratch);
        for (int i = 0; i < m; ++i) {
            double coarse = (4.0 * d1[i] - d0[i]) / 3.0, fine = (4.0 * d2[i] - d1[i]) / 3.0;
            J[i * n + j] = (16.0 * fine - coarse) / 15.0;
        }
    }
    free(work);
}

double jacobian_error(vector_function f, void *user, int n, int m, const double *x, const double *J)
{
    double *D = calloc((size_t)(n * m), sizeof *D);
    difference_jacobian(f, user, n, m, x, D);
    double size = largest_entry(n * m, D), error = largest_difference(n * m, D, J);
    free(D);
    return size > 1e-9 ? error / size : INFINITY;
}

double order_of(double error, double error_of_half)
{
    return log2(error / error_of_half);
}

void trend_add(trend *t, double value)
{
    if (t->count == 0) t->low = t->high = value;
    t->low = fmin(t->low, value);
    t->high = fmax(t->high, value);
    t->moment += (double)t->count * value;
    t->sum += value;
    ++t->count;
}

double trend_rise(const trend *t)
{
    double n = (double)t->count, centre = 0.5 * (n - 1.0);
    return 12.0 * (t->moment - centre * t->sum) / (n * (n + 1.0));
}

double trend_spread(const trend *t)
{
    return t->high - t->low;
}

/* Rotations of pairs of rows until all are perpendicular (Jacobi, Hestenes); their lengths are the singular values. */
int numerical_rank(int m, int n, const double *matrix, double tolerance)
{
    double *a = numbers(m * n), largest = 0.0, off = 1.0;
    int rank = 0;
    memcpy(a, matrix, (size_t)(m * n) * sizeof *a);
    for (int sweep = 0; sweep < 60 && off > 1e-15; ++sweep) {
        off = 0.0;
        for (int p = 0; p < m; ++p)
            for (int q = p + 1; q < m; ++q) {
                double *x = a + p * n, *y = a + q * n, xx = 0.0, yy = 0.0, xy = 0.0;
                for (int i = 0; i < n; ++i) xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
                if (xy == 0.0 || xx == 0.0 || yy == 0.0) continue;
                off = fmax(off, fabs(xy) / sqrt(xx * yy));
                double zeta = (yy - xx) / (2.0 * xy),
                       t = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta)), c = 1.0 / hypot(1.0, t),
                       s = c * t;
                for (int i = 0; i < n; ++i) {
                    double kept = x[i];
                    x[i] = c * kept - s * y[i];
                    y[i] = s * kept + c * y[i];
                }
            }
    }
    for (int k = 0; k < 2; ++k) /* first the largest length, then how many count beside it */
        for (int p = 0; p < m; ++p) {
            double square = 0.0;
            for (int i = 0; i < n; ++i) square += a[p * n + i] * a[p * n + i];
            if (k == 0)
                largest = fmax(largest, sqrt(square));
            else
                rank += sqrt(square) > tolerance * largest;
        }
    free(a);
    return rank;
}

double *numbers(int n)
{
    double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
    if (!x) abort();
    return x;
}
