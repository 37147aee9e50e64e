/* How the twists of a tree joint change with the right end of an interval, when they are taken at its
 * mean.
 *
 * The mean of two configurations moves with half of the velocity of its right end. Every twist of joint.c
 * is made of axes of the parent's joint frame, of the way from the child's joint point to its reference
 * point and, for the distance joint, of the gap.
 */
#include <math.h>

#include "base/vector.h"
#include "tree/kinematics.h"

typedef struct frame { /* of one side of a joint, at the mean and at the right end */
    double x[3], axes[9];
    double x_b[3], axes_b[9];
    double arm_b[3]; /* from the reference point of the node to the joint point */
} frame;

static void place(const ac_node *node, const ac_side *side, const double *q, double x[3], double axes[9],
                  double arm[3])
{
    double position[3], rotation[9];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply3(rotation, side->place, arm);
    add3(position, arm, x);
    multiply3(rotation, side->axes, axes);
}

static frame frame_of(const ac_system *system, const ac_side *side, const double *mean, const double *q_b)
{
    frame f = {{0}, {0}, {0}, {0}, {0}};
    double arm[3];
    if (side->node == AC_GROUND) {
        copy3(side->place, f.x);
        copy3(side->place, f.x_b);
        memcpy(f.axes, side->axes, sizeof f.axes);
        memcpy(f.axes_b, side->axes, sizeof f.axes);
        return f;
    }
    const ac_node *node = &system->nodes[side->node];
    place(node, side, mean, f.x, f.axes, arm);
    place(node, side, q_b, f.x_b, f.axes_b, f.arm_b);
    return f;
}

static void axis(const double axes[9], int k, double a[3])
{
    for (int i = 0; i < 3; ++i) a[i] = axes[3 * i + k];
}

/* out += factor a x (b x c) */
static void add_double_cross(double factor, const double a[3], const double b[3], const double c[3],
                             double out[3])
{
    double inner[3], outer[3];
    cross3(b, c, inner);
    cross3(a, inner, outer);
    for (int i = 0; i < 3; ++i) out[i] += factor * outer[i];
}

/* Turning about axis k of the parent: (a x r) . F + a . T, where r leads from the joint point to the
 * reference point. */
static void turn_slope(const frame *parent, const frame *child, const double r[3], int k, const double w[6],
                       double *by_child, double *by_parent)
{
    double a[3], a_b[3], torque[3], across[3], r_b[3];
    axis(parent->axes, k, a);
    axis(parent->axes_b, k, a_b);
    for (int i = 0; i < 3; ++i) r_b[i] = -child->arm_b[i];
    add_double_cross(0.5, r_b, w, a, by_child + 3);
    copy3(w + 3, torque);
    add_cross3(r, w, torque);
    cross3(a_b, torque, across);
    for (int i = 0; i < 3; ++i) by_parent[3 + i] += 0.5 * across[i];
}

/* Sliding along the cross product of the axes i and j of the parent: (u x v) . F */
static void shift_slope(const frame *parent, int i, int j, const double F[3], double *by_parent)
{
    double u[3], v[3], u_b[3], v_b[3];
    axis(parent->axes, i, u);
    axis(parent->axes, j, v);
    axis(parent->axes_b, i, u_b);
    axis(parent->axes_b, j, v_b);
    add_double_cross(0.5, u_b, v, F, by_parent + 3);
    add_double_cross(0.5, v_b, F, u, by_parent + 3);
}

/* Swinging about an axis a of the parent: (a x gap) . F; `fixed`: the axis does not move. */
static void swing_slope(const frame *parent, const frame *child, const double a[3], const double a_b[3],
                        bool fixed, const double F[3], double *by_child, double *by_parent)
{
    double across[3], gap[3];
    cross3(F, a, across);
    sub3(child->x, parent->x, gap);
    for (int i = 0; i < 3; ++i) {
        by_child[i] += 0.5 * across[i];
        by_parent[i] -= 0.5 * across[i];
    }
    add_double_cross(0.5, child->arm_b, F, a, by_child + 3);
    add_double_cross(-0.5, parent->arm_b, F, a, by_parent + 3);
    if (!fixed) add_double_cross(0.5, a_b, gap, F, by_parent + 3);
}

static int swing_slopes(const ac_node *child, const ac_joint_state *state, const frame *parent_frame,
                        const frame *child_frame, const double F[3], double *by_child, double *by_parent)
{
    if (child->dimension < 3) {
        const double up[3] = {0.0, 0.0, parent_frame->axes[8]};
        if (child->dimension == 2)
            swing_slope(parent_frame, child_frame, up, up, true, F, by_child, by_parent);
        return child->dimension - 1;
    }
    for (int k = 0; k < 2; ++k) {
        double a[3], a_b[3];
        apply3(parent_frame->axes, state->basis + 3 * k, a);
        apply3(parent_frame->axes_b, state->basis + 3 * k, a_b);
        swing_slope(parent_frame, child_frame, a, a_b, false, F, by_child + 6 * k, by_parent + 6 * k);
    }
    return 2;
}

static int shift_slopes(const ac_joint_data *joint, const ac_node *child, const frame *parent,
                        const double F[3], double *by_parent)
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        if (joint->family->locked[k]) continue;
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double u[3], v[3], direction[3];
        axis(parent->axes, i, u);
        axis(parent->axes, j, v);
        cross3(u, v, direction);
        if (child->dimension < 3 && fabs(direction[2]) > 0.5) continue;
        shift_slope(parent, i, j, F, by_parent + 6 * count++);
    }
    return count;
}

void ac_joint_tangent_slope(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                            const double *mean, const double *q_b, const double wrench[6], double *by_child,
                            double *by_parent)
{
    memset(by_child, 0, 6 * (size_t)child->freedoms * sizeof *by_child);
    memset(by_parent, 0, 6 * (size_t)child->freedoms * sizeof *by_parent);
    if (child->joint < 0) return; /* axes of the world through the reference point */
    const ac_joint_data *joint = &system->joints[child->joint];
    frame parent_frame = frame_of(system, joint->reversed ? &joint->b : &joint->a, mean, q_b);
    frame child_frame = frame_of(system, joint->reversed ? &joint->a : &joint->b, mean, q_b);
    double r[3];
    ac_reference(child, mean, r);
    sub3(r, child_frame.x, r);
    int count = joint->family->distance
                    ? swing_slopes(child, state, &parent_frame, &child_frame, wrench, by_child, by_parent)
                    : shift_slopes(joint, child, &parent_frame, wrench, by_parent);
    bool about_z = joint->family->turning == AC_TURN_Z || child->kind == AC_NODE_PLANAR;
    for (int k = about_z ? 2 : 0; k < 3 && count < child->freedoms; ++k, ++count)
        turn_slope(&parent_frame, &child_frame, r, k, wrench, by_child + 6 * count, by_parent + 6 * count);
}
