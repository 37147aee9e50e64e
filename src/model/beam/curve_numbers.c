/* Reference curves as numbers with a past: what curve_lines.c and curve_frames.c lay, recorded from the numbers that a curve is made of.
 * Where they find an angle, the record has an algebraic formula for the same frame, which is smooth where the angle vanishes. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "model/beam/curve.h"

typedef struct recorder {
    ac_graph *g;
    const ac_curve_shape *shape;
    const ac_num *x;                        /* what it is made of (AC_CURVE_FROM ..) */
    const ac_curve *curve;                  /* with frames at all places */
    ac_num (*place)[3], (*d1)[3], (*d3)[3]; /* of all places */
} recorder;

/* --- vectors --- */

static void difference(ac_graph *g, const ac_num a[3], const ac_num b[3], ac_num out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = ac_num_subtract(g, a[i], b[i]);
}

/* a + factor b */
static void combine(ac_graph *g, const ac_num a[3], ac_num factor, const ac_num b[3], ac_num out[3])
{
    for (int i = 0; i < 3; ++i) {
        bool none = !b[i].node && b[i].v == 0.0;
        out[i] = none ? a[i] : ac_num_add(g, a[i], ac_num_multiply(g, factor, b[i]));
    }
}

static ac_num length_of(ac_graph *g, const ac_num x[3])
{
    return ac_num_unary(g, OP_SQRT, ac_num_dot3(g, x, x));
}

/* x / |x|; along an axis of the world it does not depend on anything. */
static void normalise(ac_graph *g, ac_num x[3])
{
    int others = 0, last = 0;
    for (int i = 0; i < 3; ++i)
        if (x[i].node || x[i].v != 0.0) ++others, last = i;
    if (others == 1) {
        x[last] = ac_num_of(x[last].v > 0.0 ? 1.0 : -1.0);
        return;
    }
    ac_num length = length_of(g, x);
    for (int i = 0; i < 3; ++i)
        if (x[i].node || x[i].v != 0.0) x[i] = ac_num_divide(g, x[i], length);
}

/* cos 1 + sin [n]x + (1 - cos) n n^T, applied to r */
static void turn_about(ac_graph *g, const ac_num n[3], ac_num angle, const ac_num r[3], ac_num out[3])
{
    ac_num c = ac_num_unary(g, OP_COS, angle), s = ac_num_unary(g, OP_SIN, angle), across[3],
           rest = ac_num_multiply(g, ac_num_subtract(g, ac_num_of(1.0), c), ac_num_dot3(g, n, r));
    const ac_num none[3] = {{0.0, 0}};
    ac_num_cross3(g, n, r, across);
    combine(g, none, c, r, out);
    combine(g, out, s, across, out);
    combine(g, out, rest, n, out);
}

/* --- places and tangents --- */

static const ac_num *entry_of(const recorder *r, int k)
{
    return r->x + AC_CURVE_ENTRIES + (r->shape->type == AC_CURVE_POLYLINE ? 3 : AC_CURVE_POSE) * k;
}

static void record_straight(recorder *r)
{
    int pieces = r->curve->places - 1;
    ac_num axis[3], tangent[3];
    difference(r->g, r->x + AC_CURVE_TO, r->x + AC_CURVE_FROM, axis);
    memcpy(tangent, axis, sizeof axis);
    normalise(r->g, tangent);
    for (int k = 0; k <= pieces; ++k) {
        combine(r->g, r->x + AC_CURVE_FROM, ac_num_of((double)k / pieces), axis, r->place[k]);
        memcpy(r->d3[k], tangent, sizeof tangent);
    }
    memcpy(r->place[pieces], r->x + AC_CURVE_TO, sizeof axis);
}

static void record_arc(recorder *r)
{
    ac_graph *g = r->g;
    int pieces = r->curve->places - 1;
    ac_num axis[3], radius[3], angle = r->x[AC_CURVE_ANGLE];
    memcpy(axis, r->x + AC_CURVE_AXIS, sizeof axis);
    normalise(g, axis);
    difference(g, r->x + AC_CURVE_FROM, r->x + AC_CURVE_CENTRE, radius);
    for (int k = 0; k <= pieces; ++k) {
        ac_num arm[3];
        turn_about(g, axis, ac_num_scale(g, (double)k / pieces, angle), radius, arm);
        combine(g, r->x + AC_CURVE_CENTRE, ac_num_of(1.0), arm, r->place[k]);
        ac_num_cross3(g, axis, arm, r->d3[k]);
        for (int i = 0; i < 3 && angle.v < 0.0; ++i) r->d3[k][i] = ac_num_scale(g, -1.0, r->d3[k][i]);
        normalise(g, r->d3[k]);
    }
}

static bool has_corner(const ac_curve *c, int place)
{
    for (int k = 0; k < c->corner_count; ++k)
        if (c->corners[k] == place) return true;
    return false;
}

static void record_polyline(recorder *r)
{
    const ac_curve *c = r->curve;
    int pieces = r->shape->count - 1, start = 0;
    for (int q = 0; q < pieces; ++q) {
        int end = q + 1 == pieces ? c->places - 1 : c->inner[q];
        ac_num gap[3], axis[3], next[3];
        difference(r->g, entry_of(r, q + 1), entry_of(r, q), gap);
        memcpy(axis, gap, sizeof gap);
        normalise(r->g, axis);
        for (int k = start; k <= end; ++k) {
            if (k == start && q > 0 && !has_corner(c, start - 1)) continue; /* of the piece before */
            combine(r->g, entry_of(r, q), ac_num_of((double)(k - start) / (end - start)), gap, r->place[k]);
            memcpy(r->d3[k], axis, sizeof axis);
        }
        memcpy(r->place[end], entry_of(r, q + 1), sizeof gap);
        if (q + 1 == pieces) break;
        if (r->shape->smooth_corners) {
            difference(r->g, entry_of(r, q + 2), entry_of(r, q + 1), next);
            normalise(r->g, next);
            combine(r->g, axis, ac_num_of(1.0), next, r->d3[end]);
            normalise(r->g, r->d3[end]);
        }
        start = has_corner(c, end) ? end + 1 : end;
    }
}

/* --- frames --- */

/* The wish made perpendicular to the tangent. */
static void first_frame(recorder *r)
{
    const ac_num *t = r->d3[0];
    ac_num wish[3] = {{0.0, 0}};
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(t[i].v) < fabs(t[k].v)) k = i;
    wish[k] = ac_num_of(1.0);
    const double *d1 = r->shape->d1;
    if (d1[0] != 0.0 || d1[1] != 0.0 || d1[2] != 0.0) memcpy(wish, r->x + AC_CURVE_D1, sizeof wish);
    combine(r->g, wish, ac_num_scale(r->g, -1.0, ac_num_dot3(r->g, wish, t)), t, r->d1[0]);
    normalise(r->g, r->d1[0]);
}

/* c d1 + v x d1 + v (v . d1) / (1 + c) with v = a x b and c = a . b: the smallest turn from a to b. */
static void carry(ac_graph *g, const ac_num a[3], const ac_num b[3], const ac_num d1[3], ac_num out[3])
{
    const ac_num none[3] = {{0.0, 0}};
    ac_num v[3], across[3], c = ac_num_dot3(g, a, b),
                            share = ac_num_divide(g, ac_num_of(1.0), ac_num_add(g, ac_num_of(1.0), c));
    ac_num_cross3(g, a, b, v);
    ac_num_cross3(g, v, d1, across);
    combine(g, none, c, d1, out);
    combine(g, out, ac_num_of(1.0), across, out);
    combine(g, out, ac_num_multiply(g, share, ac_num_dot3(g, v, d1)), v, out);
}

static void carry_frames(recorder *r)
{
    for (int k = 1; k < r->curve->places; ++k) {
        bool same = true; /* as on a straight piece */
        for (int i = 0; i < 3; ++i)
            same = same && r->d3[k][i].node == r->d3[k - 1][i].node && r->d3[k][i].v == r->d3[k - 1][i].v;
        if (same)
            memcpy(r->d1[k], r->d1[k - 1], sizeof r->d1[k]);
        else
            carry(r->g, r->d3[k - 1], r->d3[k], r->d1[k - 1], r->d1[k]);
    }
}

/* Column c of a given frame. */
static void column_of(const recorder *r, int frame, int c, ac_num out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = entry_of(r, frame)[3 + 3 * i + c];
}

static void take_frame(recorder *r, int frame, int place)
{
    memcpy(r->place[place], entry_of(r, frame), sizeof r->place[place]);
    column_of(r, frame, 0, r->d1[place]);
    column_of(r, frame, 2, r->d3[place]);
}

/* Frames turn evenly about d3, so that the last one fits. */
static void fit_twist(recorder *r, int pieces)
{
    ac_graph *g = r->g;
    ac_num last[3], d2[3];
    column_of(r, 1, 0, last);
    ac_num_cross3(g, r->d3[pieces], r->d1[pieces], d2);
    ac_num twist = ac_num_binary(g, OP_ATAN2, ac_num_dot3(g, d2, last), ac_num_dot3(g, r->d1[pieces], last));
    for (int k = 1; k < pieces; ++k) {
        const ac_num none[3] = {{0.0, 0}};
        ac_num share = ac_num_scale(g, (double)k / pieces, twist), own[3];
        ac_num_cross3(g, r->d3[k], r->d1[k], d2);
        combine(g, none, ac_num_unary(g, OP_COS, share), r->d1[k], own);
        combine(g, own, ac_num_unary(g, OP_SIN, share), d2, r->d1[k]);
    }
}

/* Hermite's cubic between both ends (ac_curve_lay_spline). */
static void record_spline(recorder *r)
{
    ac_graph *g = r->g;
    int pieces = r->curve->places - 1;
    ac_num gap[3], size = r->x[AC_CURVE_LENGTH], end[2][3];
    difference(g, entry_of(r, 1), entry_of(r, 0), gap);
    if (!(size.v > 0.0)) size = length_of(g, gap);
    for (int e = 0; e < 2; ++e) {
        column_of(r, e, 2, end[e]);
        for (int i = 0; i < 3; ++i) end[e][i] = ac_num_multiply(g, size, end[e][i]);
    }
    take_frame(r, 0, 0);
    for (int k = 1; k <= pieces; ++k) {
        const ac_num none[3] = {{0.0, 0}};
        double s = (double)k / pieces;
        combine(g, entry_of(r, 0), ac_num_of(-(2 * s - 3) * s * s), gap, r->place[k]);
        combine(g, r->place[k], ac_num_of(((s - 2) * s + 1) * s), end[0], r->place[k]);
        combine(g, r->place[k], ac_num_of((s - 1) * s * s), end[1], r->place[k]);
        combine(g, none, ac_num_of(-6 * (s - 1) * s), gap, r->d3[k]);
        combine(g, r->d3[k], ac_num_of((3 * s - 4) * s + 1), end[0], r->d3[k]);
        combine(g, r->d3[k], ac_num_of((3 * s - 2) * s), end[1], r->d3[k]);
        normalise(g, r->d3[k]);
        carry(g, r->d3[k - 1], r->d3[k], r->d1[k - 1], r->d1[k]);
    }
    fit_twist(r, pieces);
    take_frame(r, 1, pieces);
}

/* --- nodes --- */

static void put_frame(const recorder *r, int place, ac_num out[AC_CURVE_POSE])
{
    ac_num d2[3];
    ac_num_cross3(r->g, r->d3[place], r->d1[place], d2);
    for (int i = 0; i < 3; ++i) {
        out[i] = r->place[place][i];
        out[3 + 3 * i] = r->d1[place][i];
        out[4 + 3 * i] = d2[i];
        out[5 + 3 * i] = r->d3[place][i];
    }
}

/* Half of a rotation Q: with its quaternion (q0, q) that of (1 + q0, q) by its length. */
static void halve(ac_graph *g, const ac_num Q[9], ac_num out[9])
{
    const ac_num one = ac_num_of(1.0), trace = ac_num_add(g, ac_num_add(g, Q[0], Q[4]), Q[8]);
    ac_num q0 = ac_num_scale(g, 0.5, ac_num_unary(g, OP_SQRT, ac_num_add(g, one, trace))), q[3],
           p0 = ac_num_add(g, one, q0);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ac_num axial = ac_num_subtract(g, Q[3 * k + j], Q[3 * j + k]);
        q[i] = ac_num_divide(g, axial, ac_num_scale(g, 4.0, q0));
    }
    ac_num square = ac_num_multiply(g, p0, p0), length = ac_num_dot3(g, q, q),
           over = ac_num_divide(g, one, ac_num_add(g, square, length)),
           plain = ac_num_multiply(g, over, ac_num_subtract(g, square, length)),
           twice = ac_num_scale(g, 2.0, over), across = ac_num_multiply(g, twice, p0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            ac_num entry = ac_num_multiply(g, twice, ac_num_multiply(g, q[i], q[j]));
            if (i == j) entry = ac_num_add(g, entry, plain);
            if (i != j) {
                ac_num own = ac_num_multiply(g, across, q[3 - i - j]);
                entry = (i + 1) % 3 == j ? ac_num_subtract(g, entry, own) : ac_num_add(g, entry, own);
            }
            out[3 * i + j] = entry;
        }
}

/* Edge model: frames half way from a vertex to the next one. */
static void put_edge(const recorder *r, int k, ac_num out[AC_CURVE_POSE])
{
    ac_num here[AC_CURVE_POSE], next[AC_CURVE_POSE], relative[9], half[9];
    put_frame(r, k, here);
    put_frame(r, k + 1, next);
    ac_num_multiply3(r->g, here + 3, true, next + 3, relative);
    halve(r->g, relative, half);
    memcpy(out, here, 3 * sizeof *out);
    ac_num_multiply3(r->g, here + 3, false, half, out + 3);
}

static void record_nodes(recorder *r, bool edges, ac_num (*frames)[AC_CURVE_POSE])
{
    const ac_curve *c = r->curve;
    switch (r->shape->type) {
    case AC_CURVE_STRAIGHT: record_straight(r); break;
    case AC_CURVE_ARC: record_arc(r); break;
    case AC_CURVE_POLYLINE: record_polyline(r); break;
    case AC_CURVE_SPLINE: record_spline(r); break;
    default:
        for (int k = 0; k < c->places; ++k) take_frame(r, k, k);
    }
    if (r->shape->type <= AC_CURVE_ARC) {
        first_frame(r);
        carry_frames(r);
    }
    for (int k = 0; k < c->places && !edges; ++k) put_frame(r, k, frames[k]);
    if (!edges) return;
    put_frame(r, 0, frames[0]);
    for (int k = 0; k < c->elements; ++k) put_edge(r, k, frames[k + 1]);
    put_frame(r, c->elements, frames[c->elements + 1]);
}

ac_status ac_curve_record(ac_context *ctx, ac_graph *g, const ac_curve_shape *shape, const ac_num *x,
                          ac_num (*frames)[AC_CURVE_POSE])
{
    ac_curve_shape plain = *shape; /* frames at vertices */
    ac_curve *curve;
    bool edges = shape->model == AC_BEAM_EDGE;
    if (edges) plain.model = AC_BEAM_DIRECTOR;
    if (edges) plain.smooth_corners = true;
    AC_TRY(ac_curve_new(ctx, &plain, &curve));
    const size_t places = (size_t)curve->places;
    ac_num(*all)[3] = ac_allocate(ctx, 3 * places, sizeof *all);
    if (all) {
        recorder r = {g, &plain, x, curve, all, all + places, all + 2 * places};
        record_nodes(&r, edges, frames);
    }
    ac_release(ctx, all);
    ac_curve_free(curve);
    return all && !ac_graph_failed(g) ? AC_OK : ac_out_of_memory(ctx);
}
