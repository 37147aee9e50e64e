/* Shapes as the clearances see them. */
#ifndef ACTIO_OPTIMIZE_PROBLEM_CLEARANCE_H
#define ACTIO_OPTIMIZE_PROBLEM_CLEARANCE_H

#include "optimize/problem/optimization.h"

/* A place of a node; the second end of a capsule. */
ac_affine3 ac_hull_place(const ac_optimization *o, int node, const double place[3]);
ac_affine3 ac_hull_end(const ac_optimization *o, const ac_hull *capsule);
/* An axis of a box, in the world; a corner, in the node. */
ac_affine3 ac_hull_axis(const ac_optimization *o, const ac_hull *box, int k, double factor);
void ac_hull_corner(const ac_hull *box, int corner, double place[3]);
/* A scalar: the height of a point above a half-space. */
ac_status ac_height_scalar(ac_optimization *o, const ac_hull *plane, const ac_affine3 *x, int *scalar);

#endif
