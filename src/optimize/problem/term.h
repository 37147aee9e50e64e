/* Terms: expressions of quantities, controls and time, at a node or on an interval, with first and second
 * derivatives by the configurations, velocities, controls and the step.
 */
#ifndef ACTIO_OPTIMIZE_PROBLEM_TERM_H
#define ACTIO_OPTIMIZE_PROBLEM_TERM_H

#include "actio/channel.h"
#include "actio/expression.h"
#include "actio/signal.h"
#include "action/describe/scalar.h"

/* What a local variable of a term is. */
typedef enum ac_ref_kind {
    AC_REF_A,
    AC_REF_B,
    AC_REF_TAU,
    AC_REF_VELOCITY,
    AC_REF_H,
    AC_REF_P,
    AC_REF_HELPER
} ac_ref_kind;

typedef struct ac_ref {
    ac_ref_kind kind;
    int index;
} ac_ref;

typedef enum ac_leaf_kind {
    AC_LEAF_VALUE,
    AC_LEAF_RATE,
    AC_LEAF_CONTROL,
    AC_LEAF_TIME,
    AC_LEAF_SIGNAL,
    AC_LEAF_DURATION,
    AC_LEAF_PARAMETER,
    AC_LEAF_SPEED,
    AC_LEAF_MOTION,
    AC_LEAF_HELPER
} ac_leaf_kind;

typedef struct ac_balance_leaf ac_balance_leaf;
struct ac_balance_source;
struct ac_varying;

/* One name of the expression. */
typedef struct ac_leaf {
    char word[AC_LABEL_SIZE];
    ac_leaf_kind kind;
    int index; /* scalar or control */
    int *at;   /* coordinates of a speed */
    int *refs; /* its local variables: coordinates of a (velocities behind them), then of b, then h */
    int count;
    double *g;               /* derivatives by them, after an evaluation */
    ac_balance_leaf *motion; /* of a quantity of the motion */
    const ac_signal *signal;
} ac_leaf;

/* Two local variables with a second derivative, row >= column. */
typedef struct ac_ref_pair {
    int row, column;
} ac_ref_pair;

/* What names mean. */
typedef struct ac_name {
    char text[AC_LABEL_SIZE];
    bool is_control, is_parameter, is_helper; /* helper: an unknown of nodes that has no other meaning */
    int index;
    const ac_signal *signal; /* a function of time; NULL: something else */
} ac_name;

typedef struct ac_term {
    ac_context *ctx;
    char *text;
    ac_expression *expression;
    bool interval;   /* on an interval, else at a node */
    bool velocities; /* uses rates at a node */
    bool timed;      /* uses t or T */
    int leaf_count, leaf_capacity, ref_count, ref_capacity;
    ac_leaf *leaves;
    ac_ref *refs;
    int pair_count;
    ac_ref_pair *pairs;
    int *order;                 /* pair of every contribution to second derivatives, as they come */
    double *gradient, *hessian; /* after an evaluation: by refs, by pairs */
    double *names;              /* workspace: values of the leaves, and the gradient by them */
} ac_term;

/* Where a term is evaluated. */
typedef struct ac_term_point {
    const double *a, *b, *velocity; /* b: intervals only; velocity: nodes only */
    const double *tau;
    const double *winding_a, *winding_b; /* per scalar */
    const double *measure_windings;      /* per measure of the system, at a */
    double h, steps;                     /* t = steps h */
    double count;                        /* T = count h */
    const double *parameters;
    const double *helpers; /* nodes only */
} ac_term_point;

ac_status ac_term_create(ac_context *ctx, const char *text, bool interval, const ac_name *names,
                         int name_count, const ac_scalars *scalars, ac_constant_lookup lookup, void *user,
                         ac_term *term);
void ac_term_destroy(ac_term *term);
/* Value; order 1: also the gradient, 2: also the second derivatives, which are kept in the term. */
double ac_term_evaluate(const ac_term *term, const ac_scalars *scalars, const ac_term_point *point,
                        int order);
/* After an evaluation with gradient: the derivatives by the time, with the step as it is, and by the step, with t and T as they are. */
void ac_term_by_time(const ac_term *term, const ac_term_point *point, double *by_time, double *by_step);

/* term_motion.c: leaves that are quantities of the motion */
ac_status ac_balance_leaf_create(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars, bool rate);
void ac_balance_leaf_destroy(ac_context *ctx, ac_leaf *leaf);
/* A contribution to a second derivative by two local variables of the term. */
typedef void (*ac_pair_sink)(void *user, int i, int j, double value);
/* Value; leaf->g when slopes are wanted; second derivatives go to the sink, which may be NULL. */
double ac_balance_leaf_evaluate(const ac_leaf *leaf, const ac_scalars *scalars, const ac_term_point *point,
                                bool slopes, ac_pair_sink sink, void *user);
/* The value of another quantity in the place of its own, and its derivative along changes of the numbers of an interval
 * (action/describe/numbers.h), one slope per key. */
double ac_balance_leaf_value(const ac_leaf *leaf, const struct ac_balance_source *source,
                             const struct ac_discrete *discrete, const ac_term_point *point);
double ac_balance_leaf_by_numbers(const ac_leaf *leaf, const struct ac_balance_source *source,
                                  const struct ac_discrete *discrete, const ac_term_point *point,
                                  const struct ac_varying *varying, const double *slopes);
/* The contributions as an evaluation makes them, without their values. */
void ac_balance_leaf_mark(const ac_leaf *leaf, const ac_scalars *scalars, ac_pair_sink sink, void *user);

/* term.c: place of a local variable, added when it is not there. */
ac_status ac_term_ref(ac_term *term, ac_ref_kind kind, int index, int *place);
/* term_evaluate.c: which second derivatives there are. */
ac_status ac_term_mark(ac_term *term, const ac_scalars *scalars);

#endif
