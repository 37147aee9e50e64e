/* Motions whose steps have lengths of their own: times of the nodes, and the sweep where the length is an unknown; see times.c. */
#ifndef ACTIO_ADJOINT_TIMES_H
#define ACTIO_ADJOINT_TIMES_H

#include "action/describe/discrete.h"

struct ac_adjoint;

typedef struct ac_adjoint_times {
    long first;    /* node that t and interval that h begin with */
    double *t, *h; /* of nodes, of intervals */
    bool *found;   /* intervals whose length follows from the energy; NULL: lengths are given */
    double until;
    double by_t, by_energy;  /* adjoint of the time of the node reached, and of the energy wanted */
    double *left, *right;    /* of an interval by its length */
    double *y, *w, *reduced; /* the solution for the energy */
    double weight, by_start,
        by_step; /* of the energy of the interval; of the functional by its time and length */
} ac_adjoint_times;

/* Simulates once: how many steps there are, how long they are, and which of them keep the energy. */
ac_status ac_adjoint_find_times(struct ac_adjoint *adjoint);
void ac_adjoint_end_times(struct ac_adjoint *adjoint);
void ac_adjoint_begin_times(struct ac_adjoint *adjoint);
/* Do lengths of steps follow from the energy? */
bool ac_adjoint_steps_are_free(const struct ac_adjoint *adjoint);
/* Do the same steps keep the energy in both motions? True where the lengths of steps are given. */
bool ac_adjoint_times_alike(const struct ac_adjoint *a, const struct ac_adjoint *b);

/* A step of the sweep: before it is solved; the solution y is completed, and by_b, the variation by q_b without constraint forces
 * (NULL: not wanted); when w stands. The last adds to out_a and to the derivatives by numbers. */
void ac_adjoint_open_length(struct ac_adjoint *adjoint, long number, const ac_discrete_point *point);
ac_status ac_adjoint_solve_length(struct ac_adjoint *adjoint, long number, const ac_discrete_point *point,
                                  double *by_b);
void ac_adjoint_take_length(struct ac_adjoint *adjoint, long number, const ac_discrete_point *point);

#endif
