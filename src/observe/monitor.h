/* Monitors: energies, momenta, residuals and coordinates of every node and interval, as rows of named
 * channels. */
#ifndef ACTIO_OBSERVE_MONITOR_H
#define ACTIO_OBSERVE_MONITOR_H

#include "actio/simulate.h"
#include "integrate/stepper.h"
#include "action/massive.h"
#include "action/momentum.h"

typedef struct ac_monitor {
    ac_context *ctx;
    bool multipliers, momenta, energies, condition, forces, reactions;
    double about[3];
    int point_count; /* further points for the angular momentum */
    double points[AC_MOMENTUM_POINTS][3];
    int node_count, node_capacity, interval_count, interval_capacity;
    ac_channel *node_channels, *interval_channels;
    char **texts; /* owned names and labels */
    int text_count, text_capacity;
    ac_legendre legendre;
    ac_massive massive; /* momenta of beams are wanted */
    double *p, *velocity, *g, *lambda;
    bool stale;           /* masses may be others than those that are kept */
    const double *handed; /* momentum that the last interval hands to the newest node */
} ac_monitor;

ac_status ac_monitor_create(ac_monitor *monitor, const ac_stepper *stepper,
                            const ac_simulation_settings *settings);
void ac_monitor_destroy(ac_monitor *monitor);
/* The values of the system may have changed: what depends on them is computed with the next row. */
void ac_monitor_restart(ac_monitor *monitor);

/* The left node of a solved interval. */
ac_status ac_monitor_node(ac_monitor *monitor, ac_stepper *stepper, double *row);
/* The same row, but only what can be watched at every step at little cost: time, energies, momenta and
 * residuals, without the projection. The rest of the row stays as it was. */
void ac_monitor_watch_node(ac_monitor *monitor, const ac_stepper *stepper, double *row);
/* The newest node: right node of the solved interval, or the left one if the interval was not solved. */
ac_status ac_monitor_last_node(ac_monitor *monitor, ac_stepper *stepper, bool solved, double *row);
ac_status ac_monitor_interval(ac_monitor *monitor, ac_stepper *stepper, double *row);

#endif
