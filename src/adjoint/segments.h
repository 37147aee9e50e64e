/* The objective of a shooting problem as a function with second derivatives, in one segment or several; see segments.c. */
#ifndef ACTIO_ADJOINT_SEGMENTS_H
#define ACTIO_ADJOINT_SEGMENTS_H

#include "adjoint/newton.h"
#include "adjoint/second/second.h"
#include "adjoint/shoot.h"

typedef struct ac_segments {
    ac_shooting *shooting;
    ac_context *ctx;
    ac_second *second;
    const ac_shooting_settings *settings;
    double *inputs;          /* a direction, per interval and input */
    double *shared;          /* part of the gradient that closing the gaps brings */
    double *base_q, *base_p; /* starts of the base point, per segment */
    double *turn, *push;     /* steps of the starts: tree velocities and momenta, per segment */
    double value, gap;       /* at the point tried */
    double base_value, base_gap;
    double *kept_q, *kept_p;  /* starts of a base that was stored */
    double penalty, momentum; /* of gaps; size of momenta */
    ac_joint_state *from, *to;
    double *closing; /* workspace of closed loops */
    int *closing_ints;
    ac_row_space space;
    ac_newton_problem problem;
    double *
        memory; /* of the search, as it is reported: that of newton.c, then penalty, momentum and the starts */
    int memory_capacity;
} ac_segments;

ac_status ac_segments_open(ac_shooting *shooting, const ac_shooting_settings *settings, int segments,
                           bool exact, ac_segments *segments_out);
void ac_segments_close(ac_segments *segments);
/* Starts of segments: nodes of a guessed motion, per node n numbers; NULL: of the simulation with controls u. */
ac_status ac_segments_begin(ac_segments *segments, const double *u, const double *motion);
/* The same from what an earlier search knew; what is left in the settings is for newton.c. */
ac_status ac_segments_resume(ac_segments *segments, ac_shooting_settings *settings);
/* Value, and gradient of the objective at u; then products at it. */
ac_status ac_segments_linearise(ac_segments *segments, const double *u, double *value, double *gradient);
ac_status ac_segments_multiply(ac_segments *segments, const double *v, double *product);

#endif
