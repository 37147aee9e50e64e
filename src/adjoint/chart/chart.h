/* The sweep of formulations whose equations are those of joint coordinates; see sweep.c. */
#ifndef ACTIO_ADJOINT_CHART_CHART_H
#define ACTIO_ADJOINT_CHART_CHART_H

#include "action/chart/chart_interval.h"
#include "adjoint/adjoint.h"
#include "tree/frames.h"

/* Vectors of coordinates q at an end of the interval: velocity, its change along the adjoints, the change of q along them. */
typedef struct ac_chart_motion {
    double *u, *du, *dq;
} ac_chart_motion;

typedef struct ac_chart_sweep {
    ac_context *ctx;
    ac_chart_interval on;
    double *lambda,
        *pi; /* adjoint of the node that the sweep has reached: by its coordinates, and by its momentum in them */
    double *by_q, *by_p;                  /* of the functional at this node, n each */
    double *w, *x, *z, *rhs, *row, *rate; /* T each */
    double *slope, *K;                    /* T squared */
    int *pivot;
    ac_chart_motion end[2];
    double *force[2], *weight[2]; /* n each: forces of the potential; what weighs on q at the ends */
    double *bent[2], *left, *right, *rest, *work[2]; /* n each */
    bool carries;             /* derivatives by frames are wanted: by those of parameters, or by the start */
    ac_frame_pull *now, *all; /* per node: of the present interval, of all so far */
    double *frame_work;
} ac_chart_sweep;

ac_status ac_chart_sweep_create(ac_context *ctx, const ac_adjoint *adjoint, ac_chart_sweep **sweep);
void ac_chart_sweep_free(ac_chart_sweep *sweep);

/* The sweep begins at the last node; from node k + 1 to node k of the stored motion, see ac_adjoint_step_back. */
void ac_chart_sweep_begin(ac_adjoint *adjoint, const double *q, const double *p);
ac_status ac_chart_step_back(ac_adjoint *adjoint, long first, long k);

/* start.c: the derivative by the configuration of the start, whose change moves the origin of the coordinates. The sweep has reached
 * the first node, and stands on the first interval. */
ac_status ac_chart_finish_start(ac_adjoint *adjoint, const double *q, const double *p);
/* Does the origin turn coordinates, such as those of a ball, which do not change with it by constants? */
bool ac_chart_origin_turns(const ac_system *system);

/* sweep.c: the frames of the present interval count. */
void ac_chart_add_frames(ac_adjoint *adjoint);
/* out (T) += factor D^T f at an end; out (n) = D x; out (n) = M D x; x with D^T M D x = rhs. */
void ac_chart_project(const ac_chart_sweep *sweep, int end, double factor, const double *f, double *out);
void ac_chart_spread(const ac_chart_sweep *sweep, int end, const double *x, double *out);
void ac_chart_spread_mass(const ac_chart_sweep *sweep, int end, const double *x, double *out);
ac_status ac_chart_solve_mass(ac_adjoint *adjoint, int end, const double *rhs, double *x);

#endif
