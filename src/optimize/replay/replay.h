/* Inside of replays: what strikes at the end of a phase, the equations of a configuration with what is held, and the two methods. */
#ifndef ACTIO_OPTIMIZE_REPLAY_REPLAY_H
#define ACTIO_OPTIMIZE_REPLAY_REPLAY_H

#include "actio/replay.h"
#include "linalg/sparse.h"
#include "integrate/stepper.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"

/* What the end of a phase brings: quantities of the next phase that are stopped or bounce. */
typedef struct ac_strike_end {
    const ac_junction_data *junction; /* NULL: the motion ends */
    ac_optimization *whole, *phase, *next;
    int count;     /* of what takes impulses: what the next phase holds, then what bounces */
    bool *fresh;   /* per one: not held before */
    int trigger;   /* the one whose value ends the phase; -1: it ends after its duration */
    double side;   /* sign of that value before it ends the phase */
    double from;   /* part of the duration from which on it counts: after that it only falls */
    double length; /* of the junction */
    double *work;  /* n */
} ac_strike_end;

ac_status ac_strike_end_open(ac_optimization *whole, int phase, ac_strike_end *end);
void ac_strike_end_close(ac_context *ctx, ac_strike_end *end);
int ac_strike_end_scalar(const ac_strike_end *end, int k);
/* Distance of quantity k of the next phase from where that phase begins, seen from configuration q of this one; gradient (n,
 * may be NULL) by q. */
double ac_strike_end_gap(const ac_strike_end *end, int k, const double *q, double *gradient);

/* --- cycle.c --- */
const ac_junction_data *ac_junction_from(const ac_optimization *whole, int phase);
const ac_junction_data *ac_junction_to(const ac_optimization *whole, int phase);
/* out = S x; with `shift`: less the length of the junction. */
void ac_junction_apply(const ac_optimization *whole, const ac_junction_data *j, const double *x, bool shift,
                       double *out);

/* --- equations.c: [M G^T; G 0] with the constraints of the system and quantities of a phase that are held --- */
typedef struct ac_equations {
    const ac_system *system;
    const ac_optimization *phase;
    int count, size;        /* quantities; n, constraints, quantities */
    int *rows, constraints; /* of the system: all of the tree, and of loops those that are independent */
    int *scalars;
    ac_sparse *matrix;
    double *right, *curve; /* size; of all constraints of the system */
} ac_equations;

ac_status ac_equations_open(ac_optimization *phase, int count, const int *scalars, ac_equations *e);
void ac_equations_close(ac_context *ctx, ac_equations *e);
ac_status ac_equations_factor(ac_equations *e, const double *q);
/* Velocities with momentum p, or accelerations under the force p, less what is held carries; `rates`: of the quantities (NULL:
 * zero), `curve`: velocity whose square bends the rows (NULL: none). */
ac_status ac_equations_solve(ac_equations *e, const double *q, const double *p, const double *rates,
                             const double *curve, double *out);

/* --- found.c: velocities of the motion found, at its nodes --- */
typedef struct ac_found {
    ac_optimization *phase;
    ac_stepper stepper;
    ac_equations held;
} ac_found;

ac_status ac_found_open(ac_optimization *phase, const ac_system *system, ac_found *found);
void ac_found_close(ac_found *found);
ac_status ac_found_velocity(ac_found *found, int node, double *v);

/* --- the methods --- */

/* Where a replay is, in coordinates of its phase. */
typedef struct ac_replay_point {
    double *q, *v, *winding;
} ac_replay_point;

/* One phase on its way. */
typedef struct ac_replay_phase {
    ac_optimization *whole, *phase;
    const ac_system *system; /* with the parameters found */
    ac_strike_end *end;
    int cycle, number;
    double begin; /* time from the start of the first cycle */
    const ac_replay_watch *watch;
    ac_replay_point *point; /* in: the start of the phase; out: its end, before impulses */
    double *after;          /* out: velocity after impulses, seen from this phase */
    double duration;        /* out */
    double followed;        /* out: how long it stays with the motion found */
    bool left;              /* it does not any more */
    bool *lost;             /* it is so far away that it is not shown any more */
    double defect;          /* out: of the hybrid reference */
    char *remark;           /* out: why it ends early */
} ac_replay_phase;

/* A replay has reached a node (-1: the strike). */
ac_status ac_replay_show(ac_replay_phase *r, int node, double time, const double *q);
/* Largest difference of coordinates. */
double ac_replay_difference(int n, const double *a, const double *b);

ac_status ac_replay_collide(ac_replay_phase *r);
ac_status ac_replay_hybrid(ac_replay_phase *r);
/* Phases may last so many times their duration before they are given up. */
#define AC_REPLAY_PATIENCE 1.5

/* contacts.c: what a phase holds and what strikes at its end, as contacts of the collision integrator; false: `remark` says what
 * cannot be one. The last contact is the one that strikes, if there is one. */
enum { AC_REPLAY_CONTACTS = 16 };
bool ac_replay_contacts(const ac_replay_phase *r, ac_contact contacts[AC_REPLAY_CONTACTS], int *count);

#endif
