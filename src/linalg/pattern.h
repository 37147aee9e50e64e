/* The pattern of a sparse matrix: places are marked first, then frozen into rows with ascending columns; afterwards
 * values are added by place. A matrix stored by columns has the pattern of its transpose. */
#ifndef ACTIO_LINALG_PATTERN_H
#define ACTIO_LINALG_PATTERN_H

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
/* The place of an entry, -1 if it is not in the pattern. Neighbouring columns of a row have neighbouring places. */
int ac_pattern_find(const ac_pattern *pattern, int row, int column);

#endif
