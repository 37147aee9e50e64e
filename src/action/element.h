/* Elements: terms of the action on a few nodes, beyond inertia and gravity.
 *
 * A kind of element is a table of functions on the coordinates x of its nodes; schemes decide where the
 * functions are evaluated, so an element knows nothing of time stepping. A new kind is one file and one line
 * in ac_element_kinds.
 */
#ifndef ACTIO_ACTION_ELEMENT_H
#define ACTIO_ACTION_ELEMENT_H

#include "model/system.h"

/* Slopes of damping that are added to others: - by_x df/dx - by_v df/dv at the velocity v. */
typedef struct ac_damping_slope {
    const double *v;
    double by_x, by_v;
} ac_damping_slope;

/* `memory` holds one number per measure of the system: the value near which angles are continued. */
typedef struct ac_element_kind {
    const char *name;
    int (*count)(const ac_system *system);
    /* Its nodes; answers how many. */
    int (*nodes)(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES]);
    bool (*conservative)(const ac_system *system, int k);
    bool (*dissipative)(const ac_system *system, int k);
    /* Potential energy, gradient, Hessian (size x size). */
    double (*energy)(const ac_system *system, int k, const double *x, const double *memory);
    /* `sum` and the energies of all elements, added one after another; NULL: as elements that stand alone. */
    double (*add_energies)(const ac_system *system, const double *q, double sum);
    void (*gradient)(const ac_system *system, int k, const double *x, const double *memory, double *gradient);
    /* The gradients of all elements at once, out += factor dV/dq; NULL: one after another. */
    void (*add_gradients)(const ac_system *system, const double *q, double factor, double *out);
    /* The same for discrete derivatives between qa and qb, whose mean is given; NULL: one by one.
     * `stresses` gives those at qa, six for each element; NULL: they are not asked for. */
    void (*stresses)(const ac_system *system, const double *q, double *stress);
    void (*add_discretes)(const ac_system *system, const double *qa, const double *stress_a, const double *qb,
                          const double *mean, double factor, double *out);
    void (*hessian)(const ac_system *system, int k, const double *x, const double *memory, double *hessian);
    /* Discrete derivative of the energy between xa and xb; slope = its derivative by xb, may be NULL. */
    void (*discrete)(const ac_system *system, int k, const double *xa, const double *xb, const double *memory,
                     double *gradient, double *slope);
    /* Two bodies only, may be NULL: the slopes of these two between twists, 12 x 12; rows at `left`,
     * columns at `right` or xb. With those of damping at x or the mean, unless NULL. */
    void (*twist_hessian)(const ac_system *system, int k, const double *x, const double *left,
                          const double *right, double factor, const ac_damping_slope *damping, double *block);
    void (*twist_discrete)(const ac_system *system, int k, const double *xa, const double *xb,
                           const double *left, double factor, const ac_damping_slope *damping, double *block);
    /* Force at position x and velocity v; by_x and by_v may both be NULL. */
    void (*force)(const ac_system *system, int k, const double *x, const double *v, const double *memory,
                  double *f, double *by_x, double *by_v);
    /* The forces of all elements at once, out += factor f; NULL: one after another. */
    void (*add_forces)(const ac_system *system, const double *q, const double *v, double factor, double *out);
} ac_element_kind;

extern const ac_element_kind *const ac_element_kinds[];
int ac_element_kind_count(void);

/* Nodes of an element and the total number of their coordinates. */
typedef struct ac_element_place {
    int nodes[AC_ELEMENT_NODES], node_count, size;
} ac_element_place;

ac_element_place ac_element_where(const ac_system *system, const ac_element_kind *kind, int k);
/* The coordinates of a few nodes, one after another: where row and column i of a local block belong. */
void ac_block_coordinates(const ac_system *system, const int *nodes, int count, int *coordinates);
void ac_element_gather(const ac_system *system, const ac_element_place *place, const double *q, double *x);
/* out += factor x, coordinates of the element into the vector of the system */
void ac_element_scatter(const ac_system *system, const ac_element_place *place, const double *x,
                        double factor, double *out);

/* Potential energy of the whole system, gravity included. */
double ac_potential_energy(const ac_system *system, const double *q, const double *memory);
/* gradient += factor dV/dq of all elements; gravity is not included (its force is system->gravity_force). */
void ac_potential_add_gradient(const ac_system *system, const double *q, const double *memory, double factor,
                               double *gradient);

#endif
