/* Motions with phases beyond their optimisation: unrolled over many cycles, and replayed under the controls found.
 *
 * A replay begins at the first node of the motion found, takes its controls, and finds everything else anew: the motion of each
 * phase, when it strikes, and the velocities afterwards. The first comparison is with the collision integrator, which has the
 * discrete action of the transcription: it finds the same motion to the tolerance of the solver. The second one is with a
 * hybrid reference: the differential equations by a Runge-Kutta method and the continuous jumps; its difference is the error of
 * the discretisation. Controls are not corrected on the way, and most gaits are unstable without a controller: small differences
 * grow. So the hybrid reference is also begun anew at every node of the motion found, for one interval.
 */
#ifndef ACTIO_REPLAY_H
#define ACTIO_REPLAY_H

#include "actio/optimize.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AC_REPLAY_REMARK_SIZE = 512 };

typedef enum ac_replay_method { AC_REPLAY_COLLISION, AC_REPLAY_HYBRID } ac_replay_method;

/* One phase of one cycle, replayed and found. */
typedef struct ac_phase_replay {
    int cycle, phase;
    double found_duration, duration; /* s: until the strike; the same where nothing strikes */
    double place, velocity; /* largest differences at the end of the phase, of coordinates and their rates */
    double found_energy, energy; /* at the end of the phase, kinetic and potential, J */
    double found_loss, loss;     /* of energy where the next phase begins, J */
    /* s: so long all coordinates are within 1 % of the typical length, or 0.01, of those found */
    double followed;
    /* hybrid: largest difference of coordinates after one interval from a node of the motion found */
    double defect;
} ac_phase_replay;

/* Sees the nodes of a replay, as long as it is near the motion found: time from the start of the first cycle, configuration as
 * seen from its own cycle. */
typedef struct ac_replay_watch {
    void *user;
    ac_status (*node)(void *user, int cycle, int phase, double time, const double *q);
} ac_replay_watch;

/* Replays so many cycles (1 without a cycle) with `system`: the one of the problem (NULL), or, where parameters are free, the one
 * with the parameters found. `rows` has room for cycles times phases, `count` says how many were made; the one
 * behind them, if there is room, is a phase that was not completed, with `followed` and `defect` alone. AC_OK
 * also if the replay ends early, because nothing strikes any more or because the method does not know what a phase holds; then
 * `remark` (AC_REPLAY_REMARK_SIZE characters) says why. `watch` may be NULL. */
AC_API ac_status ac_optimization_replay(ac_optimization *whole, const ac_system *system,
                                        ac_replay_method method, int cycles, const ac_replay_watch *watch,
                                        ac_phase_replay *rows, int *count, char *remark);

/* Whether the last phase is followed by the first one. */
AC_API bool ac_optimization_is_cycle(const ac_optimization *whole);

/* From a phase of a cycle to the world of the first one: configuration q (n numbers), as other bodies take the place of those of
 * the first cycle, ahead by the lengths so far; an arrow, its place and vector, is turned and moved along.
 * `turns`: the vector is a torque. */
AC_API ac_status ac_optimization_unroll(const ac_optimization *whole, int cycle, int phase, double *q);
AC_API void ac_optimization_unroll_arrow(const ac_optimization *whole, int cycle, int phase, bool turns,
                                         double *place, double *vector);

#ifdef __cplusplus
}
#endif
#endif
