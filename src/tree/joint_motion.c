/* Motion of one tree joint, step by step along the walk of its child.
 *
 *   state      pose of the child's joint frame in the parent's: (shift, turn)
 *   forward    shift along axes of the parent, then turning about the child's joint point
 *   backward   turning about the parent's joint point, then shift along axes of the child
 *   turns      the first axis is fixed in the parent, the last one in the child
 */
#include "tree/joint.h"

#include <math.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"

void ac_side_frame(const ac_system *system, const ac_side *side, const double *q, double x[3], double axes[9])
{
    if (side->node == AC_GROUND) {
        copy3(side->place, x);
        memcpy(axes, side->axes, 9 * sizeof *axes);
        return;
    }
    const ac_node *node = &system->nodes[side->node];
    double position[3], rotation[9], offset[3];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply3(rotation, side->place, offset);
    add3(position, offset, x);
    multiply3(rotation, side->axes, axes);
}

/* --- tangent ------------------------------------------------------------------------------------------------------- */

static void axis_of(const double axes[9], int k, double axis[3])
{
    for (int i = 0; i < 3; ++i) axis[i] = axes[3 * i + k];
}

static void put_shift(const double v[3], double *column)
{
    copy3(v, column);
    column[3] = column[4] = column[5] = 0.0;
}

/* The cross product of the two other axes: perpendicular to them even when the frame is an average. */
static void put_slide(const double axes[9], int k, double *column)
{
    double u[3], v[3], direction[3];
    axis_of(axes, (k + 1) % 3, u);
    axis_of(axes, (k + 2) % 3, v);
    cross3(u, v, direction);
    put_shift(direction, column);
}

/* Turning about axis k through a point; r leads from it to the child's reference point. */
static void put_turn(const double axes[9], int k, const double r[3], double *column)
{
    double axis[3];
    axis_of(axes, k, axis);
    cross3(axis, r, column);
    copy3(axis, column + 3);
}

static void put_ball(int freedoms, const double axes[9], const double r[3], double *columns)
{
    for (int k = 0; k < freedoms; ++k) put_turn(axes, freedoms == 1 ? 2 : k, r, columns + 6 * k);
}

static void put_swings(int freedoms, const ac_joint_state *state, const double axes[9], const double gap[3],
                       double *columns)
{
    if (freedoms == 1) {
        const double v[3] = {-axes[8] * gap[1], axes[8] * gap[0], 0.0};
        put_shift(v, columns);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        double axis[3], v[3];
        apply3(axes, state->basis + 3 * k, axis);
        cross3(axis, gap, v);
        put_shift(v, columns + 6 * k);
    }
}

static void free_tangent(const ac_node *child, double *columns)
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
    for (int k = 0; k < child->dimension; ++k) put_shift(world + 3 * k, columns + 6 * k);
    put_ball(child->freedoms - child->dimension, world, zero, columns + 6 * child->dimension);
}

void ac_joint_tangent(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                      const double *q, double *columns)
{
    if (child->joint < 0) {
        free_tangent(child, columns);
        return;
    }
    const ac_joint_data *joint = &system->joints[child->joint];
    double x_a[3], axes[9], x_b[3], axes_b[9], r[3], gap[3];
    ac_side_frame(system, ac_parent_side(joint), q, x_a, axes);
    ac_side_frame(system, ac_child_side(joint), q, x_b, axes_b);
    const double *own = q + child->q, *about = child->walk.backward ? x_a : x_b;
    for (int i = 0; i < 3; ++i) r[i] = (i < child->dimension ? own[i] : 0.0) - about[i];

    for (int k = 0; k < child->walk.count; ++k) {
        const ac_walk_step *step = &child->walk.step[k];
        const double *frame = step->in_child ? axes_b : axes;
        double *column = columns + 6 * step->freedom;
        switch (step->kind) {
        case AC_MOTION_SHIFT: put_slide(frame, step->axis, column); break;
        case AC_MOTION_TURN: put_turn(frame, step->axis, r, column); break;
        case AC_MOTION_BALL: put_ball(step->freedoms, frame, r, column); break;
        case AC_MOTION_SWING:
            sub3(x_b, x_a, gap);
            put_swings(step->freedoms, state, frame, gap, column);
            break;
        case AC_MOTION_NONE: break;
        }
    }
}

/* --- shifts and turns ---------------------------------------------------------------------------------------------- */

/* turn = product of the turns of the walk, by their angles. */
static void multiply_turns(const ac_walk *walk, ac_joint_state *state)
{
    bool first = true;
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        if (step->kind != AC_MOTION_TURN) continue;
        double R[9], before[9];
        ac_rotation_axis(step->axis, state->coordinate[step->number], first ? state->turn : R);
        if (!first) {
            memcpy(before, state->turn, sizeof before);
            multiply3(before, R, state->turn);
        }
        first = false;
    }
}

/* Shift in the axes along which the joint slides, and back. */
static void to_slides(const ac_walk *walk, ac_joint_state *state)
{
    double s[3];
    if (!walk->backward) return;
    apply_transposed3(state->turn, state->shift, s);
    copy3(s, state->shift);
}

static void from_slides(const ac_walk *walk, ac_joint_state *state)
{
    double s[3];
    if (!walk->backward) return;
    apply3(state->turn, state->shift, s);
    copy3(s, state->shift);
}

double ac_joint_slide(const ac_node *child, const ac_joint_state *state, int axis)
{
    ac_joint_state slid = *state;
    to_slides(&child->walk, &slid);
    return slid.shift[axis];
}

/* Moves by shifts and turns. `fold`: without full turns, which would cost digits; measures count them. */
static void shift_and_turn(const ac_node *child, const double *increment, bool fold, ac_joint_state *state)
{
    const ac_walk *walk = &child->walk;
    to_slides(walk, state);
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        double by = increment[step->freedom];
        if (step->kind == AC_MOTION_SHIFT) state->shift[step->axis] += by;
        if (step->kind != AC_MOTION_TURN) continue;
        double *angle = &state->coordinate[step->number];
        *angle += by;
        if (fold && fabs(*angle) > M_PI) *angle = remainder(*angle, 2.0 * M_PI);
    }
    multiply_turns(walk, state);
    from_slides(walk, state);
}

/* turn <- R turn */
static void turn_by(const double R[9], ac_joint_state *state)
{
    double old[9];
    memcpy(old, state->turn, sizeof old);
    multiply3(R, old, state->turn);
    ac_rotation_polish(state->turn);
}

/* --- the exponential ----------------------------------------------------------------------------------------------- */

/* Fresh directions for a swing. */
static void refresh_basis(ac_joint_state *state)
{
    ac_perpendicular(state->shift, state->basis, state->basis + 3);
}

/* The directions of the swing turn with it, so that they change smoothly. */
static void carry_basis(const double R[9], ac_joint_state *state)
{
    double square = dot3(state->shift, state->shift);
    for (int k = 0; k < 2; ++k) {
        double *e = state->basis + 3 * k, turned[3];
        apply3(R, e, turned);
        double along = dot3(turned, state->shift) / square;
        for (int i = 0; i < 3; ++i) turned[i] -= along * state->shift[i];
        double length = norm3(turned);
        for (int i = 0; i < 3; ++i) e[i] = turned[i] / length;
    }
}

static void swing(int freedoms, const double *increment, ac_joint_state *state)
{
    double theta[3] = {0.0, 0.0, 0.0}, R[9], moved[3];
    if (freedoms == 1) {
        theta[2] = increment[0];
    } else {
        for (int i = 0; i < 3; ++i)
            theta[i] = increment[0] * state->basis[i] + increment[1] * state->basis[3 + i];
    }
    double length = norm3(state->shift);
    ac_rotation_exp(theta, R);
    apply3(R, state->shift, moved);
    double scale = length / norm3(moved);
    for (int i = 0; i < 3; ++i) state->shift[i] = scale * moved[i];
    if (freedoms == 2) carry_basis(R, state);
}

static void turn_ball(int freedoms, const double *increment, ac_joint_state *state)
{
    double theta[3] = {0.0, 0.0, increment[0]}, R[9];
    if (freedoms == 3) copy3(increment, theta);
    ac_rotation_exp(theta, R);
    turn_by(R, state);
}

void ac_joint_move(const ac_node *child, const double *increment, const ac_joint_state *from,
                   ac_joint_state *state)
{
    *state = *from;
    shift_and_turn(child, increment, true, state);
    for (int k = 0; k < child->walk.count; ++k) {
        const ac_walk_step *step = &child->walk.step[k];
        const double *by = increment + step->freedom;
        if (step->kind == AC_MOTION_SWING) swing(step->freedoms, by, state);
        if (step->kind == AC_MOTION_BALL) turn_ball(step->freedoms, by, state);
    }
}

/* --- single turns -------------------------------------------------------------------------------------------------- */

/* One swing after another. */
static void swing_in_turns(int freedoms, const double *xi, ac_joint_state *state, double *axis)
{
    double R[9], moved[3], theta[3];
    if (freedoms == 1) {
        const double z[3] = {0.0, 0.0, 1.0};
        copy3(z, axis);
        ac_rotation_z(xi[0], R);
        apply3(R, state->shift, moved);
        copy3(moved, state->shift);
        return;
    }
    double first[9], second[3];
    copy3(state->basis, axis);
    for (int i = 0; i < 3; ++i) theta[i] = xi[0] * state->basis[i];
    ac_rotation_exp(theta, first);
    for (int i = 0; i < 3; ++i) theta[i] = xi[1] * state->basis[3 + i];
    ac_rotation_exp(theta, R);
    apply3(R, state->shift, moved);
    apply3(first, moved, state->shift);
    apply3(first, state->basis + 3, second);
    copy3(second, axis + 3);
    refresh_basis(state);
}

/* Turns about x, y and z. */
static void ball_in_turns(int freedoms, const double *xi, ac_joint_state *state, double *axis)
{
    double R[9], sum[9], old[9];
    if (freedoms == 1) {
        const double z[3] = {0.0, 0.0, 1.0};
        ac_rotation_z(xi[0], sum);
        copy3(z, axis);
    } else {
        identity3(sum);
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) axis[3 * k + i] = sum[3 * i + k];
            ac_rotation_axis(k, xi[k], R);
            memcpy(old, sum, sizeof old);
            multiply3(old, R, sum);
        }
    }
    turn_by(sum, state);
}

void ac_joint_move_in_turns(const ac_node *child, const double *increment, ac_joint_state *state,
                            double *axis)
{
    shift_and_turn(child, increment, false, state);
    for (int k = 0; k < child->walk.count; ++k) {
        const ac_walk_step *step = &child->walk.step[k];
        const double *by = increment + step->freedom;
        double *own = axis + 3 * step->freedom;
        if (step->kind == AC_MOTION_SWING) {
            swing_in_turns(step->freedoms, by, state, own);
        } else if (step->kind == AC_MOTION_BALL) {
            ball_in_turns(step->freedoms, by, state, own);
        } else {
            for (int i = 0; i < 3; ++i)
                own[i] = step->in_child ? state->turn[3 * i + step->axis] : i == step->axis ? 1.0 : 0.0;
        }
    }
}

/* --- poses and states ---------------------------------------------------------------------------------------------- */

void ac_joint_forward(const ac_system *system, const ac_node *child, const ac_joint_state *state, double *q)
{
    if (child->joint < 0) {
        ac_node_set_pose(child, state->shift, state->turn, q + child->q);
        return;
    }
    const ac_joint_data *joint = &system->joints[child->joint];
    const ac_side *side = ac_child_side(joint);
    double x_a[3], axes[9], x_b[3], axes_b[9], rotation[9], offset[3];
    ac_side_frame(system, ac_parent_side(joint), q, x_a, axes);
    apply3(axes, state->shift, offset);
    add3(x_a, offset, x_b);
    if (ac_node_turns(child) == 0) {
        ac_node_set_pose(child, x_b, axes, q + child->q);
        return;
    }
    multiply3(axes, state->turn, axes_b);
    multiply_transposed3(axes_b, side->axes, rotation);
    if (ac_node_turns(child) == 3) ac_rotation_polish(rotation);
    apply3(rotation, side->place, offset);
    sub3(x_b, offset, x_b);
    ac_node_set_pose(child, x_b, rotation, q + child->q);
}

/* The angle about axis k of the rotation about it that is nearest to R. */
static double angle_about(const double R[9], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return ac_atan2(R[3 * j + i] - R[3 * i + j], R[3 * i + i] + R[3 * j + j]);
}

/* Angles of the turns from the relative rotation; see angle_forms in model/joint.c. */
static void read_turns(const ac_walk *walk, ac_joint_state *state)
{
    const ac_walk_step *turn[2] = {NULL, NULL};
    const double *R = state->turn;
    for (int k = 0, count = 0; k < walk->count; ++k)
        if (walk->step[k].kind == AC_MOTION_TURN) turn[count++] = &walk->step[k];
    if (turn[1]) {
        int k = turn[0]->axis, l = turn[1]->axis, e = 3 - k - l;
        double hand = (k + 1) % 3 == l ? 1.0 : -1.0;
        state->coordinate[turn[0]->number] = ac_atan2(hand * R[3 * e + l], R[3 * l + l]);
        state->coordinate[turn[1]->number] = ac_atan2(hand * R[3 * k + e], R[3 * k + k]);
    } else if (turn[0]) {
        state->coordinate[turn[0]->number] = angle_about(R, turn[0]->axis);
    } else {
        identity3(state->turn);
        return;
    }
    multiply_turns(walk, state);
}

/* On the sphere of a distance joint. */
static void settle_swing(double length, ac_joint_state *state)
{
    double now = norm3(state->shift);
    if (now > 0.0) {
        for (int i = 0; i < 3; ++i) state->shift[i] *= length / now;
    } else {
        state->shift[0] = length;
    }
    refresh_basis(state);
}

/* Removes from a relative pose what the joint locks, and reads the coordinates. */
static void settle(const ac_joint_data *joint, const ac_node *child, ac_joint_state *state)
{
    bool locked[3];
    if (ac_row_has(joint->row, AC_MOTION_SWING)) {
        settle_swing(joint->length, state);
        return;
    }
    ac_row_locked(joint->row, locked);
    if (ac_node_turns(child) > 0) {
        if (ac_row_has(joint->row, AC_MOTION_BALL)) {
            ac_rotation_polish(state->turn);
        } else {
            read_turns(&child->walk, state);
        }
    }
    to_slides(&child->walk, state);
    for (int k = 0; k < 3; ++k)
        if (locked[k]) state->shift[k] = 0.0;
    from_slides(&child->walk, state);
}

void ac_joint_read_state(const ac_system *system, const ac_node *child, const double *q,
                         ac_joint_state *state)
{
    memset(state, 0, sizeof *state);
    if (child->joint < 0) {
        ac_node_get_pose(child, q + child->q, state->shift, state->turn);
        return;
    }
    const ac_joint_data *joint = &system->joints[child->joint];
    double x_a[3], axes[9], x_b[3], axes_b[9], gap[3];
    ac_side_frame(system, ac_parent_side(joint), q, x_a, axes);
    ac_side_frame(system, ac_child_side(joint), q, x_b, axes_b);
    sub3(x_b, x_a, gap);
    apply_transposed3(axes, gap, state->shift);
    transposed_multiply3(axes, axes_b, state->turn);
    settle(joint, child, state);
}

/* --- coordinates --------------------------------------------------------------------------------------------------- */

/* The inverse pose: turn^T, -turn^T shift. */
static void invert(ac_joint_state *state)
{
    double inverse[9], back[3], one[9];
    identity3(one);
    apply_transposed3(state->turn, state->shift, back);
    transposed_multiply3(state->turn, one, inverse);
    memcpy(state->turn, inverse, sizeof inverse);
    for (int i = 0; i < 3; ++i) state->shift[i] = -back[i];
}

void ac_joint_from_coordinates(const ac_system *system, const ac_node *child, const double c[3],
                               ac_joint_state *state)
{
    const ac_joint_data *joint = &system->joints[child->joint];
    const ac_motion *motion = joint->row->motion;
    memset(state, 0, sizeof *state);
    identity3(state->turn);
    for (int k = 0; motion[k].kind != AC_MOTION_NONE; ++k) {
        double R[9], before[9];
        memcpy(before, state->turn, sizeof before);
        if (motion[k].kind == AC_MOTION_SHIFT) state->shift[motion[k].axis] = c[k];
        if (motion[k].kind == AC_MOTION_SWING) state->shift[0] = joint->length;
        if (motion[k].kind == AC_MOTION_BALL && motion[k].name) ac_rotation_exp(c, state->turn);
        if (motion[k].kind != AC_MOTION_TURN) continue;
        ac_rotation_axis(motion[k].axis, c[k], R);
        multiply3(before, R, state->turn);
    }
    if (joint->reversed) invert(state);
    bool turns = false;
    for (int k = 0; k < child->walk.count; ++k) {
        const ac_walk_step *step = &child->walk.step[k];
        if (step->kind == AC_MOTION_SWING) refresh_basis(state);
        if (step->kind != AC_MOTION_TURN) continue;
        double angle = joint->reversed ? -c[step->number] : c[step->number];
        state->coordinate[step->number] = remainder(angle, 2.0 * M_PI);
        turns = true;
    }
    if (turns) multiply_turns(&child->walk, state);
}

void ac_joint_from_rates(const ac_system *system, const ac_node *child, const double rates[3],
                         const ac_joint_state *state, double *u)
{
    const ac_joint_data *joint = &system->joints[child->joint];
    const ac_walk *walk = &child->walk;
    double turned[3];
    if (ac_row_is_ball(joint->row)) { /* reversed: -Q omega, the parent's joint frame is that of side b */
        apply3(state->turn, rates, turned);
        for (int j = 0; j < child->freedoms; ++j) u[j] = joint->reversed ? -turned[j] : rates[j];
        return;
    }
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        if (step->freedoms == 1) u[step->freedom] = (joint->reversed ? -1.0 : 1.0) * rates[step->number];
    }
    if (walk->aligned) return;
    /* a group from the other side: the shift of a in b is s = -R^T p, so s' = -R^T p' - w x s with R' = R hat(w) */
    double slide[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0}, back[3], change[3];
    for (int k = 0; k < walk->count; ++k)
        (walk->step[k].kind == AC_MOTION_TURN ? w : slide)[walk->step[k].axis] = rates[walk->step[k].number];
    apply3(state->turn, slide, back);
    cross3(w, state->shift, change);
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        if (step->kind == AC_MOTION_SHIFT) u[step->freedom] = -back[step->axis] - change[step->axis];
    }
}
