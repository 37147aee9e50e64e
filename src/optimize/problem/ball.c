/* Coordinates of spherical joints: components of the rotation vector, swing and twist. */
#include "base/vector.h"
#include "optimize/problem/quantity_slope.h"

static ac_affine3 direction_of(const ac_optimization *o, int number, const double direction[3])
{
    const ac_node *node = number == AC_GROUND ? NULL : &o->system->nodes[number];
    return ac_node_direction(node, node ? node->q : 0, direction);
}

/* A vector of the joint frame of a side. */
static ac_affine3 frame_vector(const ac_optimization *o, const ac_side *side, const double x[3])
{
    double own[3];
    apply3(side->axes, x, own);
    return direction_of(o, side->node, own);
}

void ac_quantity_settle_axis(ac_quantity *q)
{
    double size = norm3(q->axis);
    if (q->type != AC_QUANTITY_SWING && q->type != AC_QUANTITY_SWING_COSINE && q->type != AC_QUANTITY_TWIST)
        return;
    if (size == 0.0) q->axis[2] = size = 1.0;
    for (int i = 0; i < 3; ++i) q->axis[i] /= size;
}

/* sum_k z_k (R_(k+2)(k+1) - R_(k+1)(k+2)) times a factor, to the last map */
static ac_status add_axial(ac_optimization *o, const ac_affine3 a[3], const ac_affine3 b[3],
                           const double z[3], double factor)
{
    ac_forms *forms = &o->description.scalars.forms;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (z[k] == 0.0) continue;
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[j], &b[i], factor * z[k]));
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[i], &b[j], -factor * z[k]));
    }
    return AC_OK;
}

static ac_status add_trace(ac_optimization *o, const ac_affine3 a[3], const ac_affine3 b[3], double factor,
                           double constant)
{
    ac_forms *forms = &o->description.scalars.forms;
    AC_TRY(ac_forms_begin(o->ctx, forms, constant));
    for (int k = 0; k < 3; ++k) AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[k], &b[k], factor));
    return AC_OK;
}

/* With R_ij = a_i . b_j of the axes of both frames: the rotation vector is g(c) s, s its axial part and c = (trace - 1)/2; the
 * twist about a unit vector z is 2 atan2(2 z . s, 1 + trace); the cosine of the swing is z . R z. */
ac_status ac_ball_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    const ac_joint_data *joint = &o->system->joints[q->joint];
    ac_forms *forms = &o->description.scalars.forms;
    ac_affine3 a[3], b[3];
    int first = forms->count;
    bool twist = q->type == AC_QUANTITY_TWIST, vector = q->type == AC_QUANTITY_JOINT;
    for (int k = 0; k < 3; ++k) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        a[k] = frame_vector(o, &joint->a, unit);
        b[k] = frame_vector(o, &joint->b, unit);
    }
    if (!twist && !vector) {
        const ac_outer arc = {.kind = q->type == AC_QUANTITY_SWING ? AC_OUTER_ARC : AC_OUTER_VALUE,
                              .factor = 1.0};
        ac_affine3 x = frame_vector(o, &joint->a, q->axis), y = frame_vector(o, &joint->b, q->axis);
        AC_TRY(ac_forms_begin(o->ctx, forms, 0.0));
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &x, &y, 1.0));
        return ac_scalars_close_outer(&o->description.scalars, &arc, first, scalar);
    }
    const ac_outer outer = {.kind = twist ? AC_OUTER_ANGLE : AC_OUTER_LOG, .factor = twist ? 2.0 : 1.0};
    const double unit[3] = {q->coordinate == 0, q->coordinate == 1, q->coordinate == 2};
    if (twist) AC_TRY(add_trace(o, a, b, 1.0, 1.0));
    AC_TRY(ac_forms_begin(o->ctx, forms, 0.0));
    AC_TRY(add_axial(o, a, b, twist ? q->axis : unit, twist ? 1.0 : 0.5));
    if (vector) AC_TRY(add_trace(o, a, b, 0.5, -0.5));
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}
