/* Terms: expressions of quantities, controls and time, at a node or on an interval, with first and second
 * derivatives by the
 * configurations, velocities, controls and the step.
 */
#ifndef ACTIO_CONTROL_TERM_H
#define ACTIO_CONTROL_TERM_H

#include "actio/channel.h"
#include "actio/expression.h"
#include "control/scalar.h"

enum { AC_TERM_NAMES = 24, AC_TERM_LEAVES = 64, AC_TERM_REFS = 256 };

/* What a local variable of a term is. */
typedef enum ac_ref_kind { AC_REF_A, AC_REF_B, AC_REF_TAU, AC_REF_VELOCITY, AC_REF_H, AC_REF_P } ac_ref_kind;

typedef struct ac_ref {
    ac_ref_kind kind;
    int index;
} ac_ref;

typedef enum ac_leaf_kind {
    AC_LEAF_VALUE,
    AC_LEAF_RATE,
    AC_LEAF_CONTROL,
    AC_LEAF_TIME,
    AC_LEAF_DURATION,
    AC_LEAF_PARAMETER,
    AC_LEAF_SPEED,
    AC_LEAF_MOTION
} ac_leaf_kind;

typedef struct ac_leaf {
    ac_leaf_kind kind;
    int index; /* scalar or control */
    int parts; /* of a name that is a sum over several scalars: their number; one leaf for each */
    int name;  /* which variable of the expression it belongs to */
    int *at;   /* coordinates of a speed */
    int *refs; /* its local variables: coordinates of a (velocities behind them), then of b, then h */
    int count;
} ac_leaf;

/* What names mean. */
typedef struct ac_name {
    char text[AC_LABEL_SIZE];
    bool is_control, is_parameter;
    int index;
    int parts; /* scalars from index on whose sum it is */
} ac_name;

typedef struct ac_term {
    ac_context *ctx;
    char *text;
    ac_expression *expression;
    bool interval;   /* on an interval, else at a node */
    bool velocities; /* uses rates at a node */
    bool timed;      /* uses t or T */
    int name_count, leaf_count, ref_count;
    ac_leaf leaves[AC_TERM_LEAVES];
    ac_ref *refs;
} ac_term;

/* Where a term is evaluated. */
typedef struct ac_term_point {
    const double *a, *b, *velocity; /* b: intervals only; velocity: nodes only */
    const double *tau;
    const double *near_a, *near_b; /* per scalar */
    double h, steps;               /* t = steps h */
    double count;                  /* T = count h */
    const double *parameters;
} ac_term_point;

ac_status ac_term_create(ac_context *ctx, const char *text, bool interval, const ac_name *names,
                         int name_count, const ac_scalars *scalars, ac_constant_lookup lookup, void *user,
                         ac_term *term);
void ac_term_destroy(ac_term *term);
/* Value; gradient (ref_count) and hessian (ref_count squared) may be NULL. */
double ac_term_evaluate(const ac_term *term, const ac_scalars *scalars, const ac_term_point *point,
                        double *gradient, double *hessian);

#endif
