/* The solver for systems at rest.
 *
 *   r(q) = P(q)^T (grad V - share c(q) - factor f(q)) = 0,  closure g(q) = 0,        q <- F(delta, q)
 *   [ K  J^T ] [ delta ]   [ -r ]
 *   [ J  0   ] [ mu    ] = [ -g ],      K = P^T (V'' - share c' - factor f' + sum lambda g'') P,
 *                                       G^T lambda = share c + factor f - grad V
 *
 * c: constant loads, f: those that grow with the load factor; the share of the constant ones is 1 but for the way to
 * the first point. With the multipliers of all constraints, K is the Hessian of the potential restricted to the constraints
 * where r = 0.
 */
#ifndef ACTIO_EQUILIBRIUM_SOLVER_H
#define ACTIO_EQUILIBRIUM_SOLVER_H

#include "actio/equilibrium.h"
#include "mechanics/momentum.h"
#include "mechanics/tree_sparse.h"

enum { AC_CROSSINGS_MAX = 32 }; /* bifurcations between two points of the path that are told apart */

/* A point that can be returned to. */
typedef struct ac_rest_state {
    ac_joint_state *state;
    double *q;
    double *tangent; /* of the path, in tree freedoms: direction of displacement */
    double tangent_factor;
    double factor, path;
    double share; /* of the constant loads */
    int flipped;  /* 1: the determinant of the tangent on the motions that are allowed is negative */
} ac_rest_state;

struct ac_equilibrium {
    ac_context *ctx;
    const ac_system *system;
    ac_equilibrium_settings settings;
    int freedoms, closures, size; /* size = freedoms + closures */
    ac_rest_state now, before, other;
    double *memory; /* per measure */
    double *columns, *wrenches;
    double *gradient, *load, *constant, *total; /* n; loads that grow, and constant ones in full */
    bool has_constant;
    double *r, *g, *mu, *lambda, *J;
    double *weight; /* per freedom: 1 or 1 / typical length squared, for merit and arc length */
    double *delta, *by_load, *move, *travelled;
    double
        shift; /* added to the tangent in the metric of `weight`, N/m: friction over the step of settling */
    bool upright; /* the tangent is the Hessian of the potential, without the part that is not symmetric */
    bool *omitted;
    ac_tree_sparse tangent;
    double largest_term; /* of those that the tangent is the sum of, N/m */
    ac_legendre legendre;
    ac_row_space space;
    double *space_block;
    int *space_ints;
    double *neutral; /* while Newton's method is at work: motions without resistance, of length one */
    int neutral_count;
    int neutral_before; /* how many there were at the last point of the path */

    ac_equilibrium_point point;
    double increment;      /* of the load factor or of the path */
    double tangent_factor; /* d factor / d path at the present point */
    int points;            /* found so far */
    int bifurcations;      /* passed so far */
    bool started, branched;
    bool pending; /* events come first; the point after them is kept in `other` */
    ac_equilibrium_point later;
    struct {
        double at; /* step from `before` */
        ac_equilibrium_event kind;
    } events[2 * AC_LEVELS_MAX + AC_CROSSINGS_MAX];
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
/* The multipliers of all constraints at the present configuration, which must have been evaluated. */
ac_status ac_rest_multipliers(ac_equilibrium *e);
/* The tangent at the present configuration, which must have been evaluated; and its factorisation. */
ac_status ac_rest_assemble(ac_equilibrium *e);
ac_status ac_rest_factor(ac_equilibrium *e);
/* Moves by factor times delta. */
void ac_rest_move(ac_equilibrium *e, const double *delta, double factor);
/* The largest displacement of delta: rad, or m over the typical length. */
double ac_rest_size(const ac_equilibrium *e, const double *delta);
/* delta for r and g, and, if wanted, the change with the load factor. */
ac_status ac_rest_correction(ac_equilibrium *e, double *delta, double *by_load);
/* Load k is scaled by this at the present point. */
double ac_rest_level(const ac_equilibrium *e, int load);
/* Newton's method at a fixed load factor. */
ac_status ac_rest_newton(ac_equilibrium *e);
/* AC_NOT_CONVERGED if a beam bends beyond what its elements resist, ... */
ac_status ac_rest_check_fold(const ac_equilibrium *e);
/* Does one bend by more than an eighth turn between two nodes? */
bool ac_rest_is_kinked(const ac_equilibrium *e);
/* ... or in any case, with what is known of the reason. */
ac_status ac_rest_not_found(const ac_equilibrium *e);
/* What the shift adds for the turn of neighbouring nodes of a beam against each other, beside `weight`. */
double ac_rest_kink_weight(const ac_equilibrium *e, int beam);
/* Lets the system creep to a state of rest, then Newton's method. `downhill`: never towards a saddle. */
ac_status ac_rest_settle(ac_equilibrium *e, bool downhill);

/* descend.c: downhill to a stable state of rest at a fixed load factor; only where there is a potential. */
bool ac_rest_can_descend(const ac_equilibrium *e);
ac_status ac_rest_descend(ac_equilibrium *e);

/* The eigenvalue of the reduced tangent nearest to zero, in the metric of `weight`, N/m, and its vector x
 * (freedoms + closures); the tangent must be factorised. */
ac_status ac_rest_softest(ac_equilibrium *e, double *x, double *eigenvalue);

/* neutral.c: like ac_rest_factor, with the neutral motions found and held; parts of forces and displacements along
 * them are taken away. */
ac_status ac_rest_factor_freely(ac_equilibrium *e);
void ac_rest_ignore_push(const ac_equilibrium *e, double *force);
void ac_rest_hold_neutral(const ac_equilibrium *e, double *delta);
/* On a path a motion that the load pushes is not held: where it has no resistance, the load has its limit. */
ac_status ac_rest_release_pushed(ac_equilibrium *e);

/* push.c: does the load that grows push along a neutral motion? */
ac_status ac_rest_is_pushed(ac_equilibrium *e, bool *pushed);
/* AC_SINGULAR, and which motion it is, if the loads push along a neutral motion: with the forces that are left, ... */
ac_status ac_rest_check_push(ac_equilibrium *e);
/* ... with the load that grows, or the constant ones, ... */
ac_status ac_rest_check_growing(ac_equilibrium *e, bool constant);
/* ... or along a translation that goes on without end; the tangent need not be there. */
ac_status ac_rest_refuse_flight(ac_equilibrium *e);

/* equilibrium.c: goes from the drawing to the state of rest under the constant loads alone, if there are any. */
ac_status ac_rest_raise_constant(ac_equilibrium *e);

/* potential.c: have the loads a potential at the present configuration? The tangent must be there. */
ac_status ac_rest_has_potential(ac_equilibrium *e, bool *has);

/* stability.c: signs of the symmetric part of the reduced tangent, which must be at the present configuration; ... */
ac_status ac_rest_signs(ac_equilibrium *e, int *negative, int *neutral);
/* ... and the same at rest, AC_NOT_JUDGED where the loads have no potential. */
ac_status ac_rest_stability(ac_equilibrium *e, int *negative, int *neutral);
/* What eigenvalues are compared with, in the metric of `weight`, N/m: a bound on them and on the terms of the tangent. */
double ac_rest_stiffness(ac_equilibrium *e);

/* path.c: one point of the path further */
ac_status ac_path_start(ac_equilibrium *e);
ac_status ac_path_next(ac_equilibrium *e);

/* maps.c: momentum maps along a beam; `lambda`: multipliers of all constraints */
enum { AC_BEAM_VARIATIONS = 3 };
/* Wrench (6 numbers) and isotropy at every point of the beam. */
void ac_beam_transmitted(const ac_system *system, const double *q, const double *lambda,
                         const ac_beam_data *beam, double *wrench, double *isotropy);
/* Largest differences of force, moment and isotropy. */
void ac_beam_variation(const ac_beam_data *beam, const double *wrench, const double *isotropy,
                       double out[AC_BEAM_VARIATIONS]);
/* Uniformity at every point of the beam, in the edge model at the middle of every edge; and how many there are. */
void ac_beam_uniformity(const ac_system *system, const double *q, const ac_beam_data *beam, double *out);
int ac_beam_uniformities(const ac_beam_data *beam);

/* observe.c */
ac_status ac_rest_channels(ac_equilibrium *e);

#endif
