/* The discrete adjoint method: exact gradients of a functional of a simulated motion.
 *
 * The motion is simulated, then one sweep backwards in time with the transposed matrices of its steps gives the
 * derivatives by everything that enters it, at about the cost of the simulation and whatever their number:
 *
 *     ac_adjoint *adjoint;
 *     ac_adjoint_new(ctx, system, &settings, 0, &adjoint);
 *     ac_adjoint_run(adjoint, &functional, &value);
 *     by = ac_adjoint_by_input(adjoint, interval);
 *
 * The derivatives are those of the discrete equations, exact to rounding, in every scheme and formulation. Formulations that give
 * the same motion share them; "minimal" has its own equations, and no second derivatives.
 */
#ifndef ACTIO_ADJOINT_H
#define ACTIO_ADJOINT_H

#include "actio/optimize.h"
#include "actio/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A functional: a sum over time nodes and intervals. Each function returns its value and, where the pointers are not
 * NULL, adds its derivatives; either function may be NULL. q: configuration, p: momentum, n numbers each, in the order
 * of ac_simulation_configuration; inputs: see ac_adjoint_input.
 *
 * For second derivatives along a direction (ac_adjoint_second) the last two add the changes of the derivatives, that is
 * the second derivatives times the direction; dinputs may be NULL: no change. */
typedef struct ac_functional {
    void *user;
    double (*node)(void *user, long node, double t, const double *q, const double *p, double *by_q,
                   double *by_p);
    double (*interval)(void *user, long interval, double t, double h, const double *qa, const double *qb,
                       const double *inputs, double *by_a, double *by_b, double *by_inputs);
    void (*node_along)(void *user, long node, double t, const double *q, const double *p, const double *dq,
                       const double *dp, double *by_q, double *by_p);
    void (*interval_along)(void *user, long interval, double t, double h, const double *qa, const double *qb,
                           const double *inputs, const double *da, const double *db, const double *dinputs,
                           double *by_a, double *by_b, double *by_inputs);
    /* Of `interval` by the time and by the length, where the lengths of steps are unknowns (free_step, contacts); `node` may depend on the
     * time at the first and the last node there. */
    void (*by_time)(void *user, long interval, double t, double h, const double *qa, const double *qb,
                    double *by_t, double *by_h);
} ac_functional;

typedef struct ac_adjoint ac_adjoint;

/* `memory`: the bytes that may be used to store the motion and what is given over time; 0: as many as it takes. If they do not
 * hold the whole motion, parts of it are re-simulated from checkpoints; the gradient is the same to rounding. If they do not hold
 * derivatives by the inputs of every interval, neighbouring intervals share them (ac_adjoint_stretch). */
AC_API ac_status ac_adjoint_new(ac_context *ctx, const ac_system *system,
                                const ac_simulation_settings *settings, size_t memory, ac_adjoint **adjoint);
AC_API void ac_adjoint_free(ac_adjoint *adjoint);

/* Simulates, then sweeps backwards. Fails as the simulation fails; then there is no gradient. */
AC_API ac_status ac_adjoint_run(ac_adjoint *adjoint, const ac_functional *functional, double *value);

/* The same for another functional of the motion that was simulated last; where it is stored, it is not re-simulated. */
AC_API ac_status ac_adjoint_run_again(ac_adjoint *adjoint, const ac_functional *functional, double *value);

/* Adjoint variables: called at every time node as the sweep reaches it, from the last to the first, with the derivatives of
 * the functional by the configuration and by the momentum there. Those by the momentum are an admissible velocity: a force or
 * torque that acts for a moment changes the functional by its impulse times the rate of its place along that velocity. */
typedef void (*ac_adjoint_watcher)(void *user, long node, double t, const double *q, const double *by_q,
                                   const double *by_p);
AC_API void ac_adjoint_watch(ac_adjoint *adjoint, ac_adjoint_watcher watcher, void *user);

/* Steps of the motion, and the time of a node: where the lengths of steps are unknowns (free_step), they follow from the motion. */
AC_API long ac_adjoint_steps(const ac_adjoint *adjoint);
AC_API double ac_adjoint_time(const ac_adjoint *adjoint, long node);

/* Number of coordinates, and how many steps were taken in all (more than those of the motion where parts were
 * re-simulated). */
AC_API int ac_adjoint_size(const ac_adjoint *adjoint);
AC_API long ac_adjoint_steps_taken(const ac_adjoint *adjoint);

/* Inputs are the components of the loads that act, each constant on an interval: their number, and the load and the
 * component (0 to 2) of one; of a control the load is -1. Controls stand before loads. */
AC_API int ac_adjoint_inputs(const ac_adjoint *adjoint);
AC_API void ac_adjoint_input(const ac_adjoint *adjoint, int input, int *load, int *component);

/* How many neighbouring intervals share what is given over time: 1, unless the memory is too small. */
AC_API long ac_adjoint_stretch(const ac_adjoint *adjoint);

/* Derivatives of the functional by the inputs of an interval (of its stretch: by a change on all its intervals); by the configuration and the velocity at the start, as
 * covectors of which only the part along admissible motions counts; by the amplitude of a load that multiplies all its
 * values. */
AC_API const double *ac_adjoint_by_input(const ac_adjoint *adjoint, long interval);
AC_API const double *ac_adjoint_by_configuration(const ac_adjoint *adjoint);
AC_API const double *ac_adjoint_by_velocity(const ac_adjoint *adjoint);
AC_API double ac_adjoint_by_amplitude(const ac_adjoint *adjoint, int load);

/* ---- directional second derivatives ---- */

/* Simulates, sweeps backwards, and keeps what ac_adjoint_second needs: the motion, its multipliers and its adjoint. The
 * gradient stays that of the last ac_adjoint_run. Where the memory allowed does not hold the motion, only the value is found here, and
 * every product simulates the motion again from checkpoints. */
AC_API ac_status ac_adjoint_linearise(ac_adjoint *adjoint, const ac_functional *functional, double *value);

/* A change of the inputs (ac_adjoint_inputs numbers for each interval) and of the configuration and velocity at the start;
 * NULL: no change. */
typedef struct ac_adjoint_direction {
    const double *inputs;
    const double *configuration, *velocity;
} ac_adjoint_direction;

/* How the gradient at the motion linearised changes along a direction: the product of the second derivatives with it, at
 * the cost of a few simulations. slope (may be NULL): the derivative of the functional along the direction. */
AC_API ac_status ac_adjoint_second(ac_adjoint *adjoint, const ac_adjoint_direction *direction, double *slope);
/* Its components, as those of the gradient (by inputs: of the stretch). The start is taken as a point of the space of all coordinates: along a curve
 * of starts q(s), v(s) they are the changes of ac_adjoint_by_configuration and ac_adjoint_by_velocity. */
AC_API const double *ac_adjoint_second_by_input(const ac_adjoint *adjoint, long interval);
AC_API const double *ac_adjoint_second_by_configuration(const ac_adjoint *adjoint);
AC_API const double *ac_adjoint_second_by_velocity(const ac_adjoint *adjoint);

/* ---- optimal control by shooting: the motion follows from the controls ---- */

/* Objective of the problem, with the sign in which it was written, and its gradient by the controls (interval by interval) at these
 * controls; NULL: at the guess. The problem must have a given start, no free duration and no free parameters; its conditions play no part. */
AC_API ac_status ac_optimization_gradient(ac_optimization *optimization, const double *controls,
                                          double *value, double *gradient);

/* Compares the derivative along the gradient found at these controls with differences of the objective: the error relative to its
 * length, and the doubt (may be NULL), how far differences with another step are from each other. */
AC_API ac_status ac_optimization_check_gradient(ac_optimization *optimization, const double *controls,
                                                const double *gradient, double *error, double *doubt);

/* The product of the second derivatives of the objective by the controls with a direction, at these controls (NULL: at the
 * guess); both interval by interval. slope (may be NULL): the derivative along the direction. */
AC_API ac_status ac_optimization_second(ac_optimization *optimization, const double *controls,
                                        const double *direction, double *slope, double *product);

typedef enum ac_shooting_method {
    AC_SHOOT_LBFGS,
    AC_SHOOT_BB1,          /* Barzilai and Borwein: s.s / s.y */
    AC_SHOOT_BB2,          /* s.y / y.y */
    AC_SHOOT_GAUSS_NEWTON, /* second derivatives without those of the motion */
    AC_SHOOT_NEWTON        /* exact second derivatives */
} ac_shooting_method;

/* An iteration: objective; largest component of the gradient that no bound stops; length of the last step and of the
 * controls (root of the sum of squares); terms of the objective at the end; gap between segments, in parts of the size of
 * configuration and momentum. */
typedef struct ac_shooting_progress {
    int iteration;
    double value, gradient, step, effort, target, gap;
    const double *controls;
    /* What the search knows besides the controls, such as the last changes of the gradient: handed to the settings with these controls,
     * a search takes the same steps from here. NULL: there is no memory for it. */
    const double *search;
    int search_size;
} ac_shooting_progress;

typedef struct ac_shooting_settings {
    ac_shooting_method method;
    double
        tolerance; /* on the largest component of the gradient that no bound stops; in parts of objective and
                          gradient at the start where both are below 1e-4 */
    double first_step; /* the largest change of a control in the first iteration */
    int max_iterations;
    int segments; /* Newton and Gauss-Newton: simulated apart and joined by matching conditions; 0, 1: one */
    const double *search; /* of an earlier search, which goes on here; NULL: a new one */
    int search_size;
    int max_products; /* of conjugate gradients in one iteration; 0: as many as there are controls */
    /* Called at every iteration; returns nonzero to stop. */
    int (*progress)(void *user, const ac_shooting_progress *now);
    void *user;
} ac_shooting_settings;

typedef struct ac_shooting_outcome {
    int iterations;
    double value, gradient;
    double limit;              /* at which the gradient counts as zero */
    int evaluations, products; /* simulations, and products with second derivatives */
    int second_order;       /* 1: verified, 0: not decided, -1: a direction of negative curvature was found */
    double least_curvature; /* NAN: not computed */
    int saddles_left;       /* stationary points that were no minima and were left */
    int stages;             /* of the approach of the target */
} ac_shooting_outcome;

/* The target of a quantity at the end approaches the wanted one: weight/2 (quantity - target)^2 is a term of the objective.
 * It is absent at first; then the target lies between the value reached and the one wanted, at `part` of the way; when both
 * are closer than `tolerance`, it is the one wanted, and the problem is that of a fixed target. */
typedef struct ac_shooting_approach {
    const char *quantity; /* an expression at the end */
    double target, weight, part, tolerance;
} ac_shooting_approach;
/* Once; `lookup` (may be NULL) knows named constants. */
AC_API ac_status ac_optimization_approach(ac_optimization *optimization, const ac_shooting_approach *approach,
                                          ac_constant_lookup lookup, void *user);

/* Minimises the objective over the controls within their bounds, from the given ones, which become those found. The
 * motion found becomes the guess of the problem. AC_NOT_CONVERGED: the controls are the best ones found. */
AC_API ac_status ac_optimization_shoot(ac_optimization *optimization, const ac_shooting_settings *settings,
                                       double *controls, ac_shooting_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
