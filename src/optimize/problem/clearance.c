/* Clearances: the distance of two shapes that bodies carry.
 *
 * A sphere is a point with a radius, a capsule a segment with a radius. With the gap p and the segments
 * u and v their distance is the least of |p + s u - t v| over both places, a function of six quadratic
 * maps; outer.c has it. With a box, all is written in the axes of the box; outer_box.c has that.
 */
#include <math.h>
#include <string.h>

#include "optimize/problem/clearance.h"

static const ac_node *node_at(const ac_optimization *o, int node)
{
    return node == AC_GROUND ? NULL : &o->system->nodes[node];
}

ac_affine3 ac_hull_place(const ac_optimization *o, int number, const double place[3])
{
    const ac_node *node = node_at(o, number);
    double relative[3];
    for (int i = 0; i < 3; ++i) relative[i] = place[i] - (node ? node->centre[i] : 0.0);
    return ac_node_point(node, node ? node->q : 0, relative);
}

static ac_affine3 direction_of(const ac_optimization *o, int number, const double direction[3])
{
    const ac_node *node = node_at(o, number);
    return ac_node_direction(node, node ? node->q : 0, direction);
}

static ac_status add_dot(ac_optimization *o, const ac_affine3 *a, const ac_affine3 *b)
{
    AC_TRY(ac_forms_begin(o->ctx, &o->description.scalars.forms, 0.0));
    return ac_forms_add_dot(o->ctx, &o->description.scalars.forms, a, b, 1.0);
}

/* --- pairs of shapes --- */

ac_affine3 ac_hull_end(const ac_optimization *o, const ac_hull *capsule)
{
    return ac_hull_place(o, capsule->stretched ? capsule->end_node : capsule->node, capsule->end);
}

static bool is_round(const ac_hull *hull)
{
    return hull->type == AC_HULL_SPHERE || hull->type == AC_HULL_CAPSULE;
}

/* Maps p.p, p.u, u.u, p.v, v.v, u.v of those vectors that are there. */
static ac_status round_pair(ac_optimization *o, const ac_hull *a, const ac_hull *b, int *scalar)
{
    int first = o->description.scalars.forms.count;
    ac_outer outer = {.kind = AC_OUTER_SEGMENTS, .factor = 1.0, .offset = -a->radius - b->radius};
    ac_affine3 xa = ac_hull_place(o, a->node, a->place), xb = ac_hull_place(o, b->node, b->place);
    ac_affine3 p = ac_affine_difference(&xa, &xb), u, v;
    AC_TRY(add_dot(o, &p, &p));
    if (a->type == AC_HULL_CAPSULE) {
        ac_affine3 end = ac_hull_end(o, a);
        u = ac_affine_difference(&end, &xa);
        outer.segment[0] = true;
        AC_TRY(add_dot(o, &p, &u));
        AC_TRY(add_dot(o, &u, &u));
    }
    if (b->type == AC_HULL_CAPSULE) {
        ac_affine3 end = ac_hull_end(o, b);
        v = ac_affine_difference(&end, &xb);
        outer.segment[1] = true;
        AC_TRY(add_dot(o, &p, &v));
        AC_TRY(add_dot(o, &v, &v));
    }
    if (outer.segment[0] && outer.segment[1]) AC_TRY(add_dot(o, &u, &v));
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}

/* Height of a point of a shape above a plane. */
static ac_status add_height(ac_optimization *o, const ac_hull *plane, const ac_affine3 *x)
{
    ac_affine3 foot = ac_hull_place(o, plane->node, plane->place), gap = ac_affine_difference(x, &foot),
               normal = direction_of(o, plane->node, plane->normal);
    return add_dot(o, &gap, &normal);
}

ac_status ac_height_scalar(ac_optimization *o, const ac_hull *plane, const ac_affine3 *x, int *scalar)
{
    int first = o->description.scalars.forms.count;
    AC_TRY(add_height(o, plane, x));
    return ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, scalar);
}

void ac_hull_corner(const ac_hull *box, int corner, double place[3])
{
    for (int i = 0; i < 3; ++i) {
        place[i] = box->place[i];
        for (int k = 0; k < 3; ++k)
            place[i] += box->rotation[3 * i + k] * (corner >> k & 1 ? 0.5 : -0.5) * box->size[k];
    }
}

static ac_status add_corners(ac_optimization *o, const ac_hull *plane, const ac_hull *box)
{
    for (int corner = 0; corner < (box->size[2] == 0.0 ? 4 : 8); ++corner) {
        double place[3];
        ac_hull_corner(box, corner, place);
        ac_affine3 x = ac_hull_place(o, box->node, place);
        AC_TRY(add_height(o, plane, &x));
    }
    return AC_OK;
}

static ac_status above_plane(ac_optimization *o, const ac_hull *a, const ac_hull *plane, int *scalar)
{
    int first = o->description.scalars.forms.count;
    const ac_outer outer = {.kind = AC_OUTER_LEAST, .factor = 1.0, .offset = -a->radius};
    if (a->type == AC_HULL_BOX) {
        AC_TRY(add_corners(o, plane, a));
    } else {
        ac_affine3 x = ac_hull_place(o, a->node, a->place), end = ac_hull_end(o, a);
        AC_TRY(add_height(o, plane, &x));
        if (a->type == AC_HULL_CAPSULE) AC_TRY(add_height(o, plane, &end));
    }
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}

ac_affine3 ac_hull_axis(const ac_optimization *o, const ac_hull *box, int k, double factor)
{
    const double axis[3] = {factor * box->rotation[k], factor * box->rotation[3 + k],
                            factor * box->rotation[6 + k]};
    return direction_of(o, box->node, axis);
}

static double half_size(const ac_hull *box, int k)
{
    return k == 2 && box->size[2] == 0.0 ? INFINITY : 0.5 * box->size[k];
}

/* (a + b) / 2 */
static ac_affine3 middle_of(const ac_affine3 *a, const ac_affine3 *b)
{
    ac_affine3 half = *a;
    for (int i = 0; i < 3; ++i) {
        ac_affine *part = &half.part[i];
        const ac_affine *other = &b->part[i];
        for (int k = 0; k < part->count; ++k) part->coefficient[k] *= 0.5;
        part->constant = 0.5 * (part->constant + other->constant);
        for (int k = 0; k < other->count; ++k)
            ac_affine_add(part, other->index[k], 0.5 * other->coefficient[k]);
    }
    return half;
}

/* Centre and half sides of the other shape. */
static void sides_of(const ac_optimization *o, const ac_hull *other, ac_affine3 *centre, ac_affine3 side[3],
                     ac_outer *outer)
{
    *centre = ac_hull_place(o, other->node, other->place);
    if (other->type == AC_HULL_CAPSULE) {
        ac_affine3 end = ac_hull_end(o, other), middle = middle_of(centre, &end);
        side[0] = ac_affine_difference(&end, &middle);
        *centre = middle;
        outer->sides = 1;
    } else if (other->type == AC_HULL_BOX) {
        outer->sides = 3;
        outer->endless = isinf(half_size(other, 2));
        for (int k = 0; k < 3; ++k)
            side[k] = ac_hull_axis(o, other, k, k == 2 && outer->endless ? 1.0 : half_size(other, k));
    }
}

/* Centre and sides of the other shape in the axes of the box. */
static ac_status beside_box(ac_optimization *o, const ac_hull *other, const ac_hull *box, int *scalar)
{
    int first = o->description.scalars.forms.count;
    ac_outer outer = {.kind = AC_OUTER_BOX, .factor = 1.0, .offset = -other->radius - box->radius};
    ac_affine3 middle = ac_hull_place(o, box->node, box->place), part[4], centre;
    sides_of(o, other, &centre, part + 1, &outer);
    part[0] = ac_affine_difference(&centre, &middle);
    for (int k = 0; k < 3; ++k) outer.half[k] = half_size(box, k);
    for (int a = 0; a <= outer.sides; ++a)
        for (int k = 0; k < 3; ++k) {
            ac_affine3 axis = ac_hull_axis(o, box, k, 1.0);
            AC_TRY(add_dot(o, &part[a], &axis));
        }
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}

static ac_status check_hull(ac_optimization *o, const ac_hull *hull)
{
    int nodes[2] = {hull->node, hull->stretched ? hull->end_node : hull->node};
    for (int k = 0; k < 2; ++k)
        if (nodes[k] != AC_GROUND && (nodes[k] < 0 || nodes[k] >= o->system->node_count))
            return ac_fail(o->ctx, AC_BAD_INPUT, "a shape of a clearance belongs to no body");
    if (!(hull->radius >= 0.0)) return ac_fail(o->ctx, AC_BAD_INPUT, "a radius cannot be negative");
    double size = 0.0;
    for (int i = 0; i < 3; ++i)
        size += hull->type != AC_HULL_CAPSULE ? fabs(hull->normal[i])
                : nodes[0] != nodes[1]        ? 1.0
                                              : fabs(hull->end[i] - hull->place[i]);
    if (size == 0.0 && (hull->type == AC_HULL_CAPSULE || hull->type == AC_HULL_HALF_SPACE))
        return ac_fail(o->ctx, AC_BAD_INPUT, "%s",
                       hull->type == AC_HULL_CAPSULE ? "a capsule needs two different ends"
                                                     : "a half-space needs a normal");
    bool box = hull->type != AC_HULL_BOX ||
               (hull->size[0] > 0.0 && hull->size[1] > 0.0 && hull->size[2] >= 0.0);
    return box ? AC_OK : ac_fail(o->ctx, AC_BAD_INPUT, "a box needs positive sizes");
}

static bool share_node(const ac_hull *a, const ac_hull *b)
{
    const int of_a[2] = {a->node, a->stretched ? a->end_node : a->node},
              of_b[2] = {b->node, b->stretched ? b->end_node : b->node};
    return of_a[0] == of_b[0] || of_a[0] == of_b[1] || of_a[1] == of_b[0] || of_a[1] == of_b[1];
}

static ac_status add_pair(ac_optimization *o, const ac_hull *a, const ac_hull *b, int *scalar)
{
    AC_TRY(check_hull(o, a));
    AC_TRY(check_hull(o, b));
    if (share_node(a, b))
        return ac_fail(o->ctx, AC_BAD_INPUT, "both shapes of a clearance belong to the same body");
    if (a->type > b->type) {
        const ac_hull *swap = a;
        a = b;
        b = swap;
    }
    if (is_round(a) && is_round(b)) return round_pair(o, a, b, scalar);
    if (b->type == AC_HULL_HALF_SPACE && a->type != AC_HULL_HALF_SPACE) return above_plane(o, a, b, scalar);
    if (b->type == AC_HULL_BOX) return beside_box(o, a, b, scalar);
    return ac_fail(o->ctx, AC_BAD_INPUT,
                   "two half-spaces have no clearance: they meet unless they are parallel");
}

ac_status ac_clearance_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    AC_TRY(add_pair(o, &q->hull[0], &q->hull[1], scalar));
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.shapes.pairs, &o->description.shapes.pair_capacity,
                   o->description.shapes.pair_count + 1, sizeof *o->description.shapes.pairs));
    o->description.shapes.pairs[o->description.shapes.pair_count++] = (ac_shape_pair){
        *scalar, {q->hull[0], q->hull[1]}};
    return AC_OK;
}

const ac_shape_pair *ac_clearance_shapes(const ac_optimization *o, int scalar)
{
    for (int k = 0; k < o->description.shapes.pair_count; ++k)
        if (o->description.shapes.pairs[k].scalar == scalar) return &o->description.shapes.pairs[k];
    return NULL;
}
