/* The objective of an optimal control problem as a functional of a simulated motion; see objective.c. */
#ifndef ACTIO_ADJOINT_OBJECTIVE_H
#define ACTIO_ADJOINT_OBJECTIVE_H

#include "adjoint/adjoint.h"
#include "optimize/problem/optimization.h"

/* The numbers of an interval that vary with the parameter, and their slopes; discrete NULL: no name of the objective depends on them. */
typedef struct ac_marked_numbers {
    const ac_discrete *discrete;
    ac_varying varying;
    double *slopes;
} ac_marked_numbers;

/* The objective as a function of one parameter too, with all that depends on it. Those beside it do not change. */
typedef struct ac_marked_objective {
    ac_optimization *o;
    const ac_system_slope *slope;
    int own;       /* its number in o; -1: all of them are */
    int parameter; /* its number in the gradient */
    double *a, *b; /* a configuration with the moving data behind it */
    ac_marked_numbers numbers;
} ac_marked_objective;

typedef struct ac_objective_functional {
    ac_functional functional; /* hand this to the adjoint */
    ac_optimization *o;
    ac_adjoint *adjoint;
    ac_context *ctx;
    ac_status status; /* of the velocities */
    double sign; /* -1: of a maximised objective with the sign as it was written, 1: as it is minimised */
    double *v, *by_v, *parameters;
    double approach_weight, approach_target; /* at present; weight 0: there is none */
    bool gauss_newton;                       /* without second derivatives of velocities by the state */
    double *work_block, *dby_v;
    ac_velocity_work work;
    int marked_count, marked_capacity;
    ac_marked_objective *marked;
    ac_marked_objective joint; /* of all parameters together, for second derivatives; o NULL: none */
} ac_objective_functional;

ac_status ac_objective_open(ac_optimization *o, ac_adjoint *adjoint, ac_objective_functional *functional);
/* objective_second.c: second derivatives along a direction. */
void ac_objective_node_along(void *user, long node, double t, const double *q, const double *p,
                             const double *dq, const double *dp, double *by_q, double *by_p);
void ac_objective_interval_along(void *user, long interval, double t, double h, const double *qa,
                                 const double *qb, const double *inputs, const double *da, const double *db,
                                 const double *dinputs, double *by_a, double *by_b, double *by_inputs);
/* Where a term at a node, or on the interval behind it, is evaluated; windings and parameters are set. */
ac_term_point ac_objective_point(const ac_objective_functional *functional, long node);
void ac_objective_close(ac_objective_functional *functional);
/* The derivative of the objective itself by a parameter of the gradient comes from `marked`: of it o, slope, own and
 * parameter. */
ac_status ac_objective_mark(ac_objective_functional *functional, const ac_marked_objective *marked);
/* Second derivatives by parameters come from `o`, whose parameters are all those of the gradient. */
ac_status ac_objective_join(ac_objective_functional *functional, ac_optimization *o);
/* Where a term of a marked objective is evaluated: with the moving data behind configurations. */
ac_term_point ac_marked_point(const ac_marked_objective *marked, const ac_term_point *point);
/* leaf_slopes.c: does a term depend on parameters, and its derivative; the numbers of the interval that it needs. */
bool ac_term_is_marked(const ac_marked_objective *marked, const ac_term *term);
double ac_marked_slope(const ac_marked_objective *marked, const ac_term *term, const ac_term_point *point);
ac_status ac_marked_open_numbers(const ac_discrete *discrete, ac_marked_objective *marked);
void ac_marked_close_numbers(ac_context *ctx, ac_marked_objective *marked);
/* turned.c: is a name the coordinate of a joint whose frames turn, and its derivative by that. */
bool ac_leaf_turns(const ac_marked_objective *marked, const ac_leaf *leaf);
double ac_leaf_turned(const ac_marked_objective *marked, const ac_term *term, const ac_leaf *leaf,
                      const ac_term_point *point);
/* Why a name has no second derivatives by its parameter; NULL: it has. */
const char *ac_leaf_lacks_second(const ac_marked_objective *marked, const ac_leaf *leaf);
/* Angles of the objective, continued from node to node. */
ac_escort ac_objective_escort(ac_optimization *o);

#endif
