/* Sparse values with a fixed pattern: places are marked first, then frozen into rows with sorted columns;
 * afterwards
 * values are added by place. Used for the Jacobian and for the lower triangle of the Hessian. */
#ifndef ACTIO_OPTIMIZE_TRANSCRIBE_PATTERN_H
#define ACTIO_OPTIMIZE_TRANSCRIBE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

typedef struct ac_pattern {
    ac_context *ctx;
    int rows;
    bool frozen;
    uint64_t *marks;
    size_t mark_count, mark_capacity;
    ac_status status; /* of marking: out of memory is remembered until freezing */
    int entries;
    int *start;        /* rows + 1 */
    int *row, *column; /* of every entry */
} ac_pattern;

void ac_pattern_begin(ac_pattern *pattern, ac_context *ctx, int rows);
void ac_pattern_end(ac_pattern *pattern);
void ac_pattern_mark(ac_pattern *pattern, int row, int column);
ac_status ac_pattern_freeze(ac_pattern *pattern);
/* The place of an entry; it must be in the pattern. Columns that follow one another in the pattern follow
 * one another. */
int ac_pattern_find(const ac_pattern *pattern, int row, int column);

#endif
