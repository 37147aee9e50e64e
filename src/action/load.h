/* Loads over time: forces at points, torques on bodies, generalised forces on joint coordinates.
 *
 * A load is f(q) = B(q)^T tau with tau constant on each interval: its mean, so that h tau is the impulse of the load
 * over the step, whatever it does in between. The discrete forces are h/2 B(q_n)^T tau at the left and h/2 B(q_{n+1})^T
 * tau at the right node, so that momentum changes exactly by them; the energy-momentum scheme takes h B^T tau at the mean
 * configuration for the same reason. B is grad y for a joint coordinate y, else the force map of the load
 * (force_map.h), which is described once when the system is finished.
 */
#ifndef ACTIO_ACTION_LOAD_H
#define ACTIO_ACTION_LOAD_H

#include "model/system.h"

/* Describes the loads of a system that is otherwise finished. */
ac_status ac_loads_describe(ac_system *system);

/* Does any load act? */
bool ac_is_loaded(const ac_system *system);

/* out += factor sum of B(q)^T tau(t) over all loads. */
void ac_loads_add(const ac_system *system, double t, double h, const double *q, const double *winding,
                  double factor, double *out);
/* The same for load k alone. */
void ac_load_add(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                 double factor, double *out);
/* The components: their means over [t, t + h], or for h = 0 the values at t. The same holds below. */
void ac_load_values(const ac_load_data *load, double t, double h, double tau[3]);
/* The nodes of a load that is not in a joint; returns how many, which take equal shares of it. */
int ac_load_nodes(const ac_load_data *load, int nodes[2]);
/* The force f (AC_NODE_MAX numbers) on the coordinates of one of these nodes by the components tau of load k. */
void ac_load_on_node(const ac_system *system, int k, const double tau[3], const double *q, int node,
                     double *f);
/* Nodes of load k and slope (size x size) of its force with respect to q; returns the number of nodes, 0
 * if constant. */
int ac_load_slope(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                  int nodes[2], double *slope);

#endif
