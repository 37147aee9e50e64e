/* Four runs of one mechanism side by side.
 *
 * The systems of the lanes have the same bodies, joints and loads and differ in their numbers: masses, lengths, places,
 * initial states, loads. Every operation acts on all lanes at once and on each lane as plain C does, so the motion of a
 * lane has the same bits whatever runs beside it. It is that of the reduced midpoint step up to rounding.
 *
 * Taken are trees of rigid bodies (free, fixed, revolute, prismatic, cylindrical, planar, universal, spherical joints) with
 * gravity, forces and torques over time. A lane fails when Newton's method does not converge from the first guess; its run
 * must then be done by a simulation, which has further safeguards. */
#ifndef ACTIO_ENSEMBLE_LANES_H
#define ACTIO_ENSEMBLE_LANES_H

#include "actio/simulate.h"
#include "action/lane/lane.h"
#include "model/system.h"

typedef struct ac_lanes ac_lanes;

/* Can systems of this kind be stepped in lanes? */
bool ac_lanes_take(const ac_system *system, const ac_simulation_settings *settings);
/* For systems of the kind of this one. */
ac_status ac_lanes_new(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                       ac_lanes **lanes);
void ac_lanes_free(ac_lanes *lanes);
/* Back to the initial states, with the present numbers of the systems, one for each lane. Allocates nothing. */
void ac_lanes_start(ac_lanes *lanes, const ac_system *const systems[AC_LANES]);
/* One step of all lanes; false: all lanes have failed. */
bool ac_lanes_step(ac_lanes *lanes);
bool ac_lanes_failed(const ac_lanes *lanes, int lane);
/* Turns near the limit since the start: the sum of the squares of what their cosines are below this one. */
double ac_lanes_near_limit(double turn_limit);
double ac_lanes_tight(const ac_lanes *lanes, int lane);
/* The configuration of a lane (n numbers of its system) at the newest time node. */
void ac_lanes_configuration(const ac_lanes *lanes, int lane, double *q);

#endif
