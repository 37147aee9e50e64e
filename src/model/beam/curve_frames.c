/* Frames along the reference curves of beams: carried without twist, on a cubic between two frames, or
 * given. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/beam/curve.h"

static const double FULL_TURN = 6.28318530717958647692;
static const double LEAST_COSINE = 0.5; /* between d3 of a frame and the beam */
static const double FRAME_TOLERANCE = 1e-6;

/* --- frames from tangents ------------------------------------------------------------------------------- */

static void put_columns(const double d1[3], const double d3[3], double rotation[9])
{
    double d2[3];
    cross3(d3, d1, d2);
    for (int i = 0; i < 3; ++i) {
        rotation[3 * i] = d1[i];
        rotation[3 * i + 1] = d2[i];
        rotation[3 * i + 2] = d3[i];
    }
}

/* The first frame: d3 the tangent, d1 the wish made perpendicular to it. */
static ac_status first_frame(ac_curve_work *w, const double tangent[3], double rotation[9])
{
    double d1[3] = {0, 0, 0}, wish = norm3(w->shape->d1);
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(tangent[i]) < fabs(tangent[k])) k = i;
    d1[k] = 1;
    if (wish > 0)
        copy3(w->shape->d1, d1);
    else
        wish = 1;
    double along = dot3(d1, tangent);
    for (int i = 0; i < 3; ++i) d1[i] -= along * tangent[i];
    if (!(norm3(d1) > 1e-6 * wish))
        return ac_curve_fail(w, AC_CURVE_PART_D1, 0, "d1 must not be parallel to the axis of the beam");
    ac_curve_normalise(d1);
    put_columns(d1, tangent, rotation);
    return AC_OK;
}

/* The smallest rotation that takes the old tangent to the new one, applied to the frame. */
static void carry_frame(const double before[9], const double tangent[3], double rotation[9])
{
    const double old[3] = {before[2], before[5], before[8]};
    double axis[3], R[9];
    cross3(old, tangent, axis);
    double sine = norm3(axis), angle = ac_atan2(sine, dot3(old, tangent));
    for (int i = 0; i < 3; ++i) axis[i] *= sine > 0 ? angle / sine : 0;
    ac_rotation_exp(axis, R);
    multiply3(R, before, rotation);
    ac_rotation_polish(rotation);
}

ac_status ac_curve_carry_frames(ac_curve_work *w)
{
    ac_pose *frames = w->curve->frames;
    for (int k = 0; k < w->curve->places; ++k) {
        const double *R = frames[k].rotation, tangent[3] = {R[2], R[5], R[8]};
        if (k == 0)
            AC_TRY(first_frame(w, tangent, frames[0].rotation));
        else
            carry_frame(frames[k - 1].rotation, tangent, frames[k].rotation);
    }
    return AC_OK;
}

/* --- given frames --------------------------------------------------------------------------------------- */

static ac_status check_frames(ac_curve_work *w)
{
    for (int k = 0; k < w->shape->count; ++k) {
        if (ac_rotation_check(w->shape->frames[k].rotation, FRAME_TOLERANCE)) continue;
        return ac_curve_fail(w, AC_CURVE_PART_ENTRY, k, "the frame is not orthonormal and right handed");
    }
    return AC_OK;
}

/* Sections are across d3, so d3 has to point along the beam, to within 60 degrees. */
static ac_status check_direction(ac_curve_work *w, int first, const double gap[3])
{
    for (int k = 0; k < 2; ++k) {
        const double *R = w->shape->frames[first + k].rotation, d3[3] = {R[2], R[5], R[8]};
        if (!(dot3(d3, gap) < LEAST_COSINE)) continue;
        return ac_curve_fail(
            w, AC_CURVE_PART_ENTRY, first + k,
            "d3 of this frame makes %.0f degrees with the line to the frame %s, more than 60: "
            "it has to point along the beam",
            ac_acos(ac_max(-1, ac_min(1, dot3(d3, gap)))) * 360 / FULL_TURN,
            k == 0 ? "after it" : "before it");
    }
    return AC_OK;
}

/* Neighbours have to differ by less than a quarter turn: an element cannot say more. Where the stiffnesses
 * are given, they belong to the axes of the frames, which may then have any direction. */
static ac_status check_pair(ac_curve_work *w, int first)
{
    const ac_pose *pose = w->shape->frames + first;
    double gap[3], same = 0;
    sub3(pose[1].position, pose[0].position, gap);
    if (!ac_curve_normalise(gap))
        return ac_curve_fail(w, AC_CURVE_PART_ENTRY, first + 1,
                             "two neighbouring frames are at the same place");
    if (!w->shape->any_direction) AC_TRY(check_direction(w, first, gap));
    for (int i = 0; i < 9; ++i) same += pose[0].rotation[i] * pose[1].rotation[i];
    if (same > 1) return AC_OK;
    return ac_curve_fail(w, AC_CURVE_PART_ENTRY, first + 1,
                         "this frame is turned by %.0f degrees from the one before; less than 90 is needed",
                         ac_acos(ac_max(-1, 0.5 * (same - 1))) * 360 / FULL_TURN);
}

ac_status ac_curve_take_frames(ac_curve_work *w)
{
    AC_TRY(check_frames(w));
    for (int k = 0; k + 1 < w->shape->count; ++k) AC_TRY(check_pair(w, k));
    memcpy(w->curve->frames, w->shape->frames, (size_t)w->shape->count * sizeof *w->shape->frames);
    return AC_OK;
}

/* --- splines -------------------------------------------------------------------------------------------- */

/* Place and tangent of Hermite's cubic at s, with end tangents d3 of that size. */
static void hermite(const ac_pose end[2], double size, double s, double place[3], double tangent[3])
{
    for (int i = 0; i < 3; ++i) {
        double a = end[0].position[i], c = end[1].position[i];
        double da = size * end[0].rotation[3 * i + 2], dc = size * end[1].rotation[3 * i + 2];
        place[i] = (2 * s - 3) * s * s * (a - c) + a + ((s - 2) * s + 1) * s * da + (s - 1) * s * s * dc;
        tangent[i] = 6 * (s - 1) * s * (a - c) + ((3 * s - 4) * s + 1) * da + (3 * s - 2) * s * dc;
    }
}

/* Turns the frames evenly about d3, so that the last one fits. */
static void fit_twist(const ac_pose *last, ac_pose *frames, int pieces)
{
    double relative[9];
    transposed_multiply3(frames[pieces].rotation, last->rotation, relative);
    double twist = ac_atan2(relative[3], relative[0]);
    for (int k = 1; k <= pieces; ++k) {
        double turn[9], before[9];
        ac_rotation_z(twist * k / pieces, turn);
        memcpy(before, frames[k].rotation, sizeof before);
        multiply3(before, turn, frames[k].rotation);
    }
    frames[pieces] = *last;
}

ac_status ac_curve_lay_spline(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    ac_pose *frames = w->curve->frames;
    int pieces = w->curve->places - 1;
    double gap[3], size = s->length;
    if (s->count != 2)
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "a spline is between two frames, not %d", s->count);
    AC_TRY(check_frames(w));
    sub3(s->frames[1].position, s->frames[0].position, gap);
    if (!(size > 0)) size = norm3(gap);
    if (!(size > 0))
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "the beam has no length: from and to coincide");
    frames[0] = s->frames[0];
    for (int k = 1; k <= pieces; ++k) {
        double tangent[3];
        hermite(s->frames, size, (double)k / pieces, frames[k].position, tangent);
        if (!ac_curve_normalise(tangent))
            return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "the spline has a cusp");
        carry_frame(frames[k - 1].rotation, tangent, frames[k].rotation);
    }
    fit_twist(&s->frames[1], frames, pieces);
    return AC_OK;
}
