/* A study of weights: the same targets followed with other settings, and what that does to the motion. */
#ifndef ACTIO_TRACK_STUDY_H
#define ACTIO_TRACK_STUDY_H

#include "track/follow.h"

/* What is varied, in the order of nested loops; the last one changes fastest. */
typedef enum ac_study_axis {
    AC_STUDY_RHO0,
    AC_STUDY_RHO1,
    AC_STUDY_VELOCITY,
    AC_STUDY_JOINTS,
    AC_STUDY_SERVO,
    AC_STUDY_AXES
} ac_study_axis;

typedef struct ac_study { /* without values an axis keeps the setting of the task */
    double *values[AC_STUDY_AXES];
    int count[AC_STUDY_AXES];
} ac_study;

/* Of all steps and targets; frequency, growth and sag of the first target. */
typedef struct ac_study_row {
    double error_rms, error_max; /* m */
    double roughness;            /* root mean square of the change of the control per second, N/s */
    double force_max;            /* N */
    double residual_max;         /* of the joints */
    double frequency;            /* of the error about its mean, Hz: half the changes of sign per second */
    double growth;               /* root mean square of the error, last third of the run against the first */
    double sag;                  /* mean error along gravity in the last third, m */
} ac_study_row;

/* Name of an axis, as in the problem file. */
const char *ac_study_name(ac_study_axis axis);
/* 0: there is no study. */
long ac_study_rows(const ac_study *study);
/* The settings of a row. */
void ac_study_settings(const ac_study *study, long row, ac_track_settings *settings);
/* A run of so many steps with these settings, from the assembled start. */
ac_status ac_study_run(ac_context *ctx, const ac_system *system, const ac_track_settings *settings,
                       const ac_tracked *targets, int count, long steps, ac_study_row *row);

#endif
