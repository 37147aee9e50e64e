/* Inside of an optimal control problem: its description, the layout of unknowns and conditions, and the
 * point of evaluation.
 *
 * Unknowns, in this order: y_0 .. y_N (configuration: redundant coordinates, or local increments),
 * multipliers and velocities of nodes, controls and slacks of intervals, the duration, free parameters.
 * Every function is written in redundant coordinates q; in the reduced formulation the chart takes
 * derivatives from q to y.
 *
 *   R_n = right_{n-1} + left_n - c h G^T lambda_n (+ M w_0 or - M w_N at the ends)    dynamics: R_n = 0 or
 * D_n^T R_n = 0
 */
#ifndef ACTIO_OPTIMIZE_PROBLEM_OPTIMIZATION_H
#define ACTIO_OPTIMIZE_PROBLEM_OPTIMIZATION_H

#include "actio/optimize.h"
#include "action/chart/chart.h"
#include "action/describe/discrete.h"
#include "action/chart/minimal.h"
#include "optimize/nlp/nlp.h"
#include "linalg/pattern.h"
#include "optimize/transcribe/row_sums.h"
#include "optimize/problem/start.h"
#include "optimize/problem/term.h"

typedef enum ac_transcription {
    AC_REDUCED,
    AC_WITH_MULTIPLIERS,
    AC_MINIMAL,
    AC_COLLOCATION_QP,
    AC_COLLOCATION_QV
} ac_transcription;

typedef struct ac_control_data {
    char name[AC_LABEL_SIZE];
    ac_control given;
    int input;
    bool moves; /* a force whose place depends on parameters */
    ac_place_source source;
} ac_control_data;

typedef struct ac_condition_data {
    char name[AC_LABEL_SIZE];
    ac_term term;
    ac_condition_place place;
    double low, high;
    bool hidden;    /* made for another one, which has the same name */
    int apart;      /* the shapes that it keeps apart by a plane; -1: it is another one */
    bool conserved; /* the motion satisfies it anyway: it is no row */
    bool dependent; /* it follows from others at its end: a limit with some room (judge/reduce.c) */
    bool eased[2]; /* a limit that the equations at the start, the end, decide: it has some room there, too */
    bool shared;   /* its multiplier is not unique */
    char *where;   /* in the problem file; NULL: it was not read */
} ac_condition_data;

/* A scalar that is a clearance, and its shapes. */
typedef struct ac_shape_pair {
    int scalar;
    ac_hull hull[2];
} ac_shape_pair;

/* Forces of what a phase holds: numbers of the holds, the normal one and up to two tangential ones. */
typedef struct ac_friction_cone {
    int normal, count, tangential[2];
    double coefficient, scale; /* one over the square of a typical force */
} ac_friction_cone;

/* Two shapes that are kept apart by a plane of every time node: helpers are its normal and two levels. */
typedef struct ac_apart {
    ac_hull hull[2];
    ac_condition_place place;
    double low;    /* the distance to keep */
    int scalar;    /* their clearance */
    int dimension; /* of the normal; 0: it is that of a half-space */
    int helper;    /* number of the first */
} ac_apart;

/* A bounded sum: its entries are objectives with its number. */
typedef struct ac_total_data {
    char name[AC_LABEL_SIZE];
    double low, high;
} ac_total_data;

typedef struct ac_objective_data {
    int total; /* the bounded sum to which it belongs; -1: the sum that is minimised */
    ac_objective_type type;
    double weight; /* in its sum */
    bool maximise;
    ac_term term; /* of expressions */
    int slack;    /* number of its slack unknown per interval, -1: none */
    char *where;  /* in the problem file; NULL: it was not read */
} ac_objective_data;

/* Joint coordinates, the turn of a free body, or the place of one of its points. */
typedef enum ac_guess_kind { AC_GUESS_JOINT, AC_GUESS_TURN, AC_GUESS_PLACE } ac_guess_kind;

typedef struct ac_guess_data {
    int node;
    ac_guess_kind kind;
    double point[3]; /* of a place, in the body */
    int count;
    double *s, *values; /* three values for each s */
} ac_guess_data;

/* A scalar that is a component of the turn from a given orientation. */
typedef struct ac_turn_target {
    int scalar, node;
    double direction[3], rotation[9];
} ac_turn_target;

enum { AC_DEPENDENT_NAMED = 32 };

typedef enum ac_row_kind {
    AC_ROW_START, /* item 0: configuration, 1: velocity */
    AC_ROW_PERIODIC,
    AC_ROW_CONSTRAINT,
    AC_ROW_VELOCITY,
    AC_ROW_DYNAMICS,
    AC_ROW_MOMENTUM, /* collocation: p or v rows */
    AC_ROW_CONDITION,
    AC_ROW_TURN,
    AC_ROW_STEP, /* change of a joint angle in an interval */
    AC_ROW_RATE,
    AC_ROW_ABSOLUTE,
    AC_ROW_STRESS,    /* of beams, as unknowns */
    AC_ROW_HOLD,      /* what a phase holds does not change on an interval */
    AC_ROW_HOLD_RATE, /* and has no rate at the ends */
    AC_ROW_TOTAL,     /* a bounded sum */
    AC_ROW_FRICTION   /* forces of what is held are within the friction cone */
} ac_row_kind;

/* Rows that belong together: of one kind at one node or interval. */
typedef struct ac_row_block {
    ac_row_kind kind;
    int place,
        item; /* node or interval; number of the condition, body, control or objective; of constraints: the first one */
    int first, count;
} ac_row_block;

/* What was described: parameters, quantities, controls, conditions, objectives, guesses. */
/* Quantities by their number, all arrays alike. */
typedef struct ac_quantities {
    int *scalar, *measure; /* -1 - number of a signal; measure: of a joint coordinate, -1 else */
    const char **units;
    char (*names)[AC_LABEL_SIZE];
    int count, capacity[4];
} ac_quantities;

/* Pairs of shapes that must not meet, and the planes between them. */
typedef struct ac_shapes {
    ac_shape_pair *pairs;
    int pair_count, pair_capacity;
    ac_apart *aparts;
    int apart_count, apart_capacity;
    int helper_count; /* further unknowns of every time node */
} ac_shapes;

/* Shooting: weight/2 (term - target)^2 at the end, the target on its way to the one wanted. */
typedef struct ac_shooting_aim {
    bool active;
    ac_term term;
    double target, weight, part, tolerance;
} ac_shooting_aim;

/* Where the search begins. */
typedef struct ac_first_guess {
    ac_guess_data *list;
    int count, capacity;
    int of_conditions; /* how many of them, the first ones, only follow conditions */
    ac_turn_target *turn_targets;
    int turn_target_count, turn_target_capacity;
    double *motion, *motion_controls, motion_duration; /* an earlier result as guess */
    double *motion_velocities;                         /* of a phase: 2 n, at its ends; NULL: not known */
    /* end of the phase before, from which loops are closed; NULL: the assembled state */
    const ac_joint_state *before;
    int motion_nodes;
    double *parameters; /* one per parameter; NULL: none was guessed yet */
    bool has_parameters;
    const double
        *shared; /* of a phase: the parameters that the first one begins with; NULL: it is the first */
    bool inverse_dynamics;
    bool solves_other; /* it is a solution in another formulation */
    bool close;        /* it is said to be close to a solution */
    unsigned long seed;
    double disturbance;
} ac_first_guess;

/* One phase of several: what it holds, and whether its ends meet other phases. */
typedef struct ac_phase_rules {
    int *holds; /* scalars */
    int hold_count, hold_capacity;
    bool *pushes; /* per hold: its force does not pull; NULL: none */
    ac_friction_cone *cones;
    int cone_count, cone_capacity;
    bool meets[2];
    bool part; /* it is one of several phases */
} ac_phase_rules;

typedef struct ac_optimization_description {
    ac_variation variation; /* free parameters; `system` is then the one at their present values */
    ac_discrete discrete;
    ac_chart chart;
    ac_scalars scalars;
    ac_name *names;
    int name_count, name_capacity;
    ac_quantities quantities;
    ac_signal **signals;
    int signal_count, signal_capacity;
    ac_control_data *controls;
    int control_count, control_capacity;
    ac_condition_data *conditions;
    int condition_count, condition_capacity;
    ac_shapes shapes;
    ac_objective_data *objectives;
    int objective_count, objective_capacity;
    ac_shooting_aim aim;
    ac_total_data *totals;
    int total_count, total_capacity;
    ac_first_guess guess;
    ac_phase_rules phase;
    struct ac_phases *phases; /* of the whole */
    struct ac_quantity_slopes {
        int count, capacity;
        struct ac_quantity_slope *list;
    } slopes; /* of a functional: by its parameter, through numbers of quantities (quantity_slope.h) */
} ac_optimization_description;

/* Which local coordinates of a node change a coordinate or moving datum: lists of them. There is one per node with its
 * freedoms, one per node with these and the parameters that shift it, and one per moving datum with the parameters that
 * it depends on. */
typedef struct ac_local_paths {
    int *of; /* per coordinate: its list */
    int *start, *list;
    int *low, *high; /* least and greatest of each list */
} ac_local_paths;

/* The first unknown of each kind. */
typedef struct ac_first_unknowns {
    int multiplier, velocity[2], control, slack, time, helper, stress, hold, parameter;
    int start[2]; /* freedoms and rates of a start that depends on parameters; -1: none */
    int momentum; /* collocation */
} ac_first_unknowns;

/* What is posed at the last node. */
typedef struct ac_end_layout {
    int *rows, row_count; /* of the dynamics */
    bool *multiplier;     /* which multipliers exist there */
    bool *spin;           /* per freedom: its momentum follows from others; NULL: none does */
} ac_end_layout;

typedef struct ac_layout_bounds {
    double *lower, *upper; /* of the unknowns */
    double *low, *high;    /* of the rows */
} ac_layout_bounds;

/* In which units solver and judgement see the programme (solve/sizes.h); 1: SI. */
typedef struct ac_layout_units {
    double *unknown, *row, objective;
    double momentum; /* of rows that are balances of momentum */
} ac_layout_units;

/* Rows with some room, for they follow from the rest: a condition (judge/redundant.c), what is held (judge/holds.c). */
enum { AC_LEFT_OUT = 1, AC_LET_GO };

/* Where unknowns and rows stand, and their bounds. */
typedef struct ac_optimization_layout {
    bool ready, charted, by_time; /* by_time: the duration is an unknown */
    int N, n, freedoms, width;    /* width: unknowns y of a node */
    int parameters, extended;     /* free parameters; coordinates n with the moving data behind them */
    int span;                     /* local coordinates of a node: freedoms, then parameters */
    ac_local_paths paths;
    double *full_turns; /* per measure: full turns that the state of its joint does not count */
    int *turning;       /* per measure: node whose joint angle it is, -1: none */
    int *constraint_rows, used_constraints; /* rows of the system that are equations here */
    int closures;                           /* the first of them that closes a loop */
    int *owner;                             /* node of each coordinate */
    ac_first_unknowns first;
    int slack_count;
    int variables, rows;
    int *dynamics_row;             /* per node, -1: none */
    int *stress_row;               /* per interval */
    int *stress_low, *stress_high; /* per stress: least and greatest freedom that changes it */
    ac_row_block *blocks;
    int block_count, block_capacity;
    ac_end_layout end;
    ac_layout_bounds bounds;
    ac_layout_units unit;
    double room;    /* of dependent conditions */
    char *left_out; /* per row: AC_LEFT_OUT, AC_LET_GO or 0; NULL: all are 0 */
    ac_pattern jacobian, hessian;
} ac_optimization_layout;

/* Everything at the point of evaluation, and the workspace for it. */
typedef struct ac_optimization_point {
    double *x; /* a copy of the unknowns */
    bool fresh;
    double h;
    double *q, *D, *axis, *R;  /* per node: n, n x freedoms, 3 freedoms, n */
    ac_joint_state *reference; /* per time node and node of the system */
    ac_joint_state *state;     /* workspace */
    double *tau;               /* per interval: all inputs */
    double *tau_h, *tau_hh;    /* their derivatives by the step; NULL: loads do not change over time */
    double *pairs;             /* parameters x parameters: second derivatives by two of them */
    double *by_moving;         /* gradient of the Lagrangian by the moving data */
    ac_start start;            /* where the start depends on parameters (start.ctx set) */
    ac_load_jet *loads;        /* per interval: loads that depend on parameters; NULL: none */
    ac_jets load_jets;         /* where they live */
    double *load_by_step;      /* their derivatives by parameters and the step; NULL: none */
    double *velocity[2];       /* n, at the ends; given or from unknowns */
    double *measure_windings, *scalar_windings;                                 /* per time node */
    double *left, *right, *v, *V, *Vn, *G, *blocks_d, *blocks_o, *work, *local; /* workspace */
    ac_row_sums row_sums[4];
    ac_panel panel;
    double *Gw;             /* n */
    double *total_gradient; /* of a bounded sum, by all unknowns; NULL: there is none */
    ac_minimal minimal;
    double *selection; /* of the controls in minimal coordinates */
} ac_optimization_point;

/* What checks and solves have found. */
typedef struct ac_optimization_findings {
    int dependent_rows[AC_DEPENDENT_NAMED], dependent_count;
    double *multipliers, *at_lower, *at_upper;
    double *adjoint; /* of shooting: n per node; NULL: the multipliers of the equations of motion are meant */
    double *momenta; /* of shooting: n per node; NULL: they follow from the intervals */
    ac_optimization_outcome outcome;
    double first_objective,
        first_reach; /* where the search begins: objective, size of the motion (judge/runaway.h) */
    bool symmetric;  /* the last failure: a limit meets a motion in its middle */
    bool endless;    /* the objective seems to have no bound */
    double excess;   /* the largest violation in units of the rows, which tolerances are for */
    ac_optimization_progress progress;
    void *progress_user;
    int iterations_before;
} ac_optimization_findings;

struct ac_optimization {
    ac_context *ctx;
    const ac_system *system;
    ac_optimization_settings settings;
    char *formulation_where, *end_where; /* these settings in the problem file; NULL: they were not read */
    ac_transcription transcription;
    ac_optimization_description description;
    ac_optimization_layout layout;
    ac_optimization_point point;
    ac_optimization_findings found;
    bool
        gathering; /* parameters and dependences are being added: the variation is updated once, behind them */
};

static inline void ac_note_dependent(ac_optimization *o, int row)
{
    if (o->found.dependent_count < AC_DEPENDENT_NAMED)
        o->found.dependent_rows[o->found.dependent_count++] = row;
}

/* --- places of unknowns --- */

static inline int ac_y(const ac_optimization *o, int node)
{
    return node * o->layout.width;
}

static inline bool ac_has_dynamics(const ac_optimization *o, int node)
{
    return o->layout.dynamics_row[node] >= 0;
}

static inline int ac_multiplier(const ac_optimization *o, int node)
{
    return o->layout.first.multiplier + node * o->layout.used_constraints;
}

static inline int ac_control_variable(const ac_optimization *o, int interval)
{
    return o->layout.first.control + interval * o->description.control_count;
}

static inline int ac_stress_variable(const ac_optimization *o, int interval)
{
    return o->layout.first.stress + interval * o->description.discrete.stress_count;
}

static inline int ac_hold_variable(const ac_optimization *o, int node)
{
    return o->layout.first.hold + node * o->description.phase.hold_count;
}

static inline int ac_helper(const ac_optimization *o, int node)
{
    return o->layout.first.helper + node * o->description.shapes.helper_count;
}

static inline bool ac_has_multiplier(const ac_optimization *o, int node, int k)
{
    return ac_has_dynamics(o, node) && (node < o->layout.N || o->layout.end.multiplier[k]);
}

/* Factor of h G^T lambda: one half at the ends. */
static inline double ac_multiplier_factor(const ac_optimization *o, int node)
{
    return node == 0 || node == o->layout.N ? 0.5 : 1.0;
}

static inline double *ac_q(const ac_optimization *o, int node)
{
    return o->point.q + (size_t)node * (size_t)o->layout.extended;
}

static inline double *ac_residual(const ac_optimization *o, int node)
{
    return o->point.R + (size_t)node * (size_t)o->layout.n;
}

static inline ac_chart_point ac_point_of(const ac_optimization *o, int node)
{
    size_t k = (size_t)node;
    ac_chart_point p = {ac_q(o, node),
                        o->point.D ? o->point.D + k * (size_t)o->layout.extended * (size_t)o->layout.span
                                   : NULL,
                        o->point.axis ? o->point.axis + k * 3 * (size_t)o->layout.freedoms : NULL};
    return p;
}

/* The objective that was asked for from the one that is minimised, and back. */
static inline double ac_objective_asked(const ac_optimization *o, double minimised)
{
    return ac_optimization_maximises(o) ? -minimised : minimised;
}

static inline bool ac_is_minimal(const ac_optimization *o)
{
    return o->transcription >= AC_MINIMAL;
}

/* Numbers of the directors of a node in q, and the first of them; numbers behind them (dual quaternions) are none. */
static inline int ac_director_numbers(const ac_node *node, int *first)
{
    *first = node->q + node->dimension;
    return ac_node_turns(node) == 1 ? 2 : 9;
}

/* --- clearance.c, ball.c: scalars of shapes and of spherical joints --- */
ac_status ac_clearance_scalar(ac_optimization *o, const ac_quantity *quantity, int *scalar);
/* The shapes of a scalar that is a clearance; NULL: it is none. */
const ac_shape_pair *ac_clearance_shapes(const ac_optimization *o, int scalar);
/* apart.c: planes between shapes: where they are needed, their bounds, their guess */
ac_status ac_keep_apart(ac_optimization *o, const ac_condition *condition, const ac_hull shapes[2],
                        int scalar);
bool ac_apart_at(const ac_optimization *o, const ac_apart *apart, int node);
void ac_apart_bound(ac_optimization *o);
void ac_apart_guess(ac_optimization *o);
ac_status ac_ball_scalar(ac_optimization *o, const ac_quantity *quantity, int *scalar);
/* whole_turns.c: what a condition on the angle of an axis needs beside it. */
ac_status ac_keep_turns(ac_optimization *o, int condition);
/* motion_quantity.c: momentum and energy; their values at a node, inside with the momentum that simulations
 * record. */
ac_status ac_balance_quantity(ac_optimization *o, const ac_quantity *quantity, int *scalar);
double ac_balance_near_node(const ac_optimization *o, int scalar, int node);

/* The moving datum that stands at coordinate i behind the coordinates, by the parameters. */
static inline const ac_jet *ac_moving_jet(const ac_optimization *o, int i)
{
    return &o->description.variation.moving[i - o->layout.n].jet;
}

/* Local coordinates that change coordinate i (or the moving datum behind the coordinates). */
static inline const int *ac_local_path(const ac_optimization *o, int i, int *count)
{
    const int *start = o->layout.paths.start + o->layout.paths.of[i];
    *count = start[1] - start[0];
    return o->layout.paths.list + start[0];
}

/* Runs among the coordinates of a block, ended by one that begins behind them. */
typedef struct ac_row_runs {
    ac_row_run list[AC_SCALAR_MAX + 1];
} ac_row_runs;

static inline void ac_find_row_runs(const ac_optimization *o, const int *at, int count, ac_row_runs *runs)
{
    int used = 0;
    for (int i = 0; i < count; ++i) {
        int path = o->layout.paths.of[at[i]];
        if (i > 0 && at[i] == at[i - 1] + 1 && path == o->layout.paths.of[at[i - 1]]) {
            ++runs->list[used - 1].count;
        } else {
            runs->list[used++] = (ac_row_run){i, 1, at[i], o->layout.paths.low[path],
                                              o->layout.paths.high[path]};
        }
    }
    runs->list[used] = (ac_row_run){.first = AC_SCALAR_MAX};
}

/* Whether the start depends on parameters. */
static inline bool ac_start_follows(const ac_optimization *o)
{
    return o->point.start.ctx != NULL;
}

/* --- transcribe/start_rows.c: the start by parameters --- */
/* Once constraints are chosen. */
ac_status ac_start_begin(ac_optimization *o);
/* How many rows configuration (e = 0) and velocity (1) have. */
int ac_start_row_count(const ac_optimization *o, int e);
void ac_start_evaluate(ac_optimization *o);
void ac_start_guess(ac_optimization *o, const double *xi, const double *u);
void ac_start_row_values(const ac_optimization *o, const ac_row_block *block, double *c);

/* --- parameters.c --- */
/* Who has the free parameters: the first phase, or a problem without phases itself. */
const ac_optimization *ac_parameter_holder(const ac_optimization *o);
ac_status ac_parameters_begin(ac_optimization *o);
/* The system at the parameters among the unknowns; false: out of memory. */
bool ac_parameters_update(ac_optimization *o, const double *x);
/* Room for guesses of all parameters. */
ac_status ac_guess_room(ac_optimization *o);
/* Moving data behind the coordinates of a time node, and their slopes by the parameters (D may be NULL). */
void ac_parameters_extend(const ac_optimization *o, double *q, double *D);
/* Patterns are marked with all derivatives present. */
ac_status ac_parameters_generic(ac_optimization *o, bool on);
void ac_parameters_loads(ac_optimization *o);
void ac_parameters_destroy(ac_optimization *o);
/* Quantities that depend on parameters by places; `done`: it is one. */
ac_status ac_parameters_quantity(ac_optimization *o, const ac_quantity *quantity, int *scalar, int *measure,
                                 bool *done);
/* A force at a place that depends on parameters; `done`: it is one, and `source` says where it acts. */
ac_status ac_parameters_control(ac_optimization *o, const ac_control *control, const double place[3],
                                int *input, ac_place_source *source, bool *done);

/* describe.c: the controls become inputs of an interval that another task opens. */
ac_status ac_optimization_add_inputs(const ac_optimization *o, ac_discrete *discrete);

/* --- layout.c --- */
ac_status ac_layout_build(ac_optimization *o);
/* Bounds of the rows, which depend on the reference of the local coordinates. */
void ac_layout_bound_rows(ac_optimization *o);
/* Rows that are left out have some room. */
void ac_layout_ease(ac_optimization *o);
void ac_layout_destroy(ac_optimization *o);
/* end_rows.c: which rows of the dynamics are posed at the last node. */
ac_status ac_choose_end_rows(ac_optimization *o);
void ac_row_name(const ac_optimization *o, int row, char *text, size_t size);
/* conserved.c: marks the conditions that the start decides; fails when one of them can never be satisfied. */
ac_status ac_find_conserved(ac_optimization *o);
void ac_conserved_name(const ac_optimization *o, int condition, char *text, size_t size);

/* --- evaluate.c, jacobian.c, curvature.c --- */

/* Takes over x and computes configurations, their derivatives and residuals. */
void ac_evaluate_at(ac_optimization *o, const double *x);
double ac_evaluate_objective(ac_optimization *o,
                             double *gradient); /* gradient may be NULL; of all unknowns */
/* The same for one of the bounded sums. */
double ac_evaluate_total(ac_optimization *o, int total, double *gradient);
/* How many objectives the minimised sum has. */
int ac_minimised_count(const ac_optimization *o);
void ac_evaluate_rows(ac_optimization *o, double *c);
/* values NULL: marks the pattern. */
void ac_evaluate_jacobian(ac_optimization *o, double *values);
void ac_evaluate_hessian(ac_optimization *o, double sigma, const double *mu, double *values);

ac_discrete_point ac_interval_point(const ac_optimization *o, int interval);
ac_term_point ac_term_place(const ac_optimization *o, const ac_term *term, int place);
/* A time node at which a condition is posed, for its k-th copy. */
int ac_condition_copies(const ac_optimization *o, const ac_condition_data *condition);
int ac_condition_at(const ac_optimization *o, const ac_condition_data *condition, int copy);

/* stresses.c: the conditions on the unknown stresses of an interval; returns how many. */
typedef void (*ac_stress_row_sink)(void *user, int number, const ac_stress_slope *row);
int ac_stress_rows(ac_optimization *o, int interval, ac_stress_row_sink sink, void *user);
void ac_guess_stresses(ac_optimization *o);
bool ac_wants_stresses(const ac_optimization *o);
ac_status ac_stress_reach(ac_optimization *o);

/* holds.c: the forces of what a phase holds, and its rows */
void ac_hold_residuals(ac_optimization *o);
void ac_hold_rows(const ac_optimization *o, const ac_row_block *block, double *c);

/* --- minimal_rows.c: dynamics in minimal coordinates --- */
size_t ac_minimal_room(int freedoms); /* doubles of point.local that it needs */
void ac_minimal_select(ac_optimization *o);
/* Of collocation. */
double ac_minimal_defect(ac_optimization *o);
void ac_minimal_rows(ac_optimization *o, double *c);
void ac_minimal_jacobian(ac_optimization *o, double *values);
void ac_minimal_hessian(ac_optimization *o, const double *mu, double *values);

/* --- guess.c --- */
ac_status ac_guess_put(ac_optimization *o);
/* Moves the reference of the local coordinates to the present point. */
void ac_rebase(ac_optimization *o);
void ac_update_near(ac_optimization *o);
/* The same at the end: where joint coordinates are the unknowns, they count the turns. */
void ac_settle_turns(ac_optimization *o);
/* guess/holds.c: the forces of what a phase holds. */
ac_status ac_guess_holds(ac_optimization *o);
/* guess_inverse.c: the controls that the guessed motion needs, once the patterns stand. */
ac_status ac_guess_inverse(ac_optimization *o);
/* guess_beams.c: nodes of beams follow what holds their ends; q is workspace. */
void ac_guess_carry_beams(const ac_chart *chart, ac_joint_state *state, double *q);
/* inspect.c: motion and controls become the guess, and the layout is taken down. */
ac_status ac_keep_motion(ac_optimization *o);
/* What the word of the settings asks for. */
ac_transcription ac_wanted_transcription(const ac_optimization *o);
/* closure.c: closes the loops of the guess as far as it goes: from node to node, or every node where it
 * is. */
ac_status ac_guess_close(ac_optimization *o);
ac_status ac_guess_close_each(ac_optimization *o);
/* guess_end.c: a guess that leaves conditions at the end open moves to where they are satisfied. */
ac_status ac_guess_reach(ac_optimization *o);

#endif
