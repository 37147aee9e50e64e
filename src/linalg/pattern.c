/* Sparse patterns: marks are gathered as keys, sorted and made unique whenever their block is full. */
#include "linalg/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "math/math.h"

enum { FIRST_CAPACITY = 1 << 8 };

void ac_pattern_begin(ac_pattern *p, ac_context *ctx, int rows)
{
    memset(p, 0, sizeof *p);
    p->ctx = ctx;
    p->rows = rows;
}

void ac_pattern_end(ac_pattern *p)
{
    if (!p->ctx) return;
    ac_release(p->ctx, p->marks);
    ac_release(p->ctx, p->start);
    ac_release(p->ctx, p->row);
    ac_release(p->ctx, p->column);
    memset(p, 0, sizeof *p);
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void make_unique(ac_pattern *p)
{
    if (p->mark_count == 0) return;
    ac_sort(p->marks, p->mark_count, sizeof *p->marks, by_key);
    size_t kept = 1;
    for (size_t k = 1; k < p->mark_count; ++k)
        if (p->marks[k] != p->marks[kept - 1]) p->marks[kept++] = p->marks[k];
    p->mark_count = kept;
}

static bool make_room(ac_pattern *p)
{
    make_unique(p);
    if (p->mark_capacity > 0 && p->mark_count < p->mark_capacity / 2) return true;
    size_t capacity = p->mark_capacity == 0 ? FIRST_CAPACITY : 2 * p->mark_capacity;
    uint64_t *marks = ac_allocate(p->ctx, capacity, sizeof *marks);
    if (!marks) return false;
    if (p->mark_count > 0) memcpy(marks, p->marks, p->mark_count * sizeof *marks);
    ac_release(p->ctx, p->marks);
    p->marks = marks;
    p->mark_capacity = capacity;
    return true;
}

void ac_pattern_mark(ac_pattern *p, int row, int column)
{
    if (p->status != AC_OK) return;
    uint64_t key = (uint64_t)(unsigned)row << 32 | (unsigned)column;
    if (p->mark_count > 0 && p->marks[p->mark_count - 1] == key) return;
    if (p->mark_count == p->mark_capacity && !make_room(p)) {
        p->status = AC_NO_MEMORY;
        return;
    }
    p->marks[p->mark_count++] = key;
}

ac_status ac_pattern_freeze(ac_pattern *p)
{
    if (p->status != AC_OK) return ac_out_of_memory(p->ctx);
    make_unique(p);
    p->entries = (int)p->mark_count;
    AC_NEW(p->ctx, p->start, p->rows + 1);
    AC_NEW(p->ctx, p->row, p->entries);
    AC_NEW(p->ctx, p->column, p->entries);
    for (int k = 0; k < p->entries; ++k) {
        p->row[k] = (int)(p->marks[k] >> 32);
        p->column[k] = (int)(p->marks[k] & 0xffffffffU);
        ++p->start[p->row[k] + 1];
    }
    for (int r = 0; r < p->rows; ++r) p->start[r + 1] += p->start[r];
    ac_release(p->ctx, p->marks);
    p->marks = NULL;
    p->frozen = true;
    return AC_OK;
}

int ac_pattern_find(const ac_pattern *p, int row, int column)
{
    int low = p->start[row], end = p->start[row + 1], high = end;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && p->column[low] == column ? low : -1;
}
