/* Numbers with a past: a number is a value and the record of how it came about.
 *
 *   ac_num l = ac_num_input(g, 0.3), mass = ac_num_multiply(g, density, ac_num_power(g, l, 3));
 *
 * A number behind which there is no input has node 0 and leaves no record. A graph is constant once it is recorded; the numbers of its
 * nodes live in a workspace, one per thread. Four loops over the records do everything:
 *
 *   evaluate   y(x)                        reverse   x_bar = (dy/dx)^T y_bar
 *   tangent    dy = (dy/dx) dx             second    x_bar, and its change d(x_bar) along dx: exact second derivatives
 *
 * A fifth one, `mixed`, gives the second derivatives of all numbers along two directions, where `second` gives those of one number along
 * all of them.
 */
#ifndef ACTIO_BASE_NUMBER_GRAPH_H
#define ACTIO_BASE_NUMBER_GRAPH_H

#include "actio/context.h"
#include "base/number/operation.h"

typedef struct ac_num {
    double v;
    int node; /* 0: it depends on no input */
} ac_num;

typedef struct ac_record {
    operation op;  /* OP_VARIABLE: an input, number a */
    int a, b;      /* nodes; 0 where there is none */
    double number; /* of OP_NUMBER */
} ac_record;

typedef struct ac_graph {
    ac_context *ctx;
    int count, inputs, capacity, input_capacity;
    ac_record *records; /* the first one is none */
    int *input;         /* nodes of the inputs */
    bool failed;        /* out of memory, and the message is set */
} ac_graph;

typedef struct ac_graph_work { /* per node: value, change, bar, change of the bar */
    ac_context *ctx;
    int capacity;
    double *v, *d, *bar, *dbar;
} ac_graph_work;

ac_status ac_graph_new(ac_context *ctx, ac_graph **graph);
void ac_graph_free(ac_graph *graph);
/* Forgets the records from this one on: what was recorded for a moment. */
void ac_graph_cut(ac_graph *graph, int count);
/* Which nodes depend on one of the inputs that are marked; `reached` has one entry per node. */
void ac_graph_reach(const ac_graph *graph, const bool *inputs, bool *reached);
static inline bool ac_graph_failed(const ac_graph *graph)
{
    return graph && graph->failed;
}

/* --- recording; with a graph that is NULL numbers alone are computed --- */

static inline ac_num ac_num_of(double v)
{
    return (ac_num){v, 0};
}

ac_num ac_num_input(ac_graph *g, double v);
/* The node of a number, which gets one if it has none. */
int ac_num_node(ac_graph *g, ac_num a);
/* Any operation of the table. */
ac_num ac_num_unary(ac_graph *g, operation op, ac_num a);
ac_num ac_num_binary(ac_graph *g, operation op, ac_num a, ac_num b);
/* Sums with the number zero and products with the number one are the other operand. */
ac_num ac_num_add(ac_graph *g, ac_num a, ac_num b);
ac_num ac_num_subtract(ac_graph *g, ac_num a, ac_num b);
ac_num ac_num_multiply(ac_graph *g, ac_num a, ac_num b);
ac_num ac_num_divide(ac_graph *g, ac_num a, ac_num b);
/* A number times another: nothing depends where the first one is zero. */
ac_num ac_num_scale(ac_graph *g, double factor, ac_num a);
ac_num ac_num_power(ac_graph *g, ac_num a, int exponent);

/* Vectors and matrices of three. Products with the number zero do not depend. */
ac_num ac_num_dot3(ac_graph *g, const ac_num a[3], const ac_num b[3]);
void ac_num_cross3(ac_graph *g, const ac_num a[3], const ac_num b[3], ac_num out[3]);
void ac_num_apply3(ac_graph *g, const ac_num A[9], bool transposed, const ac_num x[3], ac_num out[3]);
void ac_num_multiply3(ac_graph *g, const ac_num A[9], bool transposed, const ac_num B[9], ac_num out[9]);

/* --- the four loops --- */

/* A workspace for all records that there are now; the first time it must be zero. */
ac_status ac_graph_fit(const ac_graph *g, ac_context *ctx, ac_graph_work *w);
void ac_graph_work_free(ac_graph_work *w);
void ac_graph_evaluate(const ac_graph *g, ac_graph_work *w, const double *x);
void ac_graph_tangent(const ac_graph *g, ac_graph_work *w, const double *dx);
/* After `tangent`: the change of w->d along another direction is in w->dbar, and bars are gone. */
void ac_graph_mixed(const ac_graph *g, ac_graph_work *w, const double *dx);
void ac_graph_clear(const ac_graph *g,
                    ac_graph_work *w); /* then add to bar[node], and dbar[node] before `second` */
void ac_graph_reverse(const ac_graph *g, ac_graph_work *w, double *x_bar);
void ac_graph_second(const ac_graph *g, ac_graph_work *w, double *x_bar,
                     double *change); /* after `tangent` */

#endif
