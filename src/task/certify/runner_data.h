/* What a runner of a certification holds; for the files of this folder. */
#ifndef ACTIO_TASK_CERTIFY_RUNNER_DATA_H
#define ACTIO_TASK_CERTIFY_RUNNER_DATA_H

#include "actio/adjoint.h"
#include "actio/values.h"
#include "base/signal.h"
#include "observe/simulation.h"
#include "task/certify/runner.h"

enum { AC_SETTING_SIZE = AC_NAME_SIZE + 64, AC_RUN_REASON_SIZE = 256 };

/* A component of a load that inputs or controls change. */
typedef struct ac_driven {
    int load, component;
    int control;     /* number of the control, -1: none */
    double *nominal; /* means of the file over the steps */
    double *values;
    ac_signal *signal; /* owned by the system; with values by the runner */
} ac_driven;

/* A channel that the measure reads. */
typedef struct ac_seen {
    bool interval; /* of the table of intervals, else of nodes */
    int place;     /* in its row */
} ac_seen;

/* The variables of the measure, and the channels that it reads. */
typedef struct ac_runner_variables {
    double *values;
    int count;
    ac_seen *channels;
    double *node_row, *interval_row;
    double *slopes; /* of an expression, by its variables */
} ac_runner_variables;

struct ac_runner {
    ac_context *ctx;
    const ac_problem *base;
    const ac_certification *c;      /* of the base */
    ac_problem *problem;            /* own, when the file is read for each run */
    ac_values *values;              /* NULL: it is */
    ac_certification followed;      /* with values: quantities and measure as functions of the parameters */
    ac_expression *(*places)[2][3]; /* of its quantities; NULL: constant */
    const ac_certification *own;    /* what runs evaluate */
    const ac_system *system;
    ac_simulation *simulation;
    ac_simulation_settings settings;
    long steps;
    int parameters;
    double *present; /* values of the parameters in the present system */
    double *numbers;
    char (*text)[AC_SETTING_SIZE];
    const char **texts;
    ac_driven *drives;
    int drive_count;
    double *time; /* beginnings of the steps */
    const double *controls;
    ac_runner_variables variables;
    ac_adjoint *adjoint; /* made by the first gradient */
    double *nodes;       /* variables at all time nodes of the last run with a gradient */
    long node_count, highest_node, lowest_node;
    double highest, lowest;              /* measures there */
    double *other;                       /* inputs of a neighbour */
    struct ac_runner_group *group;       /* runs together; NULL: there are none */
    struct ac_runner_parameters *varied; /* parameters of the present gradient; NULL: there are none */
    const double *looked;                /* the configuration of the time node that a watch sees, ... */
    bool looked_last;                    /* ... which is the newest one */
    char reason[AC_RUN_REASON_SIZE];
};

/* The measure along a run. */
typedef struct ac_course {
    double last, low, high, sum;
    double tight; /* see ac_runner_run */
    long count;
    ac_runner_watch watch;
    void *user;
} ac_course;

/* Sets parameters and loads; the simulation is not started again. */
ac_status ac_runner_set(ac_runner *runner, const double *x);
/* Adds the measure at a time node to the course. Channels must be in their rows. */
void ac_runner_look(ac_runner *runner, const double *winding, const double *q, double t, ac_course *course);
/* The outcome of a run without errors: the measure of its course. */
int ac_runner_conclude(ac_runner *runner, const ac_course *course, double *measure);

/* turns.c: how near the turns of a step come to their limit, and its derivatives (NULL: not wanted). */
double ac_runner_tight_step(const ac_runner *runner, const double *qa, const double *qb, double *by_a,
                            double *by_b);

/* parameters.c: parameters take part in the next sweep, at their present values; AC_BAD_INPUT: there is no derivative by one of
 * them. Their part of the measure at a node: weight times its slopes by the variables. The derivative after the sweep. */
ac_status ac_runner_begin_parameters(ac_runner *runner);
void ac_runner_end_parameters(ac_runner *runner);
void ac_runner_measure_by_parameters(ac_runner *runner, const double *q, double weight, const double *slopes);
double ac_runner_by_parameter(const ac_runner *runner, int number);

/* together.c */
ac_status ac_runner_open_group(ac_runner *runner);
void ac_runner_close_group(ac_runner *runner);

#endif
