/* Collecting second derivatives: entries by unknowns, by coordinates of nodes, and gradients that act
 * through the chart. */
#ifndef ACTIO_OPTIMIZE_TRANSCRIBE_CURVATURE_H
#define ACTIO_OPTIMIZE_TRANSCRIBE_CURVATURE_H

#include "optimize/problem/optimization.h"

/* One pass over all terms. */
typedef struct ac_hessian_pass {
    ac_optimization *o;
    double *values; /* NULL: marking the pattern */
    const double *mu;
} ac_hessian_pass;

/* By two unknowns; each pair once. */
void ac_hessian_put(const ac_hessian_pass *s, int i, int j, double value);
/* value times `count` numbers, on columns that follow one another. */
void ac_hessian_put_run(const ac_hessian_pass *s, int row, int column, int count, const double *run,
                        double value);
/* By coordinate i at node na and coordinate j at node nb (the same or a neighbour); pairs come once. */
void ac_hessian_put_qq(const ac_hessian_pass *s, int na, int i, int nb, int j, double value);
/* By coordinate i at a node and by an unknown that is no configuration. */
void ac_hessian_put_qv(const ac_hessian_pass *s, int node, int i, int variable, double value);
/* By an unknown and the local coordinates of a node (freedoms, then parameters). */
void ac_hessian_put_local(const ac_hessian_pass *s, int variable, int node, const double *run, double value);
/* Part of the gradient of the Lagrangian by a coordinate at a node. */
void ac_hessian_gradient(const ac_optimization *o, int node, int i, double value);
/* Second derivatives by the local coordinates of one node. */
double *ac_hessian_diagonal(const ac_optimization *o, int node);

/* v = D mu (or mu itself) of the rows of the dynamics at a node, and its derivatives by local coordinates. */
const double *ac_hessian_weights(const ac_optimization *o, int node);
const double *ac_hessian_along(const ac_optimization *o, int node);

/* holds.c */
void ac_hold_curvature(const ac_hessian_pass *s);
void ac_hold_rows_curvature(const ac_hessian_pass *s, const ac_row_block *block, const double *mu);

/* curvature_vary.c: what depends on parameters by data of constraints, momenta at the ends, loads and the
 * energy. */
void ac_hessian_dynamics_parameters(const ac_hessian_pass *s);
void ac_hessian_constraint_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu);
void ac_hessian_velocity_parameters(const ac_hessian_pass *s, const ac_row_block *block, const double *mu);
/* start_rows.c */
void ac_start_curvature(const ac_hessian_pass *s, const ac_row_block *block, const double *mu);

/* curvature_terms.c */
/* By two local variables of a term. */
void ac_hessian_put_pair(const ac_hessian_pass *s, int place, const ac_ref *a, const ac_ref *b, double value);
void ac_hessian_objectives(const ac_hessian_pass *s, double sigma);
void ac_hessian_rows(const ac_hessian_pass *s);

#endif
