/* Signs of eigenvalues by the factorisation U D U^T of Bunch and Kaufman (1977), whose pivoting keeps them right for any
 * symmetric matrix. Rows are eliminated from the last one on; only D is looked at. */
#include "linalg/inertia.h"

#include <math.h>
#include <stdbool.h>

#include "linalg/row.h"

/* Growth is least with this bound of pivots, (1 + sqrt 17) / 8. */
static const double ENOUGH = 0.6403882032022076;

static double *row_of(double *matrix, int n, int i)
{
    return matrix + (size_t)i * (size_t)n;
}

/* The largest entry of row and column i beside the diagonal, in the first `count` rows. */
static double largest_beside(double *matrix, int n, int i, int count)
{
    double largest = 0.0;
    const double *row = row_of(matrix, n, i);
    for (int j = 0; j < i; ++j) largest = fabs(row[j]) > largest ? fabs(row[j]) : largest;
    for (int j = i + 1; j < count; ++j) {
        double entry = fabs(row_of(matrix, n, j)[i]);
        largest = entry > largest ? entry : largest;
    }
    return largest;
}

/* Which row becomes the last one of `count`, or the last but one of a pair. */
static int choose(double *matrix, int n, int count, bool *pair)
{
    const int k = count - 1;
    const double *row = row_of(matrix, n, k);
    int other = 0;
    *pair = false;
    for (int j = 1; j < k; ++j)
        if (fabs(row[j]) > fabs(row[other])) other = j;
    if (k == 0) return k;
    const double diagonal = fabs(row[k]), beside = fabs(row[other]);
    if (!(diagonal < ENOUGH * beside)) return k;
    const double next = largest_beside(matrix, n, other, count);
    if (diagonal >= ENOUGH * beside * (beside / next)) return k;
    *pair = !(fabs(row_of(matrix, n, other)[other]) >= ENOUGH * next);
    return other;
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Exchanges rows and columns p < k, of which the lower half is kept, in the first `count` rows. */
static void exchange(double *matrix, int n, int p, int k, int count)
{
    double *low = row_of(matrix, n, p), *high = row_of(matrix, n, k);
    for (int j = 0; j < p; ++j) swap(&low[j], &high[j]);
    for (int j = p + 1; j < k; ++j) swap(&row_of(matrix, n, j)[p], &high[j]);
    for (int j = k + 1; j < count; ++j) swap(&row_of(matrix, n, j)[p], &row_of(matrix, n, j)[k]);
    swap(&low[p], &high[k]);
}

static void eliminate(double *matrix, int n, int k)
{
    const double *row = row_of(matrix, n, k), inverse = 1.0 / row[k];
    if (row[k] == 0.0) return; /* so is its row */
    for (int i = 0; i < k; ++i)
        if (row[i] != 0.0) ac_row_add(i + 1, -row[i] * inverse, row, row_of(matrix, n, i));
}

/* The rows l = k - 1 and k with the pair [a b; b c] on the diagonal. */
static void eliminate_pair(double *matrix, int n, int k)
{
    const double *last = row_of(matrix, n, k), *before = row_of(matrix, n, k - 1);
    const double b = last[k - 1], a = before[k - 1] / b, c = last[k] / b, scale = 1.0 / (a * c - 1.0) / b;
    for (int i = 0; i < k - 1; ++i) {
        double *restrict row = row_of(matrix, n, i);
        const double of_before = scale * (c * before[i] - last[i]),
                     of_last = scale * (a * last[i] - before[i]);
        for (int j = 0; j <= i; ++j) row[j] -= last[j] * of_last + before[j] * of_before;
    }
}

/* A pair has one eigenvalue of each sign. */
int ac_negative_eigenvalues(int n, double *matrix)
{
    int negative = 0;
    for (int count = n; count > 0;) {
        bool pair;
        const int p = choose(matrix, n, count, &pair), k = pair ? count - 2 : count - 1;
        if (p != k) exchange(matrix, n, p, k, count);
        if (pair) {
            eliminate_pair(matrix, n, count - 1);
            ++negative;
        } else {
            eliminate(matrix, n, k);
            negative += row_of(matrix, n, k)[k] < 0.0;
        }
        count = k;
    }
    return negative;
}
