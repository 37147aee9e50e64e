/* A simulation that is shown live: the integrator of `simulate`, step by step, with parameters and forces of joints that
 * can be changed and a body that can be pulled.
 *
 * Forces of the user act as impulses h f at the time nodes: they change the momentum that the next step begins with. A
 * parameter is set on the finished system; the motion goes on if its configuration still satisfies the constraints,
 * otherwise it starts again. Before the first step it starts from the state that the parameters give.
 */
#ifndef ACTIO_LIVE_SIMULATION_H
#define ACTIO_LIVE_SIMULATION_H

#include "actio/problem.h"
#include "actio/simulate.h"
#include "model/system.h"
#include "problem/recorded/recorded.h"

enum { AC_LIVE_SLIDERS = 24, AC_LIVE_NAME = AC_ACT_NAME };

typedef struct ac_live_slider {
    char name[AC_LIVE_NAME];
    const char *unit;
    double first, value, low, high;
    int measure; /* of an input: the joint coordinate that it acts on */
} ac_live_slider;

typedef struct ac_live_simulation ac_live_simulation;

ac_status ac_live_simulation_new(ac_context *ctx, const ac_problem *problem, ac_live_simulation **simulation);
void ac_live_simulation_free(ac_live_simulation *simulation);

/* One step; false: it failed, and the message says why. Nothing moves then until a reset. */
bool ac_live_simulation_step(ac_live_simulation *simulation);
/* Back to the start, with the present parameters. */
void ac_live_simulation_reset(ac_live_simulation *simulation);

/* A point of a node (relative to its centre of mass, node axes) is pulled to a place. */
void ac_live_simulation_grab(ac_live_simulation *simulation, int node, const double place[3]);
void ac_live_simulation_pull_to(ac_live_simulation *simulation, const double goal[3]);
void ac_live_simulation_let_go(ac_live_simulation *simulation);

/* Parameters of the file and inputs of joints. */
int ac_live_sliders(const ac_live_simulation *simulation, bool inputs, const ac_live_slider **list);
/* False: the value is not possible, and the message says why; the old one stays. */
bool ac_live_set_parameter(ac_live_simulation *simulation, int parameter, double value);
void ac_live_set_input(ac_live_simulation *simulation, int input, double value);

/* What a recorded session did before the next step; *done counts the acts so far. AC_BAD_INPUT: one of them does not fit
 * the problem. */
ac_status ac_live_replay(ac_live_simulation *simulation, const ac_recorded *recorded, int *done);
/* Of configuration and momentum, bit by bit. */
uint64_t ac_live_checksum(const ac_live_simulation *simulation);
/* The simulation that it steps. */
ac_simulation *ac_live_integrator(const ac_live_simulation *simulation);

typedef struct ac_live_reading {
    double t, step; /* s */
    long steps;
    double energy;   /* J */
    double residual; /* of the constraints */
    double force;    /* of the pull, N */
    double distance; /* from the pulled point to its goal, m */
    const char *message;
} ac_live_reading;

ac_live_reading ac_live_read(ac_live_simulation *simulation);
/* Centre of mass and axes of a node. */
void ac_live_pose(const ac_live_simulation *simulation, int node, double position[3], double rotation[9]);

#endif
