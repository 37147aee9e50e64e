/* Gradients of the functional of a problem by its named parameters.
 *
 * The functional is `functional` of the task simulate (or the objective of the task optimize, at its guessed controls);
 * the parameters are those of the file: whatever they do to masses, inertias, solids, lengths, points, sections,
 * stiffness, damping, rest lengths, gravity, loads and the start. One simulation and one sweep backwards (actio/adjoint.h)
 * give the gradient by all of them:
 *
 *     ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient);
 *     ac_gradient_run(gradient, &value);
 *     by = ac_gradient_by_parameter(gradient, 0);
 */
#ifndef ACTIO_GRADIENT_H
#define ACTIO_GRADIENT_H

#include <stdbool.h>

#include "actio/adjoint.h"
#include "actio/channel.h"
#include "actio/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_gradient ac_gradient;

/* The problem must outlive the gradient. `names`: the parameters, AC_BAD_INPUT if there is no gradient by one of them;
 * NULL: all parameters of the file by which there is one. `memory`: see ac_adjoint_new. */
AC_API ac_status ac_gradient_new(ac_context *ctx, const ac_problem *problem, const char *const *names,
                                 int count, size_t memory, ac_gradient **gradient);
AC_API void ac_gradient_free(ac_gradient *gradient);

/* Simulates and sweeps backwards. AC_NOT_CONVERGED and others: the simulation failed, there is no gradient. */
AC_API ac_status ac_gradient_run(ac_gradient *gradient, double *value);

AC_API int ac_gradient_parameters(const ac_gradient *gradient);
AC_API const char *ac_gradient_parameter(const ac_gradient *gradient, int parameter, double *value);
AC_API double ac_gradient_by_parameter(const ac_gradient *gradient, int parameter);
/* The share of an interval, or of its stretch (ac_adjoint_stretch): the derivative by a change of the parameter there alone. What is
 * missing to the whole derivative is the share of the start and of the functional at nodes. */
AC_API double ac_gradient_over_time(const ac_gradient *gradient, long interval, int parameter);
/* Parameters of the file by which there is no gradient, with the reason; NULL: there are no more. */
AC_API const char *ac_gradient_skipped(const ac_gradient *gradient, int k);

/* Loads: their number, the name of one ("": it has none) and the derivative by a factor of all its values. */
AC_API int ac_gradient_loads(const ac_gradient *gradient);
AC_API const char *ac_gradient_load(const ac_gradient *gradient, int load, double *by_amplitude);

/* The adjoint behind it: derivatives by loads and controls over time, and by the start. */
AC_API const ac_adjoint *ac_gradient_adjoint(const ac_gradient *gradient);
AC_API long ac_gradient_steps(const ac_gradient *gradient, double *step);
/* The time of a node: where the lengths of the steps are unknowns (free_step), no multiple of the step. */
AC_API double ac_gradient_time(const ac_gradient *gradient, long node);

/* Adjoint variables: how the functional changes per impulse, over time, on coordinates of joints, by a force or torque on bodies and by
 * forces on nodes of beams. Asked for before ac_gradient_run, they are there after it: channels as of the table `adjoint` (the first is the
 * time), and a row for every time node, or for the ends of every stretch (ac_adjoint_stretch); NULL: there are no more. */
AC_API ac_status ac_gradient_keep_adjoint(ac_gradient *gradient);
AC_API const ac_channel *ac_gradient_adjoint_channels(const ac_gradient *gradient, int *count);
AC_API const double *ac_gradient_adjoint_row(const ac_gradient *gradient, long row);

/* Derivative by a parameter from differences of whole simulations, sixth order; doubt (may be NULL): about how far it may be off by
 * rounding, or because the motion hardly follows from its data, as differences of lower order show. */
AC_API ac_status ac_gradient_difference(ac_gradient *gradient, int parameter, double *slope, double *doubt);
/* How far another value of the derivative is from the one found, relative to its size or, where it vanishes, to that of the functional. */
AC_API double ac_gradient_error(const ac_gradient *gradient, int parameter, double slope);

/* ---- second derivatives ---- */

/* How the gradient changes along a direction: changes of the parameters (one number each) and of the controls (interval by
 * interval; NULL: none). The product is by parameters and, unless NULL, by controls. The motion is the one of ac_gradient_run, at the
 * cost of a few simulations. AC_BAD_INPUT: there are none by one of the parameters, with the reason. */
AC_API ac_status ac_gradient_second(ac_gradient *gradient, const double *direction, const double *controls,
                                    double *product, double *by_controls);
/* Why second derivatives that were asked for take the change of some data by parameters from differences of their exact first derivatives;
 * NULL: all of it is exact. */
AC_API const char *ac_gradient_second_differs(const ac_gradient *gradient);
/* About how far the second derivative along the direction asked for last may be off by these differences, as others with closer values
 * show, or the worst of those of the Hessian along single parameters; 0: exact. */
AC_API double ac_gradient_second_error(const ac_gradient *gradient);
/* All second derivatives by parameters, row by row: one product for each. They are symmetric up to rounding. */
AC_API ac_status ac_gradient_hessian(ac_gradient *gradient, double *hessian);
/* The product with a direction of parameters from differences of gradients, extrapolated. */
AC_API ac_status ac_gradient_second_difference(ac_gradient *gradient, const double *direction,
                                               double *product);

/* The gradient of a problem against differences, in bounded time. */
typedef struct ac_gradient_comparison {
    int derivatives; /* that were compared: by parameters; with the method shooting one, along the gradient by the controls */
    int undecided; /* that were not: the differences do not agree with each other, by rounding or in a chaotic motion */
    long steps;      /* of the motion: all, or of a long one the first */
    double error;    /* the largest of those compared, relative */
    bool differs;    /* is one wrong? */
    char worst[64];  /* the parameter with the largest error; "": there is none */
    char unsure[64]; /* the first parameter that is undecided */
} ac_gradient_comparison;

/* For the task simulate with a functional, and the task optimize with the method shooting; other problems have nothing to compare.
 * AC_BAD_INPUT: there is no gradient; other failures are those of a simulation. */
AC_API ac_status ac_gradient_check(ac_context *ctx, const ac_problem *problem,
                                   ac_gradient_comparison *comparison);

#ifdef __cplusplus
}
#endif
#endif
