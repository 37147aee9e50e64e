/* The parts of an experiment, shared by the files that read, carry out and measure it. */
#ifndef ACTIO_EXPERIMENT_PARTS_H
#define ACTIO_EXPERIMENT_PARTS_H

#include "actio/experiment.h"
#include "actio/expression.h"
#include "problem/text/reader.h"
#include "task/task.h"

/* ---- what a run leaves in memory: only the channels that are measured ---- */

typedef struct ac_kept_channel {
    char *name, *labels;
    int width;
    int offset;     /* in the row */
    double *values; /* rows x width */
} ac_kept_channel;

typedef struct ac_kept_table {
    char *name;
    ac_kept_channel *channels; /* the first is the time, if the table has one */
    int channel_count;
    long rows, capacity;
} ac_kept_table;

enum { AC_KEPT_TABLES = 32 };

typedef struct ac_store {
    ac_context *ctx;
    const char **wanted; /* channels asked for: "name" or "name.component" */
    int wanted_count, wanted_capacity;
    ac_kept_table tables[AC_KEPT_TABLES];
    int table_count;
} ac_store;

/* One column found in a store: `width` numbers from `first` on in each row. */
typedef struct ac_kept_column {
    const ac_kept_table *table;
    const ac_kept_channel *channel;
    int first, width;
} ac_kept_column;

ac_status ac_store_want(ac_store *store, const char *channel);
ac_sink ac_store_sink(ac_store *store);
/* Finds "name" or "name.component" in the given table (NULL: in any). */
bool ac_store_find(const ac_store *store, const char *table, const char *channel, ac_kept_column *column);
void ac_store_free(ac_store *store);

/* ---- the experiment ---- */

typedef struct ac_trial {
    const char *name;
    const char *problem; /* path */
    const char **settings;
    int setting_count;
    bool needed;
    ac_status status;
    char *message;
    ac_summary summary;
    ac_store store;
} ac_trial;

typedef enum ac_take {
    AC_TAKE_MAX,
    AC_TAKE_MIN,
    AC_TAKE_MEAN,
    AC_TAKE_FIRST,
    AC_TAKE_LAST,
    AC_TAKE_RANGE,
    AC_TAKE_MAXABS,
    AC_TAKE_AT,
    AC_TAKE_SLOPE,
    AC_TAKE_MAX_DIFFERENCE,
    AC_TAKE_FAILED,
    AC_TAKE_MIRROR_SUM,
    AC_TAKE_MIRROR_DIFFERENCE,
    AC_TAKE_TIME_OF_MAX,
    AC_TAKE_TIME_OF_MIN,
    AC_TAKE_MESH_DIFFERENCE
} ac_take;

/* A variable of a row formula. */
typedef struct ac_column {
    const char *name;
    const char *channel; /* "name" or "name.component" */
    int run;
    bool rate; /* difference to the next row over the difference of the times */
} ac_column;

typedef struct ac_reading {
    const char *name;
    ac_place place;
    int run, other_run; /* other_run: -1 when there is none */
    const char *table;  /* NULL: wherever the channel is */
    const char *summary;
    const char *channel;
    ac_column *columns;
    int column_count;
    ac_expression *formula; /* of the columns and, last, of t */
    ac_take take;
    double time, after, before;
    const char *reason; /* of take: failed: what its message must contain; NULL: any */
    bool unsolved;      /* the run need not be solved */
    bool interpolated;  /* of take: max_difference: the other run is taken linearly between its times */
    /* known after the runs */
    ac_status status;
    double value;
    const char *message; /* why it could not be taken */
} ac_reading;

typedef struct ac_judged_check {
    ac_check check;
    int *readings; /* the variables of the value */
    int reading_count;
    ac_expression *value; /* NULL: the only measure */
} ac_judged_check;

struct ac_experiment {
    ac_context *ctx;
    ac_reader reader; /* its arena holds the names and lists below */
    const char *id, *title, *source, *verified_by, *folder;
    ac_trial *trials;
    int trial_count;
    ac_reading *readings;
    int reading_count, reading_capacity;
    ac_judged_check *checks;
    int check_count;
};

/* Fills the experiment from its file. */
ac_status ac_experiment_load(ac_experiment *experiment, const char *path);

/* The number of one measure after the runs. A measure that cannot be taken returns AC_NOT_CONVERGED
 * with the reason. */
ac_status ac_reading_take(const ac_experiment *experiment, const ac_reading *measure, double *value);

#endif
