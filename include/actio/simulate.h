/* Forward dynamics: time stepping of a finished system.
 *
 * A simulation owns its state and workspace, sized once; a step allocates nothing (except the sparse
 * factorisation with multipliers, which now and then chooses new pivots). It advances node by node: after
 * `ac_simulation_step` the current interval is [t_n, t_{n+1}] with q_n and q_{n+1} known.
 */
#ifndef ACTIO_SIMULATE_H
#define ACTIO_SIMULATE_H

#include "actio/channel.h"
#include "actio/contact.h"
#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The methods by name; NULL-terminated lists, for messages and documentation. */
AC_API const char *const *ac_scheme_names(void);   /* "midpoint", "trapezoidal", "energy-momentum" */
AC_API const char *const *ac_scheme_choices(void); /* "auto" and the names */
AC_API const char *const *ac_formulation_names(
    void); /* "auto", "reduced", "null-space", "multipliers", "minimal" */

/* A point of the world about which the angular momentum is recorded, too. */
typedef struct ac_momentum_point {
    char name[64]; /* the channel is momentum/angular_about/NAME */
    double place[3];
} ac_momentum_point;

enum { AC_MOMENTUM_POINTS = 8 };

typedef struct ac_simulation_settings {
    const char *scheme; /* "auto": what suits the system, see ac_scheme_for */
    const char *formulation;
    double step;        /* s */
    long steps;         /* number of steps */
    double tolerance;   /* on the scaled residual and the constraints */
    int max_iterations; /* of Newton's method, in each attempt at a step; in the last attempt its square */
    bool unscaled;      /* multipliers: leave the matrix as in the literature (for comparison) */
    /* reduced: joint motions are counted from the ground, not from the body that carries the joint */
    bool decoupled;
    bool condition;   /* compute the condition number of the iteration matrix at every step (slow) */
    bool multipliers; /* record the multipliers (recovered in the null space formulations) */
    bool momenta;     /* record constrained, projected and reduced momenta, reduced velocities and loads */
    bool
        energies; /* record the parts of the energy: of places and turns, of gravity and all other potentials */
    bool forces;              /* record loads, springs and dampers as forces and torques at their places */
    bool reactions;           /* record what joints exert (their multipliers are recovered for it) */
    double momentum_about[3]; /* point for the angular momentum */
    int momentum_point_count; /* further points */
    ac_momentum_point momentum_points[AC_MOMENTUM_POINTS];
    double turn_limit; /* largest rotation of a body or a distance joint in one step, rad */
    bool free_step;    /* the extended scheme: steps follow from the balance of discrete energies */
} ac_simulation_settings;

AC_API void ac_simulation_defaults(ac_simulation_settings *settings);

/* The scheme of a choice: "auto" is energy-momentum where there are beams, whose fast
 * vibrations hardly any step follows, and midpoint elsewhere; a name is itself. */
AC_API const char *ac_scheme_for(const ac_system *system, const char *choice);
/* Why, in a few words: "as asked", "there are beams" or "there are no beams". */
AC_API const char *ac_scheme_reason(const ac_system *system, const char *choice);

typedef struct ac_simulation ac_simulation;

AC_API ac_status ac_simulation_new(ac_context *ctx, const ac_system *system,
                                   const ac_simulation_settings *settings, ac_simulation **simulation);
AC_API void ac_simulation_free(ac_simulation *simulation);

/* One step. On failure the state is that of the last good step and the message names step, time, joint and
 * residual; the call may be repeated with no effect on the state. */
AC_API ac_status ac_simulation_step(ac_simulation *simulation);

/* Compares the slope of the step equation and the gradients of the constraints with differences of the
 * functions, near the initial state; returns the largest relative errors (about 1e-9 and 1e-15 when all is
 * well). */
AC_API ac_status ac_simulation_check_derivatives(ac_context *ctx, const ac_system *system,
                                                 const ac_simulation_settings *settings, double *step_error,
                                                 double *constraint_error);

/* The longest stable step of a system with beams of dual quaternions, whose potential acts at time nodes only: 2 / omega, omega
 * the largest frequency of the grid, linearised at the initial state, less 0.1 %. Infinite without such beams. */
AC_API ac_status ac_step_limit(ac_context *ctx, const ac_system *system, double *limit);

/* Where the simulation is: the number of steps taken and the time of the newest node. */
AC_API long ac_simulation_steps_taken(const ac_simulation *simulation);
AC_API double ac_simulation_time(const ac_simulation *simulation);
/* Number of unknowns of one Newton iteration, as published for the formulation. */
AC_API int ac_simulation_unknowns(const ac_simulation *simulation);
/* The largest angle between neighbouring nodes of a beam so far, rad; beyond an eighth turn an element of the
 * director model and order 1 resists less than the material. */
AC_API double ac_simulation_largest_bend(const ac_simulation *simulation);
/* Whether a beam kinked so far because its elements are too long for its tension; if so, the text says
 * which beam and what helps. */
AC_API bool ac_simulation_kink(const ac_simulation *simulation, char *text, size_t size);
/* The scheme and the formulation in use ("auto" resolved). */
AC_API const char *ac_simulation_scheme(const ac_simulation *simulation);
AC_API const char *ac_simulation_formulation(const ac_simulation *simulation);

/* The newest configuration q_{n+1} (n redundant coordinates) and its predecessor. */
AC_API const double *ac_simulation_configuration(const ac_simulation *simulation);
AC_API const double *ac_simulation_previous(const ac_simulation *simulation);

/* What happened at contacts so far. An impact that closes its gap for good, a contact that comes to rest
 * after ever smaller bounces, and one that opens are events, too. */
typedef enum ac_contact_event_kind {
    AC_EVENT_IMPACT,   /* elastic or lossy: the gap opens again */
    AC_EVENT_CLOSES,   /* sticking, sliding, latch */
    AC_EVENT_TRANSFER, /* sticks, and others are released */
    AC_EVENT_RESTS,    /* bounces have died out, or it was pressed from the start */
    AC_EVENT_OPENS     /* it would have pulled, or was released */
} ac_contact_event_kind;

typedef struct ac_contact_event {
    ac_contact_event_kind kind;
    int contact;
    double time;
    double place[3], normal[3];
    double approach, separation;                  /* rates of the gap before and after, m/s or rad/s */
    double normal_impulse, impulse[3];            /* N s (joint limits: N m s) */
    double energy_before, energy_after;           /* of the node, with the projected momentum, J */
    double interval_energy;                       /* of the interval before the impact, J */
    double momentum_before[3], momentum_after[3]; /* linear, kg m/s */
    double angular_before[3], angular_after[3];   /* about the origin, kg m^2/s */
} ac_contact_event;

AC_API const char *ac_contact_event_name(ac_contact_event_kind kind);
AC_API int ac_simulation_contact_events(const ac_simulation *simulation);
AC_API const ac_contact_event *ac_simulation_contact_event(const ac_simulation *simulation, int number);
/* What is doubtful about the contacts: each violation with the nodes over which it lasted. Those that have ended come
 * first, in the order in which they ended. */
typedef enum ac_contact_violation_kind {
    AC_VIOLATION_PULLS, /* a contact that is kept closed pulls; worst: force, N */
    AC_VIOLATION_SLIPS, /* it needs more friction than its coefficient; ratio of tangential and normal force */
    AC_VIOLATION_PAINLEVE,    /* friction and geometry leave no unique contact force; mu W_nt / W_nn */
    AC_VIOLATION_PENETRATION, /* a gap that is ignored, or was, is negative; depth, m or rad */
    AC_VIOLATION_RETURNS,     /* a released contact does not move away; approach, m/s */
    AC_VIOLATION_FAST,        /* motion within a step larger than the bodies; ratio */
    AC_VIOLATION_ENERGY, /* energies of the intervals cannot be balanced, those of the node are; difference, J */
    AC_VIOLATION_START, /* it starts closed, but the velocities of the start move it, which it stops; m/s or rad/s */
    AC_VIOLATION_COUNT
} ac_contact_violation_kind;

typedef struct ac_contact_violation {
    ac_contact_violation_kind kind;
    int contact;
    double from, until; /* times of the first and the last node */
    double worst;
    long nodes; /* how many */
} ac_contact_violation;

AC_API const char *ac_contact_violation_name(ac_contact_violation_kind kind);
AC_API int ac_simulation_contact_violations(const ac_simulation *simulation);
AC_API ac_contact_violation ac_simulation_contact_violation(const ac_simulation *simulation, int number);
/* The same in words, one sentence for each kind, number k from 0 on; false: there are no more. */
AC_API bool ac_simulation_contact_remark(const ac_simulation *simulation, int k, char *text, size_t size);
/* Nodes of the regular mesh reached so far: as many as steps, without impacts within them. */
AC_API long ac_simulation_mesh_steps(const ac_simulation *simulation);

/* What can be recorded. Channels of the table "nodes" belong to the times t_n, those of "intervals" to
 * [t_n, t_{n+1}]. The lists are owned by the simulation and constant. */
AC_API const ac_channel *ac_simulation_node_channels(const ac_simulation *simulation, int *count);
AC_API const ac_channel *ac_simulation_interval_channels(const ac_simulation *simulation, int *count);

/* Fills the row of node n after step n+1 is taken (momentum and multipliers of a node need both intervals),
 * or of the last node when `last` is true. Rows are the channels one after another. */
AC_API ac_status ac_simulation_node_row(ac_simulation *simulation, bool last, double *row);
/* Fills the row of the newest interval. */
AC_API ac_status ac_simulation_interval_row(ac_simulation *simulation, double *row);

#ifdef __cplusplus
}
#endif
#endif
