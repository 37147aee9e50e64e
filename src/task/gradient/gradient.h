/* Inside of gradients by parameters: gradient.c makes and runs them, second.c has their second derivatives, check.c compares over the
 * first steps of a motion. */
#ifndef ACTIO_TASK_GRADIENT_GRADIENT_H
#define ACTIO_TASK_GRADIENT_GRADIENT_H

#include "actio/gradient.h"
#include "adjoint/shoot.h"
#include "problem/build/values.h"
#include "task/gradient/kept_impulses.h"

enum { AC_STENCIL = 6 }; /* neighbours of a difference of sixth order */

/* Parameters that are followed together, and the functional as a function of them, too. */
typedef struct ac_gradient_group {
    ac_values *values;
    ac_optimization *functional;
} ac_gradient_group;

typedef struct ac_gradient_parameter_data {
    char name[64];
    double value;
    ac_gradient_group group; /* not its own */
    int own;                 /* its number there */
    ac_system_slope *slope;
    ac_problem *others[AC_STENCIL]; /* at neighbouring values, for differences; NULL: not read */
    int closer; /* how often they have come closer by NEARER, so that the same happens at contacts */
} ac_gradient_parameter_data;

struct ac_gradient {
    ac_context *ctx;
    const ac_problem *problem;
    ac_optimization *o;
    ac_shooting shooting;
    int count;
    ac_gradient_parameter_data *parameters;
    int group_count;
    ac_gradient_group *groups;
    ac_parameter_action *actions;
    int skipped_count;
    char **skipped;
    double *controls, *by_controls; /* the guessed ones; the gradient by them */
    double value;
    const char *scheme; /* of a simulation, the one that its run chooses */
    long most_steps;    /* of the motion; 0: all */
    ac_kept_impulses kept;
    struct ac_parameter_bends *second; /* NULL: never asked for */
};

/* As ac_gradient_new; the motion of the task simulate ends after `most_steps` (0: at its own end), and the functional with it. */
ac_status ac_gradient_new_stretch(ac_context *ctx, const ac_problem *problem, const char *const *names,
                                  int count, size_t memory, long most_steps, ac_gradient **gradient);
/* Does a control act at a point? What it does there is read with the functional. */
bool ac_gradient_pushes_points(const ac_gradient *gradient);
void ac_gradient_forget_second(ac_gradient *gradient);

#endif
