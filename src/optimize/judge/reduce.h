/* Conditions at an end that depend on others there. */
#ifndef ACTIO_OPTIMIZE_JUDGE_REDUCE_H
#define ACTIO_OPTIMIZE_JUDGE_REDUCE_H

#include "optimize/problem/optimization.h"

/* Marks equations at the ends that follow from others, and conditions whose multipliers are not unique
 * because of them. The programme has the marked ones as limits with some room (ac_layout_bound_rows): they
 * choose between isolated solutions of the others and have no multiplier. */
ac_status ac_reduce_dependent(ac_optimization *o);
/* spins.c: marks freedoms whose momentum at the end follows from that of the others (o->layout.spin). */
ac_status ac_find_spins(ac_optimization *o);
bool ac_has_spins(const ac_optimization *o);
bool ac_has_dependent(const ac_optimization *o);
/* They become equations again. */
void ac_forget_dependent(ac_optimization *o);
/* All conditions as they were asked for, or as the programme has them. */
void ac_pose_exactly(ac_optimization *o, bool exactly);

#endif
