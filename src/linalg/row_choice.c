/* Independent rows of a sparse matrix, see row_choice.h. */
#include "linalg/row_choice.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

static const double NEARLY_LARGEST =
    0.1; /* of the largest entry: a pivot good enough, if it makes fewer entries */
static const double ROUNDING = 1e-15; /* of the largest entry of the matrix */
enum { ENTRIES_MOST = 20000000 };     /* kept of rows in a given order */

ac_status ac_row_choice_create(ac_context *ctx, int rows, int columns, ac_row_choice *c)
{
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    c->rows = rows;
    c->columns = columns;
    AC_NEW(ctx, c->dependent, rows);
    AC_NEW(ctx, c->order, rows);
    AC_NEW(ctx, c->count, rows > columns ? rows : columns);
    AC_NEW(ctx, c->pivot_of, columns);
    AC_NEW(ctx, c->pivot_at, rows);
    AC_NEW(ctx, c->row, columns);
    AC_NEW(ctx, c->touched, columns);
    AC_NEW(ctx, c->list, columns);
    AC_NEW(ctx, c->heap, rows);
    AC_NEW(ctx, c->start, rows + 1);
    return AC_OK;
}

void ac_row_choice_destroy(ac_row_choice *c)
{
    if (!c->ctx) return;
    void *blocks[] = {c->dependent, c->order, c->count, c->pivot_of, c->pivot_at,    c->row,
                      c->touched,   c->list,  c->heap,  c->start,    c->kept_column, c->kept_value};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(c->ctx, blocks[k]);
    memset(c, 0, sizeof *c);
}

/* --- pivots that wait: a heap --------------------------------------------------------------------------------------- */

static void push(ac_row_choice *c, int pivot)
{
    int at = c->heap_size++;
    for (; at > 0 && c->heap[(at - 1) / 2] > pivot; at = (at - 1) / 2) c->heap[at] = c->heap[(at - 1) / 2];
    c->heap[at] = pivot;
}

static int pop(ac_row_choice *c)
{
    int top = c->heap[0], last = c->heap[--c->heap_size], at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= c->heap_size) break;
        if (child + 1 < c->heap_size && c->heap[child + 1] < c->heap[child]) ++child;
        if (c->heap[child] >= last) break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    if (c->heap_size > 0) c->heap[at] = last;
    return top;
}

/* --- one row -------------------------------------------------------------------------------------------------------- */

/* row[column] += value; a column met for the first time is listed, and its pivot waits. */
static int add(ac_row_choice *c, int column, double value, int listed)
{
    c->row[column] += value;
    if (c->touched[column]) return listed;
    c->touched[column] = true;
    c->list[listed] = column;
    if (c->pivot_of[column] >= 0) push(c, c->pivot_of[column]);
    return listed + 1;
}

/* Clears the columns that have a pivot; returns the number of columns listed. */
static int eliminate(ac_row_choice *c, int listed)
{
    while (c->heap_size > 0) {
        int pivot = pop(c), at = c->pivot_at[pivot];
        double factor = c->row[at];
        c->row[at] = 0.0;
        if (factor == 0.0) continue;
        for (int e = c->start[pivot]; e < c->start[pivot + 1]; ++e)
            listed = add(c, c->kept_column[e], -factor * c->kept_value[e], listed);
    }
    return listed;
}

/* The pivot of what is left: among the large entries the one in the column with the fewest; -1 if there is none. */
static int choose_pivot(const ac_row_choice *c, int listed, double smallest)
{
    double most = 0.0;
    int best = -1;
    for (int k = 0; k < listed; ++k) most = ac_max(most, fabs(c->row[c->list[k]]));
    if (!(most > smallest)) return -1;
    for (int k = 0; k < listed; ++k) {
        int column = c->list[k];
        if (fabs(c->row[column]) < NEARLY_LARGEST * most) continue;
        if (best < 0 || c->count[column] < c->count[best] ||
            (c->count[column] == c->count[best] && fabs(c->row[column]) > fabs(c->row[best])))
            best = column;
    }
    return best;
}

static ac_status make_room(ac_row_choice *c, int more)
{
    if (c->entries + more <= c->capacity) return AC_OK;
    int capacity = 2 * (c->entries + more);
    int *column = ac_allocate(c->ctx, (size_t)capacity, sizeof *column);
    double *value = ac_allocate(c->ctx, (size_t)capacity, sizeof *value);
    if (!column || !value) {
        ac_release(c->ctx, column);
        ac_release(c->ctx, value);
        return ac_out_of_memory(c->ctx);
    }
    if (c->entries > 0) {
        memcpy(column, c->kept_column, (size_t)c->entries * sizeof *column);
        memcpy(value, c->kept_value, (size_t)c->entries * sizeof *value);
    }
    ac_release(c->ctx, c->kept_column);
    ac_release(c->ctx, c->kept_value);
    c->kept_column = column;
    c->kept_value = value;
    c->capacity = capacity;
    return AC_OK;
}

/* Keeps what is left of the row, divided by its pivot; what is rounding is dropped. */
static ac_status keep(ac_row_choice *c, int listed, int pivot, double rounding)
{
    AC_TRY(make_room(c, listed));
    c->pivot_of[pivot] = c->rank;
    c->pivot_at[c->rank] = pivot;
    c->start[c->rank] = c->entries;
    for (int k = 0; k < listed; ++k) {
        int column = c->list[k];
        if (column == pivot || fabs(c->row[column]) <= rounding) continue;
        c->kept_column[c->entries] = column;
        c->kept_value[c->entries++] = c->row[column] / c->row[pivot];
    }
    c->start[++c->rank] = c->entries;
    return AC_OK;
}

static void clear(ac_row_choice *c, int listed)
{
    for (int k = 0; k < listed; ++k) {
        c->row[c->list[k]] = 0.0;
        c->touched[c->list[k]] = false;
    }
}

/* --- all rows ------------------------------------------------------------------------------------------------------- */

/* Short rows first, by counting; rows of equal length in their order. */
static void sort_rows(ac_row_choice *c, const int *start)
{
    int longest = c->rows > c->columns ? c->rows : c->columns, sum = 0;
    memset(c->count, 0, (size_t)longest * sizeof *c->count);
    for (int r = 0; r < c->rows; ++r) {
        int length = start[r + 1] - start[r];
        ++c->count[length < longest ? length : longest - 1];
    }
    for (int k = 0; k < longest; ++k) {
        int here = c->count[k];
        c->count[k] = sum;
        sum += here;
    }
    for (int r = 0; r < c->rows; ++r) {
        int length = start[r + 1] - start[r];
        c->order[c->count[length < longest ? length : longest - 1]++] = r;
    }
}

static ac_status take_row(ac_row_choice *c, int r, const int *start, const int *column, const double *value,
                          double tolerance, double largest)
{
    int listed = 0;
    for (int e = start[r]; e < start[r + 1]; ++e) listed = add(c, column[e], value[e], listed);
    listed = eliminate(c, listed);
    int pivot = choose_pivot(c, listed, tolerance * largest);
    ac_status status = AC_OK;
    c->dependent[r] = pivot < 0;
    if (pivot >= 0) status = keep(c, listed, pivot, ROUNDING * largest);
    clear(c, listed);
    return status;
}

/* Largest entry of the matrix; nothing has a pivot yet. */
static double begin(ac_row_choice *c, const int *start, const double *value)
{
    double largest = 0.0;
    for (int e = 0; e < start[c->rows]; ++e) largest = ac_max(largest, fabs(value[e]));
    for (int j = 0; j < c->columns; ++j) c->pivot_of[j] = -1;
    c->rank = c->entries = c->heap_size = 0;
    return largest;
}

ac_status ac_row_choice_find_in_order(ac_row_choice *c, const int *start, const int *column,
                                      const double *value, double tolerance, const int *order, int count,
                                      const int *weight)
{
    double largest = begin(c, start, value);
    memcpy(c->count, weight, (size_t)c->columns * sizeof *c->count);
    memset(c->dependent, 0, (size_t)c->rows * sizeof *c->dependent);
    for (int k = 0; k < count && c->entries < ENTRIES_MOST; ++k)
        AC_TRY(take_row(c, order[k], start, column, value, tolerance, largest));
    return AC_OK;
}

ac_status ac_row_choice_find(ac_row_choice *c, const int *start, const int *column, const double *value,
                             double tolerance)
{
    sort_rows(c, start);
    double largest = begin(c, start, value);
    memset(c->count, 0, (size_t)c->columns * sizeof *c->count);
    for (int e = 0; e < start[c->rows]; ++e) ++c->count[column[e]];
    for (int k = 0; k < c->rows; ++k)
        AC_TRY(take_row(c, c->order[k], start, column, value, tolerance, largest));
    return AC_OK;
}
