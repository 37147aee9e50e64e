/* The list of tasks: a new one is one line here and one file in src/task/ (see problem/tasks.h). */
#ifndef ACTIO_PROBLEM_KEYS_TASK_LIST_H
#define ACTIO_PROBLEM_KEYS_TASK_LIST_H

/* Name, and what the reference page says about the key. */
#define AC_TASKS(TASK)                                                                          \
    TASK(simulate, "the task: forward dynamics. Exactly one task must be there")                \
    TASK(optimize, "the task: optimal control")                                                 \
    TASK(equilibrium, "the task: an equilibrium, or a path of equilibria under a growing load") \
    TASK(modes, "the task: natural frequencies, damping and mode shapes about an equilibrium")  \
    TASK(track, "the task: bodies follow targets in real time")                                 \
    TASK(certify, "the task: how likely is a failure under uncertain inputs")                   \
    TASK(design, "the task: the best parameters of an optimisation or a simulation")

#define AC_TASK_NUMBER(name, about) AC_TASK_##name,
enum { AC_TASKS(AC_TASK_NUMBER) AC_TASK_COUNT };
#undef AC_TASK_NUMBER

#endif
