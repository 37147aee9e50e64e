/* Tracking in real time: a mechanism follows targets that jump, joints intact, forces finite.
 *
 * A tracker owns its state and workspace, sized once. After `ac_track_new` nothing allocates, and a step costs
 * the same every time: one factorisation of the velocity-level equations, linear in the number of bodies. Joints that a
 * jump leaves open by more than their tolerance are closed again: one factorisation more as a rule, at most eight.
 * Targets may be added, moved and removed, joints opened and closed, bodies taken out and put back between
 * any two steps.
 *
 * The state is redundant: every body moves by its own twist (v, omega), velocity of its centre of mass and
 * angular velocity in world axes, and joints are equations that are stabilised (Baumgarte).
 */
#ifndef ACTIO_TRACK_H
#define ACTIO_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a body is made to follow its target.
 *   discrete     discretise, then optimise: damped, no lower bound on the weight; the default
 *   exact        exact minimum over one step: damped
 *   servo        the target is a constraint of its own (stabilised)
 *   l2           single-stage optimal control, control regularised in L2, as published: undamped
 *   h1-neumann   the same in H1, Neumann conditions at both ends of the step
 *   h1-mixed     the same in H1, continuous control (Dirichlet condition at the start)
 */
typedef enum ac_track_method {
    AC_TRACK_DISCRETE,
    AC_TRACK_EXACT,
    AC_TRACK_SERVO,
    AC_TRACK_L2,
    AC_TRACK_NEUMANN,
    AC_TRACK_MIXED
} ac_track_method;

/* How the control equation -rho1 mu'' + rho0 mu = f of the H1 methods is solved. */
typedef enum ac_track_yukawa {
    AC_YUKAWA_SPLINES, /* quadratic B-splines as published: 6 unknowns, mixed conditions 4 */
    AC_YUKAWA_FULL,    /* mixed conditions with the fifth spline, which the published space lacks */
    AC_YUKAWA_GREEN    /* exact, by the Green function */
} ac_track_yukawa;

/* Compensation of gravity and loads, which the control knows. */
typedef enum ac_track_cancel {
    AC_CANCEL_PROJECTED, /* what arrives at the targets through the joints is cancelled */
    AC_CANCEL_OWN,       /* the load on the tracked body itself is cancelled */
    AC_CANCEL_PERTURBED, /* it enters the control equation (H1 methods) */
    AC_CANCEL_NONE
} ac_track_cancel;

/* How orientations move in a step. */
typedef enum ac_track_chart {
    AC_CHART_ROTATION, /* by the exponential map: no singularity */
    AC_CHART_KARDAN    /* Kardan angles by explicit Euler steps, as published; singular at 90 degrees */
} ac_track_chart;

/* The choices by name; NULL-terminated, in the order of the numbers above. */
AC_API const char *const *ac_track_methods(void);
AC_API const char *const *ac_track_yukawas(void);
AC_API const char *const *ac_track_cancels(void);
AC_API const char *const *ac_track_charts(void);

typedef struct ac_track_weights {
    double rho0;     /* of the control in L2 */
    double rho1;     /* of its derivative (H1 methods), s^2 */
    double running;  /* of the residual along the step; l2 and H1 methods */
    double velocity; /* of the difference of velocities at the end of the step, s^2: adds damping */
    bool by_mass;    /* residuals weighted with the mass matrix */
} ac_track_weights;

typedef struct ac_track_settings {
    double step; /* s */
    ac_track_method method;
    ac_track_weights weights;
    ac_track_yukawa yukawa;
    ac_track_cancel cancel;
    ac_track_chart chart;
    double joint_stabilisation; /* eps: share of a joint's error that one step removes, 0 to 1 */
    double servo_stabilisation; /* the same for servo constraints */
    double joint_tolerance;     /* largest gap of a joint after a step, share of the typical length, 0 to 1 */
    /* 0: joints on velocity level with the partitioned linear-implicit Euler step. Positive: alpha of
     * Phi'' + 2 alpha Phi' + alpha^2 Phi = 0, joints on acceleration level with Runge-Kutta steps of order
     * 4; forces but no targets. Negative: the same with alpha = 0. */
    double acceleration_level;
    int target_capacity; /* most targets at a time */
    double turn_limit;   /* largest turn of a body in a step, rad: faster motions are slowed down */
    double move_limit;   /* largest displacement of a body in a step, m; 0: from the size of the system */
} ac_track_settings;

AC_API void ac_track_defaults(ac_track_settings *settings);

/* What follows: a point of a node by some components, and its orientation by some. World axes. */
typedef struct ac_track_target {
    int node;
    double place[3];              /* of the point, in the frame of the node */
    bool position[3];             /* x, y, z */
    bool rotation[3];             /* rotation vector from the target to the body */
    double max_force, max_torque; /* of the control; 0: no limit. The limit on forces comes first */
    double max_speed;             /* of the point, 0: no limit */
} ac_track_target;

/* Its target. */
typedef struct ac_track_place {
    double position[3];
    double rotation[9]; /* of the node frame as given to ac_system_add_body */
    double velocity[3], spin[3];
} ac_track_place;

typedef struct ac_track ac_track;

AC_API ac_status ac_track_new(ac_context *ctx, const ac_system *system, const ac_track_settings *settings,
                              ac_track **track);
AC_API void ac_track_free(ac_track *track);

/* --- none of the following allocates --- */

/* Back to the assembled start; targets stay, without a place. */
AC_API void ac_track_reset(ac_track *track);
/* Other method, weights and stabilisation from now on; step, chart and capacity stay as they were. False: a
 * number is not usable, nothing changed. */
AC_API bool ac_track_change(ac_track *track, const ac_track_settings *settings);
AC_API const ac_track_settings *ac_track_current(const ac_track *track);

/* Adds a target; it does nothing until it has a place. Returns its number, -1: too many or not usable. */
AC_API int ac_track_add_target(ac_track *track, const ac_track_target *target);
AC_API void ac_track_remove_target(ac_track *track, int number);
/* Lets a target go, or follows it again; it keeps its number and its place meanwhile. */
AC_API bool ac_track_set_followed(ac_track *track, int number, bool followed);
AC_API bool ac_track_is_followed(const ac_track *track, int number);
/* Where the target is at the end of the next step; holds until it is set again. A place with a number that is
 * not finite is refused, counted, and changes nothing. */
AC_API bool ac_track_set_place(ac_track *track, int number, const ac_track_place *place);
/* The place that was set last; false: there is no such target, or it has no place yet. */
AC_API bool ac_track_get_place(const ac_track *track, int number, ac_track_place *place);
/* Opens or closes a joint. One that is closed while its bodies are apart puts them together before the next step. */
AC_API bool ac_track_set_joint(ac_track *track, int joint, bool closed);
AC_API bool ac_track_is_closed(const ac_track *track, int joint);
/* Takes a body out (with its joints), or puts it in: to the body that its joint hangs it on, as at the start, moving
 * with it; to its place of the start if nothing carries it. Bodies that are added while the tracker runs belong to its
 * system from the beginning and wait outside: nothing is allocated later. */
AC_API bool ac_track_set_node(ac_track *track, int node, bool present);
AC_API bool ac_track_has_node(const ac_track *track, int node);
/* A force (world axes) at a point of a node during the next step only, beside the loads of the system. */
AC_API bool ac_track_push(ac_track *track, int node, const double place[3], const double force[3]);

/* What happened in a step. */
enum {
    AC_TRACK_FORCE_LIMITED = 1, /* a control was cut to its limit */
    AC_TRACK_SPEED_LIMITED = 2, /* a target's point was held to its limit */
    AC_TRACK_SLOWED = 4,        /* a motion beyond turn_limit or move_limit was slowed down */
    AC_TRACK_PROJECTED = 8,     /* joints had come apart and were put together */
    AC_TRACK_FAULT = 16,        /* a number was not finite: the state of before is kept, at rest */
    AC_TRACK_APART = 32         /* a joint is open by more than joint_tolerance and could not be closed */
};

/* One step; returns its events, 0: nothing unusual. The state is finite for any input. */
AC_API unsigned ac_track_step(ac_track *track);

AC_API long ac_track_steps(const ac_track *track);
AC_API double ac_track_time(const ac_track *track);
/* Pose and twist of a node frame. */
AC_API void ac_track_pose(const ac_track *track, int node, ac_pose *pose);
AC_API void ac_track_twist(const ac_track *track, int node, double velocity[3], double spin[3]);
/* Kardan angles alpha, beta, gamma of a node: R = Rx(alpha) Ry(beta) Rz(gamma). */
AC_API void ac_track_kardan(const ac_track *track, int node, double angles[3]);
/* Of a target: error now (position, then rotation vector; 0 where it is not tracked) and the control of the
 * last step (force, torque). */
AC_API void ac_track_error(const ac_track *track, int number, double error[6]);
AC_API void ac_track_control(const ac_track *track, int number, double control[6]);
/* Joints: largest residual of position and velocity, largest multiplier (reaction) of the last step. */
AC_API double ac_track_residual(const ac_track *track);
AC_API double ac_track_rate_residual(const ac_track *track);
AC_API double ac_track_reaction(const ac_track *track);
AC_API double ac_track_energy(const ac_track *track);
/* The joint with the largest residual of position; -1: all are closed exactly, or there is none. */
AC_API int ac_track_loosest(const ac_track *track);
/* Counts since the start: places refused; steps limited, slowed, projected, faults, joints apart. */
typedef struct ac_track_counts {
    long refused, force_limited, speed_limited, slowed, projected, faults, apart;
} ac_track_counts;
AC_API ac_track_counts ac_track_counted(const ac_track *track);
/* A number that any difference in the state changes: two runs with the same one agree to the last bit. */
AC_API uint64_t ac_track_checksum(const ac_track *track);
/* Is the graph of bodies and joints free of loops? And the topological index of a node: its distance from the
 * root of its tree. */
AC_API bool ac_track_open(const ac_track *track);
AC_API int ac_track_index(const ac_track *track, int node);

/* --- weights --- */

/* Weights for a body of the mass m such that its closed loop has the frequency omega (rad/s), from the
 * interval between samples: a tenth of the sampling frequency. z = h sqrt(rho0/rho1). */
AC_API void ac_track_suggest(double step, double mass, double sample_interval, ac_track_method method,
                             ac_track_weights *weights, double *omega, double *z);
/* Control at the end of a step, mu(t_k+1) = a mu(t_k) + b f0/rho0 for the right-hand side f0 (1 - s/h); c:
 * response to a constant, -rho0 times it. */
typedef struct ac_yukawa_gain {
    double a, b, c;
} ac_yukawa_gain;
AC_API bool ac_yukawa_gains(ac_track_method method, ac_track_yukawa way, double step, double rho0,
                            double rho1, ac_yukawa_gain *gain);
/* Green function of -rho1 u'' + rho0 u on [0, length] with Neumann conditions. */
AC_API double ac_yukawa_green(double rho0, double rho1, double length, double t, double s);

/* --- gradients --- */

/* Over a whole interval: J = |r(T)|^2/2 + int |r|^2/2 + rho0 int |mu|^2/2 for the error r of the components of a
 * target, position before rotation, and forces and torques mu on them. */
typedef struct ac_gradient_problem {
    ac_track_target target;
    double duration; /* s, from the assembled start */
    long steps;      /* even; Runge-Kutta steps of order 4 */
    double rho0;
    void *user;
    /* Control at time t, one number for each component in use, and place, one for each of the position. */
    void (*control)(void *user, double t, double *mu);
    void (*place)(void *user, double t, double *p);
    /* Rotation of the node frame that is wanted; NULL where no rotation follows. */
    void (*rotation)(void *user, double t, double R[9]);
} ac_gradient_problem;

/* J and its gradient, a function of time: one row for every second node, steps/2 + 1 of them, such that the change of J
 * is the integral of gradient times change of mu. By the adjoint system with joints; `hidden` gets the largest |G lambda|.
 * AC_SINGULAR: joints are redundant. */
AC_API ac_status ac_track_gradient(ac_context *ctx, const ac_system *system,
                                   const ac_gradient_problem *problem, double *J, double *gradient,
                                   double *hidden);

/* --- deadlines --- */

/* Lateness of a loop: a histogram with logarithmic classes, never assumed to be empty. */
enum { AC_DEADLINE_CLASSES = 32 };
typedef struct ac_deadlines {
    double period;                     /* s */
    long count, missed;                /* missed: late by more than the period */
    double worst, sum;                 /* lateness, s */
    long classes[AC_DEADLINE_CLASSES]; /* class k: below 2^k * 0.1 us; the last holds the rest */
} ac_deadlines;
AC_API void ac_deadlines_start(ac_deadlines *deadlines, double period);
AC_API void ac_deadlines_add(ac_deadlines *deadlines, double late);
/* The lateness that a share of all (0.99) did not exceed, s: the upper end of its class. */
AC_API double ac_deadlines_quantile(const ac_deadlines *deadlines, double share);

#ifdef __cplusplus
}
#endif
#endif
