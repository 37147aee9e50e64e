/* The course of a target: where it is at every tick of the solver.
 *
 * A smooth course is a formula of time with its derivatives. Otherwise it is known by samples at times that need not be
 * regular; the newest one is held (zero-order hold). Which sample holds at a step is decided with whole numbers: sample j
 * holds from tick ceil(tau_j/h) on, so that no compiler moves a jump by a step. The velocity of a held course is piecewise
 * constant (differences of samples, central or causal) or impulse-like (differences from tick to tick).
 */
#ifndef ACTIO_TRACK_COURSE_H
#define ACTIO_TRACK_COURSE_H

#include "actio/expression.h"
#include "actio/track.h"
#include "base/base.h"

typedef enum ac_course_kind {
    AC_COURSE_SMOOTH,
    AC_COURSE_HELD,
    AC_COURSE_IMPULSE,
    AC_COURSE_LIVE /* known only while it runs: places come from events */
} ac_course_kind;
typedef enum ac_differences { AC_DIFFERENCES_CENTRAL, AC_DIFFERENCES_CAUSAL } ac_differences;

typedef struct ac_course_sample {
    double time;
    long tick;
    double position[3], rotation[9];
    double velocity[3], spin[3];
} ac_course_sample;

typedef struct ac_course {
    ac_course_kind kind;
    ac_differences differences;
    ac_signal *position[3], *rotation[3]; /* NULL: zero */
    int count, capacity;
    ac_course_sample *samples;
    int refused; /* samples that are not finite or whose times do not increase */
} ac_course;

void ac_course_release(ac_context *ctx, ac_course *course);
/* Appends a sample (rotation vector theta); a bad one is refused and counted. */
ac_status ac_course_add(ac_context *ctx, ac_course *course, double time, const double position[3],
                        const double theta[3]);
/* Samples the signals at tau_j = every j + shift(j) until two samples beyond the end. shift: of j, may be NULL. */
ac_status ac_course_sample_signals(ac_context *ctx, ac_course *course, double every,
                                   const ac_expression *shift, double end);
/* Ticks and velocities; start: velocity of the first sample, NULL: as the next one. */
void ac_course_finish(ac_course *course, double step, const double *start);
/* Where the target is at tick k; false: not known yet. */
bool ac_course_at(const ac_course *course, long k, double step, ac_track_place *place);

#endif
