/* The discrete mechanics of one interval in redundant coordinates, with inputs, to second order.
 *
 *   left  = D1 L_d + f^-  = -M (b - a)/h + forces of the interval on its left end
 *   right = D2 L_d + f^+  =  M (b - a)/h + forces of the interval on its right end
 *
 *   scheme            elements                                inputs (tau is constant on the interval)
 *   midpoint          h/2 at the mean, to both ends           h/2 B(a)^T tau to the left, h/2 B(b)^T tau to the right
 *   trapezoidal       h/2 at a to the left, at b to the right the same
 *   energy-momentum   h/2 of the discrete derivative between  h/2 at the mean to both ends
 *                     a and b to both ends, dampers at the mean
 *
 * exactly as the schemes of the simulator. Energy-momentum has no L_d: its step is p + left - h/2 G(mean)^T lambda = 0,
 * p_next = right - (p + left), and has second derivatives along directions only. Derivatives go to sinks entry by entry or in blocks,
 * by a, b, tau, h, unknown stresses and parameters.
 */
#ifndef ACTIO_ACTION_DESCRIBE_DISCRETE_H
#define ACTIO_ACTION_DESCRIBE_DISCRETE_H

#include "action/describe/scalar.h"
#include "action/element.h"
#include "action/force_map.h"
#include "tree/kinematics.h"

/* Where a scheme evaluates terms: the table above; a scheme without stations has no derivatives here. */
typedef enum ac_discrete_scheme {
    AC_NO_STATIONS,
    AC_MIDPOINT,
    AC_TRAPEZOIDAL,
    AC_ENERGY_MOMENTUM
} ac_discrete_scheme;

/* One number tau_k acts by B_k(q)^T tau_k: the gradient of a scalar, or a force map. */
typedef struct ac_input {
    int scalar; /* -1: a force map */
    double sign;
    ac_force_map map;
    const ac_signal *load; /* NULL: a control */
    int load_number, component;
    int freedom; /* of the tree on which it acts alone, -1: none */
    double push; /* generalised force on that freedom, +1 or -1 */
} ac_input;

/* A part of an element (action/element.h) with its law. */
typedef struct ac_discrete_spring {
    int scalar;
    int measure; /* of the system, near whose value angles are; -1: none */
    int source;  /* spring of the system, -1: it is of another kind */
    const ac_element_kind *kind;
    int number; /* of the element in its kind */
    const ac_law *law;
    double data[AC_LAW_DATA]; /* stiffness, value without stress, .. */
    double damping;
    bool secant;        /* damping by the secant rate */
    int beam;           /* whose strain it is, -1: none */
    int element, point; /* of the beam, numbered through all beams; -1: none */
    int strain;         /* 0 to 2: shear and stretch, 3 to 5: bending and torsion, from 6 on: scalar parts */
    double weight, reference; /* length that it stands for, value without stress */
    bool stretch;             /* a strain of stretch or shear, but for dual quaternions */
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
    ac_discrete_scheme scheme;
    const char *scheme_name;
    ac_scalars scalars;
    int spring_count, spring_capacity;
    ac_discrete_spring *springs;
    int stress_count; /* unknown stresses */
    int bundle_count;
    ac_bundle *bundles;
    int *bundle_at, *slots, *slot_start; /* coordinates of bundles; places of a spring's own in its bundle */
    int input_count, input_capacity, control_count; /* controls stand before loads */
    ac_input *inputs;
    ac_force_maps forces; /* of the inputs */
    ac_variation *vary;   /* what depends on parameters; NULL: nothing */
    bool springs_vary;    /* their scalars follow the parameters already */
    ac_jets jets;         /* where these live, */
    /* per spring that is a strain of a beam: stiffness, damping and rest value, then those of the condition
     * on its stress */
    ac_jet *strain_jets;
    bool *strain_varies;
    struct ac_law_list { /* per spring: the parameters of its numbers */
        int count, *by;
    } * law_lists;
    double *law_work; /* workspace of ac_discrete_law_jets */
    bool by_loads;    /* derivatives by the values of loads are wanted, too */
    bool projected; /* forces on single freedoms are left to the caller, who has them as generalised forces */
    double *mean;   /* workspace: n and the moving data */
    double *momentum, *common, *weights; /* workspace, n each */
    double *by_step;                     /* the same: left and right by the step */
} ac_discrete;

/* The value of a load by parameters, and its derivatives by them and the step (NULL: none). */
typedef struct ac_load_jet {
    ac_jet value;
    double *by_step;
} ac_load_jet;

/* The point at which an interval is evaluated. */
typedef struct ac_discrete_point {
    const double *a, *b;
    const double *tau;     /* one number per input */
    const double *winding; /* per measure of the system */
    double h;
    const ac_load_jet *loads;     /* loads that depend on parameters; NULL: none does */
    const double *tau_h, *tau_hh; /* derivatives of tau by h, for loads over time; NULL: none */
    const double *stress;         /* unknown stresses */
    const double *stress_weights; /* of the conditions on them, for second derivatives; NULL: none */
} ac_discrete_point;

/* P: a parameter that enters by data; data that move points stand behind the coordinates of a and b. */
typedef enum ac_by { AC_BY_A, AC_BY_B, AC_BY_TAU, AC_BY_H, AC_BY_P, AC_BY_STRESS } ac_by;

/* side 0: left, 1: right */
typedef void (*ac_slope_sink)(void *user, int side, int row, ac_by by, int column, double value);
/* One entry of a symmetric matrix; each pair is given once. */
typedef void (*ac_curvature_sink)(void *user, ac_by by1, int i, ac_by by2, int j, double value);

/* Sides of the interval as bits. */
enum { AC_LEFT = 1, AC_RIGHT = 2, AC_BOTH_SIDES = 3 };

/* Derivatives by a and by b of forces on one side or, the same, on both: rows x size, on the coordinates `at`. Both are
 * one array where they are equal; NULL: zero. */
typedef struct ac_slope_block {
    int rows, size;
    const int *at;
    int sides;
    const double *by_a, *by_b;
} ac_slope_block;

/* Second derivatives, size x size, of such forces along the weights; ab: rows by a, columns by b. Those that are equal
 * are one array; NULL: zero. */
typedef struct ac_curvature_block {
    int size;
    const int *at;
    const double *aa, *ab, *bb;
} ac_curvature_block;

/* A configuration at which forces of the interval are evaluated: a, b or their mean x = by[0] a + by[1] b, and the sides
 * on which they act. */
typedef struct ac_station {
    const double *x;
    double by[2];
    int sides;
} ac_station;

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
/* What parameters change of the law of a spring at y by its numbers: W, W', W'' and the damping by one, W, W' and the
 * damping by two. They are in the workspace until the next call. */
typedef struct ac_law_jets {
    int count;
    const int *by; /* the parameters */
    double *energy, *pull, *stiffness, *damping;
    double *energy2, *pull2, *damping2; /* count x count */
} ac_law_jets;
/* false: no number of it varies. */
bool ac_discrete_law_jets(const ac_discrete *discrete, int spring, double y, ac_law_jets *jets);
/* Coefficients of the condition on an unknown stress: flexibility root^2 / k, and damping root c / k and rest
 * value root y0 of the strain; NULL: nothing varies. */
const ac_jet *ac_discrete_stress_jets(const ac_discrete *discrete, int spring);
/* The scalar of a measure, as a function of parameters if it depends on them. */
ac_status ac_discrete_measure(ac_discrete *discrete, int measure, int *scalar);
/* The same as another kind, such as the square of a length. */
ac_status ac_discrete_measure_as(ac_discrete *discrete, int measure, ac_measure_kind kind, int *scalar);
/* Springs and their scalars follow the parameters: once after all loads, then at all values. */
ac_status ac_discrete_vary(ac_discrete *discrete);
ac_status ac_discrete_update(ac_discrete *discrete);
/* Room for all moving data behind the coordinates. */
ac_status ac_discrete_widen(ac_discrete *discrete);

ac_status ac_discrete_create(ac_context *ctx, const ac_system *system, ac_discrete *discrete);
void ac_discrete_destroy(ac_discrete *discrete);
/* The values of the system have changed: its elements again. Only where there are no inputs and nothing varies. */
ac_status ac_discrete_restart(ac_discrete *discrete);

/* The value near which an angle of a spring is continued. */
static inline double ac_spring_winding(const ac_discrete_spring *spring, const double *measure_windings)
{
    return spring->measure < 0 ? 0.0 : measure_windings[spring->measure];
}

/* How much the number of a spring changes over the interval. */
double ac_spring_change(const ac_discrete *discrete, const ac_discrete_point *point,
                        const ac_discrete_spring *spring);

/* Damping in the condition on an unknown stress. */
static inline double ac_stress_damping(const ac_discrete_spring *spring)
{
    return spring->damping == 0.0 ? 0.0 : spring->root * spring->damping / spring->data[0];
}

/* Energy of a spring at q, its gradient (numbers for all coordinates of its scalar) and Hessian; both may be NULL.
 * y: its own number, and the gradient of that, unless NULL. */
double ac_discrete_energy(const ac_discrete *discrete, int spring, const double *q, double winding,
                          double *gradient, double *hessian, double *y, double *y_gradient);

/* --- controls; each returns through `number` --- */

ac_status ac_discrete_add_joint_input(ac_discrete *discrete, int measure, double sign, int *number);
/* Force along a direction (affine in q) at a point of a node; ground as node: nothing. Adds to the input
 * `number`, or starts a new one when it is -1. */
ac_status ac_discrete_add_force(ac_discrete *discrete, int node, const double place[3],
                                const ac_affine3 *direction, double factor, int *number);
ac_status ac_discrete_add_torque(ac_discrete *discrete, int node, const ac_affine3 *direction, double factor,
                                 int *number);
/* A torque that acts on a node as loads do: about an axis of the world or of its frame, shared with the
 * edge before an inner vertex of the edge model. */
ac_status ac_discrete_add_node_torque(ac_discrete *discrete, int node, bool follows, int axis, int *number);
/* An input without a force yet. */
ac_status ac_discrete_new_input(ac_discrete *discrete, int *number);
/* The coordinate that the force acts on is a scalar. */
ac_status ac_discrete_add_scalar_input(ac_discrete *discrete, int scalar, int *number);
/* discrete_vary.c: a force along a direction of the world, or of its node (follows), at a place that depends on parameters. */
ac_status ac_discrete_push_place(ac_discrete *discrete, const ac_place_source *place, const double along[3],
                                 bool follows, int *number);
/* A component of a load that acts at such a place; `moves`: it is one. */
ac_status ac_discrete_vary_load(ac_discrete *discrete, int load, const double along[3], int *number,
                                bool *moves);
/* The loads of the system become inputs with known values; call after all controls. */
ac_status ac_discrete_add_loads(ac_discrete *discrete);
/* Means of the loads over the interval [t, t + h], behind the values of the controls. */
void ac_discrete_load_values(const ac_discrete *discrete, double t, double h, double *tau);
/* Their derivatives by h on [n h, (n + 1) h]. */
void ac_discrete_load_slopes(const ac_discrete *discrete, double n, double h, double *tau_h, double *tau_hh);

/* --- evaluation --- */

/* What kind of place the station of an input is. */
static inline ac_input_place ac_station_place(const ac_station *station)
{
    return station->sides == AC_BOTH_SIDES ? AC_AT_MEAN : AC_AT_TIME_NODE;
}
/* Where elements and where inputs are evaluated; they return how many stations there are. The mean is up to date. */
int ac_discrete_stations(const ac_discrete *discrete, const ac_discrete_point *point, ac_station stations[2]);
int ac_discrete_input_stations(const ac_discrete *discrete, const ac_discrete_point *point,
                               ac_station stations[2]);
void ac_discrete_take_mean(ac_discrete *discrete, const ac_discrete_point *point);

/* out += factor B(q)^T tau of the controls alone. */
void ac_discrete_add_controls(const ac_discrete *discrete, ac_input_place place, const double *q,
                              const double *tau, double factor, double *out);

/* discrete_inputs.c: a unit of one input at q: its force row by row; derivatives of that by coordinates and, through
 * places, parameters; second derivatives of its work w . force, each pair once. */
void ac_input_force(const ac_discrete *discrete, ac_input_place place, int input, const double *q,
                    ac_input_force_sink sink, void *user);
void ac_input_slopes(const ac_discrete *discrete, ac_input_place place, int input, const double *q,
                     ac_input_slope_sink sink, void *user);
void ac_input_curvature(const ac_discrete *discrete, ac_input_place place, int input, const double *q,
                        const double *w, ac_input_slope_sink sink, void *user);
/* out += factor B(q)^T tau of all inputs but those that the caller takes on freedoms; their part of both below, at the
 * station, and of second derivatives at one end of the interval with the weights w. */
void ac_discrete_add_inputs(const ac_discrete *discrete, ac_input_place place, const double *q,
                            const double *tau, double factor, double *out);
void ac_discrete_input_slopes(const ac_discrete *discrete, const ac_discrete_point *point,
                              const ac_station *station, int input, ac_slope_sink sink, void *user);
void ac_discrete_input_curvature(const ac_discrete *discrete, const ac_discrete_point *point, int side,
                                 int input, bool by_h, const double *w, ac_curvature_sink sink, void *user);

void ac_discrete_values(ac_discrete *discrete, const ac_discrete_point *point, double *left, double *right);
/* Their derivatives by the step. */
void ac_discrete_by_step(ac_discrete *discrete, const ac_discrete_point *point, double *left, double *right);
void ac_discrete_slopes(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                        const ac_slope_sinks *sinks, void *user);
/* out += (wl, wr)^T d(left, right)/d(.); what is NULL is not asked for. Parameters include those that enter by places. */
typedef struct ac_pullback {
    double *a, *b; /* n */
    double *inputs, *step, *stresses, *parameters;
} ac_pullback;
/* discrete_pull.c: the part of elements, without matrices; nothing varies, the mean is up to date. */
void ac_discrete_pull_elements(ac_discrete *discrete, const ac_discrete_point *point, const double *wl,
                               const double *wr, const ac_pullback *out);
/* One behind the last part of the element to which a part belongs. */
int ac_discrete_element_end(const ac_discrete *discrete, int part);
void ac_discrete_pullback(ac_discrete *discrete, const ac_discrete_point *point, const double *wl,
                          const double *wr, const ac_pullback *out);
/* The discrete Lagrangian of the interval, without inputs and dampers; energy-momentum has none (that of midpoint). */
double ac_discrete_action(ac_discrete *discrete, const ac_discrete_point *point);
/* Second derivatives of wl . left + wr . right; midpoint and trapezoidal. */
void ac_discrete_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user);

/* discrete_along.c: derivatives along a direction, by changes of a, b and of the inputs (NULL: none). Nothing varies by
 * parameters. left, right += first derivative; out += change of the pullback (wl, wr)^T d(left, right). */
typedef struct ac_interval_change {
    const double *a, *b, *inputs;
} ac_interval_change;
void ac_discrete_along(ac_discrete *discrete, const ac_discrete_point *point,
                       const ac_interval_change *change, double *left, double *right);
void ac_discrete_bend(ac_discrete *discrete, const ac_discrete_point *point, const double *wl,
                      const double *wr, const ac_interval_change *change, const ac_pullback *out);

/* Where changes of left and right, and of the derivatives of wl . left + wr . right, are added; NULL: not wanted. */
typedef struct ac_bent {
    double *left, *right;
    double *a, *b, *inputs;
    double *numbers; /* per number that varies */
} ac_bent;
/* numbers_bend.c: a law without second derivatives in this scheme; NULL: all have them. */
const char *ac_discrete_lacks_second(const ac_discrete *discrete);
/* numbers_bend.c: the part of elements in any scheme, energy-momentum as well. */
void ac_elements_bend(ac_discrete *discrete, const ac_discrete_point *point, const double *wl,
                      const double *wr, const ac_interval_change *change, const ac_bent *out);

/* stress_row.c: the condition on an unknown stress, and its first derivatives. */
typedef struct ac_stress_slope {
    int count;
    const int *at;
    double value, by_a[AC_SCALAR_MAX], by_b[AC_SCALAR_MAX], by_h, by_stress;
    const ac_jet *data; /* of ac_discrete_stress_jets; NULL: they do not vary */
    double by_data[3];
} ac_stress_slope;
void ac_stress_row(const ac_discrete *discrete, const ac_discrete_point *point, int spring,
                   ac_stress_slope *row);

/* discrete_springs.c: gathers springs to bundles, once springs and parameters stand, with the stresses of
 * beams as unknowns or not; then their part of both. The mean is up to date. */
ac_status ac_discrete_bundle(ac_discrete *discrete, bool stresses);
void ac_discrete_spring_slopes(ac_discrete *discrete, const ac_discrete_point *point,
                               const ac_slope_sinks *sinks, void *user);
void ac_discrete_spring_curvature(ac_discrete *discrete, const ac_discrete_point *point, bool by_h,
                                  const double *wl, const double *wr, const ac_curvature_sinks *sinks,
                                  void *user);

/* The beam that a part belongs to, by a strain or by a function along it; -1: none. */
static inline int ac_part_beam(const ac_discrete *discrete, int part)
{
    const ac_discrete_spring *s = &discrete->springs[part];
    bool function = discrete->scalars.list[s->scalar].outer.kind == AC_OUTER_FUNCTION;
    return function ? discrete->system->mesh.functions[s->number].beam : s->beam;
}

#endif
