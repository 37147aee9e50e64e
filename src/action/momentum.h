/* Momenta: discrete Legendre transforms and what follows from them.
 *
 *   constrained  p           n numbers, as the scheme gives it
 *   reduced      P^T p       minimal dimension (tree freedoms here)
 *   projected    Q p = M P (P^T M P)^{-1} P^T p, consistent with the velocity constraints, also where M is singular
 */
#ifndef ACTIO_ACTION_MOMENTUM_H
#define ACTIO_ACTION_MOMENTUM_H

#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "tree/blocks.h"
#include "tree/loop_rows.h"
#include "tree/sparse.h"

typedef struct ac_normal_product { /* two entries of G add their product to a place of G G^T */
    int place, a, b;
} ac_normal_product;

/* Large systems with loops, see momentum_loops.c. */
typedef struct ac_legendre_saddle {
    ac_sparse *matrix; /* NULL: the system is not one */
    double *x, pivots;
    ac_loop_rows loops;
    bool chosen; /* independent rows for it */
} ac_legendre_saddle;

/* Multipliers: G G^T, a sum of products of entries of G; factorised at `at` when it is ready. */
typedef struct ac_legendre_normal {
    ac_sparse *matrix;
    bool *omitted;
    int product_count;
    ac_normal_product *products;
    double *gradients, *correction, *at;
    bool ready;
} ac_legendre_normal;

typedef struct ac_legendre {
    const ac_system *system;
    ac_context *ctx;
    double *inverse_mass; /* per node 3 x 3 pseudo-inverse of the Euler tensor; planar: [0] */
    bool *massless;       /* per coordinate: has no momentum of its own */
    /* results of ac_legendre_project */
    double *reduced;   /* P^T p, tree freedoms */
    double *u;         /* consistent tree velocities */
    double *twists;    /* 6 per node */
    double *velocity;  /* n */
    double *projected; /* Q p, n */
    /* workspace */
    ac_joint_state *state;
    double *columns, *own, *weight, *K, *J, *N, *NKN, *z, *block, *scratch;
    ac_legendre_saddle saddle;
    int *pivot, *ints;
    ac_row_space space;
    ac_tree_solver solver;
    double *mass_pivot;    /* beams: factorised mass, see coupled_mass.c */
    ac_tree_blocks blocks; /* coupled masses in a row, as along beams */
    bool in_blocks;
    ac_tree_sparse mass; /* beams: P^T M P */
    ac_legendre_normal normal;
} ac_legendre;

/* with_multipliers: also what ac_legendre_multipliers needs. */
ac_status ac_legendre_create(ac_context *ctx, const ac_system *system, bool with_multipliers,
                             ac_legendre *legendre);
/* The masses of the system have changed. */
void ac_legendre_restart(ac_legendre *legendre);
void ac_legendre_destroy(ac_legendre *legendre);

/* `columns` of the joints at q. What projects or finds multipliers leaves those of its own q there. */
void ac_legendre_columns(ac_legendre *legendre, const double *q);
/* Reduced and projected momentum of p at q, and the velocity that belongs to it. */
ac_status ac_legendre_project(ac_legendre *legendre, const double *q, const double *p);
/* lambda with G(q)^T lambda = b in the least-squares sense; zero on redundant rows. */
ac_status ac_legendre_multipliers(ac_legendre *legendre, const double *q, const double *b, double *lambda);
/* The smallest s with G(q) s = r; rows that others imply play no part. */
ac_status ac_legendre_lift(ac_legendre *legendre, const double *q, const double *r, double *s);

/* The parts of all this for masses that couple nodes (coupled_mass.c). */
ac_status ac_coupled_create(ac_legendre *legendre);
void ac_coupled_restart(ac_legendre *legendre);
void ac_coupled_destroy(ac_legendre *legendre);
void ac_coupled_inverse_apply(const ac_legendre *legendre, const double *p, double *v);
ac_status ac_coupled_project(ac_legendre *legendre, const double *q, const ac_tree_pair *pair,
                             double rank_tolerance);

/* The parts of it for loops in large systems (momentum_loops.c). */
bool ac_legendre_is_large(const ac_system *system);
ac_status ac_loops_create(ac_legendre *legendre);
ac_status ac_loops_project(ac_legendre *legendre, const double *q, const double *p);
/* Chooses the closure rows that are implied by the others at q. */
ac_status ac_legendre_omit(ac_legendre *legendre, const double *q);

/* v = M^{-1} p on the coordinates that have mass. */
void ac_inverse_mass_apply(const ac_legendre *legendre, const double *p, double *v);
/* Momentum maps: total linear momentum and angular momentum about a point. */
void ac_momentum_maps(const ac_system *system, const double *q, const double *p, const double about[3],
                      double linear[3], double angular[3]);

#endif
