/* Collecting second derivatives: entries by unknowns, by coordinates of nodes, and gradients that act
 * through the chart. */
#ifndef ACTIO_OPTIMIZE_TRANSCRIBE_CURVATURE_H
#define ACTIO_OPTIMIZE_TRANSCRIBE_CURVATURE_H

#include "optimize/problem/optimization.h"

/* One pass over all terms. */
typedef struct ac_curve {
    ac_optimization *o;
    double *values; /* NULL: marking the pattern */
    const double *mu;
} ac_curve;

/* By two unknowns; each pair once. */
void ac_curve_put(const ac_curve *s, int i, int j, double value);
/* value times `count` numbers, on columns that follow one another. */
void ac_curve_put_run(const ac_curve *s, int row, int column, int count, const double *run, double value);
/* By coordinate i at node na and coordinate j at node nb (the same or a neighbour); pairs come once. */
void ac_curve_put_qq(const ac_curve *s, int na, int i, int nb, int j, double value);
/* By coordinate i at a node and by an unknown that is no configuration. */
void ac_curve_put_qv(const ac_curve *s, int node, int i, int variable, double value);
/* By an unknown and the local coordinates of a node (freedoms, then parameters). */
void ac_curve_put_local(const ac_curve *s, int variable, int node, const double *run, double value);
/* Part of the gradient of the Lagrangian by a coordinate at a node. */
void ac_curve_gradient(const ac_optimization *o, int node, int i, double value);
/* Second derivatives by the local coordinates of one node. */
double *ac_curve_diagonal(const ac_optimization *o, int node);

/* v = D mu (or mu itself) of the rows of the dynamics at a node, and its derivatives by local coordinates. */
const double *ac_curve_weights(const ac_optimization *o, int node);
const double *ac_curve_along(const ac_optimization *o, int node);

/* curvature_vary.c: what depends on parameters by data of constraints, momenta at the ends, loads and the
 * energy. */
void ac_curve_dynamics_parameters(const ac_curve *s);
void ac_curve_constraint_parameters(const ac_curve *s, const ac_row_block *block, const double *mu);
void ac_curve_velocity_parameters(const ac_curve *s, const ac_row_block *block, const double *mu);
void ac_curve_start_parameters(const ac_curve *s, const ac_row_block *block, const double *mu);
void ac_curve_energy_parameters(const ac_curve *s, int interval, double weight);

/* curvature_terms.c */
/* By two local variables of a term. */
void ac_curve_put_pair(const ac_curve *s, int place, const ac_ref *a, const ac_ref *b, double value);
void ac_curve_objectives(const ac_curve *s, double sigma);
void ac_curve_rows(const ac_curve *s);

#endif
