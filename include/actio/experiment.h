/* Published experiments: a file names problems, what to measure, and what was reported.
 *
 * An experiment file (examples/reproduce/ID.yaml) has runs, each a problem file with overrides, and
 * checks, each a number computed from measurements of those runs beside the reported and the verified
 * value. Nothing about one experiment is known to the code. docs/experiments.md describes the file.
 */
#ifndef ACTIO_EXPERIMENT_H
#define ACTIO_EXPERIMENT_H

#include <stdbool.h>

#include "actio/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ac_check_kind {
    AC_CHECK_VALUE,    /* |obtained - verified or reported| <= tolerance */
    AC_CHECK_AT_MOST,  /* obtained <= high */
    AC_CHECK_AT_LEAST, /* obtained >= low */
    AC_CHECK_BETWEEN,  /* low <= obtained <= high */
    AC_CHECK_REPORT    /* reported, not judged: passes when there is a number */
} ac_check_kind;

/* "value", "at_most", "at_least", "between", "report". */
AC_API const char *ac_check_kind_name(ac_check_kind kind);

typedef struct ac_check {
    const char *name;
    ac_check_kind kind;
    double reported, verified; /* NaN when silent */
    double tolerance;          /* AC_CHECK_VALUE; a share of the value when `relative` */
    bool relative;
    double low, high;           /* bounds; infinite when there is none */
    const char *not_reproduced; /* the reported value is not reached, and why; "" when it is */
    bool fitted;                /* the data were chosen so that the reported value comes out */
    /* known after the experiment was run */
    double obtained; /* NaN when it could not be measured */
    bool pass;
    const char *message; /* why it could not be measured; "" */
} ac_check;

typedef struct ac_experiment ac_experiment;

/* Reads and checks the file; on failure the message starts with file:line:column. */
AC_API ac_status ac_experiment_read(ac_context *ctx, const char *path, ac_experiment **experiment);
AC_API void ac_experiment_free(ac_experiment *experiment);

AC_API const char *ac_experiment_id(const ac_experiment *experiment); /* the file's name without its ending */
AC_API const char *ac_experiment_title(const ac_experiment *experiment);
AC_API const char *ac_experiment_source(const ac_experiment *experiment); /* where it was published; "" */
AC_API const char *ac_experiment_verified_by(const ac_experiment *experiment); /* behind `verified`; "" */

/* Carries out every run that a check needs, once, and judges the checks. A run that fails makes its
 * checks fail and is no failure here. Measurements are kept in memory; nothing is written. */
AC_API ac_status ac_experiment_run(ac_experiment *experiment, ac_progress progress, void *user);

AC_API int ac_experiment_check_count(const ac_experiment *experiment);
AC_API const ac_check *ac_experiment_check(const ac_experiment *experiment, int index);

#ifdef __cplusplus
}
#endif
#endif
