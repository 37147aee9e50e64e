/* Gradients by parameters over the first steps of a motion, for comparisons in bounded time. */
#ifndef ACTIO_TASK_GRADIENT_GRADIENT_H
#define ACTIO_TASK_GRADIENT_GRADIENT_H

#include "actio/gradient.h"

/* As ac_gradient_new; the motion of the task simulate ends after `most_steps` (0: at its own end), and the functional with it. */
ac_status ac_gradient_new_stretch(ac_context *ctx, const ac_problem *problem, const char *const *names,
                                  int count, size_t memory, long most_steps, ac_gradient **gradient);

#endif
