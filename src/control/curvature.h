/* Collecting second derivatives: entries by unknowns, by coordinates of nodes, and gradients that act
 * through the chart. */
#ifndef ACTIO_CONTROL_CURVATURE_H
#define ACTIO_CONTROL_CURVATURE_H

#include "control/optimization.h"

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
/* Part of the gradient of the Lagrangian by a coordinate at a node. */
void ac_curve_gradient(const ac_optimization *o, int node, int i, double value);
/* Second derivatives by the local coordinates of one node. */
double *ac_curve_diagonal(const ac_optimization *o, int node);

/* curvature_terms.c */
void ac_curve_objectives(const ac_curve *s, double sigma);
void ac_curve_rows(const ac_curve *s);

#endif
