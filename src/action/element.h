/* Elements: terms of the action on a few nodes, beyond inertia and gravity.
 *
 * The description of a kind is its definition. An element has parts; a part is one number y = psi(kappa(q)), a function
 * of a few quadratic maps of the coordinates, with a law W(y) and damping -c y' grad y (law.h). Everything else follows:
 * energies, forces, slopes, discrete derivatives, second and third derivatives, in every scheme and task.
 * Loops written by hand are optional; they must give the same numbers, and tests/action/test_loops.c compares them.
 * Schemes decide where the functions are evaluated, so an element knows nothing of time stepping. A new kind is one file
 * and one line in the table of kinds.c.
 */
#ifndef ACTIO_ACTION_ELEMENT_H
#define ACTIO_ACTION_ELEMENT_H

#include "action/law.h"
#include "model/system.h"

enum { AC_ELEMENT_PARTS = 8 }; /* most parts of an element whose numbers are found by a loop of its own */

/* One part of an element, as its kind describes it. */
typedef struct ac_part {
    int measure;    /* of the system, whose maps and winding it uses; -1: maps of its own */
    ac_outer outer; /* of maps of its own; their number is found */
    /* strains of beams only: the beam (-1: none), the element numbered through all beams, which strain (0 to 2: shear and
     * stretch, 3 to 5: bending and torsion), the length that it stands for, its value without stress */
    int beam, element, strain;
    double weight, reference;
    int point; /* of an element of order 2: where */
} ac_part;

/* Where descriptions go: maps of a part's own are added to `forms`, with places in q as indices, then the part is handed
 * on with the number of its first map. */
typedef struct ac_describing {
    ac_context *ctx;
    ac_forms *forms;
    ac_status (*part)(struct ac_describing *to, const ac_part *part, int first_form);
    void *user;
} ac_describing;

/* Slopes of damping that are added to others: - by_x df/dx - by_v df/dv at the velocity v. */
typedef struct ac_damping_slope {
    const double *v;
    double by_x, by_v;
} ac_damping_slope;

/* `winding` holds one number per measure of the system: the value near which angles are continued. */
typedef struct ac_element_kind {
    const char *name;
    int (*count)(const ac_system *system);
    /* Its nodes; returns how many. */
    int (*nodes)(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES]);
    /* The measure of the system along whose gradient element k acts alone, -1: there is none; and between points where they are
     * on its nodes (actor.h). NULL: as no measure. */
    int (*along_measure)(const ac_system *system, int k, const double *places[AC_ELEMENT_NODES]);
    /* The parts of element k, and the present numbers of one of them. */
    ac_status (*describe)(const ac_system *system, int k, ac_describing *to);
    void (*numbers)(const ac_system *system, int k, int part, ac_law_numbers *numbers);

    /* --- loops, all of them optional; NULL: as the description says --- */
    bool (*conservative)(const ac_system *system, int k);
    bool (*dissipative)(const ac_system *system, int k);
    /* Potential energy, gradient, Hessian (size x size). */
    double (*energy)(const ac_system *system, int k, const double *x, const double *winding);
    /* `sum` and the energies of all elements, added one after another; NULL: as elements that stand alone. */
    double (*add_energies)(const ac_system *system, const double *q, double sum);
    void (*gradient)(const ac_system *system, int k, const double *x, const double *winding,
                     double *gradient);
    /* The gradients of all elements at once, out += factor dV/dq; NULL: one after another. */
    void (*add_gradients)(const ac_system *system, const double *q, double factor, double *out);
    /* The same for discrete derivatives between qa and qb, whose mean is given; NULL: one by one.
     * `stresses` gives those at qa, six for each element; NULL: they are not asked for. */
    void (*stresses)(const ac_system *system, const double *q, double *stress);
    void (*add_discretes)(const ac_system *system, const double *qa, const double *stress_a, const double *qb,
                          const double *mean, double factor, double *out);
    void (*hessian)(const ac_system *system, int k, const double *x, const double *winding, double *hessian);
    /* out += factor (d2V/dq2) w of one element, all vectors of the system; false: it has no such loop. */
    bool (*add_bent)(const ac_system *system, int k, const double *q, const double *w, double factor,
                     double *out);
    /* The same for the discrete derivative D(qa, qb): factor times (dD/dqa)^T w and (dD/dqb)^T w; each may be NULL. */
    bool (*add_bent_discrete)(const ac_system *system, int k, const double *qa, const double *qb,
                              const double *w, double factor, double *out_a, double *out_b);
    /* The numbers y of all parts of one element at q, and their derivatives along w; false: it has no such loop. */
    bool (*along)(const ac_system *system, int k, const double *q, const double *w,
                  double y[AC_ELEMENT_PARTS], double slope[AC_ELEMENT_PARTS]);
    /* Discrete derivative of the energy between xa and xb; slope = its derivative by xb, may be NULL. */
    void (*discrete)(const ac_system *system, int k, const double *xa, const double *xb,
                     const double *winding, double *gradient, double *slope);
    /* Two bodies only, may be NULL: the slopes of these two between twists, 12 x 12; rows at `left`,
     * columns at `right` or xb. With those of damping at x or the mean, unless NULL. */
    void (*twist_hessian)(const ac_system *system, int k, const double *x, const double *left,
                          const double *right, double factor, const ac_damping_slope *damping, double *block);
    void (*twist_discrete)(const ac_system *system, int k, const double *xa, const double *xb,
                           const double *left, double factor, const ac_damping_slope *damping, double *block);
    /* Force at position x and velocity v; by_x and by_v may both be NULL. */
    void (*force)(const ac_system *system, int k, const double *x, const double *v, const double *winding,
                  double *f, double *by_x, double *by_v);
    /* The forces of all elements at once, out += factor f; NULL: one after another. */
    void (*add_forces)(const ac_system *system, const double *q, const double *v, double factor, double *out);
    /* Damping whose rates are secants over the interval (ac_law_numbers), of all elements: out += factor f at q, one of
     * qa and qb, times h; the slope factor grad y(a) c grad y(b)^T is added to a block by coordinates, or is the block between
     * the twists of two bodies. */
    void (*add_secant_forces)(const ac_system *system, const double *qa, const double *qb, const double *q,
                              double factor, double *out);
    void (*secant_slope)(const ac_system *system, int k, const double *xa, const double *xb, double factor,
                         double *block);
    /* Of one element at the left end (side 0) or the right one: out_a and out_b (may be NULL) += derivatives of w . (factor f h) by both
     * ends, all vectors of the system. */
    void (*add_secant_bent)(const ac_system *system, int k, const double *qa, const double *qb, int side,
                            const double *w, double factor, double *out_a, double *out_b);
    void (*twist_secant)(const ac_system *system, int k, const double *xa, const double *xb, double factor,
                         double *block);
} ac_element_kind;

extern const ac_element_kind *const ac_element_kinds[]; /* ended by NULL */
int ac_element_kind_count(void);
/* Elements of all kinds. */
int ac_element_count(const ac_system *system);

/* --- one element, by its loops or by its description (described.c) --- */
bool ac_element_conservative(const ac_element_kind *kind, const ac_system *system, int k);
bool ac_element_dissipative(const ac_element_kind *kind, const ac_system *system, int k);
double ac_element_energy(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                         const double *winding);
void ac_element_gradient(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                         const double *winding, double *gradient);
void ac_element_hessian(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                        const double *winding, double *hessian);
void ac_element_discrete(const ac_element_kind *kind, const ac_system *system, int k, const double *xa,
                         const double *xb, const double *winding, double *gradient, double *slope);
void ac_element_force(const ac_element_kind *kind, const ac_system *system, int k, const double *x,
                      const double *v, const double *winding, double *f, double *by_x, double *by_v);

/* The damper of a spring, -c y' grad y at the coordinates x of its nodes: grad y, and c is returned. */
double ac_spring_damper(const ac_system *system, int spring, const double *x, const double *winding,
                        double *gradient);

/* Describes all loads and all elements of kinds without loops, and lists the pairs of nodes that elements couple: when a system is
 * finished, or again when lengths, places or the kinds of laws of its elements have changed. */
ac_status ac_system_describe(ac_system *system);
/* The same parts as for kinds without loops, for any element; tests compare loops with them. The set is the caller's. */
ac_status ac_describe_element(ac_context *ctx, const ac_system *system, const ac_element_kind *kind, int k,
                              ac_described *set);
void ac_described_free(ac_context *ctx, ac_described *set);
/* Sums over parts first .. first + count of a set; element k of the kind has the numbers. See the functions above. */
double ac_parts_energy(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                       int first, const double *x, const double *winding, double *gradient, double *hessian);
void ac_parts_discrete(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                       int first, const double *xa, const double *xb, const double *winding, double *gradient,
                       double *by_a, double *by_b);
void ac_parts_force(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                    int first, const double *x, const double *v, double *f, double *by_x, double *by_v);

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
double ac_potential_energy(const ac_system *system, const double *q, const double *winding);
/* gradient += factor dV/dq of all elements; gravity is not included (ac_gravity_add). */
void ac_potential_add_gradient(const ac_system *system, const double *q, const double *winding, double factor,
                               double *gradient);

#endif
