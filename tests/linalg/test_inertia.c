/* Signs of eigenvalues: sparse elimination against the dense factorisation, and against numbers known beforehand. */
#include "linalg/inertia.h"

#include <math.h>
#include <stdlib.h>

#include "support/numeric.h"
#include "test.h"

enum { MOST = 400 };

typedef struct matrix {
    int n;
    double entry[MOST * MOST];
} matrix;

static void put(matrix *a, int i, int j, double value)
{
    a->entry[i * a->n + j] = a->entry[j * a->n + i] = value;
}

static int sparse_count(ac_context *ctx, const matrix *a)
{
    int *start = malloc((size_t)(a->n + 1) * sizeof *start), used = 0, negative = -1;
    int *row = malloc((size_t)a->n * (size_t)a->n * sizeof *row);
    double *value = malloc((size_t)a->n * (size_t)a->n * sizeof *value);
    for (int j = 0; j < a->n; ++j) {
        start[j] = used;
        for (int i = 0; i < a->n; ++i)
            if (a->entry[i * a->n + j] != 0.0) {
                row[used] = i;
                value[used++] = a->entry[i * a->n + j];
            }
    }
    start[a->n] = used;
    CHECK(ac_negative_eigenvalues_sparse(ctx, a->n, start, row, value, &negative) == AC_OK);
    free(start);
    free(row);
    free(value);
    return negative;
}

static void compare(ac_context *ctx, matrix *a)
{
    int sparse = sparse_count(ctx, a);
    CHECK(sparse == ac_negative_eigenvalues(a->n, a->entry)); /* overwrites */
}

/* Random entries, every second diagonal tiny in some, and scales from 1e-6 to 1e6. */
TEST(sparse_and_dense_agree)
{
    ac_context *ctx = ac_context_new(NULL);
    matrix *a = malloc(sizeof *a);
    dice d = {1};
    for (int k = 0; k < 60; ++k) {
        a->n = 5 + 2 * k;
        for (int i = 0; i < a->n * a->n; ++i) a->entry[i] = 0.0;
        for (int i = 0; i < a->n; ++i) {
            put(a, i, i, dice_between(&d, -1, 1) * (k % 3 == 0 && i % 2 != 0 ? 1e-5 : 1.0));
            for (int e = 0; e < 1 + k % 4; ++e) {
                int j = (int)dice_between(&d, 0, a->n - 0.01);
                if (j != i)
                    put(a, i, j, dice_between(&d, -1, 1) * pow(10.0, dice_between(&d, -6, 6) * (k % 2)));
            }
        }
        compare(ctx, a);
    }
    free(a);
    ac_context_free(ctx);
}

/* A chain of springs on supports of both signs, as a saddle of forces and displacements: [C E^T; E K] with C = 0 has one
 * negative eigenvalue for each independent row of E, and those of K on its null space. */
TEST(saddles)
{
    ac_context *ctx = ac_context_new(NULL);
    matrix *a = malloc(sizeof *a);
    const int n = 120, m = 60;
    for (int negative = 0; negative < 4; ++negative) {
        a->n = n + m;
        for (int i = 0; i < a->n * a->n; ++i) a->entry[i] = 0.0;
        for (int i = 0; i < n; ++i) put(a, i, i, i % 2 == 0 ? 1e9 : 2.0 + 0.1 * i);
        for (int c = 0; c < m; ++c) put(a, 2 * c, n + c, 1.0); /* holds the even ones */
        for (int k = 0; k < negative; ++k) put(a, 2 * k + 1, 2 * k + 1, -1e-7);
        CHECK(sparse_count(ctx, a) == m + negative);
    }
    free(a);
    ac_context_free(ctx);
}

TEST(zeros)
{
    ac_context *ctx = ac_context_new(NULL);
    matrix *a = calloc(1, sizeof *a);
    a->n = 7; /* [0 1; 1 0] once, one negative number, the rest zero */
    put(a, 0, 3, 1.0);
    put(a, 5, 5, -2.0);
    CHECK(sparse_count(ctx, a) == 2);
    a->n = 0;
    CHECK(sparse_count(ctx, a) == 0);
    free(a);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(sparse_and_dense_agree), CASE(saddles), CASE(zeros))
