/* One run of a system for a certification: inputs and controls in, measure out. */
#ifndef ACTIO_TASK_CERTIFY_RUNNER_H
#define ACTIO_TASK_CERTIFY_RUNNER_H

#include "problem/certify/certify.h"

typedef struct ac_runner ac_runner;

/* A runner with a system of its own, in the worker's context. */
ac_status ac_runner_new(ac_context *ctx, const ac_problem *problem, ac_runner **runner);
void ac_runner_free(ac_runner *runner);

/* Values of the controls of `robust`, one for each control and step, control by control; NULL: those of the file.
 * The list must stay. */
void ac_runner_set_controls(ac_runner *runner, const double *controls);
/* The values of the file. */
void ac_runner_get_controls(const ac_runner *runner, double *controls);

/* Called at every time node of a run: the variables of the measure (the last one is the time), and its value. */
typedef void (*ac_runner_watch)(void *user, const double *variables, double measure);

/* 0: the measure is set; 1: the run failed; -1: out of memory. `tight` (may be NULL): how near the turns of its steps came to
 * their limit, 0 far from it. */
int ac_runner_run(ac_runner *runner, const double *x, double *measure, double *tight, ac_runner_watch watch,
                  void *user);
/* How many runs are best done together; 1: single ones. */
int ac_runner_together(const ac_runner *runner);
/* Up to that many runs, with controls of their own (NULL: those that are set); `tight` may be NULL. The outcomes
 * are those of single runs up to rounding, the same bits for any runs beside them. Returns -1: out of memory. */
int ac_runner_run_together(ac_runner *runner, int count, const double *const *x,
                           const double *const *controls, double *measures, double *tight, int *outcomes);
/* The gradient of the measure by the inputs, by the adjoint; by parameters without a derivative by differences. Returns as
 * a run does. */
int ac_runner_gradient(ac_runner *runner, const double *x, double *measure, double *gradient);
/* How many runs that is worth; 0: there is none. */
int ac_runner_gradient_runs(ac_runner *runner);
/* Are there derivatives by controls? Then: of the measure, and in a second row of `tight`, by the controls of `robust`, one for
 * each control and step, by the adjoint. Returns as a run does. */
bool ac_runner_has_slopes(const ac_runner *runner);
int ac_runner_slopes(ac_runner *runner, const double *x, double *measure, double *tight, double *slopes);
/* Why the last run failed. */
const char *ac_runner_reason(const ac_runner *runner);

#endif
