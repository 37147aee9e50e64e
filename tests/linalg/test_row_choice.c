/* Independent rows of sparse matrices: as many as the dense factorisation finds, and truly independent. */
#include "linalg/row_choice.h"

#include "linalg/dense.h"
#include "support/numeric.h"
#include "test.h"

enum { ROWS = 40, COLUMNS = 30, TRIALS = 200 };

typedef struct sparse_rows {
    int start[ROWS + 1], column[ROWS * COLUMNS];
    double value[ROWS * COLUMNS], dense[ROWS * COLUMNS];
} sparse_rows;

static void compress(int m, int n, sparse_rows *a)
{
    int count = 0;
    for (int r = 0; r < m; ++r) {
        a->start[r] = count;
        for (int j = 0; j < n; ++j) {
            if (a->dense[r * n + j] == 0.0) continue;
            a->column[count] = j;
            a->value[count++] = a->dense[r * n + j];
        }
    }
    a->start[m] = count;
}

/* Every third row is a sum of multiples of two earlier ones, the others have a few entries. */
static void draw(dice *d, int m, int n, sparse_rows *a)
{
    memset(a->dense, 0, sizeof a->dense);
    for (int r = 0; r < m; ++r) {
        double *row = a->dense + (size_t)r * (size_t)n;
        if (r % 3 == 2) {
            double x = dice_between(d, -2.0, 2.0), y = dice_between(d, -2.0, 2.0);
            for (int j = 0; j < n; ++j) row[j] = x * row[j - n] + y * row[j - 2 * n];
        } else {
            for (int k = 0; k < 4; ++k)
                row[(int)(dice_between(d, 0.0, 0.999) * n) % n] = dice_between(d, -3.0, 3.0);
        }
    }
    compress(m, n, a);
}

static int dense_rank(int m, int n, const double *rows)
{
    static double block[ROWS * COLUMNS + ROWS + COLUMNS];
    int ints[ROWS];
    ac_row_space space;
    if (m == 0) return 0;
    ac_row_space_place(&space, m, n, block, ints);
    ac_row_space_factor(&space, rows, 1e-9, m);
    return space.rank;
}

TEST(rank_is_that_of_the_dense_factorisation)
{
    static sparse_rows a;
    static double chosen[ROWS * COLUMNS];
    ac_context *ctx = ac_context_new(NULL);
    dice d = {3};
    for (int trial = 0; trial < TRIALS; ++trial) {
        int m = 3 + trial % (ROWS - 2), n = 5 + (7 * trial) % (COLUMNS - 4), kept = 0;
        ac_row_choice c;
        draw(&d, m, n, &a);
        CHECK(ac_row_choice_create(ctx, m, n, &c) == AC_OK);
        for (int again = 0; again < 2; ++again) /* a second use finds the same */
            CHECK(ac_row_choice_find(&c, a.start, a.column, a.value, 1e-9) == AC_OK);
        for (int r = 0; r < m; ++r)
            if (!c.dependent[r])
                memcpy(chosen + (size_t)(kept++) * (size_t)n, a.dense + (size_t)r * (size_t)n,
                       (size_t)n * sizeof *chosen);
        CHECK(kept == c.rank);
        CHECK(c.rank == dense_rank(m, n, a.dense));
        CHECK(dense_rank(kept, n, chosen) == kept);
        ac_row_choice_destroy(&c);
    }
    ac_context_free(ctx);
}

/* A chain of rows in which each overlaps the next makes no more entries than it has: the work is linear. */
TEST(a_band_stays_a_band)
{
    enum { MANY = 20000 };
    ac_context *ctx = ac_context_new(NULL);
    ac_row_choice c;
    int *start = ac_allocate(ctx, MANY + 1, sizeof *start),
        *column = ac_allocate(ctx, 3 * MANY, sizeof *column);
    double *value = ac_allocate(ctx, 3 * MANY, sizeof *value);
    CHECK(start && column && value);
    for (int r = 0; r < MANY; ++r) {
        start[r + 1] = 3 * (r + 1);
        for (int k = 0; k < 3; ++k) {
            column[3 * r + k] = r + k;
            value[3 * r + k] = 1.0 + 0.1 * k;
        }
    }
    CHECK(ac_row_choice_create(ctx, MANY, MANY + 2, &c) == AC_OK);
    CHECK(ac_row_choice_find(&c, start, column, value, 1e-9) == AC_OK);
    CHECK(c.rank == MANY);
    CHECK(c.entries <= 3 * MANY);
    ac_row_choice_destroy(&c);
    ac_release(ctx, start);
    ac_release(ctx, column);
    ac_release(ctx, value);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(rank_is_that_of_the_dense_factorisation), CASE(a_band_stays_a_band))
