/* The guess of an optimal control problem: from the file, from its conditions, from an earlier result. */
#ifndef ACTIO_PROBLEM_BUILD_GUESS_H
#define ACTIO_PROBLEM_BUILD_GUESS_H

#include "problem/build/build.h"

/* Where conditions want a joint coordinate, or a free body, at the end: it moves there evenly. */
ac_status ac_guess_coordinate(ac_builder *builder, ac_optimization *optimization, int joint, int coordinate,
                              double end);
ac_status ac_guess_orientation(ac_builder *builder, ac_optimization *optimization, int node,
                               const double rotation[9]);
/* The section guess; what it says replaces the above. */
ac_status ac_read_guess(ac_builder *builder, ac_optimization *optimization, const ac_value *section,
                        ac_optimization_plan *plan);

#endif
