/* A chart of the tree: q = F(xi), with xi the increments of the tree freedoms about a reference.
 *
 * Every freedom is an elementary motion (a turn about an axis, a shift, a swing), applied one after
 * another along the tree, so that F is a product of exponentials and its derivatives of any order are
 * brackets: with freedoms ordered from the root outwards, a <= b <= c,
 *
 *   d_c x = D_c,      d_b d_c x = w_b x D_c,      d_a d_b d_c x = w_a x (w_b x D_c)
 *
 * for places and directors alike (w = 0 for shifts). Free and spherical turns are three turns about x, y,
 * z: small about the reference, hence never singular there.
 */
#ifndef ACTIO_ACTION_CHART_CHART_H
#define ACTIO_ACTION_CHART_CHART_H

#include "action/parameters/vary.h"
#include "tree/kinematics.h"

typedef struct ac_chart {
    ac_context *ctx;
    const ac_system *system;
    int n, freedoms;
    int span;                 /* width of D, V and H: freedoms, then free parameters */
    const ac_variation *vary; /* what depends on parameters; NULL: nothing */
    ac_motion_kind *motion;   /* per freedom: a shift, a turn or a swing; a ball is three turns */
    int *holder;              /* the node whose joint it moves */
    /* of the nodes; nodes of a beam that the tree leaves free hang on their neighbours here */
    int *parent, *order;
    int *behind; /* the next point towards the root, which does not turn with what carries it; -1: none */
    ac_joint_state *start;    /* the assembled states when there are such nodes, else NULL */
    int *path_start, *path;   /* per node: the freedoms that move it, root first */
    double *axis, *origin;    /* workspace of an evaluation: per freedom */
    double *moments;          /* workspace: 3 x 3 per freedom */
    int *turning;             /* workspace: freedoms */
    double *screws, *sums;    /* workspace of chart_dual.c: 6 per freedom */
    double *wrenches;         /* the same: 12 per freedom */
    double *columns, *forces; /* workspace of chart_dual_vary.c: n x span, n */
} ac_chart;

/* One evaluation. */
typedef struct ac_chart_point {
    double *q;    /* n */
    double *D;    /* n x span, row by row */
    double *axis; /* 3 per freedom, zero for shifts */
} ac_chart_point;

ac_status ac_chart_create(ac_context *ctx, const ac_system *system, ac_chart *chart);
void ac_chart_destroy(ac_chart *chart);
/* Parameters are coordinates behind the freedoms, `span` in all; vary: what of the geometry depends on them, NULL: nothing. */
ac_status ac_chart_follow(ac_chart *chart, int span, const ac_variation *vary);

/* chart_beams.c: parents and order of the nodes; poses from states and states from poses along them. */
ac_status ac_chart_link(ac_chart *chart);
/* What parameters add to the shift of a state: how much longer the way from its neighbour to a node of a
 * beam is than in the given system, in the neighbour's axes; how far a node that no joint holds is placed
 * elsewhere. */
void ac_chart_lengthening(const ac_chart *chart, int node, double shift[3]);
/* The assembled states again, once it is known what depends on parameters. */
void ac_chart_restart(ac_chart *chart);
void ac_chart_node_forward(const ac_chart *chart, int node, const ac_joint_state *state, double *q);
void ac_chart_forward(const ac_chart *chart, const ac_joint_state *states, double *q);
void ac_chart_read_state(const ac_chart *chart, int node, const double *q, ac_joint_state *state);

static inline bool ac_chart_chained(const ac_chart *chart, int node)
{
    return chart->parent[node] != chart->system->nodes[node].parent;
}

/* States in the assembled configuration. */
static inline const ac_joint_state *ac_chart_start(const ac_chart *chart)
{
    return chart->start ? chart->start : chart->system->initial.state;
}

/* state <- state moved by xi (freedoms) */
void ac_chart_move(const ac_chart *chart, const double *xi, ac_joint_state *state);
/* chart_between.c: increments that take a reference to a state, the inverse of moving; the same for swings of a distance
 * joint; three angles of R = Rx Ry Rz. */
void ac_chart_between(const ac_chart *chart, const ac_joint_state *reference, const ac_joint_state *state,
                      double *xi);
void ac_swings_between(const ac_node *node, const ac_joint_state *a, const ac_joint_state *b, double *xi);
void ac_three_angles(const double R[9], double xi[3]);
/* Everything of first order at xi about the reference; `state` (per node) receives the moved states. */
void ac_chart_evaluate(const ac_chart *chart, const ac_joint_state *reference, const double *xi,
                       ac_joint_state *state, ac_chart_point *point);
/* H (span squared) += sum_i f_i d^2 q_i */
void ac_chart_second(const ac_chart *chart, const ac_chart_point *point, const double *f, double *H);
/* V (n x span) = derivative of D mu by xi and the parameters; mu has the freedoms alone */
void ac_chart_along(const ac_chart *chart, const ac_chart_point *point, const double *mu, double *V);
/* H (span squared) += sum_i f_i d^2 (D mu)_i */
void ac_chart_third(const ac_chart *chart, const ac_chart_point *point, const double *f, const double *mu,
                    double *H);

/* chart_higher.c: along two directions, without parameters. mu and nu have the freedoms. */
/* x (n) = second derivative of q along mu and nu */
void ac_chart_second_along(const ac_chart *chart, const ac_chart_point *point, const double *mu,
                           const double *nu, double *x);
/* S (n x freedoms) = its derivative by xi */
void ac_chart_third_along(const ac_chart *chart, const ac_chart_point *point, const double *mu,
                          const double *nu, double *S);
/* H (freedoms squared) += sum_i f_i d^2 of it */
void ac_chart_fourth(const ac_chart *chart, const ac_chart_point *point, const double *f, const double *mu,
                     const double *nu, double *H);
/* moments (3 x 3 per freedom) = sum over all blocks of D_c f^T */
void ac_chart_moments(const ac_chart *chart, const ac_chart_point *point, const double *f, double *moments);

/* chart_vary.c: what the parameters add to these; D and V get columns, H rows and columns behind the
 * freedoms. */
void ac_chart_vary_first(const ac_chart *chart, const double *q, double *D);
void ac_chart_vary_second(const ac_chart *chart, const ac_chart_point *point, const double *f, double *H);
void ac_chart_vary_along(const ac_chart *chart, const ac_chart_point *point, const double *mu, double *V);
void ac_chart_vary_third(const ac_chart *chart, const ac_chart_point *point, const double *f,
                         const double *mu, double *H);

/* chart_dual.c: the same of the numbers of unit dual quaternions; only where there are any. */
ac_status ac_chart_begin_dual(ac_chart *chart);
void ac_chart_end_dual(ac_chart *chart);
void ac_chart_dual_second(const ac_chart *chart, const ac_chart_point *point, const double *f, double *H);
void ac_chart_dual_along(const ac_chart *chart, const ac_chart_point *point, const double *mu, double *V);
void ac_chart_dual_third(const ac_chart *chart, const ac_chart_point *point, const double *f,
                         const double *mu, double *H);
/* chart_dual_vary.c: by parameters, which shift places x and turn nothing: the dual part is x times the real part r, halved. */
ac_status ac_chart_follow_dual(ac_chart *chart);
/* rows (n x span): the dual parts get half the columns of x times r; r: n numbers with those of the real parts */
void ac_chart_dual_columns(const ac_chart *chart, const double *x, const double *r, double *rows);
/* out (n) = the forces on places with the work of f on such dual parts */
void ac_chart_dual_forces(const ac_chart *chart, const double *r, const double *f, double *out);
/* out (n) = the real parts of D mu */
void ac_chart_dual_real(const ac_chart *chart, const ac_chart_point *point, const double *mu, double *out);
/* H += the work of f on half the columns of x by parameters times the columns of r by freedoms */
void ac_chart_dual_turns(const ac_chart *chart, const double *x, const double *r, const double *f, double *H);
/* A distance joint of the tree carries such a node: its higher derivatives are not known. */
bool ac_chart_swings_dual(const ac_chart *chart);

/* Whether shifting a node changes its k-th coordinate: its place, and the dual part of its dual quaternion. */
static inline bool ac_chart_shifts(const ac_node *node, int k)
{
    return k < node->dimension || (node->kind == AC_NODE_DUAL && k >= AC_DUAL_AT + 4);
}

/* Whether freedom b turns the derivative by freedom c, which is further out or the same, with no point between them. */
bool ac_chart_turns(const ac_chart *chart, int b, int c);

static inline const int *ac_chart_path(const ac_chart *chart, int node, int *count)
{
    *count = chart->path_start[node + 1] - chart->path_start[node];
    return chart->path + chart->path_start[node];
}

#endif
