/* Building a system from a problem file: what the files of this folder share.
 *
 * The builder keeps what was given (frames, points, solids) beside the system that it describes: joints look
 * up points of bodies there, and the scene for the viewer is made from it. */
#ifndef ACTIO_PROBLEM_BUILD_BUILD_H
#define ACTIO_PROBLEM_BUILD_BUILD_H

#include "actio/equilibrium.h"
#include "actio/plan.h"
#include "actio/problem.h"
#include "problem/build/description.h"
#include "problem/keys/schema.h"
#include "problem/shape/solids.h"

typedef enum ac_built_kind { AC_BUILT_BODY, AC_BUILT_PLANAR, AC_BUILT_POINT, AC_BUILT_GROUND } ac_built_kind;
extern const char *const ac_built_kind_names[];

typedef struct ac_built_place ac_built_place;
struct ac_built_place { /* a named point */
    const char *name;
    double place[3];
    ac_built_place *next;
};

/* A node, or the ground. The body frame is the frame that the user writes in. */
typedef struct ac_built_node {
    const char *name;
    ac_built_kind kind;
    int dimension; /* numbers in a place of this node */
    bool placed;
    ac_pose pose;     /* of the body frame in the world, when placed */
    double centre[3]; /* of mass, in the body frame */
    double axes[9];   /* columns: the simulated directors in the body frame */
    bool principal;   /* the directors are not the axes of the body frame */
    const struct ac_num
        *inertia; /* then, if it depends on parameters: nine entries in the body frame, in the arena */
    ac_solid *solids;
    ac_built_place *places, *last_place;
    bool of_beam; /* a node of a beam: its frame is at the axis */
} ac_built_node;

struct ac_built_beam;

typedef struct ac_built_joint {
    const char *name;
    ac_joint_type type;
    int a, b;
    ac_pose frame_a, frame_b; /* in the body frames */
} ac_built_joint;

typedef struct ac_built_spring {
    const char *name;
    ac_point a, b; /* in the body frames */
    int number;    /* of the system */
    ac_place place;
} ac_built_spring;

typedef struct ac_builder {
    ac_context *ctx;
    ac_reader reader;
    ac_root_input root;
    ac_place place; /* of the file */
    ac_system *system;
    bool spatial; /* something moves in three dimensions */
    long copies;  /* entries made so far */

    ac_built_node ground;
    ac_built_node *nodes;
    int node_count, node_capacity;
    ac_built_joint *joints;
    int joint_count, joint_capacity;
    ac_built_spring *springs;
    int spring_count, spring_capacity;
    ac_place *contact_places; /* where the contacts of the system stand in the file */
    int contact_capacity;
    struct ac_built_beam *beams;
    int beam_count, beam_capacity;
    double gravity[3];

    ac_names node_names, joint_names, beam_names;
    ac_names place_names; /* "node number/name of the point" */
    double (*places)[3];
    int place_count, place_capacity;
    struct ac_free_data *free;    /* free parameters; NULL: none */
    ac_description *description;  /* keeps what is described; NULL: nothing does */
    const char *const *wanted;    /* parameters whose values will be set; NULL: those of optimize are free */
    bool keeps_axes;              /* a body in principal axes whose inertia depends keeps those of the file */
    const double (*kept_axes)[9]; /* per node: the axes that bodies in principal axes keep; NULL: their own */
    const char **aliases; /* what they are called in expressions, where other things may have their names */
    int wanted_count;
    int made; /* quantities that were made for objectives */
    struct ac_functional_numbers
        *functional; /* what depends in a functional (functional.h); NULL: not kept */
} ac_builder;

typedef ac_status (*ac_entry_reader)(ac_builder *builder, const ac_value *entry);

/* Calls `read` once, or for each copy of an entry with `repeat`. */
ac_status ac_build_copies(ac_builder *builder, const ac_value *entry, ac_entry_reader read);
/* Calls it for all entries of a list or map (which may be NULL). */
ac_status ac_build_entries(ac_builder *builder, const ac_value *entries, ac_entry_reader read);
/* Puts the place in front of a message of the model. */
ac_status ac_build_failed(ac_builder *builder, ac_status status, ac_place place);

/* Adds a piece to the system and keeps it; a failure gets the place in front. */
ac_status ac_build_piece(ac_builder *builder, const ac_piece *piece, ac_place place);

/* problem_places.c: names, points, rotations */
const ac_built_node *ac_built(const ac_builder *builder, int node);
/* Registers a new node; the pointer is good until the next one. */
ac_status ac_add_built_node(ac_builder *builder, const ac_value *entry, ac_built_kind kind, int *number);
/* Adds a named point; false in `*fresh` when the name is taken. */
ac_status ac_add_place(ac_builder *builder, int node, const char *name, const double place[3], bool *fresh);
ac_status ac_add_places(ac_builder *builder, int node, const ac_value *map);
ac_status ac_find_node(ac_builder *builder, const char *text, ac_place place, int *node);
ac_status ac_find_joint(ac_builder *builder, const ac_given_word *word, int *joint);
/* The two nodes of [first, second]. */
ac_status ac_read_pair(ac_builder *builder, const ac_value *pair, const char *what, int nodes[2]);
/* A point of a node in its body frame: a named one or a list of numbers. */
ac_status ac_read_place(ac_builder *builder, const ac_value *value, int node, double place[3]);
/* {node: point, ...} for a pair of nodes; `known` says which were given. */
ac_status ac_read_sides(ac_builder *builder, const ac_value *map, const int nodes[2], bool known[2],
                        double places[2][3]);
ac_status ac_read_rotation(ac_builder *builder, const ac_value *value, double rotation[9]);
ac_status ac_read_directors(ac_builder *builder, const ac_value *value, double rotation[9]);
/* A unit vector. */
ac_status ac_read_direction(ac_builder *builder, const ac_value *value, const char *what, int least,
                            double direction[3]);
/* From the body frame to the frame of the simulated directors. */
void ac_to_directors(const ac_built_node *node, const double place[3], double out[3]);

/* problem_solids.c: the solids of a body and their properties */
ac_status ac_read_solids(ac_builder *builder, const ac_value *entry, const ac_body_input *input,
                         bool inertia_given, ac_solid **solids, ac_mass_properties *properties);

/* problem_bodies.c, problem_joints.c, problem_forces.c, problem_tasks.c */
ac_status ac_build_nodes(ac_builder *builder);
ac_status ac_build_joints(ac_builder *builder);
ac_status ac_build_forces(ac_builder *builder);
/* A coordinate of a joint that a force can act on, or a limit can hold. */
ac_status ac_find_force_coordinate(ac_builder *builder, const ac_given_word *joint_word,
                                   const ac_given_word *word, int *joint, int *coordinate, bool *angular);
/* contact/contacts.c: contacts, and their gaps at the start of the finished system */
ac_status ac_build_contacts(ac_builder *builder);
ac_status ac_check_contacts(ac_builder *builder);
/* Refuses springs, and dampers if it moves, that have no direction at the start. */
ac_status ac_check_springs(const ac_builder *builder, bool moving);
/* What the task optimize is asked for besides its plan. */
typedef struct ac_optimize_options {
    bool shooting;
    int update; /* of shooting, ac_shooting_method */
    double first_step;
    int segments;
    bool forces, reactions, energies, resimulated, adjoint; /* what is recorded beside the motion */
    int unroll;                                             /* cycles of a motion with phases */
} ac_optimize_options;

ac_status ac_build_optimization(ac_builder *builder, const ac_value *section, ac_optimization **optimization,
                                ac_optimization_plan *plan, ac_optimize_options *options);
/* The same problem with one more override. */
ac_status ac_problem_variation(const ac_problem *problem, const char *setting, ac_problem **variation);
ac_context *ac_problem_context(const ac_problem *problem);
/* Override k of the file, from 0 on; NULL: there are no more. */
const char *ac_problem_setting(const ac_problem *problem, int k);
ac_status ac_read_equilibrium(ac_builder *builder, const ac_value *section,
                              ac_equilibrium_settings *settings);
struct ac_recorded;
/* `recorded`: where the events of a recorded session go; NULL: they are refused. */
ac_status ac_read_simulate(ac_builder *builder, const ac_value *section, ac_simulation_settings *settings,
                           long *record_every, struct ac_recorded *recorded);

/* The number of steps from a duration or a count; any task with a step. */
/* Refuses a tolerance of Newton's method that would accept anything. */
ac_status ac_check_tolerance(ac_builder *builder, const ac_given_number *tolerance);
ac_status ac_count_steps(ac_builder *builder, const ac_value *section, const ac_simulate_input *input,
                         long *steps);

/* The number of a coordinate ("angle") of a joint type, -1 when it has none of that name. */
int ac_joint_coordinate(ac_joint_type type, const char *word);
int ac_joint_coordinate_count(ac_joint_type type);
/* Is a coordinate an angle? Is the joint a ball, whose coordinates are a rotation vector? */
bool ac_joint_coordinate_turns(ac_joint_type type, int coordinate);
bool ac_joint_is_ball(ac_joint_type type);
/* The axis ("x", "y", "z") of shift or turn k of a joint type; NULL if it has no such motion. */
const char *ac_joint_axis(ac_joint_type type, int k);

void ac_builder_begin(ac_builder *builder, ac_context *ctx);
void ac_builder_end(ac_builder *builder);
/* Reads the system of a problem once more with a builder that lives on; the caller frees the system, also after a
 * failure. */
ac_status ac_problem_describe(const ac_problem *problem, ac_builder *builder, ac_system **system);

/* Reads a problem from memory; `name` stands for the file in messages. */
ac_status ac_problem_parse(ac_context *ctx, const char *name, const char *text, size_t length,
                           const char *const *settings, int setting_count, ac_problem **problem);

#endif
