/* Derivatives of reference curves by a parameter: how the frames of the nodes move and turn when what the curve is made of changes.
 * What follows is to curve_lines.c and curve_frames.c as a derivative is to its function. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "model/beam/curve.h"

static const double ROUNDED = 1e-14; /* a smaller change of direction is none */

typedef struct slope_pass {
    const ac_curve_shape *shape, *by;
    const ac_curve *curve;   /* with frames at all places */
    ac_curve_motion *motion; /* of these; at first `turn` is the derivative of the tangent */
} slope_pass;

static void tangent_of(const ac_pose *frame, double tangent[3])
{
    for (int i = 0; i < 3; ++i) tangent[i] = frame->rotation[3 * i + 2];
}

/* The derivative of x / |x|, at the unit vector `unit` along x. */
static void normalised(const double unit[3], double length, const double by[3], double out[3])
{
    double along = dot3(unit, by);
    for (int i = 0; i < 3; ++i) out[i] = (by[i] - along * unit[i]) / length;
    if (norm3(out) * length < ROUNDED * norm3(by)) memset(out, 0, 3 * sizeof *out);
}

/* The turn of a frame whose directors change by these columns. */
static void turn_of_columns(const double R[9], const double by[9], double turn[3])
{
    memset(turn, 0, 3 * sizeof *turn);
    for (int c = 0; c < 3; ++c) {
        const double d[3] = {R[c], R[3 + c], R[6 + c]},
                     change[3] = {0.5 * by[c], 0.5 * by[3 + c], 0.5 * by[6 + c]};
        add_cross3(d, change, turn);
    }
}

/* --- places and tangents --- */

static void move_straight(slope_pass *p)
{
    int pieces = p->curve->places - 1;
    double axis[3], by[3], tangent[3];
    sub3(p->shape->to, p->shape->from, axis);
    sub3(p->by->to, p->by->from, by);
    tangent_of(&p->curve->frames[0], tangent);
    for (int k = 0; k <= pieces; ++k) {
        for (int i = 0; i < 3; ++i) p->motion[k].place[i] = p->by->from[i] + (double)k / pieces * by[i];
        normalised(tangent, norm3(axis), by, p->motion[k].turn);
    }
}

static void move_arc(slope_pass *p)
{
    const ac_curve_shape *s = p->shape, *d = p->by;
    int pieces = p->curve->places - 1;
    double axis[3], by_axis[3], radius[3], by_radius[3], length = norm3(s->axis);
    for (int i = 0; i < 3; ++i) axis[i] = s->axis[i] / length;
    normalised(axis, length, d->axis, by_axis);
    sub3(s->from, s->centre, radius);
    sub3(d->from, d->centre, by_radius);
    for (int k = 0; k <= pieces; ++k) {
        double share = (double)k / pieces, v[3], by_v[3], R[9], T[9], turn[3], arm[3], by_arm[3], tangent[3],
               by_tangent[3], along[3];
        for (int i = 0; i < 3; ++i) {
            v[i] = axis[i] * s->angle * share;
            by_v[i] = share * (by_axis[i] * s->angle + axis[i] * d->angle);
        }
        ac_rotation_exp(v, R);
        ac_rotation_tangent(v, T);
        apply3(T, by_v, turn);
        apply3(R, radius, arm);
        apply3(R, by_radius, by_arm);
        add_cross3(turn, arm, by_arm);
        add3(d->centre, by_arm, p->motion[k].place);
        cross3(axis, arm, along);
        cross3(by_axis, arm, by_tangent);
        add_cross3(axis, by_arm, by_tangent);
        for (int i = 0; i < 3 && s->angle < 0; ++i) by_tangent[i] = -by_tangent[i];
        tangent_of(&p->curve->frames[k], tangent);
        normalised(tangent, norm3(along), by_tangent, p->motion[k].turn);
    }
}

static bool has_corner(const ac_curve *c, int place)
{
    for (int k = 0; k < c->corner_count; ++k)
        if (c->corners[k] == place) return true;
    return false;
}

/* The direction of piece p of a polyline, and its derivative. */
static void piece_direction(const slope_pass *p, int piece, double axis[3], double by[3])
{
    double change[3];
    sub3(p->shape->places[piece + 1], p->shape->places[piece], axis);
    sub3(p->by->places[piece + 1], p->by->places[piece], change);
    double length = norm3(axis);
    ac_curve_normalise(axis);
    normalised(axis, length, change, by);
}

static void move_polyline(slope_pass *p)
{
    const ac_curve *c = p->curve;
    int pieces = p->shape->count - 1, start = 0;
    bool sharp = !p->shape->smooth_corners;
    for (int q = 0; q < pieces; ++q) {
        int end = q + 1 == pieces ? c->places - 1 : c->inner[q];
        double axis[3], by[3], next[3], by_next[3];
        piece_direction(p, q, axis, by);
        for (int k = start; k <= end; ++k) {
            double share = (double)(k - start) / (end - start);
            if (k == start && q > 0 && !has_corner(c, start - 1))
                continue; /* it is that of the piece before */
            for (int i = 0; i < 3; ++i)
                p->motion[k].place[i] = p->by->places[q][i] +
                                        share * (p->by->places[q + 1][i] - p->by->places[q][i]);
            copy3(by, p->motion[k].turn);
        }
        if (q + 1 == pieces) break;
        if (!sharp) {
            double sum[3], tangent[3];
            piece_direction(p, q + 1, next, by_next);
            add3(axis, next, sum);
            add3(by, by_next, by_next);
            tangent_of(&c->frames[end], tangent);
            normalised(tangent, norm3(sum), by_next, p->motion[end].turn);
        }
        start = has_corner(c, end) ? end + 1 : end;
    }
}

/* --- frames from tangents --- */

static void turn_first(slope_pass *p)
{
    const double *R = p->curve->frames[0].rotation, d1[3] = {R[0], R[3], R[6]}, t[3] = {R[2], R[5], R[8]};
    double wish[3] = {0, 0, 0}, by_wish[3] = {0, 0, 0}, by[3], by_d1[3], across[3], *by_t = p->motion[0].turn,
           columns[9], by_d2[3];
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(t[i]) < fabs(t[k])) k = i;
    wish[k] = 1.0;
    if (norm3(p->shape->d1) > 0) {
        copy3(p->shape->d1, wish);
        copy3(p->by->d1, by_wish);
    }
    double along = dot3(wish, t), by_along = dot3(by_wish, t) + dot3(wish, by_t);
    for (int i = 0; i < 3; ++i) {
        across[i] = wish[i] - along * t[i];
        by[i] = by_wish[i] - by_along * t[i] - along * by_t[i];
    }
    normalised(d1, norm3(across), by, by_d1);
    cross3(by_t, d1, by_d2);
    add_cross3(t, by_d1, by_d2);
    for (int i = 0; i < 3; ++i) {
        columns[3 * i] = by_d1[i];
        columns[3 * i + 1] = by_d2[i];
        columns[3 * i + 2] = by_t[i];
    }
    turn_of_columns(R, columns, p->motion[0].turn);
}

/* M = c 1 + [v]x + v v^T / (1 + c), v = a x b, c = a . b, takes the unit vector a to b; its turn when they change. */
static void carrying_turn(const double a[3], const double by_a[3], const double b[3], const double by_b[3],
                          double M[9], double turn[3])
{
    double v[3], by_v[3], c = dot3(a, b), by_c = dot3(by_a, b) + dot3(a, by_b), over = 1.0 / (1.0 + c), by[9];
    cross3(a, b, v);
    cross3(by_a, b, by_v);
    add_cross3(a, by_b, by_v);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int k = 3 - i - j;
            double sign = i == j ? 0.0 : (i + 1) % 3 == j ? -1.0 : 1.0;
            M[3 * i + j] = over * v[i] * v[j] + (i == j ? c : sign * v[k]);
            by[3 * i + j] = over * (by_v[i] * v[j] + v[i] * by_v[j] - over * by_c * v[i] * v[j]) +
                            (i == j ? by_c : sign * by_v[k]);
        }
    turn_of_columns(M, by, turn);
}

/* The frame at place k is the one before it, carried to its tangent, which changes by `by`. */
static void turn_carried(slope_pass *p, const double before[9], const double turn_before[3],
                         const double tangent[3], const double by[3], double turn[3])
{
    const double old[3] = {before[2], before[5], before[8]};
    double by_old[3], M[9], carried[3];
    (void)p;
    cross3(turn_before, old, by_old);
    carrying_turn(old, by_old, tangent, by, M, turn);
    apply3(M, turn_before, carried);
    add3(turn, carried, turn);
}

static void turn_frames(slope_pass *p)
{
    turn_first(p);
    for (int k = 1; k < p->curve->places; ++k) {
        double tangent[3], by[3];
        tangent_of(&p->curve->frames[k], tangent);
        copy3(p->motion[k].turn, by);
        turn_carried(p, p->curve->frames[k - 1].rotation, p->motion[k - 1].turn, tangent, by,
                     p->motion[k].turn);
    }
}

/* --- splines and given frames --- */

static void given_motion(const slope_pass *p, int k, ac_curve_motion *motion)
{
    copy3(p->by->frames[k].position, motion->place);
    turn_of_columns(p->shape->frames[k].rotation, p->by->frames[k].rotation, motion->turn);
}

/* Place and tangent of Hermite's cubic are linear in the ends and their tangents. */
static void move_spline(slope_pass *p, const ac_curve_motion end[2])
{
    int pieces = p->curve->places - 1;
    const ac_pose *frames = p->shape->frames;
    double gap[3], by_gap[3], size = p->shape->length, by_size = p->by->length;
    ac_pose here[2];
    double by_d[2][3];
    memcpy(here, frames, sizeof here);
    sub3(frames[1].position, frames[0].position, gap);
    sub3(end[1].place, end[0].place, by_gap);
    if (!(size > 0)) {
        size = norm3(gap);
        by_size = dot3(gap, by_gap) / size;
    }
    for (int e = 0; e < 2; ++e) { /* (size d3)' */
        double d3[3], turned[3];
        tangent_of(&frames[e], d3);
        cross3(end[e].turn, d3, turned);
        for (int i = 0; i < 3; ++i) by_d[e][i] = by_size * d3[i] + size * turned[i];
    }
    ac_pose before = frames[0];
    ac_curve_motion last = end[0];
    p->motion[0] = end[0];
    for (int k = 1; k <= pieces; ++k) {
        double s = (double)k / pieces, by[3], tangent[3], by_tangent[3], place[3], unit[3];
        ac_curve_hermite(frames, size, s, place, tangent);
        for (int i = 0; i < 3; ++i) {
            double a = end[0].place[i], c = end[1].place[i], da = by_d[0][i], dc = by_d[1][i];
            p->motion[k].place[i] = (2 * s - 3) * s * s * (a - c) + a + ((s - 2) * s + 1) * s * da +
                                    (s - 1) * s * s * dc;
            by[i] = 6 * (s - 1) * s * (a - c) + ((3 * s - 4) * s + 1) * da + (3 * s - 2) * s * dc;
        }
        double length = norm3(tangent);
        copy3(tangent, unit);
        ac_curve_normalise(unit);
        normalised(unit, length, by, by_tangent);
        turn_carried(p, before.rotation, last.turn, unit, by_tangent, p->motion[k].turn);
        double carried[9];
        memcpy(carried, before.rotation, sizeof carried);
        ac_curve_carry_frame(carried, unit, before.rotation);
        last = p->motion[k];
    }
    double d3[3], off[3]; /* the last frame fits: all turn about d3 by their share */
    tangent_of(&frames[1], d3);
    sub3(end[1].turn, last.turn, off);
    double twist = dot3(d3, off);
    for (int k = 1; k <= pieces; ++k) {
        double own[3];
        tangent_of(&p->curve->frames[k], own);
        for (int i = 0; i < 3; ++i) p->motion[k].turn[i] += twist * k / pieces * own[i];
    }
    p->motion[pieces] = end[1];
}

/* --- edges --- */

/* T of exp: a turn w of exp(v) comes from T^-1 w */
static void solve3(const double T[9], const double w[3], double out[3])
{
    double columns[3][3], across[3];
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) columns[c][i] = T[3 * i + c];
    cross3(columns[1], columns[2], across);
    double whole = dot3(columns[0], across);
    for (int c = 0; c < 3; ++c) {
        double minor[3];
        cross3(columns[(c + 1) % 3], columns[(c + 2) % 3], minor);
        out[c] = dot3(w, minor) / whole;
    }
}

/* Edge model: frames half way from vertex k to the next one. */
static void stagger(const ac_curve *c, const ac_curve_motion *vertex, ac_curve_motion *out)
{
    out[0] = vertex[0];
    for (int k = 0; k < c->elements; ++k) {
        const double *R = c->frames[k].rotation;
        double relative[9], v[3], T[9], off[3], w[3], by_v[3], half[3];
        transposed_multiply3(R, c->frames[k + 1].rotation, relative);
        ac_rotation_log(relative, v);
        ac_rotation_tangent(v, T);
        sub3(vertex[k + 1].turn, vertex[k].turn, off);
        apply_transposed3(R, off, w);
        solve3(T, w, by_v);
        for (int i = 0; i < 3; ++i) {
            v[i] *= 0.5;
            by_v[i] *= 0.5;
        }
        ac_rotation_tangent(v, T);
        apply3(T, by_v, half);
        apply3(R, half, w);
        copy3(vertex[k].place, out[k + 1].place);
        add3(vertex[k].turn, w, out[k + 1].turn);
    }
    out[c->elements + 1] = vertex[c->elements];
}

/* --- all --- */

static void move_places(slope_pass *p)
{
    ac_curve_motion end[2];
    switch (p->shape->type) {
    case AC_CURVE_STRAIGHT: move_straight(p); break;
    case AC_CURVE_POLYLINE: move_polyline(p); break;
    case AC_CURVE_ARC: move_arc(p); break;
    case AC_CURVE_SPLINE:
        for (int e = 0; e < 2; ++e) given_motion(p, e, &end[e]);
        move_spline(p, end);
        return;
    default:
        for (int k = 0; k < p->curve->places; ++k) given_motion(p, k, &p->motion[k]);
        return;
    }
    turn_frames(p);
}

ac_status ac_curve_slopes(ac_context *ctx, const ac_curve_shape *shape, const ac_curve_shape *by,
                          ac_curve_motion *motion)
{
    ac_curve_shape plain = *shape; /* frames at vertices */
    ac_curve *curve;
    bool edges = shape->model == AC_BEAM_EDGE;
    if (edges) plain.model = AC_BEAM_DIRECTOR;
    if (edges) plain.smooth_corners = true;
    AC_TRY(ac_curve_new(ctx, &plain, &curve));
    ac_curve_motion *places = ac_allocate(ctx, (size_t)curve->places + 1, sizeof *places);
    bool made = places != NULL;
    if (made) {
        slope_pass p = {&plain, by, curve, places};
        move_places(&p);
        if (edges)
            stagger(curve, places, motion);
        else
            memcpy(motion, places, (size_t)curve->places * sizeof *motion);
    }
    ac_release(ctx, places);
    ac_curve_free(curve);
    return made ? AC_OK : ac_out_of_memory(ctx);
}
