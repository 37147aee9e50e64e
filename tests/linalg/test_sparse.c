/* Sparse systems: pattern, values, solves, the guard against bad pivots, and failures; condition numbers. */
#include "linalg/sparse.h"

#include <math.h>
#include <float.h>
#include <stdlib.h>

#include "linalg/condition.h"
#include "linalg/dense.h"
#include "support/memory.h"
#include "support/numeric.h"
#include "test.h"

enum { N = 40 };

/* A random pattern with a full diagonal. */
static ac_sparse *random_matrix(ac_context *ctx, dice *d, double *dense)
{
    ac_sparse *a = NULL;
    memset(dense, 0, N * N * sizeof *dense);
    CHECK(ac_sparse_new(ctx, N, &a) == AC_OK);
    int places[6 * N][2], count = 0;
    for (int i = 0; i < N; ++i) {
        places[count][0] = places[count][1] = i;
        ++count;
        for (int k = 0; k < 4; ++k, ++count) {
            places[count][0] = i;
            places[count][1] = (int)dice_between(d, 0, N);
        }
    }
    for (int k = 0; k < count; ++k) CHECK(ac_sparse_mark(a, places[k][0], places[k][1]) == AC_OK);
    CHECK(ac_sparse_freeze(a) == AC_OK);
    for (int k = 0; k < count; ++k) {
        double value = dice_between(d, -1, 1) + (places[k][0] == places[k][1] ? 3.0 : 0.0);
        ac_sparse_add(a, places[k][0], places[k][1], value);
        dense[places[k][0] * N + places[k][1]] += value;
    }
    return a;
}

TEST(pattern_and_values)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {1};
    double dense[N * N], copy[N * N], x[N], y[N], z[N];
    ac_sparse *a = random_matrix(ctx, &d, dense);
    ac_sparse_to_dense(a, copy);
    CHECK_NEAR(largest_difference(N * N, dense, copy), 0.0, 0.0);
    int entries = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            int place = ac_sparse_find(a, i, j);
            entries += place >= 0;
            CHECK((place >= 0) == (dense[i * N + j] != 0.0));
            if (place >= 0) CHECK(ac_sparse_values(a)[place] == dense[i * N + j]);
        }
    CHECK(entries == ac_sparse_entries(a));
    dice_vector(&d, N, 1.0, x);
    ac_sparse_multiply(a, x, y);
    for (int i = 0; i < N; ++i) {
        z[i] = 0.0;
        for (int j = 0; j < N; ++j) z[i] += dense[i * N + j] * x[j];
    }
    CHECK_NEAR(largest_difference(N, y, z), 0.0, 1e-14);
    ac_sparse_clear(a);
    ac_sparse_to_dense(a, copy);
    CHECK(largest_entry(N * N, copy) == 0.0);
    ac_sparse_free(a);
    ac_context_free(ctx);
}

TEST(solves)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {2};
    double dense[N * N], x[N], b[N], c[N];
    ac_sparse *a = random_matrix(ctx, &d, dense);
    for (int pass = 0; pass < 3; ++pass) { /* again with new values and the old analysis */
        if (pass > 0)
            for (int k = 0; k < ac_sparse_entries(a); ++k)
                ac_sparse_values(a)[k] *= dice_between(&d, 0.9, 1.1);
        ac_sparse_to_dense(a, dense);
        dice_vector(&d, N, 1.0, x);
        ac_sparse_multiply(a, x, b);
        for (int i = 0; i < N; ++i) {
            c[i] = 0.0;
            for (int j = 0; j < N; ++j) c[i] += dense[j * N + i] * x[j];
        }
        CHECK(ac_sparse_factor(a) == AC_OK);
        CHECK(ac_sparse_solve(a, b) == AC_OK);
        CHECK(ac_sparse_solve_transposed(a, c) == AC_OK);
        CHECK_NEAR(largest_difference(N, b, x), 0.0, 1e-13);
        CHECK_NEAR(largest_difference(N, c, x), 0.0, 1e-13);
    }
    ac_sparse_free(a);
    ac_context_free(ctx);
}

/* The guard: a tridiagonal matrix whose diagonal shrinks from 1 to 1e-9 after the pivots were chosen on it.
 * Kept pivots would lose nine digits (1e-7); they are replaced when they have lost six. */
TEST(pivots_are_renewed_when_they_become_bad)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_sparse *a = NULL;
    double x[N], b[N];
    dice d = {3};
    CHECK(ac_sparse_new(ctx, N, &a) == AC_OK);
    for (int i = 0; i < N; ++i)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) CHECK(ac_sparse_mark(a, i, j) == AC_OK);
    CHECK(ac_sparse_freeze(a) == AC_OK);
    dice_vector(&d, N, 1.0, x);
    for (double diagonal = 10.0; diagonal > 1e-10; diagonal *= 0.1) {
        ac_sparse_clear(a);
        for (int i = 0; i < N; ++i) {
            ac_sparse_add(a, i, i, diagonal);
            if (i > 0) ac_sparse_add(a, i, i - 1, -1.0);
            if (i + 1 < N) ac_sparse_add(a, i, i + 1, 1.0);
        }
        ac_sparse_multiply(a, x, b);
        CHECK(ac_sparse_factor(a) == AC_OK);
        CHECK(ac_sparse_solve(a, b) == AC_OK);
        CHECK_NEAR(largest_difference(N, b, x), 0.0, 1e-10);
    }
    ac_sparse_free(a);
    ac_context_free(ctx);
}

TEST(singular_matrices_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_sparse *a = NULL;
    CHECK(ac_sparse_new(ctx, 2, &a) == AC_OK); /* an empty column: singular whatever the values */
    CHECK(ac_sparse_mark(a, 0, 0) == AC_OK && ac_sparse_mark(a, 1, 0) == AC_OK);
    CHECK(ac_sparse_freeze(a) == AC_OK);
    ac_sparse_add(a, 0, 0, 1.0);
    CHECK(ac_sparse_factor(a) == AC_SINGULAR);
    ac_sparse_free(a);
    CHECK(ac_sparse_new(ctx, 2, &a) ==
          AC_OK); /* equal rows: singular by its values, and regular again afterwards */
    for (int k = 0; k < 4; ++k) CHECK(ac_sparse_mark(a, k / 2, k % 2) == AC_OK);
    CHECK(ac_sparse_freeze(a) == AC_OK);
    for (int k = 0; k < 4; ++k) ac_sparse_add(a, k / 2, k % 2, 1.0);
    CHECK(ac_sparse_factor(a) == AC_SINGULAR);
    CHECK(strstr(ac_context_message(ctx), "singular") != NULL);
    ac_sparse_add(a, 0, 0, 1.0);
    double x[2] = {3.0, 2.0};
    CHECK(ac_sparse_factor(a) == AC_OK);
    CHECK(ac_sparse_solve(a, x) == AC_OK);
    CHECK_NEAR(x[0], 1.0, 1e-15);
    CHECK_NEAR(x[1], 1.0, 1e-15);
    ac_sparse_free(a);
    ac_context_free(ctx);
}

/* diag(1, 10, 1000) turned by rotations from both sides keeps its condition number 1000; a singular matrix
 * has none. */
TEST(condition_numbers)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {4};
    const double sigma[3] = {1.0, 10.0, 1000.0};
    double U[9], V[9], A[9] = {0}, condition = 0.0;
    dice_rotation(&d, U);
    dice_rotation(&d, V);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) A[3 * i + j] += U[3 * i + k] * sigma[k] * V[3 * j + k];
    CHECK(ac_condition_number(ctx, 3, A, &condition) == AC_OK);
    CHECK_NEAR(condition, 1000.0, 1e-9);
    double zero[4] = {0, 0, 0, 0}, one[1] = {-7.0};
    CHECK(ac_condition_number(ctx, 2, zero, &condition) == AC_OK);
    CHECK(isinf(condition));
    CHECK(ac_condition_number(ctx, 1, one, &condition) == AC_OK);
    CHECK_NEAR(condition, 1.0, 0.0);
    CHECK(ac_condition_number(ctx, 0, NULL, &condition) == AC_OK);
    CHECK_NEAR(condition, 1.0, 0.0);
    zero[3] = NAN;
    CHECK(ac_condition_number(ctx, 2, zero, &condition) == AC_OK);
    CHECK(isnan(condition));
    ac_context_free(ctx);
}

/* x <- x (I - 2 v v^T / v^T v) for each row of A, v random */
static void reflect_rows(dice *d, int n, double *A)
{
    double v[60], square = 0.0;
    dice_vector(d, n, 1.0, v);
    for (int i = 0; i < n; ++i) square += v[i] * v[i];
    for (int i = 0; i < n; ++i) {
        double along = 0.0;
        for (int j = 0; j < n; ++j) along += A[i * n + j] * v[j];
        for (int j = 0; j < n; ++j) A[i * n + j] -= 2.0 * along / square * v[j];
    }
}

static void transpose(int n, double *A)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            double swap = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = swap;
        }
}

/* Known singular values, reflected from both sides, at any scale: to rounding beside the largest. */
TEST(condition_numbers_of_larger_matrices)
{
    ac_context *ctx = ac_context_new(NULL);
    static double A[60 * 60];
    dice d = {5};
    for (int n = 1; n <= 60; n += n < 8 ? 1 : 13)
        for (int power = 0; power <= 12; power += 3) {
            double wanted = n > 1 ? pow(10.0, power) : 1.0, scale = pow(10.0, 40 * (power - 6)), condition;
            memset(A, 0, sizeof A);
            for (int i = 0; i < n; ++i) A[i * n + i] = scale * pow(wanted, n > 1 ? (double)i / (n - 1) : 0.0);
            for (int k = 0; k < 6; ++k) {
                reflect_rows(&d, n, A);
                transpose(n, A);
            }
            CHECK(ac_condition_number(ctx, n, A, &condition) == AC_OK);
            CHECK_NEAR(condition / wanted, 1.0, 20.0 * DBL_EPSILON * wanted + 1e-14);
        }
    ac_context_free(ctx);
}

/* The determinant of a copy by elimination with pivoting, its sign only. */
static int sign_of(double *m)
{
    int sign = 1;
    for (int k = 0; k < N; ++k) {
        int pivot = k;
        for (int i = k + 1; i < N; ++i)
            if (fabs(m[i * N + k]) > fabs(m[pivot * N + k])) pivot = i;
        for (int j = 0; j < N && pivot != k; ++j) {
            double other = m[k * N + j];
            m[k * N + j] = m[pivot * N + j];
            m[pivot * N + j] = other;
        }
        if ((pivot != k) != (m[k * N + k] < 0.0)) sign = -sign;
        for (int i = k + 1; i < N; ++i) {
            double factor = m[i * N + k] / m[k * N + k];
            for (int j = k; j < N; ++j) m[i * N + j] -= factor * m[k * N + j];
        }
    }
    return sign;
}

TEST(the_sign_of_the_determinant)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {11};
    int both[2] = {0, 0};
    for (int k = 0; k < 40; ++k) {
        double dense[N * N];
        int sign = 0;
        ac_sparse *a = random_matrix(ctx, &d, dense);
        for (int i = 0; i < N; ++i) { /* the diagonal decides no longer */
            ac_sparse_add(a, i, i, -3.0);
            dense[i * N + i] -= 3.0;
        }
        CHECK(ac_sparse_factor(a) == AC_OK);
        CHECK(ac_sparse_sign(a, &sign) == AC_OK);
        CHECK(sign == sign_of(dense));
        ++both[sign > 0];
        ac_sparse_free(a);
    }
    CHECK(both[0] > 5 && both[1] > 5);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(pattern_and_values), CASE(solves), CASE(pivots_are_renewed_when_they_become_bad),
          CASE(singular_matrices_are_refused), CASE(condition_numbers),
          CASE(condition_numbers_of_larger_matrices), CASE(the_sign_of_the_determinant))
