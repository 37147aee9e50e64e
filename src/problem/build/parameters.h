/* Free parameters while a problem is built: what depends on them becomes dependences of the optimal
 * control problem. */
#ifndef ACTIO_PROBLEM_BUILD_PARAMETERS_H
#define ACTIO_PROBLEM_BUILD_PARAMETERS_H

#include "actio/values.h"
#include "model/symbol.h"
#include "problem/build/build.h"

/* Expressions of three components, NULL where they do not depend on free parameters. */
typedef struct ac_texts {
    const char *part[3];
} ac_texts;

/* Formulas whose texts are kept by the builder. */
ac_symbols ac_builder_symbols(ac_builder *builder);

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
typedef ac_status (*ac_dependence_taker)(void *user, const ac_dependence *what, ac_place place);
ac_status ac_each_dependence(const ac_builder *builder, ac_dependence_taker take, void *user);
ac_status ac_depend_texts(ac_builder *builder, ac_datum datum, int object, int side, const ac_texts *texts);
/* Components of a list of numbers. */
ac_status ac_follow_list(ac_builder *builder, const ac_value *list, ac_texts *texts);
/* A point of a node, given by name or by numbers; the same value that ac_read_place has read. */
ac_status ac_follow_place(ac_builder *builder, const ac_value *value, ac_texts *texts);
/* The same in the axes that are simulated; NULL: the centre of mass. */
ac_status ac_follow_point(ac_builder *builder, const ac_value *value, int node, ac_texts *texts);
/* From the body frame of a node to the axes that are simulated, where these are its principal ones; they stay as they are in
 * the file, since the motion does not depend on them. */
ac_status ac_place_to_directors(ac_builder *builder, int node, ac_symbol place[3]);
ac_status ac_axes_to_directors(ac_builder *builder, int node, ac_symbol axes[9]);
/* The initial position of a node, in the world: as it is given, of a node of a beam, and its components
 * (NULL: numbers). */
ac_status ac_depend_position(ac_builder *builder, int node, const ac_value *position);
ac_status ac_draw_position(ac_builder *builder, int node, const ac_texts *texts);
const ac_texts *ac_position_texts(const ac_builder *builder, int node);
/* parameters/places.c: from the frame of a node in the initial state to the world, and back. */
ac_status ac_place_to_world(ac_builder *builder, int node, const ac_symbol place[3], ac_symbol world[3]);
ac_status ac_place_from_world(ac_builder *builder, int node, const ac_symbol world[3], ac_symbol place[3]);
/* parameters/rotations.c: a direction or rotation that was read, with what depends on parameters whose values are set. */
ac_status ac_follow_direction(ac_builder *builder, const ac_value *value, const double direction[3],
                              ac_symbol out[3]);
ac_status ac_follow_rotation(ac_builder *builder, const ac_value *value, bool directors,
                             const double rotation[9], ac_symbol out[9]);
/* The initial rotation of a node depends as its symbols say; the rotation of a node as it is drawn. */
ac_status ac_depend_rotation(ac_builder *builder, int node, int datum, const ac_symbol rotation[9]);
void ac_built_rotation(ac_builder *builder, int node, ac_symbol rotation[9]);
void ac_built_position(ac_builder *builder, int node, ac_symbol position[3]);
/* Poses of nodes that follow from curves: variables of expressions beside the parameters, twelve for each node that is asked for
 * (place, then rotation row by row). */
enum { AC_HIDDEN_POSE = 12 };
int ac_hidden_nodes(const ac_builder *builder);
int ac_hidden_node(const ac_builder *builder, int k);
void ac_hidden_name(int k, int entry, char name[32]);
/* The centre of mass of a node. */
ac_status ac_centre_texts(ac_builder *builder, int node, ac_texts *texts);
/* The point that was added last is this. */
ac_status ac_set_place_texts(ac_builder *builder, const ac_texts *texts);
/* Whether a named place of a node depends; its reader calls it, so that the use is known. */
ac_status ac_note_place(ac_builder *builder, const ac_value *value, int number);
/* Mass, inertia, centre and points of a body. */
ac_status ac_depend_body(ac_builder *builder, const ac_body_input *input, bool planar, int node,
                         const double inertia[9]);
ac_status ac_depend_centre(ac_builder *builder, int node, const ac_symbol centre[3]);
/* Moments of inertia in the body frame. */
ac_status ac_depend_inertia(ac_builder *builder, int node, const ac_symbol inertia[9], ac_place place);
ac_status ac_depend_expression(ac_builder *builder, const ac_dependence *what, ac_place place);
/* shape/solid_texts.c: sizes and places of the solids of a body, from which its points follow; mass, centre and inertia from them; a
 * point of them. */
ac_status ac_follow_solids(ac_builder *builder, const ac_body_input *input, int node);
ac_status ac_depend_solids(ac_builder *builder, const ac_body_input *input, bool planar, int node);
ac_status ac_solid_point_texts(ac_builder *builder, int node, const char *name, ac_texts *texts);
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
/* Adds parameters and dependences to the optimal control problem. */
ac_status ac_add_free_parameters(ac_builder *builder, ac_optimization *optimization);

#endif
