/* Has a search left for good? Asked before a point is judged: where the motion is 1e8 times as large as at first, the tests of an
 * optimum are drowned in rounding, and units that are made for such a point let anything pass. */
#ifndef ACTIO_OPTIMIZE_JUDGE_RUNAWAY_H
#define ACTIO_OPTIMIZE_JUDGE_RUNAWAY_H

#include "optimize/problem/optimization.h"

/* Notes the objective and the size of the motion at the guess. */
void ac_search_begins(ac_optimization *o);
/* The objective at the present point has fallen far below the first one, and the motion has outgrown every scale of the problem,
 * by something that nothing bounds. */
bool ac_ran_away(ac_optimization *o);
/* The objective alone has fallen that far. */
bool ac_fell_endlessly(ac_optimization *o);

#endif
