/* How far the elements of beams bend: what their mesh can say. */
#ifndef ACTIO_ACTION_BEAM_BEAM_TURN_H
#define ACTIO_ACTION_BEAM_BEAM_TURN_H

#include "model/system.h"

/* The largest angle between the frames of neighbouring nodes of beams, rad: of the models director,
 * vertex, edge, dual_quaternion, in this order, up to the last one that is wanted; `node` (may be NULL): the first of the
 * two. 0 and -1 without such beams. */
double ac_beam_largest_turn(const ac_system *system, const double *q, ac_beam_model last, int *node);
/* Beyond this angle an element resists no longer, rad. */
double ac_beam_fold(void);

#endif
