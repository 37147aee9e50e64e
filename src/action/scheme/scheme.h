/* Schemes: what one time interval contributes to the discrete equations of motion.
 *
 * On [t, t + h] with end configurations q_a and q_b a scheme gives
 *   left  = D1 L_d(q_a, q_b) + f^-      the step equation is  p + left - h G^T lambda = 0,  g(q_b) = 0
 *   right = D2 L_d(q_a, q_b) + f^+      the momentum that the interval hands to q_b
 * A new scheme is one file and one line in the list of scheme.c.
 */
#ifndef ACTIO_ACTION_SCHEME_SCHEME_H
#define ACTIO_ACTION_SCHEME_SCHEME_H

#include "action/describe/discrete.h"
#include "action/element.h"
#include "tree/kinematics.h"

typedef struct ac_interval {
    const ac_system *system;
    double t, h;
    const double *qa;
    double *qb;
    double *mean;     /* (q_a + q_b) / 2 */
    double *velocity; /* (q_b - q_a) / h */
    double *momentum; /* M velocity */
    double *constant; /* the part of `left` that does not depend on q_b */
    double *force;    /* midpoint: what elements add to `left` and to `right`, found by `left` */
    double *start;    /* energy-momentum: stresses at q_a of elements that are taken all at once */
    const double *winding;
    /* Controls, and their values on this interval; NULL: none. They are set before a stepper is created. */
    const ac_discrete *controls;
    const double *tau;
    bool undamped; /* no element is dissipative: spares the search */
} ac_interval;

/* Is no element of the system dissipative? */
bool ac_system_is_undamped(const ac_system *system);

/* Mean, velocity and momentum for the present q_b. */
void ac_interval_update(ac_interval *interval);
/* Kinetic energy that belongs to the interval, of these. */
double ac_interval_kinetic(const ac_interval *interval);

typedef struct ac_scheme {
    const char *name;
    ac_discrete_scheme stations; /* of adjoints and optimal control; AC_NO_STATIONS: for simulation only */
    bool at_mean;                /* constraint forces act at the mean configuration instead of at q_a */
    double published_factor;     /* factor of the dynamic rows in the published form */
    void (*begin)(ac_interval *interval);
    void (*left)(const ac_interval *interval, double *out);
    /* follows `left` at the same q_b */
    void (*right)(const ac_interval *interval, const double *p, double *out);
    /* block (size x size) = - d left / d q_b of one element, inertia not included; false if it vanishes. */
    bool (*slope)(const ac_interval *interval, const ac_element_kind *kind, int k,
                  const ac_element_place *place, double *block);
    /* The same between twists of the two bodies of an element whose coordinates start at `at`, 12 x 12:
     * rows where constraint forces act, columns at q_b. NULL or false: take the slope by coordinates. */
    bool (*twist_slope)(const ac_interval *interval, const ac_element_kind *kind, int k, int at,
                        double *block);
    /* The same for load k; returns the number of nodes, 0 if it vanishes. NULL if loads act at q_a only. */
    int (*load_slope)(const ac_interval *interval, int k, int nodes[2], double *block);
    /* The same for control k. */
    int (*control_slope)(const ac_interval *interval, int k, int nodes[AC_ELEMENT_NODES], double *block);
    /* Potential energy that belongs to the interval. */
    double (*potential)(const ac_interval *interval);
} ac_scheme;

const ac_scheme *ac_scheme_find(const char *name);

/* --- pieces that schemes share --- */

/* out += factor B(q)^T tau of loads and controls. */
void ac_interval_add_inputs(const ac_interval *interval, ac_input_place place, const double *q, double factor,
                            double *out);
/* out += factor f(x, v) of all dissipative elements at q with the interval's velocity. */
void ac_interval_add_damping(const ac_interval *interval, const double *q, double factor, double *out);
/* block += weight_x df/dx + weight_v df/dv of one element at q. */
void ac_interval_damping_slope(const ac_interval *interval, const ac_element_kind *kind, int k,
                               const ac_element_place *place, const double *q, double weight_x,
                               double weight_v, double *block);
/* The slope of an element whose damping acts at the mean: that of its energy, which the scheme gives, and of the damping. */
typedef void (*ac_energy_slope)(const ac_interval *interval, const ac_element_kind *kind, int k,
                                const ac_element_place *place, double *block);
bool ac_interval_slope_at_mean(const ac_interval *interval, const ac_element_kind *kind, int k,
                               const ac_element_place *place, ac_energy_slope energy, double *block);

#endif
