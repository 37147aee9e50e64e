/* Free parameters while a problem is built: what depends on them becomes dependences of the optimal
 * control problem. */
#ifndef ACTIO_PROBLEM_BUILD_PARAMETERS_H
#define ACTIO_PROBLEM_BUILD_PARAMETERS_H

#include "actio/values.h"
#include "base/number/graph.h"
#include "problem/build/build.h"

/* Nodes of three components, 0 where they do not depend on free parameters. */
typedef struct ac_nodes {
    int node[3];
} ac_nodes;

/* A datum of the system that follows from free parameters. */
typedef struct ac_followed {
    ac_datum datum;
    int object, side, component, node;
} ac_followed;

/* Declares the free parameters of the section optimize, or those that are wanted, before anything else is read. */
ac_status ac_free_parameters(ac_builder *builder, const ac_value *root);
/* A datum of the system is this value; nothing happens when it does not depend on free parameters. */
ac_status ac_depend(ac_builder *builder, ac_datum datum, int object, int side, int component,
                    const ac_value *value);
/* The same for data that only values.c can set. */
ac_status ac_depend_start(ac_builder *builder, int datum, int object, int side, int component,
                          const ac_value *value);
ac_status ac_depend_start_list(ac_builder *builder, int datum, int object, int side, const ac_value *list);
/* Are values set on a finished system? */
bool ac_sets_values(const ac_builder *builder);
/* Calls `take` for all dependences, in the order in which they were found. */
typedef ac_status (*ac_dependence_taker)(void *user, const ac_followed *what, ac_place place);
ac_status ac_each_dependence(const ac_builder *builder, ac_dependence_taker take, void *user);
ac_status ac_depend_nodes(ac_builder *builder, ac_datum datum, int object, int side, const ac_nodes *nodes);
/* Components of a list of numbers. */
ac_status ac_follow_list(ac_builder *builder, const ac_value *list, ac_nodes *nodes);
/* A point of a node, given by name or by numbers; the same value that ac_read_place has read. */
ac_status ac_follow_place(ac_builder *builder, const ac_value *value, ac_nodes *nodes);
/* The same in the axes that are simulated; NULL: the centre of mass. */
ac_status ac_follow_point(ac_builder *builder, const ac_value *value, int node, ac_nodes *nodes);
/* From the body frame of a node to the axes that are simulated, where these are its principal ones; they stay as they are in
 * the file, since the motion does not depend on them. */
ac_status ac_place_to_directors(ac_builder *builder, int node, ac_num place[3]);
ac_status ac_axes_to_directors(ac_builder *builder, int node, ac_num axes[9]);
/* The initial position of a node, in the world: as it is given, of a node of a beam, and the nodes of its components. */
ac_status ac_depend_position(ac_builder *builder, int node, const ac_value *position);
ac_status ac_draw_position(ac_builder *builder, int node, const ac_nodes *nodes);
const ac_nodes *ac_position_nodes(const ac_builder *builder, int node);
/* parameters/places.c: from the frame of a node in the initial state to the world, and back. */
ac_status ac_place_to_world(ac_builder *builder, int node, const ac_num place[3], ac_num world[3]);
ac_status ac_place_from_world(ac_builder *builder, int node, const ac_num world[3], ac_num place[3]);
/* parameters/rotations.c: a direction or rotation that was read, with what depends on parameters whose values are set. */
ac_status ac_follow_direction(ac_builder *builder, const ac_value *value, const double direction[3],
                              ac_num out[3]);
ac_status ac_follow_rotation(ac_builder *builder, const ac_value *value, bool directors,
                             const double rotation[9], ac_num out[9]);
/* The initial rotation of a node depends as its entries say; the rotation of a node as it is drawn. */
ac_status ac_depend_rotation(ac_builder *builder, int node, int datum, const ac_num rotation[9]);
void ac_built_rotation(ac_builder *builder, int node, ac_num rotation[9]);
void ac_built_position(ac_builder *builder, int node, ac_num position[3]);
/* The centre of mass of a node. */
ac_status ac_centre_nodes(ac_builder *builder, int node, ac_nodes *nodes);
/* The point that was added last is this. */
ac_status ac_set_place_nodes(ac_builder *builder, const ac_nodes *nodes);
/* Whether a named place of a node depends; its reader calls it, so that the use is known. */
ac_status ac_note_place(ac_builder *builder, const ac_value *value, int number);
/* Mass, inertia, centre and points of a body. */
ac_status ac_depend_body(ac_builder *builder, const ac_body_input *input, bool planar, int node,
                         const double inertia[9]);
ac_status ac_depend_centre(ac_builder *builder, int node, const ac_num centre[3]);
/* Moments of inertia in the body frame. */
ac_status ac_depend_inertia(ac_builder *builder, int node, const ac_num inertia[9], ac_place place);
ac_status ac_depend_number(ac_builder *builder, const ac_followed *what, ac_place place);
/* shape/solid_numbers.c: sizes and places of the solids of a body, from which its points follow; mass, centre and inertia from them; a
 * point of them. */
ac_status ac_follow_solids(ac_builder *builder, const ac_body_input *input, int node);
ac_status ac_depend_solids(ac_builder *builder, const ac_body_input *input, bool planar, int node);
ac_status ac_solid_point_nodes(ac_builder *builder, int node, const char *name, ac_nodes *nodes);
/* What an expression must be; members may be NULL. */
typedef struct ac_bounds {
    const ac_value *equals, *at_least, *at_most;
} ac_bounds;

/* Adds a condition. Bounds that depend on free parameters go over into its expression; `bounds` may be
 * NULL. */
ac_status ac_add_condition(ac_builder *builder, ac_optimization *optimization, const ac_condition *condition,
                           const ac_bounds *bounds, ac_constant_lookup lookup);
/* A spring that keeps the initial distance. */
void ac_note_initial_rest(ac_builder *builder, const ac_value *entry);
/* After reading: fails when a use is not taken care of, or when nothing depends on a parameter. */
ac_status ac_check_free_parameters(ac_builder *builder, const ac_optimization *optimization);
/* parameters/verify.c: builds the problem again with other values and compares. Says which parameter failed,
 * and at which of its bounds (0: from, 1: to, -1: neither). */
ac_status ac_verify_parameters(const ac_builder *builder, const ac_problem *problem, int *parameter,
                               int *bound);
/* Where the file has a parameter's name (bound -1) or one of its bounds. */
ac_place ac_parameter_place(const ac_builder *builder, int parameter, int bound);
/* The same problem with further overrides, in which bodies in principal axes keep the directors that they have here: free
 * parameters are followed in these, and the motion does not depend on them. */
ac_status ac_problem_vary_in_axes(const ac_problem *problem, const char *const *settings, int count,
                                  ac_problem **variation);
/* The same problem with the parameters that were found; the caller frees it, also after a failure. */
ac_status ac_problem_at_optimum(const ac_problem *problem, ac_problem **optimum);
/* What a node is called in expressions of the optimal control problem, which finds it by that name; in the arena, NULL in `name`: node 0. */
ac_status ac_number_name(ac_builder *builder, int node, const char **name);
/* The expression of a node, or of a parameter of the file, that stands for a name: with `variables` of which input k is variable[k];
 * NULL: the name stands for none. */
ac_status ac_named_expression(ac_builder *builder, const char *name, const int *variable, int variables,
                              ac_expression **expression);
/* Adds parameters and dependences to the optimal control problem. */
ac_status ac_add_free_parameters(ac_builder *builder, ac_optimization *optimization);

#endif
