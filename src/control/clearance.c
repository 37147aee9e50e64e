/* Quantities between two shapes that bodies carry: clearances; and swing and twist of spherical joints.
 *
 * A sphere is a point with a radius, a capsule a segment with a radius. With the gap p and the segments u
 * and v their
 * distance is the least of |p + s u - t v| over both places, a function of six quadratic maps; outer.c
 * has it.
 */
#include <math.h>
#include <string.h>

#include "control/optimization.h"

static const ac_node *node_at(const ac_optimization *o, int node)
{
    return node == AC_GROUND ? NULL : &o->system->nodes[node];
}

static ac_affine3 place_of(const ac_optimization *o, int number, const double place[3])
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
    AC_TRY(ac_forms_begin(o->ctx, &o->scalars.forms, 0.0));
    return ac_forms_add_dot(o->ctx, &o->scalars.forms, a, b, 1.0);
}

/* --- pairs of shapes --- */

static bool is_round(const ac_hull *hull)
{
    return hull->type == AC_HULL_SPHERE || hull->type == AC_HULL_CAPSULE;
}

/* Maps p.p, p.u, u.u, p.v, v.v, u.v of those vectors that are there. */
static ac_status round_pair(ac_optimization *o, const ac_hull *a, const ac_hull *b, int *scalar)
{
    int first = o->scalars.forms.count;
    ac_outer outer = {.kind = AC_OUTER_SEGMENTS, .factor = 1.0, .offset = -a->radius - b->radius};
    ac_affine3 xa = place_of(o, a->node, a->place), xb = place_of(o, b->node, b->place);
    ac_affine3 p = ac_affine_difference(&xa, &xb), u, v;
    AC_TRY(add_dot(o, &p, &p));
    if (a->type == AC_HULL_CAPSULE) {
        ac_affine3 end = place_of(o, a->node, a->end);
        u = ac_affine_difference(&end, &xa);
        outer.segment[0] = true;
        AC_TRY(add_dot(o, &p, &u));
        AC_TRY(add_dot(o, &u, &u));
    }
    if (b->type == AC_HULL_CAPSULE) {
        ac_affine3 end = place_of(o, b->node, b->end);
        v = ac_affine_difference(&end, &xb);
        outer.segment[1] = true;
        AC_TRY(add_dot(o, &p, &v));
        AC_TRY(add_dot(o, &v, &v));
    }
    if (outer.segment[0] && outer.segment[1]) AC_TRY(add_dot(o, &u, &v));
    return ac_scalars_close_outer(&o->scalars, &outer, first, scalar);
}

/* Height of a point of a shape above a plane. */
static ac_status add_height(ac_optimization *o, const ac_hull *plane, const ac_affine3 *x)
{
    ac_affine3 foot = place_of(o, plane->node, plane->place), gap = ac_affine_difference(x, &foot),
               normal = direction_of(o, plane->node, plane->normal);
    return add_dot(o, &gap, &normal);
}

static ac_status add_corners(ac_optimization *o, const ac_hull *plane, const ac_hull *box)
{
    bool flat = box->size[2] == 0.0;
    for (int corner = 0; corner < (flat ? 4 : 8); ++corner) {
        double place[3];
        for (int i = 0; i < 3; ++i) {
            place[i] = box->place[i];
            for (int k = 0; k < 3; ++k)
                place[i] += box->rotation[3 * i + k] * (corner >> k & 1 ? 0.5 : -0.5) * box->size[k];
        }
        ac_affine3 x = place_of(o, box->node, place);
        AC_TRY(add_height(o, plane, &x));
    }
    return AC_OK;
}

static ac_status above_plane(ac_optimization *o, const ac_hull *a, const ac_hull *plane, int *scalar)
{
    int first = o->scalars.forms.count;
    const ac_outer outer = {.kind = AC_OUTER_LEAST, .factor = 1.0, .offset = -a->radius};
    if (a->type == AC_HULL_BOX) {
        AC_TRY(add_corners(o, plane, a));
    } else {
        ac_affine3 x = place_of(o, a->node, a->place), end = place_of(o, a->node, a->end);
        AC_TRY(add_height(o, plane, &x));
        if (a->type == AC_HULL_CAPSULE) AC_TRY(add_height(o, plane, &end));
    }
    return ac_scalars_close_outer(&o->scalars, &outer, first, scalar);
}

static ac_status beside_box(ac_optimization *o, const ac_hull *sphere, const ac_hull *box, int *scalar)
{
    int first = o->scalars.forms.count;
    ac_outer outer = {.kind = AC_OUTER_BOX, .factor = 1.0, .offset = -sphere->radius - box->radius};
    ac_affine3 x = place_of(o, sphere->node, sphere->place), centre = place_of(o, box->node, box->place),
               gap = ac_affine_difference(&x, &centre);
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {box->rotation[k], box->rotation[3 + k], box->rotation[6 + k]};
        ac_affine3 direction = direction_of(o, box->node, axis);
        outer.half[k] = k == 2 && box->size[2] == 0.0 ? INFINITY : 0.5 * box->size[k];
        AC_TRY(add_dot(o, &gap, &direction));
    }
    return ac_scalars_close_outer(&o->scalars, &outer, first, scalar);
}

static ac_status check_hull(ac_optimization *o, const ac_hull *hull)
{
    if (hull->node != AC_GROUND && (hull->node < 0 || hull->node >= o->system->node_count))
        return ac_fail(o->ctx, AC_BAD_INPUT, "a shape of a clearance belongs to no body");
    if (!(hull->radius >= 0.0)) return ac_fail(o->ctx, AC_BAD_INPUT, "a radius cannot be negative");
    double size = 0.0;
    for (int i = 0; i < 3; ++i)
        size += hull->type == AC_HULL_CAPSULE ? fabs(hull->end[i] - hull->place[i]) : fabs(hull->normal[i]);
    if (size == 0.0 && (hull->type == AC_HULL_CAPSULE || hull->type == AC_HULL_HALF_SPACE))
        return ac_fail(o->ctx, AC_BAD_INPUT, "%s",
                       hull->type == AC_HULL_CAPSULE ? "a capsule needs two different ends"
                                                     : "a half-space needs a normal");
    bool box = hull->type != AC_HULL_BOX ||
               (hull->size[0] > 0.0 && hull->size[1] > 0.0 && hull->size[2] >= 0.0);
    return box ? AC_OK : ac_fail(o->ctx, AC_BAD_INPUT, "a box needs positive sizes");
}

ac_status ac_clearance_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    const ac_hull *a = &q->hull[0], *b = &q->hull[1];
    AC_TRY(check_hull(o, a));
    AC_TRY(check_hull(o, b));
    if (a->node == b->node)
        return ac_fail(o->ctx, AC_BAD_INPUT, "both shapes of a clearance belong to the same body");
    if (a->type > b->type) {
        const ac_hull *swap = a;
        a = b;
        b = swap;
    }
    if (is_round(a) && is_round(b)) return round_pair(o, a, b, scalar);
    if (b->type == AC_HULL_HALF_SPACE && a->type != AC_HULL_HALF_SPACE) return above_plane(o, a, b, scalar);
    if (a->type == AC_HULL_SPHERE && b->type == AC_HULL_BOX) return beside_box(o, a, b, scalar);
    return ac_fail(o->ctx, AC_BAD_INPUT,
                   "known are clearances of spheres and capsules with each other, of spheres with boxes, and "
                   "of all these "
                   "with half-spaces");
}

/* --- spherical joints --- */

/* Axis k of the joint frame of a side. */
static ac_affine3 frame_axis(const ac_optimization *o, const ac_side *side, const double axes[9], int k)
{
    const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
    return direction_of(o, side->node, axis);
}

/* Frames of both sides; the third axis of each is `axis` of the joint frame, unless that is zero. */
static void frames(const ac_joint_data *joint, const double axis[3], double fa[9], double fb[9])
{
    double basis[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
           size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (size > 0.0) {
        double z[3] = {axis[0] / size, axis[1] / size, axis[2] / size}, x[3], y[3];
        int least = fabs(z[0]) <= fabs(z[1]) && fabs(z[0]) <= fabs(z[2]) ? 0
                    : fabs(z[1]) <= fabs(z[2])                           ? 1
                                                                         : 2;
        double length = sqrt(1.0 - z[least] * z[least]);
        for (int i = 0; i < 3; ++i) x[i] = ((i == least) - z[least] * z[i]) / length;
        y[0] = z[1] * x[2] - z[2] * x[1];
        y[1] = z[2] * x[0] - z[0] * x[2];
        y[2] = z[0] * x[1] - z[1] * x[0];
        for (int i = 0; i < 3; ++i) {
            basis[3 * i] = x[i];
            basis[3 * i + 1] = y[i];
            basis[3 * i + 2] = z[i];
        }
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            fa[3 * i + k] = fb[3 * i + k] = 0.0;
            for (int l = 0; l < 3; ++l) {
                fa[3 * i + k] += joint->a.axes[3 * i + l] * basis[3 * l + k];
                fb[3 * i + k] += joint->b.axes[3 * i + l] * basis[3 * l + k];
            }
        }
}

/* With R_ij = a_i . b_j: the rotation vector is g(c) s, s its axial part and c = (trace - 1)/2; the twist
 * about the third
 * axis is 2 atan2(R_21 - R_12, 1 + trace) (indices from 1); the cosine of the swing is R_33. */
ac_status ac_ball_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const ac_joint_data *joint = &o->system->joints[q->joint];
    ac_forms *forms = &o->scalars.forms;
    ac_affine3 a[3], b[3];
    double fa[9], fb[9];
    int first = forms->count;
    bool twist = q->type == AC_QUANTITY_TWIST, vector = q->type == AC_QUANTITY_JOINT;
    frames(joint, vector ? none : q->axis, fa, fb);
    for (int k = 0; k < 3; ++k) {
        a[k] = frame_axis(o, &joint->a, fa, k);
        b[k] = frame_axis(o, &joint->b, fb, k);
    }
    if (!twist && !vector) {
        const ac_outer arc = {.kind = q->type == AC_QUANTITY_SWING ? AC_OUTER_ARC : AC_OUTER_VALUE,
                              .factor = 1.0};
        AC_TRY(add_dot(o, &a[2], &b[2]));
        return ac_scalars_close_outer(&o->scalars, &arc, first, scalar);
    }
    for (int map = 0; map < 2; ++map) {
        bool trace = twist ? map == 0 : map == 1;
        double share = twist ? 1.0 : 0.5;
        int i = twist ? 0 : (q->coordinate + 1) % 3, j = twist ? 1 : (q->coordinate + 2) % 3;
        AC_TRY(ac_forms_begin(o->ctx, forms, !trace ? 0.0 : twist ? 1.0 : -0.5));
        for (int k = 0; trace && k < 3; ++k) AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[k], &b[k], share));
        if (trace) continue;
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[j], &b[i], share));
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[i], &b[j], -share));
    }
    const ac_outer outer = {.kind = twist ? AC_OUTER_ANGLE : AC_OUTER_LOG, .factor = twist ? 2.0 : 1.0};
    return ac_scalars_close_outer(&o->scalars, &outer, first, scalar);
}
