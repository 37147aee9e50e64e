/* Coordinates of spherical joints: components of the rotation vector, swing and twist. */
#include <math.h>
#include <string.h>

#include "optimize/problem/optimization.h"

static ac_affine3 direction_of(const ac_optimization *o, int number, const double direction[3])
{
    const ac_node *node = number == AC_GROUND ? NULL : &o->system->nodes[number];
    return ac_node_direction(node, node ? node->q : 0, direction);
}

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

/* With R_ij = a_i . b_j: the rotation vector is g(c) s, s its axial part and c = (trace - 1)/2; the
 * twist about the third axis is 2 atan2(R_21 - R_12, 1 + trace) (indices from 1); the cosine of the
 * swing is R_33. */
ac_status ac_ball_scalar(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const ac_joint_data *joint = &o->system->joints[q->joint];
    ac_forms *forms = &o->description.scalars.forms;
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
        AC_TRY(ac_forms_begin(o->ctx, forms, 0.0));
        AC_TRY(ac_forms_add_dot(o->ctx, forms, &a[2], &b[2], 1.0));
        return ac_scalars_close_outer(&o->description.scalars, &arc, first, scalar);
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
    return ac_scalars_close_outer(&o->description.scalars, &outer, first, scalar);
}
