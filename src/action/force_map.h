/* Force maps: how one number tau acts on the coordinates, f = B(q)^T tau, where it is no joint coordinate. Loads of the
 * simulator, of equilibria and of trackers, and inputs of adjoints and optimal control are such maps; nothing else turns a
 * load into forces.
 *
 *   force at a place      f = A^T F(q), the place being affine in q with the matrix A
 *   torque on a node      f = B(q)^T T(q) through the reciprocal directors (torque.h)
 *   torque on a vertex    of the edge model, between two edges: half of it on the frame of each, so that it acts where
 *                         the vertex is and not in the middle of an edge
 *
 * F and T are affine in q: axes of the world or of a node.
 */
#ifndef ACTIO_ACTION_FORCE_MAP_H
#define ACTIO_ACTION_FORCE_MAP_H

#include "model/system.h"

/* At time nodes directors are orthonormal and their own reciprocal, so that there a torque is a list of forces, too,
 * quadratic in q. At the mean of two time nodes, or anywhere else, it is not. */
typedef enum ac_input_place { AC_AT_TIME_NODE, AC_AT_MEAN } ac_input_place;

/* An empty map at the end of the set; what is added below belongs to it. */
ac_force_map ac_force_map_begin(const ac_force_maps *set);
/* Force along a direction (affine in q) at a place of a node; on the ground: nothing. */
ac_status ac_force_map_add_force(ac_context *ctx, const ac_system *system, ac_force_maps *set, int node,
                                 const double place[3], const ac_affine3 *direction, double factor,
                                 ac_force_map *map);
/* The same at a place some of whose components are further numbers behind the coordinates: moving[c] is where in q, -1: place[c]. */
ac_status ac_force_map_add_moving_force(ac_context *ctx, const ac_system *system, ac_force_maps *set,
                                        int node, const double place[3], const int moving[3],
                                        const ac_affine3 *direction, ac_force_map *map);
ac_status ac_force_map_add_torque(ac_context *ctx, const ac_system *system, ac_force_maps *set, int node,
                                  const ac_affine3 *direction, double factor, ac_force_map *map);
/* A torque about an axis of the world or of the frame of the node, shared with the edge before an inner vertex of the edge
 * model. */
ac_status ac_force_map_add_node_torque(ac_context *ctx, const ac_system *system, ac_force_maps *set, int node,
                                       bool follows, int axis, ac_force_map *map);
/* A unit of component `axis` of a load that is not on a joint coordinate. */
ac_status ac_force_map_add_load(ac_context *ctx, const ac_system *system, ac_force_maps *set,
                                const ac_load_data *load, int axis, ac_force_map *map);
void ac_force_maps_free(ac_context *ctx, ac_force_maps *set);

/* A unit of the input at q: its force row by row; derivatives of that by coordinates; second derivatives of its work
 * w . force, each pair once. */
typedef void (*ac_input_force_sink)(void *user, int row, double value);
typedef void (*ac_input_slope_sink)(void *user, int row, int column, double value);
void ac_force_map_value(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                        ac_input_place place, const double *q, ac_input_force_sink sink, void *user);
void ac_force_map_slopes(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                         ac_input_place place, const double *q, ac_input_slope_sink sink, void *user);
void ac_force_map_curvature(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                            ac_input_place place, const double *q, const double *w, ac_input_slope_sink sink,
                            void *user);

#endif
