/* Courses of targets. */
#include "track/course.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"

void ac_course_release(ac_context *ctx, ac_course *course)
{
    for (int k = 0; k < 3; ++k) {
        ac_signal_free(course->position[k]);
        ac_signal_free(course->rotation[k]);
    }
    ac_release(ctx, course->samples);
    *course = (ac_course){0};
}

ac_status ac_course_add(ac_context *ctx, ac_course *course, double time, const double position[3],
                        const double theta[3])
{
    bool good = isfinite(time) && (course->count == 0 || time > course->samples[course->count - 1].time);
    for (int k = 0; k < 3; ++k) good &= isfinite(position[k]) && isfinite(theta[k]);
    if (!good) {
        ++course->refused;
        return AC_OK;
    }
    AC_TRY(ac_grow(ctx, (void **)&course->samples, &course->capacity, course->count + 1,
                   sizeof *course->samples));
    ac_course_sample *s = &course->samples[course->count++];
    *s = (ac_course_sample){.time = time};
    copy3(position, s->position);
    ac_rotation_exp(theta, s->rotation);
    return AC_OK;
}

static void evaluate(const ac_course *course, double t, double x[3], double theta[3])
{
    for (int k = 0; k < 3; ++k) {
        x[k] = course->position[k] ? ac_signal_value(course->position[k], t) : 0.0;
        theta[k] = course->rotation[k] ? ac_signal_value(course->rotation[k], t) : 0.0;
    }
}

ac_status ac_course_sample_signals(ac_context *ctx, ac_course *course, double every,
                                   const ac_expression *shift, double end)
{
    double time = 0.0, x[3], theta[3];
    for (long j = 0, beyond = 0; beyond < 3; ++j) {
        double number = (double)j;
        time = every * number + (shift ? ac_expression_value(shift, &number) : 0.0);
        evaluate(course, time, x, theta);
        AC_TRY(ac_course_add(ctx, course, time, x, theta));
        if (every * number > end) ++beyond;
    }
    return AC_OK;
}

/* (b - a)/(time from a to b) of positions and of rotations. */
static void difference(const ac_course_sample *a, const ac_course_sample *b, ac_course_sample *out)
{
    double between[9], theta[3], dt = b->time - a->time;
    multiply_transposed3(b->rotation, a->rotation, between);
    ac_rotation_log(between, theta);
    for (int k = 0; k < 3; ++k) {
        out->velocity[k] = (b->position[k] - a->position[k]) / dt;
        out->spin[k] = theta[k] / dt;
    }
}

void ac_course_finish(ac_course *course, double step, const double *start)
{
    static const double ROUNDING = 1e-7; /* of a step: sample times are often multiples of it */
    ac_course_sample *s = course->samples;
    int n = course->count;
    for (int j = 0; j < n; ++j) s[j].tick = (long)ac_min(ceil(s[j].time / step - ROUNDING), 9e15);
    for (int j = 0; j < n; ++j) {
        int next = j + 1 < n && course->differences == AC_DIFFERENCES_CENTRAL ? j + 1 : j;
        int before = j > 0 ? j - 1 : j;
        if (next != before) difference(&s[before], &s[next], &s[j]);
    }
    if (start && n > 0) copy3(start, s[0].velocity);
}

/* The sample that holds at a tick; NULL: none yet. */
static const ac_course_sample *held(const ac_course *course, long tick)
{
    int low = 0, high = course->count; /* the last with tick <= wanted is before high */
    while (low < high) {
        int middle = (low + high) / 2;
        if (course->samples[middle].tick <= tick)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &course->samples[low - 1] : NULL;
}

static bool smooth_at(const ac_course *course, double t, ac_track_place *place)
{
    double theta[3] = {0}, rate[3] = {0}, T[9], second;
    for (int k = 0; k < 3; ++k) {
        if (course->position[k])
            place->position[k] = ac_signal_derivatives(course->position[k], t, &place->velocity[k], &second);
        if (course->rotation[k]) theta[k] = ac_signal_derivatives(course->rotation[k], t, &rate[k], &second);
    }
    ac_rotation_exp(theta, place->rotation);
    ac_rotation_tangent(theta, T);
    apply3(T, rate, place->spin);
    return true;
}

static void impulse(const ac_course *course, long k, double step, const ac_course_sample *now,
                    ac_track_place *place)
{
    bool central = course->differences == AC_DIFFERENCES_CENTRAL;
    const ac_course_sample *before = held(course, k - 1), *after = central ? held(course, k + 1) : now;
    ac_course_sample a = before ? *before : *now, b = *after, rate = {0};
    a.time = 0.0;
    b.time = central ? 2.0 * step : step;
    difference(&a, &b, &rate);
    copy3(rate.velocity, place->velocity);
    copy3(rate.spin, place->spin);
}

bool ac_course_at(const ac_course *course, long k, double step, ac_track_place *place)
{
    *place = (ac_track_place){0};
    if (course->kind == AC_COURSE_SMOOTH) return smooth_at(course, (double)k * step, place);
    const ac_course_sample *s = held(course, k);
    if (!s) return false;
    copy3(s->position, place->position);
    memcpy(place->rotation, s->rotation, sizeof place->rotation);
    if (course->kind == AC_COURSE_IMPULSE) {
        impulse(course, k, step, s, place);
    } else {
        copy3(s->velocity, place->velocity);
        copy3(s->spin, place->spin);
    }
    return true;
}
