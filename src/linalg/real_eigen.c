/* Eigenvalues of a real matrix: balanced by powers of two, brought to Hessenberg form by elimination with pivoting, then
 * Francis' double-shift QR steps (Golub and Van Loan, Matrix Computations, 7.4 and 7.5). */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "linalg/eigen.h"

enum { ITERATIONS = 120, STRANGE = 25 }; /* steps for one eigenvalue; after so many an unusual shift */

#define AT(i, j) A[(size_t)(i) * (size_t)n + (size_t)(j)]

/* Rows and columns get equal lengths by powers of two, which round nothing. */
static void balance(int n, double *A)
{
    bool changed = true;
    for (int pass = 0; changed && pass < 30; ++pass) {
        changed = false;
        for (int i = 0; i < n; ++i) {
            double row = 0.0, column = 0.0, factor = 1.0;
            for (int k = 0; k < n; ++k) {
                if (k == i) continue;
                row += fabs(AT(i, k));
                column += fabs(AT(k, i));
            }
            if (row == 0.0 || column == 0.0 || !isfinite(row + column)) continue;
            double sum = row + column;
            for (; column < row / 2.0; column *= 4.0) factor *= 2.0;
            for (; column >= row * 2.0; column /= 4.0) factor /= 2.0;
            if (!((column + row) / factor < 0.95 * sum)) continue;
            changed = true;
            for (int k = 0; k < n; ++k) AT(i, k) /= factor;
            for (int k = 0; k < n; ++k) AT(k, i) *= factor;
        }
    }
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Similar, and zero below the first subdiagonal. */
static void to_hessenberg(int n, double *A)
{
    for (int m = 1; m < n - 1; ++m) {
        int pivot = m;
        for (int i = m + 1; i < n; ++i)
            if (fabs(AT(i, m - 1)) > fabs(AT(pivot, m - 1))) pivot = i;
        if (AT(pivot, m - 1) == 0.0) continue;
        if (pivot != m) {
            for (int j = m - 1; j < n; ++j) swap(&AT(pivot, j), &AT(m, j));
            for (int i = 0; i < n; ++i) swap(&AT(i, pivot), &AT(i, m));
        }
        for (int i = m + 1; i < n; ++i) {
            double factor = AT(i, m - 1) / AT(m, m - 1);
            if (factor == 0.0) continue;
            AT(i, m - 1) = 0.0;
            for (int j = m; j < n; ++j) AT(i, j) -= factor * AT(m, j);
            for (int k = 0; k < n; ++k) AT(k, m) += factor * AT(k, i);
        }
    }
}

/* The eigenvalues of [a b; c d]. */
static void take_pair(double a, double b, double c, double d, double *re, double *im)
{
    double p = 0.5 * (a - d), square = p * p + b * c;
    if (square >= 0.0) {
        double z = p + copysign(sqrt(square), p);
        re[0] = d + z;
        re[1] = z != 0.0 ? d - b * c / z : re[0];
        im[0] = im[1] = 0.0;
        return;
    }
    re[0] = re[1] = d + p;
    im[0] = sqrt(-square);
    im[1] = -im[0];
}

/* The row where the active block that ends at row `end` begins. */
static int block_begin(int n, double *A, int end, double norm)
{
    int k = end;
    for (; k > 0; --k) {
        double size = fabs(AT(k - 1, k - 1)) + fabs(AT(k, k));
        if (size == 0.0) size = norm;
        if (fabs(AT(k, k - 1)) <= DBL_EPSILON * size) break;
    }
    if (k > 0) AT(k, k - 1) = 0.0;
    return k;
}

/* The first column of (A - a)(A - b) for the shifts' sum s and product t, from row m on. */
static void first_column(int n, const double *A, int m, int end, double s, double t, double v[3])
{
    double x = AT(m, m), y = AT(m + 1, m);
    v[0] = x * x + AT(m, m + 1) * y - s * x + t;
    v[1] = y * (x + AT(m + 1, m + 1) - s);
    v[2] = m + 2 <= end ? y * AT(m + 2, m + 1) : 0.0;
    double scale = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int i = 0; i < 3 && scale > 0.0; ++i) v[i] /= scale;
}

/* Reflects rows and columns k, k + 1, k + 2 of the block so that v becomes a multiple of the first unit vector; columns from
 * `from` on are touched. */
static void reflect(int n, double *A, int begin, int end, int k, int from, const double v[3])
{
    double scale = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    if (scale == 0.0) return;
    bool three = k + 2 <= end;
    double u[3] = {v[0] / scale, v[1] / scale, v[2] / scale};
    double length = copysign(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), u[0]);
    u[0] += length;
    double factor = 1.0 / (length * u[0]);
    for (int j = from; j <= end; ++j) {
        double sum = factor * (u[0] * AT(k, j) + u[1] * AT(k + 1, j) + (three ? u[2] * AT(k + 2, j) : 0.0));
        AT(k, j) -= sum * u[0];
        AT(k + 1, j) -= sum * u[1];
        if (three) AT(k + 2, j) -= sum * u[2];
    }
    int last = k + 3 < end ? k + 3 : end;
    for (int i = begin; i <= last; ++i) {
        double sum = factor * (u[0] * AT(i, k) + u[1] * AT(i, k + 1) + (three ? u[2] * AT(i, k + 2) : 0.0));
        AT(i, k) -= sum * u[0];
        AT(i, k + 1) -= sum * u[1];
        if (three) AT(i, k + 2) -= sum * u[2];
    }
}

/* One implicit double-shift step on rows begin .. end; it starts below two small subdiagonal entries where there are such. */
static void francis_step(int n, double *A, int begin, int end, double s, double t)
{
    double v[3];
    int start = end - 1;
    do {
        first_column(n, A, --start, end, s, t, v);
        if (start == begin) break;
        double before = fabs(AT(start, start - 1)) * (fabs(v[1]) + fabs(v[2]));
        double beside = fabs(AT(start - 1, start - 1)) + fabs(AT(start, start)) +
                        fabs(AT(start + 1, start + 1));
        if (before <= DBL_EPSILON * fabs(v[0]) * beside) break;
    } while (true);
    if (start > begin) AT(start, start - 1) = -AT(start, start - 1);
    for (int k = start; k < end; ++k) {
        reflect(n, A, begin, end, k, k > start ? k - 1 : k, v);
        if (k > start) AT(k + 1, k - 1) = 0.0;
        if (k > start && k + 2 <= end) AT(k + 2, k - 1) = 0.0;
        v[0] = AT(k + 1, k);
        v[1] = k + 2 <= end ? AT(k + 2, k) : 0.0;
        v[2] = k + 3 <= end ? AT(k + 3, k) : 0.0;
    }
}

bool ac_real_eigenvalues(int n, double *A, double *re, double *im)
{
    double norm = 0.0;
    balance(n, A);
    to_hessenberg(n, A);
    for (int i = 0; i < n; ++i)
        for (int j = i > 0 ? i - 1 : 0; j < n; ++j) norm += fabs(AT(i, j));
    if (!isfinite(norm)) return false;
    for (int end = n - 1, count = 0; end >= 0;) {
        int begin = block_begin(n, A, end, norm);
        if (begin == end) {
            re[end] = AT(end, end);
            im[end] = 0.0;
            end -= 1;
            count = 0;
        } else if (begin == end - 1) {
            take_pair(AT(begin, begin), AT(begin, end), AT(end, begin), AT(end, end), re + begin, im + begin);
            end -= 2;
            count = 0;
        } else if (count++ == ITERATIONS) {
            return false;
        } else if (count % STRANGE == 0) { /* shifts that break cycles */
            double h = AT(end, end), w = fabs(AT(end, end - 1)) + fabs(AT(end - 1, end - 2));
            francis_step(n, A, begin, end, 1.5 * w + 2.0 * h, w * w + 1.5 * w * h + h * h);
        } else {
            double s = AT(end - 1, end - 1) + AT(end, end);
            double t = AT(end - 1, end - 1) * AT(end, end) - AT(end - 1, end) * AT(end, end - 1);
            francis_step(n, A, begin, end, s, t);
        }
    }
    return true;
}
