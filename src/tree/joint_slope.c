/* How the twists of a tree joint change with the right end of an interval, when they are taken at its
 * mean.
 *
 * The mean of two configurations moves with half of the velocity of its right end. Every twist of
 * joint_motion.c consists of an axis of the parent's or the child's joint frame and of the way from a joint
 * point to the child's reference point or, for a swing, of the gap.
 */
#include "base/vector.h"
#include "tree/kinematics.h"

typedef struct frame { /* of one side of a joint, at the mean and at the right end */
    double x[3], axes[9];
    double x_b[3], axes_b[9];
    double arm_b[3]; /* from the reference point of the node to the joint point */
} frame;

typedef struct joint_frames {
    frame parent, child;
    double
        r[3]; /* from the joint point about which it turns to the reference point of the child, at the mean */
} joint_frames;

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

/* by += 1/2 a_b x torque: what moves an axis that is fixed in a node */
static void add_axis_slope(const double a_b[3], const double torque[3], double *by)
{
    double across[3];
    cross3(a_b, torque, across);
    for (int i = 0; i < 3; ++i) by[3 + i] += 0.5 * across[i];
}

/* Turning about axis a through a joint point: (a x r) . F + a . T = a . (T + r x F), where r leads from the
 * point to the reference point of the child. The axis is fixed in `carrier`, the point in `centre`. */
static void turn_slope(const joint_frames *f, const ac_walk *walk, const ac_walk_step *step, int k,
                       const double w[6], double *by_child, double *by_parent)
{
    const frame *carrier = step->in_child ? &f->child : &f->parent;
    double a[3], a_b[3], torque[3];
    axis(carrier->axes, k, a);
    axis(carrier->axes_b, k, a_b);
    copy3(w + 3, torque);
    add_cross3(f->r, w, torque);
    add_axis_slope(a_b, torque, step->in_child ? by_child : by_parent);
    if (!walk->backward) { /* r turns with the child */
        double r_b[3];
        for (int i = 0; i < 3; ++i) r_b[i] = -f->child.arm_b[i];
        add_double_cross(0.5, r_b, w, a, by_child + 3);
        return;
    }
    double across[3]; /* r from the parent's joint point to the child's reference point */
    cross3(w, a, across);
    for (int i = 0; i < 3; ++i) {
        by_child[i] += 0.5 * across[i];
        by_parent[i] -= 0.5 * across[i];
    }
    add_double_cross(-0.5, f->parent.arm_b, w, a, by_parent + 3);
}

/* Sliding along the cross product of the two other axes: (u x v) . F */
static void shift_slope(const frame *carrier, int k, const double F[3], double *by)
{
    double u[3], v[3], u_b[3], v_b[3];
    axis(carrier->axes, (k + 1) % 3, u);
    axis(carrier->axes, (k + 2) % 3, v);
    axis(carrier->axes_b, (k + 1) % 3, u_b);
    axis(carrier->axes_b, (k + 2) % 3, v_b);
    add_double_cross(0.5, u_b, v, F, by + 3);
    add_double_cross(0.5, v_b, F, u, by + 3);
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

static void swing_slopes(int freedoms, const ac_joint_state *state, const joint_frames *f, const double F[3],
                         double *by_child, double *by_parent)
{
    if (freedoms == 1) {
        const double up[3] = {0.0, 0.0, f->parent.axes[8]};
        swing_slope(&f->parent, &f->child, up, up, true, F, by_child, by_parent);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        double a[3], a_b[3];
        apply3(f->parent.axes, state->basis + 3 * k, a);
        apply3(f->parent.axes_b, state->basis + 3 * k, a_b);
        swing_slope(&f->parent, &f->child, a, a_b, false, F, by_child + 6 * k, by_parent + 6 * k);
    }
}

static void step_slope(const joint_frames *f, const ac_walk *walk, const ac_walk_step *step,
                       const ac_joint_state *state, const double wrench[6], double *by_child,
                       double *by_parent)
{
    switch (step->kind) {
    case AC_MOTION_SHIFT:
        if (step->in_child)
            shift_slope(&f->child, step->axis, wrench, by_child);
        else
            shift_slope(&f->parent, step->axis, wrench, by_parent);
        break;
    case AC_MOTION_TURN: turn_slope(f, walk, step, step->axis, wrench, by_child, by_parent); break;
    case AC_MOTION_BALL:
        for (int k = 0; k < step->freedoms; ++k)
            turn_slope(f, walk, step, step->freedoms == 1 ? 2 : k, wrench, by_child + 6 * k,
                       by_parent + 6 * k);
        break;
    case AC_MOTION_SWING: swing_slopes(step->freedoms, state, f, wrench, by_child, by_parent); break;
    case AC_MOTION_NONE: break;
    }
}

void ac_joint_tangent_slope(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                            const double *mean, const double *q_b, const double wrench[6], double *by_child,
                            double *by_parent)
{
    const ac_walk *walk = &child->walk;
    memset(by_child, 0, 6 * (size_t)child->freedoms * sizeof *by_child);
    memset(by_parent, 0, 6 * (size_t)child->freedoms * sizeof *by_parent);
    if (child->joint < 0) return; /* axes of the world through the reference point */
    const ac_joint_data *joint = &system->joints[child->joint];
    joint_frames f;
    f.parent = frame_of(system, ac_parent_side(joint), mean, q_b);
    f.child = frame_of(system, ac_child_side(joint), mean, q_b);
    ac_reference(child, mean, f.r);
    sub3(f.r, walk->backward ? f.parent.x : f.child.x, f.r);
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        step_slope(&f, walk, step, state, wrench, by_child + 6 * step->freedom,
                   by_parent + 6 * step->freedom);
    }
}
