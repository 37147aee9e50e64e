/* The discrete mechanics of one interval in redundant coordinates, with controls, to second order.
 *
 *   left  = D1 L_d + f^-  = -M (b - a)/h + h/2 (force at the mean) + h/2 B(a)^T tau
 *   right = D2 L_d + f^+  =  M (b - a)/h + h/2 (force at the mean) + h/2 B(b)^T tau
 *
 * exactly as the midpoint scheme of the simulator. Derivatives go to sinks entry by entry, by a, b, tau and
 * h.
 */
#ifndef ACTIO_ACTION_DESCRIBE_DISCRETE_H
#define ACTIO_ACTION_DESCRIBE_DISCRETE_H

#include "action/describe/scalar.h"
#include "tree/kinematics.h"

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
    int beam;                 /* whose strain it is, -1: none */
    int element;              /* of the beam, numbered through all beams; -1: none */
    int strain;               /* 0 to 2: shear and stretch, 3 to 5: bending and torsion */
    double weight, reference; /* length that it stands for, value without stress */
    bool stretch;             /* a strain of stretch or shear */
    int stress;  /* number of the unknown that is its stress; -1: none, the stress follows from the motion */
    double root; /* of the stiffness, of one with such an unknown; of the first one where it varies */
} ac_discrete_spring;

/* Springs, one after another, that change with the same few coordinates. */
typedef struct ac_bundle {
    int first, count;
    int rows, size; /* coordinates on which they act; with the parameters behind them */
    int start;      /* of their places */
} ac_bundle;

typedef struct ac_discrete {
    ac_context *ctx;
    const ac_system *system;
    ac_scalars scalars;
    int spring_count;
    ac_discrete_spring *springs;
    int stress_count; /* unknown stresses */
    int bundle_count;
    ac_bundle *bundles;
    int *bundle_at, *slots, *slot_start; /* coordinates of bundles; places of a spring's own in its bundle */
    int input_count, input_capacity, control_count; /* controls stand before loads */
    ac_input *inputs;
    int entry_count, entry_capacity;
    ac_input_entry *entries;
    ac_forms forms;
    const ac_variation *vary; /* what depends on parameters; NULL: nothing */
    bool springs_vary;        /* their scalars follow the parameters already */
    ac_jet *strain_jets;      /* per strain of a beam: stiffness, damping and rest value */
    bool *strain_varies;
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
    const double *loads_h; /* their derivatives by a parameter and h: a row of parameters for each load */
    const double *tau_h, *tau_hh; /* derivatives of tau by h, for loads over time; NULL: none */
    const double *stress;         /* unknown stresses */
    const double *stress_weights; /* of the conditions on them, for second derivatives; NULL: none */
} ac_discrete_point;

/* P: a parameter that enters by data; those that enter by places stand behind the coordinates of a and b. */
typedef enum ac_by { AC_BY_A, AC_BY_B, AC_BY_TAU, AC_BY_H, AC_BY_P, AC_BY_STRESS } ac_by;

/* side 0: left, 1: right */
typedef void (*ac_slope_sink)(void *user, int side, int row, ac_by by, int column, double value);
/* One entry of a symmetric matrix; each pair is given once. */
typedef void (*ac_curvature_sink)(void *user, ac_by by1, int i, ac_by by2, int j, double value);

/* Derivatives by a and by b of forces that are the same in left and right: rows x size, on the coordinates
 * `at`. Both are one array where they are equal. */
typedef struct ac_slope_block {
    int rows, size;
    const int *at;
    const double *by_a, *by_b;
} ac_slope_block;

/* Second derivatives, size x size, of such forces along the weights; ab: rows by a, columns by b. All are
 * one array where they are equal. */
typedef struct ac_curvature_block {
    int size;
    const int *at;
    const double *aa, *ab, *bb;
} ac_curvature_block;

typedef void (*ac_slope_block_sink)(void *user, const ac_slope_block *block);

/* Most derivatives come one by one, those of springs and beams in blocks. */
typedef struct ac_slope_sinks {
    ac_slope_sink entry;
    ac_slope_block_sink block;
} ac_slope_sinks;

typedef struct ac_curvature_sinks {
    ac_curvature_sink entry;
    void (*block)(void *user, const ac_curvature_block *block);
} ac_curvature_sinks;

/* discrete_vary.c: what ac_discrete_slopes and ac_discrete_curvature add for parameters; the mean is up
 * to date. */
void ac_discrete_parameter_slopes(ac_discrete *discrete, const ac_discrete_point *point, ac_slope_sink sink,
                                  void *user);
void ac_discrete_parameter_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                                     const double *wl, const double *wr, ac_curvature_sink sink, void *user);
/* Stiffness, damping and rest value of a spring by parameters (zero where they do not vary); false: none
 * does. */
bool ac_discrete_spring_jets(const ac_discrete *discrete, int spring, const ac_jet *data[3]);
/* What the condition on an unknown stress is made of: flexibility root^2 / k, and damping root c / k and rest
 * value root y0 of the strain; false: nothing varies. */
bool ac_discrete_stress_jets(const ac_discrete *discrete, int spring, ac_jet data[3]);
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

/* Damping in the condition on an unknown stress. */
static inline double ac_stress_damping(const ac_discrete_spring *spring)
{
    return spring->damping == 0.0 ? 0.0 : spring->root * spring->damping / spring->stiffness;
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
/* A torque that acts on a node as loads do: about an axis of the world or of its frame, shared with the
 * edge before an inner vertex of the edge model. */
ac_status ac_discrete_add_node_torque(ac_discrete *discrete, int node, bool follows, int axis, int *number);
/* What the force pushes along is a scalar. */
ac_status ac_discrete_add_scalar_input(ac_discrete *discrete, int scalar, int *number);
/* discrete_vary.c: a force along a world direction at a place that depends on parameters. */
ac_status ac_discrete_push_place(ac_discrete *discrete, const ac_place_source *place, const double along[3],
                                 int *number);
/* A component of a load that acts at such a place; `moves`: it is one. */
ac_status ac_discrete_vary_load(ac_discrete *discrete, int load, const double along[3], int *number,
                                bool *moves);
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
void ac_discrete_slopes(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                        const ac_slope_sinks *sinks, void *user);
/* Second derivatives of wl . left + wr . right. */
void ac_discrete_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user);

/* stresses.c: the condition on an unknown stress, and its first derivatives. */
typedef struct ac_stress_slope {
    int count;
    const int *at;
    double value, by_a[AC_SCALAR_MAX], by_b[AC_SCALAR_MAX], by_h, by_stress;
    int parameters; /* those on which its data depend: all or none */
    double by_p[AC_PARAMETERS_MAX];
} ac_stress_slope;
void ac_stress_row(const ac_discrete *discrete, const ac_discrete_point *point, int spring,
                   ac_stress_slope *row);

/* discrete_springs.c: gathers springs to bundles, once springs and parameters stand, with the stresses of
 * beams as
 * unknowns or not; then their part of both.
 * Mean, weights and (for second derivatives) the step in `common` are up to date. */
ac_status ac_discrete_bundle(ac_discrete *discrete, bool stresses);
void ac_discrete_spring_slopes(ac_discrete *discrete, const ac_discrete_point *point,
                               const ac_slope_sinks *sinks, void *user);
void ac_discrete_spring_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                                  const ac_curvature_sinks *sinks, void *user);

#endif
