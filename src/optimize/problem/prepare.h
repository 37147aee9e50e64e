/* What the rest of the library needs of an optimal control problem beyond its public face. */
#ifndef ACTIO_OPTIMIZE_PROBLEM_PREPARE_H
#define ACTIO_OPTIMIZE_PROBLEM_PREPARE_H

#include "action/parameters/vary.h"
#include "actio/optimize.h"
#include "observe/actions.h"

/* Makes it ready for evaluation at its guess. */
ac_status ac_optimization_prepare(ac_optimization *optimization);
/* The guessed motion alone, without derivatives. */
ac_status ac_optimization_put_guess(ac_optimization *optimization);
/* The guessed motion is a solution that was found elsewhere: it becomes the outcome. `end_velocity`: tree velocities at
 * the last node. */
ac_status ac_optimization_adopt(ac_optimization *optimization, double objective, int iterations,
                                const double *end_velocity, const char *words);
/* The guesses so far only follow conditions: the end may be moved where conditions are still open. */
void ac_optimization_guesses_follow(ac_optimization *optimization);
/* Where the conditions and objectives since the last call stand in a file, for messages: file:line:column. */
ac_status ac_optimization_terms_from(ac_optimization *optimization, const char *where);
/* The same of the settings formulation and end_velocity; NULL: not given there. */
ac_status ac_optimization_settings_from(ac_optimization *optimization, const char *formulation,
                                        const char *end_velocity);
/* Another number of intervals; the present motion and controls become the guess. */
ac_status ac_optimization_remesh(ac_optimization *optimization, int intervals);
/* Another formulation; the present motion and controls become the guess. */
ac_status ac_optimization_reformulate(ac_optimization *optimization, const char *formulation);
/* Whether the guess is said to be close to a solution. */
bool ac_optimization_guessed_near(const ac_optimization *optimization);
/* Formulation multipliers: whether it goes without a solve in the reduced formulation first. */
void ac_optimization_go_directly(ac_optimization *optimization, bool on);
/* Between both, parameters and dependences are added without evaluating the system at each of them. */
void ac_optimization_gather(ac_optimization *optimization);
ac_status ac_optimization_gathered(ac_optimization *optimization);
/* Everything that depends on parameters at their present values, for evaluation of objectives without a transcription. */
ac_status ac_optimization_settle(ac_optimization *optimization);
bool ac_parameters_are_still(const ac_optimization *optimization);
/* The node at which a control pushes, with its component and whether it is one in body axes; -1: it is no force. */
int ac_optimization_pushed_node(const ac_optimization *optimization, int control, int *component,
                                bool *follows);
/* Whether anything depends on a free parameter. */
bool ac_optimization_parameter_used(const ac_optimization *optimization, int parameter);
/* Fails when a system that was made for these values of the parameters differs from what the dependences
 * say. */
ac_status ac_optimization_compare(ac_optimization *optimization, const double *values,
                                  const ac_system *other);
/* A copy of the point reached with its outcome; to be freed. Restoring takes mesh and formulation back
 * too. */
typedef struct ac_kept_point ac_kept_point;
ac_status ac_optimization_keep(const ac_optimization *optimization, ac_kept_point **kept);
ac_status ac_optimization_restore(ac_optimization *optimization, const ac_kept_point *kept);
/* Only the point, on the same mesh and in the same formulation. */
ac_status ac_optimization_restore_point(ac_optimization *optimization, const ac_kept_point *kept);
const ac_optimization_outcome *ac_kept_outcome(const ac_kept_point *kept);
void ac_kept_point_free(ac_kept_point *kept);
/* The motion as a list of numbers, with all phases, and such a list as the guess; AC_BAD_INPUT: it is one of another problem. */
size_t ac_optimization_motion_size(ac_optimization *optimization);
void ac_optimization_motion(ac_optimization *optimization, double *numbers);
ac_status ac_optimization_guess_numbers(ac_optimization *optimization, const double *numbers, size_t count);
/* jumps.c: a condition of inner nodes that an end of the motion violates, by number from 0; false: there is no further one. */
typedef struct ac_jumping_condition {
    const char *name, *phase; /* phase: NULL without phases */
    bool at_end;
    double value, bound;
} ac_jumping_condition;
bool ac_optimization_jumping(const ac_optimization *optimization, int number, ac_jumping_condition *jump);
/* branches.c: a condition with a kink that is left on the straight way within an interval, though the nodes keep it; by number, as above. */
typedef struct ac_cut_corner {
    const char *name, *phase; /* phase: NULL without phases */
    int interval;             /* where it is left furthest */
    double value, bound;
} ac_cut_corner;
bool ac_optimization_cut_corner(const ac_optimization *optimization, int number, ac_cut_corner *corner);
/* ringing.c: a control that alternates from interval to interval, by number, as above. */
typedef struct ac_ringing_control {
    const char *name, *unit, *phase; /* phase: NULL without phases */
    double size;                     /* of the oscillation about the mean of neighbours */
} ac_ringing_control;
bool ac_optimization_ringing(const ac_optimization *optimization, int number, ac_ringing_control *ringing);
/* Duration at the present point. */
double ac_optimization_duration(const ac_optimization *optimization);
/* The controls as inputs of the action, and the values of all inputs on an interval. */
const struct ac_discrete *ac_optimization_inputs(const ac_optimization *optimization);
const char *ac_optimization_scheme(const ac_optimization *optimization);
const double *ac_optimization_input_values(const ac_optimization *optimization, int interval);
/* A control on an interval as a force or torque, seen at configuration q of `system`, the one with the
 * parameters found: is it a torque, and what acts where. */
bool ac_optimization_control_turns(const ac_optimization *optimization, int control);
void ac_optimization_control_action(const ac_optimization *optimization, const ac_system *system, int control,
                                    int interval, const double *q, const double *measure_windings,
                                    ac_action *action);
/* Values near which the angles of the system are continued, one per measure. */
const double *ac_optimization_near(const ac_optimization *optimization, int node);
/* Velocity at the first node (n numbers), when it is given or an unknown; NULL when it is free. */
const double *ac_optimization_first_velocity(const ac_optimization *optimization);
/* The same at the last node. */
const double *ac_optimization_last_velocity(const ac_optimization *optimization);
/* Largest violation of the momentum balance on an interval, in the momentum that the formulation has at its
 * nodes; NAN: the scheme has no such balance (energy-momentum), re-simulation shows the defect then. */
double ac_optimization_momentum_defect(ac_optimization *optimization);

/* In how many intervals the limit of turns stops the motion found; whether its duration is the least (-1)
 * or the most (1) that is allowed. */
ac_status ac_optimization_tight_turns(ac_optimization *optimization, int *intervals);
int ac_optimization_tight_duration(const ac_optimization *optimization);

/* Is an energy or a momentum among the objectives? */
bool ac_optimization_weighs(const ac_optimization *optimization);
/* Who knows names of expressions that are neither words of the problem nor constants, while it is described. */
/* What depends on parameters: a name that they know; the expression of the dependence is what messages say. */
ac_status ac_optimization_add_number(ac_optimization *optimization, const ac_dependence *dependence,
                                     const char *name);
void ac_optimization_find_numbers(ac_optimization *optimization, ac_number_finder find, void *user);

#endif
