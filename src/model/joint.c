/* Joints: constraints, relative motion in the tree, coordinates.
 *
 * All lower pairs are subgroups of rigid motions: some translations along the axes of the parent's joint
 * frame are locked, and rotation is free, about z only, or locked. The table says which; everything else
 * follows:
 *
 *   constraint    gap w = x_child - x_parent of the joint points, a_x a_y a_z / b_x b_y b_z the axes of the two joint frames
 *                 all translations locked:  w = 0           otherwise:  a_i . w = 0 for the locked directions i
 *                 turning about z:          a_z . b_x = a_z . b_y = 0
 *                 no turning:               a_x . b_y = a_y . b_z = a_z . b_x = 0
 *   motion        shift along free axes, then turning about the child's joint point
 *
 * The distance joint stands outside the family: |w|^2 = length^2; the child swings on a sphere and turns
 * freely.
 */
#include <math.h>
#include <stddef.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"

#define XYZ              \
    {                    \
        true, true, true \
    }
#define NONE                \
    {                       \
        false, false, false \
    }

static const ac_joint_family FAMILY[] = {
    {AC_SPHERICAL, "spherical", XYZ, AC_TURN_FREE, false, 3, {"x", "y", "z"}},
    {AC_CYLINDRICAL, "cylindrical", {true, true, false}, AC_TURN_Z, false, 2, {"slide", "angle", NULL}},
    {AC_REVOLUTE, "revolute", XYZ, AC_TURN_Z, false, 1, {"angle", NULL, NULL}},
    {AC_PRISMATIC, "prismatic", {true, true, false}, AC_TURN_LOCKED, false, 1, {"slide", NULL, NULL}},
    {AC_PLANAR, "planar", {false, false, true}, AC_TURN_Z, false, 3, {"x", "y", "angle"}},
    {AC_FIXED, "fixed", XYZ, AC_TURN_LOCKED, false, 0, {NULL, NULL, NULL}},
    {AC_DISTANCE, "distance", NONE, AC_TURN_FREE, true, 0, {NULL, NULL, NULL}},
};

/* A node without a joint moves freely relative to the ground. */
const ac_joint_family ac_joint_free = {AC_FIXED, "free", NONE, AC_TURN_FREE, false, 0, {NULL, NULL, NULL}};

const ac_joint_family *ac_joint_find(ac_joint_type type)
{
    for (size_t k = 0; k < sizeof FAMILY / sizeof *FAMILY; ++k)
        if (FAMILY[k].type == type) return &FAMILY[k];
    return NULL;
}

/* The axis along which coordinate k slides, or -1 if it is a rotation. */
static int shift_axis(const ac_joint_family *family, int k)
{
    if (family->turning == AC_TURN_FREE) return -1;
    switch (family->coordinate_names[k][0]) {
    case 'x': return 0;
    case 'y': return 1;
    case 's': return 2;
    default: return -1;
    }
}

/* --- sides --------------------------------------------------------------------------------------------------------- */

static const ac_side *parent_side(const ac_joint_data *joint)
{
    return joint->reversed ? &joint->b : &joint->a;
}

static const ac_side *child_side(const ac_joint_data *joint)
{
    return joint->reversed ? &joint->a : &joint->b;
}

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

/* World position and axes (row by row, columns are axes) of a joint frame. */
static void frame_at(const ac_system *system, const ac_side *side, const double *q, double x[3],
                     double axes[9])
{
    const ac_node *node = node_of(system, side->node);
    if (!node) {
        copy3(side->place, x);
        memcpy(axes, side->axes, 9 * sizeof *axes);
        return;
    }
    double position[3], rotation[9], offset[3];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply3(rotation, side->place, offset);
    add3(position, offset, x);
    multiply3(rotation, side->axes, axes);
}

static const ac_joint_family *family_of(const ac_system *system, const ac_node *child)
{
    return child->joint < 0 ? &ac_joint_free : system->joints[child->joint].family;
}

/* --- counting ------------------------------------------------------------------------------------------------------ */

/* Directions of turning that a node has: 3, 1 (planar) or 0 (point). */
static int turns_of(const ac_node *node)
{
    return node->kind == AC_NODE_BODY ? 3 : node->kind == AC_NODE_PLANAR ? 1 : 0;
}

int ac_joint_freedoms(const ac_joint_family *family, const ac_node *child)
{
    int turns = turns_of(child);
    if (family->distance) return child->dimension - 1 + turns;
    int shifts = 0;
    for (int i = 0; i < 3; ++i) shifts += !family->locked[i];
    if (child->dimension < 3) {
        /* in the plane a direction of the joint frame is perpendicular to it */
        if (shifts == 3) shifts = child->dimension;
        if (family->turning == AC_TURN_Z && shifts == 1) shifts = 0;
    }
    if (family->turning == AC_TURN_LOCKED) turns = 0;
    if (family->turning == AC_TURN_Z && turns > 1) turns = 1;
    return shifts + turns;
}

/* --- constraints --------------------------------------------------------------------------------------------------- */

static void axis_of(const ac_side *side, int k, double axis[3])
{
    for (int i = 0; i < 3; ++i) axis[i] = side->axes[3 * i + k];
}

/* One row  u . v = constant. */
static ac_status dot_row(ac_system *system, const ac_affine3 *u, const ac_affine3 *v)
{
    ac_forms *forms = &system->constraints.forms;
    AC_TRY(ac_forms_begin(system->ctx, forms, 0.0));
    return ac_forms_add_dot(system->ctx, forms, u, v, 1.0);
}

static ac_status gap_rows(ac_system *system, const ac_joint_data *joint, const ac_affine3 *gap, int dimension)
{
    ac_forms *forms = &system->constraints.forms;
    const ac_side *side = parent_side(joint);
    const ac_node *node = node_of(system, side->node);
    const bool *locked = joint->family->locked;
    if (locked[0] && locked[1] && locked[2]) {
        for (int i = 0; i < dimension; ++i) {
            AC_TRY(ac_forms_begin(system->ctx, forms, 0.0));
            AC_TRY(ac_forms_add_affine(system->ctx, forms, &gap->part[i], 1.0));
        }
        return AC_OK;
    }
    for (int k = 0; k < 3; ++k) {
        if (!locked[k]) continue;
        double axis[3];
        axis_of(side, k, axis);
        if (dimension < 3 && fabs(axis[2]) > 0.5) continue; /* perpendicular to the plane: always satisfied */
        ac_affine3 direction = ac_node_direction(node, node ? node->q : 0, axis);
        AC_TRY(dot_row(system, &direction, gap));
    }
    return AC_OK;
}

static ac_status turning_rows(ac_system *system, const ac_joint_data *joint)
{
    static const int z_pairs[2][2] = {{2, 0}, {2, 1}};
    static const int locked_pairs[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    const ac_side *a = parent_side(joint), *b = child_side(joint);
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    if (joint->family->turning == AC_TURN_FREE) return AC_OK;
    if ((node_a && node_a->kind == AC_NODE_POINT) || (node_b && node_b->kind == AC_NODE_POINT)) return AC_OK;
    if ((node_a && node_a->kind == AC_NODE_PLANAR) || (node_b && node_b->kind == AC_NODE_PLANAR)) {
        if (joint->family->turning == AC_TURN_Z) return AC_OK;
        /* a . perpendicular(b) = 0 for one common direction in the plane */
        int k = fabs(a->axes[6]) < 0.5 ? 0 : 1; /* a joint axis that lies in the plane */
        double u[3], v[3];
        axis_of(a, k, u);
        axis_of(b, k, v);
        const double perpendicular[3] = {-v[1], v[0], 0.0};
        ac_affine3 left = ac_node_direction(node_a, node_a ? node_a->q : 0, u);
        ac_affine3 right = ac_node_direction(node_b, node_b ? node_b->q : 0, perpendicular);
        return dot_row(system, &left, &right);
    }
    bool locked = joint->family->turning == AC_TURN_LOCKED;
    for (int r = 0; r < (locked ? 3 : 2); ++r) {
        const int *pair = locked ? locked_pairs[r] : z_pairs[r];
        double u[3], v[3];
        axis_of(a, pair[0], u);
        axis_of(b, pair[1], v);
        ac_affine3 left = ac_node_direction(node_a, node_a ? node_a->q : 0, u);
        ac_affine3 right = ac_node_direction(node_b, node_b ? node_b->q : 0, v);
        AC_TRY(dot_row(system, &left, &right));
    }
    return AC_OK;
}

ac_status ac_joint_constraints(ac_system *system, int number)
{
    ac_joint_data *joint = &system->joints[number];
    const ac_side *a = parent_side(joint), *b = child_side(joint);
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    ac_affine3 x_a = ac_node_point(node_a, node_a ? node_a->q : 0, a->place);
    ac_affine3 x_b = ac_node_point(node_b, node_b ? node_b->q : 0, b->place);
    ac_affine3 gap = ac_affine_difference(&x_b, &x_a);
    int dimension = node_a ? node_a->dimension : node_b ? node_b->dimension : 3;
    joint->first_row = system->constraints.forms.count;
    if (joint->family->distance) {
        ac_forms *forms = &system->constraints.forms;
        AC_TRY(ac_forms_begin(system->ctx, forms, -0.5 * joint->length * joint->length));
        AC_TRY(ac_forms_add_dot(system->ctx, forms, &gap, &gap, 0.5));
    } else {
        AC_TRY(gap_rows(system, joint, &gap, dimension));
        AC_TRY(turning_rows(system, joint));
    }
    joint->rows = system->constraints.forms.count - joint->first_row;
    return AC_OK;
}

/* --- motion in the tree -------------------------------------------------------------------------------------------- */

static void put_shift(const double v[3], double *column)
{
    copy3(v, column);
    column[3] = column[4] = column[5] = 0.0;
}

/* Turning about `axis` through the joint point; r leads from the joint point to the child's reference
 * point. */
static void put_turn(const double axis[3], const double r[3], double *column)
{
    cross3(axis, r, column);
    copy3(axis, column + 3);
}

/* Turning of the child about its joint point, all directions it has. */
static int put_turns(ac_turning turning, const ac_node *child, const double axes[9], const double r[3],
                     double *columns)
{
    if (turning == AC_TURN_LOCKED || child->kind == AC_NODE_POINT) return 0;
    int count = 0;
    for (int k = turning == AC_TURN_Z || child->kind == AC_NODE_PLANAR ? 2 : 0; k < 3; ++k) {
        const double axis[3] = {axes[k], axes[3 + k], axes[6 + k]};
        put_turn(axis, r, columns + 6 * count++);
    }
    return count;
}

static int put_swings(const ac_node *child, const ac_joint_state *state, const double axes[9],
                      const double gap[3], double *columns)
{
    if (child->dimension < 3) {
        const double v[3] = {-axes[8] * gap[1], axes[8] * gap[0], 0.0};
        if (child->dimension == 2) put_shift(v, columns);
        return child->dimension - 1;
    }
    for (int k = 0; k < 2; ++k) {
        double axis[3], v[3];
        apply3(axes, state->basis + 3 * k, axis);
        cross3(axis, gap, v);
        put_shift(v, columns + 6 * k);
    }
    return 2;
}

void ac_joint_tangent(const ac_system *system, const ac_node *child, const ac_joint_state *state,
                      const double *q, double *columns)
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
    if (child->joint < 0) {
        int count = 0;
        for (; count < 3 && count < child->dimension; ++count)
            put_shift(world + 3 * count, columns + 6 * count);
        put_turns(AC_TURN_FREE, child, world, zero, columns + 6 * count);
        return;
    }
    const ac_joint_data *joint = &system->joints[child->joint];
    double x_a[3], axes[9], x_b[3], axes_b[9], r[3];
    frame_at(system, parent_side(joint), q, x_a, axes);
    frame_at(system, child_side(joint), q, x_b, axes_b);
    const double *own = q + child->q;
    for (int i = 0; i < 3; ++i) r[i] = (i < child->dimension ? own[i] : 0.0) - x_b[i];

    int count = 0;
    if (joint->family->distance) {
        double gap[3];
        sub3(x_b, x_a, gap);
        count = put_swings(child, state, axes, gap, columns);
    } else {
        for (int k = 0; k < 3; ++k) {
            if (joint->family->locked[k]) continue;
            /* the cross product of the other two axes: perpendicular to them even when the frame is an
             * average */
            int i = (k + 1) % 3, j = (k + 2) % 3;
            const double u[3] = {axes[i], axes[3 + i], axes[6 + i]},
                         v[3] = {axes[j], axes[3 + j], axes[6 + j]};
            double direction[3];
            cross3(u, v, direction);
            if (child->dimension < 3 && fabs(direction[2]) > 0.5) continue;
            put_shift(direction, columns + 6 * count++);
        }
    }
    put_turns(joint->family->turning, child, axes, r, columns + 6 * count);
}

/* Fresh directions for the swing of a distance joint. */
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

static void swing(const ac_node *child, const double *increment, ac_joint_state *state)
{
    double theta[3] = {0.0, 0.0, 0.0}, R[9], moved[3];
    if (child->dimension == 2) {
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
    if (child->dimension == 3) carry_basis(R, state);
}

/* Turns the child by increments about the axes of the parent's joint frame. */
static void turn(const ac_node *child, ac_turning turning, const double *increment, ac_joint_state *state)
{
    int turns = turns_of(child);
    if (turning == AC_TURN_LOCKED || turns == 0) return;
    double theta[3] = {0.0, 0.0, 0.0}, R[9], old[9];
    if (turning == AC_TURN_Z) {
        /* without full turns, which would cost digits; measures count them */
        state->coordinate[2] = remainder(state->coordinate[2] + increment[0], 2.0 * M_PI);
        ac_rotation_z(state->coordinate[2], state->turn);
        return;
    }
    if (turns == 1) {
        theta[2] = increment[0];
    } else {
        copy3(increment, theta);
    }
    ac_rotation_exp(theta, R);
    memcpy(old, state->turn, sizeof old);
    multiply3(R, old, state->turn);
    ac_rotation_polish(state->turn);
}

void ac_joint_move(const ac_system *system, const ac_node *child, const double *increment,
                   const ac_joint_state *from, ac_joint_state *state)
{
    const ac_joint_family *family = family_of(system, child);
    int count = 0;
    *state = *from;
    if (family->distance) {
        swing(child, increment, state);
        count = child->dimension - 1;
    } else if (child->joint < 0) {
        for (; count < child->dimension; ++count) state->shift[count] += increment[count];
    } else {
        const ac_side *side = parent_side(&system->joints[child->joint]);
        for (int k = 0; k < 3; ++k) {
            if (family->locked[k]) continue;
            if (child->dimension < 3 && fabs(side->axes[6 + k]) > 0.5) continue;
            state->shift[k] += increment[count++];
        }
    }
    turn(child, family->turning, increment + count, state);
}

void ac_joint_forward(const ac_system *system, const ac_node *child, const ac_joint_state *state, double *q)
{
    if (child->joint < 0) {
        ac_node_set_pose(child, state->shift, state->turn, q + child->q);
        return;
    }
    const ac_joint_data *joint = &system->joints[child->joint];
    const ac_side *side = child_side(joint);
    double x_a[3], axes[9], x_b[3], axes_b[9], rotation[9], offset[3];
    frame_at(system, parent_side(joint), q, x_a, axes);
    apply3(axes, state->shift, offset);
    add3(x_a, offset, x_b);
    if (child->kind == AC_NODE_POINT) {
        ac_node_set_pose(child, x_b, axes, q + child->q);
        return;
    }
    multiply3(axes, state->turn, axes_b);
    multiply_transposed3(axes_b, side->axes, rotation);
    if (child->kind == AC_NODE_BODY) ac_rotation_polish(rotation);
    apply3(rotation, side->place, offset);
    sub3(x_b, offset, x_b);
    ac_node_set_pose(child, x_b, rotation, q + child->q);
}

/* --- states -------------------------------------------------------------------------------------------------------- */

/* Removes from a relative pose what the joint locks, and reads the coordinates. */
static void settle(const ac_joint_data *joint, const ac_node *child, ac_joint_state *state)
{
    const ac_joint_family *family = joint->family;
    if (family->distance) {
        double length = norm3(state->shift);
        if (length > 0.0) {
            for (int i = 0; i < 3; ++i) state->shift[i] *= joint->length / length;
        } else {
            state->shift[0] = joint->length;
        }
        refresh_basis(state);
        return;
    }
    for (int k = 0; k < 3; ++k)
        if (family->locked[k]) state->shift[k] = 0.0;
    if (child->kind == AC_NODE_POINT) return;
    if (family->turning == AC_TURN_Z) {
        double angle = atan2(state->turn[3] - state->turn[1], state->turn[0] + state->turn[4]);
        state->coordinate[2] = angle;
        ac_rotation_z(angle, state->turn);
    } else if (family->turning == AC_TURN_LOCKED) {
        identity3(state->turn);
    } else {
        ac_rotation_polish(state->turn);
    }
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
    frame_at(system, parent_side(joint), q, x_a, axes);
    frame_at(system, child_side(joint), q, x_b, axes_b);
    sub3(x_b, x_a, gap);
    apply_transposed3(axes, gap, state->shift);
    transposed_multiply3(axes, axes_b, state->turn);
    settle(joint, child, state);
}

void ac_joint_from_coordinates(const ac_system *system, const ac_node *child, const double c[3],
                               ac_joint_state *state)
{
    const ac_joint_data *joint = &system->joints[child->joint];
    memset(state, 0, sizeof *state);
    identity3(state->turn);
    double angle = 0.0;
    for (int k = 0; k < joint->family->coordinates; ++k) {
        int axis = shift_axis(joint->family, k);
        if (axis >= 0) state->shift[axis] = c[k];
        if (joint->family->turning == AC_TURN_Z && axis < 0) angle = c[k];
    }
    if (joint->family->turning == AC_TURN_FREE && joint->family->coordinates == 3)
        ac_rotation_exp(c, state->turn);
    if (joint->family->distance) state->shift[0] = joint->length;
    if (joint->family->turning == AC_TURN_Z) ac_rotation_z(angle, state->turn);
    if (joint->reversed) {
        /* the inverse pose: turn^T, -turn^T shift */
        double inverse[9], back[3], one[9];
        identity3(one);
        apply_transposed3(state->turn, state->shift, back);
        transposed_multiply3(state->turn, one, inverse);
        memcpy(state->turn, inverse, sizeof inverse);
        for (int i = 0; i < 3; ++i) state->shift[i] = -back[i];
        angle = -angle;
    }
    if (joint->family->turning == AC_TURN_Z) {
        state->coordinate[2] = remainder(angle, 2.0 * M_PI);
        ac_rotation_z(angle, state->turn);
    }
    if (joint->family->distance) refresh_basis(state);
}

/* --- coordinates --------------------------------------------------------------------------------------------------- */

/* One map u . v over the coordinates of the two nodes. */
static ac_status measure_form(ac_system *system, const ac_affine3 *u, const ac_affine3 *v)
{
    AC_TRY(ac_forms_begin(system->ctx, &system->measure_forms, 0.0));
    return ac_forms_add_dot(system->ctx, &system->measure_forms, u, v, 1.0);
}

ac_status ac_joint_measures(ac_system *system, int number)
{
    ac_joint_data *joint = &system->joints[number];
    const ac_node *node_a = node_of(system, joint->a.node), *node_b = node_of(system, joint->b.node);
    joint->first_measure = -1;
    if (joint->type == AC_SPHERICAL || joint->family->coordinates == 0) return AC_OK;
    if (node_a && node_b && joint->a.node == joint->b.node) return AC_OK;
    joint->first_measure = system->measure_count;
    int q_a = 0, q_b = node_a ? node_a->size : 0;
    ac_affine3 x_a = ac_node_point(node_a, q_a, joint->a.place),
               x_b = ac_node_point(node_b, q_b, joint->b.place);
    ac_affine3 gap = ac_affine_difference(&x_b, &x_a);
    const ac_side *end = node_b ? &joint->b : &joint->a;
    double axis[3][3], b_x[3];
    ac_affine3 a[3];
    for (int k = 0; k < 3; ++k) {
        axis_of(&joint->a, k, axis[k]);
        a[k] = ac_node_direction(node_a, q_a, axis[k]);
    }
    axis_of(&joint->b, 0, b_x);
    ac_affine3 b = ac_node_direction(node_b, q_b, b_x);
    for (int c = 0; c < joint->family->coordinates; ++c) {
        int slide = shift_axis(joint->family, c);
        bool is_angle = slide < 0;
        AC_TRY(ac_grow(system->ctx, (void **)&system->measures, &system->measure_capacity,
                       system->measure_count + 1, sizeof(ac_measure)));
        ac_measure *m = &system->measures[system->measure_count++];
        *m = (ac_measure){.kind = is_angle ? AC_MEASURE_ANGLE : AC_MEASURE_VALUE,
                          .first_form = system->measure_forms.count,
                          .end = end->node};
        copy3(end->place, m->place);
        if (node_a) m->nodes[m->node_count++] = joint->a.node;
        if (node_b) m->nodes[m->node_count++] = joint->b.node;
        if (is_angle) {
            AC_TRY(measure_form(system, &a[0], &b));
            AC_TRY(measure_form(system, &a[1], &b));
        } else {
            AC_TRY(measure_form(system, &a[slide], &gap));
        }
    }
    return AC_OK;
}
