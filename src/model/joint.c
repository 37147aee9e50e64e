/* Joints: what follows from a row of elementary motions without knowing a configuration.
 *
 *   freedoms      of the child in the tree, in the order in which it goes the row
 *   constraints   gap w = x_child - x_parent of the joint points, a_i and b_i the axes of the two joint frames
 *                 all shifts locked:       w = 0             otherwise:  a_i . w = 0 for the locked directions i
 *                 no turn:                 a_x . b_y = a_y . b_z = a_z . b_x = 0
 *                 one turn about k:        a_k . b_i = 0 for the two other axes i
 *                 turns about k, then l:   a_k . b_l = 0
 *                 swing:                   |w|^2 = length^2
 *   measures      slide a_i . w; angles from two products of axes
 *
 * Motion in the tree is in tree/joint_motion.c.
 */
#include <math.h>
#include <stddef.h>

#include "base/vector.h"
#include "model/joint_rows.h"
#include "model/system.h"

#define ROW(type, name, about, ...) {type, name, {__VA_ARGS__}},
static const ac_joint_row ROWS[] = {AC_JOINT_ROWS(ROW)};

/* A node without a joint moves freely relative to the ground. */
const ac_joint_row ac_joint_free = {
    AC_FIXED,
    "free",
    {AC_ROW_SHIFT(0, NULL), AC_ROW_SHIFT(1, NULL), AC_ROW_SHIFT(2, NULL), AC_ROW_BALL(NULL)}};

const ac_joint_row *ac_joint_find(ac_joint_type type)
{
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; ++k)
        if (ROWS[k].type == type) return &ROWS[k];
    return NULL;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

int ac_row_count(const ac_joint_row *row, ac_motion_kind kind)
{
    int count = 0;
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m) count += m->kind == kind;
    return count;
}

int ac_row_coordinates(const ac_joint_row *row)
{
    int count = 0;
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m)
        if (m->name) count += m->kind == AC_MOTION_BALL ? 3 : 1;
    return count;
}

bool ac_row_is_ball(const ac_joint_row *row)
{
    return row->motion[0].kind == AC_MOTION_BALL;
}

bool ac_row_holds_turns(const ac_joint_row *row)
{
    return !ac_row_has(row, AC_MOTION_BALL);
}

void ac_row_locked(const ac_joint_row *row, bool locked[3])
{
    for (int i = 0; i < 3; ++i) locked[i] = true;
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m)
        if (m->kind == AC_MOTION_SHIFT) locked[m->axis] = false;
}

/* The axes of its turns; returns their number, at most 2. */
static int turn_axes(const ac_joint_row *row, int axes[2])
{
    int count = 0;
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m)
        if (m->kind == AC_MOTION_TURN) axes[count++] = m->axis;
    return count;
}

/* Do its motions form a group? Then the child moves relative to the parent in the same way from both sides. */
static bool is_group(const ac_joint_row *row)
{
    bool locked[3];
    int axes[2] = {0, 0}, turns = turn_axes(row, axes);
    ac_row_locked(row, locked);
    if (turns == 0) return true; /* balls have all shifts or none */
    return turns == 1 && locked[(axes[0] + 1) % 3] == locked[(axes[0] + 2) % 3];
}

/* Do its motions commute? Then coordinates only change their sign when it is gone from the other side. */
static bool commutes(const ac_joint_row *row)
{
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m)
        if (m->kind > AC_MOTION_TURN || m->axis != row->motion[0].axis) return false;
    return true;
}

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

const ac_side *ac_joint_slide_side(const ac_joint_data *joint)
{
    return is_group(joint->row) ? ac_parent_side(joint) : &joint->a;
}

/* --- freedoms ------------------------------------------------------------------------------------------------------ */

int ac_joint_freedoms(const ac_joint_row *row, const ac_node *child)
{
    int turns = ac_node_turns(child), count = 0, shifts = ac_row_count(row, AC_MOTION_SHIFT);
    for (const ac_motion *m = row->motion; m->kind != AC_MOTION_NONE; ++m) {
        if (m->kind == AC_MOTION_TURN) count += turns > 0;
        if (m->kind == AC_MOTION_BALL) count += turns;
        if (m->kind == AC_MOTION_SWING) count += child->dimension - 1;
    }
    return count + (shifts == 3 ? child->dimension : shifts);
}

/* Freedoms of a motion of the child's row: none for what leads out of the plane. */
static int step_freedoms(const ac_system *system, const ac_node *child, const ac_motion *motion)
{
    switch (motion->kind) {
    case AC_MOTION_SHIFT:
        if (child->joint < 0) return motion->axis < child->dimension;
        if (child->dimension == 3) return 1;
        return fabs(ac_parent_side(&system->joints[child->joint])->axes[6 + motion->axis]) < 0.5;
    case AC_MOTION_TURN: return ac_node_turns(child) > 0;
    case AC_MOTION_BALL: return ac_node_turns(child);
    case AC_MOTION_SWING: return child->dimension - 1;
    default: return 0;
    }
}

void ac_joint_walk(const ac_system *system, ac_node *child)
{
    const ac_joint_data *joint = child->joint < 0 ? NULL : &system->joints[child->joint];
    const ac_joint_row *row = joint ? joint->row : &ac_joint_free;
    ac_walk *walk = &child->walk;
    bool reversed = joint && joint->reversed, turned = false;
    int length = 0, freedom = 0;
    while (row->motion[length].kind != AC_MOTION_NONE) ++length;
    *walk = (ac_walk){.backward = reversed && !is_group(row)};
    walk->aligned = !reversed || walk->backward || commutes(row);
    for (int k = 0; k < length; ++k) {
        int number = walk->backward ? length - 1 - k : k;
        const ac_motion *motion = &row->motion[number];
        int freedoms = step_freedoms(system, child, motion);
        if (freedoms == 0) continue;
        bool turn = motion->kind == AC_MOTION_TURN;
        walk->step[walk->count++] = (ac_walk_step){
            .kind = motion->kind,
            .axis = motion->axis,
            .freedoms = freedoms,
            .number = number,
            .freedom = freedom,
            .in_child = turn ? turned : motion->kind == AC_MOTION_SHIFT && walk->backward,
        };
        turned = turned || turn;
        freedom += freedoms;
    }
}

const ac_walk_step *ac_walk_at(const ac_node *child, int freedom)
{
    const ac_walk_step *step = child->walk.step;
    while (freedom >= step->freedom + step->freedoms) ++step;
    return step;
}

const ac_walk_step *ac_walk_coordinate(const ac_node *child, int number)
{
    for (int k = 0; child->walk.aligned && k < child->walk.count; ++k) {
        const ac_walk_step *step = &child->walk.step[k];
        if (step->number == number && step->kind <= AC_MOTION_TURN) return step;
    }
    return NULL;
}

/* --- constraints --------------------------------------------------------------------------------------------------- */

static void axis_of(const ac_side *side, int k, double axis[3])
{
    for (int i = 0; i < 3; ++i) axis[i] = side->axes[3 * i + k];
}

static void add_row(ac_equation_list *list, ac_equation_kind kind, int k, int l)
{
    list->row[list->count].kind = kind;
    list->row[list->count].k = k;
    list->row[list->count++].l = l;
}

static void list_gap_rows(const ac_joint_data *joint, int dimension, ac_equation_list *list)
{
    const ac_side *side = ac_joint_slide_side(joint);
    bool locked[3];
    ac_row_locked(joint->row, locked);
    bool all = locked[0] && locked[1] && locked[2];
    for (int k = 0; all && k < dimension; ++k) add_row(list, AC_EQUATION_COMPONENT, k, 0);
    for (int k = 0; !all && k < 3; ++k) { /* perpendicular to the plane: always satisfied */
        bool out = dimension < 3 && fabs(side->axes[6 + k]) > 0.5;
        if (locked[k] && !out) add_row(list, AC_EQUATION_ALONG, k, 0);
    }
}

static void list_turning_rows(const ac_system *system, const ac_joint_data *joint, ac_equation_list *list)
{
    const ac_node *node_a = node_of(system, joint->a.node), *node_b = node_of(system, joint->b.node);
    int axes[2] = {0, 0}, turns = turn_axes(joint->row, axes);
    if (!ac_row_holds_turns(joint->row)) return;
    if ((node_a && ac_node_turns(node_a) == 0) || (node_b && ac_node_turns(node_b) == 0)) return;
    if ((node_a && ac_node_turns(node_a) == 1) || (node_b && ac_node_turns(node_b) == 1)) {
        /* in the plane, of a joint axis that lies in it */
        if (turns == 0)
            add_row(list, AC_EQUATION_FLAT, fabs(ac_parent_side(joint)->axes[6]) < 0.5 ? 0 : 1, 0);
        return;
    }
    for (int k = 0; turns == 0 && k < 3; ++k) add_row(list, AC_EQUATION_ACROSS, k, (k + 1) % 3);
    for (int k = 1; turns == 1 && k < 3; ++k) add_row(list, AC_EQUATION_ACROSS, axes[0], (axes[0] + k) % 3);
    if (turns == 2)
        add_row(list, AC_EQUATION_ACROSS, axes[joint->reversed ? 1 : 0], axes[joint->reversed ? 0 : 1]);
}

void ac_joint_list_rows(const ac_system *system, const ac_joint_data *joint, ac_equation_list *list)
{
    const ac_side *a = ac_parent_side(joint), *b = ac_child_side(joint);
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    list->count = 0;
    if (ac_row_has(joint->row, AC_MOTION_SWING)) {
        add_row(list, AC_EQUATION_LENGTH, 0, 0);
        return;
    }
    list_gap_rows(joint, node_a ? node_a->dimension : node_b ? node_b->dimension : 3, list);
    list_turning_rows(system, joint, list);
}

/* Direction k of a side, turned by 90 degrees in the plane if it is `flat`. */
static ac_affine3 direction_of(const ac_system *system, const ac_side *side, int k, bool flat)
{
    const ac_node *node = node_of(system, side->node);
    double axis[3];
    axis_of(side, k, axis);
    const double across[3] = {-axis[1], axis[0], 0.0};
    return ac_node_direction(node, node ? node->q : 0, flat ? across : axis);
}

/* Adds a row that is no length to the last map. */
static ac_status add_row_form(const ac_system *system, const ac_joint_data *joint,
                              const ac_joint_equation *row, const ac_affine3 *gap, ac_context *ctx,
                              ac_forms *forms)
{
    const ac_side *a = ac_parent_side(joint), *b = ac_child_side(joint), *slide = ac_joint_slide_side(joint);
    bool flat = row->kind == AC_EQUATION_FLAT;
    if (row->kind == AC_EQUATION_COMPONENT) return ac_forms_add_affine(ctx, forms, &gap->part[row->k], 1.0);
    if (row->kind == AC_EQUATION_ALONG) {
        ac_affine3 u = direction_of(system, slide, row->k, false);
        return ac_forms_add_dot(ctx, forms, &u, gap, 1.0);
    }
    ac_affine3 u = direction_of(system, a, row->k, false),
               v = direction_of(system, b, flat ? row->k : row->l, flat);
    return ac_forms_add_dot(ctx, forms, &u, &v, 1.0);
}

ac_status ac_joint_constraints(ac_system *system, int number)
{
    ac_joint_data *joint = &system->joints[number];
    const ac_side *a = ac_parent_side(joint), *b = ac_child_side(joint);
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    ac_affine3 x_a = ac_node_point(node_a, node_a ? node_a->q : 0, a->place);
    ac_affine3 x_b = ac_node_point(node_b, node_b ? node_b->q : 0, b->place);
    ac_affine3 gap = ac_affine_difference(&x_b, &x_a);
    ac_forms *forms = &system->constraints.forms;
    ac_equation_list list;
    ac_joint_list_rows(system, joint, &list);
    joint->first_row = forms->count;
    joint->rows = list.count;
    for (int r = 0; r < list.count; ++r) {
        bool length = list.row[r].kind == AC_EQUATION_LENGTH;
        AC_TRY(ac_forms_begin(system->ctx, forms, length ? -0.5 * joint->length * joint->length : 0.0));
        AC_TRY(length ? ac_forms_add_dot(system->ctx, forms, &gap, &gap, 0.5)
                      : add_row_form(system, joint, &list.row[r], &gap, system->ctx, forms));
    }
    return AC_OK;
}

/* --- coordinates --------------------------------------------------------------------------------------------------- */

/* One map factor * u . v over the coordinates of the two nodes. */
static ac_status measure_form(ac_system *system, double factor, const ac_affine3 *u, const ac_affine3 *v)
{
    AC_TRY(ac_forms_begin(system->ctx, &system->measure_forms, 0.0));
    return ac_forms_add_dot(system->ctx, &system->measure_forms, u, v, factor);
}

/* Cosine and sine of the angle of motion `number`. With one turn about k and i, j the axes after it:
 * a_i . b_i and a_j . b_i. With turns about k, then l, and e = k x l: b_l is a_l turned about a_k, so the first
 * angle has a_l . b_l and a_e . b_l; a_k is b_k turned back about b_l, so the second has a_k . b_k and
 * a_k . b_e. */
void ac_joint_angle_axes(const ac_joint_row *row, int number, ac_axis_pair pair[2])
{
    int axes[2] = {0, 0};
    if (turn_axes(row, axes) == 1) {
        int i = (axes[0] + 1) % 3, j = (axes[0] + 2) % 3;
        pair[0] = (ac_axis_pair){i, i, 1.0};
        pair[1] = (ac_axis_pair){j, i, 1.0};
        return;
    }
    int k = axes[0], l = axes[1], e = 3 - k - l;
    double hand = (k + 1) % 3 == l ? 1.0 : -1.0;
    bool first = number == 0 || row->motion[number - 1].kind != AC_MOTION_TURN;
    pair[0] = first ? (ac_axis_pair){l, l, 1.0} : (ac_axis_pair){k, k, 1.0};
    pair[1] = first ? (ac_axis_pair){e, l, hand} : (ac_axis_pair){k, e, hand};
}

static ac_status angle_forms(ac_system *system, const ac_joint_row *row, int number, const ac_affine3 a[3],
                             const ac_affine3 b[3])
{
    ac_axis_pair pair[2];
    ac_joint_angle_axes(row, number, pair);
    for (int k = 0; k < 2; ++k) AC_TRY(measure_form(system, pair[k].factor, &a[pair[k].a], &b[pair[k].b]));
    return AC_OK;
}

ac_status ac_joint_measures(ac_system *system, int number)
{
    ac_joint_data *joint = &system->joints[number];
    const ac_joint_row *row = joint->row;
    const ac_node *node_a = node_of(system, joint->a.node), *node_b = node_of(system, joint->b.node);
    joint->first_measure = -1;
    if (ac_row_is_ball(row) || ac_row_coordinates(row) == 0) return AC_OK;
    if (node_a && node_b && joint->a.node == joint->b.node) return AC_OK;
    joint->first_measure = system->measure_count;
    int q_a = 0, q_b = node_a ? node_a->size : 0;
    ac_affine3 x_a = ac_node_point(node_a, q_a, joint->a.place),
               x_b = ac_node_point(node_b, q_b, joint->b.place);
    ac_affine3 gap = ac_affine_difference(&x_b, &x_a), a[3], b[3];
    const ac_side *end = node_b ? &joint->b : &joint->a;
    for (int k = 0; k < 3; ++k) {
        double axis[3];
        axis_of(&joint->a, k, axis);
        a[k] = ac_node_direction(node_a, q_a, axis);
        axis_of(&joint->b, k, axis);
        b[k] = ac_node_direction(node_b, q_b, axis);
    }
    for (int c = 0; row->motion[c].kind != AC_MOTION_NONE; ++c) {
        bool is_angle = row->motion[c].kind == AC_MOTION_TURN;
        AC_TRY(ac_grow(system->ctx, (void **)&system->measures, &system->measure_capacity,
                       system->measure_count + 1, sizeof(ac_measure)));
        ac_measure *m = &system->measures[system->measure_count++];
        *m = (ac_measure){.kind = is_angle ? AC_MEASURE_ANGLE : AC_MEASURE_VALUE,
                          .first_form = system->measure_forms.count,
                          .end = end->node};
        copy3(end->place, m->place);
        if (node_a) m->nodes[m->node_count++] = joint->a.node;
        if (node_b) m->nodes[m->node_count++] = joint->b.node;
        AC_TRY(is_angle ? angle_forms(system, row, c, a, b)
                        : measure_form(system, 1.0, &a[row->motion[c].axis], &gap));
    }
    return AC_OK;
}
