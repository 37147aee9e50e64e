/* The task design as a problem file describes it, and its inner problem. */
#ifndef ACTIO_PROBLEM_DESIGN_DESIGN_H
#define ACTIO_PROBLEM_DESIGN_DESIGN_H

#include "actio/design.h"
#include "actio/expression.h"
#include "problem/build/build.h"

typedef enum ac_design_inner { AC_INNER_NONE, AC_INNER_SIMULATE, AC_INNER_OPTIMIZE } ac_design_inner;

typedef struct ac_design_data {
    ac_context *ctx;
    ac_design_settings settings;
    int count;
    char (*names)[AC_NAME_SIZE];
    double low[AC_DESIGN_VARIABLES_MAX], high[AC_DESIGN_VARIABLES_MAX];
    double *first; /* given samples, row by row */
    int first_count;
    ac_design_inner inner;
    double cost;                    /* without an inner problem: at the values of the file */
    ac_expression *cost_of_optimum; /* of ac_optimum_names, then of the parameters; NULL: the objective */
    bool maximise;
    int starts;
    bool warm_start;
    double disturbance;
    unsigned long seed;
    int jobs; /* processes; set by who runs it, 0: one */
} ac_design_data;

ac_status ac_read_design(ac_builder *builder, const ac_value *section, ac_design_data *data);
void ac_design_data_clear(ac_design_data *data);

/* Names for the cost of an optimum, in the order of their values; NULL ends the list. */
enum { AC_OPTIMUM_NAMES = 10 };
extern const char *const ac_optimum_names[AC_OPTIMUM_NAMES + 1];

/* Which problem a file with the section design stands for. */
typedef enum ac_inner_view {
    AC_VIEW_WHOLE, /* the study */
    AC_VIEW_COST,  /* one evaluation: optimize; or certify, whose measure is the cost of a simulation */
    AC_VIEW_TASK   /* the task of the inner problem: optimize or simulate */
} ac_inner_view;

/* Turns the tree of a file into that of its inner problem. */
ac_status ac_show_inner(ac_arena *arena, ac_value *root, ac_inner_view view);
/* The inner problem of a study, with overrides; one that is read anew keeps its view. */
ac_status ac_problem_inner(const ac_problem *problem, ac_inner_view view, const char *const *settings,
                           int count, ac_problem **inner);
/* The data of the task design; NULL: it is another one. */
ac_design_data *ac_problem_design(const ac_problem *problem);

#endif
