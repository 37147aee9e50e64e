/* Eigenvalues of tridiagonal matrices: T V = V D with orthonormal V, and the matrix of a string, whose eigenvalues are known. */
#include "linalg/tridiagonal.h"

#include <math.h>

#include "support/numeric.h"
#include "test.h"

enum { MOST = 40 };

static void compare(int n, const double *diagonal, const double *beside, double tolerance)
{
    double values[MOST], next[MOST], V[MOST * MOST];
    for (int i = 0; i < n; ++i) {
        values[i] = diagonal[i];
        next[i] = beside[i];
    }
    CHECK(ac_tridiagonal_eigen(n, values, next, V));
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            double left = diagonal[i] * V[i * n + j], product = 0.0;
            if (i > 0) left += beside[i - 1] * V[(i - 1) * n + j];
            if (i + 1 < n) left += beside[i] * V[(i + 1) * n + j];
            CHECK_NEAR(left, values[j] * V[i * n + j], tolerance);
            for (int k = 0; k < n; ++k) product += V[k * n + i] * V[k * n + j];
            CHECK_NEAR(product, i == j ? 1.0 : 0.0, 1e-14 * MOST);
        }
}

TEST(random_matrices_are_diagonalised)
{
    dice d = {7};
    for (int n = 1; n <= MOST; n += 3) {
        double diagonal[MOST], beside[MOST];
        dice_vector(&d, n, 1.0, diagonal);
        dice_vector(&d, n, 1.0, beside);
        compare(n, diagonal, beside, 1e-14 * MOST);
        if (n > 4) beside[n / 2] = 0.0; /* two blocks */
        compare(n, diagonal, beside, 1e-14 * MOST);
        for (int i = 0; i < n; ++i) { /* of very different size */
            diagonal[i] *= pow(10.0, -0.5 * i);
            beside[i] *= pow(10.0, -0.5 * i - 0.25);
        }
        compare(n, diagonal, beside, 1e-14 * MOST);
    }
}

TEST(a_string_has_its_frequencies)
{
    double values[MOST], next[MOST], V[MOST * MOST];
    for (int i = 0; i < MOST; ++i) {
        values[i] = 2.0;
        next[i] = -1.0;
    }
    CHECK(ac_tridiagonal_eigen(MOST, values, next, V));
    for (int k = 1; k <= MOST; ++k) {
        double expected = 2.0 - 2.0 * cos(M_PI * k / (MOST + 1)), nearest = INFINITY;
        for (int i = 0; i < MOST; ++i) nearest = fmin(nearest, fabs(values[i] - expected));
        CHECK(nearest <= 1e-14);
    }
}

TEST(numbers_that_are_not_finite_end)
{
    double values[3] = {1.0, NAN, 2.0}, next[3] = {1.0, 1.0, 0.0}, V[9];
    CHECK(!ac_tridiagonal_eigen(3, values, next, V));
}

RUN_TESTS(CASE(random_matrices_are_diagonalised), CASE(a_string_has_its_frequencies),
          CASE(numbers_that_are_not_finite_end))
