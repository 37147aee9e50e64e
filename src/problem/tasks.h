/* The tasks of problem files.
 *
 * A task is a constant struct `ac_task_NAME`, defined in its file of src/task/: how its section is read, what it
 * keeps, how it runs. Its keys are the section `ac_section_NAME`. A new task is one file and one line in
 * keys/task_list.h: the reader of problem files, the command and the reference page follow.
 */
#ifndef ACTIO_PROBLEM_TASKS_H
#define ACTIO_PROBLEM_TASKS_H

#include "problem/build/build.h"
#include "problem/recorded/recorded.h"

typedef struct ac_run_job ac_run_job;

typedef struct ac_task {
    const char *name;
    const char *purpose; /* "a problem to ..." */
    size_t size;         /* of its data, which begin as zeros and belong to the problem */
    /* Reads the section: before the system is finished, and after; either may be NULL. */
    ac_status (*read)(ac_builder *builder, const ac_value *section, void *data);
    ac_status (*finish)(ac_builder *builder, const ac_value *section, void *data);
    void (*release)(void *data); /* what the data own; NULL: nothing */
    /* Streams tables and fills the summary. AC_OK, AC_NOT_CONVERGED and AC_INTERRUPTED leave complete tables. */
    ac_status (*run)(const ac_run_job *job);
} ac_task;

#define AC_DECLARE_TASK(name, about)     \
    extern const ac_task ac_task_##name; \
    extern const ac_section ac_section_##name;
AC_TASKS(AC_DECLARE_TASK)
#undef AC_DECLARE_TASK

/* The task of a problem, and its data if it is that task; NULL: it is another one. */
const ac_task *ac_problem_task_of(const ac_problem *problem);
void *ac_problem_data(const ac_problem *problem, const ac_task *task);

/* What the tasks keep. */
typedef struct ac_simulate_data {
    ac_simulation_settings settings;
    long record_every;
    ac_optimization *functional; /* an optimal control problem without controls that holds it; NULL: none */
    ac_recorded recorded;        /* a session of `actio live` that is replayed */
} ac_simulate_data;

typedef struct ac_optimize_data {
    ac_optimization *optimization;
    ac_optimization_plan plan;
    ac_optimize_options options;
} ac_optimize_data;

#endif
