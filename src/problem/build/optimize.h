/* The parts of the task optimize of a problem file, each read by a file of its own. */
#ifndef ACTIO_PROBLEM_BUILD_OPTIMIZE_H
#define ACTIO_PROBLEM_BUILD_OPTIMIZE_H

#include "actio/optimize.h"
#include "problem/build/build.h"

/* ---- problem_optimize_words.c: what the parts have in common ---- */

/* Where a value stands, for messages of later: file:line:column; NULL: nowhere. */
enum { AC_WHERE_SIZE = 320 };
const char *ac_where(const ac_value *value, char text[AC_WHERE_SIZE]);
/* A name that expressions can use. */
ac_status ac_check_word(ac_builder *builder, const char *word, ac_place place);
/* Parameters of the file, for expressions; `user` is the builder. */
int ac_look_up(void *user, const char *name, double *value);
/* The text of an expression. */
const char *ac_expression_text(const ac_given_word *word);
/* x, y, z, or a vector. */
ac_status ac_read_along(ac_builder *builder, const ac_value *value, const char *what, double direction[3]);
/* A coordinate that is a single number. */
ac_status ac_find_coordinate(ac_builder *builder, const ac_given_word *joint, const ac_given_word *coordinate,
                             int *number, int *which);
bool ac_is_angle(const ac_builder *builder, int joint, int coordinate);
/* A coordinate of any joint; `axis` belongs to swing and twist. */
ac_status ac_read_joint_quantity(ac_builder *builder, const ac_given_word *joint,
                                 const ac_given_word *coordinate, const ac_value *axis,
                                 ac_quantity *quantity);
/* A point or direction of a node, from the axes of the file to those that are simulated. */
void ac_to_node_axes(const ac_builder *builder, int node, const double direction[3], double out[3]);
/* A point of a node (NULL: its centre of mass), and the same as names of numbers that follow from free parameters. */
ac_status ac_read_point(ac_builder *builder, const ac_value *value, int node, ac_point *point);
ac_status ac_point_expressions(ac_builder *builder, const ac_value *value, int node, const char *out[3]);

/* ---- problem_controls.c, problem_quantities.c, problem_conditions.c, problem_objectives.c ---- */

ac_status ac_read_control(ac_builder *builder, ac_optimization *optimization, const ac_value *entry);
/* What an entry of quantities describes; a signal in it belongs to the caller. */
ac_status ac_describe_quantity(ac_builder *builder, const ac_value *entry, ac_quantity *quantity);
ac_status ac_read_quantity(ac_builder *builder, ac_optimization *optimization, const ac_value *entry);
/* The functional of the task simulate; *functional stays NULL where there is none. */
ac_status ac_build_functional(ac_builder *builder, const ac_value *section,
                              const ac_simulation_settings *settings, ac_optimization **functional);
/* The objective of the task optimize with its controls and quantities, and nothing else of the task. */
ac_status ac_build_objective(ac_builder *builder, const ac_value *section, ac_optimization **optimization);
/* An entry of a sum: of the objective (total -1), or of a condition on a total. */
ac_status ac_read_sum(ac_builder *builder, ac_optimization *optimization, int total, const ac_value *entry);
ac_status ac_read_objective(ac_builder *builder, ac_optimization *optimization, const ac_value *entry);

/* problem/phases/phases.c: phases and the cycle that they may form; `whole` has none yet. */
struct ac_optimize_input;
ac_status ac_build_phases(ac_builder *builder, ac_optimization *whole,
                          const ac_optimization_settings *settings, const struct ac_optimize_input *input);

typedef struct ac_condition_reader {
    ac_builder *b;
    ac_optimization *o;
    ac_optimization_plan *plan;
    int made; /* names of quantities made for conditions */
} ac_condition_reader;

ac_status ac_read_condition(ac_condition_reader *reader, const ac_value *entry);

#endif
