/* A study of weights: runs with other settings and the numbers by which they are compared. */
#include "track/study.h"

#include <math.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"

const char *ac_study_name(ac_study_axis axis)
{
    static const char *const names[AC_STUDY_AXES] = {"rho0", "rho1", "velocity_weight", "joint_stabilisation",
                                                     "servo_stabilisation"};
    return names[axis];
}

static double *member(ac_track_settings *s, int axis)
{
    double *members[AC_STUDY_AXES] = {&s->weights.rho0, &s->weights.rho1, &s->weights.velocity,
                                      &s->joint_stabilisation, &s->servo_stabilisation};
    return members[axis];
}

long ac_study_rows(const ac_study *study)
{
    long rows = 1;
    bool any = false;
    for (int k = 0; k < AC_STUDY_AXES; ++k) {
        if (study->count[k] == 0) continue;
        rows *= study->count[k];
        any = true;
    }
    return any ? rows : 0;
}

void ac_study_settings(const ac_study *study, long row, ac_track_settings *settings)
{
    for (int k = AC_STUDY_AXES - 1; k >= 0; --k) {
        if (study->count[k] == 0) continue;
        *member(settings, k) = study->values[k][row % study->count[k]];
        row /= study->count[k];
    }
}

/* Root mean square of n vectors. */
static double size_of(const double *e, long n)
{
    double sum = 0.0;
    for (long k = 0; k < n; ++k) sum += dot3(e + 3 * k, e + 3 * k);
    return sqrt(sum / (double)(n > 0 ? n : 1));
}

/* The component that moves most about its mean counts. */
static double frequency_of(const double *e, long n, double duration)
{
    double most = 0.0, mean = 0.0;
    int axis = 0;
    for (int c = 0; c < 3; ++c) {
        double sum = 0.0, square = 0.0;
        for (long k = 0; k < n; ++k) sum += e[3 * k + c];
        for (long k = 0; k < n; ++k) {
            double away = e[3 * k + c] - sum / (double)n;
            square += away * away;
        }
        if (square <= most) continue;
        most = square;
        mean = sum / (double)n;
        axis = c;
    }
    long changes = 0;
    for (long k = 1; k < n && most > 0.0; ++k)
        changes += (e[3 * k + axis] > mean) != (e[3 * (k - 1) + axis] > mean);
    return 0.5 * (double)changes / duration;
}

static void judge_first(const ac_system *system, const double *e, long n, double step, ac_study_row *row)
{
    long third = n / 3 > 0 ? n / 3 : 1;
    double before = size_of(e, third), g = norm3(system->gravity), sum = 0.0;
    const double *last = e + 3 * (n - third);
    row->frequency = frequency_of(e, n, step * (double)n);
    row->growth = before > 0.0 ? size_of(last, third) / before : 0.0;
    for (long k = 0; k < third && g > 0.0; ++k) sum += dot3(last + 3 * k, system->gravity) / g;
    row->sag = sum / (double)third;
}

/* errors: three numbers for each step; before: six for each target. */
static void follow(ac_track *track, const ac_tracked *targets, int count, long steps, double *errors,
                   double *before, ac_study_row *row)
{
    double squares = 0.0, changes = 0.0, step = ac_track_current(track)->step;
    for (long k = 0; k < steps; ++k) {
        ac_courses_place(track, targets, count, k + 1);
        (void)ac_track_step(track);
        row->residual_max = ac_max(row->residual_max, ac_track_residual(track));
        for (int i = 0; i < count; ++i) {
            double error[6], control[6], change[3];
            ac_track_error(track, i, error);
            ac_track_control(track, i, control);
            if (i == 0) copy3(error, errors + 3 * k);
            squares += dot3(error, error);
            row->error_max = ac_max(row->error_max, norm3(error));
            row->force_max = ac_max(row->force_max, norm3(control));
            sub3(control, before + 3 * (size_t)i, change);
            if (k > 0) changes += dot3(change, change);
            copy3(control, before + 3 * (size_t)i);
        }
    }
    row->error_rms = sqrt(squares / (double)steps);
    row->roughness = sqrt(changes / (double)steps) / step;
}

ac_status ac_study_run(ac_context *ctx, const ac_system *system, const ac_track_settings *settings,
                       const ac_tracked *targets, int count, long steps, ac_study_row *row)
{
    ac_track *track = NULL;
    *row = (ac_study_row){0};
    double *errors = ac_allocate(ctx, 3 * ((size_t)steps + (size_t)count), sizeof *errors);
    if (!errors) return ac_out_of_memory(ctx);
    ac_status status = ac_track_new(ctx, system, settings, &track);
    if (status == AC_OK && !ac_courses_begin(track, targets, count))
        status = ac_fail(ctx, AC_BAD_INPUT, "a target of the study tracks nothing");
    if (status == AC_OK) {
        follow(track, targets, count, steps, errors, errors + 3 * steps, row);
        judge_first(system, errors, steps, settings->step, row);
    }
    ac_track_free(track);
    ac_release(ctx, errors);
    return status;
}
