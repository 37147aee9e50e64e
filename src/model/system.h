/* The system as the library sees it: nodes, joints, elements and loads, constant after ac_system_finish.
 *
 * Configuration q: for a rigid body 12 numbers (centre of mass, then the directors d1, d2, d3), for a planar
 * body 4 (centre of mass, director), for a point its 1 to 3 coordinates, for a node of unit dual quaternions 20
 * (place and directors as a body, then the eight numbers of the dual quaternion). Every node moves by a twist (v,
 * omega): velocity of its reference point and angular velocity, world axes.
 *
 * Tree: each node hangs by a joint on its parent (or on the ground; nodes without a joint hang there freely).
 * A joint gives the twist of its child relative to the parent as S u. Joints that are not needed for the tree
 * close loops.
 */
#ifndef ACTIO_MODEL_SYSTEM_H
#define ACTIO_MODEL_SYSTEM_H

#include <stdbool.h>

#include "actio/contact.h"
#include "actio/expression.h"
#include "actio/model.h"
#include "base/base.h"
#include "base/chain.h"
#include "base/forms.h"

typedef enum ac_node_kind { AC_NODE_BODY, AC_NODE_PLANAR, AC_NODE_POINT, AC_NODE_DUAL } ac_node_kind;

enum {
    AC_BODY_SIZE = 12,
    AC_NODE_MAX = 20,
    AC_BEAM_ORDER_MAX = 2,
    AC_ELEMENT_NODES = AC_BEAM_ORDER_MAX + 1, /* most nodes of an element */
    AC_ELEMENT_MAX = 40, /* coordinates of an element: three bodies, or two nodes of the largest kind */
    AC_RELATION_MAX = 12 * AC_RELATION_TERMS, /* coordinates of a relation */
    AC_MEASURE_FORMS = 8
};

/* Elementary motions: a joint is a row of them (joint_rows.h). */
typedef enum ac_motion_kind {
    AC_MOTION_NONE, /* ends a row */
    AC_MOTION_SHIFT,
    AC_MOTION_TURN,
    AC_MOTION_SWING, /* of a point on a sphere about another one */
    AC_MOTION_BALL   /* turn about any axis */
} ac_motion_kind;

typedef struct ac_motion {
    ac_motion_kind kind;
    int axis; /* of a shift or turn: 0, 1, 2 for x, y, z of the frame that the motions before it reach */
    const char *name; /* of its coordinate; NULL: none */
} ac_motion;

enum { AC_ROW_MAX = 4 };

typedef struct ac_joint_row {
    ac_joint_type type;
    const char *name;
    ac_motion motion[AC_ROW_MAX + 1]; /* from side a to side b; ends with AC_MOTION_NONE */
} ac_joint_row;

/* The row of a tree joint as its child goes it from the parent, with what the child can do: a planar body turns
 * about z only, a point does not turn. A row whose motions form a group reads the same from both sides;
 * another one is gone backwards if side b is the parent: turns first, then shifts along axes of the child. */
typedef struct ac_walk_step {
    ac_motion_kind kind;
    int axis, freedoms;
    int number;    /* of the motion in its row */
    int freedom;   /* the first of its freedoms, counted from the child's first */
    bool in_child; /* the axis is fixed in the child's joint frame, else in the parent's */
} ac_walk_step;

typedef struct ac_walk {
    int count;
    bool backward;
    bool aligned; /* its freedoms are the coordinates of the joint (with opposite sign if reversed) */
    ac_walk_step step[AC_ROW_MAX];
} ac_walk;

typedef struct ac_node { /* what every step reads comes first */
    ac_node_kind kind;
    int q, size;     /* place and number of coordinates */
    int dimension;   /* of space for this node: 3, 2, or that of the point */
    int parent;      /* in the tree */
    int joint;       /* the tree joint that holds it; -1: free */
    int u, freedoms; /* place and number of its tree freedoms */
    double mass;
    /* rigid: Euler tensor, integral of X X^T dm about the centre of mass; planar: euler[0] = inertia */
    double euler[9];

    char *name;
    double centre[3]; /* centre of mass in the user's frame */
    bool placed, moving;
    /* moving: not given; a velocity alone is that of the body's origin */
    bool velocity_follows, spin_follows;
    /* as they were before beams were carried as a whole (assembly/unbent.c) */
    bool given_placed, given_moving, given_velocity_follows, given_spin_follows;
    bool held;    /* spins freely about its own axis, without inertia: see assembly/spins.c */
    ac_pose pose; /* initial pose of the node frame: origin in the centre of mass, body axes */
    double velocity[3], spin[3];
    int beam;          /* the beam it belongs to; -1: none */
    double ambient[2]; /* dual quaternion: inertia of the scalar parts of its velocity, alpha_1 and alpha_2 */
    double unit[4];    /* the same: near which its sign is chosen where nothing is known yet */
    ac_walk walk;
} ac_node;

/* Where a joint frame is in its node: origin relative to the reference point and axes, both in node axes. */
typedef struct ac_side {
    int node;
    double place[3];
    double axes[9];
} ac_side;

typedef struct ac_joint_data {
    const ac_joint_row *row;
    bool in_tree, reversed; /* reversed: in the tree b is the parent and a the child */
    ac_side a, b;
    ac_joint_type type;
    double length;
    int first_row, rows; /* its constraint equations */
    int first_measure;   /* one measure per joint coordinate, -1 if none */
    bool has_coordinates, has_rates, hint;
    double coordinates[3], rates[3];
    char *name;
} ac_joint_data;

/* State of a tree joint: pose of the child's joint frame in the parent's, and the coordinates that make
 * it. */
typedef struct ac_joint_state {
    double shift[3];
    double turn[9];
    double coordinate[3]; /* angles of the turns, by their number in the row; reversed joints: the negative */
    double basis[6]; /* distance joints: two directions in the parent's joint frame, perpendicular to shift */
} ac_joint_state;

/* A scalar function of a few quadratic maps of the coordinates of one or two nodes: length, slide, angle. */
typedef enum ac_measure_kind { AC_MEASURE_VALUE, AC_MEASURE_LENGTH, AC_MEASURE_ANGLE } ac_measure_kind;

typedef struct ac_measure {
    ac_measure_kind kind;
    int nodes[2], node_count; /* coordinates of the maps: those of nodes[0], then of nodes[1] */
    int first_form;           /* one map, or two for an angle (cosine and sine) */
    double initial;           /* value in the assembled configuration, for angles with the full turns */
    int end;                  /* the node at its second end (its first, if that is the ground) ... */
    double place[3];          /* ... and where on it a force on the measure is seen, as in ac_side */
} ac_measure;

typedef struct ac_spring_data { /* potential k/2 (y - rest)^2 and damper -c y' grad y on a measure y */
    char *name;
    int measure;
    double stiffness, damping, rest;
    bool between_points; /* else in a joint coordinate */
    bool rest_initial;   /* its rest length is that of the assembled start */
    int end_node[2];
    double end_place[2][3]; /* relative to the reference points, node axes */
} ac_spring_data;

typedef struct ac_load_data {
    char *name;
    ac_load_type type;
    int node;
    int before;      /* torque on an inner vertex of the edge model: takes half of it; AC_GROUND: none does */
    double place[3]; /* force: relative to the reference point, node axes */
    bool follows, constant;
    int measure; /* joint loads */
    double sign; /* of the joint coordinate */
    ac_signal *value[3];
} ac_load_data;

/* sum of factor_k y_k = what it is held at, on measures y_k; in units in which the largest factor is one. */
typedef struct ac_relation_data {
    char *name;
    ac_relation_kind kind;
    int count, joints[AC_RELATION_TERMS], measures[AC_RELATION_TERMS];
    double factors[AC_RELATION_TERMS];
    double unit; /* the largest factor as it was given */
    bool equals_given;
    double equals; /* of a constant one: the number; of the others: the sum at the start */
    ac_signal *signal;
} ac_relation_data;

typedef struct ac_relation_list {
    int count, capacity;
    ac_relation_data *list;
} ac_relation_list;

/* A beam: nodes in a row (rigid body nodes without inertia about d3 of their own) and its elements.
 * Elements of order 1 are in `mesh.elements`, those of order 2 in `mesh.high`; first_element counts in
 * one or the other. */
typedef struct ac_beam_data {
    char *name;
    ac_beam_model model;
    int order;
    int first_node, nodes;
    int first_element, elements;
    int first_pair, pairs; /* its coupled masses */
    int first_mass_point, mass_points;
    double damping;       /* relaxation time of the Kelvin-Voigt material, s */
    double relaxation[2]; /* dual quaternion: the same for shear and torsion, for stretch and bending */
    double ambient[2];    /* dual quaternion: stiffness of the scalar parts of strains, alpha_3 and alpha_4 */
    double length;        /* sum of the elements */
    double mass;          /* without what its nodes carry */
    ac_beam_values start, end; /* at its ends */
    /* W(u, v, s) and U(x, y, z, s), NULL: none; function of the first element (or strain point) for W */
    ac_expression *energy, *potential;
    int first_function;
    struct { /* of W and of U: the same with parameters behind the variables, and their values; NULL: none */
        ac_expression *whole;
        double *values;
    } named[2];
} ac_beam_data;

/* An energy given as a function, at one quadrature point of a beam: of the strains there, or of the place of a node. */
typedef struct ac_function_data {
    int beam;
    int node;           /* -1: of strains */
    int element, point; /* in mesh.elements, or in mesh.high; of a place: which of its nodes */
    double weight;      /* the length that it stands for */
    ac_outer_function function;
} ac_function_data;

typedef struct ac_beam_element {
    int beam, node;      /* its nodes are node and node + 1 */
    double length;       /* over which positions differ; 0: the element has no stretch */
    double bend;         /* over which frames differ */
    double stiffness[6]; /* GA_1, GA_2, EA, EI_1, EI_2, GJ */
    double reference[6]; /* strains without stress */
    double share[2];     /* of the beam's length: where the stiffness against stretch and bending is taken */
} ac_beam_element;

/* An element of order 2 on the nodes node, node + 1, node + 2: strains are taken at two Gauss points. */
typedef struct ac_beam_point {
    double weight;                                    /* the length that it stands for */
    double N[AC_ELEMENT_NODES], dN[AC_ELEMENT_NODES]; /* shape functions and their derivatives by length */
    double stiffness[6], reference[6];
    double share; /* of the beam's length */
} ac_beam_point;

typedef struct ac_high_element {
    int beam, node, order;
    ac_beam_point points[AC_BEAM_ORDER_MAX];
} ac_high_element;

/* Where mass and inertia per length of a beam are taken, and the lengths with which they count in its nodes. */
typedef struct ac_mass_point {
    int element, node, order; /* of the element in the beam; its nodes are node, ..., node + order */
    int first_pair;           /* of its nodes, -1: none */
    double share;             /* of the beam's length */
    double density, inertia[2];
    double mass[AC_ELEMENT_NODES], turning[AC_ELEMENT_NODES]; /* for which a node has mass and inertia ... */
    double bending[AC_ELEMENT_NODES]; /* ... edge model: beside `turning`, parts of the length that bends */
    double pair[AC_ELEMENT_NODES];    /* for which nodes (0, 1), (0, 2), (1, 2) are coupled */
} ac_mass_point;

/* Mass that couples two body nodes: mass for the reference points, euler for the directors d1, d2, d3. */
typedef struct ac_mass_pair {
    int a, b;
    double mass, euler[3];
} ac_mass_pair;

/* One entry of the mass matrix: coefficient times identity between two blocks of coordinates. */
typedef struct ac_mass_entry {
    int row, column, dimension; /* places in q */
    double coefficient;
    bool relative; /* of a node whose inertia on an interval is another function (ac_node_type) */
} ac_mass_entry;

/* Constraint equations as quadratic maps over slots; slot s of row k is coordinate[start[k] + s]. */
typedef struct ac_constraints {
    int count, internal; /* all rows; the first `internal` rows belong to the nodes */
    int closure;         /* rows from here on close loops */
    ac_forms forms;
    int *start;
    int *coordinate;
    /* per coordinate: the one it is measured from, or -1; rows of joints between nodes depend on differences
     * only */
    int *origin;
    int *owner;   /* joint number, or -1 - node for internal rows */
    double *size; /* per row: how far a radian changes it: 1, a length or a square of lengths */
    int widest;   /* most coordinates in a row */
} ac_constraints;

/* Force maps B(q)^T of inputs (action/force_map.h): forces on coordinates, each a quadratic map of q, and torques on nodes.
 * A set holds those of many inputs; one input owns a range of both lists. */
typedef struct ac_force_entry {
    int coordinate, form; /* force on a coordinate: a map of q */
    bool torque;          /* of a torque: at time nodes only */
} ac_force_entry;

typedef struct ac_force_torque {
    int node;
    ac_affine3 direction; /* of q, with its factor */
} ac_force_torque;

typedef struct ac_force_maps {
    int entry_count, entry_capacity;
    ac_force_entry *entries;
    int torque_count, torque_capacity;
    ac_force_torque *torques;
    ac_forms forms;
} ac_force_maps;

typedef struct ac_force_map {
    int first, count;               /* entries */
    int first_torque, torque_count; /* torques */
} ac_force_map;

/* Parts of elements as functions of quadratic maps on the coordinates of the element's nodes (action/element.h).
 * A set holds elements one after another; element e has the parts start[e] .. start[e + 1]. */
typedef struct ac_described_part {
    int measure;    /* whose maps and winding it uses; -1: maps of the set */
    int first_form; /* of the maps */
    ac_outer outer;
    int size; /* coordinates of the element */
} ac_described_part;

typedef struct ac_described {
    int elements, element_capacity, *start;
    int count, capacity;
    ac_described_part *parts;
    ac_forms forms;
} ac_described;

/* What beams are divided into. */
typedef struct ac_beam_mesh {
    int element_count, element_capacity;
    ac_beam_element *elements;     /* of order 1 */
    int dual_elements, dual_nodes; /* of dual quaternions: the last of these elements; their nodes */
    int high_count, high_capacity;
    ac_high_element *high; /* elements of order 2 */
    int function_count, function_capacity;
    ac_function_data *functions;
    int mass_pair_count, mass_pair_capacity;
    ac_mass_pair *mass_pairs;
    int mass_point_count, mass_point_capacity;
    ac_mass_point *mass_points;
} ac_beam_mesh;

typedef struct ac_tree_shape {
    int freedoms;
    int loops;       /* joints outside the tree */
    int graph_loops; /* independent loops of bodies, points, beams and the joints between them */
    int *order;      /* nodes, parents before children */
} ac_tree_shape;

/* The mass matrix by its entries. */
typedef struct ac_mass_entries {
    int count, capacity;
    ac_mass_entry *entries;
} ac_mass_entries;

/* The force maps of all loads. */
typedef struct ac_load_maps {
    ac_force_maps forces;
    int capacity;
    ac_force_map *maps; /* three for each load, of its components; empty for those on joint coordinates */
} ac_load_maps;

/* Pairs of nodes that elements couple. */
typedef struct ac_coupling {
    int count, capacity;
    int (*pairs)[2];
    bool along_tree; /* every element acts on one node, or on a node and its parent */
} ac_coupling;

/* The assembled initial state. */
typedef struct ac_initial {
    double *q, *v;         /* n each */
    double *u;             /* tree velocities */
    ac_joint_state *state; /* per node */
    int closure_rank;
    int relation_rank; /* of the relations beyond the loops */
    bool unbent;       /* beams were carried as a whole */
    ac_assembly assembly;
} ac_initial;

struct ac_system {
    ac_context *ctx;
    bool finished, flat; /* flat: all nodes are planar or points of dimension < 3 */
    double gravity[3];
    double length_scale; /* typical distance, for tolerances */

    int node_count, node_capacity;
    ac_node *nodes;
    int joint_count, joint_capacity;
    ac_joint_data *joints;
    int measure_count, measure_capacity;
    ac_measure *measures;
    ac_forms measure_forms;
    int spring_count, spring_capacity;
    ac_spring_data *springs;
    int load_count, load_capacity;
    ac_load_data *loads;
    ac_relation_list relations;
    int beam_count, beam_capacity;
    ac_beam_data *beams;
    ac_beam_mesh mesh;
    int contact_count, contact_capacity;
    ac_contact *contacts; /* places relative to the reference points of their nodes */

    int n;           /* coordinates */
    int user_joints; /* those within beams come after them */
    ac_tree_shape tree;
    ac_constraints constraints;
    ac_mass_entries inertia;
    double *gravity_force;  /* n: constant gradient of minus the gravity potential */
    ac_described described; /* elements of kinds without loops, kind by kind */
    ac_load_maps load;
    ac_coupling coupling;
    ac_initial initial;
};

/* --- kinds of nodes -------------------------------------------------------------------------------------------------- */

/* A kind of node: everything that depends on how coordinates describe its pose. The first numbers are its place;
 * how many there are (`size`, at most AC_NODE_MAX) stands in the node. */
typedef struct ac_node_type {
    const char *word;       /* of its channels: "body", "point" */
    int turns;              /* directions in which it turns: 3, 1, 0 */
    int directors;          /* vectors of its dimension that follow its place; affine in the pose */
    int rows;               /* inner constraints */
    const char *channel;    /* of its orientation; NULL: it has none */
    const char *components; /* of that channel, and their number */
    int width;
    void (*tangent)(const ac_node *node, const double *q, const double twist[6], double *dq);
    void (*wrench)(const ac_node *node, const double *q, const double *f, double wrench[6]);
    void (*wrench_slope)(const double *q, const double *f, const double twist[6], double wrench[6]);
    /* Its inertia on an interval is a function of both ends (action/relative.h) instead of M v, which holds at one time. */
    bool relative;
    /* Fills coordinates that follow from place and directors; NULL: there are none. */
    void (*complete)(const ac_node *node, double *q);
    /* Further inner rows; NULL: orthonormal directors. */
    ac_status (*constraints)(ac_system *system, const ac_node *node);
    void (*set_pose)(const ac_node *node, const double position[3], const double rotation[9], double *q);
    void (*get_pose)(const ac_node *node, const double *q, double position[3], double rotation[9]);
    void (*spin)(const double *q, const double *v, double spin[3]);
    ac_affine3 (*direction)(int q, const double direction[3]);
} ac_node_type;

extern const ac_node_type ac_node_types[]; /* by kind */

static inline const ac_node_type *ac_node_type_of(const ac_node *node)
{
    return &ac_node_types[node->kind];
}
/* Directions in which a node turns; without any it has no orientation. */
static inline int ac_node_turns(const ac_node *node)
{
    return ac_node_types[node->kind].turns;
}
/* Dual quaternions: where their numbers begin. */
enum { AC_DUAL_AT = AC_BODY_SIZE };
/* Chooses the signs of dual quaternions along each beam so that neighbours are near each other, in q and its velocity v (may
 * be NULL), and keeps them in the nodes: both signs are one pose, but strains are those of the shorter turn only. */
void ac_system_align_duals(ac_system *system, double *q, double *v);
/* Inner constraint rows: orthonormal directors. */
ac_status ac_node_constraints(ac_system *system, const ac_node *node);
/* Writes the channel of its orientation; returns the place after it. */
double *ac_node_put_orientation(const ac_node *node, const double *q, double *at);
/* Angular velocity from the velocities v of the coordinates. */
void ac_node_spin(const ac_node *node, const double *q, const double *v, double spin[3]);

/* --- nodes: twists and wrenches --------------------------------------------------------------------------------- */

/* dq = velocity of the coordinates of a node that moves by the twist. */
void ac_node_tangent(const ac_node *node, const double *q, const double twist[6], double *dq);
/* wrench = transposed: generalised force on the coordinates seen as force and torque at the reference
 * point. */
void ac_node_wrench(const ac_node *node, const double *q, const double *f, double wrench[6]);
/* wrench = derivative of (A(q) twist) . f by a motion of the node, f and the twist held fixed. */
void ac_node_wrench_slope(const ac_node *node, const double *q, const double *f, const double twist[6],
                          double wrench[6]);
/* block (6 x 6) = A(q_left)^T B A(q_right), where B (rows x columns) couples the coordinates of two nodes. */
void ac_node_project(const ac_node *left, const double *q_left, const ac_node *right, const double *q_right,
                     const double *B, int stride, double block[36]);
/* Coordinates from a pose, and the pose of a node (identity rotation for points). */
void ac_node_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q);
void ac_node_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9]);
/* Point and direction fixed in a node, as affine functions of its coordinates (place, direction in node
 * axes; the ground gives constants). `q` is the place of the node's first coordinate in the vector the
 * maps will be evaluated on. */
ac_affine3 ac_node_point(const ac_node *node, int q, const double place[3]);
/* f += factor A^T F on the coordinates of the node, for the place x = A q + constant: a force there, or the gradient of F . x. */
void ac_node_add_force(const ac_node *node, const double place[3], const double F[3], double factor,
                       double *f);
ac_affine3 ac_node_direction(const ac_node *node, int q, const double direction[3]);

/* --- joints -------------------------------------------------------------------------------------------------------- */

/* The row of a joint type (NULL: there is none), and of a node that no joint holds. */
const ac_joint_row *ac_joint_find(ac_joint_type type);
extern const ac_joint_row ac_joint_free;

/* Coordinates that can be given: one for each motion with a name, three for a ball. */
int ac_row_coordinates(const ac_joint_row *row);
int ac_row_count(const ac_joint_row *row, ac_motion_kind kind);
static inline bool ac_row_has(const ac_joint_row *row, ac_motion_kind kind)
{
    return ac_row_count(row, kind) > 0;
}
/* Is its coordinate the rotation vector of a ball? */
bool ac_row_is_ball(const ac_joint_row *row);
/* Does it keep the nodes from turning somehow, so that it transmits a torque? */
bool ac_row_holds_turns(const ac_joint_row *row);
/* Which shifts along the axes of the joint frame (see ac_joint_slide_side) are locked. */
void ac_row_locked(const ac_joint_row *row, bool locked[3]);

/* Marks the freedoms whose joint coordinates (or rates) the user gave. Of a node without a joint the velocity or the
 * spin may be given alone. */
void ac_system_mark_given(const ac_system *system, bool rates, bool *given);
/* The sides as the tree has them; a joint outside the tree counts from a to b. */
static inline const ac_side *ac_parent_side(const ac_joint_data *joint)
{
    return joint->reversed ? &joint->b : &joint->a;
}
static inline const ac_side *ac_child_side(const ac_joint_data *joint)
{
    return joint->reversed ? &joint->a : &joint->b;
}
/* The side along whose axes the joint slides. */
const ac_side *ac_joint_slide_side(const ac_joint_data *joint);

/* Number of freedoms of the child in the tree, and what they are once its joint is known. */
int ac_joint_freedoms(const ac_joint_row *row, const ac_node *child);
void ac_joint_walk(const ac_system *system, ac_node *child);
/* The step of a child's walk that its freedom k belongs to; the one of coordinate `number` of its joint, NULL
 * if that is no freedom of the tree. */
const ac_walk_step *ac_walk_at(const ac_node *child, int freedom);
const ac_walk_step *ac_walk_coordinate(const ac_node *child, int number);
/* Constraint rows, and a measure (slide, angle) for every coordinate. */
ac_status ac_joint_constraints(ac_system *system, int joint);
/* Its rows: the square of a length; component k of the gap between its two points; axis k of the side that slides . gap; axis k
 * of the parent's side . axis l of the child's; the same of axis k, turned by 90 degrees in the plane. */
typedef enum ac_equation_kind {
    AC_EQUATION_LENGTH,
    AC_EQUATION_COMPONENT,
    AC_EQUATION_ALONG,
    AC_EQUATION_ACROSS,
    AC_EQUATION_FLAT
} ac_equation_kind;
typedef struct ac_joint_equation {
    ac_equation_kind kind;
    int k, l;
} ac_joint_equation;
typedef struct ac_equation_list {
    int count;
    ac_joint_equation row[6];
} ac_equation_list;
void ac_joint_list_rows(const ac_system *system, const ac_joint_data *joint, ac_equation_list *list);
/* Cosine and sine of an angle: factor times axis a of side a . axis b of side b. */
typedef struct ac_axis_pair {
    int a, b;
    double factor;
} ac_axis_pair;
void ac_joint_angle_axes(const ac_joint_row *row, int number, ac_axis_pair pair[2]);
ac_status ac_joint_measures(ac_system *system, int joint);
/* The measure of a joint coordinate, for `what` of this name. */
ac_status ac_joint_measure(ac_system *system, const char *what, const char *name, int joint, int coordinate,
                           int *measure);

/* --- relations (relation.c) ---------------------------------------------------------------------------------------- */

/* Refuses a system that has relations, for `what`. */
ac_status ac_refuse_relations(ac_context *ctx, const ac_system *system, const char *what);
/* How far a relation goes from t to `end`. */
double ac_relation_change(const ac_relation_data *relation, double t, double end);
/* The rate at which it goes. */
double ac_relation_rate(const ac_relation_data *relation, double t);
/* gradient (n) of the sum at q; winding: of all measures. */
void ac_relation_gradient(const ac_system *system, const ac_relation_data *relation, const double *q,
                          const double *winding, double *gradient);
/* The nodes that it acts on; returns how many. */
int ac_relation_nodes(const ac_system *system, const ac_relation_data *relation,
                      int nodes[AC_RELATION_TERMS]);
/* Second derivatives of the sum by the coordinates of these nodes, as a block. */
void ac_relation_curvature(const ac_system *system, const ac_relation_data *relation, const double *q,
                           const double *winding, double *block);

/* --- measures ------------------------------------------------------------------------------------------------------ */

int ac_measure_size(const ac_system *system, const ac_measure *measure); /* coordinates it touches */
void ac_measure_gather(const ac_system *system, const ac_measure *measure, const double *q, double *x);
/* The function of quadratic maps that a kind of measure is, and that of one measure on the coordinates of its nodes. */
ac_outer ac_measure_outer(ac_measure_kind kind);
ac_chain ac_measure_chain(const ac_system *system, const ac_measure *measure);
/* Value at x; angles are continued from `near`. gradient and hessian (size x size) may be NULL. */
double ac_measure_evaluate(const ac_system *system, const ac_measure *measure, const double *x,
                           double winding, double *gradient, double *hessian);
/* winding[k]: the value of measure k at q, continued from winding[k]; angles only. */
void ac_measures_wind(const ac_system *system, const double *q, double *winding);

/* Discrete derivative: D with D . (xb - xa) = y(xb) - y(xa) exactly (angles: on the constraints), and its
 * slope dD/dxb (size x size, may be NULL). */
void ac_measure_discrete(const ac_system *system, const ac_measure *measure, const double *xa,
                         const double *xb, double winding, double *ya, double *yb, double *D, double *slope);

/* --- beams --------------------------------------------------------------------------------------------------------- */

/* Strains Gamma_1, Gamma_2, Gamma_3, K_1, K_2, K_3 of an element; x: coordinates of its two nodes. */
void ac_beam_strains(const ac_system *system, int element, const double *x, double strain[6]);
/* Stress resultants in the director frame: forces N_1, N_2, N_3, moments M_1, M_2, M_3. */
void ac_beam_stresses(const ac_system *system, int element, const double strain[6], double stress[6]);
/* Positions' derivative r', directors d_1, d_2, d_3 and their derivatives at a point of an element of
 * order 2: 21 numbers, linear in the coordinates x of its nodes; and the strains that follow from them. */
enum { AC_BEAM_FIELDS = 21 };
void ac_beam_fields(const ac_beam_point *point, int order, const double *x, double fields[AC_BEAM_FIELDS]);
void ac_beam_field_strains(const double fields[AC_BEAM_FIELDS], double strain[6]);
/* Places where strains and stress resultants are known: one for each element and order. */
int ac_beam_points(const ac_beam_data *beam);
/* The same of all beams, numbered: those of elements of order 1, then two for each of order 2; place k of a beam; point
 * `point` of an element numbered through all beams (ac_part). */
static inline int ac_strain_points(const ac_system *system)
{
    return system->mesh.element_count + AC_BEAM_ORDER_MAX * system->mesh.high_count;
}
static inline int ac_strain_point(const ac_system *system, int element, int point)
{
    int beyond = element - system->mesh.element_count;
    return beyond < 0 ? element : system->mesh.element_count + AC_BEAM_ORDER_MAX * beyond + point;
}
static inline int ac_beam_strain_point(const ac_system *system, const ac_beam_data *beam, int k)
{
    int element = beam->first_element + k / beam->order;
    return ac_strain_point(system, beam->order > 1 ? system->mesh.element_count + element : element,
                           k % beam->order);
}
/* beam_places.c: where a quantity is known, and at how many such places, which users count from 0 on: at
 * nodes, where the beam stretches and shears (elements), where it bends and twists (elements; edge model:
 * vertices), on the edges of the edge model (other models have none). */
typedef enum ac_beam_site { AC_SITE_NODES, AC_SITE_STRETCHES, AC_SITE_BENDS, AC_SITE_EDGES } ac_beam_site;
int ac_beam_sites(const ac_beam_data *beam, ac_beam_site site);
/* The node of the system that users count as node k of the beam. */
int ac_beam_node(const ac_beam_data *beam, int k);
/* Edge model: the node before an inner vertex, whose frame is that of the edge that ends there; else
 * AC_GROUND. */
int ac_beam_edge_before(const ac_system *system, int node);
/* Rotation (row by row) and angular velocity (of six numbers per node of the system) at node k of the
 * beam. */
void ac_beam_rotation(const ac_system *system, const ac_beam_data *beam, int k, const double *q,
                      double rotation[9]);
void ac_beam_spin(const ac_system *system, const ac_beam_data *beam, int k, const double *twists,
                  double spin[3]);
/* Writes positions and rotations of the nodes and rotations of the edges, or strains, curvatures, forces
 * and moments; returns the place after them. */
double *ac_beam_put_frames(const ac_system *system, const ac_beam_data *beam, const double *q, double *at);
double *ac_beam_put_strains(const ac_system *system, const ac_beam_data *beam, const double *q, double *at);
/* Strains beyond the reference, and stress resultants, at point k of a beam; `uniformity` (may be NULL):
 * stress times strain minus energy per length. */
/* Adds what the function of an energy gives beyond stiffness times strain at strain point k of a beam that has one; returns
 * stress . strain less that energy per length. */
double ac_beam_add_function(const ac_system *system, const ac_beam_data *beam, int k, const double strain[6],
                            double stress[6]);
void ac_beam_at_point(const ac_system *system, const ac_beam_data *beam, int k, const double *q,
                      double strain[6], double stress[6], double *uniformity);

/* --- finishing ----------------------------------------------------------------------------------------------------- */

/* Adds the joints that hold the nodes of beams together; last, so that the numbers of the others do not
 * depend on beams. */
ac_status ac_system_join_beams(ac_system *system);
ac_status ac_system_build_tree(ac_system *system);
ac_status ac_system_build_constraints(ac_system *system);
void ac_constraints_free(ac_context *ctx, ac_constraints *constraints);
/* A node for messages: "body 'arm'", "point 'bob'", "node 'rod[2]' of beam 'rod'". */
enum { AC_NODE_WORDS = 240 };
const char *ac_node_words(const ac_system *system, int node, char text[AC_NODE_WORDS]);
/* How far the assembled beams are strained against their initial coordinates (strained.c). */
void ac_system_report_strain(ac_system *system, const double *initial);
/* Draws beams where joints with given coordinates and rates carry them. */
ac_status ac_system_unbend(ac_system *system);
ac_status ac_system_assemble(ac_system *system);
/* Gives thin bodies that spin freely about their own axis a little inertia there. */
void ac_system_hold_spins(ac_system *system);
/* The part of a node's given velocities that its twist at q leaves, six numbers: zero where nothing is given. */
void ac_node_velocity_gap(const ac_node *node, const double *q, const double twist[6], double gap[6]);
/* What the twist makes of the velocities that are given: linear in it. */
void ac_node_velocity_made(const ac_node *node, const double *q, const double twist[6], double made[6]);
/* A new node with a copy of its name; the caller fills the rest. */
ac_status ac_system_add_node(ac_system *system, const char *name, ac_node **node, int *number);

enum { AC_ACTION_LABEL_SIZE = 320 };
/* Labels for channels: the name, with its number where another has the same; the number alone where there is
 * none. */
const char *ac_load_label(const ac_system *system, int load, char label[AC_ACTION_LABEL_SIZE]);
const char *ac_spring_label(const ac_system *system, int spring, char label[AC_ACTION_LABEL_SIZE]);

#endif
