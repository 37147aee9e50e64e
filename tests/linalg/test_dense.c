/* Dense LU and rank-revealing factorisation, on random matrices of known rank and on matrices done by hand.
 */
#include "linalg/dense.h"

#include <stdlib.h>

#include "support/numeric.h"
#include "test.h"

enum { MOST = 12 };

static void multiply(int m, int k, int n, const double *A, const double *B, double *C)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            C[i * n + j] = 0.0;
            for (int l = 0; l < k; ++l) C[i * n + j] += A[i * k + l] * B[l * n + j];
        }
}

TEST(lu_solves)
{
    dice d = {1};
    for (int n = 1; n <= MOST; ++n)
        for (int trial = 0; trial < 10; ++trial) {
            double A[MOST * MOST], LU[MOST * MOST], x[MOST], b[MOST], c[MOST];
            int pivot[MOST];
            dice_vector(&d, n * n, 1.0, A);
            if (trial == 0) A[0] = 0.0; /* needs a row exchange */
            dice_vector(&d, n, 1.0, x);
            multiply(n, n, 1, A, x, b);
            for (int i = 0; i < n; ++i) {
                c[i] = 0.0;
                for (int j = 0; j < n; ++j) c[i] += A[j * n + i] * x[j];
            }
            memcpy(LU, A, sizeof A);
            bool regular = ac_lu_factor(n, LU, pivot);
            CHECK(regular || (n == 1 && trial == 0));
            if (!regular) continue;
            ac_lu_solve(n, LU, pivot, b);
            ac_lu_solve_transposed(n, LU, pivot, c);
            CHECK_NEAR(largest_difference(n, b, x), 0.0, 1e-11);
            CHECK_NEAR(largest_difference(n, c, x), 0.0, 1e-11);
        }
}

/* Elimination column by column has the same bits. */
static void eliminate(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        pivot[k] = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[pivot[k] * n + k])) pivot[k] = i;
        for (int j = 0; j < n; ++j) {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot[k] * n + j];
            A[pivot[k] * n + j] = swap;
        }
        for (int i = k + 1; i < n; ++i) {
            A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; ++j) A[i * n + j] -= A[i * n + k] * A[k * n + j];
        }
    }
}

TEST(factors_are_those_of_elimination_by_columns)
{
    enum { LARGE = 40 };
    static double A[LARGE * LARGE], LU[LARGE * LARGE];
    dice d = {3};
    for (int n = 1; n <= LARGE; ++n) {
        int pivot[LARGE], other[LARGE];
        dice_vector(&d, n * n, 1.0, A);
        for (int i = 0; i < n * n; i += 3) A[i] *= n % 2; /* with zeros */
        memcpy(LU, A, sizeof A);
        if (!ac_lu_factor(n, LU, pivot)) continue;
        eliminate(n, A, other);
        CHECK(memcmp(pivot, other, (size_t)n * sizeof *pivot) == 0);
        for (int i = 0; i < n * n; ++i) CHECK(LU[i] == A[i]);
    }
}

TEST(large_systems_are_solved_too)
{
    enum { LARGE = 60 };
    static double A[LARGE * LARGE], LU[LARGE * LARGE];
    dice d = {7};
    for (int n = 49; n <= LARGE; ++n) {
        double x[LARGE], b[LARGE], c[LARGE];
        int pivot[LARGE];
        dice_vector(&d, n * n, 1.0, A);
        dice_vector(&d, n, 1.0, x);
        multiply(n, n, 1, A, x, b);
        multiply(1, n, n, x, A, c);
        memcpy(LU, A, sizeof A);
        CHECK(ac_lu_factor(n, LU, pivot));
        ac_lu_solve(n, LU, pivot, b);
        ac_lu_solve_transposed(n, LU, pivot, c);
        CHECK_NEAR(largest_difference(n, b, x), 0.0, 1e-10);
        CHECK_NEAR(largest_difference(n, c, x), 0.0, 1e-10);
        memcpy(LU, A, sizeof A);
        for (int j = 0; j < n; ++j) LU[j] = 0.0;
        CHECK(!ac_lu_factor(n, LU, pivot));
        A[5] = NAN;
        CHECK(!ac_lu_factor(n, A, pivot));
    }
}

TEST(lu_refuses)
{
    double singular[4] = {1, 2, 2, 4}, zero[4] = {0, 0, 0, 0}, broken[4] = {1, NAN, 2, 1},
           infinite[4] = {INFINITY, 1, 1, 1};
    int pivot[2];
    CHECK(!ac_lu_factor(2, singular, pivot));
    CHECK(!ac_lu_factor(2, zero, pivot));
    CHECK(!ac_lu_factor(2, broken, pivot));
    CHECK(!ac_lu_factor(2, infinite, pivot));
    CHECK(ac_lu_factor(0, zero, pivot));
}

typedef struct space {
    ac_row_space rows;
    double doubles[MOST * MOST + 2 * MOST];
    int ints[MOST];
} space;

static void place(space *s, int m, int n)
{
    CHECK(ac_row_space_doubles(m, n) <= sizeof s->doubles / sizeof(double));
    CHECK(ac_row_space_ints(m, n) <= MOST);
    ac_row_space_place(&s->rows, m, n, s->doubles, s->ints);
}

/* J = U V of known rank: the rank, an orthonormal null space, shortest solutions, multipliers. */
TEST(row_space_of_random_matrices)
{
    dice d = {2};
    for (int m = 1; m <= 8; ++m)
        for (int n = 1; n <= 8; ++n)
            for (int rank = 0; rank <= (m < n ? m : n); ++rank) {
                double U[MOST * MOST], V[MOST * MOST], J[MOST * MOST], N[MOST * MOST], JN[MOST * MOST],
                    NN[MOST * MOST];
                double x[MOST], b[MOST], found[MOST], y[MOST], c[MOST], again[MOST];
                space s;
                dice_vector(&d, m * rank, 1.0, U);
                dice_vector(&d, rank * n, 1.0, V);
                multiply(m, rank, n, U, V, J);
                place(&s, m, n);
                ac_row_space_factor(&s.rows, J, 1e-10, m);
                CHECK(s.rows.rank == rank);
                int k = n - s.rows.rank;
                ac_row_space_null(&s.rows, N);
                multiply(m, n, k, J, N, JN);
                CHECK_NEAR(largest_entry(m * k, JN), 0.0, 1e-13);
                for (int i = 0; i < k; ++i)
                    for (int j = 0; j < k; ++j) {
                        NN[i * k + j] = i == j ? -1.0 : 0.0;
                        for (int l = 0; l < n; ++l) NN[i * k + j] += N[l * k + i] * N[l * k + j];
                    }
                CHECK_NEAR(largest_entry(k * k, NN), 0.0, 1e-14);

                /* consistent right-hand side: all rows are met, and the solution has no part in the null
                 * space */
                dice_vector(&d, n, 1.0, x);
                multiply(m, n, 1, J, x, b);
                ac_row_space_solve(&s.rows, b, found);
                multiply(m, n, 1, J, found, y);
                CHECK_NEAR(largest_difference(m, y, b), 0.0, 1e-9);
                for (int j = 0; j < k; ++j) {
                    double part = 0.0;
                    for (int i = 0; i < n; ++i) part += N[i * k + j] * found[i];
                    CHECK_NEAR(part, 0.0, 1e-9);
                }

                /* multipliers: J^T y = c for c in the row space, zero on dependent rows */
                dice_vector(&d, m, 1.0, y);
                for (int j = 0; j < n; ++j) {
                    c[j] = 0.0;
                    for (int i = 0; i < m; ++i) c[j] += J[i * n + j] * y[i];
                }
                ac_row_space_solve_transposed(&s.rows, c, y);
                for (int j = 0; j < n; ++j) {
                    again[j] = 0.0;
                    for (int i = 0; i < m; ++i) again[j] += J[i * n + j] * y[i];
                }
                CHECK_NEAR(largest_difference(n, again, c), 0.0, 1e-9);
                for (int i = s.rows.rank; i < m; ++i) CHECK(y[s.rows.order[i]] == 0.0);
            }
}

/* The rank is limited on request: off the constraints redundant rows look independent. */
TEST(rank_limit)
{
    const double J[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1e-3};
    space s;
    place(&s, 4, 3);
    ac_row_space_factor(&s.rows, J, 1e-10, 2);
    CHECK(s.rows.rank == 2);
    ac_row_space_factor(&s.rows, J, 1e-10, 4);
    CHECK(s.rows.rank == 3);
    CHECK(s.rows.order[0] == 3); /* the longest row first */
    const double nearly[4] = {1, 0, 1, 1e-8};
    place(&s, 2, 2);
    ac_row_space_factor(&s.rows, nearly, 1e-6, 2);
    CHECK(s.rows.rank == 1);
    ac_row_space_factor(&s.rows, nearly, 1e-9, 2);
    CHECK(s.rows.rank == 2);
}

/* Straight line through (0, 1), (1, 3), (2, 5), (3, 6.9): by hand, slope 1.97 and height 1.02. A repeated
 * column gets nothing. */
TEST(least_squares)
{
    const double A[8] = {1, 0, 1, 1, 1, 2, 1, 3}, b[4] = {1, 3, 5, 6.9};
    double x[3];
    space s;
    place(&s, 2, 4);
    ac_least_squares(&s.rows, A, b, 1e-12, x);
    CHECK_NEAR(x[0], 1.02, 1e-14);
    CHECK_NEAR(x[1], 1.97, 1e-14);
    const double repeated[12] = {1, 0, 0, 1, 1, 1, 1, 2, 2, 1, 3, 3};
    place(&s, 3, 4);
    ac_least_squares(&s.rows, repeated, b, 1e-12, x);
    CHECK(s.rows.rank == 2);
    CHECK_NEAR(x[0], 1.02, 1e-13);
    CHECK_NEAR(x[1] + x[2], 1.97, 1e-13);
    CHECK(x[1] == 0.0 || x[2] == 0.0);
}

RUN_TESTS(CASE(lu_solves), CASE(factors_are_those_of_elimination_by_columns),
          CASE(large_systems_are_solved_too), CASE(lu_refuses), CASE(row_space_of_random_matrices),
          CASE(rank_limit), CASE(least_squares))
