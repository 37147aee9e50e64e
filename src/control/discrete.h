/* The discrete mechanics of one interval in redundant coordinates, with controls, to second order.
 *
 *   left  = D1 L_d + f^-  = -M (b - a)/h + h/2 (force at the mean) + h/2 B(a)^T tau
 *   right = D2 L_d + f^+  =  M (b - a)/h + h/2 (force at the mean) + h/2 B(b)^T tau
 *
 * exactly as the midpoint scheme of the simulator. Derivatives go to sinks entry by entry, by a, b, tau and
 * h.
 */
#ifndef ACTIO_CONTROL_DISCRETE_H
#define ACTIO_CONTROL_DISCRETE_H

#include "control/scalar.h"
#include "model/kinematics.h"

/* One number tau_k acts by B_k(q)^T tau_k: the gradient of a scalar, or a list of polynomial forces. */
typedef struct ac_input {
    int scalar; /* -1: entries */
    double sign;
    int first, count;      /* entries */
    const ac_signal *load; /* NULL: a control */
    int load_number, component;
    int freedom; /* of the tree on which it acts alone, -1: none */
    double push; /* generalised force on that freedom, +1 or -1 */
} ac_input;

typedef struct ac_input_entry {
    int coordinate, form; /* force on a coordinate: a map of q */
} ac_input_entry;

typedef struct
    ac_discrete_spring { /* measure: of the system, near whose value angles are; -1: a strain of a beam */
    int scalar, measure;
    double stiffness, damping, rest;
} ac_discrete_spring;

typedef struct ac_discrete {
    ac_context *ctx;
    const ac_system *system;
    ac_scalars scalars;
    int spring_count;
    ac_discrete_spring *springs;
    int input_count, input_capacity, control_count; /* controls stand before loads */
    ac_input *inputs;
    int entry_count, entry_capacity;
    ac_input_entry *entries;
    ac_forms forms;
    const ac_variation *vary; /* what depends on parameters; NULL: nothing */
    bool springs_vary;        /* their scalars follow the parameters already */
    bool projected; /* forces on single freedoms are left to the caller, who has them as generalised forces */
    double *mean, *momentum, *common, *weights; /* workspace, n each */
} ac_discrete;

/* The point at which an interval is evaluated. */
typedef struct ac_discrete_point {
    const double *a, *b;
    const double *tau;  /* one number per input */
    const double *near; /* per measure of the system */
    double h;
    const ac_jet
        *loads; /* values of the loads with their derivatives by parameters; NULL: they do not vary */
    const double *tau_h, *tau_hh; /* derivatives of tau by h, for loads over time; NULL: none */
} ac_discrete_point;

/* P: a parameter that enters by data; those that enter by places stand behind the coordinates of a and b. */
typedef enum ac_by { AC_BY_A, AC_BY_B, AC_BY_TAU, AC_BY_H, AC_BY_P } ac_by;

/* side 0: left, 1: right */
typedef void (*ac_slope_sink)(void *user, int side, int row, ac_by by, int column, double value);
/* One entry of a symmetric matrix; each pair is given once. */
typedef void (*ac_curvature_sink)(void *user, ac_by by1, int i, ac_by by2, int j, double value);

/* discrete_vary.c: what ac_discrete_slopes and ac_discrete_curvature add for parameters; the mean is up
 * to date. */
void ac_discrete_parameter_slopes(ac_discrete *discrete, const ac_discrete_point *point, ac_slope_sink sink,
                                  void *user);
void ac_discrete_parameter_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                                     const double *wl, const double *wr, ac_curvature_sink sink, void *user);
/* The scalar of a measure, as a function of parameters if it depends on them. */
ac_status ac_discrete_measure(ac_discrete *discrete, int measure, int *scalar);
/* Springs and their scalars follow the parameters: once after all loads, then at all values. */
ac_status ac_discrete_vary(ac_discrete *discrete);
ac_status ac_discrete_update(ac_discrete *discrete);

ac_status ac_discrete_create(ac_context *ctx, const ac_system *system, ac_discrete *discrete);
void ac_discrete_destroy(ac_discrete *discrete);

/* discrete_beams.c: the strains of beams as further springs, and how many there are at the most. */
int ac_discrete_beam_springs(const ac_system *system);
ac_status ac_discrete_add_beams(ac_discrete *discrete);

/* The value near which an angle of a spring is continued. */
static inline double ac_spring_near(const ac_discrete_spring *spring, const double *near_measures)
{
    return spring->measure < 0 ? 0.0 : near_measures[spring->measure];
}

/* --- controls; each answers through `number` --- */

ac_status ac_discrete_add_joint_input(ac_discrete *discrete, int measure, double sign, int *number);
/* Force along a direction (affine in q) at a point of a node; ground as node: nothing. Adds to the input
 * `number`, or starts
 * a new one when it is -1. */
ac_status ac_discrete_add_force(ac_discrete *discrete, int node, const double place[3],
                                const ac_affine3 *direction, double factor, int *number);
ac_status ac_discrete_add_torque(ac_discrete *discrete, int node, const ac_affine3 *direction, double factor,
                                 int *number);
/* The loads of the system become inputs with known values; call after all controls. */
ac_status ac_discrete_add_loads(ac_discrete *discrete);
/* Values of the loads on an interval, behind those of the controls. */
void ac_discrete_load_values(const ac_discrete *discrete, double t, double *tau);
/* Their derivatives by h at t = steps h. */
void ac_discrete_load_slopes(const ac_discrete *discrete, double steps, double h, double *tau_h,
                             double *tau_hh);

/* --- evaluation --- */

/* out += factor B(q)^T tau of the controls alone. */
void ac_discrete_add_controls(const ac_discrete *discrete, const double *q, const double *tau, double factor,
                              double *out);

void ac_discrete_values(ac_discrete *discrete, const ac_discrete_point *point, double *left, double *right);
void ac_discrete_slopes(ac_discrete *discrete, const ac_discrete_point *point, bool by_h, ac_slope_sink sink,
                        void *user);
/* Second derivatives of wl . left + wr . right. */
void ac_discrete_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h, const double *wl,
                           const double *wr, ac_curvature_sink sink, void *user);

#endif
