/* A motion with contacts, recorded node by node, and the sweep backwards through it.
 *
 * Impacts are nodes between those of the mesh. An interval is bounded if it ends where a gap closes: its length is an unknown, and the
 * gap at its end an equation. Otherwise it ends at a given time, so that its length changes with the time at which it begins.
 *
 *   path.c     forward: the simulation, its nodes and what happens there; what has no derivative is refused
 *   back.c     backwards: one interval
 *   bounce.c   backwards: the jump of the momentum at an impact
 *   held.c     backwards: closed contacts, as further constraints, and what they carry of the momentum
 *   slopes.c   backwards: parameters in contacts
 */
#ifndef ACTIO_ADJOINT_IMPACTS_PATH_H
#define ACTIO_ADJOINT_IMPACTS_PATH_H

#include "adjoint/adjoint.h"

enum { AC_NO_CONTACT = -1 };

typedef struct ac_path_node {
    double t, h;   /* its time; length of the interval behind it */
    long number;   /* of the interval of the mesh to which that belongs */
    bool on_mesh;  /* it is a node of the mesh */
    bool bounded;  /* the interval behind it ends where a gap closes */
    bool opens;    /* contacts open there: the momentum that arrives loses what they carried of it */
    bool holds;    /* some contact is closed on the interval behind it */
    bool balanced; /* ... has the energy of the one before it, less the loss at the node */
    int closes;    /* contact whose gap closes at the node */
    int bounces;   /* contact that opens again there */
} ac_path_node;

/* What is found at an impact: a = A grad g, with A = P (P^T M P)^-1 P^T at q, and p+ = p + Lambda grad g. */
typedef struct ac_path_bounce {
    double *gradient, *a, *v; /* v = A p, n each */
    double speed, mobility;   /* grad g . v, grad g . a */
    double lambda;
} ac_path_bounce;

/* The energy of an interval by its ends and its length. */
typedef struct ac_path_energy {
    double *by_a, *by_b;
    double by_h;
} ac_path_energy;

/* A solution of the transposed step for one right-hand side: y, w = P y, and the rate at which the work of w changes with the length of
 * the interval. */
typedef struct ac_path_weight {
    double *y, *w;
    double by_h;
} ac_path_weight;

typedef enum ac_path_side { AC_PATH_PLAIN, AC_PATH_GAP, AC_PATH_ENERGY, AC_PATH_SIDES } ac_path_side;

typedef struct ac_path {
    int count, capacity, number_capacity;
    ac_path_node *nodes;
    bool held; /* some contact is closed somewhere */
    double *
        numbers; /* of each node: q, momentum that arrives and that leaves, the same as the functional has it, windings, escort; which
                        contacts are closed on the interval behind it */
    size_t stride;
    int present;      /* the node whose escort is asked for */
    double by_t;      /* adjoint of the time of the node that the sweep has reached */
    double by_energy; /* ... and of the energy of the interval before it */
    ac_path_bounce bounce;
    ac_path_energy energy;
    ac_path_weight weights[AC_PATH_SIDES];
    double *gap;      /* gradient at the end of a bounded interval, n */
    double *p, *by_p; /* n: the momentum that leaves; workspace */
    double *tau_h, *tau_t, *by_tau;
    double *anchors;  /* of each contact that sticks: the adjoint of the place where it closed, 3 numbers */
    double *residual; /* n: the variation by b, without constraints */
    double *rows;     /* multipliers of closed loops, then of closed contacts */
    double *mass, *velocity, *rest, *pulled; /* n: workspace of projections */
    double *slopes;                          /* per number that varies */
} ac_path;

ac_status ac_path_create(ac_adjoint *adjoint);
void ac_path_destroy(ac_adjoint *adjoint);
/* The motion, recorded. AC_BAD_INPUT: it has no derivative, or none that is known; the message names the contact and the time. */
ac_status ac_path_record(ac_adjoint *adjoint);
/* Does the same happen in both motions, in the same intervals? True where there are no contacts. */
bool ac_paths_alike(const ac_adjoint *a, const ac_adjoint *b);
/* AC_BAD_INPUT: a parameter moves what contacts are made of. */
ac_status ac_path_check_parameter(const ac_adjoint *adjoint, const ac_system_slope *slope);
/* The functional along the path, without derivatives. */
void ac_path_value(ac_adjoint *adjoint);
/* Backwards through all of it. */
ac_status ac_path_sweep(ac_adjoint *adjoint);

static inline double *ac_path_q(const ac_path *path, int node)
{
    return path->numbers + (size_t)node * path->stride;
}
double *ac_path_arriving(const ac_adjoint *adjoint, int node);
double *ac_path_leaving(const ac_adjoint *adjoint, int node);
double *ac_path_shown(const ac_adjoint *adjoint, int node);
double *ac_path_winding(const ac_adjoint *adjoint, int node);
double *ac_path_escort(const ac_adjoint *adjoint, int node);
/* Per contact: 0 open, 1 + the node where it closed, negative if it sticks there. */
double *ac_path_closed(const ac_adjoint *adjoint, int node);

/* back.c: the functional on the interval behind a node; without derivatives where `to` is NULL. */
typedef struct ac_path_slopes {
    double *by_a, *by_b, *by_inputs, by_t, by_h;
} ac_path_slopes;
double ac_path_functional(ac_adjoint *adjoint, int node, ac_path_slopes *to);

/* bounce.c: the impact at a node, and its jump backwards: by_p, the adjoint of the momentum that leaves, becomes that of the one that
 * arrives; by_q += . `loss` is the adjoint of the loss of energy. */
ac_status ac_bounce_open(ac_adjoint *adjoint, int node);
ac_status ac_bounce_pull(ac_adjoint *adjoint, int node, double loss, double *by_q, double *by_p);
/* held.c: the contacts that are closed behind a node are so in the backward stepper; then, on the interval on which that stands, the forces of
 * closed contacts turned with w (out -= (d/dq) (w . R^T kappa)), and taken from its momentum; what their gaps at q_b weigh, taken from the
 * variation by b. */
void ac_held_set(ac_adjoint *adjoint, int node);
void ac_held_turn(ac_adjoint *adjoint, int node, const double *w, double *out);
void ac_held_take_gaps(ac_adjoint *adjoint, int node, double *by_b);
/* Points that stick from this node on keep the place that they have there: by_q += . */
void ac_held_take_anchors(ac_adjoint *adjoint, int node, double *by_q);
/* velocity.c with the contacts that are closed before a node, too: v = A p, and derivatives by it taken back. */
ac_status ac_held_velocity(ac_adjoint *adjoint, int node, const double *p, double *v);
ac_status ac_held_pull_velocity(ac_adjoint *adjoint, int node, const double *p, const double *by_v,
                                double *by_q, double *by_p);
/* The momentum that arrives at a node becomes that which the closed contacts before it allow; by: derivatives by the result. */
ac_status ac_held_pull(ac_adjoint *adjoint, int node, const double *by, double *by_q, double *by_p);

/* slopes.c: what parameters do to the contact itself, to the gradient by them: zeta times the gap at q; and of the impact at a node the
 * impulse along the weights w, the products of the jump with their weights by_s and by_m, and restitution or loss with by_law. */
void ac_path_take_gap(ac_adjoint *adjoint, int contact, const double *q, const double *winding, double zeta);
/* weight times the derivative of e . x of the striking point at q; q may be a velocity */
void ac_path_take_point(ac_adjoint *adjoint, int contact, const double *q, bool velocity, const double e[3],
                        double weight);
/* weight times the derivative of grad g . w */
void ac_path_take_rate(ac_adjoint *adjoint, int contact, const double *q, const double *winding,
                       const double *w, double weight);
typedef struct ac_bounce_weights {
    const double *w; /* n: the adjoint of the momentum that leaves */
    double by_s, by_m, by_law;
} ac_bounce_weights;
void ac_path_take_bounce(ac_adjoint *adjoint, int node, const ac_bounce_weights *weights);
/* out += factor g'' w of the gap of a contact */
void ac_gap_bend(const ac_system *system, int contact, const double *q, const double *winding,
                 const double *w, double factor, double *out);

#endif
