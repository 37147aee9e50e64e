/* Eigenvalues of dense matrices: random ones made from known eigenvalues, companion matrices of polynomials with known
 * roots, and matrices that are hard to bring apart. */
#include "linalg/eigen.h"

#include <stdlib.h>

#include "linalg/dense.h"
#include "support/numeric.h"
#include "test.h"

enum { MOST = 40 };

/* A = X B X^-1 for a random X. */
static void similar(dice *d, int n, const double *B, double *A)
{
    static double X[MOST * MOST], LU[MOST * MOST];
    int pivot[MOST];
    dice_vector(d, n * n, 1.0, X);
    for (int i = 0; i < n; ++i) X[i * n + i] += 0.5 * n; /* well conditioned */
    memcpy(LU, X, sizeof LU);
    CHECK(ac_lu_factor(n, LU, pivot));
    for (int i = 0; i < n; ++i) { /* row i of X B, then from the right by X^-1 */
        double row[MOST];
        for (int j = 0; j < n; ++j) {
            row[j] = 0.0;
            for (int k = 0; k < n; ++k) row[j] += X[i * n + k] * B[k * n + j];
        }
        ac_lu_solve_transposed(n, LU, pivot, row);
        memcpy(A + i * n, row, (size_t)n * sizeof *row);
    }
}

/* How far the nearest of the found eigenvalues is, which is then crossed out. */
static double take_nearest(int n, double re, double im, double *found_re, const double *found_im)
{
    int best = 0;
    for (int i = 1; i < n; ++i)
        if (hypot(found_re[i] - re, found_im[i] - im) < hypot(found_re[best] - re, found_im[best] - im))
            best = i;
    double distance = hypot(found_re[best] - re, found_im[best] - im);
    found_re[best] = INFINITY;
    return distance;
}

TEST(symmetric_matrices_are_diagonalised)
{
    dice d = {3};
    static double A[MOST * MOST], V[MOST * MOST], work[MOST * (MOST + 3)];
    for (int n = 0; n <= MOST; ++n) {
        double values[MOST], worst = 0.0;
        dice_vector(&d, n * n, 1.0, A);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < i; ++j)
                A[i * n + j] = A[j * n + i] = n % 3 == 0 && i - j > 1 ? 0.0 : A[j * n + i];
        if (n % 5 == 4) memset(A, 0, (size_t)n * sizeof *A); /* decoupled first row ... */
        for (int i = 0; n % 5 == 4 && i < n; ++i) A[i * n] = 0.0;
        memcpy(V, A, sizeof V);
        CHECK(ac_symmetric_eigen(n, V, values, work));
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0.0, inner = 0.0;
                for (int k = 0; k < n; ++k) {
                    sum += values[k] * V[i * n + k] * V[j * n + k];
                    inner += V[k * n + i] * V[k * n + j];
                }
                worst = fmax(worst, fmax(fabs(sum - A[i * n + j]), fabs(inner - (i == j))));
            }
        CHECK_NEAR(worst, 0.0, 1e-13 * (n + 1));
        for (int i = 1; i < n; ++i) CHECK(values[i - 1] <= values[i]);
    }
}

TEST(real_eigenvalues_are_those_it_was_made_from)
{
    dice d = {5};
    static double B[MOST * MOST], A[MOST * MOST];
    for (int n = 1; n <= MOST; ++n)
        for (int trial = 0; trial < 5; ++trial) {
            double re[MOST], im[MOST], want_re[MOST], want_im[MOST];
            memset(B, 0, sizeof B);
            for (int i = 0; i < n; ++i) {
                double x[2];
                dice_vector(&d, 2, 1.0, x);
                B[i * n + i] = want_re[i] = x[0];
                want_im[i] = 0.0;
                if (i % 3 != 1) continue; /* rows i - 1 and i become a pair */
                B[(i - 1) * n + i - 1] = want_re[i - 1] = x[0];
                B[(i - 1) * n + i] = x[1];
                B[i * n + i - 1] = -x[1];
                want_im[i - 1] = x[1];
                want_im[i] = -x[1];
            }
            similar(&d, n, B, A);
            CHECK(ac_real_eigenvalues(n, A, re, im));
            for (int i = 0; i + 1 < n; ++i) /* pairs stand together, positive first */
                if (im[i] > 0.0) CHECK(re[i + 1] == re[i] && im[i + 1] == -im[i]);
            for (int i = 0; i < n; ++i)
                CHECK_NEAR(take_nearest(n, want_re[i], want_im[i], re, im), 0.0, 1e-11);
        }
}

/* Roots of unity: every QR step with the usual shifts leaves the matrix as it is. */
TEST(cyclic_matrices_come_apart)
{
    for (int n = 3; n <= 12; ++n) {
        double A[144] = {0}, re[12], im[12];
        A[n - 1] = 1.0;
        for (int i = 1; i < n; ++i) A[i * n + i - 1] = 1.0;
        CHECK(ac_real_eigenvalues(n, A, re, im));
        for (int k = 0; k < n; ++k) {
            double angle = 2.0 * 3.14159265358979323846 * k / n;
            CHECK_NEAR(take_nearest(n, cos(angle), sin(angle), re, im), 0.0, 1e-13);
        }
    }
}

TEST(numbers_that_are_none_are_refused)
{
    double A[9] = {1, 2, 3, 4, NAN, 6, 7, 8, 9}, B[9], re[3], im[3], work[18];
    memcpy(B, A, sizeof B);
    CHECK(!ac_real_eigenvalues(3, A, re, im));
    CHECK(!ac_symmetric_eigen(3, B, re, work));
}

RUN_TESTS(CASE(symmetric_matrices_are_diagonalised), CASE(real_eigenvalues_are_those_it_was_made_from),
          CASE(cyclic_matrices_come_apart), CASE(numbers_that_are_none_are_refused))
