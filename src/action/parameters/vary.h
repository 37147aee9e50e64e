/* Free physical parameters: what of the system depends on them, and the system at their present values.
 *
 * A datum of the system (a mass, a place of a joint, a stiffness, ...) is an expression of the parameters,
 * so its value and its first two derivatives are known exactly (a jet). Any number of parameters may be free.
 *
 * Numbers that move points (components of places, lengths) stand behind the coordinates of every configuration,
 * q = (.., s): scalars and rows are functions of such a vector, with at most seven numbers s each. How s depends on the
 * parameters is a jet. Quadratic maps have their derivatives by s as further maps:
 *
 *   kappa(q, s) = u . gap   or   |gap|^2,     gap = x_b + R_b r_b(s) - x_a - R_a r_a(s)
 *
 * What is linear in data (inertia, gravity, stiffness) has its parts here as jets.
 */
#ifndef ACTIO_ACTION_PARAMETERS_VARY_H
#define ACTIO_ACTION_PARAMETERS_VARY_H

#include "actio/expression.h"
#include "actio/optimize.h"
#include "action/parameters/jet.h"
#include "model/system.h"

enum { AC_BEAM_DATA = 13 };
enum { AC_GAP_DATA = 7 }; /* places on both sides, and a length */

struct ac_chart;

typedef struct ac_parameter_data {
    char name[64];
    double start, low, high;
} ac_parameter_data;

/* A datum as an expression of the parameters (and of t, for loads). */
typedef struct ac_dependent {
    ac_expression *expression;
    ac_jet jet;  /* at the present values; its lists are owned */
    bool *bends; /* by pairs of its list: whether there is a second derivative */
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
    int count; /* its numbers that vary, by ac_gap_follow */
    struct ac_gap_datum {
        int side, component; /* side 2: the length */
        int moving;          /* number among the moving data */
    } data[AC_GAP_DATA];
} ac_gap;

/* A component of a place, relative to the reference point, or a length: a number that moves points. */
typedef struct ac_moving {
    ac_place_source place;
    int component;
    int length; /* dependent that it is instead; -1: none */
    ac_jet jet; /* at the present values */
} ac_moving;

/* A constraint row whose map depends on moving data. */
typedef struct ac_row_data {
    int first; /* its first map, -1: it does not vary */
    int count, moving[AC_GAP_DATA];
} ac_row_data;

typedef struct ac_mass_jet {
    int row, column, dimension;
    ac_jet jet;
    bool
        relative; /* counts in momenta and energies at one time; on intervals the node has the masses of relative.h */
} ac_mass_jet;

/* The dependent that each datum of the system is; -1: none, it does not vary. */
typedef struct ac_dependents_of {
    int *mass, *inertia, *centre; /* per node: 1, 6, 3 */
    int *position;                /* per node: 3 */
    int gravity[3];
    int *joint;      /* per joint: place on a (3), on b (3), length */
    int *spring;     /* per spring: stiffness, damping, rest, place on a (3), on b (3) */
    int *load;       /* per load: components (3) */
    int *load_place; /* per load: components (3) */
    int *beam; /* per beam: stiffness (6), mass and inertia (2) per length, damping, length, relaxation (2) */
    int *strain;     /* per strain point (ac_strain_point): stiffness (6) */
    int *mass_point; /* per mass point: mass and inertia (2) per length */
    int *start;      /* per joint: coordinates (3) and rates (3) at the start */
} ac_dependents_of;

/* Masses at the present values. */
typedef struct ac_varied_inertia {
    ac_jet *nodes, *pairs; /* per node: mass and Euler tensor (10); per pair: mass, directors (4) */
    bool *node_varies, *pair_varies;
    ac_jet *relative; /* per node: the eight masses of relative.h; only where there are such nodes */
    double *carried;  /* per node of a beam: mass that it has beside that of the beam */
    int (*points)
        [2]; /* per node of a beam: the first mass point that counts in it, and the one behind the last */
    int count;
    ac_mass_jet *entries;
} ac_varied_inertia;

/* Finds what a name stands for, as an expression of the parameters and t (variable `parameters`); NULL: for none. The caller frees it. */
typedef ac_status (*ac_number_finder)(void *user, const char *name, int parameters,
                                      ac_expression **expression);

typedef struct ac_variation {
    ac_context *ctx;
    ac_number_finder find; /* while the problem is described; NULL: names stand for nothing else */
    void *finder;
    const ac_system *given;
    ac_system system; /* at the present values; shares with the given one what does not vary */
    bool geometry;    /* places or lengths of joints vary */
    bool starts;      /* given coordinates or rates at the start vary */
    bool current;     /* everything is at the present values */
    bool generic;     /* all derivatives are taken as present: for patterns */
    bool settled;     /* all dependences are known: rows follow them */
    int count, capacity, value_capacity, used_capacity, point_capacity;
    ac_parameter_data *parameters;
    double *value;
    bool *used;
    double *point; /* workspace: the parameters and time */
    int dependent_count, dependent_capacity;
    ac_dependent *dependents;
    ac_dependents_of of;
    struct ac_chart *links; /* what hangs on what in the first configuration: parents, order, states */
    /* at the present values */
    ac_jets jets; /* where what is computed from dependents lives */
    ac_varied_inertia inertia;
    ac_jet *gravity_force; /* n */
    ac_jet *joint_place;   /* per joint: on a (3), on b (3), relative to the reference points */
    bool *joint_moves;     /* per joint: whether one of them or its length varies */
    ac_jet *node_shift;    /* per node that no joint holds: how far it is moved, in the world (3) */
    bool *node_shifts;     /* per node: whether it is */
    ac_jet *length_ratio;  /* per beam: length by given length */
    int moving_count, moving_capacity;
    ac_moving *moving;
    ac_forms forms;    /* of constraint rows, with coordinates of q as indices */
    ac_row_data *rows; /* per constraint row */
} ac_variation;

/* Pairs of data j >= k are numbered one after another. */
static inline int ac_data_pair(int j, int k)
{
    return j >= k ? j * (j + 1) / 2 + k : k * (k + 1) / 2 + j;
}

/* Maps that stand for one varied map: itself, its first derivatives, its second ones. */
static inline int ac_varied_maps(int data)
{
    return 1 + data + data * (data + 1) / 2;
}

static inline int ac_first_map(int first, int j)
{
    return first + 1 + j;
}

static inline int ac_second_map(int first, int data, int j, int k)
{
    return first + 1 + data + ac_data_pair(j, k);
}

/* Nothing varies until the first parameter is added. */
ac_status ac_variation_add(ac_context *ctx, const ac_system *system, const ac_parameter *parameter,
                           ac_variation *v);
void ac_variation_end(ac_variation *v);
ac_status ac_variation_depend(ac_variation *v, const ac_dependence *dependence, ac_expression *expression);
/* An expression that belongs to nothing in the system; returns its number. */
ac_status ac_variation_expression(ac_variation *v, const char *text, int *number);
/* An expression of the parameters and t; a text may be a name that stands for one. */
ac_status ac_variation_parse(const ac_variation *v, const char *text, ac_constant_lookup lookup, void *user,
                             ac_expression **expression);
/* All dependences are known. */
ac_status ac_variation_settle(ac_variation *v);
/* The system at other values. */
ac_status ac_variation_update(ac_variation *v, const double *value);
/* The parameters that a load depends on; NULL: none. */
const ac_jet *ac_variation_load_list(const ac_variation *v, int load, int component);
/* The mean of a load over [t, t + h] (its value at t for h = 0). Loads with jumps are integrated with a fixed number of
 * points. */
double ac_variation_load(const ac_variation *v, int load, int component, double t, double h);
/* The same with its derivatives; the jet has the lists of ac_variation_load_list. */
void ac_variation_load_jet(const ac_variation *v, int load, int component, double t, double h, ac_jet *jet);
/* Derivatives by h of the mean over [n h, (n + 1) h]; mixed (may be NULL): by h and a parameter, with the jet of the mean. */
void ac_variation_load_rates(const ac_variation *v, int load, int component, double n, double h,
                             double *first, double *second);
void ac_variation_load_mixed(const ac_variation *v, int load, int component, double n, double h,
                             const ac_jet *mean, double *mixed);

/* A list of numbers of dependents that has none yet. */
ac_status ac_variation_no_numbers(ac_context *ctx, int count, int **list);

/* vary_beams.c */
ac_status ac_variation_begin_beams(ac_variation *v);
/* The same along its whole length? */
bool ac_beam_is_uniform(const ac_system *system, int beam);
/* Where the number of a dependent of a beam, or of the mass that a node of it carries, is kept; NULL:
 * nowhere. */
int *ac_variation_beam_place(ac_variation *v, const ac_dependence *dependence, double *given);
/* Whether its length can change. */
bool ac_beam_length_varies(const ac_variation *v, int beam);
/* The length of each beam by its given length, at the present values. */
void ac_variation_beam_lengths(ac_variation *v);
/* Mass and Euler tensor (first two moments) of a node of a beam; of coupled nodes (mass, then the
 * directors). They return whether these vary. */
bool ac_variation_beam_node(ac_variation *v, int node, ac_jet *mass, ac_jet turning[2]);
bool ac_variation_beam_pair(ac_variation *v, int pair, ac_jet part[4]);
/* The masses of a node of dual quaternions, from those above; its scalar parts change with the length alone. */
void ac_variation_relative(ac_variation *v, int node);
/* A strain at a point of a beam, with the length that it stands for and its value without stress. */
typedef struct ac_strain_place {
    int beam, point, strain; /* point: ac_strain_point */
    double weight, reference;
} ac_strain_place;

/* Stiffness, damping and rest value of a strain as a spring; false: they do not vary. */
bool ac_variation_strain(const ac_variation *v, ac_jets *jets, const ac_strain_place *at, ac_jet data[3]);
/* The same values alone. */
bool ac_variation_strain_values(const ac_variation *v, const ac_strain_place *at, double data[3]);
/* In what a beam differs from that of a system that was described for these values; NULL: in nothing.
 * Masses are those of nodes. */
const char *ac_variation_beam_difference(const ac_variation *v, int beam, const ac_system *other);
ac_status ac_variation_link(ac_variation *v);
void ac_variation_unlink(ac_variation *v);
const ac_joint_state *ac_variation_starts(const ac_variation *v);

/* vary_start.c: coordinates and rates of joints at the start */
/* Why one of them cannot depend on parameters; NULL: it can, or it is another datum. */
const char *ac_variation_start_refusal(const ac_variation *v, const ac_dependence *dependence);
int *ac_variation_start_place(ac_variation *v, const ac_dependence *dependence, double *given);
/* How a freedom of a node (its rate) at the start differs from the given one: `change` is factor times (jet - given); NULL: it does not
 * vary. */
const ac_jet *ac_variation_start(const ac_variation *v, const ac_node *node, int freedom, bool rate,
                                 double *factor, double *change);
/* The changes of all freedoms of a node. */
void ac_variation_start_increments(const ac_variation *v, const ac_node *node, bool rate, double *out);

/* vary_forms.c */
/* Derivative of a map along w. */
double ac_form_along(const ac_forms *forms, int map, const double *q, const double *w);
bool ac_place_varies(const ac_variation *v, const ac_place_source *place);
bool ac_gap_varies(const ac_variation *v, const ac_gap *gap);
/* Its numbers that vary become moving data. */
ac_status ac_gap_follow(ac_variation *v, ac_gap *gap);
/* The same for the components of a place: their numbers among the moving data, -1: it does not vary. */
ac_status ac_place_follow(ac_variation *v, const ac_place_source *place, int moving[3]);
/* Adds ac_varied_maps maps. */
ac_status ac_gap_forms(const ac_variation *v, const ac_gap *gap, ac_forms *forms);
/* How far parameters shift the initial places of nodes that no joint holds. */
void ac_variation_shift_nodes(ac_variation *v);
/* Moving data at the present values. */
void ac_variation_move(ac_variation *v);
/* Places on both sides of a joint or spring. */
void ac_joint_places(const ac_variation *v, int joint, ac_place_source side[2]);
void ac_spring_places(const ac_variation *v, int spring, ac_place_source side[2]);
void ac_load_place(const ac_variation *v, int load, ac_place_source *place);
void ac_place_jets(ac_variation *v, const ac_place_source *source, ac_jet place[3]);
void ac_place_values(const ac_variation *v, const ac_place_source *source, double place[3]);
ac_status ac_variation_constraint_forms(ac_variation *v);
/* The map of a measure of the system, when it varies. */
bool ac_measure_gap(const ac_variation *v, int measure, ac_gap *gap);

/* Every entry of the mass matrix that varies, with its derivatives by parameters. */
typedef void (*ac_mass_jet_sink)(void *user, int row, int column, const ac_jet *jet);
void ac_variation_masses(const ac_variation *variation, ac_mass_jet_sink sink, void *user);

#endif
