/* Free physical parameters: what of the system depends on them, and the system at their present values.
 *
 * A datum of the system (a mass, a place of a joint, a stiffness, ...) is an expression of the parameters,
 * so its value and its first two derivatives are known exactly (a jet). In the programme the parameters
 * stand behind the coordinates of every configuration, q = (.., p): whatever a scalar or term depends on,
 * parameters included, is a function of such a vector. What is linear in data (inertia, gravity,
 * stiffness) has its parts here as jets; quadratic maps have the derivatives of their coefficients as
 * further maps:
 *
 *   kappa(q, p) = u . gap   or   |gap|^2,     gap = x_b + R_b r_b(p) - x_a - R_a r_a(p)
 */
#ifndef ACTIO_ACTION_PARAMETERS_VARY_H
#define ACTIO_ACTION_PARAMETERS_VARY_H

#include "actio/expression.h"
#include "actio/optimize.h"
#include "model/system.h"

enum { AC_PARAMETERS_MAX = 8 };
enum { AC_BEAM_DATA = 11 };

struct ac_chart;

/* A number with its derivatives by the parameters. */
typedef struct ac_jet {
    double v, d[AC_PARAMETERS_MAX], dd[AC_PARAMETERS_MAX][AC_PARAMETERS_MAX];
} ac_jet;

typedef struct ac_parameter_data {
    char name[64];
    double start, low, high;
} ac_parameter_data;

/* A datum as an expression of the parameters (and of t, for loads). */
typedef struct ac_dependent {
    ac_expression *expression;
    ac_jet jet; /* at the present values */
} ac_dependent;

/* A place fixed in a node, relative to its reference point. */
typedef struct ac_place_source {
    int node;
    double given[3];  /* at the first values of the parameters */
    int dependent[3]; /* in the user's frame: number of the dependent, -1: given */
} ac_place_source;

/* One quadratic map of the gap between two places. */
typedef struct ac_gap {
    ac_place_source side[2];
    bool square; /* factor |gap|^2, else along . gap */
    double factor;
    int along_node; /* of the direction; AC_GROUND: of the world */
    double along[3];
    int length; /* dependent whose half square is taken off, -1: none */
    double given_length;
} ac_gap;

typedef struct ac_mass_jet {
    int row, column, dimension;
    ac_jet jet;
} ac_mass_jet;

typedef struct ac_variation {
    ac_context *ctx;
    const ac_system *given;
    ac_system system; /* at the present values; shares with the given one what does not vary */
    bool geometry;    /* places or lengths of joints vary */
    bool current;     /* everything is at the present values */
    bool generic;     /* all derivatives are taken as present: for patterns */
    int count;
    ac_parameter_data parameters[AC_PARAMETERS_MAX];
    double value[AC_PARAMETERS_MAX];
    bool used[AC_PARAMETERS_MAX];
    int dependent_count, dependent_capacity;
    ac_dependent *dependents;
    /* numbers of dependents, -1: none */
    int *of_mass, *of_inertia, *of_centre; /* per node: 1, 6, 3 */
    int *of_position;                      /* per node: 3 */
    int of_gravity[3];
    int *of_joint;      /* per joint: place on a (3), on b (3), length */
    int *of_spring;     /* per spring: stiffness, damping, rest, place on a (3), on b (3) */
    int *of_load;       /* per load: components (3) */
    int *of_load_place; /* per load: components (3) */
    int *of_beam;       /* per beam: stiffness (6), mass and inertia (2) per length, damping, length */
    double *mass_share, *turning_share; /* per node of a beam: length of beam whose mass and inertia it has */
    struct ac_chart *links; /* what hangs on what in the first configuration: parents, order, states */
    /* at the present values */
    int mass_count;
    ac_mass_jet *mass;
    ac_jet *gravity_force; /* n */
    ac_jet *joint_place;   /* per joint: on a (3), on b (3), relative to the reference points */
    bool *joint_moves;     /* per joint: whether one of them or its length varies */
    ac_forms forms;        /* of constraint rows, with coordinates of q as indices */
    int *row_forms;        /* per constraint row: its first map, -1: it does not vary */
} ac_variation;

/* Pairs of parameters j >= k are numbered one after another. */
static inline int ac_parameter_pair(int j, int k)
{
    return j >= k ? j * (j + 1) / 2 + k : k * (k + 1) / 2 + j;
}

/* Maps that stand for one varied map: itself, its first derivatives, its second ones. */
static inline int ac_varied_maps(int parameters)
{
    return 1 + parameters + parameters * (parameters + 1) / 2;
}

static inline int ac_first_map(int first, int j)
{
    return first + 1 + j;
}

static inline int ac_second_map(int first, int parameters, int j, int k)
{
    return first + 1 + parameters + ac_parameter_pair(j, k);
}

/* Nothing varies until the first parameter is added. */
ac_status ac_variation_add(ac_context *ctx, const ac_system *system, const ac_parameter *parameter,
                           ac_variation *v);
void ac_variation_end(ac_variation *v);
ac_status ac_variation_depend(ac_variation *v, const ac_dependence *dependence, ac_constant_lookup lookup,
                              void *user);
/* An expression that belongs to nothing in the system; returns its number. */
ac_status ac_variation_expression(ac_variation *v, const char *text, ac_constant_lookup lookup, void *user,
                                  int *number);
/* The system at other values. */
ac_status ac_variation_update(ac_variation *v, const double *value);
/* The mean of a load over [t, t + h] (its value at t for h = 0), its derivatives by the parameters. Loads with jumps are
 * integrated with a fixed number of points. */
void ac_variation_load(const ac_variation *v, int load, int component, double t, double h, ac_jet *jet);
/* Derivatives by h of the mean over [n h, (n + 1) h], and those by h and a parameter (one per parameter). */
void ac_variation_load_rates(const ac_variation *v, int load, int component, double n, double h,
                             double *first, double *second, double *mixed);

/* Gradient of M_j x and M_jk x: y = derivative of the mass matrix by p_j (and p_k, unless -1) times x. */
void ac_variation_mass(const ac_variation *v, int j, int k, const double *x, double *y);

void ac_jet_add(ac_jet *sum, const ac_jet *jet, double factor);
ac_jet ac_jet_product(const ac_jet *a, const ac_jet *b);
ac_jet ac_jet_inverse(const ac_jet *a);

/* vary_beams.c */
ac_status ac_variation_begin_beams(ac_variation *v);
/* The same along its whole length? */
bool ac_beam_is_uniform(const ac_system *system, int beam);
/* Where the number of a dependent of a beam, or of the mass that a node of it carries, is kept; NULL:
 * nowhere. */
int *ac_variation_beam_place(ac_variation *v, const ac_dependence *dependence, double *given);
/* Length by given length, and whether it can change. */
ac_jet ac_beam_length_ratio(const ac_variation *v, int beam);
bool ac_beam_length_varies(const ac_variation *v, int beam);
/* Mass and Euler tensor (first two moments) of a node of a beam; of coupled nodes (mass, then the
 * directors). They answer whether these vary. */
bool ac_variation_beam_node(const ac_variation *v, int node, ac_jet *mass, ac_jet turning[2]);
bool ac_variation_beam_pair(const ac_variation *v, int pair, ac_jet part[4]);
/* Stiffness, damping and rest value of a strain as a spring; false: they do not vary. */
bool ac_variation_strain(const ac_variation *v, int beam, int strain, double weight, double reference,
                         ac_jet data[3]);
/* In what a beam differs from that of a system that was described for these values; NULL: in nothing.
 * Masses are those of nodes. */
const char *ac_variation_beam_difference(const ac_variation *v, int beam, const ac_system *other);
ac_status ac_variation_link(ac_variation *v);
void ac_variation_unlink(ac_variation *v);
const ac_joint_state *ac_variation_starts(const ac_variation *v);

/* vary_forms.c */
/* Derivative of a map along w. */
double ac_form_along(const ac_forms *forms, int map, const double *q, const double *w);
bool ac_place_varies(const ac_variation *v, const ac_place_source *place);
bool ac_gap_varies(const ac_variation *v, const ac_gap *gap);
/* Adds ac_varied_maps maps. */
ac_status ac_gap_forms(const ac_variation *v, const ac_gap *gap, ac_forms *forms);
/* How far parameters shift the initial place of a node that no joint holds, in the world; false: they do
 * not. */
bool ac_node_shift(const ac_variation *v, int node, ac_jet shift[3]);
/* Places on both sides of a joint or spring. */
void ac_joint_places(const ac_variation *v, int joint, ac_place_source side[2]);
void ac_spring_places(const ac_variation *v, int spring, ac_place_source side[2]);
void ac_load_place(const ac_variation *v, int load, ac_place_source *place);
void ac_place_jets(const ac_variation *v, const ac_place_source *source, ac_jet place[3]);
ac_status ac_variation_constraint_forms(ac_variation *v);
/* The map of a measure of the system, when it varies. */
bool ac_measure_gap(const ac_variation *v, int measure, ac_gap *gap);

#endif
