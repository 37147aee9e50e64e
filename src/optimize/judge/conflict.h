/* What the user asked for that contradicts itself. */
#ifndef ACTIO_OPTIMIZE_JUDGE_CONFLICT_H
#define ACTIO_OPTIMIZE_JUDGE_CONFLICT_H

#include "optimize/problem/optimization.h"

/* Names, largest multiplier first, separated by commas; "" when there is nothing to report. */
ac_status ac_name_conflict(ac_optimization *optimization, char *text, size_t size);

#endif
