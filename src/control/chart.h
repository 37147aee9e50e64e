/* A chart of the tree: q = F(xi), with xi the increments of the tree freedoms about a reference.
 *
 * Every freedom is an elementary motion (a turn about an axis, a shift, a swing), applied one after another
 * along
 * the tree, so that F is a product of exponentials and its derivatives of any order are brackets: with
 * freedoms ordered from the
 * root outwards, a <= b <= c,
 *
 *   d_c x = D_c,      d_b d_c x = w_b x D_c,      d_a d_b d_c x = w_a x (w_b x D_c)
 *
 * for places and directors alike (w = 0 for shifts). Free and spherical turns are three turns about x, y, z:
 * small about
 * the reference, hence never singular there.
 */
#ifndef ACTIO_CONTROL_CHART_H
#define ACTIO_CONTROL_CHART_H

#include "model/kinematics.h"

typedef enum ac_motion { AC_MOTION_SHIFT, AC_MOTION_TURN, AC_MOTION_SWING } ac_motion;

typedef struct ac_chart {
    ac_context *ctx;
    const ac_system *system;
    int n, freedoms;
    ac_motion *motion;      /* per freedom */
    int *holder;            /* the node whose joint it moves */
    int *shift_axis;        /* of shifts: axis of the parent's joint frame */
    int *path_start, *path; /* per node: the freedoms that move it, root first */
    double *axis, *origin;  /* workspace of an evaluation: per freedom */
    double *moments;        /* workspace: 3 x 3 per freedom */
} ac_chart;

/* One evaluation. */
typedef struct ac_chart_point {
    double *q;    /* n */
    double *D;    /* n x freedoms, row by row */
    double *axis; /* 3 per freedom, zero for shifts */
} ac_chart_point;

ac_status ac_chart_create(ac_context *ctx, const ac_system *system, ac_chart *chart);
void ac_chart_destroy(ac_chart *chart);

/* state <- state moved by xi (freedoms) */
void ac_chart_move(const ac_chart *chart, const double *xi, ac_joint_state *state);
/* Everything of first order at xi about the reference; `state` (per node) receives the moved states. */
void ac_chart_evaluate(const ac_chart *chart, const ac_joint_state *reference, const double *xi,
                       ac_joint_state *state, ac_chart_point *point);
/* H (freedoms squared) += sum_i f_i d^2 q_i */
void ac_chart_second(const ac_chart *chart, const ac_chart_point *point, const double *f, double *H);
/* V (n x freedoms) = derivative of D mu by xi */
void ac_chart_along(const ac_chart *chart, const ac_chart_point *point, const double *mu, double *V);
/* H (freedoms squared) += sum_i f_i d^2 (D mu)_i */
void ac_chart_third(const ac_chart *chart, const ac_chart_point *point, const double *f, const double *mu,
                    double *H);

/* Whether freedom b turns the derivative by freedom c, which is further out or the same. */
bool ac_chart_turns(const ac_chart *chart, int b, int c);

static inline const int *ac_chart_path(const ac_chart *chart, int node, int *count)
{
    *count = chart->path_start[node + 1] - chart->path_start[node];
    return chart->path + chart->path_start[node];
}

#endif
