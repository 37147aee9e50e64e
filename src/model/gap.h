/* Gaps of contacts and points on them: values and gradients in the coordinates of the nodes. */
#ifndef ACTIO_MODEL_GAP_H
#define ACTIO_MODEL_GAP_H

#include "model/system.h"

/* A point or direction fixed in a node (in the world for the ground), place in node axes. */
void ac_place_value(const ac_system *system, const ac_point *point, const double *q, double x[3]);
void ac_direction_value(const ac_system *system, const ac_point *direction, const double *q, double e[3]);
/* out (n) += d(f . x)/dq, d(f . e)/dq */
void ac_place_gradient(const ac_system *system, const ac_point *point, const double f[3], double *out);
void ac_direction_gradient(const ac_system *system, const ac_point *direction, const double f[3],
                           double *out);
/* The same on the coordinates of a node alone: at (its size) += ... */
void ac_node_place_gradient(const ac_node *node, const double place[3], const double f[3], double *at);
void ac_node_direction_gradient(const ac_node *node, const double direction[3], const double f[3],
                                double *at);
/* The place in node axes of what is at x in the world. */
void ac_place_of(const ac_system *system, int node, const double *q, const double x[3], double place[3]);
void ac_direction_of(const ac_system *system, int node, const double *q, const double e[3],
                     double direction[3]);

/* The gap, m or rad; memory: windings of the measures. gradient (n, may be NULL) is overwritten. */
double ac_gap_value(const ac_system *system, const ac_contact *contact, const double *q,
                    const double *winding, double *gradient);
/* The nodes on whose coordinates the gap depends; returns how many. */
int ac_gap_nodes(const ac_system *system, const ac_contact *contact, int nodes[AC_ELEMENT_NODES]);
/* Second derivatives of the gap on the coordinates of these nodes, in order, as a block (gap_curvature.c). */
void ac_gap_curvature(const ac_system *system, const ac_contact *contact, const double *q,
                      const double *winding, double *block);
/* Second derivatives of e . (x - y), e and y on the node of `other`, on the nodes of point and other, in order. */
void ac_product_curvature(const ac_system *system, const ac_point *point, const ac_point *other,
                          const ac_point *direction, double *block);
/* Where the surfaces are nearest, on the striking side, and the normal of the gap, towards the admissible side;
 * of a joint limit the place at which a force in the joint is seen, and zero. */
void ac_gap_place(const ac_system *system, const ac_contact *contact, const double *q, double x[3],
                  double normal[3]);
/* How much the gap grows per metre along the normal: 1, except for an ellipsoid, whose gap is no distance. */
double ac_gap_steepness(const ac_system *system, const ac_contact *contact, const double *q);
/* Does the point meet the sphere or ellipsoid, from without, on the straight way from q_a to q_b? *part: where it is deepest. */
bool ac_gap_crossed(const ac_system *system, const ac_contact *contact, const double *qa, const double *qb,
                    double *part);
/* Two directions perpendicular to the normal, of which the first `return` lie in the space of the contact. */
int ac_gap_tangents(const ac_system *system, const ac_contact *contact, const double normal[3],
                    double tangents[2][3]);

#endif
