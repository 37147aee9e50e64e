/* Sparse square systems: pattern, values and KLU behind one interface. The only file that knows KLU. */
#include "linalg/sparse.h"

#include <klu.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/pattern.h"

/* Below this reciprocal pivot growth the kept pivots are not trusted any more. */
static const double GROWTH_LIMIT = 1e-6;

struct ac_sparse {
    ac_context *ctx;
    int n;
    ac_pattern pattern;     /* of the transpose: its rows are the columns */
    const int *start, *row; /* of the pattern */
    double *value;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

ac_status ac_sparse_new(ac_context *ctx, int n, ac_sparse **matrix)
{
    ac_sparse *a;
    AC_NEW(ctx, a, 1);
    a->ctx = ctx;
    a->n = n;
    ac_pattern_begin(&a->pattern, ctx, n);
    klu_defaults(&a->common);
    *matrix = a;
    return AC_OK;
}

void ac_sparse_free(ac_sparse *a)
{
    if (!a) return;
    if (a->numeric) klu_free_numeric(&a->numeric, &a->common);
    if (a->symbolic) klu_free_symbolic(&a->symbolic, &a->common);
    ac_pattern_end(&a->pattern);
    ac_release(a->ctx, a->value);
    ac_release(a->ctx, a);
}

ac_status ac_sparse_mark(ac_sparse *a, int row, int column)
{
    ac_pattern_mark(&a->pattern, column, row);
    return a->pattern.status == AC_OK ? AC_OK : ac_out_of_memory(a->ctx);
}

ac_status ac_sparse_freeze(ac_sparse *a)
{
    AC_TRY(ac_pattern_freeze(&a->pattern));
    a->start = a->pattern.start;
    a->row = a->pattern.column;
    AC_NEW(a->ctx, a->value, a->pattern.entries);
    return AC_OK;
}

int ac_sparse_entries(const ac_sparse *a)
{
    return a->pattern.entries;
}

void ac_sparse_clear(ac_sparse *a)
{
    memset(a->value, 0, (size_t)a->pattern.entries * sizeof *a->value);
}

int ac_sparse_find(const ac_sparse *a, int row, int column)
{
    return ac_pattern_find(&a->pattern, column, row);
}

double *ac_sparse_values(ac_sparse *a)
{
    return a->value;
}

void ac_sparse_column(const ac_sparse *a, int column, int *count, const int **rows, const double **values)
{
    *count = a->start[column + 1] - a->start[column];
    *rows = a->row + a->start[column];
    *values = a->value + a->start[column];
}

void ac_sparse_add(ac_sparse *a, int row, int column, double value)
{
    int place = ac_sparse_find(a, row, column);
    if (place >= 0) a->value[place] += value;
}

/* Factorises with the old pivots if they are still good. */
static bool refactor(ac_sparse *a)
{
    if (!a->numeric) return false;
    if (!klu_refactor(a->pattern.start, a->pattern.column, a->value, a->symbolic, a->numeric, &a->common))
        return false;
    if (a->common.status != KLU_OK) return false;
    if (!klu_rgrowth(a->pattern.start, a->pattern.column, a->value, a->symbolic, a->numeric, &a->common))
        return false;
    return a->common.rgrowth > GROWTH_LIMIT;
}

void ac_sparse_forget(ac_sparse *a)
{
    if (a->numeric) klu_free_numeric(&a->numeric, &a->common);
}

/* Why KLU did not deliver. */
static ac_status explain(ac_sparse *a, const char *singular)
{
    if (a->common.status == KLU_OUT_OF_MEMORY) return ac_out_of_memory(a->ctx);
    return ac_fail(a->ctx, AC_SINGULAR, "%s", singular);
}

ac_status ac_sparse_factor(ac_sparse *a)
{
    if (!a->symbolic) {
        a->symbolic = klu_analyze(a->n, a->pattern.start, a->pattern.column, &a->common);
        if (!a->symbolic) return explain(a, "the pattern of the matrix is singular");
    }
    if (refactor(a)) return AC_OK;
    if (a->numeric) klu_free_numeric(&a->numeric, &a->common);
    a->numeric = klu_factor(a->pattern.start, a->pattern.column, a->value, a->symbolic, &a->common);
    if (!a->numeric) return explain(a, "the matrix is singular");
    return AC_OK;
}

ac_status ac_sparse_solve(ac_sparse *a, double *x)
{
    if (!klu_solve(a->symbolic, a->numeric, a->n, 1, x, &a->common)) {
        return ac_fail(a->ctx, AC_SINGULAR, "the matrix is singular");
    }
    return AC_OK;
}

ac_status ac_sparse_solve_transposed(ac_sparse *a, double *x)
{
    if (!klu_tsolve(a->symbolic, a->numeric, a->n, 1, x, &a->common)) {
        return ac_fail(a->ctx, AC_SINGULAR, "the matrix is singular");
    }
    return AC_OK;
}

double ac_sparse_pivot_ratio(ac_sparse *a)
{
    return klu_rcond(a->symbolic, a->numeric, &a->common) ? a->common.rcond : 0.0;
}

/* 1 if the permutation has an odd number of exchanges, otherwise 0; `seen` is all false before and after. */
static int is_odd(const int *permutation, int n, bool *seen)
{
    int odd = n & 1;
    for (int i = 0; i < n; ++i) {
        if (seen[i]) continue;
        for (int j = i; !seen[j]; j = permutation[j]) seen[j] = true;
        odd ^= 1; /* n less the number of cycles */
    }
    memset(seen, 0, (size_t)n * sizeof *seen);
    return odd;
}

ac_status ac_sparse_sign(const ac_sparse *a, int *sign)
{
    const double *pivots = a->numeric->Udiag; /* of all blocks; rows are scaled by positive numbers */
    bool *seen;
    AC_NEW(a->ctx, seen, a->n);
    int odd = is_odd(a->numeric->Pnum, a->n, seen) ^ is_odd(a->symbolic->Q, a->n, seen);
    for (int i = 0; i < a->n; ++i) odd ^= pivots[i] < 0.0;
    ac_release(a->ctx, seen);
    *sign = odd ? -1 : 1;
    return AC_OK;
}

void ac_sparse_multiply(const ac_sparse *a, const double *x, double *y)
{
    memset(y, 0, (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; ++j)
        for (int k = a->start[j]; k < a->start[j + 1]; ++k) y[a->row[k]] += a->value[k] * x[j];
}

void ac_sparse_to_dense(const ac_sparse *a, double *dense)
{
    memset(dense, 0, (size_t)a->n * (size_t)a->n * sizeof *dense);
    for (int j = 0; j < a->n; ++j)
        for (int k = a->start[j]; k < a->start[j + 1]; ++k)
            dense[(size_t)a->row[k] * (size_t)a->n + (size_t)j] = a->value[k];
}
