/* The solver for equilibria.
 *
 *   r(q) = P(q)^T (grad V - share c(q) - factor f(q)) = 0,  closure g(q) = 0,        q <- F(delta, q)
 *   [ K  J^T ] [ delta ]   [ -r ]
 *   [ J  0   ] [ mu    ] = [ -g ],      K = P^T (V'' - share c' - factor f' + sum lambda g'') P,
 *                                       G^T lambda = share c + factor f - grad V
 *
 * c: constant loads, f: those that grow with the load factor; the share of the constant ones is 1 but for the
 * way to the first point. With the multipliers of all constraints, K is the Hessian of the potential
 * restricted to the constraints where r = 0.
 */
#ifndef ACTIO_EQUILIBRIUM_SOLVER_H
#define ACTIO_EQUILIBRIUM_SOLVER_H

#include "actio/equilibrium.h"
#include "action/momentum.h"
#include "tree/loop_rows.h"
#include "tree/sparse.h"

enum { AC_EQUILIBRIUM_COMMON = 8 }; /* channels before those of bodies, beams, joints and forces */
enum { AC_CROSSINGS_MAX = 32 };     /* bifurcations between two points of the path that are distinguished */

/* A point that can be returned to. */
typedef struct ac_equilibrium_state {
    ac_joint_state *state;
    double *q;
    double *tangent; /* of the path, in tree freedoms: direction of displacement */
    double tangent_factor;
    double factor, path;
    double share; /* of the constant loads */
    int flipped;  /* 1: the determinant of the tangent on the motions that are allowed is negative */
} ac_equilibrium_state;

typedef struct ac_redundant ac_redundant;
typedef struct ac_mixed ac_mixed;

/* Forces at the present configuration, and what is left of them. */
typedef struct ac_equilibrium_forces {
    double *gradient, *load, *constant, *total; /* n; loads that grow, and constant ones in full */
    bool has_constant;
    double *r, *g, *mu, *lambda, *J;
} ac_equilibrium_forces;

/* How displacements of different kinds are compared. */
typedef struct ac_equilibrium_metric {
    double *weight; /* per freedom: 1 or typical length squared, for merit and arc length */
    double *grain;  /* the same for what is a matter of rounding: the length of an element where it is one */
    double *arm;    /* per node: the root of it for turns, m */
} ac_equilibrium_metric;

/* Workspace of Newton's method. */
typedef struct ac_equilibrium_workspace {
    double *delta, *by_load, *move, *travelled;
    /* added to the tangent in the metric of `weight`, N/m: friction over the step of settling */
    double shift;
    bool upright; /* the tangent is the Hessian of the potential, without the part that is not symmetric */
    bool *omitted;
} ac_equilibrium_workspace;

/* What the present point has taken so far, and who is told while it goes down. */
typedef struct ac_equilibrium_effort {
    int corrections, descent;
    int (*watch)(void *user, double factor, int descent); /* 0: go on; may be NULL */
    void *user;
} ac_equilibrium_effort;

/* Motions without resistance. */
typedef struct ac_equilibrium_neutral {
    double *motions; /* while Newton's method is at work; of length one */
    int count;
    int before; /* how many the path has, and how many its last point had */
    int last;
} ac_equilibrium_neutral;

/* Where the path is, and how it goes on. */
typedef struct ac_equilibrium_path {
    double increment;      /* of the load factor or of the path */
    double *bend;          /* how far the last step ended beside its tangent, ... */
    double bend_factor;    /* ... the load factor, too, ... */
    double bend_step;      /* ... and how long it was; 0: not known yet */
    double load_scale;     /* what the load factor counts in the length of the path, m */
    double tangent_factor; /* d factor / d path at the present point */
    int points;            /* found so far */
    int bifurcations;      /* passed so far */
    bool started, branched;
    bool limit_last; /* the last step had a limit point */
} ac_equilibrium_path;

/* Events of the last step. */
typedef struct ac_equilibrium_events {
    bool pending; /* events come first; the point after them is kept in `other` */
    ac_equilibrium_point later;
    struct {
        double at;     /* step from `before` */
        double within; /* how close the load factor is known; 0: as close as points are found */
        ac_equilibrium_event kind;
    } list[2 * AC_LEVELS_MAX + AC_CROSSINGS_MAX];
    int count, next;
} ac_equilibrium_events;

/* Steps on which the number of negative eigenvalues changes and no event says why. */
typedef struct ac_equilibrium_unexplained {
    bool now;      /* this step is one */
    bool last;     /* the same for the last step that was kept */
    int count;     /* such steps, which could not be resolved, ... */
    double factor; /* ... and the load factor at the end of the first of them */
} ac_equilibrium_unexplained;

struct ac_equilibrium {
    ac_context *ctx;
    const ac_system *system;
    ac_equilibrium_settings settings;
    int freedoms, closures, size; /* size = freedoms + closures */
    ac_equilibrium_state now, before, other;
    double *winding; /* per measure */
    double *columns, *wrenches;
    ac_equilibrium_forces balance;
    ac_equilibrium_metric metric;
    ac_equilibrium_workspace newton;
    ac_tree_sparse tangent;
    ac_loop_rows loops;       /* extended form: closure equations, sparse, ... */
    double *whole;            /* ... and workspace: two vectors of all its unknowns, two of the freedoms */
    const ac_system *elastic; /* whose potential is taken: the system, or that of mixed.c for its tangent */
    ac_mixed *mixed;          /* stresses of beams as unknowns; NULL: there are none */
    ac_redundant *redundant;  /* of the formulation with multipliers; NULL: reduced */
    double largest_term;      /* of those that the tangent is the sum of, N/m */
    ac_legendre legendre;
    ac_row_space space;
    double *space_block;
    int *space_ints;
    ac_equilibrium_neutral neutral;

    ac_equilibrium_point point;
    ac_equilibrium_effort effort;
    ac_equilibrium_path path;
    ac_equilibrium_events events;
    ac_equilibrium_unexplained unexplained;
    struct {
        int count;
        double *shape; /* of each: a motion of the freedoms, real and imaginary part */
    } modes;
    double largest_bend;  /* between neighbouring nodes of beams at the points found so far, rad, ... */
    double yielding_bend; /* ... and of beams of the director model */

    ac_channel *channels;
    int channel_count;
    char *names;
    double *scratch;
};

/* weights.c */
void ac_equilibrium_set_weights(ac_equilibrium *e);

/* tangent.c: its matrix, by the freedoms or in extended form. */
ac_status ac_equilibrium_tangent_create(ac_equilibrium *e);
void ac_equilibrium_tangent_destroy(ac_equilibrium *e);
/* x (freedoms, then closure equations) <- the inverse of the factorised tangent times x. */
ac_status ac_equilibrium_solve(ac_equilibrium *e, double *x);
/* x <- the inverse times (-r, x of the closure equations) for r = P^T f, forces f on the coordinates, neutral motions held. The
 * extended form takes f, whose sums along chains would round, if the tangent belongs to this configuration; else f is NULL. */
ac_status ac_equilibrium_yield(ac_equilibrium *e, const double *r, const double *f, double *x);
/* y = K x for the freedoms, without the loops; y is as long as all unknowns, x and y are not newton.delta. */
void ac_equilibrium_apply(ac_equilibrium *e, const double *x, double *y);
/* Which closure equations are independent, into newton.omitted. */
ac_status ac_equilibrium_choose_closures(ac_equilibrium *e);
/* solver.c: evaluation and Newton's method */
ac_status ac_equilibrium_state_create(ac_equilibrium *e, ac_equilibrium_state *state);
void ac_equilibrium_state_destroy(ac_equilibrium *e, ac_equilibrium_state *state);
void ac_equilibrium_state_copy(const ac_equilibrium *e, const ac_equilibrium_state *from,
                               ac_equilibrium_state *to);
/* grad V less the loads, in `total`. */
void ac_equilibrium_balance(ac_equilibrium *e);
/* r and g at the present configuration. */
void ac_equilibrium_evaluate(ac_equilibrium *e);
/* redundant.c: the formulation with multipliers, if it is wanted; Newton's method in it. */
ac_status ac_redundant_create(ac_equilibrium *e);
void ac_redundant_destroy(ac_equilibrium *e);
ac_status ac_redundant_newton(ac_equilibrium *e);
/* mixed.c: stresses of beams as unknowns of Newton's method. Where it begins; the tangent with them; before a correction; after a part of
 * it, which leaves in `move` what the next correction is estimated with; the part is kept. */
ac_status ac_mixed_create(ac_equilibrium *e);
void ac_mixed_destroy(ac_equilibrium *e);
void ac_mixed_begin(ac_equilibrium *e);
ac_status ac_mixed_factor(ac_equilibrium *e);
void ac_mixed_leave(ac_equilibrium *e, const double *delta);
void ac_mixed_arrive(ac_equilibrium *e, double factor);
void ac_mixed_accept(ac_equilibrium *e);
/* Are stresses unknowns at present? */
bool ac_mixed_is_on(const ac_equilibrium *e);
/* The force that neither stiffness nor loops carry: how far from rest, N. */
double ac_equilibrium_force(ac_equilibrium *e);
/* The multipliers of all constraints at the present configuration, which must have been evaluated. */
ac_status ac_equilibrium_multipliers(ac_equilibrium *e);
/* The tangent at the present configuration, which must have been evaluated; and its factorisation. */
ac_status ac_equilibrium_assemble(ac_equilibrium *e);
ac_status ac_equilibrium_factor(ac_equilibrium *e);
/* Moves by factor times delta. */
void ac_equilibrium_move(ac_equilibrium *e, const double *delta, double factor);
/* The largest displacement of delta: rad, or m over the typical length. */
double ac_equilibrium_size(const ac_equilibrium *e, const double *delta);
/* delta for r and g, and, if wanted, the change with the load factor. */
ac_status ac_equilibrium_correction(ac_equilibrium *e, double *delta, double *by_load);
/* Load k is scaled by this at the present point. */
double ac_equilibrium_level(const ac_equilibrium *e, int load);
/* Is what is left of the forces the rounding of those that cancel, so that a correction of this size is
 * none? */
bool ac_equilibrium_is_rounding(ac_equilibrium *e, double size);
/* Newton's method at a fixed load factor. */
ac_status ac_equilibrium_newton(ac_equilibrium *e);
/* AC_NOT_CONVERGED if a beam bends beyond what its elements resist, ... */
ac_status ac_equilibrium_check_fold(const ac_equilibrium *e);
/* What helps against a failure at q: what is wrong with a beam there, else `otherwise`. */
enum { AC_REST_ADVICE = 512 };
const char *ac_equilibrium_advice(const ac_equilibrium *e, const double *q, const char *otherwise,
                                  char text[AC_REST_ADVICE]);
/* Does one bend by more than an eighth turn between two nodes? */
bool ac_equilibrium_is_kinked(const ac_equilibrium *e);
/* ... or in any case, with what is known of the reason. */
ac_status ac_equilibrium_not_found(const ac_equilibrium *e);
/* What the shift adds for the turn of neighbouring nodes of a beam against each other, beside `weight`. */
double ac_equilibrium_kink_weight(const ac_equilibrium *e, int beam);
/* Counts and shows a step downhill; AC_INTERRUPTED if it is to be the last. */
ac_status ac_equilibrium_count_descent(ac_equilibrium *e);
/* Lets the system creep to an equilibrium, then Newton's method. `downhill`: never towards a saddle. */
ac_status ac_equilibrium_settle(ac_equilibrium *e, bool downhill);

/* work.c: is there no loop, and have the loads a potential? */
ac_status ac_equilibrium_can_descend(ac_equilibrium *e, bool *can);
/* The potential of elements, weight and forces that keep their direction, J; ... */
double ac_equilibrium_potential(ac_equilibrium *e);
/* ... and the work of the other loads on the way from a state by factor times delta, where the present one
 * is then. */
double ac_equilibrium_work(ac_equilibrium *e, const ac_equilibrium_state *from, const double *delta,
                           double factor);

/* descend.c: downhill to a stable equilibrium at a fixed load factor; only where that can be. */
ac_status ac_equilibrium_descend(ac_equilibrium *e);

/* The eigenvalue of the reduced tangent nearest to zero, in the metric of `weight`, N/m, and its vector x
 * (freedoms + closures); the tangent must be factorised. */
ac_status ac_equilibrium_softest(ac_equilibrium *e, double *x, double *eigenvalue);

/* neutral.c: a . W b, and one step of inverse iteration, x <- K^{-1} W x; ... */
double ac_equilibrium_dot(const ac_equilibrium *e, const double *weight, const double *a, const double *b);
ac_status ac_equilibrium_invert(ac_equilibrium *e, const double *weight, double *x);
/* ... like ac_equilibrium_factor, with the neutral motions found and held; parts of forces and displacements along
 * them are taken away. */
ac_status ac_equilibrium_factor_freely(ac_equilibrium *e);
/* The same with at least so many motions held, the softest: away from rest, neutral ones cost as much as
 * the forces that are left. */
ac_status ac_equilibrium_factor_holding(ac_equilibrium *e, int least);
void ac_equilibrium_ignore_push(const ac_equilibrium *e, double *force);
void ac_equilibrium_hold_neutral(const ac_equilibrium *e, double *delta);
/* On a path a motion along which the load acts is not held: where it has no resistance, the load has its limit. */
ac_status ac_equilibrium_release_pushed(ac_equilibrium *e);
/* What the neutral motion that costs most does cost, in the metric of `weight`, N/m, and the motion
 * itself. */
double ac_equilibrium_costliest(ac_equilibrium *e, double *motion);
/* Lets go of one motion: that along which a force acts. */
void ac_equilibrium_release_along(ac_equilibrium *e, const double *force);

/* push.c: the load that grows as forces and torques on the nodes, whether they are held or not, N. */
double ac_equilibrium_load_strength(const ac_equilibrium *e);
/* All loads as forces and torques on the nodes, in full or more, N: what a residual is compared with. */
double ac_equilibrium_full_loads(ac_equilibrium *e);
/* solver.c: is the residual of the point no small part of the loads? */
bool ac_equilibrium_is_unbalanced(ac_equilibrium *e);
/* Does the load that grows push along a neutral motion? */
ac_status ac_equilibrium_is_pushed(ac_equilibrium *e, bool *pushed);
/* Do the forces that are left push along a neutral motion? */
bool ac_equilibrium_leaves(ac_equilibrium *e);
/* AC_SINGULAR, and which motion it is, if the loads push along a neutral motion: with the forces that are
 * left, ... */
ac_status ac_equilibrium_check_push(ac_equilibrium *e);
/* ... with the load that grows, or the constant ones, ... */
ac_status ac_equilibrium_check_growing(ac_equilibrium *e, bool constant);
/* ... or along a translation that goes on without end; the tangent need not be there. */
ac_status ac_equilibrium_refuse_flight(ac_equilibrium *e);

/* equilibrium.c: goes from the initial state to the equilibrium under the constant loads alone, if there are
 * any. */
ac_status ac_equilibrium_raise_constant(ac_equilibrium *e);

/* potential.c: have the loads a potential at the present configuration? The tangent must be there. */
ac_status ac_equilibrium_has_potential(ac_equilibrium *e, bool *has);

/* stability.c: signs of the symmetric part of the reduced tangent, which must be at the present
 * configuration; ... */
ac_status ac_equilibrium_signs(ac_equilibrium *e, int *negative, int *neutral);
/* ... and the same in equilibrium, AC_NOT_JUDGED where the loads have no potential. */
ac_status ac_equilibrium_stability(ac_equilibrium *e, int *negative, int *neutral);
/* What eigenvalues are compared with, in the metric of `grain`, N/m: a bound on them and on the terms of
 * the tangent. */
double ac_equilibrium_stiffness(ac_equilibrium *e);

/* equilibrium.c: the first equilibrium, at a load factor. */
ac_status ac_equilibrium_first(ac_equilibrium *e, double factor);

/* path.c: one point of the path further */
ac_status ac_path_start(ac_equilibrium *e);
ac_status ac_path_next(ac_equilibrium *e);

/* observe.c */
ac_status ac_equilibrium_make_channels(ac_equilibrium *e);

#endif
