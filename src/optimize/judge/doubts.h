/* What may be wrong with a problem that was not solved. */
#ifndef ACTIO_OPTIMIZE_JUDGE_DOUBTS_H
#define ACTIO_OPTIMIZE_JUDGE_DOUBTS_H

#include "optimize/problem/optimization.h"

/* Names the first expression of the objective or of a condition that is not finite at the present point. */
bool ac_name_not_a_number(const ac_optimization *optimization, char *text, size_t size);
/* Whether the objective fell so far from its first value that it seems to have no lower bound. */
bool ac_seems_unbounded(const ac_optimization *optimization, double first_objective);

/* leverage.c: names a control that moves nothing at the start; an empty text if there is none. */
ac_status ac_name_dead_point(const ac_optimization *optimization, char *text, size_t size);

/* holds.c: names what a phase holds although it follows from the rest that it holds; an empty text if there is nothing. */
ac_status ac_name_dependent_holds(const ac_optimization *optimization, char *text, size_t size);

/* pulls.c: names the height that a phase holds with the largest force downwards, where nothing says that it pushes only; an empty text if
 * there is none. */
ac_status ac_name_pulling_hold(const ac_optimization *optimization, char *text, size_t size);

/* symmetry.c: names a limit that a symmetric motion meets in its middle; an empty text if there is none. */
ac_status ac_name_symmetry(ac_optimization *optimization, char *text, size_t size);

/* branches.c: names the first distance or bound that changes sides within an interval; an empty text if there is none. */
ac_status ac_name_changed_side(const ac_optimization *optimization, char *text, size_t size);

#endif
