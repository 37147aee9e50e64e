/* Reference curves that are given by places: straight lines, polylines, arcs. Places and tangents of the
 * nodes; the frames follow from them. */
#include <math.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/beam/curve.h"

static const double FULL_TURN = 6.28318530717958647692;

bool ac_curve_normalise(double x[3])
{
    double length = norm3(x);
    for (int i = 0; i < 3 && length > 0; ++i) x[i] /= length;
    return length > 0;
}

static void put_tangent(ac_pose *frame, const double tangent[3])
{
    for (int i = 0; i < 3; ++i) frame->rotation[3 * i + 2] = tangent[i];
}

/* --- straight lines and arcs ---------------------------------------------------------------------------- */

ac_status ac_curve_lay_straight(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    ac_pose *frames = w->curve->frames;
    int pieces = w->curve->places - 1;
    double axis[3];
    sub3(s->to, s->from, axis);
    if (!(norm3(axis) > 0))
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "the beam has no length: from and to coincide");
    for (int k = 0; k <= pieces; ++k) {
        double share = (double)k / pieces;
        for (int i = 0; i < 3; ++i) frames[k].position[i] = s->from[i] + share * axis[i];
    }
    copy3(s->to, frames[pieces].position);
    ac_curve_normalise(axis);
    for (int k = 0; k <= pieces; ++k) put_tangent(&frames[k], axis);
    return AC_OK;
}

/* The unit vector along the axis, and the radius at the start. */
static ac_status measure_arc(ac_curve_work *w, double axis[3], double radius[3])
{
    const ac_curve_shape *s = w->shape;
    double largest = ac_max(fabs(s->axis[0]), ac_max(fabs(s->axis[1]), fabs(s->axis[2])));
    if (!(largest > 0))
        return ac_curve_fail(w, AC_CURVE_PART_AXIS, 0, "axis must not be zero; it is a direction");
    for (int i = 0; i < 3; ++i) axis[i] = s->axis[i] / largest;
    ac_curve_normalise(axis);
    sub3(s->from, s->centre, radius);
    double size = norm3(radius), along = dot3(radius, axis);
    if (!(size > 0))
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0, "the arc has no radius: from and centre coincide");
    if (fabs(along) > 1e-6 * size)
        return ac_curve_fail(w, AC_CURVE_PART_AXIS, 0,
                             "axis must be perpendicular to the line from centre to from");
    if (!(fabs(s->angle) > 0) || fabs(s->angle) > FULL_TURN * (1 + 1e-12))
        return ac_curve_fail(w, AC_CURVE_PART_ANGLE, 0, "angle must not be zero, and at most a full turn");
    return AC_OK;
}

ac_status ac_curve_lay_arc(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    ac_pose *frames = w->curve->frames;
    int pieces = w->curve->places - 1;
    double axis[3], radius[3];
    AC_TRY(measure_arc(w, axis, radius));
    for (int k = 0; k <= pieces; ++k) {
        double turn[3], R[9], arm[3], tangent[3];
        for (int i = 0; i < 3; ++i) turn[i] = axis[i] * s->angle * k / pieces;
        ac_rotation_exp(turn, R);
        apply3(R, radius, arm);
        add3(s->centre, arm, frames[k].position);
        cross3(axis, arm, tangent);
        for (int i = 0; i < 3 && s->angle < 0; ++i) tangent[i] = -tangent[i];
        ac_curve_normalise(tangent);
        put_tangent(&frames[k], tangent);
    }
    return AC_OK;
}

/* --- polylines ------------------------------------------------------------------------------------------ */

typedef struct polyline {
    int pieces;
    const double (*corner)[3];
    double (*axis)[3], *length;
    int *counts; /* elements of the pieces */
    bool sharp;
} polyline;

/* Shares the elements out to the pieces, at least one each, the longest for its number first. */
static void share_elements(const double *length, int pieces, int elements, int *counts)
{
    for (int p = 0; p < pieces; ++p) counts[p] = 1;
    for (int left = elements - pieces; left > 0; --left) {
        int best = 0;
        for (int p = 1; p < pieces; ++p)
            if (length[p] * counts[best] > length[best] * counts[p]) best = p;
        ++counts[best];
    }
}

static ac_status measure_pieces(ac_curve_work *w, polyline *line)
{
    for (int p = 0; p < line->pieces; ++p) {
        double *axis = line->axis[p];
        sub3(line->corner[p + 1], line->corner[p], axis);
        line->length[p] = norm3(axis);
        if (!ac_curve_normalise(axis))
            return ac_curve_fail(w, AC_CURVE_PART_ENTRY, p + 1,
                                 "two neighbouring places of polyline coincide");
        if (p > 0 && dot3(axis, line->axis[p - 1]) < -0.999)
            return ac_curve_fail(w, AC_CURVE_PART_ENTRY, p + 1, "the polyline turns back on itself here");
    }
    return AC_OK;
}

/* Without a change of direction there is no corner. */
static bool is_sharp(const double before[3], const double after[3])
{
    double turn[3];
    cross3(before, after, turn);
    return norm3(turn) > 1e-9 || dot3(before, after) < 0;
}

/* Places and tangents of all nodes; returns how many there are. */
static int lay_pieces(const polyline *line, ac_curve *c)
{
    int node = 0;
    for (int p = 0; p < line->pieces; ++p) {
        int steps = c->order * line->counts[p];
        bool again = p > 0 && c->corner_count > 0 && c->corners[c->corner_count - 1] == node - 1;
        for (int k = p == 0 || again ? 0 : 1; k <= steps; ++k, ++node) {
            double share = (double)k / steps, tangent[3];
            for (int i = 0; i < 3; ++i)
                c->frames[node].position[i] = line->corner[p][i] +
                                              share * (line->corner[p + 1][i] - line->corner[p][i]);
            if (k == steps) copy3(line->corner[p + 1], c->frames[node].position);
            copy3(line->axis[p], tangent);
            if (k == steps && p + 1 < line->pieces && !line->sharp)
                add3(line->axis[p], line->axis[p + 1], tangent);
            ac_curve_normalise(tangent);
            put_tangent(&c->frames[node], tangent);
        }
        if (p + 1 == line->pieces) break;
        c->inner[c->inner_count++] = node - 1;
        if (line->sharp && is_sharp(line->axis[p], line->axis[p + 1]))
            c->corners[c->corner_count++] = node - 1;
    }
    return node;
}

static ac_status lay_line(ac_curve_work *w, polyline *line)
{
    ac_curve *c = w->curve;
    AC_NEW(w->ctx, line->axis, line->pieces);
    AC_NEW(w->ctx, line->length, line->pieces);
    AC_NEW(w->ctx, line->counts, line->pieces);
    AC_NEW(w->ctx, c->frames, c->elements * c->order + line->pieces);
    AC_NEW(w->ctx, c->corners, line->pieces);
    AC_NEW(w->ctx, c->inner, line->pieces);
    AC_TRY(measure_pieces(w, line));
    share_elements(line->length, line->pieces, c->elements, line->counts);
    c->places = lay_pieces(line, c);
    return AC_OK;
}

ac_status ac_curve_lay_polyline(ac_curve_work *w)
{
    const ac_curve_shape *s = w->shape;
    int elements = w->curve->elements;
    polyline line = {
        .pieces = s->count - 1, .corner = s->places, .sharp = !s->smooth_corners && s->model != AC_BEAM_EDGE};
    if (s->count < 2)
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0,
                             "polyline must be a list of at least two places [x, y, z]");
    if (elements < line.pieces)
        return ac_curve_fail(w, AC_CURVE_PART_ITSELF, 0,
                             "a polyline of %d pieces needs at least %d elements, not %d", line.pieces,
                             line.pieces, elements);
    ac_status status = lay_line(w, &line);
    ac_release(w->ctx, line.axis);
    ac_release(w->ctx, line.length);
    ac_release(w->ctx, line.counts);
    return status;
}
