/* The value of the functional of a simulation, gathered while it runs, for its summary. */
#ifndef ACTIO_TASK_FUNCTIONAL_VALUE_H
#define ACTIO_TASK_FUNCTIONAL_VALUE_H

#include "actio/problem.h"
#include "actio/simulate.h"
#include "adjoint/following.h"
#include "task/task.h"

typedef struct ac_functional_value {
    ac_following following; /* not open: there is no functional */
    double *winding, *p;    /* workspace */
} ac_functional_value;

/* At the start of the simulation; nothing where the problem has no functional. */
ac_status ac_functional_value_open(const ac_problem *problem, const ac_simulation *simulation,
                                   ac_functional_value *value);
void ac_functional_value_close(ac_context *ctx, ac_functional_value *value);
/* The interval that was solved. */
void ac_functional_value_pass(ac_functional_value *value, const ac_simulation *simulation);
/* The motion has ended there. */
void ac_functional_value_add(ac_functional_value *value, ac_simulation *simulation, ac_summary *summary);

#endif
