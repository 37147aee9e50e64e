/* Inside of an optimal control problem: its description, the layout of unknowns and conditions, and the
 * point of evaluation.
 *
 * Unknowns, in this order: y_0 .. y_N (configuration: redundant coordinates, or local increments),
 * multipliers and
 * velocities of nodes, controls and slacks of intervals, the duration. Every function is written in
 * redundant coordinates q;
 * in the reduced formulation the chart takes derivatives from q to y.
 *
 *   R_n = right_{n-1} + left_n - c h G^T lambda_n (+ M w_0 or - M w_N at the ends)    dynamics: R_n = 0 or
 * D_n^T R_n = 0
 */
#ifndef ACTIO_CONTROL_OPTIMIZATION_H
#define ACTIO_CONTROL_OPTIMIZATION_H

#include "actio/optimize.h"
#include "control/chart.h"
#include "control/discrete.h"
#include "control/minimal.h"
#include "control/nlp.h"
#include "control/pattern.h"
#include "control/term.h"

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
} ac_control_data;

typedef struct ac_condition_data {
    char name[AC_LABEL_SIZE];
    ac_term term;
    ac_condition_place place;
    double low, high;
} ac_condition_data;

typedef struct ac_objective_data {
    ac_objective_type type;
    double weight;
    ac_term term; /* of expressions */
    int slack;    /* number of its slack unknown per interval, -1: none */
} ac_objective_data;

typedef struct ac_guess_data { /* joint coordinates, or the turn of a free body */
    int node;
    bool turn;
    int count;
    double *s, *values; /* three values for each s */
} ac_guess_data;

typedef enum ac_row_kind {
    AC_ROW_START,
    AC_ROW_PERIODIC,
    AC_ROW_CONSTRAINT,
    AC_ROW_VELOCITY,
    AC_ROW_DYNAMICS,
    AC_ROW_MOMENTUM, /* collocation: p or v rows */
    AC_ROW_CONDITION,
    AC_ROW_TURN,
    AC_ROW_STEP, /* change of a joint angle in an interval */
    AC_ROW_RATE,
    AC_ROW_ABSOLUTE
} ac_row_kind;

/* Rows that belong together: of one kind at one node or interval. */
typedef struct ac_row_block {
    ac_row_kind kind;
    int place, item; /* node or interval; number of the condition, body, control or objective */
    int first, count;
} ac_row_block;

struct ac_optimization {
    ac_context *ctx;
    const ac_system *system;
    ac_optimization_settings settings;
    ac_transcription transcription;

    /* description */
    ac_discrete discrete;
    ac_chart chart;
    ac_scalars scalars;
    ac_name *names;
    int name_count, name_capacity;
    int *quantity_scalar, *quantity_measure; /* measure: of a joint coordinate, -1 else */
    char (*quantity_names)[AC_LABEL_SIZE];
    int quantity_count, quantity_capacity[3];
    ac_control_data *controls;
    int control_count, control_capacity;
    ac_condition_data *conditions;
    int condition_count, condition_capacity;
    ac_objective_data *objectives;
    int objective_count, objective_capacity;
    ac_guess_data *guesses;
    int guess_count, guess_capacity;
    double *motion, *motion_controls, motion_duration; /* an earlier result as guess */
    int motion_nodes;
    bool inverse_dynamics;
    unsigned long seed;
    double disturbance;

    /* layout */
    bool ready, charted, by_time; /* by_time: the duration is an unknown */
    int N, n, freedoms, width;    /* width: unknowns y of a node */
    double *full_turns;           /* per measure: full turns that the state of its joint does not count */
    int *turning;                 /* per measure: node whose joint angle it is, -1: none */
    int *constraint_rows, used_constraints; /* rows of the system that are equations here */
    int *end_rows, end_row_count;           /* rows of the dynamics that are posed at the last node */
    bool *end_multiplier;                   /* which multipliers exist there */
    int *owner;                             /* node of each coordinate */
    int multiplier_start, velocity_start[2], control_start, slack_start, time_variable;
    int momentum_start; /* collocation */
    int slack_count;
    int variables, rows;
    int *dynamics_row; /* per node, -1: none */
    ac_row_block *blocks;
    int block_count, block_capacity;
    double *lower, *upper, *low, *high;
    ac_pattern jacobian, hessian;

    /* the point of evaluation */
    double *x; /* a copy of the unknowns */
    bool fresh;
    double h;
    double *q, *D, *axis, *R;             /* per node: n, n x freedoms, 3 freedoms, n */
    ac_joint_state *reference;            /* per node of time and node of the system */
    ac_joint_state *state;                /* workspace */
    double *tau;                          /* per interval: all inputs */
    double *velocity[2];                  /* n, at the ends; given or from unknowns */
    double *near_measures, *near_scalars; /* per node of time */
    double *left, *right, *v, *V, *Vn, *G, *blocks_d, *blocks_o, *work, *local; /* workspace */
    size_t local_size;
    double *Gw; /* n */
    ac_minimal minimal;
    double *selection; /* of the controls in minimal coordinates */

    /* the outcome */
    double *multipliers, *at_lower, *at_upper;
    ac_optimization_outcome outcome;
    ac_optimization_progress progress;
    void *progress_user;
    int iterations_before;
};

/* --- places of unknowns --- */

static inline int ac_y(const ac_optimization *o, int node)
{
    return node * o->width;
}

static inline bool ac_has_dynamics(const ac_optimization *o, int node)
{
    return o->dynamics_row[node] >= 0;
}

static inline int ac_multiplier(const ac_optimization *o, int node)
{
    return o->multiplier_start + node * o->used_constraints;
}

static inline int ac_control_variable(const ac_optimization *o, int interval)
{
    return o->control_start + interval * o->control_count;
}

static inline bool ac_has_multiplier(const ac_optimization *o, int node, int k)
{
    return ac_has_dynamics(o, node) && (node < o->N || o->end_multiplier[k]);
}

/* Factor of h G^T lambda: one half at the ends. */
static inline double ac_multiplier_factor(const ac_optimization *o, int node)
{
    return node == 0 || node == o->N ? 0.5 : 1.0;
}

static inline double *ac_q(const ac_optimization *o, int node)
{
    return o->q + (size_t)node * (size_t)o->n;
}

static inline double *ac_residual(const ac_optimization *o, int node)
{
    return o->R + (size_t)node * (size_t)o->n;
}

static inline ac_chart_point ac_point_of(const ac_optimization *o, int node)
{
    size_t k = (size_t)node;
    ac_chart_point p = {ac_q(o, node), o->D ? o->D + k * (size_t)o->n * (size_t)o->freedoms : NULL,
                        o->axis ? o->axis + k * 3 * (size_t)o->freedoms : NULL};
    return p;
}

static inline bool ac_is_minimal(const ac_optimization *o)
{
    return o->transcription >= AC_MINIMAL;
}

/* --- layout.c --- */
ac_status ac_layout_build(ac_optimization *o);
/* Bounds of the rows, which depend on the reference of the local coordinates. */
void ac_layout_bound_rows(ac_optimization *o);
void ac_layout_destroy(ac_optimization *o);
void ac_row_name(const ac_optimization *o, int row, char *text, size_t size);

/* --- evaluate.c, jacobian.c, curvature.c --- */

/* Takes over x and computes configurations, their derivatives and residuals. */
void ac_evaluate_at(ac_optimization *o, const double *x);
double ac_evaluate_objective(ac_optimization *o,
                             double *gradient); /* gradient may be NULL; of all unknowns */
void ac_evaluate_rows(ac_optimization *o, double *c);
/* values NULL: marks the pattern. */
void ac_evaluate_jacobian(ac_optimization *o, double *values);
void ac_evaluate_hessian(ac_optimization *o, double sigma, const double *mu, double *values);

ac_discrete_point ac_interval_point(const ac_optimization *o, int interval);
ac_term_point ac_term_place(const ac_optimization *o, const ac_term *term, int place);
/* A node of time at which a condition is posed, for its k-th copy. */
int ac_condition_copies(const ac_optimization *o, const ac_condition_data *condition);
int ac_condition_at(const ac_optimization *o, const ac_condition_data *condition, int copy);

/* --- minimal_rows.c: dynamics in minimal coordinates --- */
void ac_minimal_select(ac_optimization *o);
double ac_minimal_defect(ac_optimization *o);
void ac_minimal_rows(ac_optimization *o, double *c);
void ac_minimal_jacobian(ac_optimization *o, double *values);
void ac_minimal_hessian(ac_optimization *o, const double *mu, double *values);

/* --- guess.c --- */
ac_status ac_guess_put(ac_optimization *o);
/* Increments that take a reference to a state: the inverse of moving. */
void ac_increments_between(const ac_optimization *o, const ac_joint_state *reference,
                           const ac_joint_state *state, double *xi);
/* Moves the reference of the local coordinates to the present point. */
void ac_rebase(ac_optimization *o);
void ac_update_near(ac_optimization *o);
/* closure.c: closes the loops of the guess as far as it goes. */
ac_status ac_guess_close(ac_optimization *o);

#endif
