/* The motion found in the simulator: steppers under the controls found, and whoever watches the re-simulation. */
#ifndef ACTIO_OPTIMIZE_PLAN_REPLAY_H
#define ACTIO_OPTIMIZE_PLAN_REPLAY_H

#include "actio/plan.h"
#include "integrate/stepper.h"

/* Sees every node of the re-simulated motion, once; `begin` comes first. */
typedef struct ac_replay_observer {
    void *user;
    ac_status (*begin)(void *user, const ac_stepper *stepper);
    ac_status (*node)(void *user, ac_stepper *stepper, bool last);
} ac_replay_observer;

/* A stepper of `system` under the controls found; `formulation`: NULL for the one that suits the system. */
ac_status ac_replay_stepper(const ac_optimization *optimization, const ac_system *system,
                            const char *formulation, ac_stepper *stepper);

/* As ac_optimization_resimulate; `solved`: the motion satisfies its conditions, so that a difference is worth a remark;
 * `observer`: may be NULL. */
ac_status ac_replay_motion(ac_optimization *optimization, const ac_system *system, bool solved,
                           const ac_replay_observer *observer, ac_resimulation *again);
/* The formulation has the dynamics of the simulator. */
bool ac_replay_possible(const ac_optimization *optimization);

#endif
