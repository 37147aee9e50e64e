/* The distance of a box from a point, a segment or another box, as a function of quadratic maps.
 *
 * In the axes of the box, whose half sizes are h, the other shape is c + s_1 r_1 + .. + s_m r_m with
 * every s between -1 and 1: a point (m = 0), a segment (m = 1) or a box (m = 3). The maps are c, r_1, ..
 * r_m, three numbers each. Apart, the distance is that of the closest features; overlapping, minus the
 * least way that parts them, which is along the normal of a face of one or across an edge of each.
 */
#ifndef ACTIO_BASE_OUTER_BOX_H
#define ACTIO_BASE_OUTER_BOX_H

#include "base/outer.h"

void ac_box_evaluate(const ac_outer *outer, const double *kappa, ac_outer_value *value);
void ac_box_third(const ac_outer *outer, const double *kappa, const double *w,
                  double cube[AC_OUTER_MAX][AC_OUTER_MAX]);

#endif
