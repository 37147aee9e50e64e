/* Optimal control: controls, conditions and objectives on the discrete dynamics of a finished system.
 *
 * A problem is described piece by piece, then solved. Time runs in N equal intervals of h = T/N, T fixed
 * or free; every control is constant on each interval. Names of quantities and controls are used in
 * expressions (actio/expression.h):
 *
 *   at a node       a quantity `y`, its rate `y_rate` (at the first and the last node only), `t`, `T`
 *   on an interval  `y` (mean of its ends), `y_rate` (difference quotient), a control `u`, its speed
 * `u_speed` (times u: its
 *                   power), `t` (the middle), `T`
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
AC_API const char *const *ac_optimization_stresses(void);     /* "unknown", "eliminated" */

typedef struct ac_optimization ac_optimization;

typedef struct ac_optimization_settings {
    const char *formulation;
    const char *hessian;
    const char *stresses; /* of beams: unknowns of their own, or expressed by the motion */
    const char *scheme;   /* "midpoint" or "trapezoidal": the discrete action whose motions are compared */
    int intervals;
    double duration; /* s; the first guess when it is free */
    bool free_duration;
    double least_duration, most_duration; /* of a free one; 0: a tenth and ten times the duration */
    double turn_limit;                    /* largest rotation of a body in one interval, rad; 0: none */
    double tolerance;
    int max_iterations;
    int most_rounds;  /* solves with a new reference of the local coordinates; fails if it still moves then */
    bool start_fixed; /* the first configuration is that of the system */
    bool start_velocity; /* the first velocity is that of the system */
    bool end_rest;       /* at rest at the end */
    bool periodic;       /* the last configuration and velocity are the first */
    int print;           /* of the solver; 0: silent */
    /* Formulation "multipliers" begins where a solve in the reduced formulation ends, unless it is direct. */
    bool direct;
} ac_optimization_settings;

AC_API void ac_optimization_defaults(ac_optimization_settings *settings);

AC_API ac_status ac_optimization_new(ac_context *ctx, const ac_system *system,
                                     const ac_optimization_settings *settings,
                                     ac_optimization **optimization);
AC_API void ac_optimization_free(ac_optimization *optimization);

/* A free physical parameter: an unknown beside motion and controls. Add all parameters first, then what
 * depends on them, then controls, quantities, conditions and objectives, whose expressions may use its
 * name. */
typedef struct ac_parameter {
    const char *name; /* letters, digits and _ */
    double value;     /* where the search begins: the value that the system was made with */
    double low, high;
} ac_parameter;

AC_API ac_status ac_optimization_add_parameter(ac_optimization *optimization, const ac_parameter *parameter);

/* Data of the system that may depend on parameters. Places and centres are those in the frame of the node,
 * as they were given when the system was described. */
typedef enum ac_datum {
    AC_DATUM_MASS,         /* object: node */
    AC_DATUM_INERTIA,      /* node; component: as in ac_body, 0 for a planar body */
    AC_DATUM_CENTRE,       /* node, component */
    AC_DATUM_GRAVITY,      /* component */
    AC_DATUM_JOINT_PLACE,  /* joint; side 0: on a, 1: on b; component of the origin of its frame there */
    AC_DATUM_JOINT_LENGTH, /* of a distance joint */
    AC_DATUM_STIFFNESS,    /* spring or damper, in the order of description */
    AC_DATUM_DAMPING,
    AC_DATUM_REST,         /* rest length or angle */
    AC_DATUM_SPRING_PLACE, /* spring, side, component */
    AC_DATUM_LOAD,         /* load, component: a function of t and of the parameters */
    AC_DATUM_LOAD_PLACE,   /* place where a force acts, component */
    AC_DATUM_POSITION,     /* initial position of a node that no joint holds, component */
    /* beam; the mass of one of its nodes is what that node carries besides. Stiffness, mass and inertia with side 0 are those
     * of a beam that is the same along its length; side k: at place k - 1 where the mesh takes them (ac_system_beam_stiffness_shares, ac_system_beam_mass_share) */
    AC_DATUM_BEAM_STIFFNESS,  /* component: shear 0 and 1, axial 2, bending 3 and 4, torsion 5 */
    AC_DATUM_BEAM_MASS,       /* per length */
    AC_DATUM_BEAM_INERTIA,    /* per length; component 0 or 1 */
    AC_DATUM_BEAM_DAMPING,    /* relaxation time */
    AC_DATUM_BEAM_LENGTH,     /* of a straight beam, whose initial start is fixed */
    AC_DATUM_BEAM_RELAXATION, /* of viscosities; component 0: of shear, 1: of extension */
    /* joint, component: a coordinate or rate that is given at the start, of a joint of the tree that is no ball */
    AC_DATUM_START_COORDINATE,
    AC_DATUM_START_RATE
} ac_datum;

typedef struct ac_dependence {
    ac_datum datum;
    int object, side, component;
    const char *expression; /* of the parameters; at their first values it must be what the system has */
} ac_dependence;

/* `lookup` (may be NULL) knows named constants. */
AC_API ac_status ac_optimization_add_dependence(ac_optimization *optimization,
                                                const ac_dependence *dependence, ac_constant_lookup lookup,
                                                void *user);
/* Where the search begins instead, within the bounds: from an earlier result. */
AC_API ac_status ac_optimization_guess_parameter(ac_optimization *optimization, int parameter, double value);

/* A control. Joint coordinate: generalised force on it, action = reaction; for a spherical joint a torque
 * with the component `coordinate`. Force and torque: component `coordinate` on a node. */
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
    /* force: components of the place as expressions of the parameters; NULL: numbers */
    const char *place_expression[3];
} ac_control;

AC_API ac_status ac_optimization_add_control(ac_optimization *optimization, const ac_control *control);

typedef enum ac_quantity_type {
    AC_QUANTITY_JOINT,     /* coordinate of a joint; of a spherical joint: component of its rotation vector */
    AC_QUANTITY_POINT,     /* place of a point along a world direction */
    AC_QUANTITY_DISTANCE,  /* between two points */
    AC_QUANTITY_DIRECTION, /* a body axis along a world direction */
    /* of a body axis in the plane of two world directions: atan2(d . second, d . direction) */
    AC_QUANTITY_ANGLE,
    /* component along a world direction of the turn from a given orientation: the axial vector of R R*^T,
     * which is zero for R = R* (and for half turns from it) */
    AC_QUANTITY_TURN,
    /* of a spherical joint, about `axis` (of its frame; zero: z): the angle between the axis of both
     * sides, its cosine, and the turn about the axis that is left; its rotation vector is
     * AC_QUANTITY_JOINT */
    AC_QUANTITY_SWING,
    AC_QUANTITY_SWING_COSINE,
    AC_QUANTITY_TWIST,
    AC_QUANTITY_CLEARANCE, /* distance of the surfaces of two shapes, negative when they overlap */
    /* Of the node of `point`, of its beam (`whole_beam`), or of all nodes (AC_WHOLE_SYSTEM). Momentum
     * along a world direction; angular momentum along it about `place`, a place of the world, or about
     * the node's own centre of mass; kinetic energy; potential energy, that of gravity for a node, with
     * the strains for a beam, with all springs and beams for the system; their sum. All but the
     * potential have values at the first node, at the last node and on intervals, and no rates. */
    AC_QUANTITY_MOMENTUM,
    AC_QUANTITY_ANGULAR_MOMENTUM,
    AC_QUANTITY_KINETIC_ENERGY,
    AC_QUANTITY_POTENTIAL_ENERGY,
    AC_QUANTITY_ENERGY,
    AC_QUANTITY_SIGNAL, /* a given function of time, such as a path to follow; it has no rate */
    /* Squared distance |q~ - q~*|^2 of the unit dual quaternion of a node from that of a pose (`place`, `rotation`), the
     * nearer of both signs; nodes of beams of dual quaternions only. */
    AC_QUANTITY_POSE
} ac_quantity_type;

enum { AC_WHOLE_SYSTEM = -2 };

/* A shape that a node carries, for clearances between all pairs except two half-spaces. */
typedef enum ac_hull_type { AC_HULL_SPHERE, AC_HULL_CAPSULE, AC_HULL_BOX, AC_HULL_HALF_SPACE } ac_hull_type;

typedef struct ac_hull {
    ac_hull_type type;
    int node;        /* AC_GROUND: it does not move */
    double place[3]; /* centre; first end of a capsule; a point of the plane */
    double end[3];   /* of a capsule */
    bool stretched;  /* a capsule between two nodes: its end belongs to end_node */
    int end_node;
    double normal[3];   /* unit vector out of the half-space */
    double size[3];     /* of a box; third zero: without end along its third axis */
    double rotation[9]; /* axes of a box, in columns */
    double radius;      /* of a sphere or capsule; rounding of a box */
} ac_hull;

typedef struct ac_quantity {
    const char *name;
    ac_quantity_type type;
    int joint, coordinate;
    ac_point point, second_point;
    double axis[3];                 /* body axis: DIRECTION, ANGLE */
    double direction[3], second[3]; /* world */
    double rotation[9];             /* TURN, POSE: the given orientation R* */
    ac_hull hull[2];                /* CLEARANCE */
    double place[3];                /* ANGULAR_MOMENTUM, POSE: a place of the world */
    bool about_centre;              /* ANGULAR_MOMENTUM of one node: about its centre of mass instead */
    bool whole_beam;                /* momentum and energy: of the beam that the node belongs to */
    /* POINT and DISTANCE: components of the places of point and second_point as expressions of the
     * parameters; NULL: numbers */
    const char *place_expression[2][3];
    ac_signal *signal; /* SIGNAL: taken over, also when adding it fails */
    const char *unit;  /* SIGNAL: for its channel; static text, NULL: none */
} ac_quantity;

AC_API ac_status ac_optimization_add_quantity(ac_optimization *optimization, const ac_quantity *quantity);

/* low <= expression <= high. */
typedef enum ac_condition_place {
    AC_AT_START,
    AC_AT_END,
    AC_AT_NODES,
    AC_ON_INTERVALS,
    AC_AT_INNER_NODES /* all but the first and the last */
} ac_condition_place;

typedef struct ac_condition {
    const char *name; /* for messages; NULL: the expression */
    const char *expression;
    ac_condition_place place;
    double low, high;
} ac_condition;

/* `lookup` (may be NULL) knows named constants. */
AC_API ac_status ac_optimization_add_condition(ac_optimization *optimization, const ac_condition *condition,
                                               ac_constant_lookup lookup, void *user);

/* Keeps two shapes apart: their clearance is at least condition->low, at nodes, at the start or at the
 * end. A plane between the shapes is found along with the motion, so that all is smooth also where faces
 * become parallel. The same happens for a condition whose expression is the name of a clearance and
 * which has a lower bound only. Expression and upper bound of `condition` are not used. */
AC_API ac_status ac_optimization_add_clearance(ac_optimization *optimization, const ac_condition *condition,
                                               const ac_hull hull[2]);

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
    double weight;
    const char *expression;
    bool maximise; /* it is maximised: it enters the minimised sum with a minus sign */
} ac_objective;

AC_API ac_status ac_optimization_add_objective(ac_optimization *optimization, const ac_objective *objective,
                                               ac_constant_lookup lookup, void *user);

/* A sum over the motion with bounds, made of the same entries as the objective: a bounded effort, or the work of the
 * controls that must equal the gain of energy. Absolute values go with an upper bound alone. */
AC_API ac_status ac_optimization_add_total(ac_optimization *optimization, const char *name, double low,
                                           double high, int *total);
AC_API ac_status ac_optimization_add_to_total(ac_optimization *optimization, int total,
                                              const ac_objective *entry, ac_constant_lookup lookup,
                                              void *user);

/* With phases, after the last one: their sums totals[k] are parts of one sum over the motion, which has the name and the
 * bounds of the first. */
AC_API ac_status ac_optimization_share_total(ac_optimization *whole, const int *totals);

/* Work of the controls and gain of energy (kinetic and potential) differ by at most `tolerance`; for mechanisms without
 * dampers and loads. */
AC_API ac_status ac_optimization_balance_energy(ac_optimization *optimization, double tolerance);

/* The first guess: joint coordinates over s = t/T from 0 to 1 (`count` rows of the joint's coordinates),
 * linear in between; joints without one rest, or move to where the conditions at the end (and at a free
 * start) are satisfied. For a free body: rotation vector from its initial orientation (3). */
AC_API ac_status ac_optimization_guess_joint(ac_optimization *optimization, int joint, int count,
                                             const double *s, const double *coordinates);
AC_API ac_status ac_optimization_guess_turn(ac_optimization *optimization, int node, int count,
                                            const double *s, const double *turns);
/* Places of a point of a free body, or of a free point mass, in the world (rows of 3, planar: 2). */
AC_API ac_status ac_optimization_guess_place(ac_optimization *optimization, const ac_point *point, int count,
                                             const double *s, const double *places);
/* All configurations (rows of n redundant coordinates) and controls (rows of the controls) at `nodes`
 * nodes and nodes - 1 intervals: an earlier result on any mesh. */
AC_API ac_status ac_optimization_guess_motion(ac_optimization *optimization, int nodes, const double *q,
                                              const double *controls, double duration);
/* The guess gets the controls that its motion needs, in the least-squares sense. */
AC_API void ac_optimization_guess_inverse(ac_optimization *optimization, bool on);
/* The guess is close to a solution: the solver begins there with a small barrier instead of moving away
 * from bounds. */
AC_API void ac_optimization_guess_near(ac_optimization *optimization, bool on);
/* Reproducible disturbance of the guess, relative size 0 to 1. */
AC_API void ac_optimization_disturb(ac_optimization *optimization, unsigned long seed, double size);

/* Called after every iteration; returns nonzero to stop. */
typedef int (*ac_optimization_progress)(void *user, int iteration, double objective, double violation);

/* AC_OK: a local optimum. AC_NOT_CONVERGED, AC_INTERRUPTED: the message says why and names the worst
 * condition; the best point is kept. */
AC_API ac_status ac_optimization_solve(ac_optimization *optimization, ac_optimization_progress progress,
                                       void *user);

/* --- outcome --- */

typedef struct ac_optimization_outcome {
    /* the objective: the sum that was minimised, or, when all entries are maximised, the sum of
     * these */
    double objective;
    double duration;
    /* of the programme that was solved: unknowns, equations, inequalities */
    int unknowns, constraints, limits;
    /* as published for full actuation and complete boundary conditions */
    int full_unknowns, full_constraints;
    int iterations, rounds;
    double violation;            /* largest, of all conditions */
    char worst[128];             /* the name of that condition */
    double time, functions_time; /* s */
    /* optimality, tested at the result apart from the solver: error of the first-order conditions (in parts of
     * the gradient of the objective, if that is above one) and what it may be; second order: 1 verified, 0 not
     * decided, -1 a direction of negative curvature was found */
    double optimality, optimality_limit;
    int second_order;
    int saddles_left;   /* stationary points that were no optima and were left */
    const char *words;  /* status in plain words */
    char conflict[320]; /* conditions that contradict each other, "" when none are known */
} ac_optimization_outcome;

AC_API const ac_optimization_outcome *ac_optimization_result(const ac_optimization *optimization);
/* Whether the objective is maximised: all its entries are. */
/* Work of a control on an interval: its value times its way, as in objectives of work. */
AC_API double ac_optimization_work(const ac_optimization *optimization, int interval, int control);

/* What the motion found costs. The specific cost of transport is one of the works divided by the last number. */
typedef struct ac_transport {
    double work, absolute_work, positive_work; /* of the controls, summed over intervals and controls */
    double loss;                               /* of energy at junctions */
    double length;                             /* of a cycle */
    double weight_times_length;                /* 0: without gravity or length */
    bool
        balanced; /* a cycle on level ground without loads and dampers: work and loss differ by the error of the mesh */
} ac_transport;

AC_API ac_status ac_optimization_transport(ac_optimization *optimization, ac_transport *transport);

AC_API bool ac_optimization_maximises(const ac_optimization *optimization);
AC_API const char *ac_optimization_formulation(const ac_optimization *optimization);
AC_API int ac_optimization_intervals(const ac_optimization *optimization);
AC_API int ac_optimization_controls(const ac_optimization *optimization);
AC_API const ac_optimization_settings *ac_optimization_given(const ac_optimization *optimization);
/* The guess of the controls, within their limits: for each interval all of them, from an earlier motion if there is one. */
AC_API void ac_optimization_guessed_controls(const ac_optimization *optimization, double *controls);
AC_API const char *ac_optimization_control_name(const ac_optimization *optimization, int control);
/* Configuration (n redundant coordinates) at a node, controls on an interval. */
AC_API const double *ac_optimization_configuration(const ac_optimization *optimization, int node);
AC_API const double *ac_optimization_control_values(const ac_optimization *optimization, int interval);
/* The free parameters and their values at the present point. */
AC_API int ac_optimization_parameters(const ac_optimization *optimization);
AC_API const char *ac_optimization_parameter_name(const ac_optimization *optimization, int parameter);
AC_API double ac_optimization_parameter_value(const ac_optimization *optimization, int parameter);
AC_API void ac_optimization_parameter_bounds(const ac_optimization *optimization, int parameter, double *low,
                                             double *high);
AC_API int ac_optimization_quantities(const ac_optimization *optimization);
AC_API const char *ac_optimization_quantity_name(const ac_optimization *optimization, int quantity);
/* Momentum and kinetic energy at inner nodes are those of the mean velocity of both intervals. */
AC_API double ac_optimization_quantity_value(const ac_optimization *optimization, int quantity, int node);
AC_API const char *ac_optimization_quantity_unit(const ac_optimization *optimization, int quantity);
AC_API const char *ac_optimization_control_unit(const ac_optimization *optimization, int control);

/* The conditions in the order in which they were given, and the multiplier of one: the objective changes
 * by minus the multiplier per unit by which its bound is raised. Of a condition along the path: the
 * largest of its multipliers. NaN when it is not unique, because conditions at an end depend on each
 * other. */
AC_API int ac_optimization_conditions(const ac_optimization *optimization);
AC_API const char *ac_optimization_condition_name(const ac_optimization *optimization, int condition);
AC_API double ac_optimization_multiplier(const ac_optimization *optimization, int condition);

/* Adjoint variables of the motion found at a time node: how the objective changes per impulse there, derivatives by the
 * momentum in the order of its coordinates (ac_optimization_configuration), an admissible velocity. They are the multipliers of
 * the equations of motion; with shooting, those of the sweep backwards. false: there are none, because the problem is not
 * solved, has phases or is transcribed by collocation. */
AC_API bool ac_optimization_adjoint(const ac_optimization *optimization, int node, double *by_momentum);

/* Largest difference between exact derivatives and differences at the guess (gradient, Jacobian, Hessian),
 * relative to their size, and the number of conditions that depend on others there; `dependent` names the
 * first (128 characters). */
AC_API ac_status ac_optimization_check(ac_optimization *optimization, double differences[3],
                                       int *dependent_count, char *dependent);
/* The name (128 characters) of one of the conditions that the check found to depend on others, by number
 * from 0; false when there is none. The first 32 are known, until the problem is changed. After a solve: of one of those that it
 * left out of the equations because they follow from the rest. */
AC_API bool ac_optimization_dependent_name(const ac_optimization *optimization, int number, char *name);
/* Why a control cannot act at the start (text of `size` characters, empty: each can): at a dead point no motion changes the
 * coordinate of its joint. Gravity or other controls may still lead away from there. */
AC_API ac_status ac_optimization_dead_point(const ac_optimization *optimization, char *text, size_t size);

/* --- phases --- */

/* A problem with phases: each is described like a problem of its own (controls, quantities, conditions, objective, guess) and
 * has its own mesh and duration; the whole has none of these. All phases are of the same system and in the same formulation,
 * "reduced" or "multipliers". The phase belongs to the whole. `start_fixed`, `start_velocity` and `end_rest` of the settings
 * count where a phase meets no other one. Free parameters are shared: add the same ones, with what depends on them, to every
 * phase; the functions of parameters above take the whole, too. */
AC_API ac_status ac_optimization_add_phase(ac_optimization *whole, const char *name,
                                           const ac_optimization_settings *settings, ac_optimization **phase);
AC_API int ac_optimization_phases(const ac_optimization *whole); /* 0: it is no whole */
AC_API ac_optimization *ac_optimization_phase(const ac_optimization *whole, int phase);
AC_API const char *ac_optimization_phase_name(const ac_optimization *whole, int phase);

/* While the phase lasts the quantity does not change: the place of a point that sticks, the angle of a joint that is locked. */
AC_API ac_status ac_optimization_hold(ac_optimization *phase, const char *quantity);

/* The force that holds the quantity does not pull: it is not negative at any time node of the phase. */
AC_API ac_status ac_optimization_push(ac_optimization *phase, const char *quantity);
/* Dry friction: the forces that hold the tangential quantities are at most `coefficient` times the one of the normal one,
 * which does not pull. */
AC_API ac_status ac_optimization_friction(ac_optimization *phase, const char *normal,
                                          const char *const *tangential, int count, double coefficient);
/* The control is zero in this phase. */
AC_API ac_status ac_optimization_switch_off(ac_optimization *phase, int control);

/* Coordinate `to` of the configuration after a junction is the sum of `factor` times coordinate `from` before it. */
typedef struct ac_map_entry {
    int to, from;
    double factor;
} ac_map_entry;

/* How a quantity bounces: its rate afterwards is -restitution times that before (1: elastic, 0: none). With a loss the
 * restitution is the one with which the impulse on the quantity takes that energy from the motion; a motion that arrives with less
 * is no solution. Along the surface the fraction `tangential` of the velocity is lost that the quantities `along` have at the end
 * of compression, as at a contact. */
enum { AC_BOUNCE_ALONG = 2 };
typedef struct ac_bounce {
    const char *quantity; /* of the next phase */
    double restitution;   /* 0 to 1 */
    double loss;          /* J, instead of restitution; negative: none */
    double tangential;    /* 0 to 1 */
    int along_count;
    const char *along[AC_BOUNCE_ALONG];
} ac_bounce;

/* Where a phase ends and another one, or the same again, begins. Impulses act on what the next phase holds, on the quantities
 * that bounce, and along the surfaces on which they do. */
typedef struct ac_junction {
    int from, to; /* phases */
    int bounce_count;
    const ac_bounce *bounces;
    /* The motion afterwards, seen from where it began: mirrored and with other names (map_count 0: the same), and moved back
     * by a length along `direction` (zero: not at all), which is an unknown between its bounds. */
    int map_count;
    const ac_map_entry *map;
    double direction[3];
    double low, high, guess;
    bool per_length; /* the objective is divided by the length */
} ac_junction;

AC_API ac_status ac_optimization_join(ac_optimization *whole, const ac_junction *junction);

/* What happens at a junction of the motion found. */
typedef struct ac_junction_outcome {
    int from, to;
    double length;
    double energy_before, energy_after; /* kinetic */
    int impulses; /* of what the next phase holds, of what bounces, along the surfaces */
} ac_junction_outcome;
AC_API int ac_optimization_junctions(const ac_optimization *whole);
AC_API ac_status ac_optimization_junction(ac_optimization *whole, int junction, ac_junction_outcome *outcome);
AC_API double ac_optimization_impulse(const ac_optimization *whole, int junction, int impulse);
AC_API const char *ac_optimization_impulse_name(const ac_optimization *whole, int junction, int impulse);
/* Force that holds a quantity, at a time node of its phase. */
AC_API int ac_optimization_holds(const ac_optimization *phase);
AC_API const char *ac_optimization_hold_name(const ac_optimization *phase, int hold);
AC_API double ac_optimization_hold_force(const ac_optimization *phase, int hold, int node);

#ifdef __cplusplus
}
#endif
#endif
