/* Optimal control: controls, conditions and objectives on the discrete dynamics of a finished system.
 *
 * A problem is described piece by piece, then solved. Time runs in N equal intervals of h = T/N, T fixed or
 * free; every
 * control is constant on each interval. Names of quantities and controls are used in expressions
 * (actio/expression.h):
 *
 *   at a node       a quantity `y`, its rate `y_rate` (at the first and the last node only), `t`, `T`
 *   on an interval  `y` (mean of its ends), `y_rate` (difference quotient), a control `u`, `t` (the middle),
 * `T`
 */
#ifndef ACTIO_OPTIMIZE_H
#define ACTIO_OPTIMIZE_H

#include "actio/expression.h"
#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

AC_API const char *const *ac_optimization_formulations(void); /* "reduced", "multipliers", "minimal",
                                                                  "collocation-qp", "collocation-qv" */
AC_API const char *const *ac_optimization_hessians(void);     /* "exact", "limited-memory" */

typedef struct ac_optimization ac_optimization;

typedef struct ac_optimization_settings {
    const char *formulation;
    const char *hessian;
    int intervals;
    double duration; /* s; the first guess when it is free */
    bool free_duration;
    double least_duration, most_duration; /* of a free one; 0: a tenth and ten times the duration */
    double turn_limit;                    /* largest rotation of a body in one interval, rad; 0: none */
    double tolerance;
    int max_iterations;
    int most_rounds;     /* solves with a new reference of the local coordinates */
    bool start_fixed;    /* the first configuration is that of the system */
    bool start_velocity; /* the first velocity is that of the system */
    bool end_rest;       /* at rest at the end */
    bool periodic;       /* the last configuration and velocity are the first */
    int print;           /* of the solver; 0: silent */
} ac_optimization_settings;

AC_API void ac_optimization_defaults(ac_optimization_settings *settings);

AC_API ac_status ac_optimization_new(ac_context *ctx, const ac_system *system,
                                     const ac_optimization_settings *settings,
                                     ac_optimization **optimization);
AC_API void ac_optimization_free(ac_optimization *optimization);

/* A control. Joint coordinate: generalised force on it, action = reaction; for a spherical joint a torque
 * with the component
 * `coordinate`. Force and torque: component `coordinate` on a node. */
typedef struct ac_control {
    const char *name;
    ac_load_type type;
    int joint;
    ac_point point; /* force: where; torque: which node */
    int coordinate; /* 0 to 2 */
    bool follows;   /* components in axes of the body (spherical joint: of its first node), not world axes */
    double low, high; /* bounds; +-INFINITY: none */
    double rate;      /* bound on the change per second; INFINITY: none */
    double guess;
} ac_control;

AC_API ac_status ac_optimization_add_control(ac_optimization *optimization, const ac_control *control);

typedef enum ac_quantity_type {
    AC_QUANTITY_JOINT,     /* coordinate of a joint */
    AC_QUANTITY_POINT,     /* place of a point along a world direction */
    AC_QUANTITY_DISTANCE,  /* between two points */
    AC_QUANTITY_DIRECTION, /* a body axis along a world direction */
    /* of a body axis in the plane of two world directions: atan2(d . second, d . direction) */
    AC_QUANTITY_ANGLE,
    /* component along a world direction of the turn from a given orientation: the axial vector of R R*^T,
     * which is zero for R = R* (and for half turns from it) */
    AC_QUANTITY_TURN
} ac_quantity_type;

typedef struct ac_quantity {
    const char *name;
    ac_quantity_type type;
    int joint, coordinate;
    ac_point point, second_point;
    double axis[3];                 /* body axis: DIRECTION, ANGLE */
    double direction[3], second[3]; /* world */
    double rotation[9];             /* TURN: the given orientation R* */
} ac_quantity;

AC_API ac_status ac_optimization_add_quantity(ac_optimization *optimization, const ac_quantity *quantity);

/* low <= expression <= high. */
typedef enum ac_condition_place { AC_AT_START, AC_AT_END, AC_AT_NODES, AC_ON_INTERVALS } ac_condition_place;

typedef struct ac_condition {
    const char *name; /* for messages; NULL: the expression */
    const char *expression;
    ac_condition_place place;
    double low, high;
} ac_condition;

/* `lookup` (may be NULL) knows named constants. */
AC_API ac_status ac_optimization_add_condition(ac_optimization *optimization, const ac_condition *condition,
                                               ac_constant_lookup lookup, void *user);

typedef enum ac_objective_type {
    AC_OBJECTIVE_EFFORT,   /* weight/2 integral of the squares of all controls */
    AC_OBJECTIVE_DURATION, /* weight T */
    AC_OBJECTIVE_ENERGY,   /* weight integral of kinetic and potential energy */
    AC_OBJECTIVE_START,    /* weight expression at the first node */
    AC_OBJECTIVE_END,
    AC_OBJECTIVE_RUNNING, /* weight integral of the expression */
    AC_OBJECTIVE_ABSOLUTE /* weight integral of its absolute value */
} ac_objective_type;

typedef struct ac_objective {
    ac_objective_type type;
    double weight; /* negative: maximise */
    const char *expression;
} ac_objective;

AC_API ac_status ac_optimization_add_objective(ac_optimization *optimization, const ac_objective *objective,
                                               ac_constant_lookup lookup, void *user);

/* The first guess: joint coordinates over s = t/T from 0 to 1 (`count` rows of the joint's coordinates),
 * linear in between;
 * joints without one rest. For a free body: rotation vector from its drawn orientation (3). */
AC_API ac_status ac_optimization_guess_joint(ac_optimization *optimization, int joint, int count,
                                             const double *s, const double *coordinates);
AC_API ac_status ac_optimization_guess_turn(ac_optimization *optimization, int node, int count,
                                            const double *s, const double *turns);
/* All configurations (rows of n redundant coordinates) and controls (rows of the controls) at `nodes` nodes
 * and
 * nodes - 1 intervals: an earlier result on any mesh. */
AC_API ac_status ac_optimization_guess_motion(ac_optimization *optimization, int nodes, const double *q,
                                              const double *controls, double duration);
/* The guess gets the controls that its motion needs, where a control acts on one freedom alone. */
AC_API void ac_optimization_guess_inverse(ac_optimization *optimization, bool on);
/* Reproducible disturbance of the guess, relative size 0 to 1. */
AC_API void ac_optimization_disturb(ac_optimization *optimization, unsigned long seed, double size);

/* Called after every iteration; answers nonzero to stop. */
typedef int (*ac_optimization_progress)(void *user, int iteration, double objective, double violation);

/* AC_OK: a local optimum. AC_NOT_CONVERGED, AC_INTERRUPTED: the message says why and names the worst
 * condition; the best
 * point is kept. */
AC_API ac_status ac_optimization_solve(ac_optimization *optimization, ac_optimization_progress progress,
                                       void *user);

/* --- what was found --- */

typedef struct ac_optimization_outcome {
    double objective, duration;
    int unknowns, constraints,
        limits; /* of the programme that was solved: unknowns, equations, inequalities */
    int full_unknowns,
        full_constraints; /* as published for full actuation and complete boundary conditions */
    int iterations, rounds;
    double violation;            /* largest, of all conditions */
    char worst[128];             /* the name of that condition */
    double time, functions_time; /* s */
    const char *words;           /* status in plain words */
} ac_optimization_outcome;

AC_API const ac_optimization_outcome *ac_optimization_result(const ac_optimization *optimization);
AC_API const char *ac_optimization_formulation(const ac_optimization *optimization);
AC_API int ac_optimization_intervals(const ac_optimization *optimization);
AC_API int ac_optimization_controls(const ac_optimization *optimization);
AC_API const char *ac_optimization_control_name(const ac_optimization *optimization, int control);
/* Configuration (n redundant coordinates) at a node, controls on an interval. */
AC_API const double *ac_optimization_configuration(const ac_optimization *optimization, int node);
AC_API const double *ac_optimization_control_values(const ac_optimization *optimization, int interval);
AC_API int ac_optimization_quantities(const ac_optimization *optimization);
AC_API const char *ac_optimization_quantity_name(const ac_optimization *optimization, int quantity);
AC_API double ac_optimization_quantity_value(const ac_optimization *optimization, int quantity, int node);

/* Largest difference between exact derivatives and differences at the guess (gradient, Jacobian, Hessian),
 * relative to
 * their size, and the number of conditions that depend on others there; `dependent` names the first (128
 * characters). */
AC_API ac_status ac_optimization_check(ac_optimization *optimization, double differences[3],
                                       int *dependent_count, char *dependent);

#ifdef __cplusplus
}
#endif
#endif
