/* Directional second derivatives of a functional of a simulated motion: the tangent of the motion along a direction, and
 * the adjoint equations differentiated along it; see second.c. */
#ifndef ACTIO_ADJOINT_SECOND_SECOND_H
#define ACTIO_ADJOINT_SECOND_SECOND_H

#include "adjoint/adjoint.h"

/* What a product with a change of parameters needs; see parameters.c. */
typedef struct ac_second_parameters {
    ac_context *ctx;
    const double *direction; /* change of every parameter */
    ac_varying varying;
    int slope_count, bend_count;
    ac_number_slope *slopes, *bends; /* of numbers by parameters, and how these change along the direction */
    double *change;                  /* of the numbers */
    double *by, *bent;               /* derivative by each number, and its change */
    double *start;                   /* changes of the derivatives of the start */
    double *dq, *dv;                 /* of the start itself, the direction's own included */
    double *gradient, *product;      /* per parameter */
    double *deta;
} ac_second_parameters;

/* What a product is taken with; NULL: no change. */
typedef struct ac_second_direction {
    const double *inputs;                   /* per interval and input */
    const double *configuration, *velocity; /* of the start */
    const double *parameters;               /* one segment only; then the product is by parameters, too */
    bool gaps;                              /* and the gaps between segments are closed */
} ac_second_direction;

/* How much of the motion is kept. */
typedef struct ac_second_memory {
    bool limited; /* it does not fit: nothing is kept but the stretch that is swept */
    bool storing; /* then: nodes from the base on; else the present interval alone */
    long room;    /* intervals that are kept */
    long base;    /* the first of them */
    long stretch; /* intervals that share a row of what is given over time */
    double *kept; /* per checkpoint: dq and dp; behind them at the present node */
} ac_second_memory;

/* Numbers for each input of an interval: workspace, changes, derivatives and their changes. */
typedef struct ac_second_inputs_work {
    double *slope, *change, *by, *second;
} ac_second_inputs_work;

/* The motion may consist of segments, each with a start of its own (multiple shooting). Node k of segment s is row k + s
 * of the motion, less the base; interval k of it leads from that row to the next. */
typedef struct ac_second {
    ac_adjoint *d;
    ac_context *ctx;
    const ac_functional *functional;
    /* exact; false: second derivatives of the motion are left out (Gauss-Newton), also those of forces and
     * constraints */
    bool curved;
    ac_second_memory memory;
    int segments;
    long *first;               /* of each segment: its first interval; behind them the number of intervals */
    double *start_q, *start_p; /* per segment; the first one is that of the system */
    double *q, *p, *winding;   /* per row */
    double *w, *pi;            /* per interval: adjoint of its equations, of the momentum at its end */
    double *lambda, *eta;      /* per interval: constraint forces at its start, adjoint of g = 0 at its end */
    double *match_q; /* per segment: the part of the adjoint of its start that no motion there feels */
    double *dq, *dp, *dlambda;  /* along the direction, per row and per interval */
    double *gradient, *product; /* per stretch and input */
    /* adjoints of the node that a sweep has reached; at its end: by the start */
    double *by_q, *by_p, *second_q, *second_p;
    double *velocity, *second_velocity; /* M by_p, M second_p */
    double match[2];     /* largest size of the adjoint of a segment's start: by configuration, by momentum */
    double value, slope; /* functional; its derivative along the direction, by the tangent */
    bool linearised;
    ac_state *state;
    const ac_second_direction *direction; /* of the product that is being found */
    ac_second_parameters *by_parameters; /* NULL: the direction has no change of parameters, none is wanted */
    double *vectors[8], *rows[2];        /* workspace */
    ac_second_inputs_work inputs;
} ac_second;

ac_status ac_second_create(ac_adjoint *adjoint, int segments, ac_second **second);
void ac_second_free(ac_second *second);

/* tangent.c: simulates all segments from their starts with the present controls; the value of the functional. Fails as the
 * simulation fails. */
ac_status ac_second_simulate(ac_second *second, const ac_functional *functional, double *value);
/* tangent.c: dq, dp of every row, dlambda of every interval, and the slope of the functional. */
ac_status ac_second_follow(ac_second *second, const ac_second_direction *direction);
/* tangent.c: q_end - q_start and p_end - p_start before segment `segment`, the first as a motion that joints allow. */
ac_status ac_second_gap(ac_second *second, int segment, double *gap_q, double *gap_p);
/* second.c: the gradient at the motion simulated, and what products need. */
ac_status ac_second_linearise(ac_second *second);
/* second.c: the change of the gradient along the direction. */
ac_status ac_second_multiply(ac_second *second, const ac_second_direction *direction);

/* parameters.c: before a product; it may replace the changes of start and inputs by those that the parameters add to. */
ac_status ac_second_begin_parameters(ac_second *second, ac_second_direction *direction);
void ac_second_free_parameters(ac_second *second);
/* Of the end of an interval: shift with G(b) shift = -dg(b). */
ac_status ac_second_shift_end(ac_second *second, const double *b, double *shift);
/* Derivatives by numbers and their changes on an interval, the adjoint w of which changes by dw, shift + P dy; residual: the change of
 * the variation by b without left_b^T P dy. Changes of pi are in second_p. */
ac_status ac_second_take_parameters(ac_second *second, long interval, const ac_discrete_point *point,
                                    const ac_interval_change *change, const double *dw, const double *shift);
/* What changes of numbers do on the interval before that. */
void ac_second_bend_numbers(ac_second *second, long interval, const ac_discrete_point *point,
                            const ac_interval_change *change, const double *wl, double *by_a,
                            double *by_inputs);
/* Loads over time that depend on parameters; derivatives by the inputs of the interval, and their changes, are in the workspace. */
void ac_second_take_loads(ac_second *second, long interval);
void ac_second_finish_parameters(ac_second *second);
/* Changes of the inputs of an interval along the direction; NULL: none. */
const double *ac_second_inputs(ac_second *second, long interval);

/* tangent.c: the tangent at the start, and its step over an interval; constraint forces on one that stands. */
void ac_second_begin_tangent(ac_second *second, double *dq, double *dp);
ac_status ac_second_follow_interval(ac_second *second, long interval, int segment, bool slope);
ac_status ac_second_find_lambda(ac_second *second, const ac_discrete_point *point, double *lambda);
/* A node of the simulation becomes a row. */
void ac_second_store(ac_second *second, long row);
/* limited.c: the product from checkpoints. */
ac_status ac_second_multiply_limited(ac_second *second);
/* second.c: both adjoints of an interval; at the last node. */
ac_status ac_second_back(ac_second *second, long interval);
void ac_second_begin_back(ac_second *second);

/* As ac_adjoint_second, along changes of parameters as well. */
ac_status ac_adjoint_bend(ac_adjoint *adjoint, const ac_second_direction *direction, double *slope);

/* Puts the stepper of the sweep on an interval. */
static inline int ac_second_segment(const ac_second *second, long interval)
{
    int s = second->segments - 1;
    while (interval < second->first[s]) --s;
    return s;
}
void ac_second_place(ac_second *second, long interval, int segment, ac_discrete_point *point);

#endif
