/* Joints that are closed turned over.
 *
 * Rows say that directions are perpendicular, which is as true after half a turn: a fixed or prismatic joint has four such
 * states, a joint that turns about one axis has two. Steps are too short to change between them. A joint that was open
 * can be anywhere when it is closed, so what it carries is turned to the state that was described, before its gap is closed.
 */

#include "base/rotation.h"
#include "math/math.h"
#include "track/track.h"
#include "tree/joint.h"

/* The only axis about which a joint turns: 0, 1, 2; 3: about none, -1: about more. */
static int turning_axis(const ac_joint_row *row)
{
    int axis = 3;
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m) {
        if (m->kind == AC_MOTION_SHIFT) continue;
        if (m->kind != AC_MOTION_TURN || axis != 3) return -1;
        axis = m->axis;
    }
    return axis;
}

static bool has_axes(const ac_track *t, const ac_side *side)
{
    return side->node == AC_GROUND || ac_node_turns(&t->system->nodes[side->node]) > 0;
}

static void column(const double axes[9], int k, double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = axes[3 * i + k];
}

/* The rotation W that maps a direction b onto a, b . a < 0. */
static void between(const double a[3], const double b[3], double W[9])
{
    double theta[3], aside[3], angle = 3.14159265358979323846;
    cross3(b, a, theta);
    double sine = norm3(theta);
    if (sine > 1e-9) {
        angle -= ac_asin(ac_min(sine, 1.0));
        for (int k = 0; k < 3; ++k) theta[k] *= angle / sine;
    } else {
        ac_perpendicular(a, theta, aside);
        for (int k = 0; k < 3; ++k) theta[k] *= angle;
    }
    ac_rotation_exp(theta, W);
}

/* Whether the joint is nearer to a state that was not described; W turns its child side back about x. */
static bool is_turned(const ac_track *t, const ac_joint_data *joint, double x[3], double W[9])
{
    const ac_side *parent = ac_parent_side(joint), *child = ac_child_side(joint);
    double A[9], B[9], a[3], b[3], place[3];
    int axis = turning_axis(joint->row);
    if (axis < 0 || !has_axes(t, parent) || !has_axes(t, child)) return false;
    ac_side_frame(t->system, parent, t->q, place, A);
    ac_side_frame(t->system, child, t->q, x, B);
    bool turned = false;
    for (int k = 0; k < 3; ++k) {
        if (axis < 3 && k != axis) continue;
        column(A, k, a);
        column(B, k, b);
        turned |= dot3(a, b) < 0.0;
        if (turned && axis < 3) between(a, b, W);
    }
    if (turned && axis == 3) multiply_transposed3(A, B, W);
    return turned;
}

/* Whether closed joints carry a node with another one. */
static bool is_carried(const ac_track *t, int node, int by)
{
    const ac_node *nodes = t->system->nodes;
    for (; node != by; node = nodes[node].parent)
        if (nodes[node].parent < 0 || nodes[node].joint < 0 || !ac_track_holds(t, nodes[node].joint))
            return false;
    return true;
}

static void turn_node(ac_track *t, const ac_node *node, const double x[3], const double W[9])
{
    double place[3], arm[3], R[9], turned[9];
    ac_node_get_pose(node, t->q + node->q, place, R);
    sub3(place, x, arm);
    apply3(W, arm, place);
    for (int k = 0; k < 3; ++k) place[k] += x[k];
    multiply3(W, R, turned);
    ac_node_set_pose(node, place, turned, t->q + node->q);
}

bool ac_track_turn_back(ac_track *t)
{
    const ac_system *system = t->system;
    bool any = false;
    double x[3], W[9];
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 || !ac_track_holds(t, node->joint)) continue;
        if (!is_turned(t, &system->joints[node->joint], x, W)) continue;
        any = true;
        for (int k = 0; k < system->node_count; ++k)
            if (is_carried(t, k, i)) turn_node(t, &system->nodes[k], x, W);
    }
    if (any) t->phi_known = false;
    return any;
}

int ac_track_turned_joint(const ac_track *t)
{
    double x[3], W[9];
    for (int j = 0; j < t->system->joint_count; ++j)
        if (ac_track_holds(t, j) && is_turned(t, &t->system->joints[j], x, W)) return j;
    return -1;
}
