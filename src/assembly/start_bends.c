/* Second derivative of the start of a tree along two changes of its data: what a slope of a slope has as q and v.
 *
 * A pose is a number with derivatives in three directions: time, and both changes. Each set of directions has a coefficient, and a product of
 * poses distributes every set over its factors. The velocity is the coefficient of time, so that places, velocities and all their derivatives
 * come from the same composition along the tree:
 *   child = parent . side of the parent . motion of the joint . inverse side of the child.
 *
 * Loops, and joints that are read off the initial poses of bodies, need the derivative of an inverse function; they are refused.
 */
#include <string.h>

#include "assembly/assemble.h"
#include "base/rotation.h"
#include "base/vector.h"

/* Sets of directions as bits. */
enum { TIME = 1, OF = 2, ALONG = 4, LEVELS = 8 };

typedef struct vector_jet {
    double at[LEVELS][3];
} vector_jet;

typedef struct matrix_jet {
    double at[LEVELS][9];
} matrix_jet;

typedef struct pose_jet {
    vector_jet x;
    matrix_jet R;
} pose_jet;

/* The slope whose members are the coefficients of a set without time; NULL: of the data themselves. */
static const ac_system_slope *slope_at(const ac_system_slope *s, int level)
{
    level &= OF | ALONG;
    return level == 0 ? NULL : level == OF ? s->of : level == ALONG ? s->along : s;
}

/* --- products --- */

static void multiply(const matrix_jet *A, const matrix_jet *B, matrix_jet *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < LEVELS; ++s)
        for (int a = 0; a < LEVELS; ++a) {
            double part[9];
            if ((a & s) != a) continue;
            multiply3(A->at[a], B->at[s ^ a], part);
            for (int i = 0; i < 9; ++i) out->at[s][i] += part[i];
        }
}

static void apply(const matrix_jet *A, const vector_jet *x, vector_jet *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < LEVELS; ++s)
        for (int a = 0; a < LEVELS; ++a) {
            double part[3];
            if ((a & s) != a) continue;
            apply3(A->at[a], x->at[s ^ a], part);
            add3(out->at[s], part, out->at[s]);
        }
}

static void compose(const pose_jet *a, const pose_jet *b, pose_jet *out)
{
    apply(&a->R, &b->x, &out->x);
    multiply(&a->R, &b->R, &out->R);
    for (int s = 0; s < LEVELS; ++s) add3(out->x.at[s], a->x.at[s], out->x.at[s]);
}

/* R^T, -R^T x */
static void invert(pose_jet *a)
{
    vector_jet back;
    for (int s = 0; s < LEVELS; ++s)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < i; ++j) {
                double entry = a->R.at[s][3 * i + j];
                a->R.at[s][3 * i + j] = a->R.at[s][3 * j + i];
                a->R.at[s][3 * j + i] = entry;
            }
    apply(&a->R, &a->x, &back);
    for (int s = 0; s < LEVELS; ++s)
        for (int i = 0; i < 3; ++i) a->x.at[s][i] = -back.at[s][i];
}

static void skew(const double w[3], double out[9])
{
    const double W[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    memcpy(out, W, sizeof W);
}

/* exp of a rotation vector by its series, which ends where the vector has no value of its own; a large value is halved first, and the
 * result squared. */
static void exponential(const vector_jet *w, matrix_jet *out)
{
    enum { MOST = 30 };
    matrix_jet W, term, next;
    double share = 1.0;
    bool goes_on = true;
    memset(&term, 0, sizeof term);
    identity3(term.at[0]);
    *out = term;
    while (share * norm3(w->at[0]) > 0.5) share *= 0.5;
    for (int s = 0; s < LEVELS; ++s) skew(w->at[s], W.at[s]);
    for (int k = 1; k < MOST && goes_on; ++k) {
        multiply(&term, &W, &next);
        goes_on = false;
        for (int s = 0; s < LEVELS; ++s)
            for (int i = 0; i < 9; ++i) {
                term.at[s][i] = share * next.at[s][i] / k;
                goes_on = goes_on || term.at[s][i] != 0.0;
                out->at[s][i] += term.at[s][i];
            }
    }
    for (; share < 1.0; share *= 2.0) {
        next = *out;
        multiply(&next, &next, out);
    }
}

/* out <- (1 + time [spin]) exp(turn) R */
static void turned(const vector_jet *turn, const vector_jet *spin, const double R[9], matrix_jet *out)
{
    matrix_jet E, T, constant = {{{0}}};
    memcpy(constant.at[0], R, 9 * sizeof *R);
    exponential(turn, &E);
    multiply(&E, &constant, &T);
    memset(&E, 0, sizeof E);
    identity3(E.at[0]);
    for (int s = 0; s < LEVELS; ++s)
        if (s & TIME) skew(spin->at[s ^ TIME], E.at[s]);
    multiply(&E, &T, out);
}

/* --- data with their derivatives --- */

/* The frame of a side of a joint in its node. */
static void side_frame(const ac_system_slope *slope, int number, int side, pose_jet *out)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const ac_side *own = side == 0 ? &joint->a : &joint->b;
    vector_jet turn = {{{0}}}, still = {{{0}}};
    memset(out, 0, sizeof *out);
    copy3(own->place, out->x.at[0]);
    for (int s = OF; s < LEVELS; s += OF) {
        const ac_joint_slope *by = &slope_at(slope, s)->joints[number];
        copy3(by->place[side], out->x.at[s]);
        copy3(by->turn[side], turn.at[s]);
    }
    turned(&turn, &still, own->axes, &out->R);
}

/* Coordinates and rates of a joint; those that are not given are zero and stay so. */
static void joint_numbers(const ac_system_slope *slope, int number, vector_jet *c, vector_jet *rates,
                          double length[LEVELS])
{
    const ac_joint_data *joint = &slope->system->joints[number];
    for (int s = 0; s < LEVELS; s += OF) {
        const ac_system_slope *own = slope_at(slope, s);
        if (joint->has_coordinates)
            copy3(own ? own->joints[number].coordinates : joint->coordinates, c->at[s]);
        if (joint->has_rates) copy3(own ? own->joints[number].rates : joint->rates, rates->at[s]);
        length[s] = own ? own->joints[number].length : joint->length;
    }
}

/* The motion from the frame of side a to that of side b; see ac_joint_from_coordinates. */
static void joint_motion(const ac_system_slope *slope, int number, pose_jet *out)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    vector_jet c = {{{0}}}, rates = {{{0}}};
    double length[LEVELS] = {0.0};
    memset(out, 0, sizeof *out);
    identity3(out->R.at[0]);
    joint_numbers(slope, number, &c, &rates, length);
    for (int k = 0; joint->row->motion[k].kind != AC_MOTION_NONE; ++k) {
        const ac_motion *motion = &joint->row->motion[k];
        matrix_jet before, own;
        vector_jet turn = {{{0}}};
        for (int s = 0; s < LEVELS; ++s) {
            double value = k > 2 ? 0.0 : s & TIME ? rates.at[s ^ TIME][k] : c.at[s][k];
            if (motion->kind == AC_MOTION_SHIFT) out->x.at[s][motion->axis] = value;
            if (motion->kind == AC_MOTION_SWING) out->x.at[s][0] = length[s];
            turn.at[s][motion->axis] = value;
        }
        if (motion->kind == AC_MOTION_BALL && motion->name) turned(&c, &rates, one, &out->R);
        if (motion->kind != AC_MOTION_TURN) continue;
        before = out->R;
        exponential(&turn, &own); /* about one axis time is as any other direction */
        multiply(&before, &own, &out->R);
    }
    if (joint->reversed) invert(out);
}

/* The initial pose of a node that no joint holds: reference point x + R c and its velocity v + w x R c, each with derivatives of x,
 * R, c, v and w. The slopes have them as sums of single changes; what two changes do together is added here. */
static void initial_pose(const ac_system_slope *slope, int number, pose_jet *out)
{
    const ac_node *node = &slope->system->nodes[number];
    vector_jet turn = {{{0}}}, spin = {{{0}}}, centre = {{{0}}}, arm;
    memset(out, 0, sizeof *out);
    copy3(node->centre, centre.at[0]);
    if (node->moving) copy3(node->spin, spin.at[0]);
    copy3(node->pose.position, out->x.at[0]);
    if (node->moving) copy3(node->velocity, out->x.at[TIME]);
    for (int s = OF; s < LEVELS; s += OF) {
        const ac_node_slope *by = &slope_at(slope, s)->nodes[number];
        copy3(by->turn, turn.at[s]);
        copy3(by->centre, centre.at[s]);
        copy3(by->place, out->x.at[s]);
        if (!node->moving) continue;
        copy3(by->spin, spin.at[s]);
        copy3(by->velocity, out->x.at[s | TIME]);
    }
    turned(&turn, &spin, node->pose.rotation, &out->R);
    apply(&out->R, &centre, &arm);
    double linear[3], by[3], value[3], rate[3], by_rate[3] = {0.0, 0.0, 0.0};
    const int both = OF | ALONG;
    apply3(node->pose.rotation, node->centre, value); /* R c'' + t'' x R c, and its part of the velocity */
    apply3(node->pose.rotation, centre.at[both], linear);
    add_cross3(turn.at[both], value, linear);
    sub3(arm.at[both], linear, by);
    add3(out->x.at[both], by, out->x.at[both]);
    if (!node->moving || node->spin_follows) return;
    cross3(spin.at[both], value, by_rate);
    add_cross3(spin.at[0], linear, by_rate);
    sub3(arm.at[both | TIME], by_rate, rate);
    add3(out->x.at[both | TIME], rate, out->x.at[both | TIME]);
}

/* --- the tree --- */

static ac_status refuse(const ac_system_slope *slope, const char *what)
{
    return ac_fail(slope->ctx, AC_BAD_INPUT, "%s", what);
}

/* Do data of this node and joint stay, to both orders? */
static bool stays(const ac_system_slope *slope, int number)
{
    const ac_node *node = &slope->system->nodes[number];
    const ac_system_slope *all[3] = {slope, slope->of, slope->along};
    bool still = true;
    for (int k = 0; k < 3; ++k) {
        const ac_node_slope *by = &all[k]->nodes[number];
        for (int i = 0; i < 3; ++i) still = still && by->place[i] == 0.0 && by->turn[i] == 0.0;
        still = still && !ac_joint_varies(all[k], node->joint);
    }
    return still;
}

static bool is_at_rest(const pose_jet *pose)
{
    for (int s = 1; s < LEVELS; ++s) {
        for (int i = 0; i < 3; ++i)
            if (pose->x.at[s][i] != 0.0) return false;
        for (int i = 0; i < 9; ++i)
            if (pose->R.at[s][i] != 0.0) return false;
    }
    return true;
}

static ac_status check_node(const ac_system_slope *slope, const ac_node *node, int number,
                            const pose_jet *parent)
{
    const ac_joint_data *joint = node->joint < 0 ? NULL : &slope->system->joints[node->joint];
    if (node->kind == AC_NODE_DUAL) return refuse(slope, "a beam of dual quaternions moves with its start");
    if (!joint) return AC_OK;
    if (node->moving && !joint->has_rates)
        return refuse(slope, "a joint begins with the velocity that its body is given");
    bool read = node->placed && !joint->has_coordinates;
    if (read && (joint->has_rates || !stays(slope, number) || !is_at_rest(parent)))
        return refuse(slope, "a joint begins where its body is placed");
    return AC_OK;
}

static void move_child(const ac_system_slope *slope, const ac_node *node, int number, pose_jet *parent,
                       pose_jet *out)
{
    const ac_joint_data *joint = &slope->system->joints[node->joint];
    pose_jet side, at, motion;
    bool read = node->placed && !joint->has_coordinates;
    side_frame(slope, node->joint, joint->reversed ? 1 : 0, &side);
    compose(parent, &side, &at);
    joint_motion(slope, node->joint, &motion);
    if (read) { /* it stays as the initial state has it */
        const ac_joint_state *state = &slope->system->initial.state[number];
        copy3(state->shift, motion.x.at[0]);
        memcpy(motion.R.at[0], state->turn, sizeof motion.R.at[0]);
    }
    compose(&at, &motion, out);
    if (ac_node_turns(node) == 0) return;
    side_frame(slope, node->joint, joint->reversed ? 0 : 1, &side);
    invert(&side);
    at = *out;
    compose(&at, &side, out);
}

static ac_status move_nodes(ac_system_slope *slope, pose_jet *pose)
{
    const ac_system *system = slope->system;
    pose_jet ground = {0};
    identity3(ground.R.at[0]);
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        pose_jet *parent = node->parent == AC_GROUND ? &ground : &pose[node->parent];
        AC_TRY(check_node(slope, node, i, parent));
        if (node->joint < 0)
            initial_pose(slope, i, &pose[i]);
        else
            move_child(slope, node, i, parent, &pose[i]);
        ac_node_set_pose(node, pose[i].x.at[OF | ALONG], pose[i].R.at[OF | ALONG], slope->q + node->q);
        ac_node_set_pose(node, pose[i].x.at[LEVELS - 1], pose[i].R.at[LEVELS - 1], slope->v + node->q);
    }
    return AC_OK;
}

static ac_status check_system(const ac_system_slope *slope)
{
    const ac_system *system = slope->system;
    if (system->constraints.count > system->constraints.closure) return refuse(slope, "loops are closed");
    if (system->initial.unbent) return refuse(slope, "joints carry beams as a whole to their start");
    for (int k = 0; k < system->spring_count; ++k)
        if (system->springs[k].rest_initial) return refuse(slope, "a rest length is that of the start");
    return AC_OK;
}

ac_status ac_start_bends(ac_system_slope *slope)
{
    pose_jet *pose;
    AC_TRY(check_system(slope));
    AC_NEW(slope->ctx, pose, slope->system->node_count + 1);
    ac_status status = move_nodes(slope, pose);
    ac_release(slope->ctx, pose);
    return status;
}
