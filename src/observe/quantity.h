/* Quantities of a configuration, for measures of certifications: values and slopes. */
#ifndef ACTIO_OBSERVE_QUANTITY_H
#define ACTIO_OBSERVE_QUANTITY_H

#include "actio/optimize.h"
#include "model/system.h"

/* Joints (but spherical ones), points, distances and directions. `winding`: near which angles are continued. */
double ac_quantity_value(const ac_system *system, const double *winding, const ac_quantity *quantity,
                         const double *q);
/* Where a point is in the world; `reference`: the reference point of its node instead. */
void ac_quantity_place(const ac_system *system, const ac_point *point, bool reference, const double *q,
                       double place[3]);
/* dy at fixed q, if the places of a point or of both points of a distance move in their nodes, relative to the reference
 * points. */
double ac_quantity_by_places(const ac_system *system, const ac_quantity *quantity, const double *q,
                             double by[2][3]);
/* by_q += factor dy/dq. */
void ac_quantity_add_slope(const ac_system *system, const double *winding, const ac_quantity *quantity,
                           const double *q, double factor, double *by_q);

#endif
