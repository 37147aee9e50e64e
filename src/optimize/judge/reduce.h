/* Conditions at an end that depend on others there. */
#ifndef ACTIO_OPTIMIZE_JUDGE_REDUCE_H
#define ACTIO_OPTIMIZE_JUDGE_REDUCE_H

#include "optimize/problem/optimization.h"

/* Marks equations at the ends that follow from others, and conditions whose multipliers are not unique
 * because of them. The programme has the marked ones as limits with some room (ac_layout_bound_rows): they
 * choose between isolated solutions of the others and have no multiplier. */
ac_status ac_reduce_dependent(ac_optimization *o);
/* redundant.c: marks conditions anywhere - along the motion, at ends, on both sides of a junction of phases - that follow from the
 * rest of the programme (o->layout.left_out). They are such limits, too. */
ac_status ac_leave_out_redundant(ac_optimization *o);
/* Row number `number` of those, or of the conditions at ends that are reduced; -1: there are fewer. */
int ac_left_out_row(const ac_optimization *o, int number);
/* Both, and what the start decides, for ac_optimization_dependent_name. */
void ac_note_left_out(ac_optimization *o);
/* Names the conditions that depend on the rest at the present point, for programmes that nobody can solve with them; an empty text
 * if there is none. */
ac_status ac_name_redundant(ac_optimization *o, char *text, size_t size);
/* holds.c: what a phase holds twice is let go (AC_LET_GO of o->layout.left_out), and held again. */
ac_status ac_let_holds_go(ac_optimization *o);
void ac_hold_all_again(ac_optimization *o);
/* spins.c: marks freedoms whose momentum at the end follows from that of the others (o->layout.spin). */
ac_status ac_find_spins(ac_optimization *o);
bool ac_has_spins(const ac_optimization *o);
bool ac_has_dependent(const ac_optimization *o);
/* They become equations again. */
void ac_forget_dependent(ac_optimization *o);
/* All conditions as they were asked for, or as the programme has them. */
void ac_pose_exactly(ac_optimization *o, bool exactly);

#endif
