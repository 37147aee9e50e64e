/* What the files of the reduced formulation share: reduced.c (the equations and one step), reduced_matrix.c
 * (their matrix), reduced_loops.c (the dense case and closed loops) and reduced_kept.c (factors kept from
 * step to step).
 */
#ifndef ACTIO_INTEGRATE_REDUCED_H
#define ACTIO_INTEGRATE_REDUCED_H

#include "integrate/reaction.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "tree/blocks.h"
#include "tree/decoupled.h"
#include "tree/sparse.h"

/* Factors that are kept from step to step (reduced_kept.c). */
typedef struct ac_reduced_kept {
    bool factored;    /* `blocks` holds factors, of this step or an earlier one, for the step h */
    double h, last;   /* last: size of the last correction */
    double ratio;     /* of it to the one before while old factors are in use; 0: the matrix is exact */
    int corrections;  /* of this attempt */
    int usual;        /* corrections of a step that starts with new factors */
    int age, surplus; /* steps since then, and their corrections beyond the usual ones */
    bool stale;       /* new factors would have paid by now */
} ac_reduced_kept;

/* The dense case and closed loops (reduced_loops.c). */
typedef struct ac_reduced_dense {
    double *K, *J, *g, *N_a, *N_b, *KN, *NKN, *z, *rhs;
    int *pivot;
    int rank_limit; /* of J at q_b */
    ac_row_space space_a, space_b;
    double *space_block, *fit_block;
    int *space_ints, *fit_ints;
} ac_reduced_dense;

typedef struct ac_reduced {
    int freedoms, closures; /* of the tree; closure equations, with the further rows of the stepper */
    int loop_rows;          /* closure equations of the system */
    bool may_recur;         /* no loops, elements only along the tree ... */
    bool recursive;         /* ... and no further rows */
    bool sparse;            /* no loops, elements between short trees */
    bool coupled;           /* there are elements */
    bool weighted;
    bool transposed; /* the matrix that is collected is K^T: ends and blocks change places */
    ac_joint_state *state_a, *state_b, *base; /* per node: ends of the interval, start of the correction */
    double *columns_a, *columns_b; /* joint twists: where constraint forces act, at the right end */
    ac_reaction reaction;          /* schemes at the mean */
    double *own, *sum;             /* per node: wrench of the residual, and of the subtree */
    double *r, *weight, *delta, *scaled;
    double applied;       /* the part of delta by which the present q_b has moved */
    double *unit;         /* per freedom: 1 for turns, 1 / typical length for shifts */
    double *carried;      /* what rounding left of the equations of the last step */
    double *increment[4]; /* of this interval and of the three before */
    /* joint motions counted from the ground, else NULL */
    double *from_q, *from_columns, *free_twists, *decoupled;
    ac_trend trend; /* by which the next one is predicted */
    double miss;    /* size of the first correction of this attempt; negative: none yet */
    ac_tree_solver solver;

    ac_tree_sparse projected; /* sparse */
    ac_tree_blocks blocks;    /* instead of it, when trees are coupled in a row */
    bool in_blocks;
    ac_reduced_kept kept;
    ac_reduced_dense dense;
} ac_reduced;

/* The largest of |x| times its weight, and where it is; a number that is none counts as the largest. */
double ac_reduced_largest(int n, const double *x, const double *weight, int *where);

/* --- reduced_matrix.c --- */

/* The configuration at which constraint forces act. */
const double *ac_reduced_force_configuration(const ac_stepper *stepper);
/* What the step equation leaves on the nodes, without the forces of further rows; in reaction.rest. */
const double *ac_reduced_forces_left(ac_stepper *stepper, ac_reduced *reduced);
/* Multipliers of the present iterate, see reaction.h. */
void ac_reduced_split_forces(ac_stepper *stepper, ac_reduced *reduced);
/* delta = K^{-1} r by recursion; sets the weights too. */
ac_status ac_reduced_solve_tree(ac_stepper *stepper, ac_reduced *reduced);
/* The same for a right-hand side of wrenches (6 per node) and joint components. */
ac_status ac_reduced_solve_recursive(ac_stepper *stepper, ac_reduced *reduced, const double *wrenches,
                                     const double *joints, double *x);
/* K, dense; or in blocks or sparse, whichever there is. */
void ac_reduced_dense_matrix(ac_stepper *stepper, ac_reduced *reduced, double *K);
void ac_reduced_sparse_matrix(ac_stepper *stepper, ac_reduced *reduced);
/* Weights of the residual, from the diagonal of the present matrix. */
void ac_reduced_weigh(ac_reduced *reduced);

/* --- reduced_transposed.c: for adjoints --- */

/* Puts a stepper of the reduced formulation on an interval that is solved, with step number, time and momentum
 * at its left end: q_a, q_b, p, winding. `left` and the joint twists of both ends are found. */
void ac_reduced_place(ac_stepper *stepper, long step, double t, const double *qa, const double *qb,
                      const double *p, const double *winding);
/* y (tree freedoms) with K^T y = rhs, both ends within what closed loops allow: J_a y = 0, and the equation
 * holds along the motions at q_b. */
ac_status ac_reduced_solve_transposed(ac_stepper *stepper, const double *rhs, double *y);
/* x with K x = rhs, for tangents: x within what closed loops allow at q_b, and the equation holds along the motions where
 * constraint forces act. */
ac_status ac_reduced_solve_tangent(ac_stepper *stepper, const double *rhs, double *x);
/* w (n) = P x at q_b */
void ac_reduced_spread_end(ac_stepper *stepper, const double *x, double *w);
/* r (tree freedoms) = P^T f where constraint forces act. */
void ac_reduced_project_forces(ac_stepper *stepper, const double *f, double *r);
/* w (n) = P y where constraint forces act: at q_a, or at the mean. */
void ac_reduced_spread(ac_stepper *stepper, const double *y, double *w);
/* r (tree freedoms) = P(q_b)^T f */
/* r += derivative of (P(q_a) y) . b by tree freedoms at q_a, b held fixed; work: ac_tree_pullback_doubles. */
void ac_reduced_pull(ac_stepper *stepper, const double *y, const double *b, double *work, double *r);
void ac_reduced_project(ac_stepper *stepper, const double *f, double *r);
/* For schemes at the mean, after a transposed solve with the solution y, w = P y: out -= 1/2 (d/dq) (w . G^T lambda) there, the
 * constraint forces G^T lambda being f = p + left. The multipliers are those that the matrix has; nodes that stand alone have none, and
 * the same as 1/2 (d/dq) (P y) . f. lambda (rows) is workspace. */
void ac_reduced_turn_mean(ac_stepper *stepper, const double *y, const double *w, const double *f,
                          double *lambda, double *out);
/* Does it know the multipliers of closed loops by tree freedoms? */
bool ac_reduced_knows_loops(const ac_stepper *stepper);
/* Multipliers of the closure rows (of closed loops, then further rows) in the equation of the step, J_a^T mu = P(q_a)^T f; and those of
 * g(q_b) = 0, J_b^T eta = r, after a transposed solve. */
void ac_reduced_closure_forces(ac_stepper *stepper, const double *f, double *mu);
void ac_reduced_closure_rows(ac_stepper *stepper, const double *r, double *eta);
/* The joint twists at q_a. */
const double *ac_reduced_columns(const ac_stepper *stepper);

/* --- reduced_loops.c --- */

ac_status ac_reduced_create_dense(ac_stepper *stepper, ac_reduced *reduced);
/* Takes the present number of further rows. */
void ac_reduced_count_rows(ac_stepper *stepper, ac_reduced *reduced);
/* Closure equations and further rows at q. */
void ac_reduced_closure(ac_stepper *stepper, const ac_reduced *reduced, const double *q, double *g);
/* J of all of them by the tree freedoms, in dense.J. */
void ac_reduced_jacobian(ac_stepper *stepper, ac_reduced *reduced, const double *columns, const double *q);
/* The null space of the closure at q, columns_a being those of q; `known`: its rank is known but for
 * rounding. */
void ac_reduced_open(ac_stepper *stepper, ac_reduced *reduced, const double *q, bool known, int rank_limit);
/* delta by the dense matrix. */
ac_status ac_reduced_correct_dense(ac_stepper *stepper, ac_reduced *reduced);
/* The matrix of the present iterate as published; the caller releases it. */
ac_status ac_reduced_matrix(ac_stepper *stepper, double **matrix, int *size);

/* --- reduced_kept.c --- */

/* delta by the factors of an earlier matrix if they will do, else by those of the present one; its size in
 * `last`. */
ac_status ac_reduced_correct_kept(ac_stepper *stepper, ac_reduced *reduced);
/* The size of a correction, such that it is not taken for the last while an old matrix leaves more than
 * rounding. */
double ac_reduced_judged(const ac_reduced *reduced, double size);
/* A step is accepted: would new factors pay? */
void ac_reduced_grow_older(ac_reduced *reduced);

#endif
