/* The solver for systems at rest.
 *
 *   r(q) = P(q)^T (grad V - factor f(q)) = 0,  closure g(q) = 0,        q <- F(delta, q)
 *   [ K  J^T ] [ delta ]   [ -r ]
 *   [ J  0   ] [ mu    ] = [ -g ],      K = P^T (V'' - factor f' + sum lambda g'') P,   G^T lambda = factor
 * f - grad V
 *
 * With the multipliers of all constraints, K is the Hessian of the potential restricted to the constraints
 * where r = 0.
 */
#ifndef ACTIO_EQUILIBRIUM_SOLVER_H
#define ACTIO_EQUILIBRIUM_SOLVER_H

#include "actio/equilibrium.h"
#include "mechanics/momentum.h"
#include "mechanics/tree_sparse.h"

/* A point that can be returned to. */
typedef struct ac_rest_state {
    ac_joint_state *state;
    double *q;
    double *tangent; /* of the path, in tree freedoms: direction of displacement */
    double tangent_factor;
    double factor, path;
} ac_rest_state;

struct ac_equilibrium {
    ac_context *ctx;
    const ac_system *system;
    ac_equilibrium_settings settings;
    int freedoms, closures, size; /* size = freedoms + closures */
    ac_rest_state now, before, other;
    double *memory; /* per measure */
    double *columns, *wrenches;
    double *gradient, *load, *total; /* n */
    double *r, *g, *mu, *lambda, *J;
    double *weight; /* per freedom: 1 or 1 / typical length squared, for merit and arc length */
    double *delta, *by_load, *move, *travelled;
    bool *omitted;
    ac_tree_sparse tangent;
    ac_legendre legendre;
    ac_row_space space;
    double *space_block;
    int *space_ints;

    ac_equilibrium_point point;
    double increment;      /* of the load factor or of the path */
    double tangent_factor; /* d factor / d path at the present point */
    int points;            /* found so far */
    bool started, branched;
    bool pending; /* events come first; the point after them is kept in `other` */
    ac_equilibrium_point later;
    struct {
        double at; /* step from `before` */
        ac_equilibrium_event kind;
    } events[2 * AC_LEVELS_MAX + 2];
    int event_count, event_next;

    ac_channel *channels;
    int channel_count;
    char *names;
    double *scratch;
};

/* solver.c: evaluation and Newton's method */
ac_status ac_rest_state_create(ac_equilibrium *e, ac_rest_state *state);
void ac_rest_state_destroy(ac_equilibrium *e, ac_rest_state *state);
void ac_rest_state_copy(const ac_equilibrium *e, const ac_rest_state *from, ac_rest_state *to);
/* r and g at the present configuration. */
void ac_rest_evaluate(ac_equilibrium *e);
/* The force that neither stiffness nor loops carry: how far from rest, N. */
double ac_rest_force(ac_equilibrium *e);
/* Factorises the tangent at the present configuration, which must have been evaluated. */
ac_status ac_rest_factor(ac_equilibrium *e);
/* Moves by factor times delta. */
void ac_rest_move(ac_equilibrium *e, const double *delta, double factor);
/* The largest displacement of delta: rad, or m over the typical length. */
double ac_rest_size(const ac_equilibrium *e, const double *delta);
/* delta for r and g, and, if wanted, the change with the load factor. */
ac_status ac_rest_correction(ac_equilibrium *e, double *delta, double *by_load);
/* Newton's method at a fixed load factor. */
ac_status ac_rest_newton(ac_equilibrium *e);

/* stability.c: signs of the reduced Hessian; the tangent must be at the present configuration. */
ac_status ac_rest_stability(ac_equilibrium *e, int *negative, int *neutral);

/* path.c: one point of the path further */
ac_status ac_path_start(ac_equilibrium *e);
ac_status ac_path_next(ac_equilibrium *e);

/* observe.c */
ac_status ac_rest_channels(ac_equilibrium *e);

#endif
